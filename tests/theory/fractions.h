/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random elements and fractions of Q(e^Q) for the suites of theory/expq. */
#ifndef ATTEST_TESTS_THEORY_FRACTIONS_H
#define ATTEST_TESTS_THEORY_FRACTIONS_H

#include "attest/theory/expq/expq.h"
#include "tests/at_check.h"

static inline void random_fmpq(fmpq_t c, at_test_random *r, unsigned bits)
{
    fmpq_set_si(c, at_test_integer(r, bits), (ulong) at_test_between(r, 1, 12));
}

/* Up to four terms; a few bases, now and then exponents far apart. */
static inline void random_expq(at_expq_t x, at_test_random *r)
{
    fmpq_t c, e;
    at_expq_t term;
    long terms = at_test_between(r, 0, 4);

    fmpq_init(c), fmpq_init(e), at_expq_init(term);
    at_expq_zero(x);
    for (long k = 0; k < terms; k++) {
        random_fmpq(c, r, 6);
        random_fmpq(e, r, at_test_below(r, 20) == 0 ? 40 : 3);
        at_expq_set_term(term, c, e);
        at_expq_add(x, x, term);
    }
    fmpq_clear(c), fmpq_clear(e), at_expq_clear(term);
}

static inline void random_expqf(at_expqf_t x, at_test_random *r)
{
    at_expq_t num, den;

    at_expq_init(num), at_expq_init(den);
    random_expq(num, r);
    do
        random_expq(den, r);
    while (at_expq_is_zero(den));
    at_expqf_set_frac(x, num, den);
    at_expq_clear(num), at_expq_clear(den);
}

#define EXPECT_FRACTION(r, condition, x, y) \
    do { \
        char *x_ = at_expqf_get_str(x), *y_ = at_expqf_get_str(y); \
        AT_EXPECT(r, condition, "x = %s, y = %s", x_, y_); \
        flint_free(x_); \
        flint_free(y_); \
    } while (0)

/* Exponents in twelfths, so that dense polynomials serve. */
static inline void random_dense(at_expqf_t x, at_test_random *r)
{
    at_expq_t part[2], term;
    fmpq_t c, e;

    at_expq_init(part[0]), at_expq_init(part[1]), at_expq_init(term), fmpq_init(c), fmpq_init(e);
    for (int s = 0; s < 2; s++) {
        long terms = at_test_between(r, 0, 6);
        for (long k = 0; k < terms || (s == 1 && at_expq_is_zero(part[s])); k++) {
            random_fmpq(c, r, 5);
            fmpq_set_si(e, at_test_between(r, -24, 24), 12);
            at_expq_set_term(term, c, e);
            at_expq_add(part[s], part[s], term);
        }
    }
    at_expqf_set_frac(x, part[0], part[1]);
    at_expq_clear(part[0]), at_expq_clear(part[1]), at_expq_clear(term);
    fmpq_clear(c), fmpq_clear(e);
}

#endif
