/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weights of a network that all slices multiply by, packed for the kernels' products once a pass.
 * 
 *
 * Only where the packed copies are small: of large weights each product packs what it needs, since that
 * costs little beside the product and leaves nothing to be read again from memory. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_PACKED_H
#define ATTEST_NUMERIC_TRANSFORMER_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/numeric/transformer/layout.h"
#include "attest/numeric/transformer/real.h"

/* One matrix [to, from]: x W^T goes forward, dy W back. */
typedef struct {
    size_t offset, to, from;
    REAL *forward, *back;      /* NULL: not packed */
} at_weight;

/* Weights of layer l begin at LAYER_WEIGHTS·l; then the LM head's and the decoder. */
enum { W_QKV, W_OUT, W_FC1, W_FC2, LAYER_WEIGHTS };
enum { W_DENSE, W_DECODER, HEAD_WEIGHTS };

/* Weights of a model. */
size_t at_weight_count(const at_model *model);
/* Index of one of the head's. */
size_t at_weight_of_head(const at_model *model, size_t which);
/* weights [at_weight_count]; those that the model lacks have offset AT_NONE. */
void at_weight_list(const at_layout *layout, at_weight *weights);
/* Packs w's forward or back side, if it has room for one. */
void at_weight_pack(const at_kernels *kernels, const REAL *params, const at_weight *w, bool back);

#endif
