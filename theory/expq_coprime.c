/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A quick proof that elements have no common factor: one greatest common divisor of integers.
 *
 * Put polynomials x, y in u at ξ = 2^w.  All roots of a common factor G lie within 1 + M, M the
 * smaller of the two largest coefficients (Cauchy), so at ξ ≥ 2M + 2 its value is at least ξ/2,
 * and it divides gcd(x(ξ), y(ξ)): a smaller gcd excludes it.  The same for several x through their
 * product. */
#include "theory/expq_impl.h"

/* Longest number that is tried, in bits. */
enum { LONGEST = 1 << 24 };

/* By Horner, for coefficients of any size. */
static void evaluate_general(mpz_t value, const at_lattice *l, const at_expq_struct *x, ulong w)
{
    fmpz_t f, d;
    mpz_t c;

    fmpz_init(f), fmpz_init(d), mpz_init(c);
    fmpz_divexact(f, l->base, x->base);
    mpz_set_ui(value, 0);
    for (slong k = x->length - 1; k >= 0; k--) {
        fmpz_get_mpz(c, x->coeffs + k);
        mpz_add(value, value, c);
        if (k == 0)
            break;
        fmpz_sub(d, x->exps + k, x->exps + k - 1);
        fmpz_mul(d, d, f);
        fmpz_divexact(d, d, l->stride);
        mpz_mul_2exp(value, value, w * fmpz_get_ui(d));
    }
    fmpz_clear(f), fmpz_clear(d), mpz_clear(c);
}

/* limbs += c 2^shift, c one limb. */
static void add_shifted(mp_limb_t *limbs, mp_size_t size, ulong c, ulong shift)
{
    mp_size_t at = (mp_size_t) (shift / FLINT_BITS);
    ulong bit = shift % FLINT_BITS;

    mpn_add_1(limbs + at, limbs + at, size - at, (mp_limb_t) (c << bit));
    if (bit > 0 && c >> (FLINT_BITS - bit) > 0)
        mpn_add_1(limbs + at + 1, limbs + at + 1, size - at - 1,
                  (mp_limb_t) (c >> (FLINT_BITS - bit)));
}

/* Σ c_k ξ^{k'} over x's terms, k' their places on the lattice.  Small coefficients are added where
 * they belong, the negative ones apart. */
static void evaluate(mpz_t value, const at_lattice *l, const at_expq_struct *x, ulong w)
{
    slong length = at_lattice_length(l, x);
    mp_size_t size = (mp_size_t) ((ulong) length * w / FLINT_BITS) + 3;
    mp_limb_t *side[2];
    fmpz_t f, d;
    mpz_t view;

    for (slong k = 0; k < x->length; k++) {
        if (COEFF_IS_MPZ(x->coeffs[k])) {
            evaluate_general(value, l, x, w);
            return;
        }
    }
    side[0] = flint_calloc((size_t) (2 * size), sizeof **side);
    side[1] = side[0] + size;
    fmpz_init(f), fmpz_init(d);
    fmpz_divexact(f, l->base, x->base);
    for (slong k = 0; k < x->length; k++) {
        slong c = fmpz_get_si(x->coeffs + k);
        fmpz_sub(d, x->exps + k, x->exps);
        fmpz_mul(d, d, f);
        fmpz_divexact(d, d, l->stride);
        add_shifted(side[c < 0], size, (ulong) FLINT_ABS(c), fmpz_get_ui(d) * w);
    }
    mpz_set(value, mpz_roinit_n(view, side[0], size));
    mpz_sub(value, value, mpz_roinit_n(view, side[1], size));
    fmpz_clear(f), fmpz_clear(d);
    flint_free(side[0]);
}

static ulong coefficient_bits(const at_expq_struct *x)
{
    ulong bits = 0;

    for (slong k = 0; k < x->length; k++)
        bits = FLINT_MAX(bits, (ulong) fmpz_bits(x->coeffs + k));
    return bits;
}

/* A small ξ keeps the integers short but may meet a common factor by chance, so a second follows.
 * */
bool at_expq_surely_coprime(const at_lattice *l, const at_expq_struct *x, const at_expq_struct *y)
{
    ulong least = FLINT_MIN(coefficient_bits(x), coefficient_bits(y)) + 2;
    bool coprime = false;
    mpz_t a, b;

    mpz_init(a), mpz_init(b);
    for (ulong w = least + 3; !coprime && w <= least + 16; w += 13) {
        if (FLINT_MAX(l->length_x, l->length_y) > (slong) (LONGEST / w))
            break;
        evaluate(a, l, x, w);
        evaluate(b, l, y, w);
        mpz_gcd(a, a, b);
        coprime = mpz_sgn(a) > 0 && mpz_sizeinbase(a, 2) < w;
    }
    mpz_clear(a), mpz_clear(b);
    return coprime;
}

/* gcd(y(ξ), Π x_k(ξ)) bounds each gcd(y(ξ), x_k(ξ)). */
static bool product_coprime(const at_lattice *l, const at_expq_struct *const *x, slong count,
                            const at_expq_struct *y, ulong w)
{
    mpz_t modulus, product, factor;

    mpz_init(modulus), mpz_init(product), mpz_init(factor);
    evaluate(modulus, l, y, w);
    bool coprime = mpz_sgn(modulus) != 0;
    mpz_set_ui(product, 1);
    for (slong k = 0; coprime && k < count; k++) {
        evaluate(factor, l, x[k], w);
        mpz_mul(product, product, factor);
        mpz_tdiv_r(product, product, modulus);
    }
    mpz_gcd(product, product, modulus);
    coprime = coprime && mpz_sgn(product) > 0 && mpz_sizeinbase(product, 2) < w;
    mpz_clear(modulus), mpz_clear(product), mpz_clear(factor);
    return coprime;
}

bool at_expq_all_coprime(const at_expq_struct *x, slong count, const at_expq_struct *y)
{
    const at_expq_struct **all = flint_malloc((size_t) (count + 1) * sizeof *all);
    slong used = 0, longest = 0;
    bool fits = true;
    at_lattice l;

    for (slong k = 0; k < count; k++)
        if (x[k].length > 1)   /* zeros and units have no factor in common with y */
            all[used++] = x + k;
    all[used] = y;
    at_lattice_init(&l);
    at_lattice_cover(&l, all, used + 1);
    for (slong k = 0; k <= used; k++) {
        slong length = at_lattice_length(&l, all[k]);
        fits = fits && length > 0;
        longest = FLINT_MAX(longest, length);
    }
    /* one short try: a longer ξ for the whole row costs more than looking at its entries apart */
    ulong w = coefficient_bits(y) + 4;
    bool coprime = fits && longest <= (slong) (LONGEST / w)
                   && product_coprime(&l, all, used, y, w);
    at_lattice_clear(&l);
    flint_free(all);
    return coprime;
}
