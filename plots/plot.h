/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws figures with gnuplot.
 *
 * A figure NAME is one script, plots/NAME.gp, which reads tables of the folder it lies in.  The
 * scripts are part of the library; installing one writes plots/style.gp and the script as one file
 * NAME.gp, so that a person can redraw it with `gnuplot NAME.gp` in that folder. */
#ifndef ATTEST_PLOTS_PLOT_H
#define ATTEST_PLOTS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"

typedef struct {
    const char *name;          /* of the script and, without ending, of the drawing */
    const char *data;          /* the table it reads; its presence says that a run has the figure */
    const char *title;         /* heading in the report */
    const char *sentence;      /* one sentence on what to see */
} at_figure;

/* Ended by a NULL name. */
extern const at_figure at_figures[];
const at_figure *at_figure_find(const char *name);

/* Names of the terminals that --terminal takes, ended by NULL: svg pngcairo pdfcairo dumb. */
extern const char *const at_terminals[];

/* Writes DIR/NAME.gp (atomically).  AT_USAGE when there is no such figure. */
int at_plot_install(const char *directory, const char *name, at_error *err) AT_MUST_CHECK;

/* Copies the tables that the figure's script reads from one folder to another (atomically), so that
 * it can be drawn there. */
int at_plot_copy(const char *from, const char *to, const char *name, at_error *err) AT_MUST_CHECK;

/* Runs gnuplot on DIR/NAME.gp; the drawing is DIR/NAME.svg (.png, .pdf), written beside and
 * renamed, or standard output for the terminal dumb.  gnuplot reports many failures with status
 * 0, so anything on its standard error, an empty file or an SVG without end is a failure too.
 * AT_ENVIRONMENT with gnuplot's own words; when there is no gnuplot, with the package's name. */
int at_plot_draw(const char *directory, const char *name, const char *terminal, at_error *err) AT_MUST_CHECK;

/* Whether there is a gnuplot to run. */
bool at_plot_possible(void);

/* Install and draw.  AT_INPUT, with file and line, when the figure's table is none. */
int at_plot(const char *directory, const char *name, const char *terminal, at_error *err) AT_MUST_CHECK;

#endif
