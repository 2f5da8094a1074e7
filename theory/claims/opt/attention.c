/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims opt.*: attention steps that descend. */
#include "attest/theory/claims/opt/opt.h"

#include "attest/theory/symbolic/descent.h"

static void cite_tangent(at_claim_run *run)
{
    at_claim_cite(run, "tangent of a concave function",
                  "rho(z') <= rho(z) + rho'(z)(z' - z) for all z, z' >= 0");
}

static void cite_psd(at_claim_run *run)
{
    at_claim_cite(run, "positive semidefinite kernels",
                  "(exp(-|y_i - y_j|^2/2))_ij is the Gaussian kernel, and 1/(2+z) = int_0^inf "
                  "exp(-s(2+z)) ds is a mixture of such, as every completely monotone rho' is "
                  "(Bernstein; sqrt(1+z) and z/(1+z) too): these W are positive semidefinite");
}

void at_opt_prove_majorizer(at_claim_run *run)
{
    cite_tangent(run);
    enum at_truth holds = AT_TRUE;
    for (slong n = 1; n <= 4 && holds == AT_TRUE; n++)
        for (slong d = 1; d <= 2 && holds == AT_TRUE; d++)
            holds = at_descent_majorizer(n, d, 1, 2);
    at_claim_prove(run, "the sum of the tangents is the Laplacian form", AT_METHOD_SYMBOLIC, holds,
                   "sum_{i<j} w_ij (z'_ij - z_ij) = tr(Y'^T L Y')/2 - tr(Y^T L Y)/2 for all "
                   "symmetric w, all Y and Y'; n <= 4, d <= 2");
}

int at_decide_opt_majorize(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2; every concave rho");
    at_opt_prove_majorizer(run);
    return AT_OK;
}

/* h(y + δ) − h(y) = −½ δ^T(2M − H)δ when Mδ = −∇h. */
static void prove_master(at_claim_run *run, slong most)
{
    enum at_truth holds = AT_TRUE;
    for (slong N = 1; N <= most && holds == AT_TRUE; N++)
        holds = at_descent_master(N, 1, 2);
    at_claim_prove(run, "a step with M Delta = -grad changes h by -<Delta,(2M-H)Delta>/2",
                   AT_METHOD_SYMBOLIC, holds,
                   "h(y+D) - h(y) = -D^T(2M-H)D/2 + D^T(grad h(y) + MD) for all symmetric H, M; "
                   "dimensions up to %ld", (long) most);
}

static void prove_attention_step(at_claim_run *run, bool self)
{
    enum at_truth holds = AT_TRUE;
    for (slong n = 1; n <= 4 && holds == AT_TRUE; n++)
        for (slong d = 1; d <= 2 && holds == AT_TRUE; d++)
            holds = at_descent_attention(n, d, self);
    at_claim_prove(run, self ? "attention is the step D Delta = -LY"
                   : "the average over j != i is the step D Delta = -LY, D without self terms",
                   AT_METHOD_SYMBOLIC, holds,
                   "D Y' = W Y, so D(Y' - Y) = -(D - W)Y; n <= 4, d <= 2");
}

static void prove_squares(at_claim_run *run, bool self)
{
    enum at_truth holds = AT_TRUE;
    for (slong n = 1; n <= 4 && holds == AT_TRUE; n++)
        for (slong d = 1; d <= 2 && holds == AT_TRUE; d++)
            holds = at_descent_squares(n, d, self, 1, 2);
    at_claim_prove(run, "2M - H = D + W is a sum of squares", AT_METHOD_SYMBOLIC, holds,
                   "<Delta,(D+W)Delta> = 1/2 sum_ij w_ij |delta_i + delta_j|^2 >= 0 as w >= 0; "
                   "n <= 4, d <= 2%s", self ? "" : ", w_ii = 0");
}

/* The golden values of ρ = log(2 + z): exp E, before and after. */
static enum at_truth golden(at_claim_run *run, const char *rows, const char *next,
                            const char *before, const char *after)
{
    fmpq_mat_t Y, Z, expected;
    fmpq_t E, text;
    if (!at_example_matrix(Y, rows) || !at_example_matrix(expected, next))
        return AT_UNKNOWN;
    fmpq_mat_init(Z, fmpq_mat_nrows(Y), fmpq_mat_ncols(Y));
    fmpq_init(E);
    fmpq_init(text);
    at_opt_rational_step(Z, Y, 0);
    bool good = fmpq_mat_equal(Z, expected) != 0;
    at_opt_rational_energy(E, Y, 0);
    good = good && fmpq_set_str(text, before, 10) == 0 && fmpq_equal(E, text);
    at_opt_rational_energy(E, Z, 0);
    good = good && fmpq_set_str(text, after, 10) == 0 && fmpq_equal(E, text);
    at_claim_fact_relation(run, rows, after, "<", before);
    fmpq_mat_clear(Y);
    fmpq_mat_clear(Z);
    fmpq_mat_clear(expected);
    fmpq_clear(E);
    fmpq_clear(text);
    return good ? AT_TRUE : AT_FALSE;
}

static void support_golden(at_claim_run *run)
{
    enum at_truth holds = golden(run, "0; 2", "2/3; 4/3", "4", "20/9");
    if (holds == AT_TRUE)
        holds = golden(run, "0; 1; 3", "112/137; 25/23; 91/47", "65",
                       "6071404929860158211765/481044268404806945281");
    if (holds == AT_TRUE)
        holds = golden(run, "0, 0; 2, 0; 0, 2", "1/2, 1/2; 12/11, 4/11; 4/11, 12/11", "96",
                       "170939097/14172488");
    if (holds == AT_TRUE)
        holds = golden(run, "1, 0; -1, 0; 0, 1", "3/13, 4/13; -3/13, 4/13; 0, 3/7", "36",
                       "100992447044/11589168409");
    at_claim_support(run, "exact values for rho = log(2+z)", AT_METHOD_EXACT, holds,
                     "exp E: (0,2) 4 -> 20/9; (0,1,3) 65 -> 12.62...; three points of the plane "
                     "96 -> 12.06..., 36 -> 8.71...");
}

int at_decide_opt_attention_descent(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2; every concave non-decreasing rho, every W_a (put V = "
                   "YW_a)");
    at_opt_prove_majorizer(run);
    prove_attention_step(run, true);
    prove_master(run, 8);
    prove_squares(run, true);
    support_golden(run);
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_SOFTMAX_BETA, .past = 1 });
    return AT_OK;
}

int at_decide_opt_relaxation(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2; all a in [0, 2] (a = 0 does not move)");
    at_opt_prove_majorizer(run);
    prove_attention_step(run, true);
    prove_master(run, 8);
    /* one row's and one pair's part of M = D/a, H = D − W, a = 2/(1 + s), s ≥ 0 */
    at_claim_prove(run, "2D/a - (D - W) = sD + W with s = 2/a - 1 >= 0", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("s D W", "(1+s)*D - (D - W)", "s*D + W"),
                   "entrywise, for 2/a = 1 + s");
    cite_psd(run);
    prove_attention_step(run, false);
    prove_squares(run, false);
    at_claim_prove(run, "without self terms: 2D/a - (D - W) = 2tD + D + W, t = 1/a - 1 >= 0",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("t D W", "2*(1+t)*D - (D - W)", "2*t*D + (D + W)"),
                   "entrywise, for 1/a = 1 + t; D + W is the sum of squares above");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_RELAXED, .past = 1 });
    return AT_OK;
}

int at_decide_opt_no_self_term(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2; every concave non-decreasing rho");
    at_opt_prove_majorizer(run);
    prove_attention_step(run, false);
    prove_master(run, 8);
    prove_squares(run, false);
    at_claim_prove(run, "two rows change places", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("a b", "1/2*(b-a)^2", "1/2*(a-b)^2"),
                   "n = 2: y_1' = w y_2/w = y_2 and y_2' = y_1, and z_12 is symmetric: E stays");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_NO_SELF, .past = 1 });
    return AT_OK;
}

int at_decide_opt_regularised(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2; every concave non-decreasing rho, c > 0, lambda > 0");
    at_opt_prove_majorizer(run);
    prove_attention_step(run, false);
    prove_master(run, 8);
    prove_squares(run, false);
    at_claim_prove(run, "the step is M Delta = -grad with M = lambda + cD, D without self terms",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l c D P y", "c*P - (l + c*D)*y", "-(c*(D*y - P) + l*y)"),
                   "for each row, P = sum_{j!=i} w_ij y_j: M y' = cP and grad = cLY + lambda Y");
    at_claim_prove(run, "2M - H = lambda + c(D + W)", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l c D W", "2*(l + c*D) - (l + c*(D - W))", "l + c*(D + W)"),
                   "entrywise; positive definite by the sum of squares");
    at_claim_prove(run, "for c = lambda = 1 and w_ii = 1 it is (A - diag A)Y", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("s P y", "(1 + s)*(P + y) - (1 + s)*y", "(1 + s)*P"),
                   "d_i = 1 + s_i: (AY)_i - a_ii y_i = (P + y - y)/(1 + s) = P/(1 + s)");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_JACOBI, .past = 1 });
    return AT_OK;
}

int at_decide_opt_residual_input(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2; every concave non-decreasing rho, lambda >= 0");
    at_opt_prove_majorizer(run);
    prove_master(run, 8);
    prove_squares(run, true);
    at_claim_prove(run, "the step is M Delta = -grad with M = D + lambda", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l D P x y", "(P + l*x) - (D + l)*y",
                                     "-((D*y - P) + l*(y - x))"),
                   "for each row, P = sum_j w_ij y_j: M y' = P + lambda x");
    at_claim_prove(run, "2M - H = D + W + lambda", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l D W", "2*(D + l) - (D - W + l)", "(D + W) + l"),
                   "entrywise");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_RESIDUAL_INPUT, .past = 1 });
    return AT_OK;
}

int at_decide_opt_sphere_softmax(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 4, d <= 2 (the identities of one row: every d); any radius");
    at_opt_prove_majorizer(run);
    enum at_truth holds = AT_TRUE;
    for (slong n = 1; n <= 4 && holds == AT_TRUE; n++)
        for (slong d = 1; d <= 2 && holds == AT_TRUE; d++)
            holds = at_descent_sphere(n, d, 1, 2);
    at_claim_prove(run, "on the sphere the majorizer changes by -<WY,Delta> - <Delta,W Delta>/2",
                   AT_METHOD_SYMBOLIC, holds, "the terms d_i(|y_i'|^2 - |y_i|^2) vanish");
    cite_psd(run);
    at_claim_prove(run, "beta is constant on the sphere", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("r s", "1/2*(r + r - 2*s)", "r - s"),
                   "z_ij = r^2 - y_i.y_j, so w_ij = exp(-r^2) exp(y_i.y_j): plain softmax");
    at_claim_cite(run, "Cauchy and Schwarz",
                  "y_i' = r m/|m| maximises <m,y'> on the sphere, m = (WY)_i + eta_i d_i y_i, so "
                  "<m,delta_i> >= 0");
    at_claim_prove(run, "<y,delta> = -|delta|^2/2 for rows of equal norm", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("y e", "y*e + 1/2*e^2", "1/2*((y+e)^2 - y^2)"),
                   "summed over components; so <(WY)_i,delta_i> >= eta_i d_i |delta_i|^2/2 >= 0");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_SPHERE, .past = 1 });
    return AT_OK;
}

int at_decide_opt_range_shrinks(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n <= 5, every d (one column at a time)");
    enum at_truth holds = AT_TRUE;
    for (slong n = 1; n <= 5 && holds == AT_TRUE; n++)
        holds = at_descent_averages(n, true);
    at_claim_prove(run, "differences of averages are averages of differences", AT_METHOD_SYMBOLIC,
                   holds, "(AY)_i - (AY)_j = sum_kl a_ik a_jl (y_k - y_l), (AY)_i - m = "
                   "sum_j a_ij (y_j - m), the last entry of each row of A eliminated");
    at_claim_cite(run, "convexity of the norm",
                  "|sum_k c_k x_k| <= max_k |x_k| for c >= 0 with sum 1, here c = a_ik a_jl; with "
                  "m = min or max of a coordinate all terms have one sign");
    return AT_OK;
}
