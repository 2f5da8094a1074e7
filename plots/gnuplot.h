/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts gnuplot, with surroundings that do not depend on the caller's.  Used by plots/plot.c only. */
#ifndef ATTEST_PLOTS_GNUPLOT_H
#define ATTEST_PLOTS_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"

/* The path of gnuplot, searched along PATH; false where there is none. */
bool at_gnuplot_find(char *path, size_t size);

/* Runs `gnuplot --default-settings -e SETTINGS NAME.gp` in the folder, in a UTF-8 locale where the
 * system has one and else with `ascii = 1`, for which the scripts have labels of their own.  said
 * gets what gnuplot wrote on standard error, cut at size: a warning is no failure.
 * AT_ENVIRONMENT where there is no gnuplot, or where it ended with another status than 0. */
int at_gnuplot_run(const char *directory, const char *name, const char *settings, char *said,
                   size_t size, at_error *err) AT_MUST_CHECK;

#endif
