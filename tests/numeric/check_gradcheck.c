/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every layer kind and every encoding passes its gradient check. */
#include "config.h"

#include "attest/numeric/transformer/gradcheck.h"
#include "tests/at_check.h"

START_TEST(passes)
{
    at_gradcheck_case *cases = calloc(at_gradcheck_cases(NULL), sizeof *cases);
    size_t count = at_gradcheck_cases(cases);

    for (size_t i = 0; i < count; i++) {
        at_gradcheck_result result;
        at_error err = AT_ERROR_INIT;

        ck_assert_msg(at_gradcheck_run(&cases[i], 1, 8, &result, &err) == AT_OK, "%s: %s",
                      cases[i].name, err.text);
        ck_assert_msg(result.pass, "%s: %.3g at %s", cases[i].name, result.error, result.worst);
    }
    free(cases);
}
END_TEST

static Suite *gradcheck_suite(void)
{
    Suite *suite = suite_create("gradcheck");
    TCase *tcase = tcase_create("all");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, passes);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(gradcheck_suite)
