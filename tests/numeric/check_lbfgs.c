/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of L-BFGS: the two-loop recursion against the dense BFGS formula, invariance under scaling,
 * and its behaviour as a GSL minimizer on functions that misbehave. */
#include "tests/at_check.h"

#include <gsl/gsl_errno.h>

#include "attest/numeric/optimize/lbfgs.h"
#include "tests/numeric/problems.h"

enum { SIZE = 5, HISTORY = 4 };

/* H ← (I − ρsy^T)H(I − ρys^T) + ρss^T. */
static void dense_update(double h[SIZE][SIZE], const double *s, const double *y)
{
    double product = 0, left[SIZE][SIZE], next[SIZE][SIZE];

    for (int i = 0; i < SIZE; i++)
        product += s[i] * y[i];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            left[i][j] = h[i][j];
            for (int k = 0; k < SIZE; k++)
                left[i][j] -= s[i] * y[k] * h[k][j] / product;
        }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            next[i][j] = left[i][j] + s[i] * s[j] / product;
            for (int k = 0; k < SIZE; k++)
                next[i][j] -= left[i][k] * y[k] * s[j] / product;
        }
    memcpy(h, next, sizeof next);
}

START_TEST(two_loops_are_the_dense_formula)
{
    AT_ROUNDS(r, 300) {
        double steps[HISTORY * SIZE], changes[HISTORY * SIZE], curvature[HISTORY], work[HISTORY];
        float stepsf[HISTORY * SIZE], changesf[HISTORY * SIZE], gradientf[SIZE], directionf[SIZE];
        double gradient[SIZE], direction[SIZE], h[SIZE][SIZE] = { { 0 } }, scale;
        size_t count = at_test_below(&r, HISTORY + 1), newest = at_test_below(&r, HISTORY);

        for (int i = 0; i < SIZE; i++)
            gradientf[i] = (float) (gradient[i] = (float) at_test_normal(&r));
        for (size_t row = 0; row < HISTORY; row++) {
            double product = 0;

            for (size_t i = 0; i < SIZE; i++) {
                size_t k = row * SIZE + i;

                steps[k] = stepsf[k] = (float) at_test_normal(&r);
                /* near a positive multiple of the step, so that the product is positive */
                changes[k] = changesf[k] = (float) (2 * steps[k] + 0.3 * at_test_normal(&r));
                product += steps[k] * changes[k];
            }
            if (product <= 0.1)
                count = 0;
            curvature[row] = 1 / product;
        }
        scale = 1.0;
        if (count > 0) {
            double square = 0;

            for (size_t i = 0; i < SIZE; i++)
                square += changes[newest * SIZE + i] * changes[newest * SIZE + i];
            scale = 1 / (curvature[newest] * square);
        }
        for (int i = 0; i < SIZE; i++)
            h[i][i] = scale;
        for (size_t k = count; k-- > 0; ) {
            size_t row = (newest + HISTORY - k) % HISTORY;

            dense_update(h, steps + row * SIZE, changes + row * SIZE);
        }
        at_lbfgs_direction_double(direction, gradient, steps, changes, curvature, HISTORY, newest,
                                  count, SIZE, work);
        at_lbfgs_direction_float(directionf, gradientf, stepsf, changesf, curvature, HISTORY,
                                 newest, count, SIZE, work);
        for (int i = 0; i < SIZE; i++) {
            double expected = 0;

            for (int j = 0; j < SIZE; j++)
                expected -= h[i][j] * gradient[j];
            AT_EXPECT(&r, fabs(direction[i] - expected) <= 1e-10 * (1 + fabs(expected)),
                      "%d of %zu pairs: %.17g, not %.17g", i, count, direction[i], expected);
            AT_EXPECT(&r, fabs(directionf[i] - expected) <= 1e-3 * (1 + fabs(expected)),
                      "float %d of %zu pairs: %.9g, not %.9g", i, count, directionf[i], expected);
        }
    }
}
END_TEST

static size_t minimize(gsl_multimin_fdfminimizer *s, gsl_multimin_function_fdf *fdf,
                       const problem *p, double first_step, size_t most, int *code)
{
    gsl_vector *x = gsl_vector_alloc(p->size);
    double start[PROBLEM_MOST];
    size_t k = 0;

    p->start(start);
    for (size_t i = 0; i < p->size; i++)
        gsl_vector_set(x, i, start[i]);
    gsl_multimin_fdfminimizer_set(s, fdf, x, first_step, 0.9);
    do
        *code = gsl_multimin_fdfminimizer_iterate(s);
    while (*code == GSL_SUCCESS && ++k < most);
    gsl_vector_free(x);
    return k;
}

/* f times a power of two takes the same path to the last bit: no absolute tolerance anywhere. */
START_TEST(scaling_changes_nothing)
{
    for (int p = 0; p < PROBLEMS; p++) {
        double end[PROBLEM_MOST];

        for (int power = 0; power >= -400; power -= 200) {
            problem_data data = { &problems[p], ldexp(1.0, power), 0 };
            gsl_multimin_function_fdf fdf = problem_function(&data);
            gsl_multimin_fdfminimizer *s
                = gsl_multimin_fdfminimizer_alloc(at_multimin_lbfgs, problems[p].size);
            int code;

            minimize(s, &fdf, &problems[p], 0.1, 25, &code);
            for (size_t i = 0; i < problems[p].size; i++) {
                if (power == 0)
                    end[i] = gsl_vector_get(s->x, i);
                ck_assert_msg(end[i] == gsl_vector_get(s->x, i), "%s times 2^%d: %.17g, not %.17g",
                              problems[p].name, power, gsl_vector_get(s->x, i), end[i]);
            }
            gsl_multimin_fdfminimizer_free(s);
        }
    }
}
END_TEST

/* −log(1 − x²) + x: not a number from x = 1 on, which a first step of 100 meets at once. */
static void barrier(const gsl_vector *x, void *data, double *f, gsl_vector *gradient)
{
    double t = gsl_vector_get(x, 0);

    (void) data;
    *f = t - log(1 - t * t);
    gsl_vector_set(gradient, 0, 1 + 2 * t / (1 - t * t));
}

START_TEST(steps_out_of_the_domain)
{
    gsl_multimin_function_fdf fdf = { NULL, NULL, barrier, 1, NULL };
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_lbfgs, 1);
    gsl_vector *x = gsl_vector_calloc(1);
    int code;

    gsl_vector_set(x, 0, 0.9);
    gsl_multimin_fdfminimizer_set(s, &fdf, x, 100.0, 0.9);
    for (int k = 0; k < 100; k++) {
        code = gsl_multimin_fdfminimizer_iterate(s);
        ck_assert(isfinite(s->f));
        if (code != GSL_SUCCESS)
            break;
    }
    ck_assert_int_eq(code, GSL_ENOPROG);
    ck_assert_double_eq_tol(gsl_vector_get(s->x, 0), 1 - sqrt(2.0), 1e-9);
    gsl_vector_set(x, 0, 2.0);
    gsl_multimin_fdfminimizer_set(s, &fdf, x, 0.1, 0.9);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_EBADFUNC);
    gsl_vector_free(x);
    gsl_multimin_fdfminimizer_free(s);
}
END_TEST

/* A gradient of the wrong sign: no decrease, and x stays. */
static void liar(const gsl_vector *x, void *data, double *f, gsl_vector *gradient)
{
    double t = gsl_vector_get(x, 0);

    (void) data;
    *f = t * t;
    gsl_vector_set(gradient, 0, -2 * t);
}

START_TEST(wrong_gradient_is_no_progress)
{
    gsl_multimin_function_fdf fdf = { NULL, NULL, liar, 1, NULL };
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_lbfgs, 1);
    gsl_vector *x = gsl_vector_calloc(1);

    gsl_multimin_fdfminimizer_set(s, &fdf, x, 0.1, 0.9);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_ENOPROG);
    gsl_vector_set(x, 0, 3.0);
    gsl_multimin_fdfminimizer_set(s, &fdf, x, 0.1, 0.9);
    ck_assert_int_eq(gsl_multimin_fdfminimizer_iterate(s), GSL_ENOPROG);
    ck_assert_double_eq(gsl_vector_get(s->x, 0), 3.0);
    ck_assert_double_eq(gsl_vector_get(s->dx, 0), 0.0);
    gsl_vector_free(x);
    gsl_multimin_fdfminimizer_free(s);
}
END_TEST

START_TEST(parameters)
{
    at_lbfgs_params params = at_lbfgs_defaults;
    problem_data data = { &problems[5], 1.0, 0 };
    gsl_multimin_function_fdf fdf = problem_function(&data);
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_lbfgs, 20);
    gsl_multimin_fdfminimizer *other
        = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, 20);
    size_t few, many;
    int code;

    ck_assert_int_eq(at_lbfgs_set_params(other, &params), GSL_EINVAL);
    params.history = 0;
    ck_assert_int_eq(at_lbfgs_set_params(s, &params), GSL_EINVAL);
    params = at_lbfgs_defaults;
    params.decrease = 0.5;
    ck_assert_int_eq(at_lbfgs_set_params(s, &params), GSL_EINVAL);
    params = at_lbfgs_defaults;
    params.history = 1;
    ck_assert_int_eq(at_lbfgs_set_params(s, &params), GSL_SUCCESS);
    few = minimize(s, &fdf, &problems[5], 0.1, 2000, &code);
    ck_assert_double_le(s->f, 1e-12);
    params.history = 20;
    ck_assert_int_eq(at_lbfgs_set_params(s, &params), GSL_SUCCESS);
    many = minimize(s, &fdf, &problems[5], 0.1, 2000, &code);
    ck_assert_double_le(s->f, 1e-12);
    ck_assert_uint_lt(many, few);
    gsl_multimin_fdfminimizer_free(s);
    gsl_multimin_fdfminimizer_free(other);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("lbfgs");
    TCase *t = tcase_create("lbfgs");

    tcase_set_timeout(t, 20);
    tcase_add_test(t, two_loops_are_the_dense_formula);
    tcase_add_test(t, scaling_changes_nothing);
    tcase_add_test(t, steps_out_of_the_domain);
    tcase_add_test(t, wrong_gradient_is_no_progress);
    tcase_add_test(t, parameters);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
