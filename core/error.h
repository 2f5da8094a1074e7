/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes and error text.
 *
 * Every fallible function of the library returns an `enum at_status` as int
 * and takes an `at_error *err` last.  err may be NULL.  The library never
 * prints and never exits; the program prints err->text once and exits with
 * the status, so the values are the exit statuses of attest(1). */
#ifndef ATTEST_CORE_ERROR_H
#define ATTEST_CORE_ERROR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum at_status {
    AT_OK = 0,          /* all as expected */
    AT_UNEXPECTED = 1,  /* a verdict other than expected, a check failed */
    AT_USAGE = 2,       /* the caller's request makes no sense */
    AT_INPUT = 3,       /* bad input: text names file, line, what was expected */
    AT_ENVIRONMENT = 4, /* memory, disk, a missing program */
    AT_INTERRUPTED = 128 /* incomplete: a signal came, whose number the program adds */
};

typedef struct {
    int status;
    char text[1024];    /* one or more lines, no final newline; always terminated */
} at_error;

#define AT_ERROR_INIT { AT_OK, "" }

#if defined(__GNUC__)
#define AT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define AT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define AT_PRINTF(fmt, args)
#define AT_MUST_CHECK
#endif

/* Stores status and the formatted text in err (when not NULL); returns status,
 * so that callers write `return at_error_set(err, AT_INPUT, "...")`. */
int at_error_set(at_error *err, int status, const char *format, ...) AT_PRINTF(3, 4);

/* Puts a prefix such as "FILE:LINE: " before the text already there. */
void at_error_prefix(at_error *err, const char *format, ...) AT_PRINTF(2, 3);

/* "out of memory" with AT_ENVIRONMENT; what names the thing that did not fit. */
int at_error_memory(at_error *err, const char *what);

#ifdef __cplusplus
}
#endif

#endif
