/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational networks: building, checking, visiting. */
#include "attest/theory/network/network.h"

/* ---- Matrices ------------------------------------------------------------------------------ */

static void resize(fmpq_mat_t a, slong rows, slong cols)
{
    fmpq_mat_clear(a);
    fmpq_mat_init(a, rows, cols);
}

static void fill(fmpq_mat_t a, slong c)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < fmpq_mat_ncols(a); j++)
            fmpq_set_si(fmpq_mat_entry(a, i, j), c, 1);
}

static void norm_init(at_norm *norm, slong d)
{
    slong rows = d > 0 ? 1 : 0;

    fmpq_mat_init(norm->gain, rows, d);
    fmpq_mat_init(norm->shift, rows, d);
    fill(norm->gain, 1);
    fmpq_init(norm->epsilon);
    fmpq_set_si(norm->epsilon, 1, 100000);
}

static void norm_clear(at_norm *norm)
{
    fmpq_mat_clear(norm->gain);
    fmpq_mat_clear(norm->shift);
    fmpq_clear(norm->epsilon);
}

/* ---- Heads and layers ---------------------------------------------------------------------- */

void at_head_resize_table(at_head *head, int t, slong rows, slong cols)
{
    resize(head->tables[t], rows, cols);
}

/* Neutral values: gates, factors and slopes of ψ that change nothing. */
static void neutral_tables(at_head *head, const at_network_struct *net)
{
    switch (net->encoding) {
    case AT_ENC_URPE:
    case AT_ENC_GRAPH_URPE:
    case AT_ENC_L2_NORM:
        fill(head->tables[1], 1);
        break;
    case AT_ENC_T5_BUCKETED:
        fill(head->tables[1], 128);
        break;
    case AT_ENC_KERPLE_POWER:
        fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 1), 1, 1);
        break;
    case AT_ENC_FIRE:
        fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 0), 1, 1);
        break;
    case AT_ENC_ROPE:
        for (slong b = 0; b < fmpq_mat_nrows(head->tables[0]); b++) {
            fmpq_set_si(fmpq_mat_entry(head->tables[0], b, 0), 3, 5);
            fmpq_set_si(fmpq_mat_entry(head->tables[0], b, 1), 4, 5);
        }
        break;
    default:
        break;
    }
}

static void head_init(at_head *head, const at_network_struct *net, bool biases)
{
    const at_encoding_exact *encoding = net->rule;
    slong rows = biases ? 1 : 0;

    fmpq_mat_init(head->query, net->d, net->head_dim);
    fmpq_mat_init(head->key, net->d, net->head_dim);
    fmpq_mat_init(head->value, net->d, net->head_dim);
    fmpq_mat_init(head->output, net->head_dim, net->d);
    fmpq_mat_init(head->query_bias, rows, net->head_dim);
    fmpq_mat_init(head->key_bias, rows, net->head_dim);
    fmpq_mat_init(head->value_bias, rows, net->head_dim);
    for (int t = 0; t < AT_TABLES; t++) {
        slong height = 0, width = 0;
        if (encoding->tables[t] != NULL)
            encoding->shape(&height, &width, net, t);
        fmpq_mat_init(head->tables[t], height, width);
    }
    neutral_tables(head, net);
}

static void head_clear(at_head *head)
{
    fmpq_mat_clear(head->query);
    fmpq_mat_clear(head->key);
    fmpq_mat_clear(head->value);
    fmpq_mat_clear(head->output);
    fmpq_mat_clear(head->query_bias);
    fmpq_mat_clear(head->key_bias);
    fmpq_mat_clear(head->value_bias);
    for (int t = 0; t < AT_TABLES; t++)
        fmpq_mat_clear(head->tables[t]);
}

static void layer_init(at_layer *layer, const at_network_struct *net, bool biases)
{
    slong rows = biases ? 1 : 0;

    layer->heads = flint_malloc((size_t) net->heads * sizeof *layer->heads);
    for (slong h = 0; h < net->heads; h++)
        head_init(layer->heads + h, net, biases);
    fmpq_mat_init(layer->output_bias, rows, net->d);
    fmpq_mat_init(layer->ffn_in, net->d, net->ffn);
    fmpq_mat_init(layer->ffn_out, net->ffn, net->d);
    fmpq_mat_init(layer->ffn_in_bias, rows, net->ffn);
    fmpq_mat_init(layer->ffn_out_bias, rows, net->d);
    norm_init(&layer->attention_norm, net->layernorm ? net->d : 0);
    norm_init(&layer->ffn_norm, net->layernorm ? net->d : 0);
}

static void layer_clear(at_layer *layer, slong heads)
{
    for (slong h = 0; h < heads; h++)
        head_clear(layer->heads + h);
    flint_free(layer->heads);
    fmpq_mat_clear(layer->output_bias);
    fmpq_mat_clear(layer->ffn_in);
    fmpq_mat_clear(layer->ffn_out);
    fmpq_mat_clear(layer->ffn_in_bias);
    fmpq_mat_clear(layer->ffn_out_bias);
    norm_clear(&layer->attention_norm);
    norm_clear(&layer->ffn_norm);
}

/* ---- Networks ------------------------------------------------------------------------------ */

static int sizes_make_sense(const at_model *model, slong head_dim, at_error *err)
{
    if ((int) model->encoding < 0 || model->encoding >= AT_ENC_COUNT)
        return at_error_set(err, AT_USAGE, "no such encoding");
    if (model->n < 1 || model->d < 1 || model->heads < 1 || model->n > 100000 || model->d > 100000
        || model->heads > 10000 || model->layers > 10000 || model->ffn > 1000000)
        return at_error_set(err, AT_USAGE, "n, d and heads are at least 1");
    if (model->lm_head)
        return at_error_set(err, AT_USAGE, "an exact network has a linear readout, no LM head");
    if (head_dim < 1)
        return at_error_set(err, AT_USAGE, "d is a multiple of heads, or name the head's width");
    if (model->encoding == AT_ENC_ROPE && head_dim % 2 != 0)
        return at_error_set(err, AT_USAGE, "rope needs heads of even width");
    return AT_OK;
}

static void set_sizes(at_network_struct *net, const at_model *model, slong head_dim,
                      const at_encoding_exact *rule)
{
    net->encoding = model->encoding;
    net->rule = rule;
    net->mask = model->causal || at_encodings[model->encoding].causal_only ? AT_MASK_CAUSAL
                                                                           : AT_MASK_NONE;
    net->activation = model->activation;
    net->layernorm = model->layernorm;
    net->scale_logits = model->scale_logits;
    net->n = (slong) model->n;
    net->d = (slong) model->d;
    net->head_dim = head_dim;
    net->ffn = (slong) model->ffn;
    net->heads = (slong) model->heads;
    net->layer_count = (slong) model->layers;
    net->distance = NULL;
}

int at_network_init(at_network_t net, const at_model *model, slong head_dim, at_error *err)
{
    return at_network_init_rule(net, model, head_dim, NULL, err);
}

int at_network_init_rule(at_network_t net, const at_model *model, slong head_dim,
                         const at_encoding_exact *rule, at_error *err)
{
    if (head_dim == 0 && model->heads > 0 && model->d % model->heads == 0)
        head_dim = (slong) (model->d / model->heads);
    int status = sizes_make_sense(model, head_dim, err);
    if (status != AT_OK)
        return status;
    set_sizes(net, model, head_dim, rule != NULL ? rule : at_encodings_exact[model->encoding]);
    slong inputs = (slong) (model->vocab > 0 ? model->vocab : model->inputs);
    slong d = net->d, outputs = (slong) model->outputs;
    bool positions = net->rule->uses_positions;

    net->layers = flint_malloc((size_t) FLINT_MAX(net->layer_count, 1) * sizeof *net->layers);
    for (slong l = 0; l < net->layer_count; l++)
        layer_init(net->layers + l, net, model->biases);
    fmpq_init(net->scale);
    fmpq_one(net->scale);
    norm_init(&net->input_norm, net->layernorm ? d : 0);
    fmpq_mat_init(net->embedding, inputs, d);
    fmpq_mat_init(net->embedding_bias, 0, d);
    fmpq_mat_init(net->positions, positions ? net->n : 0, d);
    fmpq_mat_init(net->prepended, 0, d);
    fmpq_mat_init(net->readout, outputs > 0 ? d : 0, outputs);
    fmpq_mat_init(net->readout_bias, outputs > 0 && model->biases ? 1 : 0, outputs);
    if (net->rule->uses_distance)
        at_network_set_path(net);
    return AT_OK;
}

void at_network_clear(at_network_t net)
{
    for (slong l = 0; l < net->layer_count; l++)
        layer_clear(net->layers + l, net->heads);
    flint_free(net->layers);
    fmpq_clear(net->scale);
    norm_clear(&net->input_norm);
    fmpq_mat_clear(net->embedding);
    fmpq_mat_clear(net->embedding_bias);
    fmpq_mat_clear(net->positions);
    fmpq_mat_clear(net->prepended);
    fmpq_mat_clear(net->readout);
    fmpq_mat_clear(net->readout_bias);
    flint_free(net->distance);
}

void at_network_prepend(at_network_t net, const fmpq_mat_t token)
{
    resize(net->prepended, fmpq_mat_nrows(token), net->d);
    fmpq_mat_set(net->prepended, token);
}

int at_network_table(const at_network_t net, const char *name)
{
    const at_encoding_exact *encoding = net->rule;

    for (int t = 0; t < AT_TABLES && encoding->tables[t] != NULL; t++)
        if (strcmp(encoding->tables[t], name) == 0)
            return t;
    return -1;
}

void at_network_set_sinusoid(at_network_t net, const fmpq_mat_t rotation)
{
    slong blocks = FLINT_MIN(net->d / 2, fmpq_mat_nrows(rotation));
    fmpq_t t;

    fmpq_init(t);
    resize(net->positions, net->n, net->d);
    for (slong b = 0; b < blocks; b++) {
        const fmpq *c = fmpq_mat_entry(rotation, b, 0), *s = fmpq_mat_entry(rotation, b, 1);
        for (slong i = 0; i < net->n; i++) {
            fmpq *cosine = fmpq_mat_entry(net->positions, i, 2 * b);
            fmpq *sine = fmpq_mat_entry(net->positions, i, 2 * b + 1);
            if (i == 0) {
                fmpq_set(cosine, c);
                fmpq_set(sine, s);
                continue;
            }
            const fmpq *before_c = fmpq_mat_entry(net->positions, i - 1, 2 * b);
            const fmpq *before_s = fmpq_mat_entry(net->positions, i - 1, 2 * b + 1);
            fmpq_mul(cosine, before_c, c);
            fmpq_submul(cosine, before_s, s);
            fmpq_mul(sine, before_s, c);
            fmpq_addmul(sine, before_c, s);
        }
    }
    fmpq_clear(t);
}

/* ---- Graphs -------------------------------------------------------------------------------- */

/* All shortest paths (Floyd and Warshall). */
void at_network_set_graph(at_network_t net, slong (*edges)[2], slong count)
{
    slong n = net->n;

    net->distance = flint_realloc(net->distance, (size_t) (n * n) * sizeof *net->distance);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            net->distance[i * n + j] = i == j ? 0 : -1;
    for (slong e = 0; e < count; e++) {
        slong u = edges[e][0], v = edges[e][1];
        if (u != v && u >= 0 && v >= 0 && u < n && v < n)
            net->distance[u * n + v] = net->distance[v * n + u] = 1;
    }
    for (slong m = 0; m < n; m++) {
        for (slong i = 0; i < n; i++) {
            slong first = net->distance[i * n + m];
            for (slong j = 0; first >= 0 && j < n; j++) {
                slong second = net->distance[m * n + j], *known = net->distance + i * n + j;
                if (second >= 0 && (*known < 0 || first + second < *known))
                    *known = first + second;
            }
        }
    }
}

void at_network_set_path(at_network_t net)
{
    slong n = net->n;

    net->distance = flint_realloc(net->distance, (size_t) (n * n) * sizeof *net->distance);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            net->distance[i * n + j] = FLINT_ABS(i - j);
}

/* ---- Doubles ------------------------------------------------------------------------------- */

double at_fmpq_get_d(const fmpq_t c)
{
    arb_t ball;

    arb_init(ball);
    arb_set_fmpq(ball, c, 200);
    double d = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    arb_clear(ball);
    return d;
}

void at_fmpq_mat_get_d(double *out, const fmpq_mat_t a)
{
    slong cols = fmpq_mat_ncols(a);

    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < cols; j++)
            out[i * cols + j] = at_fmpq_get_d(fmpq_mat_entry(a, i, j));
}
