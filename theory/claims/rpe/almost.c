/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain RPE away from constant sequences: two layers count positions exactly. */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/symbolic/descent.h"

/* A small calculator: n polynomials, initialised and cleared together. */
static void init_all(fmpq_mpoly_struct **all, size_t count, const at_ring_t ring)
{
    for (size_t m = 0; m < count; m++)
        fmpq_mpoly_init(all[m], ring->ctx);
}

static void clear_all(fmpq_mpoly_struct **all, size_t count, const at_ring_t ring)
{
    for (size_t m = 0; m < count; m++)
        fmpq_mpoly_clear(all[m], ring->ctx);
}

#define COUNT(array) (sizeof (array) / sizeof (array)[0])

/* f = a + p/q. */
static void plus(fmpq_mpoly_t f, const fmpq_mpoly_t a, slong p, slong q, const at_ring_t ring)
{
    fmpq_t c;
    fmpq_init(c);
    fmpq_set_si(c, p, (ulong) q);
    fmpq_mpoly_add_fmpq(f, a, c, ring->ctx);
    fmpq_clear(c);
}

/* With n = m + 2 and E = e^beta: row 1 keeps w_1 = E/(E + n - 1) on itself, row i >= 2 has
 * w_i = E^2/(E^2 + E + n - 2) on the token before. */
enum at_truth at_part_previous_token(slong p, slong q)
{
    at_ring_t ring;
    fmpq_mpoly_t m, E, first, row, t, bound, one;
    fmpq_mpoly_struct *all[] = { m, E, first, row, t, bound, one };
    at_ring_init(ring, 2);
    init_all(all, COUNT(all), ring);
    at_poly_fresh(m, ring);
    at_poly_fresh(E, ring);
    fmpq_mpoly_one(one, ring->ctx);
    plus(t, m, 1, 1, ring);                                 /* n - 1 */
    at_poly_addmul(bound, p, q, t, one, ring);              /* factor (n - 1) */
    /* factor (n-1) (E + n - 1) - (n-1) E */
    fmpq_mpoly_add(row, E, t, ring->ctx);
    fmpq_mpoly_mul(first, bound, row, ring->ctx);
    at_poly_addmul(first, -1, 1, t, E, ring);
    bool holds = at_poly_is_nonnegative_on_orthant(first, ring);
    /* factor (n-1) (E^2 + E + n - 2) - (E + n - 2) E */
    fmpq_mpoly_add(row, E, m, ring->ctx);
    fmpq_mpoly_mul(first, row, E, ring->ctx);
    at_poly_addmul(row, 1, 1, E, E, ring);
    fmpq_mpoly_mul(t, bound, row, ring->ctx);
    fmpq_mpoly_sub(first, t, first, ring->ctx);
    holds = holds && at_poly_is_nonnegative_on_orthant(first, ring);
    clear_all(all, COUNT(all), ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* delta times the bump, on the piece where the first `active` hinges are on. */
enum at_truth at_part_bump(slong slope)
{
    static const slong centre[4] = { -2, -1, 1, 2 };        /* times delta/3 */
    static const slong sign[4] = { 1, -1, -1, 1 };
    at_ring_t ring;
    fmpq_mpoly_t u, delta, sum, one;
    fmpq_mpoly_struct *all[] = { u, delta, sum, one };
    at_ring_init(ring, 2);
    init_all(all, COUNT(all), ring);
    at_poly_fresh(u, ring);
    at_poly_fresh(delta, ring);
    fmpq_mpoly_one(one, ring->ctx);
    bool holds = true;
    for (int active = 1; active <= 4; active++) {
        int k = active - 1;
        at_poly_addmul(sum, slope * sign[k], 1, u, one, ring);
        at_poly_addmul(sum, -slope * sign[k] * centre[k], 3, delta, one, ring);
        if (active == 2)                                    /* |u| <= delta/3 */
            holds = holds && fmpq_mpoly_equal(sum, delta, ring->ctx);
        if (active == 4)                                    /* u >= 2 delta/3; below: empty sum */
            holds = holds && fmpq_mpoly_is_zero(sum, ring->ctx);
    }
    clear_all(all, COUNT(all), ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* t = 1 + tau, n = t + 1 + r, G = c (n - 1) + g, all of tau, r, g >= 0; q_t = G/(t G + n - t). */
enum at_truth at_part_position_levels(slong c)
{
    at_ring_t ring;
    fmpq_mpoly_t tau, r, g, t, n, G, high, low, one, s;
    fmpq_mpoly_struct *all[] = { tau, r, g, t, n, G, high, low, one, s };
    at_ring_init(ring, 3);
    init_all(all, COUNT(all), ring);
    at_poly_fresh(tau, ring);
    at_poly_fresh(r, ring);
    at_poly_fresh(g, ring);
    fmpq_mpoly_one(one, ring->ctx);
    plus(t, tau, 1, 1, ring);
    fmpq_mpoly_add(n, t, r, ring->ctx);
    at_poly_addmul(G, c, 1, n, one, ring);
    fmpq_mpoly_add(G, G, g, ring->ctx);
    plus(n, n, 1, 1, ring);
    /* (4t+1) G - 4 (t G + n - t) */
    at_poly_addmul(high, 4, 1, t, G, ring);
    fmpq_mpoly_add(high, high, G, ring->ctx);
    at_poly_addmul(high, -4, 1, t, G, ring);
    at_poly_addmul(high, -4, 1, n, one, ring);
    at_poly_addmul(high, 4, 1, t, one, ring);
    /* ((t+1) G + n - t - 1) - (t+1) G */
    plus(s, t, 1, 1, ring);
    at_poly_addmul(low, 1, 1, s, G, ring);
    fmpq_mpoly_add(low, low, n, ring->ctx);
    fmpq_mpoly_sub(low, low, s, ring->ctx);
    at_poly_addmul(low, -1, 1, s, G, ring);
    bool holds = at_poly_is_nonnegative_on_orthant(high, ring)
                 && at_poly_is_nonnegative_on_orthant(low, ring);
    clear_all(all, COUNT(all), ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* (4t+1)(t+shift)/3 * (4/(4t+1) - 1/(t+1)) = 1, over the common denominator. */
enum at_truth at_part_position_step(slong shift)
{
    at_ring_t ring;
    fmpq_mpoly_t t, weight, rise, four, next, one;
    fmpq_mpoly_struct *all[] = { t, weight, rise, four, next, one };
    at_polyfrac_t left, right;
    at_ring_init(ring, 1);
    init_all(all, COUNT(all), ring);
    at_polyfrac_init(left, ring);
    at_polyfrac_init(right, ring);
    at_poly_fresh(t, ring);
    fmpq_mpoly_one(one, ring->ctx);
    at_poly_addmul(four, 4, 1, t, one, ring);
    plus(four, four, 1, 1, ring);                           /* 4t + 1 */
    plus(next, t, 1, 1, ring);                              /* t + 1 */
    plus(weight, t, shift, 1, ring);
    fmpq_mpoly_mul(weight, weight, four, ring->ctx);
    at_poly_addmul(rise, 4, 3, next, one, ring);            /* (4 (t+1) - (4t+1))/3 */
    at_poly_addmul(rise, -1, 3, four, one, ring);
    fmpq_mpoly_mul(weight, weight, rise, ring->ctx);
    fmpq_mpoly_mul(next, next, four, ring->ctx);
    at_polyfrac_set_quotient(left, weight, next, ring);
    at_polyfrac_set_poly(right, one, ring);
    bool holds = at_polyfrac_equal(left, right, ring);
    at_polyfrac_clear(left, ring);
    at_polyfrac_clear(right, ring);
    clear_all(all, COUNT(all), ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* ---- Claims ------------------------------------------------------------------ */

static void counting_steps(at_claim_run *run)
{
    at_claim_prove(run, "layer 1 reads the token before", AT_METHOD_SYMBOLIC,
                   at_part_previous_token(1, 1), "n and E = e^beta indeterminate: 1 - w_1 = "
                   "(n-1)/(E+n-1) and 1 - w_i = (E+n-2)/(E^2+E+n-2) are <= (n-1)/E: the "
                   "differences have no negative coefficient in n-2 and E");
    at_claim_cite(run, "e >= 2", "so E = e^beta >= 2^beta >= 6R(n-1)/delta and e^gamma >= 2^gamma "
                  ">= 4(n-1)");
    at_claim_cite(run, "triangle inequality", "|x_i - (Ax)_i| differs from |x_i - x_{i-1}| (from 0 "
                  "for i = 1) by at most 2R(1 - w_i) <= tau = 2R(n-1)/E <= delta/3, so |u_1| <= "
                  "delta/3 and |u_i| >= 2 delta/3 for i >= 2");
    at_claim_prove(run, "the bump marks row 1", AT_METHOD_SYMBOLIC, at_part_bump(3), "four hinges "
                   "of slope 3/delta: exactly 1 for |u| <= delta/3, exactly 0 for |u| >= 2 "
                   "delta/3");
    at_claim_prove(run, "levels of q", AT_METHOD_SYMBOLIC, at_part_position_levels(4),
                   "q_t = G/(tG + n - t), G = e^gamma >= 4(n-1): q_t >= 4/(4t+1) and q_{t+1} <= "
                   "1/(t+1) for 1 <= t < n, n and t indeterminate");
    at_claim_prove(run, "each hinge pair falls by 1", AT_METHOD_SYMBOLIC, at_part_position_step(1),
                   "(4t+1)(t+1)/3 (4/(4t+1) - 1/(t+1)) = 1: p_i = n - (n - i) = i, and every term "
                   "lies in [0,1] for all X, so 1 <= p_i <= n");
}

int at_decide_almost_everywhere(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "every n >= 2, R, delta > 0, 2^beta delta >= 6R(n-1), 2^gamma >= 4(n-1)");
    counting_steps(run);
    at_claim_cite(run, "union bound", "for X uniform on [-R,R]^n each |x_i - x_{i-1}| < delta has "
                  "probability <= delta/R, so E|p_i - i|^p <= (n-1) delta/R * (n-1)^p");
    return at_support_almost_everywhere(run, err);
}

int at_decide_lp_universal(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every n >= 2, p < infinity, laws with a bounded density on a bounded domain; "
                   "width d + 5 + (2n-1)d: x, one, y, m, q, p and the gathered tokens");
    counting_steps(run);
    at_claim_prove(run, "gathering heads", AT_METHOD_SYMBOLIC,
                   at_lemma_nonnegative("m E", "(m+1)*(E+m+1) - (m+1)*E"),
                   "n = m + 2: (n-1)/E - (n-1)/(E+n-1) >= 0; b_k = beta at one offset, 0 elsewhere: the weight on token i-k, where it "
                   "exists, is E/(E+n-1), short of 1 by at most (n-1)/E, as small as wanted");
    at_claim_cite(run, "p tells where a gathered token exists", "p_i = i off a set of Lebesgue "
                  "share at most (n-1) delta/R, whose probability the bounded density keeps below "
                  "a constant times it (without the bound it does not: x = u^3 with u uniform), so "
                  "row i holds i and X up to an error tending to 0");
    at_claim_cite(run, "Leshno, Lin, Pinkus and Schocken 1993; Tietze",
                  "continuous functions, extended from the compact set of rows and clipped, are "
                  "uniform limits of one hidden ReLU layer with biases; they are dense in L^p");
    at_claim_cite(run, "bounded on the rest", "the clipped output is bounded, so the exceptional "
                  "set adds at most a constant times (n-1) delta/R to the p-th power of the error");
    return AT_OK;
}

/* (2/N)/(scored a - 1)^2 with N sequences, a = ap/aq. */
static void chebyshev(fmpq_t bound, slong N, slong scored, slong ap, slong aq)
{
    fmpq_t t;
    fmpq_init(t);
    fmpq_set_si(t, scored * ap - aq, (ulong) aq);
    fmpq_mul(t, t, t);
    fmpq_set_si(bound, 2, (ulong) N);
    fmpq_div(bound, bound, t);
    fmpq_clear(t);
}

/* Chernoff: factorial moments <= 1 give E exp(th K) <= exp(e^th - 1), so over N sequences
 * P(mean >= t) <= exp(-N (t log t - t + 1)); true when that is below the bound. */
static bool chernoff_below(const fmpq_t bound, slong N, slong tp, slong tq)
{
    arb_t t, rate, u;
    fmpq_t c;
    arb_init(t);
    arb_init(rate);
    arb_init(u);
    fmpq_init(c);
    fmpq_set_si(c, tp, (ulong) tq);
    arb_set_fmpq(t, c, 128);
    arb_log(rate, t, 128);
    arb_mul(rate, rate, t, 128);
    arb_sub(rate, rate, t, 128);
    arb_add_ui(rate, rate, 1, 128);
    arb_mul_si(rate, rate, -N, 128);
    arb_exp(rate, rate, 128);
    arb_set_fmpq(u, bound, 128);
    bool below = arb_lt(rate, u);
    arb_clear(t);
    arb_clear(rate);
    arb_clear(u);
    fmpq_clear(c);
    return below;
}

int at_decide_poster_nope(at_claim_run *run, at_error *err)
{
    fmpq_t bound, given;
    (void) err;
    fmpq_init(bound);
    fmpq_init(given);
    fmpq_set_si(given, 625, 54559458);
    at_claim_scope(run, "n = 128, 127 positions scored, N = 6,400 fresh sequences, read accuracy "
                   ".055 +- .006, hence >= .049; hits of permuted sequences checked for n <= 5");
    at_claim_witness(run, "accuracy >= 49/1000 over 6,400 sequences has probability <= "
                          "625/54559458 < 1.2e-5 without positions");
    enum at_truth moments = AT_TRUE;
    for (slong n = 1; n <= 5 && moments == AT_TRUE; n++)
        moments = at_part_random_hits(n, 1, 1, 2, 1);
    at_claim_support(run, "hits of one sequence", AT_METHOD_EXACT, moments, "mean <= 1 and second "
                     "moment <= 2 over all permutations, every prediction, n = 1..5");
    at_claim_cite(run, "random permutations", "for fixed predictions P(k given tokens stand where "
                  "they are predicted) <= (n-k)!/n!, so all factorial moments of the hits are <= "
                  "1");
    chebyshev(bound, 6400, 127, 49, 1000);
    bool equal = fmpq_equal(bound, given);
    at_claim_refute(run, "Chebyshev", AT_METHOD_STATISTICAL, equal ? AT_TRUE : AT_UNKNOWN,
                    "(2/N)/(127 a - 1)^2 = 625/54559458 at a = .049: refuted at 1 - 1.2e-5");
    at_claim_recheck(run, "Chernoff", AT_METHOD_STATISTICAL,
                     chernoff_below(given, 6400, 127 * 49, 1000) ? AT_TRUE : AT_UNKNOWN,
                     "exp(-N (t log t - t + 1)) at t = 127 * .049 is smaller still");
    at_claim_fact_relation(run, "Chebyshev's bound", "(2/6400)/(127*49/1000 - 1)^2", "=",
                           "625/54559458");
    at_claim_fact_relation(run, "as a level", "625/54559458", "<", "12/1000000");
    fmpq_clear(bound);
    fmpq_clear(given);
    return AT_OK;
}
