/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fractions of ℚ(e^ℚ) as real numbers: enclosures, signs, order. */
#include "attest/theory/expq/impl.h"

int at_expqf_sgn(const at_expqf_t x)
{
    int sign = at_expq_sgn(&x->num);

    return sign == 0 ? 0 : sign * at_expq_sgn(&x->den);
}

/* num·den' − num'·den over den·den', without reducing. */
int at_expqf_cmp(const at_expqf_t x, const at_expqf_t y)
{
    at_expq_t left, right;
    int sign;

    at_expq_init(left), at_expq_init(right);
    if (at_expq_equal(&x->den, &y->den)) {
        at_expq_sub(left, &x->num, &y->num);
        sign = at_expq_sgn(left);
        sign = sign == 0 ? 0 : sign * at_expq_sgn(&x->den);
    } else {
        at_expq_mul(left, &x->num, &y->den);
        at_expq_mul(right, &y->num, &x->den);
        at_expq_sub(left, left, right);
        sign = at_expq_sgn(left);
        sign = sign == 0 ? 0 : sign * at_expq_sgn(&x->den) * at_expq_sgn(&y->den);
    }
    at_expq_clear(left), at_expq_clear(right);
    return sign;
}

int at_expqf_cmp_fmpq(const at_expqf_t x, const fmpq_t c)
{
    at_expqf_t y;

    at_expqf_init(y);
    at_expqf_set_fmpq(y, c);
    int sign = at_expqf_cmp(x, y);
    at_expqf_clear(y);
    return sign;
}

void at_expqf_get_arb(arb_t z, const at_expqf_t x, slong bits)
{
    arb_t den;

    if (at_expq_is_zero(&x->num)) {
        arb_zero(z);
        return;
    }
    arb_init(den);
    for (slong inner = bits + 4; inner < AT_EXPQ_PRECISION_CAP; inner *= 2) {
        at_expq_get_arb(z, &x->num, inner);
        at_expq_get_arb(den, &x->den, inner);
        arb_div(z, z, den, inner + 10);
        if (arb_rel_accuracy_bits(z) >= bits)
            break;
    }
    arb_clear(den);
}

double at_expqf_get_d(const at_expqf_t x)
{
    arb_t z;

    arb_init(z);
    at_expqf_get_arb(z, x, 80);
    double d = arf_get_d(arb_midref(z), ARF_RND_NEAR);
    arb_clear(z);
    return d;
}
