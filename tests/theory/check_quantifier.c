/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantifiers as data: their text, cases that are counted, signs that follow from ranges; and each
 * hypothesis of the registry dropped in turn, which must leave its claim undecided. */
#include "tests/at_check.h"

#include "attest/theory/claim/quantifier.h"
#include "attest/theory/symbolic/descent.h"

static const at_range ranges[] = {
    AT_SIZE("n", 2, 4), AT_SIZE("d", 1, 3), AT_SIZE("none", 3, 2),
    { .name = "a", .low = "0", .high = "2" }, { .name = "b", .low = "0", .open = true },
    { .name = "k", .high = "1" }, { .name = "free" },
    { .name = "w", .low = "0", .text = "rho non-decreasing" }, { .name = NULL } };

static int decide_nothing(at_claim_run *run, at_error *err)
{
    (void) run;
    (void) err;
    return AT_OK;
}

static const at_claim claim = { "test.ranges", "{a}, {b}, {k}, {n}, {w}, {free}, {x} and D^{-1}",
                                "tests", AT_PROVED, decide_nothing, ranges };

START_TEST(ranges_are_written_out)
{
    char *text = at_claim_statement(&claim);
    ck_assert_str_eq(text, "0 <= a <= 2, b > 0, k <= 1, n = 2..4, rho non-decreasing, any free, {x} "
                           "and D^{-1}");
    free(text);
}
END_TEST

START_TEST(cases_count)
{
    at_claim_run run = { .claim = &claim };
    at_cases cases = at_cases_over(&run, "n d");
    size_t seen = 0;
    ck_assert_int_eq(at_cases_truth(&cases), AT_UNKNOWN);
    while (at_cases_next(&cases)) {
        seen++;
        ck_assert_int_eq(at_cases_truth(&cases), AT_UNKNOWN);
        at_cases_add(&cases, cases.at[0] >= 2 && cases.at[1] <= 3 ? AT_TRUE : AT_FALSE);
    }
    ck_assert_uint_eq(seen, 9);
    ck_assert_int_eq(at_cases_truth(&cases), AT_TRUE);
    at_claim_prove_cases(&run, "all", AT_METHOD_EXACT, &cases, "each");
    ck_assert_str_eq(run.scope, "n = 2..4, d = 1..3");
    ck_assert_str_eq(run.steps[0].detail, "each; n = 2..4, d = 1..3: 9 cases");
    at_claim_run_clear(&run);
}
END_TEST

/* No case, a missing or an empty range, a case left out, one added twice, one that is false. */
START_TEST(what_was_not_counted_is_not_proved)
{
    at_claim_run run = { .claim = &claim };
    static const char *const names[] = { "", "m", "n m", "none", "a", "n d n d" };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        at_cases cases = at_cases_over(&run, names[k]);
        ck_assert(!at_cases_next(&cases));
        at_cases_add(&cases, AT_TRUE);
        ck_assert_int_eq(at_cases_truth(&cases), AT_UNKNOWN);
    }
    at_cases cut = at_cases_over(&run, "n d");
    for (int k = 0; k < 8 && at_cases_next(&cut); k++)
        at_cases_add(&cut, AT_TRUE);
    ck_assert_int_eq(at_cases_truth(&cut), AT_UNKNOWN);
    at_cases twice = at_cases_over(&run, "n");
    at_cases_next(&twice);
    for (int k = 0; k < 3; k++)
        at_cases_add(&twice, AT_TRUE);
    ck_assert_int_eq(at_cases_truth(&twice), AT_UNKNOWN);
    at_cases skipped = at_cases_over(&run, "n");
    while (at_cases_next(&skipped))
        if (skipped.at[0] != 3)
            at_cases_add(&skipped, AT_TRUE);
    ck_assert_int_eq(at_cases_truth(&skipped), AT_UNKNOWN);
    for (int bad = 0; bad < 2; bad++) {
        at_cases wrong = at_cases_over(&run, "n d");
        while (at_cases_next(&wrong))
            at_cases_add(&wrong, wrong.at[0] == 4 ? (bad ? AT_FALSE : AT_UNKNOWN) : AT_TRUE);
        ck_assert_int_eq(at_cases_truth(&wrong), AT_UNKNOWN);
    }
}
END_TEST

START_TEST(signs_follow_from_ranges)
{
    static const struct { const char *variables, *polynomial; enum at_truth sign; } known[] = {
        { "a e", "a*(2-a)*e^2", AT_TRUE },          /* both ends of the range are used */
        { "a e", "a*(19/10-a)*e^2", AT_UNKNOWN },
        { "a e", "(a-1/10)*(2-a)*e^2", AT_UNKNOWN },
        { "b e", "b*e^2", AT_TRUE },
        { "b e", "b*e", AT_UNKNOWN },               /* e is free */
        { "free", "free", AT_UNKNOWN },
        { "free", "free^2", AT_TRUE },
        { "k", "1-k", AT_TRUE },
        { "k", "9/10-k", AT_UNKNOWN },
        { "w t+", "w*t", AT_TRUE },
        { "w t", "w*t", AT_UNKNOWN },
        { "b", "-b", AT_UNKNOWN },
        { "b", "-1/1000000", AT_UNKNOWN },
        { "none", "1", AT_UNKNOWN },                /* an empty range */
        { "", "1", AT_UNKNOWN },
        { "b", "b*unknown", AT_UNKNOWN },
        { "b", "(b", AT_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_msg(at_ranges_nonnegative(ranges, known[i].variables, known[i].polynomial)
                      == known[i].sign, "%s over %s", known[i].polynomial, known[i].variables);
}
END_TEST

/* ---- Dropped hypotheses ----------------------------------------------------- */

static const at_claim *find(const char *id)
{
    size_t count;
    const at_claim_table *const *tables = at_claim_tables(&count);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            if (strcmp(tables[t]->claims[i].id, id) == 0)
                return &tables[t]->claims[i];
    ck_abort_msg("no claim %s", id);
    return NULL;
}

/* The verdict of the claim with one range put in the place of that of the same name. */
static enum at_verdict verdict_with(const char *id, const at_range *changed)
{
    const at_claim *original = find(id);
    at_claim false_one = *original;
    at_range own[16];
    size_t count = 0;
    bool found = false;
    for (const at_range *r = original->ranges; r != NULL && r->name != NULL; r++) {
        ck_assert_uint_lt(count, 15);
        bool here = strcmp(r->name, changed->name) == 0;
        own[count++] = here ? *changed : *r;
        found = found || here;
    }
    ck_assert_msg(found, "%s has no range %s", id, changed->name);
    own[count] = (at_range) { .name = NULL };
    false_one.ranges = own;
    at_claim_run run;
    at_error err = AT_ERROR_INIT;
    ck_assert_int_eq(at_claim_decide_one(&run, &false_one, NULL, 0,
                                         &(at_claim_options) { .seed = 1 }, &err), AT_OK);
    enum at_verdict verdict = run.verdict;
    at_claim_run_clear(&run);
    return verdict;
}

/* Each wording that was false, as a range: what was left out, or a constant past its value. */
static const struct { const char *id; at_range range; } dropped[] = {
    { "opt.relaxation", { .name = "w" } },
    { "opt.relaxation", { .name = "a", .low = "0", .high = "2000001/1000000" } },
    { "opt.relaxation", { .name = "a", .high = "2" } },
    { "opt.relaxation", { .name = "b", .low = "0", .high = "1000001/1000000" } },
    { "opt.attention-descent", { .name = "w" } },
    { "opt.no-self-term", { .name = "w" } },
    { "opt.rate", { .name = "w" } },
    { "opt.ffn", { .name = "a" } },
    { "opt.relu", { .name = "a" } },
    { "opt.relu-divergence", { .name = "a" } },
    { "opt.relu-divergence", { .name = "a", .low = "0" } },
    { "opt.relu-divergence", { .name = "kappa" } },
    { "opt.value-matrix", { .name = "a" } },
    { "opt.multi-head", { .name = "theta" } },
    { "opt.parallel-layer", { .name = "theta" } },
    { "opt.half-step", { .name = "b" } },
    { "opt.apollonius", { .name = "b" } },
    { "opt.cycle", { .name = "a" } },
    { "opt.cycle-limit", { .name = "a" } },
    { "opt.cycle-limit", { .name = "a", .low = "0" } },
    { "opt.relu-half-step", { .name = "b" } },
    { "opt.fixed-keys", { .name = "eta", .low = "0", .high = "2000001/1000000" } },
    { "opt.fixed-keys", { .name = "eta", .high = "2" } },
    { "opt.regularised", { .name = "lambda" } },
    { "opt.regularised", { .name = "lambda", .low = "0" } },
    { "opt.regularised", { .name = "c" } },
    { "opt.residual-input", { .name = "lambda" } },
    { "opt.sphere-softmax", { .name = "eta" } },
};

/* The same wordings are false, not only unproved: what they bound, at a rational point outside the
 * hypothesis, exceeds the bound. */
static const struct { const char *what, *value, *bound; } counterexamples[] = {
    { "relaxation, attention without self terms: rho = -z, Y = (0, 0, 1) -> (1/2, 1/2, 0)",
      "-1/2*((1/2-1/2)^2 + (1/2-0)^2 + (1/2-0)^2)", "-1/2*((0-0)^2 + (0-1)^2 + (0-1)^2)" },
    { "ffn: a = -1, S = B = 0, Y = 1", "1/2*(1+1)^2", "1/2*1^2" },
    { "relu: a = -1, S = B = 0, Y = 1", "1/2*(1+1)^2", "1/2*1^2" },
    { "relu-divergence: a = -1, h = x, x = 1, kappa = 0", "1+1", "1 - 1/2*(-1)*(1-0)*1^2" },
    { "value-matrix: a = -1, rho = log(2+z), Y = (0, 2)",
      "2 + 1/2*((2+(2-4/3)) - (0+(0-2/3)))^2", "2 + 1/2*(2-0)^2" },
    { "parallel-layer: theta = -1, W_a = S = B = 0, Y = 1", "1/2*(1+1)^2", "1/2*1^2" },
    { "half-step: b = -1, f = 0, g = y^2/2, y = 1", "1/2*(1+1)^2", "1/2*1^2 - 1/2*(-1)*1^2" },
    { "relu-half-step: b = -1, f = 0, g = y^2/2, y = 1", "1/2*(1+1)^2", "1/2*1^2" },
    { "cycle: a = -1, f = 0, g = y^2/2, y = 1", "1/2*(1+1)^2",
      "1/2*1^2 - 1/2*(-1)*(1^2 - (-1)^2*1^2*0^2)" },
    { "cycle-limit: a = 0, f = 0, g = y^2/2, the fixed point y = 1", "1", "0*1*0" },
    { "lp-universal: x = u^3, u uniform on [-1, 1]: P(|x| < 1/1000) against 1/1000", "1/10",
      "1/1000" },
};

START_TEST(the_dropped_hypothesis_was_needed)
{
    char difference[256];
    snprintf(difference, sizeof difference, "(%s) - (%s)", counterexamples[_i].value,
             counterexamples[_i].bound);
    ck_assert_int_eq(at_lemma_nonnegative("x", difference), AT_TRUE);
    ck_assert_int_eq(at_lemma_identity("x", difference, "0"), AT_FALSE);
}
END_TEST

START_TEST(no_claim_survives_without_its_hypothesis)
{
    const at_range *range = &dropped[_i].range;
    const char *id = dropped[_i].id;
    ck_assert_msg(verdict_with(id, range) == AT_UNDECIDED, "%s is decided without its range of %s",
                  id, range->name);
    ck_assert_int_eq(verdict_with(id, at_claim_range(find(id), range->name)), AT_PROVED);
}
END_TEST

/* Without sizes there are no cases. */
START_TEST(no_claim_survives_without_cases)
{
    size_t count, claims = 0;
    const at_claim_table *const *tables = at_claim_tables(&count);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            for (const at_range *r = tables[t]->claims[i].ranges; r != NULL && r->name != NULL; r++)
                if (r->size) {
                    const at_range nothing = { .name = r->name, .low = "2", .high = "1",
                                               .size = true };
                    claims++;
                    ck_assert_msg(verdict_with(tables[t]->claims[i].id, &nothing) == AT_UNDECIDED,
                                  "%s is decided without a single %s", tables[t]->claims[i].id,
                                  r->name);
                }
    ck_assert_uint_ge(claims, 30);
}
END_TEST

/* A range that no statement shows is a hypothesis that nobody reads, unless it is a size, which
 * the scope shows. */
START_TEST(every_hypothesis_is_printed)
{
    size_t count;
    const at_claim_table *const *tables = at_claim_tables(&count);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const at_claim *c = &tables[t]->claims[i];
            for (const at_range *r = c->ranges; r != NULL && r->name != NULL; r++) {
                char braced[32];
                snprintf(braced, sizeof braced, "{%s}", r->name);
                ck_assert_msg(r->size || strstr(c->statement, braced) != NULL, "%s hides %s", c->id,
                              r->name);
            }
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("quantifier");
    TCase *t = tcase_create("quantifier");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, ranges_are_written_out);
    tcase_add_test(t, cases_count);
    tcase_add_test(t, what_was_not_counted_is_not_proved);
    tcase_add_test(t, signs_follow_from_ranges);
    tcase_add_loop_test(t, no_claim_survives_without_its_hypothesis, 0,
                        sizeof dropped / sizeof dropped[0]);
    tcase_add_loop_test(t, the_dropped_hypothesis_was_needed, 0,
                        sizeof counterexamples / sizeof counterexamples[0]);
    tcase_add_test(t, no_claim_survives_without_cases);
    tcase_add_test(t, every_hypothesis_is_printed);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
