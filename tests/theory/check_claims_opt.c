/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims opt.*: each decided as expected, with steps, scope and witness; the energies of every
 * counterexample are the stated ones, along both paths; exact values of ρ = log(2 + z). */
#include "tests/at_check.h"

#include "attest/theory/claims/opt/opt.h"
#include "attest/theory/symbolic/descent.h"

static void decide(const at_claim *claim, uint64_t seed)
{
    at_claim_run run;
    at_error err = AT_ERROR_INIT;
    const at_claim_options options = { .seed = seed };
    ck_assert_msg(at_claim_decide_one(&run, claim, NULL, 0, &options, &err) == AT_OK, "%s: %s",
                  claim->id, err.text);
    ck_assert_msg(run.verdict == claim->expected, "%s: %s instead of %s (seed %llu)", claim->id,
                  at_verdict_name(run.verdict), at_verdict_name(claim->expected),
                  (unsigned long long) seed);
    ck_assert_msg(run.as_expected && run.scope != NULL && run.step_count >= 2, "%s", claim->id);
    ck_assert_msg((run.witness != NULL && run.fact_count > 0) || claim->expected != AT_REFUTED,
                  "%s", claim->id);
    for (size_t k = 0; k < run.step_count; k++)
        ck_assert_msg(run.steps[k].detail[0] != '\0', "%s: %s", claim->id, run.steps[k].name);
    at_claim_run_clear(&run);
}

START_TEST(decided_as_expected)
{
    for (size_t k = 0; k < at_claims_opt.count; k++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            decide(&at_claims_opt.claims[k], seed);
}
END_TEST

START_TEST(ids_are_distinct_and_steps_have_their_claims)
{
    for (size_t i = 0; i < at_claims_opt.count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(at_claims_opt.claims[i].id, at_claims_opt.claims[j].id);
    for (int step = 0; step < AT_STEP_COUNT; step++) {
        const at_claim *found = NULL;
        ck_assert_ptr_nonnull(at_steps[step].claim);
        for (size_t k = 0; k < at_claims_opt.count; k++)
            if (strcmp(at_claims_opt.claims[k].id, at_steps[step].claim) == 0)
                found = &at_claims_opt.claims[k];
        ck_assert_msg(found != NULL, "%s", at_steps[step].claim);
        bool control = strcmp(found->id, "opt.contraction") == 0;   /* proved, and not of energies */
        ck_assert_int_eq(at_steps[step].descends, !control && found->expected == AT_PROVED);
    }
}
END_TEST

/* Counterexamples and their stated energies. */
static const struct { at_example example; double before, after; } stated[] = {
    { { .rows = "0; 1/10; 10", .scores = AT_SCORES_PLAIN }, -.99501248, -.05577939 },
    { { .rows = "1; -1", .scores = AT_SCORES_PLAIN, .energy = AT_ENERGY_DOT }, -1.253856,
      -1.125371 },
    { { .rows = "0, 1; 0, -1; 3, 6", .weights = "0, 1; 0, 0", .scores = AT_SCORES_GRAM },
      -1.022218, -.690621 },
    { { .rows = "-4; -4; -4; -4; -4; -4; -4; -4; -4; -4; -1; 1; 4; 4; 4; 4; 4; 4; 4; 4; 4; 4",
        .energy = AT_ENERGY_LSE }, -46.51453407, -46.50868595 },
    { { .rows = "0; 2", .rho = AT_RHO_LOG }, 1.38629436, .79850770 },
};

START_TEST(stated_energies)
{
    for (size_t k = 0; k < sizeof stated / sizeof stated[0]; k++)
        for (int exact = 0; exact < 2; exact++) {
            char *before = NULL, *after = NULL;
            enum at_truth rises = at_example_rises(&stated[k].example, exact, &before, &after);
            ck_assert_int_eq(rises, stated[k].after > stated[k].before ? AT_TRUE : AT_FALSE);
            ck_assert_msg(fabs(strtod(before, NULL) - stated[k].before) <= 1e-6
                          && fabs(strtod(after, NULL) - stated[k].after) <= 1e-6, "%s: %s -> %s",
                          stated[k].example.rows, before, after);
            free(before);
            free(after);
        }
    /* five rows ±47/10 and two of ±7/5: a rise of 5.71e−5 */
    char *before = NULL, *after = NULL;
    at_example_rises(&(at_example) { .rows = "-47/10; -47/10; -47/10; -47/10; -47/10; -7/5; 7/5; "
                                     "47/10; 47/10; 47/10; 47/10; 47/10",
                                     .energy = AT_ENERGY_LSE }, true, &before, &after);
    ck_assert(fabs(strtod(after, NULL) - strtod(before, NULL) - 5.71e-5) < 1e-7);
    free(before);
    free(after);
}
END_TEST

/* Both paths on random examples: the enclosures must meet. */
START_TEST(paths_agree)
{
    AT_ROUNDS(r, 150) {
        char rows[256] = "", weights[64];
        slong n = 1 + (slong) at_test_below(&r, 4), d = 1 + (slong) at_test_below(&r, 2);
        for (slong k = 0, used = 0; k < n * d; k++)
            used += snprintf(rows + used, sizeof rows - (size_t) used, "%s%ld/%ld",
                             k == 0 ? "" : k % d == 0 ? "; " : ", ", at_test_between(&r, -5, 5),
                             at_test_between(&r, 1, 4));
        snprintf(weights, sizeof weights, d == 1 ? "%ld" : "%ld, 1; 1/2, %ld",
                 at_test_between(&r, -2, 2), at_test_between(&r, -2, 2));
        at_example e = { .rows = rows, .pin = at_test_below(&r, 2) ? "3/2" : NULL };
        e.weights = at_test_below(&r, 2) ? weights : NULL;
        e.scores = (enum at_example_scores) at_test_below(&r, 3);
        e.energy = (enum at_example_energy) at_test_below(&r, 3);
        e.rho = e.scores == AT_SCORES_BETA && at_test_below(&r, 2) ? AT_RHO_LOG : AT_RHO_EXP;
        e.causal = at_test_below(&r, 3) == 0;
        e.no_self = n > 1 && !e.causal && at_test_below(&r, 3) == 0;
        e.move = at_test_below(&r, 2) ? "3/4" : NULL;
        e.keep = e.move != NULL ? "1/4" : NULL;
        arb_t before[2], after[2];
        for (int path = 0; path < 2; path++) {
            arb_init(before[path]);
            arb_init(after[path]);
        }
        AT_EXPECT(&r, at_example_ball(before[0], after[0], &e, 80)
                  && at_example_exact(before[1], after[1], &e, 120), "%s", rows);
        AT_EXPECT(&r, arb_overlaps(before[0], before[1]) && arb_overlaps(after[0], after[1])
                  && mag_cmp_2exp_si(arb_radref(after[0]), -40) < 0
                  && mag_cmp_2exp_si(arb_radref(after[1]), -40) < 0,
                  "%s, W %s, scores %d, energy %d, rho %d, causal %d, no_self %d", rows,
                  e.weights != NULL ? weights : "I", e.scores, e.energy, e.rho, e.causal,
                  e.no_self);
        for (int path = 0; path < 2; path++) {
            arb_clear(before[path]);
            arb_clear(after[path]);
        }
    }
}
END_TEST

static void exact_values(const char *rows, const char *next, const char *before, const char *after,
                         unsigned k)
{
    fmpq_mat_t Y, Z, expected;
    fmpq_t energy, text;
    fmpq_init(energy);
    fmpq_init(text);
    ck_assert(at_example_matrix(Y, rows) && at_example_matrix(expected, next));
    fmpq_mat_init(Z, fmpq_mat_nrows(Y), fmpq_mat_ncols(Y));
    at_opt_rational_step(Z, Y, k);
    ck_assert(fmpq_mat_equal(Z, expected));
    at_opt_rational_energy(energy, Y, k);
    ck_assert(fmpq_set_str(text, before, 10) == 0 && fmpq_equal(energy, text));
    at_opt_rational_energy(energy, Z, k);
    ck_assert(fmpq_set_str(text, after, 10) == 0);
    if (k == 0)
        ck_assert(fmpq_equal(energy, text));
    else
        ck_assert(fmpq_cmp(energy, text) > 0);
    fmpq_mat_clear(Y);
    fmpq_mat_clear(Z);
    fmpq_mat_clear(expected);
    fmpq_clear(energy);
    fmpq_clear(text);
}

START_TEST(golden_values)
{
    exact_values("0; 2", "2/3; 4/3", "4", "20/9", 0);
    exact_values("0; 1; 3", "112/137; 25/23; 91/47", "65",
                 "6071404929860158211765/481044268404806945281", 0);
    exact_values("0, 0; 2, 0; 0, 2", "1/2, 1/2; 12/11, 4/11; 4/11, 12/11", "96",
                 "170939097/14172488", 0);
    exact_values("1, 0; -1, 0; 0, 1", "3/13, 4/13; -3/13, 4/13; 0, 3/7", "36",
                 "100992447044/11589168409", 0);
    exact_values("0; 1; 3", "122/41; 48/17; 16/97", "397/4", "397/4", 3);
}
END_TEST

START_TEST(malformed_matrices)
{
    static const char *const texts[] = { "", ";", "1, 2; 3", "1; x", "1//2", "1, 2, 3; 4" };
    fmpq_mat_t M;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        ck_assert_msg(!at_example_matrix(M, texts[k]), "\"%s\"", texts[k]);
}
END_TEST

/* Where the theorem of the fixed keys ties, it ties exactly. */
START_TEST(fixed_keys_ties)
{
    fmpq_mat_t keys, z;
    fmpq_t eta;
    fmpq_init(eta);
    ck_assert(at_example_matrix(keys, "0, 1; 0, -1") && at_example_matrix(z, "1, 0"));
    fmpq_set_si(eta, 2, 1);              /* a mirror */
    ck_assert_int_eq(at_opt_fixed_keys(keys, z, eta), AT_TRUE);
    fmpq_set_si(eta, 9, 4);
    ck_assert_int_eq(at_opt_fixed_keys(keys, z, eta), AT_FALSE);
    fmpq_mat_clear(keys);
    fmpq_mat_clear(z);
    fmpq_clear(eta);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("claims_opt");
    TCase *t = tcase_create("opt");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, decided_as_expected);
    tcase_add_test(t, ids_are_distinct_and_steps_have_their_claims);
    tcase_add_test(t, stated_energies);
    tcase_add_test(t, paths_agree);
    tcase_add_test(t, golden_values);
    tcase_add_test(t, malformed_matrices);
    tcase_add_test(t, fixed_keys_ties);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
