/* SPDX-License-Identifier: GPL-3.0-or-later */
/* False variants of the claims rpe.* and urpe.*: a sign, a shift, a dropped hypothesis, a constant
 * one step past its sharp value.  Each is decided by the same parts as the claim and goes through
 * the runner; none may come out PROVED or CERTIFIED, and its true neighbour must be PROVED, so
 * that a part which refuses everything is noticed too. */
#include "tests/at_check.h"
#include "attest/theory/claims/parts.h"

static const slong reversal3[] = { 2, 1, 0 }, swap3[] = { 1, 0, 2 };

typedef struct {
    const char *id;
    enum at_truth (*part)(bool mutated);
} mutation;

/* name, the true part, the false part. */
#define MUTATION(name, truth, falsehood) \
    static enum at_truth name(bool mutated) { return mutated ? (falsehood) : (truth); }

MUTATION(empty_mask_counts, at_part_softmax_sums(3, 1, 1, 1), at_part_softmax_sums(3, 0, 1, 1))
/* quantifiers over nothing prove nothing */
MUTATION(softmax_of_no_logits, at_part_softmax_sums(1, 1, 1, 1), at_part_softmax_sums(0, 1, 1, 1))
MUTATION(layer_of_no_rows, at_part_layer_collapse(1, 1, 1, AT_WEIGHTS_STOCHASTIC, false),
         at_part_layer_collapse(0, 1, 1, AT_WEIGHTS_STOCHASTIC, false))
MUTATION(layer_of_no_heads, at_part_layer_collapse(2, 1, 1, AT_WEIGHTS_STOCHASTIC, false),
         at_part_layer_collapse(2, 1, 0, AT_WEIGHTS_FREE, false))
MUTATION(code_of_no_rows, at_part_position_code(1, 1, 0), at_part_position_code(0, 7, 0))
MUTATION(reversal_up_to_zero, at_part_pi_under_reversal(1, 0), at_part_pi_under_reversal(0, 1))
MUTATION(rows_sum_to_two, at_part_softmax_sums(4, 1, 1, 1), at_part_softmax_sums(4, 1, 2, 1))
MUTATION(rows_sum_to_half, at_part_softmax_sums(2, 1, 1, 1), at_part_softmax_sums(2, 1, 1, 2))
MUTATION(one_row_not_stochastic, at_part_layer_collapse(3, 2, 1, AT_WEIGHTS_STOCHASTIC, false),
         at_part_layer_collapse(3, 2, 1, AT_WEIGHTS_ONE_ROW_FREE, false))
MUTATION(weights_sum_to_two, at_part_layer_collapse(3, 2, 2, AT_WEIGHTS_STOCHASTIC, false),
         at_part_layer_collapse(3, 2, 2, AT_WEIGHTS_SUM_TWO, false))
MUTATION(columns_stochastic, at_part_layer_collapse(3, 1, 1, AT_WEIGHTS_STOCHASTIC, false),
         at_part_layer_collapse(3, 1, 1, AT_WEIGHTS_COLUMNS, false))
MUTATION(weights_arbitrary, at_part_layer_collapse(2, 1, 1, AT_WEIGHTS_STOCHASTIC, false),
         at_part_layer_collapse(2, 1, 1, AT_WEIGHTS_FREE, false))
MUTATION(one_row_free_with_bias, at_part_layer_collapse(4, 1, 1, AT_WEIGHTS_STOCHASTIC, true),
         at_part_layer_collapse(4, 1, 1, AT_WEIGHTS_ONE_ROW_FREE, true))
MUTATION(sum_two_with_bias, at_part_layer_collapse(2, 2, 1, AT_WEIGHTS_STOCHASTIC, true),
         at_part_layer_collapse(2, 2, 1, AT_WEIGHTS_SUM_TWO, true))
MUTATION(arbitrary_with_two_heads, at_part_layer_collapse(2, 2, 2, AT_WEIGHTS_STOCHASTIC, true),
         at_part_layer_collapse(2, 2, 2, AT_WEIGHTS_FREE, true))

MUTATION(gap_of_one_square, at_part_two_rows_gap(2, 2), at_part_two_rows_gap(2, 1))
MUTATION(gap_of_three_squares, at_part_two_rows_gap(3, 2), at_part_two_rows_gap(3, 3))
MUTATION(twice_the_floor, at_part_max_norm(1, 2), at_part_max_norm(2, 1))
MUTATION(floor_past_one_half, at_part_max_norm(1, 2), at_part_max_norm(51, 100))
MUTATION(negative_floor_constant, at_part_max_norm(1, 3), at_part_max_norm(-1, 3))
MUTATION(not_the_midrange, at_part_midrange(1, 2, 1, 2), at_part_midrange(1, 3, 1, 2))
MUTATION(midrange_at_a_quarter, at_part_midrange(1, 2, 1, 2), at_part_midrange(1, 2, 1, 4))
MUTATION(midrange_at_the_whole, at_part_midrange(1, 2, 1, 2), at_part_midrange(1, 2, 1, 1))
MUTATION(mean_over_one_more, at_part_mean_is_best(4, 2, 4), at_part_mean_is_best(4, 2, 5))
MUTATION(mean_over_one_less, at_part_mean_is_best(4, 2, 4), at_part_mean_is_best(4, 2, 3))
MUTATION(half_the_frequency, at_part_accuracy_ceiling(4, 3, 1, 1),
         at_part_accuracy_ceiling(4, 3, 1, 2))
MUTATION(below_the_frequency, at_part_accuracy_ceiling(5, 2, 1, 1),
         at_part_accuracy_ceiling(5, 2, 99, 100))

MUTATION(t5_reverses, at_part_logits_symmetry(AT_LOGITS_EVEN_BIAS, 3, 2, 2, reversal3),
         at_part_logits_symmetry(AT_LOGITS_BIAS, 3, 2, 2, reversal3))
MUTATION(shaw_reverses, at_part_logits_symmetry(AT_LOGITS_EVEN_KEYS, 3, 2, 2, reversal3),
         at_part_logits_symmetry(AT_LOGITS_KEYS, 3, 2, 2, reversal3))
MUTATION(xl_reverses, at_part_logits_symmetry(AT_LOGITS_EVEN_XL, 3, 2, 2, reversal3),
         at_part_logits_symmetry(AT_LOGITS_XL, 3, 2, 2, reversal3))
MUTATION(deberta_reverses, at_part_logits_symmetry(AT_LOGITS_EVEN_DEBERTA, 3, 2, 2, reversal3),
         at_part_logits_symmetry(AT_LOGITS_DEBERTA, 3, 2, 2, reversal3))
MUTATION(tupe_reverses, at_part_logits_symmetry(AT_LOGITS_NONE, 3, 2, 2, reversal3),
         at_part_logits_symmetry(AT_LOGITS_TUPE, 3, 2, 2, reversal3))
MUTATION(even_bias_permutes, at_part_logits_symmetry(AT_LOGITS_NONE, 3, 2, 2, swap3),
         at_part_logits_symmetry(AT_LOGITS_EVEN_BIAS, 3, 2, 2, swap3))
MUTATION(even_deberta_permutes, at_part_logits_symmetry(AT_LOGITS_NONE, 3, 1, 1, swap3),
         at_part_logits_symmetry(AT_LOGITS_EVEN_DEBERTA, 3, 1, 1, swap3))
MUTATION(any_gate_reverses, at_part_layer_symmetry(3, 2, reversal3, false),
         at_part_layer_symmetry(3, 2, reversal3, true))
MUTATION(any_gate_permutes, at_part_layer_symmetry(3, 1, swap3, false),
         at_part_layer_symmetry(3, 1, swap3, true))
MUTATION(fewer_hits_than_one, at_part_random_hits(4, 1, 1, 2, 1),
         at_part_random_hits(4, 9, 10, 2, 1))
MUTATION(second_moment_below_two, at_part_random_hits(4, 1, 1, 2, 1),
         at_part_random_hits(4, 1, 1, 19, 10))
MUTATION(etp_below_the_half, at_part_etp_orbit(3, 2, 2), at_part_etp_orbit(3, 2, 1))
MUTATION(larger_gap_under_reversal, at_part_pi_under_reversal(8, 0),
         at_part_pi_under_reversal(8, 1))

MUTATION(row_sums_shifted_up, at_part_row_sum_forms(5, 0), at_part_row_sum_forms(5, 1))
MUTATION(row_sums_shifted_down, at_part_row_sum_forms(5, 0), at_part_row_sum_forms(5, -1))
MUTATION(inverse_with_a_wrong_sign, at_part_right_inverse(4, 1), at_part_right_inverse(4, -1))
MUTATION(all_ones_position_aware, at_part_position_aware(6, 1, 0, 0),
         at_part_position_aware(6, 1, 1, 0))
MUTATION(gate_one_offset_late, at_part_position_aware(6, 1, 0, 0),
         at_part_position_aware(6, 1, 0, 1))
MUTATION(gate_one_offset_early, at_part_position_aware(6, 1, 0, 0),
         at_part_position_aware(6, 1, 0, -1))
MUTATION(circulant_misplaced, at_part_circulant_sums(5, 0), at_part_circulant_sums(5, 1))
MUTATION(even_misplaced, at_part_even_sums(5, 0), at_part_even_sums(5, 1))
MUTATION(toeplitz_scaled_by_n_plus_one, at_part_toeplitz_map(3, 2, 3),
         at_part_toeplitz_map(3, 2, 4))
MUTATION(toeplitz_unscaled, at_part_toeplitz_map(3, 1, 3), at_part_toeplitz_map(3, 1, 1))
MUTATION(code_scaled_by_n_plus_one, at_part_position_code(5, 5, 0), at_part_position_code(5, 6, 0))
MUTATION(code_without_the_diagonal, at_part_position_code(5, 5, 0), at_part_position_code(5, 5, 1))
MUTATION(code_one_too_far, at_part_position_code(5, 5, 0), at_part_position_code(5, 5, -1))
MUTATION(readout_twice_as_curved, at_part_quadratic_readout(1), at_part_quadratic_readout(2))
MUTATION(readout_straight, at_part_quadratic_readout(1), at_part_quadratic_readout(0))
MUTATION(gather_one_late, at_part_gather(4, 2, 1, 0), at_part_gather(4, 2, 1, 1))
MUTATION(gather_one_early, at_part_gather(4, 1, -2, 0), at_part_gather(4, 1, -2, -1))

MUTATION(previous_token_at_half, at_part_previous_token(1, 1), at_part_previous_token(1, 2))
MUTATION(previous_token_at_99, at_part_previous_token(1, 1), at_part_previous_token(99, 100))
MUTATION(bump_too_flat, at_part_bump(3), at_part_bump(2))
MUTATION(bump_too_steep, at_part_bump(3), at_part_bump(4))
MUTATION(levels_past_four, at_part_position_levels(4), at_part_position_levels(3))
MUTATION(step_off_by_one, at_part_position_step(1), at_part_position_step(0))

MUTATION(one_right_off_constants, at_part_best_accuracy(3, 2, 1), at_part_best_accuracy(3, 2, 0))
MUTATION(two_right_on_constants, at_part_best_accuracy(3, 3, 1), at_part_best_accuracy(3, 3, 2))

static const slong biases3[] = { 0, 0, 0, 1, 3 }, mirrored3[] = { 3, 1, 0, 1, 3 };
static slong jumps;
MUTATION(even_table_separates, at_part_finite_alphabet(3, 2, biases3, 1, &jumps, false),
         at_part_finite_alphabet(3, 2, mirrored3, 1, &jumps, false))
MUTATION(constants_separate_too, at_part_finite_alphabet(3, 2, biases3, 1, &jumps, false),
         at_part_finite_alphabet(3, 2, biases3, 1, &jumps, true))

MUTATION(square_from_single_hinges, at_part_square_from_hinges(8, 2),
         at_part_square_from_hinges(8, 1))
MUTATION(logits_of_half_the_slope, at_part_peaked_logits(4), at_part_peaked_logits(2))
MUTATION(tail_of_wider_gaps, at_part_square_tail(3), at_part_square_tail(4))
MUTATION(margin_rises, at_part_margin_monotone(1), at_part_margin_monotone(-1))
MUTATION(margin_for_beta_half, at_part_margin_bound(3, 8, 101, 869),
         at_part_margin_bound(607, 1000, 0, 1))
MUTATION(margin_past_the_bound, at_part_margin_bound(3, 8, 101, 869),
         at_part_margin_bound(3, 8, 102, 869))
MUTATION(margin_one_millionth_more, at_part_margin_value(4, 1, 140202),
         at_part_margin_value(4, 1, 140203))

MUTATION(staircase_with_an_early_step, at_part_staircase(0), at_part_staircase(-1))

#define ENTRY(name) { #name, name }
static const mutation mutations[] = {
    ENTRY(softmax_of_no_logits), ENTRY(layer_of_no_rows), ENTRY(layer_of_no_heads),
    ENTRY(code_of_no_rows), ENTRY(reversal_up_to_zero), ENTRY(empty_mask_counts), ENTRY(rows_sum_to_two), ENTRY(rows_sum_to_half),
    ENTRY(one_row_not_stochastic), ENTRY(weights_sum_to_two), ENTRY(columns_stochastic),
    ENTRY(weights_arbitrary), ENTRY(one_row_free_with_bias), ENTRY(sum_two_with_bias),
    ENTRY(arbitrary_with_two_heads), ENTRY(gap_of_one_square), ENTRY(gap_of_three_squares),
    ENTRY(twice_the_floor), ENTRY(floor_past_one_half), ENTRY(negative_floor_constant),
    ENTRY(not_the_midrange), ENTRY(midrange_at_a_quarter), ENTRY(midrange_at_the_whole),
    ENTRY(mean_over_one_more), ENTRY(mean_over_one_less), ENTRY(half_the_frequency),
    ENTRY(below_the_frequency), ENTRY(t5_reverses), ENTRY(shaw_reverses), ENTRY(xl_reverses),
    ENTRY(deberta_reverses), ENTRY(tupe_reverses), ENTRY(even_bias_permutes),
    ENTRY(even_deberta_permutes), ENTRY(any_gate_reverses), ENTRY(any_gate_permutes),
    ENTRY(fewer_hits_than_one), ENTRY(second_moment_below_two), ENTRY(etp_below_the_half),
    ENTRY(larger_gap_under_reversal), ENTRY(row_sums_shifted_up), ENTRY(row_sums_shifted_down),
    ENTRY(inverse_with_a_wrong_sign), ENTRY(all_ones_position_aware), ENTRY(gate_one_offset_late),
    ENTRY(gate_one_offset_early), ENTRY(circulant_misplaced), ENTRY(even_misplaced),
    ENTRY(toeplitz_scaled_by_n_plus_one), ENTRY(toeplitz_unscaled),
    ENTRY(code_scaled_by_n_plus_one), ENTRY(code_without_the_diagonal), ENTRY(code_one_too_far),
    ENTRY(readout_twice_as_curved), ENTRY(readout_straight), ENTRY(gather_one_late),
    ENTRY(gather_one_early), ENTRY(previous_token_at_half), ENTRY(previous_token_at_99),
    ENTRY(bump_too_flat), ENTRY(bump_too_steep), ENTRY(levels_past_four), ENTRY(step_off_by_one),
    ENTRY(even_table_separates), ENTRY(constants_separate_too), ENTRY(square_from_single_hinges),
    ENTRY(logits_of_half_the_slope), ENTRY(tail_of_wider_gaps), ENTRY(margin_rises),
    ENTRY(margin_for_beta_half), ENTRY(margin_past_the_bound), ENTRY(margin_one_millionth_more),
    ENTRY(staircase_with_an_early_step), ENTRY(one_right_off_constants),
    ENTRY(two_right_on_constants),
};

enum { MUTATIONS = sizeof mutations / sizeof mutations[0] };

/* One claim whose only step is the part; the runner gives the verdict. */
static enum at_verdict decided(int (*decide)(at_claim_run *, at_error *))
{
    const at_claim claim = { "test.mutation", "a planted statement", "tests", AT_PROVED, decide, NULL };
    const at_claim_options options = { .seed = 1 };
    at_claim_run run;
    at_error err = AT_ERROR_INIT;
    ck_assert_int_eq(at_claim_decide_one(&run, &claim, NULL, 0, &options, &err), AT_OK);
    enum at_verdict verdict = run.verdict;
    at_claim_run_clear(&run);
    return verdict;
}

static int current;

static int decide_true(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, mutations[current].id, AT_METHOD_SYMBOLIC, mutations[current].part(false),
                   "true");
    return AT_OK;
}

static int decide_false(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, mutations[current].id, AT_METHOD_SYMBOLIC, mutations[current].part(true),
                   "false");
    return AT_OK;
}

START_TEST(no_false_variant_is_proved)
{
    current = _i;
    enum at_verdict truth = decided(decide_true), falsehood = decided(decide_false);
    ck_assert_msg(truth == AT_PROVED, "%s: the true part is %s", mutations[_i].id,
                  at_verdict_name(truth));
    ck_assert_msg(falsehood == AT_UNDECIDED, "%s: the false part is %s", mutations[_i].id,
                  at_verdict_name(falsehood));
}
END_TEST

/* ---- False evidence ------------------------------------------------------------ */

/* x < y by enclosures, the form of every ball step. */
static enum at_truth less(const arb_t x, const arb_t y)
{
    return arb_lt(x, y) ? AT_TRUE : AT_UNKNOWN;
}

static int decide_nan(at_claim_run *run, at_error *err)
{
    arb_t x, y;
    (void) err;
    arb_init(x);
    arb_init(y);
    arb_one(y);
    arb_indeterminate(x);
    at_claim_certify(run, "a NaN in the enclosure", AT_METHOD_BALL, less(x, y), "NaN < 1");
    arb_clear(x);
    arb_clear(y);
    return AT_OK;
}

static int decide_wide(at_claim_run *run, at_error *err)
{
    arb_t x, y;
    (void) err;
    arb_init(x);
    arb_init(y);
    arb_one(y);
    mag_one(arb_radref(x));
    at_claim_certify(run, "enclosures that touch", AT_METHOD_BALL, less(x, y), "[-1, 1] < 1");
    arb_clear(x);
    arb_clear(y);
    return AT_OK;
}

static int decide_false_one_step(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "true", AT_METHOD_SYMBOLIC, AT_TRUE, "holds");
    at_claim_prove(run, "false", AT_METHOD_SYMBOLIC, AT_FALSE, "does not hold");
    return AT_OK;
}

static int decide_failing_support(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "true", AT_METHOD_SYMBOLIC, AT_TRUE, "holds");
    at_claim_support(run, "a known value", AT_METHOD_EXACT, AT_FALSE, "comes out otherwise");
    return AT_OK;
}

static int decide_citations(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_cite(run, "a theorem", "everything follows");
    return AT_OK;
}

static int decide_float(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_prove(run, "in double precision", AT_METHOD_FLOAT, AT_TRUE, "looks right");
    return AT_OK;
}

START_TEST(weak_evidence_decides_nothing)
{
    ck_assert_int_eq(decided(decide_nan), AT_UNDECIDED);
    ck_assert_int_eq(decided(decide_wide), AT_UNDECIDED);
    ck_assert_int_eq(decided(decide_false_one_step), AT_UNDECIDED);
    ck_assert_int_eq(decided(decide_failing_support), AT_UNDECIDED);
    ck_assert_int_eq(decided(decide_citations), AT_UNDECIDED);
    ck_assert_int_eq(decided(decide_float), AT_UNDECIDED);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("mutations");
    TCase *tc = tcase_create("mutations");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, no_false_variant_is_proved, 0, MUTATIONS);
    tcase_add_test(tc, weak_evidence_decides_nothing);
    suite_add_tcase(s, tc);
    return s;
}

AT_CHECK_MAIN(suite)
