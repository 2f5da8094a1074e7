/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weights of a network that all slices multiply by, packed for the kernels' products once a pass.
 * Included by numeric/transformer.c once for each precision.
 *
 * Only where the packed copies are small: of large weights each product packs what it needs, since that
 * costs little beside the product and leaves nothing to be read again from memory. */

/* One matrix [to, from]: x W^T goes forward, dy W back. */
typedef struct {
    size_t offset, to, from;
    REAL *forward, *back;      /* NULL: not packed */
} LOCAL(weight);

/* Weights of layer l begin at LAYER_WEIGHTS·l; then the LM head's and the decoder. */
enum { LOCAL(W_QKV), LOCAL(W_OUT), LOCAL(W_FC1), LOCAL(W_FC2), LOCAL(LAYER_WEIGHTS) };
enum { LOCAL(W_DENSE), LOCAL(W_DECODER), LOCAL(HEAD_WEIGHTS) };

static size_t LOCAL(weight_count)(const at_model *model)
{
    return LOCAL(LAYER_WEIGHTS) * model->layers + LOCAL(HEAD_WEIGHTS);
}

static size_t LOCAL(head_weight)(const at_model *model, size_t which)
{
    return LOCAL(LAYER_WEIGHTS) * model->layers + which;
}

/* weights [weight_count]; those that the model lacks have offset AT_NONE. */
static void LOCAL(list_weights)(const at_layout *layout, LOCAL(weight) *weights)
{
    const at_model *model = &layout->model;
    size_t d = model->d, f = model->ffn;

    for (size_t l = 0; l < model->layers; l++) {
        const at_layer_offsets *at = &layout->layers[l];
        LOCAL(weight) *layer = weights + LOCAL(LAYER_WEIGHTS) * l;

        layer[LOCAL(W_QKV)] = (LOCAL(weight)) {at->qkv_w, 3 * d, d, NULL, NULL};
        layer[LOCAL(W_OUT)] = (LOCAL(weight)) {at->out_w, d, d, NULL, NULL};
        layer[LOCAL(W_FC1)] = (LOCAL(weight)) {f > 0 ? at->fc1_w : AT_NONE, f, d, NULL, NULL};
        layer[LOCAL(W_FC2)] = (LOCAL(weight)) {f > 0 ? at->fc2_w : AT_NONE, d, f, NULL, NULL};
    }
    weights[LOCAL(head_weight)(model, LOCAL(W_DENSE))] =
        (LOCAL(weight)) {model->lm_head ? layout->dense_w : AT_NONE, d, d, NULL, NULL};
    weights[LOCAL(head_weight)(model, LOCAL(W_DECODER))] =
        (LOCAL(weight)) {layout->dec_w, model->outputs, d, NULL, NULL};
}

static void LOCAL(pack_weight)(const KERNELS *kernels, const REAL *params, const LOCAL(weight) *w,
                               bool back)
{
    const REAL *values = params + w->offset;

    if (!back && w->forward != NULL)
        kernels->pack(w->forward, values, w->from, true, w->from, w->to);
    else if (back && w->back != NULL)
        kernels->pack(w->back, values, w->from, false, w->to, w->from);
}
