/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of a file, plain or gzip, for the readers of core/. */
#ifndef ATTEST_CORE_INPUT_H
#define ATTEST_CORE_INPUT_H

#include <stddef.h>
#include "attest/core/error.h"

typedef struct at_input at_input;

/* AT_INPUT with the reason for a file that cannot be read, or a folder. */
int at_input_open(at_input **input, const char *path, at_error *err) AT_MUST_CHECK;
/* Up to size bytes; fewer at the end alone.  AT_INPUT for a gzip file that is cut short or damaged:
 * the length and the CRC of every member are compared before its end is told, and nothing but zeros
 * may follow the last. */
int at_input_read(at_input *input, void *bytes, size_t size, size_t *got, at_error *err) AT_MUST_CHECK;
/* Bytes of a plain file; SIZE_MAX where that is not known. */
size_t at_input_size(const at_input *input);
void at_input_close(at_input *input);

#endif
