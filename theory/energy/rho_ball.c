/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ρ in balls. */
#include "attest/theory/energy/rho_ball.h"

/* ---- The table ------------------------------------------------------------- */

/* ρ = −e^{−z}, w = e^{−z}. */
static void exp_eval(arb_ptr value, arb_ptr weight, const arb_t z, slong prec)
{
    arb_t e;
    arb_init(e);
    arb_neg(e, z);
    arb_exp(e, e, prec);
    if (value != NULL)
        arb_neg(value, e);
    if (weight != NULL)
        arb_swap(weight, e);
    arb_clear(e);
}

static void exp_change(arb_t change, const arb_t z, const arb_t weight, const arb_t dz, slong prec)
{
    (void) z;
    arb_neg(change, dz);
    arb_expm1(change, change, prec);
    arb_mul(change, change, weight, prec);
    arb_neg(change, change);
}

/* ρ = log(2 + z), w = 1/(2 + z). */
static void log_eval(arb_ptr value, arb_ptr weight, const arb_t z, slong prec)
{
    arb_t s;
    arb_init(s);
    arb_add_ui(s, z, 2, prec);
    if (value != NULL)
        arb_log(value, s, prec);
    if (weight != NULL)
        arb_inv(weight, s, prec);
    arb_clear(s);
}

static void log_change(arb_t change, const arb_t z, const arb_t weight, const arb_t dz, slong prec)
{
    (void) z;
    arb_mul(change, dz, weight, prec);
    arb_log1p(change, change, prec);
}

/* ρ = √(1 + z), w = 1/(2√(1 + z)). */
static void sqrt_eval(arb_ptr value, arb_ptr weight, const arb_t z, slong prec)
{
    arb_t s;
    arb_init(s);
    arb_add_ui(s, z, 1, prec);
    arb_sqrt(s, s, prec);
    if (weight != NULL) {
        arb_inv(weight, s, prec);
        arb_mul_2exp_si(weight, weight, -1);
    }
    if (value != NULL)
        arb_swap(value, s);
    arb_clear(s);
}

static void sqrt_change(arb_t change, const arb_t z, const arb_t weight, const arb_t dz, slong prec)
{
    arb_t before, after;
    (void) weight;
    arb_init(before);
    arb_init(after);
    arb_add(after, z, dz, prec);
    arb_add_ui(after, after, 1, prec);
    arb_sqrt(after, after, prec);
    arb_add_ui(before, z, 1, prec);
    arb_sqrt(before, before, prec);
    arb_add(before, before, after, prec);
    arb_div(change, dz, before, prec);
    arb_clear(before);
    arb_clear(after);
}

/* ρ = z/(1 + z), w = 1/(1 + z)². */
static void ratio_eval(arb_ptr value, arb_ptr weight, const arb_t z, slong prec)
{
    arb_t s;
    arb_init(s);
    arb_add_ui(s, z, 1, prec);
    if (value != NULL)
        arb_div(value, z, s, prec);
    if (weight != NULL) {
        arb_inv(s, s, prec);
        arb_mul(weight, s, s, prec);
    }
    arb_clear(s);
}

static void ratio_change(arb_t change, const arb_t z, const arb_t weight, const arb_t dz,
                         slong prec)
{
    arb_t before, after;
    (void) weight;
    arb_init(before);
    arb_init(after);
    arb_add_ui(before, z, 1, prec);
    arb_add(after, before, dz, prec);
    arb_mul(before, before, after, prec);
    arb_div(change, dz, before, prec);
    arb_clear(before);
    arb_clear(after);
}

typedef struct {
    void (*eval)(arb_ptr value, arb_ptr weight, const arb_t z, slong prec);
    void (*change)(arb_t change, const arb_t z, const arb_t weight, const arb_t dz, slong prec);
} rho_functions;

static const rho_functions table[AT_RHO_COUNT] = {
    [AT_RHO_EXP] = { exp_eval, exp_change },
    [AT_RHO_LOG] = { log_eval, log_change },
    [AT_RHO_SQRT] = { sqrt_eval, sqrt_change },
    [AT_RHO_RATIO] = { ratio_eval, ratio_change },
};

/* ---- Formulas -------------------------------------------------------------- */

/* Value and derivative, forward: f and g are the two topmost of the stack. */
typedef struct { arb_t value, slope; } jet;

static void jet_mul(jet *f, const jet *g, slong prec)
{
    arb_mul(f->slope, f->slope, g->value, prec);
    arb_addmul(f->slope, f->value, g->slope, prec);
    arb_mul(f->value, f->value, g->value, prec);
}

static void jet_div(jet *f, const jet *g, slong prec)
{
    /* (f/g)' = (f' − (f/g) g')/g */
    arb_div(f->value, f->value, g->value, prec);
    arb_submul(f->slope, f->value, g->slope, prec);
    arb_div(f->slope, f->slope, g->value, prec);
}

static void jet_pow(jet *f, int power, slong prec)
{
    arb_t t;
    fmpz_t k;
    arb_init(t);
    fmpz_init(k);
    fmpz_set_si(k, (slong) power - 1);
    if (power == 0) {
        arb_one(f->value);
        arb_zero(f->slope);
    } else {
        arb_pow_fmpz(t, f->value, k, prec);
        arb_mul(f->slope, f->slope, t, prec);
        arb_mul_si(f->slope, f->slope, power, prec);
        fmpz_set_si(k, power);
        arb_pow_fmpz(f->value, f->value, k, prec);
    }
    arb_clear(t);
    fmpz_clear(k);
}

static void jet_function(jet *f, enum at_formula_op op, slong prec)
{
    switch (op) {
    case AT_FORMULA_EXP:
        arb_exp(f->value, f->value, prec);
        arb_mul(f->slope, f->slope, f->value, prec);
        break;
    case AT_FORMULA_LOG:
        arb_div(f->slope, f->slope, f->value, prec);
        arb_log(f->value, f->value, prec);
        break;
    default: /* √ */
        arb_sqrt(f->value, f->value, prec);
        arb_div(f->slope, f->slope, f->value, prec);
        arb_mul_2exp_si(f->slope, f->slope, -1);
    }
}

static void jet_operate(jet *f, const jet *g, enum at_formula_op op, slong prec)
{
    switch (op) {
    case AT_FORMULA_ADD:
        arb_add(f->value, f->value, g->value, prec);
        arb_add(f->slope, f->slope, g->slope, prec);
        break;
    case AT_FORMULA_SUB:
        arb_sub(f->value, f->value, g->value, prec);
        arb_sub(f->slope, f->slope, g->slope, prec);
        break;
    case AT_FORMULA_MUL:
        jet_mul(f, g, prec);
        break;
    default:
        jet_div(f, g, prec);
    }
}

static void formula_eval(arb_ptr value, arb_ptr weight, const arb_t z, const at_formula *formula,
                         slong prec)
{
    jet stack[AT_FORMULA_STACK];
    size_t top = 0;   /* the number of entries in use */
    for (size_t k = 0; k < AT_FORMULA_STACK; k++) {
        arb_init(stack[k].value);
        arb_init(stack[k].slope);
    }
    for (size_t k = 0; k < formula->length; k++) {
        const at_formula_step *step = &formula->code[k];
        switch (step->op) {
        case AT_FORMULA_CONST:
            if (arb_set_str(stack[top].value, step->text, prec) != 0)
                arb_indeterminate(stack[top].value);
            arb_zero(stack[top++].slope);
            break;
        case AT_FORMULA_Z:
            arb_set(stack[top].value, z);
            arb_one(stack[top++].slope);
            break;
        case AT_FORMULA_NEG:
            arb_neg(stack[top - 1].value, stack[top - 1].value);
            arb_neg(stack[top - 1].slope, stack[top - 1].slope);
            break;
        case AT_FORMULA_POW:
            jet_pow(&stack[top - 1], step->power, prec);
            break;
        case AT_FORMULA_EXP: case AT_FORMULA_LOG: case AT_FORMULA_SQRT:
            jet_function(&stack[top - 1], step->op, prec);
            break;
        case AT_FORMULA_ADD: case AT_FORMULA_SUB: case AT_FORMULA_MUL: case AT_FORMULA_DIV:
            jet_operate(&stack[top - 2], &stack[top - 1], step->op, prec);
            top--;
            break;
        }
    }
    if (value != NULL)
        arb_swap(value, stack[0].value);
    if (weight != NULL)
        arb_swap(weight, stack[0].slope);
    for (size_t k = 0; k < AT_FORMULA_STACK; k++) {
        arb_clear(stack[k].value);
        arb_clear(stack[k].slope);
    }
}

/* The sharper of ρ(z') − ρ(z) and ρ'([z, z'])·dz. */
static void formula_change(arb_t change, const arb_t z, const arb_t dz, const at_formula *formula,
                           slong prec)
{
    arb_t after, hull, slope, other;
    if (arb_is_zero(dz)) {
        arb_zero(change);
        return;
    }
    arb_init(after);
    arb_init(hull);
    arb_init(slope);
    arb_init(other);
    arb_add(after, z, dz, prec);
    arb_nonnegative_part(after, after);
    arb_union(hull, z, after, prec);
    arb_nonnegative_part(hull, hull);
    formula_eval(NULL, slope, hull, formula, prec);
    arb_mul(change, slope, dz, prec);
    formula_eval(slope, NULL, after, formula, prec);
    formula_eval(other, NULL, z, formula, prec);
    arb_sub(other, slope, other, prec);
    if (!arb_is_finite(change)
        || (arb_is_finite(other) && mag_cmp(arb_radref(other), arb_radref(change)) < 0))
        arb_swap(change, other);
    arb_clear(after);
    arb_clear(hull);
    arb_clear(slope);
    arb_clear(other);
}

/* ---- The door -------------------------------------------------------------- */

void at_rho_ball_eval(arb_ptr value, arb_ptr weight, const arb_t z, const at_rho_ball *rho,
                      slong prec)
{
    if (rho->id >= 0)
        table[rho->id].eval(value, weight, z, prec);
    else
        formula_eval(value, weight, z, rho->formula, prec);
}

void at_rho_ball_change(arb_t change, const arb_t z, const arb_t weight, const arb_t dz,
                        const at_rho_ball *rho, slong prec)
{
    if (rho->id >= 0)
        table[rho->id].change(change, z, weight, dz, prec);
    else
        formula_change(change, z, dz, rho->formula, prec);
}
