/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbolic core of the energy theorems. */
#include "attest/theory/symbolic/descent.h"

#include <stdlib.h>

#include <string.h>
#include "attest/theory/symbolic/symbolic.h"

/* ---- Identities in one line ------------------------------------------------ */

enum { MOST_VARIABLES = 16, LONGEST_LIST = 128 };

/* Splits the names in place; returns their number. */
static slong split_names(const char **names, char *list)
{
    slong count = 0;
    char *rest = NULL;
    for (char *name = strtok_r(list, " ", &rest); name != NULL && count < MOST_VARIABLES;
         name = strtok_r(NULL, " ", &rest))
        names[count++] = name;
    return count;
}

/* FLINT's reader ends the process where a text divides by zero: only integers from 1 may stand
 * behind a stroke. */
static bool divides_by_integers(const char *text)
{
    for (const char *c = strchr(text, '/'); c != NULL; c = strchr(c + 1, '/'))
        if (strtol(c + 1, NULL, 10) < 1)
            return false;
    return true;
}

enum at_truth at_lemma_identity(const char *variables, const char *left, const char *right)
{
    const char *names[MOST_VARIABLES];
    char list[LONGEST_LIST];
    fmpq_mpoly_ctx_t ctx;
    fmpq_mpoly_t f, g;
    if (strlen(variables) >= sizeof list || !divides_by_integers(left)
        || !divides_by_integers(right))
        return AT_UNKNOWN;
    strcpy(list, variables);
    fmpq_mpoly_ctx_init(ctx, split_names(names, list), ORD_LEX);
    fmpq_mpoly_init(f, ctx);
    fmpq_mpoly_init(g, ctx);
    enum at_truth truth = AT_UNKNOWN;
    if (fmpq_mpoly_set_str_pretty(f, left, names, ctx) == 0
        && fmpq_mpoly_set_str_pretty(g, right, names, ctx) == 0)
        truth = at_identity(fmpq_mpoly_equal(f, g, ctx) != 0);
    fmpq_mpoly_clear(f, ctx);
    fmpq_mpoly_clear(g, ctx);
    fmpq_mpoly_ctx_clear(ctx);
    return truth;
}

enum at_truth at_lemma_nonnegative(const char *variables, const char *polynomial)
{
    const char *names[MOST_VARIABLES];
    char list[LONGEST_LIST];
    at_ring_t ring;
    fmpq_mpoly_t f;
    if (strlen(variables) >= sizeof list || !divides_by_integers(polynomial))
        return AT_UNKNOWN;
    strcpy(list, variables);
    at_ring_init(ring, split_names(names, list));
    fmpq_mpoly_init(f, ring->ctx);
    enum at_truth truth = AT_UNKNOWN;
    if (fmpq_mpoly_set_str_pretty(f, polynomial, names, ring->ctx) == 0
        && at_poly_is_nonnegative_on_orthant(f, ring))
        truth = AT_TRUE;
    fmpq_mpoly_clear(f, ring->ctx);
    at_ring_clear(ring);
    return truth;
}

/* ---- Building blocks ------------------------------------------------------- */

/* f += p/q tr(X^T A X). */
static void add_form(fmpq_mpoly_t f, slong p, slong q, const at_polymat_t A, const at_polymat_t X,
                     const at_ring_t ring)
{
    at_polymat_t AX;
    fmpq_mpoly_t trace, one;
    at_polymat_init(AX, A->rows, X->cols, ring);
    fmpq_mpoly_init(trace, ring->ctx);
    fmpq_mpoly_init(one, ring->ctx);
    fmpq_mpoly_one(one, ring->ctx);
    at_polymat_mul(AX, A, X, ring);
    at_polymat_inner(trace, X, AX, ring);
    at_poly_addmul(f, p, q, trace, one, ring);
    at_polymat_clear(AX, ring);
    fmpq_mpoly_clear(trace, ring->ctx);
    fmpq_mpoly_clear(one, ring->ctx);
}

/* f += p/q ⟨X, Y⟩. */
static void add_inner(fmpq_mpoly_t f, slong p, slong q, const at_polymat_t X,
                      const at_polymat_t Y, const at_ring_t ring)
{
    for (slong i = 0; i < X->rows; i++)
        for (slong j = 0; j < X->cols; j++)
            at_poly_addmul(f, p, q, at_polymat_entry(X, i, j), at_polymat_entry(Y, i, j), ring);
}

/* D = diagonal matrix of w's row sums; without the self terms both lose their diagonals. */
static void degrees(at_polymat_t D, at_polymat_t w, bool self, const at_ring_t ring)
{
    for (slong i = 0; i < w->rows; i++) {
        fmpq_mpoly_struct *sum = at_polymat_entry(D, i, i);
        if (!self)
            fmpq_mpoly_zero(at_polymat_entry(w, i, i), ring->ctx);
        fmpq_mpoly_zero(sum, ring->ctx);
        for (slong j = 0; j < w->cols; j++)
            fmpq_mpoly_add(sum, sum, at_polymat_entry(w, i, j), ring->ctx);
    }
}

/* f += p/q w_ij ‖x_i + sign x_j‖². */
static void add_pair(fmpq_mpoly_t f, slong p, slong q, const fmpq_mpoly_t weight,
                     const at_polymat_t X, slong i, slong j, int sign, const at_ring_t ring)
{
    fmpq_mpoly_t t, sum;
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_mpoly_init(sum, ring->ctx);
    for (slong c = 0; c < X->cols; c++) {
        if (sign > 0)
            fmpq_mpoly_add(t, at_polymat_entry(X, i, c), at_polymat_entry(X, j, c), ring->ctx);
        else
            fmpq_mpoly_sub(t, at_polymat_entry(X, i, c), at_polymat_entry(X, j, c), ring->ctx);
        fmpq_mpoly_mul(t, t, t, ring->ctx);
        fmpq_mpoly_add(sum, sum, t, ring->ctx);
    }
    at_poly_addmul(f, p, q, weight, sum, ring);
    fmpq_mpoly_clear(t, ring->ctx);
    fmpq_mpoly_clear(sum, ring->ctx);
}

/* What most lemmas start from: fresh w, Y, Δ, with D and L made of w, and two sides at 0. */
typedef struct {
    at_ring_t ring;
    at_polymat_t w, D, L, Y, delta, next;
    fmpq_mpoly_t left, right;
} scene;

static void scene_init(scene *s, slong n, slong d, bool self, slong more)
{
    at_ring_init(s->ring, n * (n + 1) / 2 + 2 * n * d + more);
    at_polymat_init(s->w, n, n, s->ring);
    at_polymat_init(s->D, n, n, s->ring);
    at_polymat_init(s->L, n, n, s->ring);
    at_polymat_init(s->Y, n, d, s->ring);
    at_polymat_init(s->delta, n, d, s->ring);
    at_polymat_init(s->next, n, d, s->ring);
    fmpq_mpoly_init(s->left, s->ring->ctx);
    fmpq_mpoly_init(s->right, s->ring->ctx);
    at_polymat_fresh_symmetric(s->w, s->ring);
    at_polymat_fresh(s->Y, s->ring);
    at_polymat_fresh(s->delta, s->ring);
    at_polymat_add(s->next, s->Y, s->delta, s->ring);
    degrees(s->D, s->w, self, s->ring);
    at_polymat_sub(s->L, s->D, s->w, s->ring);
}

/* The answer, and the memory back. */
static enum at_truth scene_end(scene *s)
{
    enum at_truth truth = at_identity(fmpq_mpoly_equal(s->left, s->right, s->ring->ctx) != 0);
    at_polymat_clear(s->w, s->ring);
    at_polymat_clear(s->D, s->ring);
    at_polymat_clear(s->L, s->ring);
    at_polymat_clear(s->Y, s->ring);
    at_polymat_clear(s->delta, s->ring);
    at_polymat_clear(s->next, s->ring);
    fmpq_mpoly_clear(s->left, s->ring->ctx);
    fmpq_mpoly_clear(s->right, s->ring->ctx);
    at_ring_clear(s->ring);
    return truth;
}

/* ---- Attention ------------------------------------------------------------- */

enum at_truth at_descent_majorizer(slong n, slong d, slong p, slong q)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    scene s;
    scene_init(&s, n, d, true, 0);
    for (slong i = 0; i < n; i++)
        for (slong j = i + 1; j < n; j++) {
            add_pair(s.left, 1, 2, at_polymat_entry(s.w, i, j), s.next, i, j, -1, s.ring);
            add_pair(s.left, -1, 2, at_polymat_entry(s.w, i, j), s.Y, i, j, -1, s.ring);
        }
    add_form(s.right, p, q, s.L, s.next, s.ring);
    add_form(s.right, -p, q, s.L, s.Y, s.ring);
    return scene_end(&s);
}

enum at_truth at_descent_squares(slong n, slong d, bool self, slong p, slong q)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    scene s;
    scene_init(&s, n, d, self, 0);
    add_form(s.left, 1, 1, s.D, s.delta, s.ring);
    add_form(s.left, 1, 1, s.w, s.delta, s.ring);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            add_pair(s.right, p, q, at_polymat_entry(s.w, i, j), s.delta, i, j, 1, s.ring);
    return scene_end(&s);
}

enum at_truth at_descent_attention(slong n, slong d, bool self)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    /* tested against indeterminate rows Δ: ⟨Δ, wY − DY⟩ = −⟨Δ, LY⟩, L always with the self terms */
    scene s;
    at_polymat_t DY, wY, LY;
    scene_init(&s, n, d, true, 0);
    at_polymat_init(DY, n, d, s.ring);
    at_polymat_init(wY, n, d, s.ring);
    at_polymat_init(LY, n, d, s.ring);
    at_polymat_mul(LY, s.L, s.Y, s.ring);
    degrees(s.D, s.w, self, s.ring);
    at_polymat_mul(DY, s.D, s.Y, s.ring);
    at_polymat_mul(wY, s.w, s.Y, s.ring);
    add_inner(s.left, 1, 1, s.delta, wY, s.ring);
    add_inner(s.left, -1, 1, s.delta, DY, s.ring);
    add_inner(s.right, -1, 1, s.delta, LY, s.ring);
    at_polymat_clear(DY, s.ring);
    at_polymat_clear(wY, s.ring);
    at_polymat_clear(LY, s.ring);
    return scene_end(&s);
}

enum at_truth at_descent_sphere(slong n, slong d, slong p, slong q)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    scene s;
    at_polymat_t wY;
    scene_init(&s, n, d, true, 0);
    at_polymat_init(wY, n, d, s.ring);
    at_polymat_mul(wY, s.w, s.Y, s.ring);
    add_form(s.left, 1, 2, s.L, s.next, s.ring);
    add_form(s.left, -1, 2, s.L, s.Y, s.ring);
    add_inner(s.right, -1, 1, wY, s.delta, s.ring);
    add_form(s.right, -p, q, s.w, s.delta, s.ring);
    add_form(s.right, 1, 2, s.D, s.next, s.ring);
    add_form(s.right, -1, 2, s.D, s.Y, s.ring);
    at_polymat_clear(wY, s.ring);
    return scene_end(&s);
}

/* ---- Quadratic energies ---------------------------------------------------- */

enum at_truth at_descent_master(slong N, slong p, slong q)
{
    if (N < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    /* the scene's w is H, L is overwritten by 2M − H; rows are scalars */
    scene s;
    at_polymat_t M, b, way;
    scene_init(&s, N, 1, true, N * (N + 1) / 2 + N);
    at_polymat_init(M, N, N, s.ring);
    at_polymat_init(b, N, 1, s.ring);
    at_polymat_init(way, N, 1, s.ring);
    at_polymat_fresh_symmetric(M, s.ring);
    at_polymat_fresh(b, s.ring);
    add_form(s.left, 1, 2, s.w, s.next, s.ring);
    add_form(s.left, -1, 2, s.w, s.Y, s.ring);
    add_inner(s.left, -1, 1, b, s.delta, s.ring);

    at_polymat_add(s.L, M, M, s.ring);
    at_polymat_sub(s.L, s.L, s.w, s.ring);
    add_form(s.right, -p, q, s.L, s.delta, s.ring);
    at_polymat_mul(way, s.w, s.Y, s.ring);             /* ∇h + Mδ */
    at_polymat_sub(way, way, b, s.ring);
    add_inner(s.right, 1, 1, way, s.delta, s.ring);
    add_form(s.right, 1, 1, M, s.delta, s.ring);
    at_polymat_clear(M, s.ring);
    at_polymat_clear(b, s.ring);
    at_polymat_clear(way, s.ring);
    return scene_end(&s);
}

/* One head of at_descent_layer: both sides. */
static void add_head(scene *s, slong d, slong p, slong q)
{
    slong n = s->Y->rows;
    at_polymat_t W, V, next, delta, pull, back, WT;
    at_polymat_init(W, d, d, s->ring);
    at_polymat_init(WT, d, d, s->ring);
    at_polymat_init(V, n, d, s->ring);
    at_polymat_init(next, n, d, s->ring);
    at_polymat_init(delta, n, d, s->ring);
    at_polymat_init(pull, n, d, s->ring);
    at_polymat_init(back, n, d, s->ring);
    at_polymat_fresh(W, s->ring);
    at_polymat_fresh_symmetric(s->w, s->ring);
    degrees(s->D, s->w, true, s->ring);
    at_polymat_sub(s->L, s->D, s->w, s->ring);
    at_polymat_mul(V, s->Y, W, s->ring);
    at_polymat_mul(next, s->next, W, s->ring);
    at_polymat_mul(delta, s->delta, W, s->ring);
    add_form(s->left, 1, 2, s->L, next, s->ring);
    add_form(s->left, -1, 2, s->L, V, s->ring);

    at_polymat_mul(pull, s->L, V, s->ring);             /* ⟨L Y W W^T, Δ⟩ */
    at_polymat_transpose(WT, W, s->ring);
    at_polymat_mul(back, pull, WT, s->ring);
    add_inner(s->right, 1, 1, back, s->delta, s->ring);
    add_form(s->right, 1, 2, s->D, delta, s->ring);
    add_form(s->right, -p, 2 * q, s->w, delta, s->ring);
    at_polymat_clear(W, s->ring);
    at_polymat_clear(WT, s->ring);
    at_polymat_clear(V, s->ring);
    at_polymat_clear(next, s->ring);
    at_polymat_clear(delta, s->ring);
    at_polymat_clear(pull, s->ring);
    at_polymat_clear(back, s->ring);
}

/* f += p/q E_2(X) = p/2q (tr(X F X^T) + ‖X − B‖²). */
static void add_ffn_energy(fmpq_mpoly_t f, slong p, slong q, const at_polymat_t X,
                           const at_polymat_t F, const at_polymat_t B, const at_ring_t ring)
{
    at_polymat_t XF, gap;
    at_polymat_init(XF, X->rows, X->cols, ring);
    at_polymat_init(gap, X->rows, X->cols, ring);
    at_polymat_mul(XF, X, F, ring);
    add_inner(f, p, 2 * q, X, XF, ring);
    at_polymat_sub(gap, X, B, ring);
    add_inner(f, p, 2 * q, gap, gap, ring);
    at_polymat_clear(XF, ring);
    at_polymat_clear(gap, ring);
}

/* XM = X(I + S), S = (F + F^T)/2 or F. */
static void apply_hessian(at_polymat_t XM, const at_polymat_t X, const at_polymat_t F,
                          bool symmetrize, const at_ring_t ring)
{
    at_polymat_t S;
    at_polymat_init(S, F->rows, F->cols, ring);
    at_polymat_transpose(S, F, ring);
    at_polymat_add(S, S, F, ring);
    at_polymat_scale(S, S, 1, 2, ring);
    at_polymat_mul(XM, X, symmetrize ? S : F, ring);
    at_polymat_add(XM, XM, X, ring);
    at_polymat_clear(S, ring);
}

enum at_truth at_descent_layer(slong n, slong d, slong heads, bool ffn, slong p, slong q)
{
    if (n < 1 || d < 1 || heads < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    scene s;
    scene_init(&s, n, d, true, heads * (n * (n + 1) / 2 + d * d) + d * d + n * d);
    for (slong h = 0; h < heads; h++)
        add_head(&s, d, p, q);
    if (ffn) {
        at_polymat_t F, B, rows;
        at_polymat_init(F, d, d, s.ring);
        at_polymat_init(B, n, d, s.ring);
        at_polymat_init(rows, n, d, s.ring);
        at_polymat_fresh(F, s.ring);
        at_polymat_fresh(B, s.ring);
        add_ffn_energy(s.left, 1, 1, s.next, F, B, s.ring);
        add_ffn_energy(s.left, -1, 1, s.Y, F, B, s.ring);
        apply_hessian(rows, s.Y, F, true, s.ring);
        at_polymat_sub(rows, rows, B, s.ring);
        add_inner(s.right, 1, 1, rows, s.delta, s.ring);
        apply_hessian(rows, s.delta, F, true, s.ring);
        add_inner(s.right, 1, 2, rows, s.delta, s.ring);
        at_polymat_clear(F, s.ring);
        at_polymat_clear(B, s.ring);
        at_polymat_clear(rows, s.ring);
    }
    return scene_end(&s);
}
