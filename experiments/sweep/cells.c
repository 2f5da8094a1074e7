/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of a grid: their values and their folders. */
#define _GNU_SOURCE 1
#include "attest/experiments/sweep/sweep.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

char *at_sweep_value(const at_sweep *sweep, size_t cell, size_t g)
{
    for (size_t k = sweep->grid_count; --k > g; )
        cell /= sweep->grids[k].count;
    return sweep->grids[g].values[cell % sweep->grids[g].count];
}

char *at_sweep_cell_path(const at_sweep *sweep, size_t cell)
{
    char name[256];
    size_t used = (size_t) snprintf(name, sizeof name, "cell-%04zu", cell + 1);

    for (size_t g = 0; g < sweep->grid_count; g++) {
        const char *value = at_sweep_value(sweep, cell, g);

        if (used + strlen(value) + 2 >= sizeof name)
            break;
        name[used++] = '-';
        for (; *value != '\0'; value++)
            name[used++] = (char) (isalnum((unsigned char) *value) || *value == '.'
                                   || *value == '-' ? *value : '_');
        name[used] = '\0';
    }
    return at_run_path(&sweep->run, name);
}
