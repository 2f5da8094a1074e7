/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where reversal symmetry stops: rope, t5 tables that are not even, tupe, a causal mask. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claims/rpe/reversal.h"

/* g on one of the two inputs: engine, stated value and hand in one. */
static enum at_truth side(at_expqf_mat_t Y, arb_mat_t balls, at_claim_run *run,
                          const at_network_t net, const at_asymmetry *a, bool reversed)
{
    at_hand_t hand;
    fmpq_mat_t X;
    const char *logits = reversed ? a->J_logits : a->logits;
    fmpq_mat_init(X, a->n, a->d);
    at_hand_init(hand, a->n, a->d);
    bool fine = at_mat_read(X, reversed ? a->JX : a->X);
    fmpq_mat_set(hand->X, X);
    if (logits != NULL)
        fine = fine && at_mat_read(hand->logits, logits);
    if (a->mask != AT_MASK_NONE)
        at_hand_causal(hand, false);
    enum at_truth same = fine ? at_witness_rows(Y, net, X, hand, reversed ? a->J_rows : a->rows)
                              : AT_UNKNOWN;
    at_hand_rows(balls, hand, 192);
    if (same == AT_TRUE && run != NULL) {
        char label[256];
        snprintf(label, sizeof label, "%s, %s", a->name, reversed ? "JX" : "X");
        at_witness_fact(run, label, hand, Y);
    }
    at_hand_clear(hand);
    fmpq_mat_clear(X);
    return same;
}

static int asymmetric_network(at_network_t net, const at_asymmetry *a, at_error *err)
{
    int status = at_small_network(net, a->encoding, a->n, a->d, 1, 1, 0, err);
    if (status != AT_OK)
        return status;
    at_head *head = net->layers[0].heads;
    net->mask = a->mask;
    if (a->queries) {
        fmpq_mat_one(head->query);
        fmpq_mat_one(head->key);
    }
    if (a->positions != NULL && !at_mat_read(net->positions, a->positions))
        status = at_error_set(err, AT_USAGE, "positions %s", a->positions);
    for (int t = 0; t < 2 && status == AT_OK; t++)
        if (a->table[t] != NULL)
            status = at_small_table(net, 0, 0, a->table[t], a->entries[t], err);
    if (status != AT_OK)
        at_network_clear(net);
    return status;
}

int at_asymmetry_check(enum at_truth *exact, enum at_truth *ball, at_claim_run *run,
                       const at_asymmetry *a, at_error *err)
{
    at_network_t net;
    at_expqf_mat_t Y, Z;
    arb_mat_t y, z;
    bool differs = false, apart = false;
    int status = asymmetric_network(net, a, err);
    *exact = *ball = AT_UNKNOWN;
    if (status != AT_OK)
        return status;
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_mat_init(Z, 0, 0);
    arb_mat_init(y, a->n, a->d);
    arb_mat_init(z, a->n, a->d);
    bool both = side(Y, y, run, net, a, false) == AT_TRUE
                && side(Z, z, run, net, a, true) == AT_TRUE;
    for (slong i = 0; i < a->n && both; i++)
        for (slong k = 0; k < a->d; k++) {
            slong j = a->n - 1 - i;
            const arb_struct *u = arb_mat_entry(y, i, k), *v = arb_mat_entry(z, j, k);
            bool here = !at_expqf_equal(at_expqf_mat_entry(Y, i, k), at_expqf_mat_entry(Z, j, k));
            if (here && !differs && run != NULL)
                at_fact_rows_differ(run, Y, i, Z, j);
            differs = differs || here;
            apart = apart || arb_lt(u, v) || arb_gt(u, v);
        }
    *exact = differs ? AT_TRUE : AT_UNKNOWN;
    *ball = apart ? AT_TRUE : AT_UNKNOWN;
    at_network_clear(net);
    at_expqf_mat_clear(Y);
    at_expqf_mat_clear(Z);
    arb_mat_clear(y);
    arb_mat_clear(z);
    return AT_OK;
}

static int refute_reversal(at_claim_run *run, const at_asymmetry *a, at_error *err)
{
    enum at_truth exact, ball;
    int status = at_asymmetry_check(&exact, &ball, run, a, err);
    if (status != AT_OK)
        return status;
    at_claim_scope(run, "n = %ld, d = %ld, one layer", (long) a->n, (long) a->d);
    at_claim_witness(run, "%s, X = (%s): g(X) = (%s), g(JX) = (%s), so g(JX) != J g(X)", a->name,
                     a->X, a->rows, a->J_rows);
    at_claim_refute(run, a->name, AT_METHOD_EXACT, exact,
                    "the engine gives g(X) = (%s) and g(JX) = (%s)", a->rows, a->J_rows);
    at_claim_recheck(run, "by hand", AT_METHOD_BALL, ball,
                     "direct sums in balls of 192 bits keep g(JX) and J g(X) apart");
    return AT_OK;
}

int at_decide_reversal_rope(at_claim_run *run, at_error *err)
{
    static const at_asymmetry a = {
        .name = "rope, rotation (3/5, 4/5), all W = I", .encoding = AT_ENC_ROPE, .n = 2, .d = 2,
        .X = "1 0; 0 1", .JX = "0 1; 1 0", .table = { "rotation" }, .entries = { "3/5 4/5" },
        .queries = true, .logits = "1 -4/5; -4/5 1", .J_logits = "1 4/5; 4/5 1",
        .rows = "(2+e^(-9/5))/(1+e^(-9/5)), e^(-9/5)/(1+e^(-9/5)); e^(-9/5)/(1+e^(-9/5)), "
                "(2+e^(-9/5))/(1+e^(-9/5))",
        .J_rows = "e^(-1/5)/(1+e^(-1/5)), (2+e^(-1/5))/(1+e^(-1/5)); (2+e^(-1/5))/(1+e^(-1/5)), "
                  "e^(-1/5)/(1+e^(-1/5))" };
    return refute_reversal(run, &a, err);
}

int at_decide_reversal_t5(at_claim_run *run, at_error *err)
{
    static const at_asymmetry a = {
        .name = "t5, b_1 = 1, W_Q = 0, W_V = W_O = 1", .encoding = AT_ENC_T5, .n = 2, .d = 1,
        .X = "0; 1", .JX = "1; 0", .table = { "bias" }, .entries = { "0 0 1" },
        .logits = "0 0; 1 0", .J_logits = "0 0; 1 0", .rows = "1/2; 1 + 1/(1+e)",
        .J_rows = "3/2; e/(1+e)" };
    return refute_reversal(run, &a, err);
}

int at_decide_reversal_tupe(at_claim_run *run, at_error *err)
{
    static const at_asymmetry a = {
        .name = "tupe, p = (0, 1), U_Q = U_K = 1, W_Q = 0", .encoding = AT_ENC_TUPE, .n = 2, .d = 1,
        .X = "0; 1", .JX = "1; 0", .table = { "query", "key" }, .entries = { "1", "1" },
        .positions = "0; 1", .logits = "0 0; 0 1", .J_logits = "0 0; 0 1",
        .rows = "1/2; 1 + e/(1+e)", .J_rows = "3/2; 1/(1+e)" };
    return refute_reversal(run, &a, err);
}

int at_decide_reversal_causal(at_claim_run *run, at_error *err)
{
    static const at_asymmetry a = {
        .name = "no encoding, causal mask", .encoding = AT_ENC_NONE, .n = 2, .d = 1, .X = "0; 1",
        .JX = "1; 0", .mask = AT_MASK_CAUSAL, .rows = "0; 3/2", .J_rows = "2; 1/2" };
    return refute_reversal(run, &a, err);
}
