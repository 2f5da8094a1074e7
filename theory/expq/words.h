/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational matrices of moderate size as integers in machine words over one denominator. */
#ifndef ATTEST_THEORY_EXPQ_WORDS_H
#define ATTEST_THEORY_EXPQ_WORDS_H

#include "attest/theory/expq/expq.h"

/* No number may be larger in absolute value. */
#define AT_WORD_LIMIT (WORD(1) << 40)

/* entries/den, row by row, den > 0.  good: all numbers were within the limit; while it is false the
 * contents mean nothing, and what is made of them is not good either.  Freed by at_words_free. */
typedef struct {
    slong rows, cols, den;
    slong *entries;
    bool good;
} at_words;

at_words at_words_from_fmpq(const fmpq *c, slong rows, slong cols);
at_words at_words_from_fmpq_mat(const fmpq_mat_t a);
/* Of fractions; not good unless all are rational numbers. */
at_words at_words_from_expqf(const at_expqf_struct *x, slong rows, slong cols);
void at_words_free(at_words *w);

/* a b, or a b^T. */
at_words at_words_product(const at_words *a, const at_words *b, bool transposed);
/* Every row of a += the row b, if it has one. */
void at_words_add_row(at_words *a, const at_words *b);
/* a *= p/q, q > 0. */
void at_words_scale(at_words *a, const fmpz_t p, const fmpz_t q);
/* *z = x y where that is within the limit, as |x| and |y| are; false otherwise. */
bool at_word_multiply(slong *z, slong x, slong y);

#endif
