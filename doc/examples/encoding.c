/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A positional encoding of one's own, decided exactly: "parity" adds b_0 to a logit where query
 * and key lie an even number of tokens apart and b_1 where it is odd; "gated parity" also
 * multiplies the weight by c_0 or c_1. The first cannot tell the rows of a constant sequence
 * apart, the second can. doc/encoding.md walks through it.
 *     cc encoding.c $(pkg-config --cflags --libs attest) $(pkg-config --variable=flint_libs attest) */
#include <stdio.h>

#include "attest/theory/network/network.h"

/* Two tables of one row and two columns: even, odd. */
static void shape(slong *rows, slong *cols, const struct at_network_struct *net, int table)
{
    (void) net;
    (void) table;
    *rows = 1;
    *cols = 2;
}

static void logit(void *s, struct at_attention *a, slong i, slong j)
{
    at_attention_add(s, a, at_attention_entry(a, 0, 0, (i + j) % 2));
}

static void gate(fmpq_t c, const struct at_attention *a, slong i, slong j)
{
    fmpq_set(c, at_attention_entry(a, 1, 0, (i + j) % 2));
}

static const at_encoding_exact parity = {
    .id = AT_ENC_NONE, .terms = 1, .tables = { "bias" }, .shape = shape, .logit = logit
};

static const at_encoding_exact gated_parity = {
    .id = AT_ENC_NONE, .terms = 1, .tables = { "bias", "gate" }, .shape = shape, .logit = logit,
    .gate = gate
};

/* One layer, one head: values pass through, the bias is 0 (even) or 1 (odd), the gates 1 and 3. */
static int build(at_network_t net, const at_encoding_exact *rule, at_error *err)
{
    at_model model = { .encoding = AT_ENC_NONE, .n = 3, .d = 1, .heads = 1, .layers = 1 };
    int status = at_network_init_rule(net, &model, 0, rule, err);

    if (status != AT_OK)
        return status;
    at_head *head = net->layers[0].heads;
    fmpq_one(fmpq_mat_entry(head->value, 0, 0));
    fmpq_one(fmpq_mat_entry(head->output, 0, 0));
    fmpq_one(fmpq_mat_entry(head->tables[0], 0, 1));
    if (rule->gate != NULL) {
        fmpq_one(fmpq_mat_entry(head->tables[1], 0, 0));
        fmpq_set_si(fmpq_mat_entry(head->tables[1], 0, 1), 3, 1);
    }
    return AT_OK;
}

static int show(const char *name, const at_encoding_exact *rule, const slong *tokens, at_error *err)
{
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_mat_t x;
    int status = build(net, rule, err);

    if (status != AT_OK)
        return status;
    fmpq_mat_init(x, 3, 1), at_expqf_mat_init(y, 0, 0);
    for (slong i = 0; i < 3; i++)
        fmpq_set_si(fmpq_mat_entry(x, i, 0), tokens[i], 1);
    status = at_network_eval_exact(y, net, x, err);
    printf("%s on (%ld, %ld, %ld)\n", name, (long) tokens[0], (long) tokens[1], (long) tokens[2]);
    for (slong i = 0; status == AT_OK && i < y->rows; i++) {
        char *text = at_expqf_get_str(at_expqf_mat_entry(y, i, 0));
        printf("  row %ld: %s = %.6f\n", (long) i + 1, text,
               at_expqf_get_d(at_expqf_mat_entry(y, i, 0)));
        flint_free(text);
    }
    if (status == AT_OK)
        printf("  rows are %s\n", at_expqf_mat_rows_equal(y) ? "equal" : "different");
    fmpq_mat_clear(x), at_expqf_mat_clear(y);
    at_network_clear(net);
    return status;
}

int main(void)
{
    static const slong mixed[3] = { 1, 2, 4 }, constant[3] = { 1, 1, 1 };
    at_error err = AT_ERROR_INIT;
    int status = show("parity", &parity, mixed, &err);

    if (status == AT_OK)
        status = show("parity", &parity, constant, &err);
    if (status == AT_OK)
        status = show("gated parity", &gated_parity, constant, &err);
    if (status != AT_OK)
        fprintf(stderr, "encoding: %s\n", err.text);
    flint_cleanup();
    return status;
}
