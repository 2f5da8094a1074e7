/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal numbers as fractions in lowest terms, on strings of digits. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/seqfun_impl.h"

/* Divides the decimal number in place; false (and untouched) when there is a remainder. */
static bool divide_decimal(char *digits, unsigned divisor)
{
    unsigned remainder = 0;

    for (const char *d = digits; *d != '\0'; d++)
        remainder = (remainder * 10 + (unsigned) (*d - '0')) % divisor;
    if (remainder != 0)
        return false;
    for (char *d = digits; *d != '\0'; d++) {
        unsigned part = remainder * 10 + (unsigned) (*d - '0');

        *d = (char) ('0' + part / divisor);
        remainder = part % divisor;
    }
    return true;
}

static const char *without_zeros(const char *digits)
{
    while (digits[0] == '0' && digits[1] != '\0')
        digits++;
    return digits;
}

char *at_decimal_reduce(char *p, size_t places)
{
    char q[AT_MOST_DIGITS + 2] = "1";
    char *text;
    size_t size;

    memset(q + 1, '0', places);
    q[1 + places] = '\0';
    for (unsigned prime = 2; prime <= 5; prime += 3)
        for (size_t k = 0; k < places && divide_decimal(p, prime); k++)
            divide_decimal(q, prime);
    size = strlen(p) + strlen(q) + 2;
    text = malloc(size);
    if (text == NULL)
        return NULL;
    strcpy(text, without_zeros(p));
    if (strcmp(without_zeros(q), "1") != 0 && strcmp(text, "0") != 0) {
        strcat(text, "/");
        strcat(text, without_zeros(q));
    }
    return text;
}
