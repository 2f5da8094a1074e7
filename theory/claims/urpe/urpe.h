/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decide functions of urpe.*, by file. */
#ifndef ATTEST_THEORY_CLAIMS_URPE_URPE_H
#define ATTEST_THEORY_CLAIMS_URPE_URPE_H

#include "attest/theory/claims/parts.h"

/* claims_urpe_maps.c */
int at_decide_urpe_attentive(at_claim_run *run, at_error *err);
int at_decide_urpe_position_aware(at_claim_run *run, at_error *err);
int at_decide_urpe_row_sums(at_claim_run *run, at_error *err);
int at_decide_urpe_toeplitz_maps(at_claim_run *run, at_error *err);
int at_decide_urpe_bias_free_zero(at_claim_run *run, at_error *err);
int at_decide_urpe_bias_free_homogeneous(at_claim_run *run, at_error *err);
int at_decide_urpe_position_code(at_claim_run *run, at_error *err);
int at_decide_urpe_solves_pi(at_claim_run *run, at_error *err);
int at_decide_urpe_universal(at_claim_run *run, at_error *err);
int at_decide_urpe_universal_bias_free(at_claim_run *run, at_error *err);

/* claims_urpe_etp.c */
int at_decide_urpe_solves_etp(at_claim_run *run, at_error *err);
int at_decide_urpe_solves_etp_half(at_claim_run *run, at_error *err);

/* claims_rpe_dropped.c */
int at_decide_row_sums_general_bias(at_claim_run *run, at_error *err);

#endif
