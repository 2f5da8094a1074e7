/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Balls as a field of the network's evaluation: everything has an enclosure, nothing leaves. */
#include "attest/theory/network/field.h"

static void ball_init(void *x) { arb_init(x); }
static void ball_clear(void *x) { arb_clear(x); }
static void ball_set(void *z, const void *x) { arb_set(z, x); }
static void ball_set_fmpq(void *z, const fmpq_t c, slong prec) { arb_set_fmpq(z, c, prec); }

static void ball_add(void *z, const void *x, const void *y, slong prec)
{
    arb_add(z, x, y, prec);
}

static void ball_mul(void *z, const void *x, const void *y, slong prec)
{
    arb_mul(z, x, y, prec);
}

static void ball_mul_fmpq(void *z, const void *x, const fmpq_t c, slong prec)
{
    arb_mul_fmpz(z, x, fmpq_numref(c), prec);
    if (!fmpz_is_one(fmpq_denref(c)))
        arb_div_fmpz(z, z, fmpq_denref(c), prec);
}

static void ball_addmul_fmpq(void *z, const void *x, const fmpq_t c, slong prec)
{
    arb_t t;

    arb_init(t);
    ball_mul_fmpq(t, x, c, prec);
    arb_add(z, z, t, prec);
    arb_clear(t);
}

static bool ball_relu(void *z, const void *x, slong prec)
{
    arb_t zero;

    arb_init(zero);
    arb_max(z, x, zero, prec);
    arb_clear(zero);
    return true;
}

/* x·½(1 + erf(x/√2)). */
static bool ball_gelu(void *z, const void *x, slong prec)
{
    arb_t t;

    arb_init(t);
    arb_sqrt_ui(t, 2, prec);
    arb_div(t, x, t, prec);
    arb_hypgeom_erf(t, t, prec);
    arb_add_ui(t, t, 1, prec);
    arb_mul_2exp_si(t, t, -1);
    arb_mul(z, x, t, prec);
    arb_clear(t);
    return true;
}

/* A ball that touches 0 gives one of infinite radius, which decides nothing. */
static bool ball_rsqrt(void *z, const void *x, slong prec)
{
    arb_rsqrt(z, x, prec);
    return true;
}

/* ---- Attention ----------------------------------------------------------------------------- */

/* f_j e^{s_j − m}, m the midpoint of the greatest logit: any m cancels. */
static void exponential_weights(arb_ptr w, const at_row *row)
{
    arb_srcptr s = row->logits;
    arb_t m, f;
    slong greatest = 0;

    arb_init(m), arb_init(f);
    for (slong j = 1; j < row->count; j++)
        if (arf_cmp(arb_midref(s + j), arb_midref(s + greatest)) > 0)
            greatest = j;
    arb_set_arf(m, arb_midref(s + greatest));
    for (slong j = 0; j < row->count; j++) {
        arb_sub(w + j, s + j, m, row->prec);
        arb_exp(w + j, w + j, row->prec);
        arb_set_fmpq(f, row->factors + j, row->prec);
        arb_mul(w + j, w + j, f, row->prec);
    }
    arb_clear(m), arb_clear(f);
}

/* Divides weights by Σ w, or by √Σ w². */
static void normalise_weights(arb_ptr w, const at_row *row)
{
    arb_t norm;

    arb_init(norm);
    for (slong j = 0; j < row->count; j++) {
        if (row->normaliser == AT_NORMALISE_L2)
            arb_addmul(norm, w + j, w + j, row->prec);
        else
            arb_add(norm, norm, w + j, row->prec);
    }
    if (row->normaliser == AT_NORMALISE_L2)
        arb_sqrt(norm, norm, row->prec);
    for (slong j = 0; j < row->count; j++)
        arb_div(w + j, w + j, norm, row->prec);
    arb_clear(norm);
}

static void relu2_weights(arb_ptr w, const at_row *row)
{
    arb_t f;

    arb_init(f);
    for (slong j = 0; j < row->count; j++) {
        ball_relu(w + j, (arb_srcptr) row->logits + j, row->prec);
        arb_sqr(w + j, w + j, row->prec);
        arb_div_si(w + j, w + j, row->tokens, row->prec);
        arb_set_fmpq(f, row->factors + j, row->prec);
        arb_mul(w + j, w + j, f, row->prec);
    }
    arb_clear(f);
}

static bool ball_attend(at_row *row)
{
    arb_ptr w = _arb_vec_init(row->count), out = row->out;

    if (row->normaliser == AT_NORMALISE_RELU2) {
        relu2_weights(w, row);
    } else if (row->count > 0) {
        exponential_weights(w, row);
        normalise_weights(w, row);
    }
    for (slong j = 0; j < row->count; j++)
        ball_mul_fmpq(w + j, w + j, row->gates + j, row->prec);
    for (slong col = 0; col < row->cols; col++) {
        arb_zero(out + col);
        for (slong j = 0; j < row->count; j++)
            arb_addmul(out + col, w + j, (arb_srcptr) row->values[j] + col, row->prec);
    }
    _arb_vec_clear(w, row->count);
    return true;
}

const at_field at_field_ball = {
    sizeof(arb_struct), ball_init, ball_clear, ball_set, ball_set_fmpq, ball_add, ball_mul,
    ball_mul_fmpq, ball_addmul_fmpq, ball_relu, ball_gelu, ball_rsqrt, ball_attend, NULL
};
