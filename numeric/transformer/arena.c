/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each array of a workspace lies: see workspace.h. */
#include "config.h"

#include "attest/numeric/transformer/workspace.h"
#include "attest/numeric/transformer/multiply.h"

size_t at_arena_slice_sequences(const at_model *model, size_t batch, size_t n)
{
    size_t tokens = model->d > 128 ? 2 * SLICE_TOKENS : SLICE_TOKENS;
    size_t sequences = (tokens + n - 1) / n, least = (batch + SLICES - 1) / SLICES;

    return sequences > least ? sequences : least;
}

size_t at_arena_lanes_apart(const at_layout *layout, size_t room)
{
    size_t bytes = layout->count * sizeof(REAL);

    return 8 * bytes <= room ? 8 : 4 * bytes <= room ? 4 : 0;
}

/* The arena: with base NULL it only counts.  Every array begins on a cache line. */
typedef struct {
    REAL *base;
    size_t used;
} arena;

static REAL *take(arena *arena, size_t count)
{
    REAL *p = arena->base != NULL ? arena->base + arena->used : NULL;
    size_t line = 64 / sizeof(REAL);

    arena->used += (count + line - 1) / line * line;
    return p;
}

/* Begins so many lines behind a page.  The weights, their product with C and their gradient are walked
 * side by side, by rows of 2^k bytes: on the same lines of their pages a store into one would hold up
 * loads from another. */
static REAL *take_behind_page(arena *arena, size_t lines, size_t count)
{
    size_t line = 64 / sizeof(REAL), page = 64 * line;

    arena->used = (arena->used + page - 1) / page * page + lines * line;
    return take(arena, count);
}

static void take_layer(arena *arena, const at_model *model, size_t rows, size_t weights,
                       at_layer_acts *acts)
{
    size_t d = model->d;

    acts->qkv = take(arena, rows * 3 * d);
    acts->p = take_behind_page(arena, 0, weights);
    acts->o = take(arena, rows * d);
    acts->hat1 = take(arena, rows * d);
    acts->rstd1 = take(arena, rows);
    acts->x1 = take(arena, rows * d);
    acts->x2 = acts->x1;
    if (model->ffn == 0)
        return;
    acts->h = take(arena, rows * model->ffn);
    acts->g = take(arena, rows * model->ffn);
    acts->hat2 = take(arena, rows * d);
    acts->rstd2 = take(arena, rows);
    acts->x2 = take(arena, rows * d);
}

/* Activations of rows tokens; kept: each layer its own. */
static void take_acts(arena *arena, const at_model *model, size_t rows, size_t weights,
                      bool kept, at_acts *acts)
{
    size_t d = model->d;

    if (model->vocab == 0)
        acts->rows = take(arena, rows * model->inputs);
    acts->hat0 = take(arena, rows * d);
    acts->rstd0 = take(arena, rows);
    acts->x0 = take(arena, rows * d);
    for (size_t l = 0; l < model->layers; l++) {
        if (kept || l == 0)
            take_layer(arena, model, rows, weights, &acts->layers[l]);
        else
            acts->layers[l] = acts->layers[0];
    }
    acts->y = model->layers > 0 ? acts->layers[model->layers - 1].x2 : acts->x0;
    if (!model->lm_head)
        return;
    acts->hd = take(arena, rows * d);
    acts->gd = take(arena, rows * d);
    acts->hat3 = take(arena, rows * d);
    acts->rstd3 = take(arena, rows);
    acts->y = take(arena, rows * d);
}

static void take_thread(arena *arena, at_transformer *net, size_t slice_rows,
                        at_thread_acts *own)
{
    const at_model *model = &net->layout->model;
    size_t n = model->n, e = model->d / model->heads;
    size_t widest = model->ffn > model->d ? model->ffn : model->d;

    if (!net->gradients)
        take_acts(arena, model, slice_rows, n * n, false, &own->acts);
    else if (net->by_lane)
        take_acts(arena, model, slice_rows, slice_rows * model->heads * n, true, &own->acts);
    own->logits = take(arena, (net->by_lane ? slice_rows : LOGIT_ROWS)
                                     * model->outputs);
    own->pack = own->head.pack = take(arena, at_multiply_room(net->kernels));
    own->dx = take(arena, slice_rows * model->d);
    own->dy = take(arena, slice_rows * model->d);
    own->wide = take(arena, slice_rows * widest);
    own->head.a = take_behind_page(arena, 11, at_attention_scores(&net->shape, n));
    own->head.da = take_behind_page(arena, 21, at_attention_scores(&net->shape, n));
    own->head.left = take(arena, at_attention_packed_room(net->kernels, n, e));
    own->head.right = take(arena, at_attention_packed_room(net->kernels, n, e));
    if (net->shape.key || net->shape.query || net->shape.value)
        own->head.offsets = take(arena, n * (2 * n - 1));
    own->head.q = take(arena, 3 * n * e);
    own->head.dot = take(arena, n);
}

static void take_packed(arena *arena, at_transformer *net)
{
    for (size_t i = 0; i < at_weight_count(&net->layout->model); i++) {
        at_weight *w = &net->weights[i];

        if (w->offset == AT_NONE)
            continue;
        w->forward = take(arena, net->kernels->packed_count(w->from, w->to));
        if (net->gradients)
            w->back = take(arena, net->kernels->packed_count(w->to, w->from));
    }
}

void at_arena_lay_derived(at_transformer *net)
{
    const at_model *model = &net->layout->model;
    const at_derived_shape *shape = &net->shape;
    size_t offsets = 2 * model->n - 1, pairs = model->n * model->n;
    arena arena = {net->arena, 0};
    at_derived *at = &net->derived_at;

#define TABLE_COUNT(form) (model->heads * ((form) == AT_TABLE_PAIR ? pairs : offsets))
    at->bias = shape->bias ? take(&arena, TABLE_COUNT(shape->bias)) : NULL;
    at->factor = shape->factor ? take(&arena, TABLE_COUNT(shape->factor)) : NULL;
    at->key = shape->key ? take(&arena, offsets * shape->width) : NULL;
    at->query = shape->query ? take(&arena, offsets * shape->width) : NULL;
    at->value = shape->value ? take(&arena, offsets * shape->width) : NULL;
    at->content = shape->content ? take(&arena, model->d) : NULL;
#undef TABLE_COUNT
    net->derived_count = arena.used;
}

at_derived at_arena_derived(const at_transformer *net, REAL *block)
{
    const at_derived *at = &net->derived_at;
    at_derived out;

#define MOVED(field) (at->field != NULL ? block + (at->field - net->arena) : NULL)
    out.bias = MOVED(bias);
    out.factor = MOVED(factor);
    out.key = MOVED(key);
    out.query = MOVED(query);
    out.value = MOVED(value);
    out.content = MOVED(content);
#undef MOVED
    return out;
}

size_t at_arena_set(const at_transformer *net, size_t layer)
{
    return net->sets > 1 ? layer : 0;
}

/* Which vectors a slice sums into its side gradient: biases and LayerNorms; then the derived arrays. */
static bool in_side(const at_layout *layout, const at_view *view)
{
    if (view->kind == AT_PARAM_NORM_WEIGHT)
        return true;
    if (view->kind != AT_PARAM_BIAS)
        return false;
    for (size_t l = 0; l < layout->model.layers; l++)
        for (size_t s = 0; s < AT_ENCODING_SLOTS; s++)
            if (layout->layers[l].encoding[s] == view->offset)
                return false;
    return true;
}

static size_t side_at(const at_transformer *net, size_t offset)
{
    for (size_t v = 0; v < net->layout->view_count && offset != AT_NONE; v++)
        if (net->layout->views[v].offset == offset)
            return net->side_of[v];
    return AT_NONE;
}

void at_arena_lay_side(at_transformer *net)
{
    const at_layout *layout = net->layout;

    net->side_count = 0;
    for (size_t v = 0; v < layout->view_count; v++) {
        bool in = in_side(layout, &layout->views[v]);

        net->side_of[v] = in ? net->side_count : AT_NONE;
        net->side_count += in ? layout->views[v].count : 0;
    }
    net->side_vectors = (net->side_count + 15) / 16 * 16;
    net->side_count = net->side_vectors + net->sets * net->derived_count;
    for (size_t l = 0; l < layout->model.layers; l++) {
        const at_layer_offsets *from = &layout->layers[l];
        at_side_layer *to = &net->side_layers[l];

        to->qkv_b = side_at(net, from->qkv_b);
        to->out_b = side_at(net, from->out_b);
        to->ln1_w = side_at(net, from->ln1_w);
        to->ln1_b = side_at(net, from->ln1_b);
        to->fc1_b = side_at(net, from->fc1_b);
        to->fc2_b = side_at(net, from->fc2_b);
        to->ln2_w = side_at(net, from->ln2_w);
        to->ln2_b = side_at(net, from->ln2_b);
    }
    net->side_in_b = side_at(net, layout->in_b);
    net->side_ln0_w = side_at(net, layout->ln0_w);
    net->side_ln0_b = side_at(net, layout->ln0_b);
    net->side_dense_b = side_at(net, layout->dense_b);
    net->side_ln1_w = side_at(net, layout->ln1_w);
    net->side_ln1_b = side_at(net, layout->ln1_b);
    net->side_dec_b = side_at(net, layout->dec_b);
}

size_t at_arena_lay(at_transformer *net)
{
    const at_model *model = &net->layout->model;
    arena arena = {net->arena, 0};
    size_t rows = net->batch_limit * model->n, n = model->n;
    size_t slice = at_arena_slice_sequences(model, net->batch_limit, n) * n, chunk;

    /* Shorter sequences fill a slice with fewer tokens than slice, or few more. */
    slice += n;
    slice = slice > rows ? rows : slice;
    net->fixed = take(&arena, at_encoding_fixed_count(model));
    net->derived = take(&arena, net->sets * net->derived_count);
    net->encoding_scratch = take(&arena, at_encoding_scratch(model));
    if (net->gradients) {
        net->side = take(&arena, net->lane_limit * net->side_count);
    }
    if (net->gradients && net->by_lane)
        net->lane_grad = take(&arena, net->lane_limit * net->layout->count);
    if (net->gradients && !net->by_lane) {
        take_acts(&arena, model, rows, net->batch_limit * model->heads * n * n, true,
                  &net->acts);
        chunk = net->room / sizeof(REAL) / model->outputs;
        chunk = chunk < slice ? slice : chunk > rows ? rows : chunk;
        net->chunk_tokens = chunk;
        net->dlogits = take(&arena, chunk * model->outputs);
    }
    if (net->packs)
        take_packed(&arena, net);
    for (int t = 0; t < net->threads; t++)
        take_thread(&arena, net, slice, &net->thread[t]);
    return arena.used;
}
