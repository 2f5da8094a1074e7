/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest fit: one model to a task or a function; a run folder with its curve, its model, and how it
 * stands to the certified bounds. */
#include <errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/core/memory.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/fit/job.h"
#include "attest/experiments/cli/progress.h"
#include "attest/numeric/optimize/random.h"

/* What only the whole line shows, unless a configuration has a say as well. */
static void check(at_common *common, void *input)
{
    at_fit_settings *settings = input;

    if (settings->config != NULL && !common->resume)
        at_option_input(common, "--config", settings->config);
    if (settings->init != NULL)
        at_option_input(common, "--init", settings->init);
    if (settings->config == NULL && !common->resume)
        at_fit_settings_complete(settings, common);
}

static const at_command_line command_line = {
    .command = "fit",
    .arguments = "[RUN]",
    .summary = "Fits one Transformer to a task or to a sequence function and says how it stands to "
               "the certified bounds.  --resume RUN goes on with an interrupted run.",
    .examples = "  attest fit --task pi --encoding rpe\n"
                "  attest fit --task etp -n 16 --encoding urpe --seed 2\n"
                "  attest fit --function 'i*x[i]' -n 8 --encoding none\n"
                "  attest fit --function prefix-sum -n 4 --optimizer lbfgs\n"
                "  attest fit --config attest-out/fit/config.json --out again\n",
    .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_OUT | AT_TAKES_BLAS | AT_DRAWS,
    .options = at_fit_option_table,
    .parse = at_fit_settings_parse,
    .check = check,
};

static double normal(void *state)
{
    return gsl_ran_gaussian_ziggurat(state, 1.0);
}

/* Weights of another model may be a start on purpose, but not unsaid. */
static void tell_differences(const at_tensors *file, const at_fit_job *job)
{
    const at_model *model = &job->layout.model;
    const char *causal = at_tensors_metadata(file, "causal");
    const char *activation = at_tensors_metadata(file, "activation");
    bool masked = causal != NULL && (strcmp(causal, "1") == 0 || strcmp(causal, "true") == 0);

    if (causal != NULL && masked != model->causal)
        fprintf(stderr, "%s: weights of a model %s a causal mask, this fit is %s one\n", job->settings->init,
                masked ? "with" : "without", model->causal ? "with" : "without");
    if (activation != NULL && strcmp(activation, model->activation == AT_RELU ? "relu" : "gelu") != 0)
        fprintf(stderr, "%s: weights of a model with %s, this fit has %s\n", job->settings->init, activation,
                model->activation == AT_RELU ? "relu" : "gelu");
}

/* The names and shapes that --init has to have, before its numbers are read. */
static int judge_weights(at_tensors *file, void *context, at_error *err)
{
    const at_fit_job *job = context;
    char *stripped;
    int status = at_tensors_strip_wrappers(file, &stripped, err);

    if (status == AT_OK)
        status = at_layout_match(&job->layout, file, "", err);
    if (status != AT_OK)
        at_error_prefix(err, "%s: ", job->settings->init);
    else if (stripped != NULL && !job->common->quiet)
        fprintf(stderr, "%s: read without the '%s' before each of its names\n", job->settings->init,
                stripped);
    if (status == AT_OK && !job->common->quiet)
        tell_differences(file, job);
    free(stripped);
    return status;
}

/* The start: drawn, or read from --init. */
static int start(at_fit_job *job, at_error *err)
{
    const at_fit_settings *s = job->settings;
    at_initial initial = at_fit_settings_initial(s, &job->layout.model);
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);
    at_tensors file;
    int status;

    status = at_memory_check(2 * job->layout.count * sizeof *job->params, "the model", err);
    if (status != AT_OK)
        return status;
    job->params = malloc(job->layout.count * sizeof *job->params);
    if (rng == NULL || job->params == NULL) {
        gsl_rng_free(rng);
        return at_error_memory(err, "the model");
    }
    at_rng_stream(rng, job->common->seed, AT_STREAM_WEIGHTS, 0, 0);
    at_layout_start(&job->layout, &initial, normal, rng, job->params);
    gsl_rng_free(rng);
    if (s->init == NULL)
        return AT_OK;
    at_tensors_init(&file);
    status = at_tensors_read_judged(&file, s->init, judge_weights, job, err);
    if (status == AT_OK) {
        status = at_layout_load(&job->layout, &file, "", job->params, err);
        if (status == AT_OK)
            status = at_layout_unused(&job->layout, &file, "", err);
        if (status != AT_OK)
            at_error_prefix(err, "%s: ", s->init);
    }
    at_tensors_clear(&file);
    return status;
}

/* The accuracy and, for etp, that of the first half, which a single token has not. */
static void print_accuracy(const at_fit_job *job, const char *title, const at_evaluation *scores)
{
    printf("%s accuracy %.4f", title, scores->accuracy);
    if (job->task.id == AT_TASK_ETP && isfinite(scores->hard_accuracy))
        printf(" (first half %.4f)", scores->hard_accuracy);
}

static void print_tokens(const at_fit_job *job)
{
    const at_fit_bounds *b = &job->bounds;

    printf("%s, n = %zu, V = %zu, encoding %s: %zu parameters, %zu steps, loss %.4g nats\n",
           job->settings->task, job->task.n, job->task.vocab, job->settings->encoding,
           job->layout.count, job->step, job->loss);
    print_accuracy(job, "random sequences:  ", &job->random);
    if (b->random_accuracy < 0.9999995)
        printf("; at most %.6f in expectation", b->random_accuracy);
    printf("\n");
    print_accuracy(job, "constant sequences:", &job->constant);
    if (b->collapses)
        printf(", best sequence %.4f; at most %.4f by theorem%s", job->constant.best_accuracy,
               b->accuracy, job->within_bounds ? "" : ": BROKEN");
    printf("\n");
}

/* Why the iterations ended, for a person. */
static const char *end_text(const at_fit_job *job)
{
    if (job->end == NULL)
        return "interrupted";
    if (strcmp(job->end, "target") == 0)
        return "far enough below the floor";
    if (strcmp(job->end, "iterations") == 0)
        return job->step < job->settings->steps ? "no more progress" : "all of --steps";
    return job->end;
}

static void print_function(const at_fit_job *job)
{
    const at_fit_bounds *b = &job->bounds;

    printf("%s, n = %zu, encoding %s: %zu parameters, %zu iterations (%s)\n",
           job->settings->function, job->task.n, job->settings->encoding, job->layout.count,
           job->step, end_text(job));
    printf("largest error on constants %.6g, on random sequences %.6g\n",
           job->constant.max_error, job->random.max_error);
    if (!b->exists)
        printf("no certified floor: the rows of the function agree on constants\n");
    else if (b->collapses)
        printf("certified floor %s: %s\n", b->text,
               job->within_bounds ? "not beaten, as proved" : "BEATEN");
    else
        printf("certified floor of collapsing models %s: %.4g times below it\n", b->text,
               b->floor / job->constant.max_error);
}

static int finish(at_fit_job *job, at_error *err)
{
    json_t *summary = NULL;
    int status = at_fit_write(job, &summary, err);

    if (status == AT_OK && job->common->json)
        status = at_print_json(summary, err);
    else if (status == AT_OK) {
        if (job->task.id == AT_TASK_FUNCTION)
            print_function(job);
        else
            print_tokens(job);
        printf("%.2f s; run in %s\n", job->seconds, job->run.directory);
    }
    json_decref(summary);
    if (status == AT_OK && !job->within_bounds)
        return at_error_set(err, AT_UNEXPECTED, "the fit is beyond a certified bound that no model "
                            "with encoding %s can pass: the engine, or the theory, is wrong",
                            job->settings->encoding);
    if (status == AT_OK && job->interrupted)
        return at_error_set(err, AT_INTERRUPTED, "incomplete: interrupted at step %zu of %zu; the "
                            "same command with --resume goes on", job->step, job->settings->steps);
    return status;
}

/* The loss in the last row of the metrics: their second column. */
static double last_loss(const at_table *metrics)
{
    const char *row = metrics->text, *next = row;
    double loss = 0.0;

    for (; row != NULL && *row != '\0'; row = next) {
        next = strchr(row, '\n');
        next = next != NULL ? next + 1 : NULL;
        const char *column = strchr(row, '\t');
        if (column != NULL && next != NULL)
            loss = strtod(column + 1, NULL);
    }
    return loss;
}

/* A process that resumed a run and made no score of its own still reports one: of the parameters
 * as they are, without a row in the metrics. */
static int score_at_last(at_fit_job *job, at_error *err)
{
    const size_t length = job->metrics.length, rows = job->metrics.rows;
    int status;

    if (job->random.sequences > 0 || job->metrics.text == NULL)
        return AT_OK;
    job->loss = last_loss(&job->metrics);
    status = at_fit_score(job, 0.0, err);
    job->metrics.length = length;
    job->metrics.rows = rows;
    job->metrics.text[length] = '\0';
    return status;
}

static int run_fit(at_fit_job *job, at_error *err)
{
    const at_fit_settings *s = job->settings;
    at_model model;
    int status = at_fit_settings_task(s, job->common->seed, &job->function, &job->task, err);

    if (status != AT_OK)
        return status;
    job->threads = job->task.id == AT_TASK_FUNCTION ? 1 : job->common->threads;
    model = at_fit_settings_model(s, &job->task);
    status = at_layout_init(&job->layout, &model, err);
    if (status == AT_OK)
        status = at_fit_bounds_compute(job, err);
    if (status == AT_OK)
        status = start(job, err);
    if (status == AT_OK && job->task.id == AT_TASK_FUNCTION)
        at_note_indices(job->common, &job->function, s->n);
    if (status == AT_OK)
        status = at_run_open(&job->run, job->common, at_fit_settings_json(s), err);
    if (status != AT_OK)
        return status;
    at_table_init(&job->metrics, at_fit_metrics_header(job));
    status = strcmp(s->optimizer, "adam") == 0 ? at_fit_by_batches(job, err)
                                               : at_fit_over_set(job, err);
    if (status == AT_OK)
        status = score_at_last(job, err);
    return status == AT_OK ? finish(job, err) : status;
}

static void clear(at_fit_job *job)
{
    free(job->params);
    at_table_clear(&job->metrics);
    at_layout_clear(&job->layout);
    at_seqfun_clear(&job->function);
    at_run_clear(&job->run);
}

/* --config FILE, or the configuration of the run that --resume goes on with. */
static int read_stored(at_fit_settings *settings, const at_common *common, at_error *err)
{
    json_error_t fault;
    char *path;

    if (settings->config == NULL && !common->resume)
        return AT_OK;
    path = settings->config != NULL
         ? strdup(settings->config)
         : at_path_join(common->out != NULL ? common->out : "attest-out/fit", "config.json");
    settings->json_path = path;
    if (path == NULL)
        return at_error_memory(err, "a path");
    if (access(path, F_OK) != 0)
        return settings->config != NULL
            ? at_error_set(err, AT_INPUT, "%s: cannot be read: %s", path, strerror(errno))
            : at_error_set(err, AT_INPUT, "%s is not there: no run to resume", path);
    settings->json = json_load_file(path, 0, &fault);
    if (settings->json == NULL)
        return at_error_set(err, AT_INPUT, "%s:%d: %s", path, fault.line, fault.text);
    if (!json_is_object(settings->json))
        return at_error_set(err, AT_INPUT, "%s: expected the config.json of a run of attest fit",
                            path);
    return AT_OK;
}

int at_cmd_fit(int argc, char **argv)
{
    at_fit_settings settings = { 0 };
    at_common common;
    at_error err = AT_ERROR_INIT;
    at_fit_job job = { .common = &common, .settings = &settings, .within_bounds = true };
    int status = at_command_line_parse(&command_line, argc, argv, &common, &settings);

    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    at_interrupt_install();
    status = read_stored(&settings, &common, &err);
    if (status == AT_OK)
        status = at_fit_settings_stored(&settings, &common);
    if (status == AT_OK && settings.json != NULL) {
        at_fit_settings_complete(&settings, &common);
        if (common.mistakes > 0)
            at_mistake(&common, "(with the settings of %s)", settings.json_path);
        status = common.mistakes > 0 ? AT_INPUT : AT_OK;
    }
    if (status == AT_OK)
        status = run_fit(&job, &err);
    if (common.mistakes > 0)
        fputs(common.mistake_text, stderr);
    else if (status != AT_OK)
        at_report_error(&common, &err);
    clear(&job);
    at_fit_settings_clear(&settings);
    at_common_clear(&common);
    return status;
}
