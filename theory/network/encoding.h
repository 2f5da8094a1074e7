/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The positional encodings in exact form: what each adds to logits, factors, gates and
 * values of an attention head.  One encoding is one at_encoding_exact; the table
 * at_encodings_exact has the order of core's enum.
 *
 * Conventions: tokens i (query) and j (key) count from 0 in code, offset k = i − j; a table over
 * offsets has 2n − 1 columns, offset k in column k + n − 1, n the network's longest sequence (a
 * prepended token counts).  A head keeps at most AT_TABLES rational tables; which, the encoding
 * says:
 *
 *   none               —
 *   learned            (network's positions, n × d)
 *   sinusoidal         (network's positions, rational points of the circle)
 *   shaw-k             key 2w+1 × d_h           row clip(k, −w, w) + w
 *   shaw               key 2w+1 × d_h, value 2w+1 × d_v
 *   transformer-xl     relative 2n−1 × d (r_k), map d × d_h (W_R), content 1 × d_h (u),
 *                      place 1 × d_h (w)
 *   t5                 bias 1 × 2n−1
 *   t5-bucketed        bias 1 × buckets, distance 1 × 1 (offsets from it on share the last bucket)
 *   deberta            relative 2w × d (P), key d × d_h (W_{K,r}), query d × d_h (W_{Q,r}),
 *                      scale 1 × 1
 *   tupe               query d × d_h (U_Q), key d × d_h (U_K); positions: the network's, n × d
 *   alibi, …-symmetric slope 1 × 1 (m)
 *   rope               rotation d_h/2 × 2 (cos θ, sin θ), rational points of the circle
 *   kerple-log         r 1 × 2 (r_1 ≥ 0 an integer, r_2 ≥ 0)
 *   kerple-power       r 1 × 2 (r_1, r_2 ∈ {1, 2})
 *   fire               psi 1 × 2 (c, L: ψ(x) = 1 + c x, c > 0), in 1 × h, bias 1 × h, out 1 × h:
 *                      f(z) = Σ_l out_l ReLU(in_l z + bias_l) at z = ψ(|k|)/ψ(max(L, i)), i from 1
 *   graph              bias 1 × n+1             column SPD(i,j), column n where unreachable
 *   urpe               bias 1 × 2n−1, gate 1 × 2n−1 (B and C)
 *   graph-urpe         bias 1 × n+1, gate 1 × n+1
 *   stable-mask        mask n × n (P; only its strictly upper part is read)
 *   l2-norm            bias 1 × 2n−1, factor 1 × 2n−1 (positive, e^b where e^b is rational)
 *   relu2              bias 1 × 2n−1
 */
#ifndef ATTEST_THEORY_NETWORK_ENCODING_H
#define ATTEST_THEORY_NETWORK_ENCODING_H

#include "attest/core/tables.h"
#include "attest/core/error.h"
#include "attest/theory/flint/random.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AT_TABLES 4

struct at_network_struct;
struct at_head;
struct at_attention;

/* How weights are made of logits s and positive rational factors f:
 * softmax  a_j = f_j e^{s_j} / Σ_l f_l e^{s_l}
 * l2       a_j = f_j e^{s_j} / √(Σ_l f_l² e^{2 s_l})
 * relu2    a_j = max(s_j, 0)² / n, n the number of rows */
enum at_normaliser { AT_NORMALISE_SOFTMAX, AT_NORMALISE_L2, AT_NORMALISE_RELU2 };

/* The hooks get the head under evaluation as an opaque pointer, and numbers s of the field (exact
 * or balls) as void pointers; the functions below read and change them.  Every hook may be NULL:
 * nothing added, factor 1, gate 1. */
typedef struct {
    enum at_encoding_id id;
    enum at_normaliser normaliser;
    const char *tables[AT_TABLES];       /* names, NULL past the last */
    int terms;                           /* products summed in a logit: scaling is 1/√(terms d_h) */
    bool adds_positions;                 /* x_i + p_i at the input */
    bool uses_positions;                 /* reads the network's positions (or adds them) */
    bool uses_distance;                  /* reads the network's graph distances */
    /* Default shape of table t. */
    void (*shape)(slong *rows, slong *cols, const struct at_network_struct *net, int t);
    /* Random values that respect the table's conditions; NULL: any rationals. */
    void (*random)(struct at_head *head, const struct at_network_struct *net, at_random *r);
    /* AT_USAGE when a table breaks its condition; NULL: none. */
    int (*check)(const struct at_network_struct *net, const struct at_head *head, at_error *err);
    /* Once a head: rational work matrices, rotated queries and keys. */
    void (*prepare)(struct at_attention *a);
    /* s += what is scaled together with q_i·k_j, which s holds. */
    void (*relative)(void *s, struct at_attention *a, slong i, slong j);
    /* s += the positional part of logit (i, j); s holds the scaled sum. */
    void (*logit)(void *s, struct at_attention *a, slong i, slong j);
    /* Rational factor of e^{s_ij}, and gate c_ij of the weight. */
    void (*factor)(fmpq_t f, const struct at_attention *a, slong i, slong j);
    void (*gate)(fmpq_t c, const struct at_attention *a, slong i, slong j);
    /* Row of *table that is added to value v_j as row i sees it. */
    slong (*value)(const fmpq_mat_struct **table, const struct at_attention *a, slong i, slong j);
    /* Softmax over all keys, also those that the causal mask hides; only visible values count. */
    bool counts_hidden;
} at_encoding_exact;

extern const at_encoding_exact *const at_encodings_exact[AT_ENC_COUNT];

/* ---- For hooks ----------------------------------------------------------------------------- */

/* The network, the number of tokens of the sequence, an entry of the head's table t. */
const struct at_network_struct *at_attention_network(const struct at_attention *a);
slong at_attention_tokens(const struct at_attention *a);
const fmpq *at_attention_entry(const struct at_attention *a, int t, slong row, slong col);
/* s += c. */
void at_attention_add(void *s, struct at_attention *a, const fmpq_t c);

/* Bucket of offset k = i − j (T5, Raffel et al. 2020), by integer comparison: bidirectional: half
 * of the buckets for j > i; of each half, the first half one a distance, the others logarithmic up
 * to distance. */
slong at_t5_bucket(slong k, slong buckets, slong distance, bool bidirectional);

#ifdef __cplusplus
}
#endif

#endif
