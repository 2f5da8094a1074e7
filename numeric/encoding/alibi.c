/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ALiBi (Press et al. 2022): −m_h|k|, fixed slopes. */
#include "config.h"

#include <math.h>

#include "attest/numeric/encoding/parts.h"

static size_t fixed_count(const at_model *model)
{
    return model->heads;
}

/* m_h = 2^{−8h/H} (Press et al. 2022, for H a power of two; taken for every H). */
static void fixed(const at_model *model, double *slopes)
{
    for (size_t h = 0; h < model->heads; h++)
        slopes[h] = exp2(-8.0 * (double) (h + 1) / (double) model->heads);
}

static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    size_t n = call->model->n, offsets = 2 * n - 1;

    (void) slots;
    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            REAL distance = (REAL) (o >= n - 1 ? o - (n - 1) : n - 1 - o);

            out->bias[h * offsets + o] = -call->fixed[h] * distance;
        }
}

const at_encoding_float AT_ENCODING_FLOAT(alibi) = {
    .shape = {.bias = AT_TABLE_OFFSET}, .fixed_count = fixed_count, .fixed = fixed, .prepare = prepare
};

const at_encoding_float AT_ENCODING_FLOAT(alibi_symmetric) = {
    .shape = {.bias = AT_TABLE_OFFSET}, .fixed_count = fixed_count, .fixed = fixed, .prepare = prepare
};
