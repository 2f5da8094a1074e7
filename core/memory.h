/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large blocks of memory.  Where the system promises more than it has, malloc succeeds and the
 * process is killed when it writes; what is large is therefore asked for here first. */
#ifndef ATTEST_CORE_MEMORY_H
#define ATTEST_CORE_MEMORY_H

#include <stddef.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that this process may still take: what the system says is available with swap, within the
 * limit of its control group; SIZE_MAX where nothing is known. */
size_t at_memory_available(void);

/* AT_ENVIRONMENT, with both sizes, when the block is larger than what is available.  what names it,
 * as in "the workspace of a network".  Blocks below 256 MiB pass unasked. */
int at_memory_check(size_t bytes, const char *what, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
