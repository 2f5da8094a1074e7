/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shaw et al. 2018: vectors by clipped offset, added to keys, and to values. */
#include "config.h"

#include <string.h>

#include "attest/numeric/encoding/parts.h"

/* The table [2c+1, head_dim] holds clip(k) + c. */
static size_t shaw_row(const at_model *model, size_t o)
{
    long clip = model->n - 1 < AT_SHAW_CLIP ? (long) model->n - 1 : AT_SHAW_CLIP;
    long k = (long) model->n - 1 - (long) o;

    return (size_t) ((k > clip ? clip : k < -clip ? -clip : k) + clip);
}

static void spread(const at_encoding_call *call, const REAL *table, REAL *out)
{
    size_t width = call->shape->width;

    for (size_t o = 0; o < 2 * call->model->n - 1; o++)
        memcpy(out + o * width, table + shaw_row(call->model, o) * width, width * sizeof *out);
}

static void gather(const at_encoding_call *call, const REAL *out, REAL *table)
{
    size_t width = call->shape->width;

    for (size_t o = 0; o < 2 * call->model->n - 1; o++)
        for (size_t c = 0; c < width; c++)
            table[shaw_row(call->model, o) * width + c] += out[o * width + c];
}

static void prepare_keys(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    spread(call, slots[0], out->key);
}

static void back_keys(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    (void) slots;
    (void) made;
    gather(call, back->key, dslots[0]);
}

static void prepare_both(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    spread(call, slots[1], out->value);
    prepare_keys(call, slots, out);
}

static void back_both(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    gather(call, back->value, dslots[1]);
    back_keys(call, slots, made, back, dslots);
}

const at_encoding_float AT_ENCODING_FLOAT(shaw_k) = {
    .slots = {{"shaw.key.weight", AT_PARAM_POSITION, "ce"}},
    .shape = {.key = true}, .prepare = prepare_keys, .back = back_keys
};

const at_encoding_float AT_ENCODING_FLOAT(shaw) = {
    .slots = {{"shaw.key.weight", AT_PARAM_POSITION, "ce"}, {"shaw.value.weight", AT_PARAM_POSITION, "ce"}},
    .shape = {.key = true, .value = true}, .prepare = prepare_both, .back = back_both
};
