/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a user's ρ is what the theory of E_ρ asks for: non-decreasing and concave, for all z of
 * an interval and not only at points. */
#ifndef ATTEST_THEORY_ENERGY_RHO_CONCAVE_H
#define ATTEST_THEORY_ENERGY_RHO_CONCAVE_H

#include "attest/core/formula.h"

/* 1: ρ'' ≤ 0 on the whole of [0, highest] and ρ'(highest) ≥ 0, so ρ' ≥ 0 on it; by enclosures of
 * Taylor coefficients over subintervals.  −1: ρ'' > 0 at *where, certainly.  0: neither was shown
 * (ρ'' vanishes somewhere, or ρ is not differentiable), or highest is not a finite number ≥ 0. */
int at_rho_concave(double *where, const at_formula *rho, double highest);

#endif
