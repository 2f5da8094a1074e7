/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no collapsing map can do: one row against many targets. */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/symbolic/descent.h"

/* f += p/q (a + s b)^2, s = 1 or -1. */
static void add_square(fmpq_mpoly_t f, slong p, slong q, const fmpq_mpoly_t a, slong s,
                       const fmpq_mpoly_t b, const at_ring_t ring)
{
    fmpq_mpoly_t t;
    fmpq_mpoly_init(t, ring->ctx);
    if (s > 0)
        fmpq_mpoly_add(t, a, b, ring->ctx);
    else
        fmpq_mpoly_sub(t, a, b, ring->ctx);
    at_poly_addmul(f, p, q, t, t, ring);
    fmpq_mpoly_clear(t, ring->ctx);
}

enum at_truth at_part_two_rows_gap(slong d, slong p)
{
    if (d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    fmpq_mpoly_t c, N, y, left, right, rest;
    at_ring_init(ring, d + 2);
    fmpq_mpoly_init(c, ring->ctx);
    fmpq_mpoly_init(N, ring->ctx);
    fmpq_mpoly_init(y, ring->ctx);
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    fmpq_mpoly_init(rest, ring->ctx);
    at_poly_fresh(c, ring);
    at_poly_fresh(N, ring);
    at_poly_set_rational(rest, 2, 1, ring);
    fmpq_mpoly_sub(rest, N, rest, ring->ctx);            /* N - 2 zero rows */
    at_poly_addmul(right, p, 1, c, c, ring);
    for (slong k = 0; k < d; k++) {
        fmpq_mpoly_t square;
        fmpq_mpoly_init(square, ring->ctx);
        at_poly_fresh(y, ring);
        at_poly_addmul(square, 1, 1, y, y, ring);
        if (k == 0) {
            add_square(left, 1, 1, c, -1, y, ring);      /* row  c e_1 */
            add_square(left, 1, 1, c, 1, y, ring);       /* row -c e_1 */
        } else {
            at_poly_addmul(left, 2, 1, y, y, ring);
        }
        at_poly_addmul(left, 1, 1, rest, square, ring);
        at_poly_addmul(right, 1, 1, N, square, ring);
        fmpq_mpoly_clear(square, ring->ctx);
    }
    bool holds = fmpq_mpoly_equal(left, right, ring->ctx);
    fmpq_mpoly_clear(c, ring->ctx);
    fmpq_mpoly_clear(N, ring->ctx);
    fmpq_mpoly_clear(y, ring->ctx);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
    fmpq_mpoly_clear(rest, ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* With r = p/q: u^2 + v^2 - r (u - v)^2 = (1 - 2r)(u^2 + v^2) + r (u + v)^2. */
enum at_truth at_part_max_norm(slong p, slong q)
{
    at_ring_t ring;
    fmpq_mpoly_t u, v, left, right;
    at_ring_init(ring, 2);
    fmpq_mpoly_init(u, ring->ctx);
    fmpq_mpoly_init(v, ring->ctx);
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    at_poly_fresh(u, ring);
    at_poly_fresh(v, ring);
    at_poly_addmul(left, 1, 1, u, u, ring);
    at_poly_addmul(left, 1, 1, v, v, ring);
    add_square(left, -p, q, u, -1, v, ring);
    at_poly_addmul(right, q - 2 * p, q, u, u, ring);
    at_poly_addmul(right, q - 2 * p, q, v, v, ring);
    add_square(right, p, q, u, 1, v, ring);
    bool holds = fmpq_mpoly_equal(left, right, ring->ctx) && p >= 0 && q - 2 * p >= 0;
    fmpq_mpoly_clear(u, ring->ctx);
    fmpq_mpoly_clear(v, ring->ctx);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* y = (lp/lq) high + (1 - lp/lq) low; high - y and y - low are both p/q (high - low). */
enum at_truth at_part_midrange(slong lp, slong lq, slong p, slong q)
{
    at_ring_t ring;
    fmpq_mpoly_t one, high, low, y, above, below, share;
    fmpq_mpoly_struct *all[] = { one, high, low, y, above, below, share };
    at_ring_init(ring, 2);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fmpq_mpoly_init(all[k], ring->ctx);
    fmpq_mpoly_one(one, ring->ctx);
    at_poly_fresh(high, ring);
    at_poly_fresh(low, ring);
    at_poly_addmul(y, lp, lq, high, one, ring);
    at_poly_addmul(y, lq - lp, lq, low, one, ring);
    fmpq_mpoly_sub(above, high, y, ring->ctx);
    fmpq_mpoly_sub(below, y, low, ring->ctx);
    at_poly_addmul(share, p, q, high, one, ring);
    at_poly_addmul(share, -p, q, low, one, ring);
    bool holds = fmpq_mpoly_equal(above, share, ring->ctx)
                 && fmpq_mpoly_equal(below, share, ring->ctx);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fmpq_mpoly_clear(all[k], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

enum at_truth at_part_mean_is_best(slong n, slong d, slong divisor)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    fmpq_mpoly_t one, f, y, mean, left, right;
    fmpq_mpoly_struct *all[] = { one, f, y, mean, left, right };
    at_ring_init(ring, (n + 1) * d);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fmpq_mpoly_init(all[k], ring->ctx);
    fmpq_mpoly_one(one, ring->ctx);
    for (slong k = 0; k < d; k++) {
        slong first = at_ring_take(ring, n);
        at_poly_fresh(y, ring);
        fmpq_mpoly_zero(mean, ring->ctx);
        for (slong i = 0; i < n; i++) {
            at_poly_var(f, first + i, ring);
            at_poly_addmul(mean, 1, divisor, f, one, ring);
        }
        for (slong i = 0; i < n; i++) {
            at_poly_var(f, first + i, ring);
            add_square(left, 1, 1, f, -1, y, ring);
            add_square(right, 1, 1, f, -1, mean, ring);
        }
        add_square(right, n, 1, mean, -1, y, ring);
    }
    bool holds = fmpq_mpoly_equal(left, right, ring->ctx);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fmpq_mpoly_clear(all[k], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

enum at_truth at_part_accuracy_ceiling(slong n, slong V, slong p, slong q)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    slong labels[16], frequency[16], words = 1;
    if (n > 16 || V > 16)
        return AT_UNKNOWN;
    for (slong i = 0; i < n; i++)
        words *= V;
    for (slong word = 0; word < words; word++) {
        slong rest = word, largest = 0;
        memset(frequency, 0, sizeof frequency);
        for (slong i = 0; i < n; i++, rest /= V)
            labels[i] = rest % V;
        for (slong i = 0; i < n; i++)
            if (++frequency[labels[i]] > largest)
                largest = frequency[labels[i]];
        for (slong guess = 0; guess < V; guess++) {
            slong hits = 0;
            for (slong i = 0; i < n; i++)
                hits += labels[i] == guess;
            if (hits * q > p * largest)
                return AT_FALSE;
        }
    }
    return AT_TRUE;
}

enum at_truth at_part_entropy_is_least(slong m)
{
    at_ring_t ring;
    at_polyfrac_t sum, term, target;
    fmpq_mpoly_t p, q, p_last, rest, difference;
    fmpq_mpoly_struct *all[] = { p, q, p_last, rest, difference };
    at_ring_init(ring, 2 * m);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fmpq_mpoly_init(all[k], ring->ctx);
    at_polyfrac_init(sum, ring);
    at_polyfrac_init(term, ring);
    at_polyfrac_init(target, ring);
    fmpq_mpoly_one(p_last, ring->ctx);
    fmpq_mpoly_one(rest, ring->ctx);
    for (slong k = 0; k < m; k++) {
        if (k < m - 1) {
            at_poly_fresh(p, ring);
            fmpq_mpoly_sub(p_last, p_last, p, ring->ctx);
        } else {
            fmpq_mpoly_set(p, p_last, ring->ctx);
        }
        at_poly_fresh(q, ring);
        fmpq_mpoly_sub(rest, rest, q, ring->ctx);
        fmpq_mpoly_sub(difference, p, q, ring->ctx);      /* 1 - q/p = (p - q)/p */
        at_polyfrac_set_quotient(term, difference, p, ring);
        at_polyfrac_mul_poly(term, term, p, ring);
        at_polyfrac_add(sum, sum, term, ring);
    }
    at_polyfrac_set_poly(target, rest, ring);
    bool holds = at_polyfrac_equal(sum, target, ring);
    at_polyfrac_clear(sum, ring);
    at_polyfrac_clear(term, ring);
    at_polyfrac_clear(target, ring);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fmpq_mpoly_clear(all[k], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* ---- Claims ------------------------------------------------------------------ */

static void cite_collapse(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_layer_collapse(cases.at[0], cases.at[1], 2,
                                                    AT_WEIGHTS_STOCHASTIC, false));
    at_claim_prove_cases(run, "collapse", AT_METHOD_SYMBOLIC, &cases, "g(1x^T) has equal rows "
                   "(rpe.layer-collapse; two heads)");
    at_claim_cite(run, "distributive law", "sum_j a_ij v = (sum_j a_ij) v = v for every number of "
                  "tokens; row-wise maps keep equal rows equal");
}

int at_decide_no_uniform_approximation(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every n >= 2 (an indeterminate in the gap), every M > 0");
    at_claim_witness(run, "f constant in X with rows c e_1, -c e_1, 0, ..., 0 and c = M: the gap "
                     "is at least c sqrt(2) > M on any constant sequence of D");
    cite_collapse(run);
    at_cases cases = at_cases_over(run, "d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_part_two_rows_gap(cases.at[0], 2));
    at_claim_prove_cases(run, "the nearest equal rows", AT_METHOD_SYMBOLIC, &cases, "sum_i |f_i - "
                         "y|^2 = 2 c^2 + n |y|^2, least at y = 0, so the gap is sqrt(2) c > M for c = M");
    at_claim_cite(run, "continuity", "a function that does not depend on X is continuous");
    at_claim_fact_relation(run, "2 c^2 > M^2 at c = M = 1", "2*1^2", ">", "1^2");
    return AT_OK;
}

/* log 3 - (2/3) log 2 and its like: the entropy of h labels x and n - h labels EOS. */
static enum at_truth etp_entropy(slong n, slong millionths)
{
    arb_t H, t, given;
    fmpq_t f;
    arb_init(H);
    arb_init(t);
    arb_init(given);
    fmpq_init(f);
    slong share[2] = { n / 2, n - n / 2 };
    for (int k = 0; k < 2; k++) {
        fmpq_set_si(f, share[k], (ulong) n);
        arb_set_fmpq(t, f, 128);
        arb_log(given, t, 128);
        arb_submul(H, t, given, 128);
    }
    fmpq_set_si(f, 2 * millionths - 1, 2000000);
    arb_set_fmpq(given, f, 128);
    bool holds = arb_gt(H, given);
    fmpq_set_si(f, 2 * millionths + 1, 2000000);
    arb_set_fmpq(given, f, 128);
    holds = holds && arb_lt(H, given);
    arb_clear(H);
    arb_clear(t);
    arb_clear(given);
    fmpq_clear(f);
    return holds ? AT_TRUE : AT_UNKNOWN;
}

static void floor_losses(at_claim_run *run)
{
    at_cases mean = at_cases_over(run, "k"), entropy = mean, accuracy = mean;
    while (at_cases_next(&mean))
        at_cases_add(&mean, at_part_mean_is_best(mean.at[0], 2, mean.at[0]));
    at_claim_prove_cases(run, "Frobenius norm, mean squared error", AT_METHOD_SYMBOLIC, &mean,
                         "k rows, d = 2: sum_i |f_i - y|^2 = sum_i |f_i - mean|^2 + k |mean - y|^2");
    while (at_cases_next(&entropy))
        at_cases_add(&entropy, at_part_entropy_is_least(entropy.at[0]));
    at_claim_prove_cases(run, "cross entropy", AT_METHOD_SYMBOLIC, &entropy, "k labels: sum_j p_j "
                         "(1 - q_j/p_j) is the probability given to other labels, hence >= 0");
    at_claim_cite(run, "log t <= t - 1", "so sum_k p_k log(p_k/q_k) >= sum_k p_k (1 - q_k/p_k)");
    while (at_cases_next(&accuracy))
        at_cases_add(&accuracy, at_part_accuracy_ceiling(accuracy.at[0], 4, 1, 1));
    at_claim_prove_cases(run, "accuracy", AT_METHOD_EXACT, &accuracy, "every row of k labels over 4 "
                         "classes, every constant prediction: hits <= the largest frequency");
    at_claim_support(run, "entropy of ETP, n = 3 and 5", AT_METHOD_BALL,
                     etp_entropy(3, 636514) == AT_TRUE ? etp_entropy(5, 673012) : AT_UNKNOWN,
                     "H(1/3) = .636514, H(2/5) = .673012");
    at_claim_fact_relation(run, "entropy of ETP, n = 3", "log(3) - 2/3*log(2)", "<",
                           "636515/1000000");
    at_claim_fact_relation(run, "entropy of ETP, n = 5", "log(5) - 2/5*log(2) - 3/5*log(3)", ">",
                           "673011/1000000");
    at_claim_cite(run, "laws", "losses are >= 0, so E_mu loss >= sum_x mu(1x^T) floor(1x^T); for "
                  "i.i.d. uniform tokens the V constants have weight V/V^n");
}

int at_decide_floor(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "any collapsing map, any targets; max norm for two rows and hence all; k "
                   "rows or labels, 4 classes");
    cite_collapse(run);
    at_claim_prove(run, "half the spread is a bound", AT_METHOD_SYMBOLIC, at_part_max_norm(1, 2),
                   "(f_i - y)^2 + (f_j - y)^2 - 1/2 (f_i - f_j)^2 = 1/2 (f_i + f_j - 2y)^2, so the "
                   "larger error is >= 1/2 |f_i - f_j|");
    at_claim_prove(run, "attained by the midrange", AT_METHOD_SYMBOLIC,
                   at_part_midrange(1, 2, 1, 2), "max - mid = mid - min = (max - min)/2; values "
                   "between are nearer");
    floor_losses(run);
    return at_support_floors(run, err);
}

/* sum_i lambda_i |p_i - y|^2 = radius + |y - c|^2, as a polynomial identity in y. */
static bool weighted_distances(const fmpq_mat_t points, const fmpq *lambda, const fmpq *centre,
                               const fmpq_t radius)
{
    at_ring_t ring;
    fmpq_mpoly_t y, t, left, right;
    at_ring_init(ring, 2);
    fmpq_mpoly_init(y, ring->ctx);
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_mpoly_init(left, ring->ctx);
    fmpq_mpoly_init(right, ring->ctx);
    fmpq_mpoly_set_fmpq(right, radius, ring->ctx);
    for (slong k = 0; k < 2; k++) {
        at_poly_fresh(y, ring);
        for (slong i = 0; i < fmpq_mat_nrows(points); i++) {
            fmpq_mpoly_sub_fmpq(t, y, fmpq_mat_entry(points, i, k), ring->ctx);
            fmpq_mpoly_mul(t, t, t, ring->ctx);
            fmpq_mpoly_scalar_mul_fmpq(t, t, lambda + i, ring->ctx);
            fmpq_mpoly_add(left, left, t, ring->ctx);
        }
        fmpq_mpoly_sub_fmpq(t, y, centre + k, ring->ctx);
        at_poly_addmul(right, 1, 1, t, t, ring);
    }
    bool equal = fmpq_mpoly_equal(left, right, ring->ctx);
    fmpq_mpoly_clear(y, ring->ctx);
    fmpq_mpoly_clear(t, ring->ctx);
    fmpq_mpoly_clear(left, ring->ctx);
    fmpq_mpoly_clear(right, ring->ctx);
    at_ring_clear(ring);
    return equal;
}

int at_decide_floor_euclidean(at_claim_run *run, at_error *err)
{
    (void) err;
    static const slong at[3][2] = { { 0, 0 }, { 4, 0 }, { 2, 3 } };
    static const slong weights[3] = { 13, 13, 10 };     /* /36 */
    fmpq_mat_t points;
    fmpq *lambda = _fmpq_vec_init(3), *centre = _fmpq_vec_init(2);
    fmpq_t radius, four;
    fmpq_mat_init(points, 3, 2);
    fmpq_init(radius);
    fmpq_init(four);
    for (slong i = 0; i < 3; i++) {
        fmpq_set_si(lambda + i, weights[i], 36);
        for (slong k = 0; k < 2; k++)
            fmpq_set_si(fmpq_mat_entry(points, i, k), at[i][k], 1);
    }
    fmpq_set_si(centre, 2, 1);
    fmpq_set_si(centre + 1, 5, 6);
    fmpq_set_si(radius, 169, 36);
    at_claim_witness(run, "rows (0,0), (4,0), (2,3): diameter 4, smallest enclosing radius 13/6");
    bool over = weighted_distances(points, lambda, centre, radius);
    fmpq_set_si(four, 4, 1);
    over = over && fmpq_cmp(radius, four) > 0;
    at_claim_refute(run, "no row is within 2 of all three", AT_METHOD_SYMBOLIC, at_identity(over),
                    "(13/36, 13/36, 10/36) . |p_i - y|^2 = 169/36 + |y - (2, 5/6)|^2 for all y, "
                    "and 169/36 > 4");
    /* the other way, by the identity written out: two of the rows leave one point only */
    at_claim_recheck(run, "only (2,0) is within 2 of the first two", AT_METHOD_SYMBOLIC,
                     3 * 3 > 2 * 2
                     ? at_lemma_identity("y z", "1/2*((y-0)^2 + (z-0)^2) + 1/2*((y-4)^2 + (z-0)^2)",
                                         "4 + (y-2)^2 + z^2") : AT_UNKNOWN,
                     "1/2 |p_1 - y|^2 + 1/2 |p_2 - "
                     "y|^2 = 4 + |y - (2,0)|^2, and (2,3) is 3 away from (2,0)");
    at_claim_fact_relation(run, "squared distance to the centre", "2^2 + (5/6)^2", "=", "169/36");
    at_claim_fact_relation(run, "radius against half the diameter", "13/6", ">", "2");
    at_claim_scope(run, "n = 3, d = 2");
    fmpq_mat_clear(points);
    _fmpq_vec_clear(lambda, 3);
    _fmpq_vec_clear(centre, 2);
    fmpq_clear(radius);
    fmpq_clear(four);
    return AT_OK;
}
