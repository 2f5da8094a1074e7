/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers: scratch, the energy, and whole runs (see energy.h). */
#include "attest/numeric/energy/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/energy/work.h"
#include "attest/numeric/energy/pairs.h"
#include "attest/numeric/kernels/blas.h"

int at_energy_work_alloc(at_energy_work **work, const at_energy_model *model, size_t longest,
                         int threads, at_error *err)
{
    size_t n = longest > 0 ? longest : 1, rows = n * model->d;
    at_energy_work *w = calloc(1, sizeof *w);

    *work = w;
    if (w == NULL)
        return at_error_memory(err, "an energy workspace");
    w->longest = n;
    w->d = model->d;
    w->heads = model->heads;
    w->threads = threads > 1 ? threads : 1;
    w->pair = malloc(model->heads * n * n * sizeof(double));
    w->degree = malloc(model->heads * n * sizeof(double));
    w->V = malloc(rows * sizeof(double));
    w->T = malloc(rows * sizeof(double));
    w->U = malloc(rows * sizeof(double));
    if (at_energy_has_ffn(model->step))
        w->YS = malloc(rows * sizeof(double));
    w->offset = malloc(model->d * sizeof(double));
    w->scratch = malloc(at_pairs_scratch(n, model->d) * sizeof(double));
    if (model->step == AT_STEP_RELEASED)
        w->scores = malloc(n * n * sizeof(double));
    if (w->pair == NULL || w->degree == NULL || w->V == NULL || w->T == NULL || w->U == NULL
        || w->scratch == NULL || w->offset == NULL
        || (w->YS == NULL && at_energy_has_ffn(model->step))
        || (w->scores == NULL && model->step == AT_STEP_RELEASED)) {
        at_energy_work_free(w);
        *work = NULL;
        return at_error_set(err, AT_ENVIRONMENT, "out of memory: an energy workspace for documents "
                            "of %zu tokens", n);
    }
    return AT_OK;
}

void at_energy_work_free(at_energy_work *work)
{
    if (work == NULL)
        return;
    free(work->pair);
    free(work->degree);
    free(work->V);
    free(work->T);
    free(work->U);
    free(work->YS);
    free(work->offset);
    free(work->scratch);
    free(work->scores);
    free(work);
}

bool at_energy_from_relu(const at_energy_model *model)
{
    return model->relu && at_energy_has_ffn(model->step) && model->step != AT_STEP_RELEASED;
}

int at_energy_prepare(double *Y, size_t n, const at_energy_model *model, at_error *err)
{
    size_t d = model->d;

    for (size_t i = 0; model->step == AT_STEP_SPHERE && i < n; i++) {
        double norm = at_blas_norm(d, Y + i * d, 1);
        if (!(norm > 0))
            return at_error_set(err, AT_INPUT, "the step sphere cannot normalise a row of zeros "
                                "(token %zu)", i + 1);
        at_blas_scale(d, sqrt((double) d) / norm, Y + i * d, 1);
    }
    if (!at_energy_from_relu(model))
        return AT_OK;
    for (size_t k = 0; k < n * d; k++)
        Y[k] = Y[k] > 0 ? Y[k] : 0;
    return AT_OK;
}

static bool leaves_self_out(enum at_step_id step)
{
    return step == AT_STEP_NO_SELF || step == AT_STEP_JACOBI;
}

/* Whether the layer's own attention is made of w_ij: else only the energy needs the pairs. */
static bool uses_weights(enum at_step_id step)
{
    return step != AT_STEP_RELEASED && step != AT_STEP_IDENTITY && step != AT_STEP_PERMUTATION;
}

/* w_ij and Σ_{i<j} ρ(z_ij) of one head, from V = YW_h. */
static double pair_sums(double *pair, double *z, double *degree, const double *V, size_t n,
                        const at_energy_model *model, at_energy_work *work)
{
    double self = at_rho_jet(model->rho, 0).first, sum = 0, lost = 0;

    at_pairs_distances(pair, V, n, model->d, work->scratch, work->threads);
    for (size_t i = 0; z != NULL && i < n; i++)
        memcpy(z + i * n + i, pair + i * n + i, (n - i) * sizeof *z);
#ifdef _OPENMP
#pragma omp parallel for if (work->threads > 1) num_threads(work->threads) schedule(dynamic, 16)
#endif
    for (long k = 0; k < (long) n; k++) {
        size_t i = (size_t) k;
        double *row = pair + i * n + i;
        degree[i] = at_rho_apply(row + 1, row + 1, n - i - 1, model->rho);
    }
    for (size_t i = 0; i < n; i++) {   /* Neumaier's sum of the rows' sums */
        double t = sum + degree[i];
        lost += fabs(sum) >= fabs(degree[i]) ? (sum - t) + degree[i] : (degree[i] - t) + sum;
        sum = t;
    }
    if (!uses_weights(model->step))
        return sum + lost;
    at_pairs_mirror(pair, n);
    for (size_t i = 0; i < n; i++) {
        double others = 0;
        for (size_t j = 0; j < n; j++)
            others += j != i ? pair[i * n + j] : 0;
        /* Without the self term where the step has none: far tokens' weights are tiny beside it. */
        pair[i * n + i] = leaves_self_out(model->step) ? 0 : self;
        degree[i] = others + pair[i * n + i];
    }
    return sum + lost;
}

static double squares(const double *V, const double *from, size_t count)
{
    double sum = 0;

    for (size_t k = 0; k < count; k++) {
        double t = V[k] - (from != NULL ? from[k] : 0);
        sum += t * t;
    }
    return sum;
}

/* ½tr(Y S Y^T) + ½‖Y − B‖². */
static double ffn_energy(const double *Y, size_t n, const at_energy_model *model,
                         at_energy_work *work)
{
    size_t d = model->d;
    double sum = 0;

    if (model->S != NULL) {
        at_energy_product(work->YS, Y, model->S, n, d, d, 0, work->threads);
        for (size_t i = 0; i < n; i++)
            sum += at_blas_dot(d, Y + i * d, 1, work->YS + i * d, 1);
    }
    for (size_t i = 0; i < n; i++)
        sum += squares(Y + i * d, model->B, d);
    return 0.5 * sum;
}

/* ‖V + 1·offset^T‖². */
static double squared_norm(const double *V, const double *offset, size_t n, size_t d)
{
    double sum = 0;

    for (size_t k = 0; k < n * d; k++) {
        double t = V[k] + (offset != NULL ? offset[k % d] : 0);
        sum += t * t;
    }
    return sum;
}

static double regulariser(const double *Y, const double *X, const double *V, const double *offset,
                          size_t n, const at_energy_model *model, at_energy_work *work)
{
    size_t d = model->d;

    if (model->step == AT_STEP_RELEASED)
        return 0.5 * squared_norm(V, offset, n, d);
    if (model->step == AT_STEP_JACOBI)
        return 0.5 * model->lambda * squared_norm(V, offset, n, d);
    if (model->step != AT_STEP_RESIDUAL_INPUT)
        return 0;
    if (model->W == NULL)
        return 0.5 * model->lambda * squares(Y, X, n * d);
    for (size_t k = 0; k < n * d; k++)
        work->U[k] = Y[k] - X[k];
    at_energy_product(work->T, work->U, model->W, n, d, d, 0, work->threads);
    return 0.5 * model->lambda * squares(work->T, NULL, n * d);
}

void at_energy_measure(at_energy_parts *parts, const double *Y, const double *X, size_t n,
                     const at_energy_model *model, at_energy_work *work)
{
    size_t d = model->d;

    *parts = (at_energy_parts) { 0 };
    for (size_t h = 0; h < model->heads && n > 0; h++) {
        const double *V = Y, *offset = NULL;
        if (model->W != NULL) {
            const double *M = model->W + h * d * d;
            /* Distances do not see a shift: (Y − 1y_1^T)W keeps the digits of near-equal rows. */
            for (size_t k = 0; k < n * d; k++)
                work->U[k] = Y[k] - Y[k % d];
            at_energy_product(work->V, work->U, M, n, d, d, 0, work->threads);
            at_energy_product(work->offset, Y, M, 1, d, d, 0, 1);
            V = work->V;
            offset = work->offset;
        }
        parts->attention +=
            pair_sums(work->pair + h * n * n, work->z != NULL ? work->z + h * n * n : NULL,
                      work->degree + h * n, V, n, model, work);
        if (h == 0)
            parts->regulariser = regulariser(Y, X, V, offset, n, model, work);
    }
    if (at_energy_has_ffn(model->step))
        parts->ffn = ffn_energy(Y, n, model, work);
    parts->total = parts->attention + parts->regulariser + parts->ffn;
}

int at_energy_run(at_energy_parts *energy, double *path, double *Y, size_t n, size_t layers,
                  const at_energy_model *model, at_energy_work *work, at_error *err)
{
    size_t size = n * model->d;
    at_energy_parts unused;
    double *X = NULL;

    if (path != NULL)
        memcpy(path, Y, size * sizeof *Y);
    if (model->step == AT_STEP_RESIDUAL_INPUT) {
        X = malloc((size + 1) * sizeof *X);
        if (X == NULL)
            return at_error_memory(err, "a document's embeddings");
        memcpy(X, Y, size * sizeof *X);
    }
    for (size_t t = 0; t <= layers; t++) {
        at_energy_measure(energy != NULL ? &energy[t] : &unused, Y, X, n, model, work);
        if (t < layers && model->step == AT_STEP_RELEASED && model->S != NULL)
            at_energy_released_layer(Y, Y, n, model, work);
        else
            for (size_t h = 0; t < layers && h < at_energy_halves(model->step); h++)
                at_energy_advance(Y, Y, X, n, h, model, work);
        if (path != NULL && t < layers)
            memcpy(path + (t + 1) * size, Y, size * sizeof *Y);
    }
    free(X);
    return AT_OK;
}
