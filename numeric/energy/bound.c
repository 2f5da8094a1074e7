/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the computed step may be from the real one: see energy_bound.h.
 *
 * All quantities here are sums and products of numbers ≥ 0, so their own roundings are relative:
 * below 2^−20 in all, which SLACK covers. */
#include "attest/numeric/energy/bound.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/energy/bound_terms.h"
#include "attest/numeric/energy/work.h"

#define SLACK (1 + 0x1p-20)
/* exp, log, expm1, log1p of a C library and of its vector variants: 4 ulp = 8u, doubled. */
#define FUNCTION (16 * AT_UNIT)

double at_norm_above(const double *x, const double *from, size_t count)
{
    double top = 0, sum = 0;

    for (size_t k = 0; k < count; k++) {
        double t = fabs(x[k] - (from != NULL ? from[k] : 0));
        top = t > top || isnan(t) ? t : top;
    }
    if (!(top > 0) || !isfinite(top))
        return top;
    for (size_t k = 0; k < count; k++) {
        double t = (x[k] - (from != NULL ? from[k] : 0)) / top;
        sum += t * t;
    }
    return top * sqrt(sum) * SLACK + AT_TINY;
}

double at_rho_slope(double z, int rho)
{
    double s;

    switch (rho) {
    case AT_RHO_EXP: return exp(-z);
    case AT_RHO_LOG: return 1 / (2 + z);
    case AT_RHO_SQRT: return 0.5 / sqrt(1 + z);
    default: s = 1 / (1 + z); return s * s;
    }
}

double at_rho_bend(int rho)
{
    return rho == AT_RHO_EXP ? 1 : rho == AT_RHO_RATIO ? 2 : 0.5;
}

double at_distance_error(const at_energy_bound *b, double z, double off, double gamma)
{
    double error = gamma * z;

    if (off > 0)
        error += off * sqrt(2 * z * (1 + gamma)) + 0.5 * off * off;
    return error * SLACK + at_tiny(b);
}

int at_energy_bound_alloc(at_energy_bound **bound, const at_energy_model *model, size_t longest,
                          at_energy_work *work, at_error *err)
{
    size_t n = longest > 0 ? longest : 1, d = model->d, pairs = model->heads * n * n;
    at_energy_bound *b = calloc(1, sizeof *b);

    *bound = b;
    if (b == NULL)
        return at_error_memory(err, "the bounds of an energy's change");
    b->terms = AT_TERM_ALL;
    b->work = work;
    for (size_t h = 0; h < model->heads; h++)
        b->frobenius[h] = model->W != NULL ? at_norm_above(model->W + h * d * d, NULL, d * d) : 1;
    b->frobenius_S = model->S != NULL ? at_norm_above(model->S, NULL, d * d) : 0;
    b->z = malloc(pairs * sizeof *b->z);
    b->z_next = malloc(pairs * sizeof *b->z_next);
    b->values = malloc(model->heads * n * sizeof *b->values);
    b->norm = malloc(8 * n * sizeof *b->norm);
    b->D = malloc(3 * n * d * sizeof *b->D);
    if (b->z == NULL || b->z_next == NULL || b->values == NULL || b->norm == NULL || b->D == NULL) {
        at_energy_bound_free(b);
        *bound = NULL;
        return at_error_memory(err, "the bounds of an energy's change");
    }
    b->weight_error = b->norm + n;
    b->pulled_error = b->norm + 2 * n;
    b->pulled = b->norm + 3 * n;
    b->gradient = b->norm + 4 * n;
    b->gradient_error = b->norm + 5 * n;
    b->rows = b->norm + 6 * n;
    b->values_next = b->norm + 7 * n;
    b->M = b->D + n * d;
    b->P = b->D + 2 * n * d;
    work->z = b->z_next;
    return AT_OK;
}

void at_energy_bound_free(at_energy_bound *bound)
{
    if (bound == NULL)
        return;
    bound->work->z = NULL;
    free(bound->z);
    free(bound->z_next);
    free(bound->values);
    free(bound->norm);
    free(bound->D);
    free(bound);
}

/* Rounds to nearest and keeps subnormal numbers, as results and as operands. */
static bool arithmetic_is_standard(void)
{
    volatile double least = DBL_MIN, half = 0.5, two = 2, sub = 0x1p-1074;
    volatile double halved = least * half, doubled = sub * two;

    return fegetround() == FE_TONEAREST && halved > 0 && doubled > 0;
}

/* The rows of V = (Y − 1y_1^T)W, which only differences see: γ_{d+4}‖y_i − y_1‖‖W‖_F. */
static void value_errors(double *out, const at_energy_bound *b, const double *Y, size_t n, size_t h,
                         const at_energy_model *model)
{
    size_t d = model->d;
    double gamma = at_counts(b, AT_TERM_VALUES) * at_gamma(d + 4) * b->frobenius[h] * SLACK;

    for (size_t i = 0; i < n; i++)
        out[i] = model->W == NULL ? 0
            : gamma * at_norm_above(Y + i * d, Y, d)
                  + at_tiny(b) * (1 + b->frobenius[h]);
}

/* |w − fl w|, from |z − fl z|. */
static double weight_error(const at_energy_bound *b, double w, double z, double dz, int rho)
{
    double bent = at_rho_bend(rho) * dz, error;

    if (bent <= 0.5)   /* e^t − 1 ≤ 1.3t */
        error = w * (1.3 * bent + FUNCTION);
    else
        error = fmax(w, at_rho_slope(fmax(z - dz, 0), rho)) * (1 + FUNCTION);
    return error + at_tiny(b);
}

/* weight_error_i = |Σ_j w_ij − Σ_j fl w_ij|, pulled_error_i = Σ_j |w_ij − fl w_ij|‖y_j‖,
 * pulled_i = Σ_j fl w_ij‖y_j‖ of head h. */
static void attention_errors(at_energy_bound *b, size_t n, size_t h, const at_energy_model *model,
                             const at_energy_work *work)
{
    const double *pair = work->pair + h * n * n, *z = work->z + h * n * n;
    const double *e = b->values + h * n;
    double gamma = at_counts(b, AT_TERM_DISTANCE) * at_gamma(model->d + 8);
    double counts = at_counts(b, AT_TERM_WEIGHTS);

    for (size_t i = 0; i < n; i++) {
        double self = pair[i * n + i];
        b->weight_error[i] = counts * FUNCTION * self;
        b->pulled_error[i] = counts * FUNCTION * self * b->norm[i];
        b->pulled[i] = self * b->norm[i];
    }
    for (size_t i = 0; i < n; i++) {
        double sum = 0, sum_pulled = 0, pulled = 0;
        for (size_t j = i + 1; j < n; j++) {
            double w = pair[i * n + j], t = z[i * n + j];
            double dz = at_distance_error(b, t, e[i] + e[j], gamma);
            double dw = counts * weight_error(b, w, t, dz, model->rho->id);
            sum += dw;
            b->weight_error[j] += dw;
            sum_pulled += dw * b->norm[j];
            b->pulled_error[j] += dw * b->norm[i];
            pulled += w * b->norm[j];
            b->pulled[j] += w * b->norm[i];
        }
        b->weight_error[i] += sum;
        b->pulled_error[i] += sum_pulled;
        b->pulled[i] += pulled;
    }
}

/* The errors of d_i and of (WY)_i. */
static double degree_error(const at_energy_bound *b, size_t i, size_t n, double degree)
{
    return (b->weight_error[i] + at_counts(b, AT_TERM_DEGREES) * at_gamma(n + 2) * degree) * SLACK;
}

static double sum_error(const at_energy_bound *b, size_t i, size_t n)
{
    return (b->pulled_error[i] + at_counts(b, AT_TERM_PRODUCT) * at_gamma(n + 2)
                                     * (b->pulled[i] + b->pulled_error[i])) * SLACK
           + at_tiny(b);
}

/* y' = T/d and its kin: with fl T, fl d for T, d, |fl T/fl d − T/d| ≤ (|fl T − T| + |T/d||fl d − d|)/fl d, and
 * |T/d| ≤ the longest row. */
static void average_rows(at_energy_bound *b, const double *Y, const double *X, size_t n,
                         const at_energy_model *model, const at_energy_work *work)
{
    size_t d = model->d;
    double step = at_counts(b, AT_TERM_STEP) * AT_UNIT, longest = 0, alpha = model->alpha;
    bool pinned = model->step == AT_STEP_JACOBI || model->step == AT_STEP_RESIDUAL_INPUT;
    double lambda = pinned ? model->lambda : 0;

    b->usable = b->usable && lambda >= 0;
    for (size_t i = 0; i < n; i++)
        longest = fmax(longest, b->norm[i]);
    for (size_t i = 0; i < n && model->step == AT_STEP_RESIDUAL_INPUT; i++)
        longest = fmax(longest, at_norm_above(X + i * d, NULL, d));
    attention_errors(b, n, 0, model, work);
    for (size_t i = 0; i < n; i++) {
        double degree = work->degree[i], whole = lambda + degree, top = sum_error(b, i, n);
        double bottom = degree_error(b, i, n, degree) + step * whole;
        if (pinned && X != NULL && model->step == AT_STEP_RESIDUAL_INPUT)
            top += 3 * step * (b->pulled[i] + lambda * at_norm_above(X + i * d, NULL, d)) + at_tiny(b);
        double error = (top + longest * bottom) / whole;
        error += 2 * step * (longest + error) + at_tiny(b);
        if (model->step == AT_STEP_RELAXED)
            error = fabs(alpha) * error
                    + 6 * step * (fabs(1 - alpha) + fabs(alpha)) * (longest + error) + at_tiny(b);
        b->rows[i] = whole > 0 ? error * SLACK : INFINITY;
    }
    (void) Y;
}

/* Σ_h (D_hY − W_hY)M_hM_h^T and what parallel adds: sizes and errors. */
static void gradient_errors(at_energy_bound *b, size_t n, const at_energy_model *model,
                            const at_energy_work *work)
{
    size_t d = model->d;
    double product = at_counts(b, AT_TERM_GRADIENT) * 2.1 * at_gamma(d + model->heads + 6);

    for (size_t i = 0; i < n; i++)
        b->gradient[i] = b->gradient_error[i] = 0;
    for (size_t h = 0; h < model->heads; h++) {
        double F2 = b->frobenius[h] * b->frobenius[h] * SLACK;
        attention_errors(b, n, h, model, work);
        for (size_t i = 0; i < n; i++) {
            double degree = work->degree[h * n + i], size = degree * b->norm[i] + b->pulled[i];
            double error = degree_error(b, i, n, degree) * b->norm[i] + sum_error(b, i, n)
                           + at_counts(b, AT_TERM_GRADIENT) * 3 * AT_UNIT * size;
            b->gradient[i] += (size + error) * F2;
            b->gradient_error[i] += (error + product * (size + error)) * F2
                                    + at_tiny(b) * (1 + b->frobenius[h]) * (1 + b->frobenius[h]);
        }
    }
    if (model->step != AT_STEP_PARALLEL)
        return;
    double bias = model->B != NULL ? at_norm_above(model->B, NULL, d) : 0;
    for (size_t i = 0; i < n; i++) {
        double own = b->norm[i] * (1 + b->frobenius_S) + bias;
        b->gradient[i] += own;
        b->gradient_error[i] += product * (own + b->gradient[i]) + at_tiny(b) * (1 + b->frobenius_S);
    }
}

/* y_i − θ_i g_i; ReLU brings two numbers no farther apart.  value-matrix: its given number is
 * α/‖W‖², which is multiplied by 1/d_i, where the engine divides α by fl(d_i)‖W‖². */
static void gradient_rows(at_energy_bound *b, size_t n, const at_energy_model *model,
                          const at_energy_work *work)
{
    double step = at_counts(b, AT_TERM_STEP);

    gradient_errors(b, n, model, work);
    for (size_t i = 0; i < n; i++) {
        double curvature = model->step == AT_STEP_PARALLEL ? 1 + model->top : 0, error, theta;
        for (size_t h = 0; h < model->heads; h++)
            curvature += work->degree[h * n + i] * model->norm2[h];
        theta = curvature > 0 ? fabs(model->alpha / curvature) : 0;
        error = theta * b->gradient_error[i];
        if (model->step == AT_STEP_VALUE_MATRIX) {
            double degree = work->degree[i], off = degree_error(b, i, n, degree);
            error += degree > off ? theta * (b->gradient[i] + b->gradient_error[i])
                                        * (off / (degree - off) + step * 6 * AT_UNIT)
                                  : INFINITY;
        }
        /* θ_i itself too: the compiler may contract its two uses differently */
        error += step * (11 + 2 * (double) model->heads) * AT_UNIT * (b->norm[i] + theta * (b->gradient[i] + b->gradient_error[i]));
        b->rows[i] = error * SLACK + at_tiny(b);
    }
}

/* softmax(YW^TWY^T)Y: |Δs| of a score makes its weight's error e^{Δs}, and the quotient's twice that. */
static void released_rows(at_energy_bound *b, size_t n, const at_energy_model *model)
{
    double longest = 0, counts = at_counts(b, AT_TERM_SCORES);

    for (size_t i = 0; i < n; i++)
        longest = fmax(longest, b->norm[i]);
    double size = b->frobenius[0] * longest;
    double score = (3.3 * at_gamma(model->d + 4) + 3 * AT_UNIT) * size * size + at_tiny(b);
    double each = counts * (score + 2 * FUNCTION + at_gamma(n + 2)) * SLACK;
    double error = (2.6 * each + at_counts(b, AT_TERM_PRODUCT) * 2 * at_gamma(n + 2)) * longest
                   + (double) n * at_tiny(b) * (1 + longest);
    for (size_t i = 0; i < n; i++)
        b->rows[i] = each <= 0.25 ? error * SLACK : INFINITY;
}

/* [ReLU](B − YS). */
static void ffn_rows(at_energy_bound *b, size_t n, const at_energy_model *model)
{
    double bias = model->B != NULL ? at_norm_above(model->B, NULL, model->d) : 0;
    double gamma = at_counts(b, AT_TERM_FFN) * at_gamma(model->d + 4);

    for (size_t i = 0; i < n; i++)
        b->rows[i] = (gamma * (b->norm[i] * b->frobenius_S + bias)) * SLACK
                     + at_tiny(b) * (1 + b->frobenius_S);
}

void at_energy_bound_rows(at_energy_bound *b, const double *next, const double *Y, const double *X,
                          size_t n, size_t half, const at_energy_model *model,
                          at_energy_work *work)
{
    size_t d = model->d;

    (void) next;
    b->usable = model->rho->id >= 0 && model->step != AT_STEP_SPHERE && arithmetic_is_standard();
    for (size_t h = 0; h < model->heads && b->usable; h++)
        value_errors(b->values + h * n, b, Y, n, h, model);
    for (size_t i = 0; i < n && b->usable; i++) {
        b->norm[i] = at_norm_above(Y + i * d, NULL, d);
        b->rows[i] = 0;
    }
    if (b->usable && half == 1)
        ffn_rows(b, n, model);
    else if (b->usable)
        switch (model->step) {
        case AT_STEP_IDENTITY: case AT_STEP_PERMUTATION: break;
        case AT_STEP_RELEASED: released_rows(b, n, model); break;
        case AT_STEP_VALUE_MATRIX: case AT_STEP_MULTI_HEAD: case AT_STEP_PARALLEL:
            gradient_rows(b, n, model, work);
            break;
        default: average_rows(b, Y, X, n, model, work);
        }
    double *swap = b->z;
    b->z = work->z;
    b->z_next = work->z = swap;
}
