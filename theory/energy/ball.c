/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention weights and the change of each energy, in balls. */
#include "attest/theory/energy/ball.h"

void at_energy_head_init(at_energy_head *head, const at_dyadic_t Y, const at_dyadic_struct *W)
{
    slong n = at_dyadic_rows(Y), k = W == NULL ? at_dyadic_cols(Y) : at_dyadic_cols(W);
    at_dyadic_init(head->values, n, k);
    at_dyadic_init(head->centred, n, k);
    at_dyadic_init(head->distances, n, n);
    if (W == NULL)
        at_dyadic_set(head->values, Y);
    else
        at_dyadic_mul(head->values, Y, W);
    if (n > 0)
        at_dyadic_centre(head->centred, head->values);
    at_dyadic_half_distances(head->distances, head->centred);
}

void at_energy_head_clear(at_energy_head *head)
{
    at_dyadic_clear(head->values);
    at_dyadic_clear(head->centred);
    at_dyadic_clear(head->distances);
}

void at_energy_weights(arb_mat_t weights, const at_energy_head *head, const at_rho_ball *rho,
                       slong prec)
{
    slong n = arb_mat_nrows(weights);
    arb_t z;
    arb_init(z);
    for (slong i = 0; i < n; i++)
        for (slong j = i; j < n; j++) {
            at_dyadic_get_arb(z, head->distances, i, j);
            at_rho_ball_eval(NULL, arb_mat_entry(weights, i, j), z, rho, prec);
            if (j > i)
                arb_set(arb_mat_entry(weights, j, i), arb_mat_entry(weights, i, j));
        }
    arb_clear(z);
}

static bool same_rows(const at_dyadic_t x, slong i, slong j)
{
    for (slong c = 0; c < at_dyadic_cols(x); c++)
        if (!fmpz_equal(fmpz_mat_entry(x->m, i, c), fmpz_mat_entry(x->m, j, c)))
            return false;
    return true;
}

/* laplace = w − diag, where equal rows do not pull on each other: their weight would only drown
 * the others'.  sum_i = Σ_{j≠i} w_ij, equal rows included. */
static void fill_laplace(arb_mat_t laplace, arb_ptr sum, const arb_mat_t weights,
                         const at_dyadic_t centred, slong prec)
{
    slong n = arb_mat_nrows(weights);
    for (slong i = 0; i < n; i++) {
        arb_ptr pulled = arb_mat_entry(laplace, i, i);
        arb_zero(pulled);
        arb_zero(sum + i);
        for (slong j = 0; j < n; j++) {
            if (j == i)
                continue;
            arb_add(sum + i, sum + i, arb_mat_entry(weights, i, j), prec);
            if (same_rows(centred, i, j))
                continue;
            arb_set(arb_mat_entry(laplace, i, j), arb_mat_entry(weights, i, j));
            arb_sub(pulled, pulled, arb_mat_entry(weights, i, j), prec);
        }
    }
}

void at_energy_pull(arb_mat_t pull, arb_ptr sum, const arb_mat_t weights,
                    const at_dyadic_t centred, slong prec)
{
    slong n = arb_mat_nrows(weights);
    arb_mat_t laplace, rows;
    arb_mat_init(laplace, n, n);
    arb_mat_init(rows, n, at_dyadic_cols(centred));
    fill_laplace(laplace, sum, weights, centred, prec);
    at_dyadic_get_arb_mat(rows, centred);
    if (at_dyadic_is_zero(centred))
        arb_mat_zero(pull);   /* exactly: equal rows tie */
    else
        arb_mat_mul(pull, laplace, rows, prec);
    arb_mat_clear(laplace);
    arb_mat_clear(rows);
}

void at_energy_value(arb_t energy, const at_energy_head *head, const at_rho_ball *rho, slong prec)
{
    slong n = at_dyadic_rows(head->values);
    arb_t z, value;
    arb_init(z);
    arb_init(value);
    arb_zero(energy);
    for (slong i = 0; i < n; i++)
        for (slong j = i + 1; j < n; j++) {
            at_dyadic_get_arb(z, head->distances, i, j);
            at_rho_ball_eval(value, NULL, z, rho, prec);
            arb_add(energy, energy, value, prec);
        }
    arb_clear(z);
    arb_clear(value);
}

void at_arb_mat_mul_transposed(arb_mat_t out, const arb_mat_t A, const arb_mat_t B, slong prec)
{
    arb_mat_t transpose;
    arb_mat_init(transpose, arb_mat_ncols(B), arb_mat_nrows(B));
    arb_mat_transpose(transpose, B);
    arb_mat_mul(out, A, transpose, prec);
    arb_mat_clear(transpose);
}

void at_energy_add_change(arb_t change, const at_energy_head *head, const arb_mat_t weights,
                          const arb_mat_t delta, const slong *twins, const at_rho_ball *rho,
                          slong prec)
{
    slong n = arb_mat_nrows(delta), k = arb_mat_ncols(delta);
    arb_mat_t middle, Q;
    arb_t z, dz, term;
    if (arb_mat_is_zero(delta))
        return;
    arb_mat_init(middle, n, k);
    arb_mat_init(Q, n, n);
    arb_init(z);
    arb_init(dz);
    arb_init(term);
    for (slong i = 0; i < n; i++)
        for (slong c = 0; c < k; c++) {
            arb_mul_2exp_si(dz, arb_mat_entry(delta, i, c), -1);
            at_dyadic_get_arb(z, head->centred, i, c);
            arb_add(arb_mat_entry(middle, i, c), z, dz, prec);
        }
    at_arb_mat_mul_transposed(Q, middle, delta, prec);
    for (slong i = 0; i < n; i++)
        for (slong j = i + 1; j < n; j++) {
            if (twins[i] == twins[j])
                continue;
            arb_add(dz, arb_mat_entry(Q, i, i), arb_mat_entry(Q, j, j), prec);
            arb_sub(dz, dz, arb_mat_entry(Q, i, j), prec);
            arb_sub(dz, dz, arb_mat_entry(Q, j, i), prec);
            at_dyadic_get_arb(z, head->distances, i, j);
            at_rho_ball_change(term, z, arb_mat_entry(weights, i, j), dz, rho, prec);
            arb_add(change, change, term, prec);
        }
    arb_mat_clear(middle);
    arb_mat_clear(Q);
    arb_clear(z);
    arb_clear(dz);
    arb_clear(term);
}

void at_energy_add_quadratic(arb_t change, const at_dyadic_t gradient, const arb_mat_struct *M,
                             const arb_mat_t delta, slong prec)
{
    slong n = arb_mat_nrows(delta), k = arb_mat_ncols(delta);
    arb_mat_t bent;
    arb_t term;
    arb_mat_init(bent, n, k);
    arb_init(term);
    if (M == NULL)
        arb_mat_set(bent, delta);
    else
        arb_mat_mul(bent, delta, M, prec);
    for (slong i = 0; i < n; i++)
        for (slong c = 0; c < k; c++) {
            arb_mul_2exp_si(arb_mat_entry(bent, i, c), arb_mat_entry(bent, i, c), -1);
            at_dyadic_get_arb(term, gradient, i, c);
            arb_add(term, term, arb_mat_entry(bent, i, c), prec);
            arb_addmul(change, term, arb_mat_entry(delta, i, c), prec);
        }
    arb_mat_clear(bent);
    arb_clear(term);
}
