/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build itself: versions, the bridge between the FLINT versions, the test generator. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/core/version.h"
#include "tests/at_check.h"
#include "attest/theory/flint/version.h"

START_TEST(version_is_configures)
{
    ck_assert_str_eq(at_version(), PACKAGE_VERSION);
}
END_TEST

START_TEST(flint_names_itself)
{
    char linked[32];

    /* flint_version is the library's, at_flint_version() the headers'. */
    snprintf(linked, sizeof linked, "FLINT %s", flint_version);
    ck_assert_msg(strncmp(at_flint_version(), linked, strlen(linked)) == 0,
                  "headers %s, library %s", at_flint_version(), linked);
}
END_TEST

/* (a x + b) / (c x + d) at p/q against the same in rationals. */
START_TEST(rational_function_evaluates)
{
    AT_ROUNDS(r, 200) {
        long a = at_test_integer(&r, 20), b = at_test_integer(&r, 20);
        long c = at_test_integer(&r, 20), d = at_test_integer(&r, 20);
        long p = at_test_integer(&r, 20), q = at_test_between(&r, 1, 9);
        fmpz_poly_q_t f;
        fmpq_t x, value, expected;
        int defined;

        if (c == 0 && d == 0)
            continue;
        fmpz_poly_q_init(f);
        fmpq_init(x);
        fmpq_init(value);
        fmpq_init(expected);
        fmpz_poly_set_coeff_si(fmpz_poly_q_numref(f), 1, a);
        fmpz_poly_set_coeff_si(fmpz_poly_q_numref(f), 0, b);
        fmpz_poly_zero(fmpz_poly_q_denref(f));
        fmpz_poly_set_coeff_si(fmpz_poly_q_denref(f), 1, c);
        fmpz_poly_set_coeff_si(fmpz_poly_q_denref(f), 0, d);
        fmpq_set_si(x, p, (ulong) q);
        defined = at_fmpz_poly_q_evaluate_fmpq(value, f, x);
        AT_EXPECT(&r, defined == (c * p + d * q != 0), "c=%ld d=%ld at %ld/%ld", c, d, p, q);
        if (defined) {
            fmpz_set_si(fmpq_numref(expected), a * p + b * q);
            fmpz_set_si(fmpq_denref(expected), c * p + d * q);
            fmpq_canonicalise(expected);
            AT_EXPECT(&r, fmpq_equal(value, expected), "(%ld x + %ld)/(%ld x + %ld) at %ld/%ld",
                      a, b, c, d, p, q);
        }
        fmpz_poly_q_clear(f);
        fmpq_clear(x);
        fmpq_clear(value);
        fmpq_clear(expected);
    }
}
END_TEST

/* Arb and the algebraic numbers are linked and agree on the square root of two. */
START_TEST(balls_contain_algebraic_numbers)
{
    qqbar_t root;
    arb_t ball, two;

    qqbar_init(root);
    arb_init(ball);
    arb_init(two);
    qqbar_sqrt_ui(root, 2);
    qqbar_get_arb(ball, root, 128);
    arb_sqr(ball, ball, 128);
    arb_set_ui(two, 2);
    ck_assert(arb_overlaps(ball, two));
    ck_assert(arb_rel_accuracy_bits(ball) > 100);
    qqbar_clear(root);
    arb_clear(ball);
    arb_clear(two);
    flint_cleanup();
}
END_TEST

START_TEST(generator_is_reproducible)
{
    at_test_random a = at_test_start("x", 1), b = at_test_start("x", 1), c = at_test_start("y", 1);
    int ends = 0;

    ck_assert_uint_eq(at_test_bits(&a), at_test_bits(&b));
    ck_assert_uint_ne(at_test_bits(&a), at_test_bits(&c));
    for (int i = 0; i < 1000; i++) {
        long value = at_test_integer(&a, 10);

        ck_assert_int_le(labs(value), 1024);
        ends += labs(value) == 1024;
        ck_assert(isfinite(at_test_double(&a)));
    }
    ck_assert_int_gt(ends, 50);
}
END_TEST

static Suite *build_suite(void)
{
    Suite *suite = suite_create("build");
    TCase *tcase = tcase_create("build");

    tcase_add_test(tcase, version_is_configures);
    tcase_add_test(tcase, flint_names_itself);
    tcase_add_test(tcase, rational_function_evaluates);
    tcase_add_test(tcase, balls_contain_algebraic_numbers);
    tcase_add_test(tcase, generator_is_reproducible);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(build_suite)
