/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concave functions ρ of E_ρ(Y) = Σ_{i<j} ρ(½‖y_i − y_j‖²), in double: a
 * table entry or a user's formula in z. */
#ifndef ATTEST_NUMERIC_ENERGY_RHO_H
#define ATTEST_NUMERIC_ENERGY_RHO_H

#include "attest/core/error.h"
#include "attest/core/formula.h"
#include "attest/core/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int id;                /* enum at_rho_id, or −1 for a formula of the user's */
    at_formula formula;    /* only for −1 */
    double concave_to;     /* of a formula: it is known to be non-decreasing and concave on
                              [0, concave_to]; 0: nothing is known.  Set by the caller. */
} at_rho;

/* A name of at_rhos or a formula in z.  AT_USAGE when it is neither. */
int at_rho_parse(at_rho *rho, const char *text, at_error *err) AT_MUST_CHECK;
void at_rho_clear(at_rho *rho);
/* The name or the formula. */
const char *at_rho_text(const at_rho *rho);

/* ρ(z), ρ'(z), ρ''(z). */
at_jet at_rho_jet(const at_rho *rho, double z);

/* weight[k] = ρ'(z[k]) for k < count; returns Σ ρ(z[k]), compensated.  weight may be z. */
double at_rho_apply(double *weight, const double *z, size_t count, const at_rho *rho);

/* What the theory (doc/energy.md) asks of ρ, on [0, highest]: ρ finite, ρ' ≥ 0, ρ'' ≤ 0, and ρ' equal
 * to the 4-point difference of ρ, at 1,000 points (half of them geometric).  AT_USAGE names the
 * point that breaks it.  A sample is no proof; a certificate decides each step by itself. */
int at_rho_check(const at_rho *rho, double highest, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
