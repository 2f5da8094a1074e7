/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bridge from a layer of the double engine to its certificate, and what the
 * tables of a run say of it (energy_run.h). */
#include "attest/experiments/energy/run.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "attest/theory/energy/energy.h"

static at_energy_layer layer_of(const at_energy_model *model)
{
    return (at_energy_layer) {
        .step = model->step, .rho = model->rho->id, .d = model->d, .weights = model->W,
        .formula = model->rho->id < 0 ? &model->rho->formula : NULL,
        .heads = model->heads, .width = model->d, .ffn = model->S, .bias = model->B,
        .bias_rows = 1, .alpha = model->alpha, .lambda = model->lambda, .relu = model->relu,
    };
}

int at_energy_certify_prepare(at_energy_fixed **fixed, const at_energy_model *model, at_error *err)
{
    const at_energy_layer layer = layer_of(model);

    return at_energy_fixed_alloc(fixed, &layer, err);
}

int at_energy_certify(at_energy_certificate *certificate, const at_energy_model *model,
                      const at_energy_fixed *fixed, size_t half, const double *Y, const double *X,
                      size_t n, const double *theta, size_t *rotation, at_error *err)
{
    at_energy_layer layer = layer_of(model);
    bool whole = at_energy_halves(model->step) == 1;

    layer.n = n;
    layer.fixed = fixed;
    layer.input = X;
    layer.theta = theta;
    layer.permutation = rotation;
    if (!whole)
        layer.alpha = 1;
    if (model->step == AT_STEP_VALUE_MATRIX)
        layer.alpha = theta[0];
    for (size_t i = 0; i < n; i++)
        rotation[i] = (i + 1) % n;
    *certificate = (at_energy_certificate) { .outcome = AT_STEP_UNDECIDED };
    return at_energy_certify_step(certificate, &layer,
                                  whole       ? AT_HALF_WHOLE
                                  : half == 0 ? AT_HALF_ATTENTION
                                              : AT_HALF_FFN,
                                  Y, 0, err);
}

bool at_energy_expected(const at_energy_model *model)
{
    bool own = model->rho->id < 0;   /* W ⪰ 0 is known for the table's ρ only */

    if (own && !(model->rho->concave_to > 0))
        return false;
    if (!at_steps[model->step].descends || !(model->lambda >= 0) || !(model->alpha >= 0))
        return false;
    switch (model->step) {
    case AT_STEP_RELAXED: return model->alpha <= (own ? 1 : 2);
    /* These may leave the range of z on which a formula was looked at. */
    case AT_STEP_VALUE_MATRIX: case AT_STEP_MULTI_HEAD: return !own && model->alpha <= 2;
    case AT_STEP_PARALLEL: return !own && model->alpha <= 2;
    case AT_STEP_SPHERE: return model->rho->id == AT_RHO_EXP;
    default: return true;
    }
}

/* The t-th energies of the done documents, sorted; their number. */
static size_t sorted_energies(double *out, const at_energy_result *r, size_t t)
{
    size_t used = 0;

    for (size_t k = 0; k < r->count; k++)
        if (r->documents[k].done)
            out[used++] = r->energy[k * (r->layers + 1) + t].total;
    gsl_sort(out, 1, used);
    return used;
}

void at_energy_curve(at_table *table, size_t curve, const char *label,
                     const at_energy_result *result)
{
    double *energy = malloc((result->count + 1) * sizeof *energy);

    if (energy == NULL) {
        table->failed = true;
        return;
    }
    for (size_t t = 0; t <= result->layers; t++) {
        size_t used = sorted_energies(energy, result, t);
        if (used > 0)
            at_table_row(table, "%zu\t%s\t%zu\t%.17g\t%.17g\t%.17g\t%.17g", curve, label, t,
                         gsl_stats_mean(energy, 1, used),
                         gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.25),
                         gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.5),
                         gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.75));
    }
    free(energy);
}

json_t *at_energy_summary(const at_energy_result *r, const at_energy_job *job)
{
    const at_energy_count *c = &r->total;
    const at_energy_model *model = job->model;
    const char *claim = at_steps[model->step].claim;
    bool expected = at_energy_expected(model);
    json_t *mean = json_array();

    for (size_t t = 0; t <= r->layers; t++) {
        double sum = 0;
        for (size_t k = 0; k < r->count; k++)
            if (r->documents[k].done)
                sum += r->energy[k * (r->layers + 1) + t].total;
        json_array_append_new(mean, c->document > 0 ? json_real(sum / (double) c->document)
                                                    : json_null());
    }
    json_t *summary = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:f}",
        "documents", (json_int_t) c->document, "tokens", (json_int_t) c->tokens, "words_missing",
        (json_int_t) c->missing, "layers", (json_int_t) r->layers, "steps", (json_int_t) c->steps,
        "descending", (json_int_t) c->descending, "rising", (json_int_t) c->rising, "tied",
        (json_int_t) c->tied, "certified", (json_int_t) c->by_ball, "by_bound",
        (json_int_t) c->by_bound, "by_ball", (json_int_t) c->by_ball, "undecided",
        (json_int_t) c->undecided, "energy_mean", mean, "seconds", r->seconds);
    if (summary == NULL)
        return NULL;
    json_object_set_new(summary, "step", json_string(at_steps[model->step].name));
    json_object_set_new(summary, "rho", json_string(at_rho_text(model->rho)));
    json_object_set_new(summary, "relu", json_boolean(model->relu));
    json_object_set_new(summary, "claim", claim != NULL ? json_string(claim) : json_null());
    json_object_set_new(summary, "claim_says_descends", json_boolean(expected));
    json_object_set_new(summary, "documents_without_rise",
                        json_integer((json_int_t) r->unrising_documents));
    json_object_set_new(summary, "documents_without_vectors",
                        json_integer((json_int_t) r->wordless));
    json_object_set_new(summary, "interrupted", json_boolean(r->interrupted));
    return summary;
}
