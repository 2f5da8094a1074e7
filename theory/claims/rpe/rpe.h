/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decide functions of rpe.*, by file. */
#ifndef ATTEST_THEORY_CLAIMS_RPE_RPE_H
#define ATTEST_THEORY_CLAIMS_RPE_RPE_H

#include "attest/core/tables.h"
#include "attest/theory/claims/parts.h"

/* claims_rpe_collapse.c */
int at_decide_right_stochastic(at_claim_run *run, at_error *err);
int at_decide_layer_collapse(at_claim_run *run, at_error *err);
int at_decide_causal_mask(at_claim_run *run, at_error *err);
int at_decide_tupe_collapse(at_claim_run *run, at_error *err);

/* claims_rpe_floor.c */
int at_decide_no_uniform_approximation(at_claim_run *run, at_error *err);
int at_decide_floor(at_claim_run *run, at_error *err);
int at_decide_floor_euclidean(at_claim_run *run, at_error *err);

/* claims_rpe_symmetry.c */
int at_decide_reversal_symmetry(at_claim_run *run, at_error *err);
int at_decide_permutation_symmetry(at_claim_run *run, at_error *err);

/* claims_rpe_deep.c */
int at_decide_deep_collapse(at_claim_run *run, at_error *err);

/* claims_rpe_table.c: the row of an encoding that escapes, in the table of rpe.deep-collapse, by
 * its listed witness; _random: by random layers, undecided when none of them has unequal rows. */
int at_row_escape(at_claim_run *run, enum at_encoding_id encoding, at_error *err);
int at_row_escape_random(at_claim_run *run, enum at_encoding_id encoding, at_error *err);

/* claims_rpe_escape.c */
int at_decide_value_bias_escapes(at_claim_run *run, at_error *err);
int at_decide_ape_escapes(at_claim_run *run, at_error *err);
int at_decide_normaliser_escapes(at_claim_run *run, at_error *err);
int at_decide_cls_escapes(at_claim_run *run, at_error *err);

/* claims_rpe_dropped.c */
int at_decide_empty_row(at_claim_run *run, at_error *err);
int at_decide_shaw_values(at_claim_run *run, at_error *err);
int at_decide_urpe_value_bias(at_claim_run *run, at_error *err);
int at_decide_row_sums_general_bias(at_claim_run *run, at_error *err);

/* claims_rpe_reversal.c */
int at_decide_reversal_rope(at_claim_run *run, at_error *err);
int at_decide_reversal_t5(at_claim_run *run, at_error *err);
int at_decide_reversal_tupe(at_claim_run *run, at_error *err);
int at_decide_reversal_causal(at_claim_run *run, at_error *err);

/* claims_rpe_alphabet.c */
int at_decide_finite_alphabet(at_claim_run *run, at_error *err);

/* claims_rpe_almost.c */
int at_decide_almost_everywhere(at_claim_run *run, at_error *err);
int at_decide_lp_universal(at_claim_run *run, at_error *err);
int at_decide_poster_nope(at_claim_run *run, at_error *err);

#endif
