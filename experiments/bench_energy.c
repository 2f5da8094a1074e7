/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast this machine runs energy layers, and decides their steps. */
#include "experiments/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>

#include "experiments/energy_run.h"
#include "numeric/random.h"

enum { LAYERS = 12, CERTIFIED = 16, ROUNDS = 5 };

/* count standard normals, scaled as a row of word vectors of d entries. */
static int random_rows(double *out, size_t count, size_t d, at_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);

    if (rng == NULL)
        return at_error_memory(err, "a random stream");
    at_rng_stream(rng, 1, AT_STREAM_USER, 0, 0);
    for (size_t i = 0; i < count; i++)
        out[i] = gsl_ran_ugaussian(rng) / (double) d;
    gsl_rng_free(rng);
    return AT_OK;
}

/* The median time of ROUNDS runs of all layers from the same Y_0. */
static int time_layers(double *seconds, const double *start, size_t n, const at_energy_model *model,
                       at_energy_work *work, at_error *err)
{
    double *y = malloc(n * model->d * sizeof *y), each[ROUNDS];
    at_energy_parts energy[LAYERS + 1];
    int status = y == NULL ? at_error_memory(err, "rows of a document") : AT_OK;

    for (int round = 0; round < ROUNDS && status == AT_OK; round++) {
        double begin;

        for (size_t i = 0; i < n * model->d; i++)
            y[i] = start[i];
        begin = at_bench_seconds();
        status = at_energy_run(energy, NULL, y, n, LAYERS, model, work, err);
        each[round] = at_bench_seconds() - begin;
    }
    free(y);
    if (status == AT_OK)
        *seconds = at_bench_median(each, ROUNDS);
    return status;
}

/* One attention step of the first CERTIFIED rows, decided in balls. */
static int time_certificate(double *seconds, const double *y, const at_energy_model *model,
                            at_error *err)
{
    double each[ROUNDS], theta[CERTIFIED] = {0};
    size_t rotation[CERTIFIED];

    for (int round = 0; round < ROUNDS; round++) {
        at_energy_certificate certificate;
        double begin = at_bench_seconds();
        int status = at_energy_certify(&certificate, model, 0, y, NULL, CERTIFIED, theta, rotation,
                                       err);

        if (status != AT_OK)
            return status;
        each[round] = at_bench_seconds() - begin;
    }
    *seconds = at_bench_median(each, ROUNDS);
    return AT_OK;
}

int at_bench_energy(json_t *rows, size_t n, size_t d, int threads, bool print, at_error *err)
{
    double *y = malloc(n * d * sizeof *y), seconds = 0.0, certified = 0.0;
    at_energy_model model;
    at_energy_work *work = NULL;
    at_rho rho;
    int status = y == NULL ? at_error_memory(err, "rows of a document") : at_rho_parse(&rho, "exp", err);

    if (status != AT_OK) {
        free(y);
        return status;
    }
    status = at_energy_model_init(&model, AT_STEP_SOFTMAX_BETA, &rho, d, 1, NULL, NULL, NULL, err);
    if (status == AT_OK) {
        status = at_energy_work_alloc(&work, &model, n, threads, err);
        if (status == AT_OK)
            status = random_rows(y, n * d, d, err);
        if (status == AT_OK)
            status = time_layers(&seconds, y, n, &model, work, err);
        if (status == AT_OK)
            status = time_certificate(&certified, y, &model, err);
        at_energy_work_free(work);
        at_energy_model_clear(&model);
    }
    at_rho_clear(&rho);
    free(y);
    if (status != AT_OK)
        return status;
    json_array_append_new(rows, json_pack("{s:I, s:I, s:i, s:f, s:f}", "n", (json_int_t) n, "d",
                                          (json_int_t) d, "layers", LAYERS, "seconds", seconds,
                                          "certified_seconds", certified));
    if (print)
        printf("energy    n %4zu  d %3zu  %d layers with their energies %9.4f s; one step of %d rows "
               "certified %7.4f s\n", n, d, LAYERS, seconds, CERTIFIED, certified);
    return AT_OK;
}
