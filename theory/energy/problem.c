/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step to decide: its layer checked, its numbers read exactly. */
#include "attest/theory/energy/problem.h"

#include <math.h>

static int check_permutation(const at_energy_layer *layer, at_error *err)
{
    bool *seen = calloc(layer->n, sizeof *seen);
    int status = seen == NULL ? at_error_memory(err, "permutation") : AT_OK;
    for (size_t i = 0; status == AT_OK && i < layer->n; i++) {
        size_t row = layer->permutation[i];
        if (row >= layer->n || seen[row])
            status = at_error_set(err, AT_USAGE, "permutation: entry %zu is no row or one twice",
                                  i + 1);
        else
            seen[row] = true;
    }
    free(seen);
    return status;
}

int at_problem_check(const at_energy_layer *layer, enum at_energy_half half, at_error *err)
{
    const char *name = at_steps[layer->step].name;
    bool many = layer->step == AT_STEP_MULTI_HEAD || layer->step == AT_STEP_PARALLEL;
    if (at_problem_has_halves(layer->step) != (half != AT_HALF_WHOLE))
        return at_error_set(err, AT_USAGE, "%s: %s", name,
                            half == AT_HALF_WHOLE ? "is certified by halves" : "has no halves");
    if (layer->n == 0 || layer->d == 0)
        return at_error_set(err, AT_USAGE, "%s: no rows or no columns", name);
    if (layer->rho < 0 && layer->formula == NULL)
        return at_error_set(err, AT_USAGE, "%s: neither a rho nor a formula", name);
    if (layer->weights != NULL && (layer->width == 0 || layer->heads == 0
                                   || (layer->heads > 1 && !many)))
        return at_error_set(err, AT_USAGE, "%s: %zu heads of width %zu", name, layer->heads,
                            layer->width);
    if (layer->weights != NULL && layer->step == AT_STEP_RELEASED && layer->width != layer->d)
        return at_error_set(err, AT_USAGE, "%s: its scores Y W^T W Y^T need a square W", name);
    if (many && layer->theta == NULL)
        return at_error_set(err, AT_USAGE, "%s: needs a step size for each row", name);
    if (layer->step == AT_STEP_RESIDUAL_INPUT && layer->input == NULL)
        return at_error_set(err, AT_USAGE, "%s: needs the input rows", name);
    if (layer->step == AT_STEP_PERMUTATION && layer->permutation == NULL)
        return at_error_set(err, AT_USAGE, "%s: needs a permutation", name);
    if (layer->step == AT_STEP_SPHERE && (layer->rho != AT_RHO_EXP || layer->weights != NULL))
        return at_error_set(err, AT_USAGE, "%s: for rho exp and identity weights only", name);
    if (layer->bias != NULL && layer->bias_rows != 1 && layer->bias_rows != layer->n)
        return at_error_set(err, AT_USAGE, "%s: %zu bias rows for %zu tokens", name,
                            layer->bias_rows, layer->n);
    if (!isfinite(layer->alpha) || !isfinite(layer->lambda))
        return at_error_set(err, AT_INPUT, "%s: a parameter is not finite", name);
    for (size_t i = 0; many && i < layer->n; i++)
        if (!isfinite(layer->theta[i]))
            return at_error_set(err, AT_INPUT, "%s: step size %zu is not finite", name, i + 1);
    return layer->step == AT_STEP_PERMUTATION ? check_permutation(layer, err) : AT_OK;
}

static void read_heads(at_energy_problem *p)
{
    p->heads = flint_malloc(sizeof *p->heads * (size_t) p->count);
    for (slong h = 0; h < p->count; h++)
        at_energy_head_init(&p->heads[h], p->Y, at_problem_weight(p, h));
}

/* offset = V − XW, or V. */
static int read_pin(at_energy_problem *p, at_error *err)
{
    at_dyadic_t X;
    at_dyadic_clear(p->offset);
    at_dyadic_init(p->offset, p->n, at_dyadic_cols(p->heads[0].values));
    at_dyadic_set(p->offset, p->heads[0].values);
    if (p->layer->step != AT_STEP_RESIDUAL_INPUT)
        return AT_OK;
    at_dyadic_init(X, p->n, p->d);
    int status = at_dyadic_set_d(X, p->layer->input, "input", err);
    if (status == AT_OK) {
        at_energy_head target;
        at_energy_head_init(&target, X, at_problem_weight(p, 0));
        at_dyadic_sub(p->offset, p->offset, target.values);
        at_energy_head_clear(&target);
    }
    at_dyadic_clear(X);
    return status;
}

static int read_ffn(at_energy_problem *p, at_error *err)
{
    const at_energy_layer *layer = p->layer;
    int status = AT_OK;
    if (layer->bias != NULL) {
        at_dyadic_t rows;
        at_dyadic_init(rows, (slong) layer->bias_rows, p->d);
        status = at_dyadic_set_d(rows, layer->bias, "bias", err);
        for (slong i = 0; i < p->n; i++)
            for (slong c = 0; c < p->d; c++)
                fmpz_set(fmpz_mat_entry(p->bias->m, i, c),
                         fmpz_mat_entry(rows->m, layer->bias_rows == 1 ? 0 : i, c));
        p->bias->exp = rows->exp;
        at_dyadic_clear(rows);
    }
    at_dyadic_mul(p->gradient, p->Y, p->fixed->hessian);
    at_dyadic_sub(p->gradient, p->gradient, p->bias);
    return status;
}

static bool same_rows(const at_dyadic_t x, slong i, slong j)
{
    for (slong c = 0; c < at_dyadic_cols(x); c++)
        if (!fmpz_equal(fmpz_mat_entry(x->m, i, c), fmpz_mat_entry(x->m, j, c)))
            return false;
    return true;
}

/* Rows are twins when everything that the step reads of them is equal. */
static bool are_twins(const at_energy_problem *p, slong i, slong j)
{
    const at_energy_layer *layer = p->layer;
    if (p->pin != 0 && !same_rows(p->offset, i, j))
        return false;
    if (layer->theta != NULL && layer->theta[i] != layer->theta[j])
        return false;
    if (p->has_ffn)
        return same_rows(p->Y, i, j) && same_rows(p->bias, i, j);
    for (slong h = 0; h < p->count; h++)
        if (!same_rows(p->heads[h].values, i, j))
            return false;
    return true;
}

static void find_twins(at_energy_problem *p)
{
    for (slong i = 0; i < p->n; i++) {
        slong j = 0;
        while (j < i && !are_twins(p, i, j))
            j++;
        p->twins[i] = j;
    }
}

int at_problem_init(at_energy_problem *p, const at_energy_layer *layer, enum at_energy_half half,
                    const double *Y, at_error *err)
{
    enum at_step_id step = layer->step;
    p->layer = layer;
    p->half = half;
    p->n = (slong) layer->n;
    p->d = (slong) layer->d;
    p->count = layer->weights != NULL ? (slong) layer->heads : 1;
    p->rho = (at_rho_ball) { layer->rho, layer->formula };
    p->has_ffn = at_problem_has_ffn(step);
    p->pin = step == AT_STEP_RELEASED ? 1.0
             : step == AT_STEP_JACOBI || step == AT_STEP_RESIDUAL_INPUT ? layer->lambda : 0.0;
    p->fixed = layer->fixed;
    p->own = NULL;
    p->heads = NULL;
    at_dyadic_init(p->Y, p->n, p->d);
    at_dyadic_init(p->offset, 0, 0);
    at_dyadic_init(p->gradient, p->n, p->d);
    at_dyadic_init(p->bias, p->n, p->d);
    p->twins = flint_malloc((size_t) p->n * sizeof *p->twins);
    int status = at_dyadic_set_d(p->Y, Y, "rows", err);
    if (status == AT_OK && p->fixed == NULL) {
        status = at_energy_fixed_alloc(&p->own, layer, err);
        p->fixed = p->own;
    }
    if (status == AT_OK)
        read_heads(p);
    /* The step of a pinned layer reads the offset even where lambda is 0. */
    if (status == AT_OK && (step == AT_STEP_RELEASED || step == AT_STEP_JACOBI
                            || step == AT_STEP_RESIDUAL_INPUT))
        status = read_pin(p, err);
    if (status == AT_OK && p->has_ffn)
        status = read_ffn(p, err);
    if (status == AT_OK)
        find_twins(p);
    return status;
}

void at_problem_clear(at_energy_problem *p)
{
    for (slong h = 0; p->heads != NULL && h < p->count; h++)
        at_energy_head_clear(&p->heads[h]);
    at_energy_fixed_free(p->own);
    flint_free(p->twins);
    flint_free(p->heads);
    at_dyadic_clear(p->Y);
    at_dyadic_clear(p->offset);
    at_dyadic_clear(p->gradient);
    at_dyadic_clear(p->bias);
}
