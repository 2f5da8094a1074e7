/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates of energy descent: the problem is set up exactly once, then tried with the
 * precision doubled until its sign is decided. */
#include "attest/theory/energy/energy.h"

#include "attest/theory/energy/problem.h"

enum { FIRST_PRECISION = 64 };

const char *at_energy_outcome_name(enum at_energy_outcome outcome)
{
    static const char *const names[] = { "undecided", "descends", "rises", "ties" };
    return names[outcome];
}

/* ---- Energies -------------------------------------------------------------- */

/* sum = ⟨x, y⟩, exactly. */
static void dyadic_inner(arb_t sum, const at_dyadic_t x, const at_dyadic_t y)
{
    fmpz_t total;
    fmpz_init(total);
    for (slong i = 0; i < at_dyadic_rows(x); i++)
        for (slong c = 0; c < at_dyadic_cols(x); c++)
            fmpz_addmul(total, fmpz_mat_entry(x->m, i, c), fmpz_mat_entry(y->m, i, c));
    arb_set_fmpz(sum, total);
    arb_mul_2exp_si(sum, sum, x->exp + y->exp);
    fmpz_clear(total);
}

/* energy += E_2(Y) = ½⟨Y, Y(I + S)⟩ − ⟨Y, B⟩ + ½‖B‖² = ½⟨Y, G⟩ − ½⟨Y, B⟩ + ½‖B‖². */
static void add_ffn_energy(arb_t energy, const at_energy_problem *p, slong prec)
{
    arb_t term, total;
    arb_init(term);
    arb_init(total);
    dyadic_inner(total, p->Y, p->gradient);
    dyadic_inner(term, p->Y, p->bias);
    arb_sub(total, total, term, prec);
    dyadic_inner(term, p->bias, p->bias);
    arb_add(total, total, term, prec);
    arb_mul_2exp_si(total, total, -1);
    arb_add(energy, energy, total, prec);
    arb_clear(term);
    arb_clear(total);
}

static void energy_before(arb_t energy, const at_energy_problem *p, slong prec)
{
    arb_t term, pin;
    arb_init(term);
    arb_init(pin);
    arb_zero(energy);
    for (slong h = 0; h < p->count; h++) {
        at_energy_value(term, &p->heads[h], &p->rho, prec);
        arb_add(energy, energy, term, prec);
    }
    if (p->pin != 0) {
        dyadic_inner(term, p->offset, p->offset);
        arb_set_d(pin, p->pin / 2);
        arb_addmul(energy, term, pin, prec);
    }
    if (p->has_ffn)
        add_ffn_energy(energy, p, prec);
    arb_clear(term);
    arb_clear(pin);
}

static void energy_change(arb_t change, const at_energy_problem *p, slong prec)
{
    slong width = at_dyadic_cols(p->heads[0].values);
    arb_mat_struct *weights = flint_malloc(2 * (size_t) p->count * sizeof *weights);
    arb_mat_struct *deltas = weights + p->count;
    arb_mat_t delta;
    arb_t term, pin;
    arb_init(term);
    arb_init(pin);
    arb_mat_init(delta, p->n, p->d);
    for (slong h = 0; h < p->count; h++) {
        arb_mat_init(&weights[h], p->n, p->n);
        arb_mat_init(&deltas[h], p->n, width);
        at_energy_weights(&weights[h], &p->heads[h], &p->rho, prec);
    }
    at_problem_deltas(deltas, delta, p, weights, prec);
    arb_zero(change);
    for (slong h = 0; h < p->count; h++)
        at_energy_add_change(change, &p->heads[h], &weights[h], &deltas[h], p->twins, &p->rho,
                             prec);
    if (p->pin != 0) {
        arb_set_d(pin, p->pin);
        at_energy_add_quadratic(term, p->offset, NULL, &deltas[0], prec);
        arb_addmul(change, term, pin, prec);
    }
    if (p->has_ffn)
        at_energy_add_quadratic(change, p->gradient, p->fixed->hessian_balls, delta, prec);
    for (slong h = 0; h < p->count; h++) {
        arb_mat_clear(&weights[h]);
        arb_mat_clear(&deltas[h]);
    }
    flint_free(weights);
    arb_mat_clear(delta);
    arb_clear(term);
    arb_clear(pin);
}

/* ---- Deciding -------------------------------------------------------------- */

/* Steps whose change is known without balls; true when change was set (exactly). */
static bool exact_change(arb_t change, const at_energy_problem *p)
{
    enum at_step_id step = p->layer->step;
    arb_zero(change);
    if (step == AT_STEP_NO_SELF || (step == AT_STEP_JACOBI && p->layer->lambda == 0))
        return p->n <= 2;              /* one row stays, two rows change places */
    if (step == AT_STEP_SPHERE)
        return at_problem_sphere_ties(p);
    if (p->half != AT_HALF_ATTENTION)
        return false;
    if (step == AT_STEP_IDENTITY)
        return true;
    if (step != AT_STEP_PERMUTATION)
        return false;
    /* E_ρ, tr(Y W_f Y^T) and ‖Y‖² do not see a permutation: what remains is ⟨Y − PY, B⟩ */
    at_dyadic_t moved;
    at_dyadic_init(moved, p->n, p->d);
    moved->exp = p->Y->exp;
    for (slong i = 0; i < p->n; i++)
        for (slong c = 0; c < p->d; c++)
            fmpz_sub(fmpz_mat_entry(moved->m, i, c), fmpz_mat_entry(p->Y->m, i, c),
                     fmpz_mat_entry(p->Y->m, (slong) p->layer->permutation[i], c));
    dyadic_inner(change, moved, p->bias);
    at_dyadic_clear(moved);
    return true;
}

static enum at_energy_outcome outcome_of(const arb_t change)
{
    if (!arb_is_finite(change))
        return AT_STEP_UNDECIDED;
    if (arb_is_zero(change))
        return AT_STEP_TIES;
    if (arb_is_negative(change))
        return AT_STEP_DESCENDS;
    return arb_is_positive(change) ? AT_STEP_RISES : AT_STEP_UNDECIDED;
}

/* bounds[0] ≤ x ≤ bounds[1]. */
static void outer_bounds(double *bounds, const arb_t x)
{
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, x, 64);
    bounds[0] = arf_get_d(end, ARF_RND_FLOOR);
    arb_get_ubound_arf(end, x, 64);
    bounds[1] = arf_get_d(end, ARF_RND_CEIL);
    arf_clear(end);
}

static void decide(at_energy_certificate *certificate, const at_energy_problem *p, slong cap)
{
    arb_t before, after, change;
    arb_init(before);
    arb_init(after);
    arb_init(change);
    slong prec = FIRST_PRECISION;
    bool exact = exact_change(change, p);
    bool sphere = p->layer->step == AT_STEP_SPHERE;
    if (exact) {
        certificate->outcome = outcome_of(change);
    } else {
        for (; prec <= cap; prec *= 2) {
            if (sphere)
                at_problem_sphere(before, change, p, prec);
            else
                energy_change(change, p, prec);
            certificate->outcome = outcome_of(change);
            if (certificate->outcome != AT_STEP_UNDECIDED)
                break;
        }
        exact = certificate->outcome == AT_STEP_TIES;
        prec = FLINT_MIN(prec, cap);
    }
    certificate->precision = exact ? 0 : (long) prec;
    if (!sphere)
        energy_before(before, p, prec);
    else if (exact && at_dyadic_is_zero(p->Y))   /* no direction to enclose: all z = 0 */
        arb_set_d(before, -0.5 * (double) p->n * (double) (p->n - 1));
    else if (exact)
        at_problem_sphere(before, after, p, prec);
    arb_add(after, before, change, prec);
    outer_bounds(certificate->before, before);
    outer_bounds(certificate->after, after);
    outer_bounds(certificate->change, change);
    arb_clear(before);
    arb_clear(after);
    arb_clear(change);
}

int at_energy_certify_step(at_energy_certificate *certificate, const at_energy_layer *layer,
                           enum at_energy_half half, const double *Y, long max_precision,
                           at_error *err)
{
    at_energy_problem problem;
    memset(certificate, 0, sizeof *certificate);
    int status = at_problem_check(layer, half, err);
    if (status != AT_OK)
        return status;
    status = at_problem_init(&problem, layer, half, Y, err);
    if (status == AT_OK)
        decide(certificate, &problem,
               max_precision > 0 ? max_precision : AT_ENERGY_MAX_PRECISION);
    at_problem_clear(&problem);
    return status;
}
