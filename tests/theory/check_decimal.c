/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal text: rounded outward, close, and read back; rationals from text. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "tests/at_check.h"
#include "attest/theory/flint/decimal.h"

/* The exact value of "[-]digits[.digits][e[-]digits]". */
static void read_decimal(fmpq_t x, const char *text)
{
    char mantissa[512];
    const char *e = strchr(text, 'e');
    size_t length = e != NULL ? (size_t) (e - text) : strlen(text);
    long exponent = e != NULL ? strtol(e + 1, NULL, 10) : 0;
    fmpz_t power;

    ck_assert_uint_lt(length, sizeof mantissa);
    memcpy(mantissa, text, length);
    mantissa[length] = '\0';
    ck_assert_msg(at_fmpq_set_text(x, mantissa) == 0, "'%s' is no decimal number", text);
    fmpz_init_set_ui(power, 10);
    fmpz_pow_ui(power, power, (ulong) labs(exponent));
    if (exponent < 0)
        fmpq_div_fmpz(x, x, power);
    else
        fmpq_mul_fmpz(x, x, power);
    fmpz_clear(power);
}

static void random_rational(fmpq_t x, at_test_random *r)
{
    fmpz_t scale;

    fmpz_set_si(fmpq_numref(x), at_test_integer(r, 40));
    fmpz_set_si(fmpq_denref(x), 1 + labs(at_test_integer(r, 30)));
    fmpq_canonicalise(x);
    fmpz_init_set_ui(scale, 10);
    fmpz_pow_ui(scale, scale, at_test_below(r, 60));
    if (at_test_below(r, 3) == 0)
        fmpq_mul_fmpz(x, x, scale);
    else if (at_test_below(r, 2) == 0)
        fmpq_div_fmpz(x, x, scale);
    fmpz_clear(scale);
}

START_TEST(outward_and_close)
{
    AT_ROUNDS(r, 1000) {
        fmpq_t x, low, high, gap;
        slong digits = 1 + (slong) at_test_below(&r, 25);
        char *down, *up;

        fmpq_init(x);
        fmpq_init(low);
        fmpq_init(high);
        fmpq_init(gap);
        random_rational(x, &r);
        down = at_fmpq_get_decimal(x, digits, 0);
        up = at_fmpq_get_decimal(x, digits, 1);
        ck_assert(down != NULL && up != NULL);
        read_decimal(low, down);
        read_decimal(high, up);
        AT_EXPECT(&r, fmpq_cmp(low, x) <= 0 && fmpq_cmp(x, high) <= 0, "%s ... %s", down, up);
        /* (high - low) 10^(digits-2) <= |x| */
        fmpq_sub(gap, high, low);
        for (slong k = 0; k < digits - 2; k++)
            fmpq_mul_ui(gap, gap, 10);
        fmpq_abs(x, x);
        AT_EXPECT(&r, digits < 3 || fmpq_cmp(gap, x) <= 0, "%ld digits: %s ... %s", (long) digits,
                  down, up);
        free(down);
        free(up);
        fmpq_clear(x);
        fmpq_clear(low);
        fmpq_clear(high);
        fmpq_clear(gap);
    }
    flint_cleanup();
}
END_TEST

START_TEST(known_texts)
{
    static const struct { const char *x; slong digits; int up; const char *text; } cases[] = {
        {"0", 5, 0, "0"}, {"1/2", 5, 0, "0.5"}, {"-1/2", 5, 1, "-0.5"}, {"1/3", 4, 0, "0.3333"},
        {"1/3", 4, 1, "0.3334"}, {"-1/3", 4, 0, "-0.3334"}, {"-1/3", 4, 1, "-0.3333"},
        {"12", 5, 0, "12"}, {"1000000", 3, 0, "1000000"}, {"7/2", 20, 0, "3.5"},
        {"1/1000", 3, 1, "0.001"}, {"1/8192000000000", 4, 0, "1.22e-13"}, {"999999/1000", 3, 1, "1000"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fmpq_t x;
        char *text;

        fmpq_init(x);
        ck_assert_int_eq(at_fmpq_set_text(x, cases[k].x), 0);
        text = at_fmpq_get_decimal(x, cases[k].digits, cases[k].up);
        ck_assert_str_eq(text, cases[k].text);
        free(text);
        fmpq_clear(x);
    }
    flint_cleanup();
}
END_TEST

/* The text's interval holds the ball; a ball without ends has no text. */
START_TEST(balls)
{
    arb_t x, end;

    arb_init(x);
    arb_init(end);
    AT_ROUNDS(r, 300) {
        fmpq_t low, high, point;
        char *down, *up;

        fmpq_init(low);
        fmpq_init(high);
        fmpq_init(point);
        random_rational(point, &r);
        arb_set_fmpq(x, point, 2 + (slong) at_test_below(&r, 120));
        arb_add_error_2exp_si(x, at_test_between(&r, -90, 10));
        down = at_arb_get_decimal(x, 12, 0);
        up = at_arb_get_decimal(x, 12, 1);
        ck_assert(down != NULL && up != NULL);
        read_decimal(low, down);
        read_decimal(high, up);
        arb_set_fmpq(end, low, 500);
        arb_sub(end, end, x, 500);
        AT_EXPECT(&r, arb_is_nonpositive(end) || arb_contains_zero(end), "%s", down);
        AT_EXPECT(&r, fmpq_cmp(low, point) <= 0 && fmpq_cmp(point, high) <= 0, "%s ... %s", down, up);
        free(down);
        free(up);
        fmpq_clear(low);
        fmpq_clear(high);
        fmpq_clear(point);
    }
    arb_indeterminate(x);
    ck_assert_ptr_null(at_arb_get_decimal(x, 12, 0));
    arb_zero_pm_inf(x);
    ck_assert_ptr_null(at_arb_get_decimal(x, 12, 1));
    arb_clear(x);
    arb_clear(end);
    flint_cleanup();
}
END_TEST

START_TEST(rationals_from_text)
{
    static const char *const good[][2] = {{"3", "3"}, {"-1/2", "-1/2"}, {"+6/4", "3/2"},
        {"0.25", "1/4"}, {"-.5", "-1/2"}, {"5.", "5"}, {"007", "7"}, {"-0", "0"}, {"10/5", "2"}};
    static const char *const bad[] = {"", "-", "+", ".", "1/", "/2", "1/0", "1/00", "1.5/2", "1/2.5",
        "1e5", " 1", "1 ", "--1", "0x10", "1/-2", "1.2.3", "nan", "inf"};
    fmpq_t x, expected;

    fmpq_init(x);
    fmpq_init(expected);
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        ck_assert_msg(at_fmpq_set_text(x, good[k][0]) == 0, "'%s'", good[k][0]);
        ck_assert_int_eq(fmpq_set_str(expected, good[k][1], 10), 0);
        ck_assert_msg(fmpq_equal(x, expected) && fmpq_is_canonical(x), "'%s'", good[k][0]);
    }
    fmpq_set_si(x, 22, 7);
    fmpq_set(expected, x);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_msg(at_fmpq_set_text(x, bad[k]) == -1 && fmpq_equal(x, expected), "'%s'", bad[k]);
    fmpq_clear(x);
    fmpq_clear(expected);
    flint_cleanup();
}
END_TEST

static Suite *decimal_suite(void)
{
    Suite *suite = suite_create("decimal");
    TCase *tcase = tcase_create("decimal");

    tcase_add_test(tcase, outward_and_close);
    tcase_add_test(tcase, known_texts);
    tcase_add_test(tcase, balls);
    tcase_add_test(tcase, rationals_from_text);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(decimal_suite)
