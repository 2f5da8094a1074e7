/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step to decide, with everything about it that is exact; what theory/energy*.c share. */
#ifndef ATTEST_THEORY_ENERGY_PROBLEM_H
#define ATTEST_THEORY_ENERGY_PROBLEM_H

#include "attest/theory/energy/energy.h"
#include "attest/theory/energy/ball.h"

struct at_energy_fixed {
    slong count;                 /* heads */
    at_dyadic_struct *W;         /* count of d×width; NULL: identity */
    arb_mat_struct *balls;       /* the same, exactly; NULL: identity */
    arb_mat_struct *turned;      /* their transposes */
    at_dyadic_t hessian;         /* I + S, d×d; only with an FFN */
    arb_mat_t hessian_balls;
};

typedef struct {
    const at_energy_layer *layer;
    enum at_energy_half half;
    slong n, d, count;           /* count: heads */
    at_rho_ball rho;
    bool has_ffn;                /* E_2 is part of the energy */
    double pin;                  /* pin/2 ‖V − target‖² is part of it; 0: not */
    at_dyadic_t Y;               /* n×d */
    const at_energy_fixed *fixed;
    at_energy_fixed *own;        /* fixed, where the layer brings none */
    at_energy_head *heads;       /* count */
    at_dyadic_t offset;          /* V_1 − target, n×width: only with pin */
    at_dyadic_t gradient;        /* G = Y(I + S) − B, n×d */
    at_dyadic_t bias;            /* B, n×d */
    slong *twins;                /* n: the first row that is equal to row i and stays equal to it */
} at_energy_problem;

/* E_2 is part of the layer's energy. */
bool at_problem_has_ffn(enum at_step_id step);
/* The layer certifies by halves. */
bool at_problem_has_halves(enum at_step_id step);
/* The layer has what its step needs: AT_USAGE or AT_INPUT otherwise. */
int at_problem_check(const at_energy_layer *layer, enum at_energy_half half, at_error *err)
    AT_MUST_CHECK;
/* Reads everything; at_problem_clear must follow whatever the status. */
int at_problem_init(at_energy_problem *p, const at_energy_layer *layer, enum at_energy_half half,
                    const double *Y, at_error *err) AT_MUST_CHECK;
void at_problem_clear(at_energy_problem *p);

/* The head's weight, or NULL for the identity. */
static inline const at_dyadic_struct *at_problem_weight(const at_energy_problem *p, slong h)
{
    return p->fixed->W == NULL ? NULL : &p->fixed->W[h];
}

/* In balls: the change of the rows' values for each head (deltas[h], n×width) and, when the
 * FFN's energy counts, of the rows themselves (delta, n×d; untouched otherwise).  weights[h] are
 * the attention weights. */
void at_problem_deltas(arb_mat_struct *deltas, arb_mat_t delta, const at_energy_problem *p,
                       const arb_mat_struct *weights, slong prec);

/* The whole of a step on the sphere: energy before, and its change. */
void at_problem_sphere(arb_t before, arb_t change, const at_energy_problem *p, slong prec);
/* A fixed point: all rows of Y are multiples of one row and keep their signs (or all are zero). */
bool at_problem_sphere_ties(const at_energy_problem *p);

#endif
