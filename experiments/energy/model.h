/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weights of a run of energy layers: identity, random, trained on the text, or
 * of a model that another run left. */
#ifndef ATTEST_EXPERIMENTS_ENERGY_MODEL_H
#define ATTEST_EXPERIMENTS_ENERGY_MODEL_H

#include "attest/experiments/energy/run.h"

typedef struct {
    enum at_step_id step;
    const char *weights;        /* "identity", "random", "trained", or a file */
    size_t heads;               /* 1 but for multi-head */
    size_t documents;           /* that the layers will run on */
    size_t updates;
    double rate, clip;          /* of the updates; the gradient's longest norm */
    bool relu;                  /* of the layers that are trained */
    bool both;                  /* train a second set, with ReLU */
    bool quiet;
    uint64_t seed;
} at_energy_settings;

typedef struct at_energy_weights {
    size_t d, heads;
    double *W, *Wf, *B;         /* W NULL: identity; Wf, B for steps with a feed-forward part */
    size_t first, count;        /* the documents to run on */
    bool trained;
    double *classifier;         /* 2 × (d + 1) numbers, trained only */
    size_t training_documents, test_documents, updates_scaled;
    double training_accuracy, test_accuracy;
    struct at_energy_weights *relu;   /* trained with ReLU, for the layers that have it; NULL: the
                                         same as these */
} at_energy_weights;

/* identity: W = I, W_f = ½I, B = 0.  random: [Y]'s (numeric/energy/energy.h), from the seed.  trained:
 * from the random ones, by single-document updates on all labelled documents but the last
 * `documents`, on which the layers then run; with `both` a second time, with ReLU.  A file: W_a, W_f,
 * B of a model.safetensors of the vectors' dimension (AT_INPUT otherwise), and relu.W_a, relu.W_f,
 * relu.B where it has them; another head repeats none: one head only. */
int at_energy_weights_make(at_energy_weights *weights, const at_energy_data *data,
                           const at_energy_settings *settings, at_error *err) AT_MUST_CHECK;
void at_energy_weights_clear(at_energy_weights *weights);
/* Those of layers with or without ReLU. */
const at_energy_weights *at_energy_weights_of(const at_energy_weights *weights, bool relu);
/* model.safetensors in the run's folder; nothing for identity. */
int at_energy_weights_save(const at_energy_weights *weights, const at_run *run,
                           at_error *err) AT_MUST_CHECK;
/* Accuracies into a summary. */
void at_energy_weights_json(json_t *summary, const at_energy_weights *weights);

/* at_rho_check for a formula of the user's, on the range of z of the documents (by the longest
 * row of YW), and rho->concave_to where concavity is certified there; AT_USAGE where it certainly
 * fails.  Nothing for a table entry.  rho is model->rho. */
int at_energy_check_rho(const at_energy_data *data, const at_energy_model *model, at_rho *rho,
                        at_error *err) AT_MUST_CHECK;

#endif
