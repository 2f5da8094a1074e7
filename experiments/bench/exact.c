/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast this machine evaluates attention exactly. */
#include "attest/experiments/bench/bench.h"

#include <stdio.h>

#include "attest/theory/network/network.h"

enum { ROUNDS = 5 };

/* One head: attention on X with logits of denominator `denominator`. */
static int build_attention(at_network_t net, size_t n, size_t d, size_t denominator, at_error *err)
{
    at_model model = {.encoding = AT_ENC_NONE, .n = n, .inputs = d, .outputs = d, .d = d,
                      .heads = 1, .layers = 1, .activation = AT_RELU};
    int status = at_network_init(net, &model, 0, err);

    if (status != AT_OK)
        return status;
    for (slong i = 0; i < (slong) d; i++) {
        at_head *head = &net->layers[0].heads[0];

        fmpq_one(fmpq_mat_entry(net->embedding, i, i));
        fmpq_one(fmpq_mat_entry(net->readout, i, i));
        fmpq_set_si(fmpq_mat_entry(head->query, i, i), 1, denominator);
        fmpq_one(fmpq_mat_entry(head->key, i, i));
        fmpq_one(fmpq_mat_entry(head->value, i, i));
        fmpq_one(fmpq_mat_entry(head->output, i, i));
    }
    return AT_OK;
}

int at_bench_exact(json_t *rows, size_t n, size_t d, size_t denominator, bool print, at_error *err)
{
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_mat_t x;
    double each[ROUNDS], seconds;
    at_random random = at_random_seed(1);
    int status = build_attention(net, n, d, denominator, err);

    if (status != AT_OK)
        return status;
    fmpq_mat_init(x, (slong) n, (slong) d);
    at_expqf_mat_init(y, 0, 0);
    for (slong i = 0; i < (slong) n; i++)
        for (slong j = 0; j < (slong) d; j++)
            fmpq_set_si(fmpq_mat_entry(x, i, j), at_random_between(&random, -3, 3), 1);
    for (int round = 0; round < ROUNDS && status == AT_OK; round++) {
        double begin = at_bench_seconds();

        status = at_network_eval_exact(y, net, x, err);
        each[round] = at_bench_seconds() - begin;
    }
    at_expqf_mat_clear(y);
    fmpq_mat_clear(x);
    at_network_clear(net);
    if (status != AT_OK)
        return status < 0 ? at_error_set(err, AT_UNEXPECTED, "exact attention left its field") : status;
    seconds = at_bench_median(each, ROUNDS);
    json_array_append_new(rows, json_pack("{s:I, s:I, s:I, s:f}", "n", (json_int_t) n, "d",
                                          (json_int_t) d, "denominator", (json_int_t) denominator,
                                          "seconds", seconds));
    if (print)
        printf("exact     n %4zu  d %3zu  denominator %2zu  one attention layer in Q(e^Q) %9.4f s\n",
               n, d, denominator, seconds);
    return AT_OK;
}
