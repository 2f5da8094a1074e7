/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A corpus being built, document by document (text.c for text_read.c). */
#ifndef ATTEST_NUMERIC_TEXT_BUILD_H
#define ATTEST_NUMERIC_TEXT_BUILD_H

#include "attest/numeric/text/text.h"

typedef struct { char *text; uint32_t number; } at_text_entry;

typedef struct {
    at_corpus *corpus;
    at_corpus_limits limits;
    size_t skip;              /* documents still to leave out */
    void *tree;               /* of <search.h>, on entries */
    at_text_entry **entries;  /* in the order of first sight */
    size_t entry_count, entry_space;
    char *key;
    size_t key_space, used, seen;
    bool out_of_memory;
} at_text_builder;

void at_text_builder_init(at_text_builder *b, at_corpus *corpus, const at_corpus_limits *limits);
/* True when as many documents as asked for are there. */
bool at_text_full(const at_text_builder *b);
/* One document: kept, or counted as empty or invalid.  text is overwritten. */
int at_text_add(at_text_builder *b, char *text, size_t length, bool split, int label, size_t line,
                at_error *err) AT_MUST_CHECK;
/* Numbers the words and frees the builder; with a status other than AT_OK clears the corpus. */
int at_text_builder_finish(at_text_builder *b, int status, at_error *err) AT_MUST_CHECK;

#endif
