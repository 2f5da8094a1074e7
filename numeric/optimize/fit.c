/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The driver over GSL's multimin interface: see fit.h.  Levenberg-Marquardt is in fit_squares.c. */
#include "attest/numeric/optimize/fit.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/optimize/fit_private.h"

at_fit_options at_fit_defaults(enum at_optimizer_id optimizer)
{
    at_fit_options options = {
        .optimizer = optimizer, .iterations = 1000, .step = optimizer == AT_OPT_ADAM ? 0.01 : 0.1,
        .line_tolerance = 0.0, .gradient_tolerance = 1e-8, .target = -INFINITY, .restarts = 3,
        .ridge = 1e-10, .adam = at_adam_defaults, .lbfgs = at_lbfgs_defaults,
    };

    return options;
}

const char *at_fit_end_name(enum at_fit_end end)
{
    switch (end) {
    case AT_FIT_CONVERGED: return "converged";
    case AT_FIT_TARGET: return "target";
    case AT_FIT_ITERATIONS: return "iterations";
    case AT_FIT_STALLED: return "stalled";
    case AT_FIT_STOPPED: return "stopped";
    }
    return "unknown";
}

/* ‖∇f‖·max(1, ‖x‖): a change of f that a change of x by its own size would make. */
double at_fit_slope(const double *gradient, const double *x, size_t size)
{
    return at_fit_norm(gradient, size) * fmax(1.0, at_fit_norm(x, size));
}

typedef struct {
    const at_objective *objective;
    const at_fit_options *options;
    at_fit_result *result;
    at_error *err;
    double scale;             /* f is divided by it */
    double start_slope;       /* the first scale: what gradients are compared with */
    int status;               /* of the callbacks */
    double *x, *gradient;     /* contiguous copies for the callbacks; best point and gradient */
    double *best, *best_gradient;
    double best_f;            /* unscaled */
} driver;

/* f and gradient at x, both unscaled and +inf where anything is not finite. */
static double evaluate(driver *d, const double *x, double *gradient)
{
    double f = INFINITY;

    if (d->status != AT_OK)
        return INFINITY;
    d->result->evaluations++;
    d->status = d->objective->value(x, &f, gradient, d->objective->data, d->err);
    if (d->status != AT_OK || !isfinite(f))
        return INFINITY;
    for (size_t i = 0; gradient != NULL && i < d->objective->size; i++)
        if (!isfinite(gradient[i]))
            return INFINITY;
    return f;
}

static void copy_out(double *out, const gsl_vector *vector)
{
    for (size_t i = 0; i < vector->size; i++)
        out[i] = gsl_vector_get(vector, i);
}

static void multimin_fdf(const gsl_vector *x, void *data, double *f, gsl_vector *gradient)
{
    driver *d = data;

    copy_out(d->x, x);
    *f = evaluate(d, d->x, d->gradient) / d->scale;
    if (*f < d->best_f / d->scale) {
        d->best_f = *f * d->scale;
        memcpy(d->best, d->x, d->objective->size * sizeof *d->best);
        memcpy(d->best_gradient, d->gradient, d->objective->size * sizeof *d->best);
    }
    for (size_t i = 0; i < x->size; i++)
        gsl_vector_set(gradient, i, isfinite(*f) ? d->gradient[i] / d->scale : 0.0);
}

static double multimin_f(const gsl_vector *x, void *data)
{
    driver *d = data;

    copy_out(d->x, x);
    return evaluate(d, d->x, NULL) / d->scale;
}

static void multimin_df(const gsl_vector *x, void *data, gsl_vector *gradient)
{
    double f;

    multimin_fdf(x, data, &f, gradient);
}

static const gsl_multimin_fdfminimizer_type *type_of(enum at_optimizer_id optimizer)
{
    switch (optimizer) {
    case AT_OPT_ADAM: return at_multimin_adam;
    case AT_OPT_LBFGS: return at_multimin_lbfgs;
    case AT_OPT_BFGS2: return gsl_multimin_fdfminimizer_vector_bfgs2;
    case AT_OPT_CONJUGATE_PR: return gsl_multimin_fdfminimizer_conjugate_pr;
    case AT_OPT_CONJUGATE_FR: return gsl_multimin_fdfminimizer_conjugate_fr;
    case AT_OPT_STEEPEST: return gsl_multimin_fdfminimizer_steepest_descent;
    default: return NULL;
    }
}

static double line_tolerance(const at_fit_options *options)
{
    if (options->line_tolerance > 0.0)
        return options->line_tolerance;
    return options->optimizer == AT_OPT_LBFGS ? 0.9 : 0.1;
}

/* From the best point, with f scaled to its size there. */
static int set_again(driver *d, gsl_multimin_fdfminimizer *s, gsl_multimin_function_fdf *fdf,
                     double step)
{
    gsl_vector_const_view start = gsl_vector_const_view_array(d->best, d->objective->size);
    gsl_vector *copy = gsl_vector_alloc(d->objective->size);
    double slope = at_fit_slope(d->best_gradient, d->best, d->objective->size);
    int code;

    if (copy == NULL)
        return GSL_ENOMEM;
    gsl_vector_memcpy(copy, &start.vector);
    d->scale = fmax(fabs(d->best_f), slope);
    if (!(d->scale > DBL_MIN))
        d->scale = 1.0;
    code = gsl_multimin_fdfminimizer_set(s, fdf, copy, step, line_tolerance(d->options));
    gsl_vector_free(copy);
    return code;
}

static bool small_gradient(const driver *d, const double *gradient, const double *x)
{
    return at_fit_slope(gradient, x, d->objective->size)
           <= d->options->gradient_tolerance * d->start_slope;
}

/* True: the fit ends here, for the reason in result->end. */
static bool ends(driver *d, const gsl_multimin_fdfminimizer *s)
{
    const at_fit_options *options = d->options;
    at_fit_result *result = d->result;
    at_fit_progress progress = {
        result->iterations, result->evaluations, s->f * d->scale, 0.0, d->x
    };

    copy_out(d->x, s->x);
    copy_out(d->gradient, s->gradient);
    for (size_t i = 0; i < d->objective->size; i++)
        d->gradient[i] *= d->scale;
    progress.gradient_norm = at_fit_norm(d->gradient, d->objective->size);
    if (isfinite(s->f) && small_gradient(d, d->gradient, d->x))
        result->end = AT_FIT_CONVERGED;
    else if (d->best_f <= options->target)
        result->end = AT_FIT_TARGET;
    else if (options->report != NULL && !options->report(&progress, options->report_data))
        result->end = AT_FIT_STOPPED;
    else
        return false;
    return true;
}

static void minimize(driver *d, gsl_multimin_fdfminimizer *s, gsl_multimin_function_fdf *fdf)
{
    at_fit_result *result = d->result;
    double step = d->options->step, restart_f = d->best_f;
    size_t in_a_row = 0;

    result->end = AT_FIT_ITERATIONS;
    if (small_gradient(d, d->best_gradient, d->best)) {
        result->end = AT_FIT_CONVERGED;
        return;
    }
    if (set_again(d, s, fdf, step) != GSL_SUCCESS)
        d->status = at_error_memory(d->err, "a minimizer's start");
    while (d->status == AT_OK && result->iterations < d->options->iterations) {
        int code = gsl_multimin_fdfminimizer_iterate(s);
        bool moved = code == GSL_SUCCESS && isfinite(s->f) && !gsl_vector_isnull(s->dx);

        if (d->status != AT_OK)
            return;
        result->iterations++;
        if (moved) {
            if (ends(d, s))
                return;
            continue;
        }
        if (small_gradient(d, d->best_gradient, d->best)) {
            result->end = AT_FIT_CONVERGED;
            return;
        }
        /* A restart that brought something allows for another. */
        in_a_row = d->best_f <= 0.9 * restart_f ? 1 : in_a_row + 1;
        if (in_a_row > d->options->restarts) {
            result->end = AT_FIT_STALLED;
            return;
        }
        restart_f = d->best_f;
        result->restarts++;
        step *= 0.1;
        if (set_again(d, s, fdf, step) != GSL_SUCCESS)
            d->status = at_error_memory(d->err, "a minimizer's restart");
    }
}

static int run_multimin(driver *d)
{
    const gsl_multimin_fdfminimizer_type *type = type_of(d->options->optimizer);
    size_t size = d->objective->size;
    gsl_multimin_function_fdf fdf = { multimin_f, multimin_df, multimin_fdf, size, d };
    gsl_multimin_fdfminimizer *s = gsl_multimin_fdfminimizer_alloc(type, size);

    if (s == NULL)
        return at_error_memory(d->err, "a minimizer");
    if ((type == at_multimin_adam && at_adam_set_params(s, &d->options->adam) != GSL_SUCCESS)
        || (type == at_multimin_lbfgs
            && at_lbfgs_set_params(s, &d->options->lbfgs) != GSL_SUCCESS))
        d->status = at_error_set(d->err, AT_USAGE, "a parameter of %s is out of range", type->name);
    else
        minimize(d, s, &fdf);
    gsl_multimin_fdfminimizer_free(s);
    return d->status;
}

static int check_options(const at_objective *objective, const at_fit_options *options,
                         at_error *err)
{
    if (objective->size == 0)
        return at_error_set(err, AT_USAGE, "a fit needs at least one parameter");
    if (!(options->step > 0.0) || !isfinite(options->step))
        return at_error_set(err, AT_USAGE, "the first step must be positive");
    if (options->optimizer != AT_OPT_LEVENBERG_MARQUARDT && type_of(options->optimizer) == NULL)
        return at_error_set(err, AT_USAGE, "there is no such optimizer");
    return AT_OK;
}

int at_fit_minimize(double *x, at_fit_result *result, const at_objective *objective,
                    const at_fit_options *options, at_error *err)
{
    size_t size = objective->size;
    driver d = { .objective = objective, .options = options, .result = result, .err = err,
                 .scale = 1.0, .status = AT_OK };
    int status = check_options(objective, options, err);

    memset(result, 0, sizeof *result);
    if (status != AT_OK)
        return status;
    if (options->optimizer == AT_OPT_LEVENBERG_MARQUARDT)
        return at_fit_squares(x, result, objective, options, err);
    d.x = calloc(size, 4 * sizeof *d.x);
    if (d.x == NULL)
        return at_error_memory(err, "a fit");
    d.gradient = d.x + size;
    d.best = d.gradient + size;
    d.best_gradient = d.best + size;
    memcpy(d.best, x, size * sizeof *x);
    d.best_f = evaluate(&d, d.best, d.best_gradient);
    if (d.status == AT_OK && !isfinite(d.best_f))
        d.status = at_error_set(err, AT_USAGE, "the function is not finite at the start");
    if (d.status == AT_OK) {
        d.start_slope = fmax(fabs(d.best_f), at_fit_slope(d.best_gradient, d.best, size));
        d.status = run_multimin(&d);
    }
    if (d.status == AT_OK) {
        memcpy(x, d.best, size * sizeof *x);
        result->f = d.best_f;
        result->gradient_norm = at_fit_norm(d.best_gradient, size);
    }
    free(d.x);
    return d.status;
}
