/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numeric search: its gradients, its agreement with theory's balls, what it finds, and that it
 * finds nothing against a theorem. */
#include "experiments/search.h"
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

START_TEST(gradients_are_derivatives)
{
    AT_ROUNDS(r, 20) {
        for (size_t p = 0; p < at_claims_search.count; p++) {
            const at_search_problem *problem = by_id(at_claims_search.claims[p].id);
            size_t n = problem->largest, count = n * problem->columns;
            double x[AT_SEARCH_MOST], g[AT_SEARCH_MOST];
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
                bool corner = problem->relu;     /* ReLU has no derivative at its corner */
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
            const at_search_problem *problem = by_id(at_claims_search.claims[p].id);
            char rows[512];
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
    const at_search_problem *problem = by_id(at_claims_search.claims[_i].id);
    char text[512];
    size_t starts;
    if (strcmp(problem->id, "opt.summed-gaussian-lse") == 0)
        return;
    size_t n = at_search_run(text, sizeof text, &starts, problem, problem->smallest,
                             problem->largest, 1.0, 7);
    ck_assert_msg(n >= problem->smallest && n <= problem->largest, "%s", problem->id);
    ck_assert_uint_gt(starts, 0);
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
    tcase_add_test(t, gradients_are_derivatives);
    tcase_add_test(t, violations_agree_with_balls);
    tcase_add_loop_test(t, finds_counterexamples, 0, (int) at_claims_search.count);
    tcase_add_test(t, rediscovers_the_summed_gaussian_lse);
    tcase_add_test(t, finds_nothing_against_a_theorem);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
