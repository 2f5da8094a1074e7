/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to the terminal. */
#include "attest/experiments/cli/text.h"

#include <stdio.h>
#include <string.h>

void at_print_wrapped(const char *text, int indent)
{
    enum { WIDTH = 79 };
    int column = 0;
    while (*text != '\0') {
        int length = (int) strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (column == 0)
            column = printf("%*s%.*s", indent, "", length, text);
        else
            column += printf(" %.*s", length, text);
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    if (column > 0)
        putchar('\n');
}
