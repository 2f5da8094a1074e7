/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Witnesses: small networks for the exact engine, and one attention layer "by hand", a second
 * evaluation that shares no code with it: logits, gates and mask are written out as matrices,
 * weights and rows come from a direct double loop in balls.  tests/recheck.py does the same
 * from the certificate, in its own exact arithmetic. */
#ifndef ATTEST_THEORY_CLAIM_WITNESS_H
#define ATTEST_THEORY_CLAIM_WITNESS_H

#include "attest/core/verdict.h"
#include "attest/theory/claim/claim.h"
#include "attest/theory/network/network.h"

/* Rows separated by ';', rationals by spaces: "1 0; -1/2 3".  False when the text has another
 * shape than a. */
bool at_mat_read(fmpq_mat_t a, const char *text);
/* "[[1, 0], [-1/2, 3]]"; freed by flint_free. */
char *at_mat_text(const fmpq_mat_t a);
/* a_{ij} = t_{i-j} from 2n-1 rationals, offset 1-n first. */
bool at_mat_read_toeplitz(fmpq_mat_t a, const char *text);

/* A network without biases, LayerNorm, readout: heads of width d with W_Q = W_K = 0 and
 * W_V = W_O = I, everything else neutral. */
int at_small_network(at_network_t net, enum at_encoding_id encoding, slong n, slong d,
                     slong heads, slong layers, slong ffn, at_error *err) AT_MUST_CHECK;
/* Reads a table of head h of layer l by name; it takes the shape it has. */
int at_small_table(at_network_t net, slong l, slong h, const char *name, const char *text,
                   at_error *err) AT_MUST_CHECK;

/* One layer, one head: X + (weights) (X M + extra). */
typedef struct {
    slong n, d;
    fmpq_mat_t X;               /* n x d */
    fmpq_mat_t logits;          /* n x n, everything positional included; 0 */
    fmpq_mat_t factors;         /* n x n, positive, multiply exp(logit); 1 */
    fmpq_mat_t gates;           /* n x n, multiply the normalised weights; 1 */
    fmpq_mat_t visible;         /* n x n of 0 and 1; 1 */
    fmpq_mat_t extra;           /* n x n,
    added to every coordinate of value j as row i sees it; 0 */
    fmpq_mat_t mixing;          /* d x d, M; identity */
    enum at_normaliser normaliser;
} at_hand_struct;
typedef at_hand_struct at_hand_t[1];

void at_hand_init(at_hand_t hand, slong n, slong d);
void at_hand_clear(at_hand_t hand);
/* Hides the keys j > i, or j >= i when strict, and forgets what they have been given: called
 * last. */
void at_hand_causal(at_hand_t hand, bool strict);
/* rows: n x d, initialised. */
void at_hand_rows(arb_mat_t rows, const at_hand_t hand, slong prec);
/* Some two of the rows first..n-1 are certainly different. */
enum at_truth at_hand_rows_differ(const at_hand_t hand, slong first);

/* The engine's exact rows Y for net and X are these expressions (rows by ';', entries by ',';
 * NULL: not compared) and lie in the hand's balls at 192 bits (NULL: not compared). */
enum at_truth at_witness_rows(at_expqf_mat_t Y, const at_network_t net, const fmpq_mat_t X,
                              const at_hand_t hand, const char *expected);
/* On n copies of the row x: all rows of net rational, equal, and equal to the output for x alone
 * (claims_rpe_deep.c). */
enum at_truth at_part_collapses(const at_network_t net, const fmpq_mat_t x, slong n);
/* Rows first.. of Y are not all equal. */
enum at_truth at_rows_differ(const at_expqf_mat_t Y, slong first);

/* The fact of kind "rows": the hand's matrices and the exact rows. */
void at_witness_fact(at_claim_run *run, const char *label, const at_hand_t hand,
                     const at_expqf_mat_t rows);
/* The fact "row i of A differs from row j of B", at the first entry where they do
 * (claims_rpe_escape.c). */
void at_fact_rows_differ(at_claim_run *run, const at_expqf_mat_t A, slong i, const at_expqf_mat_t B,
                         slong j);
/* "(2 + e)/(1 + e), 1; 0, 1/2"; freed by flint_free. */
char *at_rows_text(const at_expqf_mat_t rows);

#endif
