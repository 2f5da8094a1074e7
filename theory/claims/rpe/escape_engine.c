/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An escape in the exact engine and by hand, and the two against each other. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claims/rpe/escape.h"

int at_escape_network(at_network_t net, const at_escape *e, at_error *err)
{
    slong n = e->n + (e->token != NULL);
    int status = at_small_network(net, e->encoding, n, e->d, 1, 1, 0, err);
    if (status != AT_OK)
        return status;
    at_head *head = net->layers[0].heads;
    net->mask = e->mask;
    if (e->no_values)
        fmpq_mat_zero(head->value);
    if (e->queries) {
        fmpq_mat_one(head->query);
        fmpq_mat_one(head->key);
    }
    if (e->value_bias != NULL) {
        fmpq_mat_clear(head->value_bias);
        fmpq_mat_init(head->value_bias, 1, e->d);
        if (!at_mat_read(head->value_bias, e->value_bias))
            status = at_error_set(err, AT_USAGE, "value bias %s", e->value_bias);
    }
    for (int t = 0; t < 2 && status == AT_OK; t++)
        if (e->table[t] != NULL)
            status = at_small_table(net, 0, 0, e->table[t], e->entries[t], err);
    if (e->positions != NULL && status == AT_OK && !at_mat_read(net->positions, e->positions))
        status = at_error_set(err, AT_USAGE, "positions %s", e->positions);
    if (e->token != NULL && status == AT_OK) {
        fmpq_mat_t token;
        fmpq_mat_init(token, 1, e->d);
        if (!at_mat_read(token, e->token))
            status = at_error_set(err, AT_USAGE, "token %s", e->token);
        at_network_prepend(net, token);
        fmpq_mat_clear(token);
    }
    if (status != AT_OK)
        at_network_clear(net);
    return status;
}

bool at_escape_hand(at_hand_t hand, const at_escape *e)
{
    slong extra = e->token != NULL;
    char text[512];
    bool fine = true;
    at_hand_init(hand, e->n + extra, e->d);
    snprintf(text, sizeof text, "%s%s%s", extra ? e->token : "", extra ? "; " : "", e->X);
    fine = at_mat_read(hand->X, text);
    if (e->positions != NULL) {
        fmpq_mat_t positions;
        fmpq_mat_init(positions, e->n, e->d);
        fine = fine && at_mat_read(positions, e->positions);
        fmpq_mat_add(hand->X, hand->X, positions);
        fmpq_mat_clear(positions);
    }
    if (e->bias != NULL)
        fine = fine && at_mat_read_toeplitz(hand->logits, e->bias);
    if (e->logits_full != NULL)
        fine = fine && at_mat_read(hand->logits, e->logits_full);
    if (e->factors != NULL)
        fine = fine && at_mat_read_toeplitz(hand->factors, e->factors);
    if (e->extra != NULL)
        fine = fine && at_mat_read_toeplitz(hand->extra, e->extra);
    if (e->gates_full != NULL)
        fine = fine && at_mat_read(hand->gates, e->gates_full);
    if (e->no_values)
        fmpq_mat_zero(hand->mixing);
    if (e->mask != AT_MASK_NONE)
        at_hand_causal(hand, e->mask == AT_MASK_STRICT);
    hand->normaliser = e->normaliser;
    return fine;
}

/* The fact that two rows differ: the first entry where they do. */
void at_fact_rows_differ(at_claim_run *run, const at_expqf_mat_t A, slong i, const at_expqf_mat_t B,
                         slong j)
{
    for (slong k = 0; k < A->cols; k++) {
        const at_expqf_struct *a = at_expqf_mat_entry(A, i, k), *b = at_expqf_mat_entry(B, j, k);
        if (at_expqf_equal(a, b))
            continue;
        char *left = at_expqf_get_str(a), *right = at_expqf_get_str(b);
        at_claim_fact_relation(run, "the rows differ", left, "!=", right);
        flint_free(left);
        flint_free(right);
        return;
    }
}

int at_escape_check(enum at_truth *holds, at_claim_run *run, const at_escape *e, at_error *err)
{
    at_network_t net;
    at_hand_t hand;
    at_expqf_mat_t Y;
    fmpq_mat_t X;
    int status = at_escape_network(net, e, err);
    *holds = AT_UNKNOWN;
    if (status != AT_OK)
        return status;
    at_expqf_mat_init(Y, 0, 0);
    fmpq_mat_init(X, e->n, e->d);
    if (at_escape_hand(hand, e) && at_mat_read(X, e->X)) {
        enum at_truth same = at_witness_rows(Y, net, X, hand, e->rows);
        enum at_truth apart = same == AT_TRUE ? at_rows_differ(Y, e->first) : AT_UNKNOWN;
        bool seen = at_hand_rows_differ(hand, e->first) == AT_TRUE;
        *holds = same == AT_TRUE && apart == (e->escapes ? AT_TRUE : AT_FALSE)
                 && seen == e->escapes ? AT_TRUE : AT_UNKNOWN;
        if (same == AT_TRUE)
            at_witness_fact(run, e->name, hand, Y);
        if (same == AT_TRUE && e->escapes)
            at_fact_rows_differ(run, Y, e->first, Y, e->first + 1);
    }
    at_hand_clear(hand);
    at_network_clear(net);
    at_expqf_mat_clear(Y);
    fmpq_mat_clear(X);
    return status;
}

enum at_truth at_escape_differs(char **rows, const at_escape *e)
{
    at_network_t net;
    at_hand_t hand;
    at_expqf_mat_t Y;
    fmpq_mat_t X;
    enum at_truth apart = AT_UNKNOWN;
    if (at_escape_network(net, e, NULL) != AT_OK)
        return AT_UNKNOWN;
    at_expqf_mat_init(Y, 0, 0);
    fmpq_mat_init(X, e->n, e->d);
    if (at_escape_hand(hand, e) && at_mat_read(X, e->X)
        && at_witness_rows(Y, net, X, hand, NULL) == AT_TRUE)
        apart = at_rows_differ(Y, e->first);
    if (apart == AT_TRUE)
        apart = at_hand_rows_differ(hand, e->first);
    if (rows != NULL)
        *rows = at_rows_text(Y);
    at_hand_clear(hand);
    at_network_clear(net);
    at_expqf_mat_clear(Y);
    fmpq_mat_clear(X);
    return apart;
}

int at_escape_check_ball(enum at_truth *holds, const at_escape *e, at_error *err)
{
    at_network_t net;
    at_hand_t hand;
    arb_mat_t Y, rows;
    fmpq_mat_t X;
    int status = at_escape_network(net, e, err);
    *holds = AT_UNKNOWN;
    if (status != AT_OK)
        return status;
    arb_mat_init(Y, 0, 0);
    arb_mat_init(rows, e->n, e->d);
    fmpq_mat_init(X, e->n, e->d);
    bool fine = at_escape_hand(hand, e) && at_mat_read(X, e->X);
    status = at_network_eval_ball(Y, net, X, 192, err);
    if (status == AT_OK && fine) {
        at_hand_rows(rows, hand, 192);
        bool same = arb_mat_nrows(Y) == e->n && arb_mat_overlaps(Y, rows), apart = false;
        for (slong i = e->first + 1; i < e->n && same; i++)
            for (slong k = 0; k < e->d; k++) {
                const arb_struct *a = arb_mat_entry(Y, e->first, k), *b = arb_mat_entry(Y, i, k);
                apart = apart || arb_lt(a, b) || arb_gt(a, b);
            }
        *holds = apart && at_hand_rows_differ(hand, e->first) == AT_TRUE ? AT_TRUE : AT_UNKNOWN;
    }
    at_hand_clear(hand);
    at_network_clear(net);
    arb_mat_clear(Y);
    arb_mat_clear(rows);
    fmpq_mat_clear(X);
    return status;
}
