/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodings without positional logits, and those that normalise weights in another way. */
#include "attest/theory/network/encoding_impl.h"

const at_encoding_exact at_exact_none = { .id = AT_ENC_NONE, .terms = 1 };

/* The network adds its positions at the input; here lies nothing but the fact. */
const at_encoding_exact at_exact_learned = {
    .id = AT_ENC_LEARNED, .terms = 1, .adds_positions = true, .uses_positions = true
};

const at_encoding_exact at_exact_sinusoidal = {
    .id = AT_ENC_SINUSOIDAL, .terms = 1, .adds_positions = true, .uses_positions = true
};

/* ---- l2-norm ------------------------------------------------------------------------------- */

static int factors_positive(const at_network_struct *net, const at_head *head, at_error *err)
{
    (void) net;
    for (slong k = 0; k < fmpq_mat_ncols(head->tables[1]); k++)
        if (fmpq_sgn(fmpq_mat_entry(head->tables[1], 0, k)) <= 0)
            return at_error_set(err, AT_USAGE, "l2-norm: factors are positive");
    return AT_OK;
}

static void random_l2(at_head *head, const at_network_struct *net, at_random *r)
{
    (void) net;
    for (slong k = 0; k < fmpq_mat_ncols(head->tables[1]); k++)
        fmpq_set_si(fmpq_mat_entry(head->tables[1], 0, k), at_random_between(r, 1, 5),
                    (ulong) at_random_between(r, 1, 3));
}

static void factor_l2(fmpq_t f, const at_attention *a, slong i, slong j)
{
    fmpq_set(f, at_by_offset(a, 1, i, j));
}

const at_encoding_exact at_exact_l2_norm = {
    .id = AT_ENC_L2_NORM, .terms = 1, .normaliser = AT_NORMALISE_L2,
    .tables = { "bias", "factor" }, .shape = at_shape_offsets, .random = random_l2,
    .check = factors_positive, .logit = at_logit_offset, .factor = factor_l2
};

const at_encoding_exact at_exact_relu2 = {
    .id = AT_ENC_RELU2, .terms = 1, .normaliser = AT_NORMALISE_RELU2,
    .tables = { "bias" }, .shape = at_shape_offsets, .logit = at_logit_offset
};

/* ---- stable-mask --------------------------------------------------------------------------- */

static void shape_square(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) t;
    *rows = *cols = net->n;
}

/* S ⊙ M + P: the logits above the diagonal are P's alone. */
static void logit_stable(void *s, at_attention *a, slong i, slong j)
{
    if (j > i)
        a->field->set_fmpq(s, fmpq_mat_entry(a->head->tables[0], i, j), a->prec);
}

static void gate_stable(fmpq_t c, const at_attention *a, slong i, slong j)
{
    (void) a;
    fmpq_set_si(c, j <= i, 1);
}

const at_encoding_exact at_exact_stable_mask = {
    .id = AT_ENC_STABLE_MASK, .terms = 1, .tables = { "mask" }, .shape = shape_square,
    .logit = logit_stable, .gate = gate_stable, .counts_hidden = true
};
