/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices of dyadic rationals: what doubles are, exactly.
 *
 * A matrix is an integer matrix times one power of two.  Sums, products and half squared
 * distances of rows are exact, so that a certificate starts from the numbers that the float
 * engine really had and not from a rounding of them.  Arguments do not alias unless said. */
#ifndef ATTEST_THEORY_FLINT_DYADIC_H
#define ATTEST_THEORY_FLINT_DYADIC_H

#include <stdbool.h>
#include "attest/core/error.h"
#include "attest/theory/flint/compat.h"

/* value = m · 2^exp. */
typedef struct {
    fmpz_mat_t m;
    slong exp;
} at_dyadic_struct;
typedef at_dyadic_struct at_dyadic_t[1];

void at_dyadic_init(at_dyadic_t x, slong rows, slong cols);     /* zeros */
void at_dyadic_clear(at_dyadic_t x);
static inline slong at_dyadic_rows(const at_dyadic_t x) { return fmpz_mat_nrows(x->m); }
static inline slong at_dyadic_cols(const at_dyadic_t x) { return fmpz_mat_ncols(x->m); }

/* x = the rows·cols doubles, row-major, exactly.  AT_INPUT naming the entry (and `what`) when one
 * is not finite. */
int at_dyadic_set_d(at_dyadic_t x, const double *values, const char *what, at_error *err)
    AT_MUST_CHECK;
void at_dyadic_set(at_dyadic_t x, const at_dyadic_t y);
/* x = the identity. */
void at_dyadic_one(at_dyadic_t x);
/* z may alias x or y. */
void at_dyadic_add(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y);
void at_dyadic_sub(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y);
void at_dyadic_mul(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y);
/* z = c x for a finite double c; may alias. */
void at_dyadic_scale_d(at_dyadic_t z, const at_dyadic_t x, double c);
void at_dyadic_transpose(at_dyadic_t z, const at_dyadic_t x);
/* z = (x + x^T)/2, x square. */
void at_dyadic_symmetrize(at_dyadic_t z, const at_dyadic_t x);
/* z = x minus its first row, from every row. */
void at_dyadic_centre(at_dyadic_t z, const at_dyadic_t x);
bool at_dyadic_is_zero(const at_dyadic_t x);
/* z_ij = ½‖x_i − x_j‖², n×n, symmetric. */
void at_dyadic_half_distances(at_dyadic_t z, const at_dyadic_t x);

/* y = entry (i, j), without rounding. */
void at_dyadic_get_arb(arb_t y, const at_dyadic_t x, slong i, slong j);
void at_dyadic_get_arb_mat(arb_mat_t y, const at_dyadic_t x);
void at_dyadic_get_fmpq(fmpq_t y, const at_dyadic_t x, slong i, slong j);

#endif
