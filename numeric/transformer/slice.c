/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "attest/numeric/transformer/multiply.h"
#include "attest/numeric/transformer/slice.h"

/* Parameters at offset, NULL where the model has none. */
static const REAL *params_at(const at_slice *s, size_t offset)
{
    return offset != AT_NONE ? s->params + offset : NULL;
}

static REAL *side_at(const at_slice *s, size_t offset)
{
    return offset != AT_NONE ? s->side + offset : NULL;
}

static const at_weight *layer_weight(const at_slice *s, size_t l, size_t which)
{
    return &s->net->weights[LAYER_WEIGHTS * l + which];
}

static const at_weight *of_head(const at_slice *s, size_t which)
{
    return &s->net->weights[at_weight_of_head(&s->net->layout->model, which)];
}

/* out [rows, to] = in [rows, from] W^T + bias (at its offset, or AT_NONE). */
static void linear(const at_slice *s, size_t rows, const at_weight *w, size_t bias,
                   const REAL *in, REAL *out)
{
    at_product product = {.a = in, .b = s->params + w->offset, .packed = w->forward,
                       .bias = params_at(s, bias), .c = out, .m = rows, .n = w->to, .k = w->from,
                       .lda = w->from, .ldb = w->from, .ldc = w->to, .trans_b = true};

    at_multiply(s->net->kernels, &product, s->own->pack);
}

/* din [rows, from] = dout [rows, to] W. */
static void linear_back(const at_slice *s, const at_weight *w, const REAL *dout,
                        REAL *din)
{
    at_product product = {.a = dout, .b = s->params + w->offset, .packed = w->back, .c = din,
                       .m = s->rows, .n = w->from, .k = w->to, .lda = w->to, .ldb = w->from,
                       .ldc = w->from};

    at_multiply(s->net->kernels, &product, s->own->pack);
}

/* y = LN(x + residual + bias), or the sum itself in a network without LayerNorm. */
static void norm(const at_slice *s, const REAL *x, const REAL *residual, size_t bias,
                 size_t weight, size_t shift, REAL *hat, REAL *rstd, REAL *y)
{
    size_t d = s->attention.d;

    if (weight != AT_NONE)
        s->net->kernels->norm(y, hat, rstd, x, residual, params_at(s, bias), s->params + weight,
                              s->params + shift, s->rows, d);
    else
        s->net->kernels->add(y, x, residual, params_at(s, bias), s->rows, d);
}

/* dy + also (NULL: dy) → hat: ∂/∂(x + residual + bias). */
static void norm_back(const at_slice *s, const REAL *dy, const REAL *also, size_t weight,
                      size_t dweight, size_t dshift, size_t dbias, REAL *hat, const REAL *rstd)
{
    size_t d = s->attention.d;

    if (weight != AT_NONE) {
        s->net->kernels->norm_back(hat, rstd, dy, also, s->params + weight, s->side + dweight,
                                   s->side + dshift, side_at(s, dbias), s->rows, d);
        return;
    }
    s->net->kernels->add(hat, dy, also, NULL, s->rows, d);
    if (dbias != AT_NONE)
        s->net->kernels->column_sums(s->side + dbias, hat, d, s->rows, d);
}

/* x_i + p_i: learned and sinusoidal APE, before the embedding's LayerNorm. */
static void add_positions(const at_slice *s, REAL *x)
{
    const at_layout *layout = s->net->layout;
    const REAL *positions = s->net->shape.adds_fixed ? s->net->fixed
                          : params_at(s, layout->ape_w);
    size_t d = layout->model.d;

    for (size_t t = 0; t < s->rows && positions != NULL; t++)
        for (size_t c = 0; c < d; c++)
            x[t * d + c] += positions[(t % s->n) * d + c];
}

static void embed(const at_slice *s)
{
    const at_layout *layout = s->net->layout;
    size_t d = layout->model.d, inputs = layout->model.inputs;
    REAL *x = s->acts->hat0 + s->base * d;
    size_t bias = AT_NONE;

    if (layout->model.vocab > 0) {
        for (size_t t = 0; t < s->rows; t++)
            memcpy(x + t * d, s->params + layout->emb_w
                              + (size_t) s->batch->tokens[s->row + t] * d, d * sizeof *x);
    } else {
        REAL *rows = s->acts->rows + s->base * inputs;

        for (size_t i = 0; i < s->rows * inputs; i++)
            rows[i] = (REAL) s->batch->rows[s->row * inputs + i];
        linear(s, s->rows, &(at_weight) {layout->in_w, d, inputs, NULL, NULL}, AT_NONE, rows,
               x);
        bias = layout->in_b;
    }
    add_positions(s, x);
    norm(s, x, NULL, bias, layout->ln0_w, layout->ln0_b, x, s->acts->rstd0 + s->base,
         s->acts->x0 + s->base * d);
}

static void attend(const at_slice *s, size_t l)
{
    at_transformer *net = s->net;
    at_layer_acts *acts = &s->acts->layers[l];
    at_derived made = at_arena_derived(net, net->derived
                                                 + at_arena_set(net, l) * net->derived_count);
    size_t d = s->attention.d, pairs = s->n * s->n, heads = s->attention.heads;

    for (size_t q = 0; q < s->sequences; q++) {
        size_t row = s->base + q * s->n;
        REAL *p = net->gradients ? acts->p + row * heads * s->n : acts->p;

        at_attention_forward(&s->attention, &made, acts->qkv + row * 3 * d, p,
                             net->gradients ? pairs : 0, acts->o + row * d, &s->own->head);
    }
}

/* x [rows, d] → x2 of layer l. */
static void layer_forward(const at_slice *s, size_t l, const REAL *x)
{
    const at_model *model = &s->net->layout->model;
    const at_layer_offsets *at = &s->net->layout->layers[l];
    at_layer_acts *acts = &s->acts->layers[l];
    size_t d = model->d, f = model->ffn, b = s->base;
    REAL *x1 = acts->x1 + b * d, *h = acts->h + b * f;

    linear(s, s->rows, layer_weight(s, l, W_QKV), at->qkv_b, x,
           acts->qkv + b * 3 * d);
    attend(s, l);
    linear(s, s->rows, layer_weight(s, l, W_OUT), AT_NONE, acts->o + b * d,
           s->own->dy);
    norm(s, s->own->dy, x, at->out_b, at->ln1_w, at->ln1_b, acts->hat1 + b * d,
         acts->rstd1 + b, x1);
    if (f == 0)
        return;
    linear(s, s->rows, layer_weight(s, l, W_FC1), AT_NONE, x1, h);
    (model->activation == AT_GELU ? s->net->kernels->gelu : s->net->kernels->relu)(
        acts->g + b * f, h, params_at(s, at->fc1_b), s->rows, f);
    linear(s, s->rows, layer_weight(s, l, W_FC2), AT_NONE, acts->g + b * f,
           s->own->dy);
    norm(s, s->own->dy, x1, at->fc2_b, at->ln2_w, at->ln2_b, acts->hat2 + b * d,
         acts->rstd2 + b, acts->x2 + b * d);
}

void at_slice_forward(const at_slice *s)
{
    const at_layout *layout = s->net->layout;
    at_acts *acts = s->acts;
    size_t d = layout->model.d, b = s->base;
    const REAL *x = acts->x0 + b * d;

    embed(s);
    for (size_t l = 0; l < layout->model.layers; l++) {
        layer_forward(s, l, x);
        x = acts->layers[l].x2 + b * d;
    }
    if (!layout->model.lm_head)
        return;
    linear(s, s->rows, of_head(s, W_DENSE), AT_NONE, x, acts->hd + b * d);
    s->net->kernels->gelu(acts->gd + b * d, acts->hd + b * d, params_at(s, layout->dense_b),
                          s->rows, d);
    norm(s, acts->gd + b * d, NULL, AT_NONE, layout->ln1_w, layout->ln1_b,
         acts->hat3 + b * d, acts->rstd3 + b, acts->y + b * d);
}

void at_slice_decode(const at_slice *s, size_t row, size_t rows, REAL *logits)
{
    linear(s, rows, of_head(s, W_DECODER), AT_NONE,
           s->acts->y + (s->base + row) * s->attention.d, logits);
}

void at_slice_classify(const at_slice *s, size_t row, size_t rows, REAL dscale, REAL *logits,
                       int32_t *predicted)
{
    size_t outputs = s->net->layout->model.outputs;
    const REAL *bias = params_at(s, s->net->layout->dec_b);

    for (size_t t = 0; t < rows; t++) {
        int32_t target = s->batch->classes[s->row + row + t], largest;

        s->score->loss += s->net->kernels->cross_entropy(logits + t * outputs, bias, outputs, target,
                                                         dscale, &largest);
        s->score->scored += target >= 0;
        s->score->correct += target >= 0 && largest == target;
        if (predicted != NULL)
            predicted[s->row + row + t] = largest;
    }
}

void at_slice_regress(const at_slice *s, size_t row, size_t rows, REAL dscale, REAL *out)
{
    size_t outputs = s->net->layout->model.outputs;
    const double *values = s->batch->values + (s->row + row) * outputs;
    const REAL *bias = params_at(s, s->net->layout->dec_b);

    for (size_t i = 0; i < rows * outputs; i++) {
        double error = (double) (bias != NULL ? out[i] + bias[i % outputs] : out[i]) - values[i];

        s->score->loss += error * error;
        if (!(fabs(error) <= s->score->max_error))
            s->score->max_error = fabs(error);
        out[i] = (REAL) ((double) dscale * error);
    }
}

/* x [rows, d] of layer l and ∂/∂x2, own->dx + also (NULL: own->dx) → ∂/∂x, own->dx + what is
 * returned; see workspace.h. */
static const REAL *layer_backward(const at_slice *s, size_t l, const REAL *also)
{
    at_transformer *net = s->net;
    const at_model *model = &net->layout->model;
    const at_layer_offsets *at = &net->layout->layers[l];
    const at_side_layer *side = &net->side_layers[l];
    at_layer_acts *acts = &s->acts->layers[l];
    size_t d = model->d, f = model->ffn, b = s->base, set = at_arena_set(net, l);
    at_derived made = at_arena_derived(net, net->derived + set * net->derived_count);
    at_derived back = at_arena_derived(net, s->side + net->side_vectors
                                                 + set * net->derived_count);
    REAL *dx = s->own->dx, *dy = s->own->dy, *hat1 = acts->hat1 + b * d, *h = acts->h + b * f;
    REAL *hat2 = acts->hat2 + b * d, *qkv = acts->qkv + b * 3 * d;

    if (f > 0) {
        norm_back(s, dx, also, at->ln2_w, side->ln2_w, side->ln2_b, side->fc2_b, hat2,
                  acts->rstd2 + b);
        linear_back(s, layer_weight(s, l, W_FC2), hat2, s->own->wide);
        net->kernels->activation_back(h, s->own->wide, side_at(s, side->fc1_b), s->rows, f);
        linear_back(s, layer_weight(s, l, W_FC1), h, dx);
        also = hat2;
    }
    norm_back(s, dx, also, at->ln1_w, side->ln1_w, side->ln1_b, side->out_b, hat1,
              acts->rstd1 + b);
    linear_back(s, layer_weight(s, l, W_OUT), hat1, dy);
    for (size_t q = 0; q < s->sequences; q++) {
        size_t row = q * s->n;

        at_attention_backward(&s->attention, &made, &back, qkv + row * 3 * d,
                              acts->p + (b + row) * s->attention.heads * s->n, acts->o + (b + row) * d,
                              dy + row * d, &s->own->head);
    }
    if (side->qkv_b != AT_NONE)
        net->kernels->column_sums(s->side + side->qkv_b, qkv, 3 * d, s->rows, 3 * d);
    linear_back(s, layer_weight(s, l, W_QKV), qkv, dx);
    return hat1;
}

void at_slice_backward(const at_slice *s, const REAL *dlogits)
{
    at_transformer *net = s->net;
    const at_layout *layout = net->layout;
    size_t d = layout->model.d, outputs = layout->model.outputs, b = s->base;
    REAL *dx = s->own->dx;
    const REAL *also = NULL;

    if (layout->dec_b != AT_NONE)
        net->kernels->column_sums(s->side + net->side_dec_b, dlogits, outputs, s->rows, outputs);
    linear_back(s, of_head(s, W_DECODER), dlogits, dx);
    if (layout->model.lm_head) {
        norm_back(s, dx, NULL, layout->ln1_w, net->side_ln1_w, net->side_ln1_b, AT_NONE,
                  s->acts->hat3 + b * d, s->acts->rstd3 + b);
        net->kernels->activation_back(s->acts->hd + b * d, s->acts->hat3 + b * d,
                                      side_at(s, net->side_dense_b), s->rows, d);
        linear_back(s, of_head(s, W_DENSE), s->acts->hd + b * d, dx);
    }
    for (size_t l = layout->model.layers; l-- > 0; )
        also = layer_backward(s, l, also);
    norm_back(s, dx, also, layout->ln0_w, net->side_ln0_w, net->side_ln0_b, net->side_in_b,
              s->acts->hat0 + b * d, s->acts->rstd0 + b);
}
