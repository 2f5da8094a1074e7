/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/expq: canonical form, ring and field laws, aliasing, a slower reference. */
#include "tests/theory/fractions.h"

/* ---- Elements ------------------------------------------------------------------------------ */

START_TEST(ring_laws)
{
    at_expq_t x, y, z, a, b, c;

    at_expq_init(x), at_expq_init(y), at_expq_init(z);
    at_expq_init(a), at_expq_init(b), at_expq_init(c);
    AT_ROUNDS(r, 400) {
        random_expq(x, &r), random_expq(y, &r), random_expq(z, &r);
        at_expq_add(a, x, y);
        at_expq_add(b, y, x);
        AT_EXPECT(&r, at_expq_equal(a, b) && at_expq_is_canonical(a), "x + y = y + x");
        at_expq_sub(b, a, y);
        AT_EXPECT(&r, at_expq_equal(b, x), "x + y - y = x");
        at_expq_mul(b, a, z);
        at_expq_mul(a, x, z);
        at_expq_mul(c, y, z);
        at_expq_add(a, a, c);
        AT_EXPECT(&r, at_expq_equal(a, b) && at_expq_is_canonical(b), "(x + y) z = x z + y z");
        at_expq_mul(a, x, y);
        at_expq_mul(b, y, x);
        AT_EXPECT(&r, at_expq_equal(a, b), "x y = y x");
        at_expq_mul(a, a, z);
        at_expq_mul(b, y, z);
        at_expq_mul(b, x, b);
        AT_EXPECT(&r, at_expq_equal(a, b), "(x y) z = x (y z)");
        /* an integral domain */
        AT_EXPECT(&r, at_expq_is_zero(a) == (at_expq_is_zero(x) || at_expq_is_zero(y)
                                             || at_expq_is_zero(z)), "zero divisors");
    }
    at_expq_clear(x), at_expq_clear(y), at_expq_clear(z);
    at_expq_clear(a), at_expq_clear(b), at_expq_clear(c);
}
END_TEST

START_TEST(aliasing)
{
    at_expq_t x, y, a, b;
    void (*const binary[])(at_expq_t, const at_expq_t, const at_expq_t)
        = { at_expq_add, at_expq_sub, at_expq_mul };

    at_expq_init(x), at_expq_init(y), at_expq_init(a), at_expq_init(b);
    AT_ROUNDS(r, 300) {
        for (size_t f = 0; f < 3; f++) {
            random_expq(x, &r), random_expq(y, &r);
            binary[f](a, x, y);
            at_expq_set(b, x);
            binary[f](b, b, y);
            AT_EXPECT(&r, at_expq_equal(a, b), "first input, function %zu", f);
            at_expq_set(b, y);
            binary[f](b, x, b);
            AT_EXPECT(&r, at_expq_equal(a, b), "second input, function %zu", f);
            binary[f](a, x, x);
            at_expq_set(b, x);
            binary[f](b, b, b);
            AT_EXPECT(&r, at_expq_equal(a, b), "both inputs, function %zu", f);
        }
        at_expq_neg(a, x);
        at_expq_set(b, x);
        at_expq_neg(b, b);
        AT_EXPECT(&r, at_expq_equal(a, b) && at_expq_is_canonical(a), "neg");
    }
    at_expq_clear(x), at_expq_clear(y), at_expq_clear(a), at_expq_clear(b);
}
END_TEST

START_TEST(division)
{
    at_expq_t x, y, p, q;
    fmpq_t one;

    at_expq_init(x), at_expq_init(y), at_expq_init(p), at_expq_init(q), fmpq_init(one);
    fmpq_one(one);
    AT_ROUNDS(r, 400) {
        random_expq(x, &r), random_expq(y, &r);
        if (at_expq_is_zero(y))
            continue;
        at_expq_mul(p, x, y);
        AT_EXPECT(&r, at_expq_divides(q, p, y) && at_expq_equal(q, x)
                      && at_expq_is_canonical(q), "x y / y = x");
        /* x y + e^{r} with r off the lattice of y is no multiple of y unless y is a unit */
        if (at_expq_length(y) > 1) {
            at_expq_t t;
            fmpq_t e;
            at_expq_init(t), fmpq_init(e);
            fmpq_set_si(e, 1, 8191);
            at_expq_set_term(t, one, e);
            at_expq_add(p, p, t);
            at_expq_set(q, x);
            AT_EXPECT(&r, !at_expq_divides(q, p, y) && at_expq_equal(q, x), "not divisible");
            at_expq_clear(t), fmpq_clear(e);
        }
    }
    at_expq_clear(x), at_expq_clear(y), at_expq_clear(p), at_expq_clear(q), fmpq_clear(one);
}
END_TEST

START_TEST(square_roots)
{
    at_expq_t x, y, z;

    at_expq_init(x), at_expq_init(y), at_expq_init(z);
    AT_ROUNDS(r, 200) {
        random_expq(x, &r);
        at_expq_mul(y, x, x);
        /* exponents 2^40 apart are beyond the dense root */
        if (!at_expq_sqrt(z, y)) {
            AT_EXPECT(&r, at_expq_length(x) > 1, "the square of a term has a root");
            continue;
        }
        if (at_expq_sgn(x) < 0)
            at_expq_neg(x, x);
        AT_EXPECT(&r, at_expq_equal(x, z) && at_expq_is_canonical(z), "sqrt(x^2) = |x|");
        if (at_expq_is_zero(x))
            continue;
        fmpq_t two;
        fmpq_init(two);
        fmpq_set_si(two, 2, 1);
        at_expq_mul_fmpq(y, y, two);
        AT_EXPECT(&r, !at_expq_sqrt(z, y), "2 x^2 has no root");
        fmpq_clear(two);
    }
    at_expq_clear(x), at_expq_clear(y), at_expq_clear(z);
}
END_TEST

/* A sum built term by term, in any order, against the function that sorts. */
START_TEST(terms)
{
    fmpq c[12], e[12];
    at_expq_t x, y, term;

    at_expq_init(x), at_expq_init(y), at_expq_init(term);
    for (int k = 0; k < 12; k++)
        fmpq_init(c + k), fmpq_init(e + k);
    AT_ROUNDS(r, 300) {
        long count = at_test_between(&r, 0, 12);
        at_expq_zero(y);
        for (long k = 0; k < count; k++) {
            random_fmpq(c + k, &r, 3);
            random_fmpq(e + k, &r, 2);
            at_expq_set_term(term, c + k, e + k);
            at_expq_add(y, y, term);
        }
        at_expq_set_terms(x, c, e, count);
        AT_EXPECT(&r, at_expq_equal(x, y) && at_expq_is_canonical(x), "%ld terms", count);
        at_expq_zero(y);
        for (slong k = 0; k < at_expq_length(x); k++) {
            at_expq_get_term(c, e, x, k);
            at_expq_set_term(term, c, e);
            at_expq_add(y, y, term);
        }
        AT_EXPECT(&r, at_expq_equal(x, y), "terms read back");
    }
    for (int k = 0; k < 12; k++)
        fmpq_clear(c + k), fmpq_clear(e + k);
    at_expq_clear(x), at_expq_clear(y), at_expq_clear(term);
}
END_TEST

/* ---- Fractions ----------------------------------------------------------------------------- */

START_TEST(field_laws)
{
    at_expqf_t x, y, z, a, b, c;

    at_expqf_init(x), at_expqf_init(y), at_expqf_init(z);
    at_expqf_init(a), at_expqf_init(b), at_expqf_init(c);
    AT_ROUNDS(r, 150) {
        random_expqf(x, &r), random_expqf(y, &r), random_expqf(z, &r);
        at_expqf_add(a, x, y);
        at_expqf_add(b, y, x);
        EXPECT_FRACTION(&r, at_expqf_equal(a, b) && at_expqf_is_canonical(a), x, y);
        at_expqf_sub(b, a, y);
        EXPECT_FRACTION(&r, at_expqf_equal(b, x) && at_expqf_is_canonical(b), x, y);
        at_expqf_mul(b, a, z);
        at_expqf_mul(a, x, z);
        at_expqf_mul(c, y, z);
        at_expqf_add(a, a, c);
        EXPECT_FRACTION(&r, at_expqf_equal(a, b) && at_expqf_is_canonical(b), x, y);
        if (at_expqf_is_zero(y))
            continue;
        at_expqf_div(a, x, y);
        EXPECT_FRACTION(&r, at_expqf_is_canonical(a), x, y);
        at_expqf_mul(a, a, y);
        EXPECT_FRACTION(&r, at_expqf_equal(a, x), x, y);
        at_expqf_inv(a, y);
        at_expqf_mul(a, a, y);
        EXPECT_FRACTION(&r, at_expqf_is_one(a) && at_expqf_equal_si(a, 1), y, a);
    }
    at_expqf_clear(x), at_expqf_clear(y), at_expqf_clear(z);
    at_expqf_clear(a), at_expqf_clear(b), at_expqf_clear(c);
}
END_TEST

START_TEST(fraction_aliasing)
{
    at_expqf_t x, y, a, b;
    void (*const binary[])(at_expqf_t, const at_expqf_t, const at_expqf_t)
        = { at_expqf_add, at_expqf_sub, at_expqf_mul, at_expqf_div };

    at_expqf_init(x), at_expqf_init(y), at_expqf_init(a), at_expqf_init(b);
    AT_ROUNDS(r, 150) {
        random_expqf(x, &r), random_expqf(y, &r);
        if (at_test_below(&r, 3) == 0)
            at_expqf_set_si(y, at_test_between(&r, 1, 5));
        for (size_t f = 0; f < 4; f++) {
            if (f == 3 && (at_expqf_is_zero(y) || at_expqf_is_zero(x)))
                continue;
            binary[f](a, x, y);
            at_expqf_set(b, x);
            binary[f](b, b, y);
            EXPECT_FRACTION(&r, at_expqf_equal(a, b), x, y);
            at_expqf_set(b, y);
            binary[f](b, x, b);
            EXPECT_FRACTION(&r, at_expqf_equal(a, b), x, y);
            binary[f](a, x, x);
            at_expqf_set(b, x);
            binary[f](b, b, b);
            EXPECT_FRACTION(&r, at_expqf_equal(a, b), x, x);
        }
    }
    at_expqf_clear(x), at_expqf_clear(y), at_expqf_clear(a), at_expqf_clear(b);
}
END_TEST

/* The image in FLINT's ℚ(t), t = e^{1/12}: x = p(t)/q(t) after a shift by e^{low}. */
static void to_rational_function(fmpz_poly_q_t f, const at_expqf_t x)
{
    const at_expq_struct *part[2] = { at_expqf_numref(x), at_expqf_denref(x) };
    fmpz_poly_struct *image[2] = { fmpz_poly_q_numref(f), fmpz_poly_q_denref(f) };
    fmpz_t e, c, one;

    fmpz_init(e), fmpz_init(c), fmpz_init_set_ui(one, 1);
    for (int s = 0; s < 2; s++) {
        const at_expq_struct *y = part[s], *other = part[1 - s];
        fmpz_poly_zero(image[s]);
        for (slong k = 0; k < y->length; k++) {
            fmpz_mul_si(e, y->exps + k, 12);
            fmpz_divexact(e, e, y->base);
            fmpz_add_ui(e, e, 2000);
            fmpz_mul(c, y->coeffs + k, other->den);
            fmpz_poly_set_coeff_fmpz(image[s], fmpz_get_si(e), c);
        }
    }
    if (fmpz_poly_is_zero(image[0]))
        fmpz_poly_set_ui(image[1], 1);
    fmpz_poly_q_canonicalise(f);
    fmpz_clear(e), fmpz_clear(c), fmpz_clear(one);
}

START_TEST(reference)
{
    at_expqf_t x, y, z;
    fmpz_poly_q_t f, g, h, image;

    at_expqf_init(x), at_expqf_init(y), at_expqf_init(z);
    fmpz_poly_q_init(f), fmpz_poly_q_init(g), fmpz_poly_q_init(h), fmpz_poly_q_init(image);
    AT_ROUNDS(r, 200) {
        random_dense(x, &r), random_dense(y, &r);
        to_rational_function(f, x);
        to_rational_function(g, y);
        at_expqf_add(z, x, y);
        fmpz_poly_q_add(h, f, g);
        to_rational_function(image, z);
        EXPECT_FRACTION(&r, fmpz_poly_q_equal(h, image), x, y);
        /* fully reduced: as few coefficients as FLINT's canonical form */
        EXPECT_FRACTION(&r, at_expqf_denref(z)->length <= fmpz_poly_length(fmpz_poly_q_denref(h)),
                        x, y);
        at_expqf_mul(z, x, y);
        fmpz_poly_q_mul(h, f, g);
        to_rational_function(image, z);
        EXPECT_FRACTION(&r, fmpz_poly_q_equal(h, image), x, y);
        EXPECT_FRACTION(&r, at_expqf_equal(x, y) == fmpz_poly_q_equal(f, g), x, y);
    }
    at_expqf_clear(x), at_expqf_clear(y), at_expqf_clear(z);
    fmpz_poly_q_clear(f), fmpz_poly_q_clear(g), fmpz_poly_q_clear(h), fmpz_poly_q_clear(image);
}
END_TEST

/* Equal values of different origin have equal fields once reduced. */
START_TEST(normal_form)
{
    at_expqf_t x, y, z;

    at_expqf_init(x), at_expqf_init(y), at_expqf_init(z);
    AT_ROUNDS(r, 150) {
        random_dense(x, &r), random_dense(y, &r);
        if (at_expqf_is_zero(y))
            continue;
        at_expqf_mul(z, x, y);
        at_expqf_div(z, z, y);
        EXPECT_FRACTION(&r, at_expq_equal(at_expqf_numref(z), at_expqf_numref(x))
                            && at_expq_equal(at_expqf_denref(z), at_expqf_denref(x)), x, y);
        at_expqf_add(z, x, y);
        at_expqf_sub(z, z, y);
        EXPECT_FRACTION(&r, at_expq_equal(at_expqf_numref(z), at_expqf_numref(x))
                            && at_expq_equal(at_expqf_denref(z), at_expqf_denref(x)), x, y);
        at_expqf_mul(z, y, y);
        bool square = at_expqf_sqrt(z, z);
        EXPECT_FRACTION(&r, square && at_expqf_sgn(z) > 0, y, z);
        at_expqf_mul(z, z, z);
        at_expqf_mul(y, y, y);
        EXPECT_FRACTION(&r, at_expqf_equal(z, y), y, z);
    }
    at_expqf_clear(x), at_expqf_clear(y), at_expqf_clear(z);
}
END_TEST

/* A fraction on a lattice too fine for dense polynomials: (a Z)/(b Z) is still found rational. */
START_TEST(sparse_fractions)
{
    at_expq_t z, num, den, term;
    at_expqf_t x, y;
    fmpq_t c, e, ratio;

    at_expq_init(z), at_expq_init(num), at_expq_init(den), at_expq_init(term);
    at_expqf_init(x), at_expqf_init(y), fmpq_init(c), fmpq_init(e), fmpq_init(ratio);
    for (slong k = 1; k <= 9; k++) {
        fmpq_set_si(c, k, 3);
        fmpq_set_si(e, 7919 * k, (ulong) (100003 + k));
        at_expq_set_term(term, c, e);
        at_expq_add(z, z, term);
    }
    fmpq_set_si(ratio, -22, 7);
    at_expq_mul_fmpq(num, z, ratio);
    at_expqf_set_frac(x, num, z);
    ck_assert(at_expqf_get_fmpq(c, x) && fmpq_equal(c, ratio));
    ck_assert(at_expq_is_one(at_expqf_denref(x)));
    /* (z w)/z divides out term by term */
    fmpq_set_si(e, 1, 99991);
    at_expq_set_term(term, ratio, e);
    at_expq_one(den);
    at_expq_add(term, term, den);
    at_expq_mul(num, z, term);
    at_expqf_set_frac(x, num, z);
    at_expqf_set_expq(y, term);
    ck_assert(at_expqf_equal(x, y));
    ck_assert(at_expq_is_one(at_expqf_denref(x)));
    /* z/(z w) keeps its factor, equality and rationality do not mind */
    at_expqf_set_frac(y, z, num);
    at_expqf_mul(x, x, y);
    ck_assert(at_expqf_is_one(x));
    at_expq_clear(z), at_expq_clear(num), at_expq_clear(den), at_expq_clear(term);
    at_expqf_clear(x), at_expqf_clear(y), fmpq_clear(c), fmpq_clear(e), fmpq_clear(ratio);
}
END_TEST

/* Few steps, each of astronomic length: (u² − 1)/(u³ − 1) and the like are reduced all the same. */
START_TEST(long_steps)
{
    static const struct { const char *in, *num, *den; } cases[] = {
        { "(e^(2*10^40) - 1)/(e^(3*10^40) - 1)", "e^(10^40) + 1", "e^(2*10^40) + e^(10^40) + 1" },
        { "(e^(10^40) + 2)/(3*e^(2*10^40) + 1)", "1/3*e^(10^40) + 2/3", "e^(2*10^40) + 1/3" },
        { "(e^(10^40) + 10^30)/(e^(2*10^40) - 10^60)", "1", "e^(10^40) - 10^30" },
    };
    at_expqf_t x, num, den;

    at_expqf_init(x), at_expqf_init(num), at_expqf_init(den);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ck_assert_int_eq(at_expqf_set_str(x, cases[k].in, NULL), AT_OK);
        ck_assert_int_eq(at_expqf_set_str(num, cases[k].num, NULL), AT_OK);
        ck_assert_int_eq(at_expqf_set_str(den, cases[k].den, NULL), AT_OK);
        ck_assert_int_eq(at_expq_length(at_expqf_denref(x)), at_expq_length(at_expqf_numref(den)));
        at_expqf_mul(x, x, den);
        ck_assert(at_expqf_equal(x, num));
    }
    at_expqf_clear(x), at_expqf_clear(num), at_expqf_clear(den);
}
END_TEST

/* Products with common factors among small polynomials: the quick test for coprimality must never
 * hide one (the reference test above sees only its result). */
START_TEST(common_factors)
{
    at_expqf_t a, b, c, x, y;

    at_expqf_init(a), at_expqf_init(b), at_expqf_init(c), at_expqf_init(x), at_expqf_init(y);
    AT_ROUNDS(r, 300) {
        at_expqf_struct *const parts[3] = { a, b, c };
        for (int s = 0; s < 3; s++) {
            do {
                random_dense(parts[s], &r);
                at_expqf_set_expq(parts[s], at_expqf_numref(parts[s]));
            } while (at_expqf_is_zero(parts[s]));
        }
        at_expqf_mul(x, a, c);
        at_expqf_mul(y, b, c);
        at_expqf_div(x, x, y);          /* a c/(b c) … */
        at_expqf_div(y, a, b);          /* … has the fields of a/b */
        EXPECT_FRACTION(&r, at_expq_equal(at_expqf_numref(x), at_expqf_numref(y))
                            && at_expq_equal(at_expqf_denref(x), at_expqf_denref(y)), x, y);
    }
    at_expqf_clear(a), at_expqf_clear(b), at_expqf_clear(c), at_expqf_clear(x), at_expqf_clear(y);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("expq");
    TCase *elements = tcase_create("elements");
    TCase *fractions = tcase_create("fractions");

    tcase_add_test(elements, ring_laws);
    tcase_add_test(elements, aliasing);
    tcase_add_test(elements, division);
    tcase_add_test(elements, square_roots);
    tcase_add_test(elements, terms);
    tcase_add_test(fractions, field_laws);
    tcase_add_test(fractions, fraction_aliasing);
    tcase_add_test(fractions, reference);
    tcase_add_test(fractions, normal_form);
    tcase_add_test(fractions, sparse_fractions);
    tcase_add_test(fractions, long_steps);
    tcase_add_test(fractions, common_factors);
    tcase_set_timeout(elements, 60);
    suite_add_tcase(s, elements);
    tcase_set_timeout(fractions, 60);
    suite_add_tcase(s, fractions);
    return s;
}

AT_CHECK_MAIN(suite)
