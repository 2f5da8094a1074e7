/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Even token prediction by two URPE layers: i^2 from hinges, a softmax peaked at 2i, its margin. */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/urpe/urpe.h"
#include "attest/theory/claim/witness.h"

/* ---- Parts ------------------------------------------------------------------- */

enum at_truth at_part_square_from_hinges(slong n, slong weight)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    bool holds = true;
    for (slong i = 1; i <= n && holds; i++) {
        slong h = n / 2, s = i, g = FLINT_MAX(i - h, 0) - FLINT_MAX(i - h - 1, 0);
        for (slong t = 1; t < n; t++)
            s += weight * FLINT_MAX(i - t, 0);
        holds = s == i * i && g == (i > h);
    }
    return at_identity(holds);
}

/* 4 b i j - b j^2 = -b (2i - j)^2 + 4 b i^2: the last term is the same along a row. */
enum at_truth at_part_peaked_logits(slong slope)
{
    at_ring_t ring;
    fmpq_mpoly_t b, i, j, left, right, t;
    fmpq_mpoly_struct *all[] = { b, i, j, left, right, t };
    at_ring_init(ring, 3);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_init(all[m], ring->ctx);
    at_poly_fresh(b, ring);
    at_poly_fresh(i, ring);
    at_poly_fresh(j, ring);
    at_poly_addmul(left, slope, 1, i, j, ring);
    at_poly_addmul(left, -1, 1, j, j, ring);
    at_poly_addmul(t, 2, 1, i, b, ring);
    at_poly_addmul(t, -1, 1, j, b, ring);                   /* b (2i - j) */
    at_poly_addmul(right, -1, 1, t, t, ring);
    fmpq_mpoly_mul(t, b, b, ring->ctx);
    fmpq_mpoly_mul(left, left, t, ring->ctx);               /* both sides times b */
    fmpq_mpoly_mul(t, t, i, ring->ctx);
    at_poly_addmul(right, 4, 1, t, i, ring);
    bool holds = fmpq_mpoly_equal(left, right, ring->ctx);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_clear(all[m], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* m^2 - 1 - gap (m - 1) = (m - 1)(m + 1 - gap), of degree 2 in m and so checked at more points
 * than it needs; the second factor rises, so it is >= 0 for all integers m >= 2 iff it is at 2. */
enum at_truth at_part_square_tail(slong gap)
{
    bool holds = 2 + 1 - gap >= 0;
    for (slong m = 0; m <= 8 && holds; m++)
        holds = m * m - 1 - gap * (m - 1) == (m - 1) * (m + 1 - gap);
    return at_identity(holds);
}

/* S(E) = 2E/(1-E^3) rises, (1-s)/(1+s) falls: numerators of the differences. */
enum at_truth at_part_margin_monotone(slong sign)
{
    at_ring_t ring;
    fmpq_mpoly_t E, s, t, one, u, v, left, right;
    fmpq_mpoly_struct *all[] = { E, s, t, one, u, v, left, right };
    at_ring_init(ring, 3);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_init(all[m], ring->ctx);
    at_poly_fresh(E, ring);
    at_poly_fresh(s, ring);
    at_poly_fresh(t, ring);
    fmpq_mpoly_one(one, ring->ctx);
    /* (2E)' (1 - E^3) - 2E (1 - E^3)' */
    fmpq_mpoly_pow_ui(u, E, 3, ring->ctx);
    fmpq_mpoly_sub(u, one, u, ring->ctx);
    fmpq_mpoly_derivative(v, u, 0, ring->ctx);
    at_poly_addmul(left, 2, 1, u, one, ring);
    at_poly_addmul(left, -2 * sign, 1, E, v, ring);
    bool holds = at_poly_is_positive_on_orthant(left, ring);
    /* (1-s)(1+t) - (1-t)(1+s) = 2 (t - s) */
    fmpq_mpoly_sub(u, one, s, ring->ctx);
    fmpq_mpoly_add(v, one, t, ring->ctx);
    fmpq_mpoly_mul(left, u, v, ring->ctx);
    fmpq_mpoly_sub(u, one, t, ring->ctx);
    fmpq_mpoly_add(v, one, s, ring->ctx);
    at_poly_addmul(left, -1, 1, u, v, ring);
    at_poly_addmul(right, 2 * sign, 1, t, one, ring);
    at_poly_addmul(right, -2 * sign, 1, s, one, ring);
    holds = holds && fmpq_mpoly_equal(left, right, ring->ctx);
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
        fmpq_mpoly_clear(all[m], ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

enum at_truth at_part_margin_bound(slong p, slong q, slong mp, slong mq)
{
    fmpq_t E, S, t, margin, one;
    fmpq_init(E);
    fmpq_init(S);
    fmpq_init(t);
    fmpq_init(margin);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_set_si(E, p, (ulong) q);
    fmpq_pow_si(t, E, 3);
    fmpq_sub(t, one, t);
    fmpq_add(S, E, E);
    fmpq_div(S, S, t);
    fmpq_sub(margin, one, S);
    fmpq_add(t, one, S);
    fmpq_div(margin, margin, t);
    fmpq_set_si(t, mp, (ulong) mq);
    bool holds = fmpq_cmp(margin, t) >= 0 && fmpq_sgn(margin) > 0;
    fmpq_clear(E);
    fmpq_clear(S);
    fmpq_clear(t);
    fmpq_clear(margin);
    fmpq_clear(one);
    return at_identity(holds);
}

enum at_truth at_part_power_of_e(slong k, slong p, slong q)
{
    fmpq_t sum, term, bound;
    arb_t ball, edge;
    fmpq_init(sum);
    fmpq_init(term);
    fmpq_init(bound);
    arb_init(ball);
    arb_init(edge);
    fmpq_one(term);
    for (slong m = 1; m <= 13; m++) {               /* + k^{m-1}/(m-1)! */
        fmpq_add(sum, sum, term);
        fmpq_mul_si(term, term, k);
        fmpq_div_fmpz(term, term, (fmpz[]) { m });
    }
    fmpq_set_si(bound, p, (ulong) q);
    arb_set_si(ball, k);
    arb_exp(ball, ball, 64);
    arb_set_fmpq(edge, bound, 64);
    bool holds = k > 0 && fmpq_cmp(sum, bound) > 0 && arb_gt(ball, edge);
    fmpq_clear(sum);
    fmpq_clear(term);
    fmpq_clear(bound);
    arb_clear(ball);
    arb_clear(edge);
    return holds ? AT_TRUE : AT_UNKNOWN;
}

/* 2/sum_j e^{-beta (2i-j)^2} - 1, least over i <= n/2. */
static void exact_margin(at_expqf_t least, slong n, const fmpq_t beta)
{
    at_expqf_t sum, t;
    fmpq_t r;
    at_expqf_init(sum);
    at_expqf_init(t);
    fmpq_init(r);
    for (slong i = 1; i <= n / 2; i++) {
        at_expqf_zero(sum);
        for (slong j = 1; j <= n; j++) {
            fmpq_mul_si(r, beta, -(2 * i - j) * (2 * i - j));
            at_expqf_set_exp(t, r);
            at_expqf_add(sum, sum, t);
        }
        at_expqf_inv(sum, sum);
        at_expqf_add(sum, sum, sum);
        at_expqf_set_si(t, -1);
        at_expqf_add(sum, sum, t);
        if (i == 1 || at_expqf_cmp(sum, least) < 0)
            at_expqf_set(least, sum);
    }
    at_expqf_clear(sum);
    at_expqf_clear(t);
    fmpq_clear(r);
}

enum at_truth at_part_margin_value(slong n, slong beta, slong millionths)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_expqf_t margin;
    fmpq_t b, edge;
    at_expqf_init(margin);
    fmpq_init(b);
    fmpq_init(edge);
    fmpq_set_si(b, beta, 1);
    exact_margin(margin, n, b);
    fmpq_set_si(edge, 2 * millionths - 1, 2000000);
    bool holds = at_expqf_cmp_fmpq(margin, edge) >= 0;
    fmpq_set_si(edge, 2 * millionths + 1, 2000000);
    holds = holds && at_expqf_cmp_fmpq(margin, edge) <= 0;
    at_expqf_clear(margin);
    fmpq_clear(b);
    fmpq_clear(edge);
    return at_identity(holds);
}

/* ---- Claims ------------------------------------------------------------------ */

static void margin_values(at_claim_run *run)
{
    static const slong one[] = { 462117, 152234, 140202, 140122, 128341, 128263, 128263 };
    static const slong two[] = { 761594, 573972, 573557, 573557, 573141, 573141, 573141 };
    enum at_truth all = AT_TRUE;
    for (slong n = 2; n <= 8 && all == AT_TRUE; n++) {
        all = at_part_margin_value(n, 1, one[n - 2]);
        if (all == AT_TRUE)
            all = at_part_margin_value(n, 2, two[n - 2]);
    }
    at_claim_support(run, "sharp margins", AT_METHOD_EXACT, all, "M(n, 1), n = 2..8: .462117 "
                     ".152234 .140202 .140122 .128341 .128263 .128263; M(n, 2): .761594 .573972 "
                     ".573557 .573557 .573141 .573141 .573141; attained by token 1 at 2i, 0 "
                     "elsewhere");
    at_claim_fact_relation(run, "M(4, 1)", "2/(1 + 2*exp(-1) + exp(-4)) - 1", ">",
                           "140201/1000000");
    at_claim_fact_relation(run, "M(3, 1)", "2/(1 + 2*exp(-1)) - 1", "=",
                           "(1 - 2*exp(-1))/(1 + 2*exp(-1))");
}

int at_decide_urpe_solves_etp(at_claim_run *run, at_error *err)
{
    at_cases code = at_cases_over(run, "n"), square = code;
    at_claim_scope(run, "every sequence and vocabulary, every beta >= 1; the bound of the margin for "
                   "all n, that it is attained for n = 2..5");
    while (at_cases_next(&code))
        at_cases_add(&code, at_part_position_code(code.at[0], code.at[0], 0));
    while (at_cases_next(&square))
        at_cases_add(&square, at_part_square_from_hinges(square.at[0], 2));
    at_claim_prove_cases(run, "layer 1: p = i", AT_METHOD_EXACT, &code, "urpe.position-code");
    at_claim_prove_cases(run, "layer 1: s = i^2, g = [i > n/2]", AT_METHOD_EXACT, &square, "p + 2 "
                         "sum_t ReLU(p - t) = i^2 and ReLU(p - h) - ReLU(p - h - 1) = [i > h]");
    at_claim_prove(run, "layer 2: logits", AT_METHOD_SYMBOLIC, at_part_peaked_logits(4),
                   "(4 beta p)(p) + (-beta)(s) = -beta (2i - j)^2 + 4 beta i^2: row i weighs token "
                   "j by E^{(2i-j)^2}/sum, E = e^{-beta}");
    at_claim_prove(run, "tail", AT_METHOD_EXACT, at_part_square_tail(3), "m^2 >= 1 + 3(m-1), i.e. "
                   "(m-1)(m-2) >= 0: sum_{j != 2i} E^{(2i-j)^2} <= 2E/(1-E^3) = S");
    at_claim_prove(run, "margin falls with E", AT_METHOD_SYMBOLIC, at_part_margin_monotone(1),
                   "the right token gets w = 1/(1+s), all others together 1 - w: margin >= 2w - 1 "
                   "= (1-s)/(1+s), which falls in s, and S rises in E");
    at_claim_prove(run, "e > 8/3, e^2 > 7, e^3 > 20", AT_METHOD_EXACT,
                   at_part_power_of_e(1, 8, 3) == AT_TRUE && at_part_power_of_e(2, 7, 1) == AT_TRUE
                   ? at_part_power_of_e(3, 20, 1) : AT_UNKNOWN,
                   "1 + k + k^2/2 + ... + k^12/12! in Q, which exp(k) exceeds, does: so E < 3/8 for "
                   "beta >= 1, E < 1/7 for beta >= 2, E < 1/20 for beta >= 3");
    at_claim_cite(run, "exponential series", "exp(k) exceeds every partial sum for k > 0");
    at_claim_prove(run, "margins", AT_METHOD_EXACT,
                   at_part_margin_bound(3, 8, 101, 869) == AT_TRUE
                   && at_part_margin_bound(1, 7, 61, 110) == AT_TRUE
                   ? at_part_margin_bound(1, 20, 7199, 8799) : AT_UNKNOWN,
                   "beta >= 1: at least 101/869; beta >= 2: 61/110; beta >= 3: 7199/8799");
    at_claim_cite(run, "second half", "for i > n/2 the logit of EOS is 2 and every other at most "
                  "1");
    margin_values(run);
    return at_support_etp(run, err);
}

/* The second layer's attention on columns tok0 tok1 one p s cp0 cp1, tokens (1, 0, 1), n = 3:
 * row 1 should read token x_2 = 0, and its margin is cp0 - cp1. */
static int etp_network(at_network_t net, fmpq_mat_t X, at_error *err)
{
    int status = at_small_network(net, AT_ENC_URPE, 3, 7, 1, 1, 0, err);
    if (status != AT_OK)
        return status;
    at_head *head = net->layers[0].heads;
    fmpq_mat_zero(head->value);
    fmpq_mat_zero(head->output);
    fmpq_set_si(fmpq_mat_entry(head->query, 3, 0), 2, 1);       /* 4 beta p */
    fmpq_set_si(fmpq_mat_entry(head->query, 2, 1), -1, 2);      /* -beta */
    fmpq_one(fmpq_mat_entry(head->key, 3, 0));
    fmpq_one(fmpq_mat_entry(head->key, 4, 1));
    for (slong v = 0; v < 2; v++) {
        fmpq_one(fmpq_mat_entry(head->value, v, v));
        fmpq_one(fmpq_mat_entry(head->output, v, 5 + v));
    }
    fmpq_mat_init(X, 3, 7);
    if (!at_mat_read(X, "0 1 1 1 1 0 0; 1 0 1 2 4 0 0; 0 1 1 3 9 0 0"))
        return at_error_set(err, AT_USAGE, "rows of the witness");
    return AT_OK;
}

int at_decide_urpe_solves_etp_half(at_claim_run *run, at_error *err)
{
    at_network_t net;
    at_hand_t hand;
    at_expqf_mat_t Y;
    at_expqf_t margin, expected;
    arb_mat_t rows;
    fmpq_mat_t X;
    int status = etp_network(net, X, err);
    if (status != AT_OK)
        return status;
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_init(margin);
    at_expqf_init(expected);
    arb_mat_init(rows, 3, 7);
    at_hand_init(hand, 3, 7);
    fmpq_mat_set(hand->X, X);
    fmpq_mat_zero(hand->mixing);
    fmpq_one(fmpq_mat_entry(hand->mixing, 0, 5));
    fmpq_one(fmpq_mat_entry(hand->mixing, 1, 6));
    /* 2ij - j^2/2 */
    bool fine = at_mat_read(hand->logits, "3/2 2 3/2; 7/2 6 15/2; 11/2 10 27/2");
    bool same = fine && at_witness_rows(Y, net, X, hand, NULL) == AT_TRUE;
    bool negative = false;
    if (same) {
        at_expqf_sub(margin, at_expqf_mat_entry(Y, 0, 5), at_expqf_mat_entry(Y, 0, 6));
        negative = at_expqf_sgn(margin) < 0
                   && at_expqf_set_str(expected, "(1 - 2*e^(-1/2))/(1 + 2*e^(-1/2))", NULL) == AT_OK
                   && at_expqf_equal(margin, expected);
        at_witness_fact(run, "layer 2 on tokens (1,0,1), beta = 1/2", hand, Y);
    }
    at_hand_rows(rows, hand, 192);
    at_claim_scope(run, "n = 3, V = 2, beta = 1/2");
    at_claim_witness(run, "beta = 1/2, n = 3, tokens (1, 0, 1): at i = 1 the margin of x_2 = 0 is "
                          "(1 - 2e^(-1/2))/(1 + 2e^(-1/2)) = -.0963...");
    at_claim_refute(run, "margin of layer 2", AT_METHOD_EXACT, negative ? AT_TRUE : AT_UNKNOWN,
                    "the engine gives cp_0 - cp_1 = (1 - 2e^(-1/2))/(1 + 2e^(-1/2)) < 0");
    at_claim_recheck(run, "by hand", AT_METHOD_BALL,
                     arb_lt(arb_mat_entry(rows, 0, 5), arb_mat_entry(rows, 0, 6)) ? AT_TRUE
                                                                                  : AT_UNKNOWN,
                     "direct sums in balls of 192 bits: cp_0 < cp_1");
    at_claim_fact_relation(run, "margin", "(1 - 2*exp(-1/2))/(1 + 2*exp(-1/2))", "<", "-962/10000");
    at_network_clear(net);
    at_hand_clear(hand);
    at_expqf_mat_clear(Y);
    at_expqf_clear(margin);
    at_expqf_clear(expected);
    arb_mat_clear(rows);
    fmpq_mat_clear(X);
    return AT_OK;
}
