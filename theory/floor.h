/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certified floors: what no model of a class can get below (theory.md, rpe.floor).
 *
 * A map g collapses when its rows are equal on constant sequences.  On the constant t every g has
 * an error of at least ½ (max_i f_i(t) - min_j f_j(t)) in the largest entry, and the midrange
 * attains it; the floor is the supremum over the constants of a rational interval, an algebraic
 * number.  Likewise the mean squared error is at least the variance of the rows f_i(t), and, with
 * the rows as class labels, the cross-entropy at least the entropy of their frequencies and the
 * accuracy at most the largest frequency, for all but finitely many t. */
#ifndef ATTEST_THEORY_FLOOR_H
#define ATTEST_THEORY_FLOOR_H

#include <stddef.h>
#include "core/error.h"
#include "core/seqfun.h"
#include "theory/flint_compat.h"
#include "theory/supremum.h"

typedef struct {
    slong n;
    fmpq_t low, high;          /* the constants */
    fmpq_poly_struct *rows;    /* rows[i-1](t) = f_i(t, ..., t) */
    int has_floor;             /* the rows differ somewhere: value > 0 */
    qqbar_t value;             /* the floor in the largest entry */
    qqbar_t constant;          /* attains it */
    slong top, bottom;         /* rows that are furthest apart there, from 0 */
    at_supremum_t mse;         /* floor of the mean squared error and a constant that attains it */
    arb_t cross_entropy;       /* nats */
    fmpq_t accuracy;           /* ceiling */
} at_floor_struct;
typedef at_floor_struct at_floor_t[1];

void at_floor_init(at_floor_t floor);
void at_floor_clear(at_floor_t floor);

/* The floor of every collapsing class for f on sequences of length n >= 1 over [low, high].
 * AT_USAGE when low > high or the function has no value at some output. */
int at_floor_collapsing(at_floor_t floor, const at_seqfun *fun, size_t n, const fmpq_t low,
                        const fmpq_t high, at_error *err) AT_MUST_CHECK;

/* A double that is not above x; finite for finite x. */
double at_qqbar_lower_double(const qqbar_t x);

#endif
