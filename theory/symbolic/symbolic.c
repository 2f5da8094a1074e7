/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices and fractions over Q[w]: see symbolic.h. */
#include "attest/theory/symbolic/symbolic.h"

#include <assert.h>

void at_ring_init(at_ring_t ring, slong vars)
{
    fmpq_mpoly_ctx_init(ring->ctx, vars, ORD_DEGREVLEX);
    ring->vars = vars;
    ring->taken = 0;
}

void at_ring_clear(at_ring_t ring)
{
    fmpq_mpoly_ctx_clear(ring->ctx);
}

slong at_ring_take(at_ring_t ring, slong count)
{
    slong first = ring->taken;
    ring->taken += count;
    assert(ring->taken <= ring->vars);
    return first;
}

/* ---- Polynomials ------------------------------------------------------------ */

void at_poly_var(fmpq_mpoly_t f, slong var, const at_ring_t ring)
{
    fmpq_mpoly_gen(f, var, ring->ctx);
}

void at_poly_fresh(fmpq_mpoly_t f, at_ring_t ring)
{
    at_poly_var(f, at_ring_take(ring, 1), ring);
}

void at_poly_set_rational(fmpq_mpoly_t f, slong p, slong q, const at_ring_t ring)
{
    fmpq_t c;
    fmpq_init(c);
    assert(q > 0);
    fmpq_set_si(c, p, (ulong) q);
    fmpq_mpoly_set_fmpq(f, c, ring->ctx);
    fmpq_clear(c);
}

void at_poly_addmul(fmpq_mpoly_t f, slong p, slong q, const fmpq_mpoly_t g,
                    const fmpq_mpoly_t h, const at_ring_t ring)
{
    fmpq_mpoly_t t;
    fmpq_t c;
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_init(c);
    assert(q > 0);
    fmpq_set_si(c, p, (ulong) q);
    fmpq_mpoly_mul(t, g, h, ring->ctx);
    fmpq_mpoly_scalar_mul_fmpq(t, t, c, ring->ctx);
    fmpq_mpoly_add(f, f, t, ring->ctx);
    fmpq_clear(c);
    fmpq_mpoly_clear(t, ring->ctx);
}

/* True when no coefficient is negative. */
static bool coefficients_nonnegative(const fmpq_mpoly_t f, const at_ring_t ring)
{
    bool all = true;
    fmpq_t c;
    fmpq_init(c);
    for (slong i = 0; i < fmpq_mpoly_length(f, ring->ctx) && all; i++) {
        fmpq_mpoly_get_term_coeff_fmpq(c, f, i, ring->ctx);
        all = fmpq_sgn(c) >= 0;
    }
    fmpq_clear(c);
    return all;
}

bool at_poly_is_positive_on_orthant(const fmpq_mpoly_t f, const at_ring_t ring)
{
    return !fmpq_mpoly_is_zero(f, ring->ctx) && coefficients_nonnegative(f, ring);
}

bool at_poly_is_nonnegative_on_orthant(const fmpq_mpoly_t f, const at_ring_t ring)
{
    return coefficients_nonnegative(f, ring);
}

char *at_poly_text(const fmpq_mpoly_t f, const at_ring_t ring)
{
    return fmpq_mpoly_get_str_pretty(f, NULL, ring->ctx);
}

/* ---- Matrices --------------------------------------------------------------- */

void at_polymat_init(at_polymat_t A, slong rows, slong cols, const at_ring_t ring)
{
    A->rows = rows;
    A->cols = cols;
    A->entries = flint_malloc((size_t) (rows * cols + 1) * sizeof *A->entries);
    for (slong k = 0; k < rows * cols; k++)
        fmpq_mpoly_init(A->entries + k, ring->ctx);
}

void at_polymat_clear(at_polymat_t A, const at_ring_t ring)
{
    for (slong k = 0; k < A->rows * A->cols; k++)
        fmpq_mpoly_clear(A->entries + k, ring->ctx);
    flint_free(A->entries);
}

static bool same_size(const at_polymat_t A, const at_polymat_t B)
{
    return A->rows == B->rows && A->cols == B->cols;
}

void at_polymat_set(at_polymat_t A, const at_polymat_t B, const at_ring_t ring)
{
    assert(same_size(A, B));
    for (slong k = 0; k < A->rows * A->cols; k++)
        fmpq_mpoly_set(A->entries + k, B->entries + k, ring->ctx);
}

void at_polymat_add(at_polymat_t C, const at_polymat_t A, const at_polymat_t B,
                    const at_ring_t ring)
{
    assert(same_size(A, B) && same_size(A, C));
    for (slong k = 0; k < A->rows * A->cols; k++)
        fmpq_mpoly_add(C->entries + k, A->entries + k, B->entries + k, ring->ctx);
}

void at_polymat_sub(at_polymat_t C, const at_polymat_t A, const at_polymat_t B,
                    const at_ring_t ring)
{
    assert(same_size(A, B) && same_size(A, C));
    for (slong k = 0; k < A->rows * A->cols; k++)
        fmpq_mpoly_sub(C->entries + k, A->entries + k, B->entries + k, ring->ctx);
}

void at_polymat_mul(at_polymat_t C, const at_polymat_t A, const at_polymat_t B,
                    const at_ring_t ring)
{
    assert(A->cols == B->rows && C->rows == A->rows && C->cols == B->cols);
    for (slong i = 0; i < C->rows; i++)
        for (slong j = 0; j < C->cols; j++) {
            fmpq_mpoly_struct *c = at_polymat_entry(C, i, j);
            fmpq_mpoly_zero(c, ring->ctx);
            for (slong k = 0; k < A->cols; k++)
                at_poly_addmul(c, 1, 1, at_polymat_entry(A, i, k), at_polymat_entry(B, k, j),
                               ring);
        }
}

void at_polymat_transpose(at_polymat_t B, const at_polymat_t A, const at_ring_t ring)
{
    assert(B->rows == A->cols && B->cols == A->rows);
    for (slong i = 0; i < A->rows; i++)
        for (slong j = 0; j < A->cols; j++)
            fmpq_mpoly_set(at_polymat_entry(B, j, i), at_polymat_entry(A, i, j), ring->ctx);
}

void at_polymat_scale(at_polymat_t C, const at_polymat_t A, slong p, slong q,
                      const at_ring_t ring)
{
    fmpq_t c;
    fmpq_init(c);
    assert(same_size(A, C) && q > 0);
    fmpq_set_si(c, p, (ulong) q);
    for (slong k = 0; k < A->rows * A->cols; k++)
        fmpq_mpoly_scalar_mul_fmpq(C->entries + k, A->entries + k, c, ring->ctx);
    fmpq_clear(c);
}

void at_polymat_inner(fmpq_mpoly_t f, const at_polymat_t A, const at_polymat_t B,
                      const at_ring_t ring)
{
    fmpq_mpoly_t sum;
    fmpq_mpoly_init(sum, ring->ctx);
    assert(same_size(A, B));
    for (slong k = 0; k < A->rows * A->cols; k++)
        at_poly_addmul(sum, 1, 1, A->entries + k, B->entries + k, ring);
    fmpq_mpoly_swap(f, sum, ring->ctx);
    fmpq_mpoly_clear(sum, ring->ctx);
}

bool at_polymat_equal(const at_polymat_t A, const at_polymat_t B, const at_ring_t ring)
{
    bool equal = same_size(A, B);
    for (slong k = 0; equal && k < A->rows * A->cols; k++)
        equal = fmpq_mpoly_equal(A->entries + k, B->entries + k, ring->ctx);
    return equal;
}

bool at_polymat_is_zero(const at_polymat_t A, const at_ring_t ring)
{
    bool zero = true;
    for (slong k = 0; zero && k < A->rows * A->cols; k++)
        zero = fmpq_mpoly_is_zero(A->entries + k, ring->ctx);
    return zero;
}

bool at_polymat_rows_equal(const at_polymat_t A, const at_ring_t ring)
{
    bool equal = true;
    for (slong i = 1; i < A->rows; i++)
        for (slong j = 0; equal && j < A->cols; j++)
            equal = fmpq_mpoly_equal(at_polymat_entry(A, i, j), at_polymat_entry(A, 0, j),
                                     ring->ctx);
    return equal;
}

void at_polymat_fresh(at_polymat_t A, at_ring_t ring)
{
    slong first = at_ring_take(ring, A->rows * A->cols);
    for (slong k = 0; k < A->rows * A->cols; k++)
        at_poly_var(A->entries + k, first + k, ring);
}

void at_polymat_fresh_symmetric(at_polymat_t A, at_ring_t ring)
{
    assert(A->rows == A->cols);
    for (slong i = 0; i < A->rows; i++)
        for (slong j = i; j < A->cols; j++) {
            at_poly_fresh(at_polymat_entry(A, i, j), ring);
            fmpq_mpoly_set(at_polymat_entry(A, j, i), at_polymat_entry(A, i, j), ring->ctx);
        }
}

void at_polymat_fresh_stochastic(at_polymat_t A, at_ring_t ring)
{
    for (slong i = 0; i < A->rows; i++) {
        fmpq_mpoly_struct *last = at_polymat_entry(A, i, A->cols - 1);
        fmpq_mpoly_one(last, ring->ctx);
        for (slong j = 0; j < A->cols - 1; j++) {
            at_poly_fresh(at_polymat_entry(A, i, j), ring);
            fmpq_mpoly_sub(last, last, at_polymat_entry(A, i, j), ring->ctx);
        }
    }
}

void at_polymat_fresh_toeplitz(at_polymat_t A, at_ring_t ring)
{
    assert(A->rows == A->cols);
    slong n = A->rows, first = at_ring_take(ring, 2 * n - 1);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            at_poly_var(at_polymat_entry(A, i, j), first + i - j + n - 1, ring);
}

void at_polymat_fresh_constant(at_polymat_t A, at_ring_t ring)
{
    slong first = at_ring_take(ring, A->cols);
    for (slong i = 0; i < A->rows; i++)
        for (slong j = 0; j < A->cols; j++)
            at_poly_var(at_polymat_entry(A, i, j), first + j, ring);
}

void at_polymat_permute_rows(at_polymat_t B, const at_polymat_t A, const slong *perm,
                             const at_ring_t ring)
{
    assert(same_size(A, B));
    for (slong i = 0; i < A->rows; i++)
        for (slong j = 0; j < A->cols; j++)
            fmpq_mpoly_set(at_polymat_entry(B, i, j), at_polymat_entry(A, perm[i], j),
                           ring->ctx);
}

/* ---- Fractions -------------------------------------------------------------- */

void at_polyfrac_init(at_polyfrac_t f, const at_ring_t ring)
{
    fmpq_mpoly_init(f->num, ring->ctx);
    fmpq_mpoly_init(f->den, ring->ctx);
    fmpq_mpoly_one(f->den, ring->ctx);
}

void at_polyfrac_clear(at_polyfrac_t f, const at_ring_t ring)
{
    fmpq_mpoly_clear(f->num, ring->ctx);
    fmpq_mpoly_clear(f->den, ring->ctx);
}

void at_polyfrac_set(at_polyfrac_t f, const at_polyfrac_t g, const at_ring_t ring)
{
    fmpq_mpoly_set(f->num, g->num, ring->ctx);
    fmpq_mpoly_set(f->den, g->den, ring->ctx);
}

void at_polyfrac_set_poly(at_polyfrac_t f, const fmpq_mpoly_t num, const at_ring_t ring)
{
    fmpq_mpoly_set(f->num, num, ring->ctx);
    fmpq_mpoly_one(f->den, ring->ctx);
}

void at_polyfrac_set_quotient(at_polyfrac_t f, const fmpq_mpoly_t num, const fmpq_mpoly_t den,
                              const at_ring_t ring)
{
    assert(!fmpq_mpoly_is_zero(den, ring->ctx));
    fmpq_mpoly_set(f->num, num, ring->ctx);
    fmpq_mpoly_set(f->den, den, ring->ctx);
}

void at_polyfrac_add(at_polyfrac_t f, const at_polyfrac_t g, const at_polyfrac_t h,
                     const at_ring_t ring)
{
    if (fmpq_mpoly_equal(g->den, h->den, ring->ctx)) {
        fmpq_mpoly_add(f->num, g->num, h->num, ring->ctx);
        fmpq_mpoly_set(f->den, g->den, ring->ctx);
        return;
    }
    fmpq_mpoly_t left, right;
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    fmpq_mpoly_mul(left, g->num, h->den, ring->ctx);
    fmpq_mpoly_mul(right, h->num, g->den, ring->ctx);
    fmpq_mpoly_mul(f->den, g->den, h->den, ring->ctx);
    fmpq_mpoly_add(f->num, left, right, ring->ctx);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
}

void at_polyfrac_mul_poly(at_polyfrac_t f, const at_polyfrac_t g, const fmpq_mpoly_t h,
                          const at_ring_t ring)
{
    fmpq_mpoly_mul(f->num, g->num, h, ring->ctx);
    fmpq_mpoly_set(f->den, g->den, ring->ctx);
}

bool at_polyfrac_equal(const at_polyfrac_t f, const at_polyfrac_t g, const at_ring_t ring)
{
    fmpq_mpoly_t left, right;
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    fmpq_mpoly_mul(left, f->num, g->den, ring->ctx);
    fmpq_mpoly_mul(right, g->num, f->den, ring->ctx);
    bool equal = fmpq_mpoly_equal(left, right, ring->ctx);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
    return equal;
}

bool at_polyfrac_is_one(const at_polyfrac_t f, const at_ring_t ring)
{
    return fmpq_mpoly_equal(f->num, f->den, ring->ctx);
}
