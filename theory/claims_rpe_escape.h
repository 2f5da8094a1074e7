/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escapes: one layer with one head, described once for the exact engine and for the hand. */
#ifndef ATTEST_THEORY_CLAIMS_RPE_ESCAPE_H
#define ATTEST_THEORY_CLAIMS_RPE_ESCAPE_H

#include "theory/witness.h"

/* One escape: a layer with one head on X, its rows, and the matrices for the hand. */
typedef struct {
    const char *name;
    enum at_encoding_id encoding;
    slong n, d;                     /* without a prepended token */
    const char *table[2], *entries[2];
    const char *X, *token, *positions, *rows;
    enum at_mask mask;
    bool no_values, queries;        /* W_V = 0; W_Q = W_K = I */
    slong first;                    /* rows from here are compared (1: a prepended token) */
    bool escapes;
    /* for the hand, NULL: neutral; Toeplitz tables but for `gates_full` and `logits_full` */
    const char *bias, *factors, *extra, *gates_full, *logits_full;
    enum at_normaliser normaliser;
} at_escape;

/* The network; initialised upon AT_OK. */
int at_escape_network(at_network_t net, const at_escape *e, at_error *err) AT_MUST_CHECK;
/* The hand, always initialised: X with the prepended token and the positions, tables spread out.
 * False when a text does not fit. */
bool at_escape_hand(at_hand_t hand, const at_escape *e);
/* *holds: the engine's rows are the stated ones, the hand agrees, and rows differ exactly when
 * said.  Leaves the facts. */
int at_escape_check(enum at_truth *holds, at_claim_run *run, const at_escape *e, at_error *err)
    AT_MUST_CHECK;

#endif
