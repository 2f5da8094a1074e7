/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the encoding table, and what they share. */
#ifndef ATTEST_THEORY_NETWORK_ENCODING_IMPL_H
#define ATTEST_THEORY_NETWORK_ENCODING_IMPL_H

#include "attest/theory/network/field.h"

#define AT_ENCODING(ID, symbol, ...) extern const at_encoding_exact at_exact_##symbol;
#include "attest/core/encodings.def"
#undef AT_ENCODING

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
