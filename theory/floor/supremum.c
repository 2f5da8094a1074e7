/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact decision: ends and critical points as candidates, balls first, algebraic numbers
 * where balls overlap. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/supremum.h"
#include "attest/theory/floor/supremum_impl.h"

enum { FIRST_PRECISION = 128, LAST_PRECISION = 2048 };

/* The value of f at point.  Without a known point, ball is all that is known of it. */
typedef struct {
    qqbar_t point, value;
    int has_point, has_value;
    arb_t ball;
    fmpq_poly_t f;
    slong top, bottom;
} candidate;

typedef struct { candidate *items; slong count, space; } candidates;

void at_supremum_init(at_supremum_t s)
{
    s->exact = 0;
    s->top = s->bottom = 0;
    qqbar_init(s->value);
    qqbar_init(s->point);
    arb_init(s->ball);
}

void at_supremum_clear(at_supremum_t s)
{
    qqbar_clear(s->value);
    qqbar_clear(s->point);
    arb_clear(s->ball);
}

static candidate *add_candidate(candidates *c, const fmpq_poly_t f, slong top, slong bottom)
{
    candidate *item;

    if (c->count == c->space) {
        c->space = c->space == 0 ? 8 : 2 * c->space;
        c->items = flint_realloc(c->items, (size_t) c->space * sizeof *c->items);
    }
    item = &c->items[c->count++];
    item->has_point = item->has_value = 0;
    item->top = top;
    item->bottom = bottom;
    qqbar_init(item->point);
    qqbar_init(item->value);
    arb_init(item->ball);
    fmpq_poly_init(item->f);
    fmpq_poly_set(item->f, f);
    return item;
}

static void candidate_clear(candidate *item)
{
    qqbar_clear(item->point);
    qqbar_clear(item->value);
    arb_clear(item->ball);
    fmpq_poly_clear(item->f);
}

static void candidates_clear(candidates *c)
{
    for (slong k = 0; k < c->count; k++)
        candidate_clear(&c->items[k]);
    flint_free(c->items);
}

static void add_rational(candidates *c, const fmpq_t point, const fmpq_poly_t f, slong top,
                         slong bottom)
{
    candidate *item = add_candidate(c, f, top, bottom);

    qqbar_set_fmpq(item->point, point);
    item->has_point = 1;
}

/* f without its repeated factors, over Z. */
static void squarefree_part(fmpz_poly_t part, const fmpq_poly_t f)
{
    fmpz_poly_t slope, common;

    fmpz_poly_init(slope);
    fmpz_poly_init(common);
    fmpq_poly_get_numerator(part, f);
    fmpz_poly_primitive_part(part, part);
    fmpz_poly_derivative(slope, part);
    fmpz_poly_gcd(common, part, slope);
    fmpz_poly_div(part, part, common);
    fmpz_poly_clear(slope);
    fmpz_poly_clear(common);
}

static void enclose_at(arb_t value, const fmpq_poly_t f, const arb_t point, slong precision)
{
    arb_poly_t g;

    arb_poly_init(g);
    arb_poly_set_fmpq_poly(g, f, precision);
    arb_poly_evaluate(value, g, point, precision);
    arb_poly_clear(g);
}

/* The roots of p inside (low, high) as algebraic numbers. */
static void add_algebraic(candidates *c, const fmpq_poly_t f, const fmpz_poly_t p,
                          const fmpq_t low, const fmpq_t high, slong top, slong bottom)
{
    slong degree = fmpz_poly_degree(p);
    qqbar_ptr roots = _qqbar_vec_init(degree);
    qqbar_t first, last;

    qqbar_init(first);
    qqbar_init(last);
    qqbar_set_fmpq(first, low);
    qqbar_set_fmpq(last, high);
    qqbar_roots_fmpz_poly(roots, p, QQBAR_ROOTS_UNSORTED);
    for (slong k = 0; k < degree; k++)
        if (qqbar_is_real(roots + k) && qqbar_cmp_re(first, roots + k) < 0
            && qqbar_cmp_re(roots + k, last) < 0) {
            candidate *item = add_candidate(c, f, top, bottom);

            qqbar_set(item->point, roots + k);
            item->has_point = 1;
        }
    _qqbar_vec_clear(roots, degree);
    qqbar_clear(first);
    qqbar_clear(last);
}

/* The critical points of f inside (low, high), where any may reach the bound.  Above the degree
 * limit they stay without a known point: one candidate stands for all. */
static void add_critical(candidates *c, const fmpq_poly_t f, const fmpq_t low, const fmpq_t high,
                         slong top, slong bottom, arf_t bound, slong degree_limit)
{
    fmpq_poly_t slope;
    fmpz_poly_t p;
    arb_t range;

    fmpq_poly_init(slope);
    fmpz_poly_init(p);
    arb_init(range);
    fmpq_poly_derivative(slope, f);
    if (fmpq_poly_degree(slope) >= 1 && at_critical_range(range, f, low, high, bound)) {
        squarefree_part(p, slope);
        if (degree_limit == 0 || fmpz_poly_degree(p) <= degree_limit)
            add_algebraic(c, f, p, low, high, top, bottom);
        else
            arb_set(add_candidate(c, f, top, bottom)->ball, range);
    }
    fmpq_poly_clear(slope);
    fmpz_poly_clear(p);
    arb_clear(range);
}

static void enclose(candidate *item, slong precision)
{
    arb_t point;

    if (!item->has_point)
        return;
    arb_init(point);
    qqbar_get_arb(point, item->point, precision);
    enclose_at(item->ball, item->f, point, precision);
    arb_clear(point);
}

/* Drops every candidate that lies provably below another. */
static void prune(candidates *c, slong precision)
{
    slong best = 0, kept = 0;
    arf_t end, highest;

    arf_init(end);
    arf_init(highest);
    arf_neg_inf(highest);
    for (slong k = 0; k < c->count; k++) {
        enclose(&c->items[k], precision);
        arb_get_lbound_arf(end, c->items[k].ball, precision);
        if (arf_cmp(end, highest) > 0) {
            arf_set(highest, end);
            best = k;
        }
    }
    for (slong k = 0; k < c->count; k++) {
        if (k != best && arb_lt(c->items[k].ball, c->items[best].ball)) {
            candidate_clear(&c->items[k]);
        } else {
            if (k == best)
                best = kept;   /* it moves, but is never moved over */
            if (kept != k)
                c->items[kept] = c->items[k];
            kept++;
        }
    }
    c->count = kept;
    arf_clear(end);
    arf_clear(highest);
}

/* Whether a is the better of two points that attain the same value. */
static int is_simpler(const qqbar_t a, const qqbar_t b)
{
    fmpz_t x, y;
    int order;

    if (qqbar_degree(a) != qqbar_degree(b))
        return qqbar_degree(a) < qqbar_degree(b);
    fmpz_init(x);
    fmpz_init(y);
    qqbar_height(x, a);
    qqbar_height(y, b);
    order = fmpz_cmp(x, y);
    fmpz_clear(x);
    fmpz_clear(y);
    return order != 0 ? order < 0 : qqbar_cmp_re(a, b) > 0;
}

static const qqbar_struct *exact_value(candidate *item)
{
    if (!item->has_value) {
        qqbar_evaluate_fmpq_poly(item->value, item->f, item->point);
        item->has_value = 1;
    }
    return item->value;
}

/* The largest candidate.  Where overlapping candidates have no known point, *exact becomes 0 and
 * the ball covers them all. */
static candidate *choose(arb_t ball, int *exact, candidates *c)
{
    candidate *best;

    for (slong precision = FIRST_PRECISION; precision <= LAST_PRECISION; precision *= 2) {
        prune(c, precision);
        if (c->count == 1)
            break;
    }
    best = &c->items[0];
    *exact = best->has_point;
    arb_set(ball, best->ball);
    for (slong k = 1; k < c->count; k++) {
        candidate *item = &c->items[k];

        if (*exact && item->has_point) {
            int order = qqbar_cmp_re(exact_value(item), exact_value(best));

            if (order > 0 || (order == 0 && is_simpler(item->point, best->point))) {
                best = item;
                arb_set(ball, item->ball);
            }
        } else {
            *exact = 0;
            arb_union(ball, ball, item->ball, LAST_PRECISION);
        }
    }
    return best;
}

static void decide(at_supremum_t s, candidates *c)
{
    candidate *best = choose(s->ball, &s->exact, c);

    s->top = best->top;
    s->bottom = best->bottom;
    if (s->exact) {
        qqbar_set(s->point, best->point);
        qqbar_set(s->value, exact_value(best));
        qqbar_get_arb(s->ball, s->value, FIRST_PRECISION);
    }
    candidates_clear(c);
}

/* Raises the bound to what the value at a rational point is for certain. */
static void raise_bound(arf_t bound, const fmpq_t value)
{
    arb_t ball;
    arf_t end;

    arb_init(ball);
    arf_init(end);
    arb_set_fmpq(ball, value, FIRST_PRECISION);
    arb_get_lbound_arf(end, ball, FIRST_PRECISION);
    if (arf_cmp(end, bound) > 0)
        arf_set(bound, end);
    arb_clear(ball);
    arf_clear(end);
}

void at_supremum_poly(at_supremum_t s, const fmpq_poly_t f, const fmpq_t low, const fmpq_t high,
                      slong degree_limit)
{
    candidates c = {NULL, 0, 0};
    fmpq_t value;
    arf_t bound;

    fmpq_init(value);
    arf_init(bound);
    arf_neg_inf(bound);
    add_rational(&c, low, f, 0, 0);
    fmpq_poly_evaluate_fmpq(value, f, low);
    raise_bound(bound, value);
    if (!fmpq_equal(low, high)) {
        add_rational(&c, high, f, 0, 0);
        fmpq_poly_evaluate_fmpq(value, f, high);
        raise_bound(bound, value);
        add_critical(&c, f, low, high, 0, 0, bound, degree_limit);
    }
    decide(s, &c);
    fmpq_clear(value);
    arf_clear(bound);
}

typedef struct { const fmpq_poly_struct *f; slong index; } row;

static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = fmpq_poly_cmp(x->f, y->f);

    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* The indices of one of each of equal polynomials. */
static slong distinct_rows(slong *indices, const fmpq_poly_struct *f, slong n)
{
    row *rows = flint_malloc((size_t) n * sizeof *rows);
    slong count = 0;

    for (slong k = 0; k < n; k++)
        rows[k] = (row) {f + k, k};
    qsort(rows, (size_t) n, sizeof *rows, compare_rows);
    for (slong k = 0; k < n; k++)
        if (k == 0 || !fmpq_poly_equal(rows[k].f, rows[k - 1].f))
            indices[count++] = rows[k].index;
    flint_free(rows);
    return count;
}

/* The spread at a rational point, exactly: one candidate.  bound: raised to it. */
static void add_spread_at(candidates *c, const fmpq_poly_struct *f, const slong *rows, slong count,
                          const fmpq_t point, arf_t bound)
{
    fmpq_t value, high, low;
    fmpq_poly_t difference;
    slong top = rows[0], bottom = rows[0];

    fmpq_init(value);
    fmpq_init(high);
    fmpq_init(low);
    fmpq_poly_init(difference);
    for (slong k = 0; k < count; k++) {
        fmpq_poly_evaluate_fmpq(value, f + rows[k], point);
        if (k == 0 || fmpq_cmp(value, high) > 0) {
            fmpq_set(high, value);
            top = rows[k];
        }
        if (k == 0 || fmpq_cmp(value, low) < 0) {
            fmpq_set(low, value);
            bottom = rows[k];
        }
    }
    fmpq_sub(value, high, low);
    raise_bound(bound, value);
    fmpq_poly_sub(difference, f + top, f + bottom);
    add_rational(c, point, difference, top, bottom);
    fmpq_clear(value);
    fmpq_clear(high);
    fmpq_clear(low);
    fmpq_poly_clear(difference);
}

void at_supremum_spread(at_supremum_t s, const fmpq_poly_struct *f, slong n, const fmpq_t low,
                        const fmpq_t high)
{
    slong *rows = flint_malloc((size_t) n * sizeof *rows);
    slong count = distinct_rows(rows, f, n);
    candidates c = {NULL, 0, 0};
    at_pairs pairs = {NULL, 0, 0};
    fmpq_poly_t difference;
    arf_t bound;

    fmpq_poly_init(difference);
    arf_init(bound);
    arf_neg_inf(bound);
    add_spread_at(&c, f, rows, count, low, bound);
    if (!fmpq_equal(low, high)) {
        add_spread_at(&c, f, rows, count, high, bound);
        at_spread_pairs(&pairs, f, rows, count, low, high, bound);
        for (slong k = 0; k < pairs.count; k++) {
            slong top = pairs.pairs[k].top, bottom = pairs.pairs[k].bottom;

            fmpq_poly_sub(difference, f + top, f + bottom);
            add_critical(&c, difference, low, high, top, bottom, bound, 0);
        }
    }
    decide(s, &c);
    fmpq_poly_clear(difference);
    flint_free(pairs.pairs);
    flint_free(rows);
    arf_clear(bound);
}
