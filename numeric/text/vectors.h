/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Word vectors for the words of a corpus: GloVe text, word2vec text, or made up. */
#ifndef ATTEST_NUMERIC_TEXT_VECTORS_H
#define ATTEST_NUMERIC_TEXT_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/numeric/text/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t dimension;
    double *rows;           /* found × dimension */
    size_t *row;            /* of each word of the corpus: index into rows, SIZE_MAX when none */
    size_t word_count, found;
    size_t file_count;      /* vectors in the file */
    size_t duplicates;      /* words of the corpus that came again; the first vector counts */
    size_t with_blanks;     /* words with blanks in them: no token can be one */
    size_t without_word;    /* numbers behind a blank, a line end or nothing at all */
    bool made_up;
    const char *format;     /* "GloVe text", "word2vec text", "made-up" */
} at_vectors;

/* Reads path (plain or gzip) and keeps the vectors of words[0 … count), which are in the order of
 * strcmp.  A first line of two whole numbers is word2vec's header (count, dimension); else the
 * majority of the first 32 lines sets the dimension.  Lines whose numbers follow no word or several
 * are skipped and counted.  AT_INPUT with file and line for fewer numbers, a number that
 * is malformed, NaN, infinite or beyond 1e100 (numbers are read for the words that occur), a header
 * whose count does not match, other counts of numbers in half of the file or more, a truncated gzip stream, or no
 * vector for any word. */
int at_vectors_read(at_vectors *vectors, const char *path, const char *const *words, size_t count,
                    at_error *err) AT_MUST_CHECK;

/* Independent normal entries of variance 2/dimension (so that two words lie at z = 2 on average),
 * each word's from the seed and its letters alone. */
int at_vectors_make_up(at_vectors *vectors, size_t dimension, const char *const *words,
                       size_t count, uint64_t seed, at_error *err) AT_MUST_CHECK;

/* Frees what at_vectors_read and at_vectors_make_up allocated. */
void at_vectors_clear(at_vectors *vectors);

/* Y (tokens with a vector × dimension, room for all of document k) and their number; *missing is
 * the number of tokens without one (may be NULL). */
size_t at_vectors_embed(double *Y, size_t *missing, const at_vectors *vectors,
                        const at_corpus *corpus, size_t k);

#ifdef __cplusplus
}
#endif

#endif
