/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tasks: see task.h. */
#include "attest/numeric/optimize/task.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "attest/numeric/optimize/random.h"

/* Symbols that the released code keeps for itself. */
#define RESERVED 20

int at_task_check(const at_task *task, at_error *err)
{
    if (task->n < 1)
        return at_error_set(err, AT_USAGE, "a task needs n of at least 1");
    if (task->id == AT_TASK_FUNCTION) {
        if (task->function == NULL)
            return at_error_set(err, AT_USAGE, "a function task needs its function");
        if (!(task->low < task->high) || !isfinite(task->low) || !isfinite(task->high))
            return at_error_set(err, AT_USAGE, "the domain must be an interval a,b with a < b");
        return AT_OK;
    }
    if (task->as_released && task->vocab <= RESERVED)
        return at_error_set(err, AT_USAGE, "as released, %d symbols are reserved: a vocabulary of "
                            "%zu leaves none", RESERVED, task->vocab);
    if (task->as_released && task->id == AT_TASK_PI && task->n < 2)
        return at_error_set(err, AT_USAGE, "as released, position 1 is not scored: n = 1 leaves "
                            "nothing");
    if (task->vocab < 1 || task->vocab >= INT32_MAX)
        return at_error_set(err, AT_USAGE, "the vocabulary must have 1 to %d symbols",
                            INT32_MAX - 1);
    return AT_OK;
}

size_t at_task_symbols(const at_task *task)
{
    return task->as_released ? task->vocab - RESERVED : task->vocab;
}

int32_t at_task_eos(const at_task *task)
{
    return (int32_t) at_task_symbols(task);
}

void at_task_model(const at_task *task, at_model *model)
{
    model->n = task->n;
    model->inputs = 0;
    switch (task->id) {
    case AT_TASK_PI:
        model->vocab = task->vocab;
        model->outputs = task->n;
        break;
    case AT_TASK_ETP:
        model->vocab = model->outputs = task->as_released ? task->vocab : task->vocab + 1;
        break;
    default:
        model->vocab = 0;
        model->inputs = 2;
        model->outputs = 1;
    }
}

void at_task_classes(const at_task *task, const int32_t *tokens, size_t count, int32_t *classes)
{
    size_t n = task->n;

    for (size_t s = 0; s < count; s++, tokens += n, classes += n)
        for (size_t i = 0; i < n; i++) {
            if (task->id == AT_TASK_PI)
                classes[i] = i == 0 && task->as_released ? -1 : (int32_t) i;
            else   /* position i + 1 asks for token 2(i + 1) */
                classes[i] = i < n / 2 ? tokens[2 * i + 1] : at_task_eos(task);
        }
}

void at_task_tokens(const at_task *task, uint32_t purpose, uint32_t step, size_t first,
                    size_t count, int32_t *tokens, int32_t *classes)
{
    for (size_t s = 0; s < count; s++) {
        uint32_t *out = (uint32_t *) tokens + s * task->n;   /* below 2^31: the same in both */

        at_random_below(out, task->n, (uint32_t) at_task_symbols(task), task->seed, purpose, step,
                        (uint32_t) (first + s));
    }
    at_task_classes(task, tokens, count, classes);
}

void at_task_constants(const at_task *task, size_t first, size_t count, int32_t *tokens,
                       int32_t *classes)
{
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < task->n; i++)
            tokens[s * task->n + i] = (int32_t) (first + s);
    at_task_classes(task, tokens, count, classes);
}

/* rows = (x_i, 1) and values = f(x), from x [n]. */
static int finish_rows(const at_task *task, const double *x, double *rows, double *values,
                       at_error *err)
{
    for (size_t i = 0; i < task->n; i++) {
        rows[2 * i] = x[i];
        rows[2 * i + 1] = 1.0;
    }
    return at_seqfun_eval(values, task->function, x, task->n, err);
}

int at_task_rows(const at_task *task, uint32_t purpose, uint32_t step, size_t first, size_t count,
                 double *rows, double *values, at_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);
    double *x = malloc(task->n * sizeof *x);
    int status = rng == NULL || x == NULL ? at_error_memory(err, "a sequence") : AT_OK;

    for (size_t s = 0; s < count && status == AT_OK; s++) {
        at_rng_stream(rng, task->seed, purpose, step, (uint32_t) (first + s));
        for (size_t i = 0; i < task->n; i++)
            x[i] = task->low + (task->high - task->low) * gsl_rng_uniform(rng);
        status = finish_rows(task, x, rows + 2 * s * task->n, values + s * task->n, err);
    }
    if (rng != NULL)
        gsl_rng_free(rng);
    free(x);
    return status;
}

int at_task_constant_rows(const at_task *task, size_t count, double *rows, double *values,
                          at_error *err)
{
    double *x = malloc(task->n * sizeof *x);
    int status = x == NULL ? at_error_memory(err, "a sequence") : AT_OK;

    for (size_t s = 0; s < count && status == AT_OK; s++) {
        double share = count > 1 ? (double) s / (double) (count - 1) : 0.5;

        for (size_t i = 0; i < task->n; i++)
            x[i] = task->low * (1.0 - share) + task->high * share;
        status = finish_rows(task, x, rows + 2 * s * task->n, values + s * task->n, err);
    }
    free(x);
    return status;
}

void at_task_tally(const at_task *task, const int32_t *predicted, const int32_t *classes,
                   size_t count, at_tally *tally)
{
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < task->n; i++, predicted++, classes++) {
            bool right = *predicted == *classes;

            if (*classes < 0)
                continue;
            tally->scored++;
            tally->correct += right;
            if (task->id == AT_TASK_ETP && i >= task->n / 2)
                continue;
            tally->hard_scored++;
            tally->hard_correct += right;
        }
}

double at_task_constant_ceiling(const at_task *task)
{
    double n = (double) task->n;

    switch (task->id) {
    case AT_TASK_PI: return 1.0 / (task->as_released ? n - 1.0 : n);
    case AT_TASK_ETP: return (double) ((task->n + 1) / 2) / n;
    default: return 1.0;
    }
}

double at_task_constant_floor(const at_task *task)
{
    double n = (double) task->n, p = (double) (task->n / 2) / n;

    switch (task->id) {
    case AT_TASK_PI: return log(task->as_released ? n - 1.0 : n);
    case AT_TASK_ETP: return p > 0.0 ? -p * log(p) - (1.0 - p) * log1p(-p) : 0.0;
    default: return 0.0;
    }
}

double at_task_random_ceiling(const at_task *task, enum at_encoding_id encoding, bool causal)
{
    double n = (double) task->n, symbols = (double) at_task_symbols(task), ceiling = 1.0;
    double scored = task->id == AT_TASK_PI && task->as_released ? n - 1.0 : n;

    if (task->id == AT_TASK_FUNCTION)
        return 1.0;
    if (encoding == AT_ENC_NONE && !causal)
        return at_task_constant_ceiling(task);
    if (task->id == AT_TASK_PI && at_encodings[encoding].right_stochastic)
        ceiling = 1.0 - pow(symbols, 1.0 - n) * (1.0 - at_task_constant_ceiling(task));
    /* Row i of X and row n + 1 − i of JX have one prediction, and labels that differ but in the
     * middle: of the two at most one is right. */
    if (!causal && at_encodings[encoding].by_distance)
        ceiling = fmin(ceiling, (double) ((task->n + 1) / 2) / scored);
    return ceiling;
}
