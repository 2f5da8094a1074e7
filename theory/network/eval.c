/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluation of a rational network over a field: attention, FFN, LayerNorm, layer after layer.
 * */
#include "attest/theory/network/eval.h"

/* ---- Attention ----------------------------------------------------------------------------- */

/* One head's room: scores, and one row of what the field's attend wants. */
typedef struct {
    at_attention a;
    at_fmat scores, seen_logits, shifted, scratch;
    fmpq *factors, *gates;
    const void **values;
    bool plain;   /* values as they are given */
} head_room;

static void room_init(head_room *room, const at_evaluation *ev, const at_head *head)
{
    slong n = ev->x.rows, e = ev->net->head_dim;
    at_attention *a = &room->a;

    a->field = ev->field;
    a->prec = ev->prec;
    a->rows = n;
    a->net = ev->net;
    a->head = head;
    at_fmat_init(&a->queries, ev->field, n, e);
    at_fmat_init(&a->keys, ev->field, n, e);
    for (int w = 0; w < AT_WORKS; w++)
        fmpq_mat_init(a->works[w], 0, 0);
    fmpq_init(a->c);
    at_fmat_init(&room->scratch, ev->field, 1, 1);
    a->t = room->scratch.data;
    at_fmat_init(&room->scores, ev->field, n, n);
    at_fmat_init(&room->seen_logits, ev->field, 1, n);
    at_fmat_init(&room->shifted, ev->field, n, e);
    room->factors = flint_malloc((size_t) n * sizeof *room->factors);
    room->gates = flint_malloc((size_t) n * sizeof *room->gates);
    room->values = flint_malloc((size_t) n * sizeof *room->values);
    for (slong j = 0; j < n; j++)
        fmpq_init(room->factors + j), fmpq_init(room->gates + j);
}

static void room_clear(head_room *room)
{
    at_attention *a = &room->a;

    for (slong j = 0; j < a->rows; j++)
        fmpq_clear(room->factors + j), fmpq_clear(room->gates + j);
    flint_free(room->factors);
    flint_free(room->gates);
    flint_free(room->values);
    at_fmat_clear(&a->queries), at_fmat_clear(&a->keys);
    for (int w = 0; w < AT_WORKS; w++)
        fmpq_mat_clear(a->works[w]);
    fmpq_clear(a->c);
    at_fmat_clear(&room->scratch), at_fmat_clear(&room->scores);
    at_fmat_clear(&room->seen_logits), at_fmat_clear(&room->shifted);
}

/* 1/√(terms d_h), where logits are scaled; AT_LEFT_FIELD where that is irrational. */
static int logit_scale(at_fmat *scale, const at_evaluation *ev)
{
    const at_network_struct *net = ev->net;
    fmpq_t c;
    bool good = true;

    fmpq_init(c);
    fmpq_one(c);
    ev->field->set_fmpq(scale->data, c, ev->prec);
    if (net->scale_logits) {
        fmpq_set_si(c, net->rule->terms * net->head_dim, 1);
        ev->field->set_fmpq(scale->data, c, ev->prec);
        good = ev->field->rsqrt(scale->data, scale->data, ev->prec);
    }
    ev->field->mul_fmpq(scale->data, scale->data, net->scale, ev->prec);
    fmpq_clear(c);
    if (!good)
        return at_error_set(ev->err, AT_LEFT_FIELD, "the logits' scale is not rational");
    return AT_OK;
}

/* scores = scale·(q k^T + relative part) + positional part, where they are seen. */
static int make_scores(head_room *room, const at_evaluation *ev)
{
    const at_encoding_exact *encoding = ev->net->rule;
    at_attention *a = &room->a;
    at_fmat scale;

    at_fmat_init(&scale, ev->field, 1, 1);
    int status = logit_scale(&scale, ev);
    if (status == AT_OK) {
        at_fmat_mul_fmpq_mat(&a->queries, &ev->x, a->head->query, a->head->query_bias, ev->prec);
        at_fmat_mul_fmpq_mat(&a->keys, &ev->x, a->head->key, a->head->key_bias, ev->prec);
        if (encoding->prepare != NULL)
            encoding->prepare(a);
        at_fmat_mul_transposed(&room->scores, &a->queries, &a->keys, ev->prec);
    }
    bool scaled = ev->net->scale_logits || !fmpq_is_one(ev->net->scale);
    for (slong i = 0; status == AT_OK && i < a->rows; i++) {
        for (slong j = 0; j < a->rows; j++) {
            void *s = at_fmat_at(&room->scores, i, j);
            if (!at_evaluation_sees(ev->net, i, j))
                continue;
            if (encoding->relative != NULL)
                encoding->relative(s, a, i, j);
            if (scaled)
                ev->field->mul(s, s, scale.data, ev->prec);
            if (encoding->logit != NULL)
                encoding->logit(s, a, i, j);
        }
    }
    at_fmat_clear(&scale);
    return status;
}

/* Row j of the values as token i sees it: v_j, or v_j + a^V_{i−j} in the room's copy. */
static const void *seen_value(head_room *room, const at_fmat *values, slong i, slong j)
{
    const at_attention *a = &room->a;
    const at_encoding_exact *encoding = a->net->rule;
    const fmpq_mat_struct *table;

    if (encoding->value == NULL || room->plain)
        return at_fmat_at(values, j, 0);
    slong r = encoding->value(&table, a, i, j);
    for (slong c = 0; c < values->cols; c++) {
        void *v = at_fmat_at(&room->shifted, j, c);
        a->field->set(v, at_fmat_at(values, j, c));
        at_attention_add(v, &room->a, fmpq_mat_entry(table, r, c));
    }
    return at_fmat_at(&room->shifted, j, 0);
}

/* out row i = Σ_j a_ij values_j over the tokens that i sees. */
static int attend_row(at_fmat *out, head_room *room, const at_evaluation *ev,
                      const at_fmat *values, slong i)
{
    const at_encoding_exact *encoding = ev->net->rule;
    const at_attention *a = &room->a;
    slong *tokens = flint_malloc((size_t) a->rows * sizeof *tokens), count = 0;

    for (slong j = 0; j < a->rows; j++) {
        if (!at_evaluation_sees(ev->net, i, j))
            continue;
        ev->field->set(at_fmat_at(&room->seen_logits, 0, count), at_fmat_at(&room->scores, i, j));
        fmpq_one(room->factors + count);
        fmpq_one(room->gates + count);
        if (encoding->factor != NULL)
            encoding->factor(room->factors + count, a, i, j);
        if (encoding->gate != NULL)
            encoding->gate(room->gates + count, a, i, j);
        room->values[count] = seen_value(room, values, i, j);
        tokens[count++] = j;
    }
    at_row row = { encoding->normaliser, count, out->cols, a->rows, room->seen_logits.data,
                   room->factors, room->gates, room->values, at_fmat_at(out, i, 0), ev->prec, -1,
                   false };
    bool good = ev->field->attend(&row);
    slong bad = row.bad >= 0 ? tokens[row.bad] : -1;
    flint_free(tokens);
    if (good)
        return AT_OK;
    if (bad >= 0)
        return at_error_set(ev->err, AT_LEFT_FIELD, "logit (%ld, %ld) is not rational",
                            (long) i + 1, (long) bad + 1);
    if (row.too_long)
        return at_error_set(ev->err, AT_LEFT_FIELD, "row %ld has too many terms", (long) i + 1);
    return at_error_set(ev->err, AT_LEFT_FIELD, "the norm of weight row %ld is not in the field",
                        (long) i + 1);
}

int at_evaluation_head(at_fmat *out, const at_evaluation *ev, const at_head *head,
                       const at_fmat *values, bool plain)
{
    head_room room;

    if (at_evaluation_head_words(out, ev, head, values, plain))
        return AT_OK;
    room_init(&room, ev, head);
    room.plain = plain;
    int status = make_scores(&room, ev);
    for (slong i = 0; status == AT_OK && i < ev->x.rows; i++)
        status = attend_row(out, &room, ev, values, i);
    room_clear(&room);
    return status;
}

/* x += Σ_h A^h (x W_V^h + b_V^h) W_O^h + b_O. */
static int attention(at_evaluation *ev, const at_layer *layer)
{
    slong n = ev->x.rows, e = ev->net->head_dim;
    at_fmat values, mixed, back, sum;
    fmpq_mat_t none;
    bool any = false;
    int status = AT_OK;

    fmpq_mat_init(none, 0, 0);
    at_fmat_init(&values, ev->field, n, e);
    at_fmat_init(&mixed, ev->field, n, e);
    at_fmat_init(&back, ev->field, n, ev->net->d);
    at_fmat_init(&sum, ev->field, n, ev->net->d);
    for (slong h = 0; status == AT_OK && h < ev->net->heads; h++) {
        const at_head *head = layer->heads + h;
        if (fmpq_mat_is_zero(head->output))
            continue;   /* a head that is off */
        at_fmat_mul_fmpq_mat(&values, &ev->x, head->value, head->value_bias, ev->prec);
        status = at_evaluation_head(&mixed, ev, head, &values, false);
        if (status != AT_OK) {
            at_error_prefix(ev->err, "head %ld: ", (long) h + 1);
            break;
        }
        at_fmat_mul_fmpq_mat(&back, &mixed, head->output, none, ev->prec);
        if (any)
            at_fmat_add(&sum, &back, ev->prec);
        else
            at_fmat_swap(&sum, &back);
        any = true;
    }
    if (status == AT_OK) {
        at_fmat_add(&ev->x, &sum, ev->prec);
        at_evaluation_add_row(&ev->x, layer->output_bias, ev->prec);
    }
    at_fmat_clear(&values), at_fmat_clear(&mixed), at_fmat_clear(&back), at_fmat_clear(&sum);
    fmpq_mat_clear(none);
    return status;
}

/* ---- FFN, LayerNorm ------------------------------------------------------------------------ */

void at_evaluation_add_row(at_fmat *x, const fmpq_mat_t row, slong prec)
{
    at_fmat r;

    if (fmpq_mat_nrows(row) == 0)
        return;
    at_fmat_init(&r, x->field, 1, x->cols);
    at_fmat_set_fmpq_mat(&r, row, prec);
    for (slong i = 0; i < x->rows; i++)
        for (slong j = 0; j < x->cols; j++)
            x->field->add(at_fmat_at(x, i, j), at_fmat_at(x, i, j), at_fmat_at(&r, 0, j), prec);
    at_fmat_clear(&r);
}

/* x += act(x W_1 + b_1) W_2 + b_2. */
static int ffn(at_evaluation *ev, const at_layer *layer)
{
    const at_field *field = ev->field;
    slong width = fmpq_mat_ncols(layer->ffn_in);
    at_fmat hidden, back;
    bool good = true;

    if (width == 0)
        return AT_OK;
    at_fmat_init(&hidden, field, ev->x.rows, width);
    at_fmat_init(&back, field, ev->x.rows, ev->net->d);
    at_fmat_mul_fmpq_mat(&hidden, &ev->x, layer->ffn_in, layer->ffn_in_bias, ev->prec);
    for (slong i = 0; good && i < hidden.rows; i++) {
        for (slong j = 0; good && j < width; j++) {
            void *u = at_fmat_at(&hidden, i, j);
            good = ev->net->activation == AT_GELU ? field->gelu(u, u, ev->prec)
                                                  : field->relu(u, u, ev->prec);
        }
    }
    if (good) {
        at_fmat_mul_fmpq_mat(&back, &hidden, layer->ffn_out, layer->ffn_out_bias, ev->prec);
        at_fmat_add(&ev->x, &back, ev->prec);
    }
    at_fmat_clear(&hidden), at_fmat_clear(&back);
    return good ? AT_OK : at_error_set(ev->err, AT_LEFT_FIELD, "GELU leaves the field");
}

/* Centres row i of x in place; variance = its mean square. */
static void centre(void *variance, at_fmat *x, slong i, slong prec)
{
    const at_field *field = x->field;
    at_fmat t;
    fmpq_t c;

    fmpq_init(c);
    at_fmat_init(&t, field, 1, 2);
    void *mean = at_fmat_at(&t, 0, 0), *square = at_fmat_at(&t, 0, 1);
    for (slong j = 0; j < x->cols; j++)
        field->add(mean, mean, at_fmat_at(x, i, j), prec);
    fmpq_set_si(c, -1, (ulong) x->cols);
    field->mul_fmpq(mean, mean, c, prec);
    fmpq_zero(c);
    field->set_fmpq(variance, c, prec);
    for (slong j = 0; j < x->cols; j++) {
        void *u = at_fmat_at(x, i, j);
        field->add(u, u, mean, prec);
        field->mul(square, u, u, prec);
        field->add(variance, variance, square, prec);
    }
    fmpq_set_si(c, 1, (ulong) x->cols);
    field->mul_fmpq(variance, variance, c, prec);
    at_fmat_clear(&t);
    fmpq_clear(c);
}

/* epsilon = s² − variance with s = ⌊√variance⌋ + 1. */
static bool choose_epsilon(fmpq_t epsilon, const at_field *field, const void *variance)
{
    fmpz_t s;
    fmpq_t v;

    fmpq_init(v), fmpz_init(s);
    bool rational = field->get_fmpq != NULL && field->get_fmpq(v, variance);
    if (rational) {
        fmpz_fdiv_q(s, fmpq_numref(v), fmpq_denref(v));
        fmpz_sqrt(s, s);
        fmpz_add_ui(s, s, 1);
        fmpz_mul(s, s, s);
        fmpq_neg(v, v);
        fmpq_add_fmpz(epsilon, v, s);
    }
    fmpq_clear(v), fmpz_clear(s);
    return rational;
}

static int layernorm(at_evaluation *ev, at_fmat *x, at_norm *norm)
{
    const at_field *field = ev->field;
    at_fmat t;
    bool good = true;

    if (!ev->net->layernorm)
        return AT_OK;
    at_fmat_init(&t, field, 1, 2);
    void *variance = at_fmat_at(&t, 0, 0), *epsilon = at_fmat_at(&t, 0, 1);
    for (slong i = 0; good && i < x->rows; i++) {
        centre(variance, x, i, ev->prec);
        if (ev->fit && i == 0)
            good = choose_epsilon(norm->epsilon, field, variance);
        field->set_fmpq(epsilon, norm->epsilon, ev->prec);
        field->add(variance, variance, epsilon, ev->prec);
        good = good && field->rsqrt(variance, variance, ev->prec);
        for (slong j = 0; good && j < x->cols; j++) {
            void *u = at_fmat_at(x, i, j);
            field->mul(u, u, variance, ev->prec);
            field->mul_fmpq(u, u, fmpq_mat_entry(norm->gain, 0, j), ev->prec);
        }
    }
    at_fmat_clear(&t);
    if (!good)
        return at_error_set(ev->err, AT_LEFT_FIELD,
                            "LayerNorm: variance + epsilon is not a square in the field");
    at_evaluation_add_row(x, norm->shift, ev->prec);
    return AT_OK;
}

/* ---- The network --------------------------------------------------------------------------- */

int at_evaluation_layer(at_evaluation *ev, slong l)
{
    at_layer *layer = ev->net->layers + l;
    int status = attention(ev, layer);

    if (status == AT_OK)
        status = layernorm(ev, &ev->x, &layer->attention_norm);
    if (status == AT_OK)
        status = ffn(ev, layer);
    if (status == AT_OK)
        status = layernorm(ev, &ev->x, &layer->ffn_norm);
    if (status != AT_OK)
        at_error_prefix(ev->err, "layer %ld, ", (long) l + 1);
    return status;
}

/* x = the prepended token and the embedded input, with positions, normalised. */
int at_evaluation_start(at_evaluation *ev, const at_fmat *input)
{
    const at_network_struct *net = ev->net;
    slong before = fmpq_mat_nrows(net->prepended), rows = input->rows + before;
    at_fmat token, embedded;
    bool maps = fmpq_mat_nrows(net->embedding) > 0;

    at_fmat_init(&ev->x, ev->field, rows, net->d);
    at_fmat_init(&token, ev->field, before, net->d);
    at_fmat_init(&embedded, ev->field, input->rows, net->d);
    at_fmat_set_fmpq_mat(&token, net->prepended, ev->prec);
    if (maps)
        at_fmat_mul_fmpq_mat(&embedded, input, net->embedding, net->embedding_bias, ev->prec);
    for (slong i = 0; i < rows; i++) {
        for (slong j = 0; j < net->d; j++) {
            const at_fmat *from = i < before ? &token : maps ? &embedded : input;
            ev->field->set(at_fmat_at(&ev->x, i, j),
                           at_fmat_at(from, i < before ? i : i - before, j));
        }
    }
    at_fmat_clear(&token), at_fmat_clear(&embedded);
    if (net->rule->adds_positions) {
        at_fmat positions;
        at_fmat_init(&positions, ev->field, net->n, net->d);
        at_fmat_set_fmpq_mat(&positions, net->positions, ev->prec);
        at_fmat_add(&ev->x, &positions, ev->prec);
        at_fmat_clear(&positions);
    }
    return layernorm(ev, &ev->x, &ev->net->input_norm);
}

int at_evaluation_run(at_evaluation *ev, const at_fmat *input)
{
    const at_network_struct *net = ev->net;
    int status = at_evaluation_start(ev, input);

    for (slong l = 0; status == AT_OK && l < net->layer_count; l++)
        status = at_evaluation_layer(ev, l);
    if (status == AT_OK && fmpq_mat_nrows(net->readout) > 0) {
        at_fmat out;
        at_fmat_init(&out, ev->field, ev->x.rows, fmpq_mat_ncols(net->readout));
        at_fmat_mul_fmpq_mat(&out, &ev->x, net->readout, net->readout_bias, ev->prec);
        at_fmat_swap(&out, &ev->x);
        at_fmat_clear(&out);
    }
    return status;
}
