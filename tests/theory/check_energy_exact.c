/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates of energy descent: known values, ties, and every step against a second, naive
 * evaluation in long double. */
#include "tests/at_check.h"

#include "tests/theory/naive_energy.h"
#include "attest/theory/flint/dyadic.h"
#include "attest/theory/energy/energy.h"

/* ---- Random layers --------------------------------------------------------- */

typedef struct {
    at_energy_layer layer;
    double Y[MAX * MAX], X[MAX * MAX], weights[3 * MAX * MAX], ffn[MAX * MAX], bias[MAX * MAX];
    double theta[MAX];
    size_t permutation[MAX];
} instance;

static void random_instance(instance *s, at_test_random *r, enum at_step_id step)
{
    at_energy_layer *l = &s->layer;
    bool many = step == AT_STEP_MULTI_HEAD || step == AT_STEP_PARALLEL;
    memset(s, 0, sizeof *s);
    l->step = step;
    l->rho = step == AT_STEP_SPHERE ? AT_RHO_EXP : (int) at_test_below(r, AT_RHO_COUNT);
    l->n = 1 + at_test_below(r, 7);
    l->d = 1 + at_test_below(r, 4);
    l->width = step == AT_STEP_RELEASED ? l->d : 1 + at_test_below(r, 4);
    l->heads = many ? 1 + at_test_below(r, 3) : 1;
    for (size_t k = 0; k < MAX * MAX; k++) {
        s->Y[k] = at_test_normal(r);
        s->X[k] = at_test_normal(r);
        s->ffn[k] = at_test_normal(r);
        s->bias[k] = at_test_normal(r);
    }
    for (size_t k = 0; k < 3 * MAX * MAX; k++)
        s->weights[k] = at_test_normal(r);
    for (size_t i = 0; i < MAX; i++) {
        s->theta[i] = at_test_uniform(r);
        s->permutation[i] = i;
    }
    for (size_t i = l->n; i-- > 1;) {
        size_t j = at_test_below(r, i + 1), kept = s->permutation[i];
        s->permutation[i] = s->permutation[j];
        s->permutation[j] = kept;
    }
    if (step != AT_STEP_SPHERE && at_test_below(r, 3) > 0)
        l->weights = s->weights;
    l->ffn = s->ffn;
    l->bias = s->bias;
    l->bias_rows = at_test_below(r, 2) ? 1 : l->n;
    l->input = s->X;
    l->theta = s->theta;
    l->permutation = s->permutation;
    l->alpha = step == AT_STEP_SPHERE ? at_test_uniform(r) : 0.1 + at_test_uniform(r);
    l->lambda = 0.1 + at_test_uniform(r);
    l->relu = at_test_below(r, 2) == 1;
}

static matrix rows_of(const instance *s)
{
    matrix Y;
    memset(&Y, 0, sizeof Y);
    for (size_t i = 0; i < s->layer.n * s->layer.d; i++)
        Y.x[i / s->layer.d][i % s->layer.d] = s->Y[i];
    return Y;
}

static at_energy_certificate certify(const at_energy_layer *l, enum at_energy_half half,
                                     const double *Y)
{
    at_energy_certificate certificate;
    at_error err = AT_ERROR_INIT;
    ck_assert_msg(at_energy_certify_step(&certificate, l, half, Y, 0, &err) == AT_OK, "%s",
                  err.text);
    return certificate;
}

static bool near(const double bounds[2], real value)
{
    real slack = 1e-14L * (1 + fabsl(value));
    return bounds[0] <= bounds[1] && bounds[0] - slack <= value && value <= bounds[1] + slack;
}

static void agrees(at_test_random *r, enum at_step_id step, enum at_energy_half half)
{
    instance s;
    random_instance(&s, r, step);
    matrix Y = rows_of(&s);
    matrix next = next_rows(&s.layer, half, &Y);
    at_energy_certificate c = certify(&s.layer, half, s.Y);
    real before = energy(&s.layer, &Y), after = energy(&s.layer, &next);
    AT_EXPECT(r, near(c.before, before) && near(c.after, after) && near(c.change, after - before),
              "%s half %d n %zu d %zu rho %d: %.17Lg -> %.17Lg, change %.17Lg, "
              "certified %.17g -> %.17g, change [%.17g, %.17g]", at_steps[step].name, half,
              s.layer.n, s.layer.d, s.layer.rho, before, after, after - before, c.before[0],
              c.after[0], c.change[0], c.change[1]);
    AT_EXPECT(r, c.outcome != AT_STEP_UNDECIDED, "%s half %d", at_steps[step].name, half);
    bool sure = c.outcome == AT_STEP_DESCENDS ? c.change[1] <= 0
                : c.outcome == AT_STEP_RISES ? c.change[0] >= 0
                : c.change[0] == 0 && c.change[1] == 0;
    AT_EXPECT(r, sure, "%s", at_energy_outcome_name(c.outcome));
}

START_TEST(agrees_with_long_double)
{
    AT_ROUNDS(r, 150) {
        for (int step = 0; step < AT_STEP_COUNT; step++) {
            bool halves = step == AT_STEP_RELEASED || step == AT_STEP_SEQUENTIAL
                          || step == AT_STEP_IDENTITY || step == AT_STEP_PERMUTATION;
            if (!halves) {
                agrees(&r, step, AT_HALF_WHOLE);
            } else {
                agrees(&r, step, AT_HALF_ATTENTION);
                agrees(&r, step, AT_HALF_FFN);
            }
        }
    }
}
END_TEST

/* ---- Known values ---------------------------------------------------------- */

START_TEST(golden_values)
{
    static const double pair[] = { 0, 2 }, three[] = { 0, 1, 3 };
    static const double plane[] = { 0, 0, 2, 0, 0, 2 }, cross[] = { 1, 0, -1, 0, 0, 1 };
    at_energy_layer l = { .step = AT_STEP_SOFTMAX_BETA, .rho = AT_RHO_LOG, .n = 2, .d = 1 };
    at_energy_certificate c = certify(&l, AT_HALF_WHOLE, pair);
    ck_assert_int_eq(c.outcome, AT_STEP_DESCENDS);
    ck_assert(near(c.before, logl(4)) && near(c.after, logl(20.0L / 9)));
    l.n = 3;
    c = certify(&l, AT_HALF_WHOLE, three);
    ck_assert(near(c.before, logl(65))
              && near(c.after, logl(6071404929860158211765.0L / 481044268404806945281.0L)));
    l.d = 2;
    c = certify(&l, AT_HALF_WHOLE, plane);
    ck_assert(near(c.before, logl(96)) && near(c.after, logl(170939097.0L / 14172488)));
    c = certify(&l, AT_HALF_WHOLE, cross);
    ck_assert(near(c.before, logl(36)) && near(c.after, logl(100992447044.0L / 11589168409)));
}
END_TEST

START_TEST(rises_are_seen)
{
    /* relaxed past 2, and the sequential layer whose second half raises the sum */
    static const double close[] = { 0, 0.1 };
    at_energy_layer relaxed = { .step = AT_STEP_RELAXED, .rho = AT_RHO_EXP, .n = 2, .d = 1,
                                .alpha = 2.25 };
    ck_assert_int_eq(certify(&relaxed, AT_HALF_WHOLE, close).outcome, AT_STEP_RISES);
    relaxed.alpha = 2;
    ck_assert_int_eq(certify(&relaxed, AT_HALF_WHOLE, close).outcome, AT_STEP_DESCENDS);

    static const double W[] = { 20, 0, 0, 0 }, S[] = { 0, 0.5, 0.5, 0 };
    static const double first[] = { 0.05, 0.6, -0.05, -0.6 };
    static const double second[] = { 1.0 / 60, 0.2, -1.0 / 60, -0.2 };
    at_energy_layer layer = { .step = AT_STEP_SEQUENTIAL, .rho = AT_RHO_LOG, .n = 2, .d = 2,
                              .weights = W, .heads = 1, .width = 2, .ffn = S, .alpha = 1 };
    at_energy_certificate c = certify(&layer, AT_HALF_ATTENTION, first);
    ck_assert_int_eq(c.outcome, AT_STEP_DESCENDS);
    ck_assert(near(c.before, logl(4) + 157.0L / 400));
    c = certify(&layer, AT_HALF_FFN, second);
    ck_assert_int_eq(c.outcome, AT_STEP_RISES);
    ck_assert(near(c.before, logl(20.0L / 9) + 157.0L / 3600)
              && near(c.after, logl(10) + 157.0L / 14400));
}
END_TEST

START_TEST(ties_are_ties)
{
    static const double equal[] = { 0.1, -3, 0.1, -3, 0.1, -3 };
    static const double swap[] = { 0.25, 1, 3, -2 };
    static const double ray[] = { 1, 2, 0.5, 1, 3, 6 };
    at_energy_layer l = { .step = AT_STEP_SOFTMAX_BETA, .n = 3, .d = 2, .alpha = 1.5 };
    for (l.rho = 0; l.rho < AT_RHO_COUNT; l.rho++) {
        l.step = AT_STEP_SOFTMAX_BETA;
        ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, equal).outcome, AT_STEP_TIES);
        ck_assert_int_ne(certify(&l, AT_HALF_WHOLE, ray).outcome, AT_STEP_TIES);
        l.step = AT_STEP_RELAXED;
        ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, equal).outcome, AT_STEP_TIES);
        l.step = AT_STEP_NO_SELF;
        ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, equal).outcome, AT_STEP_TIES);
        l.n = 2;
        ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, swap).outcome, AT_STEP_TIES);
        l.n = 3;
    }
    l.rho = AT_RHO_EXP;
    l.step = AT_STEP_SPHERE;
    ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, ray).outcome, AT_STEP_TIES);
    ck_assert_int_ne(certify(&l, AT_HALF_WHOLE, (double[]) { 1, 2, -1, -2, 2, 1 }).outcome,
                     AT_STEP_TIES);
    /* opposite rows of the sphere stay where they are; with a negative skip they would not */
    ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, (double[]) { 1, 2, -1, -2, 2, 4 }).outcome,
                     AT_STEP_TIES);
    l.alpha = -0.9999;
    ck_assert_int_ne(certify(&l, AT_HALF_WHOLE, (double[]) { 1, 2, -1, -2, 2, 4 }).outcome,
                     AT_STEP_TIES);
    l.step = AT_STEP_IDENTITY;
    ck_assert_int_eq(certify(&l, AT_HALF_ATTENTION, ray).outcome, AT_STEP_TIES);
    /* ReLU keeps rows at zero: a fixed point of the FFN half */
    static const double zero[6] = { 0 }, minus[] = { -1, -2 };
    l.bias = minus;
    l.bias_rows = 1;
    l.relu = true;
    l.alpha = 1;
    ck_assert_int_eq(certify(&l, AT_HALF_FFN, zero).outcome, AT_STEP_TIES);
}
END_TEST

START_TEST(near_equal_rows_are_decided)
{
    /* rows that differ by rounding alone, and rows so far apart that the weights are e^-5000 */
    static const int exponents[] = { -52, -200, -500, 6 };
    for (size_t k = 0; k < 4; k++) {
        double t = ldexp(1, exponents[k]);
        double rows[] = { 0, t, 3 * t, -7 * t };
        at_energy_layer l = { .step = AT_STEP_SOFTMAX_BETA, .rho = AT_RHO_EXP, .n = 4, .d = 1 };
        for (l.rho = 0; l.rho < AT_RHO_COUNT; l.rho++)
            ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, rows).outcome, AT_STEP_DESCENDS);
        for (size_t i = 0; i < 4 && exponents[k] == -52; i++)
            rows[i] += 1;
        for (l.rho = 0; l.rho < AT_RHO_COUNT; l.rho++)
            ck_assert_int_eq(certify(&l, AT_HALF_WHOLE, rows).outcome, AT_STEP_DESCENDS);
    }
}
END_TEST

START_TEST(formulas_equal_the_table)
{
    static const char *const texts[] = { "-exp(-z)", "log(2+z)", "sqrt(1+z)", "z/(1+z)" };
    AT_ROUNDS(r, 20) {
        for (int id = 0; id < AT_RHO_COUNT; id++) {
            at_error err = AT_ERROR_INIT;
            at_formula formula;
            instance s;
            random_instance(&s, &r, AT_STEP_SOFTMAX_BETA);
            ck_assert_int_eq(at_formula_parse(&formula, texts[id], &err), AT_OK);
            s.layer.rho = id;
            at_energy_certificate known = certify(&s.layer, AT_HALF_WHOLE, s.Y);
            s.layer.rho = -1;
            s.layer.formula = &formula;
            at_energy_certificate c = certify(&s.layer, AT_HALF_WHOLE, s.Y);
            AT_EXPECT(&r, c.outcome == known.outcome && c.change[0] <= known.change[1]
                      && known.change[0] <= c.change[1] && near(c.before, known.before[0]),
                      "%s: [%.17g, %.17g], [%.17g, %.17g]", texts[id], c.change[0], c.change[1],
                      known.change[0], known.change[1]);
            at_formula_clear(&formula);
        }
    }
}
END_TEST

START_TEST(bad_input_is_an_error)
{
    at_energy_certificate c;
    at_error err = AT_ERROR_INIT;
    double rows[] = { 0, NAN };
    at_energy_layer l = { .step = AT_STEP_SOFTMAX_BETA, .rho = AT_RHO_EXP, .n = 2, .d = 1 };
    ck_assert_int_eq(at_energy_certify_step(&c, &l, AT_HALF_WHOLE, rows, 0, &err), AT_INPUT);
    ck_assert_int_eq(c.outcome, AT_STEP_UNDECIDED);
    ck_assert(strstr(err.text, "row 2") != NULL);
    rows[1] = INFINITY;
    ck_assert_int_eq(at_energy_certify_step(&c, &l, AT_HALF_WHOLE, rows, 0, &err), AT_INPUT);
    rows[1] = 1;
    ck_assert_int_eq(at_energy_certify_step(&c, &l, AT_HALF_FFN, rows, 0, &err), AT_USAGE);
    l.step = AT_STEP_PARALLEL;
    ck_assert_int_eq(at_energy_certify_step(&c, &l, AT_HALF_WHOLE, rows, 0, &err), AT_USAGE);
    l.step = AT_STEP_PERMUTATION;
    l.permutation = (size_t[]) { 1, 1 };
    ck_assert_int_eq(at_energy_certify_step(&c, &l, AT_HALF_ATTENTION, rows, 0, &err), AT_USAGE);
    /* a formula whose weight is not finite where rows coincide proves nothing */
    at_formula formula;
    ck_assert_int_eq(at_formula_parse(&formula, "sqrt(z)", &err), AT_OK);
    static const double twins[] = { 1, 1, 2 };
    l = (at_energy_layer) { .step = AT_STEP_SOFTMAX_BETA, .rho = -1, .formula = &formula, .n = 3,
                            .d = 1 };
    ck_assert_int_eq(at_energy_certify_step(&c, &l, AT_HALF_WHOLE, twins, 256, &err), AT_OK);
    ck_assert_int_eq(c.outcome, AT_STEP_UNDECIDED);
    at_formula_clear(&formula);
}
END_TEST

START_TEST(doubles_are_taken_exactly)
{
    AT_ROUNDS(r, 200) {
        double values[6];
        at_error err = AT_ERROR_INIT;
        at_dyadic_t x;
        arb_t y;
        for (size_t k = 0; k < 6; k++)
            values[k] = at_test_double(&r);
        values[at_test_below(&r, 6)] = 5e-324;
        at_dyadic_init(x, 2, 3);
        arb_init(y);
        ck_assert_int_eq(at_dyadic_set_d(x, values, "x", &err), AT_OK);
        for (slong k = 0; k < 6; k++) {
            at_dyadic_get_arb(y, x, k / 3, k % 3);
            AT_EXPECT(&r, arb_is_exact(y) && arf_equal_d(arb_midref(y), values[k]), "%a",
                      values[k]);
        }
        at_dyadic_clear(x);
        arb_clear(y);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy_exact");
    TCase *t = tcase_create("energy");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, doubles_are_taken_exactly);
    tcase_add_test(t, golden_values);
    tcase_add_test(t, rises_are_seen);
    tcase_add_test(t, ties_are_ties);
    tcase_add_test(t, near_equal_rows_are_decided);
    tcase_add_test(t, formulas_equal_the_table);
    tcase_add_test(t, bad_input_is_an_error);
    tcase_add_test(t, agrees_with_long_double);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
