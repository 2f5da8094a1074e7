/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files behind seqfun.h share. */
#ifndef ATTEST_CORE_SEQFUN_IMPL_H
#define ATTEST_CORE_SEQFUN_IMPL_H

#include <stdbool.h>
#include "attest/core/seqfun.h"

enum { AT_MOST_DIGITS = 200 };   /* of one number in a formula */

/* "p" or "p/q" in lowest terms from the digits of p (overwritten) and a denominator 10^places;
 * at most AT_MOST_DIGITS of each.  malloc'ed; NULL when out of memory. */
char *at_decimal_reduce(char *p, size_t places);

/* Compiles a formula into a cleared fun, whose code is the caller's to clear even upon failure.
 * *unknown_name: the failure is a name that formulas do not know. */
int at_seqfun_compile(at_seqfun *fun, const char *formula, bool *unknown_name, at_error *err);

#endif
