/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One layer with one head on X and on JX, the rows in reverse order: does it commute with J? */
#ifndef ATTEST_THEORY_CLAIMS_RPE_REVERSAL_H
#define ATTEST_THEORY_CLAIMS_RPE_REVERSAL_H

#include "attest/theory/claim/witness.h"

typedef struct {
    const char *name;
    enum at_encoding_id encoding;
    slong n, d;
    const char *X, *JX;
    const char *table[2], *entries[2], *positions;
    bool queries;                       /* W_Q = W_K = I */
    enum at_mask mask;
    const char *logits, *J_logits;      /* for the hand: of X and of JX */
    const char *rows, *J_rows;          /* g(X), g(JX); NULL: not compared */
} at_asymmetry;

/* *exact: the engine's g(JX) and J g(X) are the stated rows, lie in the hand's balls, and differ;
 * *ball: the hand's balls of them are disjoint somewhere.  Leaves facts in run unless it is
 * NULL. */
int at_asymmetry_check(enum at_truth *exact, enum at_truth *ball, at_claim_run *run,
                       const at_asymmetry *a, at_error *err) AT_MUST_CHECK;

#endif
