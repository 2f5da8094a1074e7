/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pairs of polynomials can attain the largest spread inside an interval: bisection with
 * ball enclosures.  Whatever the balls cannot exclude is kept, so the result
 * is complete at any precision; precision and depth only decide how short the list is. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/supremum_impl.h"

enum { PRECISION = 256, DEEPEST = 30, MOST_BOXES = 4000, FEW_PAIRS = 2 };

/* The subinterval number k of the 2^level equal ones, and the rows that may be the largest or the
 * smallest somewhere in it. */
typedef struct {
    slong level, tops, bottoms;
    fmpz_t k;
    slong *rows;     /* tops, then bottoms */
} box;

typedef struct {
    arb_poly_struct *value, *slope;   /* of each row minus the first: what all share would only
                                         widen the balls */
    fmpq_t low, width;
    arf_t bound;
    at_pairs *out;
    /* of the box at hand, by row */
    arb_struct *range, *slopes;
} search;

static void box_init(box *b, slong level, const fmpz_t k, const slong *tops, slong top_count,
                     const slong *bottoms, slong bottom_count)
{
    b->level = level;
    b->tops = top_count;
    b->bottoms = bottom_count;
    fmpz_init_set(b->k, k);
    b->rows = flint_malloc((size_t) (top_count + bottom_count + 1) * sizeof *b->rows);
    memcpy(b->rows, tops, (size_t) top_count * sizeof *tops);
    memcpy(b->rows + top_count, bottoms, (size_t) bottom_count * sizeof *bottoms);
}

static void box_clear(box *b)
{
    fmpz_clear(b->k);
    flint_free(b->rows);
}

/* Ranges and slopes of the rows of the box; raises the bound by the spread in the middle. */
static void box_enclose(const box *b, search *s)
{
    arb_t middle, deviation, value;
    arf_t high, low, end;

    arb_init(middle);
    arb_init(deviation);
    arb_init(value);
    arf_init(high);
    arf_init(low);
    arf_init(end);
    at_box_place(middle, deviation, b->k, b->level, s->low, s->width, PRECISION);
    arf_neg_inf(high);
    arf_pos_inf(low);
    for (slong k = 0; k < b->tops + b->bottoms; k++) {
        slong row = b->rows[k];

        at_box_range(value, s->range + row, s->slopes + row, s->value + row, s->slope + row,
                     middle, deviation, s->bound, PRECISION);
        if (k < b->tops) {
            arb_get_lbound_arf(end, value, PRECISION);
            if (arf_cmp(end, high) > 0)
                arf_set(high, end);
        } else {
            arb_get_ubound_arf(end, value, PRECISION);
            if (arf_cmp(end, low) < 0)
                arf_set(low, end);
        }
    }
    arf_sub(end, high, low, PRECISION, ARF_RND_DOWN);
    if (arf_is_finite(end) && arf_cmp(end, s->bound) > 0)
        arf_set(s->bound, end);
    arb_clear(middle);
    arb_clear(deviation);
    arb_clear(value);
    arf_clear(high);
    arf_clear(low);
    arf_clear(end);
}

/* Keeps of rows[0..count) those that may be the largest (sign 1) or smallest (sign -1); *extreme
 * becomes the largest upper (smallest lower) bound. */
static slong keep_extreme(slong *rows, slong count, int sign, arf_t extreme, const search *s)
{
    arf_t threshold, end;
    arb_t range;
    slong kept = 0;

    arf_init(threshold);
    arf_init(end);
    arb_init(range);
    arf_neg_inf(threshold);
    arf_neg_inf(extreme);
    for (slong k = 0; k < count; k++) {
        arb_set(range, s->range + rows[k]);
        if (sign < 0)
            arb_neg(range, range);
        arb_get_lbound_arf(end, range, PRECISION);
        if (arf_cmp(end, threshold) > 0)
            arf_set(threshold, end);
    }
    for (slong k = 0; k < count; k++) {
        arb_set(range, s->range + rows[k]);
        if (sign < 0)
            arb_neg(range, range);
        arb_get_ubound_arf(end, range, PRECISION);
        if (arf_cmp(end, threshold) < 0)   /* false for NaN: kept */
            continue;
        rows[kept++] = rows[k];
        if (arf_is_nan(end))
            arf_pos_inf(extreme);
        else if (arf_cmp(end, extreme) > 0)
            arf_set(extreme, end);
    }
    if (sign < 0)
        arf_neg(extreme, extreme);
    arf_clear(threshold);
    arf_clear(end);
    arb_clear(range);
    return kept;
}

/* Narrows the box's rows; false when no spread in it reaches the bound. */
static int box_narrow(box *b, search *s)
{
    arf_t high, low;
    slong tops = b->tops, kept;
    int alive;

    arf_init(high);
    arf_init(low);
    kept = keep_extreme(b->rows, tops, 1, high, s);
    b->bottoms = keep_extreme(b->rows + tops, b->bottoms, -1, low, s);
    memmove(b->rows + kept, b->rows + tops, (size_t) b->bottoms * sizeof *b->rows);
    b->tops = kept;
    arf_sub(high, high, low, PRECISION, ARF_RND_UP);
    alive = !(arf_cmp(high, s->bound) < 0);
    arf_clear(high);
    arf_clear(low);
    return alive;
}

static void add_pair(at_pairs *pairs, slong top, slong bottom)
{
    if (pairs->count == pairs->space) {
        pairs->space = pairs->space == 0 ? 16 : 2 * pairs->space;
        pairs->pairs = flint_realloc(pairs->pairs, (size_t) pairs->space * sizeof *pairs->pairs);
    }
    pairs->pairs[pairs->count++] = (at_pair) {top, bottom};
}

/* A pair whose difference is strictly monotone on the box has no critical point there. */
static void box_emit(const box *b, search *s)
{
    arb_t slope;

    arb_init(slope);
    for (slong k = 0; k < b->tops; k++)
        for (slong l = 0; l < b->bottoms; l++) {
            slong top = b->rows[k], bottom = b->rows[b->tops + l];

            if (top == bottom)
                continue;
            arb_sub(slope, s->slopes + top, s->slopes + bottom, PRECISION);
            if (!arb_is_nonzero(slope))
                add_pair(s->out, top, bottom);
        }
    arb_clear(slope);
}

static int box_is_final(const box *b, slong boxes)
{
    return b->level >= DEEPEST || boxes >= MOST_BOXES || b->tops * b->bottoms <= FEW_PAIRS;
}

static int compare_pairs(const void *a, const void *b)
{
    const at_pair *p = a, *q = b;

    if (p->top != q->top)
        return p->top < q->top ? -1 : 1;
    return (p->bottom > q->bottom) - (p->bottom < q->bottom);
}

static void make_unique(at_pairs *pairs)
{
    slong kept = 0;

    if (pairs->count > 0)
        qsort(pairs->pairs, (size_t) pairs->count, sizeof *pairs->pairs, compare_pairs);
    for (slong k = 0; k < pairs->count; k++)
        if (kept == 0 || compare_pairs(&pairs->pairs[kept - 1], &pairs->pairs[k]) != 0)
            pairs->pairs[kept++] = pairs->pairs[k];
    pairs->count = kept;
}

/* One level of boxes after the other: each is enclosed, narrowed, and halved or given out. */
static void run(search *s, const slong *rows, slong count)
{
    box *level = flint_malloc(sizeof *level);
    slong boxes = 1, seen = 0;
    fmpz_t zero;

    fmpz_init(zero);
    box_init(level, 0, zero, rows, count, rows, count);
    fmpz_clear(zero);
    while (boxes > 0) {
        box *next = flint_malloc(2 * (size_t) boxes * sizeof *next);
        slong born = 0;

        for (slong k = 0; k < boxes; k++) {
            box *b = level + k;

            box_enclose(b, s);
            seen++;
            if (box_narrow(b, s)) {
                if (box_is_final(b, seen + boxes)) {
                    box_emit(b, s);
                } else {
                    fmpz_t half;

                    fmpz_init(half);
                    for (ulong side = 0; side < 2; side++) {
                        fmpz_mul_2exp(half, b->k, 1);
                        fmpz_add_ui(half, half, side);
                        box_init(next + born++, b->level + 1, half, b->rows, b->tops,
                                 b->rows + b->tops, b->bottoms);
                    }
                    fmpz_clear(half);
                }
            }
            box_clear(b);
        }
        flint_free(level);
        level = next;
        boxes = born;
    }
    flint_free(level);
}

void at_spread_pairs(at_pairs *pairs, const fmpq_poly_struct *f, const slong *rows, slong count,
                     const fmpq_t low, const fmpq_t high, arf_t bound)
{
    search s = {.out = pairs};
    fmpq_poly_t difference;
    slong n = 0;

    for (slong k = 0; k < count; k++)
        n = rows[k] >= n ? rows[k] + 1 : n;
    s.value = flint_malloc((size_t) (n + 1) * sizeof *s.value);
    s.slope = flint_malloc((size_t) (n + 1) * sizeof *s.slope);
    s.range = _arb_vec_init(n);
    s.slopes = _arb_vec_init(n);
    fmpq_poly_init(difference);
    for (slong k = 0; k < n; k++) {
        arb_poly_init(s.value + k);
        arb_poly_init(s.slope + k);
        fmpq_poly_sub(difference, f + k, f + rows[0]);
        arb_poly_set_fmpq_poly(s.value + k, difference, PRECISION);
        arb_poly_derivative(s.slope + k, s.value + k, PRECISION);
    }
    fmpq_init(s.low);
    fmpq_init(s.width);
    arf_init(s.bound);
    fmpq_set(s.low, low);
    fmpq_sub(s.width, high, low);
    arf_set(s.bound, bound);
    fmpq_poly_clear(difference);
    run(&s, rows, count);
    make_unique(pairs);
    arf_set(bound, s.bound);
    for (slong k = 0; k < n; k++) {
        arb_poly_clear(s.value + k);
        arb_poly_clear(s.slope + k);
    }
    flint_free(s.value);
    flint_free(s.slope);
    _arb_vec_clear(s.range, n);
    _arb_vec_clear(s.slopes, n);
    fmpq_clear(s.low);
    fmpq_clear(s.width);
    arf_clear(s.bound);
}
