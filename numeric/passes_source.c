/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole passes of a Transformer: lanes of slices over threads, then what sums them.  Included by
 * numeric/transformer.c once for each precision. */

enum LOCAL(what) { LOCAL(FORWARD), LOCAL(SCORE), LOCAL(GRADIENT), LOCAL(PULLBACK) };

/* One pass. */
typedef struct {
    TRANSFORMER *net;
    const REAL *params;
    const at_batch *batch;
    enum LOCAL(what) what;
    REAL *out;                 /* FORWARD */
    const REAL *dout;          /* PULLBACK */
    int32_t *predicted;
    REAL *grad;
    bool accumulate;
    REAL dscale;
    size_t sequences, slices;  /* sequences a slice */
    size_t lanes, chunk_slices;
} LOCAL(pass);

static void LOCAL(open_slice)(const LOCAL(pass) *pass, size_t lane, size_t index, size_t thread,
                              LOCAL(slice) *s)
{
    TRANSFORMER *net = pass->net;
    const at_model *model = &net->layout->model;

    s->net = net;
    s->params = pass->params;
    s->batch = pass->batch;
    s->n = pass->batch->n;
    s->first = index * pass->sequences;
    s->sequences = pass->batch->batch - s->first;
    if (s->sequences > pass->sequences)
        s->sequences = pass->sequences;
    s->row = s->first * s->n;
    s->rows = s->sequences * s->n;
    s->own = &net->thread[thread];
    s->acts = net->gradients && !net->by_lane ? &net->acts : &s->own->acts;
    s->base = net->gradients && !net->by_lane ? s->row : 0;
    s->side = net->gradients ? net->side + lane * net->side_count : NULL;
    s->score = &net->slice_score[index];
    s->attention = (LOCAL(attention)) {
        net->kernels, &net->shape, s->n, model->n, model->d, model->heads,
        model->d / model->heads,
        /* stable-mask spends weight above the diagonal before it masks. */
        model->causal && net->shape.weighting != AT_WEIGHT_STABLE, net->fixed
    };
    memset(s->score, 0, sizeof *s->score);
}

/* FORWARD and SCORE: logits of a few rows at a time. */
static void LOCAL(finish_forward)(const LOCAL(pass) *pass, const LOCAL(slice) *s)
{
    const at_layout *layout = s->net->layout;
    size_t outputs = layout->model.outputs;

    for (size_t row = 0; row < s->rows; row += LOCAL(LOGIT_ROWS)) {
        size_t rows = s->rows - row < LOCAL(LOGIT_ROWS) ? s->rows - row : LOCAL(LOGIT_ROWS);
        REAL *logits = pass->what == LOCAL(FORWARD) ? pass->out + (s->row + row) * outputs
                     : s->own->logits;

        LOCAL(decode)(s, row, rows, logits);
        if (pass->what == LOCAL(FORWARD)) {
            if (layout->dec_b != AT_NONE)
                s->net->kernels->add(logits, logits, NULL, s->params + layout->dec_b, rows, outputs);
        } else if (s->batch->classes != NULL) {
            LOCAL(classify)(s, row, rows, 0, logits, pass->predicted);
        } else {
            LOCAL(regress)(s, row, rows, 0, logits);
        }
    }
}

/* Appends the blocks of one matrix's product, or, whole, one block. */
static size_t LOCAL(cut_product)(LOCAL(product) *list, bool whole, size_t out, size_t in, size_t tokens,
                                 const REAL *dout, const REAL *x, REAL *grad, bool add)
{
    size_t rows = whole ? out : LOCAL(BLOCK_ROWS), columns = whole ? in : LOCAL(BLOCK_COLUMNS);
    size_t count = 0;

    for (size_t row = 0; row < out; row += rows)
        for (size_t column = 0; column < in; column += columns)
            list[count++] = (LOCAL(product)) {
                dout + row, x + column, out, in, tokens, out - row < rows ? out - row : rows,
                in - column < columns ? in - column : columns, grad + row * in + column, add
            };
    return count;
}

/* The list of all products but the decoder's, over the first tokens rows of acts, into or onto grad;
 * whole: in one block each.  Returns their number. */
static size_t LOCAL(list_products)(const at_layout *layout, const LOCAL(acts) *acts, size_t tokens,
                                   REAL *grad, bool add, bool whole, LOCAL(product) *list)
{
    const at_model *model = &layout->model;
    size_t d = model->d, f = model->ffn, count = 0;
    const REAL *x = acts->x0;

#define CUT(out, in, dout, input, offset) \
    count += LOCAL(cut_product)(list + count, whole, out, in, tokens, dout, input, grad + (offset), add)
    if (model->vocab == 0)
        CUT(d, model->inputs, acts->hat0, acts->rows, layout->in_w);
    for (size_t l = 0; l < model->layers; l++) {
        const LOCAL(layer_acts) *layer = &acts->layers[l];
        const at_layer_offsets *at = &layout->layers[l];

        CUT(3 * d, d, layer->qkv, x, at->qkv_w);
        CUT(d, d, layer->hat1, layer->o, at->out_w);
        if (f > 0) {
            CUT(f, d, layer->h, layer->x1, at->fc1_w);
            CUT(d, f, layer->hat2, layer->g, at->fc2_w);
        }
        x = layer->x2;
    }
    if (model->lm_head)
        CUT(d, d, acts->hd, x, layout->dense_w);
#undef CUT
    return count;
}

static void LOCAL(run_product)(const TRANSFORMER *net, const LOCAL(product) *p, size_t thread)
{
    PRODUCT product = {.a = p->dout, .b = p->x, .c = p->grad, .m = p->rows, .n = p->columns,
                       .k = p->tokens, .lda = p->out, .ldb = p->in, .ldc = p->in, .trans_a = true,
                       .add = p->add};

    LOCAL(multiply)(net->kernels, &product, net->thread[thread].pack);
}

static size_t LOCAL(thread_index)(void)
{
#ifdef _OPENMP
    return (size_t) omp_get_thread_num();
#else
    return 0;
#endif
}

/* The decoder's product over the tokens of one chunk. */
static void LOCAL(decoder_products)(const LOCAL(pass) *pass, size_t first_row, size_t rows)
{
    TRANSFORMER *net = pass->net;
    const at_model *model = &net->layout->model;
    bool add = pass->accumulate || first_row > 0;
    long blocks = (long) LOCAL(cut_product)(net->products, false, model->outputs, model->d, rows,
                                            net->dlogits, net->acts.y + first_row * model->d,
                                            pass->grad + net->layout->dec_w, add);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
    for (long block = 0; block < blocks; block++)
        LOCAL(run_product)(net, &net->products[block], LOCAL(thread_index)());
}

/* Columns first … of the embedding's and the positions' gradients from dx [tokens, d], in the order of
 * the tokens (the first is token number `row` of the batch); clear: grad holds nothing yet, but for a
 * tied embedding, where the decoder's part is. */
static void LOCAL(scatter)(const LOCAL(pass) *pass, const REAL *dx, size_t row, size_t tokens,
                           REAL *grad, bool clear, size_t first, size_t columns)
{
    const at_layout *layout = pass->net->layout;
    size_t d = layout->model.d, n = pass->batch->n;
    REAL *emb = layout->emb_w != AT_NONE ? grad + layout->emb_w + first : NULL;
    REAL *ape = layout->ape_w != AT_NONE ? grad + layout->ape_w + first : NULL;

    if (emb != NULL && clear && !(layout->model.lm_head && layout->model.tied))
        for (size_t v = 0; v < layout->model.vocab; v++)
            memset(emb + v * d, 0, columns * sizeof *emb);
    if (ape != NULL && clear)
        for (size_t i = 0; i < layout->model.n; i++)
            memset(ape + i * d, 0, columns * sizeof *ape);
    for (size_t t = 0; t < tokens; t++) {
        const REAL *from = dx + t * d + first;

        if (emb != NULL) {
            REAL *to = emb + (size_t) pass->batch->tokens[row + t] * d;

            for (size_t c = 0; c < columns; c++)
                to[c] += from[c];
        }
        if (ape != NULL)
            for (size_t c = 0; c < columns; c++)
                ape[(row + t) % n * d + c] += from[c];
    }
}

/* The slice's part of every matrix's gradient, to or onto its lane's; first: to. */
static void LOCAL(slice_products)(const LOCAL(pass) *pass, const LOCAL(slice) *s, size_t lane,
                                  bool first)
{
    const at_layout *layout = s->net->layout;
    size_t d = layout->model.d, outputs = layout->model.outputs;
    REAL *grad = s->net->lane_grad + lane * layout->count;
    LOCAL(product) *list = s->own->products;
    size_t count = LOCAL(list_products)(layout, s->acts, s->rows, grad, !first, true, list);

    count += LOCAL(cut_product)(list + count, true, outputs, d, s->rows, s->own->logits, s->acts->y,
                                grad + layout->dec_w, !first);
    for (size_t i = 0; i < count; i++)
        LOCAL(run_product)(s->net, &list[i], (size_t) (s->own - s->net->thread));
    LOCAL(scatter)(pass, s->acts->hat0, s->row, s->rows, grad, first, 0, d);
}

/* GRADIENT and PULLBACK: the slice's rows of ∂/∂logits, and back. */
static void LOCAL(finish_backward)(const LOCAL(pass) *pass, const LOCAL(slice) *s, size_t lane,
                                   bool first, size_t chunk_first_row)
{
    TRANSFORMER *net = s->net;
    size_t outputs = net->layout->model.outputs;
    REAL *dlogits = net->by_lane ? s->own->logits : net->dlogits + (s->row - chunk_first_row) * outputs;

    if (first)
        memset(s->side, 0, net->side_count * sizeof *s->side);
    if (pass->what == LOCAL(PULLBACK)) {
        memcpy(dlogits, pass->dout + s->row * outputs, s->rows * outputs * sizeof *dlogits);
    } else {
        LOCAL(decode)(s, 0, s->rows, dlogits);
        if (s->batch->classes != NULL)
            LOCAL(classify)(s, 0, s->rows, pass->dscale, dlogits, pass->predicted);
        else
            LOCAL(regress)(s, 0, s->rows, pass->dscale, dlogits);
    }
    LOCAL(slice_backward)(s, dlogits);
    if (net->by_lane)
        LOCAL(slice_products)(pass, s, lane, first);
}

/* The slices of one lane, which is one slice where the lanes have no gradients of their own. */
static void LOCAL(run_lane)(const LOCAL(pass) *pass, size_t lane, size_t chunk_first_row, size_t thread)
{
    size_t begin = lane * pass->slices / pass->lanes, end = (lane + 1) * pass->slices / pass->lanes;

    for (size_t index = begin; index < end; index++) {
        LOCAL(slice) s;

        LOCAL(open_slice)(pass, lane, index, thread, &s);
        LOCAL(slice_forward)(&s);
        if (pass->what == LOCAL(FORWARD) || pass->what == LOCAL(SCORE))
            LOCAL(finish_forward)(pass, &s);
        else
            LOCAL(finish_backward)(pass, &s, lane, index == begin, chunk_first_row);
    }
}

/* Sums the lanes' side gradients into grad, and takes the encoding's tables back to its slots. */
static void LOCAL(gather_side)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    const at_layout *layout = net->layout;
    REAL *sum = net->side;

    for (size_t s = 1; s < pass->lanes; s++)
        for (size_t i = 0; i < net->side_count; i++)
            sum[i] += net->side[s * net->side_count + i];
    for (size_t v = 0; v < layout->view_count; v++) {
        const at_view *view = &layout->views[v];
        REAL *to = pass->grad + view->offset;

        if (net->side_of[v] == AT_NONE)
            continue;
        for (size_t i = 0; i < view->count; i++)
            to[i] = (pass->accumulate ? to[i] : 0) + sum[net->side_of[v] + i];
    }
}

static LOCAL(encoding_call) LOCAL(call_encoding)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;

    return (LOCAL(encoding_call)) {&net->layout->model, &net->shape, pass->batch->n,
                                   pass->batch->distances, net->fixed, net->encoding_scratch};
}

static void LOCAL(slots_of)(const at_layout *layout, size_t layer, const REAL *params, REAL *grad,
                            const REAL *slots[AT_ENCODING_SLOTS], REAL *dslots[AT_ENCODING_SLOTS])
{
    for (size_t s = 0; s < AT_ENCODING_SLOTS; s++) {
        size_t offset = layout->layers[layer].encoding[s];

        slots[s] = offset != AT_NONE ? params + offset : NULL;
        dslots[s] = offset != AT_NONE && grad != NULL ? grad + offset : NULL;
    }
}

static void LOCAL(prepare_encoding)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    LOCAL(encoding_call) call = LOCAL(call_encoding)(pass);

    for (size_t set = 0; set < net->sets && net->layout->model.layers > 0; set++) {
        LOCAL(derived) made = LOCAL(derived_in)(net, net->derived + set * net->derived_count);
        const REAL *slots[AT_ENCODING_SLOTS];
        REAL *none[AT_ENCODING_SLOTS];

        LOCAL(slots_of)(net->layout, set, pass->params, NULL, slots, none);
        LOCAL(encoding_prepare)(&call, slots, &made);
    }
}

static void LOCAL(gather_encoding)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    LOCAL(encoding_call) call = LOCAL(call_encoding)(pass);
    at_slot described[AT_ENCODING_SLOTS];
    size_t count = at_encoding_slots(&net->layout->model, described);

    for (size_t set = 0; set < net->sets && net->layout->model.layers > 0; set++) {
        LOCAL(derived) made = LOCAL(derived_in)(net, net->derived + set * net->derived_count);
        LOCAL(derived) back = LOCAL(derived_in)(net, net->side + net->side_vectors
                                                     + set * net->derived_count);
        const REAL *slots[AT_ENCODING_SLOTS];
        REAL *dslots[AT_ENCODING_SLOTS];

        LOCAL(slots_of)(net->layout, set, pass->params, pass->grad, slots, dslots);
        for (size_t s = 0; s < count && !pass->accumulate; s++)
            memset(dslots[s], 0, described[s].shape[0] * described[s].shape[1] * sizeof *dslots[s]);
        LOCAL(encoding_back)(&call, slots, &made, &back, dslots);
    }
}

/* A block of the sum of the lanes' gradients. */
static void LOCAL(sum_lanes)(const LOCAL(pass) *pass, size_t first, size_t count)
{
    const TRANSFORMER *net = pass->net;
    REAL *to = pass->grad + first;

    for (size_t lane = 0; lane < pass->lanes; lane++) {
        const REAL *from = net->lane_grad + lane * net->layout->count + first;

        if (lane == 0 && !pass->accumulate)
            memcpy(to, from, count * sizeof *to);
        else
            for (size_t i = 0; i < count; i++)
                to[i] += from[i];
    }
}

static void LOCAL(gather_lanes)(const LOCAL(pass) *pass)
{
    size_t block = 8192, total = pass->net->layout->count;
    long blocks = (long) ((total + block - 1) / block);

#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(pass->net->threads) if (pass->net->threads > 1)
#endif
    for (long b = 0; b < blocks; b++) {
        size_t first = (size_t) b * block;

        LOCAL(sum_lanes)(pass, first, total - first < block ? total - first : block);
    }
}

/* Without lane_grad, after all slices: the products over the whole batch. */
static void LOCAL(gather_products)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    size_t d = net->layout->model.d, block = 16, tokens = pass->batch->batch * pass->batch->n;
    long products = (long) LOCAL(list_products)(net->layout, &net->acts, tokens, pass->grad,
                                                pass->accumulate, false, net->products);
    long scatters = (long) ((d + block - 1) / block);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
    for (long task = 0; task < products + scatters; task++) {
        size_t first = (size_t) (task - products) * block;

        if (task < products)
            LOCAL(run_product)(net, &net->products[task], LOCAL(thread_index)());
        else
            LOCAL(scatter)(pass, net->acts.hat0, 0, tokens, pass->grad, !pass->accumulate, first,
                           d - first < block ? d - first : block);
    }
}

static void LOCAL(pack_weights)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    long matrices = (long) LOCAL(weight_count)(&net->layout->model);

    if (!net->packs)
        return;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
    for (long i = 0; i < 2 * matrices; i++)
        LOCAL(pack_weight)(net->kernels, pass->params, &net->weights[i % matrices], i >= matrices);
}

static void LOCAL(run_pass)(LOCAL(pass) *pass, at_score *score)
{
    TRANSFORMER *net = pass->net;
    size_t n = pass->batch->n, batch = pass->batch->batch;
    bool backward = pass->what == LOCAL(GRADIENT) || pass->what == LOCAL(PULLBACK);

    pass->sequences = LOCAL(slice_sequences)(&net->layout->model, batch, n);
    pass->slices = (batch + pass->sequences - 1) / pass->sequences;
    pass->lanes = backward && net->by_lane && pass->slices > net->lane_limit ? net->lane_limit
                                                                           : pass->slices;
    pass->chunk_slices = backward && !net->by_lane ? net->chunk_tokens / (pass->sequences * n)
                                                   : pass->slices;
    if (pass->chunk_slices == 0)
        pass->chunk_slices = 1;
    LOCAL(prepare_encoding)(pass);
    LOCAL(pack_weights)(pass);
    for (size_t first = 0; first < pass->lanes; first += pass->chunk_slices) {
        size_t last = first + pass->chunk_slices < pass->lanes ? first + pass->chunk_slices
                                                               : pass->lanes;
        size_t row = first * pass->sequences * n, end = last * pass->sequences;

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
        for (long lane = (long) first; lane < (long) last; lane++)
            LOCAL(run_lane)(pass, (size_t) lane, row, LOCAL(thread_index)());
        if (backward && !net->by_lane)
            LOCAL(decoder_products)(pass, row, (end < batch ? end : batch) * n - row);
    }
    if (backward) {
        if (net->by_lane)
            LOCAL(gather_lanes)(pass);
        else
            LOCAL(gather_products)(pass);
        LOCAL(gather_side)(pass);
        LOCAL(gather_encoding)(pass);
    }
    memset(score, 0, sizeof *score);
    for (size_t s = 0; s < pass->slices; s++) {
        const at_score *part = &net->slice_score[s];

        score->loss += part->loss;
        score->scored += part->scored;
        score->correct += part->correct;
        if (!(part->max_error <= score->max_error))
            score->max_error = part->max_error;
    }
}
