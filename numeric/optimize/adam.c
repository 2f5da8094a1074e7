/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adam as a GSL minimizer: see adam.h. */
#include "attest/numeric/optimize/adam.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The loop is elementwise, so vector code gives the same bits; what hinders gcc at -O2 is errno
 * of the square root. */
#if defined(__GNUC__) && !defined(__clang__)
#define AT_VECTORISED __attribute__((optimize("O3", "no-math-errno", "no-trapping-math")))
#else
#define AT_VECTORISED
#endif

#define REAL float
#define ROOT sqrtf
#define NAME(x) x##_float
#include "attest/numeric/optimize/adam_source.c"
#undef REAL
#undef ROOT
#undef NAME

#define REAL double
#define ROOT sqrt
#define NAME(x) x##_double
#include "attest/numeric/optimize/adam_source.c"
#undef REAL
#undef ROOT
#undef NAME

const at_adam_params at_adam_defaults = { 0.9, 0.999, 1e-8 };

typedef struct {
    at_adam_params params;
    double rate;
    uint64_t t;        /* steps taken */
    size_t size;
    double *moments;   /* first, second, old x, gradient without stride: size each */
} adam_state;

static int adam_alloc(void *vstate, size_t n)
{
    adam_state *state = vstate;

    state->params = at_adam_defaults;
    state->rate = 0.0;
    state->t = 0;
    state->size = n;
    state->moments = calloc(n, 4 * sizeof(double));
    if (state->moments == NULL)
        GSL_ERROR("no room for Adam's moments", GSL_ENOMEM);
    return GSL_SUCCESS;
}

static int adam_restart(void *vstate)
{
    adam_state *state = vstate;

    state->t = 0;
    memset(state->moments, 0, 2 * state->size * sizeof(double));
    return GSL_SUCCESS;
}

static int adam_set(void *vstate, gsl_multimin_function_fdf *fdf, const gsl_vector *x, double *f,
                    gsl_vector *gradient, double step_size, double tol)
{
    adam_state *state = vstate;

    (void) tol;
    state->rate = step_size;
    GSL_MULTIMIN_FN_EVAL_F_DF(fdf, x, f, gradient);
    return adam_restart(vstate);
}

static void copy_out(double *out, const gsl_vector *vector)
{
    for (size_t i = 0; i < vector->size; i++)
        out[i] = gsl_vector_get(vector, i);
}

static int all_finite(const gsl_vector *vector)
{
    for (size_t i = 0; i < vector->size; i++)
        if (!isfinite(gsl_vector_get(vector, i)))
            return 0;
    return 1;
}

static int adam_iterate(void *vstate, gsl_multimin_function_fdf *fdf, gsl_vector *x, double *f,
                        gsl_vector *gradient, gsl_vector *dx)
{
    adam_state *state = vstate;
    size_t n = state->size;
    double *first = state->moments, *second = first + n, *point = second + n, *slope = point + n;
    int moved = 0;

    if (!isfinite(*f) || !all_finite(gradient))
        return GSL_EBADFUNC;
    copy_out(point, x);
    copy_out(slope, gradient);
    at_adam_update_double(point, first, second, slope, n, state->rate, &state->params,
                          ++state->t);
    for (size_t i = 0; i < n; i++) {
        double change = point[i] - gsl_vector_get(x, i);

        moved |= change != 0.0;
        gsl_vector_set(dx, i, change);
        gsl_vector_set(x, i, point[i]);
    }
    if (!moved)
        return GSL_ENOPROG;
    GSL_MULTIMIN_FN_EVAL_F_DF(fdf, x, f, gradient);
    return isfinite(*f) && all_finite(gradient) ? GSL_SUCCESS : GSL_EBADFUNC;
}

static void adam_free(void *vstate)
{
    adam_state *state = vstate;

    free(state->moments);
}

static const gsl_multimin_fdfminimizer_type adam_type = {
    "at_adam", sizeof(adam_state), adam_alloc, adam_set, adam_iterate, adam_restart, adam_free
};

const gsl_multimin_fdfminimizer_type *const at_multimin_adam = &adam_type;

int at_adam_set_params(gsl_multimin_fdfminimizer *s, const at_adam_params *params)
{
    if (s->type != &adam_type)
        return GSL_EINVAL;
    if (!(params->beta1 >= 0.0 && params->beta1 < 1.0 && params->beta2 >= 0.0
          && params->beta2 < 1.0 && params->epsilon >= 0.0 && isfinite(params->epsilon)))
        return GSL_EINVAL;
    ((adam_state *) s->state)->params = *params;
    return GSL_SUCCESS;
}

int at_adam_set_rate(gsl_multimin_fdfminimizer *s, double rate)
{
    if (s->type != &adam_type || !isfinite(rate))
        return GSL_EINVAL;
    ((adam_state *) s->state)->rate = rate;
    return GSL_SUCCESS;
}
