/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain softmax attention on the sphere, in balls.  The rows u_i = √d y_i/‖y_i‖ are no dyadic
 * numbers; all have norm √d, so z_ij = d − u_i·u_j and β is the same for all rows. */
#include "attest/theory/energy/problem.h"

/* +1 or −1 when row i is a positive or negative multiple of the first one, else 0; pivot is a
 * column where the first row is not 0. */
static int parallel(const at_dyadic_struct *Y, slong i, slong pivot)
{
    const fmpz *first = fmpz_mat_entry(Y->m, 0, pivot), *scale = fmpz_mat_entry(Y->m, i, pivot);
    int sign = fmpz_sgn(scale) * fmpz_sgn(first);
    fmpz_t left, right;
    fmpz_init(left);
    fmpz_init(right);
    for (slong c = 0; c < at_dyadic_cols(Y) && sign != 0; c++) {
        fmpz_mul(left, fmpz_mat_entry(Y->m, i, c), first);
        fmpz_mul(right, fmpz_mat_entry(Y->m, 0, c), scale);
        if (!fmpz_equal(left, right))
            sign = 0;
    }
    fmpz_clear(left);
    fmpz_clear(right);
    return sign;
}

/* same rows u, other rows −u: row u goes to a multiple of skip (same + other e) + same − other e,
 * e = e^{−2d}; is that positive? */
static bool keeps_its_side(slong same, slong other, slong d, double skip)
{
    enum { PRECISION = 128 };
    arb_t far, factor, kept;
    arb_init(far);
    arb_init(factor);
    arb_init(kept);
    arb_set_si(far, -2 * d);
    arb_exp(far, far, PRECISION);
    arb_mul_si(far, far, other, PRECISION);
    arb_add_si(kept, far, same, PRECISION);
    arb_set_d(factor, skip);
    arb_mul(kept, kept, factor, PRECISION);
    arb_add_si(kept, kept, same, PRECISION);
    arb_sub(kept, kept, far, PRECISION);
    bool positive = arb_is_positive(kept);
    arb_clear(far);
    arb_clear(factor);
    arb_clear(kept);
    return positive;
}

bool at_problem_sphere_ties(const at_energy_problem *p)
{
    const at_dyadic_struct *Y = p->Y;
    slong pivot = 0, same = 1, other = 0;
    if (p->n <= 1)
        return true;
    while (pivot < p->d && fmpz_is_zero(fmpz_mat_entry(Y->m, 0, pivot)))
        pivot++;
    if (pivot == p->d)
        return at_dyadic_is_zero(Y);
    for (slong i = 1; i < p->n; i++) {
        int sign = parallel(Y, i, pivot);
        if (sign == 0)
            return false;
        if (sign > 0)
            same++;
        else
            other++;
    }
    return other == 0 || (keeps_its_side(same, other, p->d, p->layer->alpha)
                          && keeps_its_side(other, same, p->d, p->layer->alpha));
}

/* Each row times √d over its norm. */
static void normalise(arb_mat_t rows, slong prec)
{
    slong d = arb_mat_ncols(rows);
    arb_t norm, root;
    arb_init(norm);
    arb_init(root);
    arb_set_si(root, d);
    arb_sqrt(root, root, prec);
    for (slong i = 0; i < arb_mat_nrows(rows); i++) {
        arb_zero(norm);
        for (slong c = 0; c < d; c++)
            arb_addmul(norm, arb_mat_entry(rows, i, c), arb_mat_entry(rows, i, c), prec);
        arb_sqrt(norm, norm, prec);
        arb_div(norm, root, norm, prec);
        for (slong c = 0; c < d; c++)
            arb_mul(arb_mat_entry(rows, i, c), arb_mat_entry(rows, i, c), norm, prec);
    }
    arb_clear(norm);
    arb_clear(root);
}

/* next = RMSNorm(alpha U + softmax(U U^T) U); weights e^{−z_ij} serve, since β is constant. */
static void attend(arb_mat_t next, const arb_mat_t U, const arb_mat_t weights, double skip,
                   slong prec)
{
    slong n = arb_mat_nrows(U);
    arb_t sum, factor;
    arb_init(sum);
    arb_init(factor);
    arb_mat_mul(next, weights, U, prec);
    for (slong i = 0; i < n; i++) {
        /* skip·u_i·Σ_j w_ij + Σ_j w_ij u_j: the same direction, without a division */
        arb_zero(sum);
        for (slong j = 0; j < n; j++)
            arb_add(sum, sum, arb_mat_entry(weights, i, j), prec);
        arb_set_d(factor, skip);
        arb_mul(factor, factor, sum, prec);
        for (slong c = 0; c < arb_mat_ncols(U); c++)
            arb_addmul(arb_mat_entry(next, i, c), factor, arb_mat_entry(U, i, c), prec);
    }
    normalise(next, prec);
    arb_clear(sum);
    arb_clear(factor);
}

/* weights_ij = e^{u_i·u_j − d}, and energy = −Σ_{i<j} of them. */
static void energy_of(arb_t energy, arb_mat_t weights, const arb_mat_t U, slong prec)
{
    slong n = arb_mat_nrows(U);
    at_arb_mat_mul_transposed(weights, U, U, prec);
    arb_zero(energy);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            arb_ptr w = arb_mat_entry(weights, i, j);
            arb_sub_si(w, w, arb_mat_ncols(U), prec);
            if (i == j)
                arb_zero(w);
            arb_exp(w, w, prec);
            if (j > i)
                arb_sub(energy, energy, w, prec);
        }
}

void at_problem_sphere(arb_t before, arb_t change, const at_energy_problem *p, slong prec)
{
    arb_mat_t U, next, weights;
    arb_t after;
    arb_mat_init(U, p->n, p->d);
    arb_mat_init(next, p->n, p->d);
    arb_mat_init(weights, p->n, p->n);
    arb_init(after);
    at_dyadic_get_arb_mat(U, p->Y);
    normalise(U, prec);
    energy_of(before, weights, U, prec);
    attend(next, U, weights, p->layer->alpha, prec);
    energy_of(after, weights, next, prec);
    arb_sub(change, after, before, prec);
    arb_mat_clear(U);
    arb_mat_clear(next);
    arb_mat_clear(weights);
    arb_clear(after);
}
