/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "attest/numeric/transformer/pass.h"
#include "attest/numeric/transformer/products.h"

static void open_slice(const at_pass *pass, size_t lane, size_t index, size_t thread,
                       at_slice *s)
{
    at_transformer *net = pass->net;
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
    s->attention = (at_attention) {
        net->kernels, &net->shape, s->n, model->n, model->d, model->heads,
        model->d / model->heads,
        /* stable-mask spends weight above the diagonal before it masks. */
        model->causal && net->shape.weighting != AT_WEIGHT_STABLE, net->fixed
    };
    memset(s->score, 0, sizeof *s->score);
}

/* FORWARD and SCORE: logits of a few rows at a time. */
static void finish_forward(const at_pass *pass, const at_slice *s)
{
    const at_layout *layout = s->net->layout;
    size_t outputs = layout->model.outputs;

    for (size_t row = 0; row < s->rows; row += LOGIT_ROWS) {
        size_t rows = s->rows - row < LOGIT_ROWS ? s->rows - row : LOGIT_ROWS;
        REAL *logits = pass->what == FORWARD ? pass->out + (s->row + row) * outputs
                     : s->own->logits;

        at_slice_decode(s, row, rows, logits);
        if (pass->what == FORWARD) {
            if (layout->dec_b != AT_NONE)
                s->net->kernels->add(logits, logits, NULL, s->params + layout->dec_b, rows, outputs);
        } else if (s->batch->classes != NULL) {
            at_slice_classify(s, row, rows, 0, logits, pass->predicted);
        } else {
            at_slice_regress(s, row, rows, 0, logits);
        }
    }
}

static size_t thread_index(void)
{
#ifdef _OPENMP
    return (size_t) omp_get_thread_num();
#else
    return 0;
#endif
}

/* The decoder's product over the tokens of one chunk. */
static void decoder_products(const at_pass *pass, size_t first_row, size_t rows)
{
    at_transformer *net = pass->net;
    const at_model *model = &net->layout->model;
    bool add = pass->accumulate || first_row > 0;
    long blocks = (long) at_block_cut(net->products, false, model->outputs, model->d, rows,
                                      net->dlogits, net->acts.y + first_row * model->d,
                                      pass->grad + net->layout->dec_w, add);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
    for (long block = 0; block < blocks; block++)
        at_block_run(net, &net->products[block], thread_index());
}

/* Columns first … of the embedding's and the positions' gradients from dx [tokens, d], in the order of
 * the tokens (the first is token number `row` of the batch); clear: grad holds nothing yet, but for a
 * tied embedding, where the decoder's part is. */
static void scatter(const at_pass *pass, const REAL *dx, size_t row, size_t tokens,
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
static void slice_products(const at_pass *pass, const at_slice *s, size_t lane,
                           bool first)
{
    const at_layout *layout = s->net->layout;
    size_t d = layout->model.d, outputs = layout->model.outputs;
    REAL *grad = s->net->lane_grad + lane * layout->count;
    at_block *list = s->own->products;
    size_t count = at_block_list(layout, s->acts, s->rows, grad, !first, true, list);

    count += at_block_cut(list + count, true, outputs, d, s->rows, s->own->logits, s->acts->y,
                          grad + layout->dec_w, !first);
    for (size_t i = 0; i < count; i++)
        at_block_run(s->net, &list[i], (size_t) (s->own - s->net->thread));
    scatter(pass, s->acts->hat0, s->row, s->rows, grad, first, 0, d);
}

/* GRADIENT and PULLBACK: the slice's rows of ∂/∂logits, and back. */
static void finish_backward(const at_pass *pass, const at_slice *s, size_t lane,
                            bool first, size_t chunk_first_row)
{
    at_transformer *net = s->net;
    size_t outputs = net->layout->model.outputs;
    REAL *dlogits = net->by_lane ? s->own->logits : net->dlogits + (s->row - chunk_first_row) * outputs;

    if (first)
        memset(s->side, 0, net->side_count * sizeof *s->side);
    if (pass->what == PULLBACK) {
        memcpy(dlogits, pass->dout + s->row * outputs, s->rows * outputs * sizeof *dlogits);
    } else {
        at_slice_decode(s, 0, s->rows, dlogits);
        if (s->batch->classes != NULL)
            at_slice_classify(s, 0, s->rows, pass->dscale, dlogits, pass->predicted);
        else
            at_slice_regress(s, 0, s->rows, pass->dscale, dlogits);
    }
    at_slice_backward(s, dlogits);
    if (net->by_lane)
        slice_products(pass, s, lane, first);
}

/* The slices of one lane, which is one slice where the lanes have no gradients of their own. */
static void run_lane(const at_pass *pass, size_t lane, size_t chunk_first_row, size_t thread)
{
    size_t begin = lane * pass->slices / pass->lanes, end = (lane + 1) * pass->slices / pass->lanes;

    for (size_t index = begin; index < end; index++) {
        at_slice s;

        open_slice(pass, lane, index, thread, &s);
        at_slice_forward(&s);
        if (pass->what == FORWARD || pass->what == SCORE)
            finish_forward(pass, &s);
        else
            finish_backward(pass, &s, lane, index == begin, chunk_first_row);
    }
}

/* Sums the lanes' side gradients into grad, and takes the encoding's tables back to its slots. */
static void gather_side(const at_pass *pass)
{
    at_transformer *net = pass->net;
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

static at_encoding_call call_encoding(const at_pass *pass)
{
    at_transformer *net = pass->net;

    return (at_encoding_call) {&net->layout->model, &net->shape, pass->batch->n,
                                   pass->batch->distances, net->fixed, net->encoding_scratch};
}

static void slots_of(const at_layout *layout, size_t layer, const REAL *params, REAL *grad,
                     const REAL *slots[AT_ENCODING_SLOTS], REAL *dslots[AT_ENCODING_SLOTS])
{
    for (size_t s = 0; s < AT_ENCODING_SLOTS; s++) {
        size_t offset = layout->layers[layer].encoding[s];

        slots[s] = offset != AT_NONE ? params + offset : NULL;
        dslots[s] = offset != AT_NONE && grad != NULL ? grad + offset : NULL;
    }
}

static void prepare_encoding(const at_pass *pass)
{
    at_transformer *net = pass->net;
    at_encoding_call call = call_encoding(pass);

    for (size_t set = 0; set < net->sets && net->layout->model.layers > 0; set++) {
        at_derived made = at_arena_derived(net, net->derived + set * net->derived_count);
        const REAL *slots[AT_ENCODING_SLOTS];
        REAL *none[AT_ENCODING_SLOTS];

        slots_of(net->layout, set, pass->params, NULL, slots, none);
        at_encoding_prepare(&call, slots, &made);
    }
}

static void gather_encoding(const at_pass *pass)
{
    at_transformer *net = pass->net;
    at_encoding_call call = call_encoding(pass);
    at_slot described[AT_ENCODING_SLOTS];
    size_t count = at_encoding_slots(&net->layout->model, described);

    for (size_t set = 0; set < net->sets && net->layout->model.layers > 0; set++) {
        at_derived made = at_arena_derived(net, net->derived + set * net->derived_count);
        at_derived back = at_arena_derived(net, net->side + net->side_vectors
                                                     + set * net->derived_count);
        const REAL *slots[AT_ENCODING_SLOTS];
        REAL *dslots[AT_ENCODING_SLOTS];

        slots_of(net->layout, set, pass->params, pass->grad, slots, dslots);
        for (size_t s = 0; s < count && !pass->accumulate; s++)
            memset(dslots[s], 0, described[s].shape[0] * described[s].shape[1] * sizeof *dslots[s]);
        at_encoding_back(&call, slots, &made, &back, dslots);
    }
}

/* A block of the sum of the lanes' gradients. */
static void sum_lanes(const at_pass *pass, size_t first, size_t count)
{
    const at_transformer *net = pass->net;
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

static void gather_lanes(const at_pass *pass)
{
    size_t block = 8192, total = pass->net->layout->count;
    long blocks = (long) ((total + block - 1) / block);

#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(pass->net->threads) if (pass->net->threads > 1)
#endif
    for (long b = 0; b < blocks; b++) {
        size_t first = (size_t) b * block;

        sum_lanes(pass, first, total - first < block ? total - first : block);
    }
}

/* Without lane_grad, after all slices: the products over the whole batch. */
static void gather_products(const at_pass *pass)
{
    at_transformer *net = pass->net;
    size_t d = net->layout->model.d, block = 16, tokens = pass->batch->batch * pass->batch->n;
    long products = (long) at_block_list(net->layout, &net->acts, tokens, pass->grad,
                                         pass->accumulate, false, net->products);
    long scatters = (long) ((d + block - 1) / block);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
    for (long task = 0; task < products + scatters; task++) {
        size_t first = (size_t) (task - products) * block;

        if (task < products)
            at_block_run(net, &net->products[task], thread_index());
        else
            scatter(pass, net->acts.hat0, 0, tokens, pass->grad, !pass->accumulate, first,
                    d - first < block ? d - first : block);
    }
}

static void pack_weights(const at_pass *pass)
{
    at_transformer *net = pass->net;
    long matrices = (long) at_weight_count(&net->layout->model);

    if (!net->packs)
        return;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
    for (long i = 0; i < 2 * matrices; i++)
        at_weight_pack(net->kernels, pass->params, &net->weights[i % matrices], i >= matrices);
}

void at_pass_run(at_pass *pass, at_score *score)
{
    at_transformer *net = pass->net;
    size_t n = pass->batch->n, batch = pass->batch->batch;
    bool backward = pass->what == GRADIENT || pass->what == PULLBACK;

    pass->sequences = at_arena_slice_sequences(&net->layout->model, batch, n);
    pass->slices = (batch + pass->sequences - 1) / pass->sequences;
    pass->lanes = backward && net->by_lane && pass->slices > net->lane_limit ? net->lane_limit
                                                                           : pass->slices;
    pass->chunk_slices = backward && !net->by_lane ? net->chunk_tokens / (pass->sequences * n)
                                                   : pass->slices;
    if (pass->chunk_slices == 0)
        pass->chunk_slices = 1;
    prepare_encoding(pass);
    pack_weights(pass);
    for (size_t first = 0; first < pass->lanes; first += pass->chunk_slices) {
        size_t last = first + pass->chunk_slices < pass->lanes ? first + pass->chunk_slices
                                                               : pass->lanes;
        size_t row = first * pass->sequences * n, end = last * pass->sequences;

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
#endif
        for (long lane = (long) first; lane < (long) last; lane++)
            run_lane(pass, (size_t) lane, row, thread_index());
        if (backward && !net->by_lane)
            decoder_products(pass, row, (end < batch ? end : batch) * n - row);
    }
    if (backward) {
        if (net->by_lane)
            gather_lanes(pass);
        else
            gather_products(pass);
        gather_side(pass);
        gather_encoding(pass);
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
