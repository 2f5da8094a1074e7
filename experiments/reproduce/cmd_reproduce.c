/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest reproduce: everything, to one folder with a report. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/experiments/bench/bench.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/reproduce/reproduce.h"
#include "attest/experiments/run/run.h"
#include "attest/plots/plot.h"

enum { KEY_PRESET = 0x2001, KEY_TEXT, KEY_EMBEDDINGS, KEY_PARTS };

typedef struct {
    int preset;
    const char *texts[AT_TEXTS], *embeddings, *only;
    size_t text_count;
} reproduce_input;

static const char *const preset_names[] = { "quick", "small", "paper" };

static const struct argp_option own_options[] = {
    { "preset", KEY_PRESET, "NAME", 0, "quick (default; about a minute), small (under 40 minutes) or "
      "paper (the papers' sizes)", 1 },
    { "text", KEY_TEXT, "FILE", 0, "Documents: SST-2 TSV, IMDB CSV or folder, plain lines; .gz too.  "
      "Repeat it for several; weights are trained on the first with labels", 1 },
    { "embeddings", KEY_EMBEDDINGS, "FILE", 0, "Word vectors: GloVe or word2vec text; .gz too", 1 },
    { "parts", KEY_PARTS, "NAME,...", 0, "Only the parts of these names; patterns such as 'energy-*' too", 1 },
    { 0 },
};

static int parse(int key, char *argument, at_common *common, void *input)
{
    reproduce_input *reproduce = input;
    switch (key) {
    case KEY_PRESET:
        at_option_name(common, "--preset", argument, preset_names, 3, &reproduce->preset);
        return 0;
    case KEY_TEXT:
        if (reproduce->text_count == AT_TEXTS)
            at_mistake(common, "--text: more than %d texts", AT_TEXTS);
        else
            reproduce->texts[reproduce->text_count++] = argument;
        return 0;
    case KEY_EMBEDDINGS: reproduce->embeddings = argument; return 0;
    case KEY_PARTS: reproduce->only = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void check(at_common *common, void *input)
{
    const reproduce_input *reproduce = input;
    for (size_t k = 0; k < reproduce->text_count; k++)
        at_option_input(common, "--text", reproduce->texts[k]);
    if (reproduce->embeddings != NULL)
        at_option_input(common, "--embeddings", reproduce->embeddings);
    if (reproduce->embeddings != NULL && reproduce->text_count == 0)
        at_mistake(common, "--embeddings needs --text: made-up documents have no words of theirs");
}

static const at_command_line command_line = {
    .command = "reproduce",
    .summary = "Decides the claims, fits the models, runs the energy layers, draws the figures, and "
               "writes it all into one folder with report.html.  Each part is a command of its own "
               "that the report names.",
    .examples = "  attest reproduce\n"
                "  attest reproduce --resume\n"
                "  attest reproduce --preset small --text sst2.tsv --text imdb.csv \\\n"
                "      --embeddings glove.100d.txt.gz --out small\n",
    .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_OUT | AT_DRAWS,
    .options = own_options,
    .parse = parse,
    .check = check,
};

/* The worst of the parts, as exit statuses go: 4 and 3 name causes, so they come before 1. */
static int overall(const at_reproduction *reproduction)
{
    int worst = AT_OK;
    for (size_t k = 0; k < reproduction->count; k++) {
        if (!reproduction->jobs[k].done && at_interrupted())
            return AT_INTERRUPTED;
        int status = reproduction->jobs[k].done ? reproduction->jobs[k].status : AT_UNEXPECTED;
        if (status > AT_ENVIRONMENT)
            status = AT_ENVIRONMENT;
        if (status > worst)
            worst = status;
    }
    return worst;
}

static json_t *summary(const at_reproduction *reproduction, int status)
{
    json_t *parts = json_array();
    for (size_t k = 0; k < reproduction->count; k++) {
        const at_job *job = &reproduction->jobs[k];
        json_array_append_new(parts, json_pack("{s:s, s:b, s:i, s:f}", "name", job->name, "done",
                                               job->done, "status", job->status, "seconds",
                                               job->done ? job->seconds : 0.0));
    }
    return json_pack("{s:s, s:o, s:b, s:b, s:f, s:s+}", "preset",
                     preset_names[reproduction->preset / 2 > 2 ? 2 : reproduction->preset / 2],
                     "parts", parts, "as_expected", status == AT_OK, "interrupted", status == AT_INTERRUPTED,
                     "seconds", reproduction->seconds,
                     "report", reproduction->directory, "/report.html");
}

/* What each part that did not end well said last. */
static void tell_failures(const at_reproduction *reproduction)
{
    size_t ended = 0;
    for (size_t k = 0; k < reproduction->count; k++)
        ended += reproduction->jobs[k].done;
    if (at_interrupted() && ended < reproduction->count)
        fprintf(stderr, "attest reproduce: incomplete: interrupted with %zu of %zu parts done; the same "
                "command with --resume goes on\n", ended, reproduction->count);
    for (size_t k = 0; k < reproduction->count; k++) {
        const at_job *job = &reproduction->jobs[k];
        if (job->done && job->status == AT_OK)
            continue;
        if (!job->done) {
            if (!at_interrupted())
                fprintf(stderr, "attest reproduce: %s did not run\n", job->name);
            continue;
        }
        fprintf(stderr, "attest reproduce: %s ended with status %d; see %s\n", job->name, job->status,
                job->log);
    }
}

/* Long presets say what they will take before they start. */
static int foretell(const at_reproduction *reproduction, const at_common *common, at_error *err)
{
    double gflops, minutes;
    unsigned threads = common->threads > 1 ? (unsigned) common->threads : 1;

    if (reproduction->preset == AT_PRESET_QUICK || common->quiet)
        return AT_OK;
    int status = at_bench_sgemm(&gflops, (int) threads, err);
    if (status != AT_OK)
        return status;
    minutes = at_reproduce_expected(reproduction, threads, gflops / threads) / 60.0;
    fprintf(stderr, "attest reproduce: about %.0f %s on this machine (%u threads, %.3g GFLOP/s); "
            "interrupt it when you like, --resume goes on\n", minutes < 120 ? minutes : minutes / 60.0,
            minutes < 120 ? "minutes" : "hours", threads, gflops);
    return AT_OK;
}

static int run_all(at_reproduction *reproduction, const at_run *run, const at_common *common,
                   at_error *err)
{
    at_progress progress;
    double start = at_now();
    at_interrupt_install();
    int status = foretell(reproduction, common, err);
    if (status != AT_OK)
        return status;
    at_progress_start(&progress, "reproduce", "parts", reproduction->count, common->quiet);
    status = at_jobs_run(reproduction->jobs, reproduction->count, (unsigned) common->threads,
                             &progress, err);
    at_progress_finish(&progress);
    reproduction->seconds = at_now() - start;
    if (status != AT_OK)
        return status;
    status = overall(reproduction);
    tell_failures(reproduction);
    json_t *result = summary(reproduction, status);
    int written = at_run_write_json(run, "summary.json", result, err);
    if (written == AT_OK)
        written = at_reproduce_report(reproduction, common, run->config, err);
    if (written == AT_OK && common->json)
        written = at_print_json(result, err);
    else if (written == AT_OK)
        printf("%s/report.html: %s, %.0f s\n", reproduction->directory,
               status == AT_OK ? "all as expected"
               : status == AT_INTERRUPTED ? "incomplete" : "NOT all as expected", reproduction->seconds);
    json_decref(result);
    if (written == AT_OK && !common->no_figures && !at_plot_possible() && status == AT_OK)
        written = at_error_set(err, AT_ENVIRONMENT, "the report has no figures: install the package "
                               "gnuplot-nox (or gnuplot)");
    return written != AT_OK ? written : status;
}

int at_cmd_reproduce(int argc, char **argv)
{
    at_common common;
    at_error err = AT_ERROR_INIT;
    reproduce_input input = { 0 };
    at_run run;
    int status = at_command_line_parse(&command_line, argc, argv, &common, &input);
    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    at_reproduction reproduction = { .preset = 1u << input.preset, .text_count = input.text_count,
                                     .embeddings = input.embeddings, .only = input.only };
    json_t *texts = json_array();
    for (size_t k = 0; k < input.text_count; k++) {
        reproduction.paths[k] = input.texts[k];
        json_array_append_new(texts, json_string(input.texts[k]));
    }
    json_t *settings = json_pack("{s:s, s:o, s:s?, s:s?}", "preset", preset_names[input.preset],
                                 "text", texts, "embeddings", input.embeddings, "parts", input.only);
    status = at_reproduce_look(&reproduction, &err);
    if (status == AT_OK)
        status = at_run_open(&run, &common, settings, &err);
    else
        json_decref(settings);
    if (status == AT_OK) {
        reproduction.directory = run.directory;
        status = at_reproduce_plan(&reproduction, &common, &err);
        if (status == AT_OK)
            status = run_all(&reproduction, &run, &common, &err);
        at_reproduce_clear(&reproduction);
        at_run_clear(&run);
    }
    at_common_clear(&common);
    return err.text[0] != '\0' ? at_report_error(&common, &err) : status;
}
