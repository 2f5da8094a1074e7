/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A classifier of documents made of tied released energy layers: loss and gradient.
 *
 * Y_{t+1} = [ReLU](A_t Y_t M + B), A_t = softmax(Y_t W^T W Y_t^T), M = −sym(W_f); the logits are
 * an affine map of the mean row of Y_L, the loss the cross-entropy (nats): one prediction a
 * document. */
#ifndef ATTEST_NUMERIC_ENERGY_TRAIN_H
#define ATTEST_NUMERIC_ENERGY_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t d, layers;
    bool relu;
} at_energy_classifier;

/* Parameters lie in one vector: W (d×d), W_f (d×d), B (d), then 2 rows of d + 1, weights and bias
 * of a class. */
size_t at_energy_parameters(const at_energy_classifier *c);

typedef struct at_energy_train_work at_energy_train_work;
/* Room for documents of up to longest tokens; AT_ENVIRONMENT when there is no memory. */
int at_energy_train_work_alloc(at_energy_train_work **work, const at_energy_classifier *c,
                               size_t longest, at_error *err) AT_MUST_CHECK;
void at_energy_train_work_free(at_energy_train_work *work);

/* Loss of a document Y (n×d, n ≥ 1, untouched) with label 0 or 1; probability[2] (may be NULL); the
 * gradient (may be NULL) is overwritten. */
double at_energy_loss(double *gradient, double *probability, const double *parameters,
                      const double *Y, size_t n, int label, const at_energy_classifier *c,
                      at_energy_train_work *work);

#ifdef __cplusplus
}
#endif

#endif
