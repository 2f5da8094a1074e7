/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes of a Transformer over one slice of the batch, forward and backward.  Shapes in comments: rows
 * are the tokens of the slice. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_SLICE_H
#define ATTEST_NUMERIC_TRANSFORMER_SLICE_H

#include "attest/numeric/transformer/workspace.h"

/* One slice at work. */
typedef struct {
    at_transformer *net;
    const REAL *params;
    const at_batch *batch;
    at_attention attention;
    size_t first, sequences, n;   /* sequences first … of length n */
    size_t row, rows;             /* tokens: first·n and sequences·n */
    size_t base;                  /* row of the activations where the slice begins */
    at_acts *acts;
    at_thread_acts *own;
    REAL *side;                   /* of the lane; NULL without gradients */
    at_score *score;
} at_slice;

/* Everything up to the decoder's input y [rows, d]. */
void at_slice_forward(const at_slice *s);
/* Logits of rows tokens from token row of the slice on, without the decoder's bias. */
void at_slice_decode(const at_slice *s, size_t row, size_t rows, REAL *logits);
/* Cross-entropy of rows tokens; logits become dscale·∂/∂logits. */
void at_slice_classify(const at_slice *s, size_t row, size_t rows, REAL dscale, REAL *logits,
                       int32_t *predicted);
/* Squared errors of rows tokens; outputs become dscale·(output − value). */
void at_slice_regress(const at_slice *s, size_t row, size_t rows, REAL dscale, REAL *out);
/* dlogits [rows, outputs] → all activations hold the gradients that the matrices want. */
void at_slice_backward(const at_slice *s, const REAL *dlogits);

#endif
