/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products, quotients, common factors and roots in ℚ[ℚ].
 *
 * Two elements live on a lattice: after a shift by their lowest exponents all exponents are multiples of one
 * step, so both are polynomials in u = e^step.  A quotient or factor lies on the same lattice (up to a
 * shift, a unit), since ℚ[ℚ] is free over the group ring of a subgroup; so dense polynomial arithmetic
 * decides divisibility whenever degrees are moderate, and term by term division does otherwise. */
#include "theory/expq_impl.h"

/* Longest dense product or quotient, in coefficients. */
enum { DENSE_PRODUCT = 1 << 22 };
/* Quotient terms that a reduction of a fraction spends on sparse division. */
enum { SPARSE_QUOTIENT = 64 };

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

/* Place of term k of x on the lattice; −1 when it is no slong. */
static slong place(const at_lattice *l, const at_expq_struct *x, slong k)
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

void at_lattice_set(at_lattice *l, const at_expq_struct *x, const at_expq_struct *y)
{
    fmpz_lcm(l->base, x->base, y->base);
    fmpz_zero(l->stride);
    add_differences(l, x);
    add_differences(l, y);
    if (fmpz_is_zero(l->stride))
        fmpz_one(l->stride);
    slong last_x = place(l, x, x->length - 1), last_y = place(l, y, y->length - 1);
    l->length_x = last_x < 0 ? -1 : last_x + 1;
    l->length_y = last_y < 0 ? -1 : last_y + 1;
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

/* Lowest exponent of x over the lattice's base. */
static void lowest(fmpz_t low, const at_lattice *l, const at_expq_struct *x)
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
    lowest(low, l, x);
    lowest(other, l, y);
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
    if (at_lattice_dense(&l, DENSE_PRODUCT)
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

/* ---- Quotients ----------------------------------------------------------------------------- */

/* z = x/y for one term y. */
static void div_term(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y)
{
    fmpq_t c, r;

    fmpq_init(c), fmpq_init(r);
    at_expq_get_term(c, r, y, 0);
    fmpq_inv(c, c);
    fmpq_neg(r, r);
    at_expq_mul_fmpq(z, x, c);
    at_expq_mul_exp(z, z, r);
    fmpq_clear(c), fmpq_clear(r);
}

static bool divides_dense(at_expq_struct *z, const at_lattice *l, const at_expq_struct *x,
                          const at_expq_struct *y)
{
    fmpz_poly_t p, q;
    fmpz_t low, other, den, content;
    bool divides;

    if (l->length_x < l->length_y)
        return false;
    fmpz_poly_init(p), fmpz_poly_init(q);
    fmpz_init(low), fmpz_init(other), fmpz_init(den), fmpz_init(content);
    at_lattice_poly(p, l, x);
    at_lattice_poly(q, l, y);
    fmpz_poly_content(content, q);
    fmpz_poly_scalar_divexact_fmpz(q, q, content);
    /* a primitive q that divides over ℚ divides over ℤ (Gauss) */
    divides = fmpz_poly_divides(p, p, q);
    if (divides) {
        lowest(low, l, x);
        lowest(other, l, y);
        fmpz_sub(low, low, other);
        fmpz_poly_scalar_mul_fmpz(p, p, y->den);
        fmpz_mul(den, x->den, content);
        at_lattice_set_expq(z, l, p, low, den);
    }
    fmpz_poly_clear(p), fmpz_poly_clear(q);
    fmpz_clear(low), fmpz_clear(other), fmpz_clear(den), fmpz_clear(content);
    return divides;
}

/* Long division from the highest term; the quotient's exponents cannot go below the difference of the
 * lowest ones, which ends it. */
static bool divides_sparse(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y,
                           slong limit)
{
    at_expq_t rest, quotient, term, product;
    fmpq_t c, r, lead_c, lead_r, bound;
    bool possible = true;

    at_expq_init(rest), at_expq_init(quotient), at_expq_init(term), at_expq_init(product);
    fmpq_init(c), fmpq_init(r), fmpq_init(lead_c), fmpq_init(lead_r), fmpq_init(bound);
    at_expq_set(rest, x);
    at_expq_get_term(NULL, bound, x, 0);
    at_expq_get_term(NULL, r, y, 0);
    fmpq_sub(bound, bound, r);
    at_expq_get_term(lead_c, lead_r, y, y->length - 1);
    while (possible && rest->length > 0) {
        at_expq_get_term(c, r, rest, rest->length - 1);
        fmpq_div(c, c, lead_c);
        fmpq_sub(r, r, lead_r);
        possible = fmpq_cmp(r, bound) >= 0 && quotient->length < limit;
        if (possible) {
            at_expq_set_term(term, c, r);
            at_expq_add(quotient, quotient, term);
            at_expq_mul(product, y, term);
            at_expq_sub(rest, rest, product);
        }
    }
    if (possible)
        at_expq_swap(z, quotient);
    at_expq_clear(rest), at_expq_clear(quotient), at_expq_clear(term), at_expq_clear(product);
    fmpq_clear(c), fmpq_clear(r), fmpq_clear(lead_c), fmpq_clear(lead_r), fmpq_clear(bound);
    return possible;
}

bool at_expq_divides_limited(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y,
                             slong limit)
{
    at_lattice l;
    bool divides;

    if (x->length == 0) {
        at_expq_zero(z);
        return true;
    }
    if (y->length == 1) {
        div_term(z, x, y);
        return true;
    }
    at_lattice_init(&l);
    at_lattice_set(&l, x, y);
    if (at_lattice_dense(&l, limit == WORD_MAX ? DENSE_PRODUCT : AT_EXPQ_DENSE))
        divides = divides_dense(z, &l, x, y);
    else
        divides = divides_sparse(z, x, y, limit);
    at_lattice_clear(&l);
    return divides;
}

bool at_expq_divides(at_expq_t z, const at_expq_t x, const at_expq_t y)
{
    if (y->length == 0) {
        flint_printf("at_expq_divides: division by zero\n");
        flint_abort();
    }
    return at_expq_divides_limited(z, x, y, WORD_MAX);
}

/* ---- Common factors ------------------------------------------------------------------------ */

/* h = primitive greatest common divisor of p and q with positive leading coefficient; a whole q is tried
 * first, because of sequences whose rows are equal. */
static void common_divisor(fmpz_poly_t h, const fmpz_poly_t p, const fmpz_poly_t q)
{
    fmpz_poly_t quotient;

    fmpz_poly_init(quotient);
    fmpz_poly_primitive_part(h, q);
    if (fmpz_poly_length(q) > fmpz_poly_length(p) || !fmpz_poly_divides(quotient, p, h)) {
        fmpz_poly_gcd(h, p, q);
        fmpz_poly_primitive_part(h, h);
    }
    fmpz_poly_clear(quotient);
}

static void divide_out(at_expq_struct *x, const at_lattice *l, fmpz_poly_t p, const fmpz_poly_t h)
{
    fmpz_t low, den;

    fmpz_init(low), fmpz_init_set(den, x->den);
    lowest(low, l, x);
    if (fmpz_poly_divides(p, p, h))
        at_lattice_set_expq(x, l, p, low, den);
    fmpz_clear(low), fmpz_clear(den);
}

void at_expq_remove_common(at_expq_struct *g, at_expq_struct *x, at_expq_struct *y)
{
    at_lattice l;
    fmpz_poly_t p, q, h;
    fmpz_t zero, one;
    at_expq_t quotient;

    if (g != NULL)
        at_expq_one(g);
    if (x->length < 2 || y->length < 2)
        return;
    at_lattice_init(&l);
    at_lattice_set(&l, x, y);
    if (at_lattice_dense(&l, AT_EXPQ_DENSE)) {
        fmpz_poly_init(p), fmpz_poly_init(q), fmpz_poly_init(h);
        at_lattice_poly(p, &l, x);
        at_lattice_poly(q, &l, y);
        common_divisor(h, p, q);
        if (fmpz_poly_length(h) > 1) {
            divide_out(x, &l, p, h);
            divide_out(y, &l, q, h);
            if (g != NULL) {
                fmpz_init(zero), fmpz_init_set_ui(one, 1);
                at_lattice_set_expq(g, &l, h, zero, one);
                fmpz_clear(zero), fmpz_clear(one);
            }
        }
        fmpz_poly_clear(p), fmpz_poly_clear(q), fmpz_poly_clear(h);
    } else {
        at_expq_init(quotient);
        if (at_expq_divides_limited(quotient, x, y, SPARSE_QUOTIENT)) {
            at_expq_swap(x, quotient);
            if (g != NULL)
                at_expq_set(g, y);
            at_expq_one(y);
        }
        at_expq_clear(quotient);
    }
    at_lattice_clear(&l);
}

/* ---- Roots --------------------------------------------------------------------------------- */

/* The lowest exponent halves; the rest is a polynomial with non-zero constant term on x's own
 * lattice, whose root lies there too (an automorphism that moves the root would negate its lowest
 * coefficient, which is rational). */
bool at_expq_sqrt(at_expq_t z, const at_expq_t x)
{
    at_lattice l;
    fmpz_poly_t p;
    fmpz_t content, den;
    fmpq_t half;
    bool square = false;

    if (x->length == 0) {
        at_expq_zero(z);
        return true;
    }
    at_lattice_init(&l);
    at_lattice_set(&l, x, x);
    if (at_lattice_dense(&l, DENSE_PRODUCT)) {
        fmpz_poly_init(p), fmpz_init(content), fmpz_init(den), fmpq_init(half);
        at_lattice_poly(p, &l, x);
        fmpz_poly_content(content, p);
        if (fmpz_is_square(content) && fmpz_is_square(x->den)) {
            fmpz_poly_scalar_divexact_fmpz(p, p, content);
            square = fmpz_sgn(fmpz_poly_lead(p)) > 0 && fmpz_poly_sqrt(p, p);
        }
        if (square) {
            at_expq_get_term(NULL, half, x, 0);
            fmpq_div_2exp(half, half, 1);
            fmpz_sqrt(content, content);
            fmpz_sqrt(den, x->den);
            fmpz_poly_scalar_mul_fmpz(p, p, content);
            fmpz_zero(content);
            at_lattice_set_expq(z, &l, p, content, den);
            at_expq_mul_exp(z, z, half);
            if (at_expq_sgn(z) < 0)
                at_expq_neg(z, z);
        }
        fmpz_poly_clear(p), fmpz_clear(content), fmpz_clear(den), fmpq_clear(half);
    }
    at_lattice_clear(&l);
    return square;
}
