/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Concavity of a formula, by bisection: see rho_concave.h. */
#include "attest/theory/energy/rho_concave.h"

#include <math.h>
#include <stdbool.h>

#include "attest/theory/flint/compat.h"

/* Coefficients of a Taylor polynomial; bits; intervals looked at, and their halvings in a row. */
enum { TERMS = 3, BITS = 64, MOST_INTERVALS = 20000, DEEPEST = 60 };

/* FLINT ends the program where a series is divided by the exact zero. */
static void avoid_zero(arb_poly_t f)
{
    arb_t none;

    if (arb_poly_length(f) > 0)
        return;
    arb_init(none);
    arb_indeterminate(none);
    arb_poly_set_coeff_arb(f, 0, none);
    arb_clear(none);
}

static void power(arb_poly_t f, int exponent)
{
    if (exponent < 0) {
        avoid_zero(f);
        arb_poly_inv_series(f, f, TERMS, BITS);
    }
    arb_poly_pow_ui_trunc_binexp(f, f, (ulong) (exponent < 0 ? -(long) exponent : exponent), TERMS,
                                 BITS);
}

static void operate(arb_poly_t f, arb_poly_t g, enum at_formula_op op)
{
    switch (op) {
    case AT_FORMULA_ADD: arb_poly_add(f, f, g, BITS); break;
    case AT_FORMULA_SUB: arb_poly_sub(f, f, g, BITS); break;
    case AT_FORMULA_MUL: arb_poly_mullow(f, f, g, TERMS, BITS); break;
    case AT_FORMULA_EXP: arb_poly_exp_series(f, f, TERMS, BITS); break;
    case AT_FORMULA_LOG: arb_poly_log_series(f, f, TERMS, BITS); break;
    case AT_FORMULA_SQRT: arb_poly_sqrt_series(f, f, TERMS, BITS); break;
    case AT_FORMULA_NEG: arb_poly_neg(f, f); break;
    default:
        avoid_zero(g);
        arb_poly_div_series(f, f, g, TERMS, BITS);
    }
}

/* slope ∋ ρ'(z) and curvature ∋ ρ''(z)/2 for all z of the ball; both indeterminate where ρ, or a part
 * of it, may be undefined (log of the constant −1 has a derivative that is exactly 0). */
static void enclose(arb_t slope, arb_t curvature, const at_formula *rho, const arb_t z)
{
    arb_poly_t stack[AT_FORMULA_STACK];
    size_t top = 0;
    bool defined = true;
    arb_t number;

    arb_init(number);
    for (size_t k = 0; k < AT_FORMULA_STACK; k++)
        arb_poly_init(stack[k]);
    for (size_t k = 0; k < rho->length; k++) {
        const at_formula_step *step = &rho->code[k];

        switch (step->op) {
        case AT_FORMULA_CONST:
            if (arb_set_str(number, step->text, BITS) != 0)
                arb_indeterminate(number);
            arb_poly_zero(stack[top]);
            arb_poly_set_coeff_arb(stack[top++], 0, number);
            break;
        case AT_FORMULA_Z:
            arb_poly_zero(stack[top]);
            arb_poly_set_coeff_arb(stack[top], 0, z);
            arb_poly_set_coeff_si(stack[top++], 1, 1);
            break;
        case AT_FORMULA_POW:
            power(stack[top - 1], step->power);
            break;
        case AT_FORMULA_ADD: case AT_FORMULA_SUB: case AT_FORMULA_MUL: case AT_FORMULA_DIV:
            operate(stack[top - 2], stack[top - 1], step->op);
            top--;
            break;
        default:
            operate(stack[top - 1], stack[top - 1], step->op);
        }
        arb_poly_get_coeff_arb(number, stack[top - 1], 0);
        defined = defined && arb_is_finite(number);
    }
    arb_poly_get_coeff_arb(slope, stack[0], 1);
    arb_poly_get_coeff_arb(curvature, stack[0], 2);
    if (!defined) {
        arb_indeterminate(slope);
        arb_indeterminate(curvature);
    }
    for (size_t k = 0; k < AT_FORMULA_STACK; k++)
        arb_poly_clear(stack[k]);
    arb_clear(number);
}

/* The ball of [low, high]; rounding only widens it. */
static void set_interval(arb_t z, double low, double high)
{
    arf_t a, b;

    arf_init(a);
    arf_init(b);
    arf_set_d(a, low);
    arf_set_d(b, high);
    arb_set_interval_arf(z, a, b, BITS);
    arf_clear(a);
    arf_clear(b);
}

/* In the ratio where the ends are far apart, since functions of z vary by the decade. */
static double middle(double low, double high)
{
    return low > 0 && high > 4 * low ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
}

int at_rho_concave(double *where, const at_formula *rho, double highest)
{
    double ends[DEEPEST + 2];      /* of the intervals yet to do, from the right; low is known */
    double low = 0;
    int verdict = isfinite(highest) && highest >= 0;
    size_t left = verdict == 1 ? 1 : 0;
    arb_t z, slope, curvature;

    arb_init(z);
    arb_init(slope);
    arb_init(curvature);
    ends[0] = highest;
    for (int seen = 0; verdict >= 0 && left > 0; seen++) {
        double high = ends[left - 1], half = middle(low, high);

        set_interval(z, low, high);
        enclose(slope, curvature, rho, z);
        if (arb_is_positive(curvature)) {
            *where = half;
            verdict = -1;
        } else if (!arb_is_nonpositive(curvature) && seen < MOST_INTERVALS && left <= DEEPEST
                   && low < half && half < high) {
            ends[left++] = half;
        } else {
            /* Left open here, it may still be refuted further right. */
            if (!arb_is_nonpositive(curvature))
                verdict = 0;
            low = high;
            left--;
        }
    }
    if (verdict == 1) {
        set_interval(z, highest, highest);
        enclose(slope, curvature, rho, z);
        verdict = arb_is_nonnegative(slope);
    }
    arb_clear(z);
    arb_clear(slope);
    arb_clear(curvature);
    return verdict;
}
