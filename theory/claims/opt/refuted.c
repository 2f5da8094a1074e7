/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims opt.*: where attention does not descend. */
#include "attest/theory/claims/opt/opt.h"

#include "attest/theory/energy/energy.h"
#include "attest/theory/expq/expq.h"

int at_decide_opt_relaxation_past_two(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 2, d = 1, a = 9/4");
    at_example_refute(run, &(at_example) { .rows = "0; 1/10", .keep = "-5/4", .move = "9/4" });
    return AT_OK;
}

int at_decide_opt_relaxation_no_self(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 2, d = 1, a = 11/10");
    at_example_refute(run, &(at_example) { .rows = "0; 1", .no_self = true, .keep = "-1/10",
                                           .move = "11/10" });
    return AT_OK;
}

int at_decide_opt_no_self_term_strict(at_claim_run *run, at_error *err)
{
    /* rows (0, 1) with w = e^{−1/2}: y_1' = w·1/w, y_2' = w·0/w */
    at_expqf_t w, first, second;
    at_energy_certificate certificate;
    fmpq_t r;
    at_expqf_init(w);
    at_expqf_init(first);
    at_expqf_init(second);
    fmpq_init(r);
    fmpq_set_si(r, -1, 2);
    at_expqf_set_exp(w, r);
    at_expqf_div(first, w, w);
    at_expqf_sub(second, w, w);
    at_expqf_div(second, second, w);
    bool swapped = at_expqf_is_one(first) && at_expqf_is_zero(second);
    at_claim_scope(run, "n = 2, d = 1");
    at_claim_witness(run, "Y = [0; 1] -> [1; 0], and back");
    at_claim_refute(run, "the rows change places, so E stays", AT_METHOD_EXACT,
                    swapped ? AT_TRUE : AT_UNKNOWN, "Y' = [1; 0] is no fixed point and z_12 = 1/2 "
                    "as before");
    const at_energy_layer layer = { .step = AT_STEP_NO_SELF, .rho = AT_RHO_EXP, .n = 2, .d = 1 };
    int status = at_energy_certify_step(&certificate, &layer, AT_HALF_WHOLE, (double[]) { 0, 1 },
                                        0, err);
    at_claim_recheck(run, "a certificate of the same step", AT_METHOD_EXACT,
                     certificate.outcome == AT_STEP_TIES ? AT_TRUE : AT_UNKNOWN, "the step %s",
                     at_energy_outcome_name(certificate.outcome));
    at_claim_fact_relation(run, "Y = [0; 1]", "-exp(-(1-0)^2/2)", "=", "-exp(-(0-1)^2/2)");
    at_expqf_clear(w);
    at_expqf_clear(first);
    at_expqf_clear(second);
    fmpq_clear(r);
    return status;
}

int at_decide_opt_regularised_softmax(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 3, d = 1");
    at_example_refute(run, &(at_example) { .rows = "-30; -30; -29", .pin = "1" });
    return AT_OK;
}

int at_decide_opt_regularised_log(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 3, d = 1");
    at_example_refute(run, &(at_example) { .rows = "-21; -21; -20", .pin = "1",
                                           .rho = AT_RHO_LOG });
    return AT_OK;
}

int at_decide_opt_residual_input_skip(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 2, d = 1");
    at_example_refute(run, &(at_example) { .rows = "0; 2", .keep = "1" });
    at_example_refute(run, &(at_example) { .rows = "0; 2", .keep = "1", .rho = AT_RHO_LOG });
    return AT_OK;
}

int at_decide_opt_fixed_keys_moving(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 2, d = 1");
    at_example_refute(run, &(at_example) { .rows = "1; -1", .scores = AT_SCORES_PLAIN,
                                           .energy = AT_ENERGY_DOT });
    return AT_OK;
}

int at_decide_opt_plain_softmax(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 3 and n = 4, d = 1");
    at_example_refute(run, &(at_example) { .rows = "0; 1/10; 10", .scores = AT_SCORES_PLAIN });
    at_example_refute(run, &(at_example) { .rows = "0; 0; 1; 10", .scores = AT_SCORES_PLAIN });
    return AT_OK;
}

int at_decide_opt_plain_softmax_regularised(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 2, d = 1");
    at_example_refute(run, &(at_example) { .rows = "0; 3", .scores = AT_SCORES_PLAIN,
                                           .pin = "1" });
    return AT_OK;
}

int at_decide_opt_causal(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 4, d = 1");
    at_example_refute(run, &(at_example) { .rows = "0; 9/2; 5/2; 3/2", .causal = true });
    return AT_OK;
}

int at_decide_opt_gram_mismatch(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 3, d = 2");
    at_example_refute(run, &(at_example) { .rows = "0, 1; 0, -1; 3, 6", .weights = "0, 1; 0, 0",
                                           .scores = AT_SCORES_GRAM });
    return AT_OK;
}

int at_decide_opt_summed_gaussian_lse(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = 22, 12 and 11, d = 1; the least n is open");
    at_example_refute(run, &(at_example) {
        .rows = "-4; -4; -4; -4; -4; -4; -4; -4; -4; -4; -1; 1; 4; 4; 4; 4; 4; 4; 4; 4; 4; 4",
        .energy = AT_ENERGY_LSE });
    at_example_refute(run, &(at_example) {
        .rows = "-47/10; -47/10; -47/10; -47/10; -47/10; -7/5; 7/5; 47/10; 47/10; 47/10; 47/10; "
                "47/10",
        .energy = AT_ENERGY_LSE });
    at_example_refute(run, &(at_example) {
        .rows = "-67/10; -67/10; -67/10; -67/10; -63/20; 0; 18/5; 18/5; 18/5; 18/5; 18/5",
        .energy = AT_ENERGY_LSE });
    return AT_OK;
}

int at_decide_opt_convex_rho(at_claim_run *run, at_error *err)
{
    fmpq_mat_t Y, Z, expected;
    fmpq_t before, after, direct, z;
    (void) err;
    if (!at_example_matrix(Y, "0; 1; 3") || !at_example_matrix(expected, "122/41; 48/17; 16/97"))
        return AT_OK;
    fmpq_mat_init(Z, 3, 1);
    fmpq_init(before);
    fmpq_init(after);
    fmpq_init(direct);
    fmpq_init(z);
    at_opt_rational_step(Z, Y, 3);
    at_opt_rational_energy(before, Y, 3);
    at_opt_rational_energy(after, Z, 3);
    char *text = fmpq_get_str(NULL, 10, after);
    at_claim_scope(run, "n = 3, d = 1");
    at_claim_witness(run, "Y = [0; 1; 3] -> [122/41; 48/17; 16/97], rho = z^3");
    at_claim_refute(run, "the energy rises, in Q", AT_METHOD_EXACT,
                    fmpq_mat_equal(Z, expected) && fmpq_cmp(before, after) < 0 ? AT_TRUE
                    : AT_UNKNOWN, "397/4 -> %s", text);
    /* again: from the stated rows alone, z³ = ((a − b)²)³/8 */
    for (slong i = 0; i < 3; i++) {
        fmpq_sub(z, fmpq_mat_entry(expected, i, 0), fmpq_mat_entry(expected, (i + 1) % 3, 0));
        fmpq_pow_si(z, z, 6);
        fmpq_add(direct, direct, z);
    }
    fmpq_div_2exp(direct, direct, 3);
    fmpq_set_si(z, 397, 4);
    at_claim_recheck(run, "again, from the stated rows", AT_METHOD_EXACT,
                     fmpq_cmp(direct, z) > 0 && fmpq_equal(direct, after) ? AT_TRUE : AT_UNKNOWN,
                     "sum of (a - b)^6/8 over pairs exceeds 397/4");
    at_claim_fact_relation(run, "Y = [0; 1; 3], rho = z^3", "397/4", "<",
                           "((122/41-48/17)^6+(48/17-16/97)^6+(16/97-122/41)^6)/8");
    flint_free(text);
    fmpq_mat_clear(Y);
    fmpq_mat_clear(Z);
    fmpq_mat_clear(expected);
    fmpq_clear(before);
    fmpq_clear(after);
    fmpq_clear(direct);
    fmpq_clear(z);
    return AT_OK;
}
