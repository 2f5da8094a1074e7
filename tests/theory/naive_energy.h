/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energies and layers of theory.md section 3 once more, naively and in long double: what the
 * certificates of theory/energy/energy.h are held against.  It shares no code with them. */
#ifndef ATTEST_TESTS_THEORY_NAIVE_ENERGY_H
#define ATTEST_TESTS_THEORY_NAIVE_ENERGY_H

#include <math.h>
#include <string.h>

#include "attest/theory/energy/energy.h"

enum { MAX = 8 };   /* rows and columns of the random layers */
typedef long double real;
typedef struct { real x[MAX][MAX]; } matrix;

static inline real rho(int id, real z)
{
    switch (id) {
    case AT_RHO_EXP: return -expl(-z);
    case AT_RHO_LOG: return logl(2 + z);
    case AT_RHO_SQRT: return sqrtl(1 + z);
    default: return z / (1 + z);
    }
}

static inline real weight(int id, real z)
{
    switch (id) {
    case AT_RHO_EXP: return expl(-z);
    case AT_RHO_LOG: return 1 / (2 + z);
    case AT_RHO_SQRT: return 1 / (2 * sqrtl(1 + z));
    default: return 1 / ((1 + z) * (1 + z));
    }
}

static inline matrix values(const at_energy_layer *l, size_t h, const matrix *Y)
{
    matrix V = *Y;
    if (l->weights == NULL)
        return V;
    memset(&V, 0, sizeof V);
    for (size_t i = 0; i < l->n; i++)
        for (size_t c = 0; c < l->width; c++)
            for (size_t k = 0; k < l->d; k++)
                V.x[i][c] += Y->x[i][k] * l->weights[(h * l->d + k) * l->width + c];
    return V;
}

static inline size_t head_count(const at_energy_layer *l) { return l->weights == NULL ? 1 : l->heads; }
static inline size_t head_width(const at_energy_layer *l) { return l->weights == NULL ? l->d : l->width; }

static inline real distance(const matrix *V, size_t i, size_t j, size_t k)
{
    real z = 0;
    for (size_t c = 0; c < k; c++)
        z += (V->x[i][c] - V->x[j][c]) * (V->x[i][c] - V->x[j][c]) / 2;
    return z;
}

static inline real bias(const at_energy_layer *l, size_t i, size_t c)
{
    return l->bias == NULL ? 0 : l->bias[(l->bias_rows == 1 ? 0 : i) * l->d + c];
}

static inline real symmetric(const at_energy_layer *l, size_t a, size_t b)
{
    return l->ffn == NULL ? 0 : ((real) l->ffn[a * l->d + b] + l->ffn[b * l->d + a]) / 2;
}

static inline bool with_ffn(const at_energy_layer *l)
{
    return l->step == AT_STEP_PARALLEL || l->step == AT_STEP_SEQUENTIAL
           || l->step == AT_STEP_RELEASED || l->step == AT_STEP_IDENTITY
           || l->step == AT_STEP_PERMUTATION;
}

static inline real energy(const at_energy_layer *l, const matrix *Y)
{
    real sum = 0;
    for (size_t h = 0; h < head_count(l); h++) {
        matrix V = values(l, h, Y);
        for (size_t i = 0; i < l->n; i++)
            for (size_t j = 0; j < i; j++)
                sum += rho(l->rho, distance(&V, i, j, head_width(l)));
        real pin = l->step == AT_STEP_RELEASED ? 1
                   : l->step == AT_STEP_JACOBI || l->step == AT_STEP_RESIDUAL_INPUT ? l->lambda : 0;
        matrix X = V;
        memset(&X, 0, sizeof X);
        if (l->step == AT_STEP_RESIDUAL_INPUT) {
            for (size_t i = 0; i < l->n * l->d; i++)
                X.x[i / l->d][i % l->d] = l->input[i];
            X = values(l, h, &X);
        }
        for (size_t i = 0; i < l->n; i++)
            for (size_t c = 0; c < head_width(l); c++)
                sum += pin / 2 * (V.x[i][c] - X.x[i][c]) * (V.x[i][c] - X.x[i][c]);
    }
    for (size_t i = 0; with_ffn(l) && i < l->n; i++)
        for (size_t a = 0; a < l->d; a++) {
            sum += (Y->x[i][a] - bias(l, i, a)) * (Y->x[i][a] - bias(l, i, a)) / 2;
            for (size_t b = 0; b < l->d; b++)
                sum += Y->x[i][a] * symmetric(l, a, b) * Y->x[i][b] / 2;
        }
    return sum;
}

/* (Σ_j a_ij y_j + λ t)/(Σ_j a_ij + λ). */
static inline matrix averaged(const at_energy_layer *l, const matrix *Y, bool self, real lambda,
                       const double *target, real power)
{
    matrix next, V = values(l, 0, Y), Q = *Y;
    memset(&next, 0, sizeof next);
    for (size_t i = 0; l->weights != NULL && i < l->n; i++)   /* Q = Y W^T: the released scores */
        for (size_t a = 0; a < l->d && l->width == l->d; a++) {
            Q.x[i][a] = 0;
            for (size_t k = 0; k < l->d; k++)
                Q.x[i][a] += Y->x[i][k] * l->weights[a * l->d + k];
        }
    for (size_t i = 0; i < l->n; i++) {
        real sum = lambda;
        for (size_t c = 0; target != NULL && c < l->d; c++)
            next.x[i][c] = lambda * target[i * l->d + c];
        for (size_t j = 0; j < l->n; j++) {
            real w = weight(l->rho, distance(&V, i, j, head_width(l)));
            if (power > 0) {   /* plain softmax */
                w = 0;
                for (size_t c = 0; c < l->d; c++)
                    w += Q.x[i][c] * Q.x[j][c];
                w = expl(power * w);
            }
            if (j == i && !self)
                continue;
            sum += w;
            for (size_t c = 0; c < l->d; c++)
                next.x[i][c] += w * Y->x[j][c];
        }
        for (size_t c = 0; c < l->d; c++)
            next.x[i][c] = sum == 0 ? Y->x[i][c] : next.x[i][c] / sum;   /* n = 1, no self */
    }
    return next;
}

/* Σ_h d_i^h ((A^h Y)_i − y_i) W_h W_h^T − G_i. */
static inline matrix direction(const at_energy_layer *l, const matrix *Y)
{
    matrix out;
    memset(&out, 0, sizeof out);
    for (size_t h = 0; h < head_count(l); h++) {
        matrix V = values(l, h, Y);
        for (size_t i = 0; i < l->n; i++) {
            real pull[MAX] = { 0 };
            for (size_t j = 0; j < l->n; j++)
                for (size_t c = 0; c < head_width(l); c++)
                    pull[c] += weight(l->rho, distance(&V, i, j, head_width(l)))
                               * (V.x[j][c] - V.x[i][c]);
            for (size_t a = 0; a < l->d; a++)
                for (size_t c = 0; c < head_width(l); c++)
                    out.x[i][a] += pull[c] * (l->weights == NULL ? (a == c)
                                   : (real) l->weights[(h * l->d + a) * l->width + c]);
        }
    }
    for (size_t i = 0; with_ffn(l) && i < l->n; i++)
        for (size_t a = 0; a < l->d; a++) {
            out.x[i][a] -= Y->x[i][a] - bias(l, i, a);
            for (size_t b = 0; b < l->d; b++)
                out.x[i][a] -= Y->x[i][b] * symmetric(l, b, a);
        }
    return out;
}

static inline void normalise(const at_energy_layer *l, matrix *Y)
{
    for (size_t i = 0; i < l->n; i++) {
        real norm = 0;
        for (size_t c = 0; c < l->d; c++)
            norm += Y->x[i][c] * Y->x[i][c];
        for (size_t c = 0; c < l->d; c++)
            Y->x[i][c] *= sqrtl((real) l->d / norm);
    }
}

/* The next rows; Y is normalised first on the sphere. */
static inline matrix next_rows(const at_energy_layer *l, enum at_energy_half half, matrix *Y)
{
    matrix next = *Y, way;
    bool relu = l->relu && (l->step == AT_STEP_PARALLEL || half == AT_HALF_FFN);
    if (half == AT_HALF_FFN) {
        at_energy_layer quiet = *l;
        double zero[MAX * MAX] = { 0 };
        quiet.weights = zero;
        quiet.heads = quiet.width = 1;
        way = direction(&quiet, Y);
        for (size_t i = 0; i < l->n * l->d; i++)
            next.x[i / l->d][i % l->d] += l->alpha * way.x[i / l->d][i % l->d];
    } else if (l->step == AT_STEP_SPHERE) {
        normalise(l, Y);
        next = averaged(l, Y, true, 0, NULL, 1);
        for (size_t i = 0; i < l->n * l->d; i++)
            next.x[i / l->d][i % l->d] += l->alpha * Y->x[i / l->d][i % l->d];
        normalise(l, &next);
    } else if (l->step == AT_STEP_RELAXED || l->step == AT_STEP_VALUE_MATRIX) {
        way = averaged(l, Y, true, 0, NULL, 0);
        for (size_t i = 0; i < l->n; i++)
            for (size_t a = 0; a < l->d; a++)
                way.x[i][a] = l->alpha * (way.x[i][a] - Y->x[i][a]);
        if (l->step == AT_STEP_VALUE_MATRIX) {
            matrix V = values(l, 0, &way);
            for (size_t i = 0; i < l->n && l->weights != NULL; i++)
                for (size_t a = 0; a < l->d; a++) {
                    way.x[i][a] = 0;
                    for (size_t c = 0; c < l->width; c++)
                        way.x[i][a] += V.x[i][c] * l->weights[a * l->width + c];
                }
        }
        for (size_t i = 0; i < l->n * l->d; i++)
            next.x[i / l->d][i % l->d] += way.x[i / l->d][i % l->d];
    } else if (l->step == AT_STEP_MULTI_HEAD || l->step == AT_STEP_PARALLEL) {
        way = direction(l, Y);
        for (size_t i = 0; i < l->n * l->d; i++)
            next.x[i / l->d][i % l->d] += l->theta[i / l->d] * way.x[i / l->d][i % l->d];
    } else if (l->step == AT_STEP_PERMUTATION) {
        for (size_t i = 0; i < l->n; i++)
            memcpy(next.x[i], Y->x[l->permutation[i]], sizeof next.x[i]);
    } else if (l->step != AT_STEP_IDENTITY) {
        bool pinned = l->step == AT_STEP_JACOBI || l->step == AT_STEP_RESIDUAL_INPUT;
        next = averaged(l, Y, l->step != AT_STEP_NO_SELF && l->step != AT_STEP_JACOBI,
                        pinned ? l->lambda : 0,
                        l->step == AT_STEP_RESIDUAL_INPUT ? l->input : NULL,
                        l->step == AT_STEP_RELEASED ? 1 : 0);
    }
    for (size_t i = 0; relu && i < l->n * l->d; i++)
        if (next.x[i / l->d][i % l->d] < 0)
            next.x[i / l->d][i % l->d] = 0;
    return next;
}

#endif
