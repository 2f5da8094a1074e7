/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the exact encodings share. */
#include "attest/theory/network/encoding_impl.h"

/* ---- Shapes -------------------------------------------------------------------------------- */

void at_shape_offsets(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) t;
    *rows = 1;
    *cols = 2 * net->n - 1;
}

void at_shape_distances(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) t;
    *rows = 1;
    *cols = net->n + 1;
}

/* ---- Tables -------------------------------------------------------------------------------- */

const fmpq *at_by_offset(const at_attention *a, int t, slong i, slong j)
{
    return fmpq_mat_entry(a->head->tables[t], 0, i - j + a->net->n - 1);
}

const fmpq *at_by_distance(const at_attention *a, int t, slong i, slong j)
{
    slong n = a->net->n, distance = a->net->distance[i * n + j];

    return fmpq_mat_entry(a->head->tables[t], 0, distance < 0 ? n : distance);
}

void at_logit_offset(void *s, at_attention *a, slong i, slong j)
{
    at_attention_add(s, a, at_by_offset(a, 0, i, j));
}

void at_logit_distance(void *s, at_attention *a, slong i, slong j)
{
    at_attention_add(s, a, at_by_distance(a, 0, i, j));
}

/* ---- For hooks of one's own ---------------------------------------------------------------- */

const at_network_struct *at_attention_network(const at_attention *a)
{
    return a->net;
}

slong at_attention_tokens(const at_attention *a)
{
    return a->rows;
}

const fmpq *at_attention_entry(const at_attention *a, int t, slong row, slong col)
{
    return fmpq_mat_entry(a->head->tables[t], row, col);
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

void at_attention_dot(void *s, const at_attention *a, const at_fmat *vectors, slong i,
                      const fmpq_mat_t m, slong r)
{
    for (slong c = 0; c < vectors->cols; c++)
        a->field->addmul_fmpq(s, at_fmat_at(vectors, i, c), fmpq_mat_entry(m, r, c), a->prec);
}

void at_attention_add(void *s, at_attention *a, const fmpq_t c)
{
    if (fmpq_is_zero(c))
        return;
    a->field->set_fmpq(a->t, c, a->prec);
    a->field->add(s, s, a->t, a->prec);
}
