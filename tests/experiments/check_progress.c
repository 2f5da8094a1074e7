/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of long work: rate and time left, of a run that goes on from an earlier process too. */
#include "config.h"

#include <unistd.h>

#include "attest/experiments/cli/progress.h"
#include "tests/at_check.h"

/* What an update prints ten seconds after the start, of which first steps were made before. */
static void line_of(char *line, size_t size, size_t first, size_t done)
{
    at_progress progress;
    FILE *file = tmpfile();
    size_t length;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    at_progress_start(&progress, "fit", "steps", 40000, false);
    at_progress_resume(&progress, first);
    progress.start -= 10.0;
    progress.last -= 60.0;
    at_progress_update(&progress, done, "loss 2");
    at_progress_finish(&progress);
    fflush(stderr);
    rewind(file);
    length = fread(line, 1, size - 1, file);
    line[length] = '\0';
    fclose(file);
}

START_TEST(rate_and_time_left)
{
    char line[200];

    line_of(line, sizeof line, 0, 20000);
    ck_assert_str_eq(line, "fit: 20000 of 40000 steps, 2e+03/s, 10 s left, loss 2\n");
}
END_TEST

/* Twenty steps in ten seconds: the 20,000 before them were another process's. */
START_TEST(resumed)
{
    char line[200];

    line_of(line, sizeof line, 20000, 20020);
    ck_assert_str_eq(line, "fit: 20020 of 40000 steps, 2/s, 2.8 h left, loss 2\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("progress");
    TCase *t = tcase_create("progress");

    tcase_add_test(t, rate_and_time_left);
    tcase_add_test(t, resumed);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
