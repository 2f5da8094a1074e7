/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact softmax attention, from its formula: one head over the tokens 1, 2, 4 with logits
 * q k / 2.  The weights are fractions of exponentials of rationals; that a row of them sums to 1,
 * that two numbers are equal and which of two is larger is decided, not rounded.
 *     cc attention.c $(pkg-config --cflags --libs attest) $(pkg-config --variable=flint_libs attest) */
#include <stdio.h>

#include "attest/theory/expq/expq.h"

enum { N = 3 };

static void print(const char *name, const at_expqf_t x)
{
    char *exact = at_expqf_get_str(x);
    arb_t ball;

    arb_init(ball);
    at_expqf_get_arb(ball, x, 100);
    char *decimal = arb_get_str(ball, 25, ARB_STR_NO_RADIUS);
    printf("%s = %s\n    = %s...\n", name, exact, decimal);
    arb_clear(ball);
    flint_free(decimal);
    flint_free(exact);
}

/* row = the softmax of token i's logits. */
static void softmax(at_expqf_struct *row, const slong *token, int i)
{
    at_expqf_t sum;
    fmpq_t logit;

    at_expqf_init(sum);
    fmpq_init(logit);
    for (int j = 0; j < N; j++) {
        fmpq_set_si(logit, token[i] * token[j], 2);
        at_expqf_set_exp(row + j, logit);
        at_expqf_add(sum, sum, row + j);
    }
    for (int j = 0; j < N; j++)
        at_expqf_div(row + j, row + j, sum);
    fmpq_clear(logit);
    at_expqf_clear(sum);
}

int main(void)
{
    const slong token[N] = { 1, 2, 4 };
    at_expqf_struct row[N];
    at_expqf_t sum, out, before;
    fmpq_t value;

    at_expqf_init(sum);
    at_expqf_init(out);
    at_expqf_init(before);
    fmpq_init(value);
    for (int j = 0; j < N; j++)
        at_expqf_init(row + j);
    for (int i = 0; i < N; i++) {
        softmax(row, token, i);
        at_expqf_zero(sum);
        at_expqf_set(before, out);
        at_expqf_zero(out);
        for (int j = 0; j < N; j++) {
            at_expqf_add(sum, sum, row + j);
            fmpq_set_si(value, token[j], 1);
            at_expqf_addmul_fmpq(out, row + j, value);
        }
        printf("row %d: the weights sum to 1: %s\n", i + 1, at_expqf_equal_si(sum, 1) ? "yes" : "no");
        print("  output", out);
        if (i > 0)
            printf("    is larger than the row before: %s\n",
                   at_expqf_cmp(out, before) > 0 ? "yes" : "no");
    }
    for (int j = 0; j < N; j++)
        at_expqf_clear(row + j);
    fmpq_clear(value);
    at_expqf_clear(before);
    at_expqf_clear(out);
    at_expqf_clear(sum);
    flint_cleanup();
    return 0;
}
