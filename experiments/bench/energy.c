/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast this machine runs energy layers, and decides their steps. */
#include "attest/experiments/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>

#include "attest/experiments/energy/run.h"
#include "attest/numeric/optimize/random.h"

enum { LAYERS = 12, LONGEST_CERTIFIED = 64, ROUNDS = 5 };

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

/* All layers of softmax_beta once more, each step decided in balls: one run, for short documents.
 */
static int time_certificates(double *seconds, double *y, size_t n, size_t d, const at_rho *rho,
                             at_error *err)
{
    at_energy_model model;
    at_energy_work *work = NULL;
    at_energy_parts parts;
    double *theta = calloc(n, sizeof *theta);
    size_t *rotation = calloc(n, sizeof *rotation);
    int status =
        theta != NULL && rotation != NULL ? AT_OK : at_error_memory(err, "rows of a document");

    if (status == AT_OK)
        status =
            at_energy_model_init(&model, AT_STEP_SOFTMAX_BETA, rho, d, 1, NULL, NULL, NULL, err);
    if (status == AT_OK) {
        status = at_energy_work_alloc(&work, &model, n, 1, err);
        double begin = at_bench_seconds();
        for (int t = 0; t < LAYERS && status == AT_OK; t++) {
            at_energy_certificate certificate;
            status = at_energy_certify(&certificate, &model, NULL, 0, y, NULL, n, theta, rotation, err);
            at_energy_measure(&parts, y, NULL, n, &model, work);
            at_energy_advance(y, y, NULL, n, 0, &model, work);
        }
        *seconds = at_bench_seconds() - begin;
        at_energy_work_free(work);
        at_energy_model_clear(&model);
    }
    free(theta);
    free(rotation);
    return status;
}

/* The released layer with the random weights of the paper, as experiments/bench/energy_torch.py. */
static int time_released(double *seconds, const double *y, size_t n, size_t d, const at_rho *rho,
                         int threads, at_error *err)
{
    double *weights = malloc((2 * d * d + d) * sizeof *weights);
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);
    at_energy_model model;
    at_energy_work *work = NULL;
    int status = weights != NULL && rng != NULL ? AT_OK : at_error_memory(err, "weights");

    if (status == AT_OK) {
        at_rng_stream(rng, 1, AT_STREAM_WEIGHTS, 0, 0);
        status =
            at_energy_weights_random(weights, weights + d * d, weights + 2 * d * d, d, 1, rng, err);
    }
    if (status == AT_OK)
        status = at_energy_model_init(&model, AT_STEP_RELEASED, rho, d, 1, weights, weights + d * d,
                                      weights + 2 * d * d, err);
    if (status == AT_OK) {
        status = at_energy_work_alloc(&work, &model, n, threads, err);
        if (status == AT_OK)
            status = time_layers(seconds, y, n, &model, work, err);
        at_energy_work_free(work);
        at_energy_model_clear(&model);
    }
    gsl_rng_free(rng);
    free(weights);
    return status;
}

int at_bench_energy(json_t *rows, size_t n, size_t d, int threads, bool print, at_error *err)
{
    double *y = malloc(n * d * sizeof *y), seconds = 0.0, certified = 0.0;
    bool certify = n <= LONGEST_CERTIFIED;
    at_rho rho;
    int status =
        y == NULL ? at_error_memory(err, "rows of a document") : at_rho_parse(&rho, "exp", err);

    if (status != AT_OK) {
        free(y);
        return status;
    }
    status = random_rows(y, n * d, d, err);
    if (status == AT_OK)
        status = time_released(&seconds, y, n, d, &rho, threads, err);
    if (status == AT_OK && certify)
        status = time_certificates(&certified, y, n, d, &rho, err);
    at_rho_clear(&rho);
    free(y);
    if (status != AT_OK)
        return status;
    json_array_append_new(rows, json_pack("{s:I, s:I, s:i, s:f, s:o}", "n", (json_int_t) n, "d",
                                          (json_int_t) d, "layers", LAYERS, "seconds", seconds,
                                          "certified_seconds",
                                          certify ? json_real(certified) : json_null()));
    if (print) {
        printf("energy    n %4zu  d %3zu  %d released layers with their energies %9.4f s", n, d,
               LAYERS, seconds);
        if (certify)
            printf("; softmax-beta, each step certified %7.3f s", certified);
        putchar('\n');
    }
    return AT_OK;
}
