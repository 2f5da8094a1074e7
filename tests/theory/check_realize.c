/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/realize: each construction does what it says, exactly, and in the float engine. */
#include "attest/numeric/encoding/encoding.h"
#include "tests/theory/constructions.h"

/* ---- Almost everywhere --------------------------------------------------------------------- */

START_TEST(almost_everywhere_values)
{
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_t R, delta;
    fmpq x[3];
    static const char *const u[3] = { "-1/(e^6+2)", "(e^12+1)/(e^12+e^6+1)",
                                      "-e^12/(e^12+e^6+1)" };
    static const char *const q[3] = { "e^3/(e^3+2)", "e^3/(2*e^3+1)", "1/3" };

    fmpq_init(R), fmpq_init(delta), at_expqf_mat_init(y, 0, 0);
    for (int i = 0; i < 3; i++)
        fmpq_init(x + i);
    fmpq_one(R), fmpq_set_si(delta, 1, 4), fmpq_one(x + 1);
    ck_assert_int_eq(at_realize_almost_everywhere(net, 3, R, delta, 6, 3, NULL), AT_OK);
    run_column(y, net, x, 3);
    ck_assert(y->cols == 1 && at_expqf_equal_si(at_expqf_mat_entry(y, 2, 0), 3));
    drop_readout(net);
    run_column(y, net, x, 3);
    for (slong i = 0; i < 3; i++) {
        at_expqf_t sum;
        at_expqf_init(sum);
        at_expqf_add(sum, at_expqf_mat_entry(y, i, AT_AE_X), at_expqf_mat_entry(y, i, AT_AE_Y));
        expect_value(sum, u[i]);
        expect_value(at_expqf_mat_entry(y, i, AT_AE_Q), q[i]);
        ck_assert(at_expqf_equal_si(at_expqf_mat_entry(y, i, AT_AE_M), i == 0));
        ck_assert(at_expqf_equal_si(at_expqf_mat_entry(y, i, AT_AE_P), i + 1));
        at_expqf_clear(sum);
    }
    fmpq_one(x), fmpq_one(x + 2);
    run_column(y, net, x, 3);
    for (slong i = 0; i < 3; i++)
        ck_assert(at_expqf_equal_si(at_expqf_mat_entry(y, i, AT_AE_P), 1));
    at_network_clear(net);
    fmpq_clear(R), fmpq_clear(delta), at_expqf_mat_clear(y);
    for (int i = 0; i < 3; i++)
        fmpq_clear(x + i);
}
END_TEST

/* Steps of at least δ: positions exactly, in both engines; anything: between 1 and n. */
START_TEST(almost_everywhere_random)
{
    static const slong cases[][3] = { { 2, 5, 2 }, { 3, 6, 3 }, { 4, 7, 4 }, { 5, 7, 4 },
                                      { 6, 7, 5 } };
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_t R, delta;
    fmpq x[6];

    fmpq_init(R), fmpq_init(delta), at_expqf_mat_init(y, 0, 0);
    for (int i = 0; i < 6; i++)
        fmpq_init(x + i);
    fmpq_one(R), fmpq_set_si(delta, 1, 4);
    AT_ROUNDS(r, 40) {
        const slong *c = cases[at_test_below(&r, 5)];
        slong n = c[0];
        bool good = at_test_below(&r, 4) > 0, apart = true;
        double rows[6], out[6];
        AT_EXPECT(&r, at_almost_everywhere_holds(n, R, delta, c[1], c[2]), "n = %ld", (long) n);
        ck_assert(!at_almost_everywhere_holds(n, R, delta, c[1] - 1, c[2]));
        ck_assert(!at_almost_everywhere_holds(n, R, delta, c[1], c[2] - 1));
        ck_assert_int_eq(at_realize_almost_everywhere(net, n, R, delta, c[1], c[2], NULL), AT_OK);
        for (slong i = 0, last = 0; i < n; i++) {
            slong k = at_test_between(&r, -8, 8);
            while (good && i > 0 && labs(k - last) < 2)
                k = at_test_between(&r, -8, 8);
            apart = apart && (i == 0 || labs(k - last) >= 2);
            fmpq_set_si(x + i, k, 8);
            rows[i] = (double) k / 8;
            last = k;
        }
        run_column(y, net, x, n);
        for (slong i = 0; i < n; i++) {
            const at_expqf_struct *p = at_expqf_mat_entry(y, i, 0);
            fmpq_t one, most;
            fmpq_init(one), fmpq_init(most);
            fmpq_one(one), fmpq_set_si(most, n, 1);
            if (apart)
                AT_EXPECT(&r, at_expqf_equal_si(p, i + 1), "n = %ld, row %ld", (long) n, (long) i);
            AT_EXPECT(&r, at_expqf_cmp_fmpq(p, one) >= 0 && at_expqf_cmp_fmpq(p, most) <= 0,
                      "n = %ld, row %ld", (long) n, (long) i);
            fmpq_clear(one), fmpq_clear(most);
        }
        run_float(out, net, NULL, rows, (size_t) n);
        for (slong i = 0; i < n; i++) {
            double exact = at_expqf_get_d(at_expqf_mat_entry(y, i, 0));
            AT_EXPECT(&r, fabs(out[i] - exact) <= 1e-9, "float %.17g, exact %.17g", out[i], exact);
        }
        at_network_clear(net);
    }
    fmpq_clear(R), fmpq_clear(delta), at_expqf_mat_clear(y);
    for (int i = 0; i < 6; i++)
        fmpq_clear(x + i);
}
END_TEST

/* The marker of row 1 needs no T5 table: rotary positions give b_k = β cos((k − 1)θ), greatest at
 * k = 1. */
static void rope_marker(at_network_t net, const at_network_t t5, slong n, slong beta)
{
    at_model model = { .encoding = AT_ENC_ROPE, .n = (size_t) n, .inputs = 1, .d = AT_AE_WIDTH,
                       .heads = 1, .layers = 1, .ffn = (size_t) t5->ffn };
    at_head *head;

    ck_assert_int_eq(at_network_init(net, &model, 2, NULL), AT_OK);
    head = net->layers[0].heads;
    fmpq_mat_set(net->embedding, t5->embedding);
    fmpq_mat_clear(net->embedding_bias);
    fmpq_mat_init(net->embedding_bias, 1, AT_AE_WIDTH);
    fmpq_mat_set(net->embedding_bias, t5->embedding_bias);
    fmpq_mat_set(net->layers[0].ffn_in, t5->layers[0].ffn_in);
    fmpq_mat_set(net->layers[0].ffn_out, t5->layers[0].ffn_out);
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 0), 12, 13);
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 1), 5, 13);
    fmpq_set_si(fmpq_mat_entry(head->query, AT_AE_ONE, 0), 12 * beta, 13);
    fmpq_set_si(fmpq_mat_entry(head->query, AT_AE_ONE, 1), -5 * beta, 13);
    fmpq_one(fmpq_mat_entry(head->key, AT_AE_ONE, 0));
    fmpq_one(fmpq_mat_entry(head->value, AT_AE_X, 0));
    fmpq_set_si(fmpq_mat_entry(head->output, 0, AT_AE_Y), -1, 1);
}

START_TEST(almost_everywhere_rope)
{
    static const slong betas[] = { 78, 91, 91 };
    at_network_t net, t5;
    at_expqf_mat_t y;
    fmpq_t R, delta;
    fmpq x[5];

    fmpq_init(R), fmpq_init(delta), at_expqf_mat_init(y, 0, 0);
    for (int i = 0; i < 5; i++)
        fmpq_init(x + i);
    fmpq_one(R), fmpq_set_si(delta, 1, 4);
    AT_ROUNDS(r, 6) {
        slong n = 3 + (slong) (r.round % 3);
        ck_assert_int_eq(at_realize_almost_everywhere(t5, n, R, delta, 7, 5, NULL), AT_OK);
        rope_marker(net, t5, n, betas[n - 3]);
        for (slong i = 0, last = 0; i < n; i++) {
            slong k = at_test_between(&r, -4, 4);
            while (i > 0 && k == last)
                k = at_test_between(&r, -4, 4);
            fmpq_set_si(x + i, k, 4);
            last = k;
        }
        run_column(y, net, x, n);
        for (slong i = 0; i < n; i++)
            AT_EXPECT(&r, at_expqf_equal_si(at_expqf_mat_entry(y, i, AT_AE_M), i == 0),
                      "n = %ld, row %ld", (long) n, (long) i);
        at_network_clear(net), at_network_clear(t5);
    }
    fmpq_clear(R), fmpq_clear(delta), at_expqf_mat_clear(y);
    for (int i = 0; i < 5; i++)
        fmpq_clear(x + i);
}
END_TEST

/* ---- Finite alphabets ---------------------------------------------------------------------- */

static void set_biases(fmpq *b, const slong *values, slong n)
{
    for (slong k = 0; k < 2 * n - 1; k++) {
        fmpq_init(b + k);
        fmpq_set_si(b + k, values[k], 1);
    }
}

/* All V^n sequences: positions on the others, equal rows on constants. */
static void expect_positions(const at_network_t net, slong n, slong V)
{
    at_expqf_mat_t y;
    fmpq x[4];
    slong sequences = 1;

    at_expqf_mat_init(y, 0, 0);
    for (slong i = 0; i < n; i++, sequences *= V)
        fmpq_init(x + i);
    for (slong code = 0; code < sequences; code++) {
        bool constant = true;
        for (slong i = 0, rest = code; i < n; i++, rest /= V) {
            fmpq_set_si(x + i, rest % V, 1);
            constant = constant && rest % V == code % V;
        }
        run_column(y, net, x, n);
        ck_assert(!constant || at_expqf_mat_rows_equal(y));
        for (slong i = 0; !constant && i < n; i++)
            ck_assert(at_expqf_equal_si(at_expqf_mat_entry(y, i, 0), i + 1));
    }
    for (slong i = 0; i < n; i++)
        fmpq_clear(x + i);
    at_expqf_mat_clear(y);
}

START_TEST(finite_alphabet)
{
    static const struct { slong n, V, jumps, b[7]; } cases[] = {
        { 3, 2, 6, { 0, 0, 0, 1, 3 } }, { 4, 2, 18, { 0, 0, 0, 0, 2, 1, 5 } },
        { 3, 3, -1, { 0, 0, 2, 3, 5 } },
    };
    at_network_t net;
    fmpq b[7];
    fmpq_t margin;

    fmpq_init(margin);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_error err = AT_ERROR_INIT;
        set_biases(b, cases[k].b, cases[k].n);
        EXPECT_OK(at_realize_finite_alphabet(net, margin, cases[k].n, cases[k].V, b, &err));
        ck_assert_int_gt(fmpq_sgn(margin), 0);
        if (cases[k].jumps >= 0)
            ck_assert_int_eq(net->ffn, 2 * cases[k].jumps + 1);
        expect_positions(net, cases[k].n, cases[k].V);
        at_network_clear(net);
        for (slong i = 0; i < 2 * cases[k].n - 1; i++)
            fmpq_clear(b + i);
    }
    fmpq_clear(margin);
}
END_TEST

/* The separators that one can check by hand. */
START_TEST(finite_alphabet_by_hand)
{
    static const slong stairs[6][5] = { { 1, 6, 1, 5, -1 }, { 1, 4, 2, 7, -1 }, { 4, 11, 2, 5, 1 },
        { 3, 5, 7, 11, -1 }, { 5, 7, 3, 4, 1 }, { 4, 5, 5, 6, 1 } };
    static const slong biases[5] = { 0, 0, 0, 1, 3 };
    at_network_t net;
    at_layer *layer;
    fmpq b[5];
    fmpq_t l, h, slope;

    set_biases(b, biases, 3);
    ck_assert_int_eq(at_realize_finite_alphabet(net, NULL, 3, 2, b, NULL), AT_OK);
    layer = net->layers;
    fmpq_init(l), fmpq_init(h), fmpq_init(slope);
    for (slong s = 0; s < 6; s++) {
        fmpq_set_si(l, stairs[s][0], (ulong) stairs[s][1]);
        fmpq_set_si(h, stairs[s][2], (ulong) stairs[s][3]);
        fmpq_sub(slope, h, l);
        fmpq_inv(slope, slope);
        fmpq_mul_si(slope, slope, stairs[s][4]);
        fmpq_neg(fmpq_mat_entry(layer->ffn_in, AT_FA_ONE, 2 * s + 1), l);
        fmpq_neg(fmpq_mat_entry(layer->ffn_in, AT_FA_ONE, 2 * s + 2), h);
        fmpq_set(fmpq_mat_entry(layer->ffn_out, 2 * s + 1, AT_FA_P), slope);
        fmpq_neg(fmpq_mat_entry(layer->ffn_out, 2 * s + 2, AT_FA_P), slope);
    }
    ck_assert(fmpq_equal_si(fmpq_mat_entry(layer->ffn_in, AT_FA_ONE, 0), 3));
    expect_positions(net, 3, 2);
    at_expqf_mat_t y;
    at_expqf_mat_init(y, 0, 0);
    fmpq ones[3];
    for (int i = 0; i < 3; i++)
        fmpq_init(ones + i), fmpq_one(ones + i);
    run_column(y, net, ones, 3);
    ck_assert(at_expqf_equal_si(at_expqf_mat_entry(y, 1, 0), 3));
    for (int i = 0; i < 3; i++)
        fmpq_zero(ones + i);
    run_column(y, net, ones, 3);
    ck_assert(at_expqf_equal_si(at_expqf_mat_entry(y, 1, 0), 3));
    at_network_clear(net);
    at_expqf_mat_clear(y);
    fmpq_clear(l), fmpq_clear(h), fmpq_clear(slope);
    for (int i = 0; i < 5; i++)
        fmpq_clear(b + i);
}
END_TEST

START_TEST(finite_alphabet_fails)
{
    static const slong none[5] = { 0 }, even[5] = { 3, 1, 0, 1, 3 };
    at_network_t net;
    at_error err = AT_ERROR_INIT;
    fmpq b[5];

    set_biases(b, none, 3);
    ck_assert_int_eq(at_realize_finite_alphabet(net, NULL, 3, 2, b, &err), AT_UNEXPECTED);
    set_biases(b, even, 3);
    ck_assert_int_eq(at_realize_finite_alphabet(net, NULL, 3, 2, b, &err), AT_UNEXPECTED);
    ck_assert_int_eq(at_realize_finite_alphabet(net, NULL, 1, 2, b, &err), AT_USAGE);
    ck_assert_int_eq(at_realize_finite_alphabet(net, NULL, 30, 2, b, &err), AT_USAGE);
}
END_TEST

/* Integers here, logarithms there: also on the edges between buckets. */
START_TEST(buckets_agree)
{
    for (slong k = -2000; k <= 2000; k++) {
        ck_assert_int_eq(at_t5_bucket(k, AT_T5_BUCKETS, AT_T5_FARTHEST, true),
                         (slong) at_encoding_t5_bucket((long) k, false));
        ck_assert_int_eq(at_t5_bucket(k, AT_T5_BUCKETS, AT_T5_FARTHEST, false),
                         (slong) at_encoding_t5_bucket((long) k, true));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("realize");
    TCase *rpe = tcase_create("rpe");

    tcase_add_test(rpe, almost_everywhere_values);
    tcase_add_test(rpe, almost_everywhere_random);
    tcase_add_test(rpe, almost_everywhere_rope);
    tcase_add_test(rpe, finite_alphabet);
    tcase_add_test(rpe, finite_alphabet_by_hand);
    tcase_add_test(rpe, finite_alphabet_fails);
    tcase_add_test(rpe, buckets_agree);
    tcase_set_timeout(rpe, 60);
    suite_add_tcase(s, rpe);
    return s;
}

AT_CHECK_MAIN(suite)
