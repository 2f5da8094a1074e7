/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small rational networks for the suites of encodings and networks. */
#ifndef ATTEST_TESTS_THEORY_NETWORKS_H
#define ATTEST_TESTS_THEORY_NETWORKS_H

#include "attest/theory/network/network.h"
#include "tests/at_check.h"

/* One layer, one head, d = d_h = 1, W_Q = 0, W_V = W_O = 1, no FFN. */
static inline void unit_network(at_network_t net, enum at_encoding_id encoding, size_t n)
{
    at_model model = { .encoding = encoding, .n = n, .d = 1, .heads = 1, .layers = 1, .inputs = 0 };
    at_error err = AT_ERROR_INIT;

    ck_assert_msg(at_network_init(net, &model, 1, &err) == AT_OK, "%s", err.text);
    fmpq_one(fmpq_mat_entry(net->layers[0].heads[0].value, 0, 0));
    fmpq_one(fmpq_mat_entry(net->layers[0].heads[0].output, 0, 0));
}

/* table t of the only head, column col = p/q. */
static inline void set_table(at_network_t net, int t, slong row, slong col, slong p, ulong q)
{
    fmpq_set_si(fmpq_mat_entry(net->layers[0].heads[0].tables[t], row, col), p, q);
}

static inline void set_column(fmpq_mat_t x, const slong *values, slong n)
{
    fmpq_mat_clear(x);
    fmpq_mat_init(x, n, 1);
    for (slong i = 0; i < n; i++)
        fmpq_set_si(fmpq_mat_entry(x, i, 0), values[i], 1);
}

static inline void expect_entry(const at_expqf_mat_t y, slong i, slong j, const char *expected)
{
    at_expqf_t value;
    at_error err = AT_ERROR_INIT;

    at_expqf_init(value);
    ck_assert_msg(at_expqf_set_str(value, expected, &err) == AT_OK, "%s: %s", expected, err.text);
    char *got = at_expqf_get_str(at_expqf_mat_entry(y, i, j));
    ck_assert_msg(at_expqf_equal(value, at_expqf_mat_entry(y, i, j)),
                  "row %ld, column %ld: %s, expected %s", (long) i + 1, (long) j + 1, got,
                  expected);
    flint_free(got);
    at_expqf_clear(value);
}

/* Rows of the network on the column x. */
static inline void expect_rows(const at_network_t net, const slong *x, slong n,
                               const char *const *rows)
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

#endif
