/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/expq: elements as real numbers and as text: enclosures, signs, order, parsing. */
#include "tests/theory/fractions.h"

/* ---- Real numbers -------------------------------------------------------------------------- */

START_TEST(enclosures)
{
    at_expqf_t x, y, z;
    arb_t a, b, c;

    at_expqf_init(x), at_expqf_init(y), at_expqf_init(z), arb_init(a), arb_init(b), arb_init(c);
    AT_ROUNDS(r, 150) {
        random_dense(x, &r), random_dense(y, &r);
        at_expqf_get_arb(a, x, 53);
        at_expqf_get_arb(b, x, 300);
        EXPECT_FRACTION(&r, arb_rel_accuracy_bits(a) >= 53, x, x);
        EXPECT_FRACTION(&r, arb_rel_accuracy_bits(b) >= 300, x, x);
        EXPECT_FRACTION(&r, arb_overlaps(a, b), x, x);
        EXPECT_FRACTION(&r, at_expqf_sgn(x) == arf_sgn(arb_midref(b)), x, x);
        double d = at_expqf_get_d(x), m = arf_get_d(arb_midref(b), ARF_RND_NEAR);
        EXPECT_FRACTION(&r, d == m, x, x);
        at_expqf_get_arb(b, y, 200);
        at_expqf_get_arb(a, x, 200);
        at_expqf_mul(z, x, y);
        at_expqf_get_arb(c, z, 200);
        arb_mul(a, a, b, 250);
        EXPECT_FRACTION(&r, arb_overlaps(a, c), x, y);
        at_expqf_sub(z, x, y);
        EXPECT_FRACTION(&r, at_expqf_cmp(x, y) == at_expqf_sgn(z), x, y);
        EXPECT_FRACTION(&r, at_expqf_cmp(x, y) == -at_expqf_cmp(y, x), x, y);
    }
    at_expqf_clear(x), at_expqf_clear(y), at_expqf_clear(z);
    arb_clear(a), arb_clear(b), arb_clear(c);
}
END_TEST

/* e less its continued fraction's convergents: signs alternate, differences shrink to 1e-300 and
 * below. */
START_TEST(close_signs)
{
    at_expqf_t x, y;
    fmpz_t p[3], q[3], term;
    fmpq_t c;

    at_expqf_init(x), at_expqf_init(y), fmpz_init(term), fmpq_init(c);
    for (int k = 0; k < 3; k++)
        fmpz_init(p[k]), fmpz_init(q[k]);
    fmpz_one(p[1]);
    fmpz_one(q[0]);
    fmpq_one(c);
    for (slong k = 0; k < 400; k++) {
        /* 2; 1, 2, 1, 1, 4, 1, 1, 6, 1, … */
        fmpz_set_si(term, k == 0 ? 2 : k % 3 == 2 ? 2 * (k + 1) / 3 : 1);
        fmpz_mul(p[2], term, p[1]), fmpz_add(p[2], p[2], p[0]);
        fmpz_mul(q[2], term, q[1]), fmpz_add(q[2], q[2], q[0]);
        fmpz_swap(p[0], p[1]), fmpz_swap(p[1], p[2]);
        fmpz_swap(q[0], q[1]), fmpz_swap(q[1], q[2]);
        fmpq_one(c);
        at_expqf_set_exp(x, c);
        fmpq_set_fmpz_frac(c, p[1], q[1]);
        ck_assert_int_eq(at_expqf_cmp_fmpq(x, c), k % 2 == 0 ? 1 : -1);
    }
    at_expqf_clear(x), at_expqf_clear(y), fmpz_clear(term), fmpq_clear(c);
    for (int k = 0; k < 3; k++)
        fmpz_clear(p[k]), fmpz_clear(q[k]);
}
END_TEST

/* Exponents of all sizes: the sign is decided by the greatest. */
START_TEST(huge_exponents)
{
    at_expqf_t x;
    at_error err = AT_ERROR_INIT;

    at_expqf_init(x);
    ck_assert_int_eq(at_expqf_set_str(x, "e^1000000000000 - 5*e^999999999999", &err), AT_OK);
    ck_assert_int_eq(at_expqf_sgn(x), -1);
    ck_assert_int_eq(at_expqf_set_str(x, "e^(10^40) - 2*e^(10^40 - 1) - e^(-10^40)", &err), AT_OK);
    ck_assert_int_eq(at_expqf_sgn(x), 1);
    ck_assert_int_eq(at_expqf_set_str(x, "e^(1/10^40) - 1", &err), AT_OK);
    ck_assert_int_eq(at_expqf_sgn(x), 1);
    ck_assert_double_eq_tol(at_expqf_get_d(x), 1e-40, 1e-54);
    at_expqf_clear(x);
}
END_TEST

/* ---- Text ---------------------------------------------------------------------------------- */

START_TEST(text_round_trip)
{
    at_expqf_t x, y;
    at_error err = AT_ERROR_INIT;

    at_expqf_init(x), at_expqf_init(y);
    AT_ROUNDS(r, 200) {
        random_expqf(x, &r);
        char *text = at_expqf_get_str(x), *expr = at_expqf_get_expr(x);
        int status = at_expqf_set_str(y, text, &err);
        AT_EXPECT(&r, status == AT_OK && at_expqf_equal(x, y), "%s: %s", text, err.text);
        at_expqf_zero(y);
        status = at_expqf_set_str(y, expr, &err);
        AT_EXPECT(&r, status == AT_OK && at_expqf_equal(x, y), "%s: %s", expr, err.text);
        flint_free(text);
        flint_free(expr);
    }
    at_expqf_clear(x), at_expqf_clear(y);
}
END_TEST

START_TEST(text_values)
{
    static const struct { const char *in, *out; } cases[] = {
        { "7/2", "7/2" }, { "0.5 - 1/2", "0" }, { "-e", "-e" }, { "3*e/2 - 1", "3/2*e - 1" },
        { "(2 + e^(-9/5))/(1 + e^(-9/5))", "(2 + e^(-9/5))/(1 + e^(-9/5))" },
        { "1/(1+e)", "1/(e + 1)" }, { "e/(e+2)", "e/(e + 2)" }, { "e^-2", "e^(-2)" },
        { "(e^2 - 1)/(e + 1)", "e - 1" }, { "exp(1/2)^2", "e" }, { "2^-3", "1/8" },
        { "-2^2", "-4" }, { "2^3^2", "512" }, { "(1+e)*(1-e)+e^2", "1" },
        { "(e^6)/(e^12+e^6+1) * 2", "2*e^6/(e^12 + e^6 + 1)" }, { " ( ( 1 ) ) ", "1" },
    };
    at_expqf_t x;
    at_error err = AT_ERROR_INIT;

    at_expqf_init(x);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ck_assert_msg(at_expqf_set_str(x, cases[k].in, &err) == AT_OK, "%s: %s", cases[k].in,
                      err.text);
        char *text = at_expqf_get_str(x);
        ck_assert_str_eq(text, cases[k].out);
        flint_free(text);
    }
    at_expqf_clear(x);
}
END_TEST

START_TEST(text_errors)
{
    static const char *const bad[] = {
        "", "1 +", "(1", "1)", "2 x", "e^e", "1/0", "1/(e - e)", "0^-1", "2^(1/2)", "(1+e)^(1/2)",
        "exp 2", "ex(1)", "1e5", "2^99999", "(1+e)^9999", ".", "--", "e^", "1 2", "exp(e)", "\"",
    };
    at_expqf_t x;
    char deep[1000];

    at_expqf_init(x);
    at_expqf_set_si(x, 17);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        at_error err = AT_ERROR_INIT;
        ck_assert_msg(at_expqf_set_str(x, bad[k], &err) == AT_INPUT, "accepted: %s", bad[k]);
        ck_assert_msg(strncmp(err.text, "column ", 7) == 0, "%s: %s", bad[k], err.text);
        ck_assert(at_expqf_equal_si(x, 17));
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    ck_assert_int_eq(at_expqf_set_str(x, deep, NULL), AT_INPUT);
    at_expqf_clear(x);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("expq_value");
    TCase *reals = tcase_create("reals");
    TCase *text = tcase_create("text");

    tcase_add_test(reals, enclosures);
    tcase_add_test(reals, close_signs);
    tcase_add_test(reals, huge_exponents);
    tcase_add_test(text, text_round_trip);
    tcase_add_test(text, text_values);
    tcase_add_test(text, text_errors);
    tcase_set_timeout(reals, 60);
    suite_add_tcase(s, reals);
    tcase_set_timeout(text, 60);
    suite_add_tcase(s, text);
    return s;
}

AT_CHECK_MAIN(suite)
