/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of a batch. */
#include "config.h"

#include "attest/numeric/transformer/check.h"

static int check_tokens(const at_batch *batch, const at_model *model, at_error *err)
{
    for (size_t t = 0; t < batch->batch * batch->n; t++)
        if (batch->tokens[t] < 0 || (size_t) batch->tokens[t] >= model->vocab)
            return at_error_set(err, AT_USAGE, "token %ld at position %zu of sequence %zu is not one "
                                "of the vocabulary, 0 to %zu", (long) batch->tokens[t],
                                t % batch->n, t / batch->n, model->vocab - 1);
    return AT_OK;
}

static int check_classes(const at_batch *batch, const at_model *model, at_error *err)
{
    for (size_t t = 0; t < batch->batch * batch->n; t++)
        if (batch->classes[t] >= 0 && (size_t) batch->classes[t] >= model->outputs)
            return at_error_set(err, AT_USAGE, "class %ld at position %zu of sequence %zu is not one "
                                "of the model's %zu", (long) batch->classes[t], t % batch->n,
                                t / batch->n, model->outputs);
    return AT_OK;
}

static int check_distances(const at_batch *batch, at_error *err)
{
    for (size_t p = 0; p < batch->n * batch->n; p++)
        if (batch->distances[p] >= (int32_t) batch->n)
            return at_error_set(err, AT_USAGE, "distance %ld between nodes %zu and %zu: a graph of "
                                "%zu nodes has none above %zu", (long) batch->distances[p],
                                p / batch->n, p % batch->n, batch->n, batch->n - 1);
    return AT_OK;
}

int at_batch_check(const at_batch *batch, const at_model *model, size_t limit, bool scored,
                   at_error *err)
{
    int status = AT_OK;

    if (batch->batch == 0 || batch->batch > limit || batch->n == 0 || batch->n > model->n)
        return at_error_set(err, AT_USAGE, "a batch of %zu sequences of length %zu: the network takes "
                            "1 to %zu of length 1 to %zu", batch->batch, batch->n, limit, model->n);
    if (model->vocab > 0 ? batch->tokens == NULL : batch->rows == NULL)
        return at_error_set(err, AT_USAGE, "the batch has no %s, which the network reads",
                            model->vocab > 0 ? "tokens" : "rows");
    if (scored && batch->classes == NULL && batch->values == NULL)
        return at_error_set(err, AT_USAGE, "the batch has neither classes nor values to score");
    if (model->vocab > 0)
        status = check_tokens(batch, model, err);
    if (status == AT_OK && scored && batch->classes != NULL)
        status = check_classes(batch, model, err);
    if (status == AT_OK && batch->distances != NULL)
        status = check_distances(batch, err);
    return status;
}
