/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good a model is at its task, in double: on random and on constant sequences. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_EVALUATE_H
#define ATTEST_NUMERIC_OPTIMIZE_EVALUATE_H

#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/numeric/optimize/task.h"
#include "attest/numeric/transformer/transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t sequences;
    double loss;            /* mean cross-entropy (nats), or mean square */
    double accuracy;        /* of the scored positions; NaN for functions */
    double hard_accuracy;   /* where the answer is not trivial (at_tally) */
    double best_accuracy;   /* of the best sequence; constants alone */
    double least_loss;      /* of the best sequence; constants alone */
    double least_loss_error;    /* |least_loss − the loss of the same outputs in exact arithmetic| ≤ this */
    double max_error;       /* functions: the largest |output − value| */
    double spread;          /* constants: the largest |output_i − output_1| over the rows of a
                               sequence, relative to its largest output */
    double spread_absolute; /* the same, not divided */
} at_evaluation;

/* Rows of a collapsed sequence differ by less than this, relative to the largest output: 10^−15 is usual, and
 * layers may enlarge it; an engine whose rows are not equal is off by far more. */
#define AT_COLLAPSE_ROUNDING 1e-7

/* All three: a loss that is not finite is AT_UNEXPECTED.
 *
 * count sequences of the task's stream (purpose, step); tokens. */
int at_evaluate_random(at_evaluation *out, const at_layout *layout, const double *params,
                       const at_task *task, uint32_t purpose, uint32_t step, size_t count,
                       int threads, at_error *err) AT_MUST_CHECK;

/* Constant sequences of up to count symbols, evenly spread over those that the task draws.  A
 * right-stochastic encoding makes all rows equal in exact arithmetic: its sequences are scored by
 * their first row, so that rounding cannot break a tie between the rows and exceed the bound; rows
 * that differ by more than rounding (relative 1e−7) are AT_UNEXPECTED. */
int at_evaluate_constants(at_evaluation *out, const at_layout *layout, const double *params,
                          const at_task *task, size_t count, int threads,
                          at_error *err) AT_MUST_CHECK;

/* Functions: count sequences given as rows [count, n, inputs] and values [count, n]; spread is
 * over all of them, so it means what it says for constants alone. */
int at_evaluate_rows(at_evaluation *out, const at_layout *layout, const double *params,
                     const double *rows, const double *values, size_t count, int threads,
                     at_error *err) AT_MUST_CHECK;

/* What the model says: outputs [count, n, layout->model.outputs] of count sequences given as rows
 * [count, n, inputs]. */
int at_predict_rows(double *outputs, const at_layout *layout, const double *params,
                    const double *rows, size_t count, int threads, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
