/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of optimizers × problems, run by the fit driver, with the failures that are known; and
 * the driver's answers to GSL's traps: scales, values that are not finite, wrong gradients. */
#include "tests/at_check.h"

#include <gsl/gsl_errno.h>

#include "attest/core/tables.h"
#include "attest/numeric/optimize/fit.h"
#include "tests/numeric/problems.h"

/* How many iterations a cell takes hangs on last bits (GSL's bfgs2 takes 23 or 357 on quadratic-1e6,
 * by the kernels of BLAS), so none is asked for; this many are enough for all that get there. */
enum { PLENTY = 200000, FEW = 2000 };

/* What the optimizer is not expected to reach in PLENTY: a known failure. */
static const bool fails[AT_OPT_COUNT][PROBLEMS] = {
    /*                  rosenbrock  wood  powell  helix  quadratic  chained */
    [AT_OPT_ADAM] =     {   0,        0,     0,      0,      1,       0 },
    [AT_OPT_STEEPEST] = {   0,        0,     1,      0,      1,       0 },
};

static at_fit_result solve(int optimizer, int p, double factor, size_t most)
{
    problem_data data = { &problems[p], factor, 0 };
    at_objective objective = problem_objective(&data);
    at_fit_options options = at_fit_defaults((enum at_optimizer_id) optimizer);
    at_fit_result result;
    at_error err = AT_ERROR_INIT;
    double x[PROBLEM_MOST];

    problems[p].start(x);
    options.iterations = most;
    options.ridge = 0.0;
    ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_OK);
    return result;
}

/* What "converged" says of f.  All problems have the minimum 0 and are convex near it, so
 * f(x) ≤ ‖∇f‖·‖x − x*‖ ≤ ‖∇f‖·max(1, ‖x‖)·(1 + ‖x*‖), where the gradient is at most 10^−8 of its scale at the
 * start; ‖x*‖ ≤ √20. */
static double most_f(int p)
{
    double x[PROBLEM_MOST], gradient[PROBLEM_MOST], f, slope = 0.0, size = 0.0;

    problems[p].start(x);
    problem_value(x, &f, gradient, &(problem_data) { &problems[p], 1.0, 0 }, NULL);
    for (size_t i = 0; i < problems[p].size; i++) {
        slope += gradient[i] * gradient[i];
        size += x[i] * x[i];
    }
    return 1e-8 * fmax(f, sqrt(slope) * fmax(1.0, sqrt(size))) * (1.0 + sqrt(20.0)) * (1.0 + 1e-6);
}

static bool is_of_gsl(int optimizer)
{
    return optimizer != AT_OPT_ADAM && optimizer != AT_OPT_LBFGS;
}

/* Converged means so; and all but the known failures get there, where GSL's own may end without
 * progress near the minimum, which its own tests take for a normal end (multimin/test.c). */
START_TEST(table)
{
    int optimizer = _i / PROBLEMS, p = _i % PROBLEMS;
    bool failure = fails[optimizer][p];
    at_fit_result result = solve(optimizer, p, 1.0, failure ? FEW : PLENTY);
    bool converged = result.end == AT_FIT_CONVERGED && result.f <= most_f(p);
    bool stalled = result.end == AT_FIT_STALLED && is_of_gsl(optimizer) && result.f <= 1e-5;

    if (failure)
        converged = result.end != AT_FIT_CONVERGED || converged;
    ck_assert_msg(converged || stalled, "%s on %s: %s after %zu, f = %g, not below %g",
                  at_optimizers[optimizer].name, problems[p].name, at_fit_end_name(result.end),
                  result.iterations, result.f, most_f(p));
    ck_assert_double_ge(result.f, 0.0);
}
END_TEST

/* A function times 10^−12 stops a bare vector_bfgs2 after two iterations, far away.  Powers of two
 * change no rounding, so the path is the same, step by step, whatever the kernels. */
START_TEST(scale_does_not_matter)
{
    for (int optimizer = 0; optimizer < AT_OPT_COUNT; optimizer++)
        for (int power = -300; power <= 100; power += 100) {
            at_fit_result plain, scaled;

            if (optimizer == AT_OPT_ADAM)   /* its step knows no scale, its ε does */
                continue;
            plain = solve(optimizer, 0, 1.0, PLENTY);
            scaled = solve(optimizer, 0, ldexp(1.0, power), PLENTY);
            ck_assert_int_eq(scaled.end, AT_FIT_CONVERGED);
            ck_assert_uint_eq(scaled.iterations, plain.iterations);
            ck_assert_double_eq(ldexp(scaled.f, -power), plain.f);
        }
}
END_TEST

/* (x² + y² − 1)², NaN where x < −1/4 and +inf where y > 3/4, from (1/10, 1/10). */
static int holes(const double *x, double *f, double *gradient, void *data, at_error *err)
{
    double r = x[0] * x[0] + x[1] * x[1] - 1;

    (void) data;
    (void) err;
    *f = x[0] < -0.25 ? NAN : x[1] > 0.75 ? INFINITY : r * r;
    for (int i = 0; gradient != NULL && i < 2; i++)
        gradient[i] = isfinite(*f) ? 4 * r * x[i] : NAN;
    return AT_OK;
}

START_TEST(values_that_are_not_finite)
{
    at_objective objective = { 2, 0, holes, NULL, NULL };

    for (int optimizer = 0; optimizer < AT_OPT_LEVENBERG_MARQUARDT; optimizer++)
        for (int far = 0; far < 2; far++) {
            at_fit_options options = at_fit_defaults((enum at_optimizer_id) optimizer);
            at_fit_result result;
            double x[2] = { 0.1, 0.1 };

            options.iterations = PLENTY;
            options.step = optimizer == AT_OPT_ADAM ? 0.01 : far ? 50.0 : 0.1;
            ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, NULL), AT_OK);
            ck_assert_msg(result.end == AT_FIT_CONVERGED, "%s, far %d: %s after %zu, f = %g",
                          at_optimizers[optimizer].name, far, at_fit_end_name(result.end),
                          result.iterations, result.f);
            /* ‖∇f‖ = 4|r|·‖(x, y)‖ ≤ 10^−8 */
            ck_assert_double_le(result.f, 1e-16);
            ck_assert_double_eq_tol(x[0] * x[0] + x[1] * x[1], 1.0, 1e-6);
        }
}
END_TEST

static int uphill(const double *x, double *f, double *gradient, void *data, at_error *err)
{
    (void) data;
    (void) err;
    *f = 1 + x[0] * x[0];
    if (gradient != NULL)
        gradient[0] = -2 * x[0];
    return AT_OK;
}

START_TEST(wrong_gradient_is_never_converged)
{
    at_objective objective = { 1, 0, uphill, NULL, NULL };

    for (int optimizer = AT_OPT_LBFGS; optimizer < AT_OPT_LEVENBERG_MARQUARDT; optimizer++) {
        at_fit_options options = at_fit_defaults((enum at_optimizer_id) optimizer);
        at_fit_result result;
        double x[1] = { 3.0 };

        ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, NULL), AT_OK);
        ck_assert_msg(result.end == AT_FIT_STALLED || result.end == AT_FIT_ITERATIONS, "%s: %s",
                      at_optimizers[optimizer].name, at_fit_end_name(result.end));
        ck_assert_double_le(result.f, 10.0);
    }
}
END_TEST

START_TEST(stationary_start)
{
    problem_data data = { &problems[0], 1.0, 0 };
    at_objective objective = problem_objective(&data);

    for (int optimizer = 0; optimizer < AT_OPT_COUNT; optimizer++) {
        at_fit_options options = at_fit_defaults((enum at_optimizer_id) optimizer);
        at_fit_result result;
        double x[2] = { 1.0, 1.0 };

        ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, NULL), AT_OK);
        ck_assert_int_eq(result.end, AT_FIT_CONVERGED);
        ck_assert_uint_eq(result.iterations, 0);
    }
}
END_TEST

static bool stop_at_seven(const at_fit_progress *progress, void *data)
{
    *(double *) data = progress->f;
    return progress->iteration < 7;
}

START_TEST(report_target_and_cuts)
{
    for (int optimizer = 0; optimizer < AT_OPT_COUNT; optimizer++) {
        problem_data data = { &problems[5], 1.0, 0 };
        at_objective objective = problem_objective(&data);
        at_fit_options options = at_fit_defaults((enum at_optimizer_id) optimizer);
        at_fit_result result;
        double x[PROBLEM_MOST], again[PROBLEM_MOST], f = NAN;

        options.report = stop_at_seven;
        options.report_data = &f;
        problems[5].start(x);
        ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, NULL), AT_OK);
        ck_assert_int_eq(result.end, AT_FIT_STOPPED);
        ck_assert_uint_eq(result.iterations, 7);
        ck_assert_double_ge(f, result.f);
        options.report = NULL;
        options.iterations = 7;
        problems[5].start(again);
        ck_assert_int_eq(at_fit_minimize(again, &result, &objective, &options, NULL), AT_OK);
        ck_assert_int_eq(result.end, AT_FIT_ITERATIONS);
        ck_assert_mem_eq(x, again, 20 * sizeof *x);
        options.iterations = 20000;
        options.target = 0.5 * result.f;
        ck_assert_int_eq(at_fit_minimize(again, &result, &objective, &options, NULL), AT_OK);
        ck_assert_int_eq(result.end, AT_FIT_TARGET);
        ck_assert_double_le(result.f, options.target);
    }
}
END_TEST

/* One residual, three parameters: only a ridge makes it determined, and it finds a root. */
static int plane(const double *x, double *r, double *jacobian, void *data, at_error *err)
{
    (void) data;
    (void) err;
    if (r != NULL)
        r[0] = x[0] + 2 * x[1] + x[2] * x[2] - 6;
    if (jacobian != NULL) {
        jacobian[0] = 1;
        jacobian[1] = 2;
        jacobian[2] = 2 * x[2];
    }
    return AT_OK;
}

START_TEST(fewer_residuals_than_parameters)
{
    at_objective objective = { 3, 1, NULL, plane, NULL };
    at_fit_options options = at_fit_defaults(AT_OPT_LEVENBERG_MARQUARDT);
    at_fit_result result;
    at_error err = AT_ERROR_INIT;
    double x[3] = { 0, 0, 1 };

    options.ridge = 0.0;
    ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_USAGE);
    ck_assert(strstr(err.text, "ridge") != NULL);
    options.ridge = 1e-10;
    ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_OK);
    ck_assert_double_le(result.f, 1e-12);
    ck_assert_double_eq_tol(x[0] + 2 * x[1] + x[2] * x[2], 6.0, 1e-6);
}
END_TEST

static int failing(const double *x, double *f, double *gradient, void *data, at_error *err)
{
    int *calls = data;

    if (++*calls > 5)
        return at_error_set(err, AT_ENVIRONMENT, "call %d", *calls);
    return problem_value(x, f, gradient, &(problem_data) { &problems[0], 1.0, 0 }, err);
}

START_TEST(errors_go_up)
{
    int calls;
    at_objective objective = { 2, 0, failing, NULL, &calls }, empty = { 0, 0, failing, NULL, NULL };
    at_fit_options options;
    at_fit_result result;
    at_error err = AT_ERROR_INIT;
    double x[2];

    for (int optimizer = 0; optimizer < AT_OPT_LEVENBERG_MARQUARDT; optimizer++) {
        options = at_fit_defaults((enum at_optimizer_id) optimizer);
        calls = 0;
        x[0] = -1.2;
        x[1] = 1.0;
        ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_ENVIRONMENT);
        ck_assert_str_eq(err.text, "call 6");
    }
    ck_assert_int_eq(at_fit_minimize(x, &result, &empty, &options, &err), AT_USAGE);
    options = at_fit_defaults(AT_OPT_LEVENBERG_MARQUARDT);
    ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_USAGE);
    options = at_fit_defaults(AT_OPT_LBFGS);
    options.lbfgs.history = 0;
    calls = 0;
    ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_USAGE);
    x[0] = NAN;
    calls = 0;
    ck_assert_int_eq(at_fit_minimize(x, &result, &objective, &options, &err), AT_USAGE);
}
END_TEST

static void quiet_gsl(void)
{
    gsl_set_error_handler_off();
}

static Suite *suite(void)
{
    Suite *s = suite_create("optimizers");
    TCase *t = tcase_create("table");

    tcase_set_timeout(t, 20);
    tcase_add_loop_test(t, table, 0, AT_OPT_COUNT * PROBLEMS);
    suite_add_tcase(s, t);
    t = tcase_create("driver");
    tcase_set_timeout(t, 20);
    tcase_add_checked_fixture(t, quiet_gsl, NULL);
    tcase_add_test(t, scale_does_not_matter);
    tcase_add_test(t, values_that_are_not_finite);
    tcase_add_test(t, wrong_gradient_is_never_converged);
    tcase_add_test(t, stationary_start);
    tcase_add_test(t, report_target_and_cuts);
    tcase_add_test(t, fewer_residuals_than_parameters);
    tcase_add_test(t, errors_go_up);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
