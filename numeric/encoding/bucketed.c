/* SPDX-License-Identifier: GPL-3.0-or-later */
/* T5's buckets of offsets (Raffel et al. 2020). */
#include "config.h"

#include "attest/numeric/encoding/parts.h"

static size_t bucket(const at_model *model, size_t o)
{
    return at_encoding_t5_bucket((long) model->n - 1 - (long) o, model->causal);
}

static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    size_t offsets = 2 * call->model->n - 1, heads = call->model->heads;

    for (size_t h = 0; h < heads; h++)
        for (size_t o = 0; o < offsets; o++)
            out->bias[h * offsets + o] = slots[0][bucket(call->model, o) * heads + h];
}

static void gather(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                   at_derived *back, REAL *const *dslots)
{
    size_t offsets = 2 * call->model->n - 1, heads = call->model->heads;

    (void) slots;
    (void) made;
    for (size_t h = 0; h < heads; h++)
        for (size_t o = 0; o < offsets; o++)
            dslots[0][bucket(call->model, o) * heads + h] += back->bias[h * offsets + o];
}

const at_encoding_float AT_ENCODING_FLOAT(t5_bucketed) = {
    .slots = {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "bh"}},
    .shape = {.bias = AT_TABLE_OFFSET}, .prepare = prepare, .back = gather
};
