/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which refuted entries can be searched, and the search. */
#include "attest/experiments/verify/search_own.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attest/experiments/cli/progress.h"

#define OWN(name) \
    .violation = at_search_##name, .confirm = at_search_confirm_##name

static const at_search_problem problems[] = {
    { "rpe.right-stochastic/empty-row", AT_SEARCH_OWN_KIND, 2, 4, 1, .count = at_search_count_one,
      OWN(empty_row) },
    { "rpe.layer-collapse/urpe-value-bias", AT_SEARCH_OWN_KIND, 2, 4, 1,
      .count = at_search_count_table, OWN(gated_bias) },
    { "rpe.deep-collapse/all-rpe", AT_SEARCH_OWN_KIND, 2, 4, 1, .count = at_search_count_table,
      OWN(shaw) },
    { "rpe.floor/euclidean-diameter", AT_SEARCH_OWN_KIND, 3, 3, 2, OWN(enclosing),
      .corners = true },
    { "rpe.almost-everywhere/everywhere", AT_SEARCH_OWN_KIND, 2, 4, 1, OWN(almost),
      .corners = true },
    { "rpe.reversal-symmetry/rope", AT_SEARCH_OWN_KIND, 2, 2, 2, OWN(reversed_rope) },
    { "rpe.reversal-symmetry/t5", AT_SEARCH_OWN_KIND, 2, 4, 1, .count = at_search_count_even,
      OWN(reversed_t5) },
    { "rpe.reversal-symmetry/tupe", AT_SEARCH_OWN_KIND, 2, 4, 1, .count = at_search_count_table,
      OWN(reversed_tupe) },
    { "rpe.reversal-symmetry/causal", AT_SEARCH_OWN_KIND, 2, 4, 1, OWN(reversed_causal) },
    { "urpe.row-sums/general-bias", AT_SEARCH_OWN_KIND, 2, 4, 1, .count = at_search_count_even,
      OWN(even_gate) },
    { "urpe.solves-etp/half", AT_SEARCH_OWN_KIND, 2, 6, 1, OWN(even_tokens), .corners = true },
    { "opt.no-self-term/strict", AT_SEARCH_OWN_KIND, 2, 2, 1, OWN(swap), .corners = true },
    { "opt.relu-nilpotent", AT_SEARCH_OWN_KIND, 1, 2, 1, .count = at_search_count_map,
      OWN(growth), .corners = true },
    { "opt.relaxation/past-two", AT_SEARCH_EXAMPLE, 2, 4, 1,
      .example = { .keep = "-5/4", .move = "9/4" } },
    { "opt.relaxation/no-self", AT_SEARCH_EXAMPLE, 2, 4, 1,
      .example = { .no_self = true, .keep = "-1/10", .move = "11/10" } },
    { "opt.regularised/full-softmax", AT_SEARCH_EXAMPLE, 2, 5, 1, .example = { .pin = "1" } },
    { "opt.regularised/full-log", AT_SEARCH_EXAMPLE, 2, 5, 1,
      .example = { .pin = "1", .rho = AT_RHO_LOG } },
    { "opt.residual-input/plain-skip", AT_SEARCH_EXAMPLE, 2, 4, 1, .example = { .keep = "1" } },
    { "opt.fixed-keys/moving", AT_SEARCH_EXAMPLE, 2, 4, 1,
      .example = { .scores = AT_SCORES_PLAIN, .energy = AT_ENERGY_DOT } },
    { "opt.plain-softmax", AT_SEARCH_EXAMPLE, 2, 5, 1, .example = { .scores = AT_SCORES_PLAIN } },
    { "opt.plain-softmax/regularised", AT_SEARCH_EXAMPLE, 2, 4, 1,
      .example = { .scores = AT_SCORES_PLAIN, .pin = "1" } },
    { "opt.causal", AT_SEARCH_EXAMPLE, 2, 6, 1, .example = { .causal = true } },
    { "opt.gram-mismatch", AT_SEARCH_EXAMPLE, 2, 5, 2,
      .example = { .scores = AT_SCORES_GRAM, .weights = "0, 1; 0, 0" } },
    { "opt.convex-rho", AT_SEARCH_CONVEX, 2, 5, 1, .example = { .rho = AT_RHO_EXP } },
    { "opt.summed-gaussian-lse", AT_SEARCH_EXAMPLE, 2, 12, 1,
      .example = { .energy = AT_ENERGY_LSE } },
    { "opt.sequential-layer", AT_SEARCH_SEQUENTIAL, 2, 2, 2, .example = { .rho = AT_RHO_LOG } },
    /* S = 0 and |Y W_f| = 2|Y| */
    { "opt.ffn/unsymmetric", AT_SEARCH_FORMULA, 1, 1, 1, .formula = "(2*z)^2/2-z^2/2" },
    { "opt.ffn/past", AT_SEARCH_QUADRATIC, 1, 1, 1, .H = "4", .b = "0" },
    { "opt.relu/outside", AT_SEARCH_QUADRATIC, 1, 1, 1, .H = "1", .b = "-1", .relu = true },
    { "opt.relu-symmetric/signed", AT_SEARCH_QUADRATIC, 1, 1, 1, .H = "-1", .b = "0",
      .relu = true },
    { "opt.parallel-layer/relu-signed", AT_SEARCH_QUADRATIC, 1, 1, 1, .H = "1", .b = "-1",
      .relu = true },
    /* h = ½(z−3)² + 3z, b = 1: the rise over the bound with 99/100 */
    { "opt.half-step/sharper", AT_SEARCH_FORMULA, 1, 1, 1,
      .formula = "((z-6)^2/2+3*(z-3))-((z-3)^2/2+3*z)+(z^2-0.99*(z-3)^2)/2" },
    /* h = z² + 1, a = ½: y_2 = (z − 1)/4 */
    { "opt.cycle/at-optimum", AT_SEARCH_FORMULA, 1, 1, 1, .formula = "((z-1)/4)^2-z^2" },
    /* E = ½z² + ½·0.95 z² + ½(z−1)², z' = 1 − 0.95z */
    { "opt.authors-layer", AT_SEARCH_FORMULA, 1, 1, 1,
      .formula = "0.975*(1-0.95*z)^2+(0.95*z)^2/2-0.975*z^2-(z-1)^2/2" },
};

/* Refutations that are no point of a space. */
static const struct { const char *id, *reason; } structural[] = {
    { "rpe.poster-nope", "the refutation bounds a probability over all models (Chebyshev), so there "
      "is no single input to look for" },
    { "urpe.universal/bias-free", "the refutation is a distance that every bias-free network keeps "
      "from one given function, so there is no single network to look for" },
};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

const at_search_problem *at_search_find(const char *id)
{
    for (size_t k = 0; k < PROBLEMS; k++)
        if (strcmp(problems[k].id, id) == 0)
            return &problems[k];
    return NULL;
}

const char *at_search_reason(const char *id)
{
    for (size_t k = 0; k < sizeof structural / sizeof structural[0]; k++)
        if (strcmp(structural[k].id, id) == 0)
            return structural[k].reason;
    return NULL;
}

/* ---- Starts ---------------------------------------------------------------- */

/* Uniform in a cube of random size. */
static void scatter(double *x, size_t count, gsl_rng *random)
{
    double size = exp(gsl_ran_flat(random, log(0.1), log(32)));
    double centre = gsl_rng_uniform_int(random, 2) ? 0 : gsl_ran_flat(random, -32, 32);
    for (size_t k = 0; k < count; k++)
        x[k] = centre + gsl_ran_flat(random, -size, size);
}

/* Rows in a few heaps along a line, the heaps at random and of random heights. */
static void heap(double *x, size_t n, size_t d, gsl_rng *random)
{
    enum { MOST_HEAPS = 6 };
    double places[MOST_HEAPS], at = 0;
    size_t heaps = 3 + gsl_rng_uniform_int(random, MOST_HEAPS - 2);
    for (size_t h = 0; h < heaps; h++) {
        places[h] = at;
        at += gsl_ran_flat(random, 1.5, 4.5);
    }
    for (size_t i = 0; i < n; i++) {
        /* one row in each heap, the others mostly in the outer ones */
        size_t pick = gsl_rng_uniform_int(random, 3);
        size_t h = i < heaps ? i : pick == 0 ? 0 : pick == 1 ? heaps - 1
                   : gsl_rng_uniform_int(random, heaps);
        for (size_t c = 0; c < d; c++)
            x[i * d + c] = places[h] - at / 2 + (c > 0 ? gsl_ran_flat(random, -3, 3) : 0);
    }
}

/* ---- The search ------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of this thread: what else the machine does takes nothing from the search. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Order does not matter without a mask: sorted rows read better. */
static bool found_at(char *text, size_t size, const at_search_problem *problem, size_t n, double *x,
                     double v)
{
    double tidied[AT_SEARCH_MOST];
    if (!(v > 1e-13))
        return false;
    if (problem->kind != AT_SEARCH_OWN_KIND && problem->columns == 1 && !problem->example.causal)
        qsort(x, n, sizeof *x, ascending);
    memcpy(tidied, x, at_search_count(problem, n) * sizeof *x);
    at_search_tidy(tidied, problem, n);
    return at_search_confirm(text, size, problem, n, tidied)
           || at_search_confirm(text, size, problem, n, x);
}

/* Climbs until the time is over, every 64th from an annealed point; true once confirmed. */
static bool search_size(char *text, size_t size, size_t *starts, const at_search_problem *problem,
                        size_t n, double seconds, gsl_rng *random)
{
    double x[AT_SEARCH_MOST], end = now() + seconds;
    for (size_t k = 0; now() < end && !at_interrupted(); k++) {
        if (k % 2 == 0 || problem->kind == AT_SEARCH_OWN_KIND)
            scatter(x, at_search_count(problem, n), random);
        else
            heap(x, n, problem->columns, random);
        if (k % 64 == 63)
            at_search_anneal(x, problem, n, gsl_rng_get(random));
        double v = at_search_climb(x, problem, n, k % 8 < 6);
        ++*starts;
        if (found_at(text, size, problem, n, x, v))
            return true;
    }
    return false;
}

size_t at_search_run(char *text, size_t size, size_t *starts, const at_search_problem *problem,
                     size_t smallest, size_t largest, double seconds, uint64_t seed)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    size_t found = 0;
    *starts = 0;
    if (random == NULL)
        return 0;
    /* GSL reports a stalled line search by status and by its handler; the status is enough */
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_rng_set(random, (unsigned long) (seed & 0xffffffff));
    double total = 0;
    for (size_t n = smallest; n <= largest; n++)
        total += (double) (n * n);
    for (size_t n = smallest; n <= largest && found == 0; n++) {
        /* a climb costs n³ and the harder ones are among the larger sizes */
        double share = (double) (n * n) / total;
        if (at_search_count(problem, n) <= AT_SEARCH_MOST
            && search_size(text, size, starts, problem, n, share * seconds, random))
            found = n;
    }
    gsl_set_error_handler(handler);
    gsl_rng_free(random);
    return found;
}

/* ---- Steps for the claims -------------------------------------------------- */

static int decide_search(at_claim_run *run, at_error *err)
{
    const at_search_problem *problem = at_search_find(run->claim->id);
    const double seconds = run->budget_given ? run->budget : AT_SEARCH_SECONDS;
    char text[1024];
    size_t starts;
    (void) err;
    if (problem == NULL) {
        const char *reason = at_search_reason(run->claim->id);
        at_claim_support(run, "search: none", AT_METHOD_CITED,
                         reason != NULL ? AT_TRUE : AT_UNKNOWN, "%s",
                         reason != NULL ? reason : "the entry has neither a search nor a reason");
        return AT_OK;
    }
    size_t n = at_search_run(text, sizeof text, &starts, problem, problem->smallest,
                             problem->largest, seconds, at_claim_random(run));
    if (n > 0)
        at_claim_support(run, "search: a counterexample from random starts", AT_METHOD_EXACT,
                         AT_TRUE, "%s%zu: [%s], after %zu climbs; confirmed exactly",
                         n == problem->smallest ? "size " : "smallest size found, ", n, text,
                         starts);
    else
        at_claim_support(run, "search: no counterexample from random starts", AT_METHOD_FLOAT,
                         AT_TRUE, "sizes %zu to %zu, %zu climbs, %g s; the witness above stands",
                         problem->smallest, problem->largest, starts, seconds);
    return AT_OK;
}

#define SEARCH(id) { id, NULL, NULL, AT_REFUTED, decide_search, NULL }

static const at_claim entries[] = {
    SEARCH("rpe.right-stochastic/empty-row"), SEARCH("rpe.layer-collapse/urpe-value-bias"),
    SEARCH("rpe.deep-collapse/all-rpe"), SEARCH("rpe.floor/euclidean-diameter"),
    SEARCH("rpe.almost-everywhere/everywhere"), SEARCH("rpe.reversal-symmetry/rope"),
    SEARCH("rpe.reversal-symmetry/t5"), SEARCH("rpe.reversal-symmetry/tupe"),
    SEARCH("rpe.reversal-symmetry/causal"), SEARCH("rpe.poster-nope"),
    SEARCH("urpe.row-sums/general-bias"), SEARCH("urpe.solves-etp/half"),
    SEARCH("urpe.universal/bias-free"), SEARCH("opt.relaxation/past-two"),
    SEARCH("opt.relaxation/no-self"), SEARCH("opt.no-self-term/strict"),
    SEARCH("opt.regularised/full-softmax"), SEARCH("opt.regularised/full-log"),
    SEARCH("opt.residual-input/plain-skip"), SEARCH("opt.fixed-keys/moving"),
    SEARCH("opt.plain-softmax"), SEARCH("opt.plain-softmax/regularised"), SEARCH("opt.causal"),
    SEARCH("opt.gram-mismatch"), SEARCH("opt.convex-rho"), SEARCH("opt.summed-gaussian-lse"),
    SEARCH("opt.sequential-layer"), SEARCH("opt.ffn/unsymmetric"), SEARCH("opt.ffn/past"),
    SEARCH("opt.relu/outside"), SEARCH("opt.relu-symmetric/signed"),
    SEARCH("opt.relu-nilpotent"), SEARCH("opt.parallel-layer/relu-signed"),
    SEARCH("opt.half-step/sharper"), SEARCH("opt.cycle/at-optimum"), SEARCH("opt.authors-layer"),
};

const at_claim_table at_claims_search = { entries, sizeof entries / sizeof entries[0] };
