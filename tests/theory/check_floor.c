/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floors: known values, and random functions against a dense numeric search in double. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "tests/at_check.h"
#include "attest/theory/floor/floor.h"
#include "attest/theory/floor/seqfun_exact.h"

static void set_rational(fmpq_t x, const char *text)
{
    ck_assert_int_eq(fmpq_set_str(x, text, 10), 0);
    fmpq_canonicalise(x);
}

static void compute(at_floor_t floor, enum at_floor_class class, size_t n, const char *function,
                    const char *low, const char *high)
{
    at_error err = AT_ERROR_INIT;
    at_seqfun fun;
    fmpq_t a, b;

    fmpq_init(a);
    fmpq_init(b);
    set_rational(a, low);
    set_rational(b, high);
    ck_assert_msg(at_seqfun_parse(&fun, function, &err) == AT_OK, "%s: %s", function, err.text);
    ck_assert_msg(at_floor_compute(floor, class, &fun, n, a, b, &err) == AT_OK, "%s: %s", function,
                  err.text);
    at_seqfun_clear(&fun);
    fmpq_clear(a);
    fmpq_clear(b);
}

static void expect_value(const qqbar_t x, const char *value, const char *what)
{
    fmpq_t expected, got;

    fmpq_init(expected);
    fmpq_init(got);
    set_rational(expected, value);
    ck_assert_msg(qqbar_is_rational(x), "%s: irrational, expected %s", what, value);
    qqbar_get_fmpq(got, x);
    ck_assert_msg(fmpq_equal(expected, got), "%s: not %s", what, value);
    fmpq_clear(expected);
    fmpq_clear(got);
}

typedef struct {
    enum at_floor_class class;
    size_t n;
    const char *function, *low, *high, *floor;
} known;

/* Position identification: (n-1)/2.  The symmetric and the equivariant values for shift, reversal
 * and prefix-sum come from the definition by hand: see the comments. */
static const known values[] = {
    {AT_FLOOR_COLLAPSING, 8, "i*x[1]", "0", "1", "7/2"},
    {AT_FLOOR_COLLAPSING, 8, "position", "0", "1", "7/2"},
    {AT_FLOOR_COLLAPSING, 8, "prefix-sum", "-2", "1", "7"},
    {AT_FLOOR_COLLAPSING, 8, "shift", "0", "1", "1/2"},
    {AT_FLOOR_COLLAPSING, 9, "etp", "0", "3", "3/2"},
    {AT_FLOOR_COLLAPSING, 1, "i*x[1]", "0", "1", "0"},
    {AT_FLOOR_COLLAPSING, 8, "reversal", "0", "1", "0"},
    {AT_FLOOR_COLLAPSING, 8, "running-mean", "0", "1", "0"},
    {AT_FLOOR_COLLAPSING, 4, "i*x[1]*(1-x[1])", "0", "1", "3/8"},
    {AT_FLOOR_COLLAPSING, 4, "i*x[1]", "1/3", "1/3", "1/2"},
    {AT_FLOOR_COLLAPSING, 7, "i", "0", "1", "3"},
    {AT_FLOOR_SYMMETRIC, 7, "i", "0", "1", "3"},
    {AT_FLOOR_SYMMETRIC, 7, "reversal", "0", "1", "0"},
    /* x[i-1] - x[i+1], both zero outside: 1 - 0 inside, half of it. */
    {AT_FLOOR_SYMMETRIC, 5, "shift", "0", "1", "1/2"},
    {AT_FLOOR_SYMMETRIC, 5, "shift", "-1", "1", "1"},
    /* Row n: the sum of all; row 1 of JX: x[n].  x_1 + ... + x_{n-1} = n - 1 at ones. */
    {AT_FLOOR_SYMMETRIC, 5, "prefix-sum", "0", "1", "2"},
    {AT_FLOOR_EQUIVARIANT, 7, "i", "0", "1", "3"},
    {AT_FLOOR_EQUIVARIANT, 7, "x[i]^2", "0", "1", "0"},
    {AT_FLOOR_EQUIVARIANT, 7, "sum(1,n)", "0", "1", "0"},
    {AT_FLOOR_EQUIVARIANT, 5, "reversal", "-1", "1", "1"},
    {AT_FLOOR_EQUIVARIANT, 5, "prefix-sum", "0", "1", "2"},
};

START_TEST(known_values)
{
    const known *v = &values[_i];
    at_floor_t floor;

    at_floor_init(floor);
    compute(floor, v->class, v->n, v->function, v->low, v->high);
    expect_value(floor->value, v->floor, v->function);
    ck_assert_int_eq(floor->has_floor, strcmp(v->floor, "0") != 0);
    at_floor_clear(floor);
    flint_cleanup();
}
END_TEST

/* 2 sqrt(3)/9 at 1/sqrt(3). */
START_TEST(irrational_floor)
{
    at_floor_t floor;
    fmpz_poly_t expected;

    at_floor_init(floor);
    fmpz_poly_init(expected);
    compute(floor, AT_FLOOR_COLLAPSING, 3, "i*x[1] - i*x[1]^3", "0", "1");
    fmpz_poly_set_coeff_si(expected, 0, -4);
    fmpz_poly_set_coeff_si(expected, 2, 27);
    ck_assert(fmpz_poly_equal(QQBAR_POLY(floor->value), expected));
    fmpz_poly_set_coeff_si(expected, 0, -1);
    fmpz_poly_set_coeff_si(expected, 2, 3);
    ck_assert(fmpz_poly_equal(QQBAR_POLY(floor->constant), expected));
    ck_assert_int_gt(qqbar_sgn_re(floor->constant), 0);
    ck_assert_double_eq_tol(at_qqbar_lower_double(floor->value), 2 * sqrt(3) / 9, 1e-15);
    ck_assert_int_eq(floor->top, 2);
    ck_assert_int_eq(floor->bottom, 0);
    expect_value(floor->mse->value, "8/81", "mse");
    fmpz_poly_clear(expected);
    at_floor_clear(floor);
    flint_cleanup();
}
END_TEST

/* Two constants attain the same value exactly: balls alone could not tell. */
START_TEST(ties_prefer_the_simpler_constant)
{
    at_floor_t floor;

    at_floor_init(floor);
    compute(floor, AT_FLOOR_COLLAPSING, 2, "i*x[1]*(x[1]^2-3)", "-2", "2");
    expect_value(floor->value, "1", "floor");      /* |t^3 - 3t| = 2 at -2, -1, 1, 2 */
    expect_value(floor->constant, "1", "constant");
    compute(floor, AT_FLOOR_COLLAPSING, 2, "i*(x[1]^2-2)^2", "-3/2", "7/4");
    expect_value(floor->value, "2", "floor");
    expect_value(floor->constant, "0", "constant");
    /* Two irrational maxima of one value beside a lower rational one. */
    compute(floor, AT_FLOOR_COLLAPSING, 2, "i*(4*x[1]^2 - x[1]^4)", "-2", "2");
    expect_value(floor->value, "2", "floor");
    ck_assert_int_eq(qqbar_degree(floor->constant), 2);
    at_floor_clear(floor);
    flint_cleanup();
}
END_TEST

/* Losses of the two tasks, theory.md: log n, 1/n; entropy and largest share of ETP's halves. */
START_TEST(label_losses)
{
    at_floor_t floor;
    double entropy;

    at_floor_init(floor);
    compute(floor, AT_FLOOR_COLLAPSING, 32, "i", "0", "1");
    ck_assert_double_eq_tol(arf_get_d(arb_midref(floor->cross_entropy), ARF_RND_NEAR), log(32.0),
                            1e-14);
    ck_assert_int_eq(fmpq_cmp_ui(floor->accuracy, 1), -1);
    ck_assert(fmpz_equal_si(fmpq_denref(floor->accuracy), 32));
    expect_value(floor->mse->value, "341/4", "mse of PI, (n^2-1)/12");
    compute(floor, AT_FLOOR_COLLAPSING, 5, "etp", "0", "1");
    entropy = -(0.4 * log(0.4) + 0.6 * log(0.6));
    ck_assert_double_eq_tol(arf_get_d(arb_midref(floor->cross_entropy), ARF_RND_NEAR), entropy,
                            1e-14);
    ck_assert_double_eq_tol(entropy, .673012, 1e-6);
    ck_assert(fmpz_equal_si(fmpq_numref(floor->accuracy), 3));
    ck_assert(fmpz_equal_si(fmpq_denref(floor->accuracy), 5));
    compute(floor, AT_FLOOR_SYMMETRIC, 7, "i", "0", "1");
    expect_value(floor->mse->value, "4", "mse of PI under the reversal, (n^2-1)/12");
    ck_assert(fmpz_equal_si(fmpq_numref(floor->accuracy), 4));
    at_floor_clear(floor);
    flint_cleanup();
}
END_TEST

/* A random polynomial formula of moderate size. */
static void random_formula(char *text, size_t room, at_test_random *r)
{
    size_t used = 0;
    unsigned terms = 1 + (unsigned) at_test_below(r, 4);

    text[0] = '\0';
    for (unsigned k = 0; k < terms && used + 80 < room; k++) {
        static const char *const factors[] = {"i", "(n-i)", "i^2", "1", "(i-2)^3", "half(1,-1)"};
        static const char *const inputs[] = {"x[1]", "x[i]", "x[i-1]", "x[2*i]", "sum(1,i)/n"};
        const char *factor = factors[at_test_below(r, 6)], *input = inputs[at_test_below(r, 5)];
        long p = at_test_between(r, -9, 9), q = at_test_between(r, 1, 9);
        unsigned power = (unsigned) at_test_below(r, 7);

        used += (size_t) snprintf(text + used, room - used, "%s(%ld)/%ld*%s*%s^%u",
                                  k > 0 ? " + " : "", p, q, factor, input, power);
    }
}

/* ½ max over the grid of max - min in double. */
static double grid_floor(const at_seqfun *fun, size_t n, double low, double high, double *mse)
{
    enum { STEPS = 2000 };
    double x[16], y[16], best = 0;

    *mse = 0;
    for (int k = 0; k <= STEPS; k++) {
        double t = low + (high - low) * k / STEPS, top = -INFINITY, bottom = INFINITY;
        double sum = 0, squares = 0;

        for (size_t j = 0; j < n; j++)
            x[j] = t;
        ck_assert_int_eq(at_seqfun_eval(y, fun, x, n, NULL), AT_OK);
        for (size_t j = 0; j < n; j++) {
            top = fmax(top, y[j]);
            bottom = fmin(bottom, y[j]);
            sum += y[j] / (double) n;
        }
        for (size_t j = 0; j < n; j++)
            squares += (y[j] - sum) * (y[j] - sum) / (double) n;
        best = fmax(best, (top - bottom) / 2);
        *mse = fmax(*mse, squares);
    }
    return best;
}

START_TEST(agrees_with_a_dense_search)
{
    at_floor_t floor;

    AT_ROUNDS(r, 60) {
        char formula[512], low[32], high[32];
        size_t n = (size_t) at_test_between(&r, 1, 12);
        long a = at_test_between(&r, -4, 2), b = a + at_test_between(&r, 1, 4);
        double search, mse, exact, exact_mse;
        at_seqfun fun;

        random_formula(formula, sizeof formula, &r);
        snprintf(low, sizeof low, "%ld/2", a);
        snprintf(high, sizeof high, "%ld/2", b);
        at_floor_init(floor);
        compute(floor, AT_FLOOR_COLLAPSING, n, formula, low, high);
        ck_assert_int_eq(at_seqfun_parse(&fun, formula, NULL), AT_OK);
        search = grid_floor(&fun, n, (double) a / 2, (double) b / 2, &mse);
        exact = at_qqbar_lower_double(floor->value);
        exact_mse = arf_get_d(arb_midref(floor->mse->ball), ARF_RND_NEAR);
        AT_EXPECT(&r, search <= exact * (1 + 1e-11) + 1e-12, "n=%zu [%s,%s] %s: found %.17g > %.17g",
                  n, low, high, formula, search, exact);
        AT_EXPECT(&r, exact <= search * 1.001 + 1e-9, "n=%zu [%s,%s] %s: found %.17g, floor %.17g",
                  n, low, high, formula, search, exact);
        AT_EXPECT(&r, mse <= exact_mse * (1 + 1e-11) + 1e-12 && exact_mse <= mse * 1.002 + 1e-9,
                  "n=%zu [%s,%s] %s: mse found %.17g, floor %.17g", n, low, high, formula, mse,
                  exact_mse);
        at_seqfun_clear(&fun);
        at_floor_clear(floor);
    }
    flint_cleanup();
}
END_TEST

/* The value is what the two rows give at the constant, evaluated again in balls. */
START_TEST(witness_attains_the_floor)
{
    at_floor_t floor;

    AT_ROUNDS(r, 30) {
        char formula[512];
        arb_t t, top, bottom, value;
        arb_poly_t f;

        random_formula(formula, sizeof formula, &r);
        at_floor_init(floor);
        arb_init(t);
        arb_init(top);
        arb_init(bottom);
        arb_init(value);
        arb_poly_init(f);
        compute(floor, AT_FLOOR_COLLAPSING, (size_t) at_test_between(&r, 2, 9), formula, "-1/3", "1");
        qqbar_get_arb(t, floor->constant, 200);
        arb_poly_set_fmpq_poly(f, floor->rows + floor->top, 200);
        arb_poly_evaluate(top, f, t, 200);
        arb_poly_set_fmpq_poly(f, floor->rows + floor->bottom, 200);
        arb_poly_evaluate(bottom, f, t, 200);
        arb_sub(top, top, bottom, 200);
        arb_mul_2exp_si(top, top, -1);
        qqbar_get_arb(value, floor->value, 200);
        AT_EXPECT(&r, arb_overlaps(top, value) && mag_cmp_2exp_si(arb_radref(top), -80) < 0, "%s",
                  formula);
        arb_clear(t);
        arb_clear(top);
        arb_clear(bottom);
        arb_clear(value);
        arb_poly_clear(f);
        at_floor_clear(floor);
    }
    flint_cleanup();
}
END_TEST

/* f_i(X) - f_s(i)(PX) over random vertices X and permutations never passes twice the floor. */
START_TEST(symmetric_floors_against_a_search)
{
    static const char *const functions[] = {"position", "shift", "prefix-sum", "reversal",
        "x[1] - i*x[n]", "i*x[2] + x[i+1]/2 - 1/3", "half(x[2*i], i)"};
    at_floor_t floor;
    fmpq_t twice, gap;

    fmpq_init(twice);
    fmpq_init(gap);
    AT_ROUNDS(r, 14) {
        const char *function = functions[r.round % 7];
        enum at_floor_class class = r.round < 7 ? AT_FLOOR_SYMMETRIC : AT_FLOOR_EQUIVARIANT;
        slong n = 2 + (slong) at_test_below(&r, 3), s[4];
        fmpq *x = _fmpq_vec_init(n), *px = _fmpq_vec_init(n), *y = _fmpq_vec_init(n);
        fmpq *py = _fmpq_vec_init(n);
        int reached = 0;
        at_seqfun fun;

        at_floor_init(floor);
        compute(floor, class, (size_t) n, function, "-1", "1");
        qqbar_mul_2exp_si(floor->value, floor->value, 1);
        ck_assert(qqbar_is_rational(floor->value));
        qqbar_get_fmpq(twice, floor->value);
        ck_assert_int_eq(at_seqfun_parse(&fun, function, NULL), AT_OK);
        for (int trial = 0; trial < 1500; trial++) {
            for (slong j = 0; j < n; j++) {
                fmpq_set_si(x + j, (at_test_bits(&r) & 1) ? 1 : -1, 1);
                s[j] = class == AT_FLOOR_SYMMETRIC ? n - 1 - j : j;
            }
            for (slong j = n - 1; class == AT_FLOOR_EQUIVARIANT && j > 0; j--) {
                slong k = (slong) at_test_below(&r, (unsigned long) j + 1), kept = s[j];

                s[j] = s[k];
                s[k] = kept;
            }
            for (slong j = 0; j < n; j++)
                fmpq_set(px + s[j], x + j);
            ck_assert_int_eq(at_seqfun_eval_fmpq(y, &fun, x, (size_t) n, NULL), AT_OK);
            ck_assert_int_eq(at_seqfun_eval_fmpq(py, &fun, px, (size_t) n, NULL), AT_OK);
            for (slong i = 0; i < n; i++) {
                fmpq_sub(gap, y + i, py + s[i]);
                AT_EXPECT(&r, fmpq_cmp(gap, twice) <= 0, "%s n=%ld class %d: a larger gap", function,
                          (long) n, class);
                reached |= fmpq_equal(gap, twice);
            }
        }
        AT_EXPECT(&r, reached, "%s n=%ld class %d: never reached", function, (long) n, class);
        at_seqfun_clear(&fun);
        at_floor_clear(floor);
        _fmpq_vec_clear(x, n);
        _fmpq_vec_clear(px, n);
        _fmpq_vec_clear(y, n);
        _fmpq_vec_clear(py, n);
    }
    fmpq_clear(twice);
    fmpq_clear(gap);
    flint_cleanup();
}
END_TEST

/* Many rows and high degrees: within the suite's time limit. */
START_TEST(large_sizes_end)
{
    at_floor_t floor;

    at_floor_init(floor);
    compute(floor, AT_FLOOR_COLLAPSING, 512, "i*x[1]-i*x[1]^3", "0", "1");
    ck_assert_int_eq(qqbar_degree(floor->value), 2);
    compute(floor, AT_FLOOR_COLLAPSING, 64, "i*x[i]^64 + x[i]^3/7 - x[i]^63*i*(n-i)", "-1", "3/2");
    ck_assert(floor->has_floor);
    compute(floor, AT_FLOOR_COLLAPSING, 16, "(x[1]-1/2)^64*i - i^2*x[i]^30", "0", "1");
    ck_assert(floor->has_floor);
    at_floor_clear(floor);
    flint_cleanup();
}
END_TEST

START_TEST(wrong_requests)
{
    at_error err = AT_ERROR_INIT;
    at_floor_t floor;
    at_seqfun fun;
    fmpq_t a, b;

    at_floor_init(floor);
    fmpq_init(a);
    fmpq_init(b);
    fmpq_one(a);
    ck_assert_int_eq(at_seqfun_parse(&fun, "x[1]/(i-3)", NULL), AT_OK);
    ck_assert_int_eq(at_floor_collapsing(floor, &fun, 2, a, b, &err), AT_USAGE);
    ck_assert_int_eq(at_floor_collapsing(floor, &fun, 0, b, a, &err), AT_USAGE);
    ck_assert_int_eq(at_floor_collapsing(floor, &fun, 3, b, a, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "divisor"));
    ck_assert_int_eq(at_floor_collapsing(floor, &fun, 2, b, a, &err), AT_OK);
    ck_assert_int_eq(at_floor_compute(floor, AT_FLOOR_EQUIVARIANT, &fun, 1000, b, a, &err), AT_USAGE);
    at_seqfun_clear(&fun);
    at_floor_clear(floor);
    fmpq_clear(a);
    fmpq_clear(b);
    flint_cleanup();
}
END_TEST

static Suite *floor_suite(void)
{
    Suite *suite = suite_create("floor");
    TCase *tcase = tcase_create("floor");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, known_values, 0, sizeof values / sizeof *values);
    tcase_add_test(tcase, irrational_floor);
    tcase_add_test(tcase, ties_prefer_the_simpler_constant);
    tcase_add_test(tcase, label_losses);
    tcase_add_test(tcase, agrees_with_a_dense_search);
    tcase_add_test(tcase, witness_attains_the_floor);
    tcase_add_test(tcase, symmetric_floors_against_a_search);
    tcase_add_test(tcase, large_sizes_end);
    tcase_add_test(tcase, wrong_requests);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(floor_suite)
