/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-BFGS as a GSL minimizer: see lbfgs.h.  The line search brackets and then sections (Nocedal,
 * Wright: Numerical Optimization, section 3.5) with safeguarded cubic steps; where f has no
 * digits left to show a decrease, slopes decide (the approximate Wolfe conditions of Hager and
 * Zhang 2005). */
#include "attest/numeric/optimize/lbfgs.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REAL float
#define NAME(x) x##_float
#include "attest/numeric/optimize/lbfgs_source.c"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_double
#include "attest/numeric/optimize/lbfgs_source.c"
#undef REAL
#undef NAME

const at_lbfgs_params at_lbfgs_defaults = { 10, 1e-4, 40 };

typedef struct {
    at_lbfgs_params params;
    double first_step, curvature;   /* step_size and tol of set */
    size_t size, newest, count;
    double *history;     /* steps, changes: history×size each; curvature and work: history each */
    double *direction, *start, *slope, *trial_slope;   /* size each, one block */
    gsl_vector *trial, *trial_gradient;
} lbfgs_state;

/* A point of the line search: f and its derivative along the direction. */
typedef struct { double step, f, slope; } line_point;

static double *history_alloc(size_t history, size_t size)
{
    return calloc(history, (2 * size + 2) * sizeof(double));
}

static double *changes_of(const lbfgs_state *state)
{
    return state->history + state->params.history * state->size;
}

static double *curvature_of(const lbfgs_state *state)
{
    return changes_of(state) + state->params.history * state->size;
}

static void lbfgs_free(void *vstate)
{
    lbfgs_state *state = vstate;

    free(state->history);
    free(state->direction);
    if (state->trial != NULL)
        gsl_vector_free(state->trial);
    if (state->trial_gradient != NULL)
        gsl_vector_free(state->trial_gradient);
}

static int lbfgs_alloc(void *vstate, size_t n)
{
    lbfgs_state *state = vstate;

    memset(state, 0, sizeof *state);
    state->params = at_lbfgs_defaults;
    state->size = n;
    state->history = history_alloc(state->params.history, n);
    state->direction = calloc(n, 4 * sizeof(double));
    state->trial = gsl_vector_alloc(n);
    state->trial_gradient = gsl_vector_alloc(n);
    if (state->history == NULL || state->direction == NULL || state->trial == NULL
        || state->trial_gradient == NULL) {
        lbfgs_free(state);
        GSL_ERROR("no room for the history", GSL_ENOMEM);
    }
    state->start = state->direction + n;
    state->slope = state->start + n;
    state->trial_slope = state->slope + n;
    return GSL_SUCCESS;
}

static int lbfgs_restart(void *vstate)
{
    ((lbfgs_state *) vstate)->count = 0;
    return GSL_SUCCESS;
}

static int lbfgs_set(void *vstate, gsl_multimin_function_fdf *fdf, const gsl_vector *x, double *f,
                     gsl_vector *gradient, double step_size, double tol)
{
    lbfgs_state *state = vstate;

    state->first_step = step_size;
    state->curvature = tol > state->params.decrease && tol < 1.0 ? tol : 0.9;
    GSL_MULTIMIN_FN_EVAL_F_DF(fdf, x, f, gradient);
    return lbfgs_restart(vstate);
}

static void copy_out(double *out, const gsl_vector *vector)
{
    for (size_t i = 0; i < vector->size; i++)
        out[i] = gsl_vector_get(vector, i);
}

/* f and slope at start + step·direction; f = +inf where either is not finite. */
static line_point line_evaluate(lbfgs_state *state, gsl_multimin_function_fdf *fdf, double step)
{
    line_point point = { step, INFINITY, 0.0 };
    double f = INFINITY;

    for (size_t i = 0; i < state->size; i++)
        gsl_vector_set(state->trial, i, state->start[i] + step * state->direction[i]);
    GSL_MULTIMIN_FN_EVAL_F_DF(fdf, state->trial, &f, state->trial_gradient);
    copy_out(state->trial_slope, state->trial_gradient);
    point.slope = inner_double(state->trial_slope, state->direction, state->size);
    if (isfinite(f) && isfinite(point.slope))
        point.f = f;
    return point;
}

/* The minimum of the cubic through two points, kept within the middle four fifths of them. */
static double cubic_step(line_point low, line_point high)
{
    double width = high.step - low.step, middle = low.step + 0.5 * width;
    double d1, d2, square, step;

    if (!isfinite(high.f))
        return low.step + 0.1 * width;
    d1 = low.slope + high.slope - 3.0 * (high.f - low.f) / width;
    square = d1 * d1 - low.slope * high.slope;
    if (!(square >= 0.0))
        return middle;
    d2 = copysign(sqrt(square), width);
    step = high.step - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    if (!(fabs(step - middle) <= 0.4 * fabs(width)))
        return isfinite(step) && fabs(step - low.step) < fabs(step - high.step)
                   ? low.step + 0.1 * width : middle;
    return step;
}

static bool accepted(const lbfgs_state *state, line_point origin, line_point at)
{
    double decrease = state->params.decrease;
    double blur = 4.0 * DBL_EPSILON * fabs(origin.f);
    bool lower = at.f <= origin.f + decrease * at.step * origin.slope;
    bool level = at.f <= origin.f + blur && at.slope <= (2.0 * decrease - 1.0) * origin.slope;

    return (lower || level) && fabs(at.slope) <= -state->curvature * origin.slope;
}

/* Leaves trial and trial_gradient at the accepted point.  False: none was found, at->step = 0. */
static bool line_search(lbfgs_state *state, gsl_multimin_function_fdf *fdf, line_point origin,
                        double step, line_point *at)
{
    line_point low = origin, high = origin;
    bool bracketed = false;

    for (size_t k = 0; k < state->params.evaluations; k++) {
        *at = line_evaluate(state, fdf, step);
        if (isfinite(at->f) && accepted(state, origin, *at))
            return true;
        if (!(at->f <= origin.f + state->params.decrease * at->step * origin.slope)
            || (low.step > 0.0 && at->f >= low.f)) {
            high = *at;
            bracketed = true;
        } else {
            if (bracketed ? at->slope * (high.step - low.step) >= 0.0 : at->slope >= 0.0) {
                high = low;
                bracketed = true;
            }
            low = *at;
        }
        step = bracketed ? cubic_step(low, high) : 4.0 * at->step;
        if (!isfinite(step) || step == low.step || step == high.step)
            break;
    }
    /* A decrease without the curvature is still a decrease. */
    if (low.step > 0.0 && low.f < origin.f) {
        *at = line_evaluate(state, fdf, low.step);
        return isfinite(at->f);
    }
    at->step = 0.0;
    return false;
}

static void store_pair(lbfgs_state *state)
{
    size_t n = state->size, row = (state->newest + 1) % state->params.history;
    double *step = state->history + row * n, *change = changes_of(state) + row * n;
    double product, least;

    for (size_t i = 0; i < n; i++) {
        step[i] = gsl_vector_get(state->trial, i) - state->start[i];
        change[i] = state->trial_slope[i] - state->slope[i];
    }
    product = inner_double(step, change, n);
    /* Only a positive curvature keeps the estimate positive definite. */
    least = DBL_EPSILON * sqrt(inner_double(step, step, n) * inner_double(change, change, n));
    if (!(product > least) || !isfinite(1.0 / product))
        return;
    curvature_of(state)[row] = 1.0 / product;
    state->newest = row;
    if (state->count < state->params.history)
        state->count++;
}

static int lbfgs_iterate(void *vstate, gsl_multimin_function_fdf *fdf, gsl_vector *x, double *f,
                         gsl_vector *gradient, gsl_vector *dx)
{
    lbfgs_state *state = vstate;
    size_t n = state->size;
    line_point at, origin = { 0.0, *f, 0.0 };
    double norm;

    gsl_vector_set_zero(dx);
    copy_out(state->start, x);
    copy_out(state->slope, gradient);
    norm = sqrt(inner_double(state->slope, state->slope, n));
    if (!isfinite(*f) || !isfinite(norm))
        return GSL_EBADFUNC;
    if (norm == 0.0)
        return GSL_ENOPROG;
    for (;;) {
        at_lbfgs_direction_double(state->direction, state->slope, state->history,
                                  changes_of(state), curvature_of(state), state->params.history,
                                  state->newest, state->count, n,
                                  curvature_of(state) + state->params.history);
        origin.slope = inner_double(state->slope, state->direction, n);
        if (origin.slope < 0.0
            && line_search(state, fdf, origin, state->count > 0 ? 1.0 : state->first_step / norm,
                           &at))
            break;
        if (state->count == 0)
            return GSL_ENOPROG;
        state->count = 0;   /* once more, along the gradient */
    }
    store_pair(state);
    for (size_t i = 0; i < n; i++)
        gsl_vector_set(dx, i, gsl_vector_get(state->trial, i) - state->start[i]);
    gsl_vector_memcpy(x, state->trial);
    gsl_vector_memcpy(gradient, state->trial_gradient);
    *f = at.f;
    return gsl_vector_isnull(dx) ? GSL_ENOPROG : GSL_SUCCESS;
}

static const gsl_multimin_fdfminimizer_type lbfgs_type = {
    "at_lbfgs", sizeof(lbfgs_state), lbfgs_alloc, lbfgs_set, lbfgs_iterate, lbfgs_restart,
    lbfgs_free
};

const gsl_multimin_fdfminimizer_type *const at_multimin_lbfgs = &lbfgs_type;

int at_lbfgs_set_params(gsl_multimin_fdfminimizer *s, const at_lbfgs_params *params)
{
    lbfgs_state *state;
    double *history;

    if (s->type != &lbfgs_type)
        return GSL_EINVAL;
    state = s->state;
    if (params->history < 1 || params->history > 1000 || params->evaluations < 2
        || !(params->decrease > 0.0 && params->decrease < 0.5))
        return GSL_EINVAL;
    if (params->history != state->params.history) {
        history = history_alloc(params->history, state->size);
        if (history == NULL)
            return GSL_ENOMEM;
        free(state->history);
        state->history = history;
        state->count = state->newest = 0;
    }
    state->params = *params;
    return GSL_SUCCESS;
}
