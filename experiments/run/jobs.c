/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of processes: see jobs.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/run/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "attest/core/file.h"

extern char **environ;

/* Names the parent in the environment of what it starts. */
#define PARENT "ATTEST_PARENT"

void at_job_join_parent(void)
{
#ifdef __linux__
    const char *parent = getenv(PARENT);
    long number = parent != NULL ? strtol(parent, NULL, 10) : 0;

    if (number <= 0)
        return;   /* started by hand */
    if (number == (long) getppid())
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (kill((pid_t) number, 0) != 0 && errno == ESRCH)
        raise(SIGKILL);   /* it is gone already */
#endif
}

static double started(const at_job *job)
{
    return -job->seconds;   /* while a job runs, seconds holds minus its start */
}

static unsigned cores_of(const at_job *job, unsigned limit)
{
    unsigned cores = job->cores > 0 ? job->cores : 1;
    return cores < limit ? cores : limit;
}

/* Starts one job: standard input from nowhere, outputs to its files. */
static int start(at_job *job, const char *program, at_error *err)
{
    size_t count = 0;
    while (job->arguments[count] != NULL)
        count++;
    char **argv = calloc(count + 2, sizeof *argv);
    if (argv == NULL)
        return at_error_memory(err, "a command line");
    argv[0] = "attest";
    memcpy(argv + 1, job->arguments, count * sizeof *argv);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const char *files[] = { job->output, job->log };
    for (int k = 0; k < 2; k++)
        posix_spawn_file_actions_addopen(&actions, k == 0 ? STDOUT_FILENO : STDERR_FILENO,
                                         files[k] != NULL ? files[k] : "/dev/null",
                                         O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int fault = posix_spawn(&job->process, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(argv);
    if (fault != 0)
        return at_error_set(err, AT_ENVIRONMENT, "%s cannot be started: %s", job->name, strerror(fault));
    job->seconds = -at_now();
    return AT_OK;
}

/* The words that decide a job's result, a line each, below its status and seconds; NULL when out
 * of memory. */
static char *record_text(const at_job *job)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    fprintf(stream, "%d %.3f\n", job->status, job->seconds);
    for (char **word = job->arguments; *word != NULL; word++) {
        if (strcmp(*word, "--threads") == 0 && word[1] != NULL)
            word++;
        else if (strcmp(*word, "--resume") != 0 && strcmp(*word, "--force") != 0)
            fprintf(stream, "%s\n", *word);
    }
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

bool at_job_recall(at_job *job)
{
    char *stored = NULL, *own = record_text(job);
    size_t size;
    bool same = false;
    if (own != NULL && job->record != NULL
        && at_file_read(&stored, &size, job->record, (size_t) 1 << 20, NULL) == AT_OK) {
        const char *words = strchr(stored, '\n'), *own_words = strchr(own, '\n');
        int status;
        double seconds;
        same = words != NULL && strcmp(words, own_words) == 0
               && sscanf(stored, "%d %lf", &status, &seconds) == 2;
        if (same) {
            job->done = true;
            job->status = status;
            job->seconds = seconds;
        }
    }
    free(stored);
    free(own);
    return same;
}

/* A record that cannot be written only costs a repetition. */
static void record(const at_job *job)
{
    char *text = job->record != NULL ? record_text(job) : NULL;
    if (job->record != NULL
        && (text == NULL || at_file_write(job->record, text, strlen(text), NULL) != AT_OK))
        unlink(job->record);
    free(text);
}

/* Collects the jobs that have ended; returns the cores that they leave. */
static unsigned collect(at_job *jobs, size_t count, unsigned limit, size_t *ended)
{
    unsigned freed = 0;
    for (size_t k = 0; k < count; k++) {
        int status;
        if (jobs[k].process <= 0 || jobs[k].done || waitpid(jobs[k].process, &status, WNOHANG) <= 0)
            continue;
        jobs[k].status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        jobs[k].seconds = at_now() - started(&jobs[k]);
        /* What our interrupt ended, whether it listens to interrupts or not, has not run. */
        jobs[k].done = !(at_interrupted() && jobs[k].status >= AT_INTERRUPTED);
        jobs[k].process = 0;
        if (!at_interrupted())
            record(&jobs[k]);
        freed += cores_of(&jobs[k], limit);
        (*ended)++;
    }
    return freed;
}

/* A terminal's interrupt reaches the whole group, so the jobs may have had that signal already, and
 * a second one of a kind would end them at once: they get the other kind. */
static void signal_all(const at_job *jobs, size_t count, int number)
{
    for (size_t k = 0; k < count; k++)
        if (jobs[k].process > 0)
            kill(jobs[k].process, number);
}

/* The first job that has not begun and waits for no other one; NULL when there is none, or when the
 * free cores are too few for it: later jobs do not overtake it, or it might never have its cores. */
static at_job *next_job(at_job *jobs, size_t count, unsigned free_cores, unsigned limit)
{
    for (size_t k = 0; k < count; k++) {
        at_job *job = &jobs[k];
        if (job->done || job->process > 0 || (job->after != NULL && !job->after->done))
            continue;
        return cores_of(job, limit) <= free_cores ? job : NULL;
    }
    return NULL;
}

int at_jobs_run(at_job *jobs, size_t count, unsigned cores, at_progress *progress, at_error *err)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return at_error_set(err, AT_ENVIRONMENT, "/proc/self/exe: %s", strerror(errno));
    program[length] = '\0';
    char own[32];
    snprintf(own, sizeof own, "%ld", (long) getpid());
    if (setenv(PARENT, own, 1) != 0)
        return at_error_memory(err, "the environment");
    size_t ended = 0, begun = 0, earlier = 0;
    const char *latest = NULL;
    at_job *job;
    unsigned free_cores = cores > 0 ? cores : 1;
    const unsigned limit = free_cores;
    int status = AT_OK;
    bool told = false;
    for (size_t k = 0; k < count; k++)
        earlier += jobs[k].done;
    if (progress != NULL)
        at_progress_resume(progress, earlier);
    for (;;) {
        while (status == AT_OK && !at_interrupted()
               && (job = next_job(jobs, count, free_cores, limit)) != NULL) {
            status = start(job, program, err);
            if (status == AT_OK) {
                free_cores -= cores_of(job, limit);
                latest = job->name;
                begun++;
            }
        }
        free_cores += collect(jobs, count, limit, &ended);
        if (progress != NULL)
            at_progress_update(progress, earlier + ended, latest);
        if (ended == begun && (status != AT_OK || at_interrupted()
                               || next_job(jobs, count, free_cores, limit) == NULL))
            return status;
        if (at_interrupted() && !told) {
            signal_all(jobs, count, at_interrupt_other());
            told = true;
        }
        usleep(20000);
    }
}
