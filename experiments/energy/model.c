/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weights of a run of energy layers: see energy_model.h. */
#include "attest/experiments/energy/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/safetensors.h"
#include "attest/experiments/energy/train.h"
#include "attest/numeric/optimize/random.h"
#include "attest/theory/energy/rho_concave.h"

static int identity_weights(at_energy_weights *w, bool ffn, at_error *err)
{
    if (!ffn)
        return AT_OK;
    w->Wf = calloc(w->d * w->d, sizeof *w->Wf);
    if (w->Wf == NULL)
        return at_error_memory(err, "the weights");
    for (size_t k = 0; k < w->d; k++)
        w->Wf[k * (w->d + 1)] = 0.5;
    return AT_OK;
}

static int random_weights(at_energy_weights *w, uint64_t seed, at_error *err)
{
    size_t d = w->d;
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);
    int status = AT_OK;

    w->W = malloc(w->heads * d * d * sizeof *w->W);
    w->Wf = malloc(d * d * sizeof *w->Wf);
    w->B = malloc(d * sizeof *w->B);
    if (random == NULL || w->W == NULL || w->Wf == NULL || w->B == NULL)
        status = at_error_memory(err, "the weights");
    else {
        at_rng_stream(random, seed, AT_STREAM_WEIGHTS, 0, 0);
        status = at_energy_weights_random(w->W, w->Wf, w->B, d, w->heads, random, err);
    }
    gsl_rng_free(random);
    return status;
}

/* One tensor of rows×columns in double; AT_INPUT when it is another. */
static int take_tensor(double **out, const at_tensors *file, const char *path, const char *prefix,
                       const char *kind, size_t rows, size_t columns, at_error *err)
{
    char name[32];

    snprintf(name, sizeof name, "%s%s", prefix, kind);
    const at_tensor *tensor = at_tensors_find(file, name);

    if (tensor == NULL)
        return at_error_set(err, AT_INPUT,
                            "%s: there is no tensor %s; expected the model.safetensors of "
                            "a run of attest energy",
                            path, name);
    if (tensor->count != rows * columns || !at_tensor_is_float(tensor))
        return at_error_set(err, AT_INPUT,
                            "%s: %s has %zu numbers, expected %zu x %zu for vectors of "
                            "that dimension",
                            path, name, tensor->count, rows, columns);
    *out = malloc(tensor->count * sizeof **out);
    if (*out == NULL)
        return at_error_memory(err, "the weights");
    for (size_t k = 0; k < tensor->count; k++)
        (*out)[k] = tensor->dtype == AT_F64 ? ((const double *) tensor->data)[k]
                                            : (double) ((const float *) tensor->data)[k];
    return AT_OK;
}

static int take_weights(at_energy_weights *w, const at_tensors *file, const char *path,
                        const char *prefix, at_error *err)
{
    size_t d = w->d;
    int status = take_tensor(&w->W, file, path, prefix, "W_a", w->heads * d, d, err);

    if (status == AT_OK)
        status = take_tensor(&w->Wf, file, path, prefix, "W_f", d, d, err);
    if (status == AT_OK)
        status = take_tensor(&w->B, file, path, prefix, "B", 1, d, err);
    return status;
}

/* Room for a second set beside w, of the same documents. */
static int add_relu(at_energy_weights *w, at_error *err)
{
    w->relu = malloc(sizeof *w->relu);
    if (w->relu == NULL)
        return at_error_memory(err, "the weights");
    *w->relu = (at_energy_weights) { .d = w->d, .heads = w->heads, .first = w->first,
                                     .count = w->count };
    return AT_OK;
}

static int stored_weights(at_energy_weights *w, const char *path, at_error *err)
{
    at_tensors file;

    at_tensors_init(&file);
    int status = at_tensors_read(&file, path, err);
    if (status == AT_OK)
        status = take_weights(w, &file, path, "", err);
    if (status == AT_OK && at_tensors_find(&file, "relu.W_a") != NULL) {
        status = add_relu(w, err);
        if (status == AT_OK)
            status = take_weights(w->relu, &file, path, "relu.", err);
    }
    at_tensors_clear(&file);
    return status;
}

/* Both sets start from the same random weights and see the same documents in the same order. */
static int trained_weights(at_energy_weights *w, const at_energy_data *data,
                           const at_energy_settings *settings, at_error *err)
{
    at_energy_settings with_relu = *settings;
    int status = random_weights(w, settings->seed, err);

    if (status == AT_OK)
        status = at_energy_train(w, data, settings, err);
    if (status != AT_OK || !settings->both)
        return status;
    with_relu.relu = true;
    status = add_relu(w, err);
    if (status == AT_OK)
        status = random_weights(w->relu, settings->seed, err);
    if (status == AT_OK)
        status = at_energy_train(w->relu, data, &with_relu, err);
    return status;
}

int at_energy_weights_make(at_energy_weights *weights, const at_energy_data *data,
                           const at_energy_settings *settings, at_error *err)
{
    const char *kind = settings->weights;
    int status;

    *weights = (at_energy_weights) { .d = data->vectors.dimension, .heads = settings->heads,
                                     .count = data->corpus.count };
    if (strcmp(kind, "identity") == 0)
        status = identity_weights(weights, at_energy_has_ffn(settings->step), err);
    else if (strcmp(kind, "random") == 0)
        status = random_weights(weights, settings->seed, err);
    else if (strcmp(kind, "trained") == 0)
        status = trained_weights(weights, data, settings, err);
    else
        status = stored_weights(weights, kind, err);
    if (status != AT_OK)
        at_energy_weights_clear(weights);
    return status;
}

void at_energy_weights_clear(at_energy_weights *weights)
{
    free(weights->W);
    free(weights->Wf);
    free(weights->B);
    free(weights->classifier);
    if (weights->relu != NULL)
        at_energy_weights_clear(weights->relu);
    free(weights->relu);
    *weights = (at_energy_weights) { 0 };
}

const at_energy_weights *at_energy_weights_of(const at_energy_weights *weights, bool relu)
{
    return relu && weights->relu != NULL ? weights->relu : weights;
}

/* The tensors of one set. */
static int add_tensors(at_tensors *file, const at_energy_weights *w, bool relu, at_error *err)
{
    const size_t d = w->d, square[3] = { w->heads, d, d }, row[2] = { 1, d },
                 linear[2] = { 2, d + 1 };
    bool several = w->heads > 1;
    int status = at_tensors_add(file, relu ? "relu.W_a" : "W_a", AT_F64, several ? 3 : 2,
                                several ? square : square + 1, w->W, NULL, err);

    if (status == AT_OK)
        status = at_tensors_add(file, relu ? "relu.W_f" : "W_f", AT_F64, 2, square + 1, w->Wf,
                                NULL, err);
    if (status == AT_OK)
        status = at_tensors_add(file, relu ? "relu.B" : "B", AT_F64, 2, row, w->B, NULL, err);
    if (status == AT_OK && w->classifier != NULL)
        status = at_tensors_add(file, relu ? "relu.classifier" : "classifier", AT_F64, 2, linear,
                                w->classifier, NULL, err);
    return status;
}

int at_energy_weights_save(const at_energy_weights *w, const at_run *run, at_error *err)
{
    at_tensors file;
    char *path;

    if (w->W == NULL)
        return AT_OK;
    at_tensors_init(&file);
    int status = add_tensors(&file, w, false, err);
    if (status == AT_OK && w->relu != NULL)
        status = add_tensors(&file, w->relu, true, err);
    if (status == AT_OK) {
        path = at_run_path(run, "model.safetensors");
        status = path != NULL ? at_tensors_write(&file, path, err) : at_error_memory(err, "a path");
        free(path);
    }
    at_tensors_clear(&file);
    return status;
}

static json_t *training_json(const at_energy_weights *w)
{
    return json_pack("{s:I, s:f, s:I, s:f, s:I}", "documents", (json_int_t) w->training_documents,
                     "accuracy", w->training_accuracy, "held_out_documents",
                     (json_int_t) w->test_documents, "held_out_accuracy", w->test_accuracy,
                     "updates_scaled", (json_int_t) w->updates_scaled);
}

void at_energy_weights_json(json_t *summary, const at_energy_weights *w)
{
    if (!w->trained)
        return;
    json_object_set_new(summary, "training", training_json(w));
    if (w->relu != NULL)
        json_object_set_new(summary, "training_relu", training_json(w->relu));
}

int at_energy_check_rho(const at_energy_data *data, const at_energy_model *model, at_rho *rho,
                        at_error *err)
{
    const at_vectors *v = &data->vectors;
    double longest = 0, norm2 = 0, highest, where = 0;
    int status, concave;

    if (rho->id >= 0)
        return AT_OK;
    for (size_t r = 0; r < v->found; r++) {
        double sum = 0;
        for (size_t k = 0; k < v->dimension; k++)
            sum += v->rows[r * v->dimension + k] * v->rows[r * v->dimension + k];
        longest = fmax(longest, sum);
    }
    for (size_t h = 0; h < model->heads; h++)
        norm2 = fmax(norm2, model->norm2[h]);
    /* ½‖(a − b)W‖² ≤ ½(‖a‖ + ‖b‖)²‖W‖² */
    highest = 2 * longest * norm2 * (1 + 1e-6);
    status = at_rho_check(rho, highest, err);
    if (status != AT_OK)
        return status;
    concave = at_rho_concave(&where, &rho->formula, highest);
    if (concave < 0)
        return at_error_set(err, AT_USAGE, "rho '%s' is not concave at z = %.6g; the theory needs a "
                            "concave rho", at_rho_text(rho), where);
    rho->concave_to = concave > 0 ? highest : 0;
    return AT_OK;
}
