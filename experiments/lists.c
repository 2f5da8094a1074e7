/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names: see lists.h. */
#include "experiments/lists.h"

#include <string.h>

#include "core/error.h"
#include "core/seqfun.h"
#include "core/tables.h"
#include "experiments/claims_list.h"
#include "experiments/commands.h"
#include "plots/plot.h"

static const char *command_name(size_t k) { return at_commands[k].name; }
static const char *encoding_name(size_t k) { return k < AT_ENC_COUNT ? at_encodings[k].name : NULL; }
static const char *step_name(size_t k) { return k < AT_STEP_COUNT ? at_steps[k].name : NULL; }
static const char *rho_name(size_t k) { return k < AT_RHO_COUNT ? at_rhos[k].name : NULL; }
static const char *task_name(size_t k) { return k < AT_TASK_FUNCTION ? at_tasks[k].name : NULL; }
static const char *optimizer_name(size_t k) { return k < AT_OPT_COUNT ? at_optimizers[k].name : NULL; }
static const char *terminal_name(size_t k) { return at_terminals[k]; }
static const char *figure_name(size_t k) { return at_figures[k].name; }


static const char *claim_name(size_t k)
{
    at_claims_list list;
    at_claims_list_init(&list);
    return k < list.count ? list.claims[k]->id : NULL;
}

static const struct { const char *kind; const char *(*name)(size_t k); } lists[] = {
    { "commands", command_name }, { "encodings", encoding_name }, { "steps", step_name },
    { "rhos", rho_name }, { "tasks", task_name }, { "optimizers", optimizer_name },
    { "functions", at_seqfun_name }, { "claims", claim_name }, { "terminals", terminal_name }, { "figures", figure_name },
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
            for (size_t index = 0; lists[k].name(index) != NULL; index++)
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
