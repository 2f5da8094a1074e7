/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a function can reach a bound at a critical point inside an interval: bisection that
 * drops subintervals where the derivative has no zero or the function stays below the bound.
 * It spares most root isolations, and encloses suprema whose algebra would cost too much. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/supremum_impl.h"

enum { PRECISION = 256, DEEPEST = 60, MOST_BOXES = 1000 };

typedef struct {
    arb_poly_t value, slope;
    fmpq_t low, width;
    arf_struct *bound;
    arf_t highest;     /* of the boxes kept on this level */
} search;

/* Whether box k of the level stays; raises the bound and the level's highest value. */
static int keeps(search *s, const fmpz_t k, slong level)
{
    arb_t middle, deviation, value, range, slope;
    arf_t end;
    int kept;

    arb_init(middle);
    arb_init(deviation);
    arb_init(value);
    arb_init(range);
    arb_init(slope);
    arf_init(end);
    at_box_place(middle, deviation, k, level, s->low, s->width, PRECISION);
    at_box_range(value, range, slope, s->value, s->slope, middle, deviation, s->bound, PRECISION);
    arb_get_lbound_arf(end, value, PRECISION);
    if (arf_is_finite(end) && arf_cmp(end, s->bound) > 0)
        arf_set(s->bound, end);
    arb_get_ubound_arf(end, range, PRECISION);
    kept = !arb_is_nonzero(slope) && !(arf_cmp(end, s->bound) < 0);
    if (kept && arf_is_nan(end))
        arf_pos_inf(s->highest);
    else if (kept && arf_cmp(end, s->highest) > 0)
        arf_set(s->highest, end);
    arb_clear(middle);
    arb_clear(deviation);
    arb_clear(value);
    arb_clear(range);
    arb_clear(slope);
    arf_clear(end);
    return kept;
}

/* boxes[0..count) on one level, replaced by the halves of those that stay; their number. */
static slong halve(search *s, fmpz *boxes, slong count, slong level, slong *kept)
{
    *kept = 0;
    arf_neg_inf(s->highest);
    for (slong k = 0; k < count; k++)
        if (keeps(s, boxes + k, level))
            fmpz_swap(boxes + (*kept)++, boxes + k);
    for (slong k = *kept - 1; k >= 0; k--) {
        fmpz_mul_2exp(boxes + 2 * k, boxes + k, 1);
        fmpz_add_ui(boxes + 2 * k + 1, boxes + 2 * k, 1);
    }
    return 2 * *kept;
}

int at_critical_range(arb_t range, const fmpq_poly_t f, const fmpq_t low, const fmpq_t high,
                      arf_t bound)
{
    fmpz *boxes = _fmpz_vec_init(2 * MOST_BOXES);
    slong count = 1, kept = 1;
    search s;

    s.bound = bound;
    arf_init(s.highest);
    arb_poly_init(s.value);
    arb_poly_init(s.slope);
    fmpq_init(s.low);
    fmpq_init(s.width);
    arb_poly_set_fmpq_poly(s.value, f, PRECISION);
    arb_poly_derivative(s.slope, s.value, PRECISION);
    fmpq_set(s.low, low);
    fmpq_sub(s.width, high, low);
    for (slong level = 0; count > 0 && count <= MOST_BOXES && level <= DEEPEST; level++)
        count = halve(&s, boxes, count, level, &kept);
    if (kept > 0)
        arb_set_interval_arf(range, bound, s.highest, PRECISION);
    _fmpz_vec_clear(boxes, 2 * MOST_BOXES);
    arf_clear(s.highest);
    arb_poly_clear(s.value);
    arb_poly_clear(s.slope);
    fmpq_clear(s.low);
    fmpq_clear(s.width);
    return kept > 0;
}
