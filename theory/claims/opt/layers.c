/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims opt.*: value matrices, heads, and whole layers. */
#include "attest/theory/claims/opt/opt.h"

#include "attest/theory/symbolic/descent.h"

/* opt.majorize with V = YW_h for each head: the sum over heads of its bounds. */
static void bound_by_majorizer(at_claim_run *run)
{
    at_opt_prove_majorizer(run);
    at_claim_cite(run, "positive semidefinite kernels",
                  "exp(-z_ij) and 1/(2+z_ij) are positive semidefinite: W_h >= 0, as for every "
                  "completely monotone rho' (Bernstein; sqrt(1+z) and z/(1+z) too)");
}

static void prove_layer(at_claim_run *run, bool ffn)
{
    at_cases cases = at_cases_over(run, "n d H");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_layer(cases.at[0], cases.at[1], cases.at[2], ffn, 1, 1));
    at_claim_prove_cases(run, ffn ? "h(Y+D) - h(Y) = <G,D> + Q(D)/2, attention and FFN together"
                   : "h(Y+D) - h(Y) = <G,D> + Q(D)/2", AT_METHOD_SYMBOLIC, &cases,
                   "G = sum_h L_h Y W_h W_h^T%s; Q(D) = sum_i (sum_h d_i^h |delta_i W_h|^2%s) - "
                   "sum_h tr((DW_h)^T W (DW_h))", ffn ? " + Y(I+S) - B" : "",
                         ffn ? " + |delta_i|^2 + delta_i S delta_i^T" : "");
}

/* ⟨g,δ⟩ = −θg², and with curvature c, θc = 2 − s, the change is −θg² + ½cθ²g² = −½θs g² ≤ 0.  The
 * sign of θ is that of a range of the statement: theta itself, or a of theta_i = a/d_i. */
static void prove_step(at_claim_run *run, const char *sign, const char *fall)
{
    at_claim_prove(run, "<G,delta> = -|delta|^2/theta for delta = -theta G", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("t g", "t*g*(-t*g)", "-(t*g)^2"),
                   "times theta, one component");
    at_claim_prove(run, "theta c = 2 - s: -theta g^2 + c (theta g)^2/2 = -theta s g^2/2",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("t s g", "-t*g^2 + 1/2*(2-s)*t*g^2", "-1/2*t*s*g^2"),
                   "c_i = sum_h d_i^h |W_h|^2 [+ 1 + lambda_max(S)]");
    at_claim_prove_nonnegative(run, "the fall is >= 0", sign, fall, "theta c <= 2, so s >= 0");
    at_claim_cite(run, "operator norm", "|delta W_h| <= |W_h| |delta|, "
                  "delta S delta^T <= lambda_max(S) |delta|^2");
}

int at_decide_opt_value_matrix(at_claim_run *run, at_error *err)
{
    (void) err;
    bound_by_majorizer(run);
    prove_layer(run, false);
    at_claim_prove(run, "the step is theta_i = a/d_i", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("d y P", "d*y - P", "-(P - d*y)"),
                   "(LY)_i = d_i(y_i - (AY)_i), so -a(y_i - (AY)_i)W_aW_a^T = -(a/d_i) G_i; "
                   "theta_i d_i |W_a|^2 = a |W_a|^2 <= 2");
    prove_step(run, "a w s+ g", "1/2*a*w*s*g^2");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_VALUE_MATRIX, .past = 1 });
    return AT_OK;
}

int at_decide_opt_multi_head(at_claim_run *run, at_error *err)
{
    (void) err;
    bound_by_majorizer(run);
    prove_layer(run, false);
    prove_step(run, "theta s+ g", "1/2*theta*s*g^2");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_MULTI_HEAD, .past = 1 });
    return AT_OK;
}

int at_decide_opt_parallel_layer(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "linear and ReLU");
    bound_by_majorizer(run);
    prove_layer(run, true);
    prove_step(run, "theta s+ g", "1/2*theta*s*g^2");
    at_claim_prove(run, "ReLU, a coordinate that is cut: delta(theta g + delta) = -ys",
                   AT_METHOD_SYMBOLIC, at_lemma_identity("y s", "(-y)*((y + s) + (-y))", "-y*s"),
                   "y >= 0, theta g = y + s, delta = -y: so theta <G,delta> <= -|delta|^2 with "
                   "ReLU too");
    at_claim_prove_nonnegative(run, "ReLU, the fall of a cut coordinate is >= 0",
                               "theta y+ s+ t+", "theta*(y*s + 1/2*t*y^2)", "theta c = 2 - t; times "
                               "theta^2");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_PARALLEL, .past = 1 });
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_PARALLEL, .past = 1, .relu = true });
    return AT_OK;
}

int at_decide_opt_parallel_layer_relu_signed(at_claim_run *run, at_error *err)
{
    fmpq_t before, after;
    (void) err;
    fmpq_init(before);
    fmpq_init(after);
    enum at_truth rises = at_opt_quadratic_rises("1", "-1", "-1", "1", true, before, after);
    at_claim_scope(run, "n = d = 1");
    at_claim_witness(run, "W_a = S = 0, B = y = -1, theta = 1: y -> 0, E 0 -> 1/2");
    at_claim_refute(run, "the energy rises, in Q", AT_METHOD_EXACT, rises,
                    "at the minimum y = B the gradient is 0, yet ReLU moves y to 0");
    at_claim_recheck(run, "again, from the definition", AT_METHOD_EXACT,
                     at_lemma_identity("e", "1/2*(0+1)^2 - 1/2*(-1+1)^2", "1/2"),
                     "E_2 = (y+1)^2/2: 0 -> 1/2");
    at_claim_fact_relation(run, "W_a = S = 0, B = y = -1", "1/2*(-1+1)^2", "<", "1/2*(0+1)^2");
    fmpq_clear(before);
    fmpq_clear(after);
    return AT_OK;
}

/* ---- Layers that do not descend -------------------------------------------- */

/* exp E_1 of Y W_a for ρ = log(2 + z), and E_2 for S = [[0,½],[½,0]], B = 0. */
static void sequential_energies(fmpq_t E1, fmpq_t E2, const fmpq_mat_t Y)
{
    fmpq_mat_t W, V;
    fmpq_t t;
    if (!at_example_matrix(W, "20, 0; 0, 0"))
        return;
    fmpq_mat_init(V, 2, 2);
    fmpq_init(t);
    fmpq_mat_mul(V, Y, W);
    at_opt_rational_energy(E1, V, 0);
    fmpq_zero(E2);
    for (slong i = 0; i < 2; i++) {           /* ½·y_1 y_2 + ½(y_1² + y_2²) */
        fmpq_mul(t, fmpq_mat_entry(Y, i, 0), fmpq_mat_entry(Y, i, 1));
        fmpq_add(E2, E2, t);
        for (slong c = 0; c < 2; c++)
            fmpq_addmul(E2, fmpq_mat_entry(Y, i, c), fmpq_mat_entry(Y, i, c));
    }
    fmpq_div_2exp(E2, E2, 1);
    fmpq_mat_clear(W);
    fmpq_mat_clear(V);
    fmpq_clear(t);
}

/* next = A Y with w = 1/(2 + z) of YW_a, n = 2; then −next S. */
static void sequential_halves(fmpq_mat_t next, fmpq_mat_t last, const fmpq_mat_t Y)
{
    fmpq_mat_t S;
    fmpq_t z, w, a, b;
    if (!at_example_matrix(S, "0, 1/2; 1/2, 0"))
        return;
    fmpq_init(z);
    fmpq_init(w);
    fmpq_init(a);
    fmpq_init(b);
    fmpq_sub(z, fmpq_mat_entry(Y, 0, 0), fmpq_mat_entry(Y, 1, 0));
    fmpq_mul(z, z, z);
    fmpq_set_si(w, 200, 1);                   /* ½·20² */
    fmpq_mul(z, z, w);
    fmpq_add_si(w, z, 2);                     /* self ½ against 1/(2+z): a = (2+z)/(4+z) */
    fmpq_add_si(a, z, 4);
    fmpq_div(a, w, a);
    fmpq_one(b);
    fmpq_sub(b, b, a);
    for (slong i = 0; i < 2; i++)
        for (slong c = 0; c < 2; c++) {
            fmpq_mul(z, a, fmpq_mat_entry(Y, i, c));
            fmpq_addmul(z, b, fmpq_mat_entry(Y, 1 - i, c));
            fmpq_set(fmpq_mat_entry(next, i, c), z);
        }
    fmpq_mat_mul(last, next, S);
    fmpq_mat_neg(last, last);
    fmpq_mat_clear(S);
    fmpq_clear(z);
    fmpq_clear(w);
    fmpq_clear(a);
    fmpq_clear(b);
}

static bool equals(const fmpq_t x, slong p, ulong q)
{
    fmpq_t y;
    fmpq_init(y);
    fmpq_set_si(y, p, q);
    bool equal = fmpq_equal(x, y) != 0;
    fmpq_clear(y);
    return equal;
}

/* log E1'/E1 > E2 − E2', in balls. */
static enum at_truth sum_rises(const fmpq_t ratio, const fmpq_t fall)
{
    enum { BITS = 128 };
    arb_t left, right;
    arb_init(left);
    arb_init(right);
    arb_set_fmpq(left, ratio, BITS);
    arb_log(left, left, BITS);
    arb_set_fmpq(right, fall, BITS);
    enum at_truth rises = arb_is_finite(left) && arb_gt(left, right) ? AT_TRUE : AT_UNKNOWN;
    arb_clear(left);
    arb_clear(right);
    return rises;
}

enum at_truth at_opt_sequential_rises(const char *rows)
{
    fmpq_mat_t Y, half, last;
    fmpq_t E1[2], E2[2], ratio, fall;
    if (!at_example_matrix(Y, rows))
        return AT_UNKNOWN;
    if (fmpq_mat_nrows(Y) != 2 || fmpq_mat_ncols(Y) != 2) {
        fmpq_mat_clear(Y);
        return AT_UNKNOWN;
    }
    fmpq_mat_init(half, 2, 2);
    fmpq_mat_init(last, 2, 2);
    fmpq_init(ratio);
    fmpq_init(fall);
    for (size_t k = 0; k < 2; k++) {
        fmpq_init(E1[k]);
        fmpq_init(E2[k]);
        if (k == 1)
            sequential_halves(half, last, Y);
        sequential_energies(E1[k], E2[k], k == 0 ? Y : last);
    }
    fmpq_div(ratio, E1[1], E1[0]);
    fmpq_sub(fall, E2[0], E2[1]);
    enum at_truth rises = sum_rises(ratio, fall);
    for (size_t k = 0; k < 2; k++) {
        fmpq_clear(E1[k]);
        fmpq_clear(E2[k]);
    }
    fmpq_mat_clear(Y);
    fmpq_mat_clear(half);
    fmpq_mat_clear(last);
    fmpq_clear(ratio);
    fmpq_clear(fall);
    return rises;
}

int at_decide_opt_sequential_layer(at_claim_run *run, at_error *err)
{
    fmpq_mat_t Y, half, last;
    fmpq_t E1[3], E2[3], ratio, fall;
    (void) err;
    if (!at_example_matrix(Y, "1/20, 3/5; -1/20, -3/5"))
        return AT_OK;
    fmpq_mat_init(half, 2, 2);
    fmpq_mat_init(last, 2, 2);
    fmpq_init(ratio);
    fmpq_init(fall);
    for (size_t k = 0; k < 3; k++) {
        fmpq_init(E1[k]);
        fmpq_init(E2[k]);
    }
    sequential_halves(half, last, Y);
    sequential_energies(E1[0], E2[0], Y);
    sequential_energies(E1[1], E2[1], half);
    sequential_energies(E1[2], E2[2], last);
    bool stated = equals(E1[0], 4, 1) && equals(E1[1], 20, 9) && equals(E1[2], 10, 1)
                  && equals(E2[0], 157, 400) && equals(E2[1], 157, 3600)
                  && equals(E2[2], 157, 14400);
    fmpq_div(ratio, E1[2], E1[0]);
    fmpq_sub(fall, E2[0], E2[2]);
    at_claim_scope(run, "n = d = 2, exact");
    at_claim_witness(run, "rho = log(2+z), W_a = diag(20, 0), S = [0, 1/2; 1/2, 0], B = 0, "
                     "Y = [1/20, 3/5; -1/20, -3/5]");
    at_claim_support(run, "each half-step descends its own energy", AT_METHOD_EXACT,
                     fmpq_cmp(E1[1], E1[0]) < 0 && fmpq_cmp(E2[2], E2[1]) < 0 ? AT_TRUE : AT_FALSE,
                     "exp E_1 4 -> 20/9 by attention, E_2 157/3600 -> 157/14400 by the FFN");
    at_claim_refute(run, "the sum rises", AT_METHOD_EXACT,
                    stated ? sum_rises(ratio, fall) : AT_UNKNOWN,
                    "exp E_1 4 -> 20/9 -> 10, E_2 157/400 -> 157/3600 -> 157/14400: log(10/4) = "
                    "0.916 > 157/400 - 157/14400 = 0.382");
    /* again without logarithms: 1/(1 − x) ≥ e^x for 0 ≤ x < 1, so 10/4 > 1/(1 − fall) will do */
    fmpq_t bound;
    fmpq_init(bound);
    fmpq_one(bound);
    fmpq_sub(bound, bound, fall);
    fmpq_mul(bound, bound, ratio);
    at_claim_recheck(run, "again in Q, by exp(x) <= 1/(1-x)", AT_METHOD_EXACT,
                     fmpq_sgn(fall) >= 0 && fmpq_cmp_si(bound, 1) > 0 ? AT_TRUE : AT_UNKNOWN,
                     "(10/4)(1 - (157/400 - 157/14400)) > 1");
    at_claim_fact_relation(run, "E_1 + E_2 before and after one layer", "log(4)+157/400", "<",
                           "log(10)+157/14400");
    at_claim_fact_relation(run, "exp E_1 after the attention half", "2+(20*(1/60+1/60))^2/2", "=",
                           "20/9");
    at_claim_fact_relation(run, "exp E_1 after the FFN half", "2+(20*(1/10+1/10))^2/2", "=", "10");
    for (size_t k = 0; k < 3; k++) {
        fmpq_clear(E1[k]);
        fmpq_clear(E2[k]);
    }
    fmpq_mat_clear(Y);
    fmpq_mat_clear(half);
    fmpq_mat_clear(last);
    fmpq_clear(ratio);
    fmpq_clear(fall);
    fmpq_clear(bound);
    return AT_OK;
}

/* E(y) = ½y² + 19/40 y² + ½(y − 1)² = 39/40 y² + ½(y − 1)². */
static void authors_energy(fmpq_t E, const fmpq_t y)
{
    fmpq_t t;
    fmpq_init(t);
    fmpq_set_si(t, 39, 40);
    fmpq_mul(E, y, y);
    fmpq_mul(E, E, t);
    fmpq_add_si(t, y, -1);
    fmpq_mul(t, t, t);
    fmpq_div_2exp(t, t, 1);
    fmpq_add(E, E, t);
    fmpq_clear(t);
}

int at_decide_opt_authors_layer(at_claim_run *run, at_error *err)
{
    /* one token: E_ρ = 0 and AY = Y; E = ½y² + ½S y² + ½(y − 1)², y' = −Sy + 1 */
    static const char *const energy = "1/2*y^2 + 1/2*19/20*y^2 + 1/2*(y-1)^2";
    (void) err;
    fmpq_t y, next, before, after, slope;
    fmpq_init(y);
    fmpq_init(next);
    fmpq_init(before);
    fmpq_init(after);
    fmpq_init(slope);
    fmpq_set_si(slope, -19, 20);
    fmpq_mul(next, y, slope);
    fmpq_add_si(next, next, 1);
    authors_energy(before, y);
    authors_energy(after, next);
    at_claim_scope(run, "n = d = 1");
    at_claim_witness(run, "W_a = 1, S = 19/20, B = 1: y 0 -> 1, E 1/2 -> 39/40");
    at_claim_refute(run, "the energy rises, in Q", AT_METHOD_EXACT,
                    fmpq_is_one(next) && equals(before, 1, 2) && equals(after, 39, 40)
                    && fmpq_cmp(after, before) > 0 ? AT_TRUE : AT_UNKNOWN,
                    "one token, so attention is the identity; E = %s", energy);
    at_claim_recheck(run, "again, from the formula", AT_METHOD_EXACT,
                     at_lemma_identity("y", "1/2*1^2 + 1/2*19/20*1^2 + 1/2*(1-1)^2 "
                                       "- (1/2*0^2 + 1/2*19/20*0^2 + 1/2*(0-1)^2)", "19/40"),
                     "E(1) - E(0) = 19/40 > 0");
    at_claim_fact_relation(run, "W_a = 1, S = 19/20, B = 1",
                           "1/2*0^2+1/2*19/20*0^2+1/2*(0-1)^2", "<",
                           "1/2*1^2+1/2*19/20*1^2+1/2*(1-1)^2");
    fmpq_clear(y);
    fmpq_clear(next);
    fmpq_clear(before);
    fmpq_clear(after);
    fmpq_clear(slope);
    return AT_OK;
}

int at_decide_opt_contraction(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "the same row b for all tokens");
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_contraction(cases.at[0], cases.at[1], true));
    at_claim_prove_cases(run, "(b - (AY)_i S) - (b - y*S) = -sum_j a_ij (y_j - y*)S", AT_METHOD_SYMBOLIC,
                   &cases, "the last entry of each row of A eliminated");
    at_claim_cite(run, "convexity of the norm and the operator norm",
                  "|sum_j a_ij (y_j - y*)S| <= s max_j |y_j - y*|");
    at_claim_cite(run, "ReLU is 1-Lipschitz",
                  "|max(a,0) - max(b,0)| <= |a - b| in every coordinate");
    at_claim_cite(run, "Banach", "y -> [ReLU](b - yS) has exactly one fixed point y*, as s < 1");
    return AT_OK;
}
