/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign of an energy's change by doubles, with a proved bound of everything that rounding did
 * (doc/energy-bound.md has the derivation, term by term).
 *
 * The step goes from the double Y, taken exactly, to the real Y' of the formula (energy.h), with
 * weights, norms and step sizes as given.  The change of the energy is formed pair by pair; where it
 * exceeds the bound its sign is that of the real change.  Nothing is assumed of the order of
 * sums, of FMA or of the BLAS kernel but that products are sums of products. */
#ifndef ATTEST_NUMERIC_ENERGY_BOUND_H
#define ATTEST_NUMERIC_ENERGY_BOUND_H

#include "attest/numeric/energy/energy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct at_energy_bound at_energy_bound;

/* Scratch for documents of up to `longest` tokens; the measures made with `work` leave their
 * distances here until at_energy_bound_free, which comes before work's own end. */
int at_energy_bound_alloc(at_energy_bound **bound, const at_energy_model *model, size_t longest,
                          at_energy_work *work, at_error *err) AT_MUST_CHECK;
void at_energy_bound_free(at_energy_bound *bound);

/* Bounds the rows of |Y' − next|.  Call it when at_energy_measure has been on Y, next = the
 * half-step of at_energy_advance, and before the measure of next. */
void at_energy_bound_rows(at_energy_bound *bound, const double *next, const double *Y,
                          const double *X, size_t n, size_t half, const at_energy_model *model,
                          at_energy_work *work);

/* |E(Y') − E(Y) − change| ≤ error, for the same arguments after at_energy_measure of next; error is
 * infinite where nothing is proved: a formula for ρ, the sphere, overflow, or arithmetic that does
 * not round to nearest or drops subnormal numbers. */
void at_energy_bound_change(double *change, double *error, at_energy_bound *bound,
                            const double *next, const double *Y, const double *X, size_t n,
                            const at_energy_model *model, at_energy_work *work);

#ifdef __cplusplus
}
#endif

#endif
