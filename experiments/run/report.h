/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report: Markdown that becomes one self-contained HTML page.
 *
 * Sections append Markdown; figures are named by a placeholder and put in as inline SVG after
 * libcmark-gfm has rendered the rest, so that nothing in a drawing is read as Markdown. */
#ifndef ATTEST_EXPERIMENTS_RUN_REPORT_H
#define ATTEST_EXPERIMENTS_RUN_REPORT_H

#include <stddef.h>
#include "attest/core/error.h"

typedef struct {
    char *text;          /* Markdown so far, owned */
    size_t length, capacity;
    char **svg_paths;    /* of the figures, in order, owned */
    char **captions;     /* sentence under each, owned */
    char **tables;       /* path of the table that each was drawn from, owned */
    size_t figures;
    int failed;          /* out of memory somewhere */
} at_report;

void at_report_init(at_report *report);
void at_report_clear(at_report *report);

/* Markdown as it stands. */
void at_report_markdown(at_report *report, const char *format, ...) AT_PRINTF(2, 3);
/* Text from outside (file names, messages): every character that Markdown could read is escaped. */
void at_report_text(at_report *report, const char *text);
/* A figure: the drawing, one sentence on what to see, and the table behind it as its text
 * alternative.  A drawing that is not there is said in its place. */
void at_report_figure(at_report *report, const char *svg_path, const char *caption, const char *table_path);

/* Renders and writes the page (atomically). */
int at_report_write(const at_report *report, const char *title, const char *path, at_error *err) AT_MUST_CHECK;

#endif
