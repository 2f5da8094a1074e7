/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mistake in a command line, kept until all are known. */
#define _GNU_SOURCE 1
#include "attest/experiments/cli/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A mistake quotes what it got.  Of a quotation without end the middle is left out, so that the
 * option's name before it and the remedy behind it stay in sight. */
static void shorten(char *text, size_t length)
{
    enum { HEAD = 300, TAIL = 200 };
    static const char gap[] = " [...] ";
    if (length <= HEAD + TAIL + sizeof gap)
        return;
    size_t head = HEAD, tail = length - TAIL;
    while (((unsigned char) text[head] & 0xC0) == 0x80)    /* not inside a character of UTF-8 */
        head--;
    while (((unsigned char) text[tail] & 0xC0) == 0x80)
        tail++;
    memcpy(text + head, gap, sizeof gap - 1);
    memmove(text + head + sizeof gap - 1, text + tail, length - tail + 1);
}

void at_mistake(at_common *common, const char *format, ...)
{
    char *text = NULL, *joined = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    common->mistakes++;
    if (length < 0)
        return;
    shorten(text, (size_t) length);
    if (asprintf(&joined, "%sattest %s: %s\n", common->mistake_text ? common->mistake_text : "",
                 common->command, text) >= 0) {
        free(common->mistake_text);
        common->mistake_text = joined;
    }
    free(text);
}
