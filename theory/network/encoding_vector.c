/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodings by vectors: keys, queries and values of an offset, of a position, and rotations. */
#include "attest/theory/network/encoding_impl.h"

/* ---- shaw ---------------------------------------------------------------------------------- */

static void shape_shaw(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) t;
    *rows = 2 * net->n - 1;
    *cols = net->head_dim;
}

static int check_shaw(const at_network_struct *net, const at_head *head, at_error *err)
{
    for (int t = 0; t < AT_TABLES && net->rule->tables[t] != NULL; t++)
        if (fmpq_mat_nrows(head->tables[t]) % 2 == 0)
            return at_error_set(err, AT_USAGE, "shaw: 2w + 1 rows");
    return AT_OK;
}

/* Row of a table of 2w + 1 rows for offset k. */
static slong clipped(const fmpq_mat_t table, slong k)
{
    slong w = (fmpq_mat_nrows(table) - 1) / 2;

    return FLINT_MAX(-w, FLINT_MIN(w, k)) + w;
}

static void relative_shaw(void *s, at_attention *a, slong i, slong j)
{
    const fmpq_mat_struct *keys = a->head->tables[0];

    at_attention_dot(s, a, &a->queries, i, keys, clipped(keys, i - j));
}

static slong value_shaw(const fmpq_mat_struct **table, const at_attention *a, slong i, slong j)
{
    *table = a->head->tables[1];
    return clipped(a->head->tables[1], i - j);
}

const at_encoding_exact at_exact_shaw_k = {
    .id = AT_ENC_SHAW_K, .terms = 1, .tables = { "key" }, .shape = shape_shaw,
    .check = check_shaw, .relative = relative_shaw
};

const at_encoding_exact at_exact_shaw = {
    .id = AT_ENC_SHAW, .terms = 1, .tables = { "key", "value" }, .shape = shape_shaw,
    .check = check_shaw, .relative = relative_shaw, .value = value_shaw
};

/* ---- transformer-xl ------------------------------------------------------------------------ */

static void shape_xl(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    *rows = t == 0 ? 2 * net->n - 1 : t == 1 ? net->d : 1;
    *cols = t == 0 ? net->d : net->head_dim;
}

/* works[0]: W_R r_k, a row an offset; works[1]: w·(W_R r_k), a column. */
static void prepare_xl(at_attention *a)
{
    const fmpq_mat_struct *relative = a->head->tables[0], *map = a->head->tables[1];
    fmpq_mat_t transposed;

    fmpq_mat_clear(a->works[0]), fmpq_mat_clear(a->works[1]);
    fmpq_mat_init(a->works[0], fmpq_mat_nrows(relative), fmpq_mat_ncols(map));
    fmpq_mat_init(a->works[1], fmpq_mat_nrows(relative), 1);
    fmpq_mat_init(transposed, fmpq_mat_ncols(map), 1);
    fmpq_mat_mul(a->works[0], relative, map);
    fmpq_mat_transpose(transposed, a->head->tables[3]);
    fmpq_mat_mul(a->works[1], a->works[0], transposed);
    fmpq_mat_clear(transposed);
}

static void relative_xl(void *s, at_attention *a, slong i, slong j)
{
    slong k = i - j + a->net->n - 1;

    at_attention_dot(s, a, &a->queries, i, a->works[0], k);
    at_attention_dot(s, a, &a->keys, j, a->head->tables[2], 0);
    at_attention_add(s, a, fmpq_mat_entry(a->works[1], k, 0));
}

const at_encoding_exact at_exact_transformer_xl = {
    .id = AT_ENC_TRANSFORMER_XL, .terms = 1, .tables = { "relative", "map", "content", "place" },
    .shape = shape_xl, .prepare = prepare_xl, .relative = relative_xl
};

/* ---- deberta ------------------------------------------------------------------------------- */

static void shape_deberta(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    *rows = t == 0 ? 2 * net->n : net->d;
    *cols = t == 0 ? net->d : net->head_dim;
}

static int check_deberta(const at_network_struct *net, const at_head *head, at_error *err)
{
    (void) net;
    if (fmpq_mat_nrows(head->tables[0]) % 2 != 0 || fmpq_mat_nrows(head->tables[0]) == 0)
        return at_error_set(err, AT_USAGE, "deberta: 2w rows, w at least 1");
    return AT_OK;
}

/* works[0]: P W_{K,r}, works[1]: P W_{Q,r}. */
static void prepare_deberta(at_attention *a)
{
    const fmpq_mat_struct *relative = a->head->tables[0];

    for (int t = 0; t < 2; t++) {
        const fmpq_mat_struct *map = a->head->tables[t + 1];
        fmpq_mat_clear(a->works[t]);
        fmpq_mat_init(a->works[t], fmpq_mat_nrows(relative), fmpq_mat_ncols(map));
        fmpq_mat_mul(a->works[t], relative, map);
    }
}

/* δ: 0 for k ≤ −w, 2w − 1 for k ≥ w, else k + w. */
static slong delta(const at_attention *a, slong k)
{
    slong w = fmpq_mat_nrows(a->head->tables[0]) / 2;

    return k <= -w ? 0 : k >= w ? 2 * w - 1 : k + w;
}

static void relative_deberta(void *s, at_attention *a, slong i, slong j)
{
    at_attention_dot(s, a, &a->queries, i, a->works[0], delta(a, i - j));
    at_attention_dot(s, a, &a->keys, j, a->works[1], delta(a, j - i));
}

const at_encoding_exact at_exact_deberta = {
    .id = AT_ENC_DEBERTA, .terms = 3, .tables = { "relative", "key", "query" },
    .shape = shape_deberta, .check = check_deberta, .prepare = prepare_deberta,
    .relative = relative_deberta
};

/* ---- tupe ---------------------------------------------------------------------------------- */

static void shape_tupe(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) t;
    *rows = net->d;
    *cols = net->head_dim;
}

/* works[0]: (p U_Q)(p U_K)^T, n × n. */
static void prepare_tupe(at_attention *a)
{
    const fmpq_mat_struct *p = a->net->positions;
    slong n = fmpq_mat_nrows(p), width = fmpq_mat_ncols(a->head->tables[0]);
    fmpq_mat_t queries, keys, transposed;

    fmpq_mat_init(queries, n, width);
    fmpq_mat_init(keys, n, width);
    fmpq_mat_init(transposed, width, n);
    fmpq_mat_mul(queries, p, a->head->tables[0]);
    fmpq_mat_mul(keys, p, a->head->tables[1]);
    fmpq_mat_transpose(transposed, keys);
    fmpq_mat_clear(a->works[0]);
    fmpq_mat_init(a->works[0], n, n);
    fmpq_mat_mul(a->works[0], queries, transposed);
    fmpq_mat_clear(queries), fmpq_mat_clear(keys), fmpq_mat_clear(transposed);
}

static void relative_tupe(void *s, at_attention *a, slong i, slong j)
{
    at_attention_add(s, a, fmpq_mat_entry(a->works[0], i, j));
}

const at_encoding_exact at_exact_tupe = {
    .id = AT_ENC_TUPE, .terms = 2, .tables = { "query", "key" }, .uses_positions = true,
    .shape = shape_tupe, .prepare = prepare_tupe, .relative = relative_tupe
};

/* ---- rope ---------------------------------------------------------------------------------- */

static void shape_rope(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) t;
    *rows = net->head_dim / 2;
    *cols = 2;
}

/* ((1 − u²)/(1 + u²), 2u/(1 + u²)). */
static void random_rope(at_head *head, const at_network_struct *net, at_random *r)
{
    fmpq_t u, square, below;

    (void) net;
    fmpq_init(u), fmpq_init(square), fmpq_init(below);
    for (slong b = 0; b < fmpq_mat_nrows(head->tables[0]); b++) {
        fmpq *cosine = fmpq_mat_entry(head->tables[0], b, 0);
        fmpq *sine = fmpq_mat_entry(head->tables[0], b, 1);
        fmpq_set_si(u, at_random_between(r, -3, 3), (ulong) at_random_between(r, 1, 3));
        fmpq_mul(square, u, u);
        fmpq_add_si(below, square, 1);
        fmpq_neg(square, square);
        fmpq_add_si(square, square, 1);
        fmpq_div(cosine, square, below);
        fmpq_add(u, u, u);
        fmpq_div(sine, u, below);
    }
    fmpq_clear(u), fmpq_clear(square), fmpq_clear(below);
}

static int check_rope(const at_network_struct *net, const at_head *head, at_error *err)
{
    fmpq_t norm;
    int status = AT_OK;

    (void) net;
    fmpq_init(norm);
    for (slong b = 0; status == AT_OK && b < fmpq_mat_nrows(head->tables[0]); b++) {
        const fmpq *cosine = fmpq_mat_entry(head->tables[0], b, 0);
        const fmpq *sine = fmpq_mat_entry(head->tables[0], b, 1);
        fmpq_mul(norm, cosine, cosine);
        fmpq_addmul(norm, sine, sine);
        if (!fmpq_is_one(norm))
            status = at_error_set(err, AT_USAGE, "rope: a rotation is a point of the circle");
    }
    fmpq_clear(norm);
    return status;
}

/* (x, y) ← (x cos − y sin, x sin + y cos). */
static void rotate_pair(at_attention *a, void *x, void *y, const fmpq_t cosine, const fmpq_t sine)
{
    fmpq_t minus;

    fmpq_init(minus);
    fmpq_neg(minus, sine);
    a->field->set(a->t, x);
    a->field->mul_fmpq(x, x, cosine, a->prec);
    a->field->addmul_fmpq(x, y, minus, a->prec);
    a->field->mul_fmpq(y, y, cosine, a->prec);
    a->field->addmul_fmpq(y, a->t, sine, a->prec);
    fmpq_clear(minus);
}

/* Block b of row i turned by iθ_b. */
static void prepare_rope(at_attention *a)
{
    fmpq_t cosine, sine, t;

    fmpq_init(cosine), fmpq_init(sine), fmpq_init(t);
    for (slong b = 0; b < fmpq_mat_nrows(a->head->tables[0]); b++) {
        const fmpq *c = fmpq_mat_entry(a->head->tables[0], b, 0);
        const fmpq *s = fmpq_mat_entry(a->head->tables[0], b, 1);
        fmpq_one(cosine);
        fmpq_zero(sine);
        for (slong i = 0; i < a->rows; i++) {
            at_fmat *const sides[2] = { &a->queries, &a->keys };
            for (int side = 0; side < 2; side++)
                rotate_pair(a, at_fmat_at(sides[side], i, 2 * b),
                            at_fmat_at(sides[side], i, 2 * b + 1), cosine, sine);
            fmpq_mul(t, cosine, s);
            fmpq_addmul(t, sine, c);
            fmpq_mul(cosine, cosine, c);
            fmpq_submul(cosine, sine, s);
            fmpq_swap(sine, t);
        }
    }
    fmpq_clear(cosine), fmpq_clear(sine), fmpq_clear(t);
}

const at_encoding_exact at_exact_rope = {
    .id = AT_ENC_ROPE, .terms = 1, .tables = { "rotation" }, .shape = shape_rope,
    .random = random_rope, .check = check_rope, .prepare = prepare_rope
};
