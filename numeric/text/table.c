/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of documents: what their first lines say, and their records (see table.h). */
#define _GNU_SOURCE 1
#include "attest/numeric/text/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of columns, whatever their capitals, the likelier first. */
static const char *const text_names[] = {
    "sentence", "review", "text", "document", "content", "comment", "body", "utterance"
};
static const char *const label_names[] = { "label", "sentiment", "polarity", "class" };
static const struct { const char *text; int label; } marks[] = {
    { "0", 0 }, { "1", 1 }, { "negative", 0 }, { "positive", 1 }, { "neg", 0 }, { "pos", 1 },
    { "", -1 }, { "-1", -1 },   /* test sets whose labels are withheld */
};

/* ASCII alone: the capitals of a name do not depend on the locale. */
static bool same_name(const char *name, const char *bytes, size_t length)
{
    while (length > 0 && (bytes[0] == ' ' || bytes[0] == '\t'))
        bytes++, length--;
    while (length > 0 && (bytes[length - 1] == ' ' || bytes[length - 1] == '\t'))
        length--;
    if (strlen(name) != length)
        return false;
    for (size_t k = 0; k < length; k++) {
        int a = (unsigned char) name[k], b = (unsigned char) bytes[k];
        a += a >= 'A' && a <= 'Z' ? 32 : 0;
        b += b >= 'A' && b <= 'Z' ? 32 : 0;
        if (a != b)
            return false;
    }
    return true;
}

static int next_line(at_table *t, char **line, size_t *length, size_t *number, at_error *err)
{
    if (t->given < t->peeked) {
        *line = t->peek[t->given];
        *length = t->peek_length[t->given];
        *number = ++t->given;
        return AT_OK;
    }
    int status = at_reader_line(t->reader, line, length, err);
    *number = at_reader_line_number(t->reader);
    return status;
}

/* Splits one line alone; *whole is false when it is no whole record. */
static int split_line(at_record *r, char separator, const char *line, size_t length, bool *whole,
                      at_error *err)
{
    const char *problem;

    at_record_empty(r);
    if (!at_record_line(r, separator, line, length, &problem))
        return at_error_memory(err, "a record");
    *whole = problem == NULL && !r->quoted;
    return AT_OK;
}

/* The next record; its line is 0 at the end of the file. */
static int next_record(at_table *t, at_error *err)
{
    at_record *r = &t->record;
    char *line;
    const char *problem;
    size_t length, number;
    int status;

    at_record_empty(r);
    do {
        if ((status = next_line(t, &line, &length, &number, err)) != AT_OK)
            return status;
        if (line == NULL) {
            if (r->line == 0)
                return AT_OK;
            return at_error_set(err, AT_INPUT, "%s:%zu: the quote that opens here is never closed; "
                                "the file may be cut off", t->path, r->line);
        }
        if (r->line == 0)
            r->line = number;
        if (!at_record_line(r, t->separator, line, length, &problem))
            return at_error_memory(err, "a record");
        if (problem != NULL)
            return at_error_set(err, AT_INPUT, "%s:%zu: %s", t->path, number, problem);
        if (r->length > AT_LONGEST_RECORD)
            return at_error_set(err, AT_INPUT, "%s:%zu: a record of more than 64 MiB; a closing quote "
                                "may be missing", t->path, r->line);
    } while (r->quoted);
    return AT_OK;
}

static size_t find_column(const at_record *r, const char *name)
{
    for (size_t k = 0; k < r->fields; k++) {
        size_t length;
        const char *bytes = at_record_field(r, k, &length);
        if (same_name(name, bytes, length))
            return k;
    }
    return SIZE_MAX;
}

static size_t find_known(const at_record *r, const char *const *names, size_t count)
{
    size_t found = SIZE_MAX;

    for (size_t k = 0; k < count && found == SIZE_MAX; k++)
        found = find_column(r, names[k]);
    return found;
}

/* The columns as the user would name them. */
static void list_columns(char *text, size_t size, const at_record *r)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t k = 0; k < r->fields && used < size; k++) {
        size_t length;
        const char *bytes = at_record_field(r, k, &length);
        used += (size_t) snprintf(text + used, size - used, "%s'%.*s'", k > 0 ? ", " : "",
                                  (int) (length < 40 ? length : 40), bytes);
    }
}

static void copy_name(char *name, size_t size, const at_record *r, size_t column)
{
    size_t length;
    const char *bytes = at_record_field(r, column, &length);

    snprintf(name, size, "%.*s", (int) (length < size ? length : size - 1), bytes);
}

/* The columns of the names in t->record; t->columns stays 0 when none of them is a text's. */
static int choose_columns(at_table *t, const at_corpus_limits *wanted, at_error *err)
{
    const at_record *r = &t->record;
    char listed[400];

    t->text = wanted->text_column != NULL
                ? find_column(r, wanted->text_column)
                : find_known(r, text_names, sizeof text_names / sizeof *text_names);
    if (t->text == SIZE_MAX)
        return AT_OK;
    t->label = wanted->label_column != NULL
                 ? find_column(r, wanted->label_column)
                 : find_known(r, label_names, sizeof label_names / sizeof *label_names);
    list_columns(listed, sizeof listed, r);
    if (wanted->label_column != NULL && strcmp(wanted->label_column, "-") != 0 && t->label == SIZE_MAX)
        return at_error_set(err, AT_INPUT, "%s:1: no column '%s' for the label; the columns are %s",
                            t->path, wanted->label_column, listed);
    if (t->label == t->text)
        return at_error_set(err, AT_INPUT, "%s:1: text and label are one column, '%s'; the columns are "
                            "%s", t->path, wanted->label_column, listed);
    t->columns = r->fields;
    copy_name(t->text_name, sizeof t->text_name, r, t->text);
    if (t->label != SIZE_MAX)
        copy_name(t->label_name, sizeof t->label_name, r, t->label);
    t->pretokenised = t->separator == '\t' && same_name("sentence", t->text_name, strlen(t->text_name));
    return AT_OK;
}

static bool is_mark(const char *bytes, size_t length)
{
    for (size_t k = 0; length > 0 && k < sizeof marks / sizeof *marks; k++)
        if (same_name(marks[k].text, bytes, length))
            return true;
    return false;
}

static bool has_blank(const char *bytes, size_t length)
{
    return memchr(bytes, ' ', length) != NULL || memchr(bytes, '\t', length) != NULL;
}

/* Names or a record: every field a word or quoted, or a mark at either end; prose has blanks behind
 * its commas. */
static bool looks_like_record(const at_record *r, char separator)
{
    bool words = true, blank_first = false;
    size_t length;

    for (size_t k = 0; k < r->fields; k++) {
        const char *bytes = at_record_field(r, k, &length);
        words = words && !has_blank(bytes, length);
        blank_first = blank_first || (k > 0 && length > 0 && bytes[0] == ' ');
    }
    const char *first = at_record_field(r, 0, &length);
    bool marked = is_mark(first, length);
    const char *last = at_record_field(r, r->fields - 1, &length);
    marked = marked || is_mark(last, length);
    return separator == '\t' || (!blank_first && (words || marked || r->any_quoted));
}

static const struct { char byte; const char *name; } separators[] = {
    { '\t', "tabs" }, { ',', "commas" }, { ';', "semicolons" }
};

/* The first lines have as many fields each, at least two, and look like records. */
static int refuse_table(at_table *t, char separator, const char *name, at_error *err)
{
    size_t fields = 0;
    char listed[400] = "";
    bool alike = t->peeked > 0;

    for (size_t k = 0; k < t->peeked && alike; k++) {
        bool whole = false;
        int status = split_line(&t->record, separator, t->peek[k], t->peek_length[k], &whole, err);
        if (status != AT_OK)
            return status;
        if (k == 0) {
            fields = t->record.fields;
            list_columns(listed, sizeof listed, &t->record);
        }
        /* A quoted text may go on over many lines: the first line says enough. */
        if (k > 0 && !whole && t->record.any_quoted)
            break;
        alike = whole && t->record.fields == fields && fields >= 2
             && looks_like_record(&t->record, separator);
    }
    if (!alike || (t->peeked < 2 && !t->record.any_quoted))
        return AT_OK;
    return at_error_set(err, AT_INPUT, "%s:1: this looks like a table with %zu columns between %s, and "
                        "none is known for a text: %s; name one with --text-column (and "
                        "--label-column), add a first line of names, or say --text-column=- where "
                        "these are plain lines", t->path, fields, name, listed);
}

static int peek(at_table *t, at_error *err)
{
    while (t->peeked < AT_PEEKED) {
        char *line;
        size_t length;
        int status = at_reader_line(t->reader, &line, &length, err);
        if (status != AT_OK || line == NULL)
            return status;
        char *copy = malloc(length + 1);
        if (copy == NULL)
            return at_error_memory(err, t->path);
        memcpy(copy, line, length + 1);
        t->peek[t->peeked] = copy;
        t->peek_length[t->peeked++] = length;
    }
    return AT_OK;
}

int at_table_open(at_table *t, at_reader *reader, const char *path, const at_corpus_limits *wanted,
                  at_error *err)
{
    enum { SEPARATORS = sizeof separators / sizeof *separators };
    const char *column = wanted->text_column;

    *t = (at_table) { .reader = reader, .path = path, .text = SIZE_MAX, .label = SIZE_MAX };
    int status = peek(t, err);
    if (status != AT_OK || t->peeked == 0 || (column != NULL && strcmp(column, "-") == 0))
        return status;
    for (size_t k = 0; k < SEPARATORS && status == AT_OK && t->columns == 0; k++) {
        bool whole = false;
        t->separator = separators[k].byte;
        status = split_line(&t->record, t->separator, t->peek[0], t->peek_length[0], &whole, err);
        if (status == AT_OK && whole)
            status = choose_columns(t, wanted, err);
        /* One column alone has no separator: quoted texts over lines, unless it is SST-2's. */
        if (t->columns == 1 && t->separator == '\t' && !t->pretokenised)
            t->columns = 0;
    }
    if (t->columns > 0)
        t->given = 1;
    if (status != AT_OK || t->columns > 0)
        return status;
    if (column != NULL || (wanted->label_column != NULL && strcmp(wanted->label_column, "-") != 0))
        return at_error_set(err, AT_INPUT, "%s:1: expected a first line of names with the column '%s', "
                            "found '%.200s'", path, column != NULL ? column : "text", t->peek[0]);
    for (size_t k = 0; k < SEPARATORS && status == AT_OK; k++)
        status = refuse_table(t, separators[k].byte, separators[k].name, err);
    return status;
}

/* What was taken for what, for people. */
static void describe(const at_table *t, at_corpus *c)
{
    size_t others = t->columns - 1 - (t->label != SIZE_MAX);
    size_t size = sizeof c->columns, used;

    c->format = t->pretokenised ? "SST-2 TSV" : t->separator == '\t' ? "TSV"
              : same_name("review", t->text_name, strlen(t->text_name)) && t->separator == ','
                  ? "IMDB CSV" : "CSV";
    used = (size_t) snprintf(c->columns, size, "text from column '%s'", t->text_name);
    if (t->label != SIZE_MAX && used < size)
        used += (size_t) snprintf(c->columns + used, size - used, ", label from '%s'", t->label_name);
    if (others > 0 && used < size)
        snprintf(c->columns + used, size - used, ", %zu other%s skipped", others, others > 1 ? "s" : "");
}

static int label_of(const at_table *t, int *label, at_error *err)
{
    size_t length;
    const char *bytes;

    *label = -1;
    if (t->label == SIZE_MAX)
        return AT_OK;
    bytes = at_record_field(&t->record, t->label, &length);
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (same_name(marks[k].text, bytes, length)) {
            *label = marks[k].label;
            return AT_OK;
        }
    return at_error_set(err, AT_INPUT, "%s:%zu: expected a label, 0 or 1, positive or negative, in column "
                        "'%s', found '%.*s'; --label-column names another column, or - for none",
                        t->path, t->record.line, t->label_name, (int) (length < 60 ? length : 60), bytes);
}

int at_table_documents(at_table *t, at_text_builder *b, at_error *err)
{
    at_record *r = &t->record;
    int status, label;

    describe(t, b->corpus);
    while (!at_text_full(b)) {
        size_t length;
        if ((status = next_record(t, err)) != AT_OK || r->line == 0)
            return status;
        if (r->fields == 1 && r->length == 0) {
            b->corpus->empty++;
            continue;
        }
        if (r->fields != t->columns)
            return at_error_set(err, AT_INPUT, "%s:%zu: expected %zu columns as in the first line, found "
                                "%zu; mend the line (a text with a separator in it needs quotes) or "
                                "remove it", t->path, r->line, t->columns, r->fields);
        if ((status = label_of(t, &label, err)) != AT_OK)
            return status;
        /* The field is overwritten by its tokens. */
        char *bytes = r->bytes + (t->text > 0 ? r->end[t->text - 1] : 0);
        (void) at_record_field(r, t->text, &length);
        status = at_text_add(b, bytes, length, !t->pretokenised, label, r->line, err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

void at_table_close(at_table *t)
{
    for (size_t k = 0; k < t->peeked; k++)
        free(t->peek[k]);
    t->peeked = 0;
    at_record_clear(&t->record);
}
