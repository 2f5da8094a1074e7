/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of CSV (RFC 4180) and TSV (record.c for table.c). */
#ifndef ATTEST_NUMERIC_TEXT_RECORD_H
#define ATTEST_NUMERIC_TEXT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

/* One record; its fields lie in bytes one behind the other, without quotes. */
typedef struct {
    char *bytes;
    size_t length, space;
    size_t *end;              /* where each field ends in bytes */
    size_t fields, field_space;
    size_t line;              /* where it begins, 0 at the end of the file */
    bool quoted, closed;      /* inside quotes; after the closing one */
    bool any_quoted;
} at_record;

/* Adds one line to r, which goes on with the next line while r->quoted; *problem is NULL, or what is
 * wrong.  False: out of memory. */
bool at_record_line(at_record *r, char separator, const char *line, size_t length, const char **problem);
const char *at_record_field(const at_record *r, size_t k, size_t *length);
/* Empty, its room kept; and freed. */
void at_record_empty(at_record *r);
void at_record_clear(at_record *r);

#endif
