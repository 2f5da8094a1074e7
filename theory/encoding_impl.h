/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the encoding table, and what they share. */
#ifndef ATTEST_THEORY_ENCODING_IMPL_H
#define ATTEST_THEORY_ENCODING_IMPL_H

#include "theory/field.h"

/* theory/encoding_plain.c: none, absolute positions, the other ways to normalise. */
extern const at_encoding_exact at_exact_none, at_exact_learned, at_exact_sinusoidal,
    at_exact_l2_norm, at_exact_relu2, at_exact_stable_mask;
/* theory/encoding_bias.c: a number for each offset, pair or distance. */
extern const at_encoding_exact at_exact_t5, at_exact_t5_bucketed, at_exact_alibi,
    at_exact_alibi_symmetric, at_exact_kerple_log, at_exact_kerple_power, at_exact_fire,
    at_exact_graph, at_exact_urpe, at_exact_graph_urpe;
/* theory/encoding_vector.c: vectors for each offset or position, rotations. */
extern const at_encoding_exact at_exact_shaw_k, at_exact_shaw, at_exact_transformer_xl,
    at_exact_deberta, at_exact_tupe, at_exact_rope;

/* Shapes. */
void at_shape_offsets(slong *rows, slong *cols, const at_network_struct *net, int t);
void at_shape_distances(slong *rows, slong *cols, const at_network_struct *net, int t);

/* Hooks for a table 0 of biases by offset, by distance. */
void at_logit_offset(void *s, at_attention *a, slong i, slong j);
void at_logit_distance(void *s, at_attention *a, slong i, slong j);

/* Entry of table t: by offset, by distance. */
const fmpq *at_by_offset(const at_attention *a, int t, slong i, slong j);
const fmpq *at_by_distance(const at_attention *a, int t, slong i, slong j);

#endif
