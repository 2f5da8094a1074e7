/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers: the half-steps (see energy.h).  Each computes Y' in scratch and
 * then copies, so that next may be Y. */
#include "attest/numeric/energy/energy.h"

#include <math.h>
#include <string.h>

#include "attest/numeric/energy/work.h"
#include "attest/numeric/kernels/blas.h"

/* T = WY (pair weights of head h, self term included), not divided by d_i. */
static void weighted_sums(double *T, const double *Y, size_t n, size_t h,
                          const at_energy_model *model, at_energy_work *work)
{
    at_energy_product(T, work->pair + h * n * n, Y, n, n, model->d, 0, work->threads);
}

/* softmax-beta, no-self, jacobi, residual-input, relaxed: y_i' = a_i (T_i + extra_i). */
static void average(double *next, const double *Y, const double *X, size_t n,
                    const at_energy_model *model, at_energy_work *work)
{
    size_t d = model->d;
    double *T = work->T, alpha = model->alpha;

    weighted_sums(T, Y, n, 0, model, work);
    for (size_t i = 0; i < n; i++) {
        double degree = work->degree[i], *t = T + i * d;
        const double *y = Y + i * d;
        switch (model->step) {
        case AT_STEP_NO_SELF:
            for (size_t k = 0; k < d; k++)
                t[k] = degree > 0 ? t[k] / degree : y[k];
            break;
        case AT_STEP_JACOBI:
            for (size_t k = 0; k < d; k++)
                t[k] = model->lambda + degree != 0 ? t[k] / (model->lambda + degree) : y[k];
            break;
        case AT_STEP_RESIDUAL_INPUT:
            for (size_t k = 0; k < d; k++)
                t[k] = (t[k] + model->lambda * X[i * d + k]) / (degree + model->lambda);
            break;
        case AT_STEP_RELAXED:
            for (size_t k = 0; k < d; k++)
                t[k] = (1 - alpha) * y[k] + alpha * (t[k] / degree);
            break;
        default:
            for (size_t k = 0; k < d; k++)
                t[k] /= degree;
        }
    }
    memcpy(next, T, n * d * sizeof *next);
}

static void sphere(double *next, const double *Y, size_t n, const at_energy_model *model,
                   at_energy_work *work)
{
    size_t d = model->d;

    weighted_sums(work->T, Y, n, 0, model, work);
    for (size_t i = 0; i < n; i++) {
        double *t = work->T + i * d;
        for (size_t k = 0; k < d; k++)
            t[k] = model->alpha * Y[i * d + k] + t[k] / work->degree[i];
        double norm = at_blas_norm(d, t, 1);
        for (size_t k = 0; k < d; k++)   /* u = 0 only if every token is its opposite: stay */
            next[i * d + k] = norm > 0 ? t[k] * (sqrt((double) d) / norm) : Y[i * d + k];
    }
}

/* U (+)= (D_h Y − W_h Y) M M^T, M the weights of head h. */
static void attention_gradient(double *U, const double *Y, size_t n, size_t h,
                               const at_energy_model *model, at_energy_work *work)
{
    size_t d = model->d;
    const double *M = model->W != NULL ? model->W + h * d * d : NULL;
    double *T = work->T;

    weighted_sums(T, Y, n, h, model, work);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            T[i * d + k] = work->degree[h * n + i] * Y[i * d + k] - T[i * d + k];
    if (M == NULL) {
        for (size_t k = 0; k < n * d; k++)
            U[k] = (h > 0 ? U[k] : 0) + T[k];
        return;
    }
    at_energy_product(work->V, T, M, n, d, d, 0, work->threads);
    at_blas_gemm(false, true, n, d, d, 1, work->V, d, M, d, h > 0, U, d);
}

static double token_theta(size_t i, size_t n, const at_energy_model *model,
                          const at_energy_work *work)
{
    double curvature = model->step == AT_STEP_PARALLEL ? 1 + model->top : 0;

    for (size_t h = 0; h < model->heads; h++)
        curvature += work->degree[h * n + i] * model->norm2[h];
    return curvature > 0 ? model->alpha / curvature : 0;
}

void at_energy_thetas(double *theta, size_t n, const at_energy_model *model,
                      const at_energy_work *work)
{
    if (model->step == AT_STEP_VALUE_MATRIX)
        theta[0] = model->norm2[0] > 0 ? model->alpha / model->norm2[0] : 0;
    else
        for (size_t i = 0; i < n; i++)
            theta[i] = token_theta(i, n, model, work);
}

/* value-matrix, multi-head, parallel: y_i' = [ReLU](y_i − θ_i g_i). */
static void gradient_step(double *next, const double *Y, size_t n, const at_energy_model *model,
                          at_energy_work *work)
{
    size_t d = model->d;
    double *U = work->U;

    for (size_t h = 0; h < model->heads; h++)
        attention_gradient(U, Y, n, h, model, work);
    if (model->step == AT_STEP_PARALLEL) {
        for (size_t k = 0; k < n * d; k++)
            U[k] += Y[k] - (model->B != NULL ? model->B[k % d] : 0);
        if (model->S != NULL)
            at_energy_product(U, Y, model->S, n, d, d, 1, work->threads);
    }
    for (size_t i = 0; i < n; i++) {
        double theta = token_theta(i, n, model, work);
        for (size_t k = 0; k < d; k++) {
            double y = Y[i * d + k] - theta * U[i * d + k];
            next[i * d + k] = model->relu && y < 0 && model->step == AT_STEP_PARALLEL ? 0 : y;
        }
    }
}

static void softmax_row(double *a, size_t n)
{
    double top = a[0], sum = 0;

    for (size_t j = 1; j < n; j++)
        top = a[j] > top ? a[j] : top;
    for (size_t j = 0; j < n; j++)
        sum += a[j] = exp(a[j] - top);
    for (size_t j = 0; j < n; j++)
        a[j] /= sum;
}

/* T = rows of the plain softmax of Y W^T W Y^T, as the released code has it, times Z. */
static void released_attention(const double *Z, const double *Y, size_t n,
                               const at_energy_model *model, at_energy_work *work)
{
    size_t d = model->d, parts = (size_t) work->threads, part = (n + parts - 1) / parts;
    const double *V = Y;

    if (model->W != NULL) {
        at_blas_gemm(false, true, n, d, d, 1, Y, d, model->W, d, 0, work->U, d);
        V = work->U;
    }
#ifdef _OPENMP
#pragma omp parallel for if (parts > 1) num_threads(parts)
#endif
    for (long p = 0; p < (long) parts; p++) {
        size_t first = (size_t) p * part, end = first + part < n ? first + part : n;
        double *A = work->scores + first * n;
        if (first >= end)
            continue;
        at_blas_gemm(false, true, end - first, n, d, 1, V + first * d, d, V, d, 0, A, n);
        for (size_t i = first; i < end; i++)
            softmax_row(work->scores + i * n, n);
        at_blas_gemm(false, false, end - first, d, n, 1, A, n, Z, d, 0, work->T + first * d, d);
    }
}

/* [ReLU](−T + B), T = YS or NULL for zero. */
static void ffn_rows(double *next, const double *T, size_t n, const at_energy_model *model)
{
    size_t d = model->d;

    for (size_t k = 0; k < n * d; k++) {
        double y = (model->B != NULL ? model->B[k % d] : 0) - (T != NULL ? T[k] : 0);
        next[k] = model->relu && y < 0 ? 0 : y;
    }
}

static void ffn(double *next, const double *Y, size_t n, const at_energy_model *model,
                at_energy_work *work)
{
    if (model->S != NULL)
        at_energy_product(work->T, Y, model->S, n, model->d, model->d, 0, work->threads);
    ffn_rows(next, model->S != NULL ? work->T : NULL, n, model);
}

void at_energy_released_layer(double *next, const double *Y, size_t n, const at_energy_model *model,
                              at_energy_work *work)
{
    released_attention(work->YS, Y, n, model, work);
    ffn_rows(next, work->T, n, model);
}

static void rotate_rows(double *next, const double *Y, size_t n, size_t d, double *T)
{
    memcpy(T, Y + d, (n - 1) * d * sizeof *T);
    memcpy(T + (n - 1) * d, Y, d * sizeof *T);
    memcpy(next, T, n * d * sizeof *T);
}

void at_energy_advance(double *next, const double *Y, const double *X, size_t n, size_t half,
                    const at_energy_model *model, at_energy_work *work)
{
    if (n == 0)
        return;
    if (half == 1) {
        ffn(next, Y, n, model, work);
        return;
    }
    switch (model->step) {
    case AT_STEP_SPHERE: sphere(next, Y, n, model, work); break;
    case AT_STEP_VALUE_MATRIX: case AT_STEP_MULTI_HEAD: case AT_STEP_PARALLEL:
        gradient_step(next, Y, n, model, work);
        break;
    case AT_STEP_RELEASED:
        released_attention(Y, Y, n, model, work);
        memcpy(next, work->T, n * model->d * sizeof *next);
        break;
    case AT_STEP_IDENTITY: memmove(next, Y, n * model->d * sizeof *Y); break;
    case AT_STEP_PERMUTATION: rotate_rows(next, Y, n, model->d, work->T); break;
    default: average(next, Y, X, n, model, work);
    }
}
