/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escapes: one layer with one head, described once for the exact engine and for the hand. */
#ifndef ATTEST_THEORY_CLAIMS_RPE_ESCAPE_H
#define ATTEST_THEORY_CLAIMS_RPE_ESCAPE_H

#include "attest/theory/claim/witness.h"

/* One escape: a layer with one head on X, its rows, and the matrices for the hand. */
typedef struct {
    const char *name;
    enum at_encoding_id encoding;
    slong n, d;                     /* without a prepended token */
    const char *table[2], *entries[2];
    const char *X, *token, *positions, *rows;
    const char *value_bias;         /* of the head, 1 × d; the hand has it in `extra` */
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
/* Do the rows from e->first on differ?  AT_TRUE when the engine's exact rows do and the hand's balls
 * both hold them and keep two apart, AT_FALSE when they do not and the hand's balls hold them;
 * e->rows is not read.  *rows (NULL: not wanted; freed by
 * flint_free) is their text. */
enum at_truth at_escape_differs(char **rows, const at_escape *e);
/* The same for rows outside ℚ(e^ℚ): engine and hand in balls of 192 bits overlap, and both keep
 * two rows apart.  e->rows is for print only; leaves no facts. */
int at_escape_check_ball(enum at_truth *holds, const at_escape *e, at_error *err) AT_MUST_CHECK;
/* l2 weights under a causal mask: rows 2 and 1 + √2. */
extern const at_escape at_escape_masked_l2;

/* ---- Random instances (random.c) --------------------------------------- */

enum at_escape_kind {
    AT_ESCAPE_SHAW,             /* a random value table */
    AT_ESCAPE_POSITIONS,        /* random positions added to the input */
    AT_ESCAPE_RELU2,            /* a random bias under relu²/n, causal or not */
    AT_ESCAPE_STABLE_MASK,      /* a random upper triangle P */
    AT_ESCAPE_TOKEN_T5,         /* a random token before the sequence: with a random bias, */
    AT_ESCAPE_TOKEN_CAUSAL,     /* with a causal mask and no encoding, */
    AT_ESCAPE_TOKEN_NONE        /* with neither, where no two rows may differ */
};

/* Certifies instances of the kind, 1 of `share` of the claim's: engine and hand agree on each, and
 * some rows differ (none for AT_ESCAPE_TOKEN_NONE). */
void at_certify_random_escapes(at_claim_run *run, const char *name, enum at_escape_kind kind,
                               size_t share);
/* The same for l2 weights, whose rows are no elements of ℚ(e^ℚ): in balls, against exact squares
 * of row sums. */
int at_certify_random_l2(at_claim_run *run, size_t share, at_error *err) AT_MUST_CHECK;

#endif
