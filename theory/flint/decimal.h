/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as decimal text, rounded outward, and rationals from text. */
#ifndef ATTEST_THEORY_FLINT_DECIMAL_H
#define ATTEST_THEORY_FLINT_DECIMAL_H

#include "attest/theory/flint/compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x rounded down (up = 0) or up (up = 1) to about `digits` significant decimal digits, such as
 * "-0.38", "12" or "3.2e-40"; exact where that is enough.  malloc'ed; NULL when out of memory. */
char *at_fmpq_get_decimal(const fmpq_t x, slong digits, int up);

/* The lower (up = 0) or upper end of the ball, rounded outward.  NULL also where the end is not
 * finite or its exponent has more than a few digits. */
char *at_arb_get_decimal(const arb_t x, slong digits, int up);

/* Reads "3", "-1/2", "0.25": 0; -1 (x untouched) when text is anything else. */
int at_fmpq_set_text(fmpq_t x, const char *text);

#ifdef __cplusplus
}
#endif

#endif
