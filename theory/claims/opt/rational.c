/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax steps and their energies in ℚ. */
#include "attest/theory/claims/opt/opt.h"

static void rational_distance(fmpq_t z, const fmpq_mat_t Y, slong i, slong j)
{
    fmpq_t gap;
    fmpq_init(gap);
    fmpq_zero(z);
    for (slong c = 0; c < fmpq_mat_ncols(Y); c++) {
        fmpq_sub(gap, fmpq_mat_entry(Y, i, c), fmpq_mat_entry(Y, j, c));
        fmpq_addmul(z, gap, gap);
    }
    fmpq_div_2exp(z, z, 1);
    fmpq_clear(gap);
}

void at_opt_rational_step(fmpq_mat_t next, const fmpq_mat_t Y, unsigned k)
{
    slong n = fmpq_mat_nrows(Y), d = fmpq_mat_ncols(Y);
    fmpq_t w, sum;
    fmpq_init(w);
    fmpq_init(sum);
    for (slong i = 0; i < n; i++) {
        fmpq_zero(sum);
        for (slong c = 0; c < d; c++)
            fmpq_zero(fmpq_mat_entry(next, i, c));
        for (slong j = 0; j < n; j++) {
            rational_distance(w, Y, i, j);
            if (k == 0) {                     /* 1/(2 + z) */
                fmpq_add_si(w, w, 2);
                fmpq_inv(w, w);
            } else {                          /* z^{k−1}, the factor k cancels */
                fmpq_pow_si(w, w, (slong) k - 1);
            }
            fmpq_add(sum, sum, w);
            for (slong c = 0; c < d; c++)
                fmpq_addmul(fmpq_mat_entry(next, i, c), w, fmpq_mat_entry(Y, j, c));
        }
        for (slong c = 0; c < d && !fmpq_is_zero(sum); c++)
            fmpq_div(fmpq_mat_entry(next, i, c), fmpq_mat_entry(next, i, c), sum);
    }
    fmpq_clear(w);
    fmpq_clear(sum);
}

void at_opt_rational_energy(fmpq_t energy, const fmpq_mat_t Y, unsigned k)
{
    fmpq_t z;
    fmpq_init(z);
    fmpq_set_si(energy, k == 0, 1);
    for (slong i = 0; i < fmpq_mat_nrows(Y); i++)
        for (slong j = i + 1; j < fmpq_mat_nrows(Y); j++) {
            rational_distance(z, Y, i, j);
            if (k == 0) {
                fmpq_add_si(z, z, 2);
                fmpq_mul(energy, energy, z);
            } else {
                fmpq_pow_si(z, z, (slong) k);
                fmpq_add(energy, energy, z);
            }
        }
    fmpq_clear(z);
}
