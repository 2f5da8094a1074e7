/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of the group ring ℚ[ℚ]: memory, canonical form, assignment, sums. */
#include "attest/theory/expq/impl.h"

/* ---- Memory and canonical form ------------------------------------------------------------- */

void at_expq_init(at_expq_t x)
{
    x->coeffs = NULL;
    x->exps = NULL;
    x->length = 0;
    x->alloc = 0;
    fmpz_init_set_ui(x->den, 1);
    fmpz_init_set_ui(x->base, 1);
}

void at_expq_clear(at_expq_t x)
{
    for (slong k = 0; k < x->alloc; k++) {
        fmpz_clear(x->coeffs + k);
        fmpz_clear(x->exps + k);
    }
    if (x->alloc > 0)
        flint_free(x->coeffs);
    fmpz_clear(x->den);
    fmpz_clear(x->base);
}

/* The commonest value, the denominator 1, owns no memory: alloc = 0 and these, never written. */
static const fmpz shared_one[2] = { 1, 0 };

/* Coefficients and exponents share one block of words, which move with it. */
void at_expq_fit(at_expq_struct *x, slong length)
{
    if (length <= x->alloc)
        return;
    slong alloc = x->alloc == 0 ? length : FLINT_MAX(length, 2 * x->alloc);
    slong kept = x->alloc == 0 ? x->length : x->alloc;
    fmpz *block = flint_calloc((size_t) (2 * alloc), sizeof *block);
    for (slong k = 0; k < kept && k < alloc; k++) {
        block[k] = x->coeffs[k];
        block[alloc + k] = x->exps[k];
    }
    if (x->alloc > 0)
        flint_free(x->coeffs);
    x->coeffs = block;
    x->exps = block + alloc;
    x->alloc = alloc;
}

static void drop_zeros(at_expq_struct *x)
{
    slong kept = 0;

    for (slong k = 0; k < x->length; k++) {
        if (fmpz_is_zero(x->coeffs + k))
            continue;
        if (kept != k) {
            fmpz_swap(x->coeffs + kept, x->coeffs + k);
            fmpz_swap(x->exps + kept, x->exps + k);
        }
        kept++;
    }
    x->length = kept;
}

/* Divides den and every value by their greatest common divisor. */
static void remove_content(fmpz_t den, fmpz *values, slong length)
{
    fmpz_t g;

    if (fmpz_is_one(den))
        return;
    fmpz_init_set(g, den);
    for (slong k = 0; k < length && !fmpz_is_one(g); k++)
        fmpz_gcd(g, g, values + k);
    if (!fmpz_is_one(g)) {
        fmpz_divexact(den, den, g);
        for (slong k = 0; k < length; k++)
            fmpz_divexact(values + k, values + k, g);
    }
    fmpz_clear(g);
}

void at_expq_canonicalise(at_expq_struct *x)
{
    drop_zeros(x);
    remove_content(x->den, x->coeffs, x->length);
    remove_content(x->base, x->exps, x->length);
    if (x->length == 0) {
        fmpz_one(x->den);
        fmpz_one(x->base);
    }
}

static int compare_exponents(const void *a, const void *b)
{
    return fmpz_cmp((const fmpz *) a, (const fmpz *) b);
}

void at_expq_sort(at_expq_struct *x)
{
    slong length = x->length;

    if (length > 1) {
        /* pairs (exponent, coefficient) moved as plain words: ownership moves with them */
        fmpz (*pairs)[2] = flint_malloc((size_t) length * sizeof *pairs);
        for (slong k = 0; k < length; k++) {
            pairs[k][0] = x->exps[k];
            pairs[k][1] = x->coeffs[k];
        }
        qsort(pairs, (size_t) length, sizeof *pairs, compare_exponents);
        for (slong k = 0; k < length; k++) {
            x->exps[k] = pairs[k][0];
            x->coeffs[k] = pairs[k][1];
        }
        flint_free(pairs);
        slong last = 0;
        for (slong k = 1; k < length; k++) {
            if (fmpz_equal(x->exps + last, x->exps + k)) {
                fmpz_add(x->coeffs + last, x->coeffs + last, x->coeffs + k);
                continue;
            }
            last++;
            if (last != k) {
                fmpz_swap(x->exps + last, x->exps + k);
                fmpz_swap(x->coeffs + last, x->coeffs + k);
            }
        }
        x->length = last + 1;
    }
    at_expq_canonicalise(x);
}

bool at_expq_is_canonical(const at_expq_t x)
{
    fmpz_t g;
    bool good = fmpz_sgn(x->den) > 0 && fmpz_sgn(x->base) > 0
                && (x->length <= x->alloc || x->coeffs == shared_one);

    if (x->length == 0)
        return good && fmpz_is_one(x->den) && fmpz_is_one(x->base);
    fmpz_init_set(g, x->den);
    for (slong k = 0; k < x->length; k++) {
        good = good && !fmpz_is_zero(x->coeffs + k);
        good = good && (k == 0 || fmpz_cmp(x->exps + k - 1, x->exps + k) < 0);
        fmpz_gcd(g, g, x->coeffs + k);
    }
    good = good && fmpz_is_one(g);
    fmpz_set(g, x->base);
    for (slong k = 0; k < x->length; k++)
        fmpz_gcd(g, g, x->exps + k);
    good = good && fmpz_is_one(g);
    fmpz_clear(g);
    return good;
}

/* ---- Assignment ---------------------------------------------------------------------------- */

void at_expq_swap(at_expq_t x, at_expq_t y)
{
    at_expq_struct t = *x;
    *x = *y;
    *y = t;
}

void at_expq_set(at_expq_t x, const at_expq_t y)
{
    if (x == y)
        return;
    if (y->alloc == 0 && y->length == 1) {
        at_expq_one(x);
        return;
    }
    x->length = FLINT_MIN(x->length, x->alloc);
    at_expq_fit(x, y->length);
    for (slong k = 0; k < y->length; k++) {
        fmpz_set(x->coeffs + k, y->coeffs + k);
        fmpz_set(x->exps + k, y->exps + k);
    }
    x->length = y->length;
    fmpz_set(x->den, y->den);
    fmpz_set(x->base, y->base);
}

void at_expq_zero(at_expq_t x)
{
    x->length = 0;
    fmpz_one(x->den);
    fmpz_one(x->base);
}

void at_expq_one(at_expq_t x)
{
    if (x->alloc > 0) {
        at_expq_set_si(x, 1);
        return;
    }
    x->coeffs = (fmpz *) shared_one;
    x->exps = (fmpz *) shared_one + 1;
    x->length = 1;
    fmpz_one(x->den);
    fmpz_one(x->base);
}

void at_expq_set_si(at_expq_t x, slong c)
{
    at_expq_zero(x);
    if (c == 0)
        return;
    at_expq_fit(x, 1);
    x->length = 1;
    fmpz_set_si(x->coeffs, c);
    fmpz_zero(x->exps);
}

void at_expq_set_fmpq(at_expq_t x, const fmpq_t c)
{
    if (fmpq_is_zero(c)) {
        at_expq_zero(x);
        return;
    }
    at_expq_fit(x, 1);
    x->length = 1;
    fmpz_set(x->coeffs, fmpq_numref(c));
    fmpz_set(x->den, fmpq_denref(c));
    fmpz_zero(x->exps);
    fmpz_one(x->base);
}

void at_expq_set_term(at_expq_t x, const fmpq_t c, const fmpq_t r)
{
    at_expq_set_fmpq(x, c);
    if (x->length == 0)
        return;
    fmpz_set(x->exps, fmpq_numref(r));
    fmpz_set(x->base, fmpq_denref(r));
}

void at_expq_set_terms(at_expq_t x, const fmpq *c, const fmpq *r, slong count)
{
    fmpz_t f;

    at_expq_zero(x);
    at_expq_fit(x, count);
    fmpz_init(f);
    for (slong k = 0; k < count; k++) {
        fmpz_lcm(x->den, x->den, fmpq_denref(c + k));
        fmpz_lcm(x->base, x->base, fmpq_denref(r + k));
    }
    for (slong k = 0; k < count; k++) {
        fmpz_divexact(f, x->den, fmpq_denref(c + k));
        fmpz_mul(x->coeffs + k, fmpq_numref(c + k), f);
        fmpz_divexact(f, x->base, fmpq_denref(r + k));
        fmpz_mul(x->exps + k, fmpq_numref(r + k), f);
    }
    x->length = count;
    fmpz_clear(f);
    at_expq_sort(x);
}

/* ---- Looking ------------------------------------------------------------------------------- */

bool at_expq_is_zero(const at_expq_t x)
{
    return x->length == 0;
}

bool at_expq_is_one(const at_expq_t x)
{
    return x->length == 1 && fmpz_is_one(x->coeffs) && fmpz_is_zero(x->exps)
           && fmpz_is_one(x->den);
}

bool at_expq_equal(const at_expq_t x, const at_expq_t y)
{
    if (x->length != y->length || !fmpz_equal(x->den, y->den) || !fmpz_equal(x->base, y->base))
        return false;
    for (slong k = 0; k < x->length; k++)
        if (!fmpz_equal(x->exps + k, y->exps + k) || !fmpz_equal(x->coeffs + k, y->coeffs + k))
            return false;
    return true;
}

bool at_expq_get_fmpq(fmpq *c, const at_expq_t x)
{
    if (x->length > 1 || (x->length == 1 && !fmpz_is_zero(x->exps)))
        return false;
    if (c != NULL && x->length == 0)
        fmpq_zero(c);
    else if (c != NULL)
        at_expq_get_term(c, NULL, x, 0);
    return true;
}

slong at_expq_length(const at_expq_t x)
{
    return x->length;
}

void at_expq_get_term(fmpq *c, fmpq *r, const at_expq_t x, slong k)
{
    if (c != NULL)
        fmpq_set_fmpz_frac(c, x->coeffs + k, x->den);
    if (r != NULL)
        fmpq_set_fmpz_frac(r, x->exps + k, x->base);
}

/* ---- Sums ---------------------------------------------------------------------------------- */

void at_expq_neg(at_expq_t z, const at_expq_t x)
{
    at_expq_set(z, x);
    at_expq_fit(z, z->length);
    for (slong k = 0; k < z->length; k++)
        fmpz_neg(z->coeffs + k, z->coeffs + k);
}

/* Multipliers that bring x and y to a common denominator (den or base). */
static void common(fmpz_t both, fmpz_t fx, fmpz_t fy, const fmpz_t x, const fmpz_t y)
{
    fmpz_lcm(both, x, y);
    fmpz_divexact(fx, both, x);
    fmpz_divexact(fy, both, y);
}

/* z = x + c y, c ≠ 0, by one merge; z is neither. */
static void merge(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y,
                  const fmpq_t c)
{
    fmpz_t cx, cy, ex, ey, a, b;
    slong i = 0, j = 0, k = 0;

    fmpz_init(cx), fmpz_init(cy), fmpz_init(ex), fmpz_init(ey), fmpz_init(a), fmpz_init(b);
    fmpz_mul(a, y->den, fmpq_denref(c));
    common(z->den, cx, cy, x->den, a);
    common(z->base, ex, ey, x->base, y->base);
    fmpz_mul(cy, cy, fmpq_numref(c));
    at_expq_fit(z, x->length + y->length);
    if (x->length > 0)
        fmpz_mul(a, x->exps, ex);
    if (y->length > 0)
        fmpz_mul(b, y->exps, ey);
    while (i < x->length || j < y->length) {
        int order = i == x->length ? 1 : j == y->length ? -1 : fmpz_cmp(a, b);
        fmpz_set(z->exps + k, order <= 0 ? a : b);
        fmpz_zero(z->coeffs + k);
        if (order <= 0) {
            fmpz_addmul(z->coeffs + k, x->coeffs + i, cx);
            if (++i < x->length)
                fmpz_mul(a, x->exps + i, ex);
        }
        if (order >= 0) {
            fmpz_addmul(z->coeffs + k, y->coeffs + j, cy);
            if (++j < y->length)
                fmpz_mul(b, y->exps + j, ey);
        }
        k++;
    }
    z->length = k;
    fmpz_clear(cx), fmpz_clear(cy), fmpz_clear(ex), fmpz_clear(ey), fmpz_clear(a), fmpz_clear(b);
    at_expq_canonicalise(z);
}

void at_expq_add_scaled(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y,
                        const fmpq_t c)
{
    at_expq_t t;

    if (y->length == 0 || fmpq_is_zero(c)) {
        at_expq_set(z, x);
    } else if (z == x || z == y) {
        at_expq_init(t);
        merge(t, x, y, c);
        at_expq_swap(z, t);
        at_expq_clear(t);
    } else {
        merge(z, x, y, c);
    }
}

void at_expq_add(at_expq_t z, const at_expq_t x, const at_expq_t y)
{
    static const fmpq one = { 1, 1 };

    at_expq_add_scaled(z, x, y, &one);
}

void at_expq_sub(at_expq_t z, const at_expq_t x, const at_expq_t y)
{
    static const fmpq minus_one = { -1, 1 };

    at_expq_add_scaled(z, x, y, &minus_one);
}

void at_expq_mul_fmpq(at_expq_t z, const at_expq_t x, const fmpq_t c)
{
    fmpq_t factor;

    if (fmpq_is_zero(c)) {
        at_expq_zero(z);
        return;
    }
    if (fmpq_is_one(c)) {
        at_expq_set(z, x);
        return;
    }
    fmpq_init(factor);
    fmpq_set(factor, c);
    at_expq_set(z, x);
    at_expq_fit(z, z->length);
    for (slong k = 0; k < z->length; k++)
        fmpz_mul(z->coeffs + k, z->coeffs + k, fmpq_numref(factor));
    if (z->length > 0)
        fmpz_mul(z->den, z->den, fmpq_denref(factor));
    remove_content(z->den, z->coeffs, z->length);
    fmpq_clear(factor);
}

void at_expq_mul_exp(at_expq_t z, const at_expq_t x, const fmpq_t r)
{
    fmpz_t base, fx, fr, shift;

    at_expq_set(z, x);
    if (z->length == 0 || fmpq_is_zero(r))
        return;
    at_expq_fit(z, z->length);
    fmpz_init(base), fmpz_init(fx), fmpz_init(fr), fmpz_init(shift);
    common(base, fx, fr, z->base, fmpq_denref(r));
    fmpz_mul(shift, fmpq_numref(r), fr);
    for (slong k = 0; k < z->length; k++) {
        fmpz_mul(z->exps + k, z->exps + k, fx);
        fmpz_add(z->exps + k, z->exps + k, shift);
    }
    fmpz_set(z->base, base);
    remove_content(z->base, z->exps, z->length);
    fmpz_clear(base), fmpz_clear(fx), fmpz_clear(fr), fmpz_clear(shift);
}
