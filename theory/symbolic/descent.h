/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbolic core of the energy theorems: identities over ℚ[w, y, δ, …] for all real values.
 *
 * Every lemma takes its constants as arguments, so that a false constant can be seen to fail.
 * Notation: w symmetric n×n indeterminates (the weights ρ'(z_ij), self terms on the diagonal),
 * D = diag of its row sums, L = D − w; Y, Δ n×d; Y' = Y + Δ; z_ij = ½‖y_i − y_j‖². */
#ifndef ATTEST_THEORY_SYMBOLIC_DESCENT_H
#define ATTEST_THEORY_SYMBOLIC_DESCENT_H

#include <stdbool.h>
#include "attest/core/verdict.h"
#include "attest/theory/flint/compat.h"

/* left = right as polynomials over ℚ in the variables named in `variables` (at most 16, parted by
 * blanks), written with + - * ^ ( ) and rational numbers.  AT_UNKNOWN when a side does not parse.
 * An identity for one component of vectors proves the sum over components, in every dimension. */
enum at_truth at_lemma_identity(const char *variables, const char *left, const char *right);

/* The polynomial has no negative coefficient, so it is nonnegative wherever its variables are. */
enum at_truth at_lemma_nonnegative(const char *variables, const char *polynomial);

/* Σ_{i<j} w_ij (z'_ij − z_ij) = p/q (tr Y'^T L Y' − tr Y^T L Y).  True for 1/2. */
enum at_truth at_descent_majorizer(slong n, slong d, slong p, slong q);

/* For h(y) = ½ y^T H y − b^T y on R^N, H and M symmetric:
 * h(y + δ) − h(y) = −p/q δ^T (2M − H) δ + δ^T (∇h(y) + M δ).  True for 1/2: a step with
 * M δ = −∇h(y) descends when 2M − H is positive semidefinite. */
enum at_truth at_descent_master(slong N, slong p, slong q);

/* ⟨Δ,(D + w)Δ⟩ = p/q Σ_{i,j} w_ij ‖δ_i + δ_j‖².  True for 1/2.  Without the self terms
 * (self = false: w_ii = 0) too; then the sum has no diagonal. */
enum at_truth at_descent_squares(slong n, slong d, bool self, slong p, slong q);

/* D·(Y' − Y) = −L Y for Y' = D^{-1} w Y, as d_i y'_i = Σ_j w_ij y_j; with the self terms left out
 * of both D and the sum when self is false. */
enum at_truth at_descent_attention(slong n, slong d, bool self);

/* h(Y) = ½ Σ_h tr (YW_h)^T L_h (YW_h) [+ ½ tr(Y W_f Y^T) + ½‖Y − B‖² with ffn]:
 * h(Y + Δ) − h(Y) = ⟨G, Δ⟩ + ½ Q(Δ), G = Σ_h L_h Y W_h W_h^T [+ Y(I + S) − B], and
 * Q(Δ) = Σ_i (Σ_h d_i^h ‖δ_i W_h‖² [+ ‖δ_i‖² + δ_i S δ_i^T]) − p/q Σ_h tr (ΔW_h)^T w_h (ΔW_h).
 * True for 1/1. */
enum at_truth at_descent_layer(slong n, slong d, slong heads, bool ffn, slong p, slong q);

/* The change of E_2(Y) = ½ tr(Y F Y^T) + ½‖Y − B‖² under Y − αG, G = Y(I + S) − B, S = sym(F), is
 * −α⟨G, (I − p/q α(I + S))G⟩.  True for 1/2.  symmetrize = false takes F instead of S in G. */
enum at_truth at_descent_ffn(slong n, slong d, bool symmetrize, slong p, slong q);

/* On rows of equal norm: ½ tr Y'^T L Y' − ½ tr Y^T L Y = −⟨wY, Δ⟩ − p/q ⟨Δ, wΔ⟩
 * + ½ Σ d_i (‖y'_i‖² − ‖y_i‖²).  True for 1/2. */
enum at_truth at_descent_sphere(slong n, slong d, slong p, slong q);

/* For row-stochastic A (last entry of each row eliminated):
 * (AY)_i − (AY)_j = Σ_{kl} a_ik a_jl (y_k − y_l), and (AY)_i − m = Σ_j a_ij (y_j − m).
 * stochastic = false: A without the constraint, for which it is false. */
enum at_truth at_descent_averages(slong n, bool stochastic);

/* With y' = AY for stochastic A: b − y'_i S − (b − y* S) = −Σ_j a_ij (y_j − y*) S. */
enum at_truth at_descent_contraction(slong n, slong d, bool stochastic);

#endif
