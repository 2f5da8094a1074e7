/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concave functions ρ of E_ρ(Y) = Σ_{i<j} ρ(½‖y_i − y_j‖²), in balls: the entries of
 * at_rhos or a formula in z.  All results enclose; outside ρ's domain they are not finite. */
#ifndef ATTEST_THEORY_ENERGY_RHO_BALL_H
#define ATTEST_THEORY_ENERGY_RHO_BALL_H

#include "attest/core/formula.h"
#include "attest/core/tables.h"
#include "attest/theory/flint/compat.h"

typedef struct {
    int id;                        /* enum at_rho_id, or −1 for the formula */
    const at_formula *formula;     /* only for −1; borrowed */
} at_rho_ball;

/* ρ(z) and w = ρ'(z) at z ≥ 0; value or weight may be NULL.  No aliasing. */
void at_rho_ball_eval(arb_ptr value, arb_ptr weight, const arb_t z, const at_rho_ball *rho,
                      slong prec);

/* change = ρ(z + dz) − ρ(z), where z + dz ≥ 0 is known; weight = ρ'(z) as computed before.
 * Free of cancellation for the entries of the table, and by the mean value theorem for formulas:
 * exactly 0 for dz = 0, and of the relative accuracy of dz for small dz.  No aliasing. */
void at_rho_ball_change(arb_t change, const arb_t z, const arb_t weight, const arb_t dz,
                        const at_rho_ball *rho, slong prec);

#endif
