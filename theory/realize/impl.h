/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small hands of the constructions: single weights set by row and column. */
#ifndef ATTEST_THEORY_REALIZE_IMPL_H
#define ATTEST_THEORY_REALIZE_IMPL_H

#include "attest/theory/realize/realize.h"

/* a(i, j) = p/q. */
static inline void at_put(fmpq_mat_t a, slong i, slong j, slong p, ulong q)
{
    fmpq_set_si(fmpq_mat_entry(a, i, j), p, q);
}

/* Head reads column `from` of the residual and writes weight p/q times it to column `to`. */
static inline void at_put_copy(at_head *head, slong through, slong from, slong to, slong p, ulong q)
{
    at_put(head->value, from, through, 1, 1);
    at_put(head->output, through, to, p, q);
}

/* Table t of head h in every layer, offset k. */
static inline void at_put_offset(at_network_t net, slong h, int t, slong k, const fmpq_t c)
{
    for (slong l = 0; l < net->layer_count; l++)
        fmpq_set(fmpq_mat_entry(net->layers[l].heads[h].tables[t], 0, k + net->n - 1), c);
}

/* c_k = 1 for k ≥ 0, else 0, in every layer: urpe's table 1. */
void at_put_causal_gate(at_network_t net, slong h);

#endif
