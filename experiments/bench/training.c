/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast this machine trains: the peak of its matrix products, and full steps against it. */
#include "attest/experiments/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>

#include "attest/experiments/run/run.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/kernels/kernels.h"
#include "attest/numeric/optimize/random.h"
#include "attest/numeric/optimize/train.h"

enum { PEAK_SIZE = 1024, PEAK_ROUNDS = 5 };

double at_bench_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

double at_bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

int at_bench_sgemm(double *gflops, int threads, at_error *err)
{
    size_t size = PEAK_SIZE, matrix = size * size;
    float *all = malloc((size_t) threads * 3 * matrix * sizeof *all);
    double seconds[PEAK_ROUNDS];

    if (all == NULL)
        return at_error_memory(err, "matrices to measure products with");
    at_blas_single_thread();
    for (size_t i = 0; i < (size_t) threads * 3 * matrix; i++)
        all[i] = (float) (i % 7) / 8;
    for (int round = -1; round < PEAK_ROUNDS; round++) {
        double start = at_bench_seconds();

#ifdef _OPENMP
#pragma omp parallel for num_threads(threads)
#endif
        for (int t = 0; t < threads; t++) {
            float *a = all + (size_t) t * 3 * matrix;

            for (int i = 0; i < 4; i++)
                at_blasf_gemm(false, false, size, size, size, 1, a, size, a + matrix, size, 0,
                              a + 2 * matrix, size);
        }
        if (round >= 0)
            seconds[round] = at_bench_seconds() - start;
    }
    free(all);
    *gflops = 4.0 * threads * 2.0 * (double) matrix * (double) size * 1e-9
            / at_bench_median(seconds, PEAK_ROUNDS);
    return AT_OK;
}

int at_bench_machine(json_t **machine, double sgemm, at_error *err)
{
    char name[256];

    at_processor_name(name, sizeof name);
    *machine = json_pack("{s:s, s:I, s:s, s:s?, s:f}", "cpu", name, "cores",
                         (json_int_t) sysconf(_SC_NPROCESSORS_ONLN), "kernels",
                         at_isa_name(at_isa_in_use()), "blas_kernel", at_blas_kernel(),
                         "sgemm_gflops", sgemm);
    return *machine != NULL ? AT_OK : at_error_memory(err, "a measurement");
}

double at_bench_step_flops(const at_bench_training *s)
{
    double d = (double) s->d, f = (double) s->ffn, n = (double) s->n;
    double layer = 2.0 * (4.0 * d * d + 2.0 * d * f) + 4.0 * n * d;
    double head = 2.0 * (d * d + d * (double) (s->vocab > s->n ? s->vocab : s->n));

    return 3.0 * (double) s->batch * n * ((double) s->layers * layer + head);
}

static double normal(void *rng)
{
    return gsl_ran_ugaussian(rng);
}

static int start(const at_bench_training *s, at_layout *layout, at_train **train, at_error *err)
{
    at_model model = {
        .encoding = s->encoding, .d = s->d, .heads = s->heads, .ffn = s->ffn, .layers = s->layers,
        .activation = AT_GELU, .layernorm = true, .biases = true, .scale_logits = true,
        .lm_head = true, .causal = at_encodings[s->encoding].causal_only
    };
    at_train_options options = {
        .task = {.id = AT_TASK_PI, .n = s->n, .seed = s->seed, .vocab = s->vocab},
        .single = s->single, .steps = s->steps + 1, .batch = s->batch, .rate = 1e-4,
        .schedule = AT_SCHEDULE_CONSTANT, .adam = at_adam_defaults, .threads = s->threads
    };
    at_initial initial;
    double *params;
    gsl_rng *rng;
    int status;

    at_task_model(&options.task, &model);
    /* As many classes as symbols, as the paper's decoder has. */
    model.outputs = s->vocab > model.outputs ? s->vocab : model.outputs;
    status = at_layout_init(layout, &model, err);
    if (status != AT_OK)
        return status;
    params = malloc(layout->count * sizeof *params);
    rng = gsl_rng_alloc(at_rng_philox);
    if (params == NULL || rng == NULL) {
        status = at_error_memory(err, "parameters");
    } else {
        at_rng_stream(rng, s->seed, AT_STREAM_WEIGHTS, 0, 0);
        initial = at_initial_default(&model);
        at_layout_start(layout, &initial, normal, rng, params);
        status = at_train_alloc(train, layout, &options, params, err);
    }
    free(params);
    gsl_rng_free(rng);
    if (status != AT_OK)
        at_layout_clear(layout);
    return status;
}

static int time_steps(at_train *train, size_t steps, double *seconds, at_error *err)
{
    double *each = calloc(steps, sizeof *each);
    int status = each == NULL ? at_error_memory(err, "times") : at_train_step(train, NULL, err);

    for (size_t i = 0; i < steps && status == AT_OK; i++) {
        double begin = at_bench_seconds();

        status = at_train_step(train, NULL, err);
        each[i] = at_bench_seconds() - begin;
    }
    if (status == AT_OK)
        *seconds = at_bench_median(each, steps);
    free(each);
    return status;
}

int at_bench_train(json_t *rows, const at_bench_training *s, double sgemm, bool print, at_error *err)
{
    at_layout layout;
    at_train *train;
    double seconds = 0.0, tokens, gflops, peak;
    struct rusage usage;
    int status = start(s, &layout, &train, err);

    if (status != AT_OK)
        return status;
    status = time_steps(train, s->steps, &seconds, err);
    at_train_free(train);
    at_layout_clear(&layout);
    if (status != AT_OK)
        return status;
    getrusage(RUSAGE_SELF, &usage);
    peak = (double) usage.ru_maxrss / 1024.0;
    tokens = (double) (s->batch * s->n) / seconds;
    gflops = at_bench_step_flops(s) * 1e-9 / seconds;
    json_array_append_new(rows, json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:i, s:f, s:f, s:f, s:f}", "d", (json_int_t) s->d,
        "heads", (json_int_t) s->heads, "ffn", (json_int_t) s->ffn, "layers",
        (json_int_t) s->layers, "n", (json_int_t) s->n, "batch", (json_int_t) s->batch, "vocab",
        (json_int_t) s->vocab, "encoding", at_encodings[s->encoding].name, "threads", s->threads,
        "tokens_per_s", tokens, "gflops", gflops, "sgemm_share", gflops / sgemm, "peak_rss_mb",
        peak));
    if (print)
        printf("training  d %4zu  heads %2zu  n %3zu  batch %3zu  %-8s %10.0f tokens/s %8.1f GFLOP/s "
               "%4.0f %% of sgemm %6.0f MB\n", s->d, s->heads, s->n, s->batch,
               at_encodings[s->encoding].name, tokens, gflops, 100.0 * gflops / sgemm, peak);
    return AT_OK;
}
