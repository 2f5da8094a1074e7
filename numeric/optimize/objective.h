/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loss of a Transformer on fixed sequences as an at_objective, for the fit driver:
 * f(params) = Σ_p weight_p · loss of part p (mean cross-entropy, or mean square), and for mean
 * squares the residuals √(weight_p/(count·outputs)) · (output − value) with their Jacobian. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_OBJECTIVE_H
#define ATTEST_NUMERIC_OPTIMIZE_OBJECTIVE_H

#include "attest/core/error.h"
#include "attest/numeric/optimize/fit.h"
#include "attest/numeric/transformer/transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sequences that share a weight; the arrays of batch are the caller's and must stay. */
typedef struct { at_batch batch; double weight; } at_fit_part;

typedef struct at_loss at_loss;

/* count parts of layout's model (both must outlive the loss), evaluated on threads threads. */
int at_loss_alloc(at_loss **loss, const at_layout *layout, const at_fit_part *parts, size_t count,
                  int threads, at_error *err) AT_MUST_CHECK;
void at_loss_free(at_loss *loss);
/* New weights, for fits in phases. */
void at_loss_weigh(at_loss *loss, const double *weights);
/* residuals is 0 for classes. */
at_objective at_loss_objective(at_loss *loss);

#ifdef __cplusplus
}
#endif

#endif
