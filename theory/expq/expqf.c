/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fractions of ℚ[ℚ]: normal form, equality, field operations, roots, matrices. */
#include "attest/theory/expq/impl.h"

/* ---- Memory and normal form ---------------------------------------------------------------- */

void at_expqf_init(at_expqf_t x)
{
    at_expq_init(&x->num);
    at_expq_init(&x->den);
    at_expq_one(&x->den);
}

void at_expqf_clear(at_expqf_t x)
{
    at_expq_clear(&x->num);
    at_expq_clear(&x->den);
}

void at_expqf_swap(at_expqf_t x, at_expqf_t y)
{
    at_expq_swap(&x->num, &y->num);
    at_expq_swap(&x->den, &y->den);
}

/* Multiplies den and all num by the unit c e^r that makes the denominator primitive and integral
 * with lowest exponent 0 and positive leading coefficient. */
static void normalise_units(at_expq_struct *num, slong count, at_expq_struct *den)
{
    fmpq_t c, r;
    fmpz_t content;

    if (at_expq_is_one(den))
        return;
    fmpq_init(c), fmpq_init(r), fmpz_init(content);
    if (!fmpz_is_zero(den->exps)) {
        at_expq_get_term(NULL, r, den, 0);
        fmpq_neg(r, r);
        at_expq_mul_exp(den, den, r);
        for (slong k = 0; k < count; k++)
            at_expq_mul_exp(num + k, num + k, r);
    }
    for (slong k = 0; k < den->length && !fmpz_is_one(content); k++)
        fmpz_gcd(content, content, den->coeffs + k);
    if (fmpz_sgn(den->coeffs + den->length - 1) < 0)
        fmpz_neg(content, content);
    fmpq_set_fmpz_frac(c, den->den, content);
    if (!fmpq_is_one(c)) {
        at_expq_mul_fmpq(den, den, c);
        for (slong k = 0; k < count; k++)
            at_expq_mul_fmpq(num + k, num + k, c);
    }
    fmpq_clear(c), fmpq_clear(r), fmpz_clear(content);
}

static void normalise_unit(at_expqf_struct *x)
{
    normalise_units(&x->num, 1, &x->den);
}

void at_expqf_reduce(at_expqf_struct *x)
{
    if (x->den.length == 0) {
        flint_printf("at_expqf: division by zero\n");
        flint_abort();
    }
    if (x->num.length == 0) {
        at_expq_one(&x->den);
        return;
    }
    at_expq_remove_common(NULL, &x->num, &x->den);
    normalise_unit(x);
}

bool at_expqf_is_canonical(const at_expqf_t x)
{
    const at_expq_struct *den = &x->den;
    fmpz_t g;

    if (!at_expq_is_canonical(&x->num) || !at_expq_is_canonical(den) || den->length == 0)
        return false;
    if (x->num.length == 0)
        return at_expq_is_one(den);
    fmpz_init(g);
    for (slong k = 0; k < den->length; k++)
        fmpz_gcd(g, g, den->coeffs + k);
    bool good = fmpz_is_one(g) && fmpz_is_one(den->den) && fmpz_is_zero(den->exps)
                && fmpz_sgn(den->coeffs + den->length - 1) > 0;
    fmpz_clear(g);
    return good;
}

/* ---- Assignment ---------------------------------------------------------------------------- */

void at_expqf_set(at_expqf_t x, const at_expqf_t y)
{
    at_expq_set(&x->num, &y->num);
    at_expq_set(&x->den, &y->den);
}

void at_expqf_zero(at_expqf_t x)
{
    at_expqf_set_si(x, 0);
}

void at_expqf_one(at_expqf_t x)
{
    at_expqf_set_si(x, 1);
}

void at_expqf_set_si(at_expqf_t x, slong c)
{
    at_expq_set_si(&x->num, c);
    at_expq_one(&x->den);
}

void at_expqf_set_fmpq(at_expqf_t x, const fmpq_t c)
{
    at_expq_set_fmpq(&x->num, c);
    at_expq_one(&x->den);
}

void at_expqf_set_expq(at_expqf_t x, const at_expq_t y)
{
    at_expq_set(&x->num, y);
    at_expq_one(&x->den);
}

void at_expqf_take_fracs(at_expqf_struct *x, at_expq_struct *num, slong count,
                         at_expq_struct *den)
{
    normalise_units(num, count, den);
    bool reduced = den->length > 1 && at_expq_all_coprime(num, count, den);
    for (slong k = 0; k < count; k++) {
        at_expq_swap(&x[k].num, num + k);
        if (x[k].num.length == 0)
            at_expq_one(&x[k].den);
        else
            at_expq_set(&x[k].den, den);
        if (!reduced)
            at_expqf_reduce(x + k);
    }
}

void at_expqf_set_frac(at_expqf_t x, const at_expq_t num, const at_expq_t den)
{
    at_expqf_t t;

    at_expqf_init(t);
    at_expq_set(&t->num, num);
    at_expq_set(&t->den, den);
    at_expqf_reduce(t);
    at_expqf_swap(x, t);
    at_expqf_clear(t);
}

void at_expqf_set_exp(at_expqf_t x, const fmpq_t r)
{
    fmpq_t one;

    fmpq_init(one);
    fmpq_one(one);
    at_expq_set_term(&x->num, one, r);
    at_expq_one(&x->den);
    fmpq_clear(one);
}

/* ---- Looking ------------------------------------------------------------------------------- */

bool at_expqf_is_zero(const at_expqf_t x)
{
    return x->num.length == 0;
}

bool at_expqf_is_one(const at_expqf_t x)
{
    return at_expq_equal(&x->num, &x->den);
}

/* Equal denominators settle it; other fractions may still be equal when one is not reduced. */
bool at_expqf_equal(const at_expqf_t x, const at_expqf_t y)
{
    at_expq_t left, right;

    if (at_expq_equal(&x->den, &y->den))
        return at_expq_equal(&x->num, &y->num);
    at_expq_init(left), at_expq_init(right);
    at_expq_mul(left, &x->num, &y->den);
    at_expq_mul(right, &y->num, &x->den);
    bool equal = at_expq_equal(left, right);
    at_expq_clear(left), at_expq_clear(right);
    return equal;
}

bool at_expqf_equal_si(const at_expqf_t x, slong c)
{
    at_expqf_t y;

    at_expqf_init(y);
    at_expqf_set_si(y, c);
    bool equal = at_expqf_equal(x, y);
    at_expqf_clear(y);
    return equal;
}

/* First and last coefficients have the same ratio, at the same exponents: a cheap necessary
 * condition for x = c y. */
static bool ends_proportional(const at_expq_struct *x, const at_expq_struct *y)
{
    slong last = x->length - 1;
    fmpz_t left, right;

    if (!fmpz_equal(x->exps, y->exps) || !fmpz_equal(x->exps + last, y->exps + last))
        return false;
    fmpz_init(left), fmpz_init(right);
    fmpz_mul(left, x->coeffs, y->coeffs + last);
    fmpz_mul(right, y->coeffs, x->coeffs + last);
    bool same = fmpz_equal(left, right);
    fmpz_clear(left), fmpz_clear(right);
    return same;
}

/* Rational exactly when num = c·den; c is the ratio of leading coefficients. */
bool at_expqf_get_fmpq(fmpq *c, const at_expqf_t x)
{
    if (at_expq_is_one(&x->den) || x->num.length == 0)
        return at_expq_get_fmpq(c, &x->num);
    if (x->num.length != x->den.length || !fmpz_equal(x->num.base, x->den.base)
        || !ends_proportional(&x->num, &x->den))
        return false;

    fmpq_t ratio, lead;
    at_expq_t product;
    fmpq_init(ratio), fmpq_init(lead), at_expq_init(product);
    at_expq_get_term(ratio, NULL, &x->num, x->num.length - 1);
    at_expq_get_term(lead, NULL, &x->den, x->den.length - 1);
    fmpq_div(ratio, ratio, lead);
    at_expq_mul_fmpq(product, &x->den, ratio);
    bool rational = at_expq_equal(product, &x->num);
    if (rational && c != NULL)
        fmpq_set(c, ratio);
    fmpq_clear(ratio), fmpq_clear(lead), at_expq_clear(product);
    return rational;
}

/* ---- Field operations ---------------------------------------------------------------------- */

void at_expqf_neg(at_expqf_t z, const at_expqf_t x)
{
    at_expq_neg(&z->num, &x->num);
    at_expq_set(&z->den, &x->den);
}

/* With g = gcd(b, d), b = g b', d = g d': a/b + c/d = (a d' + c b')/(g b' d'), and what the
 * numerator can share with the denominator divides g (Henrici). */
static void add_general(at_expqf_struct *z, const at_expqf_struct *x, const at_expqf_struct *y)
{
    at_expq_t g, b, d, left, right;

    at_expq_init(g), at_expq_init(b), at_expq_init(d), at_expq_init(left), at_expq_init(right);
    at_expq_set(b, &x->den);
    at_expq_set(d, &y->den);
    at_expq_remove_common(g, b, d);
    at_expq_mul(left, &x->num, d);
    at_expq_mul(right, &y->num, b);
    at_expq_add(left, left, right);
    at_expq_remove_common(NULL, left, g);
    at_expq_mul(b, b, d);
    at_expq_mul(b, b, g);
    at_expq_swap(&z->num, left);
    at_expq_swap(&z->den, b);
    if (z->num.length == 0)
        at_expq_one(&z->den);
    normalise_unit(z);
    at_expq_clear(g), at_expq_clear(b), at_expq_clear(d), at_expq_clear(left), at_expq_clear(right);
}

void at_expqf_add(at_expqf_t z, const at_expqf_t x, const at_expqf_t y)
{
    if (x->num.length == 0 || y->num.length == 0) {
        at_expqf_set(z, x->num.length == 0 ? y : x);
        return;
    }
    if (at_expq_is_one(&y->den) || at_expq_is_one(&x->den)) {
        /* an element added to a reduced fraction leaves it reduced */
        const at_expqf_struct *fraction = at_expq_is_one(&y->den) ? x : y;
        const at_expqf_struct *element = fraction == x ? y : x;
        at_expq_t t;
        fmpq_t c;

        if (at_expq_is_one(&fraction->den)) {
            at_expq_add(&z->num, &x->num, &y->num);
            at_expq_one(&z->den);
            return;
        }
        at_expq_init(t), fmpq_init(c);
        if (at_expq_get_fmpq(c, &element->num)) {
            at_expq_add_scaled(t, &fraction->num, &fraction->den, c);
        } else {
            at_expq_mul(t, &element->num, &fraction->den);
            at_expq_add(t, t, &fraction->num);
        }
        at_expq_set(&z->den, &fraction->den);
        at_expq_swap(&z->num, t);
        at_expq_clear(t), fmpq_clear(c);
        if (z->num.length == 0)
            at_expq_one(&z->den);
    } else if (at_expq_equal(&x->den, &y->den)) {
        at_expq_add(&z->num, &x->num, &y->num);
        at_expq_set(&z->den, &x->den);
        at_expqf_reduce(z);
    } else {
        add_general(z, x, y);
    }
}

void at_expqf_sub(at_expqf_t z, const at_expqf_t x, const at_expqf_t y)
{
    at_expqf_t t;

    at_expqf_init(t);
    at_expqf_neg(t, y);
    at_expqf_add(z, x, t);
    at_expqf_clear(t);
}

/* Factors are removed crosswise before the products grow. */
void at_expqf_mul(at_expqf_t z, const at_expqf_t x, const at_expqf_t y)
{
    at_expqf_t left, right;

    if (at_expq_is_one(&x->den) && at_expq_is_one(&y->den)) {
        at_expq_mul(&z->num, &x->num, &y->num);
        at_expq_one(&z->den);
        return;
    }
    at_expqf_init(left), at_expqf_init(right);
    at_expqf_set(left, x);
    at_expqf_set(right, y);
    at_expq_remove_common(NULL, &left->num, &right->den);
    at_expq_remove_common(NULL, &right->num, &left->den);
    at_expq_mul(&z->num, &left->num, &right->num);
    at_expq_mul(&z->den, &left->den, &right->den);
    if (z->num.length == 0)
        at_expq_one(&z->den);
    normalise_unit(z);
    at_expqf_clear(left), at_expqf_clear(right);
}

void at_expqf_mul_fmpq(at_expqf_t z, const at_expqf_t x, const fmpq_t c)
{
    at_expq_mul_fmpq(&z->num, &x->num, c);
    if (z->num.length == 0)
        at_expq_one(&z->den);
    else
        at_expq_set(&z->den, &x->den);
}

void at_expqf_addmul_fmpq(at_expqf_t z, const at_expqf_t x, const fmpq_t c)
{
    at_expqf_t t;

    if (fmpq_is_zero(c) || at_expqf_is_zero(x))
        return;
    if (at_expqf_is_zero(z)) {
        at_expqf_mul_fmpq(z, x, c);
        return;
    }
    at_expqf_init(t);
    at_expqf_mul_fmpq(t, x, c);
    at_expqf_add(z, z, t);
    at_expqf_clear(t);
}

void at_expqf_inv(at_expqf_t z, const at_expqf_t x)
{
    if (x->num.length == 0) {
        flint_printf("at_expqf_inv: division by zero\n");
        flint_abort();
    }
    at_expqf_set(z, x);
    at_expq_swap(&z->num, &z->den);
    normalise_unit(z);
}

void at_expqf_div(at_expqf_t z, const at_expqf_t x, const at_expqf_t y)
{
    at_expqf_t t;

    at_expqf_init(t);
    at_expqf_inv(t, y);
    at_expqf_mul(z, x, t);
    at_expqf_clear(t);
}

/* A reduced fraction is a square only if both parts are, up to a unit that the numerator's normal
 * form carries. */
bool at_expqf_sqrt(at_expqf_t z, const at_expqf_t x)
{
    at_expq_t num, den;

    at_expq_init(num), at_expq_init(den);
    bool square = at_expq_sqrt(den, &x->den) && at_expq_sqrt(num, &x->num);
    if (square)
        at_expqf_set_frac(z, num, den);
    at_expq_clear(num), at_expq_clear(den);
    return square;
}
