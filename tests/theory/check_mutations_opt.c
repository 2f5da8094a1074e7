/* SPDX-License-Identifier: GPL-3.0-or-later */
/* False variants of the energy theory: a sign, a factor, a dropped hypothesis, a constant past its
 * sharp value, a NaN, a witness that is none.  None may come out PROVED, CERTIFIED or REFUTED. */
#include "tests/at_check.h"

#include "attest/theory/claims/opt/opt.h"
#include "attest/theory/symbolic/descent.h"
#include "attest/theory/energy/energy.h"

/* ---- Proofs with a false constant ------------------------------------------ */

#define PROVE(name, lemma)                                                                \
    static int name(at_claim_run *run, at_error *err)                                     \
    {                                                                                     \
        (void) err;                                                                       \
        at_claim_cite(run, "tangent of a concave function", "rho(b) <= rho(a) + ...");    \
        at_claim_prove(run, #name, AT_METHOD_SYMBOLIC, lemma, "%s", #lemma);              \
        return AT_OK;                                                                     \
    }

PROVE(majorizer_without_half, at_descent_majorizer(3, 2, 1, 1))
PROVE(majorizer_sign, at_descent_majorizer(3, 2, -1, 2))
PROVE(squares_without_half, at_descent_squares(3, 2, true, 1, 1))
PROVE(squares_quarter, at_descent_squares(3, 1, false, 1, 4))
PROVE(master_without_half, at_descent_master(3, 1, 1))
PROVE(master_sign, at_descent_master(2, -1, 2))
PROVE(layer_sign_of_W, at_descent_layer(2, 2, 2, true, -1, 1))
PROVE(layer_twice_W, at_descent_layer(3, 1, 1, false, 2, 1))
PROVE(ffn_without_half, at_descent_ffn(2, 2, true, 1, 1))
PROVE(ffn_unsymmetric, at_descent_ffn(2, 2, false, 1, 2))
PROVE(sphere_without_half, at_descent_sphere(3, 2, 1, 1))
PROVE(averages_of_any_matrix, at_descent_averages(3, false))
PROVE(contraction_of_any_matrix, at_descent_contraction(3, 2, false))
PROVE(half_step_sign, at_lemma_identity("b t u p", "-b*u*(u-p) + 1/2*b*(1-t)*(u-p)^2",
                                        "-1/2*b*(u^2+p^2) - 1/2*b*t*(u-p)^2"))
PROVE(half_step_without_half, at_lemma_identity("b t u p", "-b*u*(u-p) + b*(1-t)*(u-p)^2",
                                                "-1/2*b*(u^2-p^2) - 1/2*b*t*(u-p)^2"))
PROVE(apollonius_centre, at_lemma_identity("C y f h", "(1-C^2)*((y-f)^2 - C^2*(y-h)^2)",
                                           "((1-C^2)*y - (f + C^2*h))^2 - C^2*(f-h)^2"))
PROVE(apollonius_radius, at_lemma_identity("C y f h", "(1-C^2)*((y-f)^2 - C^2*(y-h)^2)",
                                           "((1-C^2)*y - (f - C^2*h))^2 - C^4*(f-h)^2"))
PROVE(cycle_sign, at_lemma_identity("a t u e", "-a*u*(u+e) + 1/2*a*(1-t)*(u+e)^2",
                                    "-1/2*a*(u^2-e^2) - 1/2*a*t*(u-e)^2"))
PROVE(cycle_limit_slack, at_lemma_nonnegative("a G v s r", "s - r + a*G*v"))
PROVE(projection_from_outside, at_lemma_nonnegative("y s", "-y*s"))
PROVE(divergence_wrong_way, at_lemma_nonnegative("x s", "x^2 - (x+s)^2"))
PROVE(text_that_does_not_parse, at_lemma_identity("x", "(x", "(x"))
PROVE(unknown_variable, at_lemma_identity("x", "y", "y"))

/* Nothing over nothing, division by zero, empty texts: quantifiers with nothing to range over. */
PROVE(zero_over_zero, at_lemma_identity("x", "1/0", "1/0"))
PROVE(empty_identity, at_lemma_identity("x", "", ""))
PROVE(empty_inequality, at_lemma_nonnegative("x", ""))
PROVE(negative_constant, at_lemma_nonnegative("x", "x - 1/1000000"))
PROVE(squares_of_no_rows, at_descent_squares(0, 1, true, 1, 2))
PROVE(master_of_dimension_zero, at_descent_master(0, 1, 2))
PROVE(layer_without_rows, at_descent_layer(0, 1, 1, true, 1, 1))
PROVE(majorizer_without_columns, at_descent_majorizer(2, 0, 1, 2))
PROVE(averages_of_no_rows, at_descent_averages(0, true))

/* ---- Instances past the sharp constant ------------------------------------- */

#define CERTIFY(name, truth)                                                              \
    static int name(at_claim_run *run, at_error *err)                                     \
    {                                                                                     \
        size_t tally[4] = { 0 };                                                          \
        (void) err;                                                                       \
        (void) tally;                                                                     \
        at_claim_certify(run, #name, AT_METHOD_BALL, truth, "%s", #truth);                \
        return AT_OK;                                                                     \
    }

#define TRIAL(...) \
    at_opt_try(tally, run, &(at_opt_trial) { __VA_ARGS__ }, at_claim_instances(run))

CERTIFY(relaxed_past_two, TRIAL(.step = AT_STEP_RELAXED, .past = 2))
CERTIFY(value_matrix_past, TRIAL(.step = AT_STEP_VALUE_MATRIX, .past = 1.5))
CERTIFY(multi_head_past, TRIAL(.step = AT_STEP_MULTI_HEAD, .past = 4))
CERTIFY(parallel_past, TRIAL(.step = AT_STEP_PARALLEL, .past = 1.5))
CERTIFY(parallel_relu_signed, TRIAL(.step = AT_STEP_PARALLEL, .past = 1, .relu = true,
                                    .signed_rows = true))

static enum at_truth half_the_path(void)
{
    fmpq_mat_t Y;
    ck_assert(at_example_matrix(Y, "0; 1; 6"));
    enum at_truth truth = at_opt_path_length(Y, 2, 1, 2);
    fmpq_mat_clear(Y);
    return truth;
}
CERTIFY(path_twice_as_long, half_the_path())

static enum at_truth keys_past_two(void)
{
    fmpq_mat_t keys, z;
    fmpq_t eta;
    fmpq_init(eta);
    fmpq_set_si(eta, 9, 4);
    ck_assert(at_example_matrix(keys, "1") && at_example_matrix(z, "0"));
    enum at_truth truth = at_opt_fixed_keys(keys, z, eta);
    fmpq_mat_clear(keys);
    fmpq_mat_clear(z);
    fmpq_clear(eta);
    return truth;
}
CERTIFY(fixed_keys_past_two, keys_past_two())

/* η one millionth past 2, and below 0. */
static enum at_truth keys_with(slong p, ulong q)
{
    fmpq_mat_t keys, z;
    fmpq_t eta;
    fmpq_init(eta);
    fmpq_set_si(eta, p, q);
    ck_assert(at_example_matrix(keys, "1") && at_example_matrix(z, "0"));
    enum at_truth truth = at_opt_fixed_keys(keys, z, eta);
    fmpq_mat_clear(keys);
    fmpq_mat_clear(z);
    fmpq_clear(eta);
    return truth;
}
CERTIFY(fixed_keys_barely_past, keys_with(2000001, 1000000))
CERTIFY(fixed_keys_backwards, keys_with(-1, 1000000))

/* A ρ that is not a number on the whole range: the enclosure holds a NaN. */
static enum at_truth planted_nan(void)
{
    at_formula formula;
    at_energy_certificate c;
    at_error err = AT_ERROR_INIT;
    ck_assert_int_eq(at_formula_parse(&formula, "log(z-100)", &err), AT_OK);
    const at_energy_layer layer = { .step = AT_STEP_SOFTMAX_BETA, .rho = -1, .formula = &formula,
                                    .n = 3, .d = 1 };
    ck_assert_int_eq(at_energy_certify_step(&c, &layer, AT_HALF_WHOLE, (double[]) { 0, 1, 3 }, 256,
                                            &err), AT_OK);
    at_formula_clear(&formula);
    return c.outcome == AT_STEP_DESCENDS ? AT_TRUE : AT_UNKNOWN;
}
CERTIFY(nan_planted, planted_nan())
CERTIFY(no_instances, at_opt_try(tally, run, &(at_opt_trial) { .step = AT_STEP_SOFTMAX_BETA,
                                                               .past = 1 }, 0))

/* ---- Refutations of what is true ------------------------------------------- */

#define REFUTE(name, ...)                                                                 \
    static int name(at_claim_run *run, at_error *err)                                     \
    {                                                                                     \
        (void) err;                                                                       \
        at_example_refute(run, &(at_example) { __VA_ARGS__ });                            \
        return AT_OK;                                                                     \
    }

REFUTE(attention_does_descend, .rows = "0; 1/10; 10")
REFUTE(relaxation_at_two, .rows = "0; 1/10", .keep = "-1", .move = "2")
REFUTE(equal_rows_tie, .rows = "3; 3; 3", .scores = AT_SCORES_PLAIN)
REFUTE(log_does_descend, .rows = "0, 0; 2, 0; 0, 2", .rho = AT_RHO_LOG)
REFUTE(lse_of_few_rows, .rows = "0; 1; 3", .energy = AT_ENERGY_LSE)
REFUTE(one_row_cannot_rise, .rows = "5", .causal = true)
REFUTE(no_rows_at_all, .rows = "", .scores = AT_SCORES_PLAIN)
REFUTE(rows_beyond_any_exponential, .rows = "0; 1000000000", .scores = AT_SCORES_PLAIN)
REFUTE(relaxation_below_zero_is_no_step, .rows = "0; 1", .keep = "1", .move = "0")
REFUTE(malformed_rows, .rows = "0; 1; x", .scores = AT_SCORES_PLAIN)

/* A witness without a second evaluation refutes nothing. */
static int not_rechecked(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_witness(run, "Y = [0; 3]");
    at_claim_refute(run, "the energy rises", AT_METHOD_BALL, AT_TRUE, "4.49 -> 5.30");
    return AT_OK;
}

/* Rechecked by a cross-check only, or by an evaluation that does not agree. */
static int supported_only(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_witness(run, "Y = [0; 3]");
    at_claim_refute(run, "the energy rises", AT_METHOD_BALL, AT_TRUE, "4.49 -> 5.30");
    at_claim_support(run, "again", AT_METHOD_EXACT, AT_TRUE, "4.49 -> 5.30");
    return AT_OK;
}

static int recheck_disagrees(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_witness(run, "Y = [0; 3]");
    at_claim_refute(run, "the energy rises", AT_METHOD_BALL, AT_TRUE, "4.49 -> 5.30");
    at_claim_recheck(run, "again", AT_METHOD_EXACT, AT_TRUE, "4.49 -> 5.30");
    at_claim_recheck(run, "and again", AT_METHOD_EXACT, AT_FALSE, "4.49 -> 4.20");
    return AT_OK;
}

/* A bound on a probability refutes with its level, but it certifies nothing. */
static int statistics_as_proof(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "in 10,000 of 10,000 draws", AT_METHOD_STATISTICAL, AT_TRUE, "p < 1e-9");
    at_claim_certify(run, "in 10,000 others", AT_METHOD_STATISTICAL, AT_TRUE, "p < 1e-9");
    return AT_OK;
}

static int ffn_at_two(at_claim_run *run, at_error *err)
{
    /* a(1 + S) = 2 exactly: it does not rise */
    fmpq_t before, after;
    (void) err;
    fmpq_init(before);
    fmpq_init(after);
    enum at_truth rises = at_opt_quadratic_rises("4", "0", "1", "1/2", false, before, after);
    at_claim_witness(run, "S = 3, a = 1/2");
    at_claim_refute(run, "E_2 rises", AT_METHOD_EXACT, rises, "2 -> 2");
    at_claim_recheck(run, "again", AT_METHOD_EXACT, rises, "2 -> 2");
    fmpq_clear(before);
    fmpq_clear(after);
    return AT_OK;
}

#define MUTANT(function) { #function, #function, "false on purpose", AT_UNDECIDED, function, NULL }

static const at_claim mutants[] = {
    MUTANT(majorizer_without_half), MUTANT(majorizer_sign), MUTANT(squares_without_half),
    MUTANT(squares_quarter), MUTANT(master_without_half), MUTANT(master_sign),
    MUTANT(layer_sign_of_W), MUTANT(layer_twice_W), MUTANT(ffn_without_half),
    MUTANT(ffn_unsymmetric), MUTANT(sphere_without_half), MUTANT(averages_of_any_matrix),
    MUTANT(contraction_of_any_matrix), MUTANT(half_step_sign), MUTANT(half_step_without_half),
    MUTANT(apollonius_centre), MUTANT(apollonius_radius), MUTANT(cycle_sign),
    MUTANT(cycle_limit_slack), MUTANT(projection_from_outside), MUTANT(divergence_wrong_way),
    MUTANT(text_that_does_not_parse), MUTANT(unknown_variable), MUTANT(relaxed_past_two),
    MUTANT(value_matrix_past), MUTANT(multi_head_past), MUTANT(parallel_past),
    MUTANT(parallel_relu_signed), MUTANT(path_twice_as_long), MUTANT(fixed_keys_past_two),
    MUTANT(nan_planted), MUTANT(no_instances), MUTANT(attention_does_descend),
    MUTANT(relaxation_at_two), MUTANT(equal_rows_tie), MUTANT(log_does_descend),
    MUTANT(lse_of_few_rows), MUTANT(malformed_rows), MUTANT(not_rechecked), MUTANT(ffn_at_two),
    MUTANT(zero_over_zero), MUTANT(empty_identity), MUTANT(empty_inequality),
    MUTANT(negative_constant), MUTANT(squares_of_no_rows), MUTANT(master_of_dimension_zero),
    MUTANT(layer_without_rows), MUTANT(majorizer_without_columns), MUTANT(averages_of_no_rows),
    MUTANT(fixed_keys_barely_past), MUTANT(fixed_keys_backwards), MUTANT(one_row_cannot_rise),
    MUTANT(no_rows_at_all), MUTANT(rows_beyond_any_exponential),
    MUTANT(relaxation_below_zero_is_no_step), MUTANT(supported_only), MUTANT(recheck_disagrees),
    MUTANT(statistics_as_proof),
};

enum { MUTANTS = sizeof mutants / sizeof mutants[0] };

START_TEST(nothing_false_is_decided)
{
    const at_claim *claim = &mutants[_i];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        at_claim_run run;
        at_error err = AT_ERROR_INIT;
        const at_claim_options options = { .seed = seed };
        ck_assert_int_eq(at_claim_decide_one(&run, claim, NULL, 0, &options, &err), AT_OK);
        ck_assert_msg(run.verdict == AT_UNDECIDED && !run.as_expected, "%s came out %s", claim->id,
                      at_verdict_name(run.verdict));
        at_claim_run_clear(&run);
    }
}
END_TEST

/* The true constants pass through the same doors: the mutants fail for their falsehood alone. */
PROVE(true_majorizer, at_descent_majorizer(3, 2, 1, 2))
CERTIFY(true_relaxation, TRIAL(.step = AT_STEP_RELAXED, .past = 1))
REFUTE(true_refutation, .rows = "0; 3", .scores = AT_SCORES_PLAIN, .pin = "1")

START_TEST(the_doors_open_for_what_is_true)
{
    static const at_claim claims[] = {
        { "majorizer", "", "", AT_PROVED, true_majorizer, NULL },
        { "relaxation", "", "", AT_CERTIFIED, true_relaxation, NULL },
        { "refutation", "", "", AT_REFUTED, true_refutation, NULL },
    };
    for (size_t k = 0; k < 3; k++) {
        at_claim_run run;
        at_error err = AT_ERROR_INIT;
        const at_claim_options options = { .seed = 1 };
        ck_assert_int_eq(at_claim_decide_one(&run, &claims[k], NULL, 0, &options, &err), AT_OK);
        ck_assert_msg(run.as_expected, "%s came out %s", claims[k].id,
                      at_verdict_name(run.verdict));
        at_claim_run_clear(&run);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("mutations_opt");
    TCase *t = tcase_create("mutations");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, nothing_false_is_decided, 0, MUTANTS);
    tcase_add_test(t, the_doors_open_for_what_is_true);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
