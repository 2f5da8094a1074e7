/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ball enclosures of a polynomial and its derivative on a subinterval.
 *
 * The centred form f(m) + f'(I)(I - m) is cheap and good on narrow intervals; where it is wide,
 * the Taylor expansion around m is taken, which does not suffer from cancelling coefficients. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/supremum_impl.h"

void at_box_place(arb_t middle, arb_t deviation, const fmpz_t k, slong level, const fmpq_t low,
                  const fmpq_t width, slong precision)
{
    fmpq_t t;

    fmpq_init(t);
    fmpz_mul_2exp(fmpq_numref(t), k, 1);
    fmpz_add_ui(fmpq_numref(t), fmpq_numref(t), 1);
    fmpz_one(fmpq_denref(t));
    fmpq_div_2exp(t, t, (flint_bitcnt_t) level + 1);
    fmpq_mul(t, t, width);
    fmpq_add(t, t, low);
    arb_set_fmpq(middle, t, precision);
    fmpq_div_2exp(t, width, (flint_bitcnt_t) level + 1);
    arb_set_fmpq(deviation, t, precision);
    arb_get_mag(arb_radref(deviation), deviation);
    arf_zero(arb_midref(deviation));
    fmpq_clear(t);
}

/* *range = c_0 ± Σ_{k>=1} |c_k| h^k, *slope = c_1 ± Σ_{k>=2} k |c_k| h^{k-1}. */
static void taylor_range(arb_t range, arb_t slope, const arb_poly_t f, const arb_t middle,
                         const mag_t h, slong precision)
{
    arb_poly_t shifted;
    mag_t power, term, range_radius, slope_radius;

    arb_poly_init(shifted);
    mag_init(power);
    mag_init(term);
    mag_init(range_radius);
    mag_init(slope_radius);
    arb_poly_taylor_shift(shifted, f, middle, precision);
    mag_one(power);   /* h^{k-1} */
    for (slong k = 1; k < arb_poly_length(shifted); k++) {
        arb_get_mag(term, arb_poly_get_coeff_ptr(shifted, k));
        mag_mul(term, term, power);
        mag_addmul(range_radius, term, h);
        if (k >= 2) {
            mag_mul_ui(term, term, (ulong) k);
            mag_add(slope_radius, slope_radius, term);
        }
        mag_mul(power, power, h);
    }
    arb_poly_get_coeff_arb(range, shifted, 0);
    arb_add_error_mag(range, range_radius);
    arb_poly_get_coeff_arb(slope, shifted, 1);
    arb_add_error_mag(slope, slope_radius);
    arb_poly_clear(shifted);
    mag_clear(power);
    mag_clear(term);
    mag_clear(range_radius);
    mag_clear(slope_radius);
}

/* Whether the range is wider than a sixteenth of the values that matter. */
static int is_wide(const arb_t range, const arb_t value, const arf_t bound)
{
    mag_t scale, end;
    int wide;

    mag_init(scale);
    mag_init(end);
    arb_get_mag(scale, value);
    if (arf_is_finite(bound)) {
        arf_get_mag(end, bound);
        mag_add(scale, scale, end);
    }
    mag_mul_2exp_si(scale, scale, -4);
    wide = mag_cmp(arb_radref(range), scale) > 0;
    mag_clear(scale);
    mag_clear(end);
    return wide;
}

void at_box_range(arb_t value, arb_t range, arb_t slope, const arb_poly_t f,
                  const arb_poly_t derivative, const arb_t middle, const arb_t deviation,
                  const arf_t bound, slong precision)
{
    arb_poly_evaluate(value, f, middle, precision);
    arb_add(range, middle, deviation, precision);
    arb_poly_evaluate(slope, derivative, range, precision);
    arb_mul(range, slope, deviation, precision);
    arb_add(range, range, value, precision);
    if (is_wide(range, value, bound))
        taylor_range(range, slope, f, middle, arb_radref(deviation), precision);
}
