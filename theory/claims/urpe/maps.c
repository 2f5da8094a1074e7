/* SPDX-License-Identifier: GPL-3.0-or-later */
/* URPE: what a gate C on the attention weights can do, mostly as identities. */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/urpe/urpe.h"
#include "attest/theory/claim/witness.h"
#include "attest/theory/symbolic/descent.h"

static void prove_zero_queries(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_logit_needs_query(cases.at[0]));
    at_claim_prove_cases(run, "every term of a logit holds one entry of W_Q", AT_METHOD_SYMBOLIC,
                         &cases, "(x W_Q)(y W_K)^T with x, y, W_Q, W_K indeterminate; the logit of "
                         "two tokens does not see n: with W_Q = 0 and B = 0 all logits are 0");
    at_claim_prove(run, "the softmax of n equal logits is 1/n", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("n e", "n*e", "(n*e)*1"),
                   "e/(n e) = 1/n by cross-multiplication, n and e = exp(s) indeterminate");
}

/* The same rational numbers in one matrix of both networks. */
static void fill_both(fmpq_mat_t a, fmpq_mat_t b, at_claim_run *run)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong k = 0; k < fmpq_mat_ncols(a); k++) {
            long p = (long) (at_claim_random(run) % 5) - 2;
            fmpq_set_si(fmpq_mat_entry(a, i, k), p, 2);
            fmpq_set_si(fmpq_mat_entry(b, i, k), p, 2);
        }
}

/* URPE with its neutral tables (B = 0, C = 11^T) against no encoding, in the exact engine. */
static int support_engines(at_claim_run *run, at_error *err)
{
    enum { COUNT = 20, N = 3, D = 2 };
    size_t same = 0;
    for (int t = 0; t < COUNT; t++) {
        at_network_t gated, plain;
        at_expqf_mat_t Y, Z;
        fmpq_mat_t X, copy;
        int status = at_small_network(gated, AT_ENC_URPE, N, D, 1, 1, 0, err);
        if (status != AT_OK)
            return status;
        status = at_small_network(plain, AT_ENC_NONE, N, D, 1, 1, 0, err);
        if (status != AT_OK) {
            at_network_clear(gated);
            return status;
        }
        at_head *g = gated->layers[0].heads, *h = plain->layers[0].heads;
        fmpq_mat_init(X, N, D);
        fmpq_mat_init(copy, N, D);
        at_expqf_mat_init(Y, 0, 0);
        at_expqf_mat_init(Z, 0, 0);
        fill_both(g->query, h->query, run);
        fill_both(g->key, h->key, run);
        fill_both(g->value, h->value, run);
        fill_both(X, copy, run);
        bool equal = at_network_eval_exact(Y, gated, X, NULL) == AT_OK
                     && at_network_eval_exact(Z, plain, X, NULL) == AT_OK;
        for (slong i = 0; i < N && equal; i++)
            for (slong k = 0; k < D && equal; k++)
                equal = at_expqf_equal(at_expqf_mat_entry(Y, i, k), at_expqf_mat_entry(Z, i, k));
        same += equal;
        at_expqf_mat_clear(Y);
        at_expqf_mat_clear(Z);
        fmpq_mat_clear(X);
        fmpq_mat_clear(copy);
        at_network_clear(gated);
        at_network_clear(plain);
    }
    at_claim_support(run, "the exact engine, urpe with c = 1 against none", AT_METHOD_EXACT,
                     same == COUNT ? AT_TRUE : AT_FALSE, "%zu of %d random layers agree in every "
                     "entry, n = 3, d = 2", same, COUNT);
    return AT_OK;
}

int at_decide_urpe_attentive(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "all logits, values, biases and gates");
    at_cases cases = at_cases_over(run, "n");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_gates_of_one(cases.at[0], 1, 1));
    at_claim_prove_cases(run, "one row of URPE with factors b_j = exp(B_ij) and gates c_j",
                         AT_METHOD_SYMBOLIC, &cases, "sum_j c_j b_j e_j v_j / sum_j b_j e_j is "
                         "built with b and c indeterminate and equals sum_j e_j v_j / sum_j e_j at "
                         "b = c = 1");
    return support_engines(run, err);
}

int at_decide_urpe_position_aware(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all X and W_K");
    prove_zero_queries(run);
    at_cases cases = at_cases_over(run, "n");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_position_aware(cases.at[0], 1, 0, 0));
    at_claim_prove_cases(run, "row sums", AT_METHOD_EXACT, &cases, "c_k = 1 for k <= 0, else 0: "
                         "A_U 1 = (1, (n-1)/n, ..., 1/n), strictly falling, so on a constant "
                         "sequence the rows differ");
    at_claim_fact(run, "toeplitz-sums", "row sums of (1/4) C for n = 4");
    at_claim_fact_text(run, "n", "4");
    at_claim_fact_text(run, "c", "[1, 1, 1, 1, 0, 0, 0]");
    at_claim_fact_text(run, "scale", "1/4");
    at_claim_fact_text(run, "sums", "[1, 3/4, 1/2, 1/4]");
    return AT_OK;
}

int at_decide_urpe_row_sums(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all real c_k");
    at_cases forms = at_cases_over(run, "n"), inverse = forms, circulant = forms, even = forms;
    while (at_cases_next(&forms))
        at_cases_add(&forms, at_part_row_sum_forms(forms.at[0], 0));
    while (at_cases_next(&inverse))
        at_cases_add(&inverse, at_part_right_inverse(inverse.at[0], 1));
    while (at_cases_next(&circulant))
        at_cases_add(&circulant, at_part_circulant_sums(circulant.at[0], 0));
    while (at_cases_next(&even))
        at_cases_add(&even, at_part_even_sums(even.at[0], 0));
    at_claim_prove_cases(run, "linear forms", AT_METHOD_EXACT, &forms, "r_i = sum of c_k over i-n <= "
                         "k <= i-1, and r_{i+1} - r_i = c_i - c_{i-n}, by integer coefficients");
    at_claim_prove_cases(run, "rank n and right inverse", AT_METHOD_EXACT, &inverse, "c_0 = v_1, c_k "
                         "= v_{k+1} - v_k, c_{-k} = 0 has row sums v; the map has rank n");
    at_claim_prove_cases(run, "circulant C", AT_METHOD_EXACT, &circulant, "c_{k-n} = c_k makes all "
                         "r_i equal");
    at_claim_prove_cases(run, "even C", AT_METHOD_EXACT, &even, "c_{-k} = c_k makes r_i = r_{n+1-i}");
    prove_zero_queries(run);
    at_claim_fact(run, "toeplitz-sums", "v_i = i^2 for n = 4: c_k = 2k + 1 (k >= 0)");
    at_claim_fact_text(run, "n", "4");
    at_claim_fact_text(run, "c", "[0, 0, 0, 1, 3, 5, 7]");
    at_claim_fact_text(run, "scale", "1");
    at_claim_fact_text(run, "sums", "[1, 4, 9, 16]");
    return AT_OK;
}

int at_decide_urpe_toeplitz_maps(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all X, M Toeplitz, W_V, W_O");
    prove_zero_queries(run);
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_toeplitz_map(cases.at[0], cases.at[1], cases.at[0]));
    at_claim_prove_cases(run, "C = nM", AT_METHOD_SYMBOLIC, &cases, "(11^T/n * nM) X W_V W_O = M X "
                         "W_V W_O");
    return AT_OK;
}

/* A (0 M) = 0 for an indeterminate A: attention of the zero sequence. */
static enum at_truth zero_stays(slong n, slong d)
{
    at_ring_t ring;
    at_polymat_t A, M, X, XM, out;
    at_ring_init(ring, n * n + d * d);
    at_polymat_init(A, n, n, ring);
    at_polymat_init(M, d, d, ring);
    at_polymat_init(X, n, d, ring);
    at_polymat_init(XM, n, d, ring);
    at_polymat_init(out, n, d, ring);
    at_polymat_fresh(A, ring);
    at_polymat_fresh(M, ring);
    at_polymat_mul(XM, X, M, ring);
    at_polymat_mul(out, A, XM, ring);
    at_polymat_add(out, out, X, ring);
    bool holds = at_polymat_is_zero(out, ring);
    at_polymat_clear(A, ring);
    at_polymat_clear(M, ring);
    at_polymat_clear(X, ring);
    at_polymat_clear(XM, ring);
    at_polymat_clear(out, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

int at_decide_urpe_bias_free_zero(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "any weights, tables, gates; any depth");
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, zero_stays(cases.at[0], cases.at[1]));
    at_claim_prove_cases(run, "attention of zeros", AT_METHOD_SYMBOLIC, &cases, "0 + A (0 M) = 0 for "
                         "every matrix A");
    at_claim_cite(run, "ReLU(0) = 0", "so 0 + ReLU(0 W_1) W_2 = 0, and a linear readout maps 0 to "
                  "0; induction over layers");
    return AT_OK;
}

/* (1 - t)^2 integrated: 1 - a + a^2/3 = 1/4 + 1/3 (a - 3/2)^2, and with s^2 = 1/2 the test
 * function +1 on [0,s], -1 on [s,1] kills x and keeps 2s - 1 of the constant. */
static enum at_truth line_misses_one(slong p, slong q)
{
    at_ring_t ring;
    fmpq_mpoly_t a, one, t, left, right;
    fmpq_mpoly_struct *all[] = { a, one, t, left, right };
    at_ring_init(ring, 1);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_init(all[m], ring->ctx);
    at_poly_fresh(a, ring);
    fmpq_mpoly_one(one, ring->ctx);
    at_poly_addmul(left, 1, 1, one, one, ring);
    at_poly_addmul(left, -1, 1, a, one, ring);
    at_poly_addmul(left, 1, 3, a, a, ring);
    at_poly_set_rational(t, 3, 2, ring);
    fmpq_mpoly_sub(t, a, t, ring->ctx);
    at_poly_set_rational(right, p, q, ring);
    at_poly_addmul(right, 1, 3, t, t, ring);
    bool holds = fmpq_mpoly_equal(left, right, ring->ctx);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_clear(all[m], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* With s^2 = 1/2 and psi = 1 on [0,s], -1 on [s,1]: the integral of psi x, s^2/2 - (1 - s^2)/2, is
 * 0, and that of psi, 2s - 1, exceeds 2/5 because s^2 exceeds (7/10)^2. */
static enum at_truth dual_distance(void)
{
    fmpq_t s2, against_x, t;
    fmpq_init(s2);
    fmpq_init(against_x);
    fmpq_init(t);
    fmpq_set_si(s2, 1, 2);
    fmpq_set_si(t, 1, 1);
    fmpq_sub(t, t, s2);
    fmpq_sub(against_x, s2, t);
    fmpq_set_si(t, 49, 100);
    bool holds = fmpq_is_zero(against_x) && fmpq_cmp(s2, t) > 0;
    fmpq_clear(s2);
    fmpq_clear(against_x);
    fmpq_clear(t);
    return holds ? AT_TRUE : AT_UNKNOWN;
}

/* x + c_0 x M with one token, homogeneous of degree one in x. */
static enum at_truth one_token_is_linear(slong d)
{
    at_ring_t ring;
    at_polymat_t x, M, tx, out, scaled;
    fmpq_mpoly_t gate, t;
    at_ring_init(ring, d + d * d + 2);
    at_polymat_init(x, 1, d, ring);
    at_polymat_init(M, d, d, ring);
    at_polymat_init(tx, 1, d, ring);
    at_polymat_init(out, 1, d, ring);
    at_polymat_init(scaled, 1, d, ring);
    fmpq_mpoly_init(gate, ring->ctx);
    fmpq_mpoly_init(t, ring->ctx);
    at_polymat_fresh(x, ring);
    at_polymat_fresh(M, ring);
    at_poly_fresh(gate, ring);
    at_poly_fresh(t, ring);
    for (slong k = 0; k < d; k++)
        fmpq_mpoly_mul(at_polymat_entry(tx, 0, k), at_polymat_entry(x, 0, k), t, ring->ctx);
    at_polymat_mul(out, x, M, ring);
    at_polymat_mul(scaled, tx, M, ring);
    bool holds = true;
    for (slong k = 0; k < d; k++) {
        fmpq_mpoly_struct *o = at_polymat_entry(out, 0, k), *s = at_polymat_entry(scaled, 0, k);
        fmpq_mpoly_mul(o, o, gate, ring->ctx);
        fmpq_mpoly_add(o, o, at_polymat_entry(x, 0, k), ring->ctx);
        fmpq_mpoly_mul(o, o, t, ring->ctx);                 /* t g(x) */
        fmpq_mpoly_mul(s, s, gate, ring->ctx);
        fmpq_mpoly_add(s, s, at_polymat_entry(tx, 0, k), ring->ctx);   /* g(t x) */
        holds = holds && fmpq_mpoly_equal(o, s, ring->ctx);
    }
    at_polymat_clear(x, ring);
    at_polymat_clear(M, ring);
    at_polymat_clear(tx, ring);
    at_polymat_clear(out, ring);
    at_polymat_clear(scaled, ring);
    fmpq_mpoly_clear(gate, ring->ctx);
    fmpq_mpoly_clear(t, ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

static void homogeneous(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, one_token_is_linear(cases.at[0]));
    at_claim_prove_cases(run, "one token", AT_METHOD_SYMBOLIC, &cases, "the softmax of one logit "
                         "is 1, so attention is x -> x + c_0 x M, and t g(x) = g(t x)");
    at_claim_cite(run, "ReLU(t z) = t ReLU(z) for t >= 0", "so the FFN and by induction the "
                  "network is positively homogeneous for n = 1; on [0,1] with d = 1 it is x -> a "
                  "x");
}

int at_decide_urpe_bias_free_homogeneous(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 1, any depth; every p in [1, infinity)");
    homogeneous(run);
    at_claim_prove(run, "L^2 distance from f = 1 on [0,1]", AT_METHOD_SYMBOLIC, line_misses_one(1,
                   4),
                   "integral of (1 - a x)^2 = 1 - a + a^2/3 = 1/4 + 1/3 (a - 3/2)^2 >= 1/4");
    at_claim_prove(run, "L^p distance, p >= 1", AT_METHOD_EXACT, dual_distance(),
                   "with s = 1/sqrt(2) and psi = 1 on [0,s], -1 on [s,1]: the integral of psi x is "
                   "s^2 - 1/2 = 0, that of psi is sqrt(2) - 1 > 2/5, so |1 - a x|_1 > 2/5");
    at_claim_cite(run, "norms on a probability space", "|h|_p >= |h|_1 on [0,1] for p >= 1, and "
                  "|integral of psi h| <= |h|_1 for |psi| <= 1");
    at_claim_fact_relation(run, "least L^2 distance, at a = 3/2", "1 - 3/2 + (3/2)^2/3", "=",
                           "1/4");
    at_claim_fact_relation(run, "L^1 distance", "sqrt(2) - 1", ">", "2/5");
    return AT_OK;
}

int at_decide_urpe_universal_bias_free(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 1, d = 1, D = [0,1], p = 2");
    at_claim_witness(run, "f = 1 on [0,1], n = 1, d = 1: every bias-free network without a "
                     "constant coordinate is x -> a x there, at squared L^2 distance >= 1/4");
    at_claim_refute(run, "g(t x) = t g(x)", AT_METHOD_SYMBOLIC,
                    one_token_is_linear(1) == AT_TRUE ? line_misses_one(1, 4) : AT_UNKNOWN,
                    "1 - a + a^2/3 = 1/4 + 1/3 (a - 3/2)^2");
    at_claim_recheck(run, "a test function that no line sees", AT_METHOD_EXACT, dual_distance(),
                     "psi = 1 on [0,s], -1 on [s,1], s^2 = 1/2: |1 - a x|_2 >= |1 - a x|_1 >= the "
                     "integral of psi (1 - a x) = sqrt(2) - 1 > 2/5 for every a");
    at_claim_fact_relation(run, "L^1 distance", "sqrt(2) - 1", ">", "2/5");
    at_claim_fact_relation(run, "least squared distance, at a = 3/2", "1 - 3/2 + (3/2)^2/3", "=",
                           "1/4");
    return AT_OK;
}

static void prove_position_code(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "n");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_position_code(cases.at[0], cases.at[0], 0));
    at_claim_prove_cases(run, "the head adds i", AT_METHOD_EXACT, &cases, "c_k = 1 for k >= 0, else "
                         "0, value n * one: sum_{j<=i} (1/n) n = i; the other columns have no weight "
                         "in W_V");
}

int at_decide_urpe_position_code(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "all X with a constant coordinate 1");
    prove_zero_queries(run);
    prove_position_code(run);
    return at_support_position_code(run, err);
}

int at_decide_urpe_solves_pi(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "every sequence, any vocabulary");
    prove_zero_queries(run);
    prove_position_code(run);
    at_claim_prove(run, "readout", AT_METHOD_SYMBOLIC, at_part_quadratic_readout(1),
                   "logit_k = 2kp - k^2: logit_i - logit_k = (i - k)^2 at p = i");
    at_claim_cite(run, "integers", "(i - k)^2 >= 1 for integers i != k, with equality for k = i + "
                  "1 or i - 1: the margin is exactly 1");
    return at_support_pi(run, err);
}

static enum at_truth every_offset(slong n, slong d)
{
    slong decided = 0;
    for (slong k = 1 - n; k <= n - 1; k++)
        decided += at_part_gather(n, d, k, 0) == AT_TRUE;
    return n > 0 && decided == 2 * n - 1 ? AT_TRUE : AT_UNKNOWN;
}

int at_decide_urpe_universal(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "gathering and position code; FFN cited");
    prove_zero_queries(run);
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, every_offset(cases.at[0], cases.at[1]));
    at_claim_prove_cases(run, "2n-1 gathering heads", AT_METHOD_SYMBOLIC, &cases, "C_k = n [offset "
                         "k] puts x_{i-k} (0 outside 1..n) in row i, for all X and every k");
    prove_position_code(run);
    at_claim_cite(run, "Leshno, Lin, Pinkus and Schocken 1993", "one hidden layer of ReLU units "
                  "with biases (here: the constant coordinate) is dense in C(K) in the sup norm; "
                  "row i holds (X, i), and f_i(X) for i = 1..n is one continuous function on the "
                  "compact set D x {1..n}");
    at_claim_cite(run, "width", "d + 2 columns for x, one and i, and (2n-1) d gathered ones");
    return at_support_gather(run, err);
}
