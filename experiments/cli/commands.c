/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the program's commands, and the search in it. */
#include "attest/experiments/cli/commands.h"

#include <stddef.h>
#include <string.h>

#include "attest/core/tables.h"

const at_command at_commands[] = {
#define AT_COMMAND(command, summary) { #command, summary, at_cmd_##command },
#include "attest/experiments/cli/commands.def"
#undef AT_COMMAND
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
