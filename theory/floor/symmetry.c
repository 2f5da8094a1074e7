/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floors of maps that commute with the reversal, or with all permutations (theory.md,
 * rpe.reversal-symmetry and rpe.permutation-symmetry).
 *
 * If g(PX) = P g(X), row i of g(X) is row s(i) of g(PX), where P carries entry j to place s(j).
 * One of the two errors there is at least ½ |f_i(X) - f_{s(i)}(PX)|. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/impl.h"
#include "attest/theory/flint/random.h"
#include "attest/theory/floor/seqfun_exact.h"

enum { MOST_REVERSED = 512, MOST_PERMUTED = 96, PRECISION = 128 };

/* f_i(x) = offset[i] + Σ_j slope[i n + j] x_j. */
typedef struct { slong n; fmpq *offset, *slope; } linear;

static void linear_clear(linear *f)
{
    _fmpq_vec_clear(f->offset, f->n);
    _fmpq_vec_clear(f->slope, f->n * f->n);
}

/* From the values at 0 and at the unit vectors; fun has degree at most 1. */
static int linear_init(linear *f, const at_seqfun *fun, slong n, at_error *err)
{
    fmpq *x = _fmpq_vec_init(n), *y = _fmpq_vec_init(n);
    int status;

    f->n = n;
    f->offset = _fmpq_vec_init(n);
    f->slope = _fmpq_vec_init(n * n);
    status = at_seqfun_eval_fmpq(f->offset, fun, x, (size_t) n, err);
    for (slong j = 0; status == AT_OK && j < n; j++) {
        fmpq_one(x + j);
        status = at_seqfun_eval_fmpq(y, fun, x, (size_t) n, err);
        fmpq_zero(x + j);
        for (slong i = 0; status == AT_OK && i < n; i++)
            fmpq_sub(f->slope + i * n + j, y + i, f->offset + i);
    }
    _fmpq_vec_clear(x, n);
    _fmpq_vec_clear(y, n);
    if (status != AT_OK)
        linear_clear(f);
    return status;
}

/* sum += max over t in [low, high] of d t. */
static void add_largest(fmpq_t sum, const fmpq_t d, const at_floor_t floor)
{
    if (fmpq_sgn(d) > 0)
        fmpq_addmul(sum, d, floor->high);
    else
        fmpq_addmul(sum, d, floor->low);
}

/* Makes half the gap between row `top` of X and row `bottom` of the partner the floor, if it is
 * larger than what is there or *found is 0 yet. */
static void raise_floor(at_floor_t floor, int *found, const fmpq_t gap, slong top, slong bottom,
                        const fmpq *x, const fmpq *partner)
{
    qqbar_t half;

    qqbar_init(half);
    qqbar_set_fmpq(half, gap);
    qqbar_mul_2exp_si(half, half, -1);
    if (!*found || qqbar_cmp_re(half, floor->value) > 0) {
        *found = 1;
        qqbar_set(floor->value, half);
        floor->top = top;
        floor->bottom = bottom;
        floor->is_constant = 0;
        if (floor->sequence == NULL) {
            floor->sequence = _fmpq_vec_init(floor->n);
            floor->partner = _fmpq_vec_init(floor->n);
        }
        for (slong k = 0; k < floor->n; k++) {
            fmpq_set(floor->sequence + k, x + k);
            fmpq_set(floor->partner + k, partner + k);
        }
    }
    qqbar_clear(half);
}

/* y_{s(j)} = x_j. */
static void carry(fmpq *y, const fmpq *x, const slong *s, slong n)
{
    for (slong j = 0; j < n; j++)
        fmpq_set(y + s[j], x + j);
}

/* Raises the floor by every row of X and of PX. */
static int try_sequence(at_floor_t floor, int *found, const at_seqfun *fun, const fmpq *x,
                        const slong *s, at_error *err)
{
    slong n = floor->n;
    fmpq *px = _fmpq_vec_init(n), *y = _fmpq_vec_init(n), *py = _fmpq_vec_init(n);
    int status;
    fmpq_t gap;

    fmpq_init(gap);
    carry(px, x, s, n);
    status = at_seqfun_eval_fmpq(y, fun, x, (size_t) n, err);
    if (status == AT_OK)
        status = at_seqfun_eval_fmpq(py, fun, px, (size_t) n, err);
    for (slong i = 0; status == AT_OK && i < n; i++) {
        fmpq_sub(gap, y + i, py + s[i]);
        fmpq_abs(gap, gap);
        raise_floor(floor, found, gap, i, s[i], x, px);
    }
    fmpq_clear(gap);
    _fmpq_vec_clear(px, n);
    _fmpq_vec_clear(y, n);
    _fmpq_vec_clear(py, n);
    return status;
}

/* X at the ends and in the middle of the interval, from a fixed stream; reversal or random
 * permutations. */
static int search(at_floor_t floor, int *found, const at_seqfun *fun, int reversal, at_error *err)
{
    slong n = floor->n, rounds = n <= 32 ? 400 : 60;
    slong *s = flint_malloc((size_t) n * sizeof *s);
    fmpq *x = _fmpq_vec_init(n);
    at_random r = at_random_seed(1);
    int status = AT_OK;

    for (slong round = 0; status == AT_OK && round < rounds; round++) {
        for (slong j = 0; j < n; j++) {
            slong pick = at_random_below(&r, 5);

            if (pick < 4) {
                fmpq_set(x + j, pick < 2 ? floor->low : floor->high);
            } else {
                fmpq_add(x + j, floor->low, floor->high);
                fmpq_div_2exp(x + j, x + j, 1);
            }
            s[j] = reversal ? n - 1 - j : j;
        }
        for (slong j = n - 1; !reversal && j > 0; j--) {
            slong k = at_random_below(&r, j + 1), kept = s[j];

            s[j] = s[k];
            s[k] = kept;
        }
        status = try_sequence(floor, found, fun, x, s, err);
    }
    flint_free(s);
    _fmpq_vec_clear(x, n);
    return status;
}

/* The largest f_i(X) - f_k(PX) over X and the permutations with s(i) = k is a sum over j of the
 * largest (u_j - v_{s(j)}) t, convex in the difference: the sorted slopes of row i meet those of
 * row k in opposite order. */
typedef struct { const fmpq *slope; slong j; } entry;

static int by_slope(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = fmpq_cmp(x->slope, y->slope);

    return order != 0 ? order : (x->j > y->j) - (x->j < y->j);
}

/* order[i (n-1) + m]: the m-th smallest slope of row i beside the diagonal. */
static entry *sorted_slopes(const linear *f)
{
    slong n = f->n;
    entry *order = flint_malloc((size_t) (n * n + 1) * sizeof *order);

    for (slong i = 0; i < n; i++) {
        entry *row = order + i * (n - 1);
        slong count = 0;

        for (slong j = 0; j < n; j++)
            if (j != i)
                row[count++] = (entry) {f->slope + i * n + j, j};
        if (count > 0)
            qsort(row, (size_t) count, sizeof *row, by_slope);
    }
    return order;
}

static void matched_gap(fmpq_t gap, const linear *f, const entry *order, slong i, slong k,
                        const at_floor_t floor)
{
    slong n = f->n;
    fmpq_t d;

    fmpq_init(d);
    fmpq_sub(gap, f->offset + i, f->offset + k);
    fmpq_sub(d, f->slope + i * n + i, f->slope + k * n + k);
    add_largest(gap, d, floor);
    for (slong m = 0; m < n - 1; m++) {
        fmpq_sub(d, order[i * (n - 1) + m].slope, order[k * (n - 1) + n - 2 - m].slope);
        add_largest(gap, d, floor);
    }
    fmpq_clear(d);
}

/* The X and the permutation behind matched_gap. */
static void matched_witness(fmpq *x, slong *s, const linear *f, const entry *order, slong i,
                            slong k, const at_floor_t floor)
{
    slong n = f->n;

    s[i] = k;
    for (slong m = 0; m < n - 1; m++)
        s[order[i * (n - 1) + m].j] = order[k * (n - 1) + n - 2 - m].j;
    for (slong j = 0; j < n; j++)
        fmpq_set(x + j, fmpq_cmp(f->slope + i * n + j, f->slope + k * n + s[j]) > 0
                 ? floor->high : floor->low);
}

static int linear_permutations(at_floor_t floor, int *found, const at_seqfun *fun, at_error *err)
{
    slong n = floor->n, top = 0, bottom = 0;
    slong *s = flint_malloc((size_t) n * sizeof *s);
    fmpq *x = _fmpq_vec_init(n);
    entry *order;
    linear f;
    fmpq_t gap, best;
    int status = linear_init(&f, fun, n, err);

    fmpq_init(gap);
    fmpq_init(best);
    if (status == AT_OK) {
        order = sorted_slopes(&f);
        for (slong i = 0; i < n; i++)
            for (slong k = 0; k < n; k++) {
                matched_gap(gap, &f, order, i, k, floor);
                if (fmpq_cmp(gap, best) > 0) {
                    fmpq_set(best, gap);
                    top = i;
                    bottom = k;
                }
            }
        matched_witness(x, s, &f, order, top, bottom, floor);
        status = try_sequence(floor, found, fun, x, s, err);   /* evaluates the function itself */
        flint_free(order);
        linear_clear(&f);
    }
    fmpq_clear(gap);
    fmpq_clear(best);
    _fmpq_vec_clear(x, n);
    flint_free(s);
    return status;
}

int at_floor_permutations(at_floor_t floor, const at_seqfun *fun, at_error *err)
{
    int found = 1, status;   /* the floor on constants is one of this class */

    if (floor->n > MOST_PERMUTED)
        return at_error_set(err, AT_USAGE, "n is %ld; the equivariant class takes at most %d",
                            (long) floor->n, MOST_PERMUTED);
    floor->of_class = AT_FLOOR_EQUIVARIANT;
    floor->sharp = fun->degree <= 1;
    status = floor->sharp ? linear_permutations(floor, &found, fun, err)
                          : search(floor, &found, fun, 0, err);
    floor->has_floor = qqbar_sgn_re(floor->value) > 0;
    return status;
}

/* The X at which a linear f_i(X) - f_{n+1-i}(JX) is largest, row by row. */
static int linear_reversal(at_floor_t floor, int *found, const at_seqfun *fun, at_error *err)
{
    slong n = floor->n;
    slong *s = flint_malloc((size_t) n * sizeof *s);
    fmpq *x = _fmpq_vec_init(n);
    fmpq_t gap, best, d;
    slong top = 0;
    linear f;
    int status = linear_init(&f, fun, n, err);

    fmpq_init(gap);
    fmpq_init(best);
    fmpq_init(d);
    if (status == AT_OK) {
        for (slong i = 0; i < n; i++) {
            slong k = n - 1 - i;

            s[i] = k;
            fmpq_sub(gap, f.offset + i, f.offset + k);
            for (slong j = 0; j < n; j++) {
                fmpq_sub(d, f.slope + i * n + j, f.slope + k * n + n - 1 - j);
                add_largest(gap, d, floor);
            }
            if (fmpq_cmp(gap, best) > 0) {
                fmpq_set(best, gap);
                top = i;
            }
        }
        for (slong j = 0; j < n; j++)
            fmpq_set(x + j, fmpq_cmp(f.slope + top * n + j, f.slope + (n - 1 - top) * n + n - 1 - j)
                     > 0 ? floor->high : floor->low);
        status = try_sequence(floor, found, fun, x, s, err);
        linear_clear(&f);
    }
    fmpq_clear(gap);
    fmpq_clear(best);
    fmpq_clear(d);
    _fmpq_vec_clear(x, n);
    flint_free(s);
    return status;
}

/* ½ max_i |f_i(t) - f_{n+1-i}(t)| over constants t, as a floor. */
static void reversal_on_constants(at_floor_t floor)
{
    slong n = floor->n;
    fmpq_poly_struct *gaps = at_fmpq_poly_vec_init((size_t) n + 1);
    at_supremum_t spread;

    /* Row i minus row n+1-i, both signs, and zero: the spread is twice the largest. */
    for (slong i = 0; i < n; i++)
        fmpq_poly_sub(gaps + i, floor->rows + i, floor->rows + n - 1 - i);
    at_supremum_init(spread);
    at_supremum_spread(spread, gaps, n + 1, floor->low, floor->high);
    qqbar_mul_2exp_si(floor->value, spread->value, -2);
    qqbar_set(floor->constant, spread->point);
    floor->top = spread->top < n ? spread->top : n - 1 - spread->bottom;
    floor->bottom = n - 1 - floor->top;
    floor->is_constant = 1;
    at_supremum_clear(spread);
    at_fmpq_poly_vec_clear(gaps, (size_t) n + 1);
}

/* The averages over X and JX: where f_i(X) and f_{n+1-i}(JX) differ by h_i, the two rows of g are
 * one; squared error at least ¼ h_i² on average, one of two labels wrong, log 2 of entropy. */
static int reversal_losses(at_floor_t floor, const at_seqfun *fun, at_error *err)
{
    slong n = floor->n, differing = 0;
    fmpq *x = _fmpq_vec_init(n), *y = _fmpq_vec_init(n), *z = _fmpq_vec_init(n);
    fmpq_t h, mse;
    int status = AT_OK;

    fmpq_init(h);
    fmpq_init(mse);
    if (floor->is_constant) {
        if (qqbar_is_rational(floor->constant))
            qqbar_get_fmpq(h, floor->constant);
        else
            fmpq_set(h, floor->high);   /* the losses need a rational X; any is one */
    }
    for (slong j = 0; j < n; j++)
        fmpq_set(x + j, floor->is_constant ? h : floor->sequence + j);
    status = at_seqfun_eval_fmpq(y, fun, x, (size_t) n, err);
    for (slong j = 0; 2 * j < n - 1; j++)
        fmpq_swap(x + j, x + n - 1 - j);
    if (status == AT_OK)
        status = at_seqfun_eval_fmpq(z, fun, x, (size_t) n, err);
    for (slong i = 0; status == AT_OK && i < n; i++) {
        fmpq_sub(h, y + i, z + n - 1 - i);
        differing += !fmpq_is_zero(h);
        fmpq_addmul(mse, h, h);
    }
    fmpq_div_2exp(mse, mse, 2);
    fmpq_set_si(h, 1, (ulong) n);
    fmpq_mul(mse, mse, h);
    floor->mse->exact = 1;
    qqbar_set_fmpq(floor->mse->value, mse);
    arb_set_fmpq(floor->mse->ball, mse, PRECISION);
    fmpq_set_si(floor->accuracy, 2 * n - differing, 2 * (ulong) n);
    arb_const_log2(floor->cross_entropy, PRECISION);
    arb_mul_si(floor->cross_entropy, floor->cross_entropy, differing, PRECISION);
    arb_div_si(floor->cross_entropy, floor->cross_entropy, n, PRECISION);
    fmpq_clear(h);
    fmpq_clear(mse);
    _fmpq_vec_clear(x, n);
    _fmpq_vec_clear(y, n);
    _fmpq_vec_clear(z, n);
    return status;
}

int at_floor_reversal(at_floor_t floor, const at_seqfun *fun, at_error *err)
{
    int found = 1, status;

    if (floor->n > MOST_REVERSED)
        return at_error_set(err, AT_USAGE, "n is %ld; the symmetric class takes at most %d",
                            (long) floor->n, MOST_REVERSED);
    floor->of_class = AT_FLOOR_SYMMETRIC;
    floor->sharp = fun->degree <= 1;
    reversal_on_constants(floor);
    status = floor->sharp ? linear_reversal(floor, &found, fun, err)
                          : search(floor, &found, fun, 1, err);
    floor->has_floor = qqbar_sgn_re(floor->value) > 0;
    return status == AT_OK ? reversal_losses(floor, fun, err) : status;
}
