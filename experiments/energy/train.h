/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training of the energy layers' weights on a labelled text. */
#ifndef ATTEST_EXPERIMENTS_ENERGY_TRAIN_H
#define ATTEST_EXPERIMENTS_ENERGY_TRAIN_H

#include "attest/experiments/energy/model.h"

/* Stochastic gradient descent from the weights given, a document an update, drawn with replacement
 * from all labelled documents but the last settings->documents; 12 layers as released.  A gradient
 * longer than settings->clip is scaled to it: at rate 1e-2 the loss diverges with some seeds
 * otherwise.  W_f stays where the layer is meant to be, symmetric with eigenvalues in [0, .95], by
 * projection every ten updates and at the end: what is measured and run afterwards is what was
 * trained, unaltered.
 * Leaves the trained W_a, W_f, B, the classifier and both accuracies in weights, and the documents
 * kept back as those to run on.  AT_INPUT when there are no labels or too few documents;
 * AT_UNEXPECTED when the loss is no longer finite. */
int at_energy_train(at_energy_weights *weights, const at_energy_data *data,
                    const at_energy_settings *settings, at_error *err) AT_MUST_CHECK;

#endif
