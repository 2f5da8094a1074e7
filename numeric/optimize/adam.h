/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adam (Kingma, Ba 2015) as a GSL minimizer, and its update alone in both precisions.
 *
 *     gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(at_multimin_adam, n);
 *     gsl_multimin_fdfminimizer_set(s, &fdf, x, 0.01, 0.0);      rate 0.01
 *     while (gsl_multimin_fdfminimizer_iterate(s) == GSL_SUCCESS && ...)
 *
 * One iteration is one step and one evaluation of function and gradient, at the new point; the
 * function may rise.  A mini-batch objective works when its batch changes between iterations. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_ADAM_H
#define ATTEST_NUMERIC_OPTIMIZE_ADAM_H

#include <gsl/gsl_multimin.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double beta1, beta2;   /* decay of the first and second moment, in [0, 1); 0.9, 0.999 */
    double epsilon;        /* added to the root of the second moment, ≥ 0; 1e−8 */
} at_adam_params;

extern const at_adam_params at_adam_defaults;

/* For gsl_multimin_fdfminimizer_alloc.  In ..._set, step_size is the rate α and tol is not used.
 * ..._set and ..._restart forget the moments and keep the parameters.  iterate returns
 * GSL_ENOPROG where the step is zero and GSL_EBADFUNC upon a function or gradient that is not
 * finite. */
extern const gsl_multimin_fdfminimizer_type *const at_multimin_adam;

/* GSL_SUCCESS; GSL_EINVAL, and nothing changes, when s is of another type or a value is out of
 * range. */
int at_adam_set_params(gsl_multimin_fdfminimizer *s, const at_adam_params *params);
/* The rate of the steps to come, for schedules; the same codes. */
int at_adam_set_rate(gsl_multimin_fdfminimizer *s, double rate);

/* Step number t ≥ 1 on count values, entry by entry, so that parts of a vector may be updated
 * apart and in any order:
 *   m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,
 *   x ← x − rate/(1−β₁ᵗ) · m/(√v/√(1−β₂ᵗ) + ε),
 * and x stays where the denominator is zero.  m and v start as zeros. */
void at_adam_update_float(float *x, float *m, float *v, const float *g, size_t count,
                          double rate, const at_adam_params *params, uint64_t t);
void at_adam_update_double(double *x, double *m, double *v, const double *g, size_t count,
                           double rate, const at_adam_params *params, uint64_t t);

#ifdef __cplusplus
}
#endif

#endif
