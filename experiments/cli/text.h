/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to the terminal. */
#ifndef ATTEST_EXPERIMENTS_CLI_TEXT_H
#define ATTEST_EXPERIMENTS_CLI_TEXT_H

/* Text on standard output in lines of at most 79 columns, each indented. */
void at_print_wrapped(const char *text, int indent);

#endif
