/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest's minimizers in a program that otherwise knows only GSL: the loop is the one of GSL's
 * manual, only the type of the minimizer is ours.
 *
 *     cc minimize.c $(pkg-config --cflags --libs attest gsl) */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <stdio.h>

#include "attest/numeric/optimize/adam.h"
#include "attest/numeric/optimize/lbfgs.h"

/* Rosenbrock's valley: minimum 0 at (1, 1). */
static void valley_fdf(const gsl_vector *x, void *params, double *f, gsl_vector *gradient)
{
    double a = gsl_vector_get(x, 0), b = gsl_vector_get(x, 1), bend = b - a * a;

    (void) params;
    *f = 100.0 * bend * bend + (1.0 - a) * (1.0 - a);
    gsl_vector_set(gradient, 0, -400.0 * a * bend - 2.0 * (1.0 - a));
    gsl_vector_set(gradient, 1, 200.0 * bend);
}

static double valley_f(const gsl_vector *x, void *params)
{
    double f, unused[2];
    gsl_vector_view gradient = gsl_vector_view_array(unused, 2);

    valley_fdf(x, params, &f, &gradient.vector);
    return f;
}

static void valley_df(const gsl_vector *x, void *params, gsl_vector *gradient)
{
    double f;

    valley_fdf(x, params, &f, gradient);
}

static void minimize(const gsl_multimin_fdfminimizer_type *type, double step, double tolerance)
{
    gsl_multimin_function_fdf function = { valley_f, valley_df, valley_fdf, 2, NULL };
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(type, 2);
    gsl_vector *x = gsl_vector_alloc(2);
    int status, iterations = 0;

    gsl_vector_set(x, 0, -1.2);
    gsl_vector_set(x, 1, 1.0);
    gsl_multimin_fdfminimizer_set(s, &function, x, step, tolerance);
    do {
        status = gsl_multimin_fdfminimizer_iterate(s);
        iterations++;
        if (status == GSL_SUCCESS)
            status = gsl_multimin_test_gradient(s->gradient, 1e-6);
    } while (status == GSL_CONTINUE && iterations < 20000);
    printf("%-10s %s at (%.4f, %.4f)\n", gsl_multimin_fdfminimizer_name(s),
           status == GSL_SUCCESS ? "converged" : gsl_strerror(status),
           gsl_vector_get(s->x, 0), gsl_vector_get(s->x, 1));
    gsl_vector_free(x);
    gsl_multimin_fdfminimizer_free(s);
}

int main(void)
{
    minimize(at_multimin_lbfgs, 0.1, 0.9);
    minimize(at_multimin_adam, 0.01, 0.0);
    return 0;
}
