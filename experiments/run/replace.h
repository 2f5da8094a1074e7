/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run leaves in a folder, and how another one takes its place. */
#ifndef ATTEST_EXPERIMENTS_RUN_REPLACE_H
#define ATTEST_EXPERIMENTS_RUN_REPLACE_H

#include <jansson.h>
#include <stdbool.h>
#include "attest/core/error.h"

/* Whether the file is the config.json of a run of attest, and not another program's. */
bool at_run_is_config(const char *path);

/* {"files": [NAME, …]}, the names that a run may write in its folder, for its files.json: a later
 * attest that writes others still knows what to remove.  A new reference, NULL when out of memory. */
json_t *at_run_names(void);

/* Removes the run in the folder: the names in its files.json, or without one those of at_run_names,
 * and nothing else; of the runs in folders below it what a later --resume would take for done. */
int at_run_remove(const char *directory, at_error *err) AT_MUST_CHECK;

/* Removes temporary files (NAME.tmp-PID, .FIGURE-PID.svg) that a killed process left in the folder,
 * which nobody else may have open. */
void at_run_sweep_up(const char *directory);

#endif
