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
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_majorizer(cases.at[0], cases.at[1], 1, 2));
    at_claim_prove_cases(run, "the sum of the tangents is the Laplacian form", AT_METHOD_SYMBOLIC, &cases,
                   "sum_{i<j} w_ij (z'_ij - z_ij) = tr(Y'^T L Y')/2 - tr(Y^T L Y)/2 for all "
                   "symmetric w, all Y and Y'");
}

int at_decide_opt_majorize(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every concave rho");
    at_opt_prove_majorizer(run);
    return AT_OK;
}

/* h(y + δ) − h(y) = −½ δ^T(2M − H)δ when Mδ = −∇h. */
static void prove_master(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "N");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_master(cases.at[0], 1, 2));
    at_claim_prove_cases(run, "a step with M Delta = -grad changes h by -<Delta,(2M-H)Delta>/2",
                   AT_METHOD_SYMBOLIC, &cases,
                   "h(y+D) - h(y) = -D^T(2M-H)D/2 + D^T(grad h(y) + MD) for all symmetric H, M");
}

static void prove_attention_step(at_claim_run *run, bool self)
{
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_attention(cases.at[0], cases.at[1], self));
    at_claim_prove_cases(run, self ? "attention is the step D Delta = -LY"
                   : "the average over j != i is the step D Delta = -LY, D without self terms",
                   AT_METHOD_SYMBOLIC, &cases,
                   "D Y' = W Y, so D(Y' - Y) = -(D - W)Y");
}

static void prove_squares(at_claim_run *run, bool self)
{
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_squares(cases.at[0], cases.at[1], self, 1, 2));
    at_claim_prove_cases(run, "2M - H = D + W is a sum of squares", AT_METHOD_SYMBOLIC, &cases,
                   "<Delta,(D+W)Delta> = 1/2 sum_ij w_ij |delta_i + delta_j|^2%s",
                         self ? "" : ", w_ii = 0");
    at_claim_prove_nonnegative(run, "each square has a weight >= 0", "w e", "w*e^2",
                               "so <Delta,(D+W)Delta> >= 0");
}

/* E(Y) - E(AY) >= <Delta,(D+W)Delta>/2. */
void at_opt_prove_attention_step(at_claim_run *run)
{
    at_opt_prove_majorizer(run);
    prove_attention_step(run, true);
    prove_master(run);
    prove_squares(run, true);
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
    at_claim_scope(run, "every W_a (put V = YW_a)");
    at_opt_prove_majorizer(run);
    prove_attention_step(run, true);
    prove_master(run);
    prove_squares(run, true);
    support_golden(run);
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_SOFTMAX_BETA, .past = 1 });
    return AT_OK;
}

int at_decide_opt_relaxation(at_claim_run *run, at_error *err)
{
    (void) err;
    at_opt_prove_majorizer(run);
    prove_attention_step(run, true);
    prove_master(run);
    /* a(2M − H) for M = D/a, H = D − W: the part of one pair in D, and P = ⟨Δ,WΔ⟩ */
    at_claim_prove(run, "a(2D/a - (D - W)) = (2-a)D + aW", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("a D W", "2*D - a*(D - W)", "(2-a)*D + a*W"), "entrywise");
    cite_psd(run);
    at_claim_prove_nonnegative(run, "the relaxed step", "a w e P+", "(2-a)*w*e^2 + a*P",
                               "P = <Delta,W Delta> >= 0; the step a = 0 does not move");
    prove_attention_step(run, false);
    prove_squares(run, false);
    at_claim_prove(run, "without self terms: b(2D/b - (D - W)) = 2(1-b)D + b(D + W)",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("b D W", "2*D - b*(D - W)", "2*(1-b)*D + b*(D + W)"),
                   "entrywise; D + W is the sum of squares above");
    at_claim_prove_nonnegative(run, "the relaxed step without self terms", "b w d e",
                               "2*(1-b)*w*d^2 + b*w*e^2", "one pair: w d^2 in D, w e^2 in D + W");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_RELAXED, .past = 1 });
    return AT_OK;
}

int at_decide_opt_no_self_term(at_claim_run *run, at_error *err)
{
    (void) err;
    at_opt_prove_majorizer(run);
    prove_attention_step(run, false);
    prove_master(run);
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
    at_opt_prove_majorizer(run);
    prove_attention_step(run, false);
    prove_master(run);
    prove_squares(run, false);
    at_claim_prove(run, "the step is M Delta = -grad with M = lambda + cD, D without self terms",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l c D P y", "c*P - (l + c*D)*y", "-(c*(D*y - P) + l*y)"),
                   "for each row, P = sum_{j!=i} w_ij y_j: M y' = cP and grad = cLY + lambda Y");
    at_claim_prove(run, "2M - H = lambda + c(D + W)", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l c D W", "2*(l + c*D) - (l + c*(D - W))", "l + c*(D + W)"),
                   "entrywise");
    at_claim_prove(run, "lambda > 0: M = lambda + cD has an inverse", AT_METHOD_SYMBOLIC,
                   at_claim_positive(run, "lambda"), "c D >= 0");
    at_claim_prove_nonnegative(run, "2M - H is positive semidefinite", "lambda c w d e",
                               "lambda*d^2 + c*w*e^2", "row by row and pair by pair");
    at_claim_prove(run, "for c = lambda = 1 and w_ii = 1 it is (A - diag A)Y", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("s P y", "(1 + s)*(P + y) - (1 + s)*y", "(1 + s)*P"),
                   "d_i = 1 + s_i: (AY)_i - a_ii y_i = (P + y - y)/(1 + s) = P/(1 + s)");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_JACOBI, .past = 1 });
    return AT_OK;
}

int at_decide_opt_residual_input(at_claim_run *run, at_error *err)
{
    (void) err;
    at_opt_prove_majorizer(run);
    prove_master(run);
    prove_squares(run, true);
    at_claim_prove(run, "the step is M Delta = -grad with M = D + lambda", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l D P x y", "(P + l*x) - (D + l)*y",
                                     "-((D*y - P) + l*(y - x))"),
                   "for each row, P = sum_j w_ij y_j: M y' = P + lambda x");
    at_claim_prove(run, "2M - H = D + W + lambda", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("l D W", "2*(D + l) - (D - W + l)", "(D + W) + l"),
                   "entrywise");
    at_claim_prove_nonnegative(run, "2M - H is positive semidefinite", "lambda w d e",
                               "lambda*d^2 + w*e^2", "row by row and pair by pair");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_RESIDUAL_INPUT, .past = 1 });
    return AT_OK;
}

int at_decide_opt_sphere_softmax(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "any radius; the identities of one row: every d");
    at_opt_prove_majorizer(run);
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_sphere(cases.at[0], cases.at[1], 1, 2));
    at_claim_prove_cases(run, "on the sphere the majorizer changes by -<WY,Delta> - <Delta,W Delta>/2",
                   AT_METHOD_SYMBOLIC, &cases, "the terms d_i(|y_i'|^2 - |y_i|^2) vanish");
    cite_psd(run);
    at_claim_prove(run, "beta is constant on the sphere", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("r s", "1/2*(r + r - 2*s)", "r - s"),
                   "z_ij = r^2 - y_i.y_j, so w_ij = exp(-r^2) exp(y_i.y_j): plain softmax");
    at_claim_cite(run, "Cauchy and Schwarz",
                  "y_i' = r m/|m| maximises <m,y'> on the sphere, m = (WY)_i + eta_i d_i y_i, so "
                  "<m,delta_i> >= 0");
    at_claim_prove(run, "<y,delta> = -|delta|^2/2 for rows of equal norm", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("y e", "y*e + 1/2*e^2", "1/2*((y+e)^2 - y^2)"),
                   "summed over components; so <(WY)_i,delta_i> >= eta_i d_i |delta_i|^2/2");
    at_claim_prove_nonnegative(run, "the skip pulls the same way", "eta w e", "1/2*eta*w*e^2",
                               "d_i is a sum of weights");
    at_opt_support(run, &(at_opt_trial) { .step = AT_STEP_SPHERE, .past = 1 });
    return AT_OK;
}

int at_decide_opt_range_shrinks(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every d (one column at a time)");
    at_cases cases = at_cases_over(run, "n");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_averages(cases.at[0], true));
    at_claim_prove_cases(run, "differences of averages are averages of differences", AT_METHOD_SYMBOLIC,
                   &cases, "(AY)_i - (AY)_j = sum_kl a_ik a_jl (y_k - y_l), (AY)_i - m = "
                   "sum_j a_ij (y_j - m), the last entry of each row of A eliminated");
    at_claim_cite(run, "convexity of the norm",
                  "|sum_k c_k x_k| <= max_k |x_k| for c >= 0 with sum 1, here c = a_ik a_jl; with "
                  "m = min or max of a coordinate all terms have one sign");
    return AT_OK;
}
