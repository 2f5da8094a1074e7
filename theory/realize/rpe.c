/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plain relative encodings can do: positions almost everywhere, and on every non-constant
 * sequence over a finite alphabet. */
#include "attest/theory/realize/impl.h"

/* ---- Almost everywhere --------------------------------------------------------------------- */

/* power·δ ≥ bound, power = 2^exponent. */
static bool power_reaches(slong exponent, const fmpq_t factor, const fmpq_t bound)
{
    fmpq_t left;

    fmpq_init(left);
    fmpq_mul_2exp(left, factor, (flint_bitcnt_t) exponent);
    bool reaches = fmpq_cmp(left, bound) >= 0;
    fmpq_clear(left);
    return reaches;
}

bool at_almost_everywhere_holds(slong n, const fmpq_t R, const fmpq_t delta, slong beta,
                                slong gamma)
{
    fmpq_t bound, one;

    fmpq_init(bound), fmpq_init(one);
    fmpq_one(one);
    fmpq_set_si(bound, 6 * (n - 1), 1);
    fmpq_mul(bound, bound, R);
    bool holds = power_reaches(beta, delta, bound);
    fmpq_set_si(bound, 4 * (n - 1), 1);
    holds = holds && power_reaches(gamma, one, bound);
    fmpq_clear(bound), fmpq_clear(one);
    return holds;
}

/* Hidden unit `unit` reads one + weights and writes p/q to column `to`. */
static void hidden_one(at_layer *layer, slong unit, const fmpq_t one, slong to, const fmpq_t out)
{
    fmpq_set(fmpq_mat_entry(layer->ffn_in, AT_AE_ONE, unit), one);
    fmpq_set(fmpq_mat_entry(layer->ffn_out, unit, to), out);
}

/* m = 1 for |u| ≤ δ/3, 0 for |u| ≥ 2δ/3, u = x + y: four ReLUs. */
static void mark_first_row(at_layer *layer, const fmpq_t delta)
{
    static const slong places[4] = { 2, 1, -1, -2 }, signs[4] = { 1, -1, -1, 1 };
    fmpq_t one, out, third;

    fmpq_init(one), fmpq_init(out), fmpq_init(third);
    fmpq_set_si(third, 1, 3);
    fmpq_mul(third, third, delta);
    for (slong unit = 0; unit < 4; unit++) {
        at_put(layer->ffn_in, AT_AE_X, unit, 1, 1);
        at_put(layer->ffn_in, AT_AE_Y, unit, 1, 1);
        fmpq_set_si(one, places[unit], 1);
        fmpq_mul(one, one, third);
        fmpq_set_si(out, signs[unit], 1);
        fmpq_div(out, out, third);
        hidden_one(layer, unit, one, AT_AE_M, out);
    }
    fmpq_clear(one), fmpq_clear(out), fmpq_clear(third);
}

/* p = n − Σ_t [q ≤ 1/(t+1)], as q_t ≥ 4/(4t+1) and q_{t+1} ≤ 1/(t+1). */
static void count_down(at_layer *layer, slong n)
{
    fmpq_t one, out;

    fmpq_init(one), fmpq_init(out);
    fmpq_set_si(one, n, 1);
    fmpq_one(out);
    hidden_one(layer, 0, one, AT_AE_P, out);
    for (slong t = 1; t < n; t++) {
        at_put(layer->ffn_in, AT_AE_Q, 2 * t - 1, 1, 1);
        at_put(layer->ffn_in, AT_AE_Q, 2 * t, 1, 1);
        fmpq_set_si(one, -1, (ulong) (t + 1));
        fmpq_set_si(out, -(4 * t + 1) * (t + 1), 3);
        hidden_one(layer, 2 * t - 1, one, AT_AE_P, out);
        fmpq_set_si(one, -4, (ulong) (4 * t + 1));
        fmpq_neg(out, out);
        hidden_one(layer, 2 * t, one, AT_AE_P, out);
    }
    fmpq_clear(one), fmpq_clear(out);
}

int at_realize_almost_everywhere(at_network_t net, slong n, const fmpq_t R, const fmpq_t delta,
                                 slong beta, slong gamma, at_error *err)
{
    at_model model = { .encoding = AT_ENC_T5, .n = (size_t) n, .inputs = 1, .outputs = 1,
                       .d = AT_AE_WIDTH, .heads = 2, .layers = 2,
                       .ffn = (size_t) FLINT_MAX(4, 2 * n - 1) };
    fmpq_t c;

    if (n < 2 || fmpq_sgn(R) <= 0 || fmpq_sgn(delta) <= 0 || beta < 0 || gamma < 0)
        return at_error_set(err, AT_USAGE, "n >= 2, R > 0, delta > 0, beta >= 0, gamma >= 0");
    int status = at_network_init(net, &model, 1, err);
    if (status != AT_OK)
        return status;
    at_put(net->embedding, 0, AT_AE_X, 1, 1);
    fmpq_mat_clear(net->embedding_bias);
    fmpq_mat_init(net->embedding_bias, 1, AT_AE_WIDTH);
    at_put(net->embedding_bias, 0, AT_AE_ONE, 1, 1);
    fmpq_init(c);
    fmpq_set_si(c, beta, 1);
    at_put_offset(net, 0, 0, 0, c);
    fmpq_set_si(c, 2 * beta, 1);
    at_put_offset(net, 0, 0, 1, c);
    fmpq_set_si(c, gamma, 1);
    for (slong k = 0; k < n; k++)
        at_put_offset(net, 1, 0, k, c);
    fmpq_clear(c);
    at_put_copy(net->layers[0].heads, 0, AT_AE_X, AT_AE_Y, -1, 1);
    mark_first_row(net->layers, delta);
    at_put_copy(net->layers[1].heads + 1, 0, AT_AE_M, AT_AE_Q, 1, 1);
    count_down(net->layers + 1, n);
    at_put(net->readout, AT_AE_P, 0, 1, 1);
    return AT_OK;
}

/* ---- Finite alphabets ---------------------------------------------------------------------- */

/* The value q of one row of one sequence; code: the sequence as a number in base V. */
typedef struct { at_expqf_t q; slong position, code; double about; } separated;

static int by_value(const void *left, const void *right)
{
    const separated *a = left, *b = right;

    /* doubles settle all but near ties */
    if (a->about < b->about - 1e-9)
        return -1;
    if (a->about > b->about + 1e-9)
        return 1;
    return at_expqf_cmp(a->q, b->q);
}

/* q_i = Σ_j e^{b_{i−j}} x_j / Σ_j e^{b_{i−j}}. */
static void value_of(separated *s, slong n, slong V, const fmpq *b)
{
    fmpq *ones = flint_malloc((size_t) n * sizeof *ones), *x = flint_malloc((size_t) n * sizeof *x);
    fmpq *exponents = flint_malloc((size_t) n * sizeof *exponents);
    at_expq_t num, den;
    slong code = s->code;

    at_expq_init(num), at_expq_init(den);
    for (slong j = 0; j < n; j++, code /= V) {
        fmpq_init(ones + j), fmpq_init(x + j), fmpq_init(exponents + j);
        fmpq_one(ones + j);
        fmpq_set_si(x + j, code % V, 1);
        fmpq_set(exponents + j, b + (s->position - 1 - j) + n - 1);
    }
    at_expq_set_terms(num, x, exponents, n);
    at_expq_set_terms(den, ones, exponents, n);
    at_expqf_set_frac(s->q, num, den);
    s->about = at_expqf_get_d(s->q);
    at_expq_clear(num), at_expq_clear(den);
    for (slong j = 0; j < n; j++)
        fmpq_clear(ones + j), fmpq_clear(x + j), fmpq_clear(exponents + j);
    flint_free(ones), flint_free(x), flint_free(exponents);
}

static bool is_constant(slong code, slong n, slong V)
{
    slong first = code % V;

    for (slong j = 0; j < n; j++, code /= V)
        if (code % V != first)
            return false;
    return true;
}

/* Refinement of a < b ends; that of values which are out of order would not. */
enum { MOST_BITS = 1 << 18 };

/* a < l < h < b, rationals with small denominators; false when a < b is not seen. */
static bool rationals_between(fmpq_t l, fmpq_t h, const at_expqf_t a, const at_expqf_t b)
{
    arb_t lower, upper;
    arf_t start, end;
    fmpq_t from, to, third;
    bool apart = false;

    arb_init(lower), arb_init(upper), arf_init(start), arf_init(end);
    fmpq_init(from), fmpq_init(to), fmpq_init(third);
    for (slong bits = 64; !apart && bits <= MOST_BITS; bits *= 2) {
        at_expqf_get_arb(lower, a, bits);
        at_expqf_get_arb(upper, b, bits);
        arb_get_ubound_arf(start, lower, bits);
        arb_get_lbound_arf(end, upper, bits);
        apart = arf_is_finite(start) && arf_is_finite(end) && arf_cmp(start, end) < 0;
    }
    if (apart) {
        arf_get_fmpq(from, start);
        arf_get_fmpq(to, end);
        fmpq_sub(l, to, from);
        fmpq_set_si(third, 1, 3);
        fmpq_mul(third, third, l);
        fmpq_add(from, from, third);
        fmpq_sub(to, to, third);
        /* l in the first third, h in the last */
        fmpq_sub(l, from, third);
        fmpq_simplest_between(l, l, from);
        fmpq_add(h, to, third);
        fmpq_simplest_between(h, to, h);
    }
    arb_clear(lower), arb_clear(upper), arf_clear(start), arf_clear(end);
    fmpq_clear(from), fmpq_clear(to), fmpq_clear(third);
    return apart;
}

/* All values of non-constant sequences, sorted; returns their number. */
static slong collect_values(separated **all, slong n, slong V, slong sequences, const fmpq *b)
{
    slong count = 0;

    *all = flint_malloc((size_t) (sequences * n) * sizeof **all);
    for (slong code = 0; code < sequences; code++) {
        for (slong i = 1; i <= n && !is_constant(code, n, V); i++) {
            separated *s = *all + count++;
            at_expqf_init(s->q);
            s->position = i;
            s->code = code;
            value_of(s, n, V, b);
        }
    }
    qsort(*all, (size_t) count, sizeof **all, by_value);
    return count;
}

/* Number of places where the position changes; −1, and err, when two positions share a value. */
static slong count_jumps(const separated *all, slong count, at_error *err)
{
    slong jumps = 0;

    for (slong k = 1; k < count; k++) {
        if (all[k].position == all[k - 1].position)
            continue;
        if (at_expqf_equal(all[k].q, all[k - 1].q)) {
            at_error_set(err, AT_UNEXPECTED, "the biases do not separate: sequence %ld, row %ld "
                         "and sequence %ld, row %ld have the same value", (long) all[k - 1].code,
                         (long) all[k - 1].position, (long) all[k].code, (long) all[k].position);
            return -1;
        }
        jumps++;
    }
    return jumps;
}

/* p = first + Σ step (relu(q − l) − relu(q − h))/(h − l). */
static int build_stairs(at_network_t net, fmpq *margin, const separated *all, slong count,
                        at_error *err)
{
    at_layer *layer = net->layers;
    fmpq_t l, h, slope;
    slong unit = 0;
    int status = AT_OK;

    fmpq_init(l), fmpq_init(h), fmpq_init(slope);
    at_put(layer->ffn_in, AT_FA_ONE, unit, all[0].position, 1);
    at_put(layer->ffn_out, unit++, AT_FA_P, 1, 1);
    for (slong k = 1; k < count; k++) {
        if (all[k].position == all[k - 1].position)
            continue;
        if (!rationals_between(l, h, all[k - 1].q, all[k].q)) {
            status = at_error_set(err, AT_UNEXPECTED, "two values are not told apart with %d bits",
                                  MOST_BITS);
            break;
        }
        fmpq_sub(slope, h, l);
        if (margin != NULL && (unit == 1 || fmpq_cmp(slope, margin) < 0))
            fmpq_set(margin, slope);
        fmpq_inv(slope, slope);
        fmpq_mul_si(slope, slope, all[k].position - all[k - 1].position);
        at_put(layer->ffn_in, AT_FA_Q, unit, 1, 1);
        fmpq_neg(fmpq_mat_entry(layer->ffn_in, AT_FA_ONE, unit), l);
        fmpq_set(fmpq_mat_entry(layer->ffn_out, unit++, AT_FA_P), slope);
        at_put(layer->ffn_in, AT_FA_Q, unit, 1, 1);
        fmpq_neg(fmpq_mat_entry(layer->ffn_in, AT_FA_ONE, unit), h);
        fmpq_neg(fmpq_mat_entry(layer->ffn_out, unit++, AT_FA_P), slope);
    }
    fmpq_clear(l), fmpq_clear(h), fmpq_clear(slope);
    return status;
}

static int start_alphabet(at_network_t net, slong n, slong jumps, const fmpq *b, at_error *err)
{
    at_model model = { .encoding = AT_ENC_T5, .n = (size_t) n, .inputs = 1, .outputs = 1,
                       .d = AT_FA_WIDTH, .heads = 1, .layers = 1,
                       .ffn = (size_t) (2 * jumps + 1) };
    int status = at_network_init(net, &model, 1, err);

    if (status != AT_OK)
        return status;
    at_put(net->embedding, 0, AT_FA_X, 1, 1);
    fmpq_mat_clear(net->embedding_bias);
    fmpq_mat_init(net->embedding_bias, 1, AT_FA_WIDTH);
    at_put(net->embedding_bias, 0, AT_FA_ONE, 1, 1);
    for (slong k = -(n - 1); k < n; k++)
        at_put_offset(net, 0, 0, k, b + k + n - 1);
    at_put_copy(net->layers[0].heads, 0, AT_FA_X, AT_FA_Q, 1, 1);
    at_put(net->readout, AT_FA_P, 0, 1, 1);
    return AT_OK;
}

int at_realize_finite_alphabet(at_network_t net, fmpq *margin, slong n, slong V, const fmpq *b,
                               at_error *err)
{
    slong sequences = 1, count, jumps;
    separated *all;
    int status = AT_OK;

    if (n < 2 || V < 2)
        return at_error_set(err, AT_USAGE, "n >= 2 and V >= 2");
    for (slong i = 0; i < n && sequences <= 100000; i++)
        sequences *= V;
    if (sequences > 100000)
        return at_error_set(err, AT_USAGE, "more than 100000 sequences");
    count = collect_values(&all, n, V, sequences, b);
    jumps = count_jumps(all, count, err);
    if (jumps < 0)
        status = AT_UNEXPECTED;
    else
        status = start_alphabet(net, n, jumps, b, err);
    if (status == AT_OK && (status = build_stairs(net, margin, all, count, err)) != AT_OK)
        at_network_clear(net);
    for (slong k = 0; k < count; k++)
        at_expqf_clear(all[k].q);
    flint_free(all);
    return status;
}
