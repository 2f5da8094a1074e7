/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/realize, URPE's constructions: positions, even tokens, gathering, exactly and in the
 * float engine. */
#include "tests/theory/constructions.h"

/* ---- Positions by URPE --------------------------------------------------------------------- */

START_TEST(position_code)
{
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_mat_t x;

    at_expqf_mat_init(y, 0, 0);
    AT_ROUNDS(r, 30) {
        slong n = at_test_between(&r, 1, 6), data = at_test_between(&r, 0, 2);
        at_random g = at_random_seed(at_test_bits(&r));
        ck_assert_int_eq(at_realize_position_code(net, n, data, NULL), AT_OK);
        fmpq_mat_init(x, n, data + 2);
        at_random_fmpq_mat(x, &g, 4, 3, 1);
        for (slong i = 0; i < n; i++) {
            fmpq_one(fmpq_mat_entry(x, i, data));
            fmpq_zero(fmpq_mat_entry(x, i, data + 1));
        }
        ck_assert_int_eq(at_network_eval_exact(y, net, x, NULL), AT_OK);
        for (slong i = 0; i < n; i++) {
            AT_EXPECT(&r, at_expqf_equal_si(at_expqf_mat_entry(y, i, data + 1), i + 1), "row %ld",
                      (long) i);
            for (slong j = 0; j <= data; j++) {
                fmpq_t c;
                fmpq_init(c);
                AT_EXPECT(&r, at_expqf_get_fmpq(c, at_expqf_mat_entry(y, i, j))
                              && fmpq_equal(c, fmpq_mat_entry(x, i, j)), "data untouched");
                fmpq_clear(c);
            }
        }
        fmpq_mat_clear(x);
        at_network_clear(net);
    }
    at_expqf_mat_clear(y);
}
END_TEST

START_TEST(solves_pi)
{
    at_network_t net;
    at_expqf_mat_t y;
    at_expqf_t margin;
    slong tokens[8], labels[8];
    int32_t small[8];
    double out[64];

    at_expqf_mat_init(y, 0, 0), at_expqf_init(margin);
    AT_ROUNDS(r, 30) {
        slong n = at_test_between(&r, 2, 8), V = at_test_between(&r, 1, 5);
        ck_assert_int_eq(at_realize_pi(net, n, V, NULL), AT_OK);
        for (slong i = 0; i < n; i++) {
            tokens[i] = at_test_between(&r, 0, V - 1);
            small[i] = (int32_t) tokens[i];
            labels[i] = i;
        }
        run_tokens(y, net, tokens, n);
        at_logit_margin(margin, y, labels);
        AT_EXPECT(&r, at_expqf_equal_si(margin, 1), "n = %ld", (long) n);
        run_float(out, net, small, NULL, (size_t) n);
        for (slong k = 0; k < n * n; k++) {
            double exact = at_expqf_get_d(y->entries + k);
            AT_EXPECT(&r, fabs(out[k] - exact) <= 1e-11, "%.17g, %.17g", out[k], exact);
        }
        at_network_clear(net);
    }
    at_expqf_mat_clear(y), at_expqf_clear(margin);
}
END_TEST

/* ---- Even tokens --------------------------------------------------------------------------- */

START_TEST(etp_margins)
{
    static const double beta1[] = { .462117, .152234, .140202, .140122, .128341, .128263, .128263 };
    static const double beta2[] = { .761594, .573972, .573557, .573557, .573141, .573141, .573141 };
    at_expqf_t m, bound;
    fmpq_t beta, c;

    at_expqf_init(m), at_expqf_init(bound), fmpq_init(beta), fmpq_init(c);
    for (slong n = 2; n <= 8; n++) {
        fmpq_set_si(beta, 1, 1);
        at_etp_margin(m, n, beta);
        ck_assert_double_eq_tol(at_expqf_get_d(m), beta1[n - 2], 6e-7);
        fmpq_set_si(c, 101, 869);
        ck_assert_int_ge(at_expqf_cmp_fmpq(m, c), 0);
        fmpq_set_si(beta, 2, 1);
        at_etp_margin(m, n, beta);
        ck_assert_double_eq_tol(at_expqf_get_d(m), beta2[n - 2], 6e-7);
        fmpq_set_si(c, 61, 110);
        ck_assert_int_ge(at_expqf_cmp_fmpq(m, c), 0);
        fmpq_set_si(beta, 3, 1);
        at_etp_margin(m, n, beta);
        fmpq_set_si(c, 7199, 8799);
        ck_assert_int_ge(at_expqf_cmp_fmpq(m, c), 0);
    }
    fmpq_set_si(beta, 1, 1);
    at_etp_margin(m, 2, beta);
    expect_value(m, "(1 - e^-1)/(1 + e^-1)");
    at_etp_margin(m, 3, beta);
    expect_value(m, "(1 - 2*e^-1)/(1 + 2*e^-1)");
    at_etp_margin(m, 4, beta);
    expect_value(m, "2/(1 + 2*e^-1 + e^-4) - 1");
    at_expqf_clear(m), at_expqf_clear(bound), fmpq_clear(beta), fmpq_clear(c);
}
END_TEST

/* Every binary sequence up to n = 5: right everywhere, the least margin is the formula's. */
START_TEST(solves_etp)
{
    at_network_t net;
    at_expqf_mat_t y;
    at_expqf_t margin, least, sharp;
    fmpq_t beta;
    slong tokens[5], labels[5];

    at_expqf_mat_init(y, 0, 0), fmpq_init(beta);
    at_expqf_init(margin), at_expqf_init(least), at_expqf_init(sharp);
    fmpq_one(beta);
    for (slong n = 2; n <= 5; n++) {
        ck_assert_int_eq(at_realize_etp(net, n, 2, beta, NULL), AT_OK);
        for (slong code = 0; code < WORD(1) << n; code++) {
            for (slong i = 0; i < n; i++)
                tokens[i] = (code >> i) & 1;
            at_etp_labels(labels, tokens, n, 0, 2);
            run_tokens(y, net, tokens, n);
            at_logit_margin(margin, y, labels);
            if (code == 0 || at_expqf_cmp(margin, least) < 0)
                at_expqf_set(least, margin);
        }
        at_etp_margin(sharp, n, beta);
        ck_assert(at_expqf_equal(least, sharp));
        at_network_clear(net);
    }
    /* β = 1/2 is not enough */
    fmpq_set_si(beta, 1, 2);
    ck_assert_int_eq(at_realize_etp(net, 3, 2, beta, NULL), AT_OK);
    tokens[0] = tokens[2] = 1, tokens[1] = 0;
    at_etp_labels(labels, tokens, 3, 0, 2);
    run_tokens(y, net, tokens, 3);
    at_logit_margin(margin, y, labels);
    ck_assert_int_eq(at_expqf_sgn(margin), -1);
    ck_assert_double_eq_tol(at_expqf_get_d(margin), -.0963, 5e-5);
    at_network_clear(net);
    at_expqf_mat_clear(y), fmpq_clear(beta);
    at_expqf_clear(margin), at_expqf_clear(least), at_expqf_clear(sharp);
}
END_TEST

/* The narrow variant: V = 10, β = 4, margin at least 1 − 18 S/(1 + S), S = 2E/(1 − E³). */
START_TEST(solves_etp_small)
{
    at_network_t net;
    at_expqf_mat_t y;
    at_expqf_t margin, bound;
    fmpq_t beta;
    slong tokens[7], labels[7];
    int32_t small[7];
    double out[7 * 11];

    at_expqf_mat_init(y, 0, 0), fmpq_init(beta), at_expqf_init(margin), at_expqf_init(bound);
    fmpq_set_si(beta, 4, 1);
    ck_assert_int_eq(at_expqf_set_str(bound, "2*e^-4/(1 - e^-12)", NULL), AT_OK);
    double S = at_expqf_get_d(bound);
    ck_assert_double_eq_tol(1 - 18 * S / (1 + S), .3639, 5e-5);
    AT_ROUNDS(r, 20) {
        slong n = at_test_between(&r, 1, 7);
        ck_assert_int_eq(at_realize_etp_small(net, n, 10, beta, NULL), AT_OK);
        ck_assert_int_eq(net->d, 7);
        for (slong i = 0; i < n; i++) {
            tokens[i] = at_test_below(&r, 2) ? at_test_between(&r, 0, 9) : i % 2 ? 9 : 0;
            small[i] = (int32_t) tokens[i];
        }
        at_etp_labels(labels, tokens, n, 1, 0);
        run_tokens(y, net, tokens, n);
        at_logit_margin(margin, y, labels);
        AT_EXPECT(&r, at_expqf_get_d(margin) >= .3639, "n = %ld: %g", (long) n,
                  at_expqf_get_d(margin));
        run_float(out, net, small, NULL, (size_t) n);
        for (slong k = 0; k < n * 11; k++) {
            double exact = at_expqf_get_d(y->entries + k);
            AT_EXPECT(&r, fabs(out[k] - exact) <= 1e-10 * (1 + fabs(exact)), "%.17g, %.17g", out[k],
                      exact);
        }
        at_network_clear(net);
    }
    at_expqf_mat_clear(y), fmpq_clear(beta), at_expqf_clear(margin), at_expqf_clear(bound);
}
END_TEST

/* ---- Gathering, padding -------------------------------------------------------------------- */

START_TEST(gathering)
{
    at_network_t net, wide;
    at_expqf_mat_t y, z;
    fmpq_mat_t x;

    at_expqf_mat_init(y, 0, 0), at_expqf_mat_init(z, 0, 0);
    AT_ROUNDS(r, 15) {
        slong n = at_test_between(&r, 1, 4), data = at_test_between(&r, 1, 2);
        at_random g = at_random_seed(at_test_bits(&r));
        ck_assert_int_eq(at_realize_gather(net, n, data, NULL), AT_OK);
        ck_assert_int_eq(net->d, data + 2 + (2 * n - 1) * data);
        fmpq_mat_init(x, n, net->d);
        for (slong i = 0; i < n; i++) {
            for (slong j = 0; j < data; j++)
                at_random_fmpq(fmpq_mat_entry(x, i, j), &g, 9, 4, 1);
            fmpq_one(fmpq_mat_entry(x, i, data));
        }
        ck_assert_int_eq(at_network_eval_exact(y, net, x, NULL), AT_OK);
        for (slong i = 0; i < n; i++) {
            AT_EXPECT(&r, at_expqf_equal_si(at_expqf_mat_entry(y, i, data + 1), i + 1), "position");
            for (slong k = -(n - 1); k < n; k++) {
                for (slong j = 0; j < data; j++) {
                    const at_expqf_struct *got
                        = at_expqf_mat_entry(y, i, data + 2 + (k + n - 1) * data + j);
                    at_expqf_t want;
                    at_expqf_init(want);
                    if (i - k >= 0 && i - k < n)
                        at_expqf_set_fmpq(want, fmpq_mat_entry(x, i - k, j));
                    AT_EXPECT(&r, at_expqf_equal(got, want), "row %ld, offset %ld", (long) i,
                              (long) k);
                    at_expqf_clear(want);
                }
            }
        }
        /* padded: the same columns, then zeros */
        ck_assert_int_eq(at_network_pad(wide, net, NULL), AT_OK);
        ck_assert_int_eq(wide->head_dim * wide->heads, wide->d);
        ck_assert_int_eq(at_network_eval_exact(z, wide, x, NULL), AT_OK);
        for (slong i = 0; i < n; i++)
            for (slong j = 0; j < z->cols; j++)
                ck_assert(j < net->d
                          ? at_expqf_equal(at_expqf_mat_entry(y, i, j), at_expqf_mat_entry(z, i, j))
                          : at_expqf_is_zero(at_expqf_mat_entry(z, i, j)));
        at_network_clear(net), at_network_clear(wide);
        fmpq_mat_clear(x);
    }
    at_expqf_mat_clear(y), at_expqf_mat_clear(z);
}
END_TEST

START_TEST(wrong_usage)
{
    at_network_t net;
    at_error err = AT_ERROR_INIT;
    at_tensors file;
    at_model model = { .encoding = AT_ENC_ALIBI, .n = 2, .d = 2, .heads = 1, .layers = 1 };
    fmpq_t zero, one;

    fmpq_init(zero), fmpq_init(one);
    fmpq_one(one);
    ck_assert_int_eq(at_realize_almost_everywhere(net, 1, one, one, 1, 1, &err), AT_USAGE);
    ck_assert_int_eq(at_realize_almost_everywhere(net, 2, one, zero, 1, 1, &err), AT_USAGE);
    ck_assert_int_eq(at_realize_etp(net, 3, 2, zero, &err), AT_USAGE);
    ck_assert_int_eq(at_realize_pi(net, 0, 2, &err), AT_USAGE);
    ck_assert_int_eq(at_network_init(net, &model, 0, &err), AT_OK);
    at_tensors_init(&file);
    ck_assert_int_eq(at_network_get_tensors(&file, net, false, &err), AT_USAGE);
    at_tensors_clear(&file);
    at_network_clear(net);
    fmpq_clear(zero), fmpq_clear(one);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("realize_urpe");
    TCase *urpe = tcase_create("urpe");

    tcase_add_test(urpe, position_code);
    tcase_add_test(urpe, solves_pi);
    tcase_add_test(urpe, etp_margins);
    tcase_add_test(urpe, solves_etp);
    tcase_add_test(urpe, solves_etp_small);
    tcase_add_test(urpe, gathering);
    tcase_add_test(urpe, wrong_usage);
    tcase_set_timeout(urpe, 60);
    suite_add_tcase(s, urpe);
    return s;
}

AT_CHECK_MAIN(suite)
