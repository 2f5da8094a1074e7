/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "attest/numeric/transformer/packed.h"

size_t at_weight_count(const at_model *model)
{
    return LAYER_WEIGHTS * model->layers + HEAD_WEIGHTS;
}

size_t at_weight_of_head(const at_model *model, size_t which)
{
    return LAYER_WEIGHTS * model->layers + which;
}

void at_weight_list(const at_layout *layout, at_weight *weights)
{
    const at_model *model = &layout->model;
    size_t d = model->d, f = model->ffn;

    for (size_t l = 0; l < model->layers; l++) {
        const at_layer_offsets *at = &layout->layers[l];
        at_weight *layer = weights + LAYER_WEIGHTS * l;

        layer[W_QKV] = (at_weight) {at->qkv_w, 3 * d, d, NULL, NULL};
        layer[W_OUT] = (at_weight) {at->out_w, d, d, NULL, NULL};
        layer[W_FC1] = (at_weight) {f > 0 ? at->fc1_w : AT_NONE, f, d, NULL, NULL};
        layer[W_FC2] = (at_weight) {f > 0 ? at->fc2_w : AT_NONE, d, f, NULL, NULL};
    }
    weights[at_weight_of_head(model, W_DENSE)] =
        (at_weight) {model->lm_head ? layout->dense_w : AT_NONE, d, d, NULL, NULL};
    weights[at_weight_of_head(model, W_DECODER)] =
        (at_weight) {layout->dec_w, model->outputs, d, NULL, NULL};
}

void at_weight_pack(const at_kernels *kernels, const REAL *params, const at_weight *w,
                    bool back)
{
    const REAL *values = params + w->offset;

    if (!back && w->forward != NULL)
        kernels->pack(w->forward, values, w->from, true, w->from, w->to);
    else if (back && w->back != NULL)
        kernels->pack(w->back, values, w->from, false, w->to, w->from);
}
