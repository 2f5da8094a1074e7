/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See input.h.  zlib's gzread is not used: what it makes of a damaged file, an error, plain bytes or an
 * early end, differs between its versions. */
#include "config.h"

#include "attest/core/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, GZIP_ONLY = 15 + 16 };

struct at_input {
    int descriptor;
    char *path;
    size_t size;
    bool gzip, ended;       /* ended: no more bytes in the file itself */
    bool between;           /* gzip: a member ended, the next has not begun */
    z_stream stream;        /* its next_in, avail_in: what of buffer is not yet used */
    unsigned char buffer[CHUNK];
};

/* Fills the buffer behind what is left of it, until it is full or the file ends. */
static int fill(at_input *in, at_error *err)
{
    memmove(in->buffer, in->stream.next_in, in->stream.avail_in);
    in->stream.next_in = in->buffer;
    while (!in->ended && in->stream.avail_in < CHUNK) {
        ssize_t got = read(in->descriptor, in->buffer + in->stream.avail_in,
                           CHUNK - in->stream.avail_in);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return at_error_set(err, AT_INPUT, "%s: cannot be read: %s", in->path, strerror(errno));
        in->ended = got == 0;
        in->stream.avail_in += (unsigned) got;
    }
    return AT_OK;
}

static int begin(at_input *in, at_error *err)
{
    int status = fill(in, err);

    in->gzip = in->stream.avail_in >= 2 && in->buffer[0] == 0x1f && in->buffer[1] == 0x8b;
    if (status == AT_OK && in->gzip && inflateInit2(&in->stream, GZIP_ONLY) != Z_OK) {
        in->gzip = false;
        return at_error_memory(err, in->path);
    }
    if (in->gzip)
        in->size = SIZE_MAX;
    return status;
}

int at_input_open(at_input **input, const char *path, at_error *err)
{
    struct stat info;
    at_input *in = calloc(1, sizeof *in);
    int status = AT_OK;

    *input = NULL;
    if (in == NULL || (in->path = strdup(path)) == NULL) {
        free(in);
        return at_error_memory(err, path);
    }
    in->stream.next_in = in->buffer;
    in->size = SIZE_MAX;
    in->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (in->descriptor < 0)
        status = at_error_set(err, AT_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    else if (fstat(in->descriptor, &info) == 0 && S_ISDIR(info.st_mode))
        status = at_error_set(err, AT_INPUT, "%s: is a folder, a file was expected", path);
    else if (S_ISREG(info.st_mode))
        in->size = (size_t) info.st_size;
    if (status == AT_OK)
        status = begin(in, err);
    if (status != AT_OK) {
        at_input_close(in);
        return status;
    }
    *input = in;
    return AT_OK;
}

static int damaged(const at_input *in, const char *what, at_error *err)
{
    return at_error_set(err, AT_INPUT, "%s: the gzip file is damaged: %s", in->path, what);
}

static int cut_short(const at_input *in, at_error *err)
{
    return at_error_set(err, AT_INPUT, "%s: the gzip file is cut short", in->path);
}

/* Behind a member: another one, zeros as tapes leave them, or the end. */
static int next_member(at_input *in, bool *more, at_error *err)
{
    int status = AT_OK;
    size_t zeros = 0;

    *more = false;
    while (status == AT_OK && (in->stream.avail_in > 0 || !in->ended)) {
        if (in->stream.avail_in < 2 && !in->ended) {
            status = fill(in, err);
        } else if (in->stream.avail_in >= 2 && zeros == 0 && in->stream.next_in[0] == 0x1f
                   && in->stream.next_in[1] == 0x8b) {
            *more = true;
            return inflateReset(&in->stream) == Z_OK ? AT_OK : damaged(in, "no new member", err);
        } else if (in->stream.next_in[0] == 0) {
            in->stream.next_in++;
            in->stream.avail_in--;
            zeros++;
        } else
            return damaged(in, "other bytes follow its end", err);
    }
    return status;
}

static int inflate_some(at_input *in, at_error *err)
{
    int code = inflate(&in->stream, Z_NO_FLUSH);

    switch (code) {
    case Z_STREAM_END: in->between = true; return AT_OK;
    case Z_OK: return AT_OK;
    case Z_BUF_ERROR: return in->ended && in->stream.avail_in == 0 ? cut_short(in, err) : AT_OK;
    case Z_MEM_ERROR: return at_error_memory(err, in->path);
    default: return damaged(in, in->stream.msg != NULL ? in->stream.msg : "no deflate data", err);
    }
}

static int read_gzip(at_input *in, unsigned char *bytes, size_t size, size_t *got, at_error *err)
{
    while (*got < size) {
        size_t want = size - *got < CHUNK ? size - *got : CHUNK;
        bool more;
        int status = AT_OK;

        if (in->between) {
            status = next_member(in, &more, err);
            if (status != AT_OK || !more)
                return status;
            in->between = false;
        }
        if (in->stream.avail_in == 0 && !in->ended)
            status = fill(in, err);
        if (status == AT_OK) {
            in->stream.next_out = bytes + *got;
            in->stream.avail_out = (unsigned) want;
            status = inflate_some(in, err);
            *got += want - in->stream.avail_out;
        }
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

int at_input_read(at_input *in, void *bytes, size_t size, size_t *got, at_error *err)
{
    *got = 0;
    if (in->gzip)
        return read_gzip(in, bytes, size, got, err);
    while (*got < size && (in->stream.avail_in > 0 || !in->ended)) {
        size_t left = size - *got, count = in->stream.avail_in < left ? in->stream.avail_in : left;

        memcpy((char *) bytes + *got, in->stream.next_in, count);
        in->stream.next_in += count;
        in->stream.avail_in -= (unsigned) count;
        *got += count;
        if (*got < size) {
            int status = fill(in, err);
            if (status != AT_OK)
                return status;
        }
    }
    return AT_OK;
}

size_t at_input_size(const at_input *in)
{
    return in->size;
}

void at_input_close(at_input *in)
{
    if (in == NULL)
        return;
    if (in->gzip)
        inflateEnd(&in->stream);
    if (in->descriptor >= 0)
        close(in->descriptor);
    free(in->path);
    free(in);
}
