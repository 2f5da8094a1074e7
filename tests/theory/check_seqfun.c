/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequence functions: values, messages, limits; exact against double on random formulas. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/core/seqfun.h"
#include "attest/core/seqfun_impl.h"
#include "tests/at_check.h"
#include "attest/theory/floor/seqfun_exact.h"

typedef struct { const char *formula; double y[4]; } value;

/* n = 4, x = (1/2, 2, -3, 5). */
static const value values[] = {
    {"position", {.5, 4, -9, 20}},
    {"shift", {0, .5, 2, -3}},
    {"prefix-sum", {.5, 2.5, -.5, 4.5}},
    {"running-mean", {.5, 1.25, -.5 / 3, 1.125}},
    {"reversal", {5, -3, 2, .5}},
    {"etp", {2, 5, 0, 0}},
    {" position ", {.5, 4, -9, 20}},
    {"i*x[1] + x[2*i]^2/3", {.5 + 4 / 3., 1 + 25 / 3., 1.5, 2}},
    {"-x[1]^2", {-.25, -.25, -.25, -.25}},
    {"(-x[1])^2", {.25, .25, .25, .25}},
    {"2*-3 - -1", {-5, -5, -5, -5}},
    {"2**3", {8, 8, 8, 8}},
    {"1/2/2", {.25, .25, .25, .25}},
    {"1-2-3", {-4, -4, -4, -4}},
    {"0.50 + .25 + 1.", {1.75, 1.75, 1.75, 1.75}},
    {"x[0] + x[5] + x[-9]", {0, 0, 0, 0}},
    {"x[n]", {5, 5, 5, 5}},
    {"x[2*i/2]", {.5, 2, -3, 5}},
    {"x[(i-2)^2]", {.5, 0, .5, 5}},
    {"x[i*i - (i-1)*(i+1)]", {.5, .5, .5, .5}},
    {"sum(2, 3)", {-1, -1, -1, -1}},
    {"sum(3, 2)", {0, 0, 0, 0}},
    {"sum(-100, 100*n)", {4.5, 4.5, 4.5, 4.5}},
    {"half(i, -x[i])", {1, 2, 3, -5}},
    {"x[i]^0", {1, 1, 1, 1}},
    {"x[10^18 - 10^18 + i]", {.5, 2, -3, 5}},
};

START_TEST(known_values)
{
    const value *v = &values[_i];
    const double x[4] = {.5, 2, -3, 5};
    at_error err = AT_ERROR_INIT;
    at_seqfun fun;
    double y[4];

    ck_assert_msg(at_seqfun_parse(&fun, v->formula, &err) == AT_OK, "%s: %s", v->formula, err.text);
    ck_assert_str_eq(fun.source, v->formula);
    ck_assert_msg(at_seqfun_eval(y, &fun, x, 4, &err) == AT_OK, "%s: %s", v->formula, err.text);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(fabs(y[i] - v->y[i]) <= 1e-15 * (1 + fabs(y[i])), "%s: output %d is %.17g",
                      v->formula, i + 1, y[i]);
    at_seqfun_clear(&fun);
}
END_TEST

typedef struct { const char *formula, *words; } mistake;

static const mistake mistakes[] = {
    {"", "ends"}, {"  ", "ends"}, {"1+", "column 3"}, {"2x[1]", "written with *"},
    {"x", "expected ["}, {"x[", "ends"}, {"x[1", "expected ]"}, {"x[]", "column 3"},
    {"(1", "expected )"}, {"1)", "without its ("}, {"1]", "without its ["},
    {"y + 1", "unknown name 'y'"}, {"positon", "did you mean 'position'"},
    {"prefix-sums", "did you mean 'prefix-sum'"}, {"haf(1,2)", "did you mean 'half'"},
    {"x[1]/x[2]", "divisor"}, {"1/(x[1]-x[1])", "divisor"}, {"x[x[1]]", "no x"},
    {"x[sum(1,2)]", "no sum"}, {"x[half(1,2)]", "no half"}, {"x[1]^-1", "without a sign"},
    {"x[1]^i", "whole number"}, {"x[1]^2.5", "whole number"}, {"x[1]^65", "passes 64"},
    {"x[1]^99999999999999999999", "passes 64"}, {"2^3^2", "parentheses"},
    {"(x[1]^8)^9", "passes 64"}, {"x[1]^40*x[2]^40", "passes 64"},
    {"((9^64)^64)^64", "million bits"}, {"1..2", "second decimal point"}, {".", "point without"},
    {"1,5", "comma"}, {"1 2", "operator"}, {"x[1] \xe2\x88\x92 1", "ASCII"}, {"\xc3\x97", "ASCII"},
    {"sum(1)", "comma"}, {"sum", "expected ("}, {"half(1,2", "expected )"}, {"1 $", "operator"},
    {"x [1", "expected ]"},
};

/* n = 4: the indices that no output has among its tokens. */
static const struct { const char *formula; int misses; long low, high; } counts[] = {
    {"x[0]", 1, 0, 0}, {"i*x[1] + x[n+i]", 1, 5, 8}, {"x[i-4] + x[1]", 1, -3, 0},
    {"x[10*(i-2)+5]", 1, -5, 25}, {"half(x[i], x[-i])", 1, -4, -1},
    {"x[i-1]", 0, 0, 0}, {"x[2*i]", 0, 0, 0}, {"x[i-3]", 0, 0, 0}, {"i", 0, 0, 0},
    {"etp", 0, 0, 0}, {"shift", 0, 0, 0}, {"x[i/2]", 0, 0, 0},
};

START_TEST(indices_that_miss)
{
    long low = 99, high = 99;
    at_seqfun fun;

    ck_assert_int_eq(at_seqfun_parse(&fun, counts[_i].formula, NULL), AT_OK);
    ck_assert_msg(at_seqfun_misses(&fun, 4, &low, &high) == counts[_i].misses, "%s", counts[_i].formula);
    if (counts[_i].misses)
        ck_assert_msg(low == counts[_i].low && high == counts[_i].high, "%s: %ld to %ld",
                      counts[_i].formula, low, high);
    at_seqfun_clear(&fun);
}
END_TEST

START_TEST(mistakes_are_explained)
{
    at_error err = AT_ERROR_INIT;
    at_seqfun fun;

    ck_assert_int_eq(at_seqfun_parse(&fun, mistakes[_i].formula, &err), AT_USAGE);
    ck_assert_msg(strstr(err.text, mistakes[_i].words) != NULL, "'%s': %s, without '%s'",
                  mistakes[_i].formula, err.text, mistakes[_i].words);
    ck_assert_ptr_null(fun.code);
    ck_assert_ptr_null(fun.source);
}
END_TEST

START_TEST(evaluation_mistakes)
{
    static const char *const formulas[] = {"1/(i-2)", "x[i/2]", "x[(i/2)*2]", "x[0.5]", "sum(1,i/2)",
        "x[1]/(n-4)", "x[1/3*3]"};
    const double x[4] = {1, 1, 1, 1};
    double y[4], big[1] = {1e300};
    at_error err = AT_ERROR_INIT;
    at_seqfun fun;

    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        fmpq *exact = _fmpq_vec_init(4), *ones = _fmpq_vec_init(4);

        ck_assert_int_eq(at_seqfun_parse(&fun, formulas[k], NULL), AT_OK);
        ck_assert_msg(at_seqfun_eval(y, &fun, x, 4, &err) == AT_USAGE, "%s", formulas[k]);
        ck_assert_ptr_nonnull(strstr(err.text, "i = "));
        ck_assert_msg(at_seqfun_eval_fmpq(exact, &fun, ones, 4, NULL) == AT_USAGE, "%s", formulas[k]);
        at_seqfun_clear(&fun);
        _fmpq_vec_clear(exact, 4);
        _fmpq_vec_clear(ones, 4);
    }
    ck_assert_int_eq(at_seqfun_parse(&fun, "x[1]^2", NULL), AT_OK);
    ck_assert_int_eq(at_seqfun_eval(y, &fun, big, 1, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "finite"));
    at_seqfun_clear(&fun);
}
END_TEST

START_TEST(limits)
{
    at_error err = AT_ERROR_INIT;
    at_seqfun fun;
    char text[6000];

    memset(text, '-', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(at_seqfun_parse(&fun, text, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "4096"));
    text[4000] = '\0';
    ck_assert_int_eq(at_seqfun_parse(&fun, text, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "nested"));
    memset(text, '(', 4000);
    ck_assert_int_eq(at_seqfun_parse(&fun, text, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "nested"));
    memset(text, '7', 201);
    text[201] = '\0';
    ck_assert_int_eq(at_seqfun_parse(&fun, text, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "200 digits"));
    text[200] = '\0';
    ck_assert_int_eq(at_seqfun_parse(&fun, text, &err), AT_OK);
    ck_assert_uint_eq(strlen(fun.code[0].text), 200);
    at_seqfun_clear(&fun);
    for (size_t k = 0; k + 2 < 4000; k += 2)
        memcpy(text + k, "1+", 3);
    strcat(text, "1");
    ck_assert_int_eq(at_seqfun_parse(&fun, text, &err), AT_OK);
    ck_assert_uint_eq(fun.stack, 2);
    at_seqfun_clear(&fun);
}
END_TEST

START_TEST(decimals_are_reduced)
{
    AT_ROUNDS(r, 300) {
        char digits[AT_MOST_DIGITS + 1], number[AT_MOST_DIGITS + 2];
        size_t count = 1 + at_test_below(&r, 30), places = at_test_below(&r, count + 1);
        char *text;
        fmpq_t expected, got;
        fmpz_t ten;

        for (size_t k = 0; k < count; k++)
            digits[k] = "0012555789"[at_test_below(&r, 10)];
        digits[count] = '\0';
        strcpy(number, digits);
        text = at_decimal_reduce(digits, places);
        ck_assert_ptr_nonnull(text);
        fmpq_init(expected);
        fmpq_init(got);
        fmpz_init_set_ui(ten, 10);
        fmpz_set_str(fmpq_numref(expected), number, 10);
        fmpz_pow_ui(fmpq_denref(expected), ten, places);
        fmpq_canonicalise(expected);
        ck_assert_int_eq(fmpq_set_str(got, text, 10), 0);
        AT_EXPECT(&r, fmpq_equal(got, expected) && fmpq_is_canonical(got), "%s / 10^%zu: %s", number,
                  places, text);
        free(text);
        fmpq_clear(expected);
        fmpq_clear(got);
        fmpz_clear(ten);
    }
    flint_cleanup();
}
END_TEST

/* A random formula from the whole grammar; index: without x. */
static void grow_formula(char *text, size_t room, unsigned depth, int index, at_test_random *r)
{
    size_t used = strlen(text);
    char *end = text + used;

    if (used + 60 > room)
        depth = 0;
    switch (depth == 0 ? at_test_below(r, index ? 3 : 4) : 4 + at_test_below(r, index ? 4 : 8)) {
    case 0: strcat(end, "i"); break;
    case 1: strcat(end, "n"); break;
    case 2: sprintf(end, "%ld", at_test_between(r, 0, 12)); break;
    case 3: sprintf(end, "x[%ld]", at_test_between(r, 0, 5)); break;
    case 4: case 5: case 6:
        strcat(end, "(");
        grow_formula(text, room, depth - 1, index, r);
        strcat(text, at_test_below(r, 3) == 0 ? "*" : at_test_below(r, 2) ? " + " : "-");
        grow_formula(text, room, depth - 1, index, r);
        strcat(text, ")");
        break;
    case 7:
        strcat(end, "-");
        grow_formula(text, room, depth - 1, index, r);
        break;
    case 8:
        strcat(end, "x[");
        grow_formula(text, room, depth - 1, 1, r);
        strcat(text, "]");
        break;
    case 9:
        strcat(end, "(");
        grow_formula(text, room, depth - 1, 0, r);
        strcat(text, ")^2/(2*i+0.5)");
        break;
    case 10:
        strcat(end, "sum(");
        grow_formula(text, room, depth - 1, 1, r);
        strcat(text, ",");
        grow_formula(text, room, depth - 1, 1, r);
        strcat(text, ")");
        break;
    default:
        strcat(end, "half(");
        grow_formula(text, room, depth - 1, 0, r);
        strcat(text, ",");
        grow_formula(text, room, depth - 1, 0, r);
        strcat(text, ")");
        break;
    }
}

START_TEST(double_agrees_with_exact)
{
    enum { N = 5 };
    unsigned long compared = 0;

    AT_ROUNDS(r, 300) {
        char text[1900] = "";
        at_seqfun fun;
        fmpq *x = _fmpq_vec_init(N), *y = _fmpq_vec_init(N);
        double dx[N], dy[N];

        grow_formula(text, 1300, 1 + (unsigned) at_test_below(&r, 4), 0, &r);
        if (at_seqfun_parse(&fun, text, NULL) == AT_OK) {
            int exact, rounded;

            for (int k = 0; k < N; k++) {
                long p = at_test_between(&r, -8, 8);

                fmpq_set_si(x + k, p, 4);
                dx[k] = (double) p / 4;
            }
            exact = at_seqfun_eval_fmpq(y, &fun, x, N, NULL);
            rounded = at_seqfun_eval(dy, &fun, dx, N, NULL);
            AT_EXPECT(&r, exact == rounded, "%s: %d and %d", text, exact, rounded);
            for (int k = 0; exact == AT_OK && k < N; k++) {
                double value = fmpz_get_d(fmpq_numref(y + k)) / fmpz_get_d(fmpq_denref(y + k));

                /* Cancellation is bounded by the size of the terms: compare loosely. */
                AT_EXPECT(&r, fabs(dy[k] - value) <= 1e-9 * (1 + fabs(value)) || fabs(value) > 1e12,
                          "%s: output %d is %.17g, exactly %.17g", text, k + 1, dy[k], value);
                compared++;
            }
            at_seqfun_clear(&fun);
        }
        _fmpq_vec_clear(x, N);
        _fmpq_vec_clear(y, N);
    }
    ck_assert_uint_gt(compared, 500);
    flint_cleanup();
}
END_TEST

/* f(t, …, t) as a polynomial, evaluated at t, is f at the constant sequence t. */
START_TEST(constants_agree_with_points)
{
    enum { N = 6 };

    AT_ROUNDS(r, 100) {
        char text[1900] = "";
        at_seqfun fun;
        fmpq *x = _fmpq_vec_init(N), *y = _fmpq_vec_init(N);
        fmpq_poly_struct *rows = at_fmpq_poly_vec_init(N);
        fmpq_t value;

        fmpq_init(value);
        grow_formula(text, 1300, 1 + (unsigned) at_test_below(&r, 4), 0, &r);
        if (at_seqfun_parse(&fun, text, NULL) == AT_OK) {
            long p = at_test_between(&r, -8, 8);

            for (int k = 0; k < N; k++)
                fmpq_set_si(x + k, p, 3);
            if (at_seqfun_eval_fmpq(y, &fun, x, N, NULL) == AT_OK) {
                ck_assert_int_eq(at_seqfun_eval_constants(rows, &fun, N, NULL), AT_OK);
                for (int k = 0; k < N; k++) {
                    fmpq_poly_evaluate_fmpq(value, rows + k, x);
                    AT_EXPECT(&r, fmpq_equal(value, y + k), "%s: output %d at %ld/3", text, k + 1, p);
                    AT_EXPECT(&r, fmpq_poly_degree(rows + k) <= (slong) fun.degree, "%s", text);
                }
            }
            at_seqfun_clear(&fun);
        }
        fmpq_clear(value);
        _fmpq_vec_clear(x, N);
        _fmpq_vec_clear(y, N);
        at_fmpq_poly_vec_clear(rows, N);
    }
    flint_cleanup();
}
END_TEST

static Suite *seqfun_suite(void)
{
    Suite *suite = suite_create("seqfun");
    TCase *tcase = tcase_create("seqfun");

    tcase_add_loop_test(tcase, known_values, 0, sizeof values / sizeof *values);
    tcase_add_loop_test(tcase, indices_that_miss, 0, sizeof counts / sizeof *counts);
    tcase_add_loop_test(tcase, mistakes_are_explained, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_test(tcase, evaluation_mistakes);
    tcase_add_test(tcase, limits);
    tcase_add_test(tcase, decimals_are_reduced);
    tcase_add_test(tcase, double_agrees_with_exact);
    tcase_add_test(tcase, constants_agree_with_points);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(seqfun_suite)
