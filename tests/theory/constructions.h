/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of theory/realize run by both engines, for its suites. */
#ifndef ATTEST_TESTS_THEORY_CONSTRUCTIONS_H
#define ATTEST_TESTS_THEORY_CONSTRUCTIONS_H

#include "attest/theory/realize/realize.h"
#include "attest/numeric/transformer/transformer.h"
#include "tests/at_check.h"

#define EXPECT_OK(call) ck_assert_msg((call) == AT_OK, "%s", err.text)

/* ---- Shared pieces ---------------------------------------------------------------------- */

static inline void expect_value(const at_expqf_t x, const char *expected)
{
    at_expqf_t value;
    at_error err = AT_ERROR_INIT;

    at_expqf_init(value);
    ck_assert_msg(at_expqf_set_str(value, expected, &err) == AT_OK, "%s: %s", expected, err.text);
    char *got = at_expqf_get_str(x);
    ck_assert_msg(at_expqf_equal(value, x), "%s, expected %s", got, expected);
    flint_free(got);
    at_expqf_clear(value);
}

/* Y = net(tokens), tokens as one-hot rows. */
static inline void run_tokens(at_expqf_mat_t y, const at_network_t net, const slong *tokens,
                              slong n)
{
    fmpq_mat_t x;
    at_error err = AT_ERROR_INIT;

    fmpq_mat_init(x, 0, 0);
    at_network_one_hot(x, net, tokens, n);
    ck_assert_msg(at_network_eval_exact(y, net, x, &err) == AT_OK, "%s", err.text);
    fmpq_mat_clear(x);
}

/* Y = net(column of rationals). */
static inline void run_column(at_expqf_mat_t y, const at_network_t net, const fmpq *column,
                              slong n)
{
    fmpq_mat_t x;
    at_error err = AT_ERROR_INIT;

    fmpq_mat_init(x, n, 1);
    for (slong i = 0; i < n; i++)
        fmpq_set(fmpq_mat_entry(x, i, 0), column + i);
    ck_assert_msg(at_network_eval_exact(y, net, x, &err) == AT_OK, "%s", err.text);
    fmpq_mat_clear(x);
}

static inline void drop_readout(at_network_t net)
{
    fmpq_mat_clear(net->readout);
    fmpq_mat_init(net->readout, 0, 0);
}

/* The network in the float engine through its tensors: out [n, outputs] for one sequence. */
static inline void run_float(double *out, at_network_t net, const int32_t *tokens,
                             const double *rows, size_t n)
{
    at_tensors file;
    at_model model;
    at_layout layout;
    at_transformer *engine;
    at_error err = AT_ERROR_INIT;
    at_batch batch = { .batch = 1, .n = n, .tokens = tokens, .rows = rows };

    at_tensors_init(&file);
    EXPECT_OK(at_network_get_tensors(&file, net, tokens != NULL, &err));
    EXPECT_OK(at_layout_infer(&model, &file, "", &err));
    EXPECT_OK(at_layout_init(&layout, &model, &err));
    double *params = malloc(layout.count * sizeof *params);
    EXPECT_OK(at_layout_load(&layout, &file, "", params, &err));
    EXPECT_OK(at_transformer_alloc(&engine, &layout, 1, 1, false, &err));
    EXPECT_OK(at_transformer_forward(engine, params, &batch, out, &err));
    at_transformer_free(engine);
    at_layout_clear(&layout);
    at_tensors_clear(&file);
    free(params);
}

#endif
