/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products in ℚ[ℚ], and the lattices on which elements become polynomials.
 *
 * Two elements live on a lattice: after a shift by their lowest exponents all exponents are
 * multiples of one step, so both are polynomials in u = e^step.  A quotient or factor lies on the
 * same lattice (up to a shift, a unit), since ℚ[ℚ] is free over the group ring of a subgroup; so
 * dense polynomial arithmetic decides divisibility whenever degrees are moderate, and term by term
 * division does otherwise. */
#include "attest/theory/expq/impl.h"

/* ---- Lattices ------------------------------------------------------------------------------ */

void at_lattice_init(at_lattice *l)
{
    fmpz_init(l->base);
    fmpz_init(l->stride);
    l->length_x = l->length_y = 0;
}

void at_lattice_clear(at_lattice *l)
{
    fmpz_clear(l->base);
    fmpz_clear(l->stride);
}

/* stride = gcd(stride, differences of x's exponents over base). */
static void add_differences(at_lattice *l, const at_expq_struct *x)
{
    fmpz_t f, d;

    fmpz_init(f), fmpz_init(d);
    fmpz_divexact(f, l->base, x->base);
    for (slong k = 1; k < x->length && !fmpz_is_one(l->stride); k++) {
        fmpz_sub(d, x->exps + k, x->exps);
        fmpz_mul(d, d, f);
        fmpz_gcd(l->stride, l->stride, d);
    }
    fmpz_clear(f), fmpz_clear(d);
}

slong at_lattice_place(const at_lattice *l, const at_expq_struct *x, slong k)
{
    fmpz_t f, d;
    slong at = -1;

    fmpz_init(f), fmpz_init(d);
    fmpz_divexact(f, l->base, x->base);
    fmpz_sub(d, x->exps + k, x->exps);
    fmpz_mul(d, d, f);
    fmpz_divexact(d, d, l->stride);
    if (fmpz_fits_si(d) && fmpz_cmp_si(d, WORD_MAX / 4) < 0)
        at = fmpz_get_si(d);
    fmpz_clear(f), fmpz_clear(d);
    return at;
}

slong at_lattice_length(const at_lattice *l, const at_expq_struct *x)
{
    slong last = at_lattice_place(l, x, x->length - 1);

    return last < 0 ? -1 : last + 1;
}

void at_lattice_cover(at_lattice *l, const at_expq_struct *const *x, slong count)
{
    fmpz_one(l->base);
    for (slong k = 0; k < count; k++)
        fmpz_lcm(l->base, l->base, x[k]->base);
    fmpz_zero(l->stride);
    for (slong k = 0; k < count; k++)
        add_differences(l, x[k]);
    if (fmpz_is_zero(l->stride))
        fmpz_one(l->stride);
}

void at_lattice_set(at_lattice *l, const at_expq_struct *x, const at_expq_struct *y)
{
    const at_expq_struct *const both[2] = { x, y };

    at_lattice_cover(l, both, 2);
    l->length_x = at_lattice_length(l, x);
    l->length_y = at_lattice_length(l, y);
}

bool at_lattice_dense(const at_lattice *l, slong limit)
{
    return l->length_x > 0 && l->length_y > 0 && l->length_x <= limit && l->length_y <= limit;
}

void at_lattice_poly(fmpz_poly_t p, const at_lattice *l, const at_expq_struct *x)
{
    fmpz_t f, d;

    fmpz_init(f), fmpz_init(d);
    fmpz_divexact(f, l->base, x->base);
    fmpz_poly_zero(p);
    for (slong k = x->length - 1; k >= 0; k--) {
        fmpz_sub(d, x->exps + k, x->exps);
        fmpz_mul(d, d, f);
        fmpz_divexact(d, d, l->stride);
        fmpz_poly_set_coeff_fmpz(p, fmpz_get_si(d), x->coeffs + k);
    }
    fmpz_clear(f), fmpz_clear(d);
}

void at_lattice_set_expq(at_expq_struct *x, const at_lattice *l, const fmpz_poly_t p,
                         const fmpz_t low, const fmpz_t den)
{
    slong kept = 0;

    at_expq_fit(x, fmpz_poly_length(p));
    for (slong k = 0; k < fmpz_poly_length(p); k++) {
        if (fmpz_is_zero(p->coeffs + k))
            continue;
        fmpz_set(x->coeffs + kept, p->coeffs + k);
        fmpz_set(x->exps + kept, low);
        fmpz_addmul_ui(x->exps + kept, l->stride, (ulong) k);
        kept++;
    }
    x->length = kept;
    fmpz_set(x->den, den);
    fmpz_set(x->base, l->base);
    at_expq_canonicalise(x);
}

void at_lattice_lowest(fmpz_t low, const at_lattice *l, const at_expq_struct *x)
{
    fmpz_divexact(low, l->base, x->base);
    fmpz_mul(low, low, x->exps);
}

/* ---- Products ------------------------------------------------------------------------------ */

static void mul_term(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *term)
{
    fmpq_t c, r;

    fmpq_init(c), fmpq_init(r);
    at_expq_get_term(c, r, term, 0);
    at_expq_mul_fmpq(z, x, c);
    at_expq_mul_exp(z, z, r);
    fmpq_clear(c), fmpq_clear(r);
}

static void mul_dense(at_expq_struct *z, const at_lattice *l, const at_expq_struct *x,
                      const at_expq_struct *y)
{
    fmpz_poly_t p, q;
    fmpz_t low, other, den;

    fmpz_poly_init(p), fmpz_poly_init(q), fmpz_init(low), fmpz_init(other), fmpz_init(den);
    at_lattice_poly(p, l, x);
    at_lattice_poly(q, l, y);
    fmpz_poly_mul(p, p, q);
    at_lattice_lowest(low, l, x);
    at_lattice_lowest(other, l, y);
    fmpz_add(low, low, other);
    fmpz_mul(den, x->den, y->den);
    at_lattice_set_expq(z, l, p, low, den);
    fmpz_poly_clear(p), fmpz_poly_clear(q), fmpz_clear(low), fmpz_clear(other), fmpz_clear(den);
}

/* All products of terms, then one sort.  z is neither x nor y. */
static void mul_sparse(at_expq_struct *z, const at_lattice *l, const at_expq_struct *x,
                       const at_expq_struct *y)
{
    fmpz_t fx, fy, ex;
    slong k = 0;

    fmpz_init(fx), fmpz_init(fy), fmpz_init(ex);
    fmpz_divexact(fx, l->base, x->base);
    fmpz_divexact(fy, l->base, y->base);
    at_expq_fit(z, x->length * y->length);
    for (slong i = 0; i < x->length; i++) {
        fmpz_mul(ex, x->exps + i, fx);
        for (slong j = 0; j < y->length; j++, k++) {
            fmpz_set(z->exps + k, ex);
            fmpz_addmul(z->exps + k, y->exps + j, fy);
            fmpz_mul(z->coeffs + k, x->coeffs + i, y->coeffs + j);
        }
    }
    z->length = k;
    fmpz_mul(z->den, x->den, y->den);
    fmpz_set(z->base, l->base);
    fmpz_clear(fx), fmpz_clear(fy), fmpz_clear(ex);
    at_expq_sort(z);
}

void at_expq_mul(at_expq_t z, const at_expq_t x, const at_expq_t y)
{
    at_lattice l;
    at_expq_t t;

    if (x->length == 0 || y->length == 0) {
        at_expq_zero(z);
        return;
    }
    if (x->length == 1 || y->length == 1) {
        if (x->length == 1)
            mul_term(z, y, x);
        else
            mul_term(z, x, y);
        return;
    }
    at_lattice_init(&l);
    at_expq_init(t);
    at_lattice_set(&l, x, y);
    if (at_lattice_dense(&l, AT_DENSE_PRODUCT)
        && l.length_x + l.length_y <= FLINT_MAX(64, x->length * y->length))
        mul_dense(t, &l, x, y);
    else
        mul_sparse(t, &l, x, y);
    at_expq_swap(z, t);
    at_expq_clear(t);
    at_lattice_clear(&l);
}

void at_expq_pow_ui(at_expq_t z, const at_expq_t x, ulong k)
{
    at_expq_t power, square;

    at_expq_init(power), at_expq_init(square);
    at_expq_one(power);
    at_expq_set(square, x);
    while (k > 0) {
        if (k & 1)
            at_expq_mul(power, power, square);
        k >>= 1;
        if (k > 0)
            at_expq_mul(square, square, square);
    }
    at_expq_swap(z, power);
    at_expq_clear(power), at_expq_clear(square);
}
