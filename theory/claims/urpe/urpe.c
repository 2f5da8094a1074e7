/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims urpe.*: relative encodings with a gate C on the attention weights ([L], Eq. 8). */
#include "attest/theory/claims/urpe/urpe.h"

#define END { .name = NULL }
static const at_range attentive[] = { AT_SIZE("n", 1, 8), END };
static const at_range sums[] = { AT_SIZE("n", 1, 64), AT_SIZE("d", 1, 4), END };
static const at_range counts[] = { AT_SIZE("n", 1, 64), END };
static const at_range maps[] = { AT_SIZE("n", 1, 6), AT_SIZE("d", 1, 2), END };
static const at_range zeros[] = { AT_SIZE("n", 1, 6), AT_SIZE("d", 1, 3), END };
static const at_range one_token[] = { AT_SIZE("d", 1, 4), END };

static const at_claim claims[] = {
    { "urpe.attentive",
      "With B = 0 and C = 11^T, URPE attention is plain softmax attention.",
      "[L] section 4", AT_PROVED, at_decide_urpe_attentive, attentive },
    { "urpe.position-aware",
      "With W_Q = 0, B = 0, c_k = 1 for k <= 0 and 0 else, the row sums of A_U are 1, (n-1)/n, "
      "..., 1/n, all distinct: URPE tells positions apart even on constant sequences.",
      "[L] section 4", AT_PROVED, at_decide_urpe_position_aware, sums },
    { "urpe.row-sums",
      "With W_Q = 0 and B = 0 the row sums of A_U are r/n, r = C1 with r_i = c_{i-n} + ... + "
      "c_{i-1}, so r_{i+1} - r_i = c_i - c_{i-n}; every r in R^n occurs, a circulant C has equal "
      "row sums and an even C has r_i = r_{n+1-i}.",
      "this project", AT_PROVED, at_decide_urpe_row_sums, sums },
    { "urpe.row-sums/general-bias",
      "A circulant or an even C excludes position-awareness whatever B is.",
      "this project", AT_REFUTED, at_decide_row_sums_general_bias, NULL },
    { "urpe.toeplitz-maps",
      "Every map X + M X W_V W_O with a Toeplitz M is one URPE head: W_Q = 0, B = 0, C = nM.",
      "this project", AT_PROVED, at_decide_urpe_toeplitz_maps, maps },
    { "urpe.bias-free-zero",
      "A URPE network without biases maps the zero sequence to zero.",
      "this project", AT_PROVED, at_decide_urpe_bias_free_zero, zeros },
    { "urpe.bias-free-homogeneous",
      "For n = 1 a bias-free network is positively homogeneous, so it misses f = 1 on [0,1] by a "
      "fixed amount in every L^p: Theorem 3 of [L], as recovered, needs a constant coordinate.",
      "this project", AT_PROVED, at_decide_urpe_bias_free_homogeneous, one_token },
    { "urpe.position-code",
      "One head with rational weights adds i to a column of row i, for all X with a constant "
      "coordinate.",
      "this project", AT_PROVED, at_decide_urpe_position_code, sums },
    { "urpe.solves-pi",
      "One URPE layer and a linear readout solve position identification with margin exactly 1 on "
      "every sequence.",
      "this project", AT_PROVED, at_decide_urpe_solves_pi, sums },
    { "urpe.solves-etp",
      "Two URPE layers with rational weights, two heads and B = 0 solve even token prediction on "
      "every sequence, for every beta >= 1, with the sharp margin min_i 2/sum_j e^{-beta (2i-j)^2} "
      "- 1 >= 101/869.",
      "this project", AT_PROVED, at_decide_urpe_solves_etp, counts },
    { "urpe.solves-etp/half",
      "The network of urpe.solves-etp solves even token prediction for beta = 1/2 too.",
      "this project", AT_REFUTED, at_decide_urpe_solves_etp_half, NULL },
    { "urpe.universal",
      "One URPE layer with 2n-1 gathering heads and a position head, then one hidden layer, is "
      "universal in the sup norm on any compact D, given a constant coordinate and d + 2 + (2n-1)d "
      "columns.",
      "this project; a variant of [L] Theorem 3 for another class", AT_PROVED, at_decide_urpe_universal, maps },
    { "urpe.universal/bias-free",
      "Bias-free URPE networks without a constant coordinate are dense in L^2, for n = 1 too.",
      "[L] Theorem 3, as recovered", AT_REFUTED, at_decide_urpe_universal_bias_free, NULL },
};

const at_claim_table at_claims_urpe = { claims, sizeof claims / sizeof claims[0] };
