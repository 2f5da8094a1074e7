/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the program's commands, and the search in it. */
#include "attest/experiments/cli/commands.h"

#include <stddef.h>
#include <string.h>

#include "attest/core/tables.h"

const at_command at_commands[] = {
    {"claims", "the claims of both papers and what is expected of them", at_cmd_claims},
    {"verify", "decides the claims", at_cmd_verify},
    {"floor", "the certified floor that no collapsing model can beat", at_cmd_floor},
    {"fit", "fits one model to a task or a function", at_cmd_fit},
    {"energy", "documents through energy layers, each step decided", at_cmd_energy},
    {"eval", "loss and accuracy of a stored model, ours or PyTorch's", at_cmd_eval},
    {"gradcheck", "analytic gradients against finite differences, for each layer kind",
     at_cmd_gradcheck},
    {"sweep", "a grid of fits, one process a core", at_cmd_sweep},
    {"plot", "draws the figures of runs again", at_cmd_plot},
    {"reproduce", "everything, to one folder with a report", at_cmd_reproduce},
    {"bench", "this machine: training, energy layers, exact arithmetic", at_cmd_bench},
    {NULL, NULL, NULL}
};

const at_command *at_command_find(const char *name)
{
    for (const at_command *command = at_commands; command->name != NULL; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

const at_command *at_command_nearest(const char *name)
{
    const char *names[sizeof at_commands / sizeof *at_commands] = { NULL };
    size_t count = 0;

    for (const at_command *command = at_commands; command->name != NULL; command++)
        names[count++] = command->name;
    const char *nearest = at_nearest(name, names, count);
    return nearest != NULL ? at_command_find(nearest) : NULL;
}
