/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest plot: draws the figures of runs again, from the tables that the runs wrote. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/cli/options.h"
#include "attest/experiments/run/run.h"
#include "attest/plots/plot.h"

enum { KEY_TERMINAL = 't', KEY_FIGURE = 'f', MOST_RUNS = 256 };

typedef struct {
    const char *runs[MOST_RUNS];
    size_t count;
    int terminal;
    const char *figure;
} plot_input;

static const struct argp_option own_options[] = {
    { "terminal", KEY_TERMINAL, "NAME", 0, "svg (default), pngcairo, pdfcairo or dumb (text, on standard output)", 1 },
    { "figure", KEY_FIGURE, "NAME", 0, "Only this figure", 1 },
    { 0 },
};

static int parse(int key, char *argument, at_common *common, void *input)
{
    plot_input *plot = input;
    size_t terminals = 0, figures = 0;
    const char *names[64];
    int index = -1;
    switch (key) {
    case ARGP_KEY_ARG:
        if (plot->count < MOST_RUNS)
            plot->runs[plot->count++] = argument;
        else
            at_mistake(common, "more than %d runs in one go", MOST_RUNS);
        return 0;
    case KEY_TERMINAL:
        while (at_terminals[terminals] != NULL)
            terminals++;
        at_option_name(common, "--terminal", argument, at_terminals, terminals, &plot->terminal);
        return 0;
    case KEY_FIGURE:
        for (; at_figures[figures].name != NULL && figures < 64; figures++)
            names[figures] = at_figures[figures].name;
        at_option_name(common, "--figure", argument, names, figures, &index);
        if (index >= 0)
            plot->figure = names[index];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The last part of a run's path, which names its folder below --out; a new string, NULL when out
 * of memory. */
static char *run_name(const char *path)
{
    char *whole = realpath(path, NULL);
    const char *slash = whole != NULL ? strrchr(whole, '/') : NULL;
    char *name = slash != NULL && slash[1] != '\0' ? strdup(slash + 1) : strdup(path);
    free(whole);
    return name;
}

static void check_out(const plot_input *plot, at_common *common)
{
    if (strcmp(at_terminals[plot->terminal], "dumb") == 0)
        at_mistake(common, "--terminal dumb draws on standard output: leave --out out");
    for (size_t k = 0; k < plot->count; k++) {
        char *name = run_name(plot->runs[k]);
        for (size_t j = 0; j < k; j++) {
            char *other = run_name(plot->runs[j]);
            if (name != NULL && other != NULL && strcmp(name, other) == 0)
                at_mistake(common, "two runs are called %s, and so would be their folders below "
                           "--out: draw them apart", name);
            free(other);
        }
        free(name);
    }
}

static void check(at_common *common, void *input)
{
    const plot_input *plot = input;
    if (common->out != NULL)
        check_out(plot, common);
    if (common->json && strcmp(at_terminals[plot->terminal], "dumb") == 0)
        at_mistake(common, "--terminal dumb draws on standard output, where --json puts its document: "
                   "give one of them");
    if (plot->count == 0)
        at_mistake(common, "name at least one run's folder, such as attest-out/fit");
    for (size_t k = 0; k < plot->count; k++)
        at_option_input(common, "", plot->runs[k]);
}

static const at_command_line command_line = {
    .command = "plot",
    .arguments = "RUN...",
    .summary = "Draws the figures of runs again, from the tables in their folders.",
    .examples = "  attest plot attest-out/fit\n"
                "  attest plot --terminal dumb attest-out/energy\n"
                "  attest plot --terminal pdfcairo --out drawings attest-out/fit\n",
    .out = "Folder for the drawings, their tables and scripts (default: the run's own); "
           "of several runs, a folder each in it",
    .options = own_options,
    .parse = parse,
    .check = check,
};

/* Draws in target, which is the run's folder or another, what the run has tables for. */
static int plot_run(const plot_input *plot, const char *directory, const char *target, json_t *files,
                    at_error *err)
{
    int status = AT_OK;
    size_t drawn = 0;
    for (const at_figure *figure = at_figures; figure->name != NULL && status == AT_OK; figure++) {
        if (plot->figure != NULL && strcmp(plot->figure, figure->name) != 0)
            continue;
        char *data = at_path_join(directory, figure->data);
        bool present = data != NULL && access(data, R_OK) == 0;
        free(data);
        if (!present)
            continue;
        if (target != directory)
            status = at_plot_copy(directory, target, figure->name, err);
        if (status == AT_OK)
            status = at_plot(target, figure->name, at_terminals[plot->terminal], err);
        if (status == AT_OK)
            json_array_append_new(files, json_sprintf("%s/%s", target, figure->name));
        drawn++;
    }
    if (status == AT_OK && drawn == 0)
        status = at_error_set(err, AT_INPUT, plot->figure != NULL
                              ? "%s: holds no table for that figure" : "%s: holds no table that a figure reads",
                              directory);
    return status;
}

static json_t *settings_json(const plot_input *plot)
{
    return json_pack("{s:o, s:s, s:s?}", "runs", at_json_strings(plot->runs, plot->count), "terminal",
                     at_terminals[plot->terminal], "figure", plot->figure);
}

/* Run k in its own folder or, with --out, in that or a folder of its name below it. */
static int plot_one(const plot_input *plot, size_t k, const at_run *run, json_t *files, at_error *err)
{
    if (run->directory == NULL)
        return plot_run(plot, plot->runs[k], plot->runs[k], files, err);
    if (plot->count == 1)
        return plot_run(plot, plot->runs[k], run->directory, files, err);
    char *name = run_name(plot->runs[k]);
    char *target = name != NULL ? at_run_path(run, name) : NULL;
    int status = target != NULL ? at_directory_make(target, err) : at_error_memory(err, "a path");
    if (status == AT_OK)
        status = plot_run(plot, plot->runs[k], target, files, err);
    free(target);
    free(name);
    return status;
}

int at_cmd_plot(int argc, char **argv)
{
    at_common common;
    at_error err = AT_ERROR_INIT;
    plot_input plot = { 0 };
    at_run run;
    int status = at_command_line_parse(&command_line, argc, argv, &common, &plot);
    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    json_t *files = json_array();
    status = at_run_open_asked(&run, &common, settings_json(&plot), &err);
    for (size_t k = 0; k < plot.count && status == AT_OK; k++)
        status = plot_one(&plot, k, &run, files, &err);
    if (status == AT_OK) {
        json_t *document = json_pack("{s:O}", "figures", files);
        status = at_run_put(&run, &common, document, &err);
        json_decref(document);
    }
    for (size_t k = 0; k < json_array_size(files) && !common.json && !common.quiet; k++)
        if (strcmp(at_terminals[plot.terminal], "dumb") != 0)
            printf("%s\n", json_string_value(json_array_get(files, k)));
    json_decref(files);
    at_run_clear(&run);
    at_common_clear(&common);
    return status == AT_OK ? AT_OK : at_report_error(&common, &err);
}
