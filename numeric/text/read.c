/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of documents: SST-2 TSV, IMDB CSV, plain lines, a folder (see text.h). */
#define _GNU_SOURCE 1
#include "attest/numeric/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attest/core/file.h"
#include "attest/numeric/text/build.h"

enum { LONGEST_LINE = 64 << 20 };

/* Start and length of column `column` of a tab-separated line; false when it has fewer. */
static bool tsv_column(char **field, size_t *size, char *line, size_t length, size_t column)
{
    char *at = line, *end = line + length;

    for (; column > 0; column--) {
        at = memchr(at, '\t', (size_t) (end - at));
        if (at == NULL)
            return false;
        at++;
    }
    char *stop = memchr(at, '\t', (size_t) (end - at));
    *field = at;
    *size = (size_t) ((stop != NULL ? stop : end) - at);
    return true;
}

static size_t tsv_columns(const char *line, size_t length)
{
    size_t count = 1;

    for (size_t k = 0; k < length; k++)
        count += line[k] == '\t';
    return count;
}

static long tsv_find(char *line, size_t length, const char *name)
{
    char *field;
    size_t size;

    for (size_t k = 0; tsv_column(&field, &size, line, length, k); k++)
        if (size == strlen(name) && memcmp(field, name, size) == 0)
            return (long) k;
    return -1;
}

static int read_tsv(at_text_builder *b, at_reader *reader, const char *path, char *header,
                    size_t length, at_error *err)
{
    long sentence = tsv_find(header, length, "sentence"), label = tsv_find(header, length, "label");
    size_t columns = tsv_columns(header, length);
    char *line, *field, *mark;
    size_t size, mark_size;
    int status;

    while (!at_text_full(b)) {
        if ((status = at_reader_line(reader, &line, &length, err)) != AT_OK || line == NULL)
            return status;
        size_t number = at_reader_line_number(reader);
        if (length == 0) {
            b->corpus->empty++;
            continue;
        }
        if (tsv_columns(line, length) != columns)
            return at_error_set(err, AT_INPUT,
                                "%s:%zu: expected %zu tab-separated columns as in the "
                                "first line, found %zu; mend the line or remove it",
                                path, number, columns, tsv_columns(line, length));
        int value = -1;
        if (label >= 0) {
            if (!tsv_column(&mark, &mark_size, line, length, (size_t) label) || mark_size != 1
                || (*mark != '0' && *mark != '1'))
                return at_error_set(err, AT_INPUT, "%s:%zu: expected the label 0 or 1", path,
                                    number);
            value = *mark - '0';
        }
        if (!tsv_column(&field, &size, line, length, (size_t) sentence))
            return at_error_set(err, AT_INPUT, "%s:%zu: there is no sentence", path, number);
        if ((status = at_text_add(b, field, size, false, value, number, err)) != AT_OK)
            return status;
    }
    return AT_OK;
}

/* A CSV record over any number of lines. */
typedef struct {
    char *bytes;
    size_t length, space;
    size_t field[4];          /* where each field ends in bytes */
    size_t fields;
    bool quoted, closed;      /* inside quotes; after the closing one */
} csv_record;

static bool csv_put(csv_record *r, char c)
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

/* One line of a record; *problem is NULL, or what is wrong with it. */
static bool csv_line(csv_record *r, const char *line, size_t length, const char **problem)
{
    *problem = NULL;
    for (size_t k = 0; k < length; k++) {
        char c = line[k];
        size_t begin = r->fields > 0 ? r->field[r->fields - 1] : 0;
        if (r->quoted && c == '"' && k + 1 < length && line[k + 1] == '"')
            k++;   /* a doubled quote is one quote */
        else if (r->quoted && c == '"') {
            r->quoted = false;
            r->closed = true;
            continue;
        } else if (!r->quoted && c == ',') {
            if (r->fields == 3) {
                *problem = "more than four columns; quote the text";
                return true;
            }
            r->field[r->fields++] = r->length;
            r->closed = false;
            continue;
        } else if (!r->quoted && c == '"' && r->length == begin && !r->closed) {
            r->quoted = true;
            continue;
        } else if (r->closed) {
            *problem = "text after a closing quote; double the quotes inside a quoted text";
            return true;
        }
        if (!csv_put(r, c))
            return false;
    }
    return !r->quoted || csv_put(r, '\n');
}

/* Reads one record; *first is 0 at the end of the file. */
static int csv_next(csv_record *r, size_t *first, at_reader *reader, const char *path,
                    at_error *err)
{
    char *line;
    const char *problem;
    size_t length;
    int status;

    r->length = r->fields = 0;
    r->quoted = r->closed = false;
    *first = 0;
    do {
        if ((status = at_reader_line(reader, &line, &length, err)) != AT_OK)
            return status;
        if (line == NULL) {
            if (*first == 0)
                return AT_OK;
            return at_error_set(err, AT_INPUT, "%s:%zu: the quote that opens here is never closed; "
                                "the file may be cut off", path, *first);
        }
        if (*first == 0)
            *first = at_reader_line_number(reader);
        if (!csv_line(r, line, length, &problem))
            return at_error_memory(err, "a CSV record");
        if (problem != NULL)
            return at_error_set(err, AT_INPUT, "%s:%zu: %s", path, at_reader_line_number(reader),
                                problem);
        if (r->length > LONGEST_LINE)
            return at_error_set(err, AT_INPUT,
                                "%s:%zu: a record of more than 64 MiB; a closing quote "
                                "may be missing",
                                path, *first);
    } while (r->quoted);
    r->field[r->fields++] = r->length;
    return AT_OK;
}

static int read_csv(at_text_builder *b, at_reader *reader, const char *path, size_t columns,
                    at_error *err)
{
    csv_record record = { 0 };
    size_t first;
    int status;

    while ((status = csv_next(&record, &first, reader, path, err)) == AT_OK && first > 0) {
        int label = -1;
        if (record.fields == 1 && record.length == 0) {
            b->corpus->empty++;
            continue;
        }
        if (record.fields != columns) {
            status = at_error_set(err, AT_INPUT,
                                  "%s:%zu: expected %zu columns as in the first line, "
                                  "found %zu",
                                  path, first, columns, record.fields);
            break;
        }
        const char *mark = record.bytes + record.field[0];
        size_t size = record.length - record.field[0];
        if (columns == 2) {
            label = size == 8 && memcmp(mark, "positive", 8) == 0 ? 1
                    : size == 8 && memcmp(mark, "negative", 8) == 0 ? 0 : -1;
            if (label < 0) {
                status = at_error_set(err, AT_INPUT, "%s:%zu: expected the sentiment positive or "
                                      "negative", path, first);
                break;
            }
        }
        status = at_text_add(b, record.bytes, record.field[0], true, label, first, err);
        if (status != AT_OK || at_text_full(b))
            break;
    }
    free(record.bytes);
    return status;
}

static int read_lines(at_text_builder *b, at_reader *reader, char *line, size_t length,
                      at_error *err)
{
    int status = AT_OK;

    while (line != NULL && status == AT_OK && !at_text_full(b)) {
        status = at_text_add(b, line, length, true, -1, at_reader_line_number(reader), err);
        if (status == AT_OK && !at_text_full(b))
            status = at_reader_line(reader, &line, &length, err);
    }
    return status;
}

static bool is_line(const char *line, size_t length, const char *expected)
{
    return length == strlen(expected) && memcmp(line, expected, length) == 0;
}

static int read_file(at_text_builder *b, const char *path, at_error *err)
{
    at_corpus *corpus = b->corpus;
    at_reader *reader;
    char *line;
    size_t length;
    int status = at_reader_open(&reader, path, LONGEST_LINE, err);

    if (status != AT_OK)
        return status;
    status = at_reader_line(reader, &line, &length, err);
    if (status == AT_OK && line != NULL) {
        if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {   /* a byte order mark */
            line += 3;
            length -= 3;
        }
        bool alone = is_line(line, length, "review") || is_line(line, length, "\"review\"");
        if (alone || is_line(line, length, "review,sentiment")) {
            corpus->format = "IMDB CSV";
            status = read_csv(b, reader, path, alone ? 1 : 2, err);
        } else if (tsv_find(line, length, "sentence") >= 0) {
            corpus->format = "SST-2 TSV";
            status = read_tsv(b, reader, path, line, length, err);
        } else {
            corpus->format = "plain lines";
            status = read_lines(b, reader, line, length, err);
        }
    }
    at_reader_close(reader);
    return status;
}

static int read_folder(at_text_builder *b, const char *path, at_error *err)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort), status = AT_OK;

    if (count < 0)
        return at_error_set(err, AT_INPUT, "%s: %s", path, strerror(errno));
    b->corpus->format = "folder";
    for (int k = 0; k < count; k++) {
        struct stat info;
        char *bytes = NULL, *file = NULL;
        size_t size;
        if (status == AT_OK && names[k]->d_name[0] != '.' && !at_text_full(b)) {
            file = at_path_join(path, names[k]->d_name);
            if (file == NULL)
                status = at_error_memory(err, "a file's name");
            else if (stat(file, &info) == 0 && S_ISREG(info.st_mode)
                     && (status = at_file_read(&bytes, &size, file, LONGEST_LINE, err)) == AT_OK)
                status = at_text_add(b, bytes, size, true, -1, 1, err);
        }
        free(bytes);
        free(file);
        free(names[k]);
    }
    free(names);
    return status;
}

int at_corpus_read(at_corpus *corpus, const char *path, const at_corpus_limits *limits,
                   at_error *err)
{
    struct stat info;
    at_text_builder b;

    at_text_builder_init(&b, corpus, limits);
    int status = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? read_folder(&b, path, err)
                                                                 : read_file(&b, path, err);
    if (status == AT_OK && corpus->count == 0)
        status =
            at_error_set(err, AT_INPUT,
                         "%s: no document in it (%zu empty, %zu not UTF-8); "
                         "expected SST-2 TSV, IMDB CSV, a folder of text files, or a document a "
                         "line",
                         path, corpus->empty, corpus->invalid);
    return at_text_builder_finish(&b, status, err);
}
