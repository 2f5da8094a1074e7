/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact suprema of polynomials over a rational interval.
 *
 * The critical points are algebraic numbers from exact root isolation.  Candidates are told
 * apart by ball enclosures, precision doubled; what stays together is compared as algebraic
 * numbers, so ties are decided and never guessed. */
#ifndef ATTEST_THEORY_FLOOR_SUPREMUM_H
#define ATTEST_THEORY_FLOOR_SUPREMUM_H

#include "attest/theory/flint/compat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int exact;        /* value and point hold; else only ball does */
    qqbar_t value;    /* the supremum */
    arb_t ball;       /* encloses the supremum, about 128 bits */
    qqbar_t point;    /* attains it: a rational where some rational does, of those the simplest,
                         the larger of equals */
    slong top, bottom;/* of at_supremum_spread: f_top - f_bottom attains it */
} at_supremum_struct;
typedef at_supremum_struct at_supremum_t[1];

/* Zero, not yet computed; then to be cleared. */
void at_supremum_init(at_supremum_t s);
void at_supremum_clear(at_supremum_t s);

/* sup of f over [low, high], low <= high.  Minimal polynomials cost much at high degrees: where
 * the supremum lies at a critical point and f' without repeated factors has a degree above
 * degree_limit (0: no limit) only the ball is given. */
void at_supremum_poly(at_supremum_t s, const fmpq_poly_t f, const fmpq_t low, const fmpq_t high,
                      slong degree_limit);

/* sup over t in [low, high] of max_i f_i(t) - min_j f_j(t), n >= 1.  Pairs that cannot attain it
 * are excluded by balls on subintervals, so that only a few need their critical points. */
void at_supremum_spread(at_supremum_t s, const fmpq_poly_struct *f, slong n, const fmpq_t low,
                        const fmpq_t high);

#ifdef __cplusplus
}
#endif

#endif
