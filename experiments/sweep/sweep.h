/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of fits at work. */
#ifndef ATTEST_EXPERIMENTS_SWEEP_SWEEP_H
#define ATTEST_EXPERIMENTS_SWEEP_SWEEP_H

#include "attest/experiments/fit/settings.h"
#include "attest/experiments/run/jobs.h"
#include "attest/experiments/run/run.h"

enum { AT_SWEEP_GRIDS = 8, AT_SWEEP_VALUES = 64, AT_SWEEP_GIVEN = 40, AT_SWEEP_CELLS = 10000 };

/* Values of one option of fit; the texts are argv's. */
typedef struct {
    char *key, *values[AT_SWEEP_VALUES];
    size_t count;
} at_grid;

typedef struct {
    at_grid grids[AT_SWEEP_GRIDS];
    size_t grid_count;
    const struct argp_option *given[AT_SWEEP_GIVEN];   /* what all cells share */
    char *given_values[AT_SWEEP_GIVEN];
    size_t given_count;
    double require;            /* 0: nothing is required of the gaps */
    bool cost;                 /* time and memory of a step, urpe beside rpe */

    size_t cell_count;
    at_run run;
    at_job *jobs;              /* of the cells that are not done yet */
    size_t job_count;
} at_sweep;

/* Runs the cells, gathers sweep.tsv, gaps.tsv, summary.json, prints the result.  AT_UNEXPECTED
 * when a cell failed, a bound was beaten, a required gap was missed, or after an interrupt. */
int at_sweep_run(at_sweep *sweep, const at_common *common, at_error *err) AT_MUST_CHECK;
void at_sweep_clear(at_sweep *sweep);

/* Value of grid g in a cell: the last grid varies fastest. */
char *at_sweep_value(const at_sweep *sweep, size_t cell, size_t g);
/* The folder of cell k below the run's: its number and the values of the grid.  Owned. */
char *at_sweep_cell_path(const at_sweep *sweep, size_t cell);

/* What one cell reached; NaN where it has no such number. */
typedef struct {
    bool done, function;
    char target[96], encoding[32];
    double n, d, layers, random, nontrivial, constant, ceiling_constant, ceiling_random;
    double floor, error_constants, error_random;
    double step_seconds, peak_mb;
    bool collapses;            /* softmax attention alone: the theorem holds */
} at_sweep_row;

/* Does the grid vary that option? */
bool at_sweep_varies(const at_sweep *sweep, const char *key);
/* The tables of the figures that the grid has: gaps, bars, window, size, encodings, cost. */
int at_sweep_figures(const at_sweep *sweep, const at_sweep_row *rows, at_error *err) AT_MUST_CHECK;

/* encodings.tsv, where the grid varies task and encoding: every encoding on both tasks. */
int at_sweep_encodings(const at_sweep *sweep, const at_sweep_row *rows, at_error *err) AT_MUST_CHECK;
/* cost.tsv: median time and peak memory of a step for urpe over those for rpe, against n. */
int at_sweep_cost(const at_sweep *sweep, const at_sweep_row *rows, at_error *err) AT_MUST_CHECK;

/* sweep.tsv, the figures' tables, *summary (a new reference), from what the cells left. */
int at_sweep_gather(const at_sweep *sweep, json_t **summary, at_error *err) AT_MUST_CHECK;

#endif
