/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energy across layers, as released, provable and controls, side by side; and
 * each layer with each ρ (experiments/energy/figures.h). */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/experiments/energy/figures.h"
#include "attest/experiments/cli/progress.h"

/* Runs one variant; result is cleared by the caller when AT_OK. */
static int run_variant(at_energy_result *result, at_energy_model *model, enum at_step_id step,
                       bool relu, const at_rho *rho, const at_energy_recipe *recipe, at_error *err)
{
    const at_energy_weights *w = at_energy_weights_of(recipe->weights, relu);
    bool sphere = step == AT_STEP_SPHERE, heads = step == AT_STEP_MULTI_HEAD && w->heads > 1;
    int status = at_energy_model_init(model, step, rho, w->d, heads ? w->heads : 1,
                                      sphere ? NULL : w->W, w->Wf, w->B, err);

    if (status != AT_OK)
        return status;
    model->relu = relu;
    const at_energy_job job = { model, recipe->layers, recipe->certify, recipe->common->threads,
                                recipe->common->quiet, at_steps[step].name };
    status = at_energy_process(result, recipe->data, w->first, w->count, &job, err);
    if (status != AT_OK)
        at_energy_model_clear(model);
    return status;
}

static void put_boxes(at_table *table, size_t panel, const char *label, const at_energy_result *r)
{
    double *energy = malloc((r->count + 1) * sizeof *energy);

    if (energy == NULL) {
        table->failed = true;
        return;
    }
    for (size_t t = 0; t <= r->layers; t++) {
        size_t used = 0;
        for (size_t k = 0; k < r->count; k++)
            if (r->documents[k].done)
                energy[used++] = r->energy[k * (r->layers + 1) + t].total;
        if (used == 0)
            continue;
        gsl_sort(energy, 1, used);
        at_table_row(table, "%zu\t%s\t%zu\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g", panel, label,
                     t, gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.05),
                     gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.25),
                     gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.5),
                     gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.75),
                     gsl_stats_quantile_from_sorted_data(energy, 1, used, 0.95),
                     gsl_stats_mean(energy, 1, used));
    }
    free(energy);
}

/* A rise or an undecided step, where the claim says descent. */
static int check_claim(const at_energy_result *r, const at_energy_model *model, at_error *err)
{
    if (!at_energy_expected(model) || (r->total.rising == 0 && r->total.undecided == 0))
        return AT_OK;
    return at_error_set(err, AT_UNEXPECTED,
                        "%zu steps of %s with rho %s rise and %zu are undecided, where "
                        "%s says that it descends",
                        r->total.rising, at_steps[model->step].name, at_rho_text(model->rho),
                        r->total.undecided, at_steps[model->step].claim);
}

static json_t *variant_json(const char *label, const at_energy_result *r,
                            const at_energy_model *model, const at_energy_recipe *recipe)
{
    const at_energy_job job = { model, recipe->layers, recipe->certify, 1, true, "" };
    json_t *json = at_energy_summary(r, &job);

    json_object_set_new(json, "label", json_string(label));
    return json;
}

static void put_counts(at_table *table, size_t panel, const char *label, const at_energy_result *r,
                       const at_energy_model *model)
{
    const char *claim = at_steps[model->step].claim;
    const at_energy_count *c = &r->total;

    at_table_row(table, "%zu\t%s\t%s\t%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu", panel, label,
                 claim != NULL ? claim : "-", at_energy_expected(model) ? "descends" : "-",
                 c->document, r->unrising_documents, c->steps, c->descending, c->rising, c->tied,
                 c->undecided, c->by_ball, c->by_bound);
}

static const char counts_header[] = "panel\tlabel\tclaim\tclaim_says\tdocuments\tdocuments_without_"
                                    "rise\tsteps\tdescending\trising\ttied\t"
                                    "undecided\tcertified\tby_bound";

int at_recipe_panels(const at_energy_recipe *recipe, at_error *err)
{
    static const struct { enum at_step_id step; bool relu; const char *label; } variants[] = {
        { AT_STEP_RELEASED, false, "as released, linear" },
        { AT_STEP_RELEASED, true, "as released, ReLU" },
        { AT_STEP_PARALLEL, false, "parallel, linear (proved)" },
        { AT_STEP_PARALLEL, true, "parallel, ReLU (proved)" },
        { AT_STEP_SOFTMAX_BETA, false, "softmax-beta (proved)" },
        { AT_STEP_JACOBI, false, "jacobi (proved)" },
        { AT_STEP_IDENTITY, false, "control: identity" },
        { AT_STEP_PERMUTATION, false, "control: permutation" },
    };
    at_table boxes, counts;
    json_t *list = json_array();
    int status = AT_OK, unexpected = AT_OK;

    at_table_init(&boxes, "panel\tlabel\tlayer\tlow\tq1\tmedian\tq3\thigh\tmean");
    at_table_init(&counts, counts_header);
    for (size_t p = 0;
         p < sizeof variants / sizeof variants[0] && status == AT_OK && !at_interrupted(); p++) {
        at_energy_model model;
        at_energy_result r;
        char label[80];
        snprintf(label, sizeof label, "%s%s", variants[p].label, at_energy_origin(recipe->data));
        status =
            run_variant(&r, &model, variants[p].step, variants[p].relu, recipe->rho, recipe, err);
        if (status != AT_OK)
            break;
        put_boxes(&boxes, p + 1, label, &r);
        put_counts(&counts, p + 1, label, &r, &model);
        json_array_append_new(list, variant_json(label, &r, &model, recipe));
        if (unexpected == AT_OK)
            unexpected = check_claim(&r, &model, err);
        at_energy_result_clear(&r);
        at_energy_model_clear(&model);
    }
    json_object_set_new(recipe->summary, "panels", list);
    if (status == AT_OK)
        status = at_table_write(&counts, recipe->run, "panels-steps.tsv", err);
    if (status == AT_OK)
        status = at_table_write(&boxes, recipe->run, "panels.tsv", err);
    at_table_clear(&boxes);
    at_table_clear(&counts);
    return status != AT_OK ? status : unexpected;
}

int at_recipe_layers(const at_energy_recipe *recipe, at_error *err)
{
    at_table table;
    json_t *list = json_array();
    size_t row = 0;
    int status = AT_OK, unexpected = AT_OK, own = recipe->rho->id < 0;   /* the user's beside them */

    at_table_init(&table, counts_header);
    for (int step = 0; step < AT_STEP_COUNT && status == AT_OK; step++)
        for (int id = 0; id < AT_RHO_COUNT + own && status == AT_OK && !at_interrupted(); id++) {
            const at_rho entry = { .id = id };
            const at_rho *rho = id < AT_RHO_COUNT ? &entry : recipe->rho;
            at_energy_model model;
            at_energy_result r;
            char label[160];
            if (step == AT_STEP_SPHERE && id != AT_RHO_EXP)
                continue;
            snprintf(label, sizeof label, "%s, %s%s", at_steps[step].name, at_rho_text(rho),
                     at_energy_origin(recipe->data));
            status = run_variant(&r, &model, (enum at_step_id) step, false, rho, recipe, err);
            if (status != AT_OK)
                break;
            put_counts(&table, ++row, label, &r, &model);
            json_array_append_new(list, variant_json(label, &r, &model, recipe));
            if (unexpected == AT_OK)
                unexpected = check_claim(&r, &model, err);
            at_energy_result_clear(&r);
            at_energy_model_clear(&model);
        }
    json_object_set_new(recipe->summary, "layers_by_rho", list);
    if (status == AT_OK)
        status = at_table_write(&table, recipe->run, "layers.tsv", err);
    at_table_clear(&table);
    return status != AT_OK ? status : unexpected;
}
