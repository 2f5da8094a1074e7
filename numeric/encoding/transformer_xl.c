/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <string.h>

#include "attest/numeric/encoding/fixed.h"
#include "attest/numeric/encoding/parts.h"

/* Transformer-XL (Dai et al. 2019): key = r W_R^T, bias = scale·w·key, content = u. */
static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    size_t d = call->model->d, heads = call->model->heads, e = d / heads;
    size_t offsets = 2 * call->model->n - 1;

    at_blas_gemm(false, true, offsets, d, d, 1, call->fixed, d, slots[0], d, 0, out->key, d);
    memcpy(out->content, slots[1], d * sizeof *out->content);
    for (size_t h = 0; h < heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            REAL sum = 0;

            for (size_t c = 0; c < e; c++)
                sum += slots[2][h * e + c] * out->key[o * d + h * e + c];
            out->bias[h * offsets + o] = (REAL) call->shape->scale * sum;
        }
}

static void pull_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    size_t d = call->model->d, heads = call->model->heads, e = d / heads;
    size_t offsets = 2 * call->model->n - 1;

    for (size_t h = 0; h < heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            REAL g = (REAL) call->shape->scale * back->bias[h * offsets + o];

            for (size_t c = h * e; c < (h + 1) * e; c++) {
                dslots[2][c] += g * made->key[o * d + c];
                back->key[o * d + c] += g * slots[2][c];
            }
        }
    for (size_t c = 0; c < d; c++)
        dslots[1][c] += back->content[c];
    at_blas_gemm(true, false, d, d, offsets, 1, back->key, d, call->fixed, d, 1, dslots[0], d);
}

static size_t fixed_count(const at_model *model)
{
    return (2 * model->n - 1) * model->d;
}

/* r_k: entry j − i + n − 1 is the offset k = i − j. */
static void fixed(const at_model *model, double *fixed)
{
    size_t n = model->n;

    for (size_t o = 0; o < 2 * n - 1; o++)
        at_sinusoid((double) (n - 1) - (double) o, model->d, fixed + o * model->d);
}

const at_encoding_float AT_ENCODING_FLOAT(transformer_xl) = {
    .slots = {{"xl.relative.weight", AT_PARAM_MATRIX, "dd"}, {"xl.content.weight", AT_PARAM_POSITION, "he"},
              {"xl.position.weight", AT_PARAM_POSITION, "he"}},
    .shape = {.bias = AT_TABLE_OFFSET, .key = true, .content = true}, .wide = true,
    .fixed_count = fixed_count, .fixed = fixed, .prepare = prepare, .back = pull_back
};
