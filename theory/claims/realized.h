/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps on the explicit networks of theory/realize: what a proof says, seen in the exact engine. */
#ifndef ATTEST_THEORY_CLAIMS_REALIZED_H
#define ATTEST_THEORY_CLAIMS_REALIZED_H

#include "attest/theory/claim/claim.h"

/* Each adds SUPPORT steps; another status than AT_OK only when the environment failed. */
int at_support_almost_everywhere(at_claim_run *run, at_error *err);
int at_support_finite_alphabet(at_claim_run *run, at_error *err);
int at_support_position_code(at_claim_run *run, at_error *err);
int at_support_pi(at_claim_run *run, at_error *err);
int at_support_etp(at_claim_run *run, at_error *err);
int at_support_gather(at_claim_run *run, at_error *err);
/* claims_rpe_suprema.c */
int at_support_floors(at_claim_run *run, at_error *err);
/* claims_rpe_commute.c: reversal for every even encoding, or permutations without encoding. */
int at_support_symmetry(at_claim_run *run, bool reverse, at_error *err);

/* rpe.almost-everywhere/everywhere */
int at_decide_almost_everywhere_everywhere(at_claim_run *run, at_error *err);

#endif
