/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of ℚ(e^ℚ) as real numbers: enclosures, signs, order. */
#include "attest/theory/expq/impl.h"

/* The greatest exponent is taken out first, so that all other exponentials are at most 1 and none
 * overflows; one that underflows is still enclosed. */
void at_expq_eval_arb(arb_t z, const at_expq_t x, slong prec)
{
    fmpz_t difference;
    fmpq_t exponent;
    arb_t sum, power;

    if (x->length == 0) {
        arb_zero(z);
        return;
    }
    fmpz_init(difference), fmpq_init(exponent), arb_init(sum), arb_init(power);
    const fmpz *top = x->exps + x->length - 1;
    for (slong k = 0; k < x->length; k++) {
        fmpz_sub(difference, x->exps + k, top);
        arb_set_fmpz(power, difference);
        arb_div_fmpz(power, power, x->base, prec + FLINT_MAX(0, (slong) fmpz_bits(difference)));
        arb_exp(power, power, prec);
        arb_addmul_fmpz(sum, power, x->coeffs + k, prec);
    }
    arb_div_fmpz(sum, sum, x->den, prec);
    if (!fmpz_is_zero(top)) {
        fmpq_set_fmpz_frac(exponent, top, x->base);
        arb_set_fmpq(power, exponent, prec + (slong) fmpz_bits(top));
        arb_exp(power, power, prec);
        arb_mul(sum, sum, power, prec);
    }
    arb_swap(z, sum);
    fmpz_clear(difference), fmpq_clear(exponent), arb_clear(sum), arb_clear(power);
}

void at_expq_get_arb(arb_t z, const at_expq_t x, slong bits)
{
    slong prec = bits + 20;

    at_expq_eval_arb(z, x, prec);
    while (x->length > 0 && arb_rel_accuracy_bits(z) < bits && prec < AT_EXPQ_PRECISION_CAP) {
        prec *= 2;
        at_expq_eval_arb(z, x, prec);
    }
}

/* Sign when all coefficients agree; 2 otherwise. */
static int plain_sign(const at_expq_struct *x)
{
    int sign = x->length == 0 ? 0 : fmpz_sgn(x->coeffs);

    for (slong k = 1; k < x->length; k++)
        if (fmpz_sgn(x->coeffs + k) != sign)
            return 2;
    return sign;
}

/* The sum is not 0 (it has terms), so that some precision separates it from 0.  Only its sign is
 * wanted, hence the factor e^top is left out of account. */
int at_expq_sgn(const at_expq_t x)
{
    at_expq_t lowered;
    fmpq_t top;
    arb_t value;
    int sign = plain_sign(x);

    if (sign != 2)
        return sign;
    at_expq_init(lowered), fmpq_init(top), arb_init(value);
    at_expq_get_term(NULL, top, x, x->length - 1);
    fmpq_neg(top, top);
    at_expq_mul_exp(lowered, x, top);
    for (slong prec = 64; ; prec *= 2) {
        at_expq_eval_arb(value, lowered, prec);
        if (arb_is_positive(value)) {
            sign = 1;
            break;
        }
        if (arb_is_negative(value)) {
            sign = -1;
            break;
        }
    }
    at_expq_clear(lowered), fmpq_clear(top), arb_clear(value);
    return sign;
}

int at_expq_cmp(const at_expq_t x, const at_expq_t y)
{
    at_expq_t difference;

    at_expq_init(difference);
    at_expq_sub(difference, x, y);
    int sign = at_expq_sgn(difference);
    at_expq_clear(difference);
    return sign;
}
