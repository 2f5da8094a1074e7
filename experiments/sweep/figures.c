/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a sweep's figures: approximation gaps against n, accuracies as bars or against n,
 * errors against width and depth.  Columns: doc/tables.md. */
#include "attest/experiments/sweep/sweep.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool at_sweep_varies(const at_sweep *sweep, const char *key)
{
    for (size_t g = 0; g < sweep->grid_count; g++)
        if (strcmp(sweep->grids[g].key, key) == 0)
            return sweep->grids[g].count > 1;
    return false;
}

/* Names in the order of their first appearance: panels, curves. */
typedef struct { const char *names[AT_SWEEP_VALUES]; size_t count; } name_list;

static size_t index_of(name_list *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->names[k], name) == 0)
            return k + 1;
    if (list->count < AT_SWEEP_VALUES)
        list->names[list->count++] = name;
    return list->count;
}

static int write(const at_table *table, const at_sweep *sweep, const char *name, at_error *err)
{
    return table->rows > 0 ? at_table_write(table, &sweep->run, name, err) : AT_OK;
}

static int write_gaps(const at_sweep *sweep, const at_sweep_row *rows, at_error *err)
{
    name_list functions = { .count = 0 };
    at_table table;
    int status;

    at_table_init(&table, "panel\tfunction\tn\tencoding\tfloor\terror_constants\terror_random");
    for (size_t k = 0; k < sweep->cell_count; k++)
        if (rows[k].done && rows[k].function)
            at_table_row(&table, "%zu\t%s\t%.0f\t%s\t%.17g\t%.17g\t%.17g",
                         index_of(&functions, rows[k].target), rows[k].target, rows[k].n,
                         rows[k].encoding, rows[k].floor, rows[k].error_constants,
                         rows[k].error_random);
    status = write(&table, sweep, "gaps.tsv", err);
    at_table_clear(&table);
    return status;
}

/* Panel 1 width, panel 2 depth. */
static int write_size(const at_sweep *sweep, const at_sweep_row *rows, at_error *err)
{
    at_table table;
    int status;

    at_table_init(&table, "panel\tvaried\tvalue\tencoding\tfloor\terror_constants");
    for (int panel = 1; panel <= 2; panel++) {
        const char *key = panel == 1 ? "d" : "layers";

        for (size_t k = 0; at_sweep_varies(sweep, key) && k < sweep->cell_count; k++)
            if (rows[k].done && rows[k].function)
                at_table_row(&table, "%d\t%s\t%.0f\t%s\t%.17g\t%.17g", panel,
                             panel == 1 ? "width d" : "layers",
                             panel == 1 ? rows[k].d : rows[k].layers, rows[k].encoding,
                             rows[k].floor, rows[k].error_constants);
    }
    status = write(&table, sweep, "size.tsv", err);
    at_table_clear(&table);
    return status;
}

/* Mean, least and most of one accuracy over the cells of an encoding (and of n, unless NaN). */
typedef struct { double mean, low, high; size_t count; } spread;

static spread spread_of(const at_sweep *sweep, const at_sweep_row *rows, const char *encoding,
                        double n, size_t offset)
{
    spread s = { 0.0, INFINITY, -INFINITY, 0 };

    for (size_t k = 0; k < sweep->cell_count; k++) {
        double value;

        if (!rows[k].done || rows[k].function || strcmp(rows[k].encoding, encoding) != 0
            || (!isnan(n) && rows[k].n != n))
            continue;
        memcpy(&value, (const char *) &rows[k] + offset, sizeof value);
        s.mean += value;
        s.low = fmin(s.low, value);
        s.high = fmax(s.high, value);
        s.count++;
    }
    s.mean /= (double) s.count;
    return s;
}

static bool collapses(const at_sweep *sweep, const at_sweep_row *rows, const char *encoding)
{
    for (size_t k = 0; k < sweep->cell_count; k++)
        if (rows[k].done && strcmp(rows[k].encoding, encoding) == 0)
            return rows[k].collapses;
    return false;
}

/* The ceiling that a bar has by theorem, NaN: none.  That of a collapsing encoding on random pi is
 * 1 − V^{1−n}(1 − 1/n): 1 in double, and still drawn. */
static double ceiling_of(const at_sweep *sweep, const at_sweep_row *rows, const char *encoding,
                         size_t measure, bool pi)
{
    double random = spread_of(sweep, rows, encoding, NAN, offsetof(at_sweep_row, ceiling_random)).mean;

    if (measure == 0)
        return random < 1.0 || (pi && collapses(sweep, rows, encoding)) ? random : NAN;
    if (measure == 1 || !collapses(sweep, rows, encoding))
        return NAN;
    return spread_of(sweep, rows, encoding, NAN, offsetof(at_sweep_row, ceiling_constant)).mean;
}

static const struct { const char *name; size_t offset; } measures[] = {
    { "random", offsetof(at_sweep_row, random) },
    { "random, first half", offsetof(at_sweep_row, nontrivial) },
    { "constant", offsetof(at_sweep_row, constant) },
};

/* One n: bars of each measure and encoding over the seeds; pi has no first half. */
static int write_bars(const at_sweep *sweep, const at_sweep_row *rows, const name_list *encodings,
                      const at_sweep_row *any, at_error *err)
{
    bool pi = strcmp(any->target, "pi") == 0;
    at_table table;
    size_t panel = 0;
    int status;

    at_table_init(&table, "panel\tmeasure\tposition\tencoding\tmean\tlow\thigh\tceiling");
    for (size_t m = 0; m < 3; m++) {
        if (m == 1 && pi)
            continue;
        panel++;
        for (size_t e = 0; e < encodings->count; e++) {
            spread s = spread_of(sweep, rows, encodings->names[e], NAN, measures[m].offset);

            at_table_row(&table, "%zu\t%s\t%zu\t%s\t%.17g\t%.17g\t%.17g\t%.17g", panel,
                         measures[m].name, e + 1, encodings->names[e], s.mean, s.low, s.high,
                         ceiling_of(sweep, rows, encodings->names[e], m, pi));
        }
    }
    status = write(&table, sweep, "bars.tsv", err);
    at_table_clear(&table);
    return status;
}

/* Several n: means over the seeds, a curve an encoding. */
static int write_window(const at_sweep *sweep, const at_sweep_row *rows,
                        const name_list *encodings, at_error *err)
{
    at_table table;
    int status;

    at_table_init(&table, "curve\tencoding\tn\taccuracy_random\tnontrivial_random\t"
                  "accuracy_constant\tceiling_constant\tceiling_random");
    for (size_t e = 0; e < encodings->count; e++)
        for (size_t k = 0; k < sweep->cell_count; k++) {
            bool first = true;

            if (!rows[k].done || rows[k].function
                || strcmp(rows[k].encoding, encodings->names[e]) != 0)
                continue;
            for (size_t j = 0; j < k; j++)
                first &= !(rows[j].done && rows[j].n == rows[k].n
                           && strcmp(rows[j].encoding, rows[k].encoding) == 0);
            if (!first)
                continue;
            at_table_row(&table, "%zu\t%s\t%.0f\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g", e + 1,
                         rows[k].encoding, rows[k].n,
                         spread_of(sweep, rows, rows[k].encoding, rows[k].n,
                                   measures[0].offset).mean,
                         spread_of(sweep, rows, rows[k].encoding, rows[k].n,
                                   measures[1].offset).mean,
                         spread_of(sweep, rows, rows[k].encoding, rows[k].n,
                                   measures[2].offset).mean,
                         rows[k].ceiling_constant, rows[k].ceiling_random);
        }
    status = write(&table, sweep, "window.tsv", err);
    at_table_clear(&table);
    return status;
}

int at_sweep_figures(const at_sweep *sweep, const at_sweep_row *rows, at_error *err)
{
    name_list encodings = { .count = 0 };
    const at_sweep_row *any = NULL;
    int status = AT_OK;

    for (size_t k = 0; k < sweep->cell_count; k++)
        if (rows[k].done) {
            any = &rows[k];
            index_of(&encodings, rows[k].encoding);
        }
    if (any == NULL)
        return AT_OK;
    if (any->function) {
        if (at_sweep_varies(sweep, "n"))
            status = write_gaps(sweep, rows, err);
        return status == AT_OK ? write_size(sweep, rows, err) : status;
    }
    if (at_sweep_varies(sweep, "task") && at_sweep_varies(sweep, "encoding"))
        return at_sweep_encodings(sweep, rows, err);
    if (sweep->cost)
        return at_sweep_cost(sweep, rows, err);
    if (at_sweep_varies(sweep, "n"))
        return write_window(sweep, rows, &encodings, err);
    return at_sweep_varies(sweep, "encoding") ? write_bars(sweep, rows, &encodings, any, err)
                                              : AT_OK;
}
