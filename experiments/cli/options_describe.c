/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command's options as lines that programs read: see options.h. */
#include <stdbool.h>
#include <string.h>

#include "attest/experiments/cli/options.h"

/* Options and the lists of their values; without a command, in every command. */
static const struct { const char *command, *option, *kind; } takers[] = {
    { NULL, "activation", "activations" }, { NULL, "class", "classes" },
    { NULL, "encoding", "encodings" }, { "energy", "figure", "energy-figures" },
    { "plot", "figure", "figures" }, { NULL, "function", "functions" },
    { NULL, "only", "parts" }, { NULL, "optimizer", "optimizers" },
    { NULL, "precision", "precisions" }, { "reproduce", "preset", "presets" },
    { NULL, "preset", "sizes" }, { NULL, "rho", "rhos" }, { NULL, "schedule", "schedules" },
    { NULL, "step", "steps" }, { NULL, "tables", "tables" }, { NULL, "task", "tasks" },
    { NULL, "terminal", "terminals" }, { NULL, "weights", "weights" },
};

/* The kind of the names that an option of a command takes ("encoding": "encodings"), or NULL. */
static const char *list_of_option(const char *command, const char *option)
{
    for (size_t k = 0; k < sizeof takers / sizeof *takers; k++)
        if (strcmp(takers[k].option, option) == 0
            && (takers[k].command == NULL || strcmp(takers[k].command, command) == 0))
            return takers[k].kind;
    return NULL;
}

/* The command's line of `attest --help`. */
static const char *brief_of(const char *command)
{
    static const struct { const char *name, *summary; } briefs[] = {
#define AT_COMMAND(command, summary) { #command, summary },
#include "attest/experiments/cli/commands.def"
#undef AT_COMMAND
    };

    for (size_t k = 0; k < sizeof briefs / sizeof *briefs; k++)
        if (strcmp(briefs[k].name, command) == 0)
            return briefs[k].summary;
    return "";
}

static void print_option(FILE *out, const char *command, const struct argp_option *option)
{
    const char letter[2] = { option->key > ' ' && option->key < 127 ? (char) option->key : '\0' };
    const char *name = option->name != NULL ? option->name : "";
    const char *kind = list_of_option(command, name);

    fprintf(out, "option\t%s\t%s\t%s\t%s\t%s\t%s\n", letter, name,
            option->arg != NULL ? option->arg : "",
            (option->flags & OPTION_HIDDEN) != 0 ? "hidden" : "shown", kind != NULL ? kind : "",
            option->doc != NULL ? option->doc : "");
}

void at_command_line_describe(FILE *out, const at_command_line *line,
                              const struct argp_option *options, size_t count)
{
    const char *example = line->examples != NULL ? line->examples : "";

    fprintf(out, "command\t%s\t%s\nbrief\t%s\nsummary\t%s\n", line->command,
            line->arguments != NULL ? line->arguments : "",
            brief_of(line->command), line->summary);
    for (size_t k = 0; k < count; k++)
        print_option(out, line->command, &options[k]);
    for (bool begun = false; *example != '\0';) {
        size_t blanks = strspn(example, " "), length = strcspn(example, "\n");
        bool goes_on = length > 0 && example[length - 1] == '\\';

        /* A line that ends in a backslash goes on in the next, as in a shell. */
        fprintf(out, "%s%.*s%s", begun ? "" : "example\t", (int) (length - blanks - goes_on),
                example + blanks, goes_on ? "" : "\n");
        begun = goes_on;
        example += length + (example[length] == '\n');
    }
}
