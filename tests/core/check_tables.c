/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptor tables are complete, and the searches find every entry; model descriptions. */
#include "config.h"

#include "attest/core/model.h"
#include "attest/core/tables.h"
#include "tests/at_check.h"

START_TEST(encodings_are_complete)
{
    for (int k = 0; k < AT_ENC_COUNT; k++) {
        const at_encoding_info *info = &at_encodings[k];

        ck_assert_ptr_nonnull(info->name);
        ck_assert_ptr_nonnull(info->summary);
        ck_assert_ptr_nonnull(info->source);
        ck_assert_int_eq(at_encoding_find(info->name), k);
        for (const char *c = info->name; *c != '\0'; c++)
            ck_assert(strchr("abcdefghijklmnopqrstuvwxyz0123456789-", *c) != NULL);
    }
    ck_assert_int_eq(at_encoding_find("nope"), AT_ENC_NONE);
    ck_assert_int_eq(at_encoding_find("ape"), AT_ENC_LEARNED);
    ck_assert_int_eq(at_encoding_find("rpe"), AT_ENC_T5);
    ck_assert_int_eq(at_encoding_find("T5"), -1);
    ck_assert_int_eq(at_encoding_find(""), -1);
}
END_TEST

/* theory.md: the softmax-only encodings collapse, the escapes do not. */
START_TEST(who_collapses)
{
    static const char *const escapes[] = {"learned", "sinusoidal", "shaw", "urpe", "graph-urpe",
        "stable-mask", "l2-norm", "relu2"};
    int count = 0;

    for (int k = 0; k < AT_ENC_COUNT; k++)
        count += !at_encodings[k].right_stochastic;
    ck_assert_int_eq(count, 8);
    for (size_t k = 0; k < 8; k++)
        ck_assert(!at_encodings[at_encoding_find(escapes[k])].right_stochastic);
    ck_assert(at_encodings[AT_ENC_ALIBI].causal_only);
}
END_TEST

START_TEST(other_tables_are_complete)
{
    for (int k = 0; k < AT_RHO_COUNT; k++)
        ck_assert_int_eq(at_rho_find(at_rhos[k].name), k);
    for (int k = 0; k < AT_STEP_COUNT; k++) {
        ck_assert_int_eq(at_step_find(at_steps[k].name), k);
        ck_assert_ptr_nonnull(at_steps[k].summary);
        ck_assert(!at_steps[k].descends || at_steps[k].claim != NULL);
    }
    for (int k = 0; k < AT_TASK_COUNT; k++)
        ck_assert_int_eq(at_task_find(at_tasks[k].name), k);
    for (int k = 0; k < AT_OPT_COUNT; k++)
        ck_assert_int_eq(at_optimizer_find(at_optimizers[k].name), k);
    ck_assert_int_eq(at_rho_find("none"), -1);
    ck_assert_int_eq(at_step_find("none"), -1);
    ck_assert_int_eq(at_task_find("none"), -1);
    ck_assert_int_eq(at_optimizer_find("none"), -1);
}
END_TEST

START_TEST(nearest_names)
{
    const char *names[AT_ENC_COUNT];
    char longest[500];

    for (int k = 0; k < AT_ENC_COUNT; k++)
        names[k] = at_encodings[k].name;
    ck_assert_str_eq(at_nearest("transformer-x", names, AT_ENC_COUNT), "transformer-xl");
    ck_assert_str_eq(at_nearest("kerple-lgo", names, AT_ENC_COUNT), "kerple-log");
    ck_assert_str_eq(at_nearest("urp", names, AT_ENC_COUNT), "urpe");
    ck_assert_ptr_null(at_nearest("quaternion", names, AT_ENC_COUNT));
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_ptr_null(at_nearest(longest, names, AT_ENC_COUNT));
    ck_assert_ptr_null(at_nearest("urpe", names, 0));
}
END_TEST

static at_model small_model(void)
{
    return (at_model) {.encoding = AT_ENC_T5, .n = 8, .vocab = 10, .outputs = 10, .d = 16, .heads = 2,
                       .ffn = 32, .layers = 2, .activation = AT_GELU};
}

START_TEST(models_are_checked)
{
    at_error err = AT_ERROR_INIT;
    at_model model = small_model();

    ck_assert_int_eq(at_model_check(&model, &err), AT_OK);
    model.heads = 3;
    model.n = 0;
    model.inputs = 2;
    ck_assert_int_eq(at_model_check(&model, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "heads"));
    ck_assert_ptr_nonnull(strstr(err.text, "n is 0"));
    ck_assert_ptr_nonnull(strstr(err.text, "tokens"));
    model = small_model();
    model.encoding = AT_ENC_ALIBI;
    ck_assert_int_eq(at_model_check(&model, &err), AT_USAGE);
    model.causal = true;
    ck_assert_int_eq(at_model_check(&model, &err), AT_OK);
    model = small_model();
    model.d = SIZE_MAX / 2;
    ck_assert_int_eq(at_model_check(&model, NULL), AT_USAGE);
    model = small_model();
    model.vocab = 0;
    model.inputs = 2;
    model.tied = true;
    ck_assert_int_eq(at_model_check(&model, &err), AT_USAGE);
    model = small_model();
    model.encoding = AT_ENC_ROPE;
    model.d = 6;
    ck_assert_int_eq(at_model_check(&model, &err), AT_USAGE);
}
END_TEST

static Suite *tables_suite(void)
{
    Suite *suite = suite_create("tables");
    TCase *tcase = tcase_create("tables");

    tcase_add_test(tcase, encodings_are_complete);
    tcase_add_test(tcase, who_collapses);
    tcase_add_test(tcase, other_tables_are_complete);
    tcase_add_test(tcase, nearest_names);
    tcase_add_test(tcase, models_are_checked);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(tables_suite)
