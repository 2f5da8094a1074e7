/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of [Y], each from a table that `attest energy --figure NAME` writes. */
#ifndef ATTEST_EXPERIMENTS_ENERGY_FIGURES_H
#define ATTEST_EXPERIMENTS_ENERGY_FIGURES_H

#include "attest/experiments/energy/model.h"
#include "attest/experiments/energy/run.h"

/* What a recipe may use; it adds its numbers to summary. */
typedef struct {
    const at_common *common;
    const at_run *run;
    const at_energy_data *data;          /* loaded only if the figure takes documents */
    const at_energy_weights *weights;    /* of two-half steps, as --weights says */
    const at_rho *rho;                   /* a formula's range is checked */
    size_t layers;
    bool certify;
    json_t *summary;
} at_energy_recipe;

typedef struct {
    const char *name, *summary;
    bool documents;                      /* takes --text, --embeddings, --weights */
    int (*run)(const at_energy_recipe *recipe, at_error *err);
} at_energy_figure;

/* regions relu-regions alternation panels layers rho; ended by a NULL name. */
extern const at_energy_figure at_energy_figures[];

/* One file a figure or two: recipe_energy_*.c. */
int at_recipe_regions(const at_energy_recipe *recipe, at_error *err) AT_MUST_CHECK;
int at_recipe_relu_regions(const at_energy_recipe *recipe, at_error *err) AT_MUST_CHECK;
int at_recipe_alternation(const at_energy_recipe *recipe, at_error *err) AT_MUST_CHECK;
int at_recipe_panels(const at_energy_recipe *recipe, at_error *err) AT_MUST_CHECK;
int at_recipe_layers(const at_energy_recipe *recipe, at_error *err) AT_MUST_CHECK;
int at_recipe_rho(const at_energy_recipe *recipe, at_error *err) AT_MUST_CHECK;

#endif
