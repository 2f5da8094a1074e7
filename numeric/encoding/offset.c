/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A learned number by offset: T5 without buckets, URPE, and the other ways to normalise. */
#include "config.h"

#include "attest/numeric/encoding/parts.h"

void at_offsets_spread(const at_model *model, const REAL *table, REAL *bias)
{
    size_t offsets = 2 * model->n - 1;

    for (size_t h = 0; h < model->heads; h++)
        for (size_t o = 0; o < offsets; o++)
            bias[h * offsets + o] = table[o * model->heads + h];
}

void at_offsets_gather(const at_model *model, const REAL *dbias, REAL *dtable)
{
    size_t offsets = 2 * model->n - 1;

    for (size_t h = 0; h < model->heads; h++)
        for (size_t o = 0; o < offsets; o++)
            dtable[o * model->heads + h] += dbias[h * offsets + o];
}

static void prepare_bias(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    at_offsets_spread(call->model, slots[0], out->bias);
}

static void back_bias(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    (void) slots;
    (void) made;
    at_offsets_gather(call->model, back->bias, dslots[0]);
}

static void prepare_urpe(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    at_offsets_spread(call->model, slots[1], out->factor);
    prepare_bias(call, slots, out);
}

static void back_urpe(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    at_offsets_gather(call->model, back->factor, dslots[1]);
    back_bias(call, slots, made, back, dslots);
}

const at_encoding_float AT_ENCODING_FLOAT(t5) = {
    .slots = {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}},
    .shape = {.bias = AT_TABLE_OFFSET}, .prepare = prepare_bias, .back = back_bias
};

const at_encoding_float AT_ENCODING_FLOAT(urpe) = {
    .slots = {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}, {"urpe.weight", AT_PARAM_FACTOR_TABLE, "oh"}},
    .shape = {.bias = AT_TABLE_OFFSET, .factor = AT_TABLE_OFFSET}, .prepare = prepare_urpe, .back = back_urpe
};

const at_encoding_float AT_ENCODING_FLOAT(l2_norm) = {
    .slots = {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}},
    .shape = {.weighting = AT_WEIGHT_L2, .bias = AT_TABLE_OFFSET}, .prepare = prepare_bias,
    .back = back_bias
};

const at_encoding_float AT_ENCODING_FLOAT(relu2) = {
    .slots = {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}},
    .shape = {.weighting = AT_WEIGHT_RELU2, .bias = AT_TABLE_OFFSET}, .prepare = prepare_bias,
    .back = back_bias
};
