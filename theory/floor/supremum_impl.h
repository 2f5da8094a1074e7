/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two halves of the supremum share: the search for pairs and the exact decision. */
#ifndef ATTEST_THEORY_FLOOR_SUPREMUM_IMPL_H
#define ATTEST_THEORY_FLOOR_SUPREMUM_IMPL_H

#include "attest/theory/flint/compat.h"

/* Pairs (top, bottom) of rows, unique. */
typedef struct { slong top, bottom; } at_pair;
typedef struct { at_pair *pairs; slong count, space; } at_pairs;

/* Appends the pairs (i, j) whose difference f_i - f_j may attain the supremum of the spread at a
 * critical point inside [low, high] (not only at its ends).  rows: the count indices of f to look at.
 * bound: a lower bound of the supremum, known to the caller; raised where the search finds more. */
void at_spread_pairs(at_pairs *pairs, const fmpq_poly_struct *f, const slong *rows, slong count,
                     const fmpq_t low, const fmpq_t high, arf_t bound);

/* Of the subinterval number k of 2^level equal ones of [low, low + width]: its middle m, and a
 * ball around zero that holds its points minus m. */
void at_box_place(arb_t middle, arb_t deviation, const fmpz_t k, slong level, const fmpq_t low,
                  const fmpq_t width, slong precision);

/* f at the middle of a box, and enclosures of f and f' on the whole box; bound says which size of
 * values matters. */
void at_box_range(arb_t value, arb_t range, arb_t slope, const arb_poly_t f,
                  const arb_poly_t derivative, const arb_t middle, const arb_t deviation,
                  const arf_t bound, slong precision);

/* 0 when no critical point of f in [low, high] can have a value of at least bound.  Else range
 * encloses the supremum of f where it is at such a point, and the bound is raised to what f
 * reaches for certain. */
int at_critical_range(arb_t range, const fmpq_poly_t f, const fmpq_t low, const fmpq_t high,
                      arf_t bound);

#endif
