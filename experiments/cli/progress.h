/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of long work on standard error, and the interrupt flag.
 *
 * On a terminal: a bar with the rate and the time left, redrawn at most ten
 * times a second.  Elsewhere: a plain line every 30 seconds.  --quiet: nothing. */
#ifndef ATTEST_EXPERIMENTS_CLI_PROGRESS_H
#define ATTEST_EXPERIMENTS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *label, *unit;  /* "fit", "steps" */
    size_t total, done, first; /* first: done before this process began */
    bool quiet, terminal, drawn;
    double start, last;        /* seconds, monotonic */
} at_progress;

void at_progress_start(at_progress *progress, const char *label, const char *unit, size_t total,
                       bool quiet);
/* After a start: done were made by an earlier process, and say nothing of this one's rate. */
void at_progress_resume(at_progress *progress, size_t done);
/* done of total; note (NULL: none) is a short word on the state, such as "loss 0.34".
 * One thread at a time. */
void at_progress_update(at_progress *progress, size_t done, const char *note);
/* Removes the bar, so that the next output starts on a clean line. */
void at_progress_finish(at_progress *progress);

/* Seconds on the monotonic clock. */
double at_now(void);

/* After at_interrupt_install, SIGINT, SIGTERM and SIGHUP (unless ignored) only set a flag that long
 * loops read: they end cleanly with what they have, and with AT_INTERRUPTED.  A second signal of the
 * kind ends the process at once. */
void at_interrupt_install(void);
bool at_interrupted(void);
/* The signal that interrupted, 0: none did. */
int at_interrupt_signal(void);
/* One of SIGINT and SIGTERM that did not interrupt. */
int at_interrupt_other(void);

#endif
