/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Transformer's loss as an objective: see objective.h. */
#include "attest/numeric/optimize/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct at_loss {
    const at_layout *layout;
    at_fit_part *parts;
    size_t count, residuals;
    at_transformer *net;        /* for a whole part */
    at_transformer *single;     /* for one sequence, NULL without residuals */
    double *gradient;           /* [layout->count] */
    double *out;                /* outputs of the largest part; one sequence's derivatives behind */
};

static size_t part_outputs(const at_loss *loss, size_t part)
{
    const at_batch *batch = &loss->parts[part].batch;

    return batch->batch * batch->n * loss->layout->model.outputs;
}

static int allocate(at_loss *loss, int threads, at_error *err)
{
    size_t most = 0, sequences = 0, squares = 0;
    int status;

    for (size_t p = 0; p < loss->count; p++) {
        const at_batch *batch = &loss->parts[p].batch;

        if (batch->batch > sequences)
            sequences = batch->batch;
        if (part_outputs(loss, p) > most)
            most = part_outputs(loss, p);
        loss->residuals += part_outputs(loss, p);
        squares += batch->classes == NULL;
    }
    if (squares < loss->count)
        loss->residuals = 0;
    loss->gradient = malloc(loss->layout->count * sizeof *loss->gradient);
    loss->out = malloc((most + loss->layout->model.n * loss->layout->model.outputs)
                       * sizeof *loss->out);
    if (loss->gradient == NULL || loss->out == NULL)
        return at_error_memory(err, "a loss");
    status = at_transformer_alloc(&loss->net, loss->layout, sequences, threads, true, err);
    if (status == AT_OK && loss->residuals > 0)
        status = at_transformer_alloc(&loss->single, loss->layout, 1, 1, true, err);
    return status;
}

int at_loss_alloc(at_loss **loss, const at_layout *layout, const at_fit_part *parts, size_t count,
                  int threads, at_error *err)
{
    at_loss *new_loss = calloc(1, sizeof *new_loss);
    int status;

    *loss = NULL;
    if (new_loss == NULL)
        return at_error_memory(err, "a loss");
    new_loss->layout = layout;
    new_loss->count = count;
    new_loss->parts = malloc(count * sizeof *parts);
    if (new_loss->parts == NULL) {
        free(new_loss);
        return at_error_memory(err, "a loss");
    }
    memcpy(new_loss->parts, parts, count * sizeof *parts);
    status = allocate(new_loss, threads, err);
    if (status == AT_OK)
        *loss = new_loss;
    else
        at_loss_free(new_loss);
    return status;
}

void at_loss_free(at_loss *loss)
{
    if (loss == NULL)
        return;
    if (loss->net != NULL)
        at_transformer_free(loss->net);
    if (loss->single != NULL)
        at_transformer_free(loss->single);
    free(loss->out);
    free(loss->gradient);
    free(loss->parts);
    free(loss);
}

void at_loss_weigh(at_loss *loss, const double *weights)
{
    for (size_t p = 0; p < loss->count; p++)
        loss->parts[p].weight = weights[p];
}

static int loss_value(const double *x, double *f, double *gradient, void *data, at_error *err)
{
    at_loss *loss = data;
    size_t count = loss->layout->count;

    *f = 0.0;
    if (gradient != NULL)
        memset(gradient, 0, count * sizeof *gradient);
    for (size_t p = 0; p < loss->count; p++) {
        const at_fit_part *part = &loss->parts[p];
        at_score score;
        int status;

        if (gradient == NULL)
            status = at_transformer_score(loss->net, x, &part->batch, &score, NULL, err);
        else
            status = at_transformer_gradient(loss->net, x, &part->batch, &score, loss->gradient,
                                             false, err);
        if (status != AT_OK)
            return status;
        *f += part->weight * score.loss;
        for (size_t i = 0; gradient != NULL && i < count; i++)
            gradient[i] += part->weight * loss->gradient[i];
    }
    return AT_OK;
}

/* Sequence s of a part as a batch of its own. */
static at_batch sequence_of(const at_batch *batch, const at_model *model, size_t s)
{
    at_batch one = *batch;
    size_t row = s * batch->n;

    one.batch = 1;
    one.tokens = batch->tokens != NULL ? batch->tokens + row : NULL;
    one.rows = batch->rows != NULL ? batch->rows + row * model->inputs : NULL;
    one.values = batch->values + row * model->outputs;
    return one;
}

/* Rows of the Jacobian for one part, one backward pass an output. */
static int part_jacobian(at_loss *loss, const double *x, size_t p, double scale, double *jacobian,
                         at_error *err)
{
    const at_model *model = &loss->layout->model;
    const at_batch *batch = &loss->parts[p].batch;
    size_t outputs = batch->n * model->outputs;
    double *dout = loss->out;

    memset(dout, 0, outputs * sizeof *dout);
    for (size_t s = 0; s < batch->batch; s++) {
        at_batch one = sequence_of(batch, model, s);

        for (size_t k = 0; k < outputs; k++, jacobian += loss->layout->count) {
            int status;

            dout[k] = scale;
            status = at_transformer_pullback(loss->single, x, &one, dout, jacobian, false, err);
            dout[k] = 0.0;
            if (status != AT_OK)
                return status;
        }
    }
    return AT_OK;
}

static int loss_residual(const double *x, double *r, double *jacobian, void *data, at_error *err)
{
    at_loss *loss = data;

    for (size_t p = 0; p < loss->count; p++) {
        const at_fit_part *part = &loss->parts[p];
        size_t outputs = part_outputs(loss, p);
        double scale = sqrt(part->weight / (double) outputs);
        int status = AT_OK;

        if (r != NULL)
            status = at_transformer_forward(loss->net, x, &part->batch, loss->out, err);
        for (size_t k = 0; r != NULL && status == AT_OK && k < outputs; k++)
            r[k] = scale * (loss->out[k] - part->batch.values[k]);
        if (jacobian != NULL && status == AT_OK)
            status = part_jacobian(loss, x, p, scale, jacobian, err);
        if (status != AT_OK)
            return status;
        if (r != NULL)
            r += outputs;
        if (jacobian != NULL)
            jacobian += outputs * loss->layout->count;
    }
    return AT_OK;
}

at_objective at_loss_objective(at_loss *loss)
{
    at_objective objective = {
        loss->layout->count, loss->residuals, loss_value,
        loss->residuals > 0 ? loss_residual : NULL, loss
    };

    return objective;
}
