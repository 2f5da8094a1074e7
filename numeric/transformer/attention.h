/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multi-head attention of one sequence, forward and backward, for every encoding: it reads the derived
 * arrays of numeric/encoding/encoding.h and knows nothing else of encodings.  The scores of one head stay in cache:
 * of a long sequence some rows at a time, where the encoding does not look at all of them at once. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_ATTENTION_H
#define ATTEST_NUMERIC_TRANSFORMER_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/numeric/encoding/parts.h"
#include "attest/numeric/transformer/real.h"

typedef struct {
    const at_kernels *kernels;
    const at_derived_shape *shape;
    size_t n, longest, d, heads, e;  /* longest: N, for which tables are laid out */
    bool causal;
    const REAL *rotations;
} at_attention;

/* One thread's scratch. */
typedef struct {
    REAL *a, *da;          /* [rows at once, n] */
    REAL *offsets;         /* [n, 2N−1] */
    REAL *q;               /* [3n, e] */
    REAL *dot;             /* [n] */
    REAL *pack;            /* of multiply */
    REAL *left, *right;    /* two packed sides of products, for all rows of a head */
} at_head_scratch;

/* Scores that sequences of n tokens, and shorter ones, hold at once. */
size_t at_attention_scores(const at_derived_shape *shape, size_t n);
/* Numbers of a head's left and right. */
size_t at_attention_packed_room(const at_kernels *kernels, size_t n, size_t e);
/* qkv [n, 3d] → o [n, d]; p: head h's weights at p + h·p_step. */
void at_attention_forward(const at_attention *at, const at_derived *made, REAL *qkv, REAL *p,
                          size_t p_step, REAL *o, at_head_scratch *tmp);
/* dout [n, d] (∂/∂o) → qkv, in place: ∂/∂qkv; adds to back. */
void at_attention_backward(const at_attention *at, const at_derived *made, at_derived *back, REAL *qkv,
                           const REAL *p, const REAL *o, const REAL *dout, at_head_scratch *tmp);

#endif
