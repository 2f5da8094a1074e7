/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where collapse stops: values that carry positions, weights that do not sum to one, a token that
 * differs.  Each escape is an explicit small network, evaluated by the exact engine and by hand. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claims/rpe/escape.h"

static int certify_escapes(at_claim_run *run, const at_escape *list, size_t count, at_error *err)
{
    int status = AT_OK;
    for (size_t k = 0; k < count && status == AT_OK; k++) {
        enum at_truth holds;
        const at_escape *e = &list[k];
        status = at_escape_check(&holds, run, e, err);
        if (status != AT_OK)
            break;
        if (e->escapes) {
            at_claim_certify(run, e->name, AT_METHOD_EXACT, holds, "%s%s%sX = (%s): rows %s",
                             e->token != NULL ? "token " : "", e->token != NULL ? e->token : "",
                             e->token != NULL ? ", " : "", e->X, e->rows);
            at_claim_witness(run, "%s, X = (%s): rows %s", e->name, e->X, e->rows);
        } else {
            at_claim_support(run, e->name, AT_METHOD_EXACT, holds, "X = (%s): rows %s, no escape",
                             e->X, e->rows);
        }
    }
    return status;
}

#define COUNT(list) (sizeof (list) / sizeof (list)[0])

int at_decide_value_bias_escapes(at_claim_run *run, at_error *err)
{
    static const at_escape list[] = {
        { .name = "shaw, relative values", .encoding = AT_ENC_SHAW, .n = 2, .d = 1,
          .table = { "value" }, .entries = { "-1; 0; 1" }, .X = "1; 1", .no_values = true,
          .rows = "1/2; 3/2", .escapes = true, .extra = "-1 0 1" },
    };
    at_claim_scope(run, "n = 2, d = 1, one layer; 200 random tables at least, n = 2..4");
    at_claim_support(run, "a plain value bias collapses", AT_METHOD_SYMBOLIC,
                     at_part_layer_collapse(3, 2, 1, AT_WEIGHTS_STOCHASTIC, true),
                     "n = 3, d = 2: 1x^T + A (1x^T M + 1v^T) has equal rows (rpe.layer-collapse)");
    at_certify_random_escapes(run, "random value tables", AT_ESCAPE_SHAW, 1);
    return certify_escapes(run, list, COUNT(list), err);
}

const at_escape at_escape_masked_l2 = {
    .name = "B = 0, l2 weights, causal mask", .encoding = AT_ENC_L2_NORM, .n = 2, .d = 1,
    .X = "1; 1", .mask = AT_MASK_CAUSAL, .rows = "2; 1 + sqrt(2)", .escapes = true,
    .normaliser = AT_NORMALISE_L2 };

/* l2 under a causal mask: rows 2 and 1 + sqrt(2), outside Q(e^Q), so engine and hand in balls. */
static int certify_masked_l2(at_claim_run *run, at_error *err)
{
    const at_escape *e = &at_escape_masked_l2;
    enum at_truth holds;
    int status = at_escape_check_ball(&holds, e, err);
    if (status != AT_OK)
        return status;
    at_claim_certify(run, e->name, AT_METHOD_BALL, holds, "X = (%s): rows %s", e->X, e->rows);
    at_claim_fact_relation(run, e->name, "2", "<", "1 + sqrt(2)");
    return AT_OK;
}

int at_decide_normaliser_escapes(at_claim_run *run, at_error *err)
{
    static const at_escape list[] = {
        { .name = "l2-normalised with a bias", .encoding = AT_ENC_L2_NORM, .n = 2, .d = 1,
          .table = { "factor" }, .entries = { "4/3 1 12/5" }, .X = "1; 1", .rows = "12/5; 30/13",
          .escapes = true, .factors = "4/3 1 12/5", .normaliser = AT_NORMALISE_L2 },
        { .name = "relu^2/n with a bias", .encoding = AT_ENC_RELU2, .n = 2, .d = 1,
          .table = { "bias" }, .entries = { "0 0 1" }, .X = "1; 1", .rows = "1; 3/2",
          .escapes = true, .bias = "0 0 1", .normaliser = AT_NORMALISE_RELU2 },
        { .name = "relu^2/n with a causal mask", .encoding = AT_ENC_RELU2, .n = 2, .d = 1,
          .X = "1; 1", .queries = true, .mask = AT_MASK_CAUSAL, .rows = "3/2; 2", .escapes = true,
          .bias = "1 1 1", .normaliser = AT_NORMALISE_RELU2 },
        { .name = "stable-mask, n = 2", .encoding = AT_ENC_STABLE_MASK, .n = 2, .d = 1,
          .X = "1; 1", .rows = "3/2; 2", .escapes = true, .mask = AT_MASK_NONE,
          .gates_full = "1 0; 1 1" },
        { .name = "stable-mask, n = 3", .encoding = AT_ENC_STABLE_MASK, .n = 3, .d = 1,
          .X = "1; 1; 1", .rows = "4/3; 5/3; 2", .escapes = true,
          .gates_full = "1 0 0; 1 1 0; 1 1 1" },
        { .name = "relu^2/n without bias or mask", .encoding = AT_ENC_RELU2, .n = 2, .d = 1,
          .X = "1; 1", .queries = true, .rows = "2; 2", .bias = "1 1 1",
          .normaliser = AT_NORMALISE_RELU2 },
        { .name = "l2-normalised without bias or mask", .encoding = AT_ENC_L2_NORM, .n = 4, .d = 1,
          .X = "1; 1; 1; 1", .rows = "3; 3; 3; 3", .normaliser = AT_NORMALISE_L2 },
    };
    at_claim_scope(run, "n = 2, 3 and 4, d = 1, one layer");
    int status = certify_escapes(run, list, COUNT(list), err);
    if (status == AT_OK)
        status = certify_masked_l2(run, err);
    if (status != AT_OK)
        return status;
    at_certify_random_escapes(run, "relu^2/n with random biases", AT_ESCAPE_RELU2, 3);
    at_certify_random_escapes(run, "stable-mask with a random P", AT_ESCAPE_STABLE_MASK, 3);
    return at_certify_random_l2(run, 3, err);
}

int at_decide_cls_escapes(at_claim_run *run, at_error *err)
{
    static const at_escape list[] = {
        { .name = "[CLS] with t5", .encoding = AT_ENC_T5, .n = 2, .d = 1, .token = "1",
          .table = { "bias" }, .entries = { "0 0 0 1 0" }, .X = "0; 0", .first = 1,
          .rows = "4/3; e/(e+2); 1/(e+2)", .escapes = true, .bias = "0 0 0 1 0" },
        { .name = "[CLS] with alibi-symmetric", .encoding = AT_ENC_ALIBI_SYMMETRIC, .n = 2, .d = 1,
          .token = "1", .table = { "slope" }, .entries = { "1" }, .X = "0; 0", .first = 1,
          .rows = "1 + 1/(1+e^(-1)+e^(-2)); 1/(e+2); 1/(1+e+e^2)", .escapes = true,
          .bias = "-2 -1 0 -1 -2" },
        { .name = "[CLS], causal, no encoding", .encoding = AT_ENC_NONE, .n = 3, .d = 1,
          .token = "1", .X = "0; 0; 0", .first = 1, .mask = AT_MASK_CAUSAL,
          .rows = "2; 1/2; 1/3; 1/4", .escapes = true },
        { .name = "[CLS], bidirectional, no encoding", .encoding = AT_ENC_NONE, .n = 2, .d = 1,
          .token = "1", .X = "0; 0", .first = 1, .rows = "4/3; 1/3; 1/3" },
    };
    static const slong swap[] = { 0, 2, 1 };
    at_claim_scope(run, "n = 3, 4 and 5 counting the token, d = 1, one layer");
    at_claim_support(run, "bidirectional without encoding does not escape", AT_METHOD_SYMBOLIC,
                     at_part_layer_symmetry(3, 1, swap, false),
                     "the layer commutes with the exchange of rows 2 and 3, which fixes the input "
                     "(rpe.permutation-symmetry)");
    at_certify_random_escapes(run, "random tokens with random t5 biases", AT_ESCAPE_TOKEN_T5, 3);
    at_certify_random_escapes(run, "random tokens, causal", AT_ESCAPE_TOKEN_CAUSAL, 3);
    at_certify_random_escapes(run, "random tokens, bidirectional, no encoding",
                              AT_ESCAPE_TOKEN_NONE, 3);
    return certify_escapes(run, list, COUNT(list), err);
}

/* Positions added to the input: no layer is needed. */
int at_decide_ape_escapes(at_claim_run *run, at_error *err)
{
    static const struct {
        enum at_encoding_id encoding;
        const char *name, *X, *positions, *rows;
        slong d;
    } list[] = {
        { AT_ENC_LEARNED, "learned, E = (0, 1)", "3; 3", "0; 1", "3; 4", 1 },
        { AT_ENC_SINUSOIDAL, "sinusoidal, points of the circle", "0 0; 0 0",
          "3/5 4/5; -7/25 24/25", "3/5, 4/5; -7/25, 24/25", 2 },
    };
    int status = AT_OK;
    at_claim_scope(run, "n = 2, d = 1 and 2, no layers; random positions n = 2..4, d = 1");
    at_certify_random_escapes(run, "random positions", AT_ESCAPE_POSITIONS, 1);
    for (size_t k = 0; k < COUNT(list) && status == AT_OK; k++) {
        at_network_t net;
        at_hand_t hand;
        at_expqf_mat_t Y;
        fmpq_mat_t X;
        status = at_small_network(net, list[k].encoding, 2, list[k].d, 1, 0, 0, err);
        if (status != AT_OK)
            return status;
        at_expqf_mat_init(Y, 0, 0);
        fmpq_mat_init(X, 2, list[k].d);
        at_hand_init(hand, 2, list[k].d);
        bool fine = at_mat_read(X, list[k].X) && at_mat_read(hand->X, list[k].positions);
        fmpq_mat_set(net->positions, hand->X);
        fmpq_mat_add(hand->X, hand->X, X);
        fmpq_mat_zero(hand->mixing);
        enum at_truth holds = fine ? at_witness_rows(Y, net, X, hand, list[k].rows) : AT_UNKNOWN;
        if (holds == AT_TRUE) {
            holds = at_rows_differ(Y, 0);
            at_witness_fact(run, list[k].name, hand, Y);
        }
        at_claim_certify(run, list[k].name, AT_METHOD_EXACT, holds, "X = (%s): rows %s", list[k].X,
                         list[k].rows);
        at_claim_witness(run, "%s, X = (%s): rows %s", list[k].name, list[k].X, list[k].rows);
        at_network_clear(net);
        at_hand_clear(hand);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(X);
    }
    return status;
}
