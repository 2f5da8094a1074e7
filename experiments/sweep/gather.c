/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the cells of a sweep reached: sweep.tsv, one row a cell, and the sweep's summary. */
#include "attest/experiments/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/file.h"

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

static at_sweep_row row_of(const cell_files *files)
{
    const json_t *c = files->config, *s = files->summary;
    at_sweep_row row = {
        .done = true, .function = json_is_string(json_object_get(c, "function")),
        .n = number(c, "n", NULL), .d = number(c, "d", NULL), .layers = number(c, "layers", NULL),
        .random = number(s, "random", "accuracy"),
        .nontrivial = number(s, "random", "nontrivial_accuracy"),
        .constant = number(s, "constant", "accuracy"),
        .ceiling_constant = number(s, "bounds", "constant_accuracy_ceiling"),
        .ceiling_random = number(s, "bounds", "random_accuracy_ceiling"),
        .floor = number(s, "floor_lower_bound", NULL),
        .error_constants = number(s, "error_constants", NULL),
        .error_random = number(s, "error_random", NULL),
        .step_seconds = number(s, "step_processor_seconds", NULL), .peak_mb = number(s, "peak_rss_mb", NULL),
        .collapses = json_is_true(json_object_get(json_object_get(s, "bounds"), "apply")),
    };

    snprintf(row.target, sizeof row.target, "%s", text(c, row.function ? "function" : "task"));
    snprintf(row.encoding, sizeof row.encoding, "%s", text(c, "encoding"));
    return row;
}

int at_sweep_gather(const at_sweep *sweep, json_t **summary, at_error *err)
{
    at_sweep_row *rows = calloc(sweep->cell_count, sizeof *rows);
    at_table table;
    size_t done = 0, drawn = 0;    /* a number that is none is on no figure */
    double least = INFINITY;
    bool within = true;
    int status;

    *summary = NULL;
    if (rows == NULL)
        return at_error_memory(err, "the cells");
    at_table_init(&table, "cell\ttarget\tencoding\tn\tvocab\tlayers\td\tseed\tloss\taccuracy_random"
                  "\tnontrivial_random\taccuracy_constant\tbest_constant\tceiling_constant"
                  "\tceiling_random\tfloor\terror_constants\terror_random\tsteps\tseconds");
    for (size_t cell = 0; cell < sweep->cell_count; cell++) {
        char *folder = at_sweep_cell_path(sweep, cell);
        cell_files files;

        if (folder == NULL)
            break;
        files = (cell_files) { load(folder, "config.json"), load(folder, "summary.json") };
        free(folder);
        if (json_is_false(json_object_get(files.summary, "interrupted"))) {
            double times = number(files.summary, "times_below_floor", NULL);

            done++;
            within &= json_is_true(json_object_get(files.summary, "within_bounds"));
            rows[cell] = row_of(&files);
            drawn += isfinite(rows[cell].function ? rows[cell].error_constants : rows[cell].constant);
            sweep_row(&table, cell, &files);
            if (strcmp(rows[cell].encoding, "urpe") == 0 && times < least)
                least = times;
        }
        json_decref(files.config);
        json_decref(files.summary);
    }
    status = at_table_write(&table, &sweep->run, "sweep.tsv", err);
    if (status == AT_OK)
        status = at_run_incomplete(&sweep->run, "cells", drawn, sweep->cell_count, err);
    if (status == AT_OK)
        status = at_sweep_figures(sweep, rows, err);
    *summary = json_pack("{s:I, s:I, s:b, s:o}", "cells", (json_int_t) sweep->cell_count, "done",
                         (json_int_t) done, "within_bounds", within, "least_times_below_floor",
                         isfinite(least) ? json_real(least) : json_null());
    free(rows);
    at_table_clear(&table);
    return status;
}
