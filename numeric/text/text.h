/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents: read from a file or folder, cut into tokens, words numbered. */
#ifndef ATTEST_NUMERIC_TEXT_TEXT_H
#define ATTEST_NUMERIC_TEXT_TEXT_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t *start;          /* count + 1: document k is tokens[start[k]] … tokens[start[k+1] − 1] */
    uint32_t *tokens;       /* indices into words */
    int *label;             /* −1: none */
    size_t *line;           /* of the document's beginning in its file, from 1 */
    size_t count;
    char **words;           /* distinct, in the order of strcmp */
    size_t word_count;
    /* What was left out, counted. */
    size_t empty;           /* documents without a token */
    size_t invalid;         /* documents that are not UTF-8, or hold a NUL */
    size_t shortened;       /* documents cut to the longest allowed */
    size_t skipped;         /* entries of a folder that are no documents */
    bool made_up;
    const char *format;     /* "SST-2 TSV", "TSV", "IMDB CSV", "CSV", "folder", "folder of reviews",
                               "plain lines", "made-up" */
    char columns[240];      /* what was taken for text and label; empty where nothing was chosen */
    /* private */
    size_t token_space, document_space;
} at_corpus;

typedef struct {
    size_t first;           /* documents to skip at the beginning */
    size_t count;           /* documents to keep at most; 0: all */
    size_t longest;         /* tokens of a document kept at most; 0: all */
    const char *text_column;    /* NULL: found by its name; "-": plain lines, no table */
    const char *label_column;   /* NULL: found by its name; "-": none */
} at_corpus_limits;

/* Reads path, plain or gzip:
 *  - a folder with pos and neg (the Large Movie Review Dataset's train): reviews, labelled 1 and 0,
 *    in turn; any other folder: each regular file a document, in the order of their names' bytes
 *    (not hidden ones); what is neither is counted;
 *  - a first line of names, between tabs, commas or semicolons, one of them sentence, review, text,
 *    ... (in any capitals, quoted or not) or text_column: a table.  Labels come from a column label,
 *    sentiment, ... or label_column: 0 or 1, negative or positive.  CSV has RFC 4180 quotes and texts
 *    of many lines; TSV a line a record, quotes around a field doubled or behind a backslash inside.
 *    A TSV's column "sentence" is split by blanks alone, as SST-2 comes;
 *  - other first lines that look like a table: AT_INPUT;
 *  - else plain lines, a document a line.
 * Tokens: lower case; "<br />" is a blank; punctuation and the clitics 's n't 're 've 'll 'd 'm
 * are tokens of their own (at_tokenise).  Documents without tokens and documents that are not
 * UTF-8 are skipped and counted.  AT_INPUT with file and line for a malformed row (wrong number
 * of columns, unknown label, open quote at the end), a line longer than 64 MiB, a truncated gzip
 * stream, or no document at all. */
int at_corpus_read(at_corpus *corpus, const char *path, const at_corpus_limits *limits,
                   at_error *err) AT_MUST_CHECK;

/* count documents of 4 to 40 made-up words w0001 … w2000, the k-th word about as frequent
 * as 1/k; the labels 0 and 1 in turn, and documents of one share more words. */
int at_corpus_make_up(at_corpus *corpus, size_t count, const gsl_rng *random,
                      at_error *err) AT_MUST_CHECK;

/* Frees what at_corpus_read and at_corpus_make_up allocated. */
void at_corpus_clear(at_corpus *corpus);

/* Cuts text (length bytes of UTF-8) into tokens, each handed to take(token, length, context);
 * split_punctuation false: only lower case and blanks.  text is overwritten.  Returns false when
 * text is not UTF-8 or holds a NUL (nothing was handed on), or when take returned false. */
bool at_tokenise(char *text, size_t length, bool split_punctuation,
                 bool (*take)(const char *token, size_t length, void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
