/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Word vectors: see vectors.h. */
#include "attest/numeric/text/vectors.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/file.h"

enum { LONGEST_LINE = 16 << 20, LARGEST_DIMENSION = 1 << 16 };

static int prepare(at_vectors *v, size_t count, at_error *err)
{
    *v = (at_vectors) { .word_count = count };
    v->row = malloc((count + 1) * sizeof *v->row);
    if (v->row == NULL)
        return at_error_memory(err, "the index of word vectors");
    for (size_t k = 0; k < count; k++)
        v->row[k] = SIZE_MAX;
    return AT_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Length without blanks at the end, which word2vec's own writer leaves. */
static size_t trimmed(const char *line, size_t length)
{
    while (length > 0 && is_space(line[length - 1]))
        length--;
    return length;
}

static size_t count_fields(const char *line, size_t length)
{
    size_t fields = 0;

    for (size_t k = 0; k < length; k++)
        fields += !is_space(line[k]) && (k == 0 || is_space(line[k - 1]));
    return fields;
}

/* One finite decimal number that ends at a blank or the end; its end, or NULL. */
static char *read_number(double *value, char *at)
{
    char *end;

    while (is_space(*at))
        at++;
    *value = strtod(at, &end);
    if (end == at || !(is_space(*end) || *end == '\0') || !isfinite(*value)
        || memchr(at, 'x', (size_t) (end - at)) != NULL
        || memchr(at, 'X', (size_t) (end - at)) != NULL)
        return NULL;
    return end;
}

/* Where the last `fields` fields of the line begin. */
static size_t last_fields(const char *line, size_t length, size_t fields)
{
    size_t at = length;

    while (fields-- > 0) {
        while (at > 0 && is_space(line[at - 1]))
            at--;
        while (at > 0 && !is_space(line[at - 1]))
            at--;
    }
    return at;
}

typedef struct {
    at_vectors *v;
    const char *path, *const *words;
    size_t space;           /* rows allocated */
    size_t promised;        /* word2vec's header, 0 without */
} reader_state;

static const char remedy[] = "each line holds a word and its numbers, as in GloVe's text format";

/* Index of the word that line[0 … length) spells; SIZE_MAX when it is not wanted. */
static size_t find_word(const reader_state *s, const char *line, size_t length)
{
    size_t low = 0, high = s->v->word_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strncmp(s->words[middle], line, length);
        if (order == 0)
            order = s->words[middle][length] != '\0';
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

static int keep(reader_state *s, size_t word, char *numbers, size_t line_number, at_error *err)
{
    at_vectors *v = s->v;

    if (v->row[word] != SIZE_MAX) {
        v->duplicates++;
        return AT_OK;
    }
    if (v->found == s->space) {
        size_t space = 2 * s->space + 256;
        double *larger = realloc(v->rows, space * v->dimension * sizeof *larger);
        if (larger == NULL)
            return at_error_memory(err, "the word vectors");
        v->rows = larger;
        s->space = space;
    }
    double *row = v->rows + v->found * v->dimension;
    for (size_t k = 0; k < v->dimension; k++) {
        numbers = read_number(&row[k], numbers);
        if (numbers == NULL)
            return at_error_set(err, AT_INPUT, "%s:%zu: number %zu of the vector of '%s' is not a "
                                "finite decimal number; %s", s->path, line_number, k + 1,
                                s->words[word], remedy);
    }
    v->row[word] = v->found++;
    return AT_OK;
}

/* Other lines than word and dimension numbers: an error, or a word with blanks (GloVe 840B). */
static int odd_line(reader_state *s, char *line, size_t length, size_t fields, size_t number,
                    at_error *err)
{
    double value;
    char *second = line;

    while (*second != '\0' && !is_space(*second))
        second++;
    if (fields > s->v->dimension + 1 && read_number(&value, second) == NULL) {
        s->v->with_blanks++;
        return AT_OK;
    }
    (void) length;
    return at_error_set(err, AT_INPUT,
                        "%s:%zu: expected a word and %zu numbers as in the lines before, "
                        "found %zu fields; %s, all of one dimension",
                        s->path, number, s->v->dimension, fields, remedy);
}

static int take_line(reader_state *s, char *line, size_t length, size_t number, at_error *err)
{
    size_t fields = count_fields(line, length);

    s->v->file_count++;
    if (fields != s->v->dimension + 1)
        return odd_line(s, line, length, fields, number, err);
    size_t at = last_fields(line, length, s->v->dimension), end = at;
    while (end > 0 && is_space(line[end - 1]))
        end--;
    if (memchr(line, '\0', end) != NULL)
        return AT_OK;
    size_t word = find_word(s, line, end);
    return word == SIZE_MAX ? AT_OK : keep(s, word, line + at, number, err);
}

/* "400000 100": both whole numbers, nothing else. */
static bool word2vec_header(size_t *count, size_t *dimension, const char *line)
{
    char *end;

    if (line[0] < '0' || line[0] > '9')
        return false;
    unsigned long long a = strtoull(line, &end, 10);
    if (*end != ' ' || end[1] < '0' || end[1] > '9')
        return false;
    unsigned long long b = strtoull(end + 1, &end, 10);
    *count = (size_t) a;
    *dimension = (size_t) b;
    return *end == '\0' && b > 0;
}

static int first_line(reader_state *s, char *line, size_t length, size_t number, at_error *err)
{
    at_vectors *v = s->v;

    line[length] = '\0';
    if (word2vec_header(&s->promised, &v->dimension, line)) {
        v->format = "word2vec text";
    } else {
        double value;
        v->format = "GloVe text";
        v->dimension = count_fields(line, length);
        v->dimension -= v->dimension > 0;
        if (v->dimension == 0 || read_number(&value, line + last_fields(line, length, 1)) == NULL)
            return at_error_set(err, AT_INPUT, "%s:%zu: this is no vector file; %s", s->path,
                                number, remedy);
    }
    if (v->dimension > LARGEST_DIMENSION)
        return at_error_set(err, AT_INPUT, "%s:%zu: %zu dimensions; at most %d", s->path, number,
                            v->dimension, LARGEST_DIMENSION);
    return v->format[0] == 'w' ? AT_OK : take_line(s, line, length, number, err);
}

static int read_all(reader_state *s, at_reader *reader, at_error *err)
{
    at_vectors *v = s->v;
    char *line;
    size_t length;
    int status;

    for (;;) {
        if ((status = at_reader_line(reader, &line, &length, err)) != AT_OK || line == NULL)
            break;
        size_t number = at_reader_line_number(reader);
        length = trimmed(line, length);
        if (length == 0)
            continue;
        line[length] = '\0';
        status = v->dimension == 0 ? first_line(s, line, length, number, err)
                                   : take_line(s, line, length, number, err);
        if (status != AT_OK)
            break;
    }
    if (status == AT_OK && s->promised > 0 && v->file_count != s->promised)
        return at_error_set(err, AT_INPUT,
                            "%s: the first line promises %zu vectors, the file holds %zu; "
                            "it may be cut off",
                            s->path, s->promised, v->file_count);
    if (status == AT_OK && v->found == 0)
        return at_error_set(err, AT_INPUT,
                            "%s: no vector for any of the %zu words of the text; is it "
                            "the vector file (%s)?",
                            s->path, v->word_count, remedy);
    return status;
}

int at_vectors_read(at_vectors *vectors, const char *path, const char *const *words, size_t count,
                    at_error *err)
{
    reader_state state = { vectors, path, words, 0, 0 };
    at_reader *reader = NULL;
    int status = prepare(vectors, count, err);

    if (status == AT_OK) {
        status = at_reader_open(&reader, path, LONGEST_LINE, err);
        if (status == AT_INPUT && err != NULL)
            at_error_set(err, AT_INPUT, "%s; expected GloVe or word2vec text, plain or gzip", err->text);
    }
    if (status == AT_OK) {
        status = read_all(&state, reader, err);
        at_reader_close(reader);
    }
    if (status != AT_OK)
        at_vectors_clear(vectors);
    return status;
}

int at_vectors_make_up(at_vectors *vectors, size_t dimension, const char *const *words,
                       size_t count, uint64_t seed, at_error *err)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    int status = prepare(vectors, count, err);

    if (status == AT_OK) {
        vectors->rows = malloc((count * dimension + 1) * sizeof *vectors->rows);
        if (random == NULL || vectors->rows == NULL)
            status = at_error_memory(err, "the word vectors");
    }
    for (size_t k = 0; k < count && status == AT_OK; k++) {
        uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);   /* FNV-1a */
        for (const char *c = words[k]; *c != '\0'; c++)
            hash = (hash ^ (unsigned char) *c) * UINT64_C(0x100000001b3);
        gsl_rng_set(random, (unsigned long) (hash ^ hash >> 32));
        for (size_t j = 0; j < dimension; j++)
            vectors->rows[k * dimension + j] =
                gsl_ran_gaussian_ziggurat(random, sqrt(2.0 / (double) dimension));
        vectors->row[k] = k;
    }
    gsl_rng_free(random);
    if (status != AT_OK) {
        at_vectors_clear(vectors);
        return status;
    }
    vectors->dimension = dimension;
    vectors->found = vectors->file_count = count;
    vectors->made_up = true;
    vectors->format = "made-up";
    return AT_OK;
}

void at_vectors_clear(at_vectors *vectors)
{
    free(vectors->rows);
    free(vectors->row);
    *vectors = (at_vectors) { 0 };
}

size_t at_vectors_embed(double *Y, size_t *missing, const at_vectors *vectors,
                        const at_corpus *corpus, size_t k)
{
    size_t n = 0, lost = 0, d = vectors->dimension;

    for (size_t t = corpus->start[k]; t < corpus->start[k + 1]; t++) {
        size_t row = vectors->row[corpus->tokens[t]];
        if (row == SIZE_MAX)
            lost++;
        else
            memcpy(Y + d * n++, vectors->rows + d * row, d * sizeof *Y);
    }
    if (missing != NULL)
        *missing = lost;
    return n;
}
