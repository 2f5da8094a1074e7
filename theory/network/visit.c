/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational networks: a walk over all matrices, and what stands on it: checks, comparison, random
 * weights. */
#include "attest/theory/network/network.h"

#include <stdio.h>

typedef struct {
    at_network_visitor visit;
    void *context;
    at_error *err;
    int status;
    const at_network_struct *net;
} walk;

static void go_plain(walk *w, fmpq_mat_t a, const char *name)
{
    if (w->status == AT_OK && !fmpq_mat_is_empty(a))
        w->status = w->visit(w->context, name, a, w->err);
}

static void go_layer(walk *w, fmpq_mat_t a, slong l, const char *name)
{
    char text[128];

    snprintf(text, sizeof text, "layers.%ld.%s", (long) l, name);
    go_plain(w, a, text);
}

static void go_head(walk *w, fmpq_mat_t a, slong l, slong h, const char *name)
{
    char text[128];

    snprintf(text, sizeof text, "layers.%ld.heads.%ld.%s", (long) l, (long) h, name);
    go_plain(w, a, text);
}

static void walk_head(walk *w, at_head *head, slong l, slong h)
{
    const at_encoding_exact *encoding = w->net->rule;

    go_head(w, head->query, l, h, "query");
    go_head(w, head->key, l, h, "key");
    go_head(w, head->value, l, h, "value");
    go_head(w, head->output, l, h, "output");
    go_head(w, head->query_bias, l, h, "query_bias");
    go_head(w, head->key_bias, l, h, "key_bias");
    go_head(w, head->value_bias, l, h, "value_bias");
    for (int t = 0; t < AT_TABLES && encoding->tables[t] != NULL; t++) {
        char name[64];
        /* "table." keeps transformer-xl's and deberta's "key" apart from the head's */
        snprintf(name, sizeof name, "table.%s", encoding->tables[t]);
        go_head(w, head->tables[t], l, h, name);
    }
}

int at_network_visit(at_network_t net, at_network_visitor visit, void *context, at_error *err)
{
    walk w = { visit, context, err, AT_OK, net };

    go_plain(&w, net->embedding, "embedding");
    go_plain(&w, net->embedding_bias, "embedding_bias");
    go_plain(&w, net->positions, "positions");
    go_plain(&w, net->prepended, "prepended");
    go_plain(&w, net->input_norm.gain, "input_norm.gain");
    go_plain(&w, net->input_norm.shift, "input_norm.shift");
    for (slong l = 0; l < net->layer_count; l++) {
        at_layer *layer = net->layers + l;
        for (slong h = 0; h < net->heads; h++)
            walk_head(&w, layer->heads + h, l, h);
        go_layer(&w, layer->output_bias, l, "output_bias");
        go_layer(&w, layer->attention_norm.gain, l, "attention_norm.gain");
        go_layer(&w, layer->attention_norm.shift, l, "attention_norm.shift");
        go_layer(&w, layer->ffn_in, l, "ffn_in");
        go_layer(&w, layer->ffn_in_bias, l, "ffn_in_bias");
        go_layer(&w, layer->ffn_out, l, "ffn_out");
        go_layer(&w, layer->ffn_out_bias, l, "ffn_out_bias");
        go_layer(&w, layer->ffn_norm.gain, l, "ffn_norm.gain");
        go_layer(&w, layer->ffn_norm.shift, l, "ffn_norm.shift");
    }
    go_plain(&w, net->readout, "readout");
    go_plain(&w, net->readout_bias, "readout_bias");
    return w.status;
}

/* ---- Checks -------------------------------------------------------------------------------- */

static int wrong(at_error *err, const char *name, const fmpq_mat_t a, slong rows, slong cols)
{
    return at_error_set(err, AT_USAGE, "%s is %ld x %ld, expected %ld x %ld", name,
                        (long) fmpq_mat_nrows(a), (long) fmpq_mat_ncols(a), (long) rows,
                        (long) cols);
}

static bool has_shape(const fmpq_mat_t a, slong rows, slong cols)
{
    return fmpq_mat_nrows(a) == rows && fmpq_mat_ncols(a) == cols;
}

/* Absent, or a row of that width. */
static bool has_bias(const fmpq_mat_t a, slong cols)
{
    return fmpq_mat_nrows(a) == 0 || has_shape(a, 1, cols);
}

static int check_tables(const at_network_struct *net, const at_head *head, at_error *err)
{
    const at_encoding_exact *encoding = net->rule;

    for (int t = 0; t < AT_TABLES && encoding->tables[t] != NULL; t++) {
        slong rows, cols;
        encoding->shape(&rows, &cols, net, t);
        /* windows, buckets and hidden widths may differ from the default; rows of vectors not */
        bool free_rows = net->encoding == AT_ENC_SHAW || net->encoding == AT_ENC_SHAW_K
                         || (net->encoding == AT_ENC_DEBERTA && t == 0);
        bool free_cols = (net->encoding == AT_ENC_T5_BUCKETED && t == 0)
                         || (net->encoding == AT_ENC_FIRE && t > 0);
        if ((!free_rows && fmpq_mat_nrows(head->tables[t]) != rows)
            || (!free_cols && fmpq_mat_ncols(head->tables[t]) != cols))
            return wrong(err, encoding->tables[t], head->tables[t], rows, cols);
    }
    return encoding->check == NULL ? AT_OK : encoding->check(net, head, err);
}

static int check_head(const at_network_struct *net, const at_head *head, at_error *err)
{
    slong d = net->d, e = net->head_dim;

    if (!has_shape(head->query, d, e))
        return wrong(err, "query", head->query, d, e);
    if (!has_shape(head->key, d, e))
        return wrong(err, "key", head->key, d, e);
    if (!has_shape(head->value, d, e))
        return wrong(err, "value", head->value, d, e);
    if (!has_shape(head->output, e, d))
        return wrong(err, "output", head->output, e, d);
    if (!has_bias(head->query_bias, e))
        return wrong(err, "query_bias", head->query_bias, 1, e);
    if (!has_bias(head->key_bias, e))
        return wrong(err, "key_bias", head->key_bias, 1, e);
    if (!has_bias(head->value_bias, e))
        return wrong(err, "value_bias", head->value_bias, 1, e);
    return check_tables(net, head, err);
}

static int check_norm(const at_network_struct *net, const at_norm *norm, const char *name,
                      at_error *err)
{
    if (!net->layernorm)
        return AT_OK;
    if (!has_shape(norm->gain, 1, net->d) || !has_shape(norm->shift, 1, net->d))
        return wrong(err, name, norm->gain, 1, net->d);
    if (fmpq_sgn(norm->epsilon) <= 0)
        return at_error_set(err, AT_USAGE, "%s: epsilon > 0", name);
    return AT_OK;
}

static int check_layer(const at_network_struct *net, const at_layer *layer, at_error *err)
{
    slong d = net->d, f = fmpq_mat_ncols(layer->ffn_in);
    int status = AT_OK;

    for (slong h = 0; status == AT_OK && h < net->heads; h++) {
        status = check_head(net, layer->heads + h, err);
        if (status != AT_OK)
            at_error_prefix(err, "head %ld: ", (long) h + 1);
    }
    if (status != AT_OK)
        return status;
    if (!has_bias(layer->output_bias, d))
        return wrong(err, "output_bias", layer->output_bias, 1, d);
    if (!has_shape(layer->ffn_in, d, f))
        return wrong(err, "ffn_in", layer->ffn_in, d, f);
    if (!has_shape(layer->ffn_out, f, d))
        return wrong(err, "ffn_out", layer->ffn_out, f, d);
    if (!has_bias(layer->ffn_in_bias, f))
        return wrong(err, "ffn_in_bias", layer->ffn_in_bias, 1, f);
    if (!has_bias(layer->ffn_out_bias, d))
        return wrong(err, "ffn_out_bias", layer->ffn_out_bias, 1, d);
    status = check_norm(net, &layer->attention_norm, "attention_norm", err);
    return status != AT_OK ? status : check_norm(net, &layer->ffn_norm, "ffn_norm", err);
}

int at_network_check(const at_network_t net, at_error *err)
{
    const at_encoding_exact *encoding = net->rule;
    slong d = net->d, outputs = fmpq_mat_ncols(net->readout);
    int status = check_norm(net, &net->input_norm, "input_norm", err);

    for (slong l = 0; status == AT_OK && l < net->layer_count; l++) {
        status = check_layer(net, net->layers + l, err);
        if (status != AT_OK)
            at_error_prefix(err, "layer %ld, ", (long) l + 1);
    }
    if (status != AT_OK)
        return status;
    if (fmpq_mat_nrows(net->embedding) > 0 && fmpq_mat_ncols(net->embedding) != d)
        return wrong(err, "embedding", net->embedding, fmpq_mat_nrows(net->embedding), d);
    if (!has_bias(net->embedding_bias, d))
        return wrong(err, "embedding_bias", net->embedding_bias, 1, d);
    if (encoding->uses_positions && !has_shape(net->positions, net->n, d))
        return wrong(err, "positions", net->positions, net->n, d);
    if (!has_bias(net->prepended, d))
        return wrong(err, "prepended", net->prepended, 1, d);
    if (fmpq_mat_nrows(net->readout) > 0 && fmpq_mat_nrows(net->readout) != d)
        return wrong(err, "readout", net->readout, d, outputs);
    if (!has_bias(net->readout_bias, outputs))
        return wrong(err, "readout_bias", net->readout_bias, 1, outputs);
    if (encoding->uses_distance && net->distance == NULL)
        return at_error_set(err, AT_USAGE, "the encoding needs graph distances");
    return AT_OK;
}

/* ---- Comparison ---------------------------------------------------------------------------- */

typedef struct { fmpq_mat_struct **matrices; slong count, alloc; } list;

static int collect(void *context, const char *name, fmpq_mat_t a, at_error *err)
{
    list *all = context;

    (void) name;
    (void) err;
    if (all->count == all->alloc) {
        all->alloc = 2 * all->alloc + 16;
        all->matrices = flint_realloc(all->matrices, (size_t) all->alloc * sizeof *all->matrices);
    }
    all->matrices[all->count++] = a;
    return AT_OK;
}

static bool same_options(const at_network_struct *a, const at_network_struct *b)
{
    bool same = a->encoding == b->encoding && a->rule == b->rule && a->mask == b->mask
        && a->activation == b->activation
        && a->layernorm == b->layernorm && a->scale_logits == b->scale_logits && a->n == b->n
        && a->d == b->d && a->head_dim == b->head_dim && a->heads == b->heads
        && a->layer_count == b->layer_count && fmpq_equal(a->scale, b->scale)
        && fmpq_equal(a->input_norm.epsilon, b->input_norm.epsilon)
        && (a->distance == NULL) == (b->distance == NULL);

    for (slong l = 0; same && l < a->layer_count; l++)
        same = fmpq_equal(a->layers[l].attention_norm.epsilon, b->layers[l].attention_norm.epsilon)
               && fmpq_equal(a->layers[l].ffn_norm.epsilon, b->layers[l].ffn_norm.epsilon);
    for (slong k = 0; same && a->distance != NULL && k < a->n * a->n; k++)
        same = a->distance[k] == b->distance[k];
    return same;
}

bool at_network_equal(const at_network_t a, const at_network_t b)
{
    list left = { NULL, 0, 0 }, right = { NULL, 0, 0 };
    bool same = same_options(a, b)
                && at_network_visit((at_network_struct *) a, collect, &left, NULL) == AT_OK
                && at_network_visit((at_network_struct *) b, collect, &right, NULL) == AT_OK
                && left.count == right.count;

    for (slong k = 0; same && k < left.count; k++)
        same = has_shape(left.matrices[k], fmpq_mat_nrows(right.matrices[k]),
                         fmpq_mat_ncols(right.matrices[k]))
               && fmpq_mat_equal(left.matrices[k], right.matrices[k]);
    flint_free(left.matrices);
    flint_free(right.matrices);
    return same;
}

/* ---- Random weights ------------------------------------------------------------------------ */

typedef struct { at_random *r; slong size, denominator; } draw;

static int draw_matrix(void *context, const char *name, fmpq_mat_t a, at_error *err)
{
    draw *d = context;

    (void) name;
    (void) err;
    at_random_fmpq_mat(a, d->r, d->size, d->denominator, 0);
    return AT_OK;
}

/* An edge with probability one half: now and then some vertices are out of reach. */
static void random_graph(at_network_struct *net, at_random *r)
{
    slong n = net->n, count = 0, (*edges)[2] = flint_malloc((size_t) (n * n) * sizeof *edges);

    for (slong i = 0; i < n; i++) {
        for (slong j = 0; j < i; j++) {
            if (at_random_below(r, n) >= 2)
                continue;
            edges[count][0] = i;
            edges[count++][1] = j;
        }
    }
    at_network_set_graph(net, edges, count);
    flint_free(edges);
}

void at_network_random(at_network_t net, at_random *r, slong size, slong denominator)
{
    const at_encoding_exact *encoding = net->rule;
    draw d = { r, size, denominator };
    int status = at_network_visit(net, draw_matrix, &d, NULL);

    (void) status;   /* draw_matrix cannot fail */
    if (encoding->uses_distance)
        random_graph(net, r);
    for (slong l = 0; encoding->random != NULL && l < net->layer_count; l++)
        for (slong h = 0; h < net->heads; h++)
            encoding->random(net->layers[l].heads + h, net, r);
    if (net->encoding == AT_ENC_SINUSOIDAL) {
        fmpq_mat_t rotation;
        fmpq_mat_init(rotation, FLINT_MAX(net->d / 2, 1), 2);
        for (slong b = 0; b < fmpq_mat_nrows(rotation); b++) {
            slong p = at_random_between(r, 1, 4), q = at_random_between(r, 1, 4);
            fmpq_set_si(fmpq_mat_entry(rotation, b, 0), p * p - q * q, (ulong) (p * p + q * q));
            fmpq_set_si(fmpq_mat_entry(rotation, b, 1), 2 * p * q, (ulong) (p * p + q * q));
        }
        at_network_set_sinusoid(net, rotation);
        fmpq_mat_clear(rotation);
    }
}

void at_network_zero_queries(at_network_t net)
{
    for (slong l = 0; l < net->layer_count; l++) {
        for (slong h = 0; h < net->heads; h++) {
            fmpq_mat_zero(net->layers[l].heads[h].query);
            fmpq_mat_zero(net->layers[l].heads[h].query_bias);
        }
    }
}
