/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of exact encodings and what its entries share. */
#include "theory/encoding_impl.h"

const at_encoding_exact *const at_encodings_exact[AT_ENC_COUNT] = {
    [AT_ENC_NONE] = &at_exact_none,
    [AT_ENC_LEARNED] = &at_exact_learned,
    [AT_ENC_SINUSOIDAL] = &at_exact_sinusoidal,
    [AT_ENC_SHAW_K] = &at_exact_shaw_k,
    [AT_ENC_SHAW] = &at_exact_shaw,
    [AT_ENC_TRANSFORMER_XL] = &at_exact_transformer_xl,
    [AT_ENC_T5] = &at_exact_t5,
    [AT_ENC_T5_BUCKETED] = &at_exact_t5_bucketed,
    [AT_ENC_DEBERTA] = &at_exact_deberta,
    [AT_ENC_TUPE] = &at_exact_tupe,
    [AT_ENC_ALIBI] = &at_exact_alibi,
    [AT_ENC_ALIBI_SYMMETRIC] = &at_exact_alibi_symmetric,
    [AT_ENC_ROPE] = &at_exact_rope,
    [AT_ENC_KERPLE_LOG] = &at_exact_kerple_log,
    [AT_ENC_KERPLE_POWER] = &at_exact_kerple_power,
    [AT_ENC_FIRE] = &at_exact_fire,
    [AT_ENC_GRAPH] = &at_exact_graph,
    [AT_ENC_URPE] = &at_exact_urpe,
    [AT_ENC_GRAPH_URPE] = &at_exact_graph_urpe,
    [AT_ENC_STABLE_MASK] = &at_exact_stable_mask,
    [AT_ENC_L2_NORM] = &at_exact_l2_norm,
    [AT_ENC_RELU2] = &at_exact_relu2,
};

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
