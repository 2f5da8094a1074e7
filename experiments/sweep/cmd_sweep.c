/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest sweep: a grid of fits, one process a core, each in a folder of its own; resumable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/experiments/cli/commands.h"
#include "attest/experiments/cli/progress.h"
#include "attest/experiments/run/run.h"
#include "attest/experiments/sweep/sweep.h"

enum { KEY_GRID = 0x3201, KEY_REQUIRE, KEY_COST };

/* --grid and the like, then fit's own options. */
enum { OWN_OPTIONS = 3, MOST_OPTIONS = 64 };

static const struct argp_option own_options[OWN_OPTIONS] = {
    { "grid", KEY_GRID, "KEY=V,W,...", 0, "Values of one option of fit (seed too); several grids "
      "multiply", 0 },
    { "require-gap", KEY_REQUIRE, "R", 0, "Fail unless each fit of a function whose encoding is "
      "urpe is R times below the floor on constants", 0 },
    { "cost", KEY_COST, NULL, 0, "Draw time and memory of a step against n, urpe over rpe", 0 },
};

/* The values of a grid end at commas; a domain has one of its own. */
static void add_grid(at_sweep *sweep, at_common *common, char *text)
{
    char *equals = strchr(text, '='), *rest = NULL;
    at_grid *grid = &sweep->grids[sweep->grid_count];

    if (equals == NULL || equals == text || equals[1] == '\0') {
        at_mistake(common, "--grid takes KEY=VALUE,VALUE,... such as encoding=none,urpe, not '%s'",
                   text);
        return;
    }
    if (sweep->grid_count == AT_SWEEP_GRIDS) {
        at_mistake(common, "more than %d grids", AT_SWEEP_GRIDS);
        return;
    }
    *equals = '\0';
    for (size_t k = 0; k < sweep->grid_count; k++)
        if (strcmp(sweep->grids[k].key, text) == 0)
            at_mistake(common, "--grid %s is given twice", text);
    grid->key = text;
    grid->count = 0;
    for (char *value = strtok_r(equals + 1, ",", &rest); value != NULL;
         value = strtok_r(NULL, ",", &rest)) {
        if (grid->count == AT_SWEEP_VALUES) {
            at_mistake(common, "--grid %s has more than %d values", text, AT_SWEEP_VALUES);
            return;
        }
        grid->values[grid->count++] = value;
    }
    sweep->grid_count++;
}

/* The option of fit of that name; NULL when there is none. */
static const struct argp_option *fit_option(const char *name)
{
    for (const struct argp_option *option = at_fit_option_table; option->name != NULL; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

/* A value of the grid must be one that fit takes. */
static void check_values(const at_grid *grid, at_common *common)
{
    const struct argp_option *option = fit_option(grid->key);
    const char *names[MOST_OPTIONS];
    size_t count = 0;

    if (grid->count == 0)
        at_mistake(common, "--grid %s has no values", grid->key);
    if (strcmp(grid->key, "seed") == 0) {
        for (size_t k = 0; k < grid->count; k++) {
            uint64_t seed;

            at_option_seed(common, "--grid seed:", grid->values[k], &seed);
        }
        return;
    }
    if (option == NULL || option->arg == NULL) {
        for (const struct argp_option *o = at_fit_option_table; o->name != NULL; o++)
            if (o->arg != NULL && count < MOST_OPTIONS)
                names[count++] = o->name;
        const char *nearest = at_nearest(grid->key, names, count);

        at_mistake(common, "--grid %s: fit has no option --%s with a value%s%s%s", grid->key,
                   grid->key, nearest != NULL ? "; did you mean " : "",
                   nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
        return;
    }
    for (size_t k = 0; k < grid->count; k++) {
        at_fit_settings scratch = { 0 };

        at_fit_settings_parse(option->key, grid->values[k], common, &scratch);
    }
}

static int parse(int key, char *text, at_common *common, void *input)
{
    at_sweep *sweep = input;

    if (key == KEY_GRID) {
        add_grid(sweep, common, text);
        return 0;
    }
    if (key == KEY_REQUIRE) {
        at_option_double(common, "--require-gap", text, 1, 1e15, &sweep->require);
        return 0;
    }
    if (key == KEY_COST) {
        sweep->cost = true;
        return 0;
    }
    for (const struct argp_option *option = at_fit_option_table; option->name != NULL; option++) {
        at_fit_settings scratch = { 0 };

        if (option->key != key)
            continue;
        if (strcmp(option->name, "config") != 0)
            at_fit_settings_parse(key, text, common, &scratch);
        if (sweep->given_count + 2 > AT_SWEEP_GIVEN) {
            at_mistake(common, "too many options");
            return 0;
        }
        sweep->given[sweep->given_count++] = option;
        sweep->given_values[sweep->given_count - 1] = text;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* The values of one cell go together; mistakes of the combination are added to trial. */
static void check_cell(const at_sweep *sweep, size_t cell, at_common *trial)
{
    at_fit_settings settings = { 0 };

    for (size_t k = 0; k < sweep->given_count; k++)
        at_fit_settings_parse(sweep->given[k]->key, sweep->given_values[k], trial, &settings);
    for (size_t g = 0; g < sweep->grid_count; g++) {
        const struct argp_option *option = fit_option(sweep->grids[g].key);

        if (option != NULL)
            at_fit_settings_parse(option->key, at_sweep_value(sweep, cell, g), trial, &settings);
    }
    if (settings.config == NULL)
        at_fit_settings_complete(&settings, trial);
}

/* The first cell that fit would refuse. */
static void check_cells(const at_sweep *sweep, at_common *common)
{
    at_common trial = { .command = common->command };

    for (size_t cell = 0; cell < sweep->cell_count && trial.mistakes == 0; cell++) {
        check_cell(sweep, cell, &trial);
        for (size_t g = 0; g < sweep->grid_count && trial.mistakes > 0; g++)
            at_mistake(&trial, "(in the cell with %s = %s)", sweep->grids[g].key,
                       at_sweep_value(sweep, cell, g));
    }
    common->mistakes = trial.mistakes;
    common->mistake_text = trial.mistake_text;
}

/* Of fit's options those that name a file. */
static bool is_input(const char *option)
{
    return strcmp(option, "init") == 0 || strcmp(option, "config") == 0;
}

static void check(at_common *common, void *input)
{
    at_sweep *sweep = input;
    size_t cells = 1;

    for (size_t k = 0; k < sweep->given_count; k++)
        if (is_input(sweep->given[k]->name))
            at_option_input(common, sweep->given[k]->name, sweep->given_values[k]);
    for (size_t g = 0; g < sweep->grid_count; g++)
        for (size_t k = 0; k < sweep->grids[g].count && is_input(sweep->grids[g].key); k++)
            at_option_input(common, "--grid", sweep->grids[g].values[k]);
    if (sweep->grid_count == 0)
        at_mistake(common, "nothing to vary: give --grid KEY=VALUE,VALUE,... at least once");
    for (size_t g = 0; g < sweep->grid_count; g++) {
        check_values(&sweep->grids[g], common);
        cells *= sweep->grids[g].count > 0 ? sweep->grids[g].count : 1;
        if (cells > AT_SWEEP_CELLS) {
            at_mistake(common, "the grid has more than %d cells", AT_SWEEP_CELLS);
            return;
        }
    }
    sweep->cell_count = cells;
    if (common->mistakes == 0)
        check_cells(sweep, common);
}

int at_cmd_sweep(int argc, char **argv)
{
    struct argp_option options[OWN_OPTIONS + MOST_OPTIONS] = { 0 };
    at_command_line line = {
        .command = "sweep",
        .summary = "Runs a grid of fits, one process a core, each in a folder of its own, and "
                   "gathers what they reached.  Takes fit's options for what all cells share.",
        .examples = "  attest sweep --task pi --grid encoding=none,rpe,urpe,ape --grid n=8,16\n"
                    "  attest sweep --function position --grid n=2,3,4 --grid encoding=none,urpe\n"
                    "  attest sweep --task etp --grid encoding=urpe --grid seed=1,2,3 --resume\n",
        .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_OUT | AT_DRAWS,
        .options = options, .parse = parse, .check = check,
    };
    at_sweep *sweep = calloc(1, sizeof *sweep);
    at_common common;
    at_error err = AT_ERROR_INIT;
    size_t used = 0;
    int status;

    if (sweep == NULL) {
        fputs("attest sweep: out of memory\n", stderr);
        return AT_ENVIRONMENT;
    }
    for (; used < OWN_OPTIONS; used++)
        options[used] = own_options[used];
    for (const struct argp_option *option = at_fit_option_table;
         option->name != NULL && used < OWN_OPTIONS + MOST_OPTIONS - 1; option++)
    {
        options[used] = *option;
        if (option->group >= 4)     /* one screen of help */
            options[used].flags |= OPTION_HIDDEN;
        used++;
    }
    status = at_command_line_parse(&line, argc, argv, &common, sweep);
    if (status == AT_OK) {
        at_interrupt_install();
        status = at_sweep_run(sweep, &common, &err);
        if (status != AT_OK)
            at_report_error(&common, &err);
    }
    at_sweep_clear(sweep);
    free(sweep);
    at_common_clear(&common);
    return status < 0 ? AT_OK : status;
}
