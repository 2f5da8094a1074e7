/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole passes of a Transformer: slices over threads, then the matrices' gradients.  Included by
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
    size_t chunk_slices;
} LOCAL(pass);

static void LOCAL(open_slice)(const LOCAL(pass) *pass, size_t index, int thread, LOCAL(slice) *s)
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
    s->acts = net->gradients ? &net->acts : &s->own->acts;
    s->base = net->gradients ? s->row : 0;
    s->side = net->gradients ? net->side + index * net->side_count : NULL;
    s->score = &net->slice_score[index];
    s->attention = (LOCAL(attention)) {
        net->kernels, &net->shape, s->n, model->n, model->d, model->heads,
        model->d / model->heads, model->causal, net->fixed
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

/* GRADIENT and PULLBACK: the slice's rows of dlogits, and back. */
static void LOCAL(finish_backward)(const LOCAL(pass) *pass, const LOCAL(slice) *s,
                                   size_t chunk_first_row)
{
    size_t outputs = s->net->layout->model.outputs;
    REAL *dlogits = s->net->dlogits + (s->row - chunk_first_row) * outputs;

    memset(s->side, 0, s->net->side_count * sizeof *s->side);
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
}

static void LOCAL(run_slice)(const LOCAL(pass) *pass, size_t index, size_t chunk_first_row, int thread)
{
    LOCAL(slice) s;

    LOCAL(open_slice)(pass, index, thread, &s);
    LOCAL(slice_forward)(&s);
    if (pass->what == LOCAL(FORWARD) || pass->what == LOCAL(SCORE))
        LOCAL(finish_forward)(pass, &s);
    else
        LOCAL(finish_backward)(pass, &s, chunk_first_row);
}

static size_t LOCAL(cut_product)(LOCAL(product) *list, size_t out, size_t in, size_t tokens,
                                 const REAL *dout, const REAL *x, REAL *grad, REAL beta)
{
    size_t step = in > 256 ? LOCAL(PRODUCT_ROWS) : LOCAL(PRODUCT_ROWS_SMALL), count = 0;

    for (size_t row = 0; row < out; row += step, count++)
        list[count] = (LOCAL(product)) {dout + row, x, out, in, tokens,
                                        out - row < step ? out - row : step, in, grad + row * in, beta};
    return count;
}

/* The list of all products but the decoder's; returns their number. */
static size_t LOCAL(list_products)(const LOCAL(pass) *pass, LOCAL(product) *list)
{
    const TRANSFORMER *net = pass->net;
    const at_layout *layout = net->layout;
    const at_model *model = &layout->model;
    size_t d = model->d, f = model->ffn, tokens = pass->batch->batch * pass->batch->n, count = 0;
    const REAL *x = net->acts.x0;
    REAL beta = pass->accumulate ? 1 : 0;

#define CUT(out, in, dout, input, offset) \
    count += LOCAL(cut_product)(list + count, out, in, tokens, dout, input, \
                                pass->grad + (offset), beta)
    if (model->vocab == 0)
        CUT(d, model->inputs, net->acts.hat0, net->acts.rows, layout->in_w);
    for (size_t l = 0; l < model->layers; l++) {
        const LOCAL(layer_acts) *acts = &net->acts.layers[l];
        const at_layer_offsets *at = &layout->layers[l];

        CUT(3 * d, d, acts->qkv, x, at->qkv_w);
        CUT(d, d, acts->hat1, acts->o, at->out_w);
        if (f > 0) {
            CUT(f, d, acts->h, acts->x1, at->fc1_w);
            CUT(d, f, acts->hat2, acts->g, at->fc2_w);
        }
        x = acts->x2;
    }
    if (model->lm_head)
        CUT(d, d, net->acts.hd, x, layout->dense_w);
#undef CUT
    return count;
}

static void LOCAL(run_product)(const LOCAL(product) *product)
{
    GEMM(true, false, product->rows, product->in, product->tokens, 1, product->dout, product->ldd,
         product->x, product->ldx, product->beta, product->grad, product->in);
}

/* The decoder's product over the tokens of one chunk. */
static void LOCAL(decoder_products)(const LOCAL(pass) *pass, size_t first_row, size_t rows)
{
    TRANSFORMER *net = pass->net;
    const at_model *model = &net->layout->model;
    long blocks = (long) ((model->outputs + LOCAL(PRODUCT_ROWS) - 1) / LOCAL(PRODUCT_ROWS));
    REAL beta = pass->accumulate || first_row > 0 ? 1 : 0;

#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
    for (long block = 0; block < blocks; block++) {
        size_t row = (size_t) block * LOCAL(PRODUCT_ROWS), left = model->outputs - row;
        LOCAL(product) product = {
            net->dlogits + row, net->acts.y + first_row * model->d, model->outputs, model->d, rows,
            left < LOCAL(PRODUCT_ROWS) ? left : LOCAL(PRODUCT_ROWS), model->d,
            pass->grad + net->layout->dec_w + row * model->d, beta
        };

        LOCAL(run_product)(&product);
    }
}

/* Columns first … of the embedding's and the positions' gradients, in the order of the tokens. */
static void LOCAL(scatter)(const LOCAL(pass) *pass, size_t first, size_t columns)
{
    const TRANSFORMER *net = pass->net;
    const at_layout *layout = net->layout;
    size_t d = layout->model.d, n = pass->batch->n, tokens = pass->batch->batch * n;
    REAL *emb = layout->emb_w != AT_NONE ? pass->grad + layout->emb_w : NULL;
    REAL *ape = layout->ape_w != AT_NONE ? pass->grad + layout->ape_w : NULL;

    if (emb != NULL && !pass->accumulate && !(layout->model.lm_head && layout->model.tied))
        for (size_t v = 0; v < layout->model.vocab; v++)
            memset(emb + v * d + first, 0, columns * sizeof *emb);
    if (ape != NULL && !pass->accumulate)
        for (size_t i = 0; i < layout->model.n; i++)
            memset(ape + i * d + first, 0, columns * sizeof *ape);
    for (size_t t = 0; t < tokens; t++) {
        const REAL *dx = net->acts.hat0 + t * d + first;

        if (emb != NULL) {
            REAL *to = emb + (size_t) pass->batch->tokens[t] * d + first;

            for (size_t c = 0; c < columns; c++)
                to[c] += dx[c];
        }
        if (ape != NULL)
            for (size_t c = 0; c < columns; c++)
                ape[t % n * d + first + c] += dx[c];
    }
}

/* Sums the slices' side gradients into grad, and takes the encoding's tables back to its slots. */
static void LOCAL(gather_side)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    const at_layout *layout = net->layout;
    REAL *sum = net->side;

    for (size_t s = 1; s < pass->slices; s++)
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

/* After all slices: every gradient but the decoder's matrix. */
static void LOCAL(gather_gradients)(const LOCAL(pass) *pass)
{
    TRANSFORMER *net = pass->net;
    size_t d = net->layout->model.d, block = 16;
    long products = (long) LOCAL(list_products)(pass, net->products);
    long scatters = (long) ((d + block - 1) / block);

#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
    for (long task = 0; task < products + scatters + 1; task++) {
        if (task < products) {
            LOCAL(run_product)(&net->products[task]);
        } else if (task < products + scatters) {
            size_t first = (size_t) (task - products) * block;

            LOCAL(scatter)(pass, first, d - first < block ? d - first : block);
        } else {
            LOCAL(gather_side)(pass);
            LOCAL(gather_encoding)(pass);
        }
    }
}

static int LOCAL(thread_index)(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

static void LOCAL(run_pass)(LOCAL(pass) *pass, at_score *score)
{
    TRANSFORMER *net = pass->net;
    size_t n = pass->batch->n, batch = pass->batch->batch;
    bool backward = pass->what == LOCAL(GRADIENT) || pass->what == LOCAL(PULLBACK);

    pass->sequences = LOCAL(slice_sequences)(&net->layout->model, batch, n);
    pass->slices = (batch + pass->sequences - 1) / pass->sequences;
    pass->chunk_slices = backward ? net->chunk_tokens / (pass->sequences * n) : pass->slices;
    if (pass->chunk_slices == 0)
        pass->chunk_slices = 1;
    LOCAL(prepare_encoding)(pass);
    for (size_t first = 0; first < pass->slices; first += pass->chunk_slices) {
        size_t last = first + pass->chunk_slices < pass->slices ? first + pass->chunk_slices
                                                                : pass->slices;
        size_t row = first * pass->sequences * n, end = last * pass->sequences;

#pragma omp parallel for schedule(dynamic) num_threads(net->threads) if (net->threads > 1)
        for (long s = (long) first; s < (long) last; s++)
            LOCAL(run_slice)(pass, (size_t) s, row, LOCAL(thread_index)());
        if (backward)
            LOCAL(decoder_products)(pass, row, (end < batch ? end : batch) * n - row);
    }
    if (backward)
        LOCAL(gather_gradients)(pass);
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
