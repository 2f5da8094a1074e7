/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a fact's expression, written out for a certificate: whoever recomputes the expression
 * must find the same digits, so that no number in it can be altered unnoticed. */
#ifndef ATTEST_THEORY_CLAIM_FACT_VALUE_H
#define ATTEST_THEORY_CLAIM_FACT_VALUE_H

#include <stdbool.h>
#include "attest/theory/flint/compat.h"

enum { AT_FACT_DIGITS = 50 };

/* An expression of rationals and decimals with + − * / ^ (integer powers, or e to a rational),
 * parentheses, e, exp( ), log( ), sqrt( ).  False when malformed; z is then unspecified. */
bool at_fact_eval(arb_t z, const char *expression, slong prec);

/* The value rounded to AT_FACT_DIGITS significant digits, as "-123…e-49": an integer and a power of
 * ten; "0" for an exact 0.  NULL when malformed, not finite, or too near 0 or a rounding boundary to
 * tell.  Freed by flint_free. */
char *at_fact_decimal(const char *expression);

#endif
