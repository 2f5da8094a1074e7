/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of a Transformer's parameters: the views in the order in which a file lists them and a
 * seed draws them. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/encoding/encoding.h"
#include "attest/numeric/transformer/layout.h"

/* Views per layer at most: 12 and the encoding's. */
enum { VIEWS_OUTSIDE = 16 + AT_ENCODING_SLOTS, VIEWS_PER_LAYER = 12 + AT_ENCODING_SLOTS };

/* Appends a view and returns its offset.  columns 0: a vector. */
static size_t add_view(at_layout *layout, enum at_param_kind kind, size_t rows, size_t columns,
                       const char *format, ...) AT_PRINTF(5, 6);

static size_t add_view(at_layout *layout, enum at_param_kind kind, size_t rows, size_t columns,
                       const char *format, ...)
{
    at_view *view = &layout->views[layout->view_count++];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(view->name, sizeof view->name, format, arguments);
    va_end(arguments);
    view->kind = kind;
    view->rank = columns == 0 ? 1 : 2;
    view->shape[0] = rows;
    view->shape[1] = columns == 0 ? 1 : columns;
    view->shape[2] = 1;
    view->count = view->shape[0] * view->shape[1];
    view->offset = layout->count;
    layout->count += view->count;
    return view->offset;
}

static void add_norm(at_layout *layout, const char *name, size_t *weight, size_t *bias)
{
    size_t d = layout->model.d;

    *weight = *bias = AT_NONE;
    if (!layout->model.layernorm && strcmp(name, "ln1") != 0)
        return;
    *weight = add_view(layout, AT_PARAM_NORM_WEIGHT, d, 0, "%s.weight", name);
    *bias = add_view(layout, AT_PARAM_BIAS, d, 0, "%s.bias", name);
}

static void add_linear(at_layout *layout, const char *name, size_t out, size_t in, size_t *weight,
                       size_t *bias)
{
    *weight = add_view(layout, AT_PARAM_MATRIX, out, in, "%s.weight", name);
    *bias = AT_NONE;
    if (layout->model.biases)
        *bias = add_view(layout, AT_PARAM_BIAS, out, 0, "%s.bias", name);
}

static void add_encoding(at_layout *layout, const char *prefix, at_layer_offsets *layer)
{
    at_slot slots[AT_ENCODING_SLOTS];
    size_t count = at_encoding_slots(&layout->model, slots);

    for (size_t s = 0; s < count; s++)
        layer->encoding[s] = add_view(layout, slots[s].kind, slots[s].shape[0],
                                      slots[s].rank > 1 ? slots[s].shape[1] : 0, "%s%s", prefix,
                                      slots[s].name);
}

static void add_layer(at_layout *layout, size_t l)
{
    at_layer_offsets *layer = &layout->layers[l];
    const at_model *model = &layout->model;
    char name[64];

#define LAYER_NAME(what) (snprintf(name, sizeof name, "layers.%zu." what, l), name)
    add_linear(layout, LAYER_NAME("attn.qkv"), 3 * model->d, model->d, &layer->qkv_w, &layer->qkv_b);
    add_linear(layout, LAYER_NAME("attn.out"), model->d, model->d, &layer->out_w, &layer->out_b);
    add_norm(layout, LAYER_NAME("ln1"), &layer->ln1_w, &layer->ln1_b);
    layer->fc1_w = layer->fc1_b = layer->fc2_w = layer->fc2_b = AT_NONE;
    layer->ln2_w = layer->ln2_b = AT_NONE;
    if (model->ffn > 0) {
        add_linear(layout, LAYER_NAME("fc1"), model->ffn, model->d, &layer->fc1_w, &layer->fc1_b);
        add_linear(layout, LAYER_NAME("fc2"), model->d, model->ffn, &layer->fc2_w, &layer->fc2_b);
        add_norm(layout, LAYER_NAME("ln2"), &layer->ln2_w, &layer->ln2_b);
    }
    if (model->tables_per_layer)
        add_encoding(layout, LAYER_NAME(""), layer);
#undef LAYER_NAME
}

static void add_head(at_layout *layout)
{
    const at_model *model = &layout->model;

    layout->dense_w = layout->dense_b = layout->ln1_w = layout->ln1_b = AT_NONE;
    if (!model->lm_head) {
        add_linear(layout, "readout", model->outputs, model->d, &layout->dec_w, &layout->dec_b);
        return;
    }
    add_linear(layout, "dense", model->d, model->d, &layout->dense_w, &layout->dense_b);
    add_norm(layout, "ln1", &layout->ln1_w, &layout->ln1_b);
    layout->dec_w = model->tied ? layout->emb_w
                  : add_view(layout, AT_PARAM_MATRIX, model->outputs, model->d, "dec.weight");
    layout->dec_b = AT_NONE;
    if (model->biases)
        layout->dec_b = add_view(layout, AT_PARAM_BIAS, model->outputs, 0, "dec.bias");
}

static void add_all(at_layout *layout)
{
    const at_model *model = &layout->model;

    layout->emb_w = layout->in_w = layout->in_b = layout->ape_w = AT_NONE;
    if (model->vocab > 0)
        layout->emb_w = add_view(layout, AT_PARAM_EMBEDDING, model->vocab, model->d, "emb.weight");
    else
        add_linear(layout, "in", model->d, model->inputs, &layout->in_w, &layout->in_b);
    add_norm(layout, "ln0", &layout->ln0_w, &layout->ln0_b);
    if (model->encoding == AT_ENC_LEARNED)
        layout->ape_w = add_view(layout, AT_PARAM_POSITION, model->n, model->d, "ape.weight");
    for (size_t l = 0; l < model->layers; l++)
        for (size_t s = 0; s < AT_ENCODING_SLOTS; s++)
            layout->layers[l].encoding[s] = AT_NONE;
    for (size_t l = 0; l < model->layers; l++)
        add_layer(layout, l);
    add_head(layout);
    if (!model->tables_per_layer && model->layers > 0) {
        add_encoding(layout, "", &layout->layers[0]);
        for (size_t l = 1; l < model->layers; l++)
            memcpy(layout->layers[l].encoding, layout->layers[0].encoding,
                   sizeof layout->layers[0].encoding);
    }
}

int at_layout_init(at_layout *layout, const at_model *model, at_error *err)
{
    int status = at_model_check(model, err);

    memset(layout, 0, sizeof *layout);
    if (status != AT_OK)
        return status;
    layout->model = *model;
    layout->views = calloc(VIEWS_OUTSIDE + model->layers * VIEWS_PER_LAYER, sizeof *layout->views);
    layout->layers = calloc(model->layers + 1, sizeof *layout->layers);
    if (layout->views == NULL || layout->layers == NULL) {
        at_layout_clear(layout);
        return at_error_memory(err, "the layout of a model");
    }
    add_all(layout);
    return AT_OK;
}

void at_layout_clear(at_layout *layout)
{
    free(layout->views);
    free(layout->layers);
    memset(layout, 0, sizeof *layout);
}

const at_view *at_layout_find(const at_layout *layout, const char *name)
{
    for (size_t v = 0; v < layout->view_count; v++)
        if (strcmp(layout->views[v].name, name) == 0)
            return &layout->views[v];
    return NULL;
}

at_initial at_initial_default(const at_model *model)
{
    at_initial initial = {0.0, 0.02, 0.02, 0.02, 0.0, 0.0, 1.0};

    if (model->layernorm)
        initial.matrix_sd = 0.02;
    return initial;
}

static double view_sd(const at_view *view, const at_initial *initial)
{
    size_t length = strlen(view->name);
    double sd;

    switch (view->kind) {
    case AT_PARAM_EMBEDDING: return initial->embedding_sd;
    case AT_PARAM_BIAS: return initial->bias_sd;
    case AT_PARAM_POSITION: return initial->position_sd;
    case AT_PARAM_LOGIT_TABLE: return initial->logit_table_sd;
    case AT_PARAM_FACTOR_TABLE: return initial->factor_sd;
    case AT_PARAM_MATRIX:
        sd = initial->matrix_sd > 0.0 ? initial->matrix_sd : 1.0 / sqrt((double) view->shape[1]);
        if ((length > 15 && strcmp(view->name + length - 15, "attn.out.weight") == 0)
            || (length > 10 && strcmp(view->name + length - 10, "fc2.weight") == 0))
            sd *= initial->output_factor;
        return sd;
    default: return 0.0;
    }
}

void at_layout_start(const at_layout *layout, const at_initial *initial,
                     double (*normal)(void *state), void *state, double *params)
{
    for (size_t v = 0; v < layout->view_count; v++) {
        const at_view *view = &layout->views[v];
        double sd = view_sd(view, initial);
        double mean = view->kind == AT_PARAM_NORM_WEIGHT || view->kind == AT_PARAM_FACTOR_TABLE
                    ? 1.0 : 0.0;

        for (size_t i = 0; i < view->count; i++)
            params[view->offset + i] = sd != 0.0 ? mean + sd * normal(state) : mean;
    }
}
