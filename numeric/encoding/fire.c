/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>

#include "attest/numeric/encoding/parts.h"

/* FIRE (Li et al. 2024): f(ψ(|k|)/ψ(max(L, i))), ψ(x) = log(1 + c x) or 1 + c x, c = exp(raw), L =
 * ½N·exp(raw), i from 1; f a ReLU layer of AT_FIRE_WIDTH and a linear one.  bias NULL: backward. */
static void fire_pair(const at_encoding_call *call, const REAL *const *slots, size_t i,
                      size_t j, REAL *bias, const REAL *dbias, REAL *const *dslots)
{
    size_t heads = call->model->heads, n = call->n;
    double c = exp((double) slots[4][0]), k = fabs((double) i - (double) j);
    double threshold = 0.5 * (double) call->model->n * exp((double) slots[5][0]);
    double reach = threshold > (double) (i + 1) ? threshold : (double) (i + 1);
    bool linear = call->fixed[0] != 0;
    double top = linear ? 1.0 + c * k : log1p(c * k);
    double bottom = linear ? 1.0 + c * reach : log1p(c * reach);
    double x = top / bottom, dx = 0.0, dtop, dbottom;

    for (size_t f = 0; f < AT_FIRE_WIDTH; f++) {
        double z = (double) slots[0][f] * x + (double) slots[1][f], dz = 0.0;

        if (!(z > 0.0))
            continue;
        for (size_t h = 0; h < heads; h++) {
            REAL weight = slots[2][h * AT_FIRE_WIDTH + f];

            if (bias != NULL) {
                bias[h * n * n + i * n + j] += (REAL) z * weight;
            } else {
                dslots[2][h * AT_FIRE_WIDTH + f] += dbias[h * n * n + i * n + j] * (REAL) z;
                dz += (double) (dbias[h * n * n + i * n + j] * weight);
            }
        }
        if (bias == NULL) {
            dslots[0][f] += (REAL) (dz * x);
            dslots[1][f] += (REAL) dz;
            dx += dz * (double) slots[0][f];
        }
    }
    if (bias != NULL)
        return;
    /* ψ' up to its factor x: c for the linear one, c/(1 + c x) for the logarithm. */
    dtop = dx / bottom * c / (linear ? 1.0 : 1.0 + c * k);
    dbottom = -dx * x / bottom * c / (linear ? 1.0 : 1.0 + c * reach);
    dslots[4][0] += (REAL) (dtop * k + dbottom * reach);
    if (threshold > (double) (i + 1))
        dslots[5][0] += (REAL) (dbottom * threshold);
}

static void fire(const at_encoding_call *call, const REAL *const *slots, REAL *bias,
                 const REAL *dbias, REAL *const *dslots)
{
    size_t n = call->n;

    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t p = 0; p < n * n; p++) {
            if (bias != NULL)
                bias[h * n * n + p] = slots[3][h];
            else
                dslots[3][h] += dbias[h * n * n + p];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            fire_pair(call, slots, i, j, bias, dbias, dslots);
}

static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    fire(call, slots, out->bias, NULL, NULL);
}

static void pull_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    (void) made;
    fire(call, slots, NULL, back->bias, dslots);
}

static size_t fixed_count(const at_model *model)
{
    (void) model;
    return 1;
}

static void fixed(const at_model *model, double *fixed)
{
    (void) model;
    fixed[0] = 0.0;     /* ψ is the logarithm */
}

const at_encoding_float AT_ENCODING_FLOAT(fire) = {
    .slots = {{"fire.hidden.weight", AT_PARAM_MATRIX, "f1"}, {"fire.hidden.bias", AT_PARAM_BIAS, "f"},
              {"fire.out.weight", AT_PARAM_MATRIX, "hf"}, {"fire.out.bias", AT_PARAM_BIAS, "h"},
              {"fire.scale", AT_PARAM_SCALAR, "1"}, {"fire.threshold", AT_PARAM_SCALAR, "1"}},
    .shape = {.bias = AT_TABLE_PAIR}, .fixed_count = fixed_count, .fixed = fixed, .prepare = prepare,
    .back = pull_back
};
