/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints of a fit: a file that is written with every score and read by --resume.  It may come
 * from a crash, another version or another hand, so nothing in it is believed before it was held
 * against the run that goes on from it. */
#include "attest/experiments/fit/job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"

int at_fit_checkpoint_save(const at_fit_job *job, at_tensors *state, at_error *err)
{
    char sum[40], count[40];
    char *path = at_run_path(&job->run, "checkpoint.safetensors");
    int status = path != NULL ? AT_OK : at_error_memory(err, "a path");

    snprintf(sum, sizeof sum, "%.17g", job->loss_sum);
    snprintf(count, sizeof count, "%zu", job->loss_count);
    if (status == AT_OK)
        status = at_tensors_set_metadata(state, "metrics", job->metrics.text, err);
    if (status == AT_OK)
        status = at_tensors_set_metadata(state, "loss_sum", sum, err);
    if (status == AT_OK)
        status = at_tensors_set_metadata(state, "loss_count", count, err);
    if (status == AT_OK)
        status = at_tensors_set_metadata(state, "within_bounds", job->within_bounds ? "1" : "0",
                                         err);
    if (status == AT_OK && job->finished)
        status = at_tensors_set_metadata(state, "end", job->end, err);
    if (status == AT_OK)
        status = at_table_write(&job->metrics, &job->run, "metrics.tsv", err);
    if (status == AT_OK)
        status = at_tensors_write(state, path, err);
    free(path);
    return status;
}

/* What a checkpoint says beside its tensors. */
typedef struct {
    const char *metrics, *end;
    size_t step, loss_count;
    double loss_sum;
    bool within_bounds, finished;
} stored_state;

/* A whole number of digits alone, not above most. */
static bool read_count(const char *text, size_t most, size_t *value)
{
    unsigned long long number;
    char *end;

    if (text == NULL || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    number = strtoull(text, &end, 10);
    *value = (size_t) number;
    return errno == 0 && *end == '\0' && number <= most;
}

static bool read_finite(const char *text, double *value)
{
    char *end;

    if (text == NULL)
        return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static size_t columns(const char *line, size_t length)
{
    size_t count = 1;

    for (size_t k = 0; k < length; k++)
        count += line[k] == '\t';
    return count;
}

/* The header of this run, then rows of as many columns whose steps rise to at most step. */
static bool good_metrics(const char *metrics, const char *header, size_t step)
{
    size_t length = strlen(header), width = columns(header, length);
    unsigned long long before = 0;

    if (metrics == NULL || strncmp(metrics, header, length) != 0 || metrics[length] != '\n')
        return false;
    for (const char *row = metrics + length + 1; *row != '\0';) {
        const char *end = strchr(row, '\n');
        char *after;
        unsigned long long at;

        if (end == NULL || *row < '0' || *row > '9' || columns(row, (size_t) (end - row)) != width)
            return false;
        at = strtoull(row, &after, 10);
        if (*after != '\t' || at < before || at > step)
            return false;
        before = at;
        row = end + 1;
    }
    return true;
}

/* "converged", … as the fit's own constant text; NULL for none of them. */
static const char *find_end(const char *text)
{
    static const char *const ends[] = { "converged", "target", "iterations", "stalled" };

    for (size_t k = 0; text != NULL && k < sizeof ends / sizeof *ends; k++)
        if (strcmp(text, ends[k]) == 0)
            return ends[k];
    return NULL;
}

static int bad_state(const char *key, const char *expected, at_error *err)
{
    return at_error_set(err, AT_INPUT, "not a checkpoint of this run: its metadata \"%s\": expected "
                        "%s; remove the file to start again", key, expected);
}

static int read_state(stored_state *state, const at_fit_job *job, const at_tensors *file,
                      at_error *err)
{
    const char *within = at_tensors_metadata(file, "within_bounds");
    const char *end = at_tensors_metadata(file, "end");

    if (!read_count(at_tensors_metadata(file, "step"), job->settings->steps, &state->step))
        return bad_state("step", "a whole number, not above the run's steps", err);
    if (!read_count(at_tensors_metadata(file, "loss_count"), state->step, &state->loss_count))
        return bad_state("loss_count", "a whole number, not above the step", err);
    if (!read_finite(at_tensors_metadata(file, "loss_sum"), &state->loss_sum))
        return bad_state("loss_sum", "a finite number", err);
    if (within == NULL || (strcmp(within, "0") != 0 && strcmp(within, "1") != 0))
        return bad_state("within_bounds", "0 or 1", err);
    state->within_bounds = within[0] == '1';
    state->metrics = at_tensors_metadata(file, "metrics");
    if (!good_metrics(state->metrics, at_fit_metrics_header(job), state->step))
        return bad_state("metrics", "the rows of metrics.tsv up to the step", err);
    state->end = find_end(end);
    state->finished = state->end != NULL;
    if (end != NULL && state->end == NULL)
        return bad_state("end", "converged, target, iterations or stalled", err);
    return AT_OK;
}

int at_fit_checkpoint_load(at_fit_job *job, at_tensors *state, bool *found, at_error *err)
{
    char *path = at_run_path(&job->run, "checkpoint.safetensors");
    stored_state stored = { 0 };
    int status = path != NULL ? AT_OK : at_error_memory(err, "a path");

    *found = status == AT_OK && job->run.resumed && access(path, F_OK) == 0;
    if (*found)
        status = at_tensors_read(state, path, err);
    if (*found && status == AT_OK) {
        status = read_state(&stored, job, state, err);
        if (status != AT_OK)
            at_error_prefix(err, "%s: ", path);
    }
    free(path);
    if (status != AT_OK || !*found)
        return status;
    at_table_clear(&job->metrics);
    at_table_init(&job->metrics, "");
    job->metrics.length = 0;
    at_table_row(&job->metrics, "%.*s", (int) strlen(stored.metrics) - 1, stored.metrics);
    job->loss_sum = stored.loss_sum;
    job->loss_count = stored.loss_count;
    job->within_bounds = stored.within_bounds;
    job->step = stored.step;
    job->end = stored.end;
    job->finished = stored.finished;
    return AT_OK;
}
