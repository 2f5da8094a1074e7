/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the program's commands: one line a command, one cmd_NAME.c behind it. */
#ifndef ATTEST_EXPERIMENTS_CLI_COMMANDS_H
#define ATTEST_EXPERIMENTS_CLI_COMMANDS_H

/* argv[0] is "attest NAME", for argp; argv[1] ... argv[argc - 1] are the command's own
 * arguments.  Returns the exit status of the program (enum at_status). */
typedef int (*at_command_run)(int argc, char **argv);

typedef struct {
    const char *name;       /* as typed */
    const char *summary;    /* half a line for `attest --help`, no full stop */
    at_command_run run;
} at_command;

/* In the order of `attest --help`; ends with an entry whose name is NULL. */
extern const at_command at_commands[];

/* The entry called name, or NULL. */
const at_command *at_command_find(const char *name);

/* The entry whose name is nearest to a mistyped one, or NULL where none is near. */
const at_command *at_command_nearest(const char *name);

/* Each is in a cmd_NAME.c. */
#define AT_COMMAND(command, summary) int at_cmd_##command(int argc, char **argv);
#include "attest/experiments/cli/commands.def"
#undef AT_COMMAND

#endif
