/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small runner that feeds gnuplot: see plot.h. */
#define _GNU_SOURCE 1
#include "attest/plots/plot.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/plots/gnuplot.h"
#include "attest/plots/scripts.h"

const char *const at_terminals[] = { "svg", "pngcairo", "pdfcairo", "dumb", NULL };
static const char *const endings[] = { ".svg", ".png", ".pdf", NULL };

const at_figure *at_figure_find(const char *name)
{
    for (const at_figure *figure = at_figures; figure->name != NULL; figure++)
        if (strcmp(figure->name, name) == 0)
            return figure;
    return NULL;
}

static const char *const *script_lines(const char *name)
{
    for (size_t k = 0; at_scripts[k].name != NULL; k++)
        if (strcmp(at_scripts[k].name, name) == 0)
            return at_scripts[k].lines;
    return NULL;
}

static char *named(const char *directory, const char *name, const char *ending)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s%s", directory, name, ending) < 0 ? NULL : path;
}

int at_plot_install(const char *directory, const char *name, at_error *err)
{
    const char *const *lines = script_lines(name);
    const char *const *style = script_lines("style");
    if (lines == NULL || style == NULL)
        return at_error_set(err, AT_USAGE, "there is no figure '%s'", name);
    char *path = named(directory, name, ".gp");
    at_outfile out;
    if (path == NULL)
        return at_error_memory(err, "a path");
    int status = at_outfile_open(&out, path, err);
    if (status == AT_OK) {
        fprintf(out.stream, "# Draws this figure: gnuplot %s.gp\nfigure = '%s'\n", name, name);
        for (; *style != NULL; style++)
            fputs(*style, out.stream);
        for (; *lines != NULL; lines++)
            fputs(*lines, out.stream);
        status = at_outfile_commit(&out, err);
    }
    free(path);
    return status;
}

/* A drawing that gnuplot gave up on is not there, empty, or an SVG that does not end. */
static int check_drawing(const char *path, bool svg, const char *said, at_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    bool there = access(path, F_OK) == 0;
    int status = there ? at_file_read(&bytes, &size, path, (size_t) 1 << 28, err) : AT_OK;
    if (status != AT_OK)
        return status;
    while (svg && size > 0 && strchr(" \t\r\n", bytes[size - 1]) != NULL)
        size--;
    bool whole = size > 0 && (!svg || (size >= 6 && memcmp(bytes + size - 6, "</svg>", 6) == 0));
    free(bytes);
    if (whole)
        return AT_OK;
    /* gnuplot itself does not notice a full disk. */
    struct statvfs disk;
    bool full = there && statvfs(path, &disk) == 0 && disk.f_bavail < 16;
    return at_error_set(err, AT_ENVIRONMENT, "gnuplot left %s %s%s%s", path,
                        there ? "empty or cut short" : "unwritten", full || *said != '\0' ? ": " : "",
                        full ? strerror(ENOSPC) : said);
}

/* A drawing of characters, from its file to standard output, where a failure is seen. */
static int print_drawing(const char *path, at_error *err)
{
    char *bytes;
    size_t size;
    int status = at_file_read(&bytes, &size, path, (size_t) 1 << 28, err);
    unlink(path);      /* before a closed pipe can end the process */
    if (status == AT_OK && (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0))
        status = at_error_set(err, AT_ENVIRONMENT, "standard output: %s", strerror(errno));
    free(bytes);
    return status;
}

/* The size of the terminal that a drawing of characters goes to, less a line for the prompt: as it says
 * itself, else as COLUMNS and LINES do, else 100 by 32. */
static void screen_size(unsigned *columns, unsigned *lines)
{
    const char *wide = getenv("COLUMNS"), *high = getenv("LINES");
    struct winsize size;
    *columns = wide != NULL ? (unsigned) atoi(wide) : 100;
    *lines = high != NULL ? (unsigned) atoi(high) - 1 : 32;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *columns = size.ws_col;
        *lines = size.ws_row - 1U;
    }
    *columns = *columns < 80 ? 80 : *columns > 300 ? 300 : *columns;
    *lines = *lines < 20 ? 20 : *lines > 120 ? 120 : *lines;
}

/* ending NULL: the drawing goes to standard output. */
static int draw_to_file(const char *directory, const char *name, const char *terminal,
                        const char *ending, at_error *err)
{
    char settings[512], temporary[128], said[700];
    unsigned columns, lines;
    screen_size(&columns, &lines);
    snprintf(temporary, sizeof temporary, ".%s-%ld%s", name, (long) getpid(), ending != NULL ? ending : ".txt");
    snprintf(settings, sizeof settings, "terminal='%s'; output='%s'; columns=%u; lines=%u", terminal,
             temporary, columns, lines);
    char *from = at_path_join(directory, temporary), *to = named(directory, name, ending != NULL ? ending : "");
    int status = from == NULL || to == NULL ? at_error_memory(err, "a path") : AT_OK;
    if (status == AT_OK)
        status = at_gnuplot_run(directory, name, settings, said, sizeof said, err);
    if (status == AT_OK)
        status = check_drawing(from, strcmp(terminal, "svg") == 0, said, err);
    if (status == AT_OK && ending == NULL)
        status = print_drawing(from, err);
    else if (status == AT_OK && rename(from, to) != 0)
        status = at_error_set(err, AT_ENVIRONMENT, "%s: %s", to, strerror(errno));
    if (status != AT_OK && from != NULL)
        unlink(from);
    free(from);
    free(to);
    return status;
}

int at_plot_draw(const char *directory, const char *name, const char *terminal, at_error *err)
{
    for (size_t k = 0; at_terminals[k] != NULL; k++)
        if (strcmp(terminal, at_terminals[k]) == 0)
            return draw_to_file(directory, name, terminal, endings[k], err);
    return at_error_set(err, AT_USAGE, "there is no terminal '%s': svg, pngcairo, pdfcairo or dumb",
                        terminal);
}

bool at_plot_possible(void)
{
    char path[4096];
    return at_gnuplot_find(path, sizeof path);
}

static size_t count_columns(const char *line)
{
    size_t count = 1;
    for (; *line != '\0'; line++)
        count += *line == '\t';
    return count;
}

/* A header and rows of as many columns; empty lines part blocks of rows.  gnuplot would draw what it
 * can of anything else, or complain of its own script. */
static int check_rows(at_reader *reader, const char *path, at_error *err)
{
    char *line = NULL;
    size_t length, columns = 0, rows = 0;
    int status = at_reader_line(reader, &line, &length, err);
    if (status == AT_OK && line != NULL)
        columns = count_columns(line);
    while (status == AT_OK && line != NULL) {
        if (strlen(line) != length || (length > 0 && count_columns(line) != columns))
            return at_error_set(err, AT_INPUT, "%s:%zu: expected %zu columns parted by tabs, as in "
                                "the first line", path, at_reader_line_number(reader), columns);
        rows += length > 0;
        status = at_reader_line(reader, &line, &length, err);
    }
    if (status == AT_OK && rows < 2)
        return at_error_set(err, AT_INPUT, "%s: expected a line of names, then rows of numbers", path);
    return status;
}

static int check_table(const char *directory, const char *name, at_error *err)
{
    const at_figure *figure = at_figure_find(name);
    char *path = figure != NULL ? at_path_join(directory, figure->data) : NULL;
    at_reader *reader;
    if (path == NULL)
        return figure != NULL ? at_error_memory(err, "a path")
                              : at_error_set(err, AT_USAGE, "there is no figure '%s'", name);
    int status = at_reader_open(&reader, path, (size_t) 1 << 20, err);
    if (status == AT_OK) {
        status = check_rows(reader, path, err);
        at_reader_close(reader);
    }
    free(path);
    return status;
}

static bool script_reads(const char *const *lines, const char *table)
{
    char quoted[300];
    const char *ending = strrchr(table, '.');
    if (ending == NULL || strcmp(ending, ".tsv") != 0)
        return false;
    if (strcmp(table, "incomplete.tsv") == 0)    /* plots/style.gp's */
        return true;
    snprintf(quoted, sizeof quoted, "'%s'", table);
    for (; *lines != NULL; lines++)
        if (strstr(*lines, quoted) != NULL)
            return true;
    return false;
}

static int copy_file(const char *from, const char *to, const char *name, at_error *err)
{
    char *source = at_path_join(from, name), *target = at_path_join(to, name), *bytes = NULL;
    size_t size = 0;
    int status = source == NULL || target == NULL ? at_error_memory(err, "a path") : AT_OK;
    if (status == AT_OK)
        status = at_file_read(&bytes, &size, source, (size_t) 1 << 28, err);
    if (status == AT_OK)
        status = at_file_write(target, bytes, size, err);
    free(bytes);
    free(target);
    free(source);
    return status;
}

int at_plot_copy(const char *from, const char *to, const char *name, at_error *err)
{
    const char *const *lines = script_lines(name);
    if (lines == NULL)
        return at_error_set(err, AT_USAGE, "there is no figure '%s'", name);
    int status = check_table(from, name, err);    /* a mistake is said of the run's own file */
    DIR *stream = status == AT_OK ? opendir(from) : NULL;
    if (status == AT_OK && stream == NULL)
        return at_error_set(err, AT_INPUT, "%s: %s", from, strerror(errno));
    for (struct dirent *entry; status == AT_OK && (entry = readdir(stream)) != NULL;)
        if (script_reads(lines, entry->d_name))
            status = copy_file(from, to, entry->d_name, err);
    if (stream != NULL)
        closedir(stream);
    return status;
}

int at_plot(const char *directory, const char *name, const char *terminal, at_error *err)
{
    int status = check_table(directory, name, err);
    if (status == AT_OK)
        status = at_plot_install(directory, name, err);
    return status == AT_OK ? at_plot_draw(directory, name, terminal, err) : status;
}
