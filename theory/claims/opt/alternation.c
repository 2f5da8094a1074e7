/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims opt.*: alternating half-steps on h = f + g, u = grad h, p = grad f. */
#include "attest/theory/claims/opt/opt.h"

#include "attest/theory/symbolic/descent.h"

static void cite_descent_lemma(at_claim_run *run)
{
    at_claim_cite(run, "descent lemma", "h(y+s) <= h(y) + <u,s> + L_h |s|^2/2 for an L_h-smooth h");
}

/* h(y − b∇g) − h(y) ≤ −(b/2)(|u|² − |p|²) for b ≤ 1/L_h. */
static void prove_half_step(at_claim_run *run)
{
    cite_descent_lemma(run);
    at_claim_prove(run, "the bound of the descent lemma, in squares", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("b t u p", "-b*u*(u-p) + 1/2*b*(1-t)*(u-p)^2",
                                     "-1/2*b*(u^2-p^2) - 1/2*b*t*(u-p)^2"),
                   "s = -b(u - p): <u,s> + L_h|s|^2/2 = -b(|u|^2-|p|^2)/2 - bt|u-p|^2/2");
    at_claim_prove_nonnegative(run, "the rest of the fall is >= 0", "b t+ e", "1/2*b*t*e^2",
                               "b L_h = 1 - t, t >= 0, e = u - p");
}

int at_decide_opt_half_step(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "one component at a time, so every dimension");
    prove_half_step(run);
    at_claim_support(run, "it is sharp: f = (y-3)^2/2, g = 3y, y = 1, b = 1", AT_METHOD_EXACT,
                     at_lemma_identity("b", "1/2*(1-3*b)^2 + 9/2 - 5 + 1/2*b*(1-4)",
                                       "9/2*b*(b-1)"),
                     "h = y^2/2 + 9/2; the gap 9b(b-1)/2 closes at b = 1 = 1/L_h");
    return AT_OK;
}

/* h(y) = ½(y − 3)² + 3y. */
static void sharp_energy(fmpq_t h, const fmpq_t y)
{
    fmpq_t t;
    fmpq_init(t);
    fmpq_add_si(t, y, -3);
    fmpq_mul(t, t, t);
    fmpq_div_2exp(t, t, 1);
    fmpq_mul_si(h, y, 3);
    fmpq_add(h, h, t);
    fmpq_clear(t);
}

int at_decide_opt_half_step_sharper(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "dimension 1");
    at_claim_witness(run, "f = (y-3)^2/2, g = 3y, y = 1, b = 1 = 1/L_h: u = 1, p = -2");
    fmpq_t y, before, after, bound;
    fmpq_init(y);
    fmpq_init(before);
    fmpq_init(after);
    fmpq_init(bound);
    fmpq_one(y);
    sharp_energy(before, y);
    fmpq_add_si(y, y, -3);                 /* y − b∇g = −2, and p = f'(1) = −2 too */
    sharp_energy(after, y);
    fmpq_set_si(bound, 99, 100);           /* −½(u² − 99/100 p²) with u = p + g' = 1 */
    fmpq_mul(bound, bound, y);
    fmpq_mul(bound, bound, y);
    fmpq_add_si(bound, bound, -1);
    fmpq_div_2exp(bound, bound, 1);
    fmpq_sub(after, after, before);
    char *rise = fmpq_get_str(NULL, 10, after), *allowed = fmpq_get_str(NULL, 10, bound);
    at_claim_refute(run, "h rises by more than the bound allows", AT_METHOD_EXACT,
                    fmpq_cmp(after, bound) > 0 ? AT_TRUE : AT_UNKNOWN,
                    "h: 5 -> 13/2, a rise of %s; the bound would allow %s", rise, allowed);
    flint_free(rise);
    flint_free(allowed);
    at_claim_recheck(run, "again, from the definitions", AT_METHOD_EXACT,
                     at_lemma_identity("e", "(1/2*(1-3-3)^2 + 3*(1-3)) - (1/2*(1-3)^2 + 3) "
                                       "+ 1/2*(1 - 99/100*(1-3)^2)", "1/50"),
                     "rise minus bound = 1/50 > 0");
    at_claim_fact_relation(run, "rise of h against the bound",
                           "(1/2*(1-3-3)^2+3*(1-3))-(1/2*(1-3)^2+3)", ">",
                           "-1/2*(1-99/100*(1-3)^2)");
    fmpq_clear(y);
    fmpq_clear(before);
    fmpq_clear(after);
    fmpq_clear(bound);
    return AT_OK;
}

int at_decide_opt_apollonius(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "one component at a time, so every dimension; every C != 1, and C = 1");
    prove_half_step(run);
    at_claim_cite(run, "smoothness and strong convexity",
                  "|grad f(y)| <= L_f |y - y_f*| and |grad h(y)| >= c_h |y - y_h*|, so on the set "
                  "|p| <= kappa |u| <= |u| and the half-step does not raise h");
    at_claim_prove(run, "(1-C^2)(|y-f|^2 - C^2|y-h|^2) = |(1-C^2)y - (f - C^2 h)|^2 - C^2|f-h|^2",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("C y f h", "(1-C^2)*((y-f)^2 - C^2*(y-h)^2)",
                                     "((1-C^2)*y - (f - C^2*h))^2 - C^2*(f-h)^2"),
                   "centre (f - C^2 h)/(1 - C^2), radius C|f-h|/|1-C^2|: inside for C < 1, outside "
                   "for C > 1");
    at_claim_prove(run, "C = 1: |y-f|^2 - |y-h|^2 is affine in y", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("y f h", "(y-f)^2 - (y-h)^2", "2*y*(h-f) + f^2 - h^2"),
                   "a half-space");
    return AT_OK;
}

/* u + e with e = ∇g(y_1) − ∇g(y) is the whole cycle's direction. */
static void prove_cycle_direction(at_claim_run *run)
{
    at_claim_prove(run, "y_2 = y - a(u + e), e = grad g(y_1) - grad g(y)", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("y a p g e", "(y - a*p) - a*(g + e)", "y - a*((p + g) + e)"),
                   "y_1 = y - ap, y_2 = y_1 - a grad g(y_1), u = p + grad g(y)");
    at_claim_cite(run, "smoothness", "|e| <= L_g |y_1 - y| = a L_g |p|");
}

int at_decide_opt_cycle(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "one component at a time, so every dimension");
    prove_cycle_direction(run);
    cite_descent_lemma(run);
    at_claim_prove(run, "the bound of the descent lemma, in squares", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("a t u e", "-a*u*(u+e) + 1/2*a*(1-t)*(u+e)^2",
                                     "-1/2*a*(u^2-e^2) - 1/2*a*t*(u+e)^2"),
                   "a L_h = 1 - t");
    at_claim_prove_nonnegative(run, "the rest of the fall is >= 0", "a t+ s v+",
                               "1/2*a*t*s^2 + 1/2*a*v", "s = u + e, v = a^2 L_g^2 |p|^2 - |e|^2 "
                               ">= 0: the change is <= -a(|u|^2 - a^2 L_g^2 |p|^2)/2");
    return AT_OK;
}

int at_decide_opt_cycle_limit(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every dimension; a L_f L_g < c_h");
    prove_cycle_direction(run);
    at_claim_cite(run, "strong convexity and smoothness",
                  "c_h x <= |u|, |p| <= q + L_f x; x = |y - y_h*|, q = |grad f(y_h*)|; at a fixed "
                  "point u = -e, so |u| <= a L_g |p|");
    at_claim_prove(run, "a > 0: a step of length a > 0 that does not move has u = -e",
                   AT_METHOD_SYMBOLIC, at_claim_positive(run, "a"), "y - a(u + e) = y");
    /* with slacks s, r, v ≥ 0: |u| = c x + s, |u| = a G p − r, p = q + F x − v */
    at_claim_prove(run, "a L_g q - (c_h - a L_f L_g) x is a sum of slacks", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("a G F q x v s r c",
                                     "a*G*q - c*x + a*G*F*x - (s + r + a*G*v)",
                                     "(a*G*(q + F*x - v) - r) - (c*x + s)"),
                   "the right side is |u| - |u| = 0; s, r, v >= 0, so "
                   "(c_h - a L_f L_g) x <= a L_g q");
    at_claim_prove_nonnegative(run, "the slacks are nonnegative", "a G+ v+ s+ r+", "s + r + a*G*v",
                               "G = L_g");
    return AT_OK;
}

int at_decide_opt_cycle_at_optimum(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "dimension 1, a = 1/2 = 1/L_h, and every a > 0");
    at_claim_witness(run, "f = (y-1)^2/2, g = (y+1)^2/2, y = y_h* = 0, a = 1/2: h 1 -> 17/16");
    at_claim_refute(run, "h(y_2) = 1 + a^4", AT_METHOD_EXACT,
                    at_lemma_identity("a", "1/2*((a-a*(a+1))-1)^2 + 1/2*((a-a*(a+1))+1)^2",
                                      "1 + a^4"),
                    "y_1 = a, y_2 = a - a(a+1) = -a^2");
    fmpq_t y, h;
    fmpq_init(y);
    fmpq_init(h);
    fmpq_set_si(y, 1, 2);                  /* y_1 = 0 + ½ */
    fmpq_add_si(h, y, 1);
    fmpq_div_2exp(h, h, 1);
    fmpq_sub(y, y, h);                     /* y_2 = ½ − ½(½ + 1) */
    fmpq_mul(h, y, y);
    fmpq_add_si(h, h, 1);                  /* h = y² + 1 */
    fmpq_set_si(y, 17, 16);
    at_claim_recheck(run, "again, step by step in Q", AT_METHOD_EXACT,
                     fmpq_equal(h, y) && fmpq_cmp_si(h, 1) > 0 ? AT_TRUE : AT_UNKNOWN,
                     "a = 1/2: y_2 = -1/4, h = 17/16 > h(0) = 1");
    at_claim_fact_relation(run, "h before and after", "1", "<", "(-1/4)^2+1");
    fmpq_clear(y);
    fmpq_clear(h);
    return AT_OK;
}

int at_decide_opt_relu_half_step(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "every dimension");
    cite_descent_lemma(run);
    at_claim_prove(run, "<grad g, s> <= -|s|^2/b for s = ReLU(x - b grad g) - x",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("x r", "(-x)*((x + r) + (-x))", "-x*r"),
                   "a coordinate that ReLU cuts: b g = x + r, r > 0; elsewhere s = -b g: equality");
    at_claim_prove_nonnegative(run, "a cut coordinate falls", "b x+ r+", "b*x*r", "times b^2");
    at_claim_cite(run, "Cauchy and Schwarz", "<grad f, s> <= |grad f| |s|");
    /* with xi = b grad g: |s|² ≥ |xi|² + Σ min(x_i² − xi_i², 0) ≥ (1 − kappa)|xi|² on K_kappa */
    at_opt_prove_divergence(run);
    /* b·(change) ≤ |s|(b p − m|s|), m = 1 − bL/2; |s| = b k + v, p = m k − w (k = √(1−κ)|∇g|) */
    at_claim_prove(run, "b|grad f| - (1 - bL/2)|s| is minus a sum of slacks", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("b m k v w", "b*(m*k - w) - m*(b*k + v)", "-(b*w + m*v)"),
                   "m = 1 - bL_h/2 >= 0, |s| = b sqrt(1-kappa)|grad g| + v, |grad f| = "
                   "m sqrt(1-kappa)|grad g| - w");
    at_claim_prove_nonnegative(run, "the slacks are nonnegative", "b m+ v+ w+", "b*w + m*v",
                               "v, w >= 0");
    return AT_OK;
}
