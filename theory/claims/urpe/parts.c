/* SPDX-License-Identifier: GPL-3.0-or-later */
/* URPE, the parts: Toeplitz row sums as linear forms, heads as exact maps. */
#include "attest/theory/claims/parts.h"

/* Row i (from 0) holds the coefficients of r_{i+1} = sum_j c_{i-j} in c_{1-n}, ..., c_{n-1}. */
static void row_sum_forms(fmpz_mat_t R, slong n)
{
    fmpz_mat_zero(R);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            fmpz *c = fmpz_mat_entry(R, i, i - j + n - 1);
            fmpz_add_ui(c, c, 1);
        }
}

enum at_truth at_part_row_sum_forms(slong n, slong shift)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    fmpz_mat_t R;
    fmpz_t difference;
    fmpz_mat_init(R, n, 2 * n - 1);
    fmpz_init(difference);
    row_sum_forms(R, n);
    bool holds = true;
    for (slong i = 1; i <= n; i++)
        for (slong k = 1 - n; k <= n - 1; k++) {
            slong expected = i - n + shift <= k && k <= i - 1 + shift;
            holds = holds && fmpz_equal_si(fmpz_mat_entry(R, i - 1, k + n - 1), expected);
            if (i == n)
                continue;
            fmpz_sub(difference, fmpz_mat_entry(R, i, k + n - 1),
                     fmpz_mat_entry(R, i - 1, k + n - 1));
            expected = (k == i + shift) - (k == i - n + shift);
            holds = holds && fmpz_equal_si(difference, expected);
        }
    fmpz_mat_clear(R);
    fmpz_clear(difference);
    return at_identity(holds);
}

enum at_truth at_part_right_inverse(slong n, slong sign)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    fmpz_mat_t R, P, I;
    fmpz_mat_init(R, n, 2 * n - 1);
    fmpz_mat_init(P, 2 * n - 1, n);
    fmpz_mat_init(I, n, n);
    row_sum_forms(R, n);
    for (slong k = 0; k < n; k++) {
        fmpz_set_si(fmpz_mat_entry(P, k + n - 1, k), k == 0 ? 1 : sign);
        if (k >= 1)
            fmpz_set_si(fmpz_mat_entry(P, k + n - 1, k - 1), -1);
    }
    fmpz_mat_mul(I, R, P);
    bool holds = fmpz_mat_is_one(I) && fmpz_mat_rank(R) == n;
    fmpz_mat_clear(R);
    fmpz_mat_clear(P);
    fmpz_mat_clear(I);
    return at_identity(holds);
}

enum at_truth at_part_position_aware(slong n, slong inside, slong outside, slong last)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    bool holds = true;
    slong previous = 0;
    for (slong i = 1; i <= n && holds; i++) {
        slong sum = 0;              /* n times the row sum */
        for (slong j = 1; j <= n; j++)
            sum += i - j <= last ? inside : outside;
        /* strictly falling, hence pairwise different */
        holds = sum == n - i + 1 && (i == 1 || sum < previous);
        previous = sum;
    }
    return at_identity(holds);
}

/* R S for the substitution matrix S that maps fewer parameters to the c_k. */
static void substituted_forms(fmpz_mat_t out, slong n, const slong *parameter_of, slong parameters)
{
    fmpz_mat_t R, S;
    fmpz_mat_init(R, n, 2 * n - 1);
    fmpz_mat_init(S, 2 * n - 1, parameters);
    row_sum_forms(R, n);
    for (slong k = 0; k < 2 * n - 1; k++)
        fmpz_one(fmpz_mat_entry(S, k, parameter_of[k]));
    fmpz_mat_mul(out, R, S);
    fmpz_mat_clear(R);
    fmpz_mat_clear(S);
}

static bool rows_agree(const fmpz_mat_t M, slong a, slong b)
{
    bool equal = true;
    for (slong j = 0; j < fmpz_mat_ncols(M) && equal; j++)
        equal = fmpz_equal(fmpz_mat_entry(M, a, j), fmpz_mat_entry(M, b, j));
    return equal;
}

enum at_truth at_part_circulant_sums(slong n, slong shift)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    slong *parameter = flint_malloc((size_t) (2 * n) * sizeof *parameter);
    fmpz_mat_t forms;
    fmpz_mat_init(forms, n, n);
    for (slong k = 1 - n; k <= n - 1; k++)      /* c_k and c_{k-n} are one */
        parameter[k + n - 1] = k >= 0 ? k : (k + n + shift) % n;
    substituted_forms(forms, n, parameter, n);
    bool holds = true;
    for (slong i = 1; i < n && holds; i++)
        holds = rows_agree(forms, i, 0);
    fmpz_mat_clear(forms);
    flint_free(parameter);
    return at_identity(holds);
}

enum at_truth at_part_even_sums(slong n, slong shift)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    slong *parameter = flint_malloc((size_t) (2 * n) * sizeof *parameter);
    fmpz_mat_t forms;
    fmpz_mat_init(forms, n, n);
    for (slong k = 1 - n; k <= n - 1; k++)      /* c_k and c_{-k} are one */
        parameter[k + n - 1] = k >= 0 ? k : (-k + shift) % n;
    substituted_forms(forms, n, parameter, n);
    bool holds = true;
    for (slong i = 0; i < n && holds; i++)
        holds = rows_agree(forms, i, n - 1 - i);
    fmpz_mat_clear(forms);
    flint_free(parameter);
    return at_identity(holds);
}

enum at_truth at_part_toeplitz_map(slong n, slong d, slong scale)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t X, M, A, V, O, XV, values, left, right, t;
    at_ring_init(ring, n * d + 2 * n - 1 + 2 * d * d);
    at_polymat_init(X, n, d, ring);
    at_polymat_init(M, n, n, ring);
    at_polymat_init(A, n, n, ring);
    at_polymat_init(V, d, d, ring);
    at_polymat_init(O, d, d, ring);
    at_polymat_init(XV, n, d, ring);
    at_polymat_init(values, n, d, ring);
    at_polymat_init(left, n, d, ring);
    at_polymat_init(right, n, d, ring);
    at_polymat_init(t, n, d, ring);
    at_polymat_fresh(X, ring);
    at_polymat_fresh_toeplitz(M, ring);
    at_polymat_fresh(V, ring);
    at_polymat_fresh(O, ring);
    /* W_Q = 0 and B = 0: the softmax is 1/n everywhere; times C = scale M */
    at_polymat_scale(A, M, scale, n, ring);
    at_polymat_mul(XV, X, V, ring);
    at_polymat_mul(t, A, XV, ring);
    at_polymat_mul(left, t, O, ring);
    at_polymat_mul(t, M, X, ring);
    at_polymat_mul(values, t, V, ring);
    at_polymat_mul(right, values, O, ring);
    bool holds = at_polymat_equal(left, right, ring);
    at_polymat_clear(X, ring);
    at_polymat_clear(M, ring);
    at_polymat_clear(A, ring);
    at_polymat_clear(V, ring);
    at_polymat_clear(O, ring);
    at_polymat_clear(XV, ring);
    at_polymat_clear(values, ring);
    at_polymat_clear(left, ring);
    at_polymat_clear(right, ring);
    at_polymat_clear(t, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* Head with weights gate(k)/n on columns: out_i = sum_j gate(i-j)/n * scale * X_j[column]. */
static void head_output(at_polymat_t out, const at_polymat_t X, slong from, slong width,
                        slong scale, slong low, slong high, const at_ring_t ring)
{
    slong n = X->rows;
    fmpq_mpoly_t one;
    fmpq_mpoly_init(one, ring->ctx);
    fmpq_mpoly_one(one, ring->ctx);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            for (slong k = 0; k < width && low <= i - j && i - j <= high; k++)
                at_poly_addmul(at_polymat_entry(out, i, k), scale, n,
                               at_polymat_entry(X, j, from + k), one, ring);
    fmpq_mpoly_clear(one, ring->ctx);
}

enum at_truth at_part_position_code(slong n, slong scale, slong first)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t X, out;
    fmpq_mpoly_t expected;
    at_ring_init(ring, n);
    at_polymat_init(X, n, 2, ring);                 /* data, constant coordinate */
    at_polymat_init(out, n, 1, ring);
    fmpq_mpoly_init(expected, ring->ctx);
    for (slong i = 0; i < n; i++) {
        at_poly_fresh(at_polymat_entry(X, i, 0), ring);
        fmpq_mpoly_one(at_polymat_entry(X, i, 1), ring->ctx);
    }
    head_output(out, X, 1, 1, scale, first, n, ring);
    bool holds = true;
    for (slong i = 0; i < n && holds; i++) {
        at_poly_set_rational(expected, i + 1, 1, ring);
        holds = fmpq_mpoly_equal(at_polymat_entry(out, i, 0), expected, ring->ctx);
    }
    fmpq_mpoly_clear(expected, ring->ctx);
    at_polymat_clear(X, ring);
    at_polymat_clear(out, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

enum at_truth at_part_quadratic_readout(slong curvature)
{
    at_ring_t ring;
    fmpq_mpoly_t i, k, left, right, t;
    fmpq_mpoly_struct *all[] = { i, k, left, right, t };
    at_ring_init(ring, 2);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_init(all[m], ring->ctx);
    at_poly_fresh(i, ring);
    at_poly_fresh(k, ring);
    at_poly_addmul(left, 2, 1, i, i, ring);             /* logit_i at p = i */
    at_poly_addmul(left, -curvature, 1, i, i, ring);
    at_poly_addmul(left, -2, 1, k, i, ring);            /* minus logit_k */
    at_poly_addmul(left, curvature, 1, k, k, ring);
    fmpq_mpoly_sub(t, i, k, ring->ctx);
    at_poly_addmul(right, 1, 1, t, t, ring);
    bool holds = fmpq_mpoly_equal(left, right, ring->ctx);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_clear(all[m], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

enum at_truth at_part_gather(slong n, slong d, slong k, slong miss)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t X, out;
    at_ring_init(ring, n * d);
    at_polymat_init(X, n, d, ring);
    at_polymat_init(out, n, d, ring);
    at_polymat_fresh(X, ring);
    head_output(out, X, 0, d, n, k + miss, k + miss, ring);
    bool holds = true;
    for (slong i = 0; i < n; i++)
        for (slong c = 0; c < d && holds; c++)
            holds = i - k < 0 || i - k >= n
                    ? fmpq_mpoly_is_zero(at_polymat_entry(out, i, c), ring->ctx)
                    : fmpq_mpoly_equal(at_polymat_entry(out, i, c), at_polymat_entry(X, i - k, c),
                                       ring->ctx);
    at_polymat_clear(X, ring);
    at_polymat_clear(out, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* The row sum_j g_j v_j / sum_j f_j of weights f and gated weights g, as a fraction. */
static void weighted_row(at_polyfrac_t row, const at_polymat_t gated, const at_polymat_t weights,
                         const at_polymat_t v, const at_ring_t ring)
{
    fmpq_mpoly_t num, den;
    fmpq_mpoly_init(num, ring->ctx);
    fmpq_mpoly_init(den, ring->ctx);
    for (slong j = 0; j < v->cols; j++) {
        at_poly_addmul(num, 1, 1, at_polymat_entry(gated, 0, j), at_polymat_entry(v, 0, j), ring);
        fmpq_mpoly_add(den, den, at_polymat_entry(weights, 0, j), ring->ctx);
    }
    at_polyfrac_set_quotient(row, num, den, ring);
    fmpq_mpoly_clear(num, ring->ctx);
    fmpq_mpoly_clear(den, ring->ctx);
}

enum at_truth at_part_gates_of_one(slong n, slong bias, slong gate)
{
    if (n < 1 || bias < 1)
        return AT_UNKNOWN;
    at_ring_t ring;
    at_polymat_t e, b, c, v, weights, gated;
    at_polymat_struct *all[] = { e, b, c, v, weights, gated };
    at_polyfrac_t urpe, plain;
    at_ring_init(ring, 4 * n);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        at_polymat_init(all[m], 1, n, ring);
    at_polyfrac_init(urpe, ring);
    at_polyfrac_init(plain, ring);
    for (size_t m = 0; m < 4; m++)
        at_polymat_fresh(all[m], ring);
    for (slong j = 0; j < n; j++) {
        fmpq_mpoly_mul(at_polymat_entry(weights, 0, j), at_polymat_entry(e, 0, j),
                       at_polymat_entry(b, 0, j), ring->ctx);
        fmpq_mpoly_mul(at_polymat_entry(gated, 0, j), at_polymat_entry(weights, 0, j),
                       at_polymat_entry(c, 0, j), ring->ctx);
    }
    weighted_row(urpe, gated, weights, v, ring);
    weighted_row(plain, e, e, v, ring);
    bool differs = !at_polyfrac_equal(urpe, plain, ring), evaluated = true;
    fmpq_t at;
    fmpq_init(at);
    for (slong j = 0; j < 2 * n; j++) {         /* b, then c */
        fmpq_set_si(at, j < n ? bias : gate, 1);
        evaluated = fmpq_mpoly_evaluate_one_fmpq(urpe->num, urpe->num, n + j, at, ring->ctx)
                    && fmpq_mpoly_evaluate_one_fmpq(urpe->den, urpe->den, n + j, at, ring->ctx)
                    && evaluated;
    }
    bool same = evaluated && differs && at_polyfrac_equal(urpe, plain, ring);
    fmpq_clear(at);
    at_polyfrac_clear(urpe, ring);
    at_polyfrac_clear(plain, ring);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        at_polymat_clear(all[m], ring);
    at_ring_clear(ring);
    return at_identity(same);
}

enum at_truth at_part_logit_needs_query(slong d)
{
    if (d < 1)
        return AT_UNKNOWN;
    at_ring_t ring;
    at_polymat_t x, y, Q, K, q, k;
    fmpq_mpoly_t s;
    at_ring_init(ring, 2 * d + 2 * d * d);
    slong first = at_ring_take(ring, d * d);            /* the entries of W_Q */
    at_polymat_init(x, 1, d, ring);
    at_polymat_init(y, 1, d, ring);
    at_polymat_init(Q, d, d, ring);
    at_polymat_init(K, d, d, ring);
    at_polymat_init(q, 1, d, ring);
    at_polymat_init(k, 1, d, ring);
    fmpq_mpoly_init(s, ring->ctx);
    at_polymat_fresh(x, ring);
    at_polymat_fresh(y, ring);
    at_polymat_fresh(K, ring);
    for (slong a = 0; a < d; a++)
        for (slong c = 0; c < d; c++)
            at_poly_var(at_polymat_entry(Q, a, c), first + a * d + c, ring);
    at_polymat_mul(q, x, Q, ring);
    at_polymat_mul(k, y, K, ring);
    at_polymat_inner(s, q, k, ring);
    slong terms = fmpq_mpoly_length(s, ring->ctx), with_one = 0;
    for (slong t = 0; t < terms; t++) {
        ulong degree = 0;
        for (slong m = 0; m < d * d; m++)
            degree += fmpq_mpoly_get_term_var_exp_ui(s, t, first + m, ring->ctx);
        with_one += degree == 1;
    }
    fmpq_mpoly_clear(s, ring->ctx);
    at_polymat_clear(x, ring);
    at_polymat_clear(y, ring);
    at_polymat_clear(Q, ring);
    at_polymat_clear(K, ring);
    at_polymat_clear(q, ring);
    at_polymat_clear(k, ring);
    at_ring_clear(ring);
    return at_identity(terms == d * d * d && with_one == terms);
}
