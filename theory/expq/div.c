/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quotients, common factors and roots in ℚ[ℚ]: dense where the lattice is moderate, else by
 * cosets of the divisor's lattice, else term by term. */
#include "attest/theory/expq/impl.h"

/* Quotient terms that a reduction of a fraction spends on sparse division. */
enum { SPARSE_QUOTIENT = 64 };

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
        at_lattice_lowest(low, l, x);
        at_lattice_lowest(other, l, y);
        fmpz_sub(low, low, other);
        fmpz_poly_scalar_mul_fmpz(p, p, y->den);
        fmpz_mul(den, x->den, content);
        at_lattice_set_expq(z, l, p, low, den);
    }
    fmpz_poly_clear(p), fmpz_poly_clear(q);
    fmpz_clear(low), fmpz_clear(other), fmpz_clear(den), fmpz_clear(content);
    return divides;
}

/* Long division from the highest term; the quotient's exponents cannot go below the difference of
 * the lowest ones, which ends it. */
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

/* step = the difference of exponents that generates y's lattice (two terms at least). */
static void lattice_step(fmpq_t step, const at_expq_struct *y)
{
    fmpq_t first, other;

    fmpq_init(first), fmpq_init(other);
    at_expq_get_term(NULL, first, y, 0);
    fmpq_zero(step);
    for (slong k = 1; k < y->length; k++) {
        at_expq_get_term(NULL, other, y, k);
        fmpq_sub(other, other, first);
        fmpq_gcd(step, step, other);
    }
    fmpq_clear(first), fmpq_clear(other);
}

/* Appends term k; den and base are the caller's business. */
static void move_term(at_expq_struct *to, const at_expq_struct *from, slong k)
{
    at_expq_fit(to, to->length + 1);
    fmpz_set(to->coeffs + to->length, from->coeffs + k);
    fmpz_set(to->exps + to->length, from->exps + k);
    to->length++;
}

/* Moves to part the terms of rest that lie a multiple of step from its first one. */
static void take_coset(at_expq_struct *part, at_expq_struct *rest, const fmpq_t step)
{
    at_expq_t others;
    fmpz_t difference, divisor, remainder;

    /* (exps[k] − exps[0])/base is a multiple of p/q when base·p divides (exps[k] − exps[0])·q */
    at_expq_init(others);
    fmpz_init(difference), fmpz_init(divisor), fmpz_init(remainder);
    fmpz_mul(divisor, rest->base, fmpq_numref(step));
    at_expq_zero(part);
    for (slong k = 0; k < rest->length; k++) {
        fmpz_sub(difference, rest->exps + k, rest->exps);
        fmpz_mul(difference, difference, fmpq_denref(step));
        fmpz_mod(remainder, difference, divisor);
        move_term(fmpz_is_zero(remainder) ? part : others, rest, k);
    }
    at_expq_struct *const halves[2] = { part, others };
    for (int h = 0; h < 2; h++) {
        fmpz_set(halves[h]->den, rest->den);
        fmpz_set(halves[h]->base, rest->base);
        at_expq_canonicalise(halves[h]);
    }
    at_expq_swap(rest, others);
    at_expq_clear(others);
    fmpz_clear(difference), fmpz_clear(divisor), fmpz_clear(remainder);
}

/* y divides x exactly when it divides each part of x on a coset of y's lattice: ℚ[ℚ] is a free
 * module over the group ring of that lattice, with one basis element a coset. */
static bool divides_by_cosets(at_expq_struct *z, const at_expq_struct *x,
                              const at_expq_struct *y, slong limit)
{
    at_expq_t rest, part, quotient, whole;
    at_lattice l;
    fmpq_t step;
    bool divides = true;

    at_expq_init(rest), at_expq_init(part), at_expq_init(quotient), at_expq_init(whole);
    at_lattice_init(&l), fmpq_init(step);
    at_expq_set(rest, x);
    lattice_step(step, y);
    while (divides && rest->length > 0) {
        take_coset(part, rest, step);
        at_lattice_set(&l, part, y);
        if (part->length == 1)
            divides = false;
        else if (at_lattice_dense(&l, limit == WORD_MAX ? AT_DENSE_PRODUCT : AT_EXPQ_DENSE))
            divides = divides_dense(quotient, &l, part, y);
        else
            divides = divides_sparse(quotient, part, y, limit);
        if (divides)
            at_expq_add(whole, whole, quotient);
    }
    if (divides)
        at_expq_swap(z, whole);
    at_expq_clear(rest), at_expq_clear(part), at_expq_clear(quotient), at_expq_clear(whole);
    at_lattice_clear(&l), fmpq_clear(step);
    return divides;
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
    if (at_lattice_dense(&l, limit == WORD_MAX ? AT_DENSE_PRODUCT : AT_EXPQ_DENSE))
        divides = divides_dense(z, &l, x, y);
    else
        divides = divides_by_cosets(z, x, y, limit);
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

/* h = primitive greatest common divisor of p and q with positive leading coefficient; a whole q is
 * tried first, because of sequences whose rows are equal. */
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
    at_lattice_lowest(low, l, x);
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
    bool dense = at_lattice_dense(&l, AT_EXPQ_DENSE);
    if (dense && at_expq_surely_coprime(&l, x, y)) {
        at_lattice_clear(&l);
        return;
    }
    if (dense) {
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
    if (at_lattice_dense(&l, AT_DENSE_PRODUCT)) {
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
