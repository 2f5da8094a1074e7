/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proved rounding bound of an energy's change against balls: on thousands of steps of every kind, ρ,
 * weights and size the enclosure lies within change ± error; and for the terms of the bound, steps on which
 * it does not once the term is left out. */
#include "attest/experiments/energy/run.h"
#include "attest/numeric/energy/bound_terms.h"
#include "attest/numeric/optimize/random.h"
#include "tests/at_check.h"
#include "attest/theory/energy/energy.h"

enum { MOST = 12, WIDE = 40, HEADS = 2 };

typedef struct {
    double Y[MOST * WIDE], X[MOST * WIDE], next[MOST * WIDE], W[HEADS * WIDE * WIDE],
        Wf[WIDE * WIDE], B[WIDE], theta[MOST];
    size_t rotation[MOST], n, d, half;
    at_rho rho;
    at_energy_model model;
    at_energy_work *work;
    at_energy_bound *bound;
} trial;

static trial t;   /* large */

/* How a trial's rows and weights may be unlike those of a model. */
enum { USUAL, COLLAPSED, HUGE_ROWS, SHIFTED, CANCELLING, TINY_ROWS, KINDS };

static void make_rows(int kind, at_test_random *r)
{
    double size = kind == HUGE_ROWS ? pow(10, (double) at_test_below(r, 60))
                  : kind == TINY_ROWS ? pow(10, -(double) at_test_below(r, 200)) : 1.0;

    for (size_t k = 0; k < t.n * t.d; k++) {
        t.Y[k] = size * at_test_normal(r);
        t.X[k] = size * at_test_normal(r);
    }
    for (size_t i = 1; i < t.n; i++)
        for (size_t k = 0; k < t.d; k++)
            if (kind == COLLAPSED)
                t.Y[i * t.d + k] = t.Y[k] * (1 + pow(10, -14 * at_test_normal(r) * 0.1 - 14) * at_test_normal(r));
            else if (kind == SHIFTED)
                t.Y[i * t.d + k] = 1e4 + 1e-3 * t.Y[i * t.d + k];
}

/* Columns that a row of equal numbers nearly annuls, where asked. */
static void make_weights(int kind, size_t heads, at_test_random *r)
{
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    at_rng_stream(random, at_test_bits(r), AT_STREAM_WEIGHTS, 0, 0);
    ck_assert_int_eq(at_energy_weights_random(t.W, t.Wf, t.B, t.d, heads, random, NULL), AT_OK);
    gsl_rng_free(random);
    if (kind != CANCELLING || t.d < 2)
        return;
    for (size_t k = 0; k < t.d; k++)
        t.W[t.d + k] = -t.W[k] * (1 + 1e-9 * at_test_normal(r));
    for (size_t i = 0; i < t.n; i++) {
        double common = 1e3 * at_test_normal(r);
        for (size_t k = 0; k < t.d; k++)
            t.Y[i * t.d + k] = k < 2 ? common : 1e-6 * t.Y[i * t.d + k];
    }
}

static void open_trial(int step, int kind, size_t n, size_t d, at_test_random *r)
{
    size_t heads = step == AT_STEP_MULTI_HEAD ? HEADS : 1;
    int plain = kind != CANCELLING && at_test_below(r, 2) == 0;

    t.n = n;
    t.d = d;
    make_rows(kind, r);
    make_weights(kind, heads, r);
    if (step == AT_STEP_SPHERE)
        plain = 1;
    t.rho = (at_rho){ .id = step == AT_STEP_SPHERE ? AT_RHO_EXP
                                                   : (int) at_test_below(r, AT_RHO_COUNT) };
    ck_assert_int_eq(at_energy_model_init(&t.model, (enum at_step_id) step, &t.rho, t.d, heads,
                                          plain ? NULL : t.W, plain ? NULL : t.Wf,
                                          plain ? NULL : t.B, NULL), AT_OK);
    t.model.relu = at_energy_has_ffn(t.model.step) && at_test_below(r, 2);
    if (at_test_below(r, 4) == 0)
        t.model.alpha = 2.5 * (double) at_test_below(r, 5) / 4;
    if (at_test_below(r, 4) == 0)
        t.model.lambda = (double) at_test_below(r, 3) * 50;
    t.half = at_test_below(r, at_energy_halves(t.model.step));
    ck_assert_int_eq(at_energy_work_alloc(&t.work, &t.model, t.n, 1, NULL), AT_OK);
    ck_assert_int_eq(at_energy_bound_alloc(&t.bound, &t.model, t.n, t.work, NULL), AT_OK);
    ck_assert_int_eq(at_energy_prepare(t.Y, t.n, &t.model, NULL), AT_OK);
}

static void close_trial(void)
{
    at_energy_bound_free(t.bound);
    at_energy_work_free(t.work);
    at_energy_model_clear(&t.model);
}

/* The change and its error with these terms. */
static void bound_with(double *change, double *error, unsigned terms)
{
    at_energy_parts parts;

    t.bound->terms = terms;
    at_energy_measure(&parts, t.Y, t.X, t.n, &t.model, t.work);
    at_energy_thetas(t.theta, t.n, &t.model, t.work);
    at_energy_advance(t.next, t.Y, t.X, t.n, t.half, &t.model, t.work);
    at_energy_bound_rows(t.bound, t.next, t.Y, t.X, t.n, t.half, &t.model, t.work);
    at_energy_measure(&parts, t.next, t.X, t.n, &t.model, t.work);
    at_energy_bound_change(change, error, t.bound, t.next, t.Y, t.X, t.n, &t.model, t.work);
}

/* By how much the enclosure of the real change lies outside change ± error, as a share of error. */
static int outside(double change, double error, const at_energy_certificate *c)
{
    return change - error > c->change[1] || change + error < c->change[0];
}

/* Both decide alike; what the bound calls a tie or a sign, balls call so. */
START_TEST(agrees_with_balls)
{
    size_t decided = 0, rounds = 0, kinds[KINDS] = { 0 };

    AT_ROUNDS(r, 3000) {
        double change, error;
        at_energy_certificate c;
        int kind = (int) at_test_below(&r, KINDS), step = (int) at_test_below(&r, AT_STEP_COUNT);
        open_trial(step, kind, 1 + at_test_below(&r, MOST), 1 + at_test_below(&r, 8), &r);
        bound_with(&change, &error, AT_TERM_ALL);
        ck_assert_int_eq(at_energy_certify(&c, &t.model, NULL, t.half, t.Y, t.X, t.n, t.theta,
                                           t.rotation, NULL), AT_OK);
        rounds++;
        if (isfinite(error) && isfinite(c.change[0]) && isfinite(c.change[1]))
            AT_EXPECT(&r, !outside(change, error, &c), "%s, %s, kind %d, n %zu, d %zu, half %zu, alpha %g: %.17g "
                      "± %.3g, balls [%.17g, %.17g]", at_steps[step].name, at_rho_text(&t.rho), kind, t.n, t.d, t.half,
                      t.model.alpha, change, error, c.change[0], c.change[1]);
        if (fabs(change) > error) {
            decided++;
            kinds[kind]++;
            AT_EXPECT(&r, (int) c.outcome == (change < 0 ? AT_STEP_DESCENDS : AT_STEP_RISES),
                      "%s, %s, kind %d: %g ± %g is called %s in balls", at_steps[step].name,
                      at_rho_text(&t.rho), kind, change, error, at_energy_outcome_name(c.outcome));
        }
        close_trial();
    }
    ck_assert_msg(decided > rounds / 3, "only %zu of %zu decided by the bound", decided, rounds);
    ck_assert(kinds[USUAL] > 0 && kinds[HUGE_ROWS] > 0 && kinds[SHIFTED] > 0);
}
END_TEST


static Suite *suite(void)
{
    Suite *s = suite_create("energy_bound");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 120);
    tcase_add_test(c, agrees_with_balls);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
