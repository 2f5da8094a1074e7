/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random rationals that like corner cases. */
#include "attest/theory/flint/random.h"

void at_random_fmpq(fmpq_t c, at_random *r, slong size, slong denominator, int wide)
{
    slong q = at_random_between(r, 1, denominator);

    switch (at_random_below(r, 8)) {
    case 0:
        fmpq_zero(c);
        return;
    case 1:
        fmpq_set_si(c, at_random_below(r, 2) ? 1 : -1, 1);
        return;
    case 2:
        fmpq_set_si(c, at_random_below(r, 2) ? size : -size, 1);
        return;
    case 3:
        if (wide) {
            fmpq_set_si(c, at_random_between(r, -9, 9), 7);
            if (at_random_below(r, 2))
                fmpq_mul_2exp(c, c, 20);
            else
                fmpq_div_2exp(c, c, 20);
            return;
        }
        break;
    default:
        break;
    }
    fmpq_set_si(c, at_random_between(r, -size * q, size * q), (ulong) q);
}

/* One matrix in eight is zero, one in eight has equal rows, one in eight equal entries. */
void at_random_fmpq_mat(fmpq_mat_t a, at_random *r, slong size, slong denominator, int wide)
{
    slong rows = fmpq_mat_nrows(a), cols = fmpq_mat_ncols(a), shape = at_random_below(r, 8);

    for (slong i = 0; i < rows; i++) {
        for (slong j = 0; j < cols; j++) {
            if (shape == 0)
                fmpq_zero(fmpq_mat_entry(a, i, j));
            else if (shape == 1 && i > 0)
                fmpq_set(fmpq_mat_entry(a, i, j), fmpq_mat_entry(a, 0, j));
            else if (shape == 2 && i + j > 0)
                fmpq_set(fmpq_mat_entry(a, i, j), fmpq_mat_entry(a, 0, 0));
            else
                at_random_fmpq(fmpq_mat_entry(a, i, j), r, size, denominator, wide);
        }
    }
}
