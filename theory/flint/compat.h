/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one door to FLINT: bridges FLINT 2.9 + Arb 2.23 + Calcium 0.4 and FLINT >= 3.
 *
 * Every source file of theory/ includes this header first and no other header of FLINT.
 * What the two worlds spell differently has one name here, beginning with at_.  Avoid what
 * only one of them has: fmpz_mpoly_q, arb_nint, mat->rows, the _mpz and _mpq setters,
 * flint_printf("%{...}"), golden numbers from flint_rand_t.  Installed, since the public headers
 * of theory/ speak of FLINT's types; it therefore asks the compiler, not config.h, which world
 * it is in, and looks for FLINT 3 first because a machine may have both. */
#ifndef ATTEST_THEORY_FLINT_COMPAT_H
#define ATTEST_THEORY_FLINT_COMPAT_H

/* From FLINT 3.2 on, prototypes with FILE, mpz_t and mpfr_t exist only if these came first. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>
#include <mpfr.h>

#include <flint/flint.h>
#include <flint/ulong_extras.h>
#include <flint/fmpz.h>
#include <flint/fmpz_vec.h>
#include <flint/fmpq.h>
#include <flint/fmpq_vec.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_factor.h>
#include <flint/fmpq_poly.h>
#include <flint/fmpz_poly_q.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpq_mat.h>
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>
#include <flint/fmpq_mpoly.h>
#include <flint/fmpq_mpoly_factor.h>
#include <flint/arith.h>

#if __has_include(<flint/arb.h>)
#include <flint/mag.h>
#include <flint/arf.h>
#include <flint/arb.h>
#include <flint/arb_calc.h>
#include <flint/arb_fmpz_poly.h>
#include <flint/arb_hypgeom.h>
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#include <flint/acb.h>
#include <flint/acb_mat.h>
#include <flint/acb_poly.h>
#else
#include <mag.h>
#include <arf.h>
#include <arb.h>
#include <arb_calc.h>
#include <arb_fmpz_poly.h>
#include <arb_hypgeom.h>
#include <arb_mat.h>
#include <arb_poly.h>
#include <acb.h>
#include <acb_mat.h>
#include <acb_poly.h>
#endif

#if __has_include(<flint/qqbar.h>)
#include <flint/qqbar.h>
#elif defined(__cplusplus)
/* Calcium 0.4's header is no C++: only its type, so that other headers can name it. */
typedef struct { fmpz_poly_struct poly; acb_struct enclosure; } qqbar_struct;
typedef qqbar_struct qqbar_t[1];
#elif __has_include(<calcium/qqbar.h>)
#include <calcium/qqbar.h>
#else
#include <qqbar.h>
#endif

/* Random state: two names for one thing.  The streams differ between versions, so it serves
 * only FLINT's own randtest functions, never data that a test compares. */
static inline void at_flint_rand_init(flint_rand_t state)
{
#if __FLINT_RELEASE >= 30200
    flint_rand_init(state);
#else
    flint_randinit(state);
#endif
}

/* The end of at_flint_rand_init. */
static inline void at_flint_rand_clear(flint_rand_t state)
{
#if __FLINT_RELEASE >= 30200
    flint_rand_clear(state);
#else
    flint_randclear(state);
#endif
}

/* value = f(point); returns 0 and leaves value alone where the denominator vanishes.
 * The library's own evaluation changed its name and its argument type between versions. */
static inline int at_fmpz_poly_q_evaluate_fmpq(fmpq_t value, const fmpz_poly_q_t f,
                                               const fmpq_t point)
{
    fmpq_t num, den;
    int defined;

    fmpq_init(num);
    fmpq_init(den);
    fmpz_poly_evaluate_fmpq(den, fmpz_poly_q_denref(f), point);
    defined = !fmpq_is_zero(den);
    if (defined) {
        fmpz_poly_evaluate_fmpq(num, fmpz_poly_q_numref(f), point);
        fmpq_div(value, num, den);
    }
    fmpq_clear(num);
    fmpq_clear(den);
    return defined;
}

#endif
