/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "attest/numeric/encoding/parts.h"

/* TUPE (Ke et al. 2021): bias^h = scale·(p U_Q)^h ((p U_K)^h)^T. */
static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    size_t n = call->n, d = call->model->d, e = d / call->model->heads;
    REAL *query = call->scratch, *key = query + n * d;

    at_blas_gemm(false, true, n, d, d, 1, slots[0], d, slots[1], d, 0, query, d);
    at_blas_gemm(false, true, n, d, d, 1, slots[0], d, slots[2], d, 0, key, d);
    for (size_t h = 0; h < call->model->heads; h++)
        at_blas_gemm(false, true, n, n, e, (REAL) call->shape->scale, query + h * e, d, key + h * e, d, 0,
                     out->bias + h * n * n, n);
}

static void pull_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    size_t n = call->n, d = call->model->d, e = d / call->model->heads;
    REAL scale = (REAL) call->shape->scale;
    REAL *query = call->scratch, *key = query + n * d, *dquery = key + n * d, *dkey = dquery + n * d;

    (void) made;
    at_blas_gemm(false, true, n, d, d, 1, slots[0], d, slots[1], d, 0, query, d);
    at_blas_gemm(false, true, n, d, d, 1, slots[0], d, slots[2], d, 0, key, d);
    for (size_t h = 0; h < call->model->heads; h++) {
        const REAL *g = back->bias + h * n * n;

        at_blas_gemm(false, false, n, e, n, scale, g, n, key + h * e, d, 0, dquery + h * e, d);
        at_blas_gemm(true, false, n, e, n, scale, g, n, query + h * e, d, 0, dkey + h * e, d);
    }
    at_blas_gemm(true, false, d, d, n, 1, dquery, d, slots[0], d, 1, dslots[1], d);
    at_blas_gemm(true, false, d, d, n, 1, dkey, d, slots[0], d, 1, dslots[2], d);
    at_blas_gemm(false, false, n, d, d, 1, dquery, d, slots[1], d, 1, dslots[0], d);
    at_blas_gemm(false, false, n, d, d, 1, dkey, d, slots[2], d, 1, dslots[0], d);
}

static size_t scratch(const at_model *model)
{
    return 4 * model->n * model->d;
}

const at_encoding_float AT_ENCODING_FLOAT(tupe) = {
    .slots = {{"tupe.weight", AT_PARAM_POSITION, "nd"}, {"tupe.query.weight", AT_PARAM_MATRIX, "dd"},
              {"tupe.key.weight", AT_PARAM_MATRIX, "dd"}},
    .shape = {.bias = AT_TABLE_PAIR}, .terms = 2, .scratch = scratch, .prepare = prepare, .back = pull_back
};
