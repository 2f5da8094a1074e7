/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest verify on claims that do not end as expected: it runs the command itself on a table of its
 * own, which stands where theory/claim/tables.c would.  Each run has a process of its own, as commands
 * have. */
#include "tests/at_check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "attest/experiments/cli/commands.h"
#include "attest/theory/claim/claim.h"

static int decide_true(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "the proof", AT_METHOD_SYMBOLIC, AT_TRUE, "holds");
    return AT_OK;
}

static int decide_nothing(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "the proof", AT_METHOD_SYMBOLIC, AT_UNKNOWN, "not found");
    return AT_OK;
}

static int decide_broken(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_witness(run, "x = 1");
    at_claim_refute(run, "the witness", AT_METHOD_EXACT, AT_TRUE, "1 > 0");
    at_claim_recheck(run, "again", AT_METHOD_BALL, AT_TRUE, "1 > 0");
    return AT_OK;
}

static int decide_without_recheck(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_witness(run, "x = 1");
    at_claim_refute(run, "the witness", AT_METHOD_EXACT, AT_TRUE, "1 > 0");
    return AT_OK;
}

static int decide_no_room(at_claim_run *run, at_error *err)
{
    (void) run;
    return at_error_set(err, AT_ENVIRONMENT, "no room for it");
}

static const at_claim claims[] = {
    { "good.proof", "What is proved is as expected.", "tests", AT_PROVED, decide_true, NULL },
    { "good.witness", "What is refuted is as expected.", "tests", AT_REFUTED, decide_broken, NULL },
    { "bad.stronger", "A proof where a refutation was expected.", "tests", AT_REFUTED, decide_true, NULL },
    { "bad.weaker", "A proof where instances were expected.", "tests", AT_CERTIFIED, decide_true, NULL },
    { "bad.open", "Nothing was decided.", "tests", AT_PROVED, decide_nothing, NULL },
    { "bad.once", "A witness that nothing re-checks.", "tests", AT_REFUTED, decide_without_recheck, NULL },
    { "room.none", "There is no room.", "tests", AT_PROVED, decide_no_room, NULL },
};
static const at_claim_table own = { claims, sizeof claims / sizeof claims[0] };
static const at_claim_table *const tables[] = { &own };

const at_claim_table *const *at_claim_tables(size_t *count)
{
    *count = 1;
    return tables;
}

/* `attest verify ARGUMENTS...` (at most 3): its exit status, and what it printed in text. */
static int verify(char *text, size_t room, const char *first, const char *second, const char *third)
{
    char *argv[] = { (char *) "attest verify", (char *) first, (char *) second, (char *) third, NULL };
    int argc = 1, ends[2], status;
    size_t used = 0;
    pid_t child;

    while (argc < 4 && argv[argc] != NULL)
        argc++;
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        status = at_cmd_verify(argc, argv);
        fflush(NULL);
        _exit(status);
    }
    close(ends[1]);
    for (ssize_t got; used + 1 < room && (got = read(ends[0], text + used, room - 1 - used)) > 0; )
        used += (size_t) got;
    text[used] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect_text(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
}

START_TEST(as_expected_is_0)
{
    char text[8192];

    ck_assert_int_eq(verify(text, sizeof text, "good.*", NULL, NULL), 0);
    expect_text(text, "2 claims, 2 as expected, 0 not");
    ck_assert_ptr_null(strstr(text, "NOT AS EXPECTED"));
    ck_assert_int_eq(verify(text, sizeof text, "good.*", "--json", NULL), 0);
    expect_text(text, "\"as_expected\": true");
    ck_assert_ptr_null(strstr(text, "\"as_expected\": false"));
}
END_TEST

START_TEST(any_other_verdict_is_1)
{
    static const struct { const char *id, *verdict, *expected; } wrong[] = {
        { "bad.stronger", "PROVED", "expected REFUTED" },
        { "bad.weaker", "PROVED", "expected CERTIFIED" },
        { "bad.open", "UNDECIDED", "expected PROVED" },
        { "bad.once", "UNDECIDED", "expected REFUTED" },
    };
    char text[8192];

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(verify(text, sizeof text, wrong[i].id, NULL, NULL), 1);
        ck_assert_msg(strncmp(text, wrong[i].verdict, strlen(wrong[i].verdict)) == 0, "%s", text);
        expect_text(text, "NOT AS EXPECTED");
        expect_text(text, wrong[i].expected);
        expect_text(text, "1 claim, 0 as expected, 1 not");
        /* --quiet hides what is as expected, never what is not */
        ck_assert_int_eq(verify(text, sizeof text, wrong[i].id, "--quiet", NULL), 1);
        expect_text(text, "NOT AS EXPECTED");
    }
    ck_assert_int_eq(verify(text, sizeof text, "good.*", "bad.*", NULL), 1);
    expect_text(text, "6 claims, 2 as expected, 4 not");
    ck_assert_int_eq(verify(text, sizeof text, "good.*", "bad.*", "--quiet"), 1);
    ck_assert_ptr_null(strstr(text, "good."));
    ck_assert_int_eq(verify(text, sizeof text, "good.*", "bad.open", "--json"), 1);
    expect_text(text, "\"as_expected\": false");
}
END_TEST

START_TEST(a_failed_environment_is_4)
{
    char text[8192];

    ck_assert_int_eq(verify(text, sizeof text, "room.none", NULL, NULL), 4);
    expect_text(text, "room.none: no room for it");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("verify");
    TCase *t = tcase_create("exit status");

    tcase_add_test(t, as_expected_is_0);
    tcase_add_test(t, any_other_verdict_is_1);
    tcase_add_test(t, a_failed_environment_is_4);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
