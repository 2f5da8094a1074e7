/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/network, theory/encoding: exact values known by hand, exact against balls, collapse seen
 * by the general engine, errors. */
#include "theory/network.h"
#include "tests/at_check.h"

/* ---- Small networks ------------------------------------------------------------------------ */

/* One layer, one head, d = d_h = 1, W_Q = 0, W_V = W_O = 1, no FFN. */
static void unit_network(at_network_t net, enum at_encoding_id encoding, size_t n)
{
    at_model model = { .encoding = encoding, .n = n, .d = 1, .heads = 1, .layers = 1, .inputs = 0 };
    at_error err = AT_ERROR_INIT;

    ck_assert_msg(at_network_init(net, &model, 1, &err) == AT_OK, "%s", err.text);
    fmpq_one(fmpq_mat_entry(net->layers[0].heads[0].value, 0, 0));
    fmpq_one(fmpq_mat_entry(net->layers[0].heads[0].output, 0, 0));
}

/* table t of the only head, column col = p/q. */
static void set_table(at_network_t net, int t, slong row, slong col, slong p, ulong q)
{
    fmpq_set_si(fmpq_mat_entry(net->layers[0].heads[0].tables[t], row, col), p, q);
}

static void set_column(fmpq_mat_t x, const slong *values, slong n)
{
    fmpq_mat_clear(x);
    fmpq_mat_init(x, n, 1);
    for (slong i = 0; i < n; i++)
        fmpq_set_si(fmpq_mat_entry(x, i, 0), values[i], 1);
}

static void expect_entry(const at_expqf_mat_t y, slong i, slong j, const char *expected)
{
    at_expqf_t value;
    at_error err = AT_ERROR_INIT;

    at_expqf_init(value);
    ck_assert_msg(at_expqf_set_str(value, expected, &err) == AT_OK, "%s: %s", expected, err.text);
    char *got = at_expqf_get_str(at_expqf_mat_entry(y, i, j));
    ck_assert_msg(at_expqf_equal(value, at_expqf_mat_entry(y, i, j)),
                  "row %ld, column %ld: %s, expected %s", (long) i + 1, (long) j + 1, got, expected);
    flint_free(got);
    at_expqf_clear(value);
}

/* Rows of the network on the column x. */
static void expect_rows(const at_network_t net, const slong *x, slong n, const char *const *rows)
{
    fmpq_mat_t input;
    at_expqf_mat_t y;
    at_error err = AT_ERROR_INIT;

    fmpq_mat_init(input, 0, 0), at_expqf_mat_init(y, 0, 0);
    set_column(input, x, n);
    ck_assert_msg(at_network_eval_exact(y, net, input, &err) == AT_OK, "%s", err.text);
    ck_assert_int_eq(y->rows, n);
    for (slong i = 0; i < n; i++)
        expect_entry(y, i, 0, rows[i]);
    fmpq_mat_clear(input), at_expqf_mat_clear(y);
}

#define ROWS(...) ((const char *const[]) { __VA_ARGS__ })
#define TOKENS(...) ((const slong[]) { __VA_ARGS__ })

/* ---- Known values -------------------------------------------------------------------------- */

START_TEST(shaw_values)
{
    at_network_t net;

    unit_network(net, AT_ENC_SHAW, 2);
    fmpq_zero(fmpq_mat_entry(net->layers[0].heads[0].value, 0, 0));
    set_table(net, 1, 0, 0, -1, 1);
    set_table(net, 1, 2, 0, 1, 1);
    expect_rows(net, TOKENS(1, 1), 2, ROWS("1/2", "3/2"));
    at_network_clear(net);
}
END_TEST

START_TEST(absolute_positions)
{
    at_network_t net;
    at_model model = { .encoding = AT_ENC_SINUSOIDAL, .n = 3, .d = 2, .heads = 1 };
    fmpq_mat_t rotation, x;
    at_expqf_mat_t y;

    unit_network(net, AT_ENC_LEARNED, 2);
    fmpq_zero(fmpq_mat_entry(net->layers[0].heads[0].output, 0, 0));
    fmpq_set_si(fmpq_mat_entry(net->positions, 1, 0), 1, 1);
    expect_rows(net, TOKENS(5, 5), 2, ROWS("5", "6"));
    at_network_clear(net);

    ck_assert_int_eq(at_network_init(net, &model, 0, NULL), AT_OK);
    fmpq_mat_init(rotation, 1, 2), fmpq_mat_init(x, 2, 2), at_expqf_mat_init(y, 0, 0);
    fmpq_set_si(fmpq_mat_entry(rotation, 0, 0), 3, 5);
    fmpq_set_si(fmpq_mat_entry(rotation, 0, 1), 4, 5);
    at_network_set_sinusoid(net, rotation);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, NULL), AT_OK);
    expect_entry(y, 0, 0, "3/5");
    expect_entry(y, 0, 1, "4/5");
    expect_entry(y, 1, 0, "-7/25");
    expect_entry(y, 1, 1, "24/25");
    fmpq_mat_clear(rotation), fmpq_mat_clear(x), at_expqf_mat_clear(y);
    at_network_clear(net);
}
END_TEST

START_TEST(l2_norm)
{
    at_network_t net;

    unit_network(net, AT_ENC_L2_NORM, 2);
    fmpq_one(fmpq_mat_entry(net->layers[0].heads[0].query, 0, 0));
    fmpq_one(fmpq_mat_entry(net->layers[0].heads[0].key, 0, 0));
    set_table(net, 1, 0, 0, 4, 3);
    set_table(net, 1, 0, 2, 12, 5);
    expect_rows(net, TOKENS(1, 1), 2, ROWS("12/5", "30/13"));
    at_network_clear(net);
}
END_TEST

START_TEST(relu2)
{
    at_network_t net;

    unit_network(net, AT_ENC_RELU2, 2);
    set_table(net, 0, 0, 2, 1, 1);
    expect_rows(net, TOKENS(1, 1), 2, ROWS("1", "3/2"));
    at_network_clear(net);
}
END_TEST

START_TEST(stable_mask)
{
    at_network_t net;

    unit_network(net, AT_ENC_STABLE_MASK, 3);
    expect_rows(net, TOKENS(1, 1, 1), 3, ROWS("4/3", "5/3", "2"));
    expect_rows(net, TOKENS(1, 2, 3), 3, ROWS("4/3", "3", "5"));
    /* P: row 1 sees e and e² besides 1 */
    set_table(net, 0, 0, 1, 1, 1);
    set_table(net, 0, 0, 2, 2, 1);
    set_table(net, 0, 1, 0, 9, 1);   /* below the diagonal: not read */
    expect_rows(net, TOKENS(1, 1, 1), 3, ROWS("1 + 1/(1+e+e^2)", "5/3", "2"));
    at_network_clear(net);
    unit_network(net, AT_ENC_STABLE_MASK, 2);
    expect_rows(net, TOKENS(1, 1), 2, ROWS("3/2", "2"));
    at_network_clear(net);
}
END_TEST

/* A token of its own at the front: data like any other. */
START_TEST(distinguished_token)
{
    at_network_t net;

    unit_network(net, AT_ENC_T5, 3);
    set_table(net, 0, 0, 3, 1, 1);
    expect_rows(net, TOKENS(1, 0, 0), 3, ROWS("4/3", "e/(e+2)", "1/(e+2)"));
    at_network_clear(net);

    unit_network(net, AT_ENC_ALIBI_SYMMETRIC, 3);
    set_table(net, 0, 0, 0, 1, 1);
    expect_rows(net, TOKENS(1, 0, 0), 3,
                ROWS("1 + 1/(1+1/e+1/e^2)", "1/(e+2)", "1/(1+e+e^2)"));
    at_network_clear(net);

    unit_network(net, AT_ENC_NONE, 4);
    net->mask = AT_MASK_CAUSAL;
    expect_rows(net, TOKENS(1, 0, 0, 0), 4, ROWS("2", "1/2", "1/3", "1/4"));
    net->mask = AT_MASK_NONE;
    expect_rows(net, TOKENS(1, 0, 0), 3, ROWS("4/3", "1/3", "1/3"));
    at_network_clear(net);
}
END_TEST

START_TEST(prepended_token)
{
    at_network_t net;
    fmpq_mat_t token, x;
    at_expqf_mat_t y;

    unit_network(net, AT_ENC_NONE, 4);
    net->mask = AT_MASK_CAUSAL;
    fmpq_mat_init(token, 1, 1), fmpq_mat_init(x, 3, 1), at_expqf_mat_init(y, 0, 0);
    fmpq_one(fmpq_mat_entry(token, 0, 0));
    at_network_prepend(net, token);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, NULL), AT_OK);
    ck_assert_int_eq(y->rows, 4);
    const char *const rows[] = { "2", "1/2", "1/3", "1/4" };
    for (slong i = 0; i < 4; i++)
        expect_entry(y, i, 0, rows[i]);
    fmpq_mat_clear(token), fmpq_mat_clear(x), at_expqf_mat_clear(y);
    at_network_clear(net);
}
END_TEST

START_TEST(empty_mask)
{
    at_network_t net;

    unit_network(net, AT_ENC_NONE, 2);
    net->mask = AT_MASK_STRICT;
    expect_rows(net, TOKENS(1, 1), 2, ROWS("1", "2"));
    at_network_clear(net);
}
END_TEST

/* c_k = 1 for k ≤ 0: a value bias is no longer harmless. */
START_TEST(urpe_value_bias)
{
    at_network_t net;
    at_head *head;

    unit_network(net, AT_ENC_URPE, 3);
    head = net->layers[0].heads;
    set_table(net, 1, 0, 3, 0, 1);
    set_table(net, 1, 0, 4, 0, 1);
    fmpq_mat_clear(head->value_bias);
    fmpq_mat_init(head->value_bias, 1, 1);
    fmpq_one(fmpq_mat_entry(head->value_bias, 0, 0));
    expect_rows(net, TOKENS(0, 0, 0), 3, ROWS("1", "2/3", "1/3"));
    at_network_clear(net);
}
END_TEST

START_TEST(rope_reversal)
{
    at_model model = { .encoding = AT_ENC_ROPE, .n = 2, .d = 2, .heads = 1, .layers = 1 };
    at_network_t net;
    fmpq_mat_t x;
    at_expqf_mat_t y;
    at_head *head;

    ck_assert_int_eq(at_network_init(net, &model, 0, NULL), AT_OK);
    head = net->layers[0].heads;
    fmpq_mat_one(head->query), fmpq_mat_one(head->key);
    fmpq_mat_one(head->value), fmpq_mat_one(head->output);
    fmpq_mat_init(x, 2, 2), at_expqf_mat_init(y, 0, 0);
    fmpq_mat_one(x);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, NULL), AT_OK);
    expect_entry(y, 0, 0, "(2 + e^(-9/5))/(1 + e^(-9/5))");
    fmpq_mat_swap_rows(x, NULL, 0, 1);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, NULL), AT_OK);
    expect_entry(y, 1, 0, "(2 + e^(-1/5))/(1 + e^(-1/5))");
    fmpq_mat_clear(x), at_expqf_mat_clear(y);
    at_network_clear(net);
}
END_TEST

START_TEST(t5_reversal)
{
    at_network_t net;

    unit_network(net, AT_ENC_T5, 2);
    set_table(net, 0, 0, 2, 1, 1);
    expect_rows(net, TOKENS(0, 1), 2, ROWS("1/2", "1 + 1/(1+e)"));
    /* J g(JX): the rows of g(1, 0) from below */
    expect_rows(net, TOKENS(1, 0), 2, ROWS("3/2", "e/(1+e)"));
    at_network_clear(net);

    unit_network(net, AT_ENC_NONE, 2);
    net->mask = AT_MASK_CAUSAL;
    expect_rows(net, TOKENS(0, 1), 2, ROWS("0", "3/2"));
    expect_rows(net, TOKENS(1, 0), 2, ROWS("2", "1/2"));
    at_network_clear(net);
}
END_TEST

START_TEST(urpe_row_sums)
{
    at_network_t net;
    const slong n = 4;

    unit_network(net, AT_ENC_URPE, (size_t) n);
    /* c_k = 2k + 1 for k ≥ 0: row sums i², over n by the uniform softmax */
    for (slong k = -(n - 1); k < n; k++)
        set_table(net, 1, 0, k + n - 1, k >= 0 ? n * (2 * k + 1) : 0, 1);
    expect_rows(net, TOKENS(1, 1, 1, 1), 4, ROWS("2", "5", "10", "17"));
    at_network_clear(net);
}
END_TEST

/* ---- Formulas by hand for the encodings without a witness of their own ---------------------- */

/* Attention weights on x = 0 with W_Q = 0 are those of the positional part alone. */
static void expect_weights(const at_network_t net, slong n, const char *const *weights)
{
    fmpq_mat_t x;
    at_expqf_mat_t a;
    at_error err = AT_ERROR_INIT;

    fmpq_mat_init(x, n, net->d), at_expqf_mat_init(a, 0, 0);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < net->d; j++)
            fmpq_one(fmpq_mat_entry(x, i, j));
    ck_assert_msg(at_network_attention_exact(a, net, 0, 0, x, &err) == AT_OK, "%s", err.text);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            expect_entry(a, i, j, weights[i * n + j]);
    fmpq_mat_clear(x), at_expqf_mat_clear(a);
}

START_TEST(kerple)
{
    at_network_t net;

    unit_network(net, AT_ENC_KERPLE_LOG, 2);
    set_table(net, 0, 0, 0, 2, 1);
    set_table(net, 0, 0, 1, 1, 2);   /* (3/2)^−2 = 4/9 */
    expect_weights(net, 2, ROWS("9/13", "4/13", "4/13", "9/13"));
    at_network_clear(net);

    unit_network(net, AT_ENC_KERPLE_POWER, 3);
    set_table(net, 0, 0, 0, 1, 2);
    set_table(net, 0, 0, 1, 2, 1);
    expect_weights(net, 3, ROWS("1/(1+e^(-1/2)+e^-2)", "e^(-1/2)/(1+e^(-1/2)+e^-2)",
                                "e^-2/(1+e^(-1/2)+e^-2)", "e^(-1/2)/(1+2*e^(-1/2))",
                                "1/(1+2*e^(-1/2))", "e^(-1/2)/(1+2*e^(-1/2))",
                                "e^-2/(1+e^(-1/2)+e^-2)", "e^(-1/2)/(1+e^(-1/2)+e^-2)",
                                "1/(1+e^(-1/2)+e^-2)"));
    at_network_clear(net);
}
END_TEST

/* ψ(x) = 1 + x, L = 1, f(z) = 6 ReLU(z): row 1: z = 1/2, 2/2; row 2: z = 2/3, 1/3. */
START_TEST(fire)
{
    at_network_t net;

    unit_network(net, AT_ENC_FIRE, 2);
    set_table(net, 0, 0, 1, 1, 1);
    set_table(net, 1, 0, 0, 1, 1);
    set_table(net, 3, 0, 0, 6, 1);
    expect_weights(net, 2, ROWS("e^3/(e^3+e^6)", "e^6/(e^3+e^6)", "e^4/(e^4+e^2)",
                                "e^2/(e^4+e^2)"));
    at_network_clear(net);
}
END_TEST

START_TEST(graphs)
{
    at_network_t net;
    slong edges[][2] = { { 0, 2 } };

    unit_network(net, AT_ENC_GRAPH_URPE, 3);
    at_network_set_graph(net, edges, 1);
    ck_assert_int_eq(net->distance[0 * 3 + 2], 1);
    ck_assert_int_eq(net->distance[0 * 3 + 1], -1);
    set_table(net, 0, 0, 1, 1, 1);    /* neighbours: e */
    set_table(net, 0, 0, 3, 2, 1);    /* out of reach: e² */
    set_table(net, 1, 0, 3, -1, 1);   /* … with gate −1 */
    expect_weights(net, 3, ROWS("1/(1+e+e^2)", "-e^2/(1+e+e^2)", "e/(1+e+e^2)",
                                "-e^2/(1+2*e^2)", "1/(1+2*e^2)", "-e^2/(1+2*e^2)",
                                "e/(1+e+e^2)", "-e^2/(1+e+e^2)", "1/(1+e+e^2)"));
    at_network_clear(net);
}
END_TEST

/* One coordinate, x = 1 everywhere, so that q = W_Q, k = W_K: every product of the logits. */
START_TEST(vectors)
{
    at_network_t net;
    at_head *head;

    unit_network(net, AT_ENC_TRANSFORMER_XL, 2);
    head = net->layers[0].heads;
    fmpq_set_si(fmpq_mat_entry(head->query, 0, 0), 2, 1);
    set_table(net, 0, 0, 0, 1, 1);    /* r_{−1} = 1, r_0 = 0, r_1 = 3 */
    set_table(net, 0, 2, 0, 3, 1);
    set_table(net, 1, 0, 0, 1, 2);    /* W_R = 1/2 */
    set_table(net, 3, 0, 0, 4, 1);    /* w = 4: s = (2 + 4) r/2 */
    expect_weights(net, 2, ROWS("1/(1+e^3)", "e^3/(1+e^3)", "e^9/(1+e^9)", "1/(1+e^9)"));
    at_network_clear(net);

    unit_network(net, AT_ENC_SHAW_K, 3);
    head = net->layers[0].heads;
    fmpq_one(fmpq_mat_entry(head->query, 0, 0));
    at_head_resize_table(head, 0, 3, 1);   /* window 1: offsets ±2 as ±1 */
    set_table(net, 0, 0, 0, 1, 1);
    set_table(net, 0, 2, 0, -1, 1);
    expect_weights(net, 3, ROWS("1/(1+2*e)", "e/(1+2*e)", "e/(1+2*e)",
                                "e^-1/(e^-1+1+e)", "1/(e^-1+1+e)", "e/(e^-1+1+e)",
                                "e^-1/(1+2*e^-1)", "e^-1/(1+2*e^-1)", "1/(1+2*e^-1)"));
    at_network_clear(net);

    unit_network(net, AT_ENC_DEBERTA, 2);
    head = net->layers[0].heads;
    fmpq_one(fmpq_mat_entry(head->query, 0, 0));
    fmpq_one(fmpq_mat_entry(head->key, 0, 0));
    at_head_resize_table(head, 0, 2, 1);   /* w = 1: δ = 0 for k < 0, 1 for k ≥ 0 (clipped) */
    set_table(net, 0, 0, 0, 1, 1);
    set_table(net, 0, 1, 0, 2, 1);
    set_table(net, 1, 0, 0, 1, 1);
    set_table(net, 2, 0, 0, 10, 1);
    /* s_11 = 1 + P(1) + 10 P(1) = 23, s_12 = 1 + P(0) + 10 P(1) = 22, s_21 = 1 + 2 + 10 = 13 */
    expect_weights(net, 2, ROWS("e/(1+e)", "1/(1+e)", "1/(1+e^10)", "e^10/(1+e^10)"));
    at_network_clear(net);

    unit_network(net, AT_ENC_TUPE, 2);
    fmpq_one(fmpq_mat_entry(net->positions, 0, 0));
    fmpq_set_si(fmpq_mat_entry(net->positions, 1, 0), 2, 1);
    set_table(net, 0, 0, 0, 1, 1);
    set_table(net, 1, 0, 0, 3, 1);    /* s_ij = 3 p_i p_j */
    expect_weights(net, 2, ROWS("e^3/(e^3+e^6)", "e^6/(e^3+e^6)", "e^6/(e^6+e^12)",
                                "e^12/(e^6+e^12)"));
    at_network_clear(net);
}
END_TEST

/* Float logarithms as in T5's own form, away from their ties. */
START_TEST(buckets)
{
    ck_assert_int_eq(at_t5_bucket(0, 32, 128, true), 0);
    ck_assert_int_eq(at_t5_bucket(7, 32, 128, true), 7);
    ck_assert_int_eq(at_t5_bucket(-7, 32, 128, true), 23);
    ck_assert_int_eq(at_t5_bucket(8, 32, 128, true), 8);
    ck_assert_int_eq(at_t5_bucket(16, 32, 128, true), 10);   /* a tie: log 2/log 16 = 1/4 */
    ck_assert_int_eq(at_t5_bucket(32, 32, 128, true), 12);
    ck_assert_int_eq(at_t5_bucket(64, 32, 128, true), 14);
    ck_assert_int_eq(at_t5_bucket(127, 32, 128, true), 15);
    ck_assert_int_eq(at_t5_bucket(100000, 32, 128, true), 15);
    ck_assert_int_eq(at_t5_bucket(-5, 32, 128, false), 0);
    ck_assert_int_eq(at_t5_bucket(15, 32, 128, false), 15);
    for (slong k = 16; k < 128; k++) {
        double place = log((double) k / 16) / log(8.0) * 16;
        if (fabs(place - nearbyint(place)) > 1e-9)
            ck_assert_int_eq(at_t5_bucket(k, 32, 128, false), 16 + (slong) floor(place));
    }
}
END_TEST

/* ---- The two evaluations against each other ------------------------------------------------- */

static at_model random_model(enum at_encoding_id encoding, at_test_random *r)
{
    at_model model = {
        .encoding = encoding, .n = (size_t) at_test_between(r, 1, 4),
        .d = (size_t) (2 * at_test_between(r, 1, 2)), .heads = (size_t) at_test_between(r, 1, 2),
        .layers = (size_t) at_test_between(r, 1, 2), .ffn = (size_t) at_test_between(r, 0, 3),
        .causal = at_test_below(r, 2) == 0, .biases = at_test_below(r, 2) == 0,
        .outputs = (size_t) at_test_between(r, 0, 2), .inputs = (size_t) at_test_between(r, 0, 3),
    };
    return model;
}

static void random_input(fmpq_mat_t x, const at_network_t net, slong rows, at_random *g)
{
    slong inputs = fmpq_mat_nrows(net->embedding);

    fmpq_mat_clear(x);
    fmpq_mat_init(x, rows, inputs > 0 ? inputs : net->d);
    at_random_fmpq_mat(x, g, 2, 2, 0);
}

/* Every exact entry lies in the ball computed from the same weights; most first layers are exact.
 * */
static void compare_engines(enum at_encoding_id encoding, unsigned long rounds)
{
    at_network_t net;
    fmpq_mat_t x;
    at_expqf_mat_t y;
    arb_mat_t balls;
    arb_t exact;
    int evaluated = 0;

    fmpq_mat_init(x, 0, 0), at_expqf_mat_init(y, 0, 0), arb_mat_init(balls, 0, 0), arb_init(exact);
    AT_ROUNDS(r, rounds) {
        at_error err = AT_ERROR_INIT;
        at_model model = random_model(encoding, &r);
        at_random g = at_random_seed(at_test_bits(&r));
        if (at_test_below(&r, 2) == 0)
            model.layers = 1;
        ck_assert_msg(at_network_init(net, &model, 2, &err) == AT_OK, "%s", err.text);
        at_network_random(net, &g, 2, 2);
        if (model.layers > 1)
            at_network_zero_queries(net);
        random_input(x, net, at_random_between(&g, 1, net->n), &g);
        int status = at_network_eval_ball(balls, net, x, 200, &err);
        AT_EXPECT(&r, status == AT_OK, "%s: %s", at_encodings[encoding].name, err.text);
        status = at_network_eval_exact(y, net, x, &err);
        AT_EXPECT(&r, status == AT_OK || status == AT_LEFT_FIELD, "%s", err.text);
        for (slong i = 0; status == AT_OK && i < y->rows; i++) {
            for (slong j = 0; j < y->cols; j++) {
                at_expqf_get_arb(exact, at_expqf_mat_entry(y, i, j), 250);
                AT_EXPECT(&r, arb_is_finite(arb_mat_entry(balls, i, j))
                              && arb_overlaps(arb_mat_entry(balls, i, j), exact)
                              && mag_cmp_2exp_si(arb_radref(arb_mat_entry(balls, i, j)), -80) < 0,
                          "%s, entry %ld, %ld", at_encodings[encoding].name, (long) i, (long) j);
            }
        }
        evaluated += status == AT_OK;
        at_network_clear(net);
    }
    ck_assert_msg(evaluated > 0, "%s never stayed exact", at_encodings[encoding].name);
    fmpq_mat_clear(x), at_expqf_mat_clear(y), arb_mat_clear(balls), arb_clear(exact);
}

START_TEST(exact_against_balls)
{
    compare_engines((enum at_encoding_id) _i, 24);
}
END_TEST

/* ---- Collapse, as the engine sees it --------------------------------------------------------- */

static bool rows_differ(const arb_mat_t y)
{
    for (slong i = 1; i < arb_mat_nrows(y); i++)
        for (slong j = 0; j < arb_mat_ncols(y); j++)
            if (arb_ne(arb_mat_entry(y, i, j), arb_mat_entry(y, 0, j)))
                return true;
    return false;
}

/* Constant sequences through random networks: encodings whose rows of weights sum to 1 give equal
 * rational rows, equal to those of length 1; the others show some network that does not. */
START_TEST(collapse)
{
    enum at_encoding_id encoding = (enum at_encoding_id) _i;
    at_network_t net;
    fmpq_mat_t x, one;
    at_expqf_mat_t y, single;
    arb_mat_t balls;
    bool escaped = false;

    arb_mat_init(balls, 0, 0);
    fmpq_mat_init(x, 0, 0), fmpq_mat_init(one, 0, 0);
    at_expqf_mat_init(y, 0, 0), at_expqf_mat_init(single, 0, 0);
    AT_ROUNDS(r, 40) {
        at_error err = AT_ERROR_INIT;
        at_model model = random_model(encoding, &r);
        at_random g = at_random_seed(at_test_bits(&r));
        model.n = (size_t) at_test_between(&r, 2, 4);
        model.layers = (size_t) at_test_between(&r, 1, 4);
        ck_assert_int_eq(at_network_init(net, &model, 2, &err), AT_OK);
        at_network_random(net, &g, 2, 2);
        random_input(one, net, 1, &g);
        fmpq_mat_clear(x);
        fmpq_mat_init(x, net->n, fmpq_mat_ncols(one));
        for (slong i = 0; i < net->n; i++)
            for (slong j = 0; j < fmpq_mat_ncols(one); j++)
                fmpq_set(fmpq_mat_entry(x, i, j), fmpq_mat_entry(one, 0, j));
        int status = at_network_eval_exact(y, net, x, &err);
        if (at_encodings[encoding].right_stochastic) {
            AT_EXPECT(&r, status == AT_OK, "%s", err.text);
            AT_EXPECT(&r, at_expqf_mat_rows_equal(y) && at_expqf_mat_get_fmpq_mat(NULL, y),
                      "%s does not collapse", at_encodings[encoding].name);
            status = at_network_eval_exact(single, net, one, &err);
            AT_EXPECT(&r, status == AT_OK, "%s", err.text);
            for (slong j = 0; j < y->cols; j++)
                AT_EXPECT(&r, at_expqf_equal(at_expqf_mat_entry(y, 0, j),
                                             at_expqf_mat_entry(single, 0, j)), "length 1");
        } else {
            escaped = escaped || (status == AT_OK && !at_expqf_mat_rows_equal(y));
            ck_assert_int_eq(at_network_eval_ball(balls, net, x, 200, &err), AT_OK);
            escaped = escaped || rows_differ(balls);
        }
        at_network_clear(net);
    }
    ck_assert(at_encodings[encoding].right_stochastic || escaped);
    fmpq_mat_clear(x), fmpq_mat_clear(one), at_expqf_mat_clear(y), at_expqf_mat_clear(single);
    arb_mat_clear(balls);
}
END_TEST

/* With LayerNorm, epsilon chosen so that constants stay rational; balls agree and never separate
 * rows. */
START_TEST(layernorm)
{
    at_network_t net;
    fmpq_mat_t x, one;
    at_expqf_mat_t y;
    arb_mat_t balls;

    fmpq_mat_init(x, 0, 0), fmpq_mat_init(one, 0, 0);
    at_expqf_mat_init(y, 0, 0), arb_mat_init(balls, 0, 0);
    AT_ROUNDS(r, 30) {
        at_error err = AT_ERROR_INIT;
        at_model model = random_model(AT_ENC_T5, &r);
        at_random g = at_random_seed(at_test_bits(&r));
        model.layernorm = true;
        ck_assert_int_eq(at_network_init(net, &model, 2, &err), AT_OK);
        at_network_random(net, &g, 2, 2);
        random_input(one, net, 1, &g);
        fmpq_mat_clear(x);
        fmpq_mat_init(x, net->n, fmpq_mat_ncols(one));
        for (slong i = 0; i < net->n; i++)
            for (slong j = 0; j < fmpq_mat_ncols(one); j++)
                fmpq_set(fmpq_mat_entry(x, i, j), fmpq_mat_entry(one, 0, j));
        int status = at_network_fit_epsilon(net, one, &err);
        AT_EXPECT(&r, status == AT_OK, "%s", err.text);
        status = at_network_eval_exact(y, net, x, &err);
        AT_EXPECT(&r, status == AT_OK && at_expqf_mat_rows_equal(y), "%s", err.text);
        ck_assert_int_eq(at_network_eval_ball(balls, net, x, 128, &err), AT_OK);
        for (slong i = 0; i < y->rows; i++) {
            for (slong j = 0; j < y->cols; j++) {
                fmpq_t c;
                fmpq_init(c);
                ck_assert(at_expqf_get_fmpq(c, at_expqf_mat_entry(y, i, j)));
                AT_EXPECT(&r, arb_contains_fmpq(arb_mat_entry(balls, i, j), c), "in the ball");
                fmpq_clear(c);
            }
        }
        at_network_clear(net);
    }
    fmpq_mat_clear(x), fmpq_mat_clear(one), at_expqf_mat_clear(y), arb_mat_clear(balls);
}
END_TEST

/* ---- Answers that are not values ------------------------------------------------------------ */

START_TEST(leaving_the_field)
{
    at_model model = { .encoding = AT_ENC_NONE, .n = 2, .d = 1, .heads = 1, .layers = 2 };
    at_network_t net;
    fmpq_mat_t x;
    at_expqf_mat_t y;
    arb_mat_t balls;
    at_error err = AT_ERROR_INIT;

    ck_assert_int_eq(at_network_init(net, &model, 0, &err), AT_OK);
    for (slong l = 0; l < 2; l++) {
        fmpq_one(fmpq_mat_entry(net->layers[l].heads[0].query, 0, 0));
        fmpq_one(fmpq_mat_entry(net->layers[l].heads[0].key, 0, 0));
        fmpq_one(fmpq_mat_entry(net->layers[l].heads[0].value, 0, 0));
        fmpq_one(fmpq_mat_entry(net->layers[l].heads[0].output, 0, 0));
    }
    fmpq_mat_init(x, 0, 0), at_expqf_mat_init(y, 0, 0), arb_mat_init(balls, 0, 0);
    set_column(x, TOKENS(0, 1), 2);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, &err), AT_LEFT_FIELD);
    ck_assert_str_eq(err.text, "layer 2, head 1: logit (1, 2) is not rational");
    ck_assert_int_eq(y->rows, 0);
    ck_assert_int_eq(at_network_enclose(balls, net, x, 150, 4096, &err), AT_OK);
    ck_assert(arb_rel_accuracy_bits(arb_mat_entry(balls, 0, 0)) > 140);
    ck_assert_int_eq(at_network_enclose(balls, net, x, 150, 64, &err), AT_LEFT_FIELD);
    /* the value by hand: v = (1/2, 1 + e/(1+e)), then once more */
    double v1 = 0.5, v2 = 1 + exp(1) / (1 + exp(1)), z = exp(v1 * v1) + exp(v1 * v2);
    double o = v1 + (exp(v1 * v1) * v1 + exp(v1 * v2) * v2) / z;
    ck_assert_double_eq_tol(arf_get_d(arb_midref(arb_mat_entry(balls, 0, 0)), ARF_RND_NEAR), o,
                            1e-14);
    /* constants never leave */
    set_column(x, TOKENS(1, 1), 2);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, &err), AT_OK);
    expect_entry(y, 0, 0, "4");
    fmpq_mat_clear(x), at_expqf_mat_clear(y), arb_mat_clear(balls);
    at_network_clear(net);
}
END_TEST

START_TEST(scale_and_gelu)
{
    at_model model = { .encoding = AT_ENC_NONE, .n = 2, .d = 4, .heads = 1, .layers = 1,
                       .scale_logits = true };
    at_network_t net;
    fmpq_mat_t x;
    at_expqf_mat_t a;
    at_error err = AT_ERROR_INIT;

    fmpq_mat_init(x, 2, 4), at_expqf_mat_init(a, 0, 0);
    ck_assert_int_eq(at_network_init(net, &model, 0, &err), AT_OK);
    fmpq_mat_one(net->layers[0].heads[0].query), fmpq_mat_one(net->layers[0].heads[0].key);
    fmpq_one(fmpq_mat_entry(x, 1, 0));
    ck_assert_int_eq(at_network_attention_exact(a, net, 0, 0, x, &err), AT_OK);
    expect_entry(a, 1, 1, "e^(1/2)/(1+e^(1/2))");
    at_network_clear(net);

    ck_assert_int_eq(at_network_init(net, &model, 2, &err), AT_OK);
    ck_assert_int_eq(at_network_attention_exact(a, net, 0, 0, x, &err), AT_LEFT_FIELD);
    net->scale_logits = false;
    net->activation = AT_GELU;
    fmpq_mat_clear(net->layers[0].ffn_in), fmpq_mat_init(net->layers[0].ffn_in, 4, 1);
    fmpq_mat_clear(net->layers[0].ffn_out), fmpq_mat_init(net->layers[0].ffn_out, 1, 4);
    fmpq_mat_clear(net->layers[0].ffn_in_bias), fmpq_mat_init(net->layers[0].ffn_in_bias, 0, 1);
    fmpq_one(fmpq_mat_entry(net->layers[0].ffn_in, 0, 0));
    fmpq_one(fmpq_mat_entry(net->layers[0].ffn_out, 0, 1));
    ck_assert_int_eq(at_network_eval_exact(a, net, x, &err), AT_LEFT_FIELD);
    arb_mat_t balls;
    arb_mat_init(balls, 0, 0);
    ck_assert_int_eq(at_network_eval_ball(balls, net, x, 100, &err), AT_OK);
    ck_assert_double_eq_tol(arf_get_d(arb_midref(arb_mat_entry(balls, 1, 1)), ARF_RND_NEAR),
                            0.5 * (1 + erf(sqrt(0.5))), 1e-15);
    arb_mat_clear(balls);
    fmpq_mat_clear(x), at_expqf_mat_clear(a);
    at_network_clear(net);
}
END_TEST

START_TEST(wrong_usage)
{
    at_model model = { .encoding = AT_ENC_KERPLE_POWER, .n = 2, .d = 2, .heads = 1, .layers = 1 };
    at_network_t net;
    fmpq_mat_t x;
    at_expqf_mat_t y;
    at_error err = AT_ERROR_INIT;

    fmpq_mat_init(x, 2, 3), at_expqf_mat_init(y, 0, 0);
    ck_assert_int_eq(at_network_init(net, &model, 0, &err), AT_OK);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, &err), AT_USAGE);
    fmpq_mat_clear(x), fmpq_mat_init(x, 3, 2);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, &err), AT_USAGE);
    fmpq_mat_clear(x), fmpq_mat_init(x, 2, 2);
    set_table(net, 0, 0, 1, 3, 1);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, &err), AT_USAGE);
    ck_assert_str_eq(err.text, "layer 1, head 1: kerple-power: r_2 is 1 or 2");
    set_table(net, 0, 0, 1, 2, 1);
    ck_assert_int_eq(at_network_eval_exact(y, net, x, &err), AT_OK);
    at_head_resize_table(net->layers[0].heads, 0, 1, 3);
    ck_assert_int_eq(at_network_check(net, &err), AT_USAGE);
    at_network_clear(net);
    model.lm_head = true;
    ck_assert_int_eq(at_network_init(net, &model, 0, &err), AT_USAGE);
    model.lm_head = false;
    model.heads = 3;
    ck_assert_int_eq(at_network_init(net, &model, 0, &err), AT_USAGE);
    fmpq_mat_clear(x), at_expqf_mat_clear(y);
}
END_TEST

/* ---- Containers ----------------------------------------------------------------------------- */

static int add_one(void *context, const char *name, fmpq_mat_t a, at_error *err)
{
    (void) err;
    ck_assert(strlen(name) > 0 && !fmpq_mat_is_empty(a));
    fmpq_add_si(fmpq_mat_entry(a, 0, 0), fmpq_mat_entry(a, 0, 0), 1);
    ++*(int *) context;
    return AT_OK;
}

START_TEST(visiting)
{
    at_model model = { .encoding = AT_ENC_URPE, .n = 3, .d = 2, .heads = 2, .layers = 2, .ffn = 3,
                       .outputs = 1, .biases = true };
    at_network_t a, b;
    at_random g = at_random_seed(7), h = at_random_seed(7);
    int count = 0;

    ck_assert_int_eq(at_network_init(a, &model, 0, NULL), AT_OK);
    ck_assert_int_eq(at_network_init(b, &model, 0, NULL), AT_OK);
    at_network_random(a, &g, 3, 3), at_network_random(b, &h, 3, 3);
    ck_assert(at_network_equal(a, b));
    ck_assert_int_eq(at_network_visit(a, add_one, &count, NULL), AT_OK);
    /* per head 4 + 3 + 2, per layer 1 + 4, readout 2 */
    ck_assert_int_eq(count, 2 * (2 * 9 + 5) + 2);
    ck_assert(!at_network_equal(a, b));
    at_network_clear(a), at_network_clear(b);
}
END_TEST

START_TEST(doubles)
{
    fmpq_t c;

    fmpq_init(c);
    AT_ROUNDS(r, 200) {
        long p = at_test_integer(&r, 40);
        unsigned long q = at_test_below(&r, 1ul << 30) + 1;
        fmpq_set_si(c, p, q);
        AT_EXPECT(&r, at_fmpq_get_d(c) == (double) p / (double) q, "%ld/%lu", p, q);
    }
    fmpq_clear(c);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("network");
    TCase *values = tcase_create("values"), *engines = tcase_create("engines");
    TCase *answers = tcase_create("answers");

    tcase_add_test(values, shaw_values);
    tcase_add_test(values, absolute_positions);
    tcase_add_test(values, l2_norm);
    tcase_add_test(values, relu2);
    tcase_add_test(values, stable_mask);
    tcase_add_test(values, distinguished_token);
    tcase_add_test(values, prepended_token);
    tcase_add_test(values, empty_mask);
    tcase_add_test(values, urpe_value_bias);
    tcase_add_test(values, rope_reversal);
    tcase_add_test(values, t5_reversal);
    tcase_add_test(values, urpe_row_sums);
    tcase_add_test(values, kerple);
    tcase_add_test(values, fire);
    tcase_add_test(values, graphs);
    tcase_add_test(values, vectors);
    tcase_add_test(values, buckets);
    tcase_add_loop_test(engines, exact_against_balls, 0, AT_ENC_COUNT);
    tcase_add_loop_test(engines, collapse, 0, AT_ENC_COUNT);
    tcase_add_test(engines, layernorm);
    tcase_add_test(answers, leaving_the_field);
    tcase_add_test(answers, scale_and_gelu);
    tcase_add_test(answers, wrong_usage);
    tcase_add_test(answers, visiting);
    tcase_add_test(answers, doubles);
    TCase *const cases[] = { values, engines, answers };
    for (size_t k = 0; k < 3; k++) {
        tcase_set_timeout(cases[k], 60);
        suite_add_tcase(s, cases[k]);
    }
    return s;
}

AT_CHECK_MAIN(suite)
