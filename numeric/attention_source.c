/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multi-head attention of one sequence, forward and backward, for every encoding: it reads the derived
 * arrays of numeric/encoding.h and knows nothing else of encodings.  Included by numeric/transformer.c
 * once for each precision.  The scores of one head stay in cache. */

typedef struct {
    const KERNELS *kernels;
    const at_derived_shape *shape;
    size_t n, longest, d, heads, e;  /* longest: N, for which tables are laid out */
    bool causal;
    const REAL *rotations;
} LOCAL(attention);

/* One thread's scratch. */
typedef struct {
    REAL *p, *a, *da;      /* [n, n] */
    REAL *offsets;         /* [n, 2N−1] */
    REAL *q;               /* [2n, e] */
    REAL *dot;             /* [n] */
    REAL *pack;            /* of multiply */
} LOCAL(head_scratch);

/* Where head h's table begins for row 0, and the step from row to row: entry j of row i. */
static REAL *LOCAL(table_rows)(const LOCAL(attention) *at, enum at_table_form form, REAL *table,
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
static void LOCAL(rotate)(const LOCAL(attention) *at, REAL *qkv, bool back)
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
static void LOCAL(add_offset_scores)(const LOCAL(attention) *at, const REAL *x, size_t ldx,
                                     const REAL *vectors, size_t width, bool by_key, REAL *offsets,
                                     REAL *full)
{
    size_t n = at->n, wide = 2 * at->longest - 1;

    GEMM(false, true, n, wide, at->e, 1, x, ldx, vectors, width, 0, offsets, wide);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            full[i * n + j] += offsets[(by_key ? j : i) * wide + j + at->longest - 1 - i];
}

/* The transpose of it: offsets [n, 2N−1] from full [n, n]. */
static void LOCAL(spread_scores)(const LOCAL(attention) *at, const REAL *full, bool by_key,
                                 REAL *offsets)
{
    size_t n = at->n, wide = 2 * at->longest - 1;

    memset(offsets, 0, n * wide * sizeof *offsets);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            offsets[(by_key ? j : i) * wide + j + at->longest - 1 - i] = full[i * n + j];
}

static void LOCAL(clear_above)(REAL *full, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        memset(full + i * n + i + 1, 0, (n - i - 1) * sizeof *full);
}

/* l2: e^s/√Σe^{2s}; relu2: max(s, 0)²/n.  p [n, n]: logits without bias in, weights out. */
static void LOCAL(other_weighting)(const LOCAL(attention) *at, REAL *p, const REAL *bias,
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
static void LOCAL(other_weighting_back)(const LOCAL(attention) *at, REAL *da, const REAL *p,
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

/* One head: p [n, n] gets the weights (before the factor), o its columns. */
static void LOCAL(head_forward)(const LOCAL(attention) *at, const LOCAL(derived) *made, size_t h,
                                const REAL *qkv, REAL *p, REAL *o, LOCAL(head_scratch) *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, d = at->d, e = at->e, ld = 3 * d, column = shape->width == d ? h * e : 0;
    const REAL *q = qkv + h * e, *k = q + d, *v = k + d, *query = q;
    size_t ldq = ld;
    ptrdiff_t bias_step, factor_step;
    REAL *bias = LOCAL(table_rows)(at, shape->bias, made->bias, h, &bias_step);
    REAL *factor = LOCAL(table_rows)(at, shape->factor, made->factor, h, &factor_step);
    const REAL *a = factor != NULL ? tmp->a : p;

    if (shape->content) {
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < e; c++)
                tmp->q[i * e + c] = q[i * ld + c] + made->content[h * e + c];
        query = tmp->q;
        ldq = e;
    }
    LOCAL(multiply)(at->kernels, &(PRODUCT) {.a = query, .b = k, .c = p, .m = n, .n = n, .k = e, .lda = ldq,
                                             .ldb = ld, .ldc = n, .trans_b = true}, tmp->pack);
    if (shape->key)
        LOCAL(add_offset_scores)(at, q, ld, made->key + column, shape->width, false, tmp->offsets, p);
    if (shape->query)
        LOCAL(add_offset_scores)(at, k, ld, made->query + column, shape->width, true, tmp->offsets, p);
    if (shape->weighting == AT_WEIGHT_STABLE)
        LOCAL(clear_above)(p, n);
    if (shape->weighting == AT_WEIGHT_L2 || shape->weighting == AT_WEIGHT_RELU2)
        LOCAL(other_weighting)(at, p, bias, bias_step);
    else
        at->kernels->softmax(p, tmp->a, n, bias, bias_step, factor, factor_step,
                             (REAL) shape->scale, at->causal);
    LOCAL(multiply)(at->kernels, &(PRODUCT) {.a = a, .b = v, .c = o + h * e, .m = n, .n = e, .k = n,
                                             .lda = n, .ldb = ld, .ldc = d}, tmp->pack);
    if (shape->value) {
        LOCAL(spread_scores)(at, a, false, tmp->offsets);
        GEMM(false, false, n, e, 2 * at->longest - 1, 1, tmp->offsets, 2 * at->longest - 1,
             made->value + column, shape->width, 1, o + h * e, d);
    }
}

/* qkv [n, 3d] → o [n, d]; p: head h's weights at p + h·p_step. */
static void LOCAL(attention_forward)(const LOCAL(attention) *at, const LOCAL(derived) *made,
                                     REAL *qkv, REAL *p, size_t p_step, REAL *o,
                                     LOCAL(head_scratch) *tmp)
{
    if (at->shape->rotate)
        LOCAL(rotate)(at, qkv, false);
    for (size_t h = 0; h < at->heads; h++)
        LOCAL(head_forward)(at, made, h, qkv, p + h * p_step, o, tmp);
}

/* Gradient through the relative vectors: da is ∂/∂(q·k). */
static void LOCAL(offsets_back)(const LOCAL(attention) *at, const LOCAL(derived) *made,
                                LOCAL(derived) *back, const REAL *q, const REAL *k, size_t column,
                                REAL *dq, REAL *dk, LOCAL(head_scratch) *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, e = at->e, ld = 3 * at->d, wide = 2 * at->longest - 1, w = shape->width;

    if (shape->key) {
        LOCAL(spread_scores)(at, tmp->da, false, tmp->offsets);
        GEMM(false, false, n, e, wide, 1, tmp->offsets, wide, made->key + column, w, 1, dq, e);
        GEMM(true, false, wide, e, n, 1, tmp->offsets, wide, q, ld, 1, back->key + column, w);
    }
    if (shape->query) {
        LOCAL(spread_scores)(at, tmp->da, true, tmp->offsets);
        GEMM(false, false, n, e, wide, 1, tmp->offsets, wide, made->query + column, w, 1, dk, e);
        GEMM(true, false, wide, e, n, 1, tmp->offsets, wide, k, ld, 1, back->query + column, w);
    }
}

/* ∂/∂a from ∂/∂o, and on to the logits and the tables; afterwards *a are the weights after the factor. */
static const REAL *LOCAL(weights_back)(const LOCAL(attention) *at, const LOCAL(derived) *made,
                                       LOCAL(derived) *back, size_t h, const REAL *v,
                                       const REAL *p, const REAL *o, const REAL *dout,
                                       size_t column, LOCAL(head_scratch) *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, d = at->d, e = at->e, ld = 3 * d;
    ptrdiff_t bias_step, factor_step, same_step;
    REAL *dbias = LOCAL(table_rows)(at, shape->bias, back->bias, h, &bias_step);
    REAL *factor = LOCAL(table_rows)(at, shape->factor, made->factor, h, &factor_step);
    REAL *dfactor = LOCAL(table_rows)(at, shape->fixed_factor ? AT_TABLE_NONE : shape->factor,
                                      back->factor, h, &same_step);

    LOCAL(multiply)(at->kernels, &(PRODUCT) {.a = dout, .b = v, .c = tmp->da, .m = n, .n = n, .k = e,
                                             .lda = d, .ldb = ld, .ldc = n, .trans_b = true}, tmp->pack);
    if (shape->value)
        LOCAL(add_offset_scores)(at, dout, d, made->value + column, shape->width, false,
                                 tmp->offsets, tmp->da);
    at->kernels->row_dots(tmp->dot, o, d, dout, d, n, e);
    if (shape->weighting == AT_WEIGHT_L2 || shape->weighting == AT_WEIGHT_RELU2)
        LOCAL(other_weighting_back)(at, tmp->da, p, tmp->dot, dbias, bias_step);
    else
        at->kernels->softmax_back(tmp->da, tmp->a, p, n, tmp->dot, dbias, bias_step, factor,
                                  dfactor, factor_step, (REAL) shape->scale, at->causal);
    if (shape->weighting == AT_WEIGHT_STABLE)
        LOCAL(clear_above)(tmp->da, n);
    return factor != NULL ? tmp->a : p;
}

static void LOCAL(head_backward)(const LOCAL(attention) *at, const LOCAL(derived) *made,
                                 LOCAL(derived) *back, size_t h, REAL *qkv, const REAL *p,
                                 const REAL *o, const REAL *dout, LOCAL(head_scratch) *tmp)
{
    const at_derived_shape *shape = at->shape;
    size_t n = at->n, d = at->d, e = at->e, ld = 3 * d, column = shape->width == d ? h * e : 0;
    REAL *q = qkv + h * e, *k = q + d, *v = k + d;
    REAL *dq = tmp->q, *dk = dq + n * e;
    const REAL *a = LOCAL(weights_back)(at, made, back, h, v, p, o + h * e, dout + h * e, column, tmp);

    LOCAL(multiply)(at->kernels, &(PRODUCT) {.a = a, .b = dout + h * e, .c = v, .m = n, .n = e, .k = n,
                                             .lda = n, .ldb = d, .ldc = ld, .trans_a = true}, tmp->pack);
    if (shape->value) {
        LOCAL(spread_scores)(at, a, false, tmp->offsets);
        GEMM(true, false, 2 * at->longest - 1, e, n, 1, tmp->offsets, 2 * at->longest - 1,
             dout + h * e, d, 1, back->value + column, shape->width);
    }
    LOCAL(multiply)(at->kernels, &(PRODUCT) {.a = tmp->da, .b = k, .c = dq, .m = n, .n = e, .k = n,
                                             .lda = n, .ldb = ld, .ldc = e}, tmp->pack);
    LOCAL(multiply)(at->kernels, &(PRODUCT) {.a = tmp->da, .b = q, .c = dk, .m = n, .n = e, .k = n,
                                             .lda = n, .ldb = ld, .ldc = e, .trans_a = true}, tmp->pack);
    if (shape->content) {
        at->kernels->column_sums(back->content + h * e, dq, e, n, e);
        for (size_t j = 0; j < n; j++)       /* the keys also met content: (Σ_i da_ij)·content */
            for (size_t i = 0; i < n; i++)
                for (size_t c = 0; c < e; c++)
                    dk[j * e + c] += tmp->da[i * n + j] * made->content[h * e + c];
    }
    LOCAL(offsets_back)(at, made, back, q, k, column, dq, dk, tmp);
    for (size_t i = 0; i < n; i++) {
        memcpy(q + i * ld, dq + i * e, e * sizeof *q);
        memcpy(k + i * ld, dk + i * e, e * sizeof *k);
    }
}

/* dout [n, d] (∂/∂o) → qkv, in place: ∂/∂qkv; adds to back. */
static void LOCAL(attention_backward)(const LOCAL(attention) *at, const LOCAL(derived) *made,
                                      LOCAL(derived) *back, REAL *qkv, const REAL *p,
                                      const REAL *o, const REAL *dout, LOCAL(head_scratch) *tmp)
{
    for (size_t h = 0; h < at->heads; h++)
        LOCAL(head_backward)(at, made, back, h, qkv, p + h * at->n * at->n, o, dout, tmp);
    if (at->shape->rotate)
        LOCAL(rotate)(at, qkv, true);
}
