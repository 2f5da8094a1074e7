/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims urpe.*: every verdict, and values of the constructions. */
#include "attest/theory/claims/parts.h"

#include "tests/at_check.h"
#include "attest/theory/claim/witness.h"

START_TEST(verdict_is_as_expected)
{
    const at_claim *claim = &at_claims_urpe.claims[_i];
    const at_claim_options options = { .seed = 1 };
    at_claim_run run;
    at_error err = AT_ERROR_INIT;
    ck_assert_int_eq(at_claim_decide_one(&run, claim, NULL, 0, &options, &err), AT_OK);
    ck_assert_msg(run.as_expected, "%s is %s, expected %s", claim->id, at_verdict_name(run.verdict),
                  at_verdict_name(claim->expected));
    ck_assert_ptr_nonnull(run.scope);
    if (run.verdict == AT_REFUTED) {
        ck_assert_ptr_nonnull(run.witness);
        ck_assert_uint_ge(run.fact_count, 1);
    }
    at_claim_run_clear(&run);
}
END_TEST

START_TEST(margins_of_even_tokens)
{
    /* M(2, beta) = (1 - E)/(1 + E) = tanh(beta/2) */
    for (slong beta = 1; beta <= 4; beta++) {
        slong millionths = lround(1e6 * tanh(0.5 * (double) beta));
        ck_assert_int_eq(at_part_margin_value(2, beta, millionths), AT_TRUE);
        ck_assert_int_eq(at_part_margin_value(2, beta, millionths + 1), AT_FALSE);
    }
    /* the least over i, in double */
    for (slong n = 2; n <= 9; n++) {
        double least = INFINITY;
        for (slong i = 1; i <= n / 2; i++) {
            double sum = 0.0;
            for (slong j = 1; j <= n; j++)
                sum += exp(-(double) ((2 * i - j) * (2 * i - j)));
            least = fmin(least, 2.0 / sum - 1.0);
        }
        ck_assert_int_eq(at_part_margin_value(n, 1, lround(1e6 * least)), AT_TRUE);
    }
}
END_TEST

/* One URPE head of the exact engine does what the position code says. */
START_TEST(position_code_in_the_engine)
{
    for (slong n = 1; n <= 6; n++) {
        at_random r = at_random_seed((uint64_t) n);
        at_network_t net;
        at_expqf_mat_t Y;
        fmpq_mat_t X;
        at_error err = AT_ERROR_INIT;
        ck_assert_int_eq(at_small_network(net, AT_ENC_URPE, n, 3, 1, 1, 0, &err), AT_OK);
        at_head *head = net->layers[0].heads;
        fmpq_mat_zero(head->value);
        fmpq_mat_zero(head->output);
        fmpq_set_si(fmpq_mat_entry(head->value, 1, 0), n, 1);       /* n * one */
        fmpq_one(fmpq_mat_entry(head->output, 0, 2));               /* -> p */
        for (slong k = 0; k < 2 * n - 1; k++)
            fmpq_set_si(fmpq_mat_entry(head->tables[1], 0, k), k >= n - 1, 1);
        fmpq_mat_init(X, n, 3);
        at_random_fmpq_mat(X, &r, 5, 3, 0);
        for (slong i = 0; i < n; i++) {
            fmpq_one(fmpq_mat_entry(X, i, 1));
            fmpq_zero(fmpq_mat_entry(X, i, 2));
        }
        at_expqf_mat_init(Y, 0, 0);
        ck_assert_int_eq(at_network_eval_exact(Y, net, X, &err), AT_OK);
        for (slong i = 0; i < n; i++)
            ck_assert(at_expqf_equal_si(at_expqf_mat_entry(Y, i, 2), i + 1));
        at_network_clear(net);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(X);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("claims_urpe");
    TCase *tc = tcase_create("claims_urpe");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, verdict_is_as_expected, 0, (int) at_claims_urpe.count);
    tcase_add_test(tc, margins_of_even_tokens);
    tcase_add_test(tc, position_code_in_the_engine);
    suite_add_tcase(s, tc);
    return s;
}

AT_CHECK_MAIN(suite)
