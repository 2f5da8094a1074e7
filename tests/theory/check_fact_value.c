/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digits of certificate expressions: known values, malformed ones, and agreement with ℚ(e^ℚ). */
#include "tests/at_check.h"
#include "attest/theory/expq/expq.h"
#include "attest/theory/claim/fact_value.h"

static void expect(const char *expression, const char *digits)
{
    char *text = at_fact_decimal(expression);
    if (digits == NULL) {
        ck_assert_msg(text == NULL, "%s gives %s", expression, text == NULL ? "" : text);
    } else {
        ck_assert_msg(text != NULL, "%s gives nothing", expression);
        ck_assert_str_eq(text, digits);
    }
    flint_free(text);
}

START_TEST(known_values)
{
    expect("0", "0");
    expect("1 - 1", "0");
    expect("1", "10000000000000000000000000000000000000000000000000e-49");
    expect("-1/3", "-33333333333333333333333333333333333333333333333333e-50");
    expect("2/3", "66666666666666666666666666666666666666666666666667e-50");
    expect("e", "27182818284590452353602874713526624977572470937000e-49");
    expect("e^(-1/2)", "60653065971263342360379953499118045344191813548719e-50");
    expect("sqrt(2)*sqrt(2)", "20000000000000000000000000000000000000000000000000e-49");
    expect("sqrt(2)*sqrt(2) - 2", NULL);    /* balls cannot tell it from 0 */
    expect("sqrt(2)", "14142135623730950488016887242096980785696718753769e-49");
    expect("log(4)/2 - log(2) + 10^60", "10000000000000000000000000000000000000000000000000e11");
    expect("sqrt(1) + 5*10^(-50)", NULL);   /* half-way, in balls */
    expect("2^10*1.5", "15360000000000000000000000000000000000000000000000e-46");
    expect("-2^2", "-40000000000000000000000000000000000000000000000000e-49");
    expect("exp(-200)", "13838965267367375306486814569790846854030475823395e-136");
}
END_TEST

START_TEST(malformed_expressions)
{
    static const char *const texts[] = { "", "1 +", "(1", "1)", "x", "2^(1/2)", "1..2", "exp 2",
                                         "sin(1)", "1/0", "log(0)", "log(-1)", "sqrt(-1)", "2 3" };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        expect(texts[k], NULL);
}
END_TEST

/* The same text through the exact parser of ℚ(e^ℚ). */
START_TEST(agrees_with_the_exact_field)
{
    AT_ROUNDS(r, 100) {
        char text[128];
        at_expqf_t x;
        arb_t y, z;
        snprintf(text, sizeof text, "(%ld/%ld + %ld*e^(%ld/%ld))/(1 + 2*exp(%ld)) - %ld^2",
                 at_test_between(&r, -9, 9), at_test_between(&r, 1, 9),
                 at_test_between(&r, -9, 9), at_test_between(&r, -9, 9),
                 at_test_between(&r, 1, 9), at_test_between(&r, -5, 5),
                 at_test_between(&r, 0, 9));
        at_expqf_init(x);
        arb_init(y);
        arb_init(z);
        AT_EXPECT(&r, at_expqf_set_str(x, text, NULL) == AT_OK, "%s", text);
        at_expqf_get_arb(y, x, 128);
        AT_EXPECT(&r, at_fact_eval(z, text, 192) && arb_overlaps(y, z), "%s", text);
        at_expqf_clear(x);
        arb_clear(y);
        arb_clear(z);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("fact_value");
    TCase *tc = tcase_create("fact_value");
    tcase_add_test(tc, known_values);
    tcase_add_test(tc, malformed_expressions);
    tcase_add_test(tc, agrees_with_the_exact_field);
    suite_add_tcase(s, tc);
    return s;
}

AT_CHECK_MAIN(suite)
