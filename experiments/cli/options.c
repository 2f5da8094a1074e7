/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines: see options.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/cli/options.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/tables.h"
#include "attest/numeric/kernels/blas.h"

enum {
    KEY_JSON = 0x1001, KEY_SEED, KEY_THREADS, KEY_OUT, KEY_RESUME, KEY_FORCE, KEY_NO_FIGURES, KEY_DESCRIBE,
    KEY_HELP = 'h'
};

static const struct argp_option common_options[] = {
    { "json", KEY_JSON, NULL, 0, "One JSON document on stdout, nothing else", 90 },
    { "quiet", 'q', NULL, 0, "No progress on standard error", 90 },
    { "verbose", 'v', NULL, 0, "Say more; twice: still more", 90 },
    { "help", KEY_HELP, NULL, 0, "This text", 90 },
    { "describe", KEY_DESCRIBE, NULL, OPTION_HIDDEN, "This command as tab-separated lines, for manual "
      "pages and shell completion", 90 },
    { 0 },
};
static const struct argp_option seed_option =
    { "seed", KEY_SEED, "N", 0, "Seed of every random choice (default 1)", 80 };
static const struct argp_option threads_option =
    { "threads", KEY_THREADS, "T", 0, "Threads (default: the processors available)", 80 };
static const struct argp_option out_option =
    { "out", KEY_OUT, "DIR", 0, "Folder of the run (default attest-out/COMMAND)", 80 };
static const struct argp_option resume_option =
    { "resume", KEY_RESUME, NULL, 0, "Continue the run in that folder", 80 };
static const struct argp_option force_option =
    { "force", KEY_FORCE, NULL, 0, "Replace the run in that folder", 80 };
static const struct argp_option no_figures_option =
    { "no-figures", KEY_NO_FIGURES, NULL, 0, "Write no figures", 80 };
/* Of a command that is no run. */
static const char document_out[] = "Folder to keep the document of --json in (default: none)";

void at_option_input(at_common *common, const char *option, const char *path)
{
    if (access(path, F_OK) != 0) {
        at_mistake(common, "%s%s%s: cannot be read: %s", option, *option != '\0' ? " " : "", path,
                   strerror(errno));
        common->missing++;
    } else if (common->input_count < AT_MOST_INPUTS)
        common->inputs[common->input_count++] = path;
}

/* Whether path is the folder or lies below it. */
static bool lies_in(const char *path, const char *folder)
{
    char *inner = realpath(path, NULL), *outer = realpath(folder, NULL);
    size_t length = outer != NULL ? strlen(outer) : 0;
    bool inside = inner != NULL && outer != NULL && strncmp(inner, outer, length) == 0
                  && (inner[length] == '\0' || inner[length] == '/' || length == 1);
    free(inner);
    free(outer);
    return inside;
}

/* --force would take the command's own input away, and any run may write over it. */
static void check_inputs(at_common *common)
{
    char folder[256];
    snprintf(folder, sizeof folder, "attest-out/%s", common->command);
    const char *out = common->out != NULL ? common->out : common->resumable ? folder : NULL;
    for (size_t k = 0; k < common->input_count && out != NULL; k++)
        if (lies_in(common->inputs[k], out))
            at_mistake(common, "--out %s holds %s, which is read: choose another folder with --out", out,
                       common->inputs[k]);
}

void at_common_clear(at_common *common)
{
    free(common->mistake_text);
    common->mistake_text = NULL;
}

/* OpenBLAS as distributions build it serves no more callers at a time: beyond, it crashes. */
enum { MOST_THREADS = 128 };

static int processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count;
}

/* One argp_option table of the command's own and the common ones. */
static struct argp_option *merged_options(const at_command_line *line, size_t *count)
{
    size_t own = 0, used = 0;
    while (line->options != NULL && (line->options[own].name != NULL || line->options[own].key != 0
                                     || line->options[own].doc != NULL))
        own++;
    struct argp_option *merged = calloc(own + 16, sizeof *merged);
    if (merged == NULL)
        return NULL;
    for (size_t k = 0; k < own; k++)
        merged[used++] = line->options[k];
    /* Every command takes these two, so that a script need not know which one draws numbers or
     * splits its work; where they change nothing, help is silent of them. */
    merged[used] = seed_option;
    merged[used++].flags = line->takes & AT_TAKES_SEED ? 0 : OPTION_HIDDEN;
    merged[used] = threads_option;
    merged[used++].flags = line->takes & AT_TAKES_THREADS ? 0 : OPTION_HIDDEN;
    merged[used++] = out_option;
    if (line->takes & AT_TAKES_OUT)
        merged[used++] = resume_option;
    else
        merged[used - 1].doc = line->out != NULL ? line->out : document_out;
    merged[used++] = force_option;
    if (line->takes & AT_DRAWS)
        merged[used++] = no_figures_option;
    for (size_t k = 0; common_options[k].name != NULL; k++)
        merged[used++] = common_options[k];
    /* argp sorts the options of a group by name; the tables have an order that reads better. */
    for (size_t k = 0; k < used; k++)
        merged[k].group = (int) k + 1;
    *count = used;
    return merged;
}

/* The option that "--name" or an unambiguous beginning of it names; NULL when none does. */
static const struct argp_option *find_long(const struct argp_option *options, size_t count,
                                           const char *name, size_t length)
{
    const struct argp_option *found = NULL;
    for (size_t k = 0; k < count; k++) {
        if (options[k].name == NULL || strncmp(options[k].name, name, length) != 0)
            continue;
        if (options[k].name[length] == '\0')
            return &options[k];
        if (found != NULL)
            return NULL;
        found = &options[k];
    }
    return found;
}

static const struct argp_option *find_short(const struct argp_option *options, size_t count,
                                            char letter)
{
    for (size_t k = 0; k < count; k++)
        if (options[k].key == letter)
            return &options[k];
    return NULL;
}

static void unknown_long(at_common *common, const struct argp_option *options, size_t count,
                         const char *name, size_t length)
{
    const char *names[64];
    size_t used = 0;
    char word[64];
    for (size_t k = 0; k < count && used < 64; k++)
        if (options[k].name != NULL)
            names[used++] = options[k].name;
    snprintf(word, sizeof word, "%.*s", (int) length, name);
    const char *nearest = at_nearest(word, names, used);
    if (nearest != NULL)
        at_mistake(common, "there is no option --%s; did you mean --%s?", word, nearest);
    else
        at_mistake(common, "there is no option --%s; see attest %s --help", word, common->command);
}

typedef struct {
    const at_command_line *line;
    at_common *common;
    void *input;
    bool help, describe;
} parse_state;

static void handle(parse_state *state, int key, char *argument)
{
    at_common *common = state->common;
    size_t threads = 0;
    if (key == ARGP_KEY_ARG && *argument == '\0') {
        at_mistake(common, "an argument is empty; see attest %s --help", common->command);
        return;
    }
    switch (key) {
    case KEY_JSON: common->json = true; return;
    case 'q': common->quiet = true; return;
    case 'v': common->verbose++; return;
    case KEY_HELP: state->help = true; return;
    case KEY_DESCRIBE: state->describe = true; return;
    case KEY_OUT: common->out = argument; return;
    case KEY_RESUME: common->resume = true; return;
    case KEY_FORCE: common->force = true; return;
    case KEY_NO_FIGURES: common->no_figures = true; return;
    case KEY_SEED:
        at_option_seed(common, "--seed", argument, &common->seed);
        common->seed_given = true;
        return;
    case KEY_THREADS:
        at_option_size(common, "--threads", argument, 1, MOST_THREADS, &threads);
        if (threads > 0)
            common->threads = (int) threads;
        return;
    default:
        break;
    }
    if (state->line->parse == NULL || state->line->parse(key, argument, common, state->input) != 0) {
        if (key == ARGP_KEY_ARG)
            at_mistake(common, "'%s' is one argument too many; see attest %s --help", argument,
                       common->command);
    }
}

/* No option has a use for an empty value; an unset variable of a script makes one. */
static void handle_value(parse_state *state, const struct argp_option *option, char *value)
{
    if (*value != '\0')
        handle(state, option->key, value);
    else
        at_mistake(state->common, "--%s needs a value, %s, not an empty one", option->name,
                   option->arg);
}

/* One word that begins with "--"; returns how many words it took. */
static int long_word(parse_state *state, const struct argp_option *options, size_t count, int left,
                     char **word)
{
    const char *name = word[0] + 2;
    size_t length = strcspn(name, "=");
    const struct argp_option *option = find_long(options, count, name, length);
    char *value = name[length] == '=' ? word[0] + 2 + length + 1 : NULL;
    if (option == NULL) {
        unknown_long(state->common, options, count, name, length);
        return 1;
    }
    if (option->arg == NULL) {
        if (value != NULL)
            at_mistake(state->common, "--%s takes no value", option->name);
        else
            handle(state, option->key, NULL);
        return 1;
    }
    if (value == NULL && left < 2) {
        at_mistake(state->common, "--%s needs a value, %s", option->name, option->arg);
        return 1;
    }
    handle_value(state, option, value != NULL ? value : word[1]);
    return value != NULL ? 1 : 2;
}

/* A word of short options, "-v", "-n8", "-n 8", "-qv". */
static int short_word(parse_state *state, const struct argp_option *options, size_t count, int left,
                      char **word)
{
    for (char *letter = word[0] + 1; *letter != '\0'; letter++) {
        const struct argp_option *option = find_short(options, count, *letter);
        if (option == NULL) {
            at_mistake(state->common, "there is no option -%c; see attest %s --help", *letter,
                       state->common->command);
            return 1;
        }
        if (option->arg == NULL) {
            handle(state, option->key, NULL);
            continue;
        }
        if (letter[1] != '\0') {
            handle_value(state, option, letter + 1 + (letter[1] == '='));
            return 1;
        }
        if (left < 2) {
            at_mistake(state->common, "-%c needs a value, %s", *letter, option->arg);
            return 1;
        }
        handle_value(state, option, word[1]);
        return 2;
    }
    return 1;
}

static void print_help(const at_command_line *line, const struct argp_option *options)
{
    char *doc = NULL, name[64];
    if (asprintf(&doc, "%s\v%s%s", line->summary, line->examples ? "Examples:\n" : "",
                 line->examples ? line->examples : "") < 0)
        return;
    const struct argp argp = { options, NULL, line->arguments, doc, NULL, NULL, NULL };
    snprintf(name, sizeof name, "attest %s", line->command);
    /* One line an option, so that the help is one screen; a user's own format goes first. */
    setenv("ARGP_HELP_FMT", "short-opt-col=1,long-opt-col=5,opt-doc-col=24,rmargin=79,no-dup-args-note", 0);
    argp_help(&argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, name);
    free(doc);
}

int at_command_line_parse(const at_command_line *line, int argc, char **argv, at_common *common,
                          void *input)
{
    size_t count = 0;
    *common = (at_common) { .command = line->command, .seed = 1, .threads = processors(),
                            .resumable = line->takes & AT_TAKES_OUT };
    struct argp_option *options = merged_options(line, &count);
    if (options == NULL) {
        fprintf(stderr, "attest %s: out of memory\n", line->command);
        return AT_ENVIRONMENT;
    }
    parse_state state = { line, common, input, false, false };
    bool words_only = false;
    for (int k = 1; k < argc;) {
        if (!words_only && strcmp(argv[k], "--") == 0) {
            words_only = true;
            k++;
        } else if (!words_only && argv[k][0] == '-' && argv[k][1] == '-')
            k += long_word(&state, options, count, argc - k, argv + k);
        else if (!words_only && argv[k][0] == '-' && argv[k][1] != '\0')
            k += short_word(&state, options, count, argc - k, argv + k);
        else
            handle(&state, ARGP_KEY_ARG, argv[k++]);
    }
    if (common->resume && common->force)
        at_mistake(common, "--resume and --force exclude each other: continue the run, or replace it");
    if (state.help)
        print_help(line, options);
    else if (state.describe)
        at_command_line_describe(stdout, line, options, count);
    else if (line->check != NULL)
        line->check(common, input);
    if (!state.help && !state.describe)
        check_inputs(common);
    free(options);
    if (state.help || state.describe)
        return -1;
    if (common->mistakes > 0) {
        fputs(common->mistake_text != NULL ? common->mistake_text : "attest: out of memory\n", stderr);
        return common->mistakes > common->missing ? AT_USAGE : AT_INPUT;
    }
    at_error err = AT_ERROR_INIT;
    const int callers = line->takes & AT_TAKES_THREADS ? common->threads : 1;
    if ((line->takes & AT_TAKES_BLAS) && at_blas_check_room(callers, &err) != AT_OK) {
        fprintf(stderr, "attest %s: %s\n", line->command, err.text);
        return AT_ENVIRONMENT;
    }
    return AT_OK;
}
