/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A quick proof that polynomials have no common factor: greatest common divisors of integers.
 *
 * Let G be a common factor of x and y, of degree e ≥ 1 with integer coefficients, and let all roots
 * of y lie in |z| ≤ R.  At an integer ξ, |ξ| > R, the value G(ξ) divides gcd(x(ξ), y(ξ)), and
 * |G(ξ)| ≥ (|ξ| − R)^e: a smaller gcd excludes G.  ξ = ±2^w, so that values are sums of shifted
 * coefficients.  Cauchy: R may be any positive number with Σ_{k<D} |c_k| R^k < |c_D| R^D, which for
 * sparse polynomials is close to 1; then ξ = ±4 will do, two bits a degree.  Where linear factors
 * are excluded by their rational roots, e ≥ 2.  Several x are tested at once through their
 * product. */
#include "attest/theory/expq/impl.h"

#include <math.h>

/* Longest number that is tried, in bits: beyond, proofs cost more than they spare. */
enum { LONGEST = 1 << 17 };

/* ---- Values -------------------------------------------------------------------------------- */

/* By Horner, for coefficients of any size, at ξ = ±2^w. */
static void evaluate_general(mpz_t value, const at_places *x, ulong w, bool negative)
{
    mpz_t c;

    mpz_init(c);
    mpz_set_ui(value, 0);
    for (slong k = x->length - 1; k >= 0; k--) {
        ulong gap = x->places[k] - (k > 0 ? x->places[k - 1] : 0);
        fmpz_get_mpz(c, x->coeffs + k);
        mpz_add(value, value, c);
        mpz_mul_2exp(value, value, w * gap);
        if (negative && gap % 2 == 1)
            mpz_neg(value, value);
    }
    mpz_clear(c);
}

/* limbs += c 2^shift, c one limb; there is room. */
static void add_shifted(mp_limb_t *limbs, ulong c, ulong shift)
{
    mp_limb_t *at = limbs + shift / FLINT_BITS;
    ulong bit = shift % FLINT_BITS;
    mp_limb_t low = c << bit, high = bit > 0 ? c >> (FLINT_BITS - bit) : 0;

    *at += low;
    high += *at < low;
    while (high > 0) {
        *++at += high;
        high = *at < high;
    }
}

static bool small_coefficients(const at_places *x)
{
    for (slong k = 0; k < x->length; k++)
        if (COEFF_IS_MPZ(x->coeffs[k]))
            return false;
    return true;
}

/* value = x(±2^w).  Small coefficients are added where they belong, the negative ones apart. */
static void evaluate(mpz_t value, const at_places *x, ulong w, bool negative)
{
    mp_size_t size = (mp_size_t) (x->places[x->length - 1] * w / FLINT_BITS) + 3;
    mp_limb_t *sides, *minus;
    bool differ = false;

    if (!small_coefficients(x)) {
        evaluate_general(value, x, w, negative);
        return;
    }
    sides = mpz_limbs_write(value, 2 * size);
    minus = sides + size;
    memset(sides, 0, (size_t) (2 * size) * sizeof *sides);
    for (slong k = 0; k < x->length; k++) {
        slong c = fmpz_get_si(x->coeffs + k);
        bool below = (c < 0) != (negative && x->places[k] % 2 == 1);
        differ = differ || below;
        add_shifted(below ? minus : sides, (ulong) FLINT_ABS(c), x->places[k] * w);
    }
    int sign = differ ? mpn_cmp(sides, minus, size) : 1;
    if (differ && sign >= 0)
        mpn_sub_n(sides, sides, minus, size);
    else if (differ)
        mpn_sub_n(sides, minus, sides, size);
    mpz_limbs_finish(value, sign < 0 ? -size : size);
}

/* ---- Bounds on roots ----------------------------------------------------------------------- */

/* True only if all roots of y lie in |z| < 2^{thirds/3}; where reversed, all 1/z do.  Rounding
 * errors, relative ones of at most 2^24 roundings, are covered by the margin. */
static bool roots_within(const at_places *y, long thirds, bool reversed)
{
    static const double parts[3] = { 1, 0.7937005259840998, 0.6299605249474366 };
    slong last = y->length - 1;
    double sum = 0;

    for (slong k = 0; k <= last; k++) {
        slong here = reversed ? last - k : k, next = reversed ? here - 1 : here + 1;
        double c = fabs(fmpz_get_d(y->coeffs + here));
        if (!(c < 1e200))
            return false;
        if (k == last)
            return sum * (1 + 1e-6) < c;
        ulong gap = reversed ? y->places[here] - y->places[next]
                             : y->places[next] - y->places[here];
        ulong down = gap * (ulong) thirds;
        sum = down > 3000 ? (sum + c) * 1e-300
                          : ldexp((sum + c) * parts[down % 3], -(int) (down / 3));
    }
    return false;
}

/* The least of 1, 3, 9, 27, … thirds that bounds the roots; 0 when none does. */
static long root_bound(const at_places *y)
{
    for (long thirds = 1; thirds <= 729; thirds *= 3)
        if (roots_within(y, thirds, false))
            return thirds;
    return 0;
}

/* x(1) = 0, or x(−1) = 0. */
static bool vanishes(const at_places *x, bool at_minus_one)
{
    fmpz_t sum;

    fmpz_init(sum);
    for (slong k = 0; k < x->length; k++) {
        if (at_minus_one && x->places[k] % 2 == 1)
            fmpz_sub(sum, sum, x->coeffs + k);
        else
            fmpz_add(sum, sum, x->coeffs + k);
    }
    bool zero = fmpz_is_zero(sum);
    fmpz_clear(sum);
    return zero;
}

/* The rational roots b/a of y have a | lead, |b/a| < R: only ±1 when R ≤ 2 and a = 1, and also when
 * 2^{-1/3} < |b/a| < 2^{1/3} and a ≤ 3. */
static bool only_units_are_rational_roots(const at_places *y, long thirds)
{
    const fmpz *lead = y->coeffs + y->length - 1;

    if (thirds <= 3 && fmpz_is_pm1(lead))
        return true;
    return thirds == 1 && fmpz_cmpabs(lead, (const fmpz[1]) { 3 }) <= 0
           && roots_within(y, 1, true);
}

/* Some x has the factor u + 1 or u − 1 in common with y. */
static bool unit_root_shared(const at_places *x, slong count, const at_places *y)
{
    bool minus = vanishes(y, true), plus = vanishes(y, false);

    for (slong k = 0; k < count && (minus || plus); k++)
        if ((minus && vanishes(x + k, true)) || (plus && vanishes(x + k, false)))
            return true;
    return false;
}

/* ---- The test ------------------------------------------------------------------------------ */

/* gcd(y(ξ), Π x_k(ξ)) < (2^w − 2^{thirds/3})^least, at ξ = ±2^w. */
static bool small_divisor(mpz_t room[3], const at_places *x, slong count, const at_places *y,
                          ulong w, bool negative, double bound)
{
    mpz_ptr modulus = room[0], product = room[1], factor = room[2];

    evaluate(modulus, y, w, negative);
    if (mpz_sgn(modulus) == 0)
        return false;
    for (slong k = 0; k < count; k++) {
        evaluate(k == 0 ? product : factor, x + k, w, negative);
        if (k > 0) {
            mpz_mul(product, product, factor);
            mpz_tdiv_r(product, product, modulus);
        }
    }
    mpz_gcd(product, product, modulus);
    return mpz_sgn(product) > 0 && mpz_cmp_d(product, bound) < 0;
}

/* A small ξ keeps the integers short but may meet a common factor by chance, so others follow. */
bool at_places_coprime(const at_places *x, slong count, const at_places *y, int tries)
{
    static const struct { ulong more; bool negative; } points[] = {
        { 0, false }, { 0, true }, { 2, false }, { 2, true }, { 7, false }, { 18, false }
    };
    long thirds = root_bound(y);
    ulong longest = y->places[y->length - 1];
    bool coprime = false;
    mpz_t room[3];

    if (count == 0)
        return true;
    if (thirds == 0 || unit_root_shared(x, count, y))
        return false;
    for (slong k = 0; k < count; k++)
        longest = FLINT_MAX(longest, x[k].places[x[k].length - 1]);
    bool quadratic = only_units_are_rational_roots(y, thirds);
    mpz_init(room[0]), mpz_init(room[1]), mpz_init(room[2]);
    for (int k = 0; !coprime && k < tries && k < AT_COPRIME_TRIES; k++) {
        ulong w = (ulong) thirds / 3 + 2 + points[k].more;
        if (longest >= LONGEST / w)
            break;
        /* rounded down: the margin covers the errors of exp2 and ldexp */
        double distance = (ldexp(1, (int) w) - exp2((double) thirds / 3)) * (1 - 1e-9);
        coprime = small_divisor(room, x, count, y, w, points[k].negative,
                                quadratic ? distance * distance : distance);
    }
    mpz_clear(room[0]), mpz_clear(room[1]), mpz_clear(room[2]);
    return coprime;
}

/* ---- Elements on a lattice ----------------------------------------------------------------- */

/* Places from 0 (x is a polynomial up to a unit); the caller frees them.  False, and nothing to
 * free, where they are too long for the test. */
static bool places_init(at_places *p, const at_lattice *l, const at_expq_struct *x)
{
    slong length = at_lattice_length(l, x);

    if (length <= 0 || length > LONGEST)
        return false;
    ulong *places = flint_malloc((size_t) x->length * sizeof *places);
    for (slong k = 0; k < x->length; k++)
        places[k] = (ulong) at_lattice_place(l, x, k);
    *p = (at_places) { x->length, places, x->coeffs };
    return true;
}

static void places_clear(at_places *p)
{
    flint_free((ulong *) p->places);
}

bool at_expq_surely_coprime(const at_lattice *l, const at_expq_struct *x, const at_expq_struct *y)
{
    at_places p, q;

    if (x->length < 2 || y->length < 2)
        return x->length == 1 || y->length == 1;
    if (!places_init(&p, l, x))
        return false;
    bool coprime = places_init(&q, l, y);
    if (coprime) {
        /* the one with smaller roots in the role of the modulus */
        bool turn = !roots_within(&q, 1, false) && roots_within(&p, 1, false);
        coprime = turn ? at_places_coprime(&q, 1, &p, AT_COPRIME_TRIES)
                       : at_places_coprime(&p, 1, &q, AT_COPRIME_TRIES);
        places_clear(&q);
    }
    places_clear(&p);
    return coprime;
}

/* After a few tries looking at entries apart is cheaper. */
bool at_expq_all_coprime(const at_expq_struct *x, slong count, const at_expq_struct *y)
{
    const at_expq_struct **all = flint_malloc((size_t) (count + 1) * sizeof *all);
    at_places *places = flint_malloc((size_t) (count + 1) * sizeof *places);
    slong used = 0, made = 0;
    at_lattice l;

    for (slong k = 0; k < count; k++)
        if (x[k].length > 1)   /* zeros and units have no factor in common with y */
            all[used++] = x + k;
    all[used] = y;
    at_lattice_init(&l);
    at_lattice_cover(&l, all, used + 1);
    while (made <= used && places_init(places + made, &l, all[made]))
        made++;
    bool coprime = made > used && at_places_coprime(places, used, places + used, 3);
    while (made > 0)
        places_clear(places + --made);
    at_lattice_clear(&l);
    flint_free(all), flint_free(places);
    return coprime;
}
