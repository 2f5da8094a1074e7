/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names: see lists.h. */
#include "attest/experiments/cli/lists.h"

#include <string.h>

#include "attest/core/error.h"
#include "attest/core/seqfun.h"
#include "attest/core/tables.h"
#include "attest/experiments/verify/claims_list.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/energy/figures.h"
#include "attest/numeric/optimize/train.h"
#include "attest/plots/plot.h"

static const char *command_name(size_t k) { return at_commands[k].name; }
static const char *encoding_name(size_t k) { return k < AT_ENC_COUNT ? at_encodings[k].name : NULL; }
static const char *step_name(size_t k) { return k < AT_STEP_COUNT ? at_steps[k].name : NULL; }
static const char *rho_name(size_t k) { return k < AT_RHO_COUNT ? at_rhos[k].name : NULL; }
static const char *task_name(size_t k) { return k < AT_TASK_FUNCTION ? at_tasks[k].name : NULL; }
static const char *optimizer_name(size_t k) { return k < AT_OPT_COUNT ? at_optimizers[k].name : NULL; }
static const char *terminal_name(size_t k) { return at_terminals[k]; }
static const char *figure_name(size_t k) { return at_figures[k].name; }
static const char *energy_figure_name(size_t k) { return at_energy_figures[k].name; }
static const char *schedule_name(size_t k)
{
    return k < AT_SCHEDULE_COUNT ? at_schedule_names[k] : NULL;
}

static const char *claim_name(size_t k)
{
    at_claims_list list;
    at_claims_list_init(&list);
    return k < list.count ? list.claims[k]->id : NULL;
}

/* The names come from a table, or are few and said here, a line each.  tests/usage.sh holds every
 * list against what the options take. */
static const struct {
    const char *kind;
    const char *(*name)(size_t k);
    const char *lines;
} lists[] = {
    { "commands", command_name, NULL },
    { "claims", claim_name, NULL },
    { "encodings", encoding_name, NULL },
    { "steps", step_name, NULL },
    { "rhos", rho_name, NULL },
    { "tasks", task_name, NULL },
    { "functions", at_seqfun_name, NULL },
    { "optimizers", optimizer_name, NULL },
    { "schedules", schedule_name, NULL },
    { "figures", figure_name, NULL },
    { "energy-figures", energy_figure_name, NULL },
    { "terminals", terminal_name, NULL },
    { "activations", NULL, "gelu\nrelu\n" },
    { "classes", NULL, "collapsing\nsymmetric\nequivariant\n" },
    { "parts", NULL, "training\nenergy\nexact\n" },
    { "precisions", NULL, "single\ndouble\n" },
    { "presets", NULL, "quick\nsmall\npaper\n" },
    { "sizes", NULL, "small\npaper\n" },
    { "tables", NULL, "shared\nper-layer\n" },
    { "weights", NULL, "identity\nrandom\ntrained\n" },
};

enum { KINDS = sizeof lists / sizeof *lists };

int at_print_list(FILE *out, const char *kind)
{
    const char *kinds[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        kinds[k] = lists[k].kind;
        if (kind == NULL)
            fprintf(out, "%s\n", lists[k].kind);
        else if (strcmp(kind, lists[k].kind) == 0) {
            if (lists[k].lines != NULL)
                fputs(lists[k].lines, out);
            for (size_t index = 0; lists[k].name != NULL && lists[k].name(index) != NULL; index++)
                fprintf(out, "%s\n", lists[k].name(index));
            return AT_OK;
        }
    }
    if (kind == NULL)
        return AT_OK;
    const char *nearest = at_nearest(kind, kinds, KINDS);
    fprintf(stderr, "attest: there is no list '%s'%s%s%s; attest --list names the lists\n", kind,
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return AT_USAGE;
}
