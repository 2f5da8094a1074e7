/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stable mask (Yin et al. 2024): P_ij = −w_h·(j − i) above the diagonal, where the factor is 0. */
#include "config.h"

#include "attest/numeric/encoding/parts.h"

static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    size_t n = call->model->n, offsets = 2 * n - 1;

    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            out->bias[h * offsets + o] = o > n - 1 ? -slots[0][h] * (REAL) (o - (n - 1)) : 0;
            out->factor[h * offsets + o] = o > n - 1 ? 0 : 1;
        }
}

static void pull_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    size_t n = call->model->n, offsets = 2 * n - 1;

    (void) slots;
    (void) made;
    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t o = n; o < offsets; o++)
            dslots[0][h] -= back->bias[h * offsets + o] * (REAL) (o - (n - 1));
}

const at_encoding_float AT_ENCODING_FLOAT(stable_mask) = {
    .slots = {{"stable.weight", AT_PARAM_SCALAR, "h"}},
    .shape = {.weighting = AT_WEIGHT_STABLE, .bias = AT_TABLE_OFFSET, .factor = AT_TABLE_OFFSET,
              .fixed_factor = true},
    .prepare = prepare, .back = pull_back
};
