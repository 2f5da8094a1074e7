/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest verify --search: counterexamples of refuted entries, looked for numerically.
 *
 * A problem is a violation v(x), positive exactly where the statement breaks.  Random starts climb
 * it by GSL's BFGS and conjugate gradients, simulated annealing (gsl_siman) tries where they fail;
 * a positive point is rounded to small rationals and confirmed by theory/'s balls and its exact
 * path before it counts.  Sizes are tried upwards, so what is found first is the smallest. */
#ifndef ATTEST_EXPERIMENTS_VERIFY_SEARCH_H
#define ATTEST_EXPERIMENTS_VERIFY_SEARCH_H

#include "attest/theory/claim/claim.h"
#include "attest/theory/energy/example.h"
#include <complex.h>
#include <math.h>
#undef I   /* a name of FLINT's arguments */

enum {
    AT_SEARCH_MOST = 64,        /* coordinates of a point */
    AT_SEARCH_SECONDS = 20      /* for one claim, unless a budget is given */
};

enum at_search_kind {
    AT_SEARCH_EXAMPLE,     /* rows of an attention step */
    AT_SEARCH_CONVEX,      /* the same with ρ = z^3 */
    AT_SEARCH_SEQUENTIAL,  /* two rows of two columns through opt.sequential-layer's layer */
    AT_SEARCH_QUADRATIC,   /* x' = [ReLU](x − (Hx − b)) in one dimension */
    AT_SEARCH_FORMULA,     /* v(z) itself, a formula in z */
    AT_SEARCH_OWN_KIND     /* functions of its own (experiments/verify/search_own.h) */
};

typedef struct {
    const char *id;
    enum at_search_kind kind;
    size_t smallest, largest;      /* numbers of rows, tokens, dimensions */
    size_t columns;                /* coordinates of one of them */
    at_example example;            /* EXAMPLE: rows are ignored */
    const char *H, *b;             /* QUADRATIC */
    bool relu;
    const char *formula;           /* FORMULA */
    /* OWN_KIND */
    size_t (*count)(size_t n);     /* coordinates for size n; NULL: n columns */
    double complex (*violation)(size_t n, const double complex *x);
    bool (*confirm)(char *text, size_t size, size_t n, const fmpq *x);
    bool corners;                  /* no derivative at some points */
} at_search_problem;

/* The entry of an id, NULL when the claim cannot be searched. */
const at_search_problem *at_search_find(const char *id);
/* Why the refuted claim of this id is not searched: its refutation is no point.  NULL for others. */
const char *at_search_reason(const char *id);

/* Coordinates of a point of size n. */
size_t at_search_count(const at_search_problem *problem, size_t n);

/* v(x) for n rows.  Analytic in x, so that a step along the imaginary axis differentiates it. */
double complex at_search_violation(const at_search_problem *problem, size_t n,
                                   const double complex *x);
/* v(x) and its gradient (NULL: only v), by complex steps: exact to rounding. */
double at_search_gradient(double *gradient, const at_search_problem *problem, size_t n,
                          const double *x);

/* e^z and log z, Re z > 0, to first order in Im z: all that a complex step asks for, without the
 * sines and angles of cexp and clog. */
static inline double complex at_search_exp(double complex z)
{
    double e = exp(creal(z));
    return e + _Complex_I * (e * cimag(z));
}

static inline double complex at_search_log(double complex z)
{
    return log(creal(z)) + _Complex_I * (cimag(z) / creal(z));
}

/* One climb from x (overwritten by the best point); returns v there. */
double at_search_climb(double *x, const at_search_problem *problem, size_t n, bool bfgs);
/* Simulated annealing from x. */
double at_search_anneal(double *x, const at_search_problem *problem, size_t n, uint64_t seed);

/* Moves the coordinates of x, one by one, to small integers or few decimals as far as v stays
 * positive. */
void at_search_tidy(double *x, const at_search_problem *problem, size_t n);

/* Rounds x to rationals with a small common denominator at which v stays positive, and confirms
 * them by balls and by the exact path.  True, and text (of the given size) set, on success. */
bool at_search_confirm(char *text, size_t size, const at_search_problem *problem, size_t n,
                       const double *x);

/* The smallest n (0: none) at which a confirmed counterexample is found; seconds for all sizes
 * together, more for the larger ones.  starts counts the climbs. */
size_t at_search_run(char *text, size_t size, size_t *starts, const at_search_problem *problem,
                     size_t smallest, size_t largest, double seconds, uint64_t seed);

/* Entries without statements, which add the search to the claims of theory/. */
extern const at_claim_table at_claims_search;

#endif
