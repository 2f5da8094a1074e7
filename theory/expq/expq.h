/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact arithmetic in ℚ(e^ℚ): finite sums Σ c_k e^{r_k} with rational c_k, r_k, and their
 * fractions.
 *
 * By the theorem of Lindemann and Weierstrass exponentials of distinct rationals are linearly
 * independent over ℚ, so such a sum is the real number 0 only if it is formally empty: zero tests
 * and equality are structural, and a sign can always be decided by enclosures, since zero was
 * excluded.
 *
 * at_expq_t   an element of the group ring ℚ[ℚ], an integral domain.  Invariant (canonical form):
 *             value = (1/den) Σ_k coeffs[k] t^{exps[k]}, t = e^{1/base}; exps strictly
 *             increasing, no coefficient zero, gcd(den, content) = 1, gcd(base, all exps) = 1,
 *             den > 0, base > 0.  So equal values have equal fields.
 * at_expqf_t  a fraction.  Invariant: the denominator is a primitive integer polynomial in t with
 *             lowest exponent 0 and positive leading coefficient; common factors are removed
 *             wherever a dense polynomial of degree ≤ AT_EXPQ_DENSE can find them.  Equality
 *             never relies on that: it compares cross products.
 *
 * Both are FLINT style: arrays of length 1 passed by reference, init/clear pairs, output first,
 * every output may alias every input.  Functions are thread-safe, print nothing, and abort
 * (FLINT's way) only when memory runs out or where the contract says so. */
#ifndef ATTEST_THEORY_EXPQ_EXPQ_H
#define ATTEST_THEORY_EXPQ_EXPQ_H

#include <stdbool.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/theory/flint/compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Longest dense polynomial in t for which a greatest common divisor is sought. */
#define AT_EXPQ_DENSE 20000

/* May be moved as plain memory. */
typedef struct {
    fmpz *coeffs;           /* read only: the value 1 may share its single term */
    fmpz *exps;
    slong length, alloc;
    fmpz_t den, base;
} at_expq_struct;
typedef at_expq_struct at_expq_t[1];

typedef struct {
    at_expq_struct num, den;
} at_expqf_struct;
typedef at_expqf_struct at_expqf_t[1];

/* ---- Elements: memory, assignment ---------------------------------------------------------- */

void at_expq_init(at_expq_t x);                       /* 0 */
void at_expq_clear(at_expq_t x);
void at_expq_swap(at_expq_t x, at_expq_t y);
void at_expq_set(at_expq_t x, const at_expq_t y);
void at_expq_zero(at_expq_t x);
void at_expq_one(at_expq_t x);
void at_expq_set_si(at_expq_t x, slong c);
void at_expq_set_fmpq(at_expq_t x, const fmpq_t c);
/* x = c e^r. */
void at_expq_set_term(at_expq_t x, const fmpq_t c, const fmpq_t r);
/* x = Σ_{k<count} c[k] e^{r[k]}; the r need be neither sorted nor distinct, a c may be 0. */
void at_expq_set_terms(at_expq_t x, const fmpq *c, const fmpq *r, slong count);

/* ---- Elements: looking --------------------------------------------------------------------- */

bool at_expq_is_zero(const at_expq_t x);
bool at_expq_is_one(const at_expq_t x);
bool at_expq_equal(const at_expq_t x, const at_expq_t y);
/* True, and c (may be NULL) set, when x is rational; c is untouched otherwise. */
bool at_expq_get_fmpq(fmpq *c, const at_expq_t x);
/* Number of terms; coefficient and exponent of term k, exponents increasing.  c or r may be
 * NULL. */
slong at_expq_length(const at_expq_t x);
void at_expq_get_term(fmpq *c, fmpq *r, const at_expq_t x, slong k);
/* The invariant holds (for tests). */
bool at_expq_is_canonical(const at_expq_t x);

/* ---- Elements: ring operations ------------------------------------------------------------- */

void at_expq_neg(at_expq_t z, const at_expq_t x);
void at_expq_add(at_expq_t z, const at_expq_t x, const at_expq_t y);
void at_expq_sub(at_expq_t z, const at_expq_t x, const at_expq_t y);
void at_expq_mul(at_expq_t z, const at_expq_t x, const at_expq_t y);
void at_expq_mul_fmpq(at_expq_t z, const at_expq_t x, const fmpq_t c);
/* z = x e^r. */
void at_expq_mul_exp(at_expq_t z, const at_expq_t x, const fmpq_t r);
void at_expq_pow_ui(at_expq_t z, const at_expq_t x, ulong k);
/* True and z = x/y when the quotient is an element; z untouched otherwise.  y ≠ 0 (aborts). */
bool at_expq_divides(at_expq_t z, const at_expq_t x, const at_expq_t y);
/* True and z ≥ 0 with z² = x when x is the square of an element; z untouched otherwise.  A root of
 * an element whose exponents spread over more than 4 million steps may be missed. */
bool at_expq_sqrt(at_expq_t z, const at_expq_t x);

/* ---- Elements: as real numbers ------------------------------------------------------------- */

/* −1, 0, 1, always decided. */
int at_expq_sgn(const at_expq_t x);
int at_expq_cmp(const at_expq_t x, const at_expq_t y);
/* An enclosure with relative accuracy of at least bits (exactly 0 for 0).  Exponents beyond 2^40 in
 * absolute value may leave an infinite radius; nothing else does. */
void at_expq_get_arb(arb_t z, const at_expq_t x, slong bits);
/* An enclosure of whatever accuracy arithmetic at prec bits yields, no loop. */
void at_expq_eval_arb(arb_t z, const at_expq_t x, slong prec);

/* ---- Elements: text ------------------------------------------------------------------------ */

/* "0", "2 + e^(-9/5)", "3/2*e - 1": terms with falling exponents.  Freed by flint_free. */
char *at_expq_get_str(const at_expq_t x);

/* ---- Fractions: memory, assignment --------------------------------------------------------- */

void at_expqf_init(at_expqf_t x);                     /* 0/1 */
void at_expqf_clear(at_expqf_t x);
void at_expqf_swap(at_expqf_t x, at_expqf_t y);
void at_expqf_set(at_expqf_t x, const at_expqf_t y);
void at_expqf_zero(at_expqf_t x);
void at_expqf_one(at_expqf_t x);
void at_expqf_set_si(at_expqf_t x, slong c);
void at_expqf_set_fmpq(at_expqf_t x, const fmpq_t c);
void at_expqf_set_expq(at_expqf_t x, const at_expq_t y);
/* x = num/den, reduced.  den ≠ 0 (aborts). */
void at_expqf_set_frac(at_expqf_t x, const at_expq_t num, const at_expq_t den);
/* x = e^r. */
void at_expqf_set_exp(at_expqf_t x, const fmpq_t r);
/* References into x. */
#define at_expqf_numref(x) (&(x)->num)
#define at_expqf_denref(x) (&(x)->den)

/* ---- Fractions: looking -------------------------------------------------------------------- */

bool at_expqf_is_zero(const at_expqf_t x);
bool at_expqf_is_one(const at_expqf_t x);
bool at_expqf_equal(const at_expqf_t x, const at_expqf_t y);
bool at_expqf_equal_si(const at_expqf_t x, slong c);
/* True, and c (may be NULL) set, when x is rational; c is untouched otherwise.  Decided by
 * division, so it holds even for fractions that were too large to reduce. */
bool at_expqf_get_fmpq(fmpq *c, const at_expqf_t x);
bool at_expqf_is_canonical(const at_expqf_t x);

/* ---- Fractions: field operations ----------------------------------------------------------- */

void at_expqf_neg(at_expqf_t z, const at_expqf_t x);
void at_expqf_add(at_expqf_t z, const at_expqf_t x, const at_expqf_t y);
void at_expqf_sub(at_expqf_t z, const at_expqf_t x, const at_expqf_t y);
void at_expqf_mul(at_expqf_t z, const at_expqf_t x, const at_expqf_t y);
void at_expqf_mul_fmpq(at_expqf_t z, const at_expqf_t x, const fmpq_t c);
/* z += c x. */
void at_expqf_addmul_fmpq(at_expqf_t z, const at_expqf_t x, const fmpq_t c);
/* y ≠ 0, x ≠ 0 (abort). */
void at_expqf_div(at_expqf_t z, const at_expqf_t x, const at_expqf_t y);
void at_expqf_inv(at_expqf_t z, const at_expqf_t x);
/* True and z ≥ 0 with z² = x when x is the square of a field element; z untouched otherwise (for a
 * fraction too large to reduce a root may be missed, never a wrong one given). */
bool at_expqf_sqrt(at_expqf_t z, const at_expqf_t x);

/* ---- Fractions: as real numbers ------------------------------------------------------------ */

/* −1, 0, 1, always decided. */
int at_expqf_sgn(const at_expqf_t x);
int at_expqf_cmp(const at_expqf_t x, const at_expqf_t y);
int at_expqf_cmp_fmpq(const at_expqf_t x, const fmpq_t c);
/* An enclosure with relative accuracy of at least bits (see at_expq_get_arb). */
void at_expqf_get_arb(arb_t z, const at_expqf_t x, slong bits);
/* The nearest double, or one of its neighbours when the value lies halfway. */
double at_expqf_get_d(const at_expqf_t x);

/* ---- Fractions: text ----------------------------------------------------------------------- */

/* "7/2", "(2 + e^(-9/5))/(1 + e^(-9/5))": numerator and denominator multiplied by the power of e
 * that makes the text shortest among those with highest or lowest exponent of the denominator 0.
 * Pure ASCII without quotes or backslashes, fit for JSON.  Freed by flint_free. */
char *at_expqf_get_str(const at_expqf_t x);
/* The same value in the other common spelling, "(2 + exp(-9/5))/(1 + exp(-9/5))". */
char *at_expqf_get_expr(const at_expqf_t x);
/* Reads what at_expqf_get_str writes, and any expression of rationals, decimals, e, e^(r), e^k,
 * exp(r), + − * / ^ (integer powers) and parentheses.  AT_INPUT with the column otherwise; x is
 * then untouched. */
int at_expqf_set_str(at_expqf_t x, const char *text, at_error *err) AT_MUST_CHECK;

/* ---- Matrices of fractions ----------------------------------------------------------------- */

typedef struct {
    at_expqf_struct *entries;   /* row-major */
    slong rows, cols;
} at_expqf_mat_struct;
typedef at_expqf_mat_struct at_expqf_mat_t[1];

void at_expqf_mat_init(at_expqf_mat_t a, slong rows, slong cols);     /* zeros */
void at_expqf_mat_clear(at_expqf_mat_t a);
void at_expqf_mat_swap(at_expqf_mat_t a, at_expqf_mat_t b);
#define at_expqf_mat_entry(a, i, j) ((a)->entries + (i) * (a)->cols + (j))
void at_expqf_mat_set_fmpq_mat(at_expqf_mat_t a, const fmpq_mat_t b); /* a takes b's shape */
/* Shapes and all entries equal. */
bool at_expqf_mat_equal(const at_expqf_mat_t a, const at_expqf_mat_t b);
/* True, and b (may be NULL; of a's shape) set, when all entries are rational. */
bool at_expqf_mat_get_fmpq_mat(fmpq_mat_struct *b, const at_expqf_mat_t a);
/* True when all rows are equal (also for no or one row). */
bool at_expqf_mat_rows_equal(const at_expqf_mat_t a);

#ifdef __cplusplus
}
#endif

#endif
