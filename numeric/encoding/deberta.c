/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <string.h>

#include "attest/numeric/encoding/parts.h"

/* He et al. 2021: δ(k) = clip(k + span) to 0 … 2·span − 1. */
static size_t deberta_row(const at_model *model, long k)
{
    long span = model->n < AT_DEBERTA_SPAN ? (long) model->n : AT_DEBERTA_SPAN;

    k += span;
    return (size_t) (k < 0 ? 0 : k > 2 * span - 1 ? 2 * span - 1 : k);
}

/* out [2N−1, d] = rows of table by offset sign·k. */
static void copy_rows(const at_model *model, int sign, const REAL *table, REAL *out)
{
    for (size_t o = 0; o < 2 * model->n - 1; o++) {
        size_t row = deberta_row(model, sign * ((long) model->n - 1 - (long) o));

        memcpy(out + o * model->d, table + row * model->d, model->d * sizeof *out);
    }
}

static void add_rows(const at_model *model, int sign, const REAL *out, REAL *table)
{
    for (size_t o = 0; o < 2 * model->n - 1; o++) {
        size_t row = deberta_row(model, sign * ((long) model->n - 1 - (long) o));

        for (size_t c = 0; c < model->d; c++)
            table[row * model->d + c] += out[o * model->d + c];
    }
}

/* DeBERTa: key_k = (P W_K^T)_{δ(k)}, query_k = (P W_Q^T)_{δ(−k)}. */
static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    const at_model *model = call->model;
    size_t d = model->d, rows = 2 * (model->n < AT_DEBERTA_SPAN ? model->n : AT_DEBERTA_SPAN);

    at_blas_gemm(false, true, rows, d, d, 1, slots[0], d, slots[1], d, 0, call->scratch, d);
    copy_rows(model, 1, call->scratch, out->key);
    at_blas_gemm(false, true, rows, d, d, 1, slots[0], d, slots[2], d, 0, call->scratch, d);
    copy_rows(model, -1, call->scratch, out->query);
}

static void pull_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    const at_model *model = call->model;
    size_t d = model->d, rows = 2 * (model->n < AT_DEBERTA_SPAN ? model->n : AT_DEBERTA_SPAN);

    (void) made;
    for (int side = 0; side < 2; side++) {
        memset(call->scratch, 0, rows * d * sizeof *call->scratch);
        add_rows(model, side == 0 ? 1 : -1, side == 0 ? back->key : back->query, call->scratch);
        at_blas_gemm(true, false, d, d, rows, 1, call->scratch, d, slots[0], d, 1, dslots[1 + side], d);
        at_blas_gemm(false, false, rows, d, d, 1, call->scratch, d, slots[1 + side], d, 1, dslots[0], d);
    }
}

static size_t scratch(const at_model *model)
{
    return 2 * model->n * model->d;
}

const at_encoding_float AT_ENCODING_FLOAT(deberta) = {
    .slots = {{"deberta.weight", AT_PARAM_POSITION, "sd"}, {"deberta.key.weight", AT_PARAM_MATRIX, "dd"},
              {"deberta.query.weight", AT_PARAM_MATRIX, "dd"}},
    .shape = {.key = true, .query = true}, .wide = true, .terms = 3, .scratch = scratch,
    .prepare = prepare, .back = pull_back
};
