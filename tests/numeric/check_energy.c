/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers in double: against naive sums in long double and exact values; rises where the
 * theory says so.  Descent is for balls to decide: check_energy_balls. */
#include "attest/numeric/energy/energy.h"
#include "attest/numeric/energy/pairs.h"
#include "attest/numeric/optimize/random.h"
#include "tests/numeric/energy_layer.h"

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

static long double distance(const double *Y, const double *W, size_t d, size_t h, size_t i,
                            size_t j)
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

static long double naive_energy(const double *Y, const double *X, size_t n,
                                const at_energy_model *m, const double *Wf)
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
    if (m->step != AT_STEP_VALUE_MATRIX && m->step != AT_STEP_MULTI_HEAD
        && m->step != AT_STEP_PARALLEL)
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
        AT_EXPECT(&r, fabsl(parts.total - e) <= 1e-12L * fabsl(e),
                  "%s, %s, n %zu, d %zu: %.17g, %.17Lg", at_steps[step].name, at_rho_text(&l.rho),
                  n, d, parts.total, e);
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
        double V[1600], z[1600], one[1600],
            *scratch = malloc(at_pairs_scratch(n, d) * sizeof *scratch);
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
                AT_EXPECT(&r, fabsl(z[i * n + j] - s) <= 1e-14L * s, "n %zu, d %zu: %.17g, %.17Lg",
                          n, d, z[i * n + j], s);
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
    static const enum at_step_id steps[] = { AT_STEP_RELEASED, AT_STEP_SOFTMAX_BETA,
                                             AT_STEP_PARALLEL };
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
            ck_assert_double_eq_tol(e[0][t].total, e[1][t].total,
                                    1e-12 * (1 + fabs(e[0][t].total)));
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
    tcase_add_test(c, past_the_bound);
    tcase_add_test(c, threads_agree);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
