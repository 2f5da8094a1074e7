/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levenberg-Marquardt by GSL's trust-region solver: see fit.h.  Residuals are divided by their
 * norm at the start; below them come, where asked for, ridge rows √ridge·x_k. */
#include "attest/numeric/optimize/fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/memory.h"
#include "attest/numeric/optimize/fit_private.h"

/* A residual that is not finite becomes this, so that the step is refused. */
#define FAR_AWAY 1e100

typedef struct {
    const at_objective *objective;
    at_fit_result *result;
    at_error *err;
    double scale, root;      /* of the residuals; √ridge, 0: no ridge rows */
    double *x, *r, *jacobian;
    int status;
} squares;

static void copy_out(double *out, const gsl_vector *vector)
{
    for (size_t i = 0; i < vector->size; i++)
        out[i] = gsl_vector_get(vector, i);
}

static int residuals(const gsl_vector *x, void *data, gsl_vector *f)
{
    squares *s = data;
    size_t rows = s->objective->residuals;

    copy_out(s->x, x);
    s->result->evaluations++;
    s->status = s->objective->residual(s->x, s->r, NULL, s->objective->data, s->err);
    if (s->status != AT_OK)
        return GSL_EFAILED;
    for (size_t k = 0; k < rows; k++)
        gsl_vector_set(f, k, isfinite(s->r[k]) ? s->r[k] / s->scale : FAR_AWAY);
    for (size_t k = rows; k < f->size; k++)
        gsl_vector_set(f, k, s->root * s->x[k - rows]);
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *data, gsl_matrix *out)
{
    squares *s = data;
    size_t rows = s->objective->residuals, size = s->objective->size;

    copy_out(s->x, x);
    s->status = s->objective->residual(s->x, NULL, s->jacobian, s->objective->data, s->err);
    if (s->status != AT_OK)
        return GSL_EFAILED;
    gsl_matrix_set_zero(out);
    for (size_t k = 0; k < rows; k++)
        for (size_t j = 0; j < size; j++) {
            double value = s->jacobian[k * size + j] / s->scale;

            if (!isfinite(value))
                return GSL_EBADFUNC;
            gsl_matrix_set(out, k, j, value);
        }
    for (size_t k = rows; k < out->size1; k++)
        gsl_matrix_set(out, k, k - rows, s->root);
    return GSL_SUCCESS;
}

/* f and gradient norm of the objective alone, without the ridge. */
static void measure(const squares *s, gsl_multifit_nlinear_workspace *w, double *f, double *slope)
{
    const gsl_vector *r = gsl_multifit_nlinear_residual(w);
    const gsl_matrix *j = gsl_multifit_nlinear_jac(w);
    double sum = 0.0, norm = 0.0;

    for (size_t k = 0; k < s->objective->residuals; k++)
        sum += gsl_vector_get(r, k) * gsl_vector_get(r, k);
    for (size_t i = 0; i < s->objective->size; i++) {
        double entry = 0.0;

        for (size_t k = 0; k < s->objective->residuals; k++)
            entry += gsl_vector_get(r, k) * gsl_matrix_get(j, k, i);
        norm += entry * entry;
    }
    *f = sum * s->scale * s->scale;
    *slope = 2.0 * sqrt(norm) * s->scale * s->scale;
}

static void iterate(squares *s, gsl_multifit_nlinear_workspace *w, const at_fit_options *options)
{
    at_fit_result *result = s->result;

    result->end = AT_FIT_ITERATIONS;
    measure(s, w, &result->f, &result->gradient_norm);
    while (result->iterations < options->iterations) {
        int info = 0, code = gsl_multifit_nlinear_iterate(w);
        at_fit_progress progress;

        if (s->status != AT_OK)
            return;
        result->iterations++;
        measure(s, w, &result->f, &result->gradient_norm);
        copy_out(s->x, gsl_multifit_nlinear_position(w));
        progress = (at_fit_progress) { result->iterations, result->evaluations, result->f,
                                       result->gradient_norm, s->x };
        if (result->f <= options->target)
            result->end = AT_FIT_TARGET;
        else if (gsl_multifit_nlinear_test(0.0, options->gradient_tolerance, 0.0, &info, w)
                 == GSL_SUCCESS)
            result->end = AT_FIT_CONVERGED;
        else if (code != GSL_SUCCESS)
            result->end = AT_FIT_STALLED;
        else if (options->report != NULL && !options->report(&progress, options->report_data))
            result->end = AT_FIT_STOPPED;
        else
            continue;
        return;
    }
}

static int solve(squares *s, double *x, const at_fit_options *options)
{
    size_t size = s->objective->size, rows = s->objective->residuals + (s->root > 0.0 ? size : 0);
    gsl_multifit_nlinear_parameters params = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf fdf = { .f = residuals, .df = jacobian, .n = rows, .p = size,
                                     .params = s };
    gsl_vector_const_view start = gsl_vector_const_view_array(x, size);
    gsl_multifit_nlinear_workspace *w;
    int code;

    params.solver = gsl_multifit_nlinear_solver_cholesky;
    params.scale = gsl_multifit_nlinear_scale_levenberg;
    w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &params, rows, size);
    if (w == NULL)
        return at_error_memory(s->err, "levenberg-marquardt");
    code = gsl_multifit_nlinear_init(&start.vector, &fdf, w);
    if (code == GSL_SUCCESS)
        iterate(s, w, options);
    else if (s->status == AT_OK)
        s->status = at_error_set(s->err, AT_USAGE, "the Jacobian is not finite at the start");
    if (s->status == AT_OK)
        copy_out(x, gsl_multifit_nlinear_position(w));
    gsl_multifit_nlinear_free(w);
    return s->status;
}

int at_fit_squares(double *x, at_fit_result *result, const at_objective *objective,
                   const at_fit_options *options, at_error *err)
{
    size_t size = objective->size, rows = objective->residuals;
    squares s = { .objective = objective, .result = result, .err = err, .status = AT_OK };

    if (rows == 0 || objective->residual == NULL)
        return at_error_set(err, AT_USAGE, "levenberg-marquardt needs a sum of squares");
    if (rows < size && !(options->ridge > 0.0))
        return at_error_set(err, AT_USAGE, "%zu residuals for %zu parameters: levenberg-marquardt "
                            "needs a positive ridge", rows, size);
    /* Ours, GSL's with the ridge's rows, and three matrices of normal equations. */
    s.status = at_memory_check(sizeof(double) * size * (2 * rows + 4 * size), "the Jacobian", err);
    if (s.status != AT_OK)
        return s.status;
    s.root = options->ridge > 0.0 ? sqrt(options->ridge) : 0.0;
    s.x = malloc((size + rows + rows * size) * sizeof *s.x);
    if (s.x == NULL)
        return at_error_memory(err, "a Jacobian");
    s.r = s.x + size;
    s.jacobian = s.r + rows;
    result->evaluations++;
    s.status = objective->residual(x, s.r, NULL, objective->data, err);
    s.scale = at_fit_norm(s.r, rows);
    if (s.status == AT_OK && !isfinite(s.scale))
        s.status = at_error_set(err, AT_USAGE, "the function is not finite at the start");
    if (s.status == AT_OK && s.scale == 0.0)
        result->end = AT_FIT_CONVERGED;
    else if (s.status == AT_OK)
        s.status = solve(&s, x, options);
    free(s.x);
    return s.status;
}

double at_fit_norm(const double *x, size_t size)
{
    double scale = 0.0, sum = 0.0;

    for (size_t i = 0; i < size; i++)
        scale = fmax(scale, fabs(x[i]));
    if (scale == 0.0 || !isfinite(scale))
        return scale;
    for (size_t i = 0; i < size; i++)
        sum += (x[i] / scale) * (x[i] / scale);
    return scale * sqrt(sum);
}
