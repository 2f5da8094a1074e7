/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run is a folder (attest(1), FILES): config.json, metrics.tsv and other tables,
 * summary.json, figures.  Every file is written beside and renamed. */
#ifndef ATTEST_EXPERIMENTS_RUN_RUN_H
#define ATTEST_EXPERIMENTS_RUN_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include "attest/core/error.h"
#include "attest/experiments/cli/options.h"

typedef struct {
    char *directory;   /* owned */
    json_t *config;    /* the whole resolved configuration, owned */
    bool resumed;      /* the folder held a run and --resume was given */
    int lock;          /* descriptor of the locked folder, −1: none */
} at_run;

/* Opens the folder common->out (default attest-out/COMMAND), creating it, and writes
 * config.json = {"attest", "command", "seed", "threads", "versions", …settings}.
 *  - The folder holds another run: AT_USAGE unless --resume or --force.
 *  - --resume: the stored config must agree with settings in everything but "threads"
 *    (the result does not depend on them), else AT_USAGE names the first key that differs;
 *    a folder without a run is AT_INPUT.
 *    A config.json that is not a run's is AT_USAGE whatever is given.
 *  - --force: the files that the run wrote (its files.json, replace.h) are removed first, and the runs
 *    in folders below it (of parts and cells) are no longer there to be resumed.
 *  - What a killed process left half-written is removed.
 *  - Another process has the folder open: AT_USAGE.  The lock goes with the process, however it ends.
 * settings is a JSON object; the reference is stolen, also upon failure. */
int at_run_open(at_run *run, const at_common *common, json_t *settings, at_error *err) AT_MUST_CHECK;
void at_run_clear(at_run *run);

/* For a command that is no run and ends with one document: the same where --out was given, else a
 * run without a folder. */
int at_run_open_asked(at_run *run, const at_common *common, json_t *settings,
                      at_error *err) AT_MUST_CHECK;
/* The document: output.json of the folder, where there is one, and standard output with --json. */
int at_run_put(const at_run *run, const at_common *common, const json_t *document,
               at_error *err) AT_MUST_CHECK;

/* DIR/NAME, malloc'ed; NULL when out of memory. */
char *at_run_path(const at_run *run, const char *name);
/* Writes NAME in the folder, indented. The reference stays the caller's. */
int at_run_write_json(const at_run *run, const char *name, const json_t *value, at_error *err) AT_MUST_CHECK;

/* A table in memory: a header line (columns separated by tabs, units in the names) and rows.
 * It grows with the run and is written whole, so a reader never sees half a line. */
typedef struct {
    char *text;
    size_t length, capacity, rows;
    bool failed;       /* out of memory somewhere: writing reports it */
} at_table;

void at_table_init(at_table *table, const char *header);
/* One row; the format makes the tabs, the newline is added. %.17g keeps doubles exact. */
void at_table_row(at_table *table, const char *format, ...) AT_PRINTF(2, 3);
int at_table_write(const at_table *table, const at_run *run, const char *name, at_error *err) AT_MUST_CHECK;
void at_table_clear(at_table *table);

/* What the figures must say: only done of expected `what` ("cells", "steps") are in the tables.  Writes
 * incomplete.tsv, which every figure reads, or removes it when nothing is missing. */
int at_run_incomplete(const at_run *run, const char *what, size_t done, size_t expected,
                      at_error *err) AT_MUST_CHECK;

/* Writes the scripts of all figures whose tables the folder holds, and draws them.  Without
 * --no-figures it does nothing.  Without
 * gnuplot the scripts stay, a note on standard error says what to install, and the status is
 * AT_OK: the run's numbers are whole.  Any other failure to draw is returned. */
int at_run_draw(const char *directory, const at_common *common, at_error *err) AT_MUST_CHECK;

/* What a number may depend on beside the settings: {"attest", "flint", "gsl", "blas", "jansson", "zlib",
 * "kernels", "blas_kernel", "processor"}: a new reference. */
json_t *at_versions_json(void);
/* "model name" of /proc/cpuinfo, or the machine that uname knows. */
void at_processor_name(char *name, size_t size);

/* ["…", …]: a new reference. */
json_t *at_json_strings(const char *const *texts, size_t count);

/* A number, or null where it is not finite, for which JSON has no form: a new reference. */
json_t *at_json_number(double value);

/* The document and a newline on standard output; AT_ENVIRONMENT when it cannot be written. */
int at_print_json(const json_t *value, at_error *err) AT_MUST_CHECK;

/* "attest COMMAND: text" on standard error for each line of err; returns err->status, so that
 * a command ends with `return at_report_error(&common, &err)`. */
int at_report_error(const at_common *common, const at_error *err);

#endif
