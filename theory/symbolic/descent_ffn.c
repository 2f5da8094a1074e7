/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbolic core, continued: the feed-forward step and averages. */
#include "attest/theory/symbolic/descent.h"

#include "attest/theory/symbolic/symbolic.h"

/* f += c g, all polynomials. */
static void add_product(fmpq_mpoly_t f, const fmpq_mpoly_t c, const fmpq_mpoly_t g,
                        const at_ring_t ring)
{
    at_poly_addmul(f, 1, 1, c, g, ring);
}

/* out = X (I + F); E = ½⟨X, X F⟩ + ½‖X − B‖². */
static void bend(at_polymat_t out, const at_polymat_t X, const at_polymat_t F,
                 const at_ring_t ring)
{
    at_polymat_mul(out, X, F, ring);
    at_polymat_add(out, out, X, ring);
}

static void ffn_energy(fmpq_mpoly_t E, const at_polymat_t X, const at_polymat_t F,
                       const at_polymat_t B, const at_ring_t ring)
{
    at_polymat_t XF, gap;
    fmpq_mpoly_t t;
    at_polymat_init(XF, X->rows, X->cols, ring);
    at_polymat_init(gap, X->rows, X->cols, ring);
    fmpq_mpoly_init(t, ring->ctx);
    at_polymat_mul(XF, X, F, ring);
    at_polymat_sub(gap, X, B, ring);
    at_polymat_inner(E, X, XF, ring);
    at_polymat_inner(t, gap, gap, ring);
    fmpq_mpoly_add(E, E, t, ring->ctx);
    fmpq_mpoly_scalar_div_si(E, E, 2, ring->ctx);
    at_polymat_clear(XF, ring);
    at_polymat_clear(gap, ring);
    fmpq_mpoly_clear(t, ring->ctx);
}

/* right = −α⟨G, G⟩ + p/q α² ⟨G, G(I + S)⟩. */
static void predicted_change(fmpq_mpoly_t right, const at_polymat_t G, const at_polymat_t S,
                             const fmpq_mpoly_t alpha, slong p, slong q, const at_ring_t ring)
{
    at_polymat_t bent;
    fmpq_mpoly_t t, square;
    at_polymat_init(bent, G->rows, G->cols, ring);
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_mpoly_init(square, ring->ctx);
    at_polymat_inner(t, G, G, ring);
    at_poly_addmul(right, -1, 1, alpha, t, ring);
    bend(bent, G, S, ring);
    at_polymat_inner(t, G, bent, ring);
    fmpq_mpoly_mul(square, alpha, alpha, ring->ctx);
    at_poly_addmul(right, p, q, square, t, ring);
    at_polymat_clear(bent, ring);
    fmpq_mpoly_clear(t, ring->ctx);
    fmpq_mpoly_clear(square, ring->ctx);
}

enum at_truth at_descent_ffn(slong n, slong d, bool symmetrize, slong p, slong q)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t F, S, Y, B, G, next;
    fmpq_mpoly_t alpha, left, right;
    at_ring_init(ring, d * d + 2 * n * d + 1);
    at_polymat_init(F, d, d, ring);
    at_polymat_init(S, d, d, ring);
    at_polymat_init(Y, n, d, ring);
    at_polymat_init(B, n, d, ring);
    at_polymat_init(G, n, d, ring);
    at_polymat_init(next, n, d, ring);
    fmpq_mpoly_init(alpha, ring->ctx);
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    at_polymat_fresh(F, ring);
    at_polymat_fresh(Y, ring);
    at_polymat_fresh(B, ring);
    at_poly_fresh(alpha, ring);
    at_polymat_transpose(S, F, ring);
    at_polymat_add(S, S, F, ring);
    at_polymat_scale(S, S, 1, 2, ring);
    bend(G, Y, symmetrize ? S : F, ring);
    at_polymat_sub(G, G, B, ring);
    for (slong i = 0; i < n; i++)
        for (slong c = 0; c < d; c++) {
            fmpq_mpoly_mul(at_polymat_entry(next, i, c), alpha, at_polymat_entry(G, i, c),
                           ring->ctx);
            fmpq_mpoly_sub(at_polymat_entry(next, i, c), at_polymat_entry(Y, i, c),
                           at_polymat_entry(next, i, c), ring->ctx);
        }
    predicted_change(right, G, S, alpha, p, q, ring);
    ffn_energy(left, next, F, B, ring);
    ffn_energy(alpha, Y, F, B, ring);
    fmpq_mpoly_sub(left, left, alpha, ring->ctx);
    enum at_truth truth = at_identity(fmpq_mpoly_equal(left, right, ring->ctx) != 0);
    at_polymat_clear(F, ring);
    at_polymat_clear(S, ring);
    at_polymat_clear(Y, ring);
    at_polymat_clear(B, ring);
    at_polymat_clear(G, ring);
    at_polymat_clear(next, ring);
    fmpq_mpoly_clear(alpha, ring->ctx);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
    at_ring_clear(ring);
    return truth;
}

/* out = Σ_{kl} a_ik a_jl (y_k − y_l). */
static void pairwise(fmpq_mpoly_t out, const at_polymat_t A, const at_polymat_t Y, slong i,
                     slong j, const at_ring_t ring)
{
    fmpq_mpoly_t t, gap;
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_mpoly_init(gap, ring->ctx);
    fmpq_mpoly_zero(out, ring->ctx);
    for (slong k = 0; k < A->cols; k++)
        for (slong l = 0; l < A->cols; l++) {
            fmpq_mpoly_mul(t, at_polymat_entry(A, i, k), at_polymat_entry(A, j, l), ring->ctx);
            fmpq_mpoly_sub(gap, at_polymat_entry(Y, k, 0), at_polymat_entry(Y, l, 0), ring->ctx);
            add_product(out, t, gap, ring);
        }
    fmpq_mpoly_clear(t, ring->ctx);
    fmpq_mpoly_clear(gap, ring->ctx);
}

/* out = Σ_j a_ij (y_jc − m_c), column c. */
static void shifted(fmpq_mpoly_t out, const at_polymat_t A, const at_polymat_t Y,
                    const at_polymat_t m, slong i, slong c, const at_ring_t ring)
{
    fmpq_mpoly_t gap;
    fmpq_mpoly_init(gap, ring->ctx);
    fmpq_mpoly_zero(out, ring->ctx);
    for (slong j = 0; j < A->cols; j++) {
        fmpq_mpoly_sub(gap, at_polymat_entry(Y, j, c), at_polymat_entry(m, 0, c), ring->ctx);
        add_product(out, at_polymat_entry(A, i, j), gap, ring);
    }
    fmpq_mpoly_clear(gap, ring->ctx);
}

static void fill_averages(at_polymat_t A, at_polymat_t Y, at_polymat_t m, at_polymat_t AY,
                          bool stochastic, at_ring_t ring)
{
    if (stochastic)
        at_polymat_fresh_stochastic(A, ring);
    else
        at_polymat_fresh(A, ring);
    at_polymat_fresh(Y, ring);
    at_polymat_fresh(m, ring);
    at_polymat_mul(AY, A, Y, ring);
}

enum at_truth at_descent_averages(slong n, bool stochastic)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t A, Y, m, AY;
    fmpq_mpoly_t left, right;
    bool holds = true;
    at_ring_init(ring, n * n + n + 1);
    at_polymat_init(A, n, n, ring);
    at_polymat_init(Y, n, 1, ring);
    at_polymat_init(m, 1, 1, ring);
    at_polymat_init(AY, n, 1, ring);
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    fill_averages(A, Y, m, AY, stochastic, ring);
    for (slong i = 0; i < n && holds; i++) {
        for (slong j = 0; j < n && holds; j++) {
            pairwise(right, A, Y, i, j, ring);
            fmpq_mpoly_sub(left, at_polymat_entry(AY, i, 0), at_polymat_entry(AY, j, 0),
                           ring->ctx);
            holds = fmpq_mpoly_equal(left, right, ring->ctx) != 0;
        }
        shifted(right, A, Y, m, i, 0, ring);
        fmpq_mpoly_sub(left, at_polymat_entry(AY, i, 0), at_polymat_entry(m, 0, 0), ring->ctx);
        holds = holds && fmpq_mpoly_equal(left, right, ring->ctx) != 0;
    }
    at_polymat_clear(A, ring);
    at_polymat_clear(Y, ring);
    at_polymat_clear(m, ring);
    at_polymat_clear(AY, ring);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

enum at_truth at_descent_contraction(slong n, slong d, bool stochastic)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    /* the bias cancels: −(AY)_i S + y* S against −Σ_j a_ij (y_j − y*) S */
    at_ring_t ring;
    at_polymat_t A, Y, m, AY, S, gap, left, right;
    at_ring_init(ring, n * n + n * d + d + d * d);
    at_polymat_init(A, n, n, ring);
    at_polymat_init(Y, n, d, ring);
    at_polymat_init(m, 1, d, ring);
    at_polymat_init(AY, n, d, ring);
    at_polymat_init(S, d, d, ring);
    at_polymat_init(gap, n, d, ring);
    at_polymat_init(left, n, d, ring);
    at_polymat_init(right, n, d, ring);
    fill_averages(A, Y, m, AY, stochastic, ring);
    at_polymat_fresh(S, ring);
    for (slong i = 0; i < n; i++)
        for (slong c = 0; c < d; c++) {
            fmpq_mpoly_sub(at_polymat_entry(AY, i, c), at_polymat_entry(m, 0, c),
                           at_polymat_entry(AY, i, c), ring->ctx);
            shifted(at_polymat_entry(gap, i, c), A, Y, m, i, c, ring);
        }
    at_polymat_mul(left, AY, S, ring);
    at_polymat_mul(right, gap, S, ring);
    at_polymat_scale(right, right, -1, 1, ring);
    bool holds = at_polymat_equal(left, right, ring);
    at_polymat_clear(A, ring);
    at_polymat_clear(Y, ring);
    at_polymat_clear(m, ring);
    at_polymat_clear(AY, ring);
    at_polymat_clear(S, ring);
    at_polymat_clear(gap, ring);
    at_polymat_clear(left, ring);
    at_polymat_clear(right, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}
