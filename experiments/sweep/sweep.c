/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of fits: the cells' folders and processes.  See sweep.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/experiments/cli/progress.h"

/* A whole summary of a fit that was not interrupted; anything else is fitted again. */
static bool is_whole(const json_t *summary)
{
    static const char *const numbers[] = { "n", "parameters", "steps", "loss", "seconds" };
    bool tokens = json_is_object(json_object_get(summary, "random"))
                  && json_is_object(json_object_get(summary, "constant"));

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!json_is_number(json_object_get(summary, numbers[k])))
            return false;
    return json_is_false(json_object_get(summary, "interrupted"))
           && json_is_boolean(json_object_get(summary, "within_bounds"))
           && (tokens || json_is_number(json_object_get(summary, "error_constants")));
}

static bool cell_done(const char *folder, bool *begun)
{
    char *path = at_path_join(folder, "summary.json");
    char *config = at_path_join(folder, "config.json");
    json_t *summary = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    bool done = is_whole(summary);

    *begun = config != NULL && access(config, F_OK) == 0;
    json_decref(summary);
    free(path);
    free(config);
    return done;
}

/* A word of the command; NULL in words upon failure is seen at the end. */
static void add_word(char **words, size_t *count, bool *failed, const char *format,
                     const char *text)
{
    char *word = NULL;

    if (asprintf(&word, format, text) < 0)
        *failed = true;
    else
        words[(*count)++] = word;
}

static char **cell_arguments(const at_sweep *sweep, const at_common *common, size_t cell,
                             const char *folder, bool begun)
{
    char **words = calloc(2 * AT_SWEEP_GIVEN + 2 * AT_SWEEP_GRIDS + 16, sizeof *words);
    char number[40];
    size_t count = 0;
    bool failed = false, seed = false;

    if (words == NULL)
        return NULL;
    add_word(words, &count, &failed, "%s", "fit");
    for (size_t k = 0; k < sweep->given_count; k++) {
        add_word(words, &count, &failed, "--%s", sweep->given[k]->name);
        if (sweep->given_values[k] != NULL)
            add_word(words, &count, &failed, "%s", sweep->given_values[k]);
    }
    for (size_t g = 0; g < sweep->grid_count; g++) {
        add_word(words, &count, &failed, "--%s", sweep->grids[g].key);
        add_word(words, &count, &failed, "%s", at_sweep_value(sweep, cell, g));
        seed |= strcmp(sweep->grids[g].key, "seed") == 0;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long) common->seed);
    if (!seed)
        add_word(words, &count, &failed, "--seed=%s", number);
    add_word(words, &count, &failed, "%s", "--threads=1");
    add_word(words, &count, &failed, "%s", "--quiet");
    add_word(words, &count, &failed, "%s", "--no-figures");
    add_word(words, &count, &failed, "--out=%s", folder);
    add_word(words, &count, &failed, "%s", begun ? "--resume" : "--force");
    if (failed) {
        for (size_t k = 0; k < count; k++)
            free(words[k]);
        free(words);
        return NULL;
    }
    return words;
}

static int prepare(at_sweep *sweep, const at_common *common, at_error *err)
{
    sweep->jobs = calloc(sweep->cell_count, sizeof *sweep->jobs);
    if (sweep->jobs == NULL)
        return at_error_memory(err, "the cells");
    for (size_t cell = 0; cell < sweep->cell_count; cell++) {
        char *folder = at_sweep_cell_path(sweep, cell);
        bool begun = false;
        at_job *job = &sweep->jobs[sweep->job_count];
        int status = folder != NULL ? at_directory_make(folder, err)
                                    : at_error_memory(err, "a path");

        if (status != AT_OK || (sweep->run.resumed && cell_done(folder, &begun))) {
            free(folder);
            if (status != AT_OK)
                return status;
            continue;
        }
        *job = (at_job) {
            .name = "cell", .cores = 1, .output = at_path_join(folder, "output.txt"),
            .log = at_path_join(folder, "log.txt"),
            .arguments = cell_arguments(sweep, common, cell, folder, begun),
        };
        sweep->job_count++;
        free(folder);
        if (job->output == NULL || job->log == NULL || job->arguments == NULL)
            return at_error_memory(err, "the cells");
    }
    return AT_OK;
}

static json_t *settings_json(const at_sweep *sweep)
{
    json_t *grid = json_object(), *fit = json_object(), *order = json_array();

    for (size_t g = 0; g < sweep->grid_count; g++) {
        json_t *values = json_array();

        for (size_t k = 0; k < sweep->grids[g].count; k++)
            json_array_append_new(values, json_string(sweep->grids[g].values[k]));
        json_object_set_new(grid, sweep->grids[g].key, values);
        json_array_append_new(order, json_string(sweep->grids[g].key));
    }
    for (size_t k = 0; k < sweep->given_count; k++)
        json_object_set_new(fit, sweep->given[k]->name, sweep->given_values[k] != NULL
                            ? json_string(sweep->given_values[k]) : json_true());
    return json_pack("{s:o, s:o, s:o, s:f, s:b}", "grid", grid, "order", order, "fit", fit,
                     "require_gap", sweep->require, "cost", sweep->cost);
}

/* The gathered result against what was asked for. */
static int judge(const at_sweep *sweep, const json_t *summary, at_error *err)
{
    json_int_t done = json_integer_value(json_object_get(summary, "done"));
    const json_t *least = json_object_get(summary, "least_times_below_floor");

    if (at_interrupted())
        return at_error_set(err, AT_INTERRUPTED, "incomplete: interrupted with %lld of %zu cells "
                            "done; the same command with --resume goes on", (long long) done, sweep->cell_count);
    if (!json_is_true(json_object_get(summary, "within_bounds")))
        return at_error_set(err, AT_UNEXPECTED, "a fit is beyond a certified bound; see sweep.tsv");
    if ((size_t) done < sweep->cell_count)
        return at_error_set(err, AT_UNEXPECTED, "%zu of %zu cells failed; each folder's log.txt "
                            "says why", sweep->cell_count - (size_t) done, sweep->cell_count);
    if (sweep->require > 0.0 && !(json_number_value(least) >= sweep->require))
        return at_error_set(err, AT_UNEXPECTED, "a fit with encoding urpe is only %.4g times below "
                            "its floor, not %g", json_number_value(least), sweep->require);
    return AT_OK;
}

static int finish(at_sweep *sweep, const at_common *common, double seconds, at_error *err)
{
    json_t *summary = NULL;
    int status = at_sweep_gather(sweep, &summary, err);

    json_object_set_new(summary, "seconds", json_real(seconds));
    if (status == AT_OK)
        status = at_run_write_json(&sweep->run, "summary.json", summary, err);
    if (status == AT_OK)
        status = at_run_draw(sweep->run.directory, common, err);
    if (status == AT_OK && common->json)
        status = at_print_json(summary, err);
    else if (status == AT_OK)
        printf("%lld of %zu cells done; %.1f s; table %s/sweep.tsv\n",
               (long long) json_integer_value(json_object_get(summary, "done")),
               sweep->cell_count, seconds, sweep->run.directory);
    if (status == AT_OK)
        status = judge(sweep, summary, err);
    json_decref(summary);
    return status;
}

int at_sweep_run(at_sweep *sweep, const at_common *common, at_error *err)
{
    at_progress progress;
    double begin = at_now();
    int status = at_run_open(&sweep->run, common, settings_json(sweep), err);

    if (status == AT_OK)
        status = prepare(sweep, common, err);
    if (status != AT_OK)
        return status;
    at_progress_start(&progress, "sweep", "cells", sweep->job_count, common->quiet);
    status = at_jobs_run(sweep->jobs, sweep->job_count, (unsigned) common->threads, &progress,
                         err);
    at_progress_finish(&progress);
    return status == AT_OK ? finish(sweep, common, at_now() - begin, err) : status;
}

void at_sweep_clear(at_sweep *sweep)
{
    for (size_t k = 0; k < sweep->job_count; k++) {
        at_job *job = &sweep->jobs[k];

        for (size_t w = 0; job->arguments != NULL && job->arguments[w] != NULL; w++)
            free(job->arguments[w]);
        free(job->arguments);
        free((char *) job->output);
        free((char *) job->log);
    }
    free(sweep->jobs);
    at_run_clear(&sweep->run);
}
