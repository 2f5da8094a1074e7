/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fit leaves in its folder: the model, tables for the figures, summary.json. */
#include "attest/experiments/fit/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int write_model(const at_fit_job *job, at_error *err)
{
    char *path = at_run_path(&job->run, "model.safetensors");
    at_tensors file;
    int status = path != NULL ? AT_OK : at_error_memory(err, "a path");

    at_tensors_init(&file);
    if (status == AT_OK)
        status = at_layout_save(&job->layout, job->params,
                                strcmp(job->settings->precision, "single") == 0, &file, err);
    if (status == AT_OK)
        status = at_layout_describe(&job->layout.model, &file, err);
    if (status == AT_OK)
        status = at_tensors_write(&file, path, err);
    at_tensors_clear(&file);
    free(path);
    return status;
}

/* A table of 2n − 1 offsets, stored by (j − i) + (n − 1). */
static void table_rows(at_table *table, const at_fit_job *job, const at_view *view, size_t layer)
{
    bool factor = view->kind == AT_PARAM_FACTOR_TABLE;
    size_t n = job->layout.model.n, heads = view->shape[1];

    for (size_t head = 0; head < heads; head++)
        for (size_t row = 0; row < 2 * n - 1; row++)
            at_table_row(table, "%d\t%s\t%zu\t%ld\t%.9g", factor ? 2 : 1, factor ? "c" : "b",
                         layer * heads + head + 1, (long) n - 1 - (long) row,
                         job->params[view->offset + row * heads + head]);
}

static int write_tables(const at_fit_job *job, at_error *err)
{
    const at_layout *layout = &job->layout;
    at_table table;
    int status = AT_OK;

    at_table_init(&table, "panel\ttable\thead\toffset\tvalue");
    for (int kind = AT_PARAM_LOGIT_TABLE; kind <= AT_PARAM_FACTOR_TABLE; kind++) {
        size_t layer = 0;

        for (size_t v = 0; v < layout->view_count; v++)
            if ((int) layout->views[v].kind == kind
                && layout->views[v].shape[0] == 2 * layout->model.n - 1)
                table_rows(&table, job, &layout->views[v], layer++);
    }
    if (table.rows > 0)
        status = at_table_write(&table, &job->run, "encoding-tables.tsv", err);
    at_table_clear(&table);
    return status;
}

static int write_bounds(const at_fit_job *job, at_error *err)
{
    const at_fit_bounds *b = &job->bounds;
    at_table table;
    int status;

    at_table_init(&table, "loss_floor_constant\taccuracy_ceiling_constant\taccuracy_ceiling_random");
    at_table_row(&table, "%.17g\t%.17g\t%.17g", b->loss, b->accuracy, b->random_accuracy);
    status = at_table_write(&table, &job->run, "bounds.tsv", err);
    at_table_clear(&table);
    return status;
}

static json_t *token_summary(const at_fit_job *job)
{
    const at_evaluation *random = &job->random, *constant = &job->constant;
    const at_fit_bounds *b = &job->bounds;

    return json_pack(
        "{s:s, s:I, s:I, s:s, s:{s:I, s:o, s:o, s:o}, s:{s:I, s:o, s:o, s:o, s:o, s:o},"
        " s:{s:b, s:f, s:f, s:f}}",
        "task", job->settings->task, "n", (json_int_t) job->task.n, "vocab",
        (json_int_t) job->task.vocab, "encoding", job->settings->encoding,
        "random", "sequences", (json_int_t) random->sequences, "loss_nats", at_json_number(random->loss),
        "accuracy", at_json_number(random->accuracy),
        "nontrivial_accuracy", at_json_number(random->hard_accuracy),
        "constant", "sequences", (json_int_t) constant->sequences,
        "loss_nats", at_json_number(constant->loss),
        "accuracy", at_json_number(constant->accuracy),
        "nontrivial_accuracy", at_json_number(constant->hard_accuracy),
        "best_accuracy", at_json_number(constant->best_accuracy),
        "least_loss_nats", at_json_number(constant->least_loss),
        "bounds", "apply", b->collapses, "constant_accuracy_ceiling", b->accuracy,
        "constant_loss_floor_nats", b->loss, "random_accuracy_ceiling", b->random_accuracy);
}

static json_t *function_summary(const at_fit_job *job)
{
    const at_fit_bounds *b = &job->bounds;
    const at_evaluation *constant = &job->constant, *random = &job->random;

    return json_pack(
        "{s:s, s:s, s:I, s:s, s:b, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:s}",
        "function", job->settings->function, "domain", job->settings->domain, "n",
        (json_int_t) job->task.n, "encoding", job->settings->encoding, "collapses", b->collapses,
        "floor", b->text, "floor_lower_bound", b->floor, "witness", b->witness,
        "error_constants", at_json_number(constant->max_error),
        "error_random", at_json_number(random->max_error),
        "mse_constants", at_json_number(constant->loss), "mse_random", at_json_number(random->loss),
        "times_below_floor", b->exists ? at_json_number(b->floor / constant->max_error) : json_null(),
        "end", job->end != NULL ? job->end : job->interrupted ? "interrupted" : "iterations");
}

static json_t *make_summary(const at_fit_job *job)
{
    bool tokens = job->task.id != AT_TASK_FUNCTION;
    json_t *summary = tokens ? token_summary(job) : function_summary(job);

    json_object_set_new(summary, "optimizer", json_string(job->settings->optimizer));
    json_object_set_new(summary, "parameters", json_integer((json_int_t) job->layout.count));
    json_object_set_new(summary, "steps", json_integer((json_int_t) job->step));
    json_object_set_new(summary, "loss", at_json_number(job->loss));
    json_object_set_new(summary, "within_bounds", json_boolean(job->within_bounds));
    json_object_set_new(summary, "interrupted", json_boolean(job->interrupted));
    json_object_set_new(summary, "seconds", json_real(job->seconds));
    if (tokens && strcmp(job->settings->optimizer, "adam") == 0 && job->steps_here > 0) {
        struct rusage usage = { .ru_maxrss = 0 };

        getrusage(RUSAGE_SELF, &usage);
        json_object_set_new(summary, "tokens_per_s",
                            at_json_number((double) (job->steps_here * job->settings->batch * job->task.n)
                                   / job->seconds));
        json_object_set_new(summary, "step_processor_seconds", at_json_number(job->step_seconds));
        json_object_set_new(summary, "peak_rss_mb", at_json_number((double) usage.ru_maxrss / 1024.0));
    }
    return summary;
}

int at_fit_write(at_fit_job *job, json_t **summary, at_error *err)
{
    int status = write_model(job, err);

    *summary = make_summary(job);
    if (*summary == NULL)
        return at_error_memory(err, "summary.json");
    if (status == AT_OK)
        status = at_table_write(&job->metrics, &job->run, "metrics.tsv", err);
    if (status == AT_OK)
        status = write_tables(job, err);
    if (status == AT_OK && job->task.id != AT_TASK_FUNCTION)
        status = write_bounds(job, err);
    if (status == AT_OK && job->task.id == AT_TASK_FUNCTION)
        status = at_fit_write_constants(job, err);
    if (status == AT_OK)
        status = at_run_write_json(&job->run, "summary.json", *summary, err);
    if (status == AT_OK)
        status = at_run_incomplete(&job->run, "steps", job->step,
                                   job->interrupted ? job->settings->steps : job->step, err);
    if (status == AT_OK)
        status = at_run_draw(job->run.directory, job->common, err);
    return status;
}
