/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a certificate: attention weights, the change of each energy, in balls.
 * Shapes: V, ΔV n×k; weights n×n; scalars arb_t. */
#ifndef ATTEST_THEORY_ENERGY_BALL_H
#define ATTEST_THEORY_ENERGY_BALL_H

#include "attest/theory/flint/dyadic.h"
#include "attest/theory/energy/rho_ball.h"

/* Exact data of one head: values, the values minus the first row, half squared distances. */
typedef struct {
    at_dyadic_t values, centred, distances;
} at_energy_head;

/* values = Y W (W NULL: Y). */
void at_energy_head_init(at_energy_head *head, const at_dyadic_t Y, const at_dyadic_struct *W);
void at_energy_head_clear(at_energy_head *head);

/* weights_ij = ρ'(z_ij), symmetric, with the self term on the diagonal. */
void at_energy_weights(arb_mat_t weights, const at_energy_head *head, const at_rho_ball *rho,
                       slong prec);

/* pull_i = Σ_j w_ij (x_j − x_i) for x = centred rows, n×k; sum_i = Σ_{j≠i} w_ij. */
void at_energy_pull(arb_mat_t pull, arb_ptr sum, const arb_mat_t weights,
                    const at_dyadic_t centred, slong prec);

/* energy = E_ρ(V). */
void at_energy_value(arb_t energy, const at_energy_head *head, const at_rho_ball *rho, slong prec);

/* change += E_ρ(V + ΔV) − E_ρ(V).  twins[i] = twins[j] says that rows i and j are equal and stay
 * equal: without it, the enclosure of a difference that is 0 could hide changes of size e^−1e13. */
void at_energy_add_change(arb_t change, const at_energy_head *head, const arb_mat_t weights,
                          const arb_mat_t delta, const slong *twins, const at_rho_ball *rho,
                          slong prec);

/* change += ⟨H + ½ΔM, Δ⟩, the change of a quadratic energy with gradient H and Hessian M
 * (NULL: the identity). */
void at_energy_add_quadratic(arb_t change, const at_dyadic_t gradient, const arb_mat_struct *M,
                             const arb_mat_t delta, slong prec);

/* out = A B^T. */
void at_arb_mat_mul_transposed(arb_mat_t out, const arb_mat_t A, const arb_mat_t B, slong prec);

#endif
