/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuted statements that are no energy of rows: what each violation's coordinates are, the
 * violation in complex double, and its confirmation at a rational point.
 *
 * at_search_NAME(n, x): v(x) for size n, analytic off its corners.
 * at_search_confirm_NAME(text, size, n, x): true, and text set, when two of theory's evaluations
 * find that x breaks the statement.  at_search_count_NAME(n): coordinates for size n. */
#ifndef ATTEST_EXPERIMENTS_VERIFY_SEARCH_OWN_H
#define ATTEST_EXPERIMENTS_VERIFY_SEARCH_OWN_H

#include "attest/experiments/verify/search.h"

size_t at_search_count_one(size_t n);           /* 1 */
size_t at_search_count_table(size_t n);         /* 2n: a number and a table over offsets, or two
                                                   numbers a row */
size_t at_search_count_even(size_t n);          /* 3n − 1: n numbers and a table over offsets */
size_t at_search_count_map(size_t n);           /* n² + n: a matrix and a start */

#define AT_SEARCH_OWN(name)                                                              \
    double complex at_search_##name(size_t n, const double complex *x);                  \
    bool at_search_confirm_##name(char *text, size_t size, size_t n, const fmpq *x);

/* ---- One layer (search_layer.c) ---------------------------------------------------- */

AT_SEARCH_OWN(empty_row)            /* token */
AT_SEARCH_OWN(gated_bias)           /* b_V, C */
AT_SEARCH_OWN(shaw)                 /* token, a^V */
AT_SEARCH_OWN(even_gate)            /* even C, B */
AT_SEARCH_OWN(reversed_t5)          /* X, B */
AT_SEARCH_OWN(reversed_tupe)        /* X, p */
AT_SEARCH_OWN(reversed_causal)      /* X */
AT_SEARCH_OWN(reversed_rope)        /* X, two columns; n = 2 */

/* ---- Others (search_points.c) ------------------------------------------------------- */

AT_SEARCH_OWN(enclosing)            /* points of the plane */
AT_SEARCH_OWN(almost)               /* X */
AT_SEARCH_OWN(even_tokens)          /* tokens 0 and 1 by their sign */
AT_SEARCH_OWN(swap)                 /* two rows */
AT_SEARCH_OWN(growth)               /* W, x */

#endif
