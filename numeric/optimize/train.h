/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training by mini-batches: Adam with warm-up and decay on fresh sequences of a task.
 *
 * Step t draws its sequences from the stream (seed, train, t); nothing else is random after the
 * start, so parameters, moments and the number of steps are the whole state, and a training that
 * goes on from a stored state ends with the same bits as one that was never interrupted. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_TRAIN_H
#define ATTEST_NUMERIC_OPTIMIZE_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/core/safetensors.h"
#include "attest/numeric/optimize/adam.h"
#include "attest/numeric/transformer/layout.h"
#include "attest/numeric/optimize/task.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_schedule { AT_SCHEDULE_LINEAR, AT_SCHEDULE_CONSTANT, AT_SCHEDULE_COSINE,
                   AT_SCHEDULE_COUNT };
extern const char *const at_schedule_names[AT_SCHEDULE_COUNT];

typedef struct {
    at_task task;                 /* its function must outlive the training */
    bool single;                  /* float32, else float64 */
    size_t steps, batch, warmup;
    double rate;
    enum at_schedule schedule;    /* after warm-up: to 0 at the last step, or constant */
    at_adam_params adam;
    int threads;
} at_train_options;

typedef struct at_train at_train;

/* Of step t = 1 … steps: rises linearly over the warm-up, then follows the schedule. */
double at_train_rate(const at_train_options *options, size_t step);

/* params [layout->count]: the start.  layout must outlive the training.  A function's mini-batch
 * is one half random sequences and one half constants of its domain. */
int at_train_alloc(at_train **train, const at_layout *layout, const at_train_options *options,
                   const double *params, at_error *err) AT_MUST_CHECK;
void at_train_free(at_train *train);

/* One update; *loss (NULL: not wanted) is the batch's before it. */
int at_train_step(at_train *train, double *loss, at_error *err) AT_MUST_CHECK;
size_t at_train_steps_made(const at_train *train);
/* [layout->count], exact. */
void at_train_params(const at_train *train, double *params);

/* The state as tensors (weights under the layout's names; adam.m, adam.v; metadata step), and back.
 * AT_INPUT: not such a state. */
int at_train_save(const at_train *train, at_tensors *file, at_error *err) AT_MUST_CHECK;
int at_train_load(at_train *train, const at_tensors *file, at_error *err) AT_MUST_CHECK;

/* Bytes that the training holds. */
size_t at_train_bytes(const at_train *train);

#ifdef __cplusplus
}
#endif

#endif
