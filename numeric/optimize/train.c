/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training by mini-batches: see train.h. */
#include "attest/numeric/optimize/train.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/memory.h"
#include "attest/numeric/optimize/random.h"
#include "attest/numeric/transformer/transformer.h"

const char *const at_schedule_names[AT_SCHEDULE_COUNT] = { "linear", "constant", "cosine" };

/* Parameters, moments and gradient lie in one block of four times count numbers, float or double. */
struct at_train {
    const at_layout *layout;
    at_train_options options;
    size_t step;
    at_transformer *net;       /* double, else NULL */
    at_transformerf *netf;     /* float, else NULL */
    void *state;
    int32_t *tokens, *classes; /* [batch, n] */
    double *rows, *values;     /* functions */
};

double at_train_rate(const at_train_options *options, size_t step)
{
    double done;

    if (step <= options->warmup)
        return options->rate * (double) step / (double) options->warmup;
    if (options->schedule == AT_SCHEDULE_CONSTANT || options->steps <= options->warmup)
        return options->rate;
    /* Of the steps after the warm-up, those made before this one. */
    done = (double) (step - 1 - options->warmup) / (double) (options->steps - options->warmup);
    if (options->schedule == AT_SCHEDULE_COSINE)
        return options->rate * 0.5 * (1.0 + cos(3.141592653589793 * done));
    return options->rate * (1.0 - done);
}

static size_t number_size(const at_train *train)
{
    return train->options.single ? sizeof(float) : sizeof(double);
}

/* Block k of the state: 0 parameters, 1 and 2 moments, 3 gradient. */
static float *floats(const at_train *train, size_t k)
{
    return (float *) train->state + k * train->layout->count;
}

static double *doubles(const at_train *train, size_t k)
{
    return (double *) train->state + k * train->layout->count;
}

static void put(at_train *train, size_t block, const double *values)
{
    for (size_t i = 0; i < train->layout->count; i++) {
        if (train->options.single)
            floats(train, block)[i] = (float) values[i];
        else
            doubles(train, block)[i] = values[i];
    }
}

static void get(const at_train *train, size_t block, double *values)
{
    for (size_t i = 0; i < train->layout->count; i++)
        values[i] = train->options.single ? (double) floats(train, block)[i]
                                          : doubles(train, block)[i];
}

static int allocate(at_train *train, at_error *err)
{
    const at_train_options *options = &train->options;
    size_t positions = options->batch * options->task.n;

    int status = at_memory_check(4 * train->layout->count * number_size(train), "the model", err);
    if (status != AT_OK)
        return status;
    train->state = calloc(train->layout->count, 4 * number_size(train));
    train->tokens = malloc(2 * positions * sizeof *train->tokens);
    if (options->task.id == AT_TASK_FUNCTION)
        train->rows = malloc(3 * positions * sizeof *train->rows);
    if (train->state == NULL || train->tokens == NULL
        || (options->task.id == AT_TASK_FUNCTION && train->rows == NULL))
        return at_error_memory(err, "a training");
    train->classes = train->tokens + positions;
    train->values = train->rows != NULL ? train->rows + 2 * positions : NULL;
    if (options->single)
        return at_transformerf_alloc(&train->netf, train->layout, options->batch,
                                     options->threads, true, err);
    return at_transformer_alloc(&train->net, train->layout, options->batch, options->threads, true,
                                err);
}

int at_train_alloc(at_train **train, const at_layout *layout, const at_train_options *options,
                   const double *params, at_error *err)
{
    at_train *new_train;
    int status = at_task_check(&options->task, err);

    *train = NULL;
    if (status != AT_OK)
        return status;
    if (options->batch < 1 || options->steps > UINT32_MAX)
        return at_error_set(err, AT_USAGE, "a batch has at least one sequence, a training at most "
                            "2^32 steps");
    new_train = calloc(1, sizeof *new_train);
    if (new_train == NULL)
        return at_error_memory(err, "a training");
    new_train->layout = layout;
    new_train->options = *options;
    status = allocate(new_train, err);
    if (status != AT_OK) {
        at_train_free(new_train);
        return status;
    }
    put(new_train, 0, params);
    *train = new_train;
    return AT_OK;
}

void at_train_free(at_train *train)
{
    if (train == NULL)
        return;
    if (train->net != NULL)
        at_transformer_free(train->net);
    if (train->netf != NULL)
        at_transformerf_free(train->netf);
    free(train->state);
    free(train->tokens);
    free(train->rows);
    free(train);
}

/* The first half of a function's batch: constants drawn from the domain. */
static int draw_function(at_train *train, uint32_t step, at_error *err)
{
    const at_task *task = &train->options.task;
    size_t n = task->n, constants = train->options.batch / 2;
    int status = at_task_rows(task, AT_STREAM_TRAIN, step, 0, train->options.batch, train->rows,
                              train->values, err);

    for (size_t s = 0; status == AT_OK && s < constants; s++) {
        double *rows = train->rows + 2 * n * s, *values = train->values + n * s;
        at_task point = *task;

        /* A domain of one point: its constant sequence is the first entry of the random one. */
        point.low = point.high = rows[0];
        status = at_task_constant_rows(&point, 1, rows, values, err);
    }
    return status;
}

static int draw(at_train *train, at_batch *batch, at_error *err)
{
    const at_train_options *options = &train->options;
    uint32_t step = (uint32_t) train->step;

    *batch = (at_batch) { .batch = options->batch, .n = options->task.n };
    if (options->task.id == AT_TASK_FUNCTION) {
        batch->rows = train->rows;
        batch->values = train->values;
        return draw_function(train, step, err);
    }
    batch->tokens = train->tokens;
    batch->classes = train->classes;
    at_task_tokens(&options->task, AT_STREAM_TRAIN, step, 0, options->batch, train->tokens,
                   train->classes);
    return AT_OK;
}

/* Adam on all parameters: parts of the vector on the threads, entry by entry the same bits. */
static void update(at_train *train, double rate)
{
    const at_adam_params *adam = &train->options.adam;
    size_t count = train->layout->count, part = 1 << 14;
    uint64_t t = train->step;

#ifdef _OPENMP
#pragma omp parallel for num_threads(train->options.threads) if (count > 8 * part)
#endif
    for (size_t first = 0; first < count; first += part) {
        size_t size = count - first < part ? count - first : part;

        if (train->options.single)
            at_adam_update_float(floats(train, 0) + first, floats(train, 1) + first,
                                 floats(train, 2) + first, floats(train, 3) + first, size, rate,
                                 adam, t);
        else
            at_adam_update_double(doubles(train, 0) + first, doubles(train, 1) + first,
                                  doubles(train, 2) + first, doubles(train, 3) + first, size,
                                  rate, adam, t);
    }
}

int at_train_step(at_train *train, double *loss, at_error *err)
{
    at_batch batch;
    at_score score;
    int status;

    train->step++;
    status = draw(train, &batch, err);
    if (status == AT_OK)
        status = train->options.single
            ? at_transformerf_gradient(train->netf, floats(train, 0), &batch, &score,
                                       floats(train, 3), false, err)
            : at_transformer_gradient(train->net, doubles(train, 0), &batch, &score,
                                      doubles(train, 3), false, err);
    if (status == AT_OK && !isfinite(score.loss))
        status = at_error_set(err, AT_UNEXPECTED, "the loss is not finite at step %zu; a smaller "
                              "rate or more warm-up may help", train->step);
    if (status != AT_OK) {
        train->step--;
        return status;
    }
    update(train, at_train_rate(&train->options, train->step));
    if (loss != NULL)
        *loss = score.loss;
    return AT_OK;
}

size_t at_train_steps_made(const at_train *train)
{
    return train->step;
}

void at_train_params(const at_train *train, double *params)
{
    get(train, 0, params);
}

size_t at_train_bytes(const at_train *train)
{
    size_t bytes = 4 * train->layout->count * number_size(train);

    return bytes + (train->net != NULL ? at_transformer_bytes(train->net)
                                       : at_transformerf_bytes(train->netf));
}

static const char *const moment_names[2] = { "adam.m", "adam.v" };

int at_train_save(const at_train *train, at_tensors *file, at_error *err)
{
    size_t count = train->layout->count;
    enum at_dtype dtype = train->options.single ? AT_F32 : AT_F64;
    double *params = malloc(count * sizeof *params);
    char step[32];
    int status;

    if (params == NULL)
        return at_error_memory(err, "a checkpoint");
    get(train, 0, params);
    status = at_layout_save(train->layout, params, train->options.single, file, err);
    free(params);
    for (size_t k = 0; status == AT_OK && k < 2; k++)
        status = at_tensors_add(file, moment_names[k], dtype, 1, &count,
                                train->options.single ? (const void *) floats(train, k + 1)
                                                      : (const void *) doubles(train, k + 1),
                                NULL, err);
    snprintf(step, sizeof step, "%zu", train->step);
    if (status == AT_OK)
        status = at_tensors_set_metadata(file, "step", step, err);
    return status;
}

/* The means are finite, the mean squares finite and not negative. */
static bool good_moments(const at_tensor *moment, double least)
{
    for (size_t i = 0; i < moment->count; i++) {
        double value = moment->dtype == AT_F32 ? (double) ((const float *) moment->data)[i]
                                               : ((const double *) moment->data)[i];

        if (!(isfinite(value) && value >= least))
            return false;
    }
    return true;
}

static int check_moments(const at_train *train, const at_tensors *file, at_error *err)
{
    enum at_dtype dtype = train->options.single ? AT_F32 : AT_F64;

    for (size_t k = 0; k < 2; k++) {
        const at_tensor *moment = at_tensors_find(file, moment_names[k]);

        if (moment == NULL || moment->dtype != dtype || moment->count != train->layout->count)
            return at_error_set(err, AT_INPUT, "not a checkpoint of this training: %s is missing "
                                "or of another size or type", moment_names[k]);
        if (!good_moments(moment, k == 1 ? 0.0 : -HUGE_VAL))
            return at_error_set(err, AT_INPUT, "not a checkpoint: %s holds a number that is not "
                                "finite%s", moment_names[k], k == 1 ? ", or a negative one" : "");
    }
    return AT_OK;
}

/* Digits alone, and no more steps than the training has. */
static int read_step(const at_train *train, const at_tensors *file, size_t *step, at_error *err)
{
    const char *text = at_tensors_metadata(file, "step");
    char *end;

    if (text == NULL || text[0] < '0' || text[0] > '9')
        return at_error_set(err, AT_INPUT, "not a checkpoint: there is no step in its metadata");
    errno = 0;
    unsigned long long made = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || made > train->options.steps)
        return at_error_set(err, AT_INPUT, "not a checkpoint of this training: step %.40s, expected "
                            "a number from 0 to %zu", text, train->options.steps);
    *step = (size_t) made;
    return AT_OK;
}

int at_train_load(at_train *train, const at_tensors *file, at_error *err)
{
    size_t count = train->layout->count, step = 0;
    double *params;
    int status = read_step(train, file, &step, err);

    if (status == AT_OK)
        status = check_moments(train, file, err);
    if (status != AT_OK)
        return status;
    params = malloc(count * sizeof *params);
    if (params == NULL)
        return at_error_memory(err, "a checkpoint");
    status = at_layout_load(train->layout, file, "", params, err);
    if (status == AT_OK)
        status = at_layout_unused(train->layout, file, "", err);
    if (status == AT_OK) {
        put(train, 0, params);
        for (size_t k = 0; k < 2; k++)
            memcpy((char *) train->state + (k + 1) * count * number_size(train),
                   at_tensors_find(file, moment_names[k])->data, count * number_size(train));
        train->step = step;
    }
    free(params);
    return status;
}
