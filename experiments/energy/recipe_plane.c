/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [Y]'s figures in the plane: Apollonius regions, ReLU regions, and alternating
 * minimisation with its principal plane (experiments/energy/figures.h). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attest/experiments/energy/figures.h"
#include "attest/experiments/cli/progress.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/energy/alternation.h"
#include "attest/numeric/energy/regions.h"
#include "attest/numeric/energy/linalg.h"
#include "attest/numeric/optimize/random.h"

const at_energy_figure at_energy_figures[] = {
    { "regions", "where a half-step is sure to descend: inside or outside a circle of Apollonius",
      false, at_recipe_regions },
    { "relu-regions", "where a step with ReLU is sure to descend", false, at_recipe_relu_regions },
    { "alternation", "alternating gradient steps on two energies, and their path in a plane", false,
      at_recipe_alternation },
    { "panels", "the energy of the layers as released, provable ones and controls, side by side",
      true, at_recipe_panels },
    { "layers", "each layer with each rho: the share of steps that descend", true,
      at_recipe_layers },
    { "rho", "attention weight against distance, and what each rho attends to", true,
      at_recipe_rho },
    { NULL, NULL, false, NULL },
};

typedef bool (*region_test)(const void *region, const double point[2]);

static bool in_apollonius(const void *region, const double point[2])
{
    return at_apollonius_holds(region, point);
}

static bool in_relu(const void *region, const double point[2])
{
    return at_relu_region_holds(region, point);
}

static int put_runs(at_table *table, size_t panel, const char *label, region_test holds,
                    const void *region, double low, double high, at_error *err)
{
    enum { MOST = 20000 };
    at_region_run *runs = malloc(MOST * sizeof *runs);

    if (runs == NULL)
        return at_error_memory(err, "a region");
    size_t count = at_region_runs(runs, MOST, holds, region, low, high, 0.02);
    for (size_t k = 0; k < count && k < MOST; k++)
        at_table_row(table, "%zu\t%s\t%.4f\t%.4f\t%.4f\t%.4f", panel, label, runs[k].x_low,
                     runs[k].x_high, runs[k].y_low, runs[k].y_high);
    free(runs);
    return AT_OK;
}

int at_recipe_regions(const at_energy_recipe *recipe, at_error *err)
{
    static const double constants[] = { 0.7, 1.5 };
    at_table table, points;
    json_t *list = json_array();
    int status = AT_OK;

    at_table_init(&table, "panel\tlabel\tx_low\tx_high\ty_low\ty_high");
    at_table_init(&points, "panel\tlabel\tpoint\tx\ty\tradius");
    for (size_t p = 0; p < 2 && status == AT_OK; p++) {
        at_apollonius a = { { -0.41140783, 1.05217505 }, { 0.79206705, 1.44879150 }, constants[p] };
        double centre[2], radius, share = at_region_share(in_apollonius, &a, -3.5, 3.5, 0.02);
        char label[80];
        at_apollonius_circle(centre, &radius, &a);
        snprintf(label, sizeof label, "C = %.1f: descent sure on %.2f %%", a.C, 100 * share);
        status = put_runs(&table, p + 1, label, in_apollonius, &a, -3.5, 3.5, err);
        at_table_row(&points, "%zu\t%s\tminimiser of f\t%.8f\t%.8f\t0", p + 1, label, a.f[0],
                     a.f[1]);
        at_table_row(&points, "%zu\t%s\tminimiser of h\t%.8f\t%.8f\t0", p + 1, label, a.h[0],
                     a.h[1]);
        at_table_row(&points, "%zu\t%s\tcircle\t%.8f\t%.8f\t%.8f", p + 1, label, centre[0],
                     centre[1], radius);
        json_array_append_new(list, json_pack("{s:f, s:f, s:[f, f], s:f, s:b}", "C", a.C, "share",
                                              share, "centre", centre[0], centre[1], "radius",
                                              radius, "inside", a.C < 1));
    }
    json_object_set_new(recipe->summary, "regions", list);
    if (status == AT_OK)
        status = at_table_write(&points, recipe->run, "regions-points.tsv", err);
    if (status == AT_OK)
        status = at_table_write(&table, recipe->run, "regions.tsv", err);
    at_table_clear(&table);
    at_table_clear(&points);
    return status;
}

int at_recipe_relu_regions(const at_energy_recipe *recipe, at_error *err)
{
    at_relu_region r = {
        { 1.276328682899475, 1.1985197067260742, 1.1985197067260742, 2.7263669967651367 },
        { 0.5280336141586304, -0.4387991726398468 }, 0.25, 0
    };
    at_table table;
    json_t *list = json_array();
    int status = AT_OK;

    at_table_init(&table, "panel\tlabel\tx_low\tx_high\ty_low\ty_high");
    for (size_t p = 0; p < 4 && status == AT_OK; p++) {
        char label[80];
        r.kappa = 0.2 * (double) (p + 1);
        double share = at_region_share(in_relu, &r, -5, 5, 0.02);
        snprintf(label, sizeof label, "κ = %.1f: %.2f %%", r.kappa, 100 * share);
        status = put_runs(&table, p + 1, label, in_relu, &r, -5, 5, err);
        json_array_append_new(list, json_pack("{s:f, s:f}", "kappa", r.kappa, "share", share));
    }
    json_object_set_new(recipe->summary, "relu_regions", list);
    if (status == AT_OK)
        status = at_table_write(&table, recipe->run, "relu-regions.tsv", err);
    at_table_clear(&table);
    return status;
}

enum { N = 500, D = 128, STEPS = 200, CURVES = 2 };

static double total(const at_alternation_record *r)
{
    return r->f + r->g;
}

/* One curve of the two tables and its numbers. */
static int put_alternation(at_table *table, at_table *plane, json_t *list, size_t curve,
                           double rate, const at_alternation *a,
                           const at_alternation_record *record, const double *path, at_error *err)
{
    double *coordinates = malloc(2 * STEPS * sizeof *coordinates),
           *mean = malloc(N * D * sizeof *mean), *axes = malloc(2 * N * D * sizeof *axes),
           least = INFINITY, end[2] = { 0, 0 };
    size_t rises = 0, cycle_rises = 0, sure = 0, sure_rises = 0, undecided = 0;
    char label[80];
    int status = coordinates != NULL && mean != NULL && axes != NULL
                     ? at_principal_plane(coordinates, mean, axes, path, STEPS, (size_t) N * D, err)
                     : at_error_memory(err, "a principal plane");

    snprintf(label, sizeof label, curve == 1 ? "rate %.3g, as in the paper" : "rate 1/L_h = %.3g",
             rate);
    for (size_t t = 0; t < STEPS; t++)
        least = fmin(least, log(total(&record[t])));
    for (size_t t = 0; t < STEPS && status == AT_OK; t++) {
        bool cycle = t >= 3 && t % 2 == 1,
             guaranteed = cycle && at_alternation_guaranteed(&record[t - 2], rate, a);
        int half = t > 0 ? at_alternation_change(&record[t], 1, rate, a) : -1,
            whole = cycle ? at_alternation_change(&record[t], 2, rate, a) : -1;
        bool rise = half > 0, cycle_rise = whole > 0;
        undecided += (half == 0) + (whole == 0);
        rises += rise;
        cycle_rises += cycle_rise;
        sure += guaranteed;
        sure_rises += guaranteed && cycle_rise;
        at_table_row(table, "%zu\t%s\t%zu\t%.17g\t%.17g\t%.17g\t%.17g\t%d\t%d\t%d", curve, label, t,
                     log(total(&record[t])) - least, total(&record[t]), record[t].to_f,
                     record[t].to_h, rise, cycle_rise, guaranteed);
        at_table_row(plane, "%zu\t%s\t%zu\t%.17g\t%.17g", curve, label, t, coordinates[2 * t],
                     coordinates[2 * t + 1]);
    }
    for (size_t c = 0; c < 2 && status == AT_OK; c++)
        for (size_t k = 0; k < (size_t) N * D; k++)
            end[c] += (a->Yh[k] - mean[k]) * axes[c * N * D + k];
    if (status == AT_OK) {
        at_table_row(plane, "%zu\tminimiser of h\t-1\t%.17g\t%.17g", curve + CURVES, end[0],
                     end[1]);
        json_array_append_new(
            list, json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "rate", rate,
                            "rate_times_L_h", rate * a->L_h, "half_step_rises", (json_int_t) rises,
                            "cycle_rises", (json_int_t) cycle_rises, "cycles_sure_to_descend",
                            (json_int_t) sure, "rises_among_them", (json_int_t) sure_rises,
                            "undecided", (json_int_t) undecided, "start",
                            log(total(&record[0])) - least, "after_10",
                            log(total(&record[10])) - least, "tail_amplitude",
                            fabs(log(total(&record[STEPS - 1])) - log(total(&record[STEPS - 2])))));
        if (sure_rises > 0)
            status = at_error_set(err, AT_UNEXPECTED, "opt.cycle: %zu cycles rise where none may",
                                  sure_rises);
    }
    free(coordinates);
    free(mean);
    free(axes);
    return status;
}

int at_recipe_alternation(const at_energy_recipe *recipe, at_error *err)
{
    at_alternation a;
    at_alternation_record record[STEPS];
    double *path = malloc((size_t) STEPS * N * D * sizeof *path),
           *Y = malloc((size_t) N * D * sizeof *Y);
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);
    at_table table, plane;
    json_t *list = json_array();
    int status = AT_OK;

    if (path == NULL || Y == NULL || random == NULL) {
        free(path);
        free(Y);
        gsl_rng_free(random);
        json_decref(list);
        return at_error_memory(err, "the path of the alternation");
    }
    at_blas_single_thread();
    at_table_init(&table,
                  "curve\tlabel\thalf_step\tlog_excess\tenergy\tto_f\tto_h\trise\tcycle_rise\t"
                  "sure_to_descend");
    at_table_init(&plane, "curve\tlabel\thalf_step\tx\ty");
    at_rng_stream(random, recipe->common->seed, AT_STREAM_WEIGHTS, 0, 0);
    status = at_alternation_init(&a, N, D, random, err);
    for (size_t c = 0; c < CURVES && status == AT_OK && !at_interrupted(); c++) {
        double rate = c == 0 ? 0.05 : (1 - 4 * DBL_EPSILON) / a.L_h;    /* not above 1/L_h */
        at_rng_stream(random, recipe->common->seed, AT_STREAM_WEIGHTS, 1, 0); /* both start alike */
        for (size_t k = 0; k < (size_t) N * D; k++)
            Y[k] = 2 * gsl_rng_uniform(random);
        status = at_alternation_run(record, path, Y, STEPS, rate, &a, err);
        if (status == AT_OK)
            status = put_alternation(&table, &plane, list, c + 1, rate, &a, record, path, err);
    }
    if (status == AT_OK)
        json_object_set_new(recipe->summary, "alternation",
                            json_pack("{s:f, s:f, s:f, s:f, s:O}", "L_f", a.L_f, "L_g", a.L_g,
                                      "L_h", a.L_h, "c_h", a.c_h, "curves", list));
    if (status == AT_OK)
        status = at_table_write(&plane, recipe->run, "alternation-plane.tsv", err);
    if (status == AT_OK)
        status = at_table_write(&table, recipe->run, "alternation.tsv", err);
    json_decref(list);
    at_table_clear(&table);
    at_table_clear(&plane);
    at_alternation_clear(&a);
    gsl_rng_free(random);
    free(path);
    free(Y);
    return status;
}
