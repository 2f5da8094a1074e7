/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files, plain or gzip: whole, or line by line. */
#include "config.h"

#include "attest/core/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/input.h"

enum { CHUNK = 1 << 16 };

/* Fills *bytes from the open file until its end; the caller frees *bytes whatever comes. */
static int read_whole(char **bytes, size_t *size, at_input *input, const char *path, size_t limit,
                      at_error *err)
{
    size_t room = 0;

    for (;;) {
        size_t got, next = room == 0 ? CHUNK : 2 * room;
        char *grown;
        int status;

        if (next > limit)
            next = limit;
        grown = realloc(*bytes, next + 2);
        if (grown == NULL)
            return at_error_memory(err, path);
        *bytes = grown;
        room = next;
        /* One byte past the limit tells a file that fits from one that does not. */
        status = at_input_read(input, grown + *size, room + 1 - *size, &got, err);
        if (status != AT_OK)
            return status;
        *size += got;
        if (*size <= room)
            break;
        if (room == limit)
            return at_error_set(err, AT_INPUT, "%s: longer than %zu bytes", path, limit);
    }
    (*bytes)[*size] = '\0';
    return AT_OK;
}

int at_file_read(char **bytes, size_t *size, const char *path, size_t limit, at_error *err)
{
    at_input *input;
    int status;

    *bytes = NULL;
    *size = 0;
    if (limit > SIZE_MAX / 4)
        limit = SIZE_MAX / 4;
    status = at_input_open(&input, path, err);
    if (status != AT_OK)
        return status;
    status = read_whole(bytes, size, input, path, limit, err);
    at_input_close(input);
    if (status != AT_OK) {
        free(*bytes);
        *bytes = NULL;
        *size = 0;
    }
    return status;
}

struct at_reader {
    at_input *input;
    char *path;
    char *buffer;           /* [start, end) not yet given out; one byte beyond for a NUL */
    size_t room, start, end;
    size_t longest;
    size_t number;
    bool ended;
    char newline;           /* what ends a line: LF, or CR alone as on the first Macintoshes */
};

int at_reader_open(at_reader **reader, const char *path, size_t longest_line, at_error *err)
{
    at_reader *r = calloc(1, sizeof *r);
    int status;

    *reader = NULL;
    if (r == NULL || (r->path = strdup(path)) == NULL) {
        free(r);
        return at_error_memory(err, path);
    }
    r->newline = '\n';
    r->longest = longest_line < SIZE_MAX / 4 ? longest_line : SIZE_MAX / 4;
    status = at_input_open(&r->input, path, err);
    if (status != AT_OK) {
        at_reader_close(r);
        return status;
    }
    *reader = r;
    return AT_OK;
}

/* Lines end in CR alone where the beginning of the file has such CRs and no LF before the first, nor
 * more of them. */
static char choose_newline(const char *bytes, size_t size)
{
    const char *first = memchr(bytes, '\r', size), *feed = memchr(bytes, '\n', size);
    size_t returns = 0, feeds = 0;

    if (first == NULL || first + 1 == feed || (feed != NULL && feed < first))
        return '\n';
    for (size_t k = 0; k < size; k++) {
        returns += bytes[k] == '\r';
        feeds += bytes[k] == '\n';
    }
    return returns >= feeds ? '\r' : '\n';
}

/* Moves what is left to the front and reads more behind it. */
static int refill(at_reader *r, at_error *err)
{
    size_t kept = r->end - r->start, got;
    int status;

    if (kept > 0 && r->start > 0)
        memmove(r->buffer, r->buffer + r->start, kept);
    r->start = 0;
    r->end = kept;
    if (r->room - kept < CHUNK) {
        size_t room = r->room < CHUNK ? 2 * (size_t) CHUNK : 2 * r->room;
        char *grown = realloc(r->buffer, room + 1);

        if (grown == NULL)
            return at_error_memory(err, r->path);
        r->buffer = grown;
        r->room = room;
    }
    status = at_input_read(r->input, r->buffer + kept, CHUNK, &got, err);
    if (status != AT_OK)
        return status;
    if (r->number == 0 && kept == 0)
        r->newline = choose_newline(r->buffer, got);
    r->end += got;
    r->ended = got < CHUNK;
    return AT_OK;
}

/* *newline: the end of the line that begins at start, whether or not a newline is there. */
static int find_line(at_reader *r, size_t *newline, at_error *err)
{
    size_t seen = 0;   /* bytes from start that hold no newline */

    for (;;) {
        size_t left = r->end - r->start;
        char *found = left > seen ? memchr(r->buffer + r->start + seen, r->newline, left - seen) : NULL;
        size_t length = found != NULL ? (size_t) (found - r->buffer) - r->start : left;
        int status;

        if (length > r->longest)
            return at_error_set(err, AT_INPUT, "%s:%zu: the line is longer than %zu bytes",
                                r->path, r->number + 1, r->longest);
        if (found != NULL || r->ended) {
            *newline = r->start + length;
            return AT_OK;
        }
        seen = left;
        status = refill(r, err);
        if (status != AT_OK)
            return status;
    }
}

int at_reader_line(at_reader *r, char **line, size_t *length, at_error *err)
{
    size_t newline = 0;
    int status = find_line(r, &newline, err);

    *line = NULL;
    *length = 0;
    if (status != AT_OK || (r->ended && r->start == r->end))
        return status;
    *line = r->buffer + r->start;
    *length = newline - r->start;
    r->start = newline < r->end ? newline + 1 : newline;
    if (*length > 0 && newline < r->end && r->newline == '\n' && (*line)[*length - 1] == '\r')
        --*length;
    (*line)[*length] = '\0';   /* over the CR, the newline, or the spare byte */
    if (r->number++ == 0 && *length >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0) {
        *line += 3;
        *length -= 3;
    }
    return AT_OK;
}

size_t at_reader_line_number(const at_reader *r)
{
    return r->number;
}

void at_reader_close(at_reader *r)
{
    if (r == NULL)
        return;
    at_input_close(r->input);
    free(r->path);
    free(r->buffer);
    free(r);
}
