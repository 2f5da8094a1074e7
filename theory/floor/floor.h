/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certified floors: what no model of a class can get below (doc/floor.md, doc/theory.md).
 *
 * A map g collapses when its rows are equal on constant sequences.  On the constant t every g has
 * an error of at least ½ (max_i f_i(t) - min_j f_j(t)) in the largest entry, and the midrange
 * attains it; the floor is the supremum over the constants of a rational interval, an algebraic
 * number.  Likewise the mean squared error is at least the variance of the rows f_i(t), and, with
 * the rows as class labels, the cross-entropy at least the entropy of their frequencies and the
 * accuracy at most the largest frequency, for all but finitely many t. */
#ifndef ATTEST_THEORY_FLOOR_FLOOR_H
#define ATTEST_THEORY_FLOOR_FLOOR_H

#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/seqfun.h"
#include "attest/theory/flint/compat.h"
#include "attest/theory/floor/supremum.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_floor_class {
    AT_FLOOR_COLLAPSING,    /* equal rows on constant sequences */
    AT_FLOOR_SYMMETRIC,     /* g(JX) = J g(X), J the reversal */
    AT_FLOOR_EQUIVARIANT,   /* g(PX) = P g(X) for all permutations P; these collapse, too */
    AT_FLOOR_CLASS_COUNT
};

typedef struct {
    enum at_floor_class of_class;
    slong n;
    fmpq_t low, high;          /* entries of the sequences */
    fmpq_poly_struct *rows;    /* rows[i-1](t) = f_i(t, ..., t) */
    int has_floor;             /* value > 0 */
    int sharp;                 /* value is the supremum over all sequences of the class's kind; else
                                  a lower bound of it, no less certain as a floor */
    qqbar_t value;             /* the floor in the largest entry */
    slong top, bottom;         /* the rows that show it, from 0: of X, and of its partner */
    int is_constant;           /* shown by a constant sequence */
    qqbar_t constant;          /* that constant */
    fmpq *sequence, *partner;  /* otherwise X and the PX that shows it, n entries each; else NULL */
    at_supremum_t mse;         /* floor of the mean squared error */
    arb_t cross_entropy;       /* nats */
    fmpq_t accuracy;           /* ceiling */
} at_floor_struct;
typedef at_floor_struct at_floor_t[1];

/* A floor without rows, zero; then to be cleared. */
void at_floor_init(at_floor_t floor);
void at_floor_clear(at_floor_t floor);

/* The floor of a class for f on sequences of length n >= 1 with entries in [low, high].
 *
 * Collapsing: as above; the loss floors hold on constants.  Symmetric: of X and JX one has an
 * error of at least ½ max_i |f_i(X) - f_{n+1-i}(JX)|; the loss floors are averages over X and JX
 * at the X shown.  Equivariant: likewise with every permutation; the loss floors are those on
 * constants.  For functions of degree 1 in x the supremum over all X is exact (for each pair of
 * rows the largest of a sum of convex functions of differences: oppositely sorted, at vertices);
 * at higher degrees the best of the constants and of a search at rational X is taken.
 * AT_USAGE when low > high, the function has no value at some output, or n is too large for the
 * class (65536; symmetric 512; equivariant 96). */
int at_floor_compute(at_floor_t floor, enum at_floor_class of_class, const at_seqfun *fun, size_t n,
                     const fmpq_t low, const fmpq_t high, at_error *err) AT_MUST_CHECK;

/* The class of all collapsing maps. */
int at_floor_collapsing(at_floor_t floor, const at_seqfun *fun, size_t n, const fmpq_t low,
                        const fmpq_t high, at_error *err) AT_MUST_CHECK;

/* "collapsing", "symmetric", "equivariant". */
const char *at_floor_class_name(enum at_floor_class of_class);

/* A double that is not above x; finite for finite x. */
double at_qqbar_lower_double(const qqbar_t x);

#ifdef __cplusplus
}
#endif

#endif
