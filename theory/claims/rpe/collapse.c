/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collapse: softmax rows sum to one, so on a constant sequence every row is the same. */
#include "attest/theory/claims/rpe/rpe.h"

#include <assert.h>

/* Z and the sum of the numerators for one mask, both polynomials in the e_j. */
static enum at_truth masked_row(const at_ring_t ring, slong n, uint64_t mask, slong p, slong q)
{
    at_polyfrac_t sum, weight, target;
    fmpq_mpoly_t Z, e;
    fmpq_mpoly_init(Z, ring->ctx);
    fmpq_mpoly_init(e, ring->ctx);
    at_polyfrac_init(sum, ring);
    at_polyfrac_init(weight, ring);
    at_polyfrac_init(target, ring);
    for (slong j = 0; j < n; j++)
        if (mask >> j & 1) {
            at_poly_var(e, j, ring);
            fmpq_mpoly_add(Z, Z, e, ring->ctx);
        }
    bool holds = at_poly_is_positive_on_orthant(Z, ring);
    if (holds) {
        /* start from 0/Z, so that no term changes the denominator */
        fmpq_mpoly_zero(e, ring->ctx);
        at_polyfrac_set_quotient(sum, e, Z, ring);
        for (slong j = 0; j < n; j++)
            if (mask >> j & 1) {
                at_poly_var(e, j, ring);
                at_polyfrac_set_quotient(weight, e, Z, ring);
                at_polyfrac_add(sum, sum, weight, ring);
            }
        at_poly_set_rational(e, p, q, ring);
        at_polyfrac_set_poly(target, e, ring);
        holds = at_polyfrac_equal(sum, target, ring);
    }
    at_polyfrac_clear(sum, ring);
    at_polyfrac_clear(weight, ring);
    at_polyfrac_clear(target, ring);
    fmpq_mpoly_clear(Z, ring->ctx);
    fmpq_mpoly_clear(e, ring->ctx);
    return at_identity(holds);
}

enum at_truth at_part_softmax_sums(slong n, slong least, slong p, slong q)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_ring_init(ring, n);
    enum at_truth all = AT_TRUE;
    for (uint64_t mask = 0; mask < UINT64_C(1) << n && all == AT_TRUE; mask++) {
        slong bits = 0;
        for (slong j = 0; j < n; j++)
            bits += (slong) (mask >> j & 1);
        if (bits >= least)
            all = masked_row(ring, n, mask, p, q);
    }
    at_ring_clear(ring);
    return all;
}

/* Fills the weights of one head. */
static void fill_weights(at_polymat_t A, enum at_weights_kind kind, at_ring_t ring)
{
    slong n = A->rows;
    fmpq_mpoly_t one;
    fmpq_mpoly_init(one, ring->ctx);
    fmpq_mpoly_one(one, ring->ctx);
    if (kind == AT_WEIGHTS_FREE) {
        at_polymat_fresh(A, ring);
    } else {
        at_polymat_fresh_stochastic(A, ring);
        if (kind == AT_WEIGHTS_ONE_ROW_FREE)
            at_poly_fresh(at_polymat_entry(A, n - 1, n - 1), ring);
        for (slong i = 0; i < n && kind == AT_WEIGHTS_SUM_TWO; i++)
            fmpq_mpoly_add(at_polymat_entry(A, i, n - 1), at_polymat_entry(A, i, n - 1), one,
                           ring->ctx);
        if (kind == AT_WEIGHTS_COLUMNS) {
            at_polymat_t T;
            at_polymat_init(T, n, n, ring);
            at_polymat_transpose(T, A, ring);
            at_polymat_set(A, T, ring);
            at_polymat_clear(T, ring);
        }
    }
    fmpq_mpoly_clear(one, ring->ctx);
}

enum at_truth at_part_layer_collapse(slong n, slong d, slong heads, enum at_weights_kind kind,
                                     bool value_bias)
{
    if (n < 1 || d < 1 || heads < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t A, M, V, X, row, mixed, moved, out, single, bias;
    at_ring_init(ring, heads * (n * n + d * d + d) + d);
    at_polymat_init(A, n, n, ring);
    at_polymat_init(M, d, d, ring);
    at_polymat_init(V, n, d, ring);
    at_polymat_init(X, n, d, ring);
    at_polymat_init(row, 1, d, ring);
    at_polymat_init(mixed, 1, d, ring);
    at_polymat_init(moved, n, d, ring);
    at_polymat_init(out, n, d, ring);
    at_polymat_init(single, 1, d, ring);
    at_polymat_init(bias, n, d, ring);

    at_polymat_fresh_constant(X, ring);
    for (slong k = 0; k < d; k++)
        fmpq_mpoly_set(at_polymat_entry(row, 0, k), at_polymat_entry(X, 0, k), ring->ctx);
    at_polymat_set(out, X, ring);
    at_polymat_set(single, row, ring);
    for (slong h = 0; h < heads; h++) {
        fill_weights(A, kind, ring);
        at_polymat_fresh(M, ring);
        at_polymat_mul(V, X, M, ring);
        at_polymat_mul(mixed, row, M, ring);
        if (value_bias) {
            at_polymat_fresh_constant(bias, ring);
            at_polymat_add(V, V, bias, ring);
            for (slong k = 0; k < d; k++)
                fmpq_mpoly_add(at_polymat_entry(mixed, 0, k), at_polymat_entry(mixed, 0, k),
                               at_polymat_entry(bias, 0, k), ring->ctx);
        }
        at_polymat_mul(moved, A, V, ring);
        at_polymat_add(out, out, moved, ring);
        at_polymat_add(single, single, mixed, ring);
    }
    bool holds = at_polymat_rows_equal(out, ring);
    for (slong k = 0; k < d; k++)
        holds = holds && fmpq_mpoly_equal(at_polymat_entry(out, 0, k),
                                          at_polymat_entry(single, 0, k), ring->ctx);

    at_polymat_clear(A, ring);
    at_polymat_clear(M, ring);
    at_polymat_clear(V, ring);
    at_polymat_clear(X, ring);
    at_polymat_clear(row, ring);
    at_polymat_clear(mixed, ring);
    at_polymat_clear(moved, ring);
    at_polymat_clear(out, ring);
    at_polymat_clear(single, ring);
    at_polymat_clear(bias, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* ---- Claims ------------------------------------------------------------------ */

static void prove_row_sums(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "n");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_softmax_sums(cases.at[0], 1, 1, 1));
    at_claim_prove_cases(run, "softmax row sum", AT_METHOD_SYMBOLIC, &cases, "sum_j m_j e_j / Z "
                   "= 1 and Z > 0 for indeterminates e_j = exp(s_j) > 0 and each of the 2^n - 1 "
                   "nonempty masks");
}

static void prove_layers(at_claim_run *run, bool value_bias)
{
    at_cases cases = at_cases_over(run, "n d H");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_layer_collapse(cases.at[0], cases.at[1], cases.at[2],
                                                    AT_WEIGHTS_STOCHASTIC, value_bias));
    at_claim_prove_cases(run, value_bias ? "layer with a value bias" : "layer", AT_METHOD_SYMBOLIC, &cases,
                         "the rows of 1x^T + sum_h A^h %s are equal, and equal to the output for one "
                         "token",
                   value_bias ? "(1x^T M^h + 1v^T)" : "1x^T M^h");
}

int at_decide_right_stochastic(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all real logits, every mask with an unmasked entry");
    prove_row_sums(run);
    at_claim_cite(run, "exponentials are positive", "exp(s) > 0 for every real s, so the e_j are "
                  "arbitrary positive numbers");
    return AT_OK;
}

int at_decide_layer_collapse(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all real x, M^h and all A^h with A^h 1 = 1");
    prove_layers(run, false);
    prove_layers(run, true);
    at_claim_cite(run, "row-wise maps", "FFN, biases, LayerNorm and readout apply one function to "
                  "every row, so equal rows stay equal; by induction over layers the network "
                  "collapses at any depth and width");
    return AT_OK;
}

int at_decide_causal_mask(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every causal mask, any depth");
    /* row i sees i tokens: a softmax over i indeterminates */
    at_cases cases = at_cases_over(run, "n");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_softmax_sums(cases.at[0], cases.at[0], 1, 1));
    at_claim_prove_cases(run, "causal rows", AT_METHOD_SYMBOLIC, &cases, "row i = n sees tokens "
                         "1..i, at least itself, and sums to 1");
    prove_layers(run, false);
    at_claim_cite(run, "row-wise maps", "FFN, biases, LayerNorm and readout apply one function to "
                  "every row; induction over layers");
    return AT_OK;
}

int at_decide_tupe_collapse(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all real logits (x_i W_Q)(x_j W_K)^T + (p_i U_Q)(p_j U_K)^T");
    prove_row_sums(run);
    prove_layers(run, false);
    at_claim_cite(run, "positions enter through the logits only", "TUPE's logits are real numbers "
                  "whatever p_i is, its values x_j W_V hold no position: the layer is one of the "
                  "above, and row-wise maps keep equal rows equal");
    return AT_OK;
}
