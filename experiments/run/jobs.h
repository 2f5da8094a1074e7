/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of this program's own processes, one a core.
 *
 * `reproduce` and `sweep` are made of commands that a person could type one by one; each runs as a
 * process of its own, so that a failure of one is a line in the report and not the end of the
 * others, and each part's memory is its own. */
#ifndef ATTEST_EXPERIMENTS_RUN_JOBS_H
#define ATTEST_EXPERIMENTS_RUN_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "attest/core/error.h"
#include "attest/experiments/cli/progress.h"

typedef struct at_job {
    const char *name;       /* for progress and messages */
    char **arguments;       /* "fit", "--task", …, NULL; the program's name is not among them */
    const char *output;     /* file for standard output, NULL: discarded */
    const char *log;        /* file for standard error, NULL: discarded */
    const char *record;     /* file that keeps how the job ended, or NULL */
    unsigned cores;         /* that it keeps busy; 0 counts as 1 */
    const struct at_job *after;   /* an earlier job that must have ended first, or NULL */
    /* Results */
    bool done;
    int status;             /* exit status; 128 + signal where one ended it */
    double seconds;
    pid_t process;          /* while it runs */
} at_job;

/* Takes up what an earlier run recorded: done, status, seconds.  False when there is no record, or
 * one of another command; --resume, --force and --threads make no other command. */
bool at_job_recall(at_job *job);

/* Runs all jobs that are not done, at most `cores` cores at a time, in their order, but that
 * one which waits for an earlier job lets the others pass.  After an
 * interrupt the running ones are interrupted too and no more are started (their done stays false).
 * When this process is killed, so are they.  progress may be NULL.
 * AT_ENVIRONMENT when a process cannot be made; a job's own failure is only in its status. */
int at_jobs_run(at_job *jobs, size_t count, unsigned cores, at_progress *progress, at_error *err) AT_MUST_CHECK;

/* In a process that at_jobs_run started: from now on it ends with the process that started it. */
void at_job_join_parent(void);

#endif
