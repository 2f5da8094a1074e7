/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas in z: values and both derivatives against functions written by hand, and errors. */
#include "attest/core/formula.h"
#include "tests/at_check.h"

static double f0(double z) { return log(2 + z); }
static double f1(double z) { return 1 / (2 + z); }
static double f2(double z) { return -1 / ((2 + z) * (2 + z)); }
static double g0(double z) { return sqrt(1 + z) - exp(-z / 2); }
static double g1(double z) { return 0.5 / sqrt(1 + z) + 0.5 * exp(-z / 2); }
static double g2(double z) { return -0.25 * pow(1 + z, -1.5) - 0.25 * exp(-z / 2); }
static double h0(double z) { return 3 - 2 / ((1 + z) * (1 + z)) - 0.25 * z * z; }
static double h1(double z) { return 4 / ((1 + z) * (1 + z) * (1 + z)) - 0.5 * z; }
static double h2(double z) { return -12 / pow(1 + z, 4) - 0.5; }

static const struct {
    const char *text;
    double (*value)(double), (*first)(double), (*second)(double);
} known[] = {
    { "log(2+z)", f0, f1, f2 },
    { "sqrt(1+z) - exp(-z/2)", g0, g1, g2 },
    { "3 - 2/(1+z)^2 - .25*z^2", h0, h1, h2 },
    { " 3+ -2*(1+z)^-2 -2.5e-1 * z*z ", h0, h1, h2 },
};

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-13 * (1 + fabs(b));
}

START_TEST(jets)
{
    AT_ROUNDS(r, 300) {
        double z = fabs(at_test_double(&r)) * 10;
        size_t k = at_test_below(&r, sizeof known / sizeof known[0]);
        at_formula f;
        at_error err = AT_ERROR_INIT;
        ck_assert_int_eq(at_formula_parse(&f, known[k].text, &err), AT_OK);
        at_jet jet = at_formula_eval(&f, z);
        AT_EXPECT(&r, near(jet.value, known[k].value(z)), "%s at %.17g", known[k].text, z);
        AT_EXPECT(&r, near(jet.first, known[k].first(z)), "%s at %.17g", known[k].text, z);
        AT_EXPECT(&r, near(jet.second, known[k].second(z)), "%s at %.17g", known[k].text, z);
        AT_EXPECT(&r, near(at_formula_value(&f, z), jet.value), "%s at %.17g", known[k].text, z);
        at_formula_clear(&f);
    }
}
END_TEST

START_TEST(precedence)
{
    static const struct { const char *text; double at_two; } cases[] = {
        { "-z^2", -4 }, { "(-z)^2", 4 }, { "2-3-4", -5 }, { "8/2/2", 2 }, { "2+3*z", 8 },
        { "z^(-2)", 0.25 }, { "2*-z", -4 }, { "--z", 2 }, { "z^0", 1 }, { "exp(0*z)", 1 },
        { "1e2", 100 }, { "1e-1*z", 0.2 }, { "+z", 2 },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_formula f;
        ck_assert_int_eq(at_formula_parse(&f, cases[k].text, NULL), AT_OK);
        ck_assert_double_eq_tol(at_formula_eval(&f, 2).value, cases[k].at_two, 1e-14);
        ck_assert_double_eq_tol(at_formula_value(&f, 2), cases[k].at_two, 1e-14);
        at_formula_clear(&f);
    }
}
END_TEST

START_TEST(errors)
{
    static const struct { const char *text; const char *part; } cases[] = {
        { "", "column 1" }, { "z+", "column 3" }, { "(z", "expected )" }, { "foo(z)", "names are" },
        { "z^0.5", "whole number" }, { "z^z", "whole exponent" }, { "2z", "column 2" },
        { "1..2", "number" }, { "exp z", "expected (" }, { "z)", "column 2" }, { "z^99", "64" },
        { "x", "names are" }, { "1e999", "number" }, { "z^2^2", "one whole" },
    };
    char deep[600];

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_formula f;
        at_error err = AT_ERROR_INIT;
        ck_assert_int_eq(at_formula_parse(&f, cases[k].text, &err), AT_USAGE);
        ck_assert_msg(strstr(err.text, cases[k].part) != NULL, "'%s': %s", cases[k].text, err.text);
        ck_assert_ptr_null(f.code);
    }
    at_formula f;
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    ck_assert_int_eq(at_formula_parse(&f, deep, NULL), AT_USAGE);
    memset(deep, '-', sizeof deep - 1);
    ck_assert_int_eq(at_formula_parse(&f, deep, NULL), AT_USAGE);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("formula");
    TCase *c = tcase_create("core");

    tcase_add_test(c, jets);
    tcase_add_test(c, precedence);
    tcase_add_test(c, errors);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
