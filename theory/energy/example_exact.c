/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counterexamples of one attention step: the exact path. */
#include "attest/theory/energy/example_impl.h"

#include "attest/theory/expq/expq.h"

/* x = ⟨row i of A, row j of B⟩. */
static void row_inner(fmpq_t x, const fmpq_mat_t A, slong i, const fmpq_mat_t B, slong j)
{
    fmpq_zero(x);
    for (slong c = 0; c < fmpq_mat_ncols(A); c++)
        fmpq_addmul(x, fmpq_mat_entry(A, i, c), fmpq_mat_entry(B, j, c));
}

/* ---- The exact path -------------------------------------------------------- */

/* weight = e^{logit}, or 1/(2 + z): the same weights up to a factor of row i. */
static void exact_weight(at_expqf_t weight, const at_example_problem *p, slong i, slong j)
{
    fmpq_t s, t;
    fmpq_init(s);
    fmpq_init(t);
    if (p->example->scores == AT_SCORES_GRAM) {
        fmpq_mat_t WT, P, YP;
        slong d = fmpq_mat_nrows(p->W);
        fmpq_mat_init(WT, fmpq_mat_ncols(p->W), d);
        fmpq_mat_init(P, fmpq_mat_ncols(p->W), fmpq_mat_ncols(p->W));
        fmpq_mat_init(YP, p->n, fmpq_mat_ncols(p->W));
        fmpq_mat_transpose(WT, p->W);
        fmpq_mat_mul(P, WT, p->W);
        fmpq_mat_mul(YP, p->Y, P);
        row_inner(s, YP, i, p->Y, j);
        fmpq_mat_clear(WT);
        fmpq_mat_clear(P);
        fmpq_mat_clear(YP);
    } else {
        row_inner(s, p->V, i, p->V, j);
    }
    row_inner(t, p->V, j, p->V, j);
    fmpq_div_2exp(t, t, 1);
    if (p->example->scores != AT_SCORES_PLAIN)
        fmpq_sub(s, s, t);
    if (p->example->rho == AT_RHO_LOG && p->example->scores == AT_SCORES_BETA) {
        row_inner(t, p->V, i, p->V, i);
        fmpq_div_2exp(t, t, 1);
        fmpq_sub(s, t, s);             /* z_ij */
        fmpq_add_si(s, s, 2);
        fmpq_inv(s, s);
        at_expqf_set_fmpq(weight, s);
    } else {
        at_expqf_set_exp(weight, s);
    }
    fmpq_clear(s);
    fmpq_clear(t);
}

static void exact_step(at_expqf_mat_t next, const at_example_problem *p)
{
    slong d = fmpq_mat_ncols(p->Y);
    at_expqf_t weight, sum;
    at_expqf_init(weight);
    at_expqf_init(sum);
    for (slong i = 0; i < p->n; i++) {
        at_expqf_zero(sum);
        for (slong j = 0; j < p->n; j++) {
            if (at_example_masked(p, i, j))
                continue;
            exact_weight(weight, p, i, j);
            at_expqf_add(sum, sum, weight);
            for (slong c = 0; c < d; c++)
                at_expqf_addmul_fmpq(at_expqf_mat_entry(next, i, c), weight,
                                     fmpq_mat_entry(p->Y, j, c));
        }
        for (slong c = 0; c < d; c++) {
            at_expqf_struct *entry = at_expqf_mat_entry(next, i, c);
            at_expqf_div(entry, entry, sum);
            at_expqf_mul_fmpq(entry, entry, p->move);
            at_expqf_one(weight);
            at_expqf_mul_fmpq(weight, weight, fmpq_mat_entry(p->Y, i, c));
            at_expqf_addmul_fmpq(entry, weight, p->keep);
        }
    }
    at_expqf_clear(weight);
    at_expqf_clear(sum);
}

/* The energy of V from its Gram matrix: z_ij = ½g_ii + ½g_jj − g_ij. */
static void gram_energy(arb_t energy, const at_example_problem *p, const arb_mat_t V, slong prec)
{
    arb_mat_t transpose, g;
    arb_t z, half, sum;
    enum at_example_energy kind = p->example->energy;
    arb_mat_init(transpose, arb_mat_ncols(V), p->n);
    arb_mat_init(g, p->n, p->n);
    arb_init(z);
    arb_init(half);
    arb_init(sum);
    arb_mat_transpose(transpose, V);
    arb_mat_mul(g, V, transpose, prec);
    arb_mat_trace(energy, g, prec);
    arb_mul_2exp_si(energy, energy, -1);
    if (kind != AT_ENERGY_DOT) {
        arb_set_fmpq(z, p->pin, prec);
        arb_mul(energy, energy, z, prec);
    }
    for (slong i = 0; i < p->n; i++) {
        arb_zero(sum);
        for (slong j = kind == AT_ENERGY_PAIRS ? i + 1 : 0; j < p->n; j++) {
            arb_set(z, arb_mat_entry(g, i, j));
            if (kind != AT_ENERGY_DOT) {
                arb_add(half, arb_mat_entry(g, i, i), arb_mat_entry(g, j, j), prec);
                arb_mul_2exp_si(half, half, -1);
                arb_sub(z, z, half, prec);
            }
            if (kind == AT_ENERGY_PAIRS) {
                arb_neg(z, z);
                at_example_add_rho(energy, z, p->example->rho, prec);
            } else {
                arb_exp(z, z, prec);
                arb_add(sum, sum, z, prec);
            }
        }
        if (kind != AT_ENERGY_PAIRS) {
            arb_log(sum, sum, prec);
            arb_sub(energy, energy, sum, prec);
        }
    }
    arb_mat_clear(transpose);
    arb_mat_clear(g);
    arb_clear(z);
    arb_clear(half);
    arb_clear(sum);
}

bool at_example_exact(arb_t before, arb_t after, const at_example *example, slong bits)
{
    at_example_problem p;
    at_expqf_mat_t next;
    arb_mat_t rows, V, W;
    if (!at_example_problem_init(&p, example))
        return false;
    slong d = fmpq_mat_ncols(p.Y);
    at_expqf_mat_init(next, p.n, d);
    arb_mat_init(rows, p.n, d);
    arb_mat_init(V, p.n, fmpq_mat_ncols(p.W));
    arb_mat_init(W, fmpq_mat_nrows(p.W), fmpq_mat_ncols(p.W));
    arb_mat_set_fmpq_mat(W, p.W, bits);
    arb_mat_set_fmpq_mat(V, p.V, bits);
    gram_energy(before, &p, V, bits);
    exact_step(next, &p);
    for (slong i = 0; i < p.n; i++)
        for (slong c = 0; c < d; c++)
            at_expqf_get_arb(arb_mat_entry(rows, i, c), at_expqf_mat_entry(next, i, c), bits);
    arb_mat_mul(V, rows, W, bits);
    gram_energy(after, &p, V, bits);
    at_expqf_mat_clear(next);
    arb_mat_clear(rows);
    arb_mat_clear(V);
    arb_mat_clear(W);
    at_example_problem_clear(&p);
    return true;
}
