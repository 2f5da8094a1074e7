/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices of dyadic rationals. */
#include "attest/theory/flint/dyadic.h"

#include <limits.h>
#include <math.h>

void at_dyadic_init(at_dyadic_t x, slong rows, slong cols)
{
    fmpz_mat_init(x->m, rows, cols);
    x->exp = 0;
}

void at_dyadic_clear(at_dyadic_t x)
{
    fmpz_mat_clear(x->m);
}

/* c = mantissa · 2^exponent with an odd mantissa (or 0, 0). */
static int64_t split_double(int *exponent, double c)
{
    if (c == 0) {
        *exponent = 0;
        return 0;
    }
    int64_t mantissa = (int64_t) ldexp(frexp(c, exponent), 53);
    *exponent -= 53;
    while (mantissa % 2 == 0) {
        mantissa /= 2;
        ++*exponent;
    }
    return mantissa;
}

static void set_int64(fmpz_t x, int64_t value)
{
    uint64_t size = value < 0 ? -(uint64_t) value : (uint64_t) value;
    fmpz_set_ui(x, (ulong) (size >> 32));
    fmpz_mul_2exp(x, x, 32);
    fmpz_add_ui(x, x, (ulong) (size & UINT64_C(0xffffffff)));
    if (value < 0)
        fmpz_neg(x, x);
}

int at_dyadic_set_d(at_dyadic_t x, const double *values, const char *what, at_error *err)
{
    slong rows = at_dyadic_rows(x), cols = at_dyadic_cols(x);
    int lowest = INT_MAX, exponent;
    for (slong k = 0; k < rows * cols; k++) {
        if (!isfinite(values[k]))
            return at_error_set(err, AT_INPUT, "%s: row %ld, column %ld is not a finite number",
                                what, (long) (k / cols) + 1, (long) (k % cols) + 1);
        if (split_double(&exponent, values[k]) != 0 && exponent < lowest)
            lowest = exponent;
    }
    if (lowest == INT_MAX)
        lowest = 0;
    for (slong k = 0; k < rows * cols; k++) {
        fmpz *entry = fmpz_mat_entry(x->m, k / cols, k % cols);
        int64_t mantissa = split_double(&exponent, values[k]);
        set_int64(entry, mantissa);
        if (mantissa != 0)
            fmpz_mul_2exp(entry, entry, (ulong) (exponent - lowest));
    }
    x->exp = lowest;
    return AT_OK;
}

void at_dyadic_set(at_dyadic_t x, const at_dyadic_t y)
{
    fmpz_mat_set(x->m, y->m);
    x->exp = y->exp;
}

void at_dyadic_one(at_dyadic_t x)
{
    fmpz_mat_one(x->m);
    x->exp = 0;
}

/* z = x + sign·y. */
static void add_signed(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y, int sign)
{
    slong exp = FLINT_MIN(x->exp, y->exp);
    fmpz_t a, b;
    fmpz_init(a);
    fmpz_init(b);
    for (slong i = 0; i < at_dyadic_rows(z); i++)
        for (slong j = 0; j < at_dyadic_cols(z); j++) {
            fmpz_mul_2exp(a, fmpz_mat_entry(x->m, i, j), (ulong) (x->exp - exp));
            fmpz_mul_2exp(b, fmpz_mat_entry(y->m, i, j), (ulong) (y->exp - exp));
            if (sign > 0)
                fmpz_add(fmpz_mat_entry(z->m, i, j), a, b);
            else
                fmpz_sub(fmpz_mat_entry(z->m, i, j), a, b);
        }
    z->exp = exp;
    fmpz_clear(a);
    fmpz_clear(b);
}

void at_dyadic_add(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y)
{
    add_signed(z, x, y, 1);
}

void at_dyadic_sub(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y)
{
    add_signed(z, x, y, -1);
}

void at_dyadic_mul(at_dyadic_t z, const at_dyadic_t x, const at_dyadic_t y)
{
    fmpz_mat_mul(z->m, x->m, y->m);
    z->exp = x->exp + y->exp;
}

void at_dyadic_scale_d(at_dyadic_t z, const at_dyadic_t x, double c)
{
    int exponent;
    fmpz_t factor;
    fmpz_init(factor);
    set_int64(factor, split_double(&exponent, c));
    fmpz_mat_scalar_mul_fmpz(z->m, x->m, factor);
    z->exp = x->exp + exponent;
    fmpz_clear(factor);
}

void at_dyadic_transpose(at_dyadic_t z, const at_dyadic_t x)
{
    fmpz_mat_transpose(z->m, x->m);
    z->exp = x->exp;
}

void at_dyadic_symmetrize(at_dyadic_t z, const at_dyadic_t x)
{
    fmpz_mat_transpose(z->m, x->m);
    fmpz_mat_add(z->m, z->m, x->m);
    z->exp = x->exp - 1;
}

void at_dyadic_centre(at_dyadic_t z, const at_dyadic_t x)
{
    for (slong i = at_dyadic_rows(x) - 1; i >= 0; i--)
        for (slong j = 0; j < at_dyadic_cols(x); j++)
            fmpz_sub(fmpz_mat_entry(z->m, i, j), fmpz_mat_entry(x->m, i, j),
                     fmpz_mat_entry(x->m, 0, j));
    z->exp = x->exp;
}

bool at_dyadic_is_zero(const at_dyadic_t x)
{
    return fmpz_mat_is_zero(x->m);
}

void at_dyadic_half_distances(at_dyadic_t z, const at_dyadic_t x)
{
    slong n = at_dyadic_rows(x);
    fmpz_mat_t transpose, gram;
    fmpz_t sum;
    fmpz_mat_init(transpose, at_dyadic_cols(x), n);
    fmpz_mat_init(gram, n, n);
    fmpz_init(sum);
    fmpz_mat_transpose(transpose, x->m);
    fmpz_mat_mul(gram, x->m, transpose);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j <= i; j++) {
            fmpz_add(sum, fmpz_mat_entry(gram, i, i), fmpz_mat_entry(gram, j, j));
            fmpz_submul_ui(sum, fmpz_mat_entry(gram, i, j), 2);
            fmpz_set(fmpz_mat_entry(z->m, i, j), sum);
            fmpz_set(fmpz_mat_entry(z->m, j, i), sum);
        }
    z->exp = 2 * x->exp - 1;
    fmpz_mat_clear(transpose);
    fmpz_mat_clear(gram);
    fmpz_clear(sum);
}

void at_dyadic_get_arb(arb_t y, const at_dyadic_t x, slong i, slong j)
{
    arb_set_fmpz(y, fmpz_mat_entry(x->m, i, j));
    arb_mul_2exp_si(y, y, x->exp);
}

void at_dyadic_get_arb_mat(arb_mat_t y, const at_dyadic_t x)
{
    for (slong i = 0; i < at_dyadic_rows(x); i++)
        for (slong j = 0; j < at_dyadic_cols(x); j++)
            at_dyadic_get_arb(arb_mat_entry(y, i, j), x, i, j);
}

void at_dyadic_get_fmpq(fmpq_t y, const at_dyadic_t x, slong i, slong j)
{
    fmpq_set_fmpz(y, fmpz_mat_entry(x->m, i, j));
    if (x->exp >= 0)
        fmpq_mul_2exp(y, y, (ulong) x->exp);
    else
        fmpq_div_2exp(y, y, (ulong) -x->exp);
}
