/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the proofs of rpe.* and urpe.*, each a decision with the constants of the
 * statement as arguments, so that the tests can put false constants in and see them fail.
 * Every answer is AT_TRUE only when the part holds as asked. */
#ifndef ATTEST_THEORY_CLAIMS_PARTS_H
#define ATTEST_THEORY_CLAIMS_PARTS_H

#include "attest/theory/claim/quantifier.h"
#include "attest/theory/symbolic/symbolic.h"

/* ---- Collapse (claims_rpe_collapse.c) ---------------------------------------- */

/* For n positive indeterminates e_j and every 0/1 mask with at least `least` bits set:
 * sum_j m_j e_j / Z = p/q, and Z > 0.  The statement: least = 1, p/q = 1. */
enum at_truth at_part_softmax_sums(slong n, slong least, slong p, slong q);

/* What a matrix of attention weights is known to satisfy. */
enum at_weights_kind {
    AT_WEIGHTS_STOCHASTIC,      /* every row sums to 1: the last column is eliminated */
    AT_WEIGHTS_ONE_ROW_FREE,    /* every row but the last */
    AT_WEIGHTS_SUM_TWO,         /* every row sums to 2 */
    AT_WEIGHTS_COLUMNS,         /* every column sums to 1 */
    AT_WEIGHTS_FREE             /* nothing */
};

/* 1 x^T + sum_h A^h (1 x^T M^h + bias * 1 v^T): the rows are equal, and equal to
 * x + sum_h (x M^h + bias * v), the output for length 1.  All entries are indeterminates. */
enum at_truth at_part_layer_collapse(slong n, slong d, slong heads, enum at_weights_kind kind,
                                     bool value_bias);

/* ---- Floors (claims_rpe_floor.c) --------------------------------------------- */

/* sum_i |f_i - y|^2 = p c^2 + N |y|^2 for rows c e_1, -c e_1, 0 ... of width d; the length N is
 * an indeterminate.  The statement: p = 2. */
enum at_truth at_part_two_rows_gap(slong d, slong p);
/* (f_1 - y)^2 + (f_2 - y)^2 >= p/q (f_1 - f_2)^2 as a sum of squares: true for p/q <= 1/2. */
enum at_truth at_part_max_norm(slong p, slong q);
/* At y = lambda max + (1 - lambda) min both ends are p/q (max - min) away: lambda = 1/2 only. */
enum at_truth at_part_midrange(slong lp, slong lq, slong p, slong q);
/* sum_i |f_i - y|^2 = sum_i |f_i - mean|^2 + n |mean - y|^2, n rows of width d, where the mean
 * is the sum divided by `divisor` (the statement: n). */
enum at_truth at_part_mean_is_best(slong n, slong d, slong divisor);
/* For all label rows of length n over V labels and every constant prediction: the share of
 * hits is at most p/q times the largest frequency.  Exhaustive; the statement: 1. */
enum at_truth at_part_accuracy_ceiling(slong n, slong V, slong p, slong q);
/* sum_k p_k (1 - q_k/p_k) = q_rest over m classes that occur: by log t <= t - 1 the cross
 * entropy minus the entropy is at least this, a probability. */
enum at_truth at_part_entropy_is_least(slong m);

/* ---- Symmetries (claims_rpe_symmetry.c) -------------------------------------- */

/* Kinds of logits, as polynomials in X, the weights and the tables. */
enum at_logits_kind {
    AT_LOGITS_NONE, AT_LOGITS_EVEN_BIAS, AT_LOGITS_BIAS, AT_LOGITS_EVEN_KEYS, AT_LOGITS_KEYS,
    AT_LOGITS_EVEN_XL, AT_LOGITS_XL, AT_LOGITS_EVEN_DEBERTA, AT_LOGITS_DEBERTA, AT_LOGITS_TUPE,
    AT_LOGITS_KIND_COUNT
};
const char *at_logits_kind_name(enum at_logits_kind kind);

/* s_{ij}(P X) = s_{Pi Pj}(X) for all X and weights (n tokens, width d, head width h). */
enum at_truth at_part_logits_symmetry(enum at_logits_kind kind, slong n, slong d, slong h,
                                      const slong *perm);
/* If A(PX) = P A(X) P^T entrywise (indeterminates e_ij, gates c_ij with c_{Pi Pj} = c_ij unless
 * break_gates), then g(PX) = P g(X) for X + softmax(S) * C X M. */
enum at_truth at_part_layer_symmetry(slong n, slong d, const slong *perm, bool break_gates);
/* Over all permutations of n slots with fixed predictions, exhaustively: the mean number of hits
 * is at most p1/q1 and its second moment at most p2/q2.  The statement: 1 and 2. */
enum at_truth at_part_random_hits(slong n, slong p1, slong q1, slong p2, slong q2);

/* For every sequence over V letters: the best fixed prediction of each token of a permuted
 * sequence hits at most `cap` even-token labels of n on average.  Statement: ceil(n/2). */
enum at_truth at_part_etp_orbit(slong n, slong V, slong cap);
/* PI under reversal for n = 1..most: largest |f_i - f_{n+1-i}| = n - 1 + shift (statement: 0),
 * mean of the quartered squares (n^2 - 1)/12, n + fixed points = 2 ceil(n/2). */
enum at_truth at_part_pi_under_reversal(slong most, slong shift);

/* ---- Finite alphabets (claims_rpe_alphabet.c) --------------------------------- */

/* One T5 head with biases b/den (2n-1 integers, offset 1-n first) over V letters: the averages of
 * rows i and k of sequences that are not constant agree only for i = k; constants give their letter.
 * *jumps: changes of row along the sorted values.  With `constants` the constant sequences are
 * asked to be told apart too (false).  Exhaustive, in Q(e^Q). */
enum at_truth at_part_finite_alphabet(slong n, slong V, const slong *b, slong den, slong *jumps,
                                      bool constants);

/* Over all V^n rows of letters: n hits where not all letters agree and `hits` where they do are a
 * share 1 - V^{1-n} (1 - 1/n) of all places.  Exhaustive; the statement: 1, which no single answer
 * to n different positions exceeds. */
enum at_truth at_part_best_accuracy(slong n, slong V, slong hits);

/* The six steps of the explicit staircase for n = 3, V = 2 give p = (1, 2, 3) off constants and
 * (3, 3, 3) on them, with no value on a slope; `moved` shifts the numerator of the first edge.
 * Statement: 0. */
enum at_truth at_part_staircase(slong moved);

/* ---- URPE (claims_urpe_parts.c) ------------------------------------------------------ */

/* One row sum_j c_j b_j e_j v_j / sum_j b_j e_j with all of c, b, e, v indeterminate, evaluated at
 * b = bias, c = gate, is sum_j e_j v_j / sum_j e_j, and was not before.  Statement: 1 and 1. */
enum at_truth at_part_gates_of_one(slong n, slong bias, slong gate);
/* Each of the d^3 terms of (x W_Q)(y W_K)^T, everything indeterminate, holds exactly one entry of
 * W_Q. */
enum at_truth at_part_logit_needs_query(slong d);
/* Row sums of the Toeplitz matrix C, as linear forms in c_{1-n..n-1}, are
 * r_i = sum of c_k over i-n+shift <= k <= i-1+shift and r_{i+1} - r_i = c_i - c_{i-n}
 * (statement: shift 0). */
enum at_truth at_part_row_sum_forms(slong n, slong shift);
/* c_0 = v_1, c_k = sign v_{k+1} - v_k (k >= 1), 0 (k < 0) has row sums v; rank n. */
enum at_truth at_part_right_inverse(slong n, slong sign);
/* Row sums of (1/n) C for c_k = inside for k <= last, outside beyond: equal to
 * (n, n-1, ..., 1)/n and pairwise different.  Statement: inside 1, outside 0, last 0. */
enum at_truth at_part_position_aware(slong n, slong inside, slong outside, slong last);
/* With C circulant (even): all row sums equal (r_i = r_{n+1-i}); `shift` misplaces the
 * identification by that many offsets. */
enum at_truth at_part_circulant_sums(slong n, slong shift);
enum at_truth at_part_even_sums(slong n, slong shift);
/* X + (11^T/n * C) X W_V W_O = X + M X W_V W_O for C = scale M (statement: scale n). */
enum at_truth at_part_toeplitz_map(slong n, slong d, slong scale);
/* One head, W_Q = 0, c_k = scale for k >= first, else 0, on the constant coordinate: adds i
 * for all X.  Statement: scale n (through W_V), first 0. */
enum at_truth at_part_position_code(slong n, slong scale, slong first);
/* 2k i - curvature k^2: logit_i - logit_k = (i-k)^2 as polynomials.  Statement: 1. */
enum at_truth at_part_quadratic_readout(slong curvature);
/* Gathering head of offset k moves x_{i-k} (0 outside) to row i exactly, for all X;
 * `miss` shifts the gate.  Statement: 0. */
enum at_truth at_part_gather(slong n, slong d, slong k, slong miss);

/* ---- Even token prediction (claims_urpe_etp.c) ---------------------------------- */

/* i + weight * sum_{t<n} ReLU(i - t) = i^2, and two hinges give [i > n/2], for i = 1..n.
 * Statement: weight 2. */
enum at_truth at_part_square_from_hinges(slong n, slong weight);
/* slope b i j - b j^2 = -b (2i - j)^2 + 4 b i^2.  Statement: slope 4. */
enum at_truth at_part_peaked_logits(slong slope);
/* m^2 >= 1 + gap (m - 1) for integers m >= 1.  Statement: 3. */
enum at_truth at_part_square_tail(slong gap);
/* 2E/(1 - E^3) rises and (1-s)/(1+s) falls; sign -1 asserts the opposite. */
enum at_truth at_part_margin_monotone(slong sign);
/* At E = p/q the bound (1-S)/(1+S), S = 2E/(1-E^3), is at least mp/mq and positive. */
enum at_truth at_part_margin_bound(slong p, slong q, slong mp, slong mq);
/* exp(k) > p/q, k >= 1: a partial sum of the series in Q already exceeds it, and so does an
 * enclosure of exp(k). */
enum at_truth at_part_power_of_e(slong k, slong p, slong q);
/* The sharp margin M(n, beta) rounds to so many millionths. */
enum at_truth at_part_margin_value(slong n, slong beta, slong millionths);

/* ---- Almost everywhere (claims_rpe_almost.c) ----------------------------------- */

/* With n, E, G, t indeterminate (all >= 0 after a shift), theory.md rpe.almost-everywhere:
 * (1 - w_1), (1 - w_i) <= factor (n-1)/E.  Statement: factor 1. */
enum at_truth at_part_previous_token(slong p, slong q);
/* The bump of four hinges: 1 on |u| <= delta/3, 0 on |u| >= 2 delta/3; slope is the hinge weight
 * times delta (statement: 3). */
enum at_truth at_part_bump(slong slope);
/* G >= c (n-1) gives q_t >= 4/(4t+1) and q_{t+1} <= 1/(t+1).  Statement: c = 4. */
enum at_truth at_part_position_levels(slong c);
/* The hinge pair of step t rises by exactly 1 between 1/(t+1) and 4/(4t+1); the weight is
 * (4t+1)(t+shift)/3.  Statement: 1. */
enum at_truth at_part_position_step(slong shift);

#endif
