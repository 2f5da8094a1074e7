/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large blocks of memory are refused before the system kills the process for them. */
#include "tests/at_check.h"

#include <stdint.h>
#include <string.h>

#include "attest/core/memory.h"

START_TEST(a_block_beyond_the_machine_is_refused)
{
    at_error err = AT_ERROR_INIT;

    if (at_memory_available() == SIZE_MAX)     /* a system that does not say */
        return;
    ck_assert_int_eq(at_memory_check((size_t) 1 << 50, "the attic", &err), AT_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "the attic needs 1125899.9 GB"));
    ck_assert_int_eq(err.status, AT_ENVIRONMENT);
}
END_TEST

START_TEST(a_small_block_passes)
{
    ck_assert_int_eq(at_memory_check(0, "nothing", NULL), AT_OK);
    ck_assert_int_eq(at_memory_check((size_t) 1 << 27, "a drawer", NULL), AT_OK);
}
END_TEST

START_TEST(something_is_available)
{
    ck_assert_uint_gt(at_memory_available(), (size_t) 1 << 20);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("memory");
    TCase *t = tcase_create("blocks");

    tcase_add_test(t, a_block_beyond_the_machine_is_refused);
    tcase_add_test(t, a_small_block_passes);
    tcase_add_test(t, something_is_available);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
