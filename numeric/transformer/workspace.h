/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workspace of a Transformer: activations, gradients of what is no matrix, scratch, in one arena.
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
#ifndef ATTEST_NUMERIC_TRANSFORMER_WORKSPACE_H
#define ATTEST_NUMERIC_TRANSFORMER_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/numeric/transformer/layout.h"
#include "attest/numeric/transformer/attention.h"
#include "attest/numeric/transformer/packed.h"
#include "attest/numeric/transformer/real.h"

/* Activations of one layer, rows are tokens. */
typedef struct {
    REAL *qkv;               /* [3d] → ∂/∂qkv */
    REAL *p;                 /* [batch, heads, n, n] attention weights before the factor */
    REAL *o;                 /* [d] */
    REAL *hat1, *rstd1, *x1; /* [d], [1], [d] */
    REAL *h, *g;             /* [ffn] derivative → ∂/∂h; activation */
    REAL *hat2, *rstd2, *x2; /* [d], [1], [d] */
} at_layer_acts;

typedef struct {
    REAL *rows;              /* [inputs] the input in this precision */
    REAL *hat0, *rstd0, *x0; /* [d] */
    at_layer_acts *layers;
    REAL *hd, *gd;           /* [d] LM head: dense */
    REAL *hat3, *rstd3, *y;  /* [d] input of the decoder */
} at_acts;

/* One block of a matrix's gradient [out, in]: grad [rows, columns] = or, with add, += dout^T x over all
 * tokens. */
typedef struct {
    const REAL *dout, *x;
    size_t out, in, tokens, rows, columns;
    REAL *grad;
    bool add;
} at_block;

/* One thread's own. */
typedef struct {
    at_acts acts;        /* of one slice; without gradients the layers share theirs */
    REAL *dx, *dy, *wide;    /* [slice, d] twice, [slice, max(ffn, d)] */
    REAL *pack;              /* of multiply */
    REAL *logits;            /* [LOGIT_ROWS or, with lane_grad, slice, outputs] */
    at_block *products;
    at_head_scratch head;
} at_thread_acts;

/* Offsets, in the side gradient of a slice, of a layer's vectors. */
typedef struct {
    size_t qkv_b, out_b, ln1_w, ln1_b, fc1_b, fc2_b, ln2_w, ln2_b;
} at_side_layer;

struct at_transformer {
    const at_layout *layout;
    const at_kernels *kernels;
    at_derived_shape shape;
    size_t batch_limit, room;            /* room: bytes, at_transformer_alloc_within */
    int threads;
    bool gradients, packs;               /* packs: the weights, once a pass */
    REAL *arena;
    size_t bytes;
    REAL *fixed;
    size_t sets, derived_count;          /* derived arrays: one set, or one a layer */
    at_derived derived_at;           /* offsets from a set's beginning, as pointers from arena */
    REAL *derived;                       /* [sets, derived_count] */
    REAL *encoding_scratch;
    at_acts acts;
    REAL *dlogits;                       /* [chunk tokens, outputs] */
    size_t chunk_tokens;
    size_t lane_limit, side_count, side_vectors;
    REAL *side;                          /* [lane_limit, side_count] */
    bool by_lane;
    REAL *lane_grad;                     /* [lane_limit, parameters], by_lane */
    size_t *side_of;                     /* by view: offset in side, or AT_NONE */
    at_side_layer *side_layers;
    size_t side_in_b, side_ln0_w, side_ln0_b, side_dense_b, side_ln1_w, side_ln1_b, side_dec_b;
    at_thread_acts *thread;
    at_score *slice_score;               /* [SLICES] */
    at_block *products;
    at_weight *weights;              /* [weight_count] */
};

enum { SLICE_TOKENS = 256, SLICES = 64, LOGIT_ROWS = 64,
       BLOCK_ROWS = 512, BLOCK_COLUMNS = 768 };

/* Sequences a slice, from the sizes of the model and the batch alone. */
size_t at_arena_slice_sequences(const at_model *model, size_t batch, size_t n);
/* Lanes with a gradient of their own: 8, or 4 where they are large, else none. */
size_t at_arena_lanes_apart(const at_layout *layout, size_t room);
/* Sizes of the derived arrays of one set; the pointers become offsets into it. */
void at_arena_lay_derived(at_transformer *net);
/* Where each vector lies in a side gradient. */
void at_arena_lay_side(at_transformer *net);
/* Takes everything from the arena; called twice, first to count.  Returns the numbers taken. */
size_t at_arena_lay(at_transformer *net);
/* The derived arrays that begin at block, and the set of a layer. */
at_derived at_arena_derived(const at_transformer *net, REAL *block);
size_t at_arena_set(const at_transformer *net, size_t layer);

#endif
