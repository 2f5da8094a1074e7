/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices and fractions over Q[w_1, ..., w_m]: the arithmetic behind PROVED.
 *
 * A statement for all real parameters is an identity (or a sum of squares) of
 * polynomials whose indeterminates are those parameters.  Constraints are
 * eliminated, not assumed: a right-stochastic matrix has its last column replaced
 * by one minus the others, a symmetric one shares its entries, a Toeplitz one has
 * an indeterminate per offset.
 * Arguments may alias unless said; sizes must agree (checked by assert). */
#ifndef ATTEST_THEORY_SYMBOLIC_SYMBOLIC_H
#define ATTEST_THEORY_SYMBOLIC_SYMBOLIC_H

#include <stdbool.h>
#include "attest/core/verdict.h"
#include "attest/theory/flint/compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ring; variables are handed out in turn by at_ring_take and by the fillers below. */
typedef struct {
    fmpq_mpoly_ctx_t ctx;
    slong vars, taken;
} at_ring_struct;
typedef at_ring_struct at_ring_t[1];

void at_ring_init(at_ring_t ring, slong vars);
void at_ring_clear(at_ring_t ring);
/* Index of the first of count fresh variables. */
slong at_ring_take(at_ring_t ring, slong count);

/* ---- Polynomials ------------------------------------------------------------ */

/* f = the fresh or given variable. */
void at_poly_var(fmpq_mpoly_t f, slong var, const at_ring_t ring);
void at_poly_fresh(fmpq_mpoly_t f, at_ring_t ring);
/* f = p/q. */
void at_poly_set_rational(fmpq_mpoly_t f, slong p, slong q, const at_ring_t ring);
/* f += p/q * g * h. */
void at_poly_addmul(fmpq_mpoly_t f, slong p, slong q, const fmpq_mpoly_t g,
                    const fmpq_mpoly_t h, const at_ring_t ring);
/* All coefficients > 0 and at least one term: positive wherever every variable is. */
bool at_poly_is_positive_on_orthant(const fmpq_mpoly_t f, const at_ring_t ring);
/* All coefficients >= 0: nonnegative wherever every variable is. */
bool at_poly_is_nonnegative_on_orthant(const fmpq_mpoly_t f, const at_ring_t ring);
/* Malloc'ed by FLINT (flint_free): with names x1, x2, ..., for witnesses. */
char *at_poly_text(const fmpq_mpoly_t f, const at_ring_t ring);

/* ---- Matrices --------------------------------------------------------------- */

typedef struct {
    fmpq_mpoly_struct *entries;
    slong rows, cols;
} at_polymat_struct;
typedef at_polymat_struct at_polymat_t[1];

/* Zero of the given size. */
void at_polymat_init(at_polymat_t A, slong rows, slong cols, const at_ring_t ring);
void at_polymat_clear(at_polymat_t A, const at_ring_t ring);
static inline fmpq_mpoly_struct *at_polymat_entry(const at_polymat_t A, slong i, slong j)
{
    return A->entries + i * A->cols + j;
}
void at_polymat_set(at_polymat_t A, const at_polymat_t B, const at_ring_t ring);
void at_polymat_add(at_polymat_t C, const at_polymat_t A, const at_polymat_t B,
                    const at_ring_t ring);
void at_polymat_sub(at_polymat_t C, const at_polymat_t A, const at_polymat_t B,
                    const at_ring_t ring);
/* C = A B; C may not alias. */
void at_polymat_mul(at_polymat_t C, const at_polymat_t A, const at_polymat_t B,
                    const at_ring_t ring);
/* B = A^T; B may not alias. */
void at_polymat_transpose(at_polymat_t B, const at_polymat_t A, const at_ring_t ring);
/* C = p/q A. */
void at_polymat_scale(at_polymat_t C, const at_polymat_t A, slong p, slong q, const at_ring_t ring);
/* f = sum_ij a_ij b_ij. */
void at_polymat_inner(fmpq_mpoly_t f, const at_polymat_t A, const at_polymat_t B,
                      const at_ring_t ring);
bool at_polymat_equal(const at_polymat_t A, const at_polymat_t B, const at_ring_t ring);
bool at_polymat_is_zero(const at_polymat_t A, const at_ring_t ring);
/* Every row equals the first one. */
bool at_polymat_rows_equal(const at_polymat_t A, const at_ring_t ring);

/* Fillers: fresh indeterminates. */
void at_polymat_fresh(at_polymat_t A, at_ring_t ring);             /* rows * cols of them */
void at_polymat_fresh_symmetric(at_polymat_t A, at_ring_t ring);   /* n (n+1)/2 */
void at_polymat_fresh_stochastic(at_polymat_t A, at_ring_t ring);  /* rows (cols-1); A 1 = 1 */
void at_polymat_fresh_toeplitz(at_polymat_t A, at_ring_t ring);    /* 2n-1; entry t_{i-j} */
/* Every row the same fresh row: 1 x^T. */
void at_polymat_fresh_constant(at_polymat_t A, at_ring_t ring);
/* Row i of B is row perm[i] of A; B may not alias. */
void at_polymat_permute_rows(at_polymat_t B, const at_polymat_t A, const slong *perm,
                             const at_ring_t ring);

/* ---- Fractions -------------------------------------------------------------- */

/* num/den, den a nonzero polynomial.  Not in lowest terms: sums over one denominator keep
 * it, and equality is cross-multiplication. */
typedef struct { fmpq_mpoly_t num, den; } at_polyfrac_struct;
typedef at_polyfrac_struct at_polyfrac_t[1];

void at_polyfrac_init(at_polyfrac_t f, const at_ring_t ring);      /* 0/1 */
void at_polyfrac_clear(at_polyfrac_t f, const at_ring_t ring);
void at_polyfrac_set(at_polyfrac_t f, const at_polyfrac_t g, const at_ring_t ring);
void at_polyfrac_set_poly(at_polyfrac_t f, const fmpq_mpoly_t num, const at_ring_t ring);
/* den must not be the zero polynomial. */
void at_polyfrac_set_quotient(at_polyfrac_t f, const fmpq_mpoly_t num, const fmpq_mpoly_t den,
                              const at_ring_t ring);
void at_polyfrac_add(at_polyfrac_t f, const at_polyfrac_t g, const at_polyfrac_t h,
                     const at_ring_t ring);
void at_polyfrac_mul_poly(at_polyfrac_t f, const at_polyfrac_t g, const fmpq_mpoly_t h,
                          const at_ring_t ring);
bool at_polyfrac_equal(const at_polyfrac_t f, const at_polyfrac_t g, const at_ring_t ring);
bool at_polyfrac_is_one(const at_polyfrac_t f, const at_ring_t ring);

/* Truth of an identity: AT_TRUE when it holds formally, AT_FALSE when it does not. */
static inline enum at_truth at_identity(bool holds) { return holds ? AT_TRUE : AT_FALSE; }

#ifdef __cplusplus
}
#endif

#endif
