/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fitted model does on the constant sequences of a function's domain: the table behind the
 * figure in which a collapsing model's outputs are one curve. */
#include "attest/experiments/fit/job.h"

#include <stdlib.h>

/* Positions that are shown: evenly spread from the first to the last, and the two that are
 * furthest apart at the floor's witness. */
enum { MOST_SPREAD = 5 };

static bool is_shown(const at_fit_job *job, size_t i)
{
    size_t n = job->task.n;

    if (n <= MOST_SPREAD || (job->bounds.exists && (i == job->bounds.top || i == job->bounds.bottom)))
        return true;
    for (size_t curve = 0; curve < MOST_SPREAD; curve++)
        if (i == curve * (n - 1) / (MOST_SPREAD - 1))
            return true;
    return false;
}

static void add_rows(at_table *table, const at_fit_job *job, const double *rows,
                     const double *values, const double *outputs, size_t count)
{
    const at_fit_bounds *b = &job->bounds;
    size_t n = job->task.n, curve = 0;

    for (size_t i = 0; i < n; i++) {
        if (!is_shown(job, i))
            continue;
        curve++;
        for (size_t k = 0; k < count; k++)
            at_table_row(table, "%zu\t%zu\t%.9g\t%.9g\t%.9g\t%s\t%.9g\t%.9g", curve, i + 1,
                         rows[k * n * job->layout.model.inputs], values[k * n + i],
                         outputs[k * n + i], job->settings->encoding, b->floor, b->witness);
    }
}

int at_fit_write_constants(const at_fit_job *job, at_error *err)
{
    const at_layout *layout = &job->layout;
    size_t n = job->task.n, inputs = n * layout->model.inputs;
    size_t constants = job->settings->constants, count = constants + 1;
    double *rows = malloc((inputs + 2 * n) * count * sizeof *rows);
    double *values = rows + inputs * count, *outputs = values + n * count;
    at_task point = job->task;
    at_table table;
    int status;

    if (rows == NULL)
        return at_error_memory(err, "constants.tsv");
    point.low = point.high = job->bounds.witness;
    at_table_init(&table, "curve\tposition\ttoken\ttarget\toutput\tencoding\tfloor\twitness");
    status = at_task_constant_rows(&job->task, constants, rows, values, err);
    if (status == AT_OK)
        status = at_task_constant_rows(&point, 1, rows + inputs * constants,
                                       values + n * constants, err);
    if (status == AT_OK)
        status = at_predict_rows(outputs, layout, job->params, rows, count, job->threads, err);
    if (status == AT_OK) {
        add_rows(&table, job, rows, values, outputs, count);
        status = at_table_write(&table, &job->run, "constants.tsv", err);
    }
    at_table_clear(&table);
    free(rows);
    return status;
}
