/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scores of a model: see evaluate.h. */
#include "attest/numeric/optimize/evaluate.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Outputs held at a time. */
#define MOST_OUTPUTS ((size_t) 1 << 22)
#define MOST_SEQUENCES 64

typedef struct {
    at_transformer *net;
    size_t batch;            /* sequences at a time */
    int32_t *tokens, *classes, *predicted;
    double *outputs;         /* [batch, n, outputs], or NULL */
} workspace;

static void clear(workspace *w)
{
    if (w->net != NULL)
        at_transformer_free(w->net);
    free(w->tokens);
    free(w->outputs);
}

static int prepare(workspace *w, const at_layout *layout, size_t count, bool outputs, int threads,
                   at_error *err)
{
    size_t n = layout->model.n, row = n * layout->model.outputs;

    *w = (workspace) { NULL, MOST_SEQUENCES, NULL, NULL, NULL, NULL };
    if (outputs && w->batch * row > MOST_OUTPUTS)
        w->batch = MOST_OUTPUTS / row > 0 ? MOST_OUTPUTS / row : 1;
    if (w->batch > count)
        w->batch = count > 0 ? count : 1;
    w->tokens = malloc(3 * w->batch * n * sizeof *w->tokens);
    if (outputs)
        w->outputs = malloc(w->batch * row * sizeof *w->outputs);
    if (w->tokens == NULL || (outputs && w->outputs == NULL))
        return at_error_memory(err, "an evaluation");
    w->classes = w->tokens + w->batch * n;
    w->predicted = w->classes + w->batch * n;
    return at_transformer_alloc(&w->net, layout, w->batch, threads, false, err);
}

static double ratio(size_t part, size_t whole)
{
    return whole > 0 ? (double) part / (double) whole : NAN;
}

/* Finite weights may still give sums that overflow: such a loss is said, not scored. */
static int check_finite(double loss, size_t scored, at_error *err)
{
    if (scored == 0 || isfinite(loss))
        return AT_OK;
    return at_error_set(err, AT_UNEXPECTED, "the loss is not finite: the weights are too large");
}

int at_evaluate_random(at_evaluation *out, const at_layout *layout, const double *params,
                       const at_task *task, uint32_t purpose, uint32_t step, size_t count,
                       int threads, at_error *err)
{
    workspace w;
    at_tally tally = { 0, 0, 0, 0 };
    double loss = 0.0;
    int status = prepare(&w, layout, count, false, threads, err);

    for (size_t first = 0; status == AT_OK && first < count; first += w.batch) {
        size_t sequences = count - first < w.batch ? count - first : w.batch;
        at_batch batch = { .batch = sequences, .n = task->n, .tokens = w.tokens,
                           .classes = w.classes };
        at_score score;

        at_task_tokens(task, purpose, step, first, sequences, w.tokens, w.classes);
        status = at_transformer_score(w.net, params, &batch, &score, w.predicted, err);
        if (status != AT_OK)
            break;
        loss += score.loss * (double) score.scored;
        at_task_tally(task, w.predicted, w.classes, sequences, &tally);
    }
    clear(&w);
    *out = (at_evaluation) {
        count, tally.scored > 0 ? loss / (double) tally.scored : NAN,
        ratio(tally.correct, tally.scored), ratio(tally.hard_correct, tally.hard_scored),
        NAN, NAN, NAN, NAN, NAN, NAN
    };
    return status == AT_OK ? check_finite(out->loss, tally.scored, err) : status;
}

/* The largest difference between a row and the first, also over the largest |output|. */
static void add_spread(at_evaluation *total, const double *outputs, size_t n, size_t width)
{
    double spread = 0.0, size = 0.0;

    for (size_t k = 0; k < n * width; k++) {
        spread = fmax(spread, fabs(outputs[k] - outputs[k % width]));
        size = fmax(size, fabs(outputs[k]));
    }
    total->spread_absolute = fmax(total->spread_absolute, spread);
    total->spread = fmax(total->spread, size > 0.0 ? spread / size : 0.0);
}

static size_t first_largest(const double *row, size_t width)
{
    size_t best = 0;

    for (size_t k = 1; k < width; k++)
        if (row[k] > row[best])
            best = k;
    return best;
}

static double cross_entropy(const double *row, size_t width, size_t class)
{
    double most = row[first_largest(row, width)], sum = 0.0;

    for (size_t k = 0; k < width; k++)
        sum += exp(row[k] - most);
    return log(sum) + most - row[class];
}

/* What rounding can do to the mean of cross_entropy() over n positions, which is `mean`: a sum of `width` terms
 * of at most 1, of which one is 1, each from an exp of 4 ulp and a rounded argument (x e^−x < 1), a log of 4
 * ulp, two sums, and the mean. */
static double mean_error(double mean, const double *row, size_t width, size_t n)
{
    double largest = 0.0;

    for (size_t k = 0; k < width; k++)
        largest = fmax(largest, fabs(row[k]));
    return DBL_EPSILON * (4.0 * (double) width + 32.0 + 8.0 * log((double) width + 1.0) + 4.0 * largest
                          + (double) (n + 8) * fabs(mean));
}

/* One constant sequence, scored by its rows, or by its first row alone. */
static void score_constant(at_evaluation *total, at_tally *tally, const at_task *task,
                           const double *outputs, size_t width, const int32_t *classes,
                           int32_t *predicted, bool first_row)
{
    at_tally own = { 0, 0, 0, 0 };
    double loss = 0.0, error = 0.0;

    for (size_t i = 0; i < task->n; i++) {
        const double *row = outputs + (first_row ? 0 : i * width);

        predicted[i] = (int32_t) first_largest(row, width);
        if (classes[i] >= 0)
            loss += cross_entropy(row, width, (size_t) classes[i]);
    }
    at_task_tally(task, predicted, classes, 1, &own);
    tally->scored += own.scored;
    tally->correct += own.correct;
    tally->hard_scored += own.hard_scored;
    tally->hard_correct += own.hard_correct;
    total->loss += loss;
    loss /= (double) own.scored;
    for (size_t i = 0; i < (first_row ? 1 : task->n); i++)
        error = fmax(error, mean_error(loss, outputs + i * width, width, task->n));
    if (loss < total->least_loss) {
        total->least_loss = loss;
        total->least_loss_error = error;
    }
    total->best_accuracy = fmax(total->best_accuracy, ratio(own.correct, own.scored));
    add_spread(total, outputs, task->n, width);
}

/* Tokens of count constants, evenly spread over the symbols. */
static void draw_constants(const at_task *task, size_t first, size_t sequences, size_t count,
                           workspace *w)
{
    size_t symbols = at_task_symbols(task);

    for (size_t s = 0; s < sequences; s++)
        at_task_constants(task, (first + s) * symbols / count, 1, w->tokens + s * task->n,
                          w->classes + s * task->n);
}

int at_evaluate_constants(at_evaluation *out, const at_layout *layout, const double *params,
                          const at_task *task, size_t count, int threads, at_error *err)
{
    workspace w;
    size_t width = layout->model.outputs;
    bool first_row = at_encodings[layout->model.encoding].right_stochastic;
    at_evaluation total = { .best_accuracy = 0.0, .least_loss = INFINITY, .max_error = NAN };
    at_tally tally = { 0, 0, 0, 0 };
    int status;

    if (count > at_task_symbols(task))
        count = at_task_symbols(task);
    status = prepare(&w, layout, count, true, threads, err);
    for (size_t first = 0; status == AT_OK && first < count; first += w.batch) {
        size_t sequences = count - first < w.batch ? count - first : w.batch;
        at_batch batch = { .batch = sequences, .n = task->n, .tokens = w.tokens,
                           .classes = w.classes };

        draw_constants(task, first, sequences, count, &w);
        status = at_transformer_forward(w.net, params, &batch, w.outputs, err);
        for (size_t s = 0; status == AT_OK && s < sequences; s++)
            score_constant(&total, &tally, task, w.outputs + s * task->n * width, width,
                           w.classes + s * task->n, w.predicted, first_row);
    }
    clear(&w);
    total.sequences = count;
    total.loss /= (double) tally.scored;
    total.accuracy = ratio(tally.correct, tally.scored);
    total.hard_accuracy = ratio(tally.hard_correct, tally.hard_scored);
    *out = total;
    if (status == AT_OK)
        status = check_finite(total.loss, tally.scored, err);
    if (status == AT_OK && first_row && !(total.spread <= AT_COLLAPSE_ROUNDING))
        return at_error_set(err, AT_UNEXPECTED, "the rows of a constant sequence differ by %.3g of "
                            "the largest output although encoding %s collapses", total.spread,
                            at_encodings[layout->model.encoding].name);
    return status;
}

int at_evaluate_rows(at_evaluation *out, const at_layout *layout, const double *params,
                     const double *rows, const double *values, size_t count, int threads,
                     at_error *err)
{
    workspace w;
    size_t n = layout->model.n, width = n * layout->model.outputs;
    double sum = 0.0;
    int status = prepare(&w, layout, count, true, threads, err);

    *out = (at_evaluation) { count, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 0.0 };
    for (size_t first = 0; status == AT_OK && first < count; first += w.batch) {
        size_t sequences = count - first < w.batch ? count - first : w.batch;
        at_batch batch = { .batch = sequences, .n = n,
                           .rows = rows + first * n * layout->model.inputs };

        status = at_transformer_forward(w.net, params, &batch, w.outputs, err);
        for (size_t k = 0; status == AT_OK && k < sequences * width; k++) {
            double error = fabs(w.outputs[k] - values[first * width + k]);

            sum += error * error;
            /* A NaN is no small error. */
            if (!(error <= out->max_error))
                out->max_error = error;
        }
        for (size_t s = 0; status == AT_OK && s < sequences; s++)
            add_spread(out, w.outputs + s * width, n, layout->model.outputs);
    }
    out->loss = sum / (double) (count * width);
    clear(&w);
    return status == AT_OK ? check_finite(out->loss, count, err) : status;
}

int at_predict_rows(double *outputs, const at_layout *layout, const double *params,
                    const double *rows, size_t count, int threads, at_error *err)
{
    workspace w;
    size_t n = layout->model.n;
    int status = prepare(&w, layout, count, true, threads, err);

    for (size_t first = 0; status == AT_OK && first < count; first += w.batch) {
        size_t sequences = count - first < w.batch ? count - first : w.batch;
        at_batch batch = { .batch = sequences, .n = n,
                           .rows = rows + first * n * layout->model.inputs };

        status = at_transformer_forward(w.net, params, &batch,
                                        outputs + first * n * layout->model.outputs, err);
    }
    clear(&w);
    return status;
}
