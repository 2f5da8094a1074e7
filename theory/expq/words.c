/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational matrices of moderate size in machine words. */
#include "attest/theory/expq/words.h"

static at_words words_alloc(slong rows, slong cols)
{
    size_t count = (size_t) FLINT_MAX(rows * cols, 1);

    return (at_words) { rows, cols, 1, flint_malloc(count * sizeof(slong)), true };
}

void at_words_free(at_words *w)
{
    flint_free(w->entries);
}

static bool within(slong c)
{
    return c <= AT_WORD_LIMIT && c >= -AT_WORD_LIMIT;
}

bool at_word_multiply(slong *z, slong x, slong y)
{
    if (x != 0 && FLINT_ABS(y) > AT_WORD_LIMIT / FLINT_ABS(x))
        return false;
    *z = x * y;
    return true;
}

/* ---- Rational matrices as words ------------------------------------------------------------ */

/* Brings entries p[k]/q[k], q[k] > 0, to one denominator. */
static void unite(at_words *w, const slong *q)
{
    slong count = w->rows * w->cols, last = 1, factor = 1;

    for (slong k = 0; w->good && k < count; k++) {
        w->good = within(w->entries[k]) && within(q[k]);
        if (w->good && q[k] != last)
            w->good = at_word_multiply(&w->den, w->den,
                               q[k] / (slong) n_gcd((ulong) w->den, (ulong) q[k]));
        last = q[k];
    }
    last = 0;
    for (slong k = 0; w->good && k < count; k++) {
        if (q[k] != last)
            factor = w->den / q[k];
        last = q[k];
        w->good = at_word_multiply(w->entries + k, w->entries[k], factor);
    }
}

static void get_word(slong *z, bool *good, const fmpz_t c)
{
    *good = *good && !COEFF_IS_MPZ(*c);
    *z = *good ? *c : 1;
}

/* p/q for entry k. */
static void take_fmpq(at_words *w, slong *q, slong k, const fmpq *c)
{
    get_word(w->entries + k, &w->good, fmpq_numref(c));
    get_word(q + k, &w->good, fmpq_denref(c));
}

at_words at_words_from_fmpq(const fmpq *c, slong rows, slong cols)
{
    at_words w = words_alloc(rows, cols);
    slong *q = flint_malloc((size_t) FLINT_MAX(rows * cols, 1) * sizeof *q);

    for (slong k = 0; k < rows * cols; k++)
        take_fmpq(&w, q, k, c + k);
    unite(&w, q);
    flint_free(q);
    return w;
}

at_words at_words_from_fmpq_mat(const fmpq_mat_t a)
{
    at_words w = words_alloc(fmpq_mat_nrows(a), fmpq_mat_ncols(a));
    slong *q = flint_malloc((size_t) FLINT_MAX(w.rows * w.cols, 1) * sizeof *q);

    for (slong i = 0; i < w.rows; i++)
        for (slong j = 0; j < w.cols; j++)
            take_fmpq(&w, q, i * w.cols + j, fmpq_mat_entry(a, i, j));
    unite(&w, q);
    flint_free(q);
    return w;
}

at_words at_words_from_expqf(const at_expqf_struct *x, slong rows, slong cols)
{
    at_words w = words_alloc(rows, cols);
    slong *q = flint_malloc((size_t) FLINT_MAX(rows * cols, 1) * sizeof *q);

    for (slong k = 0; k < rows * cols; k++) {
        w.entries[k] = 0;
        q[k] = 1;
        if (at_expqf_is_zero(x + k))
            continue;
        w.good = w.good && x[k].num.length == 1 && fmpz_is_zero(x[k].num.exps)
                 && at_expq_is_one(&x[k].den);
        if (w.good) {
            get_word(w.entries + k, &w.good, x[k].num.coeffs);
            get_word(q + k, &w.good, x[k].num.den);
        }
    }
    unite(&w, q);
    flint_free(q);
    return w;
}

/* ---- Products ------------------------------------------------------------------------------ */

static slong largest(const at_words *a)
{
    slong most = 1;

    for (slong k = 0; a->good && k < a->rows * a->cols; k++)
        most = FLINT_MAX(most, FLINT_ABS(a->entries[k]));
    return most;
}

at_words at_words_product(const at_words *a, const at_words *b, bool transposed)
{
    at_words c = words_alloc(a->rows, transposed ? b->rows : b->cols);
    slong across = transposed ? 1 : b->cols, down = transposed ? b->cols : 1, bound = 0;

    c.good = a->good && b->good && at_word_multiply(&bound, largest(a), largest(b))
             && at_word_multiply(&bound, bound, FLINT_MAX(a->cols, 1)) && at_word_multiply(&c.den, a->den, b->den);
    for (slong i = 0; c.good && i < c.rows; i++) {
        for (slong j = 0; j < c.cols; j++) {
            const slong *x = a->entries + i * a->cols, *y = b->entries + j * down;
            slong sum = 0;
            for (slong k = 0; k < a->cols; k++)
                sum += x[k] * y[k * across];
            c.entries[i * c.cols + j] = sum;
        }
    }
    return c;
}

void at_words_add_row(at_words *a, const at_words *b)
{
    slong common = (slong) n_gcd((ulong) a->den, (ulong) b->den), x = 0, y = 0;

    if (b->rows == 0 || !a->good)
        return;
    slong times = b->den / common, other = a->den / common;
    a->good = b->good && at_word_multiply(&a->den, a->den, times);
    for (slong k = 0; a->good && k < a->rows * a->cols; k++) {
        a->good = at_word_multiply(&x, a->entries[k], times)
                  && at_word_multiply(&y, b->entries[k % a->cols], other) && within(x + y);
        a->entries[k] = x + y;
    }
}

void at_words_scale(at_words *a, const fmpz_t p, const fmpz_t q)
{
    slong times, over;

    get_word(&times, &a->good, p);
    get_word(&over, &a->good, q);
    a->good = a->good && within(times) && within(over) && at_word_multiply(&a->den, a->den, over);
    for (slong k = 0; a->good && times != 1 && k < a->rows * a->cols; k++)
        a->good = at_word_multiply(a->entries + k, a->entries[k], times);
}
