/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every number that an energy layer takes at its ends (0, 1, its largest), with every step, rho, weights,
 * ReLU, for the smallest and for other sizes: each run ends, counts every half-step once, and finds the same
 * with the rounding bound as in balls alone. */
#include <stdlib.h>

#include "attest/experiments/energy/model.h"
#include "attest/experiments/energy/run.h"
#include "tests/at_check.h"

static const char *const rhos[] = { "exp", "log", "sqrt", "ratio", "z", "1-1/(1+z)^2" };
static const struct { size_t dimension, longest; } sizes[] = { { 1, 1 }, { 1, 2 }, { 4, 3 } };
static const double alphas[] = { 0, 1, 2, 1000 }, lambdas[] = { 0, 1, 1e6 };

static at_energy_data data;

static bool takes_alpha(int step)
{
    return step == AT_STEP_RELAXED || step == AT_STEP_VALUE_MATRIX || step == AT_STEP_MULTI_HEAD
           || step == AT_STEP_PARALLEL || step == AT_STEP_SPHERE;
}

static bool takes_lambda(int step)
{
    return step == AT_STEP_JACOBI || step == AT_STEP_RESIDUAL_INPUT;
}

/* From the same doubles, so what both decide agrees: what one counts more the other left undecided.  That is
 * for steps out of all bounds only (alpha 1000), whose changes of size e^(-10^6) may stay undecided. */
static bool alike(size_t a, size_t b, const at_energy_count *p, const at_energy_count *q)
{
    return a <= b + q->undecided && b <= a + p->undecided;
}

static void compare(const at_energy_result *a, const at_energy_result *b, bool wild, const char *what)
{
    const at_energy_count *p = &a->total, *q = &b->total;

    ck_assert_msg(p->steps == q->steps && p->steps > 0 && alike(p->descending, q->descending, p, q)
                      && alike(p->rising, q->rising, p, q) && alike(p->tied, q->tied, p, q)
                      && (wild || p->undecided == q->undecided),
                  "%s: %zu %zu %zu %zu by the bound, %zu %zu %zu %zu in balls", what, p->descending, p->rising,
                  p->tied, p->undecided, q->descending, q->rising, q->tied, q->undecided);
    ck_assert_msg(p->by_bound + p->by_ball + p->undecided == p->steps && q->by_bound == 0, "%s", what);
    ck_assert_msg(p->descending + p->rising + p->tied + p->undecided == p->steps, "%s", what);
}

static void run_both(at_energy_model *model, const char *what)
{
    at_energy_job job = { model, 2, false, 1, true, "" };
    at_energy_result bound, balls;
    at_error err = AT_ERROR_INIT;
    int first = at_energy_process(&bound, &data, 0, data.corpus.count, &job, &err);

    /* A step 1000 times too long may leave the range of numbers, which is said. */
    ck_assert_msg(first == AT_OK || (first == AT_UNEXPECTED && model->alpha > 2), "%s: %s", what, err.text);
    job.certify = true;
    ck_assert_msg(at_energy_process(&balls, &data, 0, data.corpus.count, &job, &err) == first, "%s: %s", what,
                  err.text);
    if (first != AT_OK)
        return;
    compare(&bound, &balls, model->alpha > 2, what);
    if (at_energy_expected(model))
        ck_assert_msg(bound.total.rising == 0, "%s: rises", what);
    at_energy_result_clear(&bound);
    at_energy_result_clear(&balls);
}

static void each_number(int step, const at_rho *rho, const at_energy_weights *w, bool relu)
{
    size_t alpha_count = takes_alpha(step) ? sizeof alphas / sizeof *alphas : 1,
           lambda_count = takes_lambda(step) ? sizeof lambdas / sizeof *lambdas : 1;

    for (size_t a = 0; a < alpha_count; a++)
        for (size_t l = 0; l < lambda_count; l++) {
            at_energy_model model;
            char what[160];
            ck_assert_int_eq(at_energy_model_init(&model, (enum at_step_id) step, rho, w->d, w->heads, w->W, w->Wf,
                                                  w->B, NULL), AT_OK);
            model.relu = relu;
            if (takes_alpha(step))
                model.alpha = alphas[a];
            if (takes_lambda(step))
                model.lambda = lambdas[l];
            snprintf(what, sizeof what, "%s, %s, d %zu, %s weights, relu %d, alpha %g, lambda %g",
                     at_steps[step].name, at_rho_text(rho), w->d, w->W != NULL ? "random" : "no", relu,
                     model.alpha, model.lambda);
            run_both(&model, what);
            at_energy_model_clear(&model);
        }
}

static void each_rho(int step, const char *weights, uint64_t seed)
{
    at_energy_settings settings = { .step = (enum at_step_id) step, .weights = weights,
                                    .heads = step == AT_STEP_MULTI_HEAD ? 2 : 1, .seed = seed, .quiet = true,
                                    .documents = 2, .updates = 1, .rate = 0.01, .clip = 10 };
    at_energy_weights w = { 0 };

    ck_assert_int_eq(at_energy_weights_make(&w, &data, &settings, NULL), AT_OK);
    for (size_t r = 0; r < sizeof rhos / sizeof *rhos; r++) {
        at_rho rho = { 0 };
        if (step == AT_STEP_SPHERE && r > 0)
            continue;
        ck_assert_int_eq(at_rho_parse(&rho, rhos[r], NULL), AT_OK);
        for (int relu = 0; relu <= (int) at_energy_has_ffn((enum at_step_id) step); relu++)
            each_number(step, &rho, &w, relu);
        at_rho_clear(&rho);
    }
    at_energy_weights_clear(&w);
}

START_TEST(ends)
{
    size_t size = (size_t) _i / AT_STEP_COUNT;
    int step = _i % AT_STEP_COUNT;
    at_energy_source source = { .documents = 2, .longest = sizes[size].longest,
                                .dimension = sizes[size].dimension, .seed = 1 };

    ck_assert_int_eq(at_energy_data_load(&data, &source, NULL), AT_OK);
    each_rho(step, "identity", 1);
    if (step != AT_STEP_SPHERE)
        each_rho(step, "random", 1);
    at_energy_data_clear(&data);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy_ends");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, ends, 0, (int) (sizeof sizes / sizeof *sizes) * AT_STEP_COUNT);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
