/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counterexamples of one attention step: reading them, and the ball path. */
#include "attest/theory/energy/example_impl.h"

/* ---- Reading --------------------------------------------------------------- */

static slong count_of(const char *text, char mark)
{
    slong count = 1;
    for (; *text != '\0'; text++)
        count += *text == mark;
    return count;
}

bool at_example_matrix(fmpq_mat_t M, const char *text)
{
    char *copy = malloc(strlen(text) + 1), *outer = NULL, *inner = NULL;
    if (copy == NULL)
        return false;
    slong rows = count_of(text, ';'), cols = (count_of(text, ',') - 1) / rows + 1, i = 0;
    bool good = true;
    fmpq_mat_init(M, rows, cols);
    strcpy(copy, text);
    for (char *row = strtok_r(copy, ";", &outer); row != NULL; row = strtok_r(NULL, ";", &outer)) {
        slong j = 0;
        for (char *entry = strtok_r(row, ", ", &inner); entry != NULL && good;
             entry = strtok_r(NULL, ", ", &inner))
            good = i < rows && j < cols
                   && fmpq_set_str(fmpq_mat_entry(M, i, j++), entry, 10) == 0;
        good = good && j == cols;
        i++;
    }
    good = good && i == rows;
    if (!good)
        fmpq_mat_clear(M);
    free(copy);
    return good;
}

/* x = text, or fallback when text is NULL. */
static void set_rational(fmpq_t x, const char *text, slong fallback)
{
    if (text == NULL || fmpq_set_str(x, text, 10) != 0)
        fmpq_set_si(x, fallback, 1);
}

bool at_example_problem_init(at_example_problem *p, const at_example *example)
{
    p->example = example;
    if (!at_example_matrix(p->Y, example->rows))
        return false;
    if (example->weights != NULL && !at_example_matrix(p->W, example->weights)) {
        fmpq_mat_clear(p->Y);
        return false;
    }
    slong d = fmpq_mat_ncols(p->Y);
    if (example->weights == NULL) {
        fmpq_mat_init(p->W, d, d);
        fmpq_mat_one(p->W);
    }
    p->n = fmpq_mat_nrows(p->Y);
    fmpq_mat_init(p->V, p->n, fmpq_mat_ncols(p->W));
    fmpq_mat_mul(p->V, p->Y, p->W);
    fmpq_init(p->keep);
    fmpq_init(p->move);
    fmpq_init(p->pin);
    set_rational(p->keep, example->keep, 0);
    set_rational(p->move, example->move, 1);
    set_rational(p->pin, example->pin, 0);
    return true;
}

void at_example_problem_clear(at_example_problem *p)
{
    fmpq_mat_clear(p->Y);
    fmpq_mat_clear(p->W);
    fmpq_mat_clear(p->V);
    fmpq_clear(p->keep);
    fmpq_clear(p->move);
    fmpq_clear(p->pin);
}

/* ---- The ball path --------------------------------------------------------- */

/* z = ½‖v_i − v_j‖². */
static void ball_distance(arb_t z, const arb_mat_t V, slong i, slong j, slong prec)
{
    arb_t gap;
    arb_init(gap);
    arb_zero(z);
    for (slong c = 0; c < arb_mat_ncols(V); c++) {
        arb_sub(gap, arb_mat_entry(V, i, c), arb_mat_entry(V, j, c), prec);
        arb_addmul(z, gap, gap, prec);
    }
    arb_mul_2exp_si(z, z, -1);
    arb_clear(gap);
}

static void ball_inner(arb_t s, const arb_mat_t A, slong i, const arb_mat_t B, slong j, slong prec)
{
    arb_zero(s);
    for (slong c = 0; c < arb_mat_ncols(A); c++)
        arb_addmul(s, arb_mat_entry(A, i, c), arb_mat_entry(B, j, c), prec);
}

/* The unnormalised attention weight of row i on row j. */
static void ball_weight(arb_t w, const at_example_problem *p, const arb_mat_t V,
                        const arb_mat_t turned, slong i, slong j, slong prec)
{
    arb_t t;
    arb_init(t);
    if (p->example->scores == AT_SCORES_GRAM) {    /* (y_i W^T)·(y_j W^T) − ½‖v_j‖² */
        ball_inner(w, turned, i, turned, j, prec);
        ball_inner(t, V, j, V, j, prec);
        arb_mul_2exp_si(t, t, -1);
        arb_sub(w, w, t, prec);
        arb_exp(w, w, prec);
    } else {
        ball_distance(w, V, i, j, prec);
        if (p->example->rho == AT_RHO_LOG && p->example->scores == AT_SCORES_BETA) {
            arb_add_ui(w, w, 2, prec);
            arb_inv(w, w, prec);
        } else {
            arb_neg(w, w);
            if (p->example->scores == AT_SCORES_PLAIN) {
                ball_inner(t, V, j, V, j, prec);
                arb_mul_2exp_si(t, t, -1);
                arb_add(w, w, t, prec);
            }
            arb_exp(w, w, prec);
        }
    }
    arb_clear(t);
}

static void ball_step(arb_mat_t next, const at_example_problem *p, slong prec)
{
    slong d = fmpq_mat_ncols(p->Y);
    arb_mat_t Y, V, turned, W;
    arb_t w, sum, factor;
    arb_mat_init(Y, p->n, d);
    arb_mat_init(V, p->n, fmpq_mat_ncols(p->W));
    arb_mat_init(W, fmpq_mat_nrows(p->W), fmpq_mat_ncols(p->W));
    arb_mat_init(turned, p->n, fmpq_mat_nrows(p->W));
    arb_init(w);
    arb_init(sum);
    arb_init(factor);
    arb_mat_set_fmpq_mat(Y, p->Y, prec);
    arb_mat_set_fmpq_mat(V, p->V, prec);
    arb_mat_set_fmpq_mat(W, p->W, prec);
    if (p->example->scores == AT_SCORES_GRAM) {
        arb_mat_transpose(W, W);
        arb_mat_mul(turned, Y, W, prec);
    }
    for (slong i = 0; i < p->n; i++) {
        arb_zero(sum);
        for (slong c = 0; c < d; c++)
            arb_zero(arb_mat_entry(next, i, c));
        for (slong j = 0; j < p->n; j++) {
            if (at_example_masked(p, i, j))
                continue;
            ball_weight(w, p, V, turned, i, j, prec);
            arb_add(sum, sum, w, prec);
            for (slong c = 0; c < d; c++)
                arb_addmul(arb_mat_entry(next, i, c), w, arb_mat_entry(Y, j, c), prec);
        }
        for (slong c = 0; c < d; c++) {
            arb_ptr entry = arb_mat_entry(next, i, c);
            arb_div(entry, entry, sum, prec);
            arb_set_fmpq(factor, p->move, prec);
            arb_mul(entry, entry, factor, prec);
            arb_set_fmpq(factor, p->keep, prec);
            arb_addmul(entry, factor, arb_mat_entry(Y, i, c), prec);
        }
    }
    arb_mat_clear(Y);
    arb_mat_clear(V);
    arb_mat_clear(W);
    arb_mat_clear(turned);
    arb_clear(w);
    arb_clear(sum);
    arb_clear(factor);
}

/* Adds the pair's ρ(z), for i < j. */
void at_example_add_rho(arb_t energy, arb_t z, enum at_rho_id rho, slong prec)
{
    if (rho == AT_RHO_LOG) {
        arb_add_ui(z, z, 2, prec);
        arb_log(z, z, prec);
        arb_add(energy, energy, z, prec);
    } else {
        arb_neg(z, z);
        arb_exp(z, z, prec);
        arb_sub(energy, energy, z, prec);
    }
}

static void ball_energy(arb_t energy, const at_example_problem *p, const arb_mat_t V, slong prec)
{
    enum at_example_energy kind = p->example->energy;
    arb_t z, sum;
    arb_init(z);
    arb_init(sum);
    arb_zero(energy);
    for (slong i = 0; i < p->n; i++) {
        arb_zero(sum);
        for (slong j = 0; j < p->n; j++) {
            if (kind == AT_ENERGY_PAIRS) {
                ball_distance(z, V, i, j, prec);
                if (i < j)
                    at_example_add_rho(energy, z, p->example->rho, prec);
                continue;
            }
            if (kind == AT_ENERGY_LSE) {
                ball_distance(z, V, i, j, prec);
                arb_neg(z, z);
            } else {
                ball_inner(z, V, i, V, j, prec);
            }
            arb_exp(z, z, prec);
            arb_add(sum, sum, z, prec);
        }
        if (kind != AT_ENERGY_PAIRS) {
            arb_log(sum, sum, prec);
            arb_sub(energy, energy, sum, prec);
        }
        ball_inner(z, V, i, V, i, prec);
        arb_mul_2exp_si(z, z, -1);
        if (kind == AT_ENERGY_DOT) {
            arb_add(energy, energy, z, prec);
        } else {
            arb_set_fmpq(sum, p->pin, prec);
            arb_addmul(energy, sum, z, prec);
        }
    }
    arb_clear(z);
    arb_clear(sum);
}

/* energy of rows Y W. */
static void ball_energy_of_rows(arb_t energy, const at_example_problem *p, const arb_mat_t Y,
                                slong prec)
{
    arb_mat_t V, W;
    arb_mat_init(V, p->n, fmpq_mat_ncols(p->W));
    arb_mat_init(W, fmpq_mat_nrows(p->W), fmpq_mat_ncols(p->W));
    arb_mat_set_fmpq_mat(W, p->W, prec);
    arb_mat_mul(V, Y, W, prec);
    ball_energy(energy, p, V, prec);
    arb_mat_clear(V);
    arb_mat_clear(W);
}

bool at_example_ball(arb_t before, arb_t after, const at_example *example, slong prec)
{
    at_example_problem p;
    arb_mat_t rows;
    if (!at_example_problem_init(&p, example))
        return false;
    arb_mat_init(rows, p.n, fmpq_mat_ncols(p.Y));
    arb_mat_set_fmpq_mat(rows, p.Y, prec);
    ball_energy_of_rows(before, &p, rows, prec);
    ball_step(rows, &p, prec);
    ball_energy_of_rows(after, &p, rows, prec);
    arb_mat_clear(rows);
    at_example_problem_clear(&p);
    return true;
}
