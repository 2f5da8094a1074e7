/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small dense linear algebra over GSL on plain row-major arrays. */
#ifndef ATTEST_NUMERIC_ENERGY_LINALG_H
#define ATTEST_NUMERIC_ENERGY_LINALG_H

#include <stddef.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Least and largest eigenvalue of the symmetric n×n matrix S. */
int at_symmetric_range(double *low, double *high, const double *S, size_t n,
                       at_error *err) AT_MUST_CHECK;

/* An upper bound of the largest eigenvalue of the symmetric S (n×n), proved whatever GSL's own rounding:
 * a Cholesky factorization of cI − S that ends well shows how little below 0 its spectrum can reach (Rump,
 * Verification of positive definiteness, 2006).  Above the eigenvalue by about n² 2^−50 of
 * max(|c|, the largest entry).  AT_USAGE: it is out of the range of a double. */
int at_symmetric_top(double *top, const double *S, size_t n, at_error *err) AT_MUST_CHECK;
/* The same from a guess at the eigenvalue, where it is known nearly. */
int at_symmetric_top_near(double *top, double guess, const double *S, size_t n,
                          at_error *err) AT_MUST_CHECK;

/* An upper bound of ‖M‖², the largest eigenvalue of M^T M; M is rows×columns.  The rounding of the product
 * is in it, in any order of summation, fused or not. */
int at_spectral_norm2(double *norm2, const double *M, size_t rows, size_t columns,
                      at_error *err) AT_MUST_CHECK;

/* S ← sym(S) with its eigenvalues clamped to [low, high]: the nearest such matrix; S is n×n. */
int at_clamp_symmetric(double *S, size_t n, double low, double high, at_error *err) AT_MUST_CHECK;

/* M ← the symmetric MM^T with its eigenvalues clamped to [low, high]; M is n×n. */
int at_clamp_square(double *M, size_t n, double low, double high, at_error *err) AT_MUST_CHECK;

/* The first two right singular vectors of the points (count × dimension, centred at their mean
 * here) and each point's two coordinates (count × 2).  The sign is fixed: the entry of largest
 * modulus of each direction is positive.  mean and directions (2 × dimension) may be NULL. */
int at_principal_plane(double *coordinates, double *mean, double *directions, const double *points,
                       size_t count, size_t dimension, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
