/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half squared distances of all pairs of rows, without cancellation.
 *
 * ½‖v_i − v_j‖² by way of the Gram matrix loses every digit for near-equal rows.
 * Here each pair is the sum of its squared differences: each term is ≥ 0, the
 * relative error is below (d + 2)·2^−53, and blocking keeps it at the speed of
 * the vector units. */
#ifndef ATTEST_NUMERIC_ENERGY_PAIRS_H
#define ATTEST_NUMERIC_ENERGY_PAIRS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Doubles of scratch that at_pairs_distances needs. */
size_t at_pairs_scratch(size_t n, size_t d);

/* z[i·n + j] = ½‖v_i − v_j‖² for j > i and 0 for j = i; the entries below the diagonal are
 * not written.  V is n×d, row-major.  The result does not depend on threads. */
void at_pairs_distances(double *z, const double *V, size_t n, size_t d, double *scratch,
                        int threads);

/* z[j·n + i] = z[i·n + j] for j > i. */
void at_pairs_mirror(double *z, size_t n);

#ifdef __cplusplus
}
#endif

#endif
