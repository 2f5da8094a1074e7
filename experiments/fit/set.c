/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest fit over a fixed set of sequences, by the deterministic minimizers.
 *
 * The iterations are cut into stretches of --every; a stretch is a pure function of the parameters
 * that it starts from, so a run may be interrupted between any two.  A function's set is random
 * sequences and constants; in the second half the constants weigh more (--constant-weight), since
 * that is where the certified floor is held against the result. */
#include "attest/experiments/fit/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/experiments/cli/progress.h"
#include "attest/numeric/optimize/objective.h"
#include "attest/numeric/optimize/random.h"

/* Constants of a function's set. */
#define CONSTANTS 11
/* A stretch that lowers the loss by less than this share says that the half is done. */
#define PLATEAU 1e-3
/* Constants this far below the floor are good enough. */
#define ENOUGH 1e-3

typedef struct {
    at_fit_job *job;
    at_loss *loss;
    at_fit_part parts[2];
    size_t count;              /* of parts */
    int32_t *tokens;
    double *rows;
    at_progress *progress;
} fixed_set;

static int fill_function(fixed_set *set, at_error *err)
{
    const at_task *task = &set->job->task;
    size_t n = task->n, batch = set->job->settings->batch, all = batch + CONSTANTS;
    double *rows = malloc(3 * n * all * sizeof *rows), *values = rows + 2 * n * all;
    int status;

    set->rows = rows;
    if (rows == NULL)
        return at_error_memory(err, "the sequences");
    status = at_task_rows(task, AT_STREAM_TRAIN, 0, 0, batch, rows, values, err);
    if (status == AT_OK)
        status = at_task_constant_rows(task, CONSTANTS, rows + 2 * n * batch, values + n * batch,
                                       err);
    set->parts[0] = (at_fit_part) { { .batch = batch, .n = n, .rows = rows, .values = values },
                                    1.0 };
    set->parts[1] = (at_fit_part) { { .batch = CONSTANTS, .n = n, .rows = rows + 2 * n * batch,
                                      .values = values + n * batch }, 1.0 };
    set->count = 2;
    return status;
}

static int fill_tokens(fixed_set *set, at_error *err)
{
    const at_task *task = &set->job->task;
    size_t n = task->n, batch = set->job->settings->batch;

    set->tokens = malloc(2 * n * batch * sizeof *set->tokens);
    if (set->tokens == NULL)
        return at_error_memory(err, "the sequences");
    at_task_tokens(task, AT_STREAM_TRAIN, 0, 0, batch, set->tokens, set->tokens + n * batch);
    set->parts[0] = (at_fit_part) { { .batch = batch, .n = n, .tokens = set->tokens,
                                      .classes = set->tokens + n * batch }, 1.0 };
    set->count = 1;
    return AT_OK;
}

static int save(const at_fit_job *job, at_error *err)
{
    at_tensors state;
    char step[40];
    int status;

    at_tensors_init(&state);
    snprintf(step, sizeof step, "%zu", job->step);
    status = at_layout_save(&job->layout, job->params, 0, &state, err);
    if (status == AT_OK)
        status = at_tensors_set_metadata(&state, "step", step, err);
    if (status == AT_OK)
        status = at_fit_checkpoint_save(job, &state, err);
    at_tensors_clear(&state);
    return status;
}

static int load(at_fit_job *job, at_error *err)
{
    at_tensors state;
    bool found;
    int status;

    at_tensors_init(&state);
    status = at_fit_checkpoint_load(job, &state, &found, err);
    if (status == AT_OK && found) {
        status = at_layout_load(&job->layout, &state, "", job->params, err);
        if (status == AT_OK)
            status = at_layout_unused(&job->layout, &state, "", err);
        if (status != AT_OK)
            at_error_prefix(err, "%s/checkpoint.safetensors: ", job->run.directory);
    }
    at_tensors_clear(&state);
    return status;
}

static bool report(const at_fit_progress *progress, void *data)
{
    fixed_set *set = data;
    char note[64];

    snprintf(note, sizeof note, "loss %.4g", progress->f);
    at_progress_update(set->progress, set->job->step + progress->iteration, note);
    return !at_interrupted();
}

static int score(at_fit_job *job, at_error *err)
{
    int status = at_fit_score(job, job->settings->rate, err);

    return status == AT_OK ? save(job, err) : status;
}

/* The iterations of the half that begins or goes on at step. */
static size_t half_end(const at_fit_job *job)
{
    size_t steps = job->settings->steps, half = (steps + 1) / 2;

    return job->task.id == AT_TASK_FUNCTION && job->step < half ? half : steps;
}

/* One stretch; *done when the half need not go on. */
static int stretch(fixed_set *set, const at_objective *objective, at_fit_options *options,
                   bool *done, at_error *err)
{
    at_fit_job *job = set->job;
    size_t end = half_end(job);
    double before;
    at_fit_result result;
    int status = objective->value(job->params, &before, NULL, objective->data, err);

    options->iterations = end - job->step;
    if (options->iterations > job->settings->every)
        options->iterations = job->settings->every;
    if (status == AT_OK)
        status = at_fit_minimize(job->params, &result, objective, options, err);
    if (status != AT_OK)
        return status;
    job->step += result.iterations;
    job->loss = result.f;
    job->end = at_fit_end_name(result.end);
    job->interrupted = result.end == AT_FIT_STOPPED;
    *done = result.end == AT_FIT_CONVERGED || result.end == AT_FIT_STALLED
            || result.f >= (1.0 - PLATEAU) * before;
    return AT_OK;
}

static bool far_below(const at_fit_job *job)
{
    return job->task.id == AT_TASK_FUNCTION && job->bounds.exists
           && job->constant.max_error <= ENOUGH * job->bounds.floor;
}

static int iterate(fixed_set *set, at_error *err)
{
    at_fit_job *job = set->job;
    const at_fit_settings *s = job->settings;
    at_objective objective = at_loss_objective(set->loss);
    at_fit_options options = at_fit_defaults(
        (enum at_optimizer_id) at_optimizer_find(s->optimizer));
    int status = AT_OK;

    options.step = s->rate;
    options.ridge = s->ridge;
    options.gradient_tolerance = 1e-12;
    options.report = report;
    options.report_data = set;
    while (status == AT_OK && job->step < s->steps && !job->interrupted) {
        bool second = half_end(job) == s->steps, done = false;
        double weights[2] = { 1.0, second ? s->constant_weight : 1.0 };

        at_loss_weigh(set->loss, weights);
        status = stretch(set, &objective, &options, &done, err);
        if (status != AT_OK)
            break;
        if (job->interrupted)
            return AT_OK;      /* the stretch is made anew by --resume */
        if (done && !second)
            job->step = half_end(job);
        status = score(job, err);
        if (second && (done || far_below(job))) {
            job->end = done ? job->end : "target";
            break;
        }
    }
    return status;
}

static int run(fixed_set *set, at_error *err)
{
    at_fit_job *job = set->job;
    at_progress progress;
    double begin = at_now();
    size_t first = job->step;
    int status = AT_OK;

    if (job->metrics.rows == 0) {
        at_objective objective = at_loss_objective(set->loss);

        status = objective.value(job->params, &job->loss, NULL, objective.data, err);
        if (status == AT_OK)
            status = score(job, err);
    }
    at_progress_start(&progress, "fit", "iterations", job->settings->steps, job->common->quiet);
    at_progress_resume(&progress, first);
    set->progress = &progress;
    if (status == AT_OK && !job->finished)
        status = iterate(set, err);
    at_progress_finish(&progress);
    job->seconds = at_now() - begin;
    job->steps_here = job->step - first;
    if (status != AT_OK || job->interrupted)
        return status;
    job->finished = true;
    return save(job, err);
}

int at_fit_over_set(at_fit_job *job, at_error *err)
{
    fixed_set set = { .job = job };
    int status = job->task.id == AT_TASK_FUNCTION ? fill_function(&set, err)
                                                  : fill_tokens(&set, err);

    if (status == AT_OK)
        status = at_loss_alloc(&set.loss, &job->layout, set.parts, set.count,
                               job->threads, err);
    if (status == AT_OK)
        status = load(job, err);
    if (status == AT_OK)
        status = run(&set, err);
    at_loss_free(set.loss);
    free(set.tokens);
    free(set.rows);
    return status;
}
