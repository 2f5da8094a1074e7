/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numeric search: its gradients, its agreement with theory's balls, what it finds, and that it
 * finds nothing against a theorem. */
#include "attest/experiments/verify/search.h"
#include "tests/at_check.h"

static const at_search_problem *by_id(const char *id)
{
    const at_search_problem *problem = at_search_find(id);
    ck_assert_msg(problem != NULL, "%s", id);
    return problem;
}

static void random_point(double *x, size_t count, at_test_random *r)
{
    for (size_t k = 0; k < count; k++)
        x[k] = 2 * at_test_normal(r);
}

/* Every refuted claim has a search, or a reason why it has none, and nothing else has. */
START_TEST(every_refuted_claim_is_listed)
{
    size_t count, refuted = 0;
    const at_claim_table *const *tables = at_claim_tables(&count);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const at_claim *claim = &tables[t]->claims[i];
            bool searched = at_search_find(claim->id) != NULL;
            bool reasoned = at_search_reason(claim->id) != NULL;
            size_t entries = 0;
            for (size_t k = 0; k < at_claims_search.count; k++)
                entries += strcmp(at_claims_search.claims[k].id, claim->id) == 0;
            refuted += claim->expected == AT_REFUTED;
            ck_assert_msg(searched + reasoned == (claim->expected == AT_REFUTED)
                          && entries == (claim->expected == AT_REFUTED), "%s", claim->id);
        }
    ck_assert_uint_eq(refuted, at_claims_search.count);
}
END_TEST

START_TEST(gradients_are_derivatives)
{
    AT_ROUNDS(r, 20) {
        for (size_t p = 0; p < at_claims_search.count; p++) {
            const at_search_problem *problem = at_search_find(at_claims_search.claims[p].id);
            double x[AT_SEARCH_MOST], g[AT_SEARCH_MOST];
            if (problem == NULL)
                continue;
            size_t n = problem->largest, count = at_search_count(problem, n);
            random_point(x, count, &r);
            at_search_gradient(g, problem, n, x);
            for (size_t k = 0; k < count; k++) {
                const double h = 1e-4;
                double at = x[k], v[4];
                for (int s = 0; s < 4; s++) {
                    static const int steps[] = { -2, -1, 1, 2 };
                    x[k] = at + steps[s] * h;
                    v[s] = at_search_gradient(NULL, problem, n, x);
                }
                x[k] = at;
                double slope = (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h);
                bool corner = problem->relu || problem->corners;   /* no derivative there */
                AT_EXPECT(&r, corner || fabs(slope - g[k]) <= 1e-6 * (1 + fabs(slope)),
                          "%s, coordinate %zu: %.12g against %.12g", problem->id, k, g[k], slope);
            }
        }
    }
}
END_TEST

START_TEST(violations_agree_with_balls)
{
    AT_ROUNDS(r, 30) {
        for (size_t p = 0; p < at_claims_search.count; p++) {
            const at_search_problem *problem = at_search_find(at_claims_search.claims[p].id);
            char rows[512];
            if (problem == NULL)
                continue;
            double x[AT_SEARCH_MOST];
            size_t n = problem->smallest, d = problem->columns, used = 0;
            if (problem->kind != AT_SEARCH_EXAMPLE)
                continue;
            for (size_t k = 0; k < n * d; k++) {
                long q = at_test_between(&r, -20, 20);
                x[k] = (double) q / 4;
                used += (size_t) snprintf(rows + used, sizeof rows - used, "%s%ld/4",
                                          k == 0 ? "" : k % d == 0 ? "; " : ", ", q);
            }
            at_example example = problem->example;
            arb_t before, after;
            example.rows = rows;
            arb_init(before);
            arb_init(after);
            AT_EXPECT(&r, at_example_ball(before, after, &example, 128), "%s", rows);
            arb_sub(after, after, before, 128);
            double exact = arf_get_d(arb_midref(after), ARF_RND_NEAR);
            double v = at_search_gradient(NULL, problem, n, x);
            AT_EXPECT(&r, fabs(v - exact) <= 1e-9 * (1 + fabs(exact)), "%s [%s]: %.12g against "
                      "%.12g", problem->id, rows, v, exact);
            arb_clear(before);
            arb_clear(after);
        }
    }
}
END_TEST

START_TEST(finds_counterexamples)
{
    const at_search_problem *problem = at_search_find(at_claims_search.claims[_i].id);
    char text[1024];
    size_t starts;
    if (problem == NULL || strcmp(problem->id, "opt.summed-gaussian-lse") == 0)
        return;
    size_t n = at_search_run(text, sizeof text, &starts, problem, problem->smallest,
                             problem->largest, 15.0, 7);
    ck_assert_msg(n >= problem->smallest && n <= problem->largest, "%s", problem->id);
    ck_assert_uint_gt(starts, 0);
}
END_TEST

/* Points at which the statement holds are not confirmed, however the violation is rounded. */
START_TEST(what_holds_is_not_confirmed)
{
    static const struct { const char *id; size_t n; double x[6]; } points[] = {
        { "rpe.right-stochastic/empty-row", 2, { 0 } },
        { "rpe.layer-collapse/urpe-value-bias", 2, { 1, 1, 1, 1 } },
        { "rpe.deep-collapse/all-rpe", 2, { 3, 1, 1, 1 } },
        { "rpe.floor/euclidean-diameter", 3, { 0, 0, 4, 0, 2, 2 } },    /* a right angle */
        { "rpe.almost-everywhere/everywhere", 3, { 0, 1, 0 } },
        { "rpe.reversal-symmetry/rope", 2, { 1, 2, 1, 2 } },
        { "rpe.reversal-symmetry/t5", 2, { 1, 3, 1, 0, 1 } },           /* an even table */
        { "rpe.reversal-symmetry/tupe", 2, { 1, 2, 1, 1 } },
        { "rpe.reversal-symmetry/causal", 2, { 0, 0 } },
        { "urpe.row-sums/general-bias", 2, { 1, 1, 1, 0, 1 } },
        { "urpe.solves-etp/half", 3, { 1, 1, -1 } },
        { "opt.no-self-term/strict", 2, { 1, 1 } },
        { "opt.relu-nilpotent", 2, { 0.5, 0, 0, 0.5, 1, 0 } },
        { "opt.relu-nilpotent", 2, { 1, 0, 0, 0, 1, 0 } },              /* a fixed point */
        { "opt.relu-nilpotent", 2, { 2, 0, 0, 0, 1, 0 } },              /* not within radius 1 */
    };
    for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
        const at_search_problem *problem = by_id(points[k].id);
        char text[1024] = "";
        fmpq *x = _fmpq_vec_init(6);
        for (size_t c = 0; c < 6; c++)
            fmpq_set_si(x + c, (slong) (points[k].x[c] * 2), 2);
        ck_assert_msg(!problem->confirm(text, sizeof text, points[k].n, x), "%s: %s",
                      points[k].id, text);
        _fmpq_vec_clear(x, 6);
    }
}
END_TEST

/* Tidying keeps a violation and makes its numbers shorter. */
START_TEST(tidied_points_still_violate)
{
    const at_search_problem *problem = by_id("opt.plain-softmax");
    double x[] = { 0.01234, 0.09876, 10.4321 };
    at_search_tidy(x, problem, 3);
    ck_assert_double_gt(at_search_gradient(NULL, problem, 3, x), 1e-7);
    for (size_t k = 0; k < 3; k++)
        ck_assert_double_eq(x[k] * 100, round(x[k] * 100));
}
END_TEST

START_TEST(rediscovers_the_summed_gaussian_lse)
{
    const at_search_problem *problem = by_id("opt.summed-gaussian-lse");
    char text[512];
    size_t starts;
    size_t n = at_search_run(text, sizeof text, &starts, problem, 12, 12, 50.0, 1);
    ck_assert_uint_eq(n, 12);
    at_example example = problem->example;
    example.rows = text;
    ck_assert_int_eq(at_example_rises(&example, true, NULL, NULL), AT_TRUE);
}
END_TEST

START_TEST(finds_nothing_against_a_theorem)
{
    static const at_search_problem theorems[] = {
        { "attention", AT_SEARCH_EXAMPLE, 2, 3, 1, .example = { .rho = AT_RHO_EXP } },
        { "log", AT_SEARCH_EXAMPLE, 2, 3, 2, .example = { .rho = AT_RHO_LOG } },
        { "relaxed", AT_SEARCH_EXAMPLE, 2, 3, 1, .example = { .keep = "-1", .move = "2" } },
        { "no self", AT_SEARCH_EXAMPLE, 2, 3, 1, .example = { .no_self = true } },
        { "ffn", AT_SEARCH_QUADRATIC, 1, 1, 1, .H = "2", .b = "1" },
    };
    for (size_t k = 0; k < sizeof theorems / sizeof theorems[0]; k++) {
        char text[512];
        size_t starts;
        ck_assert_msg(at_search_run(text, sizeof text, &starts, &theorems[k], theorems[k].smallest,
                                    theorems[k].largest, 0.15, 3) == 0, "%s: %s", theorems[k].id,
                      text);
        ck_assert_uint_gt(starts, 10);
    }
    /* and what is no counterexample is not confirmed */
    char text[512];
    const double rows[] = { 0, 0.1, 10 };
    ck_assert(!at_search_confirm(text, sizeof text, &theorems[0], 3, rows));
    ck_assert(at_search_confirm(text, sizeof text, by_id("opt.plain-softmax"), 3, rows));
    ck_assert_ptr_eq(at_search_find("opt.attention-descent"), NULL);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("search");
    TCase *t = tcase_create("search");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_refuted_claim_is_listed);
    tcase_add_test(t, gradients_are_derivatives);
    tcase_add_test(t, what_holds_is_not_confirmed);
    tcase_add_test(t, tidied_points_still_violate);
    tcase_add_test(t, violations_agree_with_balls);
    tcase_add_loop_test(t, finds_counterexamples, 0, (int) at_claims_search.count);
    tcase_add_test(t, rediscovers_the_summed_gaussian_lse);
    tcase_add_test(t, finds_nothing_against_a_theorem);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
