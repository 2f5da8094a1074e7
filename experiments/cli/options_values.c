/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of options: numbers, names, formulas.  See options.h. */
#include "attest/experiments/cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/tables.h"

/* Whole numbers only: "1e3", "+5", " 5" and "5x" are mistakes, not guesses. */
static bool read_unsigned(const char *text, unsigned long long *value)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

void at_option_size(at_common *common, const char *option, const char *text, size_t lowest,
                    size_t highest, size_t *value)
{
    unsigned long long number;
    if (!read_unsigned(text, &number) || number < lowest || number > highest)
        at_mistake(common, "%s takes a whole number from %zu to %zu, not '%s'", option, lowest,
                   highest, text);
    else
        *value = (size_t) number;
}

void at_option_seed(at_common *common, const char *option, const char *text, uint64_t *value)
{
    unsigned long long number;
    if (!read_unsigned(text, &number) || number > INT64_MAX)
        at_mistake(common, "%s takes a whole number below 2^63, not '%s'", option, text);
    else
        *value = number;
}

void at_option_double(at_common *common, const char *option, const char *text, double lowest,
                      double highest, double *value)
{
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || !(number >= lowest && number <= highest))
        at_mistake(common, "%s takes a number from %g to %g, not '%s'", option, lowest, highest,
                   text);
    else
        *value = number;
}

void at_option_name(at_common *common, const char *option, const char *text,
                    const char *const *names, size_t count, int *value)
{
    for (size_t k = 0; k < count; k++)
        if (names[k] != NULL && strcmp(names[k], text) == 0) {
            *value = (int) k;
            return;
        }
    const char *nearest = at_nearest(text, names, count);
    if (nearest != NULL) {
        at_mistake(common, "%s '%s' is not known; did you mean '%s'?", option, text, nearest);
        return;
    }
    char list[512] = "";
    for (size_t k = 0; k < count; k++)
        if (names[k] != NULL && strlen(list) + strlen(names[k]) + 2 < sizeof list) {
            strcat(list, " ");
            strcat(list, names[k]);
        }
    at_mistake(common, "%s '%s' is not known; it is one of:%s", option, text, list);
}

void at_option_encoding(at_common *common, const char *option, const char *text, int *value)
{
    const char *names[2 * AT_ENC_COUNT];  /* and aliases, which may be the nearest */
    int found = at_encoding_find(text);

    for (size_t k = 0; k < AT_ENC_COUNT; k++) {
        names[k] = at_encodings[k].name;
        names[AT_ENC_COUNT + k] = at_encodings[k].alias;
    }
    const char *nearest = at_nearest(text, names, 2 * AT_ENC_COUNT);
    if (found >= 0)
        *value = found;
    else if (nearest != NULL)
        at_mistake(common, "%s '%s' is not known; did you mean '%s'?", option, text, nearest);
    else
        at_option_name(common, option, text, names, AT_ENC_COUNT, value);
}

void at_note_indices(const at_common *common, const at_seqfun *function, size_t n)
{
    char indices[80];
    long low, high;

    if (common->quiet || !at_seqfun_misses(function, n, &low, &high))
        return;
    if (low == high)
        snprintf(indices, sizeof indices, "x[%ld]", low);
    else
        snprintf(indices, sizeof indices, "x[%ld] to x[%ld]", low, high);
    fprintf(stderr, "attest %s: note: the formula reads %s, which %s 0 for every i: the tokens are "
            "x[1] to x[%zu]\n", common->command, indices, low == high ? "is" : "are", n);
}
