/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges by name and as text. */
#include "attest/theory/claim/quantifier.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const at_range *at_claim_range(const at_claim *claim, const char *name)
{
    for (const at_range *r = claim->ranges; r != NULL && r->name != NULL; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

/* ---- Text ------------------------------------------------------------------ */

/* printf at the end of a buffer that may be NULL; returns the length of the text. */
static size_t range_text(char *out, size_t room, const at_range *r)
{
    int length;
    if (r->text != NULL)
        length = snprintf(out, room, "%s", r->text);
    else if (r->size)
        length = snprintf(out, room, "%s = %s..%s", r->name, r->low, r->high);
    else if (r->low != NULL && r->high != NULL)
        length = snprintf(out, room, "%s %s %s <= %s", r->low, r->open ? "<" : "<=", r->name,
                          r->high);
    else if (r->low != NULL)
        length = snprintf(out, room, "%s %s %s", r->name, r->open ? ">" : ">=", r->low);
    else if (r->high != NULL)
        length = snprintf(out, room, "%s <= %s", r->name, r->high);
    else
        length = snprintf(out, room, "any %s", r->name);
    return length < 0 ? 0 : (size_t) length;
}

/* The range whose "{name}" starts at text; NULL: none does. */
static const at_range *range_at(const at_claim *claim, const char *text)
{
    if (*text != '{')
        return NULL;
    for (const at_range *r = claim->ranges; r != NULL && r->name != NULL; r++) {
        size_t length = strlen(r->name);
        if (strncmp(text + 1, r->name, length) == 0 && text[length + 1] == '}')
            return r;
    }
    return NULL;
}

char *at_claim_statement(const at_claim *claim)
{
    const char *text = claim->statement != NULL ? claim->statement : "";
    size_t length = strlen(text) + 1;
    for (const char *c = text; *c != '\0'; c++)
        if (range_at(claim, c) != NULL)
            length += range_text(NULL, 0, range_at(claim, c));
    char *whole = malloc(length), *end = whole;
    if (whole == NULL)
        return NULL;
    while (*text != '\0') {
        const at_range *r = range_at(claim, text);
        if (r == NULL) {
            *end++ = *text++;
            continue;
        }
        end += range_text(end, length - (size_t) (end - whole), r);
        text += strlen(r->name) + 2;
    }
    *end = '\0';
    return whole;
}
