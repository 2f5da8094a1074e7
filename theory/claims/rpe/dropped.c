/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses of the collapse that cannot be dropped: each false variant with its witness. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claims/rpe/escape.h"

/* A statement "equal rows" refuted: engine first, hand second. */
static int refute_by(at_claim_run *run, const at_escape *e, at_error *err)
{
    enum at_truth holds;
    int status = at_escape_check(&holds, run, e, err);
    if (status != AT_OK)
        return status;
    at_claim_witness(run, "%s, X = (%s): rows %s", e->name, e->X, e->rows);
    at_claim_refute(run, e->name, AT_METHOD_EXACT, holds, "the engine gives rows %s", e->rows);
    at_hand_t hand;
    enum at_truth apart = at_escape_hand(hand, e) ? at_hand_rows_differ(hand, e->first)
                                         : AT_UNKNOWN;
    at_hand_clear(hand);
    at_claim_recheck(run, "by hand", AT_METHOD_BALL, apart,
                     "direct sums in balls of 192 bits keep two rows apart");
    return AT_OK;
}

int at_decide_empty_row(at_claim_run *run, at_error *err)
{
    static const at_escape e = {
        .name = "strictly causal mask, the empty row set to 0", .encoding = AT_ENC_NONE, .n = 2,
        .d = 1, .X = "1; 1", .mask = AT_MASK_STRICT, .rows = "1; 2", .escapes = true };
    at_claim_scope(run, "n = 2, d = 1");
    return refute_by(run, &e, err);
}

int at_decide_shaw_values(at_claim_run *run, at_error *err)
{
    static const at_escape e = {
        .name = "shaw, a^V = (-1, 0, 1), W_Q = W_V = 0, W_O = 1", .encoding = AT_ENC_SHAW, .n = 2,
        .d = 1, .table = { "value" }, .entries = { "-1; 0; 1" }, .X = "1; 1", .no_values = true,
        .rows = "1/2; 3/2", .escapes = true, .extra = "-1 0 1" };
    at_claim_scope(run, "n = 2, d = 1");
    return refute_by(run, &e, err);
}

int at_decide_urpe_value_bias(at_claim_run *run, at_error *err)
{
    /* c_k = 1 for k <= 0; the value bias is the extra 1 of the hand */
    static const at_escape e = {
        .name = "urpe, c_k = 1 for k <= 0, b_V = 1", .encoding = AT_ENC_URPE, .n = 3, .d = 1,
        .table = { "gate" }, .entries = { "1 1 1 0 0" }, .X = "0; 0; 0", .rows = "1; 2/3; 1/3",
        .value_bias = "1", .escapes = true, .extra = "1 1 1 1 1",
        .gates_full = "1 1 1; 0 1 1; 0 0 1" };
    at_claim_scope(run, "n = 3, d = 1");
    return refute_by(run, &e, err);
}

int at_decide_row_sums_general_bias(at_claim_run *run, at_error *err)
{
    static const at_escape e = {
        .name = "urpe, C = I (circulant and even), b_1 = 1", .encoding = AT_ENC_URPE, .n = 2,
        .d = 1,
        .table = { "bias", "gate" }, .entries = { "0 0 1", "0 1 0" }, .X = "1; 1",
        .rows = "3/2; 1 + 1/(1+e)", .escapes = true, .bias = "0 0 1", .gates_full = "1 0; 0 1" };
    at_claim_scope(run, "n = 2, d = 1: A_U 1 = (1/2, 1/(1+e)), rows 1 + A_U 1");
    return refute_by(run, &e, err);
}
