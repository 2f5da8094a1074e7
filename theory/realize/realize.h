/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constructions of the theory as explicit rational networks: what a class of models can do,
 * shown by weights.  Every function initialises net upon AT_OK (the caller clears it) and answers
 * AT_USAGE for sizes that make no sense.  Heads are as narrow as the construction allows;
 * at_network_pad makes them d/heads wide for engines that want that.  Tables are the same in all
 * layers. */
#ifndef ATTEST_THEORY_REALIZE_REALIZE_H
#define ATTEST_THEORY_REALIZE_REALIZE_H

#include "attest/core/safetensors.h"
#include "attest/theory/network/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Plain relative encodings (T5) --------------------------------------------------------- */

/* rpe.almost-everywhere: n real numbers in [−R, R] in, the positions 1 ... n out, exactly, wherever
 * |x_i − x_{i−1}| ≥ δ for all i.  Two layers, two heads; columns x, one, y, m, q, p, readout p.
 * n ≥ 2, R > 0, δ > 0, β, γ ≥ 0. */
int at_realize_almost_everywhere(at_network_t net, slong n, const fmpq_t R, const fmpq_t delta,
                                 slong beta, slong gamma, at_error *err) AT_MUST_CHECK;
enum { AT_AE_X, AT_AE_ONE, AT_AE_Y, AT_AE_M, AT_AE_Q, AT_AE_P, AT_AE_WIDTH };
/* The sufficient condition 2^β δ ≥ 6R(n−1) and 2^γ ≥ 4(n−1) (with e ≥ 2). */
bool at_almost_everywhere_holds(slong n, const fmpq_t R, const fmpq_t delta, slong beta,
                                slong gamma);

/* rpe.finite-alphabet: tokens 0 ... V−1 in (as numbers, 1 column), positions out on every
 * non-constant sequence.  One layer, one head, W_Q = 0, biases b[k + n − 1] for offset k; the
 * steps of the ReLU staircase separate the values q_i = Σ_j a_ij x_j, sorted exactly.
 * AT_UNEXPECTED, naming two sequences, when b does not separate the positions.  n ≥ 2, V ≥ 2, V^n
 * ≤ 100000.  margin (may be NULL) = a rational at most the least distance between values q of
 * different positions. */
int at_realize_finite_alphabet(at_network_t net, fmpq *margin, slong n, slong V, const fmpq *b,
                               at_error *err) AT_MUST_CHECK;
enum { AT_FA_X, AT_FA_ONE, AT_FA_Q, AT_FA_P, AT_FA_WIDTH };

/* ---- URPE ---------------------------------------------------------------------------------- */

/* urpe.position-code: one layer, one head; rows (data, one, p) with p = 0 in, p = i out, all else
 * unchanged. X has data + 2 columns. */
int at_realize_position_code(at_network_t net, slong n, slong data, at_error *err) AT_MUST_CHECK;

/* urpe.solves-pi: tokens 0 ... V−1 (one-hot) in, n logits 2kp − k² out, k = 1 ... n in column
 * k−1. */
int at_realize_pi(at_network_t net, slong n, slong V, at_error *err) AT_MUST_CHECK;

/* urpe.solves-etp: tokens one-hot in, V + 1 logits out: tokens 0 ... V−1, then EOS.  Two layers,
 * two heads; β > 0. */
int at_realize_etp(at_network_t net, slong n, slong V, const fmpq_t beta, at_error *err)
    AT_MUST_CHECK;
/* The same with width 7 for every V: V + 1 logits, column 0 is EOS, column v + 1 token v. */
int at_realize_etp_small(at_network_t net, slong n, slong V, const fmpq_t beta, at_error *err)
    AT_MUST_CHECK;
/* ETP's labels for tokens[0 ... n−1]: label[i−1] = tokens[2i − 1] for i ≤ ⌊n/2⌋, else eos; shift
 * is added to tokens (0 for the first network, 1 for the small one). */
void at_etp_labels(slong *labels, const slong *tokens, slong n, slong shift, slong eos);
/* M(n, β) = min_{1 ≤ i ≤ ⌊n/2⌋} 2/Σ_j e^{−β(2i−j)²} − 1, the least margin of at_realize_etp over
 * all sequences; n ≥ 2. */
void at_etp_margin(at_expqf_t margin, slong n, const fmpq_t beta);

/* The gathering layer of urpe.universal: rows (data, one, p, 0 ...) in; out, row i holds p = i and
 * in block k + n − 1 (columns data + 2 + (k + n − 1)·data ...) the data of row i − k, 0 outside 1
 * ... n.  2n heads, d = data + 2 + (2n−1)·data.  X has d columns. */
int at_realize_gather(at_network_t net, slong n, slong data, at_error *err) AT_MUST_CHECK;

/* ---- Margins, export ----------------------------------------------------------------------- */

/* margin = min over rows of (logit of the label − greatest other logit); two columns at least. */
void at_logit_margin(at_expqf_t margin, const at_expqf_mat_t logits, const slong *labels);

/* out = a network with the same values (in net's columns; further columns are 0) whose width is a
 * multiple of its heads and whose heads are d/heads wide.  AT_USAGE with LayerNorm, rope or an
 * encoding whose tables have d columns. */
int at_network_pad(at_network_t out, const at_network_t net, at_error *err) AT_MUST_CHECK;

/* Float64 tensors and metadata under the names of the float engine's files (emb.weight for
 * tokens, else in.weight; layers.0.attn.qkv.weight, rpe.weight, urpe.weight, readout.weight, ...),
 * each the nearest doubles.  For none, learned, t5 and urpe without LayerNorm; pads first where
 * heads are not d/heads wide; a missing input map or readout becomes the identity.  tokens: the
 * input is one-hot.  file is initialised by the caller. */
int at_network_get_tensors(at_tensors *file, const at_network_t net, bool tokens, at_error *err)
    AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
