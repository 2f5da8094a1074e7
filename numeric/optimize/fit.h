/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One driver for GSL's minimizers and ours: minimizes a smooth function, or a sum of squares.
 *
 * What it adds to a bare loop over GSL: the function is scaled by its size at the start
 * (vector_bfgs2 compares decreases with an absolute 2e−16), values that are not finite count as +inf and are
 * checked for after each iteration, a zero step is never a success, and an iteration without
 * progress is the end only where the gradient is small: else the minimizer starts again from the
 * best point, a few times, and then the end is "stalled".
 *
 * A call is a pure function of its arguments, so a long fit may be cut into calls of some
 * iterations each, and a fit that goes on from a stored point takes the same path as one that was
 * never interrupted.
 *
 * GSL reports some failures through its error handler, whose default ends the program: callers
 * that want status codes alone call gsl_set_error_handler_off() once. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_FIT_H
#define ATTEST_NUMERIC_OPTIMIZE_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/tables.h"
#include "attest/numeric/optimize/adam.h"
#include "attest/numeric/optimize/lbfgs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each callback returns AT_OK or an error that ends the fit. */
typedef struct {
    size_t size;        /* parameters, ≥ 1 */
    size_t residuals;   /* rows of the least-squares form; 0: there is none */
    /* f(x), and ∇f(x) to gradient [size] unless it is NULL. */
    int (*value)(const double *x, double *f, double *gradient, void *data, at_error *err);
    /* r(x) [residuals] with f = ‖r‖², unless NULL; ∂r/∂x to jacobian [residuals, size] unless
     * NULL.  For levenberg-marquardt alone. */
    int (*residual)(const double *x, double *r, double *jacobian, void *data, at_error *err);
    void *data;
} at_objective;

typedef struct {
    size_t iteration, evaluations;
    double f, gradient_norm;      /* at the current point; in the units of the objective */
    const double *x;
} at_fit_progress;

typedef struct {
    enum at_optimizer_id optimizer;
    size_t iterations;            /* the most */
    double step;                  /* length of the first trial step; adam: the rate */
    double line_tolerance;        /* of the line search; 0: the optimizer's own default */
    double gradient_tolerance;    /* converged when ‖∇f‖·max(1, ‖x‖) ≤ this · its scale, which is
                                     max(|f|, ‖∇f‖·max(1, ‖x‖)) at the start */
    double target;                /* an f ≤ target is enough; −INFINITY: none */
    size_t restarts;              /* in a row, from the best point, without progress */
    double ridge;                 /* levenberg-marquardt: adds ridge·f(start)·‖x‖² to f; it must be
                                     positive where residuals are fewer than parameters */
    at_adam_params adam;
    at_lbfgs_params lbfgs;
    bool (*report)(const at_fit_progress *progress, void *data);  /* false stops; NULL: none */
    void *report_data;
} at_fit_options;

/* bfgs2's and the others' usual settings; step 0.01 for adam, 0.1 else, 1,000 iterations,
 * gradient tolerance 1e−8, 3 restarts, ridge 1e−10. */
at_fit_options at_fit_defaults(enum at_optimizer_id optimizer);

enum at_fit_end {
    AT_FIT_CONVERGED,    /* the gradient is small */
    AT_FIT_TARGET,       /* f ≤ target */
    AT_FIT_ITERATIONS,   /* the most iterations were made */
    AT_FIT_STALLED,      /* no progress although the gradient is not small */
    AT_FIT_STOPPED       /* report said so */
};
/* "converged", "target", "iterations", "stalled", "stopped". */
const char *at_fit_end_name(enum at_fit_end end);

typedef struct {
    enum at_fit_end end;
    double f, gradient_norm;      /* at x */
    size_t iterations, evaluations, restarts;
} at_fit_result;

/* Minimizes from x [size], which becomes the best point seen.  AT_USAGE: options that make no
 * sense, an optimizer that needs residuals, f not finite at the start; an error of a callback;
 * AT_ENVIRONMENT: no memory. */
int at_fit_minimize(double *x, at_fit_result *result, const at_objective *objective,
                    const at_fit_options *options, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
