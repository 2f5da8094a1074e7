/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each term of the rounding bound is needed: an engine that errs as much as the term admits, no more,
 * on a step where little else goes wrong.  The bound holds there and does not without the term.  What the
 * engine found is put in by hand, so nothing here hangs on the processor's own roundings. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "attest/experiments/energy/run.h"
#include "attest/numeric/energy/bound_terms.h"
#include "attest/numeric/energy/work.h"
#include "attest/theory/energy/energy.h"
#include "tests/at_check.h"

enum { MOST = 256 };
#define SHARE 0.9   /* of the error that a term admits */

static double Y[MOST * MOST], next[MOST * MOST], W[MOST * MOST], Wf[MOST * MOST], theta[MOST];
static size_t rotation[MOST], n, d, half;
static at_rho rho;
static at_energy_model model;
static at_energy_work *work;
static at_energy_bound *bound;

static void zero(size_t rows, size_t columns)
{
    n = rows;
    d = columns;
    half = 0;
    memset(Y, 0, sizeof Y);
    memset(W, 0, sizeof W);
    memset(Wf, 0, sizeof Wf);
}

static void open_step(int step, int rho_id, bool weights, bool ffn, double alpha)
{
    rho = (at_rho) { .id = rho_id };
    ck_assert_int_eq(at_energy_model_init(&model, (enum at_step_id) step, &rho, d, 1, weights ? W : NULL,
                                          ffn ? Wf : NULL, NULL, NULL), AT_OK);
    model.alpha = alpha;
    ck_assert_int_eq(at_energy_work_alloc(&work, &model, n, 1, NULL), AT_OK);
    ck_assert_int_eq(at_energy_bound_alloc(&bound, &model, n, work, NULL), AT_OK);
}

static void close_step(void)
{
    at_energy_bound_free(bound);
    at_energy_work_free(work);
    at_energy_model_clear(&model);
}

/* The step as the engine has it. */
static void advance(unsigned terms)
{
    at_energy_parts parts;

    bound->terms = terms;
    at_energy_measure(&parts, Y, Y, n, &model, work);
    at_energy_thetas(theta, n, &model, work);
    at_energy_advance(next, Y, Y, n, half, &model, work);
}

static void bound_rows(void)
{
    at_energy_bound_rows(bound, next, Y, Y, n, half, &model, work);
}

static void measure_next(void)
{
    at_energy_parts parts;
    at_energy_measure(&parts, next, Y, n, &model, work);
}

static void bound_change(double *change, double *error)
{
    at_energy_bound_change(change, error, bound, next, Y, Y, n, &model, work);
}

/* Whether change ± error holds the real change of the step from Y. */
static bool holds(double change, double error)
{
    at_energy_certificate c;

    ck_assert_int_eq(at_energy_certify(&c, &model, NULL, half, Y, Y, n, theta, rotation, NULL), AT_OK);
    return change - error <= c.change[1] && c.change[0] <= change + error;
}

static void expect(enum at_bound_term term, unsigned terms, bool held, const char *what)
{
    bool all = terms == AT_TERM_ALL;

    ck_assert_msg(held == all, "%s: term %d %s", what, (int) term,
                  all ? "does not cover what it admits" : "could be dropped");
}

static const unsigned both[] = { AT_TERM_ALL, 0 };

static unsigned terms_of(size_t k, enum at_bound_term term)
{
    return both[k] | (AT_TERM_ALL & ~(unsigned) term);
}

/* All of them, then all but one. */
#define WITH_AND_WITHOUT(term) \
    for (size_t k_ = 0, terms; k_ < 2 && (terms = terms_of(k_, term), 1); k_++)

/* The control that does nothing, and a distance that is off before or after it. */
static void distance_off(enum at_bound_term term, double share, double absolute, bool weights)
{
    for (int side = 0; side < 2; side++)
        WITH_AND_WITHOUT(term) {
            double change, error, *z;
            open_step(AT_STEP_IDENTITY, AT_RHO_EXP, weights, false, 1);
            advance((unsigned) terms);
            z = work->z;
            if (side == 1) {
                bound_rows();
                measure_next();
                z = work->z;
            }
            double root = sqrt(2 * z[1]) + absolute;
            z[1] = share != 0 ? z[1] * (1 + share) : 0.5 * root * root;
            if (side == 0) {
                bound_rows();
                measure_next();
            }
            bound_change(&change, &error);
            expect(term, (unsigned) terms, holds(change, error), side == 0 ? "before" : "after");
            close_step();
        }
}

START_TEST(distances)
{
    zero(2, 8);
    Y[0] = 1;
    distance_off(AT_TERM_DISTANCE, SHARE * at_gamma(d + 8), 0, false);
}
END_TEST

/* V = YW of nearly opposite columns. */
START_TEST(values)
{
    zero(2, 2);
    W[0] = 1;
    W[2] = -1;
    Y[2] = 1;
    Y[3] = 1 + 0x1p-20;
    distance_off(AT_TERM_VALUES, 0, SHARE * at_gamma(d + 4) * 2, true);
}
END_TEST

/* Whether the rows' bounds hold one that was moved by `moved`. */
static void rows_off(enum at_bound_term term, unsigned terms, double moved)
{
    bound_rows();
    expect(term, terms, bound->rows[0] >= fabs(moved), "row");
}

/* y and −y: the weight between them is off as its distance is. */
START_TEST(weights)
{
    zero(2, 40);
    Y[0] = 1;
    Y[d] = -1;
    WITH_AND_WITHOUT(AT_TERM_WEIGHTS) {
        open_step(AT_STEP_SOFTMAX_BETA, AT_RHO_EXP, false, false, 1);
        advance((unsigned) terms);
        double w = exp(-2.0), dw = w * SHARE * (2 * at_gamma(d + 8));
        rows_off(AT_TERM_WEIGHTS, (unsigned) terms, 2 * dw / ((1 + w) * (1 + w)));
        close_step();
    }
}
END_TEST

/* Equal rows: T too large and d too small, each as a sum of n terms may be. */
START_TEST(degrees_and_product)
{
    static const enum at_bound_term each[] = { AT_TERM_DEGREES, AT_TERM_PRODUCT };

    zero(200, 1);
    for (size_t i = 0; i < n; i++)
        Y[i] = 1;
    for (size_t t = 0; t < 2; t++)
        WITH_AND_WITHOUT(each[t]) {
            open_step(AT_STEP_SOFTMAX_BETA, AT_RHO_EXP, false, false, 1);
            advance((unsigned) terms);
            rows_off(each[t], (unsigned) terms, 2 * SHARE * at_gamma(n));
            close_step();
        }
}
END_TEST

/* y and −y: the gradient's two products with M and M^T. */
START_TEST(gradient)
{
    zero(2, 200);
    W[0] = 1;
    Y[0] = 0.5;
    Y[d] = -0.5;
    WITH_AND_WITHOUT(AT_TERM_GRADIENT) {
        open_step(AT_STEP_MULTI_HEAD, AT_RHO_LOG, true, false, 1);
        advance((unsigned) terms);
        rows_off(AT_TERM_GRADIENT, (unsigned) terms, (next[0] - Y[0]) * SHARE * 2 * at_gamma(d));
        close_step();
    }
}
END_TEST

/* A short step: its sum is rounded as y is. */
START_TEST(step)
{
    static const int steps[] = { AT_STEP_RELAXED, AT_STEP_MULTI_HEAD, AT_STEP_VALUE_MATRIX, AT_STEP_PARALLEL };

    zero(2, 1);
    W[0] = 1;
    Y[0] = 1;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        WITH_AND_WITHOUT(AT_TERM_STEP) {
            open_step(steps[s], AT_RHO_EXP, steps[s] != AT_STEP_RELAXED, false, 0x1p-10);
            advance((unsigned) terms);
            rows_off(AT_TERM_STEP, (unsigned) terms, SHARE * AT_UNIT);
            close_step();
        }
}
END_TEST

/* y and −y: tanh of their score, whose product and whose factors are off. */
START_TEST(scores)
{
    zero(2, 200);
    W[0] = 1;
    Y[0] = 1;
    Y[d] = -1;
    WITH_AND_WITHOUT(AT_TERM_SCORES) {
        open_step(AT_STEP_RELEASED, AT_RHO_EXP, true, false, 1);
        advance((unsigned) terms);
        double t = tanh(1);
        rows_off(AT_TERM_SCORES, (unsigned) terms, (1 - t * t) * SHARE * 3 * at_gamma(d));
        close_step();
    }
}
END_TEST

START_TEST(feed_forward)
{
    zero(1, 200);
    Wf[0] = 3;
    Y[0] = 1;
    WITH_AND_WITHOUT(AT_TERM_FFN) {
        half = 1;
        open_step(AT_STEP_IDENTITY, AT_RHO_EXP, false, true, 1);
        advance((unsigned) terms);
        rows_off(AT_TERM_FFN, (unsigned) terms, next[0] * SHARE * at_gamma(d));
        close_step();
    }
}
END_TEST

/* Far from the origin, one row rounded up and one down. */
START_TEST(rows)
{
    zero(2, 1);
    Y[0] = 0x1p20;
    Y[1] = Y[0] + 1;
    WITH_AND_WITHOUT(AT_TERM_ROWS) {
        double change, error;
        open_step(AT_STEP_RELAXED, AT_RHO_EXP, false, false, 0x1p-10);
        advance((unsigned) terms);
        next[0] -= 2 * AT_UNIT * Y[0];
        next[1] += 2 * AT_UNIT * Y[0];
        bound_rows();
        measure_next();
        bound_change(&change, &error);
        expect(AT_TERM_ROWS, (unsigned) terms, holds(change, error), "rows");
        close_step();
    }
}
END_TEST

/* ρ(t) − ρ(z) of one pair's given distances, by long double. */
static long double real_change(long double z, long double t, int id)
{
    switch (id) {
    case AT_RHO_EXP: return expl(-z) * -expm1l(z - t);
    case AT_RHO_LOG: return log1pl((t - z) / (2 + z));
    case AT_RHO_SQRT: return (t - z) / (sqrtl(1 + z) + sqrtl(1 + t));
    default: return (t - z) / ((1 + z) * (1 + t));
    }
}

/* Only the pair's own functions err: distances are given. */
START_TEST(pairs)
{
    zero(2, 1);
    for (int id = 0; id < AT_RHO_COUNT; id++) {
        size_t outside = 0;
        AT_ROUNDS(r, 2000) {
            double z = 3 * at_test_uniform(&r), t = 3 * at_test_uniform(&r), change, error;
            open_step(AT_STEP_IDENTITY, id, false, false, 1);
            for (int with = 0; with < 2; with++) {
                advance(with ? AT_TERM_PAIR : 0);
                work->z[1] = z;
                bound_rows();
                measure_next();
                work->z[1] = t;
                bound_change(&change, &error);
                bool held = fabsl((long double) change - real_change(z, t, id)) <= error;
                outside += !with && !held;
                AT_EXPECT(&r, !with || held, "%s: rho(%.17g) - rho(%.17g) is %.17g +- %g",
                          at_rho_text(&rho), t, z, change, error);
            }
            close_step();
        }
        ck_assert_msg(LDBL_MANT_DIG < 60 || outside > 0, "the pairs' term could be dropped");
    }
}
END_TEST

/* 1, and what is less than half of its last place, again and again: all of it is lost. */
START_TEST(sum)
{
    zero(MOST, 1);
    WITH_AND_WITHOUT(AT_TERM_SUM) {
        double change, error, each = SHARE * AT_UNIT;
        open_step(AT_STEP_IDENTITY, AT_RHO_SQRT, false, false, 1);
        advance((unsigned) terms);
        bound_rows();
        measure_next();
        work->z[1] = 3;
        for (size_t j = 2; j < n; j++)
            work->z[j] = 2 * each;
        bound->terms = (unsigned) terms & ~(unsigned) AT_TERM_DISTANCE;   /* they are given */
        bound_change(&change, &error);
        /* change itself is 1 or a little more: compare what lies above 1 */
        expect(AT_TERM_SUM, (unsigned) terms, fabs((change - 1) - (double) (n - 2) * each) <= error, "sum");
        close_step();
    }
}
END_TEST

/* The same in ½‖Y‖². */
START_TEST(quadratic)
{
    zero(1, MOST);
    Y[0] = 1;
    for (size_t k = 1; k < d; k++)
        Y[k] = sqrt(SHARE * AT_UNIT);
    WITH_AND_WITHOUT(AT_TERM_QUADRATIC) {
        double change, error;
        half = 1;
        open_step(AT_STEP_IDENTITY, AT_RHO_EXP, false, false, 1);
        advance((unsigned) terms);
        bound_rows();
        measure_next();
        bound_change(&change, &error);
        expect(AT_TERM_QUADRATIC, (unsigned) terms, holds(change, error), "FFN");
        close_step();
    }
}
END_TEST

/* Two places so near that the distance's square is no number; their energy's change is one. */
START_TEST(underflow)
{
    zero(MOST, 1);
    for (size_t i = 0; i < n / 2; i++)
        Y[i] = 0x1p-540;
    WITH_AND_WITHOUT(AT_TERM_UNDERFLOW) {
        double change, error;
        open_step(AT_STEP_SOFTMAX_BETA, AT_RHO_EXP, false, false, 1);
        advance((unsigned) terms);
        bound_rows();
        measure_next();
        bound_change(&change, &error);
        expect(AT_TERM_UNDERFLOW, (unsigned) terms, holds(change, error), "underflow");
        close_step();
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy_bound_terms");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 120);
    tcase_add_test(c, distances);
    tcase_add_test(c, values);
    tcase_add_test(c, weights);
    tcase_add_test(c, degrees_and_product);
    tcase_add_test(c, gradient);
    tcase_add_test(c, step);
    tcase_add_test(c, scores);
    tcase_add_test(c, feed_forward);
    tcase_add_test(c, rows);
    tcase_add_test(c, pairs);
    tcase_add_test(c, sum);
    tcase_add_test(c, quadratic);
    tcase_add_test(c, underflow);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
