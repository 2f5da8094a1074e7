/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runner of claims: how verdicts follow from steps, and the whole registry. */
#include "tests/at_check.h"
#include "attest/theory/claim/claim.h"

static at_claim_step step(enum at_step_role role, enum at_method method, enum at_verdict verdict)
{
    at_claim_step s = { NULL, NULL, method, role, verdict, NULL };
    return s;
}

START_TEST(verdict_follows_from_steps)
{
    at_claim_step proof = step(AT_ROLE_PROOF, AT_METHOD_SYMBOLIC, AT_PROVED);
    at_claim_step cited = step(AT_ROLE_PROOF, AT_METHOD_CITED, AT_PROVED);
    at_claim_step instance = step(AT_ROLE_INSTANCE, AT_METHOD_EXACT, AT_CERTIFIED);
    at_claim_step witness = step(AT_ROLE_WITNESS, AT_METHOD_EXACT, AT_REFUTED);
    at_claim_step recheck = step(AT_ROLE_RECHECK, AT_METHOD_BALL, AT_REFUTED);
    at_claim_step open = step(AT_ROLE_PROOF, AT_METHOD_SYMBOLIC, AT_UNDECIDED);
    at_claim_step support = step(AT_ROLE_SUPPORT, AT_METHOD_EXACT, AT_CERTIFIED);
    at_claim_step floating = step(AT_ROLE_INSTANCE, AT_METHOD_FLOAT, AT_CERTIFIED);

#define VERDICT(has_witness, ...) \
    at_claim_verdict((at_claim_step[]){ __VA_ARGS__ }, \
                     sizeof (at_claim_step[]){ __VA_ARGS__ } / sizeof(at_claim_step), has_witness)
    ck_assert_int_eq(at_claim_verdict(NULL, 0, true), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(false, proof, cited), AT_PROVED);
    ck_assert_int_eq(VERDICT(false, cited), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(false, proof, support), AT_PROVED);
    ck_assert_int_eq(VERDICT(false, support), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(false, proof, instance), AT_CERTIFIED);
    ck_assert_int_eq(VERDICT(false, proof, floating), AT_PROVED);
    ck_assert_int_eq(VERDICT(false, floating), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(false, proof, open), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(true, witness, recheck), AT_REFUTED);
    ck_assert_int_eq(VERDICT(true, proof, witness, recheck), AT_REFUTED);
    ck_assert_int_eq(VERDICT(false, witness, recheck), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(true, witness), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(true, recheck), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(true, witness, recheck, open), AT_UNDECIDED);
    ck_assert_int_eq(VERDICT(true, proof, instance, recheck), AT_UNDECIDED);
}
END_TEST

static int decide_ball_proof(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "by enclosures", AT_METHOD_BALL, AT_TRUE, "an instance, however sure");
    return AT_OK;
}

static int decide_environment(at_claim_run *run, at_error *err)
{
    at_claim_prove(run, "fine", AT_METHOD_SYMBOLIC, AT_TRUE, "until the disk was full");
    return at_error_set(err, AT_ENVIRONMENT, "no room");
}

static int decide_more(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_support(run, "the other engine", AT_METHOD_FLOAT, AT_FALSE, "disagrees");
    return AT_OK;
}

static int decide_fine(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "fine", AT_METHOD_SYMBOLIC, AT_TRUE, "holds");
    at_claim_scope(run, "n = %d", 3);
    at_claim_scope(run, "d = %d", 2);
    at_claim_fact_relation(run, "one", "1", "=", "1");
    return AT_OK;
}

START_TEST(runner)
{
    const at_claim_options options = { .seed = 7 };
    const at_claim claims[] = {
        { "a", "by balls", "tests", AT_PROVED, decide_ball_proof, NULL },
        { "b", "environment", "tests", AT_PROVED, decide_environment, NULL },
        { "c", "fine", "tests", AT_PROVED, decide_fine, NULL },
    };
    const at_claim more[] = { { "c", NULL, NULL, AT_UNDECIDED, decide_more, NULL } };
    const at_claim_table first = { claims, 3 }, second = { more, 1 };
    const at_claim_table *tables[] = { &first, &second };
    at_claim_run run;
    at_error err = AT_ERROR_INIT;

    ck_assert_int_eq(at_claim_decide_one(&run, &claims[0], tables, 2, &options, &err), AT_OK);
    ck_assert_int_eq(run.verdict, AT_CERTIFIED);
    ck_assert(!run.as_expected);
    at_claim_run_clear(&run);

    ck_assert_int_eq(at_claim_decide_one(&run, &claims[1], tables, 2, &options, &err),
                     AT_ENVIRONMENT);
    ck_assert_int_eq(run.verdict, AT_UNDECIDED);
    ck_assert(!run.as_expected);
    at_claim_run_clear(&run);

    ck_assert_int_eq(at_claim_decide_one(&run, &claims[2], tables, 1, &options, &err), AT_OK);
    ck_assert_int_eq(run.verdict, AT_PROVED);
    ck_assert(run.as_expected);
    ck_assert_str_eq(run.scope, "n = 3; d = 2");
    ck_assert_uint_eq(run.fact_count, 1);
    at_claim_run_clear(&run);

    /* a second table adds a step to the same claim, and it fails */
    ck_assert_int_eq(at_claim_decide_one(&run, &claims[2], tables, 2, &options, &err), AT_OK);
    ck_assert_uint_eq(run.step_count, 2);
    ck_assert_int_eq(run.verdict, AT_UNDECIDED);
    at_claim_run_clear(&run);
}
END_TEST

START_TEST(streams_depend_on_seed_and_id)
{
    at_claim_run run[3];
    at_error err = AT_ERROR_INIT;
    const at_claim c = { "c", "fine", "tests", AT_PROVED, decide_fine, NULL };
    const at_claim d = { "d", "fine", "tests", AT_PROVED, decide_fine, NULL };
    const at_claim_options one = { .seed = 1 }, two = { .seed = 2 };
    ck_assert_int_eq(at_claim_decide_one(&run[0], &c, NULL, 0, &one, &err), AT_OK);
    ck_assert_int_eq(at_claim_decide_one(&run[1], &c, NULL, 0, &two, &err), AT_OK);
    ck_assert_int_eq(at_claim_decide_one(&run[2], &d, NULL, 0, &one, &err), AT_OK);
    uint64_t a = at_claim_random(&run[0]);
    ck_assert(a != at_claim_random(&run[1]) && a != at_claim_random(&run[2]));
    ck_assert_uint_ge(at_claim_instances(&run[0]), 200);
    for (int k = 0; k < 3; k++)
        at_claim_run_clear(&run[k]);
}
END_TEST

START_TEST(patterns)
{
    ck_assert(at_claim_matches("rpe.floor", "rpe.floor"));
    ck_assert(!at_claim_matches("rpe.floor", "rpe.floor/euclidean-diameter"));
    ck_assert(at_claim_matches("rpe.*", "rpe.floor/euclidean-diameter"));
    ck_assert(at_claim_matches("*", "opt.rate"));
    ck_assert(!at_claim_matches("rpe.*", "urpe.row-sums"));
    ck_assert(!at_claim_matches("", "rpe.floor"));
}
END_TEST

/* ids are unique and named after their table; every text is there. */
START_TEST(registry_is_sound)
{
    size_t count, total = 0;
    const at_claim_table *const *tables = at_claim_tables(&count);
    ck_assert_uint_eq(count, 3);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++, total++) {
            const at_claim *claim = &tables[t]->claims[i];
            ck_assert(claim->decide != NULL);
            ck_assert_msg(claim->statement != NULL && strlen(claim->statement) > 40, "%s",
                          claim->id);
            ck_assert_msg(claim->source != NULL && claim->source[0] != '\0', "%s", claim->id);
            ck_assert_int_ne(claim->expected, AT_UNDECIDED);
            for (size_t s = 0; s <= t; s++)
                for (size_t k = 0; k < (s < t ? tables[s]->count : i); k++)
                    ck_assert_str_ne(tables[s]->claims[k].id, claim->id);
        }
    ck_assert_uint_ge(total, 17);
}
END_TEST

/* A citation is an elementary fact or a theorem of the literature, never another claim: a proof
 * that stands on a claim decides that claim's steps itself. */
START_TEST(no_claim_is_cited)
{
    size_t count;
    const at_claim_table *const *tables = at_claim_tables(&count);
    const at_claim_options options = { .seed = 1 };
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            at_claim_run run;
            at_error err = AT_ERROR_INIT;
            const at_claim *claim = &tables[t]->claims[i];
            ck_assert_int_eq(at_claim_decide_one(&run, claim, NULL, 0, &options, &err), AT_OK);
            for (size_t k = 0; k < run.step_count; k++) {
                const at_claim_step *step = &run.steps[k];
                if (step->method != AT_METHOD_CITED)
                    continue;
                ck_assert_msg(strstr(step->name, "pe.") == NULL && strstr(step->name, "opt.") == NULL
                              && strstr(step->detail, "rpe.") == NULL
                              && strstr(step->detail, "opt.") == NULL,
                              "%s cites %s: %s", claim->id, step->name, step->detail);
            }
            at_claim_run_clear(&run);
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("claim");
    TCase *tc = tcase_create("claim");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, verdict_follows_from_steps);
    tcase_add_test(tc, runner);
    tcase_add_test(tc, streams_depend_on_seed_and_id);
    tcase_add_test(tc, patterns);
    tcase_add_test(tc, registry_is_sound);
    tcase_add_test(tc, no_claim_is_cited);
    suite_add_tcase(s, tc);
    return s;
}

AT_CHECK_MAIN(suite)
