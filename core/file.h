/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: written beside and renamed, read line by line, plain or gzip. */
#ifndef ATTEST_CORE_FILE_H
#define ATTEST_CORE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file being written: to PATH.tmp-PID beside its destination (a symbolic link's target stays
 * where it is).  A destination that exists and is no regular file, such as a pipe or /dev/stdout,
 * is written directly: temporary is NULL. */
typedef struct { FILE *stream; char *path; char *temporary; } at_outfile;

int at_outfile_open(at_outfile *out, const char *path, at_error *err) AT_MUST_CHECK;
/* Flushes, fsyncs, renames; upon any failure the destination is untouched, the temporary gone. */
int at_outfile_commit(at_outfile *out, at_error *err) AT_MUST_CHECK;
void at_outfile_discard(at_outfile *out);

/* One call: the whole content. */
int at_file_write(const char *path, const void *bytes, size_t size, at_error *err) AT_MUST_CHECK;
/* Reads all of it (more than limit bytes are AT_INPUT), NUL-terminated beyond *size; gzip is
 * inflated.  Caller frees; NULL upon failure. */
int at_file_read(char **bytes, size_t *size, const char *path, size_t limit,
                 at_error *err) AT_MUST_CHECK;
/* mkdir -p. */
int at_directory_make(const char *path, at_error *err) AT_MUST_CHECK;
/* DIR/NAME, malloc'ed; NULL when out of memory. */
char *at_path_join(const char *directory, const char *name);

/* Lines of a plain or gzip file, of any length up to a limit; a final line without newline
 * counts; CR before LF is removed (or CR alone ends every line), and so is a byte-order mark of UTF-8 at the start.  A
 * truncated or corrupt gzip stream is AT_INPUT, never EOF. */
typedef struct at_reader at_reader;
int at_reader_open(at_reader **reader, const char *path, size_t longest_line,
                   at_error *err) AT_MUST_CHECK;
/* *line points into the reader until the next call (NULL at the end); length excludes the
 * newline. */
int at_reader_line(at_reader *reader, char **line, size_t *length, at_error *err) AT_MUST_CHECK;
size_t at_reader_line_number(const at_reader *reader);
void at_reader_close(at_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
