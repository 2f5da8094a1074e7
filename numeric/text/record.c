/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of CSV and TSV cut into fields (see record.h). */
#include "attest/numeric/text/record.h"

#include <stdlib.h>
#include <string.h>

static bool put(at_record *r, char c)
{
    if (r->length == r->space) {
        char *larger = realloc(r->bytes, 2 * r->space + 4096);
        if (larger == NULL)
            return false;
        r->bytes = larger;
        r->space = 2 * r->space + 4096;
    }
    r->bytes[r->length++] = c;
    return true;
}

static bool end_field(at_record *r)
{
    if (r->fields == r->field_space) {
        size_t *larger = realloc(r->end, (2 * r->field_space + 8) * sizeof *larger);
        if (larger == NULL)
            return false;
        r->end = larger;
        r->field_space = 2 * r->field_space + 8;
    }
    r->end[r->fields++] = r->length;
    r->closed = false;
    return true;
}

/* One line of a CSV record; *problem is NULL, or what is wrong with it.  False: out of memory. */
static bool csv_line(at_record *r, char separator, const char *line, size_t length,
                     const char **problem)
{
    *problem = NULL;
    for (size_t k = 0; k < length; k++) {
        char c = line[k];
        size_t begin = r->fields > 0 ? r->end[r->fields - 1] : 0;
        if (r->quoted && c == '"' && k + 1 < length && line[k + 1] == '"')
            k++;   /* a doubled quote is one quote */
        else if (r->quoted && c == '"') {
            r->quoted = false;
            r->closed = true;
            continue;
        } else if (!r->quoted && c == separator) {
            if (!end_field(r))
                return false;
            continue;
        } else if (!r->quoted && c == '"' && r->length == begin && !r->closed) {
            r->quoted = r->any_quoted = true;
            continue;
        } else if (r->closed) {
            *problem = "text after a closing quote; double the quotes inside a quoted text";
            return true;
        }
        if (!put(r, c))
            return false;
    }
    return r->quoted ? put(r, '\n') : end_field(r);
}

/* A field of a TSV line.  Quotes surround it only when the closing one, neither doubled nor behind a
 * backslash, is its last byte: SST-2's texts have quotes of their own. */
static bool tsv_field(at_record *r, const char *bytes, size_t length)
{
    size_t begin = r->length, k = 1;

    if (length >= 2 && bytes[0] == '"') {
        while (k < length) {
            bool pair = k + 1 < length && bytes[k + 1] == '"' && (bytes[k] == '"' || bytes[k] == '\\');
            if (bytes[k] == '"' && !pair)
                break;
            if (!put(r, pair ? '"' : bytes[k]))
                return false;
            k += pair ? 2 : 1;
        }
        if (k == length - 1) {
            r->any_quoted = true;
            return end_field(r);
        }
        r->length = begin;
    }
    for (k = 0; k < length; k++)
        if (!put(r, bytes[k]))
            return false;
    return end_field(r);
}

static bool tsv_line(at_record *r, const char *line, size_t length)
{
    for (;;) {
        const char *tab = memchr(line, '\t', length);
        size_t size = tab != NULL ? (size_t) (tab - line) : length;
        if (!tsv_field(r, line, size))
            return false;
        if (tab == NULL)
            return true;
        line = tab + 1;
        length -= size + 1;
    }
}

const char *at_record_field(const at_record *r, size_t k, size_t *length)
{
    size_t begin = k > 0 ? r->end[k - 1] : 0;

    *length = r->end[k] - begin;
    return r->bytes != NULL ? r->bytes + begin : "";   /* all fields so far are empty */
}

bool at_record_line(at_record *r, char separator, const char *line, size_t length, const char **problem)
{
    *problem = NULL;
    return separator == '\t' ? tsv_line(r, line, length) : csv_line(r, separator, line, length, problem);
}

void at_record_empty(at_record *r)
{
    r->length = r->fields = r->line = 0;
    r->quoted = r->closed = r->any_quoted = false;
}

void at_record_clear(at_record *r)
{
    free(r->bytes);
    free(r->end);
    *r = (at_record) { 0 };
}
