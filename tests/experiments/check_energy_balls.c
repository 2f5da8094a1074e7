/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The double engine against balls: energies before and after each kind of step agree with the
 * enclosures to 1e-12, near-equal tokens included; a step that balls call rising or descending by
 * more than rounding is called so in double. */
#include "attest/experiments/energy/run.h"
#include "attest/numeric/optimize/random.h"
#include "tests/at_check.h"
#include "attest/theory/energy/energy.h"
#include "attest/theory/energy/rho_concave.h"

enum { MOST = 9, WIDE = 5, HEADS = 2 };

typedef struct {
    double Y[MOST * WIDE], X[MOST * WIDE], next[MOST * WIDE], W[HEADS * WIDE * WIDE],
        Wf[WIDE * WIDE], B[WIDE], theta[MOST];
    size_t rotation[MOST], n, d;
    at_rho rho;
    at_energy_model model;
    at_energy_work *work;
} trial;

static void open_trial(trial *t, at_test_random *r)
{
    enum at_step_id step = (enum at_step_id) at_test_below(r, AT_STEP_COUNT);
    size_t heads = step == AT_STEP_MULTI_HEAD ? HEADS : 1;
    int plain = step == AT_STEP_SPHERE || at_test_below(r, 3) == 0;
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    t->n = 1 + at_test_below(r, MOST);
    t->d = 1 + at_test_below(r, WIDE);
    at_rng_stream(random, at_test_bits(r), AT_STREAM_WEIGHTS, 0, 0);
    ck_assert_int_eq(at_energy_weights_random(t->W, t->Wf, t->B, t->d, heads, random, NULL), AT_OK);
    gsl_rng_free(random);
    t->rho = (at_rho){ .id = step == AT_STEP_SPHERE ? AT_RHO_EXP
                                                    : (int) at_test_below(r, AT_RHO_COUNT) };
    ck_assert_int_eq(at_energy_model_init(&t->model, step, &t->rho, t->d, heads,
                                          plain ? NULL : t->W, plain ? NULL : t->Wf,
                                          plain ? NULL : t->B, NULL),
                     AT_OK);
    t->model.relu = at_energy_has_ffn(step) && at_test_below(r, 2);
    ck_assert_int_eq(at_energy_work_alloc(&t->work, &t->model, t->n, 1, NULL), AT_OK);
    for (size_t k = 0; k < t->n * t->d; k++) {
        t->Y[k] = 1.5 * at_test_normal(r);
        t->X[k] = at_test_normal(r);
    }
    for (size_t i = 1; i < t->n; i++)
        for (size_t k = 0; at_test_below(r, 3) == 0 && k < t->d; k++)
            t->Y[i * t->d + k] = t->Y[(i - 1) * t->d + k] * (1 + 1e-13 * at_test_normal(r));
    ck_assert_int_eq(at_energy_prepare(t->Y, t->n, &t->model, NULL), AT_OK);
}

static void close_trial(trial *t)
{
    at_energy_work_free(t->work);
    at_energy_model_clear(&t->model);
}

static int within(double x, const double enclosure[2])
{
    double size = fmax(fabs(enclosure[0]), fabs(enclosure[1]));

    return x >= enclosure[0] - 1e-12 * size && x <= enclosure[1] + 1e-12 * size;
}

START_TEST(energies)
{
    AT_ROUNDS(r, 250) {
        trial t;
        open_trial(&t, &r);
        size_t halves = at_energy_halves(t.model.step), half = at_test_below(&r, halves);
        at_energy_parts before, after;
        at_energy_certificate c, again;
        at_energy_fixed *fixed = NULL;
        at_error err = AT_ERROR_INIT;
        at_energy_measure(&before, t.Y, t.X, t.n, &t.model, t.work);
        at_energy_thetas(t.theta, t.n, &t.model, t.work);
        at_energy_advance(t.next, t.Y, t.X, t.n, half, &t.model, t.work);
        at_energy_measure(&after, t.next, t.X, t.n, &t.model, t.work);
        int status =
            at_energy_certify(&c, &t.model, NULL, half, t.Y, t.X, t.n, t.theta, t.rotation, &err);
        const char *name = at_steps[t.model.step].name;
        AT_EXPECT(&r, status == AT_OK, "%s", err.text);
        /* weights read once for many steps: the same certificate */
        status = at_energy_certify_prepare(&fixed, &t.model, &err);
        if (status == AT_OK)
            status = at_energy_certify(&again, &t.model, fixed, half, t.Y, t.X, t.n, t.theta,
                                       t.rotation, &err);
        at_energy_fixed_free(fixed);
        AT_EXPECT(&r, status == AT_OK, "%s", err.text);
        AT_EXPECT(&r, again.outcome == c.outcome && again.change[0] == c.change[0]
                          && again.change[1] == c.change[1] && again.before[0] == c.before[0],
                  "%s: another certificate with prepared weights", at_steps[t.model.step].name);
        AT_EXPECT(&r, c.outcome != AT_STEP_UNDECIDED, "%s, n %zu, d %zu", name, t.n, t.d);
        AT_EXPECT(&r, within(before.total, c.before),
                  "%s, %s, n %zu, d %zu, half %zu: %.17g not in [%.17g, "
                  "%.17g]",
                  name, at_rho_text(&t.rho), t.n, t.d, half, before.total, c.before[0],
                  c.before[1]);
        /* Y' is rounded in double: its energy may differ by the rounding of the parts */
        double scale = fabs(after.attention) + fabs(after.regulariser) + fabs(after.ffn);
        AT_EXPECT(&r,
                  after.total >= c.after[0] - 1e-12 * (1 + scale)
                      && after.total <= c.after[1] + 1e-12 * (1 + scale),
                  "%s, %s, n %zu, d %zu, half %zu: %.17g not in [%.17g, %.17g]", name,
                  at_rho_text(&t.rho), t.n, t.d, half, after.total, c.after[0], c.after[1]);
        double change = after.total - before.total;
        if (fabs(change) > 1e-11 * (1 + scale))
            AT_EXPECT(&r, (int) c.outcome == (change < 0 ? AT_STEP_DESCENDS : AT_STEP_RISES),
                      "%s: %.3g is %s", name, change, at_energy_outcome_name(c.outcome));
        if (at_energy_expected(&t.model))
            AT_EXPECT(&r, c.outcome == AT_STEP_DESCENDS || c.outcome == AT_STEP_TIES,
                      "%s, %s rises", name, at_rho_text(&t.rho));
        close_trial(&t);
    }
}
END_TEST

/* Layer after layer, towards the collapse: no step whose claim says that it descends rises, and what is
 * decided is not nothing. */
START_TEST(descent_of_layers)
{
    size_t decided = 0, open = 0;

    AT_ROUNDS(r, 120) {
        trial t;
        open_trial(&t, &r);
        t.model.alpha = t.model.step == AT_STEP_RELAXED ? 2 * at_test_uniform(&r) : t.model.alpha;
        for (size_t layer = 0; layer < 6 && at_energy_expected(&t.model); layer++) {
            at_energy_parts parts;
            at_energy_certificate c;
            at_energy_measure(&parts, t.Y, t.X, t.n, &t.model, t.work);
            at_energy_thetas(t.theta, t.n, &t.model, t.work);
            ck_assert_int_eq(at_energy_certify(&c, &t.model, NULL, 0, t.Y, t.X, t.n, t.theta, t.rotation,
                                               NULL), AT_OK);
            AT_EXPECT(&r, c.outcome != AT_STEP_RISES, "%s, %s, n %zu, d %zu, layer %zu rises",
                      at_steps[t.model.step].name, at_rho_text(&t.rho), t.n, t.d, layer);
            decided += c.outcome != AT_STEP_UNDECIDED;
            open += c.outcome == AT_STEP_UNDECIDED;
            at_energy_advance(t.next, t.Y, t.X, t.n, 0, &t.model, t.work);
            memcpy(t.Y, t.next, t.n * t.d * sizeof *t.Y);
        }
        close_trial(&t);
    }
    ck_assert_msg(decided > 20 * open, "%zu decided, %zu not", decided, open);
}
END_TEST

enum { TOKENS = 40, FEATURES = 24 };

/* A document: tokens in three heaps whose members differ in their last bits and single ones, or all
 * in one heap. */
static void heap_tokens(double *Y, bool one, at_test_random *r)
{
    for (size_t i = 0; i < TOKENS; i++)
        for (size_t k = 0; k < FEATURES; k++) {
            bool first = one ? i == 0 : i < 3 || i % 4 == 3;
            const double *like = Y + (one ? 0 : i % 3) * FEATURES;
            Y[i * FEATURES + k] = first ? 0.5 * at_test_normal(r)
                                        : like[k] * (1 + 1e-15 * at_test_normal(r));
        }
}

/* The double engine's energy of Y is in its enclosure, which is so narrow that it stands for it. */
static void compare_energy(const double *Y, at_energy_model *model, at_energy_work *work)
{
    static double Z[TOKENS * FEATURES], theta[TOKENS];
    static size_t rotation[TOKENS];
    const char *step = at_steps[model->step].name, *rho = at_rho_text(model->rho);
    at_energy_parts parts;
    at_energy_certificate c;

    memcpy(Z, Y, sizeof Z);
    ck_assert_int_eq(at_energy_prepare(Z, TOKENS, model, NULL), AT_OK);
    at_energy_measure(&parts, Z, Y, TOKENS, model, work);
    at_energy_thetas(theta, TOKENS, model, work);
    ck_assert_int_eq(at_energy_certify(&c, model, NULL, 0, Z, Y, TOKENS, theta, rotation, NULL),
                     AT_OK);
    double size = fmax(fabs(c.before[0]), fabs(c.before[1]));
    ck_assert_msg(c.before[1] - c.before[0] <= 1e-14 * size, "%s, %s: [%.17g, %.17g] is wide", step,
                  rho, c.before[0], c.before[1]);
    ck_assert_msg(within(parts.total, c.before), "%s, %s: %.17g not in [%.17g, %.17g]", step, rho,
                  parts.total, c.before[0], c.before[1]);
}

/* The size of a sentence, every layer with every rho. */
START_TEST(energies_of_a_sentence)
{
    static double Y[TOKENS * FEATURES], W[HEADS * FEATURES * FEATURES], Wf[FEATURES * FEATURES],
        B[FEATURES];
    at_test_random r = at_test_start("energies_of_a_sentence", 1);
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    ck_assert_int_eq(at_energy_weights_random(W, Wf, B, FEATURES, HEADS, random, NULL), AT_OK);
    gsl_rng_free(random);
    for (int step = 0; step < AT_STEP_COUNT; step++)
        for (int id = 0; id < AT_RHO_COUNT; id++) {
            const at_rho rho = { .id = id };
            bool sphere = step == AT_STEP_SPHERE;
            at_energy_model model;
            at_energy_work *work;
            if (sphere && id != AT_RHO_EXP)
                continue;
            ck_assert_int_eq(at_energy_model_init(&model, (enum at_step_id) step, &rho, FEATURES,
                                                  step == AT_STEP_MULTI_HEAD ? HEADS : 1,
                                                  sphere ? NULL : W, Wf, B, NULL), AT_OK);
            ck_assert_int_eq(at_energy_work_alloc(&work, &model, TOKENS, 1, NULL), AT_OK);
            for (int one = 0; one < 2; one++) {
                heap_tokens(Y, one, &r);
                compare_energy(Y, &model, work);
            }
            at_energy_work_free(work);
            at_energy_model_clear(&model);
        }
}
END_TEST

/* Concavity of a formula on [0, highest]: shown, refuted at a point, or left open. */
START_TEST(concavity)
{
    static const struct { const char *text; double highest; int verdict; double low, high; } cases[] = {
        { "-exp(-z)", 1e4, 1, 0, 0 }, { "log(2+z)", 1e9, 1, 0, 0 }, { "sqrt(1+z)", 1e9, 1, 0, 0 },
        { "z/(1+z)", 1e3, 1, 0, 0 }, { "1-1/(1+z)^2", 1e6, 1, 0, 0 }, { "z", 1e300, 1, 0, 0 },
        { "-(1+z)^-3", 100, 1, 0, 0 }, { "3", 10, 1, 0, 0 }, { "z-z*z/100", 50, 1, 0, 0 },
        { "z-z*z/100", 51, 0, 0, 0 },              /* concave, but it falls at the end */
        { "-z", 1, 0, 0, 0 }, { "log(1+z)", 0, 1, 0, 0 },
        { "z^2", 1, -1, 0, 1 }, { "exp(z)", 1, -1, 0, 1 },
        /* A bump too narrow for 1,000 points, and the same one beyond the range. */
        { "-exp(-z)+exp(-(z-7.3)*(z-7.3)*1e8)/100", 50, -1, 7.29, 7.31 },
        { "-exp(-z)+exp(-(z-7.3)*(z-7.3)*1e8)/100", 7, 1, 0, 0 },
        { "z-z^3/1000", 1, 0, 0, 0 },              /* true, but the second derivative vanishes */
        { "sqrt(z)", 1, 0, 0, 0 }, { "log(z-1)", 1, 0, 0, 0 },
        { "1/(z-z)", 1, 0, 0, 0 }, { "(z*0)^-2", 1, 0, 0, 0 }, { "log(0*z)", 1, 0, 0, 0 },
        { "log(-1)", 1, 0, 0, 0 }, { "z+0*log(-1)", 1, 0, 0, 0 },
        { "sqrt(0*z)", 1, 0, 0, 0 }, { "z", NAN, 0, 0, 0 }, { "z", INFINITY, 0, 0, 0 }, { "z", -1, 0, 0, 0 },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        at_formula formula;
        double where = -1;
        ck_assert_int_eq(at_formula_parse(&formula, cases[k].text, NULL), AT_OK);
        int verdict = at_rho_concave(&where, &formula, cases[k].highest);
        ck_assert_msg(verdict == cases[k].verdict, "%s on [0, %g]: %d", cases[k].text,
                      cases[k].highest, verdict);
        if (verdict < 0)
            ck_assert_msg(where >= cases[k].low && where <= cases[k].high, "%s: at %g",
                          cases[k].text, where);
        at_formula_clear(&formula);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy_balls");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, energies);
    tcase_add_test(c, descent_of_layers);
    tcase_add_test(c, energies_of_a_sentence);
    tcase_add_test(c, concavity);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
