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
/* Squares and their sums stay far from overflow. */
static const double LARGEST_NUMBER = 1e100;

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

/* Lines at the beginning that vote on the dimension. */
enum { VOTERS = 32 };

typedef struct {
    at_vectors *v;
    const char *path, *const *words;
    size_t space;           /* rows allocated */
    size_t promised;        /* word2vec's header, 0 without */
    /* Lines that may just as well be of another dimension: the first, and how many. */
    size_t doubtful_line, doubtful;
    struct { char *text; size_t length, number; } first[VOTERS];
    size_t voters;
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
        if (fabs(row[k]) > LARGEST_NUMBER)
            return at_error_set(err, AT_INPUT, "%s:%zu: number %zu of the vector of '%s' is %g; beyond "
                                "1e100 no energy can be computed", s->path, line_number, k + 1,
                                s->words[word], row[k]);
    }
    v->row[word] = v->found++;
    return AT_OK;
}

static bool all_numbers(char *at, size_t count)
{
    double value;

    while (count-- > 0)
        if ((at = read_number(&value, at)) == NULL)
            return false;
    return true;
}

/* Other lines than one word and dimension numbers: numbers behind no word (the token was a blank, a
 * line end, or nothing) or behind several; no token can be one of these.  All else is an error. */
static int odd_line(reader_state *s, char *line, size_t length, size_t fields, size_t number,
                    at_error *err)
{
    at_vectors *v = s->v;
    size_t word = last_fields(line, length, fields - (fields > 0));
    double second;

    if (fields < v->dimension || !all_numbers(line + last_fields(line, length, v->dimension), v->dimension))
        return at_error_set(err, AT_INPUT, "%s:%zu: expected a word and %zu numbers as in the lines "
                            "around, found %zu fields; %s, all of one dimension", s->path, number,
                            v->dimension, fields, remedy);
    if (fields == v->dimension)
        v->without_word++;
    else
        v->with_blanks++;
    if (fields > v->dimension && read_number(&second, line + word) == NULL)
        return AT_OK;
    if (s->doubtful++ == 0)
        s->doubtful_line = number;
    return AT_OK;
}

static int take_line(reader_state *s, char *line, size_t length, size_t number, at_error *err)
{
    size_t fields = count_fields(line, length);

    s->v->file_count++;
    if (fields != s->v->dimension + 1 || is_space(line[0]))
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

/* Numbers of a line behind its word, as far as its blanks say; 0 where the last is no number. */
static size_t numbers_of(char *line, size_t length)
{
    double value;
    size_t fields = count_fields(line, length);

    if (fields < 2 || read_number(&value, line + last_fields(line, length, 1)) == NULL)
        return 0;
    return is_space(line[0]) ? fields : fields - 1;
}

/* The dimension that most of the first lines have; the earliest of equals. */
static int vote(reader_state *s, at_error *err)
{
    at_vectors *v = s->v;
    size_t numbers[VOTERS], most = 0;

    for (size_t k = 0; k < s->voters; k++)
        numbers[k] = numbers_of(s->first[k].text, s->first[k].length);
    for (size_t k = 0; k < s->voters; k++) {
        size_t votes = 0;
        for (size_t j = 0; j < s->voters && numbers[k] > 0; j++)
            votes += numbers[j] == numbers[k];
        if (votes > most) {
            most = votes;
            v->dimension = numbers[k];
        }
    }
    if (v->dimension == 0 && s->voters > 0)
        return at_error_set(err, AT_INPUT, "%s:%zu: this is no vector file; %s", s->path,
                            s->first[0].number, remedy);
    return AT_OK;
}

static int check_dimension(const reader_state *s, at_error *err)
{
    if (s->v->dimension <= LARGEST_DIMENSION)
        return AT_OK;
    return at_error_set(err, AT_INPUT, "%s: %zu dimensions; at most %d", s->path, s->v->dimension,
                        LARGEST_DIMENSION);
}

/* The next line that is not empty, without blanks at its end; *line is NULL at the end. */
static int next_line(at_reader *reader, char **line, size_t *length, at_error *err)
{
    int status;

    do {
        status = at_reader_line(reader, line, length, err);
        if (status != AT_OK || *line == NULL)
            return status;
        *length = trimmed(*line, *length);
        (*line)[*length] = '\0';
    } while (*length == 0);
    return AT_OK;
}

/* word2vec's header, or lines kept until there are enough of them to vote. */
static int begin(reader_state *s, at_reader *reader, at_error *err)
{
    at_vectors *v = s->v;
    char *line;
    size_t length;
    int status;

    v->format = "GloVe text";
    while (s->voters < VOTERS) {
        if ((status = next_line(reader, &line, &length, err)) != AT_OK)
            return status;
        if (line == NULL)
            break;
        if (s->voters == 0 && word2vec_header(&s->promised, &v->dimension, line)) {
            v->format = "word2vec text";
            return check_dimension(s, err);
        }
        char *copy = malloc(length + 1);
        if (copy == NULL)
            return at_error_memory(err, "the first word vectors");
        memcpy(copy, line, length + 1);
        s->first[s->voters].text = copy;
        s->first[s->voters].length = length;
        s->first[s->voters++].number = at_reader_line_number(reader);
    }
    status = vote(s, err);
    if (status == AT_OK)
        status = check_dimension(s, err);
    for (size_t k = 0; k < s->voters && status == AT_OK; k++)
        status = take_line(s, s->first[k].text, s->first[k].length, s->first[k].number, err);
    return status;
}

static int check_whole(const reader_state *s, at_error *err)
{
    const at_vectors *v = s->v;

    if (s->promised > 0 && v->file_count != s->promised)
        return at_error_set(err, AT_INPUT,
                            "%s: the first line promises %zu vectors, the file holds %zu; "
                            "it may be cut off",
                            s->path, s->promised, v->file_count);
    if (s->doubtful > 0 && 2 * s->doubtful >= v->file_count)
        return at_error_set(err, AT_INPUT, "%s:%zu: expected a word and %zu numbers; %zu of the "
                            "file's %zu lines hold another number of them; %s, all of one dimension",
                            s->path, s->doubtful_line, v->dimension, s->doubtful, v->file_count,
                            remedy);
    if (v->found == 0)
        return at_error_set(err, AT_INPUT,
                            "%s: no vector for any of the %zu words of the text; is it "
                            "the vector file (%s)?",
                            s->path, v->word_count, remedy);
    return AT_OK;
}

static int read_all(reader_state *s, at_reader *reader, at_error *err)
{
    char *line;
    size_t length;
    int status = begin(s, reader, err);

    while (status == AT_OK) {
        status = next_line(reader, &line, &length, err);
        if (status == AT_OK && line == NULL)
            return check_whole(s, err);
        if (status == AT_OK)
            status = take_line(s, line, length, at_reader_line_number(reader), err);
    }
    return status;
}

int at_vectors_read(at_vectors *vectors, const char *path, const char *const *words, size_t count,
                    at_error *err)
{
    reader_state state = { .v = vectors, .path = path, .words = words };
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
        for (size_t k = 0; k < state.voters; k++)
            free(state.first[k].text);
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
