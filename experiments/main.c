/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program: finds the command on its command line and runs it. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>

#include "attest/core/error.h"
#include "attest/core/version.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/run/jobs.h"
#include "attest/experiments/cli/lists.h"
#include "attest/experiments/cli/progress.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/kernels/kernels.h"
#include "attest/theory/flint/version.h"

static void print_help(FILE *stream)
{
    fputs("Usage: attest COMMAND [OPTION...]\n"
          "Checks theorems about Transformers: exactly, with certified bounds, and by experiment.\n"
          "\nCommands:\n", stream);
    for (const at_command *command = at_commands; command->name != NULL; command++)
        fprintf(stream, "  %-10s  %s\n", command->name, command->summary);
    fputs("\n`attest COMMAND --help` shows a command's options with examples;\n"
          "`attest --version` the versions of attest and of its libraries;\n"
          "`attest --list KIND` the names that options take (encodings, claims, ...).\n"
          "\nExit status: 0 all as expected, 1 a verdict other than expected or a check failed,\n"
          "2 wrong usage, 3 bad input, 4 the environment failed, 128 + signal interrupted.\n", stream);
}

/* The program, then a line for each library on which a number may depend. */
static void print_version(FILE *stream)
{
    fprintf(stream, "attest %s\n%s\nGSL %s\nBLAS %s\nBLAS kernel %s\nkernels %s\n", at_version(),
            at_flint_version(), gsl_version, at_blas_name(),
            at_blas_kernel() != NULL ? at_blas_kernel() : "unknown", at_isa_name(at_isa_in_use()));
}

/* FLINT and GMP call abort() when memory is short or a number outgrows them, after a message of
 * their own.  To the caller that is a failed environment, not a crash. */
static void on_abort(int signal_number)
{
    static const char text[] = "attest: a library could not go on (its message is above)\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);

    (void) signal_number;
    (void) written;
    _exit(AT_ENVIRONMENT);
}

static volatile sig_atomic_t at_work = 1;    /* until main is about to return */

/* The program itself never exits from within; OpenMP does so, with status 1, where the system
 * refuses it a thread. */
static void on_exit_from_within(void)
{
    if (at_work)
        on_abort(0);
}

/* What a library does upon an error is the program's choice, made once, here. */
static void take_over_errors(void)
{
    signal(SIGABRT, on_abort);
    atexit(on_exit_from_within);
    gsl_set_error_handler_off();
}

/* A closed descriptor 0, 1 or 2 would be the next file's that is opened, and a message would go
 * into that file.  Each is opened the wrong way round, so that using it still fails and is said. */
static void open_standard_streams(void)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };

    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", modes[descriptor]) != descriptor)
            _exit(AT_ENVIRONMENT);
}

/* What was written to stdout must have arrived: a full disk is an error of the environment. */
static int finish(int status)
{
    if (status == AT_INTERRUPTED)
        status += at_interrupt_signal();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (status != AT_ENVIRONMENT)    /* else the command has said it */
            fputs("attest: cannot write to the standard output\n", stderr);
        return AT_ENVIRONMENT;
    }
    return status;
}

/* A level of kernels that there is not would change what is computed, so nothing is. */
static int check_kernels(void)
{
    at_error err = AT_ERROR_INIT;
    enum at_isa isa;
    int status = at_isa_choose(&isa, &err);

    if (status != AT_OK)
        fprintf(stderr, "attest: %s\n", err.text);
    return status;
}

static int run_command(const at_command *command, int argc, char **argv)
{
    char name[64];

    snprintf(name, sizeof name, "attest %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    const at_command *command;
    int status;

    if (argc < 2) {
        print_help(stderr);
        return AT_USAGE;
    }
    /* `attest help COMMAND`, as git has it. */
    if (argc > 2 && strcmp(argv[1], "help") == 0) {
        static char help[] = "--help";

        argv[1] = argv[2];
        argv[2] = help;
        argc = 3;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
        || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return finish(AT_OK);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        status = check_kernels();
        if (status == AT_OK)
            print_version(stdout);
        return finish(status);
    }
    if (argc > 3 && strcmp(argv[1], "--list") == 0) {
        fprintf(stderr, "attest: --list takes one kind, not '%s' too\n", argv[3]);
        return AT_USAGE;
    }
    if (strcmp(argv[1], "--list") == 0)
        return finish(at_print_list(stdout, argv[2]));
    command = at_command_find(argv[1]);
    if (command == NULL) {
        const at_command *nearest = at_command_nearest(argv[1]);

        fprintf(stderr, "attest: there is no command '%s'", argv[1]);
        if (nearest != NULL)
            fprintf(stderr, "; did you mean '%s'?", nearest->name);
        fputs("\nTry 'attest --help'.\n", stderr);
        return AT_USAGE;
    }
    status = check_kernels();
    return finish(status == AT_OK ? run_command(command, argc - 1, argv + 1) : status);
}

int main(int argc, char **argv)
{
    int status;

    open_standard_streams();
    take_over_errors();
    at_job_join_parent();
    status = dispatch(argc, argv);
    at_work = 0;
    return status;
}
