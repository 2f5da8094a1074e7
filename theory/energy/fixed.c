/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the steps of a layer share: weights and FFN, read once. */
#include "attest/theory/energy/problem.h"

bool at_problem_has_halves(enum at_step_id step)
{
    return step == AT_STEP_RELEASED || step == AT_STEP_SEQUENTIAL || step == AT_STEP_IDENTITY
           || step == AT_STEP_PERMUTATION;
}

bool at_problem_has_ffn(enum at_step_id step)
{
    return at_problem_has_halves(step) || step == AT_STEP_PARALLEL;
}

static int read_weights(at_energy_fixed *fixed, const at_energy_layer *layer, at_error *err)
{
    slong d = (slong) layer->d, width = (slong) layer->width;
    int status = AT_OK;

    fixed->count = (slong) layer->heads;
    fixed->W = flint_malloc(sizeof *fixed->W * (size_t) fixed->count);
    fixed->balls = flint_malloc(sizeof *fixed->balls * (size_t) fixed->count);
    fixed->turned = flint_malloc(sizeof *fixed->turned * (size_t) fixed->count);
    for (slong h = 0; h < fixed->count; h++) {
        at_dyadic_init(&fixed->W[h], d, width);
        arb_mat_init(&fixed->balls[h], d, width);
        arb_mat_init(&fixed->turned[h], width, d);
    }
    for (slong h = 0; h < fixed->count && status == AT_OK; h++) {
        status = at_dyadic_set_d(&fixed->W[h], layer->weights + h * d * width, "weights", err);
        at_dyadic_get_arb_mat(&fixed->balls[h], &fixed->W[h]);
        arb_mat_transpose(&fixed->turned[h], &fixed->balls[h]);
    }
    return status;
}

static int read_ffn(at_energy_fixed *fixed, const at_energy_layer *layer, at_error *err)
{
    slong d = (slong) layer->d;
    at_dyadic_t raw, one;
    int status = AT_OK;

    at_dyadic_init(raw, d, d);
    at_dyadic_init(one, d, d);
    at_dyadic_one(one);
    if (layer->ffn != NULL)
        status = at_dyadic_set_d(raw, layer->ffn, "FFN weights", err);
    at_dyadic_symmetrize(fixed->hessian, raw);
    at_dyadic_add(fixed->hessian, fixed->hessian, one);
    at_dyadic_get_arb_mat(fixed->hessian_balls, fixed->hessian);
    at_dyadic_clear(raw);
    at_dyadic_clear(one);
    return status;
}

int at_energy_fixed_alloc(at_energy_fixed **out, const at_energy_layer *layer, at_error *err)
{
    at_energy_fixed *fixed = flint_malloc(sizeof *fixed);
    bool has_ffn = at_problem_has_ffn(layer->step);
    slong d = has_ffn ? (slong) layer->d : 0;
    int status = AT_OK;

    memset(fixed, 0, sizeof *fixed);
    at_dyadic_init(fixed->hessian, d, d);
    arb_mat_init(fixed->hessian_balls, d, d);
    if (layer->weights != NULL)
        status = read_weights(fixed, layer, err);
    if (status == AT_OK && has_ffn)
        status = read_ffn(fixed, layer, err);
    if (status != AT_OK) {
        at_energy_fixed_free(fixed);
        fixed = NULL;
    }
    *out = fixed;
    return status;
}

void at_energy_fixed_free(at_energy_fixed *fixed)
{
    if (fixed == NULL)
        return;
    for (slong h = 0; h < fixed->count; h++) {
        at_dyadic_clear(&fixed->W[h]);
        arb_mat_clear(&fixed->balls[h]);
        arb_mat_clear(&fixed->turned[h]);
    }
    flint_free(fixed->W);
    flint_free(fixed->balls);
    flint_free(fixed->turned);
    at_dyadic_clear(fixed->hessian);
    arb_mat_clear(fixed->hessian_balls);
    flint_free(fixed);
}
