/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One fit at work: what the parts of `attest fit` share. */
#ifndef ATTEST_EXPERIMENTS_FIT_JOB_H
#define ATTEST_EXPERIMENTS_FIT_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "attest/core/safetensors.h"
#include "attest/experiments/fit/settings.h"
#include "attest/experiments/run/run.h"
#include "attest/numeric/optimize/evaluate.h"

/* The bounds for collapsing models on constants, from the certified side. */
typedef struct {
    bool collapses;            /* the encoding is right-stochastic: the bounds apply */
    bool exists;               /* functions: the floor is positive */
    double floor;              /* functions: a double not above the certified floor */
    double witness;            /* the constant that shows it, rounded */
    double at_witness;         /* a double not above the floor on that constant */
    double value_error;        /* a double not below |target there as a double − target| */
    size_t top, bottom;        /* the outputs that are furthest apart there, counted from 0 */
    char text[256];            /* the floor in exact form */
    double accuracy, loss;     /* tasks: ceiling and floor on constants */
    double random_accuracy;    /* tasks: ceiling on random sequences, in expectation */
} at_fit_bounds;

typedef struct {
    const at_common *common;
    const at_fit_settings *settings;
    int threads;               /* functions are too small for more than one */
    at_run run;
    at_seqfun function;
    at_task task;
    at_layout layout;
    double *params;            /* the start, then the result */
    at_fit_bounds bounds;

    at_table metrics;
    size_t step;               /* made */
    double loss;               /* of the last row */
    double loss_sum;           /* since the last row, loss_count steps */
    size_t loss_count;
    at_evaluation random, constant;
    bool within_bounds;        /* in every score so far */
    bool interrupted;
    const char *end;           /* why a fit over a fixed set ended */
    bool finished;             /* it did */
    double seconds;            /* of this process */
    size_t steps_here;         /* made by this process */
    double step_seconds;       /* of the processor, median of its last steps; 0: unknown */
} at_fit_job;

/* Certified floor of the function, or the ceilings of the task. */
int at_fit_bounds_compute(at_fit_job *job, at_error *err) AT_MUST_CHECK;

/* Scores job->params; one row of metrics.tsv.  A bound that a collapsing model beats makes
 * within_bounds false. */
int at_fit_score(at_fit_job *job, double rate, at_error *err) AT_MUST_CHECK;
const char *at_fit_metrics_header(const at_fit_job *job);

/* checkpoint.safetensors: state (its tensors and "step" are there) and what the job keeps beside
 * it.  _load is AT_OK with *found false where there is none. */
int at_fit_checkpoint_save(const at_fit_job *job, at_tensors *state, at_error *err) AT_MUST_CHECK;
int at_fit_checkpoint_load(at_fit_job *job, at_tensors *state, bool *found,
                           at_error *err) AT_MUST_CHECK;

/* Fits job->params by Adam on mini-batches, or over a fixed set, with scores and checkpoints. */
int at_fit_by_batches(at_fit_job *job, at_error *err) AT_MUST_CHECK;
int at_fit_over_set(at_fit_job *job, at_error *err) AT_MUST_CHECK;

/* Functions: constants.tsv, target and output at a few positions of each constant sequence. */
int at_fit_write_constants(const at_fit_job *job, at_error *err) AT_MUST_CHECK;

/* model.safetensors, tables, summary.json, figures; summary is a new reference. */
int at_fit_write(at_fit_job *job, json_t **summary, at_error *err) AT_MUST_CHECK;

#endif
