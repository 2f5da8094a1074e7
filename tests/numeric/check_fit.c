/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of training, of a Transformer's loss as an objective, and of the scores: the same bits
 * whatever the threads, cuts and batches; gradients and Jacobians against each other; bounds on
 * constant sequences that a collapsing model cannot cross; an exact solution found by fitting. */
#include "tests/at_check.h"

#include <float.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>

#include "attest/numeric/optimize/evaluate.h"
#include "attest/numeric/optimize/objective.h"
#include "attest/numeric/optimize/random.h"
#include "attest/numeric/optimize/train.h"

static double normal(void *state)
{
    return gsl_ran_gaussian_ziggurat(state, 1.0);
}

static double *start(const at_layout *layout, uint64_t seed)
{
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);
    at_initial initial = at_initial_default(&layout->model);
    double *params = malloc(layout->count * sizeof *params);

    at_rng_stream(rng, seed, AT_STREAM_WEIGHTS, 0, 0);
    at_layout_start(layout, &initial, normal, rng, params);
    gsl_rng_free(rng);
    return params;
}

static at_model encoder(const at_task *task, enum at_encoding_id encoding)
{
    at_model model = { .encoding = encoding, .d = 16, .heads = 2, .ffn = 24, .layers = 2,
                       .activation = AT_GELU, .layernorm = true, .biases = true,
                       .scale_logits = true, .lm_head = true };

    at_task_model(task, &model);
    return model;
}

static at_model network(const at_task *task, enum at_encoding_id encoding)
{
    at_model model = { .encoding = encoding, .d = 6, .heads = 2, .ffn = 12, .layers = 1,
                       .activation = AT_GELU };

    at_task_model(task, &model);
    return model;
}

static const at_task pi = { .id = AT_TASK_PI, .n = 6, .seed = 4, .vocab = 11 };

static at_train_options options_for(const at_task *task, bool single)
{
    at_train_options options = { .task = *task, .single = single, .steps = 12, .batch = 9,
                                 .warmup = 3, .rate = 3e-3, .adam = at_adam_defaults,
                                 .threads = 1 };

    return options;
}

static void run(at_train *train, size_t steps)
{
    at_error err = AT_ERROR_INIT;

    for (size_t k = 0; k < steps; k++)
        ck_assert_msg(at_train_step(train, NULL, &err) == AT_OK, "%s", err.text);
}

/* Threads 1 and 3, and a run cut at every step through a stored state, end with the same bits. */
START_TEST(same_bits)
{
    at_model model = encoder(&pi, AT_ENC_URPE);
    at_train_options options = options_for(&pi, _i == 0);
    at_layout layout;
    at_train *train, *other;
    double *begin, *end, *again;

    ck_assert_int_eq(at_layout_init(&layout, &model, NULL), AT_OK);
    begin = start(&layout, 1);
    end = malloc(layout.count * sizeof *end);
    again = malloc(layout.count * sizeof *end);
    ck_assert_int_eq(at_train_alloc(&train, &layout, &options, begin, NULL), AT_OK);
    run(train, 12);
    at_train_params(train, end);
    at_train_free(train);
    ck_assert_mem_ne(begin, end, layout.count * sizeof *end);
    options.threads = 3;
    ck_assert_int_eq(at_train_alloc(&train, &layout, &options, begin, NULL), AT_OK);
    run(train, 12);
    at_train_params(train, again);
    at_train_free(train);
    ck_assert_mem_eq(end, again, layout.count * sizeof *end);
    options.threads = 1;
    ck_assert_int_eq(at_train_alloc(&train, &layout, &options, begin, NULL), AT_OK);
    for (int k = 0; k < 12; k++) {
        at_tensors file;

        run(train, 1);
        at_tensors_init(&file);
        ck_assert_int_eq(at_train_save(train, &file, NULL), AT_OK);
        at_train_free(train);
        ck_assert_int_eq(at_train_alloc(&other, &layout, &options, again, NULL), AT_OK);
        ck_assert_int_eq(at_train_load(other, &file, NULL), AT_OK);
        ck_assert_uint_eq(at_train_steps_made(other), (size_t) k + 1);
        at_tensors_clear(&file);
        train = other;
    }
    at_train_params(train, again);
    ck_assert_mem_eq(end, again, layout.count * sizeof *end);
    at_train_free(train);
    free(begin);
    free(end);
    free(again);
    at_layout_clear(&layout);
}
END_TEST

START_TEST(states_that_are_none)
{
    at_model model = encoder(&pi, AT_ENC_T5);
    at_train_options options = options_for(&pi, true);
    at_layout layout;
    at_train *train;
    at_tensors file;
    at_error err = AT_ERROR_INIT;
    double *begin;

    ck_assert_int_eq(at_layout_init(&layout, &model, NULL), AT_OK);
    begin = start(&layout, 1);
    ck_assert_int_eq(at_train_alloc(&train, &layout, &options, begin, NULL), AT_OK);
    at_tensors_init(&file);
    ck_assert_int_eq(at_train_load(train, &file, &err), AT_INPUT);
    ck_assert_int_eq(at_tensors_set_metadata(&file, "step", "3", NULL), AT_OK);
    ck_assert_int_eq(at_train_load(train, &file, &err), AT_INPUT);
    ck_assert(strstr(err.text, "adam.m") != NULL);
    at_tensors_clear(&file);
    at_train_free(train);
    options.batch = 0;
    ck_assert_int_eq(at_train_alloc(&train, &layout, &options, begin, &err), AT_USAGE);
    free(begin);
    at_layout_clear(&layout);
}
END_TEST

START_TEST(rates)
{
    at_train_options options = options_for(&pi, true);

    options.steps = 10;
    options.warmup = 4;
    options.rate = 8.0;
    ck_assert_double_eq(at_train_rate(&options, 1), 2.0);
    ck_assert_double_eq(at_train_rate(&options, 4), 8.0);
    ck_assert_double_eq(at_train_rate(&options, 5), 8.0);
    ck_assert_double_eq_tol(at_train_rate(&options, 8), 4.0, 1e-12);
    ck_assert_double_gt(at_train_rate(&options, 10), 0.0);
    options.schedule = AT_SCHEDULE_COSINE;
    ck_assert_double_eq(at_train_rate(&options, 5), 8.0);
    ck_assert_double_eq_tol(at_train_rate(&options, 8), 4.0, 1e-12);
    options.schedule = AT_SCHEDULE_CONSTANT;
    ck_assert_double_eq(at_train_rate(&options, 10), 8.0);
    options.warmup = 0;
    ck_assert_double_eq(at_train_rate(&options, 1), 8.0);
}
END_TEST

/* Position identification: URPE learns it; without encoding the loss cannot go below log n. */
START_TEST(learns)
{
    static const enum at_encoding_id encodings[] = { AT_ENC_URPE, AT_ENC_LEARNED, AT_ENC_NONE,
                                                     AT_ENC_T5 };
    for (int e = 0; e < 4; e++) {
        at_model model = encoder(&pi, encodings[e]);
        at_train_options options = options_for(&pi, true);
        at_layout layout;
        at_train *train;
        at_evaluation random, constant;
        at_error err = AT_ERROR_INIT;
        double *params;

        options.steps = 400;
        options.batch = 16;
        ck_assert_int_eq(at_layout_init(&layout, &model, NULL), AT_OK);
        params = start(&layout, 2);
        ck_assert_int_eq(at_train_alloc(&train, &layout, &options, params, NULL), AT_OK);
        run(train, 400);
        at_train_params(train, params);
        ck_assert_int_eq(at_evaluate_random(&random, &layout, params, &pi, AT_STREAM_VALIDATE, 0,
                                            200, 1, NULL), AT_OK);
        ck_assert_msg(at_evaluate_constants(&constant, &layout, params, &pi, 100, 2, &err)
                      == AT_OK, "%s", err.text);
        ck_assert_uint_eq(constant.sequences, 11);
        if (e < 2) {
            ck_assert_double_ge(random.accuracy, 0.999);
            ck_assert_double_ge(constant.accuracy, 0.999);
            ck_assert_double_le(random.loss, 0.1);
        } else {
            /* one row's prediction is right at one position or at none */
            ck_assert_double_le(constant.best_accuracy, at_task_constant_ceiling(&pi));
            ck_assert_double_ge(constant.least_loss + constant.least_loss_error,
                                at_task_constant_floor(&pi) * (1 - 16 * DBL_EPSILON));
            ck_assert_double_le(constant.spread, AT_COLLAPSE_ROUNDING);
        }
        if (encodings[e] == AT_ENC_NONE)   /* 1,200 scores: 1/6 and six standard errors */
            ck_assert_double_le(random.accuracy, 1.0 / 6 + 6 * 0.0108);
        at_train_free(train);
        free(params);
        at_layout_clear(&layout);
    }
}
END_TEST

/* Zero weights: each class has the probability 1/width exactly, so the loss is log(width), and where the
 * classes are the positions that is the floor itself. */
START_TEST(loss_at_its_floor)
{
    for (size_t n = 2; n <= 40; n++) {
        at_task task = { .id = AT_TASK_PI, .n = n, .vocab = n };
        at_model model = encoder(&task, AT_ENC_T5);
        at_layout layout;
        at_evaluation constant;
        double *params;

        ck_assert_int_eq(at_layout_init(&layout, &model, NULL), AT_OK);
        params = calloc(layout.count, sizeof *params);
        ck_assert_int_eq(at_evaluate_constants(&constant, &layout, params, &task, 3, 1, NULL), AT_OK);
        long double exact = logl((long double) layout.model.outputs);
        ck_assert_msg(fabsl(constant.least_loss - exact) <= constant.least_loss_error
                      && constant.least_loss_error <= 1e-12, "n = %zu: %.17g, %.17Lg, within %g", n,
                      constant.least_loss, exact, constant.least_loss_error);
        free(params);
        at_layout_clear(&layout);
    }
}
END_TEST

/* A function on three sequences and two constants. */
typedef struct {
    at_seqfun f;
    at_task task;
    at_layout layout;
    double rows[5 * 4 * 2], values[5 * 4], *params;
    at_loss *loss;
} function_fit;

static void open_function(function_fit *fit, enum at_encoding_id encoding, const char *text)
{
    at_model model;
    at_fit_part parts[2];

    ck_assert_int_eq(at_seqfun_parse(&fit->f, text, NULL), AT_OK);
    fit->task = (at_task) { .id = AT_TASK_FUNCTION, .n = 4, .seed = 3, .function = &fit->f,
                            .low = 0, .high = 1 };
    model = network(&fit->task, encoding);
    ck_assert_int_eq(at_layout_init(&fit->layout, &model, NULL), AT_OK);
    fit->params = start(&fit->layout, 1);
    ck_assert_int_eq(at_task_rows(&fit->task, AT_STREAM_TRAIN, 0, 0, 3, fit->rows, fit->values,
                                  NULL), AT_OK);
    ck_assert_int_eq(at_task_constant_rows(&fit->task, 2, fit->rows + 24, fit->values + 12, NULL),
                     AT_OK);
    parts[0] = (at_fit_part) { { .batch = 3, .n = 4, .rows = fit->rows, .values = fit->values },
                               1.0 };
    parts[1] = (at_fit_part) { { .batch = 2, .n = 4, .rows = fit->rows + 24,
                                 .values = fit->values + 12 }, 2.5 };
    ck_assert_int_eq(at_loss_alloc(&fit->loss, &fit->layout, parts, 2, 1, NULL), AT_OK);
}

static void close_function(function_fit *fit)
{
    at_loss_free(fit->loss);
    free(fit->params);
    at_layout_clear(&fit->layout);
    at_seqfun_clear(&fit->f);
}

/* f = ‖r‖², ∇f = 2J^T r, and J by central differences of r. */
START_TEST(objective_is_consistent)
{
    function_fit fit;
    at_objective objective;
    double f, plain, norm = 0.0, r[20], low[20], high[20], *gradient, *jacobian;
    size_t size;

    open_function(&fit, AT_ENC_URPE, "x[i-1]^2");
    objective = at_loss_objective(fit.loss);
    size = objective.size;
    ck_assert_uint_eq(objective.residuals, 20);
    gradient = malloc(size * sizeof *gradient);
    jacobian = malloc(20 * size * sizeof *jacobian);
    ck_assert_int_eq(objective.value(fit.params, &f, gradient, objective.data, NULL), AT_OK);
    ck_assert_int_eq(objective.value(fit.params, &plain, NULL, objective.data, NULL), AT_OK);
    ck_assert_int_eq(objective.residual(fit.params, r, jacobian, objective.data, NULL), AT_OK);
    for (int k = 0; k < 20; k++)
        norm += r[k] * r[k];
    ck_assert_double_eq_tol(norm, f, 1e-13);
    ck_assert_double_eq_tol(plain, f, 1e-13);
    for (size_t i = 0; i < size; i++) {
        double product = 0.0, x = fit.params[i];
        const double h = 1e-6;

        for (size_t k = 0; k < 20; k++)
            product += 2.0 * jacobian[k * size + i] * r[k];
        ck_assert_double_eq_tol(product, gradient[i], 1e-11);
        fit.params[i] = x + h;
        ck_assert_int_eq(objective.residual(fit.params, high, NULL, objective.data, NULL), AT_OK);
        fit.params[i] = x - h;
        ck_assert_int_eq(objective.residual(fit.params, low, NULL, objective.data, NULL), AT_OK);
        fit.params[i] = x;
        for (size_t k = 0; k < 20; k++)
            ck_assert_double_eq_tol((high[k] - low[k]) / (2 * h), jacobian[k * size + i], 1e-8);
    }
    free(gradient);
    free(jacobian);
    close_function(&fit);
}
END_TEST

/* Each optimizer brings URPE's loss down; on constants a model without encoding stays above the
 * floor 3/2 of position at n = 4, to rounding. */
START_TEST(fits_a_function)
{
    function_fit fit;
    at_evaluation e;

    for (int optimizer = 0; optimizer < AT_OPT_COUNT; optimizer++)
        for (int encoding = 0; encoding < 2; encoding++) {
            at_fit_options options = at_fit_defaults((enum at_optimizer_id) optimizer);
            at_fit_result result;
            at_objective objective;
            double before;

            open_function(&fit, encoding ? AT_ENC_NONE : AT_ENC_URPE, "position");
            objective = at_loss_objective(fit.loss);
            options.iterations = 40;
            ck_assert_int_eq(objective.value(fit.params, &before, NULL, objective.data, NULL),
                             AT_OK);
            ck_assert_int_eq(at_fit_minimize(fit.params, &result, &objective, &options, NULL),
                             AT_OK);
            ck_assert_int_eq(at_evaluate_rows(&e, &fit.layout, fit.params, fit.rows + 24,
                                              fit.values + 12, 2, 1, NULL), AT_OK);
            if (encoding == 0)
                ck_assert_double_le(result.f, 0.5 * before);
            else {
                /* outputs that were equal would be off by 3/2: targets 1, …, 4 are exact */
                ck_assert_double_ge((e.max_error + e.spread_absolute) * (1 + 8 * DBL_EPSILON), 1.5);
                ck_assert_double_le(e.spread, AT_COLLAPSE_ROUNDING);
            }
            if (optimizer == AT_OPT_LEVENBERG_MARQUARDT && encoding == 0)
                ck_assert_double_le(e.max_error, 0.015);
            close_function(&fit);
        }
}
END_TEST

/* A broken model must not look good. */
START_TEST(not_a_number_is_no_small_error)
{
    function_fit fit;
    at_evaluation e;

    open_function(&fit, AT_ENC_NONE, "position");
    fit.params[0] = NAN;
    ck_assert_int_eq(at_evaluate_rows(&e, &fit.layout, fit.params, fit.rows, fit.values, 3, 1,
                                      NULL), AT_UNEXPECTED);
    ck_assert(!(e.max_error <= 1e300) && !(e.loss <= 1e300));
    close_function(&fit);
}
END_TEST

static void quiet_gsl(void)
{
    gsl_set_error_handler_off();
}

static Suite *suite(void)
{
    Suite *s = suite_create("fit");
    TCase *t = tcase_create("training");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, quiet_gsl, NULL);
    tcase_add_loop_test(t, same_bits, 0, 2);
    tcase_add_test(t, states_that_are_none);
    tcase_add_test(t, rates);
    tcase_add_test(t, learns);
    tcase_add_test(t, loss_at_its_floor);
    tcase_add_test(t, objective_is_consistent);
    tcase_add_test(t, fits_a_function);
    tcase_add_test(t, not_a_number_is_no_small_error);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
