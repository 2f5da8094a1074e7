/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient checks of the Transformer. */
#include "config.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/transformer/gradcheck.h"
#include "attest/numeric/optimize/random.h"
#include "attest/numeric/transformer/transformer.h"

enum { BATCH = 2, LENGTH = 5, VOCABULARY = 7 };

/* A small encoder with everything that experiments.md has. */
static at_model encoder(enum at_encoding_id encoding)
{
    return (at_model) {
        .encoding = encoding, .n = LENGTH, .vocab = VOCABULARY, .outputs = VOCABULARY, .d = 8,
        .heads = 2, .ffn = 12, .layers = 2, .activation = AT_GELU, .layernorm = true,
        .biases = true, .scale_logits = true, .lm_head = true
    };
}

/* The theory's network: rows of reals in, no LayerNorm, biases or scale. */
static at_model theory(enum at_activation activation)
{
    return (at_model) {
        .encoding = AT_ENC_T5, .n = LENGTH, .inputs = 3, .outputs = 2, .d = 8, .heads = 2,
        .ffn = 12, .layers = 2, .activation = activation
    };
}

static size_t add(at_gradcheck_case *list, size_t count, at_model model, const char *kind,
                  const char *name, const char *option)
{
    if (list != NULL) {
        list[count].model = model;
        snprintf(list[count].name, sizeof list[count].name, "%s: %s%s", kind, name, option);
    }
    return count + 1;
}

static size_t add_layers(at_gradcheck_case *list, size_t count)
{
    at_model model = encoder(AT_ENC_NONE);

    model.layers = 0;
    model.lm_head = false;
    count = add(list, count, model, "layer", "embedding, LayerNorm, readout", "");
    model.lm_head = true;
    count = add(list, count, model, "layer", "LM head, untied", "");
    model.tied = true;
    count = add(list, count, model, "layer", "LM head, tied", "");
    model = encoder(AT_ENC_NONE);
    model.ffn = 0;
    count = add(list, count, model, "layer", "attention", "");
    model.causal = true;
    count = add(list, count, model, "layer", "attention, causal", "");
    model = encoder(AT_ENC_NONE);
    count = add(list, count, model, "layer", "FFN, GELU", "");
    model.activation = AT_RELU;
    count = add(list, count, model, "layer", "FFN, ReLU", "");
    model = theory(AT_RELU);
    model.layers = 0;
    count = add(list, count, model, "layer", "input map, readout, mean square", "");
    count = add(list, count, theory(AT_RELU), "layer", "theory's network, ReLU", "");
    count = add(list, count, theory(AT_GELU), "layer", "theory's network, GELU", "");
    model = theory(AT_GELU);
    model.biases = true;
    return add(list, count, model, "layer", "theory's network with biases", "");
}

size_t at_gradcheck_cases(at_gradcheck_case *list)
{
    size_t count = add_layers(list, 0);

    for (int e = 0; e < AT_ENC_COUNT; e++) {
        at_model model = encoder((enum at_encoding_id) e);

        if (!at_encodings[e].causal_only)
            count = add(list, count, model, "encoding", at_encodings[e].name, "");
        model.causal = true;
        count = add(list, count, model, "encoding", at_encodings[e].name, ", causal");
        model.causal = at_encodings[e].causal_only;
        model.tables_per_layer = true;
        count = add(list, count, model, "encoding", at_encodings[e].name, ", tables per layer");
    }
    return count;
}

/* A network, its batch and a place for differences. */
typedef struct {
    at_layout layout;
    at_transformer *net;
    double *params, *grad;
    int32_t tokens[BATCH * LENGTH], classes[BATCH * LENGTH], distances[LENGTH * LENGTH];
    double rows[BATCH * LENGTH * 8], values[BATCH * LENGTH * 8];
    at_batch batch;
} checked;

static void fill_batch(checked *c, gsl_rng *rng)
{
    const at_model *model = &c->layout.model;

    for (size_t t = 0; t < BATCH * LENGTH; t++) {
        c->tokens[t] = (int32_t) gsl_rng_uniform_int(rng, VOCABULARY);
        c->classes[t] = t % 4 == 3 ? -1 : (int32_t) gsl_rng_uniform_int(rng, model->outputs);
    }
    for (size_t i = 0; i < BATCH * LENGTH * 8; i++) {
        c->rows[i] = gsl_ran_ugaussian(rng);
        c->values[i] = gsl_ran_ugaussian(rng);
    }
    /* Node 4 apart, the others a circle. */
    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j < LENGTH; j++) {
            int k = abs(i - j);

            c->distances[i * LENGTH + j] = i == j ? 0 : i == 4 || j == 4 ? -1 : k == 3 ? 1 : k;
        }
    c->batch = (at_batch) {.batch = BATCH, .n = LENGTH, .distances = c->distances};
    if (model->vocab > 0) {
        c->batch.tokens = c->tokens;
        c->batch.classes = c->classes;
    } else {
        c->batch.rows = c->rows;
        c->batch.values = c->values;
    }
}

/* Weights of such a size that no gradient is tiny. */
static void fill_params(checked *c, gsl_rng *rng)
{
    for (size_t v = 0; v < c->layout.view_count; v++) {
        const at_view *view = &c->layout.views[v];
        bool factor = view->kind == AT_PARAM_NORM_WEIGHT || view->kind == AT_PARAM_FACTOR_TABLE;

        for (size_t i = 0; i < view->count; i++)
            c->params[view->offset + i] = (factor ? 1.0 : 0.0) + 0.4 * gsl_ran_ugaussian(rng);
    }
}

static int open_case(checked *c, const at_gradcheck_case *one, uint64_t seed, at_error *err)
{
    gsl_rng *rng;
    int status;

    memset(c, 0, sizeof *c);
    status = at_layout_init(&c->layout, &one->model, err);
    if (status != AT_OK)
        return status;
    c->params = malloc(c->layout.count * sizeof *c->params);
    c->grad = malloc(c->layout.count * sizeof *c->grad);
    rng = gsl_rng_alloc(at_rng_philox);
    if (c->params == NULL || c->grad == NULL || rng == NULL) {
        gsl_rng_free(rng);
        return at_error_memory(err, "a gradient check");
    }
    at_rng_stream(rng, seed, AT_STREAM_USER, 0, 0);
    fill_params(c, rng);
    fill_batch(c, rng);
    gsl_rng_free(rng);
    return at_transformer_alloc(&c->net, &c->layout, BATCH, 1, true, err);
}

static void close_case(checked *c)
{
    at_transformer_free(c->net);
    free(c->params);
    free(c->grad);
    at_layout_clear(&c->layout);
}

static int loss_at(checked *c, size_t index, double value, double *loss, at_error *err)
{
    double before = c->params[index];
    at_score score;
    int status;

    c->params[index] = value;
    status = at_transformer_score(c->net, c->params, &c->batch, &score, NULL, err);
    c->params[index] = before;
    *loss = score.loss;
    return status;
}

static int difference(checked *c, size_t index, double h, double *slope, at_error *err)
{
    static const double steps[] = {-2.0, -1.0, 1.0, 2.0}, factors[] = {1.0, -8.0, 8.0, -1.0};
    double sum = 0.0;

    for (int i = 0; i < 4; i++) {
        double loss;
        int status = loss_at(c, index, c->params[index] + steps[i] * h, &loss, err);

        if (status != AT_OK)
            return status;
        sum += factors[i] * loss;
    }
    *slope = sum / (12.0 * h);
    return AT_OK;
}

static int compare_entry(checked *c, const at_view *view, size_t entry, at_gradcheck_result *result,
                         at_error *err)
{
    double exact = c->grad[view->offset + entry], best = INFINITY;

    for (double h = 1e-3; h > 5e-6; h /= 8.0) {
        double slope, error;
        int status = difference(c, view->offset + entry, h, &slope, err);

        if (status != AT_OK)
            return status;
        error = fabs(exact - slope) / fmax(1.0, fmax(fabs(exact), fabs(slope)));
        if (error < best)
            best = error;
        if (best <= AT_GRADCHECK_TOLERANCE / 10.0)
            break;
    }
    result->parameters++;
    if (!(best <= result->error)) {
        result->error = best;
        snprintf(result->worst, sizeof result->worst, "%.40s[%zu]", view->name, entry);
    }
    return AT_OK;
}

int at_gradcheck_run(const at_gradcheck_case *one, uint64_t seed, size_t per_view,
                     at_gradcheck_result *result, at_error *err)
{
    checked c;
    at_score score;
    int status = open_case(&c, one, seed, err);

    memset(result, 0, sizeof *result);
    if (status == AT_OK)
        status = at_transformer_gradient(c.net, c.params, &c.batch, &score, c.grad, false, err);
    for (size_t v = 0; v < c.layout.view_count && status == AT_OK; v++) {
        const at_view *view = &c.layout.views[v];
        size_t step = per_view > 0 && view->count > per_view ? view->count / per_view : 1;

        for (size_t i = 0; i < view->count && status == AT_OK; i += step)
            status = compare_entry(&c, view, i, result, err);
    }
    result->pass = status == AT_OK && result->parameters > 0
                && result->error <= AT_GRADCHECK_TOLERANCE;
    close_case(&c);
    return status;
}
