/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers in double: against naive sums in long double, exact values, the released model's
 * figures; descent where the theory says so; rises where it says so. */
#include "numeric/energy.h"
#include "numeric/energy_train.h"
#include "numeric/pairs.h"
#include "numeric/random.h"
#include "tests/at_check.h"

enum { MOST = 12, WIDE = 6, HEADS = 2 };

typedef struct {
    at_rho rho;
    at_energy_model model;
    at_energy_work *work;
} layer;

static void open_layer(layer *l, enum at_step_id step, const char *rho, size_t d, size_t heads,
                       const double *W, const double *Wf, const double *B, size_t longest, int threads)
{
    at_error err = AT_ERROR_INIT;
    int status = at_rho_parse(&l->rho, rho, &err);

    if (status == AT_OK)
        status = at_energy_model_init(&l->model, step, &l->rho, d, heads, W, Wf, B, &err);
    if (status == AT_OK)
        status = at_energy_work_alloc(&l->work, &l->model, longest, threads, &err);
    ck_assert_msg(status == AT_OK, "%s", err.text);
}

static void close_layer(layer *l)
{
    at_energy_work_free(l->work);
    at_energy_model_clear(&l->model);
    at_rho_clear(&l->rho);
}

/* ---- The same mathematics in long double, as the formulas stand ---- */

static long double rho_value(int id, long double z)
{
    switch (id) {
    case AT_RHO_EXP: return -expl(-z);
    case AT_RHO_LOG: return logl(2 + z);
    case AT_RHO_SQRT: return sqrtl(1 + z);
    default: return z / (1 + z);
    }
}

static long double rho_slope(int id, long double z)
{
    switch (id) {
    case AT_RHO_EXP: return expl(-z);
    case AT_RHO_LOG: return 1 / (2 + z);
    case AT_RHO_SQRT: return 0.5L / sqrtl(1 + z);
    default: return 1 / ((1 + z) * (1 + z));
    }
}

static long double weight_of(const double *W, size_t d, size_t h, size_t a, size_t b)
{
    return W != NULL ? W[(h * d + a) * d + b] : a == b;
}

static long double distance(const double *Y, const double *W, size_t d, size_t h, size_t i, size_t j)
{
    long double z = 0;

    for (size_t b = 0; b < d; b++) {
        long double v = 0;
        for (size_t a = 0; a < d; a++)
            v += ((long double) Y[i * d + a] - Y[j * d + a]) * weight_of(W, d, h, a, b);
        z += v * v;
    }
    return z / 2;
}

static long double naive_energy(const double *Y, const double *X, size_t n, const at_energy_model *m,
                                const double *Wf)
{
    size_t d = m->d;
    long double e = 0;

    for (size_t h = 0; h < m->heads; h++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                e += rho_value(m->rho->id, distance(Y, m->W, d, h, i, j));
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < d; b++) {
            long double v = 0, u = 0, s = 0;
            for (size_t a = 0; a < d; a++) {
                v += Y[i * d + a] * weight_of(m->W, d, 0, a, b);
                if (X != NULL)
                    u += ((long double) Y[i * d + a] - X[i * d + a]) * weight_of(m->W, d, 0, a, b);
                if (Wf != NULL)
                    s += (long double) Y[i * d + a] * Wf[a * d + b];
            }
            if (m->step == AT_STEP_RELEASED)
                e += v * v / 2;
            if (m->step == AT_STEP_JACOBI)
                e += m->lambda * v * v / 2;
            if (m->step == AT_STEP_RESIDUAL_INPUT)
                e += m->lambda * u * u / 2;
            if (at_energy_has_ffn(m->step)) {
                long double t = (long double) Y[i * d + b] - (m->B != NULL ? m->B[b] : 0);
                e += s * Y[i * d + b] / 2 + t * t / 2;
            }
        }
    return e;
}

/* (AY)_i of head h in long double, and d_i; self: with the term j = i. */
static long double naive_average(long double *out, const double *Y, size_t n, size_t i, size_t h,
                                 const at_energy_model *m, int self)
{
    long double degree = 0;

    for (size_t k = 0; k < m->d; k++)
        out[k] = 0;
    for (size_t j = 0; j < n; j++) {
        if (j == i && !self)
            continue;
        long double w = rho_slope(m->rho->id, distance(Y, m->W, m->d, h, i, j));
        degree += w;
        for (size_t k = 0; k < m->d; k++)
            out[k] += w * Y[j * m->d + k];
    }
    return degree;
}

/* Row i of the first half-step, for the steps that use attention weights. */
static void naive_row(long double *next, const double *Y, const double *X, size_t n, size_t i,
                      const at_energy_model *m, const double *theta)
{
    size_t d = m->d;
    int self = m->step != AT_STEP_NO_SELF && m->step != AT_STEP_JACOBI;
    long double t[WIDE], degree = naive_average(t, Y, n, i, 0, m, self), norm = 0;
    const double *y = Y + i * d;

    for (size_t k = 0; k < d; k++)
        switch (m->step) {
        case AT_STEP_NO_SELF: next[k] = (double) degree > 0 ? t[k] / degree : y[k]; break;
        case AT_STEP_JACOBI: next[k] = t[k] / (m->lambda + degree); break;
        case AT_STEP_RESIDUAL_INPUT:
            next[k] = (t[k] + m->lambda * X[i * d + k]) / (degree + m->lambda);
            break;
        case AT_STEP_RELAXED: next[k] = (1 - m->alpha) * y[k] + m->alpha * t[k] / degree; break;
        case AT_STEP_SPHERE:
            next[k] = m->alpha * y[k] + t[k] / degree;
            norm += next[k] * next[k];
            break;
        case AT_STEP_SOFTMAX_BETA: case AT_STEP_SEQUENTIAL: next[k] = t[k] / degree; break;
        default: next[k] = y[k];
        }
    for (size_t k = 0; m->step == AT_STEP_SPHERE && k < d; k++)
        next[k] *= sqrtl((long double) d / norm);
    if (m->step != AT_STEP_VALUE_MATRIX && m->step != AT_STEP_MULTI_HEAD && m->step != AT_STEP_PARALLEL)
        return;
    for (size_t h = 0; h < m->heads; h++) {
        degree = naive_average(t, Y, n, i, h, m, 1);
        long double u[WIDE] = { 0 };
        for (size_t b = 0; b < d; b++)
            for (size_t a = 0; a < d; a++)
                u[b] += (degree * y[a] - t[a]) * weight_of(m->W, d, h, a, b);
        for (size_t k = 0; k < d; k++)
            for (size_t b = 0; b < d; b++)
                next[k] -= (m->step == AT_STEP_VALUE_MATRIX ? theta[0] / degree : theta[i])
                           * u[b] * weight_of(m->W, d, h, k, b);
    }
    for (size_t k = 0; m->step == AT_STEP_PARALLEL && k < d; k++) {
        long double g = y[k] - (m->B != NULL ? m->B[k] : 0);
        for (size_t a = 0; m->S != NULL && a < d; a++)
            g += (long double) y[a] * m->S[a * d + k];
        next[k] -= theta[i] * g;
        if (m->relu && next[k] < 0)
            next[k] = 0;
    }
}

/* A document with near-equal and equal tokens among others. */
static void random_document(double *Y, size_t n, size_t d, at_test_random *r)
{
    for (size_t k = 0; k < n * d; k++)
        Y[k] = at_test_normal(r);
    for (size_t i = 1; i < n; i++)
        switch (at_test_below(r, 5)) {
        case 0:
            for (size_t k = 0; k < d; k++)
                Y[i * d + k] = Y[(i - 1) * d + k] * (1 + 1e-12 * at_test_normal(r));
            break;
        case 1: memcpy(Y + i * d, Y + (i - 1) * d, d * sizeof *Y); break;
        case 2: Y[i * d] += 1e3; break;
        default: break;
        }
}

static void random_weights(double *W, double *Wf, double *B, size_t d, size_t heads, at_test_random *r)
{
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    at_rng_stream(random, at_test_bits(r), AT_STREAM_WEIGHTS, 0, 0);
    ck_assert_int_eq(at_energy_weights_random(W, Wf, B, d, heads, random, NULL), AT_OK);
    gsl_rng_free(random);
    Wf[d - 1] += 0.25;   /* not symmetric */
}

static const enum at_step_id attention_steps[] = {
    AT_STEP_SOFTMAX_BETA, AT_STEP_NO_SELF, AT_STEP_JACOBI, AT_STEP_RESIDUAL_INPUT, AT_STEP_RELAXED,
    AT_STEP_SPHERE, AT_STEP_VALUE_MATRIX, AT_STEP_MULTI_HEAD, AT_STEP_PARALLEL, AT_STEP_SEQUENTIAL,
};

START_TEST(naive_sums)
{
    AT_ROUNDS(r, 400) {
        size_t n = 1 + at_test_below(&r, MOST), d = 1 + at_test_below(&r, WIDE);
        enum at_step_id step = attention_steps[at_test_below(&r, 10)];
        size_t heads = step == AT_STEP_MULTI_HEAD ? HEADS : 1;
        double Y[MOST * WIDE], X[MOST * WIDE], next[MOST * WIDE], W[HEADS * WIDE * WIDE],
            Wf[WIDE * WIDE], B[WIDE], theta[MOST];
        int plain = step == AT_STEP_SPHERE || at_test_below(&r, 3) == 0;
        layer l;
        at_energy_parts parts;
        random_weights(W, Wf, B, d, heads, &r);
        open_layer(&l, step, at_rhos[at_test_below(&r, AT_RHO_COUNT)].name, d, heads,
                   plain ? NULL : W, plain ? NULL : Wf, plain ? NULL : B, n, 1);
        random_document(X, n, d, &r);
        random_document(Y, n, d, &r);
        l.model.relu = at_test_below(&r, 2);
        ck_assert_int_eq(at_energy_prepare(Y, n, &l.model, NULL), AT_OK);
        at_energy_measure(&parts, Y, X, n, &l.model, l.work);
        long double e = naive_energy(Y, step == AT_STEP_RESIDUAL_INPUT ? X : NULL, n, &l.model,
                                     plain ? NULL : Wf);
        AT_EXPECT(&r, fabsl(parts.total - e) <= 1e-12L * fabsl(e), "%s, %s, n %zu, d %zu: %.17g, %.17Lg",
                  at_steps[step].name, at_rho_text(&l.rho), n, d, parts.total, e);
        at_energy_thetas(theta, n, &l.model, l.work);
        at_energy_advance(next, Y, X, n, 0, &l.model, l.work);
        for (size_t i = 0; i < n; i++) {
            long double row[WIDE];
            naive_row(row, Y, X, n, i, &l.model, theta);
            for (size_t k = 0; k < d; k++)
                AT_EXPECT(&r, fabsl(row[k] - next[i * d + k]) <= 1e-11L * (1 + fabsl(row[k])),
                          "%s, %s, n %zu, d %zu, row %zu: %.17g, %.17Lg", at_steps[step].name,
                          at_rho_text(&l.rho), n, d, i, next[i * d + k], row[k]);
        }
        close_layer(&l);
    }
}
END_TEST

START_TEST(distances)
{
    AT_ROUNDS(r, 60) {
        size_t n = 1 + at_test_below(&r, 40), d = 1 + at_test_below(&r, 40);
        double V[1600], z[1600], one[1600], *scratch = malloc(at_pairs_scratch(n, d) * sizeof *scratch);
        random_document(V, n, d, &r);
        at_pairs_distances(z, V, n, d, scratch, 2);
        at_pairs_distances(one, V, n, d, scratch, 1);
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++) {
                long double s = 0;
                for (size_t k = 0; k < d; k++) {
                    long double t = (long double) V[i * d + k] - V[j * d + k];
                    s += t * t / 2;
                }
                AT_EXPECT(&r, fabsl(z[i * n + j] - s) <= 1e-14L * s, "n %zu, d %zu: %.17g, %.17Lg", n, d,
                          z[i * n + j], s);
                AT_EXPECT(&r, z[i * n + j] == one[i * n + j], "threads change %zu, %zu", i, j);
            }
        at_pairs_mirror(z, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                AT_EXPECT(&r, z[i * n + j] == z[j * n + i], "n %zu: %zu, %zu", n, i, j);
        free(scratch);
    }
}
END_TEST

/* Values computed exactly: rho = log(2+z), Y' = AY, exp E. */
START_TEST(golden)
{
    static const struct { size_t n, d; double Y[6], next[6], before, after; } cases[] = {
        { 2, 1, { 0, 2 }, { 2. / 3, 4. / 3 }, 4, 20. / 9 },
        { 3, 1, { 0, 1, 3 }, { 112. / 137, 25. / 23, 91. / 47 }, 65,
          6071404929860158211765. / 481044268404806945281. },
        { 3, 2, { 0, 0, 2, 0, 0, 2 }, { .5, .5, 12. / 11, 4. / 11, 4. / 11, 12. / 11 }, 96,
          170939097. / 14172488 },
        { 3, 2, { 1, 0, -1, 0, 0, 1 }, { 3. / 13, 4. / 13, -3. / 13, 4. / 13, 0, 3. / 7 }, 36,
          100992447044. / 11589168409. },
    };

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        double Y[6];
        at_energy_parts e[2];
        layer l;
        open_layer(&l, AT_STEP_SOFTMAX_BETA, "log", cases[c].d, 1, NULL, NULL, NULL, 3, 1);
        memcpy(Y, cases[c].Y, sizeof Y);
        ck_assert_int_eq(at_energy_run(e, NULL, Y, cases[c].n, 1, &l.model, l.work, NULL), AT_OK);
        for (size_t k = 0; k < cases[c].n * cases[c].d; k++)
            ck_assert_double_eq_tol(Y[k], cases[c].next[k], 1e-14);
        ck_assert_double_eq_tol(exp(e[0].total), cases[c].before, 1e-12);
        ck_assert_double_eq_tol(exp(e[1].total), cases[c].after, 1e-12);
        close_layer(&l);
    }
}
END_TEST

/* exp E_1 4 → 20/9 → 10 and E_2 157/400 → 157/3600 → 157/14400: the sum rises. */
START_TEST(sequential_rises)
{
    double Y[] = { .05, .6, -.05, -.6 }, W[] = { 20, 0, 0, 0 }, S[] = { 0, .5, .5, 0 };
    static const double e1[] = { 4, 20. / 9, 10 }, e2[] = { 157. / 400, 157. / 3600, 157. / 14400 };
    at_energy_parts e;
    layer l;

    open_layer(&l, AT_STEP_SEQUENTIAL, "log", 2, 1, W, S, NULL, 2, 1);
    for (size_t t = 0; t < 3; t++) {
        at_energy_measure(&e, Y, NULL, 2, &l.model, l.work);
        ck_assert_double_eq_tol(exp(e.attention), e1[t], 1e-12);
        ck_assert_double_eq_tol(e.ffn, e2[t], 1e-13);
        if (t < 2)
            at_energy_advance(Y, Y, NULL, 2, t, &l.model, l.work);
    }
    close_layer(&l);
}
END_TEST

static double *read_block(FILE *file, const char *name, size_t *rows, size_t *columns)
{
    char line[8192], word[64];

    rewind(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63s %zu %zu", word, rows, columns) == 3 && strcmp(word, name) == 0) {
            double *block = malloc(*rows * *columns * sizeof *block);
            for (size_t k = 0; k < *rows * *columns; k++)
                ck_assert_int_eq(fscanf(file, "%lf", &block[k]), 1);
            return block;
        }
    ck_abort_msg("no %s in the fixture", name);
}

static void compare_released(const char *kind, int relu)
{
    static const char *const parts[] = { "Y0", "W_a", "W_f", "B", "energy", "Y12", "energy.attention0",
                                         "energy.ffn0" };
    FILE *file = fopen(at_test_data("energy-released.txt"), "r");
    double *block[8];
    size_t rows[8], columns[8];
    at_energy_parts e[13];
    layer l;

    ck_assert_ptr_nonnull(file);
    for (size_t k = 0; k < 8; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", kind, parts[k]);
        block[k] = read_block(file, name, &rows[k], &columns[k]);
    }
    fclose(file);
    open_layer(&l, AT_STEP_RELEASED, "exp", columns[0], 1, block[1], block[2], block[3], rows[0], 1);
    l.model.relu = relu;
    double *Y = block[0];
    at_energy_parts unused;
    at_energy_measure(&unused, Y, NULL, rows[0], &l.model, l.work);
    ck_assert_double_eq_tol(unused.attention + unused.regulariser, block[6][0], 1e-9);
    ck_assert_double_eq_tol(unused.ffn, block[7][0], 1e-9);
    ck_assert_int_eq(at_energy_run(e, NULL, Y, rows[0], 12, &l.model, l.work, NULL), AT_OK);
    for (size_t t = 0; t <= 12; t++)
        ck_assert_double_eq_tol(e[t].total, block[4][t], 1e-9 * (1 + fabs(block[4][t])));
    for (size_t k = 0; k < rows[0] * columns[0]; k++)
        ck_assert_double_eq_tol(Y[k], block[5][k], 1e-9);
    for (size_t k = 0; k < 8; k++)
        free(block[k]);
    close_layer(&l);
}

START_TEST(released_figures)
{
    compare_released("linear", 0);
    compare_released("relu", 1);
}
END_TEST

/* The steps whose claim says that they descend do, for every rho, up to rounding. */
START_TEST(descent)
{
    AT_ROUNDS(r, 300) {
        size_t n = 1 + at_test_below(&r, MOST), d = 1 + at_test_below(&r, WIDE);
        enum at_step_id step = attention_steps[at_test_below(&r, 9)];
        size_t heads = step == AT_STEP_MULTI_HEAD ? HEADS : 1;
        double Y[MOST * WIDE], W[HEADS * WIDE * WIDE], Wf[WIDE * WIDE], B[WIDE];
        int plain = step == AT_STEP_SPHERE || at_test_below(&r, 3) == 0;
        layer l;
        at_energy_parts e[6];
        random_weights(W, Wf, B, d, heads, &r);
        /* softmax on the sphere is exp's: other rho have other averages, and no theorem here */
        open_layer(&l, step, step == AT_STEP_SPHERE ? "exp"
                                                    : at_rhos[at_test_below(&r, AT_RHO_COUNT)].name,
                   d, heads, plain ? NULL : W, plain ? NULL : Wf, plain ? NULL : B, n, 1);
        random_document(Y, n, d, &r);
        l.model.relu = at_test_below(&r, 2);
        l.model.alpha = step == AT_STEP_SPHERE ? 1 : 2 * at_test_uniform(&r);
        ck_assert_int_eq(at_energy_prepare(Y, n, &l.model, NULL), AT_OK);
        ck_assert_int_eq(at_energy_run(e, NULL, Y, n, 5, &l.model, l.work, NULL), AT_OK);
        for (size_t t = 0; t < 5; t++)
            AT_EXPECT(&r, e[t + 1].total <= e[t].total + 1e-12 * (1 + fabs(e[t].total)),
                      "%s, %s, n %zu, d %zu, layer %zu: %.17g, %.17g", at_steps[step].name,
                      at_rho_text(&l.rho), n, d, t, e[t].total, e[t + 1].total);
        close_layer(&l);
    }
}
END_TEST

/* Past the bound the relaxed step rises: Y = (0, 1/10), alpha = 9/4. */
START_TEST(past_the_bound)
{
    double Y[] = { 0, .1 };
    at_energy_parts e[2];
    layer l;

    open_layer(&l, AT_STEP_RELAXED, "exp", 1, 1, NULL, NULL, NULL, 2, 1);
    l.model.alpha = 2.25;
    ck_assert_int_eq(at_energy_run(e, NULL, Y, 2, 1, &l.model, l.work, NULL), AT_OK);
    ck_assert_double_gt(e[1].total, e[0].total + 1e-4);
    close_layer(&l);
}
END_TEST

START_TEST(threads_agree)
{
    enum { N = 70, D = 9 };
    static double W[D * D], Wf[D * D], B[D], Y[2][N * D];
    static const enum at_step_id steps[] = { AT_STEP_RELEASED, AT_STEP_SOFTMAX_BETA, AT_STEP_PARALLEL };
    at_test_random r = at_test_start("threads_agree", 1);
    at_energy_parts e[2][4];

    random_weights(W, Wf, B, D, 1, &r);
    for (size_t s = 0; s < 3; s++) {
        random_document(Y[0], N, D, &r);
        memcpy(Y[1], Y[0], sizeof Y[0]);
        for (int t = 0; t < 2; t++) {
            layer l;
            open_layer(&l, steps[s], "exp", D, 1, W, Wf, B, N, t == 0 ? 1 : 3);
            ck_assert_int_eq(at_energy_run(e[t], NULL, Y[t], N, 3, &l.model, l.work, NULL), AT_OK);
            close_layer(&l);
        }
        for (size_t t = 0; t < 4; t++)
            ck_assert_double_eq_tol(e[0][t].total, e[1][t].total, 1e-12 * (1 + fabs(e[0][t].total)));
    }
}
END_TEST

START_TEST(mistakes)
{
    at_rho rho;
    at_error err = AT_ERROR_INIT;
    at_energy_model m;
    double W[] = { 1, NAN, 0, 1 }, S[] = { -3, 0, 0, -3 }, Y[] = { 0, 0 };

    ck_assert_int_eq(at_rho_parse(&rho, "explog", &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "exp, log, sqrt, ratio"));
    ck_assert_int_eq(at_rho_parse(&rho, "exp", NULL), AT_OK);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SOFTMAX_BETA, &rho, 2, 1, W, NULL, NULL, &err),
                     AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SOFTMAX_BETA, &rho, 0, 1, NULL, NULL, NULL, &err),
                     AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SOFTMAX_BETA, &rho, 2, 2, NULL, NULL, NULL, &err),
                     AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_PARALLEL, &rho, 2, 1, NULL, S, NULL, &err), AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SPHERE, &rho, 2, 1, S, NULL, NULL, &err), AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SPHERE, &rho, 2, 1, NULL, NULL, NULL, &err), AT_OK);
    ck_assert_int_eq(at_energy_prepare(Y, 1, &m, &err), AT_INPUT);
    at_energy_model_clear(&m);
}
END_TEST

START_TEST(rho_checked)
{
    static const struct { const char *text; int status; const char *part; } cases[] = {
        { "exp", AT_OK, "" }, { "log", AT_OK, "" }, { "sqrt", AT_OK, "" }, { "ratio", AT_OK, "" },
        { "log(1+z)/2 + sqrt(3+z)", AT_OK, "" }, { "1-1/(1+z)^2", AT_OK, "" }, { "2*z", AT_OK, "" },
        { "z^2", AT_USAGE, "not concave" }, { "-z", AT_USAGE, "falls" },
        { "sqrt(z)", AT_USAGE, "not finite" }, { "log(z-1)", AT_USAGE, "not finite" },
        { "z*exp(-z)", AT_USAGE, "falls" }, { "exp(z)", AT_USAGE, "not concave" },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_rho rho;
        at_error err = AT_ERROR_INIT;
        ck_assert_int_eq(at_rho_parse(&rho, cases[k].text, &err), AT_OK);
        int status = at_rho_check(&rho, 50, &err);
        ck_assert_msg(status == cases[k].status, "%s: %d, %s", cases[k].text, status, err.text);
        if (status != AT_OK)
            ck_assert_msg(strstr(err.text, cases[k].part) != NULL, "%s: %s", cases[k].text, err.text);
        at_rho_clear(&rho);
    }
}
END_TEST

/* A user's formula of a table entry gives the same run. */
START_TEST(formula_is_table)
{
    static const char *const formula[] = { "-exp(-z)", "log(2+z)", "sqrt(1+z)", "z/(1+z)" };
    AT_ROUNDS(r, 40) {
        size_t k = at_test_below(&r, 4);
        double Y[2][MOST * 3];
        at_energy_parts e[2][4];
        random_document(Y[0], MOST, 3, &r);
        memcpy(Y[1], Y[0], sizeof Y[0]);
        for (int t = 0; t < 2; t++) {
            layer l;
            open_layer(&l, AT_STEP_SOFTMAX_BETA, t == 0 ? at_rhos[k].name : formula[k], 3, 1, NULL, NULL,
                       NULL, MOST, 1);
            ck_assert_int_eq(at_energy_run(e[t], NULL, Y[t], MOST, 3, &l.model, l.work, NULL), AT_OK);
            close_layer(&l);
        }
        for (size_t t = 0; t < 4; t++)
            AT_EXPECT(&r, fabs(e[0][t].total - e[1][t].total) <= 1e-12 * fabs(e[0][t].total), "%s: %.17g, "
                      "%.17g", formula[k], e[0][t].total, e[1][t].total);
    }
}
END_TEST

/* The classifier's gradient against 4-point differences, and its layers against the engine's. */
START_TEST(classifier)
{
    AT_ROUNDS(r, 12) {
        enum { N = 5, D = 4, L = 3, SIZE = 2 * D * D + D + 2 * (D + 1) };
        double x[SIZE], g[SIZE], p[2], Y[N * D], h = 1e-3;
        at_energy_classifier c = { D, L, at_test_below(&r, 2) };
        at_energy_train_work *work;
        int label = (int) at_test_below(&r, 2);
        ck_assert_uint_eq(at_energy_parameters(&c), SIZE);
        ck_assert_int_eq(at_energy_train_work_alloc(&work, &c, N, NULL), AT_OK);
        for (size_t k = 0; k < SIZE; k++)
            x[k] = 0.5 * at_test_normal(&r);
        for (size_t k = 0; k < N * D; k++)
            Y[k] = at_test_normal(&r);
        double loss = at_energy_loss(g, p, x, Y, N, label, &c, work);
        AT_EXPECT(&r, fabs(p[0] + p[1] - 1) < 1e-14 && fabs(loss + log(p[label])) < 1e-12, "%g %g", p[0],
                  loss);
        for (size_t k = 0; k < SIZE; k++) {
            double keep = x[k], f[4];
            static const double at[4] = { -2, -1, 1, 2 };
            for (size_t q = 0; q < 4; q++) {
                x[k] = keep + at[q] * h;
                f[q] = at_energy_loss(NULL, NULL, x, Y, N, label, &c, work);
            }
            x[k] = keep;
            double slope = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
            /* a kink of the ReLU may lie between the four points */
            AT_EXPECT(&r, fabs(slope - g[k]) < (c.relu ? 2e-2 : 1e-7) * (1 + fabs(g[k])), "parameter %zu: "
                      "%.12g, by differences %.12g", k, g[k], slope);
        }
        at_energy_train_work_free(work);

        layer l;
        at_energy_parts e[L + 1];
        double mean[D] = { 0 }, logit[2];
        open_layer(&l, AT_STEP_RELEASED, "exp", D, 1, x, x + D * D, x + 2 * D * D, N, 1);
        l.model.relu = c.relu;
        ck_assert_int_eq(at_energy_run(e, NULL, Y, N, L, &l.model, l.work, NULL), AT_OK);
        for (size_t k = 0; k < N * D; k++)
            mean[k % D] += Y[k] / N;
        for (size_t q = 0; q < 2; q++) {
            const double *row = x + 2 * D * D + D + q * (D + 1);
            logit[q] = row[D];
            for (size_t k = 0; k < D; k++)
                logit[q] += row[k] * mean[k];
        }
        double expected = log1p(exp(logit[1 - label] - logit[label]));
        AT_EXPECT(&r, fabs(expected - loss) < 1e-10 * (1 + loss), "%.15g, %.15g", expected, loss);
        close_layer(&l);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, naive_sums);
    tcase_add_test(c, distances);
    tcase_add_test(c, golden);
    tcase_add_test(c, sequential_rises);
    tcase_add_test(c, released_figures);
    tcase_add_test(c, descent);
    tcase_add_test(c, past_the_bound);
    tcase_add_test(c, threads_agree);
    tcase_add_test(c, mistakes);
    tcase_add_test(c, rho_checked);
    tcase_add_test(c, formula_is_table);
    tcase_add_test(c, classifier);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
