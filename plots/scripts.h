/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gnuplot scripts as text; plots/scripts.c is made from the .gp files by the build. */
#ifndef ATTEST_PLOTS_SCRIPTS_H
#define ATTEST_PLOTS_SCRIPTS_H

typedef struct {
    const char *name;             /* "style", "gaps", … */
    const char *const *lines;     /* with their newlines, ended by NULL */
} at_script;

/* Ended by a NULL name. */
extern const at_script at_scripts[];

#endif
