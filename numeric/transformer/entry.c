/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public passes. */
#include "config.h"

#include "attest/numeric/transformer/pass.h"
#include "attest/numeric/transformer/check.h"

/* What the summed loss is divided by: scored positions, or entries. */
static double loss_count(const at_batch *batch, const at_model *model)
{
    size_t positions = batch->batch * batch->n, count = 0;

    if (batch->classes == NULL)
        return (double) (positions * model->outputs);
    for (size_t t = 0; t < positions; t++)
        count += batch->classes[t] >= 0;
    return count > 0 ? (double) count : 1.0;
}

static int need_gradients(const at_transformer *net, at_error *err)
{
    if (!net->gradients)
        return at_error_set(err, AT_USAGE, "this workspace was made without gradients");
    return AT_OK;
}

int at_transformer_forward(at_transformer *net, const REAL *params, const at_batch *batch,
                           REAL *out, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, false, err);
    at_pass pass = {.net = net, .params = params, .batch = batch, .what = FORWARD,
                        .out = out};
    at_score score;

    if (status == AT_OK)
        at_pass_run(&pass, &score);
    return status;
}

int at_transformer_score(at_transformer *net, const REAL *params, const at_batch *batch,
                         at_score *score, int32_t *predicted, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, true, err);
    at_pass pass = {.net = net, .params = params, .batch = batch, .what = SCORE,
                        .predicted = predicted};

    if (status != AT_OK)
        return status;
    at_pass_run(&pass, score);
    score->loss /= loss_count(batch, &net->layout->model);
    return AT_OK;
}

int at_transformer_gradient(at_transformer *net, const REAL *params, const at_batch *batch,
                            at_score *score, REAL *grad, bool accumulate, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, true, err);
    double count;
    at_pass pass = {.net = net, .params = params, .batch = batch, .what = GRADIENT,
                        .grad = grad, .accumulate = accumulate};

    if (status == AT_OK)
        status = need_gradients(net, err);
    if (status != AT_OK)
        return status;
    count = loss_count(batch, &net->layout->model);
    pass.dscale = (REAL) ((batch->classes != NULL ? 1.0 : 2.0) / count);
    at_pass_run(&pass, score);
    score->loss /= count;
    return AT_OK;
}

int at_transformer_pullback(at_transformer *net, const REAL *params, const at_batch *batch,
                            const REAL *dout, REAL *grad, bool accumulate, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, false, err);
    at_pass pass = {.net = net, .params = params, .batch = batch, .what = PULLBACK,
                        .dout = dout, .grad = grad, .accumulate = accumulate};
    at_score score;

    if (status == AT_OK)
        status = need_gradients(net, err);
    if (status == AT_OK)
        at_pass_run(&pass, &score);
    return status;
}
