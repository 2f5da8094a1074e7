/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of processes: see jobs.h. */
#define _GNU_SOURCE 1
#include "experiments/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"

extern char **environ;

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

bool at_job_recall(at_job *job)
{
    FILE *stream = job->record != NULL ? fopen(job->record, "r") : NULL;
    int status;
    double seconds;
    if (stream == NULL)
        return false;
    bool whole = fscanf(stream, "%d %lf", &status, &seconds) == 2;
    fclose(stream);
    if (whole) {
        job->done = true;
        job->status = status;
        job->seconds = seconds;
    }
    return whole;
}

/* A record that cannot be written only costs a repetition. */
static void record(const at_job *job)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%d %.3f\n", job->status, job->seconds);
    if (job->record != NULL && at_file_write(job->record, text, (size_t) length, NULL) != AT_OK)
        unlink(job->record);
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
        jobs[k].done = true;
        jobs[k].process = 0;
        if (!at_interrupted())
            record(&jobs[k]);
        freed += cores_of(&jobs[k], limit);
        (*ended)++;
    }
    return freed;
}

static void signal_all(const at_job *jobs, size_t count, int number)
{
    for (size_t k = 0; k < count; k++)
        if (jobs[k].process > 0)
            kill(jobs[k].process, number);
}

int at_jobs_run(at_job *jobs, size_t count, unsigned cores, at_progress *progress, at_error *err)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return at_error_set(err, AT_ENVIRONMENT, "/proc/self/exe: %s", strerror(errno));
    program[length] = '\0';
    size_t next = 0, ended = 0, begun = 0;
    unsigned free_cores = cores > 0 ? cores : 1;
    const unsigned limit = free_cores;
    int status = AT_OK;
    bool told = false;
    for (;;) {
        while (status == AT_OK && !at_interrupted() && next < count
               && (jobs[next].done || cores_of(&jobs[next], limit) <= free_cores)) {
            if (jobs[next++].done)
                continue;
            at_job *job = &jobs[next - 1];
            status = start(job, program, err);
            if (status == AT_OK) {
                free_cores -= cores_of(job, limit);
                begun++;
            }
        }
        free_cores += collect(jobs, count, limit, &ended);
        if (progress != NULL)
            at_progress_update(progress, ended, next > 0 ? jobs[next - 1].name : NULL);
        if (ended == begun && (next == count || status != AT_OK || at_interrupted()))
            return status;
        if (at_interrupted() && !told) {
            signal_all(jobs, count, SIGINT);
            told = true;
        }
        usleep(20000);
    }
}
