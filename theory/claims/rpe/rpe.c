/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims rpe.*: what relative positional encodings in a softmax cannot do, and where that
 * stops ([L] and this project). */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/rpe/rpe.h"

#define END { .name = NULL }
static const at_range softmax[] = { AT_SIZE("n", 1, 8), END };
static const at_range layers[] = { AT_SIZE("n", 1, 6), AT_SIZE("d", 1, 4), AT_SIZE("H", 1, 2), END };
static const at_range two_rows[] = { AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 4), END };
static const at_range floors[] = { AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 2), AT_SIZE("k", 1, 6), END };
static const at_range reversal[] = { AT_SIZE("n", 1, 5), AT_SIZE("d", 1, 2), AT_SIZE("m", 1, 64),
                                     END };
static const at_range permutations[] = { AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 2), AT_SIZE("m", 1, 5),
                                         AT_SIZE("V", 1, 3), END };

static const at_claim claims[] = {
    { "rpe.right-stochastic",
      "For all real logits and every mask, each softmax row with at least one unmasked entry sums "
      "to 1.",
      "[L] section 3", AT_PROVED, at_decide_right_stochastic, softmax },
    { "rpe.right-stochastic/empty-row",
      "For every mask, also one that hides a whole row (which is then set to zero), the layer maps "
      "a constant sequence to equal rows.",
      "this project", AT_REFUTED, at_decide_empty_row, NULL },
    { "rpe.layer-collapse",
      "For every A^h with A^h 1 = 1, whatever it depends on, and every M^h = W_V^h W_O^h, the "
      "layer maps a constant sequence 1x^T to equal rows, equal to its output for one token; a "
      "plain value bias, FFN, LayerNorm and depth change nothing.",
      "[L] Theorem 2", AT_PROVED, at_decide_layer_collapse, layers },
    { "rpe.layer-collapse/urpe-value-bias",
      "A plain value bias is harmless for URPE too: with X = 0 the rows stay equal.",
      "this project", AT_REFUTED, at_decide_urpe_value_bias, NULL },
    { "rpe.deep-collapse",
      "For each softmax-only encoding (the table of -v lists them) networks of 1-6 layers, causal "
      "or not, map constant sequences to identical, rational rows, equal to the output for one "
      "token.",
      "[L] Theorem 2", AT_CERTIFIED, at_decide_deep_collapse, NULL },
    { "rpe.deep-collapse/all-rpe",
      "Every relative positional encoding collapses on constant sequences, Shaw's relative values "
      "included.",
      "[L] informally", AT_REFUTED, at_decide_shaw_values, NULL },
    { "rpe.causal-mask",
      "A causal mask does not help: every row sees itself, so the rows still sum to 1 and "
      "collapse.",
      "this project", AT_PROVED, at_decide_causal_mask, layers },
    { "rpe.tupe-collapse",
      "TUPE collapses although its positions are absolute, because they enter the logits only.",
      "this project", AT_PROVED, at_decide_tupe_collapse, layers },
    { "rpe.no-uniform-approximation",
      "For every M > 0 there is a continuous f such that every Transformer g whose encoding stays "
      "within the softmax (value tables, other normalisers and added positions are excluded) "
      "misses it by more than M: sup over D of |f(X) - g(X)|_F > M, for n >= 2 and any D with a constant sequence.",
      "[L] Theorem 2", AT_PROVED, at_decide_no_uniform_approximation, two_rows },
    { "rpe.floor",
      "A collapsing map errs by at least half the spread of the target rows in the max norm, which "
      "the midrange attains; in Frobenius norm by the deviation from the mean row, in cross "
      "entropy by the entropy of the label frequencies, and its accuracy is at most the largest "
      "frequency where ties are broken by the logit row alone.",
      "this project", AT_PROVED, at_decide_floor, floors },
    { "rpe.floor/euclidean-diameter",
      "In Euclidean rows half the diameter of the targets is attained by some row.",
      "this project", AT_REFUTED, at_decide_floor_euclidean, NULL },
    { "rpe.value-bias-escapes",
      "Shaw's relative values a^V escape the collapse; a plain value bias does not.",
      "this project", AT_CERTIFIED, at_decide_value_bias_escapes, NULL },
    { "rpe.ape-escapes",
      "Absolute positions added to the input escape the collapse, without any layer.",
      "[L] section 3", AT_CERTIFIED, at_decide_ape_escapes, NULL },
    { "rpe.normaliser-escapes",
      "Weights that are not normalised to sum 1 (l2, relu^2/n, stable-mask) escape with a bias or "
      "a mask, and not without.",
      "this project", AT_CERTIFIED, at_decide_normaliser_escapes, NULL },
    { "rpe.cls-escapes",
      "A prepended distinguished token makes rows differ: with an encoding, or with a causal mask "
      "alone; bidirectional attention without encoding does not escape.",
      "this project", AT_CERTIFIED, at_decide_cls_escapes, NULL },
    { "rpe.finite-alphabet",
      "One T5 layer (unbucketed), one head, W_Q = 0, a constant coordinate and a ReLU staircase "
      "give p_i = i exactly on every sequence over a finite alphabet that is not constant, so the "
      "best accuracy of plain RPE in position identification on i.i.d. tokens is exactly 1 - "
      "V^{1-n} (1 - 1/n).",
      "this project", AT_PROVED, at_decide_finite_alphabet, NULL },
    { "rpe.almost-everywhere",
      "On {|x_i| <= R, |x_i - x_{i-1}| >= delta} two layers with two heads, T5 biases and a "
      "constant coordinate give p_i = i exactly if 2^beta delta >= 6R(n-1) and 2^gamma >= 4(n-1), "
      "and 1 <= p_i <= n for all X; "
      "so E|p_i - i|^p <= (n-1)^{p+1} delta/R for X uniform on [-R,R]^n.",
      "this project", AT_PROVED, at_decide_almost_everywhere, NULL },
    { "rpe.almost-everywhere/everywhere",
      "The networks of rpe.almost-everywhere give p_i = i on every sequence, constants included.",
      "this project", AT_REFUTED, at_decide_almost_everywhere_everywhere, NULL },
    { "rpe.lp-universal",
      "With one gathering layer more, T5-type RPE with a constant coordinate and a widened "
      "residual stream (d + 5 + (2n-1)d columns) is universal in L^p for every p < infinity, on a "
      "bounded domain, for inputs with a bounded density: Theorem 2 of [L] does not extend to L^p.",
      "this project", AT_PROVED, at_decide_lp_universal, NULL },
    { "rpe.reversal-symmetry",
      "If the logits satisfy S(JX) = J S(X) J and there is no causal mask (none, alibi-symmetric, "
      "kerple, a path graph, even tables of t5, shaw-k, transformer-xl, deberta, fire with L >= n, "
      "URPE with B and C even), then g(JX) = J g(X); hence max(err X, err JX) >= 1/2 |f(X) - J "
      "f(JX)|, for position identification (n-1)/2, mean square (n^2-1)/12, accuracy ceil(n/2)/n.",
      "this project", AT_PROVED, at_decide_reversal_symmetry, reversal },
    { "rpe.reversal-symmetry/rope", "RoPE commutes with reversal: g(JX) = J g(X).",
      "this project", AT_REFUTED, at_decide_reversal_rope, NULL },
    { "rpe.reversal-symmetry/t5", "T5 biases commute with reversal whatever the table.",
      "this project", AT_REFUTED, at_decide_reversal_t5, NULL },
    { "rpe.reversal-symmetry/tupe", "TUPE commutes with reversal whatever its positions.",
      "this project", AT_REFUTED, at_decide_reversal_tupe, NULL },
    { "rpe.reversal-symmetry/causal", "Attention without encoding commutes with reversal under a "
      "causal mask.",
      "this project", AT_REFUTED, at_decide_reversal_causal, NULL },
    { "rpe.permutation-symmetry",
      "Without encoding and mask g(PX) = P g(X); over an exchangeable law, weights independent of "
      "the data, the expected accuracy is at most 1/n for position identification (cross entropy "
      ">= log n) and, where EOS is outside the alphabet of the tokens, ceil(n/2)/n for even token "
      "prediction.",
      "this project", AT_PROVED, at_decide_permutation_symmetry, permutations },
    { "rpe.poster-nope",
      "A Transformer without positional encoding reaches accuracy .055 (+- .006) in position "
      "identification, n = 128, on fresh i.i.d. sequences.",
      "[L] poster", AT_REFUTED, at_decide_poster_nope, NULL },
};

const at_claim_table at_claims_rpe = { claims, sizeof claims / sizeof claims[0] };
