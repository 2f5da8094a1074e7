/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes and error text: see error.h. */
#include "attest/core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int at_error_set(at_error *err, int status, const char *format, ...)
{
    if (err != NULL) {
        char text[sizeof err->text];   /* an argument may be err->text itself */
        va_list arguments;
        err->status = status;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        strcpy(err->text, text);
    }
    return status;
}

void at_error_prefix(at_error *err, const char *format, ...)
{
    char prefix[sizeof err->text], joined[2 * sizeof err->text];
    va_list arguments;
    if (err == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    snprintf(joined, sizeof joined, "%s%s", prefix, err->text);
    joined[sizeof err->text - 1] = '\0';
    strcpy(err->text, joined);
}

int at_error_memory(at_error *err, const char *what)
{
    return at_error_set(err, AT_ENVIRONMENT, "out of memory: %s does not fit", what);
}
