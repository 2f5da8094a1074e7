/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training of the energy layers' weights: see energy_train.h. */
#include "attest/experiments/energy/train.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/experiments/cli/progress.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/energy/train.h"
#include "attest/numeric/energy/linalg.h"
#include "attest/numeric/optimize/random.h"

enum { LAYERS = 12, PROJECT = 10 };

typedef struct {
    at_energy_classifier c;
    at_energy_train_work *work;
    double *parameters, *gradient, *Y;
    gsl_rng *random;
    size_t scaled;           /* updates whose gradient was longer than the longest */
} trainer;

static int trainer_open(trainer *t, const at_energy_weights *w, const at_energy_data *data,
                        const at_energy_settings *settings, at_error *err)
{
    size_t d = w->d, longest = 1;

    *t = (trainer) { .c = { d, LAYERS, settings->relu } };
    for (size_t k = 0; k < data->corpus.count; k++) {
        size_t n = data->corpus.start[k + 1] - data->corpus.start[k];
        longest = n > longest ? n : longest;
    }
    t->parameters = calloc(at_energy_parameters(&t->c), sizeof(double));
    t->gradient = calloc(at_energy_parameters(&t->c), sizeof(double));
    t->Y = malloc(longest * d * sizeof(double));
    t->random = gsl_rng_alloc(at_rng_philox);
    if (t->parameters == NULL || t->gradient == NULL || t->Y == NULL || t->random == NULL)
        return at_error_memory(err, "the training of energy layers");
    memcpy(t->parameters, w->W, d * d * sizeof(double));
    memcpy(t->parameters + d * d, w->Wf, d * d * sizeof(double));
    memcpy(t->parameters + 2 * d * d, w->B, d * sizeof(double));
    at_rng_stream(t->random, settings->seed, AT_STREAM_TRAIN, 0, 0);
    for (size_t k = 0; k < 2 * (d + 1); k++)
        if (k % (d + 1) < d)
            t->parameters[2 * d * d + d + k] =
                gsl_ran_gaussian_ziggurat(t->random, sqrt(2.0 / (double) (d + 2)));
    return at_energy_train_work_alloc(&t->work, &t->c, longest, err);
}

static void trainer_close(trainer *t)
{
    at_energy_train_work_free(t->work);
    free(t->parameters);
    free(t->gradient);
    free(t->Y);
    gsl_rng_free(t->random);
}

/* The largest probability at the label, over the documents that have a vector. */
static double accuracy(trainer *t, const at_energy_data *data, size_t first, size_t count)
{
    size_t right = 0, all = 0;

    for (size_t k = first; k < first + count; k++) {
        double p[2];
        int label = data->corpus.label[k];
        size_t n = at_vectors_embed(t->Y, NULL, &data->vectors, &data->corpus, k);
        if (n == 0 || label < 0)
            continue;
        at_energy_loss(NULL, p, t->parameters, t->Y, n, label, &t->c, t->work);
        right += p[label] > p[1 - label];
        all++;
    }
    return all > 0 ? (double) right / (double) all : NAN;
}

static int descend(trainer *t, const at_energy_data *data, size_t documents,
                   const at_energy_settings *settings, at_error *err)
{
    at_progress progress;
    size_t size = at_energy_parameters(&t->c);
    double mean = log(2);
    int status = AT_OK;

    at_progress_start(&progress, "energy: training", "updates", settings->updates, settings->quiet);
    for (size_t u = 0; u < settings->updates && status == AT_OK && !at_interrupted(); u++) {
        char note[40];
        size_t k = gsl_rng_uniform_int(t->random, documents), n;
        n = at_vectors_embed(t->Y, NULL, &data->vectors, &data->corpus, k);
        if (n == 0 || data->corpus.label[k] < 0)
            continue;
        double loss = at_energy_loss(t->gradient, NULL, t->parameters, t->Y, n,
                                     data->corpus.label[k], &t->c, t->work);
        if (!isfinite(loss))
            status = at_error_set(err, AT_UNEXPECTED,
                                  "training: the loss is not finite at update %zu; "
                                  "a smaller --rate may help",
                                  u + 1);
        double norm = at_blas_norm(size, t->gradient, 1);
        double rate = settings->rate * (norm > settings->clip ? settings->clip / norm : 1);
        t->scaled += norm > settings->clip;
        for (size_t j = 0; j < size; j++)
            t->parameters[j] -= rate * t->gradient[j];
        if (status == AT_OK && (u + 1) % PROJECT == 0)
            status = at_clamp_symmetric(t->parameters + t->c.d * t->c.d, t->c.d, 0, 0.95, err);
        mean += 0.01 * (loss - mean);
        snprintf(note, sizeof note, "loss %.3f", mean);
        at_progress_update(&progress, u + 1, note);
    }
    at_progress_finish(&progress);
    if (status == AT_OK)
        status = at_clamp_symmetric(t->parameters + t->c.d * t->c.d, t->c.d, 0, 0.95, err);
    return status;
}

int at_energy_train(at_energy_weights *w, const at_energy_data *data,
                    const at_energy_settings *settings, at_error *err)
{
    size_t d = w->d, count = data->corpus.count, labelled = 0;
    trainer t;

    for (size_t k = 0; k < count; k++)
        labelled += data->corpus.label[k] >= 0;
    if (labelled < count || count < 2)
        return at_error_set(err, AT_INPUT,
                            "training needs labels; the text has %zu for %zu documents", labelled,
                            count);
    if (w->heads != 1)
        return at_error_set(err, AT_USAGE, "--weights trained is for steps of one head");
    /* as many documents as asked for are kept back, but never more than half */
    size_t kept = settings->documents < count / 2 ? settings->documents : count / 2;

    at_blas_single_thread();
    int status = trainer_open(&t, w, data, settings, err);
    if (status == AT_OK)
        status = descend(&t, data, count - kept, settings, err);
    if (status == AT_OK) {
        w->trained = true;
        w->first = count - kept;
        w->count = kept;
        w->training_documents = count - kept;
        w->test_documents = kept;
        w->updates_scaled = t.scaled;
        w->training_accuracy = accuracy(&t, data, 0, count - kept);
        w->test_accuracy = accuracy(&t, data, count - kept, kept);
        memcpy(w->W, t.parameters, d * d * sizeof(double));
        memcpy(w->Wf, t.parameters + d * d, d * d * sizeof(double));
        memcpy(w->B, t.parameters + 2 * d * d, d * sizeof(double));
        w->classifier = malloc(2 * (d + 1) * sizeof(double));
        if (w->classifier == NULL)
            status = at_error_memory(err, "the classifier");
        else
            memcpy(w->classifier, t.parameters + 2 * d * d + d, 2 * (d + 1) * sizeof(double));
    }
    trainer_close(&t);
    return status;
}
