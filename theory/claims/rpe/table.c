/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lower half of the table of rpe.deep-collapse: for each encoding of core/tables.c that does not
 * keep its rows stochastic and its values free of positions, two unequal rows on a constant
 * sequence.  An explicit witness where one is listed, else the first that random networks give. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claims/rpe/escape.h"
#include "attest/theory/symbolic/descent.h"

static const at_escape witnesses[] = {
    { .name = "positions (0; 1)", .encoding = AT_ENC_LEARNED, .n = 2, .d = 1, .X = "3; 3",
      .positions = "0; 1", .no_values = true, .rows = "3; 4", .escapes = true },
    { .name = "positions (3/5 4/5; -7/25 24/25)", .encoding = AT_ENC_SINUSOIDAL, .n = 2, .d = 2,
      .X = "0 0; 0 0", .positions = "3/5 4/5; -7/25 24/25", .no_values = true,
      .rows = "3/5, 4/5; -7/25, 24/25", .escapes = true },
    { .name = "a^V = (-1, 0, 1), W_Q = W_V = 0, W_O = 1", .encoding = AT_ENC_SHAW, .n = 2, .d = 1,
      .table = { "value" }, .entries = { "-1; 0; 1" }, .X = "1; 1", .no_values = true,
      .rows = "1/2; 3/2", .escapes = true, .extra = "-1 0 1" },
    { .name = "B = 0, c_k = 1 for k <= 0, else 0", .encoding = AT_ENC_URPE, .n = 3, .d = 1,
      .table = { "gate" }, .entries = { "1 1 1 0 0" }, .X = "1; 1; 1", .rows = "2; 5/3; 4/3",
      .escapes = true, .gates_full = "1 1 1; 0 1 1; 0 0 1" },
    { .name = "a path, B = 0, c_0 = c_1 = 1, else 0", .encoding = AT_ENC_GRAPH_URPE, .n = 3, .d = 1,
      .table = { "gate" }, .entries = { "1 1 0 0" }, .X = "1; 1; 1", .rows = "5/3; 2; 5/3",
      .escapes = true, .gates_full = "1 1 0; 1 1 1; 0 1 1" },
    { .name = "S = P = 0", .encoding = AT_ENC_STABLE_MASK, .n = 2, .d = 1, .X = "1; 1",
      .rows = "3/2; 2", .escapes = true, .gates_full = "1 0; 1 1" },
    { .name = "e^b = (4/3, 1, 12/5)", .encoding = AT_ENC_L2_NORM, .n = 2, .d = 1,
      .table = { "factor" }, .entries = { "4/3 1 12/5" }, .X = "1; 1", .rows = "12/5; 30/13",
      .escapes = true, .factors = "4/3 1 12/5", .normaliser = AT_NORMALISE_L2 },
    { .name = "b_1 = 1, else 0", .encoding = AT_ENC_RELU2, .n = 2, .d = 1, .table = { "bias" },
      .entries = { "0 0 1" }, .X = "1; 1", .rows = "1; 3/2", .escapes = true, .bias = "0 0 1",
      .normaliser = AT_NORMALISE_RELU2 },
};

/* "X = (1; 1), S = P = 0: row 1 = (3/2), row 2 = (2)". */
static void add_row(at_claim_run *run, const char *name, enum at_method method,
                    enum at_truth holds, const char *how, const at_escape *e)
{
    size_t first = strcspn(e->rows, ";"), second = strcspn(e->rows + first + 2, ";");
    at_claim_row(run, AT_ROLE_SUPPORT, name, "escapes", method, holds,
                 "%sX = (%s), %s: row 1 = (%.*s), row 2 = (%.*s)", how, e->X, e->name, (int) first,
                 e->rows, (int) second, e->rows + first + 2);
}

/* Positions added to the input need no layer and no particular x. */
static void add_positions_row(at_claim_run *run, const char *name, enum at_truth holds,
                              const at_escape *e)
{
    enum at_truth apart = at_lemma_identity("x p q", "(x + p) - (x + q)", "p - q");
    add_row(run, name, AT_METHOD_SYMBOLIC, holds == AT_TRUE ? apart : holds,
            "for every x, (x + p_1) - (x + p_2) = p_1 - p_2 != 0; exactly, ", e);
}

/* The rows of Y from the first on that differs from row 0. */
static void add_random_row(at_claim_run *run, const char *name, const at_expqf_mat_t Y,
                           const fmpq_mat_t X, uint64_t seed)
{
    slong i = 1, k = 0;
    while (at_expqf_equal(at_expqf_mat_entry(Y, 0, k), at_expqf_mat_entry(Y, i, k)))
        if (++k == Y->cols) {
            k = 0;
            i++;
        }
    char *input = at_mat_text(X), *left = at_expqf_get_str(at_expqf_mat_entry(Y, 0, k));
    char *right = at_expqf_get_str(at_expqf_mat_entry(Y, i, k));
    at_claim_row(run, AT_ROLE_SUPPORT, name, "escapes", AT_METHOD_EXACT, AT_TRUE,
                 "X = %s, the random layer of seed %llu: entry %ld of row 1 = %s, of row %ld = %s",
                 input, (unsigned long long) seed, (long) k + 1, left, (long) i + 1, right);
    at_claim_fact_relation(run, name, left, "!=", right);
    flint_free(input);
    flint_free(left);
    flint_free(right);
}

/* Random one-layer networks without queries on constant sequences, until two rows differ. */
int at_row_escape_random(at_claim_run *run, enum at_encoding_id encoding, at_error *err)
{
    enum { TRIES = 200, N = 3, D = 2 };
    bool found = false;
    int status = AT_OK;
    for (int t = 0; t < TRIES && !found && status == AT_OK; t++) {
        uint64_t seed = at_claim_random(run);
        at_random r = at_random_seed(seed);
        at_network_t net;
        at_expqf_mat_t Y;
        fmpq_mat_t X;
        status = at_small_network(net, encoding, N, D, 1, 1, 0, err);
        if (status != AT_OK)
            break;
        at_network_random(net, &r, 2, 2);
        at_network_zero_queries(net);
        at_expqf_mat_init(Y, 0, 0);
        fmpq_mat_init(X, N, D);
        for (slong i = 0; i < N; i++)
            for (slong k = 0; k < D; k++)
                fmpq_set_si(fmpq_mat_entry(X, i, k), k + 1, 1);
        found = at_network_eval_exact(Y, net, X, NULL) == AT_OK && Y->rows == N
                && at_rows_differ(Y, 0) == AT_TRUE;
        if (found)
            add_random_row(run, at_encodings[encoding].name, Y, X, seed);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(X);
        at_network_clear(net);
    }
    if (!found && status == AT_OK)
        at_claim_row(run, AT_ROLE_SUPPORT, at_encodings[encoding].name, "escapes", AT_METHOD_EXACT,
                     AT_UNKNOWN, "no two rows differ in %d random layers", (int) TRIES);
    return status;
}

int at_row_escape(at_claim_run *run, enum at_encoding_id encoding, at_error *err)
{
    const char *name = at_encodings[encoding].name;
    const at_escape *e = NULL;
    enum at_truth holds;
    for (size_t k = 0; k < sizeof witnesses / sizeof witnesses[0]; k++)
        if (witnesses[k].encoding == encoding)
            e = &witnesses[k];
    if (e == NULL)
        return at_row_escape_random(run, encoding, err);
    int status = at_escape_check(&holds, run, e, err);
    if (status != AT_OK)
        return status;
    if (e->positions != NULL)
        add_positions_row(run, name, holds, e);
    else
        add_row(run, name, AT_METHOD_EXACT, holds, "", e);
    if (encoding != AT_ENC_L2_NORM)
        return AT_OK;
    status = at_escape_check_ball(&holds, &at_escape_masked_l2, err);
    if (status == AT_OK)
        add_row(run, "l2-norm, causal", AT_METHOD_BALL, holds, "", &at_escape_masked_l2);
    return status;
}
