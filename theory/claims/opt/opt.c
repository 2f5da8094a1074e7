/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims opt.*: a layer as a descent step of an energy ([Y]), and where that stops. */
#include "attest/theory/claims/opt/opt.h"

/* The class of rho: its weights are not negative.  The sizes are those at which the identities with
 * indeterminate weights are decided; a theorem for every size is named beside the claim. */
#define RHO                                                                                    \
    { .name = "w", .low = "0",                                                                 \
      .text = "rho concave and non-decreasing, w_ij = rho'(z_ij) >= 0, z_ij = |y_i - y_j|^2/2" }
#define ATTENTION RHO, AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 2), AT_SIZE("N", 1, 8)
#define LAYERS RHO, AT_SIZE("n", 1, 3), AT_SIZE("d", 1, 2)
#define END { .name = NULL }
#define PSD "{w}, W positive semidefinite (as for rho = -exp(-z), log(2+z), sqrt(1+z), z/(1+z)), "
#define SELF "A = D^{-1}W with the self term, "

static const at_range majorize[] = { RHO, AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 2), END };
static const at_range attention[] = { ATTENTION, END };
static const at_range relaxation[] = {
    ATTENTION, { .name = "a", .low = "0", .high = "2" }, { .name = "b", .low = "0", .high = "1" },
    END };
static const at_range regularised[] = {
    ATTENTION, { .name = "c", .low = "0" }, { .name = "lambda", .low = "0", .open = true }, END };
static const at_range residual_input[] = { ATTENTION, { .name = "lambda", .low = "0" }, END };
static const at_range sphere[] = {
    { .name = "w", .low = "0", .text = "rho = -exp(-z), w_ij = exp(-z_ij) >= 0" }, AT_SIZE("n", 1, 4),
    AT_SIZE("d", 1, 2), { .name = "eta", .low = "0", .open = true, .text = "any skip eta_i > 0" }, END };
static const at_range value_matrix[] = {
    LAYERS, AT_SIZE("H", 1, 1), { .name = "a", .low = "0" }, END };
static const at_range heads[] = {
    LAYERS, AT_SIZE("H", 1, 2), { .name = "theta", .low = "0", .open = true,
                                  .text = "theta_i > 0" }, END };
static const at_range rate[] = {
    { .name = "w", .low = "0", .text = "rho = -exp(-z), w_ij = exp(-z_ij) >= 0" }, AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 2), AT_SIZE("N", 1, 8), END };
static const at_range averages[] = { AT_SIZE("n", 1, 5), END };
static const at_range keys[] = { { .name = "eta", .low = "0", .high = "2" }, END };
static const at_range ffn[] = {
    AT_SIZE("n", 1, 2), AT_SIZE("d", 1, 3), { .name = "a", .low = "0" }, END };
static const at_range relu[] = { AT_SIZE("N", 1, 8), { .name = "a", .low = "0" }, END };
static const at_range divergence[] = {
    { .name = "a", .low = "0", .open = true }, { .name = "kappa", .high = "1" }, END };
static const at_range symmetric[] = { AT_SIZE("N", 1, 8), END };
static const at_range half_step[] = { { .name = "b", .low = "0" }, END };
static const at_range cycle[] = { { .name = "a", .low = "0" }, END };
static const at_range cycle_limit[] = { { .name = "a", .low = "0", .open = true }, END };
static const at_range contraction[] = { AT_SIZE("n", 1, 4), AT_SIZE("d", 1, 2), END };

static const at_claim claims[] = {
    { "opt.majorize",
      "For {w}, L = D - W: E(Y') - E(Y) <= tr(Y'^T L Y')/2 - tr(Y^T L Y)/2.",
      "[Y]", AT_PROVED, at_decide_opt_majorize, majorize },
    { "opt.attention-descent",
      "For {w}, " SELF "the attention step Y' = AY (softmax_beta for rho = -exp(-z)) gives E(Y') <= E(Y) "
      "- <Delta,(D+W)Delta>/2, Delta = Y' - Y; for any W_a, without a step size.",
      "[Y], made exact by this project", AT_PROVED, at_decide_opt_attention_descent, attention },
    { "opt.relaxation",
      "For " PSD SELF "Y' = (1-a)Y + a AY never increases E for {a}; without the self term Y' = "
      "(1-b)Y + b AY for {b}, W of any kind.",
      "this project", AT_PROVED, at_decide_opt_relaxation, relaxation },
    { "opt.relaxation/past-two", "Y' = (1-a)Y + a AY never increases E for a = 9/4 either.",
      "this project", AT_REFUTED, at_decide_opt_relaxation_past_two, NULL },
    { "opt.relaxation/no-self",
      "Y' = (1-a)Y + a AY, A averaging over j != i, never increases E for a = 11/10 either.",
      "this project", AT_REFUTED, at_decide_opt_relaxation_no_self, NULL },
    { "opt.no-self-term",
      "For {w} the average over j != i with weights w_ij never "
      "increases E, but need not decrease it: two rows change places for ever.",
      "this project", AT_PROVED, at_decide_opt_no_self_term, attention },
    { "opt.no-self-term/strict",
      "The average over j != i decreases E unless Y is a fixed point.", "this project", AT_REFUTED,
      at_decide_opt_no_self_term_strict, NULL },
    { "opt.regularised",
      "For {w}, {c}, {lambda}: for c E + lambda/2 |Y|^2 the step y_i' = "
      "c sum_{j!=i} w_ij y_j/(lambda + c sum_{j!=i} w_ij) never increases it; for c = lambda = 1 "
      "and rho'(0) = 1 it is (A - diag A)Y.",
      "this project; [Y] claims it of softmax", AT_PROVED, at_decide_opt_regularised, regularised },
    { "opt.regularised/full-softmax",
      "Full softmax_beta attention descends E + |Y|^2/2, rho = -exp(-z).", "[Y]",
      AT_REFUTED, at_decide_opt_regularised_softmax, NULL },
    { "opt.regularised/full-log", "Y' = AY descends E + |Y|^2/2, rho = log(2+z).", "this project",
      AT_REFUTED, at_decide_opt_regularised_log, NULL },
    { "opt.residual-input",
      "For {w}, {lambda}: for E + lambda/2 |Y - X|^2 the step y_i' = (sum_j w_ij y_j + "
      "lambda x_i)/(sum_j w_ij + lambda) never increases it: the skip connection goes to the "
      "layer's input.",
      "[Y]", AT_PROVED, at_decide_opt_residual_input, residual_input },
    { "opt.residual-input/plain-skip", "The plain skip connection Y + AY descends E.",
      "this project", AT_REFUTED, at_decide_opt_residual_input_skip, NULL },
    { "opt.sphere-softmax",
      "For {w} and rows of equal norm: plain softmax attention with {eta}, "
      "then RMSNorm, never increases E (no row may become 0, for which there is no RMSNorm).",
      "this project", AT_PROVED, at_decide_opt_sphere_softmax, sphere },
    { "opt.value-matrix",
      "For " PSD "Y' = Y - a (Y - AY) W_a W_a^T, {a}, a |W_a|^2 <= 2, never increases E(YW_a).",
      "this project", AT_PROVED, at_decide_opt_value_matrix, value_matrix },
    { "opt.multi-head",
      "For " PSD "y_i' = y_i - theta_i sum_h d_i^h (y_i - (A^h Y)_i) W_h W_h^T with "
      "{theta}, theta_i <= 2/sum_h d_i^h |W_h|^2 never increases sum_h E(YW_h).",
      "this project", AT_PROVED, at_decide_opt_multi_head, heads },
    { "opt.rate",
      "For {w}: sum_t |Y^{t+1} - Y^t|^2 <= E(Y^0) - inf E <= n(n-1)/2.",
      "this project", AT_PROVED, at_decide_opt_rate, rate },
    { "opt.range-shrinks",
      "Any row-stochastic A shrinks max |y_i - y_j| and the range of every coordinate: plain "
      "softmax has a Lyapunov function, only not E.",
      "this project", AT_PROVED, at_decide_opt_range_shrinks, averages },
    { "opt.fixed-keys",
      "F(z) = -log sum_j exp(-|z - h_j|^2/2), keys h fixed, does not rise for "
      "z' = z - eta (z - sum_j p_j h_j), {eta}.",
      "this project", AT_PROVED, at_decide_opt_fixed_keys, keys },
    { "opt.fixed-keys/moving",
      "The dot-product energy sum_i (|y_i|^2/2 - log sum_j exp(y_i.y_j)) falls under plain softmax "
      "attention, keys moving.",
      "this project", AT_REFUTED, at_decide_opt_fixed_keys_moving, NULL },
    { "opt.plain-softmax", "Plain softmax attention descends E, rho = -exp(-z), R = 0.",
      "[Y], as its code computes it", AT_REFUTED, at_decide_opt_plain_softmax, NULL },
    { "opt.plain-softmax/regularised", "Plain softmax attention descends E + |Y|^2/2.",
      "[Y], as its code computes it", AT_REFUTED, at_decide_opt_plain_softmax_regularised, NULL },
    { "opt.causal", "Softmax_beta attention with a causal mask descends E, rho = -exp(-z).",
      "this project", AT_REFUTED, at_decide_opt_causal, NULL },
    { "opt.gram-mismatch",
      "Scores Y W^T W Y^T with beta from the rows of YW descend E(YW), rho = -exp(-z).",
      "[Y], as its code computes it", AT_REFUTED, at_decide_opt_gram_mismatch, NULL },
    { "opt.convex-rho", "Y' = AY descends E for a convex rho, rho = z^3.", "this project",
      AT_REFUTED, at_decide_opt_convex_rho, NULL },
    { "opt.summed-gaussian-lse", "Softmax_beta attention descends -sum_i log sum_j exp(-z_ij).",
      "this project", AT_REFUTED, at_decide_opt_summed_gaussian_lse, NULL },
    { "opt.ffn",
      "The step Y - a(YS + Y - B), S = sym(W_f), changes E_2 = tr(Y W_f Y^T)/2 + |Y - B|^2/2 by "
      "exactly -a <G,(I - a(I+S)/2)G>; for {a} it descends for all Y when "
      "a (1 + lambda_max(S)) <= 2.",
      "[Y], made exact by this project", AT_PROVED, at_decide_opt_ffn, ffn },
    { "opt.ffn/past",
      "The step Y - a(YS + Y - B) descends E_2 for S = 3, a = 1, where a (1 + lambda_max(S)) = 4.",
      "this project", AT_REFUTED, at_decide_opt_ffn_past, NULL },
    { "opt.ffn/unsymmetric",
      "The step Y - a(Y W_f + Y - B), with W_f in place of S = sym(W_f), descends E_2.",
      "this project", AT_REFUTED, at_decide_opt_ffn_unsymmetric, NULL },
    { "opt.relu",
      "From Y >= 0 the step ReLU(Y - aG) descends E_2 for {a}, a (1 + lambda_max(S)) <= 2.",
      "[Y]", AT_PROVED, at_decide_opt_relu, relu },
    { "opt.relu/outside",
      "The step ReLU(Y - aG) descends E_2 for a <= 2/(1 + lambda_max(S)) from any Y.",
      "this project", AT_REFUTED, at_decide_opt_relu_outside, NULL },
    { "opt.relu-divergence",
      "For x >= 0, x' = ReLU(x - xi): |x - x'|^2 >= |xi|^2 + sum_i min(x_i^2 - xi_i^2, 0); where "
      "that sum is >= -kappa |xi|^2, xi = a grad h, h L-smooth, {a}, aL <= 1, {kappa}, the step x' descends by "
      "at least a(1-kappa)|grad h|^2/2.",
      "[Y]", AT_PROVED, at_decide_opt_relu_divergence, divergence },
    { "opt.relu-symmetric",
      "For x >= 0 and W = W^T >= -I, ReLU(Wx) never increases x^T(I-W)x/2.",
      "this project; weakens a hypothesis of [Y]", AT_PROVED, at_decide_opt_relu_symmetric, symmetric },
    { "opt.relu-symmetric/signed",
      "For x of any sign and W = W^T >= -I, ReLU(Wx) never increases x^T(I-W)x/2.", "this project",
      AT_REFUTED, at_decide_opt_relu_symmetric_signed, NULL },
    { "opt.relu-nilpotent", "A spectral radius below 1 makes x -> ReLU(Wx) converge.",
      "this project", AT_REFUTED, at_decide_opt_relu_nilpotent, NULL },
    { "opt.half-step",
      "h = f + g L_h-smooth, u = grad h, p = grad f, {b}, b L_h <= 1: "
      "h(y - b grad g) <= h(y) - b(|u|^2 - |p|^2)/2.",
      "[Y], made exact by this project", AT_PROVED, at_decide_opt_half_step, half_step },
    { "opt.half-step/sharper",
      "h = f + g L_h-smooth, u = grad h, p = grad f, 0 <= b <= 1/L_h: "
      "h(y - b grad g) <= h(y) - b(|u|^2 - 99/100 |p|^2)/2.",
      "this project", AT_REFUTED, at_decide_opt_half_step_sharper, NULL },
    { "opt.apollonius",
      "Hence, f L_f-smooth with minimum y_f*, h c_h-strongly convex with minimum y_h*, a half-step "
      "descends on {|y - y_f*| <= C |y - y_h*|}, C = kappa c_h/L_f, kappa <= 1, {b}, b L_h <= 1: a ball, a "
      "half-space, or the outside of a ball.",
      "[Y]", AT_PROVED, at_decide_opt_apollonius, half_step },
    { "opt.cycle",
      "h = f + g L_h-smooth, g L_g-smooth: two half-steps of equal length {a}, a L_h <= 1, f first: "
      "h(y_2) <= h(y) - a(|grad h|^2 - a^2 L_g^2 |grad f|^2)/2.",
      "this project", AT_PROVED, at_decide_opt_cycle, cycle },
    { "opt.cycle-limit",
      "f L_f-smooth, g L_g-smooth, h = f + g c_h-strongly convex with minimum y_h*, {a}, a L_f L_g "
      "< c_h: fixed points of the cycle lie within a L_g |grad f(y_h*)|/(c_h - a L_f L_g) of y_h*.",
      "this project", AT_PROVED, at_decide_opt_cycle_limit, cycle_limit },
    { "opt.cycle/at-optimum", "A cycle with a <= 1/L_h never increases h.", "this project",
      AT_REFUTED, at_decide_opt_cycle_at_optimum, NULL },
    { "opt.relu-half-step",
      "For y >= 0 in K_kappa (opt.relu-divergence with xi = b grad g), h = f + g L_h-smooth, {b}, "
      "b L_h <= 2: the half-step ReLU(y - b grad g) does not raise h if |grad f| <= (1 - b L_h/2) "
      "sqrt(1-kappa) |grad g|.",
      "[Y]", AT_PROVED, at_decide_opt_relu_half_step, half_step },
    { "opt.parallel-layer",
      "For " PSD "y_i' = [ReLU](y_i - theta_i [d_i (y_i - (AY)_i) W_a W_a^T + y_i(I+S) - b]), "
      "{theta}, theta_i <= 2/(d_i |W_a|^2 + 1 + lambda_max(S)), never increases E(YW_a) + E_2 (with ReLU: "
      "from Y >= 0): attention and FFN in one layer that descends without a search.",
      "this project", AT_PROVED, at_decide_opt_parallel_layer, heads },
    { "opt.parallel-layer/relu-signed",
      "The parallel layer with ReLU never increases E(YW_a) + E_2 from any Y.", "this project",
      AT_REFUTED, at_decide_opt_parallel_layer_relu_signed, NULL },
    { "opt.sequential-layer",
      "Attention, then the FFN step: since each descends its own energy, the sum E_1 + E_2 falls.",
      "[Y], as recovered, without its conditions on step sizes and fixed points", AT_REFUTED, at_decide_opt_sequential_layer, NULL },
    { "opt.authors-layer",
      "The layer of the released code descends E(YW_a) + |YW_a|^2/2 + E_2.",
      "[Y], released code", AT_REFUTED, at_decide_opt_authors_layer, NULL },
    { "opt.contraction",
      "If |S| <= s < 1 then for any row-stochastic A the layer Y -> AY -> [ReLU](-YS + b) "
      "contracts max_i |y_i - y*| by s: falling mean energy curves do not by themselves test "
      "the theory.",
      "this project", AT_PROVED, at_decide_opt_contraction, contraction },
};

const at_claim_table at_claims_opt = { claims, sizeof claims / sizeof claims[0] };
