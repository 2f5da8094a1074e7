/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims rpe.*: every verdict, and the parts that need the exact engine on false ground. */
#include "attest/theory/claims/rpe/rpe.h"

#include "tests/at_check.h"
#include "attest/theory/claims/rpe/escape.h"

static at_claim_run decided(const at_claim *claim, uint64_t seed)
{
    const at_claim_options options = { .seed = seed };
    size_t count;
    const at_claim_table *const *tables = at_claim_tables(&count);
    at_claim_run run;
    at_error err = AT_ERROR_INIT;
    ck_assert_msg(at_claim_decide_one(&run, claim, tables, count, &options, &err) == AT_OK,
                  "%s: %s", claim->id, err.text);
    return run;
}

START_TEST(verdict_is_as_expected)
{
    const at_claim *claim = &at_claims_rpe.claims[_i];
    at_claim_run run = decided(claim, 1);
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

/* 200 instances are owed whatever the seed. */
START_TEST(deep_collapse_for_other_seeds)
{
    for (size_t k = 0; k < at_claims_rpe.count; k++) {
        if (strcmp(at_claims_rpe.claims[k].id, "rpe.deep-collapse") != 0)
            continue;
        at_claim_run run = decided(&at_claims_rpe.claims[k], (uint64_t) _i + 2);
        ck_assert_int_eq(run.verdict, AT_CERTIFIED);
        ck_assert_int_ge(atoi(run.scope), 200);
        at_claim_run_clear(&run);
    }
}
END_TEST

/* The table of rpe.deep-collapse has a row for each encoding of core/tables.c, with its outcome. */
START_TEST(every_encoding_has_its_row)
{
    const at_claim *claim = NULL;
    for (size_t k = 0; k < at_claims_rpe.count; k++)
        if (strcmp(at_claims_rpe.claims[k].id, "rpe.deep-collapse") == 0)
            claim = &at_claims_rpe.claims[k];
    ck_assert_ptr_nonnull(claim);
    at_claim_run run = decided(claim, 1);
    for (int id = 0; id < AT_ENC_COUNT; id++) {
        const char *outcome = NULL;
        for (size_t i = 0; i < run.step_count; i++)
            if (strcmp(run.steps[i].name, at_encodings[id].name) == 0)
                outcome = run.steps[i].outcome;
        ck_assert_msg(outcome != NULL, "no row of %s", at_encodings[id].name);
        ck_assert_str_eq(outcome, at_encodings[id].right_stochastic ? "collapses" : "escapes");
    }
    at_claim_run_clear(&run);
}
END_TEST

/* An encoding without a listed witness: random layers find one where there is one. */
static int escape_of_urpe(at_claim_run *run, at_error *err)
{
    return at_row_escape_random(run, AT_ENC_URPE, err);
}

static int escape_of_t5(at_claim_run *run, at_error *err)
{
    return at_row_escape_random(run, AT_ENC_T5, err);
}

START_TEST(random_layers_find_escapes)
{
    const at_claim urpe = { "test.escape", "", "tests", AT_UNDECIDED, escape_of_urpe, NULL };
    const at_claim t5 = { "test.escape", "", "tests", AT_UNDECIDED, escape_of_t5, NULL };
    at_claim_run run = decided(&urpe, 1);
    ck_assert_uint_eq(run.step_count, 1);
    ck_assert_int_eq(run.steps[0].verdict, AT_CERTIFIED);
    ck_assert_uint_eq(run.fact_count, 1);
    at_claim_run_clear(&run);
    run = decided(&t5, 1);
    ck_assert_uint_eq(run.step_count, 1);
    ck_assert_int_eq(run.steps[0].verdict, AT_UNDECIDED);
    at_claim_run_clear(&run);
}
END_TEST

/* Random networks of encodings that escape do not pass for collapsing. */
START_TEST(escaping_encodings_do_not_collapse)
{
    static const enum at_encoding_id list[] = { AT_ENC_URPE, AT_ENC_GRAPH_URPE, AT_ENC_SHAW,
        AT_ENC_LEARNED, AT_ENC_SINUSOIDAL, AT_ENC_STABLE_MASK, AT_ENC_RELU2 };
    size_t escaped = 0;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            at_random r = at_random_seed(100 * k + seed);
            at_network_t net;
            fmpq_mat_t x;
            at_error err = AT_ERROR_INIT;
            ck_assert_int_eq(at_small_network(net, list[k], 3, 2, 1, 1, 0, &err), AT_OK);
            at_network_random(net, &r, 3, 2);
            at_network_zero_queries(net);
            fmpq_mat_init(x, 1, 2);
            fmpq_set_si(fmpq_mat_entry(x, 0, 0), 1, 1);
            fmpq_set_si(fmpq_mat_entry(x, 0, 1), -2, 3);
            escaped += at_part_collapses(net, x, 3) != AT_TRUE;
            fmpq_mat_clear(x);
            at_network_clear(net);
        }
    ck_assert_uint_ge(escaped, 20);     /* a few of the 35 have zero values or constant gates */
}
END_TEST

START_TEST(finite_alphabets)
{
    static const slong good[] = { 0, 0, 0, 1, 3 }, even[] = { 3, 1, 0, 1, 3 };
    static const slong flat[] = { 0, 0, 0, 0, 0 };
    slong jumps;
    ck_assert_int_eq(at_part_finite_alphabet(3, 2, good, 1, &jumps, false), AT_TRUE);
    ck_assert_int_eq(jumps, 6);
    /* constants cannot be told apart, nor can anything by a table without order */
    ck_assert_int_eq(at_part_finite_alphabet(3, 2, good, 1, &jumps, true), AT_FALSE);
    ck_assert_int_eq(at_part_finite_alphabet(3, 2, even, 1, &jumps, false), AT_FALSE);
    ck_assert_int_eq(at_part_finite_alphabet(3, 2, flat, 1, &jumps, false), AT_FALSE);
}
END_TEST

START_TEST(readers_of_matrices)
{
    fmpq_mat_t a, t;
    fmpq_mat_init(a, 2, 2);
    fmpq_mat_init(t, 3, 3);
    ck_assert(at_mat_read(a, "1 -1/2; 0 3"));
    char *text = at_mat_text(a);
    ck_assert_str_eq(text, "[[1, -1/2], [0, 3]]");
    flint_free(text);
    ck_assert(at_mat_read(a, "4/6 0; -2/4 1"));
    ck_assert(fmpq_is_canonical(fmpq_mat_entry(a, 0, 0)));
    ck_assert(!at_mat_read(a, "1/0 2; 3 4"));
    ck_assert(!at_mat_read(a, "1 2; 3"));
    ck_assert(!at_mat_read(a, "1 2; 3 4; 5 6"));
    ck_assert(!at_mat_read(a, "1 2 3 4"));
    ck_assert(!at_mat_read(a, "1 x; 3 4"));
    ck_assert(!at_mat_read(a, ""));
    ck_assert(at_mat_read_toeplitz(t, "-2 -1 0 1 2"));
    for (slong i = 0; i < 3; i++)
        for (slong j = 0; j < 3; j++)
            ck_assert(fmpz_equal_si(fmpq_mat_entry_num(t, i, j), i - j));
    fmpq_mat_clear(a);
    fmpq_mat_clear(t);
}
END_TEST

/* Random escapes certify under other seeds too, each with at least the 200 instances it owes; and a
 * kind that never escapes does not pass for one that does. */
static int escapes_of_every_kind(at_claim_run *run, at_error *err)
{
    for (int kind = AT_ESCAPE_SHAW; kind <= AT_ESCAPE_TOKEN_NONE; kind++)
        at_certify_random_escapes(run, "random", (enum at_escape_kind) kind, 1);
    return at_certify_random_l2(run, 1, err);
}

START_TEST(random_escapes)
{
    const at_claim claim = { "test.random", "", "tests", AT_CERTIFIED, escapes_of_every_kind, NULL };
    at_claim_run run = decided(&claim, (uint64_t) _i + 1);
    for (size_t k = 0; k < run.step_count; k++) {
        ck_assert_msg(run.steps[k].verdict == AT_CERTIFIED, "kind %zu: %s", k,
                      run.steps[k].detail);
        ck_assert_int_ge(atoi(run.steps[k].detail), 200);
    }
    at_claim_run_clear(&run);
}
END_TEST

/* Equal rows, and a hand that is told another table. */
START_TEST(escapes_that_are_none)
{
    at_escape e = { .encoding = AT_ENC_SHAW, .n = 2, .d = 1, .X = "1; 1", .table = { "value" },
                    .entries = { "1; 0; 1" }, .extra = "1 0 1" };
    ck_assert_int_eq(at_escape_differs(NULL, &e), AT_FALSE);
    e.entries[0] = "1; 0; 2";
    ck_assert_int_eq(at_escape_differs(NULL, &e), AT_UNKNOWN);
    e.extra = "1 0 2";
    ck_assert_int_eq(at_escape_differs(NULL, &e), AT_TRUE);
    e.X = "1; x";
    ck_assert_int_eq(at_escape_differs(NULL, &e), AT_UNKNOWN);
}
END_TEST

/* The hand and the engine on random T5 and URPE layers; then the hand is told a lie. */
START_TEST(hand_agrees_with_engine)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        at_random r = at_random_seed(seed);
        slong n = at_random_between(&r, 1, 5), d = at_random_between(&r, 1, 3);
        bool gates = seed % 2 == 1, causal = seed % 3 == 0;
        at_network_t net;
        at_hand_t hand;
        at_expqf_mat_t Y;
        fmpq_mat_t table, M;
        at_error err = AT_ERROR_INIT;
        ck_assert_int_eq(at_small_network(net, AT_ENC_URPE, n, d, 1, 1, 0, &err), AT_OK);
        at_head *head = net->layers[0].heads;
        at_hand_init(hand, n, d);
        at_expqf_mat_init(Y, 0, 0);
        fmpq_mat_init(table, 1, 2 * n - 1);
        fmpq_mat_init(M, d, d);
        at_random_fmpq_mat(hand->X, &r, 3, 4, 0);
        at_random_fmpq_mat(M, &r, 3, 4, 0);
        fmpq_mat_set(head->output, M);
        fmpq_mat_set(hand->mixing, M);
        for (int t = 0; t < (gates ? 2 : 1); t++) {
            at_random_fmpq_mat(table, &r, 3, 4, 0);
            fmpq_mat_set(head->tables[t], table);
            for (slong i = 0; i < n; i++)
                for (slong j = 0; j < n; j++)
                    fmpq_set(fmpq_mat_entry(t == 0 ? hand->logits : hand->gates, i, j),
                             fmpq_mat_entry(table, 0, i - j + n - 1));
        }
        if (causal) {
            net->mask = AT_MASK_CAUSAL;
            at_hand_causal(hand, false);
        }
        ck_assert_int_eq(at_witness_rows(Y, net, hand->X, hand, NULL), AT_TRUE);
        fmpq_add_si(fmpq_mat_entry(hand->X, 0, 0), fmpq_mat_entry(hand->X, 0, 0), 1);
        fmpq_mat_t X;
        fmpq_mat_init_set(X, hand->X);
        fmpq_sub_si(fmpq_mat_entry(X, 0, 0), fmpq_mat_entry(X, 0, 0), 1);
        ck_assert_int_eq(at_witness_rows(Y, net, X, hand, NULL), AT_UNKNOWN);
        ck_assert_int_eq(at_witness_rows(Y, net, X, NULL, "1/97; 2"), AT_UNKNOWN);
        fmpq_mat_clear(X);
        at_hand_clear(hand);
        at_network_clear(net);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(table);
        fmpq_mat_clear(M);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("claims_rpe");
    TCase *tc = tcase_create("claims_rpe");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, verdict_is_as_expected, 0, (int) at_claims_rpe.count);
    tcase_add_loop_test(tc, deep_collapse_for_other_seeds, 0, 3);
    tcase_add_test(tc, every_encoding_has_its_row);
    tcase_add_loop_test(tc, random_escapes, 0, 3);
    tcase_add_test(tc, escapes_that_are_none);
    tcase_add_test(tc, random_layers_find_escapes);
    tcase_add_test(tc, escaping_encodings_do_not_collapse);
    tcase_add_test(tc, finite_alphabets);
    tcase_add_test(tc, readers_of_matrices);
    tcase_add_test(tc, hand_agrees_with_engine);
    suite_add_tcase(s, tc);
    return s;
}

AT_CHECK_MAIN(suite)
