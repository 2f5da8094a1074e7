/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the cells of a sweep reached, as tables: sweep.tsv, one row a cell, and for functions
 * gaps.tsv, from which the figure of approximation gaps is drawn. */
#include "experiments/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"

typedef struct { json_t *config, *summary; } cell_files;

static json_t *load(const char *folder, const char *name)
{
    char *path = at_path_join(folder, name);
    json_t *json = path != NULL ? json_load_file(path, 0, NULL) : NULL;

    free(path);
    return json;
}

/* A number below one or two keys; NaN where there is none. */
static double number(const json_t *json, const char *outer, const char *inner)
{
    const json_t *value = json_object_get(json, outer);

    if (inner != NULL)
        value = json_object_get(value, inner);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));

    return value != NULL ? value : "-";
}

static void sweep_row(at_table *table, size_t cell, const cell_files *files)
{
    const json_t *c = files->config, *s = files->summary;
    bool function = json_is_string(json_object_get(c, "function"));

    at_table_row(table, "%zu\t%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g"
                 "\t%.9g\t%.9g\t%.17g\t%.17g\t%.17g\t%.0f\t%.3f",
                 cell + 1, text(c, function ? "function" : "task"), text(c, "encoding"),
                 number(c, "n", NULL), number(c, "vocab", NULL), number(c, "layers", NULL),
                 number(c, "d", NULL), number(c, "seed", NULL), number(s, "loss", NULL),
                 number(s, "random", "accuracy"), number(s, "random", "nontrivial_accuracy"),
                 number(s, "constant", "accuracy"), number(s, "constant", "best_accuracy"),
                 json_is_true(json_object_get(json_object_get(s, "bounds"), "apply"))
                     ? number(s, "bounds", "constant_accuracy_ceiling") : NAN,
                 number(s, "bounds", "random_accuracy_ceiling"),
                 number(s, "floor_lower_bound", NULL), number(s, "error_constants", NULL),
                 number(s, "error_random", NULL), number(s, "steps", NULL),
                 number(s, "seconds", NULL));
}

/* Functions in the order in which the cells name them: the panels of the figure. */
typedef struct { const char *names[AT_SWEEP_VALUES]; size_t count; } panels;

static size_t panel_of(panels *seen, const char *name)
{
    for (size_t k = 0; k < seen->count; k++)
        if (strcmp(seen->names[k], name) == 0)
            return k + 1;
    if (seen->count < AT_SWEEP_VALUES)
        seen->names[seen->count++] = name;
    return seen->count;
}

static void gap_row(at_table *table, panels *seen, const cell_files *files)
{
    const char *function = text(files->config, "function");

    at_table_row(table, "%zu\t%s\t%.0f\t%s\t%.17g\t%.17g\t%.17g", panel_of(seen, function),
                 function, number(files->config, "n", NULL), text(files->config, "encoding"),
                 number(files->summary, "floor_lower_bound", NULL),
                 number(files->summary, "error_constants", NULL),
                 number(files->summary, "error_random", NULL));
}

/* Several values of n: a curve; one point is none. */
static bool has_curve(const at_sweep *sweep)
{
    for (size_t g = 0; g < sweep->grid_count; g++)
        if (strcmp(sweep->grids[g].key, "n") == 0 && sweep->grids[g].count > 1)
            return true;
    return false;
}

static int write_tables(const at_sweep *sweep, const at_table *table, const at_table *gaps,
                        at_error *err)
{
    int status = at_table_write(table, &sweep->run, "sweep.tsv", err);

    if (status == AT_OK && gaps->rows > 0 && has_curve(sweep))
        status = at_table_write(gaps, &sweep->run, "gaps.tsv", err);
    return status;
}

int at_sweep_gather(const at_sweep *sweep, json_t **summary, at_error *err)
{
    cell_files *files = calloc(sweep->cell_count, sizeof *files);
    at_table table, gaps;
    panels seen = { .count = 0 };
    size_t done = 0;
    double least = INFINITY;
    bool within = true;
    int status;

    *summary = NULL;
    if (files == NULL)
        return at_error_memory(err, "the cells");
    at_table_init(&table, "cell\ttarget\tencoding\tn\tvocab\tlayers\td\tseed\tloss\taccuracy_random"
                  "\tnontrivial_random\taccuracy_constant\tbest_constant\tceiling_constant"
                  "\tceiling_random\tfloor\terror_constants\terror_random\tsteps\tseconds");
    at_table_init(&gaps, "panel\tfunction\tn\tencoding\tfloor\terror_constants\terror_random");
    for (size_t cell = 0; cell < sweep->cell_count; cell++) {
        char *folder = at_sweep_cell_path(sweep, cell);
        double times;

        if (folder == NULL)
            break;
        files[cell] = (cell_files) { load(folder, "config.json"), load(folder, "summary.json") };
        free(folder);
        if (!json_is_false(json_object_get(files[cell].summary, "interrupted")))
            continue;
        done++;
        within &= json_is_true(json_object_get(files[cell].summary, "within_bounds"));
        sweep_row(&table, cell, &files[cell]);
        if (!json_is_string(json_object_get(files[cell].config, "function")))
            continue;
        gap_row(&gaps, &seen, &files[cell]);
        times = number(files[cell].summary, "times_below_floor", NULL);
        if (strcmp(text(files[cell].config, "encoding"), "urpe") == 0 && times < least)
            least = times;
    }
    status = write_tables(sweep, &table, &gaps, err);
    *summary = json_pack("{s:I, s:I, s:b, s:o}", "cells", (json_int_t) sweep->cell_count, "done",
                         (json_int_t) done, "within_bounds", within, "least_times_below_floor",
                         isfinite(least) ? json_real(least) : json_null());
    for (size_t cell = 0; cell < sweep->cell_count; cell++) {
        json_decref(files[cell].config);
        json_decref(files[cell].summary);
    }
    free(files);
    at_table_clear(&table);
    at_table_clear(&gaps);
    return status;
}
