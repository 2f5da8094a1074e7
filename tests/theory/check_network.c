/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/network: exact against balls, collapse seen by the general engine, options, errors. */
#include "tests/theory/networks.h"
#include "tests/at_check.h"

/* ---- Masks, a prepended token --------------------------------------------------------------- */

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

/* Putting it together again gives the same fields. */
static bool is_reduced(const at_expqf_t x)
{
    at_expqf_t again;

    at_expqf_init(again);
    at_expqf_set_frac(again, at_expqf_numref(x), at_expqf_denref(x));
    bool same = at_expqf_is_canonical(x)
                && at_expq_equal(at_expqf_numref(x), at_expqf_numref(again))
                && at_expq_equal(at_expqf_denref(x), at_expqf_denref(again));
    at_expqf_clear(again);
    return same;
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
                AT_EXPECT(&r, is_reduced(at_expqf_mat_entry(y, i, j)), "%s, entry %ld, %ld",
                          at_encodings[encoding].name, (long) i, (long) j);
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
    compare_engines((enum at_encoding_id) _i, 100);
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
        model.layers = (size_t) (at_encodings[encoding].right_stochastic
                                 ? at_test_between(&r, 1, 4) : 1);
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

    tcase_add_test(values, prepended_token);
    tcase_add_test(values, empty_mask);
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
