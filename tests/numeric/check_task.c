/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the tasks: labels by the definition, streams that do not depend on how a batch is cut,
 * the bounds for collapsing models against a brute-force search. */
#include "tests/at_check.h"

#include "attest/numeric/optimize/random.h"
#include "attest/numeric/optimize/task.h"

static at_task token_task(enum at_task_id id, size_t n, size_t vocab, bool released)
{
    at_task task = { .id = id, .n = n, .seed = 5, .vocab = vocab, .as_released = released };

    return task;
}

START_TEST(labels)
{
    const int32_t tokens[5] = { 7, 3, 9, 4, 1 };
    int32_t classes[5];
    at_task task = token_task(AT_TASK_ETP, 5, 10, false);

    at_task_classes(&task, tokens, 1, classes);
    ck_assert_mem_eq(classes, ((int32_t[]) { 3, 4, 10, 10, 10 }), sizeof classes);
    task.id = AT_TASK_PI;
    at_task_classes(&task, tokens, 1, classes);
    ck_assert_mem_eq(classes, ((int32_t[]) { 0, 1, 2, 3, 4 }), sizeof classes);
    task.as_released = true;
    at_task_classes(&task, tokens, 1, classes);
    ck_assert_mem_eq(classes, ((int32_t[]) { -1, 1, 2, 3, 4 }), sizeof classes);
}
END_TEST

START_TEST(models_and_symbols)
{
    at_task task = token_task(AT_TASK_ETP, 6, 50, false);
    at_model model;
    at_error err = AT_ERROR_INIT;

    memset(&model, 0, sizeof model);
    at_task_model(&task, &model);
    ck_assert(model.vocab == 51 && model.outputs == 51 && model.n == 6);
    ck_assert_int_eq(at_task_eos(&task), 50);
    task.as_released = true;
    at_task_model(&task, &model);
    ck_assert(model.vocab == 50 && model.outputs == 50 && at_task_symbols(&task) == 30);
    ck_assert_int_eq(at_task_eos(&task), 30);
    task.id = AT_TASK_PI;
    at_task_model(&task, &model);
    ck_assert(model.vocab == 50 && model.outputs == 6);
    task.vocab = 10;
    ck_assert_int_eq(at_task_check(&task, &err), AT_USAGE);
    task.as_released = false;
    ck_assert_int_eq(at_task_check(&task, &err), AT_OK);
    task.n = 0;
    ck_assert_int_eq(at_task_check(&task, &err), AT_USAGE);
}
END_TEST

/* Sequence s of a step is the same whichever batch it is drawn in. */
START_TEST(cuts_do_not_matter)
{
    AT_ROUNDS(r, 100) {
        at_task task = token_task(AT_TASK_ETP, 1 + at_test_below(&r, 9), 1 + at_test_below(&r, 40),
                                  false);
        int32_t tokens[12 * 9], classes[12 * 9], part[12 * 9], part_classes[12 * 9];
        uint32_t step = (uint32_t) at_test_bits(&r);
        size_t first = at_test_below(&r, 12), count = at_test_below(&r, 12 - first + 1);

        at_task_tokens(&task, AT_STREAM_TRAIN, step, 0, 12, tokens, classes);
        at_task_tokens(&task, AT_STREAM_TRAIN, step, first, count, part, part_classes);
        AT_EXPECT(&r, memcmp(tokens + first * task.n, part, count * task.n * sizeof *part) == 0
                      && memcmp(classes + first * task.n, part_classes,
                                count * task.n * sizeof *part) == 0, "first %zu count %zu", first,
                  count);
        for (size_t k = 0; k < 12 * task.n; k++)
            AT_EXPECT(&r, tokens[k] >= 0 && tokens[k] < (int32_t) task.vocab, "%d", tokens[k]);
    }
}
END_TEST

START_TEST(functions)
{
    at_seqfun f;
    at_task task = { .id = AT_TASK_FUNCTION, .n = 100, .seed = 9, .function = &f, .low = -2,
                     .high = 3 };
    static double rows[20 * 100 * 2], values[20 * 100], part[100 * 2], part_values[100];
    double least = 10, most = -10;

    ck_assert_int_eq(at_seqfun_parse(&f, "i*x[1] + x[i]^2", NULL), AT_OK);
    ck_assert_int_eq(at_task_check(&task, NULL), AT_OK);
    ck_assert_int_eq(at_task_rows(&task, AT_STREAM_TRAIN, 1, 0, 20, rows, values, NULL), AT_OK);
    ck_assert_int_eq(at_task_rows(&task, AT_STREAM_TRAIN, 1, 7, 1, part, part_values, NULL), AT_OK);
    ck_assert_mem_eq(part, rows + 7 * 200, sizeof part);
    ck_assert_mem_eq(part_values, values + 7 * 100, sizeof part_values);
    for (int s = 0; s < 20; s++)
        for (int i = 0; i < 100; i++) {
            const double *x = rows + 200 * s;

            least = fmin(least, x[2 * i]);
            most = fmax(most, x[2 * i]);
            ck_assert_double_eq(x[2 * i + 1], 1.0);
            ck_assert_double_eq_tol(values[100 * s + i], (i + 1) * x[0] + x[2 * i] * x[2 * i],
                                    1e-12);
        }
    ck_assert(least >= -2 && least < -1.95 && most < 3 && most > 2.95);
    ck_assert_int_eq(at_task_constant_rows(&task, 11, rows, values, NULL), AT_OK);
    for (int s = 0; s <= 10; s++)
        for (int i = 0; i < 100; i++) {
            ck_assert_double_eq_tol(rows[2 * (100 * s + i)], -2 + 0.5 * s, 1e-15);
            ck_assert_double_eq_tol(values[100 * s + i],
                                    (i + 1) * (-2 + 0.5 * s) + pow(-2 + 0.5 * s, 2), 1e-12);
        }
    ck_assert_double_eq(rows[2 * 1000], 3.0);
    task.high = -2;
    ck_assert_int_eq(at_task_check(&task, NULL), AT_USAGE);
    at_seqfun_clear(&f);
}
END_TEST

/* The best single prediction for all rows of a constant sequence, tried class by class. */
START_TEST(bounds_of_collapsing_models)
{
    for (int id = AT_TASK_PI; id <= AT_TASK_ETP; id++)
        for (size_t n = 2; n <= 9; n++)
            for (int released = 0; released < 2; released++) {
                at_task task = token_task((enum at_task_id) id, n, 30, released);
                int32_t tokens[9], classes[9], predicted[9];
                at_model model = { 0 };
                double best = 0, entropy = 0;

                at_task_model(&task, &model);
                at_task_constants(&task, 4, 1, tokens, classes);
                for (size_t c = 0; c < model.outputs; c++) {
                    at_tally tally = { 0 };
                    double share;

                    for (size_t i = 0; i < n; i++)
                        predicted[i] = (int32_t) c;
                    at_task_tally(&task, predicted, classes, 1, &tally);
                    share = (double) tally.correct / (double) tally.scored;
                    best = fmax(best, share);
                    entropy -= share > 0 ? share * log(share) : 0;
                    ck_assert_uint_eq(tally.scored, n - (id == AT_TASK_PI && released));
                }
                ck_assert_double_eq_tol(at_task_constant_ceiling(&task), best, 1e-15);
                ck_assert_double_eq_tol(at_task_constant_floor(&task), entropy, 1e-14);
            }
}
END_TEST

START_TEST(tallies_and_random_ceilings)
{
    at_task task = token_task(AT_TASK_ETP, 4, 10, false);
    const int32_t classes[8] = { 1, 2, 10, 10, 3, 4, 10, 10 };
    const int32_t predicted[8] = { 1, 0, 10, 10, 10, 4, 0, 10 };
    at_tally tally = { 0 };

    at_task_tally(&task, predicted, classes, 2, &tally);
    ck_assert(tally.scored == 8 && tally.correct == 5);
    ck_assert(tally.hard_scored == 4 && tally.hard_correct == 2);
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_NONE, false), 0.5);
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_NONE, true), 1.0);
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_T5, false), 1.0);
    task.id = AT_TASK_PI;
    ck_assert_double_eq_tol(at_task_random_ceiling(&task, AT_ENC_T5, false), 1 - 1e-3 * 0.75,
                            1e-15);
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_NONE, false), 0.25);
    /* A causal mask lets the model count: only the collapse on constants is left. */
    ck_assert_double_eq_tol(at_task_random_ceiling(&task, AT_ENC_NONE, true), 1 - 1e-3 * 0.75,
                            1e-15);
    ck_assert_double_eq_tol(at_task_random_ceiling(&task, AT_ENC_KERPLE_LOG, true), 1 - 1e-3 * 0.75,
                            1e-15);
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_URPE, false), 1.0);
    task.vocab = 1;     /* constants alone */
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_ALIBI_SYMMETRIC, false), 0.25);
    ck_assert_double_eq(at_task_random_ceiling(&task, AT_ENC_GRAPH_URPE, false), 0.5);
}
END_TEST

/* The best that one prediction for row i of X and row n + 1 − i of JX can do, pair by pair. */
START_TEST(ceilings_under_reversal)
{
    AT_ROUNDS(r, 100) {
        size_t n = 2 + at_test_below(&r, 7), right = 0, scored = 0;
        bool released = at_test_below(&r, 2) == 1;
        at_task task = token_task(at_test_below(&r, 2) ? AT_TASK_PI : AT_TASK_ETP, n, 30, released);
        int32_t tokens[2 * 8], classes[2 * 8];

        at_task_tokens(&task, AT_STREAM_TRAIN, (uint32_t) at_test_bits(&r), 0, 1, tokens, classes);
        for (size_t i = 0; i < n; i++)
            tokens[n + i] = tokens[n - 1 - i];
        at_task_classes(&task, tokens, 2, classes);
        for (size_t i = 0; i < n; i++) {
            int32_t a = classes[i], b = classes[n + n - 1 - i];

            scored += (a >= 0) + (b >= 0);
            right += a == b && a >= 0 ? 2 : a >= 0 || b >= 0;
        }
        AT_EXPECT(&r, fabs(at_task_random_ceiling(&task, AT_ENC_GRAPH_URPE, false)
                           - (double) right / (double) scored) <= 1e-15, "n = %zu: %zu of %zu", n,
                  right, scored);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("task");
    TCase *t = tcase_create("task");

    tcase_add_test(t, labels);
    tcase_add_test(t, models_and_symbols);
    tcase_add_test(t, cuts_do_not_matter);
    tcase_add_test(t, functions);
    tcase_add_test(t, bounds_of_collapsing_models);
    tcase_add_test(t, tallies_and_random_ceilings);
    tcase_add_test(t, ceilings_under_reversal);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
