/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command's options as lines that programs read: see options.h. */
#include <stdbool.h>
#include <string.h>

#include "attest/experiments/cli/commands.h"
#include "attest/experiments/cli/lists.h"
#include "attest/experiments/cli/options.h"

static void print_option(FILE *out, const char *command, const struct argp_option *option)
{
    const char letter[2] = { option->key > ' ' && option->key < 127 ? (char) option->key : '\0' };
    const char *name = option->name != NULL ? option->name : "";
    const char *kind = at_list_of_option(command, name);

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
            at_command_find(line->command)->summary, line->summary);
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
