/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names that options take, a list a line: `attest --list KIND`, which shell completion reads. */
#ifndef ATTEST_EXPERIMENTS_CLI_LISTS_H
#define ATTEST_EXPERIMENTS_CLI_LISTS_H

#include <stdio.h>

/* Writes the names of a kind, one a line; without a kind, the kinds.  AT_USAGE with a message on
 * standard error when there is no such kind. */
int at_print_list(FILE *out, const char *kind);

#endif
