/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where reversal symmetry stops: rope, t5 tables that are not even, tupe, a causal mask. */
#include "theory/claims_rpe.h"
#include "theory/witness.h"

typedef struct {
    const char *name;
    enum at_encoding_id encoding;
    slong d;
    const char *X, *JX;                 /* n = 2 */
    const char *table[2], *entries[2], *positions;
    bool queries;                       /* W_Q = W_K = I */
    enum at_mask mask;
    const char *logits, *J_logits;      /* for the hand: of X and of JX */
    const char *rows, *J_rows;          /* g(X), g(JX) */
} asymmetry;

/* g on one of the two inputs: engine, stated value and hand in one. */
static enum at_truth side(at_expqf_mat_t Y, arb_mat_t balls, at_claim_run *run,
                          const at_network_t net, const asymmetry *a, bool reversed)
{
    at_hand_t hand;
    fmpq_mat_t X;
    const char *logits = reversed ? a->J_logits : a->logits;
    fmpq_mat_init(X, 2, a->d);
    at_hand_init(hand, 2, a->d);
    bool fine = at_mat_read(X, reversed ? a->JX : a->X);
    fmpq_mat_set(hand->X, X);
    if (logits != NULL)
        fine = fine && at_mat_read(hand->logits, logits);
    if (a->mask != AT_MASK_NONE)
        at_hand_causal(hand, false);
    enum at_truth same = fine ? at_witness_rows(Y, net, X, hand, reversed ? a->J_rows : a->rows)
                              : AT_UNKNOWN;
    at_hand_rows(balls, hand, 192);
    if (same == AT_TRUE) {
        char label[256];
        snprintf(label, sizeof label, "%s, %s", a->name, reversed ? "JX" : "X");
        at_witness_fact(run, label, hand, Y);
    }
    at_hand_clear(hand);
    fmpq_mat_clear(X);
    return same;
}

static int refute_reversal(at_claim_run *run, const asymmetry *a, at_error *err)
{
    at_network_t net;
    at_expqf_mat_t Y, Z;
    arb_mat_t y, z;
    int status = at_small_network(net, a->encoding, 2, a->d, 1, 1, 0, err);
    if (status != AT_OK)
        return status;
    at_head *head = net->layers[0].heads;
    bool fine = a->positions == NULL || at_mat_read(net->positions, a->positions);
    net->mask = a->mask;
    if (a->queries) {
        fmpq_mat_one(head->query);
        fmpq_mat_one(head->key);
    }
    for (int t = 0; t < 2 && status == AT_OK; t++)
        if (a->table[t] != NULL)
            status = at_small_table(net, 0, 0, a->table[t], a->entries[t], err);
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_mat_init(Z, 0, 0);
    arb_mat_init(y, 2, a->d);
    arb_mat_init(z, 2, a->d);
    if (status == AT_OK && fine) {
        bool both = side(Y, y, run, net, a, false) == AT_TRUE
                    && side(Z, z, run, net, a, true) == AT_TRUE;
        bool exact = false, ball = false;
        for (slong i = 0; i < 2 && both; i++)
            for (slong k = 0; k < a->d; k++) {
                const arb_struct *u = arb_mat_entry(y, i, k), *v = arb_mat_entry(z, 1 - i, k);
                exact = exact || !at_expqf_equal(at_expqf_mat_entry(Y, i, k),
                                                 at_expqf_mat_entry(Z, 1 - i, k));
                ball = ball || arb_lt(u, v) || arb_gt(u, v);
            }
        if (both)
            at_fact_rows_differ(run, Y, 0, Z, 1);
        at_claim_scope(run, "n = 2, d = %ld, one layer", (long) a->d);
        at_claim_witness(run, "%s, X = (%s): g(X) = (%s), g(JX) = (%s), so g(JX) != J g(X)",
                         a->name,
                         a->X, a->rows, a->J_rows);
        at_claim_refute(run, a->name, AT_METHOD_EXACT, exact ? AT_TRUE : AT_UNKNOWN,
                        "the engine gives g(X) = (%s) and g(JX) = (%s)", a->rows, a->J_rows);
        at_claim_recheck(run, "by hand", AT_METHOD_BALL, ball ? AT_TRUE : AT_UNKNOWN,
                         "direct sums in balls of 192 bits keep g(JX) and J g(X) apart");
    }
    at_network_clear(net);
    at_expqf_mat_clear(Y);
    at_expqf_mat_clear(Z);
    arb_mat_clear(y);
    arb_mat_clear(z);
    return status;
}

int at_decide_reversal_rope(at_claim_run *run, at_error *err)
{
    static const asymmetry a = {
        .name = "rope, rotation (3/5, 4/5), all W = I", .encoding = AT_ENC_ROPE, .d = 2,
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
    static const asymmetry a = {
        .name = "t5, b_1 = 1, W_Q = 0, W_V = W_O = 1", .encoding = AT_ENC_T5, .d = 1,
        .X = "0; 1", .JX = "1; 0", .table = { "bias" }, .entries = { "0 0 1" },
        .logits = "0 0; 1 0", .J_logits = "0 0; 1 0", .rows = "1/2; 1 + 1/(1+e)",
        .J_rows = "3/2; e/(1+e)" };
    return refute_reversal(run, &a, err);
}

int at_decide_reversal_tupe(at_claim_run *run, at_error *err)
{
    static const asymmetry a = {
        .name = "tupe, p = (0, 1), U_Q = U_K = 1, W_Q = 0", .encoding = AT_ENC_TUPE, .d = 1,
        .X = "0; 1", .JX = "1; 0", .table = { "query", "key" }, .entries = { "1", "1" },
        .positions = "0; 1", .logits = "0 0; 0 1", .J_logits = "0 0; 0 1",
        .rows = "1/2; 1 + e/(1+e)", .J_rows = "3/2; 1/(1+e)" };
    return refute_reversal(run, &a, err);
}

int at_decide_reversal_causal(at_claim_run *run, at_error *err)
{
    static const asymmetry a = {
        .name = "no encoding, causal mask", .encoding = AT_ENC_NONE, .d = 1, .X = "0; 1",
        .JX = "1; 0", .mask = AT_MASK_CAUSAL, .rows = "0; 3/2", .J_rows = "2; 1/2" };
    return refute_reversal(run, &a, err);
}
