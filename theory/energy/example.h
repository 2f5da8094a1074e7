/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counterexamples of one attention step, evaluated along two independent paths.
 *
 * An example is rational rows, a step Y -> Y' of attention and an energy.  The ball path builds
 * the weights from distances and sums energies in Arb; the exact path builds Y' from logits in
 * ℚ(e^ℚ) (for ρ = log(2+z): in ℚ) and encloses the energies of those exact rows by way of Gram
 * products. */
#ifndef ATTEST_THEORY_ENERGY_EXAMPLE_H
#define ATTEST_THEORY_ENERGY_EXAMPLE_H

#include <stdbool.h>
#include "attest/core/tables.h"
#include "attest/core/verdict.h"
#include "attest/theory/claim/claim.h"
#include "attest/theory/flint/compat.h"

enum at_example_scores {
    AT_SCORES_BETA,       /* w_ij = ρ'(z_ij) of V = YW: softmax_β for ρ = −e^{−z} */
    AT_SCORES_PLAIN,      /* e^{v_i·v_j}: plain softmax */
    AT_SCORES_GRAM        /* β_j e^{y_i W^T W y_j^T}, β from the rows of YW */
};

enum at_example_energy {
    AT_ENERGY_PAIRS,      /* Σ_{i<j} ρ(z_ij) + pin/2 ‖V‖² */
    AT_ENERGY_LSE,        /* −Σ_i log Σ_j e^{−z_ij} */
    AT_ENERGY_DOT         /* Σ_i (½‖v_i‖² − log Σ_j e^{v_i·v_j}) */
};

typedef struct {
    const char *rows;             /* "0, 1/10; 10, 3": rows parted by ';', columns by ',' */
    const char *weights;          /* W in the same form; NULL: identity */
    enum at_example_scores scores;
    enum at_example_energy energy;
    enum at_rho_id rho;           /* AT_RHO_EXP or AT_RHO_LOG */
    bool causal, no_self;
    const char *keep, *move;      /* Y' = keep Y + move AY; NULL: 0 and 1 */
    const char *pin;              /* NULL: 0 */
} at_example;

/* A matrix from its text; rows and columns counted.  False when malformed, and M is then not
 * initialised. */
bool at_example_matrix(fmpq_mat_t M, const char *text);

/* Energies of Y and Y' in balls of the given precision.  False when the example is malformed. */
bool at_example_ball(arb_t before, arb_t after, const at_example *example, slong prec);
/* The same by way of exact rows; bits: relative accuracy of the rows' enclosures. */
bool at_example_exact(arb_t before, arb_t after, const at_example *example, slong bits);

/* Does the energy rise? AT_TRUE or AT_FALSE only by a comparison of disjoint finite balls, with
 * the precision doubled up to a cap; AT_UNKNOWN otherwise. */
enum at_truth at_example_rises(const at_example *example, bool exact, char **before, char **after);

/* Witness, both paths and the relation for the certificate, added to a run.  Both paths must find
 * the rise. */
void at_example_refute(at_claim_run *run, const at_example *example);

/* "E(Y)" and "E(Y')" as expressions of rationals, exp and log; malloc'ed, NULL when out of
 * memory. */
char *at_example_expression(const at_example *example, bool after);

#endif
