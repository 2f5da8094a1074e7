/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the program's commands, and the search in it. */
#include "experiments/commands.h"

#include <stddef.h>
#include <string.h>

const at_command at_commands[] = {
    {NULL, NULL, NULL}
};

const at_command *at_command_find(const char *name)
{
    for (const at_command *command = at_commands; command->name != NULL; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* Letters to insert, delete or replace to turn a into b; b is at most 63 letters. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64];
    size_t width = strlen(b);

    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[width];
}

const at_command *at_command_nearest(const char *name)
{
    const at_command *nearest = NULL;
    size_t least = 3;   /* more than two mistakes are another word */

    for (const at_command *command = at_commands; command->name != NULL; command++) {
        size_t distance = edit_distance(name, command->name);

        if (distance < least) {
            least = distance;
            nearest = command;
        }
    }
    return nearest;
}
