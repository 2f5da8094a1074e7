/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of Adam: steps that can be predicted, both precisions, parts updated apart, and its life
 * as a GSL minimizer. */
#include "tests/at_check.h"

#include <gsl/gsl_errno.h>

#include "attest/numeric/optimize/adam.h"
#include "tests/numeric/problems.h"

/* Without memory and ε every step is −rate·sign(g): exactly predictable. */
START_TEST(sign_steps)
{
    const at_adam_params bare = { 0.0, 0.0, 0.0 };
    problem_data data = { &problems[4], 1.0, 0 };
    gsl_multimin_function_fdf fdf = problem_function(&data);
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_adam, 10);
    gsl_vector *x = gsl_vector_alloc(10);

    for (size_t i = 0; i < 10; i++)
        gsl_vector_set(x, i, (double) i + 1);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_set(s, &fdf, x, 1.0, 0.0), GSL_SUCCESS);
    ck_assert_int_eq(at_adam_set_params(s, &bare), GSL_SUCCESS);
    for (int step = 0; step < 20; step++) {
        double expected[10];

        for (size_t i = 0; i < 10; i++) {
            double slope = gsl_vector_get(s->gradient, i);

            expected[i] = gsl_vector_get(s->x, i) - ((slope > 0) - (slope < 0));
        }
        ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_SUCCESS);
        for (size_t i = 0; i < 10; i++)
            ck_assert_double_eq(gsl_vector_get(s->x, i), expected[i]);
        ck_assert_double_eq(s->f, problem_f(s->x, &data));
    }
    gsl_vector_free(x);
    gsl_multimin_fdfminimizer_free(s);
}
END_TEST

/* Against the formulas written out as sums over the whole past. */
START_TEST(follows_the_definition)
{
    AT_ROUNDS(r, 200) {
        at_adam_params params = { 0.99 * at_test_uniform(&r), 0.999 * at_test_uniform(&r), 1e-8 };
        double rate = 0.1 * at_test_uniform(&r) + 1e-3, past[12];
        double x = 1.0, m = 0.0, v = 0.0, expected = 1.0;

        for (int t = 1; t <= 12; t++) {
            double first = 0.0, second = 0.0;

            past[t - 1] = at_test_normal(&r);
            for (int k = 1; k <= t; k++) {
                first += (1 - params.beta1) * pow(params.beta1, t - k) * past[k - 1];
                second += (1 - params.beta2) * pow(params.beta2, t - k) * past[k - 1] * past[k - 1];
            }
            first /= 1 - pow(params.beta1, t);
            second /= 1 - pow(params.beta2, t);
            expected -= rate * first / (sqrt(second) + params.epsilon);
            at_adam_update_double(&x, &m, &v, &past[t - 1], 1, rate, &params, (uint64_t) t);
            AT_EXPECT(&r, fabs(x - expected) <= 1e-11, "t = %d: %.17g, not %.17g", t, x, expected);
        }
    }
}
END_TEST

/* Any cut of the vector gives the same bits, and float follows double to its precision. */
START_TEST(parts_and_precisions)
{
    enum { size = 37 };

    AT_ROUNDS(r, 200) {
        double x[size], m[size] = { 0 }, v[size] = { 0 }, g[size];
        float xf[size], mf[size] = { 0 }, vf[size] = { 0 }, gf[size];
        float xp[size], mp[size] = { 0 }, vp[size] = { 0 };
        size_t cut = at_test_below(&r, size + 1);

        for (int i = 0; i < size; i++)
            x[i] = xp[i] = xf[i] = (float) at_test_normal(&r);
        for (uint64_t t = 1; t <= 5; t++) {
            for (int i = 0; i < size; i++)
                g[i] = gf[i] = (float) at_test_double(&r);
            at_adam_update_double(x, m, v, g, size, 0.01, &at_adam_defaults, t);
            at_adam_update_float(xf, mf, vf, gf, size, 0.01, &at_adam_defaults, t);
            at_adam_update_float(xp + cut, mp + cut, vp + cut, gf + cut, size - cut, 0.01,
                                 &at_adam_defaults, t);
            at_adam_update_float(xp, mp, vp, gf, cut, 0.01, &at_adam_defaults, t);
        }
        AT_EXPECT(&r, memcmp(xf, xp, sizeof xf) == 0 && memcmp(vf, vp, sizeof vf) == 0, "cut %zu",
                  cut);
        for (int i = 0; i < size; i++)
            AT_EXPECT(&r, fabs(x[i] - xf[i]) <= 2e-5, "%d: %.9g, %.9g", i, x[i], xf[i]);
    }
}
END_TEST

/* A zero gradient and ε = 0 is 0/0 in the formula and no step in the code. */
START_TEST(zero_gradient)
{
    const at_adam_params bare = { 0.0, 0.0, 0.0 };
    double x = 3.0, m = 0.0, v = 0.0, g = 0.0;

    at_adam_update_double(&x, &m, &v, &g, 1, 1.0, &bare, 1);
    ck_assert_double_eq(x, 3.0);
}
END_TEST

static void not_a_number(const gsl_vector *x, void *data, double *f, gsl_vector *gradient)
{
    (void) data;
    *f = gsl_vector_get(x, 0) < 0.0 ? NAN : gsl_vector_get(x, 0);
    gsl_vector_set(gradient, 0, 1.0);
}

START_TEST(as_a_gsl_minimizer)
{
    const at_adam_params wrong = { 1.0, 0.5, 0.0 };
    gsl_multimin_function_fdf fdf = { NULL, NULL, not_a_number, 1, NULL };
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_adam, 1);
    gsl_multimin_fdfminimizer *other
        = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_steepest_descent, 1);
    gsl_vector *x = gsl_vector_calloc(1);

    ck_assert_str_eq(gsl_multimin_fdfminimizer_name(s), "at_adam");
    ck_assert_int_eq(at_adam_set_params(s, &wrong), GSL_EINVAL);
    ck_assert_int_eq(at_adam_set_params(other, &at_adam_defaults), GSL_EINVAL);
    ck_assert_int_eq(at_adam_set_rate(other, 0.1), GSL_EINVAL);
    gsl_vector_set(x, 0, 0.25);
    gsl_multimin_fdfminimizer_set(s, &fdf, x, 0.2, 0.0);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_SUCCESS);
    ck_assert_double_eq_tol(gsl_vector_get(s->x, 0), 0.05, 1e-8);
    ck_assert_int_eq(at_adam_set_rate(s, 0.01), GSL_SUCCESS);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_SUCCESS);
    ck_assert_double_eq_tol(gsl_vector_get(s->x, 0), 0.04, 1e-8);
    at_adam_set_rate(s, 1.0);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_EBADFUNC);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_EBADFUNC);
    gsl_vector_free(x);
    gsl_multimin_fdfminimizer_free(s);
    gsl_multimin_fdfminimizer_free(other);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("adam");
    TCase *t = tcase_create("adam");

    tcase_add_test(t, sign_steps);
    tcase_add_test(t, follows_the_definition);
    tcase_add_test(t, parts_and_precisions);
    tcase_add_test(t, zero_gradient);
    tcase_add_test(t, as_a_gsl_minimizer);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
