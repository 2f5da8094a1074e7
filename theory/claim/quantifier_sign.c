/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign of a polynomial on a box: an expansion with no negative coefficient. */
#include "attest/theory/claim/quantifier.h"

#include <stdlib.h>
#include <string.h>
#include "attest/theory/flint/compat.h"

enum { MOST = 12, LONGEST = 96 };

typedef struct {
    slong count;
    char list[LONGEST];
    const char *names[MOST];
    fmpq_t low[MOST], high[MOST];
    bool from[MOST], to[MOST];          /* is there a bound on this side? */
} box;

static bool bound(fmpq_t value, const char *text)
{
    return text != NULL && fmpq_set_str(value, text, 10) == 0;
}

static void box_init(box *b, const at_range *ranges, const char *variables)
{
    char *rest = NULL;
    memset(b, 0, sizeof *b);
    for (slong k = 0; k < MOST; k++) {
        fmpq_init(b->low[k]);
        fmpq_init(b->high[k]);
    }
    if (strlen(variables) >= sizeof b->list)
        return;
    strcpy(b->list, variables);
    for (char *name = strtok_r(b->list, " ", &rest); name != NULL && b->count < MOST;
         name = strtok_r(NULL, " ", &rest)) {
        slong k = b->count++;
        size_t length = strlen(name);
        b->names[k] = name;
        if (name[length - 1] == '+') {          /* a slack: low is 0 already */
            name[length - 1] = '\0';
            b->from[k] = true;
            continue;
        }
        for (const at_range *r = ranges; r != NULL && r->name != NULL; r++)
            if (strcmp(r->name, name) == 0) {
                b->from[k] = bound(b->low[k], r->low);
                b->to[k] = bound(b->high[k], r->high);
            }
    }
}

static void box_clear(box *b)
{
    for (slong k = 0; k < MOST; k++) {
        fmpq_clear(b->low[k]);
        fmpq_clear(b->high[k]);
    }
}

/* f = a x + b y over the ring of twice as many variables, of which k has x = 2k and y = 2k+1. */
static void line(fmpq_mpoly_t f, const fmpq_t a, slong x, const fmpq_t b, slong y,
                 const fmpq_mpoly_ctx_t ctx)
{
    fmpq_mpoly_t t;
    fmpq_mpoly_init(t, ctx);
    fmpq_mpoly_gen(f, x, ctx);
    fmpq_mpoly_scalar_mul_fmpq(f, f, a, ctx);
    if (y >= 0)
        fmpq_mpoly_gen(t, y, ctx);
    else
        fmpq_mpoly_one(t, ctx);
    fmpq_mpoly_scalar_mul_fmpq(t, t, b, ctx);
    fmpq_mpoly_add(f, f, t, ctx);
    fmpq_mpoly_clear(t, ctx);
}

/* The factor of variable k to the power e, of degree at most D: with both bounds
 * (low r + high t)^e (r + t)^(D-e), r, t >= 0; with one (low + t)^e or (high - t)^e; else x^e. */
static void substitute(fmpq_mpoly_t f, const box *b, slong k, ulong e, ulong D,
                       const fmpq_mpoly_ctx_t ctx)
{
    fmpq_mpoly_t sum;
    fmpq_t one, sign;
    fmpq_mpoly_init(sum, ctx);
    fmpq_init(one);
    fmpq_init(sign);
    fmpq_one(one);
    fmpq_set_si(sign, -1, 1);
    if (b->from[k] && b->to[k])
        line(f, b->low[k], 2 * k, b->high[k], 2 * k + 1, ctx);
    else if (b->from[k])
        line(f, one, 2 * k, b->low[k], -1, ctx);
    else if (b->to[k])
        line(f, sign, 2 * k, b->high[k], -1, ctx);
    else
        fmpq_mpoly_gen(f, 2 * k, ctx);
    fmpq_mpoly_pow_ui(f, f, e, ctx);
    if (b->from[k] && b->to[k]) {
        line(sum, one, 2 * k, one, 2 * k + 1, ctx);
        fmpq_mpoly_pow_ui(sum, sum, D - e, ctx);
        fmpq_mpoly_mul(f, f, sum, ctx);
    }
    fmpq_mpoly_clear(sum, ctx);
    fmpq_clear(one);
    fmpq_clear(sign);
}

/* No negative coefficient, and even powers of what has no bound. */
static bool no_negative_term(const fmpq_mpoly_t f, const box *b, const fmpq_mpoly_ctx_t ctx)
{
    bool fine = true;
    fmpq_t c;
    fmpq_init(c);
    for (slong i = 0; i < fmpq_mpoly_length(f, ctx) && fine; i++) {
        fmpq_mpoly_get_term_coeff_fmpq(c, f, i, ctx);
        fine = fmpq_sgn(c) >= 0;
        for (slong k = 0; k < b->count && fine; k++)
            if (!b->from[k] && !b->to[k])
                fine = fmpq_mpoly_get_term_var_exp_ui(f, i, 2 * k, ctx) % 2 == 0;
    }
    fmpq_clear(c);
    return fine;
}

static bool expansion_is_nonnegative(const fmpq_mpoly_t f, const fmpq_mpoly_ctx_t ctx,
                                     const box *b)
{
    fmpq_mpoly_ctx_t wide;
    fmpq_mpoly_t whole, term, factor;
    fmpq_t c;
    slong degree[MOST];
    fmpq_mpoly_ctx_init(wide, 2 * b->count, ORD_LEX);
    fmpq_mpoly_init(whole, wide);
    fmpq_mpoly_init(term, wide);
    fmpq_mpoly_init(factor, wide);
    fmpq_init(c);
    fmpq_mpoly_degrees_si(degree, f, ctx);
    for (slong i = 0; i < fmpq_mpoly_length(f, ctx); i++) {
        fmpq_mpoly_get_term_coeff_fmpq(c, f, i, ctx);
        fmpq_mpoly_set_fmpq(term, c, wide);
        for (slong k = 0; k < b->count; k++) {
            ulong D = degree[k] > 0 ? (ulong) degree[k] : 0;
            substitute(factor, b, k, fmpq_mpoly_get_term_var_exp_ui(f, i, k, ctx), D, wide);
            fmpq_mpoly_mul(term, term, factor, wide);
        }
        fmpq_mpoly_add(whole, whole, term, wide);
    }
    bool fine = no_negative_term(whole, b, wide);
    fmpq_mpoly_clear(whole, wide);
    fmpq_mpoly_clear(term, wide);
    fmpq_mpoly_clear(factor, wide);
    fmpq_mpoly_ctx_clear(wide);
    fmpq_clear(c);
    return fine;
}

/* An empty range holds no value, and nothing is proved about none. */
static bool has_values(const box *b)
{
    for (slong k = 0; k < b->count; k++)
        if (b->from[k] && b->to[k] && fmpq_cmp(b->low[k], b->high[k]) > 0)
            return false;
    return b->count > 0;
}

enum at_truth at_ranges_nonnegative(const at_range *ranges, const char *variables,
                                    const char *polynomial)
{
    box b;
    enum at_truth truth = AT_UNKNOWN;
    box_init(&b, ranges, variables);
    if (has_values(&b)) {
        fmpq_mpoly_ctx_t ctx;
        fmpq_mpoly_t f;
        fmpq_mpoly_ctx_init(ctx, b.count, ORD_LEX);
        fmpq_mpoly_init(f, ctx);
        if (fmpq_mpoly_set_str_pretty(f, polynomial, b.names, ctx) == 0
            && expansion_is_nonnegative(f, ctx, &b))
            truth = AT_TRUE;
        fmpq_mpoly_clear(f, ctx);
        fmpq_mpoly_ctx_clear(ctx);
    }
    box_clear(&b);
    return truth;
}

enum at_truth at_claim_positive(const at_claim_run *run, const char *name)
{
    const at_range *r = at_claim_range(run->claim, name);
    fmpq_t low, high;
    fmpq_init(low);
    fmpq_init(high);
    bool positive = r != NULL && bound(low, r->low)
                    && (fmpq_sgn(low) > 0 || (fmpq_is_zero(low) && r->open))
                    && (r->high == NULL || (bound(high, r->high) && fmpq_cmp(low, high) < 0));
    fmpq_clear(low);
    fmpq_clear(high);
    return positive ? AT_TRUE : AT_UNKNOWN;
}
