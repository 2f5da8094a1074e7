/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest fit by mini-batches: the loop around numeric/train, with scores every so often and
 * checkpoints that a killed run goes on from with the same bits. */
#include "attest/experiments/fit/job.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "attest/experiments/bench/bench.h"
#include "attest/experiments/cli/progress.h"

/* Seconds between checkpoints that no score asks for. */
#define CHECKPOINT_EVERY 60.0

static int save(const at_fit_job *job, const at_train *train, at_error *err)
{
    at_tensors state;
    int status;

    at_tensors_init(&state);
    status = at_train_save(train, &state, err);
    if (status == AT_OK)
        status = at_fit_checkpoint_save(job, &state, err);
    at_tensors_clear(&state);
    return status;
}

static int load(at_fit_job *job, at_train *train, at_error *err)
{
    at_tensors state;
    bool found;
    int status;

    at_tensors_init(&state);
    status = at_fit_checkpoint_load(job, &state, &found, err);
    if (status == AT_OK && found) {
        status = at_train_load(train, &state, err);
        if (status != AT_OK)
            at_error_prefix(err, "%s/checkpoint.safetensors: ", job->run.directory);
    }
    at_tensors_clear(&state);
    return status;
}

/* A score, its row and a checkpoint. */
static int finish_row(at_fit_job *job, const at_train *train, const at_train_options *options,
                      at_error *err)
{
    int status;

    if (job->loss_count > 0)
        job->loss = job->loss_sum / (double) job->loss_count;
    job->loss_sum = 0.0;
    job->loss_count = 0;
    at_train_params(train, job->params);
    status = at_fit_score(job, at_train_rate(options, job->step > 0 ? job->step : 1), err);
    return status == AT_OK ? save(job, train, err) : status;
}

/* What is long enough to be announced. */
#define LONG 600.0
/* The share of this machine's products that a training step of that size reaches. */
#define SHARE 0.85

/* Before the first step: from the products to be made, and this machine's rate of such. */
static int foretell(const at_fit_job *job, const at_train_options *options, at_error *err)
{
    const at_model *model = &job->layout.model;
    const at_bench_training size = {
        .d = model->d, .heads = model->heads, .ffn = model->ffn, .layers = model->layers,
        .n = model->n, .batch = options->batch, .vocab = model->outputs,
    };
    size_t left = options->steps - job->step;
    double gflop = at_bench_step_flops(&size) * 1e-9 * (double) left, rate, seconds;
    int status;

    if (job->common->quiet || gflop < LONG * 50.0 * job->threads)
        return AT_OK;
    status = at_bench_sgemm(&rate, job->threads, err);
    if (status != AT_OK)
        return status;
    seconds = gflop / (SHARE * rate * (options->single ? 1.0 : 0.5));
    if (seconds > LONG)
        fprintf(stderr, "attest fit: %zu steps of %.3g GFLOP each; at %.3g GFLOP/s, %.0f %% of this "
                "machine's, about %.3g hours\n", left, gflop / (double) left,
                SHARE * rate * (options->single ? 1.0 : 0.5), 100.0 * SHARE, seconds / 3600.0);
    return AT_OK;
}

static void say_duration(const at_fit_job *job, const at_train_options *options, double seconds)
{
    double left = seconds * (double) (options->steps - job->step);

    if (!job->common->quiet && left > LONG)
        fprintf(stderr, "attest fit: about %.3g hours on this machine (%.3g s a step, %zu steps "
                "left); interrupt it when you like, --resume goes on\n", left / 3600.0, seconds,
                options->steps - job->step);
}

/* Of all threads of this process: other work on the machine does not count. */
static double processor_seconds(void)
{
    struct timespec now = { .tv_sec = 0 };

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

enum { TIMES = 256 };   /* of the last steps, for their median */

static int loop(at_fit_job *job, at_train *train, const at_train_options *options, at_error *err)
{
    at_progress progress;
    double begin = at_now(), saved = begin;
    size_t first = job->step;
    double times[TIMES];
    char note[64];
    int status = AT_OK;

    at_progress_start(&progress, "fit", "steps", options->steps, job->common->quiet);
    at_progress_resume(&progress, first);
    while (status == AT_OK && job->step < options->steps && !at_interrupted()) {
        double loss, step_begin = processor_seconds();

        status = at_train_step(train, &loss, err);
        if (status != AT_OK)
            break;
        times[(job->step - first) % TIMES] = processor_seconds() - step_begin;
        job->step = at_train_steps_made(train);
        job->loss_sum += loss;
        job->loss_count++;
        if (job->step == first + 2)
            say_duration(job, options, (at_now() - begin) / 2.0);
        snprintf(note, sizeof note, "loss %.4g", loss);
        at_progress_update(&progress, job->step, note);
        if (job->step % job->settings->every == 0 || job->step == options->steps)
            status = finish_row(job, train, options, err);
        else if (at_now() - saved > CHECKPOINT_EVERY)
            status = save(job, train, err);
        else
            continue;
        saved = at_now();
    }
    at_progress_finish(&progress);
    job->seconds = at_now() - begin;
    job->steps_here = job->step - first;
    if (job->steps_here > 0) {
        size_t count = job->steps_here < TIMES ? job->steps_here : TIMES;

        gsl_sort(times, 1, count);
        job->step_seconds = gsl_stats_median_from_sorted_data(times, 1, count);
    }
    job->interrupted = status == AT_OK && job->step < options->steps;
    if (job->interrupted)
        status = save(job, train, err);
    return status;
}

int at_fit_by_batches(at_fit_job *job, at_error *err)
{
    const at_fit_settings *s = job->settings;
    at_train_options options = {
        .task = job->task, .single = strcmp(s->precision, "single") == 0, .steps = s->steps,
        .batch = s->batch, .warmup = s->warmup, .rate = s->rate, .adam = at_adam_defaults,
        .threads = job->threads,
    };
    at_train *train;
    int status;

    for (int k = 0; k < AT_SCHEDULE_COUNT; k++)
        if (strcmp(at_schedule_names[k], s->schedule) == 0)
            options.schedule = (enum at_schedule) k;
    options.adam.beta1 = s->beta1;
    options.adam.beta2 = s->beta2;
    status = at_train_alloc(&train, &job->layout, &options, job->params, err);
    if (status != AT_OK)
        return status;
    status = load(job, train, err);
    if (status == AT_OK)
        status = foretell(job, &options, err);
    if (status == AT_OK && job->step == 0 && job->metrics.rows == 0)
        status = finish_row(job, train, &options, err);
    if (status == AT_OK)
        status = loop(job, train, &options, err);
    if (status == AT_OK)
        at_train_params(train, job->params);
    at_train_free(train);
    return status;
}
