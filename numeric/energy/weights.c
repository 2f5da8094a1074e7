/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers: the model, its norms, and random weights (see energy.h). */
#include "attest/numeric/energy/energy.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/energy/linalg.h"

bool at_energy_has_ffn(enum at_step_id step)
{
    return step == AT_STEP_RELEASED || step == AT_STEP_PARALLEL || step == AT_STEP_SEQUENTIAL
           || step == AT_STEP_IDENTITY || step == AT_STEP_PERMUTATION;
}

size_t at_energy_halves(enum at_step_id step)
{
    return at_energy_has_ffn(step) && step != AT_STEP_PARALLEL ? 2 : 1;
}

static double *copy(const double *from, size_t count, int *status, at_error *err)
{
    if (from == NULL || *status != AT_OK)
        return NULL;
    double *to = malloc(count * sizeof *to);
    if (to == NULL) {
        *status = at_error_memory(err, "the weights of an energy layer");
        return NULL;
    }
    for (size_t k = 0; k < count; k++) {
        to[k] = from[k];
        if (!isfinite(from[k]))
            *status = at_error_set(err, AT_USAGE, "a weight of the energy layer is not finite");
    }
    return to;
}

/* Several heads of W = I are matrices like others. */
static double *identities(size_t d, size_t heads, int *status, at_error *err)
{
    double *W = calloc(heads * d * d, sizeof *W);

    if (W == NULL)
        *status = at_error_memory(err, "the weights of an energy layer");
    for (size_t k = 0; W != NULL && k < heads * d; k++)
        W[k / d * d * d + k % d * (d + 1)] = 1;
    return W;
}

/* Descent relies on bounds that are not too small. */
static int set_norms(at_energy_model *model, at_error *err)
{
    size_t d = model->d;
    int status = AT_OK;

    for (size_t h = 0; h < model->heads; h++) {
        model->norm2[h] = 1;
        if (model->W != NULL && status == AT_OK)
            status = at_spectral_norm2(&model->norm2[h], model->W + h * d * d, d, d, err);
    }
    model->top = 0;
    if (model->S != NULL && status == AT_OK)
        status = at_symmetric_top(&model->top, model->S, d, err);
    if (status == AT_OK && !(1 + model->top > 0))
        status = at_error_set(err, AT_USAGE,
                              "I + S must have a positive eigenvalue; the largest of "
                              "S is %.6g",
                              model->top);
    return status;
}

int at_energy_model_init(at_energy_model *model, enum at_step_id step, const at_rho *rho, size_t d,
                         size_t heads, const double *W, const double *Wf, const double *B,
                         at_error *err)
{
    int status = AT_OK;

    *model = (at_energy_model) { .step = step, .rho = rho, .d = d, .heads = heads, .lambda = 1,
                                 .alpha = step == AT_STEP_RELAXED ? 1.5 : 1 };
    if (d == 0 || heads == 0 || heads > AT_ENERGY_HEADS)
        return at_error_set(err, AT_USAGE, "an energy layer needs d >= 1 and 1 to %d heads",
                            AT_ENERGY_HEADS);
    if (step != AT_STEP_MULTI_HEAD && heads != 1)
        return at_error_set(err, AT_USAGE, "the step %s has one head", at_steps[step].name);
    if (step == AT_STEP_SPHERE && W != NULL)
        return at_error_set(err, AT_USAGE, "the step sphere has no weights: use identity");
    model->W = W == NULL && heads > 1 ? identities(d, heads, &status, err)
                                      : copy(W, heads * d * d, &status, err);
    if (at_energy_has_ffn(step)) {
        model->S = copy(Wf, d * d, &status, err);
        model->B = copy(B, d, &status, err);
    }
    if (status == AT_OK && model->S != NULL)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < i; j++)
                model->S[i * d + j] = model->S[j * d + i] =
                    0.5 * (model->S[i * d + j] + model->S[j * d + i]);
    if (status == AT_OK)
        status = set_norms(model, err);
    if (status != AT_OK)
        at_energy_model_clear(model);
    return status;
}

void at_energy_model_clear(at_energy_model *model)
{
    free(model->W);
    free(model->S);
    free(model->B);
    *model = (at_energy_model) { 0 };
}

int at_energy_weights_random(double *W, double *Wf, double *B, size_t d, size_t heads,
                             const gsl_rng *random, at_error *err)
{
    double sigma = sqrt(1.0 / (double) d), sigma_b = sqrt(2.0 / (double) (d + 1));

    for (size_t k = 0; k < d * d; k++)
        W[k] = gsl_ran_gaussian_ziggurat(random, sigma);
    for (size_t k = 0; k < d * d; k++)
        Wf[k] = gsl_ran_gaussian_ziggurat(random, sigma);
    for (size_t k = 0; k < d; k++)
        B[k] = gsl_ran_gaussian_ziggurat(random, sigma_b);
    for (size_t k = d * d; k < heads * d * d; k++)
        W[k] = gsl_ran_gaussian_ziggurat(random, sigma);
    return at_clamp_square(Wf, d, 0, 0.95, err);
}
