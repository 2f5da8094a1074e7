/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two more tables of a sweep's figures: every encoding on both tasks beside the theorem's verdict, and
 * what URPE costs over plain RPE.  Columns: doc/tables.md. */
#include "attest/experiments/sweep/sweep.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The mean over the cells of that task and encoding of the double at offset in their rows. */
static double mean_of(const at_sweep *sweep, const at_sweep_row *rows, const char *task,
                      const char *encoding, size_t offset)
{
    double sum = 0.0, value;
    size_t count = 0;

    for (size_t k = 0; k < sweep->cell_count; k++) {
        if (!rows[k].done || strcmp(rows[k].target, task) != 0
            || strcmp(rows[k].encoding, encoding) != 0)
            continue;
        memcpy(&value, (const char *) &rows[k] + offset, sizeof value);
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double) count : NAN;
}

int at_sweep_encodings(const at_sweep *sweep, const at_sweep_row *rows, at_error *err)
{
    at_table table;
    size_t row = 0;
    int status;

    at_table_init(&table, "row\tencoding\ttheorem\tpi_random\tpi_constant\tetp_first_half_random\t"
                  "etp_constant\tpi_ceiling\tetp_ceiling\tpi_random_ceiling");
    for (size_t k = 0; k < sweep->cell_count; k++) {
        const char *name = rows[k].encoding;
        bool first = rows[k].done;

        for (size_t j = 0; j < k; j++)
            first &= !(rows[j].done && strcmp(rows[j].encoding, name) == 0);
        if (!first)
            continue;
        at_table_row(&table, "%zu\t%s\t%s\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g",
                     ++row, name,
                     rows[k].collapses ? "collapses" : "-",
                     mean_of(sweep, rows, "pi", name, offsetof(at_sweep_row, random)),
                     mean_of(sweep, rows, "pi", name, offsetof(at_sweep_row, constant)),
                     mean_of(sweep, rows, "etp", name, offsetof(at_sweep_row, nontrivial)),
                     mean_of(sweep, rows, "etp", name, offsetof(at_sweep_row, constant)),
                     mean_of(sweep, rows, "pi", name, offsetof(at_sweep_row, ceiling_constant)),
                     mean_of(sweep, rows, "etp", name, offsetof(at_sweep_row, ceiling_constant)),
                     mean_of(sweep, rows, "pi", name, offsetof(at_sweep_row, ceiling_random)));
    }
    status = at_table_write(&table, &sweep->run, "encodings.tsv", err);
    at_table_clear(&table);
    return status;
}

/* The first done cell of that encoding and n; NULL: none. */
static const at_sweep_row *find(const at_sweep *sweep, const at_sweep_row *rows,
                                const char *encoding, double n)
{
    for (size_t k = 0; k < sweep->cell_count; k++)
        if (rows[k].done && rows[k].n == n && strcmp(rows[k].encoding, encoding) == 0)
            return &rows[k];
    return NULL;
}

int at_sweep_cost(const at_sweep *sweep, const at_sweep_row *rows, at_error *err)
{
    at_table table;
    int status = AT_OK;

    at_table_init(&table, "n\trpe_step_seconds\turpe_step_seconds\ttime_ratio\trpe_peak_mb\t"
                  "urpe_peak_mb\tmemory_ratio");
    for (size_t k = 0; k < sweep->cell_count; k++) {
        const at_sweep_row *plain, *urpe = find(sweep, rows, "urpe", rows[k].n);

        if (urpe != &rows[k] || (plain = find(sweep, rows, "t5", urpe->n)) == NULL)
            continue;
        at_table_row(&table, "%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", urpe->n,
                     plain->step_seconds, urpe->step_seconds,
                     urpe->step_seconds / plain->step_seconds, plain->peak_mb, urpe->peak_mb,
                     urpe->peak_mb / plain->peak_mb);
    }
    if (table.rows > 0)
        status = at_table_write(&table, &sweep->run, "cost.tsv", err);
    at_table_clear(&table);
    return status;
}
