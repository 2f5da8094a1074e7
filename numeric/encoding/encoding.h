/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positional encodings, float side.  An encoding says (1) which parameters it has, its slots, and
 * (2) what they become in an attention layer: the derived arrays of at_derived, computed once a
 * forward pass and shared by all sequences.  The attention core knows only the derived arrays, so a new
 * encoding is one at_encoding_float (numeric/encoding/parts.h): its slots, which arrays it derives, how they
 * are made and how their gradient goes back.
 *
 * Logits (k = i − j, rows i of query, columns j of key, heads apart):
 *     s_ij = scale·((q_i + content)·k_j + q_i·key_k + k_j·query_k) + bias
 * with q and k rotated first where rotations are given, and o_i = Σ_j a_ij (v_j + value_k). */
#ifndef ATTEST_NUMERIC_ENCODING_ENCODING_H
#define ATTEST_NUMERIC_ENCODING_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/model.h"
#include "attest/numeric/transformer/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes that the papers fix: Shaw's clipping distance, T5's buckets and their farthest distance,
 * DeBERTa's span, FIRE's hidden width. */
enum { AT_SHAW_CLIP = 16, AT_T5_BUCKETS = 32, AT_T5_FARTHEST = 128, AT_DEBERTA_SPAN = 128,
       AT_FIRE_WIDTH = 32 };

typedef struct {
    const char *name;         /* "rpe.weight" */
    enum at_param_kind kind;
    size_t rank, shape[3];
} at_slot;

/* The slots of the model's encoding in an attention layer (learned APE has none: its vectors are
 * added to the embedding).  Returns their number, at most AT_ENCODING_SLOTS. */
size_t at_encoding_slots(const at_model *model, at_slot slots[AT_ENCODING_SLOTS]);

/* How attention weights come from logits. */
enum at_weighting { AT_WEIGHT_SOFTMAX, AT_WEIGHT_L2, AT_WEIGHT_RELU2, AT_WEIGHT_STABLE };

/* A table by head: absent, by offset [heads, 2N−1] (entry j − i + N − 1, N = model.n), or by pair
 * [heads, n, n] for batches of length n. */
enum at_table_form { AT_TABLE_NONE, AT_TABLE_OFFSET, AT_TABLE_PAIR };

typedef struct {
    enum at_weighting weighting;
    enum at_table_form bias, factor;
    bool fixed_factor;        /* the factor is no parameter and wants no gradient */
    bool key, query, value;   /* vectors by offset [2N−1, width] */
    size_t width;             /* d: each head its columns; head_dim: shared by the heads */
    bool content;             /* [d], added to the query against the key */
    bool rotate;              /* rotations [N, head_dim/2, 2] (cos, sin) of pairs (2t, 2t+1) */
    bool adds_fixed;          /* the fixed numbers, [N, d], are added to the input */
    double scale;
} at_derived_shape;

/* Which arrays the model's encoding derives from its parameters, and their scale. */
void at_encoding_shape(const at_model *model, at_derived_shape *shape);

/* Fixed numbers: sinusoidal [N, d]; transformer-xl r_k [2N−1, d]; alibi slopes [heads]; rope
 * rotations [N, head_dim/2, 2]; fire [1]: 0 for ψ(x) = log(1 + c x), 1 for ψ(x) = 1 + c x; else none.
 * fixed may be replaced by other numbers (rational ones, for instance) in a workspace. */
size_t at_encoding_fixed_count(const at_model *model);
void at_encoding_fixed(const at_model *model, double *fixed);

/* T5's bucket of offset k = i − j. */
size_t at_encoding_t5_bucket(long k, bool causal);

#ifdef __cplusplus
}
#endif

#endif
