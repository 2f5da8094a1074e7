/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational networks for other engines: heads padded to d/heads, weights as float64 tensors. */
#include "attest/theory/realize/impl.h"

#include <stdio.h>

/* ---- Padding ------------------------------------------------------------------------------- */

/* The upper left part of a = b; the rest keeps. */
static void copy_into(fmpq_mat_t a, const fmpq_mat_t b)
{
    for (slong i = 0; i < FLINT_MIN(fmpq_mat_nrows(a), fmpq_mat_nrows(b)); i++)
        for (slong j = 0; j < FLINT_MIN(fmpq_mat_ncols(a), fmpq_mat_ncols(b)); j++)
            fmpq_set(fmpq_mat_entry(a, i, j), fmpq_mat_entry(b, i, j));
}

/* a (a bias) gets b's row, widened to cols. */
static void copy_bias(fmpq_mat_t a, const fmpq_mat_t b, slong cols)
{
    fmpq_mat_clear(a);
    fmpq_mat_init(a, fmpq_mat_nrows(b), cols);
    copy_into(a, b);
}

static void pad_layer(at_layer *to, const at_layer *from, const at_network_struct *net)
{
    for (slong h = 0; h < net->heads; h++) {
        at_head *head = to->heads + h;
        const at_head *source = from->heads + h;
        copy_into(head->query, source->query);
        copy_into(head->key, source->key);
        copy_into(head->value, source->value);
        copy_into(head->output, source->output);
        copy_bias(head->query_bias, source->query_bias, net->head_dim);
        copy_bias(head->key_bias, source->key_bias, net->head_dim);
        copy_bias(head->value_bias, source->value_bias, net->head_dim);
        for (int t = 0; t < AT_TABLES; t++) {
            at_head_resize_table(head, t, fmpq_mat_nrows(source->tables[t]),
                                 fmpq_mat_ncols(source->tables[t]));
            copy_into(head->tables[t], source->tables[t]);
        }
    }
    copy_bias(to->output_bias, from->output_bias, net->d);
    copy_into(to->ffn_in, from->ffn_in);
    copy_into(to->ffn_out, from->ffn_out);
    copy_bias(to->ffn_in_bias, from->ffn_in_bias, net->ffn);
    copy_bias(to->ffn_out_bias, from->ffn_out_bias, net->d);
}

/* Tables that do not depend on the widths. */
static bool can_widen(const at_network_struct *net)
{
    if (net->rule != at_encodings_exact[net->encoding])
        return false;
    switch (net->encoding) {
    case AT_ENC_SHAW_K: case AT_ENC_SHAW: case AT_ENC_TRANSFORMER_XL: case AT_ENC_DEBERTA:
    case AT_ENC_TUPE: case AT_ENC_ROPE:
        return false;
    default:
        return !net->layernorm && !net->scale_logits;
    }
}

int at_network_pad(at_network_t out, const at_network_t net, at_error *err)
{
    slong width = FLINT_MAX(net->head_dim, (net->d + net->heads - 1) / net->heads);
    bool maps = fmpq_mat_nrows(net->embedding) > 0;
    at_model model = {
        .encoding = net->encoding, .n = (size_t) net->n, .d = (size_t) (width * net->heads),
        .heads = (size_t) net->heads, .ffn = (size_t) net->ffn,
        .layers = (size_t) net->layer_count, .activation = net->activation,
        .inputs = (size_t) (maps ? fmpq_mat_nrows(net->embedding) : net->d),
        .outputs = (size_t) fmpq_mat_ncols(net->readout),
    };

    if (!can_widen(net))
        return at_error_set(err, AT_USAGE, "a network with LayerNorm, scaled logits or tables of "
                            "its width cannot be widened");
    int status = at_network_init(out, &model, width, err);
    if (status != AT_OK)
        return status;
    out->mask = net->mask;
    fmpq_set(out->scale, net->scale);
    if (maps)
        copy_into(out->embedding, net->embedding);
    else
        for (slong j = 0; j < net->d; j++)
            at_put(out->embedding, j, j, 1, 1);
    copy_bias(out->embedding_bias, net->embedding_bias, out->d);
    copy_into(out->positions, net->positions);
    copy_bias(out->prepended, net->prepended, out->d);
    copy_into(out->readout, net->readout);
    copy_bias(out->readout_bias, net->readout_bias, fmpq_mat_ncols(net->readout));
    for (slong k = 0; net->distance != NULL && k < net->n * net->n; k++)
        out->distance[k] = net->distance[k];
    for (slong l = 0; l < net->layer_count; l++)
        pad_layer(out->layers + l, net->layers + l, out);
    return AT_OK;
}

/* ---- Tensors ------------------------------------------------------------------------------- */

typedef struct {
    at_tensors *file;
    const at_network_struct *net;
    at_error *err;
    int status;
    bool biases;
} writer;

/* A zeroed rows × cols tensor (cols 0: a vector); its data, NULL after an error. */
static double *add(writer *w, const char *name, slong rows, slong cols)
{
    size_t shape[2] = { (size_t) rows, (size_t) cols };
    at_tensor *tensor = NULL;

    if (w->status == AT_OK)
        w->status = at_tensors_add(w->file, name, AT_F64, cols == 0 ? 1 : 2, shape, NULL, &tensor,
                                   w->err);
    return w->status == AT_OK ? tensor->data : NULL;
}

/* out[(row + j)·cols + col + i] = a(i, j): a weight as [out, in]. */
static void put_transposed(double *out, slong cols, slong row, slong col, const fmpq_mat_t a)
{
    for (slong i = 0; out != NULL && i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < fmpq_mat_ncols(a); j++)
            out[(row + j) * cols + col + i] = at_fmpq_get_d(fmpq_mat_entry(a, i, j));
}

/* A vector; zeros where the network has no such bias. */
static void add_bias(writer *w, const char *name, const fmpq_mat_t bias, slong cols)
{
    if (!w->biases)
        return;
    double *out = add(w, name, cols, 0);
    if (out != NULL && fmpq_mat_nrows(bias) > 0)
        at_fmpq_mat_get_d(out, bias);
}

static void add_weight(writer *w, const char *prefix, const char *name, const fmpq_mat_t a,
                       const fmpq_mat_t bias)
{
    char text[96];

    snprintf(text, sizeof text, "%s%s.weight", prefix, name);
    put_transposed(add(w, text, fmpq_mat_ncols(a), fmpq_mat_nrows(a)), fmpq_mat_nrows(a), 0, 0, a);
    snprintf(text, sizeof text, "%s%s.bias", prefix, name);
    add_bias(w, text, bias, fmpq_mat_ncols(a));
}

/* Query, key and value rows with the heads contiguous in each block; then the output's columns. */
static void add_attention(writer *w, const char *prefix, const at_layer *layer)
{
    slong d = w->net->d, e = w->net->head_dim;
    char text[96];

    snprintf(text, sizeof text, "%sattn.qkv.weight", prefix);
    double *qkv = add(w, text, 3 * d, d), *bias = NULL, *out;
    if (w->biases) {
        snprintf(text, sizeof text, "%sattn.qkv.bias", prefix);
        bias = add(w, text, 3 * d, 0);
    }
    for (slong h = 0; w->status == AT_OK && h < w->net->heads; h++) {
        const at_head *head = layer->heads + h;
        const fmpq_mat_struct *parts[3] = { head->query, head->key, head->value };
        const fmpq_mat_struct *shifts[3] = { head->query_bias, head->key_bias, head->value_bias };
        for (slong part = 0; part < 3; part++) {
            put_transposed(qkv, d, part * d + h * e, 0, parts[part]);
            if (bias != NULL && fmpq_mat_nrows(shifts[part]) > 0)
                at_fmpq_mat_get_d(bias + part * d + h * e, shifts[part]);
        }
    }
    snprintf(text, sizeof text, "%sattn.out.weight", prefix);
    out = add(w, text, d, d);
    for (slong h = 0; w->status == AT_OK && h < w->net->heads; h++)
        put_transposed(out, d, 0, h * e, layer->heads[h].output);
    snprintf(text, sizeof text, "%sattn.out.bias", prefix);
    add_bias(w, text, layer->output_bias, d);
}

/* [2n−1, heads], row j − i + n − 1. */
static void add_table(writer *w, const char *prefix, const char *name, const at_layer *layer, int t)
{
    slong offsets = 2 * w->net->n - 1, heads = w->net->heads;
    char text[96];

    snprintf(text, sizeof text, "%s%s", prefix, name);
    double *out = add(w, text, offsets, heads);
    for (slong h = 0; out != NULL && h < heads; h++)
        for (slong o = 0; o < offsets; o++)
            out[(offsets - 1 - o) * heads + h]
                = at_fmpq_get_d(fmpq_mat_entry(layer->heads[h].tables[t], 0, o));
}

static void add_tables(writer *w, const char *prefix, const at_layer *layer)
{
    if (w->net->encoding == AT_ENC_T5 || w->net->encoding == AT_ENC_URPE)
        add_table(w, prefix, "rpe.weight", layer, 0);
    if (w->net->encoding == AT_ENC_URPE)
        add_table(w, prefix, "urpe.weight", layer, 1);
}

static bool tables_shared(const at_network_struct *net)
{
    for (slong l = 1; l < net->layer_count; l++)
        for (slong h = 0; h < net->heads; h++)
            for (int t = 0; t < AT_TABLES; t++)
                if (!fmpq_mat_equal(net->layers[l].heads[h].tables[t],
                                    net->layers[0].heads[h].tables[t]))
                    return false;
    return true;
}

static bool has_biases(const at_network_struct *net)
{
    bool has = fmpq_mat_nrows(net->embedding_bias) + fmpq_mat_nrows(net->readout_bias) > 0;

    for (slong l = 0; l < net->layer_count; l++) {
        const at_layer *layer = net->layers + l;
        has = has || fmpq_mat_nrows(layer->output_bias) + fmpq_mat_nrows(layer->ffn_in_bias)
                     + fmpq_mat_nrows(layer->ffn_out_bias) > 0;
        for (slong h = 0; h < net->heads; h++)
            has = has || fmpq_mat_nrows(layer->heads[h].query_bias)
                         + fmpq_mat_nrows(layer->heads[h].key_bias)
                         + fmpq_mat_nrows(layer->heads[h].value_bias) > 0;
    }
    return has;
}

/* Token embeddings where the input is one-hot without a bias, else the map of real-valued rows. */
static void add_input(writer *w, bool tokens)
{
    const at_network_struct *net = w->net;

    if (tokens) {
        double *out = add(w, "emb.weight", fmpq_mat_nrows(net->embedding), net->d);
        if (out != NULL)
            at_fmpq_mat_get_d(out, net->embedding);
    } else {
        add_weight(w, "", "in", net->embedding, net->embedding_bias);
    }
    if (net->encoding == AT_ENC_LEARNED) {
        double *out = add(w, "ape.weight", net->n, net->d);
        if (out != NULL)
            at_fmpq_mat_get_d(out, net->positions);
    }
}

static void add_metadata(writer *w, bool tokens, bool shared)
{
    const at_network_struct *net = w->net;
    const struct { const char *key; slong value; } numbers[] = {
        { "n", net->n }, { "d", net->d }, { "heads", net->heads }, { "ffn", net->ffn },
        { "layers", net->layer_count }, { "vocab", tokens ? fmpq_mat_nrows(net->embedding) : 0 },
        { "causal", net->mask == AT_MASK_CAUSAL }, { "scale_logits", net->scale_logits },
        { "tied", 0 }, { "tables_per_layer", !shared },
    };

    if (w->status == AT_OK)
        w->status = at_tensors_set_metadata(w->file, "encoding", at_encodings[net->encoding].name,
                                            w->err);
    if (w->status == AT_OK)
        w->status = at_tensors_set_metadata(w->file, "activation",
                                            net->activation == AT_RELU ? "relu" : "gelu", w->err);
    for (size_t k = 0; w->status == AT_OK && k < sizeof numbers / sizeof numbers[0]; k++) {
        char text[32];
        snprintf(text, sizeof text, "%ld", (long) numbers[k].value);
        w->status = at_tensors_set_metadata(w->file, numbers[k].key, text, w->err);
    }
}

static int write_tensors(writer *w, bool tokens)
{
    const at_network_struct *net = w->net;
    bool shared = tables_shared(net);

    add_input(w, tokens);
    for (slong l = 0; l < net->layer_count; l++) {
        const at_layer *layer = net->layers + l;
        char prefix[48];
        snprintf(prefix, sizeof prefix, "layers.%ld.", (long) l);
        add_attention(w, prefix, layer);
        if (net->ffn > 0) {
            add_weight(w, prefix, "fc1", layer->ffn_in, layer->ffn_in_bias);
            add_weight(w, prefix, "fc2", layer->ffn_out, layer->ffn_out_bias);
        }
        if (!shared)
            add_tables(w, prefix, layer);
    }
    if (fmpq_mat_nrows(net->readout) > 0) {
        add_weight(w, "", "readout", net->readout, net->readout_bias);
    } else {
        fmpq_mat_t identity;
        fmpq_mat_init(identity, net->d, net->d);
        fmpq_mat_one(identity);
        add_weight(w, "", "readout", identity, net->readout_bias);
        fmpq_mat_clear(identity);
    }
    if (shared && net->layer_count > 0)
        add_tables(w, "", net->layers);
    add_metadata(w, tokens, shared);
    return w->status;
}

int at_network_get_tensors(at_tensors *file, const at_network_t net, bool tokens, at_error *err)
{
    at_network_t wide;
    writer w = { file, net, err, AT_OK, has_biases(net) };

    if (net->rule != at_encodings_exact[net->encoding])
        return at_error_set(err, AT_USAGE, "an encoding of one's own is not exported");
    if (net->encoding != AT_ENC_NONE && net->encoding != AT_ENC_LEARNED
        && net->encoding != AT_ENC_T5 && net->encoding != AT_ENC_URPE)
        return at_error_set(err, AT_USAGE, "only none, learned, t5 and urpe are exported");
    if (net->layernorm || fmpq_mat_nrows(net->prepended) > 0 || net->mask == AT_MASK_STRICT
        || !fmpq_is_one(net->scale))
        return at_error_set(err, AT_USAGE, "only networks without LayerNorm, prepended token, "
                            "strict mask and scale are exported");
    if (tokens && fmpq_mat_nrows(net->embedding) == 0)
        return at_error_set(err, AT_USAGE, "tokens need an embedding");
    if (net->head_dim * net->heads == net->d && fmpq_mat_nrows(net->embedding) > 0)
        return write_tensors(&w, tokens);
    int status = at_network_pad(wide, net, err);
    if (status != AT_OK)
        return status;
    w.net = wide;
    status = write_tensors(&w, tokens);
    at_network_clear(wide);
    return status;
}
