/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/encoding: each encoding's logits, factors, gates and values against numbers known by
 * hand. */
#include "tests/theory/networks.h"
#include "tests/at_check.h"

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

/* The table follows core's order, every entry names its tables and shapes. */
START_TEST(table)
{
    for (int k = 0; k < AT_ENC_COUNT; k++) {
        const at_encoding_exact *e = at_encodings_exact[k];
        ck_assert_msg(e != NULL && (int) e->id == k, "%s", at_encodings[k].name);
        ck_assert(e->terms >= 1 && e->terms <= 3);
        ck_assert((e->tables[0] != NULL) == (e->shape != NULL));
        /* what escapes has gates, value vectors, positions at the input, or another norm */
        bool escapes = e->gate != NULL || e->value != NULL || e->adds_positions
                       || e->normaliser != AT_NORMALISE_SOFTMAX;
        ck_assert_msg(escapes == !at_encodings[k].right_stochastic, "%s", at_encodings[k].name);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("encoding");
    TCase *values = tcase_create("values");

    tcase_add_test(values, shaw_values);
    tcase_add_test(values, absolute_positions);
    tcase_add_test(values, l2_norm);
    tcase_add_test(values, relu2);
    tcase_add_test(values, stable_mask);
    tcase_add_test(values, distinguished_token);
    tcase_add_test(values, urpe_value_bias);
    tcase_add_test(values, rope_reversal);
    tcase_add_test(values, t5_reversal);
    tcase_add_test(values, urpe_row_sums);
    tcase_add_test(values, kerple);
    tcase_add_test(values, fire);
    tcase_add_test(values, graphs);
    tcase_add_test(values, vectors);
    tcase_add_test(values, buckets);
    tcase_add_test(values, table);
    tcase_set_timeout(values, 60);
    suite_add_tcase(s, values);
    return s;
}

AT_CHECK_MAIN(suite)
