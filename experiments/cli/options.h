/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The common part of every command line: options shared by the commands, all
 * mistakes named in one go with the nearest valid name, one-screen help.
 * Built on argp; argp itself would stop at the first mistake. */
#ifndef ATTEST_EXPERIMENTS_CLI_OPTIONS_H
#define ATTEST_EXPERIMENTS_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/core/seqfun.h"

/* Which common options mean something to a command, beside --out, --json, --quiet, -v and --help. */
enum { AT_TAKES_SEED = 1, AT_TAKES_THREADS = 2,
       AT_TAKES_OUT = 4 /* it is a run: --out has a default, and there is --resume */,
       AT_DRAWS = 16 /* figures, unless --no-figures */,
       AT_TAKES_BLAS = 8 /* no option: it multiplies matrices in its threads */ };

enum { AT_MOST_INPUTS = 32 };

typedef struct {
    const char *command;    /* "fit" */
    bool json, quiet;
    int verbose;
    uint64_t seed;          /* default 1 */
    bool seed_given;
    int threads;            /* default: the processors that this process may use */
    const char *out;        /* NULL: attest-out/COMMAND, or none without AT_TAKES_OUT */
    bool resumable;         /* AT_TAKES_OUT */
    bool resume, force;     /* continue, or replace, the run in the folder */
    bool no_figures;
    const char *inputs[AT_MOST_INPUTS];    /* what the command reads: --out may not hold it */
    size_t input_count;
    size_t mistakes, missing;
    char *mistake_text;     /* lines, owned */
} at_common;

typedef struct {
    const char *command;               /* "fit" */
    const char *arguments;             /* "[PATTERN...]", NULL for none */
    const char *summary;               /* what it does, one paragraph */
    const char *examples;              /* lines, each a command that works as it stands */
    unsigned takes;                    /* AT_TAKES_… */
    const char *out;                   /* what help says of --out; NULL: the document's folder */
    const struct argp_option *options; /* the command's own, ended by {0}; NULL for none */
    /* One option (key) or positional argument (ARGP_KEY_ARG).  Returns 0, or ARGP_ERR_UNKNOWN
     * when the key is not its own; a wrong value is an at_mistake. */
    int (*parse)(int key, char *argument, at_common *common, void *input);
    /* Checks what only the whole line shows; NULL for none. */
    void (*check)(at_common *common, void *input);
} at_command_line;

/* Fills common and input from argv[1…] (argv[0] is the command's name).  AT_OK; AT_USAGE after
 * all mistakes went to stderr; −1 after --help or --describe went to stdout. */
int at_command_line_parse(const at_command_line *line, int argc, char **argv, at_common *common,
                          void *input);
void at_common_clear(at_common *common);

/* The command as lines of tab-separated fields, from which the manual pages are made and which
 * shell completion reads:
 *     command NAME ARGUMENTS
 *     brief TEXT                   (as in `attest --help`)
 *     summary TEXT
 *     option LETTER NAME VALUE shown|hidden KIND TEXT     (KIND: of attest --list, or empty)
 *     example LINE
 * options: count entries, the common ones among them. */
void at_command_line_describe(FILE *out, const at_command_line *line,
                              const struct argp_option *options, size_t count);

/* Adds one mistake, with its remedy. */
void at_mistake(at_common *common, const char *format, ...) AT_PRINTF(2, 3);

/* A file or folder that is to be read: where it is not there, that is said with the mistakes, and the
 * status is AT_INPUT unless there are others; nor may the folder of --out hold it. */
void at_option_input(at_common *common, const char *option, const char *path);

/* Parsers of option values; a wrong one is a mistake that names the option, what it got and what
 * was expected, and leaves *value alone. */
void at_option_size(at_common *common, const char *option, const char *text, size_t lowest,
                    size_t highest, size_t *value);
void at_option_double(at_common *common, const char *option, const char *text, double lowest,
                      double highest, double *value);
/* As --seed: a whole number below 2^63, as JSON's integers are. */
void at_option_seed(at_common *common, const char *option, const char *text, uint64_t *value);
/* Index of text among count names (alias: a second table or NULL), with the nearest one suggested. */
void at_option_name(at_common *common, const char *option, const char *text,
                    const char *const *names, size_t count, int *value);
/* The same among the positional encodings, aliases included. */
void at_option_encoding(at_common *common, const char *option, const char *text, int *value);

/* A note on standard error where some token of the formula is outside 1..n for every output. */
void at_note_indices(const at_common *common, const at_seqfun *function, size_t n);

#endif
