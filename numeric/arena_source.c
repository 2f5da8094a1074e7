/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workspace of a Transformer: activations, gradients of what is no matrix, scratch, in one arena.
 * Included by numeric/transformer.c once for each precision.
 *
 * The batch is cut into slices of whole sequences, the same for every number of threads, and the
 * slices into lanes of consecutive ones; a lane is the unit of work and sums its slices' gradients in
 * order, and the lanes are summed in order.  The backward pass writes ∂/∂(output of a matrix product) over
 * the activation that it no longer needs: over qkv, over h (the activation's derivative) and over hat
 * (the normalised rows).
 *
 * Two ways to the gradients of the matrices.  Where a few copies of the gradient are small, each lane has
 * its own (`lane_grad`): a slice goes all the way, forward, back and its share of each product, while
 * its activations are in cache.  Otherwise the activations of the whole batch are kept, a lane is one
 * slice, and the products are taken over the whole batch at the end, in blocks of rows. */

/* Activations of one layer, rows are tokens. */
typedef struct {
    REAL *qkv;               /* [3d] → ∂/∂qkv */
    REAL *p;                 /* [batch, heads, n, n] attention weights before the factor */
    REAL *o;                 /* [d] */
    REAL *hat1, *rstd1, *x1; /* [d], [1], [d] */
    REAL *h, *g;             /* [ffn] derivative → ∂/∂h; activation */
    REAL *hat2, *rstd2, *x2; /* [d], [1], [d] */
} LOCAL(layer_acts);

typedef struct {
    REAL *rows;              /* [inputs] the input in this precision */
    REAL *hat0, *rstd0, *x0; /* [d] */
    LOCAL(layer_acts) *layers;
    REAL *hd, *gd;           /* [d] LM head: dense */
    REAL *hat3, *rstd3, *y;  /* [d] input of the decoder */
} LOCAL(acts);

/* One block of a matrix's gradient [out, in]: grad [rows, columns] = or, with add, += dout^T x over all
 * tokens. */
typedef struct {
    const REAL *dout, *x;
    size_t out, in, tokens, rows, columns;
    REAL *grad;
    bool add;
} LOCAL(product);

/* One thread's own. */
typedef struct {
    LOCAL(acts) acts;        /* of one slice; without gradients the layers share theirs */
    REAL *dx, *dy, *wide;    /* [slice, d] twice, [slice, max(ffn, d)] */
    REAL *pack;              /* of multiply */
    REAL *logits;            /* [LOGIT_ROWS or, with lane_grad, slice, outputs] */
    LOCAL(product) *products;
    LOCAL(head_scratch) head;
} LOCAL(thread);

/* Offsets, in the side gradient of a slice, of a layer's vectors. */
typedef struct {
    size_t qkv_b, out_b, ln1_w, ln1_b, fc1_b, fc2_b, ln2_w, ln2_b;
} LOCAL(side_layer);

TRANSFORMER {
    const at_layout *layout;
    const KERNELS *kernels;
    at_derived_shape shape;
    size_t batch_limit, room;            /* room: bytes, at_transformer_alloc_within */
    int threads;
    bool gradients, packs;               /* packs: the weights, once a pass */
    REAL *arena;
    size_t bytes;
    REAL *fixed;
    size_t sets, derived_count;          /* derived arrays: one set, or one a layer */
    LOCAL(derived) derived_at;           /* offsets from a set's beginning, as pointers from arena */
    REAL *derived;                       /* [sets, derived_count] */
    REAL *encoding_scratch;
    LOCAL(acts) acts;
    REAL *dlogits;                       /* [chunk tokens, outputs] */
    size_t chunk_tokens;
    size_t lane_limit, side_count, side_vectors;
    REAL *side;                          /* [lane_limit, side_count] */
    bool by_lane;
    REAL *lane_grad;                     /* [lane_limit, parameters], by_lane */
    size_t *side_of;                     /* by view: offset in side, or AT_NONE */
    LOCAL(side_layer) *side_layers;
    size_t side_in_b, side_ln0_w, side_ln0_b, side_dense_b, side_ln1_w, side_ln1_b, side_dec_b;
    LOCAL(thread) *thread;
    at_score *slice_score;               /* [SLICES] */
    LOCAL(product) *products;
    LOCAL(weight) *weights;              /* [weight_count] */
};

enum { LOCAL(SLICE_TOKENS) = 256, LOCAL(SLICES) = 64, LOCAL(LOGIT_ROWS) = 64,
       LOCAL(BLOCK_ROWS) = 512, LOCAL(BLOCK_COLUMNS) = 768 };

/* Sequences a slice, from the sizes of the model and the batch alone. */
static size_t LOCAL(slice_sequences)(const at_model *model, size_t batch, size_t n)
{
    size_t tokens = model->d > 128 ? 2 * LOCAL(SLICE_TOKENS) : LOCAL(SLICE_TOKENS);
    size_t sequences = (tokens + n - 1) / n, least = (batch + LOCAL(SLICES) - 1) / LOCAL(SLICES);

    return sequences > least ? sequences : least;
}

/* Lanes with a gradient of their own: 8, or 4 where they are large, else none. */
static size_t LOCAL(lanes_apart)(const at_layout *layout, size_t room)
{
    size_t bytes = layout->count * sizeof(REAL);

    return 8 * bytes <= room ? 8 : 4 * bytes <= room ? 4 : 0;
}

/* The arena: with base NULL it only counts.  Every array begins on a cache line. */
typedef struct {
    REAL *base;
    size_t used;
} LOCAL(arena);

static REAL *LOCAL(take)(LOCAL(arena) *arena, size_t count)
{
    REAL *p = arena->base != NULL ? arena->base + arena->used : NULL;
    size_t line = 64 / sizeof(REAL);

    arena->used += (count + line - 1) / line * line;
    return p;
}

/* Begins so many lines behind a page.  The weights, their product with C and their gradient are walked
 * side by side, by rows of 2^k bytes: on the same lines of their pages a store into one would hold up
 * loads from another. */
static REAL *LOCAL(take_behind_page)(LOCAL(arena) *arena, size_t lines, size_t count)
{
    size_t line = 64 / sizeof(REAL), page = 64 * line;

    arena->used = (arena->used + page - 1) / page * page + lines * line;
    return LOCAL(take)(arena, count);
}

static void LOCAL(take_layer)(LOCAL(arena) *arena, const at_model *model, size_t rows, size_t weights,
                              LOCAL(layer_acts) *acts)
{
    size_t d = model->d;

    acts->qkv = LOCAL(take)(arena, rows * 3 * d);
    acts->p = LOCAL(take_behind_page)(arena, 0, weights);
    acts->o = LOCAL(take)(arena, rows * d);
    acts->hat1 = LOCAL(take)(arena, rows * d);
    acts->rstd1 = LOCAL(take)(arena, rows);
    acts->x1 = LOCAL(take)(arena, rows * d);
    acts->x2 = acts->x1;
    if (model->ffn == 0)
        return;
    acts->h = LOCAL(take)(arena, rows * model->ffn);
    acts->g = LOCAL(take)(arena, rows * model->ffn);
    acts->hat2 = LOCAL(take)(arena, rows * d);
    acts->rstd2 = LOCAL(take)(arena, rows);
    acts->x2 = LOCAL(take)(arena, rows * d);
}

/* Activations of rows tokens; kept: each layer its own. */
static void LOCAL(take_acts)(LOCAL(arena) *arena, const at_model *model, size_t rows, size_t weights,
                             bool kept, LOCAL(acts) *acts)
{
    size_t d = model->d;

    if (model->vocab == 0)
        acts->rows = LOCAL(take)(arena, rows * model->inputs);
    acts->hat0 = LOCAL(take)(arena, rows * d);
    acts->rstd0 = LOCAL(take)(arena, rows);
    acts->x0 = LOCAL(take)(arena, rows * d);
    for (size_t l = 0; l < model->layers; l++) {
        if (kept || l == 0)
            LOCAL(take_layer)(arena, model, rows, weights, &acts->layers[l]);
        else
            acts->layers[l] = acts->layers[0];
    }
    acts->y = model->layers > 0 ? acts->layers[model->layers - 1].x2 : acts->x0;
    if (!model->lm_head)
        return;
    acts->hd = LOCAL(take)(arena, rows * d);
    acts->gd = LOCAL(take)(arena, rows * d);
    acts->hat3 = LOCAL(take)(arena, rows * d);
    acts->rstd3 = LOCAL(take)(arena, rows);
    acts->y = LOCAL(take)(arena, rows * d);
}

static void LOCAL(take_thread)(LOCAL(arena) *arena, TRANSFORMER *net, size_t slice_rows,
                               LOCAL(thread) *own)
{
    const at_model *model = &net->layout->model;
    size_t n = model->n, e = model->d / model->heads;
    size_t widest = model->ffn > model->d ? model->ffn : model->d;

    if (!net->gradients)
        LOCAL(take_acts)(arena, model, slice_rows, n * n, false, &own->acts);
    else if (net->by_lane)
        LOCAL(take_acts)(arena, model, slice_rows, slice_rows * model->heads * n, true, &own->acts);
    own->logits = LOCAL(take)(arena, (net->by_lane ? slice_rows : LOCAL(LOGIT_ROWS))
                                     * model->outputs);
    own->pack = own->head.pack = LOCAL(take)(arena, LOCAL(multiply_room)(net->kernels));
    own->dx = LOCAL(take)(arena, slice_rows * model->d);
    own->dy = LOCAL(take)(arena, slice_rows * model->d);
    own->wide = LOCAL(take)(arena, slice_rows * widest);
    own->head.a = LOCAL(take_behind_page)(arena, 11, LOCAL(most_scores)(&net->shape, n));
    own->head.da = LOCAL(take_behind_page)(arena, 21, LOCAL(most_scores)(&net->shape, n));
    own->head.left = LOCAL(take)(arena, LOCAL(packed_head_room)(net->kernels, n, e));
    own->head.right = LOCAL(take)(arena, LOCAL(packed_head_room)(net->kernels, n, e));
    if (net->shape.key || net->shape.query || net->shape.value)
        own->head.offsets = LOCAL(take)(arena, n * (2 * n - 1));
    own->head.q = LOCAL(take)(arena, 3 * n * e);
    own->head.dot = LOCAL(take)(arena, n);
}

static void LOCAL(take_packed)(LOCAL(arena) *arena, TRANSFORMER *net)
{
    for (size_t i = 0; i < LOCAL(weight_count)(&net->layout->model); i++) {
        LOCAL(weight) *w = &net->weights[i];

        if (w->offset == AT_NONE)
            continue;
        w->forward = LOCAL(take)(arena, net->kernels->packed_count(w->from, w->to));
        if (net->gradients)
            w->back = LOCAL(take)(arena, net->kernels->packed_count(w->to, w->from));
    }
}

/* Sizes of the derived arrays of one set; the pointers become offsets into it. */
static void LOCAL(lay_derived)(TRANSFORMER *net)
{
    const at_model *model = &net->layout->model;
    const at_derived_shape *shape = &net->shape;
    size_t offsets = 2 * model->n - 1, pairs = model->n * model->n;
    LOCAL(arena) arena = {net->arena, 0};
    LOCAL(derived) *at = &net->derived_at;

#define TABLE_COUNT(form) (model->heads * ((form) == AT_TABLE_PAIR ? pairs : offsets))
    at->bias = shape->bias ? LOCAL(take)(&arena, TABLE_COUNT(shape->bias)) : NULL;
    at->factor = shape->factor ? LOCAL(take)(&arena, TABLE_COUNT(shape->factor)) : NULL;
    at->key = shape->key ? LOCAL(take)(&arena, offsets * shape->width) : NULL;
    at->query = shape->query ? LOCAL(take)(&arena, offsets * shape->width) : NULL;
    at->value = shape->value ? LOCAL(take)(&arena, offsets * shape->width) : NULL;
    at->content = shape->content ? LOCAL(take)(&arena, model->d) : NULL;
#undef TABLE_COUNT
    net->derived_count = arena.used;
}

/* The derived arrays that begin at block. */
static LOCAL(derived) LOCAL(derived_in)(const TRANSFORMER *net, REAL *block)
{
    const LOCAL(derived) *at = &net->derived_at;
    LOCAL(derived) out;

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

static size_t LOCAL(set_of)(const TRANSFORMER *net, size_t layer)
{
    return net->sets > 1 ? layer : 0;
}

/* Which vectors a slice sums into its side gradient: biases and LayerNorms; then the derived arrays. */
static bool LOCAL(in_side)(const at_layout *layout, const at_view *view)
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

static size_t LOCAL(side_at)(const TRANSFORMER *net, size_t offset)
{
    for (size_t v = 0; v < net->layout->view_count && offset != AT_NONE; v++)
        if (net->layout->views[v].offset == offset)
            return net->side_of[v];
    return AT_NONE;
}

static void LOCAL(lay_side)(TRANSFORMER *net)
{
    const at_layout *layout = net->layout;

    net->side_count = 0;
    for (size_t v = 0; v < layout->view_count; v++) {
        bool in = LOCAL(in_side)(layout, &layout->views[v]);

        net->side_of[v] = in ? net->side_count : AT_NONE;
        net->side_count += in ? layout->views[v].count : 0;
    }
    net->side_vectors = (net->side_count + 15) / 16 * 16;
    net->side_count = net->side_vectors + net->sets * net->derived_count;
    for (size_t l = 0; l < layout->model.layers; l++) {
        const at_layer_offsets *from = &layout->layers[l];
        LOCAL(side_layer) *to = &net->side_layers[l];

        to->qkv_b = LOCAL(side_at)(net, from->qkv_b);
        to->out_b = LOCAL(side_at)(net, from->out_b);
        to->ln1_w = LOCAL(side_at)(net, from->ln1_w);
        to->ln1_b = LOCAL(side_at)(net, from->ln1_b);
        to->fc1_b = LOCAL(side_at)(net, from->fc1_b);
        to->fc2_b = LOCAL(side_at)(net, from->fc2_b);
        to->ln2_w = LOCAL(side_at)(net, from->ln2_w);
        to->ln2_b = LOCAL(side_at)(net, from->ln2_b);
    }
    net->side_in_b = LOCAL(side_at)(net, layout->in_b);
    net->side_ln0_w = LOCAL(side_at)(net, layout->ln0_w);
    net->side_ln0_b = LOCAL(side_at)(net, layout->ln0_b);
    net->side_dense_b = LOCAL(side_at)(net, layout->dense_b);
    net->side_ln1_w = LOCAL(side_at)(net, layout->ln1_w);
    net->side_ln1_b = LOCAL(side_at)(net, layout->ln1_b);
    net->side_dec_b = LOCAL(side_at)(net, layout->dec_b);
}

/* Takes everything from the arena; called twice, first to count. */
static size_t LOCAL(lay_arena)(TRANSFORMER *net)
{
    const at_model *model = &net->layout->model;
    LOCAL(arena) arena = {net->arena, 0};
    size_t rows = net->batch_limit * model->n, n = model->n;
    size_t slice = LOCAL(slice_sequences)(model, net->batch_limit, n) * n, chunk;

    /* Shorter sequences fill a slice with fewer tokens than slice, or few more. */
    slice += n;
    slice = slice > rows ? rows : slice;
    net->fixed = LOCAL(take)(&arena, at_encoding_fixed_count(model));
    net->derived = LOCAL(take)(&arena, net->sets * net->derived_count);
    net->encoding_scratch = LOCAL(take)(&arena, LOCAL(encoding_scratch)(model));
    if (net->gradients) {
        net->side = LOCAL(take)(&arena, net->lane_limit * net->side_count);
    }
    if (net->gradients && net->by_lane)
        net->lane_grad = LOCAL(take)(&arena, net->lane_limit * net->layout->count);
    if (net->gradients && !net->by_lane) {
        LOCAL(take_acts)(&arena, model, rows, net->batch_limit * model->heads * n * n, true,
                         &net->acts);
        chunk = net->room / sizeof(REAL) / model->outputs;
        chunk = chunk < slice ? slice : chunk > rows ? rows : chunk;
        net->chunk_tokens = chunk;
        net->dlogits = LOCAL(take)(&arena, chunk * model->outputs);
    }
    if (net->packs)
        LOCAL(take_packed)(&arena, net);
    for (int t = 0; t < net->threads; t++)
        LOCAL(take_thread)(&arena, net, slice, &net->thread[t]);
    return arena.used;
}
