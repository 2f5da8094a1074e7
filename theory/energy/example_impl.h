/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two evaluation paths of an example share: its exact data, and nothing computed. */
#ifndef ATTEST_THEORY_ENERGY_EXAMPLE_IMPL_H
#define ATTEST_THEORY_ENERGY_EXAMPLE_IMPL_H

#include "attest/theory/energy/example.h"

/* The exact data of an example. */
typedef struct {
    const at_example *example;
    fmpq_mat_t Y, W, V;
    fmpq_t keep, move, pin;
    slong n;
} at_example_problem;

/* False when a text is malformed; p is then not initialised. */
bool at_example_problem_init(at_example_problem *p, const at_example *example);
void at_example_problem_clear(at_example_problem *p);

static inline bool at_example_masked(const at_example_problem *p, slong i, slong j)
{
    return (p->example->causal && j > i) || (p->example->no_self && j == i);
}

/* energy += ρ(z), z overwritten. */
void at_example_add_rho(arb_t energy, arb_t z, enum at_rho_id rho, slong prec);

#endif
