/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of theory/expq share: room for terms, the canonical form, dense polynomials
 * in t. */
#ifndef ATTEST_THEORY_EXPQ_IMPL_H
#define ATTEST_THEORY_EXPQ_IMPL_H

#include "attest/theory/expq/expq.h"

/* Longest dense product or quotient, in coefficients. */
#define AT_DENSE_PRODUCT (WORD(1) << 22)

/* Room for length terms; those beyond x->length are initialised. */
void at_expq_fit(at_expq_struct *x, slong length);
/* Restores the invariant of sorted distinct exponents: drops zeros, removes common factors. */
void at_expq_canonicalise(at_expq_struct *x);
/* Sorts terms and joins equal exponents, then canonicalises. */
void at_expq_sort(at_expq_struct *x);

/* z = x + c y. */
void at_expq_add_scaled(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y,
                        const fmpq_t c);

/* A lattice that holds the exponents of x and y less their lowest ones, so that both become dense
 * polynomials in one variable u = e^step: step = stride/base.  lengths: degrees + 1, or −1 beyond
 * a slong. */
typedef struct {
    fmpz_t base, stride;
    slong length_x, length_y;
} at_lattice;

void at_lattice_init(at_lattice *l);
void at_lattice_clear(at_lattice *l);
/* x, y ≠ 0. */
void at_lattice_set(at_lattice *l, const at_expq_struct *x, const at_expq_struct *y);
/* base and stride for several x ≠ 0; and the length of one of them there, −1 beyond a slong. */
void at_lattice_cover(at_lattice *l, const at_expq_struct *const *x, slong count);
slong at_lattice_length(const at_lattice *l, const at_expq_struct *x);
/* Place of term k of x, from x's lowest; −1 when it is no slong. */
slong at_lattice_place(const at_lattice *l, const at_expq_struct *x, slong k);
/* Both fit polynomials of at most limit coefficients. */
bool at_lattice_dense(const at_lattice *l, slong limit);
/* x = e^low (content/den) Σ p_k u^k; p gets x's integer coefficients. */
void at_lattice_poly(fmpz_poly_t p, const at_lattice *l, const at_expq_struct *x);
/* x = (1/den) Σ p_k u^k e^{low}, low over l->base. */
void at_lattice_set_expq(at_expq_struct *x, const at_lattice *l, const fmpz_poly_t p,
                         const fmpz_t low, const fmpz_t den);

/* Lowest exponent of x over the lattice's base. */
void at_lattice_lowest(fmpz_t low, const at_lattice *l, const at_expq_struct *x);

/* x → x/g, y → y/g for a common factor g, which is set (of the form of y, a denominator:
 * primitive, lowest exponent 0, positive leading coefficient) when g is not NULL; the greatest one
 * where both are dense. */
void at_expq_remove_common(at_expq_struct *g, at_expq_struct *x, at_expq_struct *y);
/* A polynomial Σ coeffs[k] u^places[k]: places increasing, no coefficient zero, length ≥ 1. */
typedef struct {
    slong length;
    const ulong *places;
    const fmpz *coeffs;
} at_places;

enum { AT_COPRIME_TRIES = 6 };

/* True only if no x[k], k < count, has a factor in common with y but powers of u; false says
 * nothing.  All have two terms or more, y one at place 0.  tries ≤ AT_COPRIME_TRIES. */
bool at_places_coprime(const at_places *x, slong count, const at_places *y, int tries);
/* True only if x and y have no common factor but units; false says nothing. */
bool at_expq_surely_coprime(const at_lattice *l, const at_expq_struct *x, const at_expq_struct *y);
/* The same of each of x[0 ... count − 1] with y, at the price of one; zeros among them are
 * coprime. */
bool at_expq_all_coprime(const at_expq_struct *x, slong count, const at_expq_struct *y);
/* Removes common factors and normalises units; den ≠ 0 (aborts). */
void at_expqf_reduce(at_expqf_struct *x);
/* x[k] = num[k]/den for k < count, each reduced, taking num; den ≠ 0 is normalised on the way. */
void at_expqf_take_fracs(at_expqf_struct *x, at_expq_struct *num, slong count,
                         at_expq_struct *den);
/* As at_expq_divides, but may answer false for a quotient of more than limit terms. */
bool at_expq_divides_limited(at_expq_struct *z, const at_expq_struct *x, const at_expq_struct *y,
                             slong limit);
/* ---- Many sums over the same exponents ----------------------------------------------------- */

/* The exponents of a list of terms, sorted and joined once: term j belongs to group[j]. */
typedef struct {
    slong count, groups;
    slong *group;
    fmpz *exps;
    fmpz_t base;
} at_sums;

void at_sums_init(at_sums *s, const fmpq *r, slong count);
void at_sums_clear(at_sums *s);
/* x = Σ_j c[j] e^{r[j]}. */
void at_sums_set(at_expq_struct *x, const at_sums *s, const fmpq *c);

/* ---- Rows of attention in machine words ---------------------------------------------------- */

/* Every number of a row is at most AT_WORD_LIMIT in absolute value, and its tokens are fewer than
 * 2^AT_WORD_COUNT_BITS, so that sums over tokens are small fmpz. */
#define AT_WORD_COUNT_BITS 20

typedef struct at_word_row {
    slong count, cols;       /* tokens ≥ 1, columns */
    const slong *exps;       /* count, over base */
    slong base;              /* > 0 */
    const slong *weights;    /* count, > 0; NULL: all 1 */
    const slong *terms;      /* token j's, column c: terms[j stride + c], over den */
    slong stride, den;       /* den > 0 */
} at_word_row;

/* out[c] = (1/den) Σ_j terms_jc e^{exps_j/base} / Σ_j weights_j e^{exps_j/base}, reduced. */
void at_expqf_softmax_words(at_expqf_struct *out, const at_word_row *row);

/* Text in the spelling e^(r), or exp(r) where function. */
char *at_expq_text(const at_expq_struct *x, bool function);

/* Precision at which loops that must end give up (exponents beyond any real use). */
#define AT_EXPQ_PRECISION_CAP (WORD(1) << 26)

#endif
