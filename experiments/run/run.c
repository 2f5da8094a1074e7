/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run folders: see run.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/experiments/run/replace.h"
#include "attest/plots/plot.h"

char *at_run_path(const at_run *run, const char *name)
{
    return at_path_join(run->directory, name);
}

int at_run_write_json(const at_run *run, const char *name, const json_t *value, at_error *err)
{
    char *path = at_run_path(run, name);
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    int status = AT_OK;
    at_outfile out;
    if (path == NULL || text == NULL)
        status = at_error_memory(err, name);
    else if ((status = at_outfile_open(&out, path, err)) == AT_OK) {
        fputs(text, out.stream);
        fputc('\n', out.stream);
        status = at_outfile_commit(&out, err);
    }
    free(text);
    free(path);
    return status;
}

/* The stored configuration says the same as the new one, except where results do not depend on it. */
static int check_same(const json_t *stored, const json_t *config, const char *directory, at_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *) config, key, value) {
        if (strcmp(key, "threads") == 0 || strcmp(key, "versions") == 0)
            continue;
        const json_t *old = json_object_get(stored, key);
        if (old == NULL || !json_equal((json_t *) old, value)) {
            char *was = old ? json_dumps(old, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
            char *now = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
            at_error_set(err, AT_USAGE,
                         "%s holds a run with %s = %s, not %s: resume it with its own settings, or "
                         "choose another --out", directory, key, was ? was : "(unset)", now ? now : "?");
            free(was);
            free(now);
            return AT_USAGE;
        }
    }
    return AT_OK;
}

static json_t *make_config(const at_common *common, const json_t *settings)
{
    json_t *config = json_object();
    json_t *versions = at_versions_json();
    json_object_set(config, "attest", json_object_get(versions, "attest"));
    json_object_set_new(config, "command", json_string(common->command));
    json_object_set_new(config, "seed", json_integer((json_int_t) common->seed));
    json_object_set_new(config, "threads", json_integer(common->threads));
    json_object_set_new(config, "versions", versions);
    if (config != NULL && json_object_update(config, (json_t *) settings) != 0) {
        json_decref(config);
        return NULL;
    }
    return config;
}

/* One process at a time: a lock on the folder itself, which needs no file.  A run that was just
 * killed may take a moment to go. */
static int lock_folder(at_run *run, bool *locked, at_error *err)
{
    *locked = false;
    run->lock = open(run->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int tries = 0; run->lock >= 0 && flock(run->lock, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return AT_OK;   /* a file system without locks */
        if (tries == 20)
            return at_error_set(err, AT_USAGE, "%s: another process of attest is at work in this "
                                "folder: wait for it, or choose another --out", run->directory);
        usleep(50000);
    }
    *locked = run->lock >= 0;
    return AT_OK;
}

static int open_folder(at_run *run, const at_common *common, at_error *err)
{
    char *path = at_run_path(run, "config.json");
    if (path == NULL)
        return at_error_memory(err, "a path");
    bool present = access(path, F_OK) == 0;
    int status = AT_OK;
    if (common->resume && !present)
        status = at_error_set(err, AT_INPUT, "%s holds no run to resume", run->directory);
    else if (present && !at_run_is_config(path) && !common->resume)
        status = at_error_set(err, AT_USAGE, "%s is not the configuration of a run of attest, and is not "
                              "replaced: choose another folder with --out", path);
    else if (common->resume) {
        json_error_t fault;
        json_t *stored = json_load_file(path, 0, &fault);
        if (stored == NULL)
            status = at_error_set(err, AT_INPUT, "%s:%d: %s", path, fault.line, fault.text);
        else
            status = check_same(stored, run->config, run->directory, err);
        json_decref(stored);
        run->resumed = status == AT_OK;
    } else if (present && !common->force)
        status = at_error_set(err, AT_USAGE, "%s holds another run: %s--force replaces it, --out DIR "
                              "chooses another folder", run->directory,
                              common->resumable ? "--resume continues it, " : "");
    else if (present)
        status = at_run_remove(run->directory, err);
    free(path);
    return status;
}

/* config.json first: it marks the folder as a run's. */
static int write_records(const at_run *run, bool of_files, at_error *err)
{
    int status = at_run_write_json(run, "config.json", run->config, err);
    if (status != AT_OK || !of_files)    /* a document is all that there will be */
        return status;
    json_t *names = at_run_names();
    status = names != NULL ? at_run_write_json(run, "files.json", names, err)
                           : at_error_memory(err, "the names of a run's files");
    json_decref(names);
    return status;
}

int at_run_open(at_run *run, const at_common *common, json_t *settings, at_error *err)
{
    *run = (at_run) { .lock = -1 };
    run->config = make_config(common, settings);
    json_decref(settings);
    run->directory = common->out != NULL ? strdup(common->out)
                                         : at_path_join("attest-out", common->command);
    if (run->config == NULL || run->directory == NULL) {
        at_run_clear(run);
        return at_error_memory(err, "the run's configuration");
    }
    bool locked = false;
    int status = common->resume && access(run->directory, F_OK) != 0
                 ? at_error_set(err, AT_INPUT, "%s is not there: no run to resume", run->directory)
                 : at_directory_make(run->directory, err);
    if (status == AT_OK)
        status = lock_folder(run, &locked, err);
    if (status == AT_OK)
        status = open_folder(run, common, err);
    if (status == AT_OK && locked)
        at_run_sweep_up(run->directory);
    if (status == AT_OK && !run->resumed)
        status = write_records(run, common->resumable, err);
    if (status != AT_OK)
        at_run_clear(run);
    return status;
}

int at_run_open_asked(at_run *run, const at_common *common, json_t *settings, at_error *err)
{
    if (common->out != NULL)
        return at_run_open(run, common, settings, err);
    json_decref(settings);
    *run = (at_run) { .lock = -1 };
    return AT_OK;
}

int at_run_put(const at_run *run, const at_common *common, const json_t *document, at_error *err)
{
    int status = run->directory != NULL ? at_run_write_json(run, "output.json", document, err) : AT_OK;
    return status == AT_OK && common->json ? at_print_json(document, err) : status;
}

void at_run_clear(at_run *run)
{
    json_decref(run->config);
    if (run->directory != NULL && run->lock >= 0)
        close(run->lock);
    free(run->directory);
    *run = (at_run) { .lock = -1 };
}

static void append(at_table *table, const char *text, size_t length)
{
    if (table->failed)
        return;
    if (table->length + length + 1 > table->capacity) {
        size_t capacity = 2 * (table->length + length + 1) + 1024;
        char *grown = realloc(table->text, capacity);
        if (grown == NULL) {
            table->failed = true;
            return;
        }
        table->text = grown;
        table->capacity = capacity;
    }
    memcpy(table->text + table->length, text, length);
    table->length += length;
    table->text[table->length] = '\0';
}

void at_table_init(at_table *table, const char *header)
{
    *table = (at_table) { 0 };
    append(table, header, strlen(header));
    append(table, "\n", 1);
}

void at_table_row(at_table *table, const char *format, ...)
{
    char *row = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&row, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
        return;
    }
    append(table, row, (size_t) length);
    append(table, "\n", 1);
    table->rows++;
    free(row);
}

int at_table_write(const at_table *table, const at_run *run, const char *name, at_error *err)
{
    char *path = at_run_path(run, name);
    if (path == NULL || table->failed) {
        free(path);
        return at_error_memory(err, name);
    }
    int status = at_file_write(path, table->text, table->length, err);
    free(path);
    return status;
}

void at_table_clear(at_table *table)
{
    free(table->text);
    *table = (at_table) { 0 };
}

int at_run_incomplete(const at_run *run, const char *what, size_t done, size_t expected, at_error *err)
{
    static const char name[] = "incomplete.tsv";
    at_table table;
    int status = AT_OK;
    if (done >= expected) {
        char *path = at_run_path(run, name);
        if (path == NULL)
            status = at_error_memory(err, "a path");
        else if (unlink(path) != 0 && errno != ENOENT)
            status = at_error_set(err, AT_ENVIRONMENT, "%s: %s", path, strerror(errno));
        free(path);
        return status;
    }
    at_table_init(&table, "what\tdone\texpected");
    at_table_row(&table, "%s\t%zu\t%zu", what, done, expected);
    status = at_table_write(&table, run, name, err);
    at_table_clear(&table);
    return status;
}

int at_run_draw(const char *directory, const at_common *common, at_error *err)
{
    int status = AT_OK;
    const bool possible = at_plot_possible();
    if (common->no_figures)
        return AT_OK;
    size_t figures = 0;
    for (const at_figure *figure = at_figures; figure->name != NULL && status == AT_OK; figure++) {
        char *data = at_path_join(directory, figure->data);
        if (data == NULL)
            return at_error_memory(err, "a path");
        if (access(data, R_OK) == 0) {
            status = possible ? at_plot(directory, figure->name, "svg", err)
                              : at_plot_install(directory, figure->name, err);
            figures++;
        }
        free(data);
    }
    if (figures > 0 && !possible)
        fprintf(stderr, "attest %s: no figures: install the package gnuplot-nox (or gnuplot), then "
                "`attest plot %s`\n", common->command, directory);
    return status;
}

json_t *at_json_strings(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t k = 0; k < count; k++)
        json_array_append_new(list, json_string(texts[k]));
    return list;
}

json_t *at_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

int at_print_json(const json_t *value, at_error *err)
{
    if (json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0
        || putchar('\n') == EOF || fflush(stdout) != 0)
        return at_error_set(err, AT_ENVIRONMENT, "standard output: %s", strerror(errno));
    return AT_OK;
}

int at_report_error(const at_common *common, const at_error *err)
{
    const char *line = err->text;
    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        fprintf(stderr, "attest %s: %.*s\n", common->command, (int) length, line);
        line += length + (line[length] == '\n');
    }
    return err->status;
}
