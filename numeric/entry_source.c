/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public passes.  Included by numeric/transformer.c once for each precision. */

/* What the summed loss is divided by: scored positions, or entries. */
static double LOCAL(loss_count)(const at_batch *batch, const at_model *model)
{
    size_t positions = batch->batch * batch->n, count = 0;

    if (batch->classes == NULL)
        return (double) (positions * model->outputs);
    for (size_t t = 0; t < positions; t++)
        count += batch->classes[t] >= 0;
    return count > 0 ? (double) count : 1.0;
}

static int LOCAL(need_gradients)(const TRANSFORMER *net, at_error *err)
{
    if (!net->gradients)
        return at_error_set(err, AT_USAGE, "this workspace was made without gradients");
    return AT_OK;
}

int AT_NAME(transformer, forward)(TRANSFORMER *net, const REAL *params, const at_batch *batch,
                                  REAL *out, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, false, err);
    LOCAL(pass) pass = {.net = net, .params = params, .batch = batch, .what = LOCAL(FORWARD),
                        .out = out};
    at_score score;

    if (status == AT_OK)
        LOCAL(run_pass)(&pass, &score);
    return status;
}

int AT_NAME(transformer, score)(TRANSFORMER *net, const REAL *params, const at_batch *batch,
                                at_score *score, int32_t *predicted, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, true, err);
    LOCAL(pass) pass = {.net = net, .params = params, .batch = batch, .what = LOCAL(SCORE),
                        .predicted = predicted};

    if (status != AT_OK)
        return status;
    LOCAL(run_pass)(&pass, score);
    score->loss /= LOCAL(loss_count)(batch, &net->layout->model);
    return AT_OK;
}

int AT_NAME(transformer, gradient)(TRANSFORMER *net, const REAL *params, const at_batch *batch,
                                   at_score *score, REAL *grad, bool accumulate, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, true, err);
    double count;
    LOCAL(pass) pass = {.net = net, .params = params, .batch = batch, .what = LOCAL(GRADIENT),
                        .grad = grad, .accumulate = accumulate};

    if (status == AT_OK)
        status = LOCAL(need_gradients)(net, err);
    if (status != AT_OK)
        return status;
    count = LOCAL(loss_count)(batch, &net->layout->model);
    pass.dscale = (REAL) ((batch->classes != NULL ? 1.0 : 2.0) / count);
    LOCAL(run_pass)(&pass, score);
    score->loss /= count;
    return AT_OK;
}

int AT_NAME(transformer, pullback)(TRANSFORMER *net, const REAL *params, const at_batch *batch,
                                   const REAL *dout, REAL *grad, bool accumulate, at_error *err)
{
    int status = at_batch_check(batch, &net->layout->model, net->batch_limit, false, err);
    LOCAL(pass) pass = {.net = net, .params = params, .batch = batch, .what = LOCAL(PULLBACK),
                        .dout = dout, .grad = grad, .accumulate = accumulate};
    at_score score;

    if (status == AT_OK)
        status = LOCAL(need_gradients)(net, err);
    if (status == AT_OK)
        LOCAL(run_pass)(&pass, &score);
    return status;
}
