/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Climbing a violation: GSL's minimizers on −v, simulated annealing, and the confirmation. */
#include "attest/experiments/verify/search.h"

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_siman.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/formula.h"
#include "attest/theory/claims/opt/opt.h"
#include "attest/theory/energy/rho_ball.h"

typedef struct {
    const at_search_problem *problem;
    size_t n;
} place;

/* GSL's line searches test absolute decreases and accept NaN (its comparisons are false), so −v is
 * scaled up and what is not finite becomes a wall. */
static const double SCALE = 1e4;

/* A violation that needs no more climbing: further up the rows only grow. */
static const double ENOUGH = 1e-2;

static double guarded(double v)
{
    return isfinite(v) ? -SCALE * v : 1e30;
}

static double objective(const gsl_vector *x, void *context)
{
    const place *p = context;
    return guarded(at_search_gradient(NULL, p->problem, p->n, x->data));
}

static void objective_both(const gsl_vector *x, void *context, double *f, gsl_vector *g)
{
    const place *p = context;
    *f = guarded(at_search_gradient(g->data, p->problem, p->n, x->data));
    for (size_t k = 0; k < g->size; k++)
        g->data[k] = isfinite(g->data[k]) ? -SCALE * g->data[k] : 0;
}

static void objective_gradient(const gsl_vector *x, void *context, gsl_vector *g)
{
    double f;
    objective_both(x, context, &f, g);
}

double at_search_climb(double *x, const at_search_problem *problem, size_t n, bool bfgs)
{
    enum { ITERATIONS = 400 };
    size_t count = at_search_count(problem, n);
    place p = { problem, n };
    gsl_multimin_function_fdf function = { objective, objective_gradient, objective_both, count,
                                           &p };
    gsl_vector_view start = gsl_vector_view_array(x, count);
    double best = at_search_gradient(NULL, problem, n, x);
    gsl_multimin_fdfminimizer *minimizer = gsl_multimin_fdfminimizer_alloc(
        bfgs ? gsl_multimin_fdfminimizer_vector_bfgs2 : gsl_multimin_fdfminimizer_conjugate_pr,
        count);
    if (minimizer == NULL)
        return best;
    int status = gsl_multimin_fdfminimizer_set(minimizer, &function, &start.vector, 0.05, 0.1);
    for (int t = 0; t < ITERATIONS && status == GSL_SUCCESS
         && gsl_multimin_fdfminimizer_minimum(minimizer) > -SCALE * ENOUGH; t++)
        status = gsl_multimin_fdfminimizer_iterate(minimizer);
    const gsl_vector *end = gsl_multimin_fdfminimizer_x(minimizer);
    double v = at_search_gradient(NULL, problem, n, end->data);
    if (isfinite(v) && v > best) {
        best = v;
        memcpy(x, end->data, count * sizeof *x);
    }
    gsl_multimin_fdfminimizer_free(minimizer);
    return best;
}

/* ---- Annealing ------------------------------------------------------------- */

typedef struct {
    place place;
    double x[AT_SEARCH_MOST];
} state;

static double siman_energy(void *point)
{
    const state *s = point;
    return guarded(at_search_gradient(NULL, s->place.problem, s->place.n, s->x));
}

static void siman_step(const gsl_rng *random, void *point, double size)
{
    state *s = point;
    size_t count = at_search_count(s->place.problem, s->place.n);
    s->x[gsl_rng_uniform_int(random, count)] += size * (2 * gsl_rng_uniform(random) - 1);
}

static double siman_metric(void *a, void *b)
{
    const state *s = a, *t = b;
    double sum = 0;
    for (size_t k = 0; k < at_search_count(s->place.problem, s->place.n); k++)
        sum += fabs(s->x[k] - t->x[k]);
    return sum;
}

double at_search_anneal(double *x, const at_search_problem *problem, size_t n, uint64_t seed)
{
    static const gsl_siman_params_t params = { .n_tries = 4, .iters_fixed_T = 20,
                                               .step_size = 1.0, .k = 1.0, .t_initial = 1e3,
                                               .mu_t = 1.05, .t_min = 1e-2 };
    size_t count = at_search_count(problem, n);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    state s = { .place = { problem, n } };
    if (random == NULL)
        return at_search_gradient(NULL, problem, n, x);
    gsl_rng_set(random, (unsigned long) (seed & 0xffffffff));
    memcpy(s.x, x, count * sizeof *x);
    gsl_siman_solve(random, &s, siman_energy, siman_step, siman_metric, NULL, NULL, NULL, NULL,
                    sizeof s, params);
    memcpy(x, s.x, count * sizeof *x);
    gsl_rng_free(random);
    return at_search_gradient(NULL, problem, n, x);
}

/* ---- Confirmation ---------------------------------------------------------- */

static long divisor(long a, long b)
{
    while (b != 0) {
        long r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* "p/q, p/q; p/q, …" of the rounded point. */
static bool write_rows(char *text, size_t size, const double *x, size_t n, size_t d, long q)
{
    size_t used = 0;
    for (size_t k = 0; k < n * d; k++) {
        long p = lround(x[k] * (double) q), g = divisor(p, q);
        const char *mark = k == 0 ? "" : k % d == 0 ? "; " : ", ";
        int length = q / g == 1 ? snprintf(text + used, size - used, "%s%ld", mark, p / g)
                                : snprintf(text + used, size - used, "%s%ld/%ld", mark, p / g,
                                           q / g);
        if (length < 0 || used + (size_t) length >= size)
            return false;
        used += (size_t) length;
    }
    return true;
}

static bool confirm_convex(const char *rows)
{
    fmpq_mat_t Y, next;
    fmpq_t before, after;
    if (!at_example_matrix(Y, rows))
        return false;
    fmpq_mat_init(next, fmpq_mat_nrows(Y), fmpq_mat_ncols(Y));
    fmpq_init(before);
    fmpq_init(after);
    at_opt_rational_step(next, Y, 3);
    at_opt_rational_energy(before, Y, 3);
    at_opt_rational_energy(after, next, 3);
    bool rises = fmpq_cmp(after, before) > 0;
    fmpq_mat_clear(Y);
    fmpq_mat_clear(next);
    fmpq_clear(before);
    fmpq_clear(after);
    return rises;
}

/* v(z) > 0 at a rational z, in balls. */
static bool confirm_formula(const char *text, const char *point)
{
    enum { BITS = 128 };
    at_formula formula;
    fmpq_t z;
    arb_t x, v;
    if (at_formula_parse(&formula, text, NULL) != AT_OK)
        return false;
    fmpq_init(z);
    arb_init(x);
    arb_init(v);
    at_rho_ball rho = { -1, &formula };
    bool positive = fmpq_set_str(z, point, 10) == 0;
    arb_set_fmpq(x, z, BITS);
    at_rho_ball_eval(v, NULL, x, &rho, BITS);
    positive = positive && arb_is_finite(v) && arb_is_positive(v);
    at_formula_clear(&formula);
    fmpq_clear(z);
    arb_clear(x);
    arb_clear(v);
    return positive;
}

static bool confirm_text(const at_search_problem *problem, const char *text)
{
    at_example example = problem->example;
    fmpq_t before, after;
    bool rises;
    switch (problem->kind) {
    case AT_SEARCH_CONVEX:
        return confirm_convex(text);
    case AT_SEARCH_SEQUENTIAL:
        return at_opt_sequential_rises(text) == AT_TRUE;
    case AT_SEARCH_FORMULA:
        return confirm_formula(problem->formula, text);
    case AT_SEARCH_QUADRATIC:
        fmpq_init(before);
        fmpq_init(after);
        rises = at_opt_quadratic_rises(problem->H, problem->b, text, "1", problem->relu, before,
                                       after) == AT_TRUE;
        fmpq_clear(before);
        fmpq_clear(after);
        return rises;
    case AT_SEARCH_EXAMPLE:
    case AT_SEARCH_OWN_KIND:
        break;
    }
    example.rows = text;
    return at_example_rises(&example, false, NULL, NULL) == AT_TRUE
           && at_example_rises(&example, true, NULL, NULL) == AT_TRUE;
}

/* x rounded to multiples of 1/q, confirmed and described by the problem's own function. */
static bool confirm_own(char *text, size_t size, const at_search_problem *problem, size_t n,
                        const double *x, long q)
{
    size_t count = at_search_count(problem, n);
    fmpq *point = _fmpq_vec_init((slong) count);
    for (size_t k = 0; k < count; k++)
        fmpq_set_si(point + k, lround(x[k] * (double) q), (ulong) q);
    bool breaks = problem->confirm(text, size, n, point);
    _fmpq_vec_clear(point, (slong) count);
    return breaks;
}

bool at_search_confirm(char *text, size_t size, const at_search_problem *problem, size_t n,
                       const double *x)
{
    static const long denominators[] = { 1, 2, 5, 10, 20, 50, 100 };
    double rounded[AT_SEARCH_MOST];
    for (size_t k = 0; k < sizeof denominators / sizeof denominators[0]; k++) {
        double q = (double) denominators[k];
        for (size_t c = 0; c < at_search_count(problem, n); c++)
            rounded[c] = round(x[c] * q) / q;
        if (!(at_search_gradient(NULL, problem, n, rounded) > 0))
            continue;
        if (problem->kind == AT_SEARCH_OWN_KIND
            ? confirm_own(text, size, problem, n, x, denominators[k])
            : write_rows(text, size, x, n, problem->columns, denominators[k])
              && confirm_text(problem, text))
            return true;
    }
    return false;
}

void at_search_tidy(double *x, const at_search_problem *problem, size_t n)
{
    static const double candidates[] = { 0, 1, -1, 2, -2, 3, -3, 4, -4 };
    static const double scales[] = { 1, 2, 5, 10, 100 };
    enum { SMALL = sizeof candidates / sizeof candidates[0],
           ALL = SMALL + sizeof scales / sizeof scales[0] };
    double enough = fmin(1e-6, at_search_gradient(NULL, problem, n, x) / 2);
    for (size_t k = 0; k < at_search_count(problem, n); k++) {
        double kept = x[k];
        for (size_t c = 0; c < ALL; c++) {
            x[k] = c < SMALL ? candidates[c]
                             : round(kept * scales[c - SMALL]) / scales[c - SMALL];
            if (at_search_gradient(NULL, problem, n, x) > enough)
                break;
            x[k] = kept;
        }
    }
}
