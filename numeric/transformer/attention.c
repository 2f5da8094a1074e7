/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "attest/numeric/transformer/attention.h"
#include "attest/numeric/transformer/multiply.h"

enum { SCORES = 32768 };

/* Rows of a head's scores that are taken at once. */
static size_t rows_at_once(const at_derived_shape *shape, size_t n)
{
    size_t rows = SCORES / n;

    if (shape->key || shape->query || shape->value || shape->weighting != AT_WEIGHT_SOFTMAX || rows > n)
        return n;
    return rows > 8 ? rows / 8 * 8 : 8 < n ? 8 : n;
}

size_t at_attention_scores(const at_derived_shape *shape, size_t n)
{
    size_t most = rows_at_once(shape, n) * n, least = n * n < SCORES ? n * n : SCORES;

    return most > least ? most : least;
}

size_t at_attention_packed_room(const at_kernels *kernels, size_t n, size_t e)
{
    size_t wide, narrow;

    if (kernels->pack == NULL)
        return 0;
    wide = kernels->packed_count(e, n);
    narrow = kernels->packed_count(n, e);
    return wide > narrow ? wide : narrow;
}

/* b [k, n] packed at to, if the kernels want that, else NULL. */
static const REAL *packed(const at_attention *at, REAL *to, const REAL *b, size_t ldb,
                          bool trans, size_t k, size_t n)
{
    if (at->kernels->pack == NULL)
        return NULL;
    at->kernels->pack(to, b, ldb, trans, k, n);
    return to;
}

/* Where head h's table begins for row 0, and the step from row to row: entry j of row i. */
static REAL *table_rows(const at_attention *at, enum at_table_form form, REAL *table,
                        size_t h, ptrdiff_t *step)
{
    *step = 0;
    if (form == AT_TABLE_NONE || table == NULL)
        return NULL;
    if (form == AT_TABLE_PAIR) {
        *step = (ptrdiff_t) at->n;
        return table + h * at->n * at->n;
    }
    *step = -1;
    return table + h * (2 * at->longest - 1) + at->longest - 1;
}

/* Rotates (forward) or rotates back the queries and keys of qkv [n, 3d]. */
static void rotate(const at_attention *at, REAL *qkv, bool back)
{
    size_t pairs = at->e / 2;

    for (size_t i = 0; i < at->n; i++)
        for (size_t h = 0; h < 2 * at->heads; h++) {
            REAL *x = qkv + i * 3 * at->d + h * at->e;

            for (size_t t = 0; t < pairs; t++) {
                REAL c = at->rotations[(i * pairs + t) * 2];
                REAL s = at->rotations[(i * pairs + t) * 2 + 1], x0 = x[2 * t], x1 = x[2 * t + 1];

                if (back)
                    s = -s;
                x[2 * t] = c * x0 - s * x1;
                x[2 * t + 1] = s * x0 + c * x1;
            }
        }
}

/* full [n, n] += x [n, e] · vectors_{i−j}; by row of x = query row i, or by key row j. */
static void add_offset_scores(const at_attention *at, const REAL *x, size_t ldx,
                              const REAL *vectors, size_t width, bool by_key, REAL *offsets,
                              REAL *full)
{
    size_t n = at->n, wide = 2 * at->longest - 1;

    at_blas_gemm(false, true, n, wide, at->e, 1, x, ldx, vectors, width, 0, offsets, wide);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            full[i * n + j] += offsets[(by_key ? j : i) * wide + j + at->longest - 1 - i];
}

/* The transpose of it: offsets [n, 2N−1] from full [n, n]. */
static void spread_scores(const at_attention *at, const REAL *full, bool by_key,
                          REAL *offsets)
{
    size_t n = at->n, wide = 2 * at->longest - 1;

    memset(offsets, 0, n * wide * sizeof *offsets);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            offsets[(by_key ? j : i) * wide + j + at->longest - 1 - i] = full[i * n + j];
}

static void clear_above(REAL *full, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        memset(full + i * n + i + 1, 0, (n - i - 1) * sizeof *full);
}

/* l2: e^s/√Σe^{2s}; relu2: max(s, 0)²/n.  p [n, n]: logits without bias in, weights out. */
static void other_weighting(const at_attention *at, REAL *p, const REAL *bias,
                                    ptrdiff_t step)
{
    size_t n = at->n;

    for (size_t i = 0; i < n; i++, p += n, bias += step) {
        size_t m = at->causal ? i + 1 : n;
        REAL largest = -(REAL) INFINITY, squares = 0;

        for (size_t j = 0; j < m; j++) {
            p[j] = (REAL) at->shape->scale * p[j] + bias[j];
            largest = p[j] > largest ? p[j] : largest;
        }
        for (size_t j = 0; j < m; j++) {
            if (at->shape->weighting == AT_WEIGHT_RELU2) {
                p[j] = p[j] > 0 ? p[j] * p[j] / (REAL) n : 0;
            } else {
                p[j] = (REAL) exp((double) (p[j] - largest));
                squares += p[j] * p[j];
            }
        }
        for (size_t j = 0; j < m && at->shape->weighting == AT_WEIGHT_L2; j++)
            p[j] /= (REAL) sqrt((double) squares);
        memset(p + m, 0, (n - m) * sizeof *p);
    }
}

/* da: ∂/∂a in, scale·∂/∂logit out. */
static void other_weighting_back(const at_attention *at, REAL *da, const REAL *p,
                                         const REAL *dot, REAL *dbias, ptrdiff_t step)
{
    size_t n = at->n;

    for (size_t i = 0; i < n; i++, da += n, p += n, dbias += step)
        for (size_t j = 0; j < n; j++) {
            REAL g = at->shape->weighting == AT_WEIGHT_RELU2
                   ? 2 * da[j] * (REAL) sqrt((double) (p[j] / (REAL) n))
                   : p[j] * (da[j] - p[j] * dot[i]);

            if (!at->causal || j <= i)
                dbias[j] += g;
            da[j] = (REAL) at->shape->scale * g;
        }
}

/* The weights of rows first … of one head from the logits in p, and their products with the values. */
static void weigh(const at_attention *at, const at_derived *made, size_t h, size_t first,
                  size_t rows, REAL *p, const at_product *values, at_head_scratch *tmp)
{
    const at_derived_shape *shape = at->shape;
    ptrdiff_t bias_step, factor_step, row = (ptrdiff_t) first;
    REAL *bias = table_rows(at, shape->bias, made->bias, h, &bias_step);
    REAL *factor = table_rows(at, shape->factor, made->factor, h, &factor_step);
    at_product product = *values;

    if (shape->weighting == AT_WEIGHT_STABLE)
        clear_above(p, at->n);
    if (shape->weighting == AT_WEIGHT_L2 || shape->weighting == AT_WEIGHT_RELU2)
        other_weighting(at, p, bias, bias_step);
    else
        at->kernels->softmax(p, tmp->a, rows, at->n, at->causal ? first + 1 : at->n,
                             bias != NULL ? bias + row * bias_step : NULL, bias_step,
                             factor != NULL ? factor + row * factor_step : NULL, factor_step,
                             (REAL) shape->scale);
    product.a = factor != NULL ? tmp->a : p;
    product.c += first * values->ldc;
    product.m = rows;
    at_multiply(at->kernels, &product, tmp->pack);
}

/* One head: p [n, n] gets the weights (before the factor), o its columns. */
static void head_forward(const at_attention *at, const at_derived *made, size_t h,
                         const REAL *qkv, REAL *p, REAL *o, at_head_scratch *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, d = at->d, e = at->e, ld = 3 * d, column = shape->width == d ? h * e : 0;
    size_t most = rows_at_once(shape, n);
    const REAL *q = qkv + h * e, *k = q + d, *v = k + d;
    at_product scores = {.a = q, .b = k, .packed = packed(at, tmp->left, k, ld, true, e, n), .n = n,
                      .k = e, .lda = ld, .ldb = ld, .ldc = n, .trans_b = true};
    at_product values = {.b = v, .packed = packed(at, tmp->right, v, ld, false, n, e), .c = o + h * e,
                      .n = e, .k = n, .lda = n, .ldb = ld, .ldc = d};

    if (shape->content) {
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < e; c++)
                tmp->q[i * e + c] = q[i * ld + c] + made->content[h * e + c];
        scores.a = tmp->q;
        scores.lda = e;
    }
    for (size_t first = 0; first < n; first += most) {
        size_t rows = n - first < most ? n - first : most;
        at_product part = scores;

        part.a += first * scores.lda;
        part.c = p + first * n;
        part.m = rows;
        at_multiply(at->kernels, &part, tmp->pack);
        if (shape->key)
            add_offset_scores(at, q, ld, made->key + column, shape->width, false, tmp->offsets, p);
        if (shape->query)
            add_offset_scores(at, k, ld, made->query + column, shape->width, true, tmp->offsets,
                              p);
        weigh(at, made, h, first, rows, p + first * n, &values, tmp);
    }
    if (shape->value) {
        spread_scores(at, shape->factor ? tmp->a : p, false, tmp->offsets);
        at_blas_gemm(false, false, n, e, 2 * at->longest - 1, 1, tmp->offsets, 2 * at->longest - 1,
                     made->value + column, shape->width, 1, o + h * e, d);
    }
}

void at_attention_forward(const at_attention *at, const at_derived *made,
                          REAL *qkv, REAL *p, size_t p_step, REAL *o,
                          at_head_scratch *tmp)
{
    if (at->shape->rotate)
        rotate(at, qkv, false);
    for (size_t h = 0; h < at->heads; h++)
        head_forward(at, made, h, qkv, p + h * p_step, o, tmp);
}

/* Gradient through the relative vectors: da is ∂/∂(q·k). */
static void offsets_back(const at_attention *at, const at_derived *made,
                         at_derived *back, const REAL *q, const REAL *k, size_t column,
                         REAL *dq, REAL *dk, at_head_scratch *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, e = at->e, ld = 3 * at->d, wide = 2 * at->longest - 1, w = shape->width;

    if (shape->key) {
        spread_scores(at, tmp->da, false, tmp->offsets);
        at_blas_gemm(false, false, n, e, wide, 1, tmp->offsets, wide, made->key + column, w, 1, dq, e);
        at_blas_gemm(true, false, wide, e, n, 1, tmp->offsets, wide, q, ld, 1, back->key + column, w);
    }
    if (shape->query) {
        spread_scores(at, tmp->da, true, tmp->offsets);
        at_blas_gemm(false, false, n, e, wide, 1, tmp->offsets, wide, made->query + column, w, 1, dk, e);
        at_blas_gemm(true, false, wide, e, n, 1, tmp->offsets, wide, k, ld, 1, back->query + column, w);
    }
}

/* Rows first … of one head: da holds ∂/∂a from ∂/∂o; on to the logits and the tables.  Returns the weights
 * after the factor. */
static const REAL *weights_back(const at_attention *at, const at_derived *made,
                                at_derived *back, size_t h, size_t first, size_t rows,
                                const REAL *p, at_head_scratch *tmp)
{
    const at_derived_shape *shape = at->shape;
    ptrdiff_t bias_step, factor_step, same_step, row = (ptrdiff_t) first;
    REAL *dbias = table_rows(at, shape->bias, back->bias, h, &bias_step);
    REAL *factor = table_rows(at, shape->factor, made->factor, h, &factor_step);
    REAL *dfactor = table_rows(at, shape->fixed_factor ? AT_TABLE_NONE : shape->factor,
                               back->factor, h, &same_step);

    if (shape->weighting == AT_WEIGHT_L2 || shape->weighting == AT_WEIGHT_RELU2)
        other_weighting_back(at, tmp->da, p, tmp->dot, dbias, bias_step);
    else
        at->kernels->softmax_back(tmp->da, tmp->a, p, rows, at->n, at->causal ? first + 1 : at->n, tmp->dot,
                                  dbias != NULL ? dbias + row * bias_step : NULL, bias_step,
                                  factor != NULL ? factor + row * factor_step : NULL,
                                  dfactor != NULL ? dfactor + row * factor_step : NULL, factor_step,
                                  (REAL) shape->scale);
    if (shape->weighting == AT_WEIGHT_STABLE)
        clear_above(tmp->da, at->n);
    return factor != NULL ? tmp->a : p;
}

/* The keys also met content: dk_j += (Σ_i da_ij)·content. */
static void content_back(const at_attention *at, const REAL *content, REAL *dcontent,
                         size_t first, size_t rows, const REAL *dq, REAL *dk,
                         at_head_scratch *tmp)
{
    size_t n = at->n, e = at->e;

    at->kernels->column_sums(dcontent, dq + first * e, e, rows, e);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < e; c++)
                dk[j * e + c] += tmp->da[i * n + j] * content[c];
}

/* The same rows' part of ∂/∂q, ∂/∂k and ∂/∂v; keys: k [n, e] packed. */
static void rows_back(const at_attention *at, size_t first, size_t rows, const REAL *a,
                      const REAL *q, const REAL *k, const REAL *keys, const REAL *dout, REAL *dq,
                      REAL *dk, REAL *dv, at_head_scratch *tmp)
{
    size_t n = at->n, d = at->d, e = at->e, ld = 3 * d;
    at_product values = {.a = a, .b = dout + first * d, .c = dv, .m = n, .n = e, .k = rows, .lda = n, .ldb = d,
                      .ldc = e, .trans_a = true, .add = first > 0};
    at_product queries = {.a = tmp->da, .b = k, .packed = keys, .c = dq + first * e, .m = rows, .n = e, .k = n,
                       .lda = n, .ldb = ld, .ldc = e};
    at_product other = {.a = tmp->da, .b = q + first * ld, .c = dk, .m = n, .n = e, .k = rows, .lda = n,
                     .ldb = ld, .ldc = e, .trans_a = true, .add = first > 0};

    at_multiply(at->kernels, &values, tmp->pack);
    at_multiply(at->kernels, &queries, tmp->pack);
    at_multiply(at->kernels, &other, tmp->pack);
}

static void head_backward(const at_attention *at, const at_derived *made,
                          at_derived *back, size_t h, REAL *qkv, const REAL *p,
                          const REAL *o, const REAL *dout, at_head_scratch *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, d = at->d, e = at->e, ld = 3 * d, column = shape->width == d ? h * e : 0;
    size_t most = rows_at_once(shape, n);
    REAL *q = qkv + h * e, *k = q + d, *v = k + d;
    REAL *dq = tmp->q, *dk = dq + n * e, *dv = dk + n * e;
    const REAL *keys = packed(at, tmp->right, k, ld, false, n, e), *a = p;
    at_product weights = {.b = v, .packed = packed(at, tmp->left, v, ld, true, e, n), .c = tmp->da,
                       .n = n, .k = e, .lda = d, .ldb = ld, .ldc = n, .trans_b = true};

    o += h * e;
    dout += h * e;
    for (size_t first = 0; first < n; first += most) {
        weights.a = dout + first * d;
        weights.m = n - first < most ? n - first : most;
        at_multiply(at->kernels, &weights, tmp->pack);
        if (shape->value)
            add_offset_scores(at, dout, d, made->value + column, shape->width, false, tmp->offsets,
                              tmp->da);
        at->kernels->row_dots(tmp->dot, o + first * d, d, dout + first * d, d, weights.m, e);
        a = weights_back(at, made, back, h, first, weights.m, p + first * n, tmp);
        rows_back(at, first, weights.m, a, q, k, keys, dout, dq, dk, dv, tmp);
        if (shape->content)
            content_back(at, made->content + h * e, back->content + h * e, first, weights.m, dq, dk,
                         tmp);
    }
    if (shape->value) {
        spread_scores(at, a, false, tmp->offsets);
        at_blas_gemm(true, false, 2 * at->longest - 1, e, n, 1, tmp->offsets, 2 * at->longest - 1, dout, d, 1,
                     back->value + column, shape->width);
    }
    offsets_back(at, made, back, q, k, column, dq, dk, tmp);
    for (size_t i = 0; i < n; i++) {
        memcpy(q + i * ld, dq + i * e, e * sizeof *q);
        memcpy(k + i * ld, dk + i * e, e * sizeof *k);
        memcpy(v + i * ld, dv + i * e, e * sizeof *v);
    }
}

void at_attention_backward(const at_attention *at, const at_derived *made,
                           at_derived *back, REAL *qkv, const REAL *p,
                           const REAL *o, const REAL *dout, at_head_scratch *tmp)
{
    for (size_t h = 0; h < at->heads; h++)
        head_backward(at, made, back, h, qkv, p + h * at->n * at->n, o, dout, tmp);
    if (at->shape->rotate)
        rotate(at, qkv, true);
}
