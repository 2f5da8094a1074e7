/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times exact attention. */
#include "attest/experiments/bench/exact_instance.h"

#include <time.h>

const at_exact_case at_exact_cases[] = {
    { 16, 4, 12 }, { 8, 4, 12 }, { 32, 4, 12 }, { 64, 4, 12 }, { 32, 8, 12 },
    { 16, 1, 12 }, { 16, 16, 12 }, { 16, 4, 4 }, { 16, 4, 60 }, { 16, 4, 360 },
};
const size_t at_exact_case_count = sizeof at_exact_cases / sizeof at_exact_cases[0];

/* Entries low ... high over a denominator, row by row. */
static void draw(fmpq_mat_t a, at_random *r, slong low, slong high, slong denominator)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < fmpq_mat_ncols(a); j++)
            fmpq_set_si(fmpq_mat_entry(a, i, j), at_random_between(r, low, high),
                        (ulong) denominator);
}

int at_exact_instance(at_network_t net, fmpq_mat_t x, const at_exact_case *size, uint64_t seed,
                      at_error *err)
{
    at_model model = { .encoding = AT_ENC_NONE, .n = (size_t) size->n, .d = (size_t) size->d,
                       .heads = 1, .layers = 1 };
    at_random r = at_random_seed(seed);
    slong query = size->denominator / 4;
    int status;

    if (query < 1 || 4 * query != size->denominator)
        return at_error_set(err, AT_USAGE, "the denominator is a multiple of 4");
    status = at_network_init(net, &model, 0, err);
    if (status != AT_OK)
        return status;
    at_head *head = net->layers[0].heads;
    fmpq_mat_clear(x);
    fmpq_mat_init(x, size->n, size->d);
    draw(x, &r, -4, 4, 2);
    draw(head->query, &r, -query, query, query);
    draw(head->key, &r, -1, 1, 1);
    draw(head->value, &r, -1, 1, 1);
    return AT_OK;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

int at_exact_seconds(double *seconds, const at_exact_case *size, int repeats, at_error *err)
{
    double *times = flint_malloc((size_t) FLINT_MAX(repeats, 1) * sizeof *times);
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_mat_t x;
    int status = AT_OK;

    at_expqf_mat_init(y, 0, 0), fmpq_mat_init(x, 0, 0);
    for (int k = 0; status == AT_OK && k < repeats; k++) {
        status = at_exact_instance(net, x, size, (uint64_t) k + 1, err);
        if (status != AT_OK)
            break;
        double start = now();
        status = at_network_head_exact(y, net, 0, 0, x, err);
        times[k] = now() - start;
        at_network_clear(net);
    }
    if (status == AT_OK) {
        qsort(times, (size_t) repeats, sizeof *times, by_size);
        *seconds = times[repeats / 2];
    }
    at_expqf_mat_clear(y), fmpq_mat_clear(x);
    flint_free(times);
    return status;
}
