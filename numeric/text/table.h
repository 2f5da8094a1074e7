/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of documents, CSV or TSV, read by the names of their columns (table.c for read.c). */
#ifndef ATTEST_NUMERIC_TEXT_TABLE_H
#define ATTEST_NUMERIC_TEXT_TABLE_H

#include "attest/core/file.h"
#include "attest/numeric/text/build.h"
#include "attest/numeric/text/record.h"

enum { AT_LONGEST_RECORD = 64 << 20, AT_PEEKED = 2 };

typedef struct {
    at_reader *reader;
    const char *path;
    char separator;
    size_t columns;           /* 0: plain lines */
    size_t text, label;       /* columns; label SIZE_MAX: none */
    char text_name[64], label_name[64];
    bool pretokenised;        /* SST-2's sentences */
    at_record record;
    char *peek[AT_PEEKED];    /* the first lines */
    size_t peek_length[AT_PEEKED], peeked, given;   /* given: how many were handed out again */
} at_table;

/* Looks at the first lines.  columns is 0 when they are no table; AT_INPUT when they look like one
 * and no column is known for its text.  at_table_close whatever comes. */
int at_table_open(at_table *table, at_reader *reader, const char *path, const at_corpus_limits *wanted,
                  at_error *err) AT_MUST_CHECK;
/* Every record behind the names; AT_INPUT as in text.h. */
int at_table_documents(at_table *table, at_text_builder *b, at_error *err) AT_MUST_CHECK;
void at_table_close(at_table *table);

#endif
