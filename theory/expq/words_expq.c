/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of softmax attention whose numbers fit machine words: sums over one sorted list of
 * exponents, reduced together. */
#include "attest/theory/expq/impl.h"

/* Rows up to that many tokens are sorted by insertion. */
enum { FEW = 48 };

/* A column over the norm: zero, a rational multiple of it, known to be reduced, not known. */
enum kind { ZERO, RATIONAL, REDUCED, OPEN };

/* The row's sums while they are made: column c < cols a numerator, column cols the norm. */
typedef struct {
    slong groups;        /* distinct exponents */
    slong step;          /* of the places, over base */
    slong base;
    fmpz_t den;          /* of all numerators */
    slong *keys;         /* tokens by exponent: exponent less the lowest, then the token */
    fmpz *sums;          /* cols + 1 columns of count */
    ulong *places;       /* likewise; before zeros are dropped the last column holds them all */
    at_places *columns;
    enum kind *kinds;    /* cols */
} row_sums;

static int by_word(const void *a, const void *b)
{
    slong x = *(const slong *) a, y = *(const slong *) b;

    return (x > y) - (x < y);
}

static void sort_words(slong *keys, slong count)
{
    if (count > FEW) {
        qsort(keys, (size_t) count, sizeof *keys, by_word);
        return;
    }
    for (slong k = 1; k < count; k++) {
        slong key = keys[k], at = k;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

static slong word_gcd(slong a, slong b)
{
    return (slong) n_gcd((ulong) FLINT_ABS(a), (ulong) FLINT_ABS(b));
}

static void sums_init(row_sums *s, const at_word_row *row)
{
    slong cells = (row->cols + 1) * row->count;
    size_t words = (size_t) (row->count + 2 * cells);

    /* one block: keys, sums, places, columns, marks */
    char *block = flint_malloc(words * sizeof(slong)
                               + (size_t) (row->cols + 1) * sizeof *s->columns
                               + (size_t) row->cols * sizeof *s->kinds);
    s->columns = (at_places *) block;
    s->keys = (slong *) (s->columns + row->cols + 1);
    s->sums = (fmpz *) s->keys + row->count;
    s->places = (ulong *) s->sums + cells;
    s->kinds = (enum kind *) (s->places + cells);
    memset(s->sums, 0, (size_t) cells * sizeof *s->sums);
    fmpz_init_set_si(s->den, row->den);
}

static void sums_clear(row_sums *s)
{
    fmpz_clear(s->den);
    flint_free(s->columns);
}

/* Sums over equal exponents; the last column's places hold exponents less the lowest. */
static void collect(row_sums *s, const at_word_row *row)
{
    slong lowest = row->exps[0], last = -1;
    fmpz *norm = s->sums + row->cols * row->count;
    ulong *places = s->places + row->cols * row->count;

    for (slong j = 1; j < row->count; j++)
        lowest = FLINT_MIN(lowest, row->exps[j]);
    for (slong j = 0; j < row->count; j++)
        s->keys[j] = ((row->exps[j] - lowest) << AT_WORD_COUNT_BITS) + j;
    sort_words(s->keys, row->count);
    for (slong k = 0; k < row->count; k++) {
        ulong exponent = (ulong) s->keys[k] >> AT_WORD_COUNT_BITS;
        slong token = s->keys[k] & ((WORD(1) << AT_WORD_COUNT_BITS) - 1);
        const slong *terms = row->terms + token * row->stride;
        if (last < 0 || exponent != places[last])
            places[++last] = exponent;
        norm[last] += row->weights == NULL ? 1 : row->weights[token];
        for (slong c = 0; c < row->cols; c++)
            s->sums[c * row->count + last] += terms[c];
    }
    s->groups = last + 1;
}

/* The norm made primitive; places divided by their common step. */
static void scale(row_sums *s, const at_word_row *row)
{
    fmpz *norm = s->sums + row->cols * row->count;
    ulong *places = s->places + row->cols * row->count;
    slong content = norm[0], step = 0;

    for (slong k = 1; k < s->groups && content != 1; k++)
        content = word_gcd(content, norm[k]);
    for (slong k = 0; k < s->groups && content != 1; k++)
        norm[k] /= content;
    if (content != 1)
        fmpz_mul_si(s->den, s->den, content);
    for (slong k = 1; k < s->groups && step != 1; k++)
        step = word_gcd(step, (slong) places[k]);
    for (slong k = 1; k < s->groups && step != 1; k++)
        places[k] /= (ulong) step;
    slong common = word_gcd(row->base, step);   /* gcd(base, 0) = base: one group */
    s->step = step / common;
    s->base = row->base / common;
}

/* The columns as polynomials without their zeros. */
static void drop_zeros(row_sums *s, const at_word_row *row)
{
    const ulong *all = s->places + row->cols * row->count;

    for (slong c = 0; c < row->cols; c++) {
        fmpz *coeffs = s->sums + c * row->count;
        ulong *places = s->places + c * row->count;
        slong kept = 0;
        for (slong k = 0; k < s->groups; k++) {
            places[kept] = all[k];
            coeffs[kept] = coeffs[k];
            kept += coeffs[k] != 0;
        }
        s->columns[c] = (at_places) { kept, places, coeffs };
    }
    s->columns[row->cols] = (at_places) { s->groups, all, s->sums + row->cols * row->count };
}

/* x = r y for a rational r ≠ 0. */
static bool proportional(const at_places *x, const at_places *y)
{
    if (x->length != y->length)
        return false;
    slong common = word_gcd(x->coeffs[0], y->coeffs[0]);
    slong p = x->coeffs[0] / common, q = y->coeffs[0] / common;
    for (slong k = 1; k < x->length; k++)
        if (x->coeffs[k] % p != 0 || y->coeffs[k] % q != 0
            || x->coeffs[k] / p != y->coeffs[k] / q)
            return false;
    return true;
}

/* Finds out what each column has in common with the norm. */
static void classify(row_sums *s, const at_word_row *row)
{
    const at_places *norm = s->columns + row->cols;
    at_places *open = flint_malloc((size_t) (row->cols + 1) * sizeof *open);
    slong used = 0;

    for (slong c = 0; c < row->cols; c++) {
        const at_places *x = s->columns + c;
        s->kinds[c] = x->length == 0 ? ZERO : proportional(x, norm) ? RATIONAL
                      : x->length == 1 || norm->length == 1 ? REDUCED : OPEN;
        if (s->kinds[c] == OPEN)
            open[used++] = *x;
    }
    /* after a few tries looking at columns apart is cheaper */
    bool all = at_places_coprime(open, used, norm, 3);
    for (slong c = 0; c < row->cols; c++)
        if (s->kinds[c] == OPEN
            && (all || at_places_coprime(s->columns + c, 1, norm, AT_COPRIME_TRIES)))
            s->kinds[c] = REDUCED;
    flint_free(open);
}

/* x = (1/den) Σ p over the row's exponents. */
static void set_column(at_expq_struct *x, const row_sums *s, const at_places *p, const fmpz_t den)
{
    slong base = s->base, common = COEFF_IS_MPZ(*den) ? 0 : *den;

    at_expq_fit(x, p->length);
    for (slong k = 0; k < p->length; k++) {
        fmpz_set_si(x->coeffs + k, p->coeffs[k]);
        fmpz_set_si(x->exps + k, (slong) p->places[k] * s->step);
    }
    x->length = p->length;
    fmpz_set(x->den, den);
    fmpz_set_si(x->base, base);
    /* canonical already, but where zeros were dropped or a denominator is shared */
    for (slong k = 0; k < p->length && base != 1; k++)
        base = word_gcd(base, x->exps[k]);
    for (slong k = 0; k < p->length && common != 1; k++)
        common = word_gcd(common, p->coeffs[k]);
    if (base != 1 || common != 1)
        at_expq_canonicalise(x);
}

/* x = r/den, r the ratio of the column to the norm. */
static void set_ratio(at_expq_struct *x, const row_sums *s, slong p, slong q)
{
    fmpq_t c;

    fmpq_init(c);
    fmpz_set_si(fmpq_numref(c), p);
    fmpz_mul_si(fmpq_denref(c), s->den, q);
    fmpq_canonicalise(c);
    at_expq_set_fmpq(x, c);
    fmpq_clear(c);
}

void at_expqf_softmax_words(at_expqf_struct *out, const at_word_row *row)
{
    static const fmpz one[1] = { 1 };
    row_sums s;

    sums_init(&s, row);
    collect(&s, row);
    scale(&s, row);
    drop_zeros(&s, row);
    classify(&s, row);
    for (slong c = 0; c < row->cols; c++) {
        const at_places *x = s.columns + c, *norm = s.columns + row->cols;
        if (s.kinds[c] == ZERO) {
            at_expqf_zero(out + c);
            continue;
        }
        if (s.kinds[c] == RATIONAL) {
            set_ratio(&out[c].num, &s, x->coeffs[0], norm->coeffs[0]);
            at_expq_one(&out[c].den);
            continue;
        }
        set_column(&out[c].num, &s, x, s.den);
        set_column(&out[c].den, &s, norm, one);
        if (s.kinds[c] == OPEN)
            at_expqf_reduce(out + c);
    }
    sums_clear(&s);
}
