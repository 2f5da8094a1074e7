/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress and interrupts: see progress.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

double at_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void on_signal(int number)
{
    if (interrupted == 0)
        interrupted = number;
    signal(number, SIG_DFL);
}

void at_interrupt_install(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    /* A hangup that the caller ignores stays ignored: that is how nohup works. */
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k] != SIGHUP
            || (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
            sigaction(numbers[k], &action, NULL);
}

bool at_interrupted(void)
{
    return interrupted != 0;
}

int at_interrupt_signal(void)
{
    return interrupted;
}

int at_interrupt_other(void)
{
    return interrupted == SIGINT ? SIGTERM : SIGINT;
}

void at_progress_start(at_progress *progress, const char *label, const char *unit, size_t total,
                       bool quiet)
{
    *progress = (at_progress) { .label = label, .unit = unit, .total = total, .quiet = quiet };
    progress->terminal = isatty(STDERR_FILENO);
    progress->start = progress->last = at_now();
}

void at_progress_resume(at_progress *progress, size_t done)
{
    progress->first = progress->done = done;
}

/* "75 s", "12 min", "3.4 h": two digits are all that an estimate is worth. */
static void duration(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

static void draw(const at_progress *progress, double now, const char *note)
{
    char left[32] = "?", bar[21];
    double elapsed = now - progress->start;
    double share = progress->total > 0 ? (double) progress->done / (double) progress->total : 0;
    double rate = elapsed > 0 ? (double) (progress->done - progress->first) / elapsed : 0;
    if (rate > 0 && progress->total >= progress->done)
        duration(left, sizeof left, (double) (progress->total - progress->done) / rate);
    size_t filled = share < 1 ? (size_t) (20 * share) : 20;
    memset(bar, '.', 20);
    memset(bar, '#', filled);
    bar[20] = '\0';
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%s [%s] %zu/%zu %s, %.3g/s, %s left%s%s", progress->label, bar,
                progress->done, progress->total, progress->unit, rate, left, note ? ", " : "",
                note ? note : "");
    else
        fprintf(stderr, "%s: %zu of %zu %s, %.3g/s, %s left%s%s\n", progress->label, progress->done,
                progress->total, progress->unit, rate, left, note ? ", " : "", note ? note : "");
}

void at_progress_update(at_progress *progress, size_t done, const char *note)
{
    progress->done = done;
    if (progress->quiet)
        return;
    double now = at_now();
    if (now - progress->last < (progress->terminal ? 0.1 : 30))
        return;
    progress->last = now;
    progress->drawn = true;
    draw(progress, now, note);
}

void at_progress_finish(at_progress *progress)
{
    if (progress->terminal && progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
