/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequence functions (core/seqfun.h) evaluated exactly: over Q, and along a line of inputs, where
 * each output is a polynomial in the line's parameter t. */
#ifndef ATTEST_THEORY_FLOOR_SEQFUN_EXACT_H
#define ATTEST_THEORY_FLOOR_SEQFUN_EXACT_H

#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/seqfun.h"
#include "attest/theory/flint/compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y[i-1](t) = f_i(x(t)), i = 1..n; x and y are vectors of n initialised polynomials over Q and
 * do not overlap.  AT_USAGE upon a division by zero, by a polynomial in t, or an index that is
 * not whole. */
int at_seqfun_eval_line(fmpq_poly_struct *y, const at_seqfun *fun, const fmpq_poly_struct *x,
                        size_t n, at_error *err) AT_MUST_CHECK;

/* The same on the constant sequences x_1 = ... = x_n = t. */
int at_seqfun_eval_constants(fmpq_poly_struct *y, const at_seqfun *fun, size_t n,
                             at_error *err) AT_MUST_CHECK;

/* y[i-1] = f_i(x) at rational x. */
int at_seqfun_eval_fmpq(fmpq *y, const at_seqfun *fun, const fmpq *x, size_t n,
                        at_error *err) AT_MUST_CHECK;

/* Vectors of n polynomials. */
fmpq_poly_struct *at_fmpq_poly_vec_init(size_t n);
void at_fmpq_poly_vec_clear(fmpq_poly_struct *v, size_t n);

#ifdef __cplusplus
}
#endif

#endif
