/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error text: status, prefix, overlong text, and no error structure at all. */
#include "config.h"

#include "attest/core/error.h"
#include "attest/core/verdict.h"
#include "tests/at_check.h"

START_TEST(set_and_prefix)
{
    at_error err = AT_ERROR_INIT;

    ck_assert_int_eq(at_error_set(&err, AT_INPUT, "expected %s", "a number"), AT_INPUT);
    ck_assert_int_eq(err.status, AT_INPUT);
    at_error_prefix(&err, "%s:%d: ", "file.tsv", 7);
    ck_assert_str_eq(err.text, "file.tsv:7: expected a number");
    ck_assert_int_eq(err.status, AT_INPUT);
    ck_assert_int_eq(at_error_memory(&err, "a table"), AT_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "a table"));
}
END_TEST

START_TEST(text_from_its_own_buffer)
{
    at_error err = AT_ERROR_INIT;

    (void) at_error_set(&err, AT_INPUT, "expected a number");
    ck_assert_int_eq(at_error_set(&err, AT_USAGE, "line 3: %s", err.text), AT_USAGE);
    ck_assert_str_eq(err.text, "line 3: expected a number");
    at_error_prefix(&err, "%s; ", err.text);
    ck_assert_str_eq(err.text, "line 3: expected a number; line 3: expected a number");
}
END_TEST

START_TEST(without_structure)
{
    ck_assert_int_eq(at_error_set(NULL, AT_USAGE, "nobody reads %d", 1), AT_USAGE);
    at_error_prefix(NULL, "prefix");
    ck_assert_int_eq(at_error_memory(NULL, "x"), AT_ENVIRONMENT);
}
END_TEST

START_TEST(overlong_text_is_cut)
{
    at_error err = AT_ERROR_INIT;
    char text[3000];

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    at_error_set(&err, AT_INPUT, "%s", text);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    at_error_prefix(&err, "begin: ");
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    ck_assert_int_eq(strncmp(err.text, "begin: aaa", 10), 0);
    at_error_prefix(&err, "%s", text);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
}
END_TEST

START_TEST(verdict_names)
{
    enum at_verdict cleared;

    memset(&cleared, 0, sizeof cleared);
    ck_assert_str_eq(at_verdict_name(cleared), "UNDECIDED");
    ck_assert_str_eq(at_verdict_name(AT_PROVED), "PROVED");
    ck_assert_str_eq(at_verdict_name(AT_CERTIFIED), "CERTIFIED");
    ck_assert_str_eq(at_verdict_name(AT_REFUTED), "REFUTED");
    ck_assert_str_eq(at_method_name(AT_METHOD_BALL), "ball");
}
END_TEST

static Suite *error_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tcase = tcase_create("error");

    tcase_add_test(tcase, set_and_prefix);
    tcase_add_test(tcase, text_from_its_own_buffer);
    tcase_add_test(tcase, without_structure);
    tcase_add_test(tcase, overlong_text_is_cut);
    tcase_add_test(tcase, verdict_names);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(error_suite)
