/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-BFGS (Nocedal 1980) with a strong Wolfe line search as a GSL minimizer, and its two-loop
 * recursion alone in both precisions.
 *
 *     gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_lbfgs, n);
 *     gsl_multimin_fdfminimizer_set(s, &fdf, x, 0.1, 0.9);
 *
 * Unlike GSL's vector_bfgs2 it keeps a history of steps, looks at no absolute size of f (so a
 * scaled function gives the same path), treats a function value that is not finite as a step too
 * long, and never calls a zero step a success. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_LBFGS_H
#define ATTEST_NUMERIC_OPTIMIZE_LBFGS_H

#include <gsl/gsl_multimin.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t history;       /* pairs kept, 1 … 1000; 10 */
    double decrease;      /* sufficient decrease c₁ in (0, ½); 1e−4 */
    size_t evaluations;   /* the most of one line search, ≥ 2; 40 */
} at_lbfgs_params;

extern const at_lbfgs_params at_lbfgs_defaults;

/* For gsl_multimin_fdfminimizer_alloc.  In ..._set, step_size is the length of the first trial
 * step and tol the curvature constant c₂ of the line search, c₁ < tol < 1 (anything else: 0.9).
 * ..._set and ..._restart forget the history and keep the parameters.  iterate returns
 * GSL_ENOPROG, x unchanged, where the gradient is zero or no step along the steepest descent
 * gives a decrease that the function's rounding can show; GSL_EBADFUNC where the function or its
 * gradient at x is not finite; GSL_ENOMEM. */
extern const gsl_multimin_fdfminimizer_type *const at_multimin_lbfgs;

/* GSL_SUCCESS; GSL_EINVAL when s is of another type or a value is out of range, GSL_ENOMEM
 * (nothing changes).  A new history length forgets the old history. */
int at_lbfgs_set_params(gsl_multimin_fdfminimizer *s, const at_lbfgs_params *params);

/* direction ← −H·gradient, H the inverse Hessian estimate from `count` pairs: pair k (0 the
 * newest) is row (newest + capacity − k) mod capacity of steps and changes (capacity×size each),
 * its 1/⟨step, change⟩ in curvature.  No pair: −gradient.  work holds count values. */
void at_lbfgs_direction_float(float *direction, const float *gradient, const float *steps,
                              const float *changes, const double *curvature, size_t capacity,
                              size_t newest, size_t count, size_t size, double *work);
void at_lbfgs_direction_double(double *direction, const double *gradient, const double *steps,
                               const double *changes, const double *curvature, size_t capacity,
                               size_t newest, size_t count, size_t size, double *work);

#ifdef __cplusplus
}
#endif

#endif
