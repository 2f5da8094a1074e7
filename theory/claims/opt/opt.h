/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims opt.*: one function a claim, and what they share.  The parts take the constants of
 * their statements as arguments, so that the tests can put false ones in. */
#ifndef ATTEST_THEORY_CLAIMS_OPT_OPT_H
#define ATTEST_THEORY_CLAIMS_OPT_OPT_H

#include "attest/core/tables.h"
#include "attest/theory/claim/quantifier.h"
#include "attest/theory/energy/example.h"

/* What the random instances of a descent theorem are drawn from. */
typedef struct {
    enum at_step_id step;
    double past;        /* factor on the largest step size of the theorem; the statement: ≤ 1 */
    bool signed_rows;   /* with ReLU: start outside the orthant too, which the theorem excludes */
    bool relu;
} at_opt_trial;

/* `count` random instances (beyond 200 only while the budget lasts; rational corner cases as doubles, all four ρ where the step allows),
 * each decided by at_energy_certify_step.  AT_TRUE when every one descends or ties, AT_FALSE when
 * one rises, AT_UNKNOWN when one is undecided.  tally: descending, tied, rising, undecided. */
enum at_truth at_opt_try(size_t tally[4], at_claim_run *run, const at_opt_trial *trial,
                         size_t count);
/* The same as a supporting step of the run. */
void at_opt_support(at_claim_run *run, const at_opt_trial *trial);

/* Energies that only need ℚ: E(Y) and E(Y') for Y' = D^{-1}WY with w = ρ'(z), and for a power
 * ρ(z) = z^k the sum, for ρ = log(2 + z) (k = 0) the product exp E. */
void at_opt_rational_step(fmpq_mat_t next, const fmpq_mat_t Y, unsigned k);
void at_opt_rational_energy(fmpq_t energy, const fmpq_mat_t Y, unsigned k);

/* q Σ_t ‖Y^{t+1} − Y^t‖² < p (E(Y^0) − E(Y^T)) along softmax_β from rational rows, in balls;
 * AT_TRUE also when all rows are equal.  The statement: p = q = 1. */
enum at_truth at_opt_path_length(const fmpq_mat_t Y, slong steps, slong p, slong q);
/* F(z) = −log Σ_j exp(−½‖z − h_j‖²) does not rise for z' = z − η(z − Σ p_j h_j).  Ties are decided
 * exactly.  The statement: 0 ≤ η ≤ 2. */
enum at_truth at_opt_fixed_keys(const fmpq_mat_t keys, const fmpq_mat_t z, const fmpq_t eta);

/* x' = [ReLU](x − α(Hx − b)) for rational H (d×d), b, x (d×1): AT_TRUE when
 * h(x') > h(x), h = ½x^T H x − b^T x, AT_FALSE when not. */
enum at_truth at_opt_quadratic_rises(const char *H, const char *b, const char *x,
                                     const char *alpha, bool relu, fmpq_t before, fmpq_t after);

/* E_1 + E_2 rises over one sequential layer of opt.sequential-layer (ρ = log(2 + z),
 * W_a = diag(20, 0), S = [[0,½],[½,0]], B = 0) from two rows of two columns. */
enum at_truth at_opt_sequential_rises(const char *rows);

/* Steps that several proofs share: the bound of opt.majorize, and that of opt.relu-divergence,
 * |x - x'|^2 >= |xi|^2 + sum_i min(x_i^2 - xi_i^2, 0), case by case. */
void at_opt_prove_majorizer(at_claim_run *run);
/* E(Y) - E(AY) >= <Delta,(D+W)Delta>/2, a sum of squares (attention.c). */
void at_opt_prove_attention_step(at_claim_run *run);
void at_opt_prove_divergence(at_claim_run *run);

/* Attention (claims_opt_attention.c) */
int at_decide_opt_majorize(at_claim_run *run, at_error *err);
int at_decide_opt_attention_descent(at_claim_run *run, at_error *err);
int at_decide_opt_relaxation(at_claim_run *run, at_error *err);
int at_decide_opt_no_self_term(at_claim_run *run, at_error *err);
int at_decide_opt_regularised(at_claim_run *run, at_error *err);
int at_decide_opt_residual_input(at_claim_run *run, at_error *err);
int at_decide_opt_sphere_softmax(at_claim_run *run, at_error *err);
int at_decide_opt_rate(at_claim_run *run, at_error *err);
int at_decide_opt_range_shrinks(at_claim_run *run, at_error *err);
int at_decide_opt_fixed_keys(at_claim_run *run, at_error *err);

/* Refuted (claims_opt_refuted.c) */
int at_decide_opt_relaxation_past_two(at_claim_run *run, at_error *err);
int at_decide_opt_relaxation_no_self(at_claim_run *run, at_error *err);
int at_decide_opt_no_self_term_strict(at_claim_run *run, at_error *err);
int at_decide_opt_regularised_softmax(at_claim_run *run, at_error *err);
int at_decide_opt_regularised_log(at_claim_run *run, at_error *err);
int at_decide_opt_residual_input_skip(at_claim_run *run, at_error *err);
int at_decide_opt_fixed_keys_moving(at_claim_run *run, at_error *err);
int at_decide_opt_plain_softmax(at_claim_run *run, at_error *err);
int at_decide_opt_plain_softmax_regularised(at_claim_run *run, at_error *err);
int at_decide_opt_causal(at_claim_run *run, at_error *err);
int at_decide_opt_gram_mismatch(at_claim_run *run, at_error *err);
int at_decide_opt_convex_rho(at_claim_run *run, at_error *err);
int at_decide_opt_summed_gaussian_lse(at_claim_run *run, at_error *err);

/* FFN and ReLU (claims_opt_ffn.c) */
int at_decide_opt_ffn(at_claim_run *run, at_error *err);
int at_decide_opt_ffn_past(at_claim_run *run, at_error *err);
int at_decide_opt_ffn_unsymmetric(at_claim_run *run, at_error *err);
int at_decide_opt_relu(at_claim_run *run, at_error *err);
int at_decide_opt_relu_outside(at_claim_run *run, at_error *err);
int at_decide_opt_relu_divergence(at_claim_run *run, at_error *err);
int at_decide_opt_relu_symmetric(at_claim_run *run, at_error *err);
int at_decide_opt_relu_symmetric_signed(at_claim_run *run, at_error *err);
int at_decide_opt_relu_nilpotent(at_claim_run *run, at_error *err);

/* Alternation (claims_opt_alternation.c) */
int at_decide_opt_half_step(at_claim_run *run, at_error *err);
int at_decide_opt_half_step_sharper(at_claim_run *run, at_error *err);
int at_decide_opt_apollonius(at_claim_run *run, at_error *err);
int at_decide_opt_cycle(at_claim_run *run, at_error *err);
int at_decide_opt_cycle_limit(at_claim_run *run, at_error *err);
int at_decide_opt_cycle_at_optimum(at_claim_run *run, at_error *err);
int at_decide_opt_relu_half_step(at_claim_run *run, at_error *err);

/* Whole layers (claims_opt_layers.c) */
int at_decide_opt_value_matrix(at_claim_run *run, at_error *err);
int at_decide_opt_multi_head(at_claim_run *run, at_error *err);
int at_decide_opt_parallel_layer(at_claim_run *run, at_error *err);
int at_decide_opt_parallel_layer_relu_signed(at_claim_run *run, at_error *err);
int at_decide_opt_sequential_layer(at_claim_run *run, at_error *err);
int at_decide_opt_authors_layer(at_claim_run *run, at_error *err);
int at_decide_opt_contraction(at_claim_run *run, at_error *err);

#endif
