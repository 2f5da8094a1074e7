/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classic minimization problems (Moré, Garbow, Hillstrom 1981, and ill-conditioned quadratics),
 * each a sum of squares with its Jacobian, for the tests of optimizers. */
#ifndef ATTEST_TESTS_NUMERIC_PROBLEMS_H
#define ATTEST_TESTS_NUMERIC_PROBLEMS_H

#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "attest/numeric/optimize/fit.h"

#define PROBLEM_MOST 64

typedef struct {
    const char *name;
    size_t size, residuals;
    double f_minimum;                        /* of Σ r² */
    void (*start)(double *x);
    void (*rows)(const double *x, double *r, double *jacobian);   /* both given */
} problem;

static inline void rosenbrock_start(double *x) { x[0] = -1.2; x[1] = 1.0; }
static inline void rosenbrock_rows(const double *x, double *r, double *j)
{
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    j[0] = -20.0 * x[0]; j[1] = 10.0;
    j[2] = -1.0; j[3] = 0.0;
}

static inline void wood_start(double *x) { x[0] = x[2] = -3.0; x[1] = x[3] = -1.0; }
static inline void wood_rows(const double *x, double *r, double *j)
{
    const double a = sqrt(90.0), b = sqrt(10.0), c = 1.0 / sqrt(10.0);

    memset(j, 0, 24 * sizeof *j);
    r[0] = 10.0 * (x[1] - x[0] * x[0]); j[0] = -20.0 * x[0]; j[1] = 10.0;
    r[1] = 1.0 - x[0]; j[4] = -1.0;
    r[2] = a * (x[3] - x[2] * x[2]); j[10] = -2.0 * a * x[2]; j[11] = a;
    r[3] = 1.0 - x[2]; j[14] = -1.0;
    r[4] = b * (x[1] + x[3] - 2.0); j[17] = b; j[19] = b;
    r[5] = c * (x[1] - x[3]); j[21] = c; j[23] = -c;
}

/* Singular Hessian at the minimum. */
static inline void powell_start(double *x) { x[0] = 3; x[1] = -1; x[2] = 0; x[3] = 1; }
static inline void powell_rows(const double *x, double *r, double *j)
{
    double u = x[1] - 2.0 * x[2], v = x[0] - x[3];
    const double s5 = sqrt(5.0), s10 = sqrt(10.0);

    memset(j, 0, 16 * sizeof *j);
    r[0] = x[0] + 10.0 * x[1]; j[0] = 1.0; j[1] = 10.0;
    r[1] = s5 * (x[2] - x[3]); j[6] = s5; j[7] = -s5;
    r[2] = u * u; j[9] = 2.0 * u; j[10] = -4.0 * u;
    r[3] = s10 * v * v; j[12] = 2.0 * s10 * v; j[15] = -2.0 * s10 * v;
}

static inline void helix_start(double *x) { x[0] = -1; x[1] = 0; x[2] = 0; }
static inline void helix_rows(const double *x, double *r, double *j)
{
    const double turn = 6.283185307179586;
    double radius = hypot(x[0], x[1]), angle = atan(x[1] / x[0]) / turn + (x[0] < 0 ? 0.5 : 0);

    memset(j, 0, 9 * sizeof *j);
    r[0] = 10.0 * (x[2] - 10.0 * angle);
    j[0] = 100.0 * x[1] / (turn * radius * radius);
    j[1] = -100.0 * x[0] / (turn * radius * radius);
    j[2] = 10.0;
    r[1] = 10.0 * (radius - 1.0);
    j[3] = 10.0 * x[0] / radius; j[4] = 10.0 * x[1] / radius;
    r[2] = x[2]; j[8] = 1.0;
}

/* ½ Σ κ_i x_i², condition number 10^6, turned by a reflection so that no axis is special. */
static inline void quadratic_start(double *x) { for (int i = 0; i < 10; i++) x[i] = 1.0 + i; }
static inline void quadratic_rows(const double *x, double *r, double *j)
{
    for (int i = 0; i < 10; i++) {
        double root = pow(10.0, -3.0 * i / 9.0), sum = 0.0;

        for (int k = 0; k < 10; k++) {
            j[10 * i + k] = root * ((i == k) - 0.2);
            sum += ((i == k) - 0.2) * x[k];
        }
        r[i] = root * sum;
    }
}

static inline void chained_start(double *x)
{
    for (int i = 0; i < 20; i++) x[i] = i % 2 ? 1.0 : -1.2;
}
static inline void chained_rows(const double *x, double *r, double *j)
{
    memset(j, 0, 20 * 38 * sizeof *j);
    for (int i = 0; i < 19; i++) {
        r[2 * i] = 10.0 * (x[i + 1] - x[i] * x[i]);
        j[40 * i + i] = -20.0 * x[i];
        j[40 * i + i + 1] = 10.0;
        r[2 * i + 1] = 1.0 - x[i];
        j[40 * i + 20 + i] = -1.0;
    }
}

static const problem problems[] = {
    { "rosenbrock", 2, 2, 0.0, rosenbrock_start, rosenbrock_rows },
    { "wood", 4, 6, 0.0, wood_start, wood_rows },
    { "powell-singular", 4, 4, 0.0, powell_start, powell_rows },
    { "helical-valley", 3, 3, 0.0, helix_start, helix_rows },
    { "quadratic-1e6", 10, 10, 0.0, quadratic_start, quadratic_rows },
    { "chained-rosenbrock", 20, 38, 0.0, chained_start, chained_rows },
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* A problem as an objective, times factor. */
typedef struct { const problem *problem; double factor; size_t calls; } problem_data;

static inline int problem_residual(const double *x, double *r, double *jacobian, void *data,
                                   at_error *err)
{
    problem_data *p = data;
    double rows[PROBLEM_MOST], j[PROBLEM_MOST * PROBLEM_MOST], root = sqrt(p->factor);

    (void) err;
    p->calls++;
    p->problem->rows(x, rows, j);
    for (size_t k = 0; k < p->problem->residuals; k++) {
        if (r != NULL)
            r[k] = root * rows[k];
        for (size_t i = 0; jacobian != NULL && i < p->problem->size; i++)
            jacobian[k * p->problem->size + i] = root * j[k * p->problem->size + i];
    }
    return AT_OK;
}

static inline int problem_value(const double *x, double *f, double *gradient, void *data,
                                at_error *err)
{
    problem_data *p = data;
    double rows[PROBLEM_MOST], j[PROBLEM_MOST * PROBLEM_MOST];

    (void) err;
    p->calls++;
    p->problem->rows(x, rows, j);
    *f = 0.0;
    for (size_t i = 0; gradient != NULL && i < p->problem->size; i++)
        gradient[i] = 0.0;
    for (size_t k = 0; k < p->problem->residuals; k++) {
        *f += p->factor * rows[k] * rows[k];
        for (size_t i = 0; gradient != NULL && i < p->problem->size; i++)
            gradient[i] += 2.0 * p->factor * rows[k] * j[k * p->problem->size + i];
    }
    return AT_OK;
}

static inline at_objective problem_objective(problem_data *data)
{
    at_objective objective = { data->problem->size, data->problem->residuals, problem_value,
                               problem_residual, data };

    return objective;
}

/* For GSL's own interface. */
static inline void problem_fdf(const gsl_vector *x, void *data, double *f, gsl_vector *gradient)
{
    double point[PROBLEM_MOST], slope[PROBLEM_MOST];

    for (size_t i = 0; i < x->size; i++)
        point[i] = gsl_vector_get(x, i);
    problem_value(point, f, slope, data, NULL);
    for (size_t i = 0; i < x->size; i++)
        gsl_vector_set(gradient, i, slope[i]);
}

static inline double problem_f(const gsl_vector *x, void *data)
{
    double point[PROBLEM_MOST], f;

    for (size_t i = 0; i < x->size; i++)
        point[i] = gsl_vector_get(x, i);
    problem_value(point, &f, NULL, data, NULL);
    return f;
}

static inline void problem_df(const gsl_vector *x, void *data, gsl_vector *gradient)
{
    double f;

    problem_fdf(x, data, &f, gradient);
}

static inline gsl_multimin_function_fdf problem_function(problem_data *data)
{
    gsl_multimin_function_fdf fdf = { problem_f, problem_df, problem_fdf, data->problem->size,
                                      data };

    return fdf;
}

#endif
