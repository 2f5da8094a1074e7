/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradients of the matrices: products over tokens, in blocks. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_PRODUCTS_H
#define ATTEST_NUMERIC_TRANSFORMER_PRODUCTS_H

#include "attest/numeric/transformer/workspace.h"

/* Appends the blocks of one matrix's product, or, whole, one block; returns their number. */
size_t at_block_cut(at_block *list, bool whole, size_t out, size_t in, size_t tokens, const REAL *dout,
                    const REAL *x, REAL *grad, bool add);
/* The list of all products but the decoder's, over the first tokens rows of acts, into or onto grad;
 * whole: in one block each.  Returns their number. */
size_t at_block_list(const at_layout *layout, const at_acts *acts, size_t tokens, REAL *grad, bool add,
                     bool whole, at_block *list);
/* One block, by thread number thread. */
void at_block_run(const at_transformer *net, const at_block *p, size_t thread);

#endif
