/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The floors of collapsing classes from the rows on constant sequences. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/floor.h"
#include "attest/theory/floor/impl.h"
#include "attest/theory/floor/seqfun_exact.h"

/* Minimal polynomials of higher degree are long numbers that nobody reads; the mean squared error
 * is then given by its enclosure. */
enum { MSE_DEGREE = 24, PRECISION = 128 };

void at_floor_init(at_floor_t floor)
{
    floor->of_class = AT_FLOOR_COLLAPSING;
    floor->n = 0;
    floor->rows = NULL;
    floor->sequence = floor->partner = NULL;
    floor->has_floor = floor->sharp = floor->is_constant = 0;
    floor->top = floor->bottom = 0;
    fmpq_init(floor->low);
    fmpq_init(floor->high);
    qqbar_init(floor->value);
    qqbar_init(floor->constant);
    at_supremum_init(floor->mse);
    arb_init(floor->cross_entropy);
    fmpq_init(floor->accuracy);
}

/* Forgets the vectors, whose length is n. */
static void clear_vectors(at_floor_t floor)
{
    if (floor->rows != NULL)
        at_fmpq_poly_vec_clear(floor->rows, (size_t) floor->n);
    if (floor->sequence != NULL)
        _fmpq_vec_clear(floor->sequence, floor->n);
    if (floor->partner != NULL)
        _fmpq_vec_clear(floor->partner, floor->n);
    floor->rows = NULL;
    floor->sequence = floor->partner = NULL;
}

void at_floor_clear(at_floor_t floor)
{
    clear_vectors(floor);
    fmpq_clear(floor->low);
    fmpq_clear(floor->high);
    qqbar_clear(floor->value);
    qqbar_clear(floor->constant);
    at_supremum_clear(floor->mse);
    arb_clear(floor->cross_entropy);
    fmpq_clear(floor->accuracy);
}

/* (1/n) Σ f_i² - ((1/n) Σ f_i)², a polynomial in the constant. */
static void variance_of_rows(fmpq_poly_t variance, const at_floor_t floor)
{
    fmpq_poly_t mean, square;

    fmpq_poly_init(mean);
    fmpq_poly_init(square);
    fmpq_poly_zero(variance);
    for (slong k = 0; k < floor->n; k++) {
        fmpq_poly_add(mean, mean, floor->rows + k);
        fmpq_poly_mul(square, floor->rows + k, floor->rows + k);
        fmpq_poly_add(variance, variance, square);
    }
    fmpq_poly_scalar_div_si(mean, mean, floor->n);
    fmpq_poly_scalar_div_si(variance, variance, floor->n);
    fmpq_poly_mul(square, mean, mean);
    fmpq_poly_sub(variance, variance, square);
    fmpq_poly_clear(mean);
    fmpq_poly_clear(square);
}

static int compare_rows(const void *a, const void *b)
{
    return fmpq_poly_cmp(*(const fmpq_poly_struct *const *) a,
                         *(const fmpq_poly_struct *const *) b);
}

/* Adds a class of count rows out of n. */
static void add_class(at_floor_t floor, slong *largest, slong count)
{
    arb_t share, log;

    arb_init(share);
    arb_init(log);
    arb_set_si(share, count);
    arb_div_si(share, share, floor->n, PRECISION);
    arb_log(log, share, PRECISION);
    arb_submul(floor->cross_entropy, share, log, PRECISION);
    if (count > *largest)
        *largest = count;
    arb_clear(share);
    arb_clear(log);
}

/* Rows are one class where they are one polynomial: at all but finitely many constants no other
 * rows agree.  A single constant is taken as it is. */
static void label_losses(at_floor_t floor)
{
    size_t n = (size_t) floor->n;
    fmpq_poly_struct *labels = at_fmpq_poly_vec_init(n);
    fmpq_poly_struct **sorted = flint_malloc(n * sizeof *sorted);
    slong largest = 0, count = 0;
    int one_constant = fmpq_equal(floor->low, floor->high);
    fmpq_t constant, value;

    fmpq_init(constant);
    fmpq_init(value);
    fmpq_set(constant, floor->low);
    for (size_t k = 0; k < n; k++) {
        fmpq_poly_set(labels + k, floor->rows + k);
        if (one_constant) {
            fmpq_poly_evaluate_fmpq(value, floor->rows + k, constant);
            fmpq_poly_set_fmpq(labels + k, value);
        }
        sorted[k] = labels + k;
    }
    qsort(sorted, n, sizeof *sorted, compare_rows);
    arb_zero(floor->cross_entropy);
    for (size_t k = 0; k < n; k++) {
        count++;
        if (k + 1 == n || !fmpq_poly_equal(sorted[k], sorted[k + 1])) {
            add_class(floor, &largest, count);
            count = 0;
        }
    }
    fmpq_set_si(floor->accuracy, largest, (ulong) n);
    if (largest == floor->n)
        arb_zero(floor->cross_entropy);
    fmpq_clear(constant);
    fmpq_clear(value);
    flint_free(sorted);
    at_fmpq_poly_vec_clear(labels, n);
}

static int prepare(at_floor_t floor, const at_seqfun *fun, size_t n, const fmpq_t low,
                   const fmpq_t high, at_error *err)
{
    if (n < 1 || n > 65536)
        return at_error_set(err, AT_USAGE, "n is %zu; it lies between 1 and 65536", n);
    if (fmpq_cmp(low, high) > 0)
        return at_error_set(err, AT_USAGE, "the domain is empty: its first end is the larger one");
    clear_vectors(floor);
    floor->of_class = AT_FLOOR_COLLAPSING;
    floor->sharp = floor->is_constant = 1;
    floor->n = (slong) n;
    floor->rows = at_fmpq_poly_vec_init(n);
    fmpq_set(floor->low, low);
    fmpq_set(floor->high, high);
    return at_seqfun_eval_constants(floor->rows, fun, n, err);
}

int at_floor_collapsing(at_floor_t floor, const at_seqfun *fun, size_t n, const fmpq_t low,
                        const fmpq_t high, at_error *err)
{
    at_supremum_t spread;
    fmpq_poly_t variance;
    int status = prepare(floor, fun, n, low, high, err);

    if (status != AT_OK)
        return status;
    at_supremum_init(spread);
    at_supremum_spread(spread, floor->rows, floor->n, low, high);
    qqbar_mul_2exp_si(floor->value, spread->value, -1);
    qqbar_set(floor->constant, spread->point);
    floor->top = spread->top;
    floor->bottom = spread->bottom;
    floor->has_floor = qqbar_sgn_re(floor->value) > 0;
    at_supremum_clear(spread);
    fmpq_poly_init(variance);
    variance_of_rows(variance, floor);
    at_supremum_poly(floor->mse, variance, low, high, MSE_DEGREE);
    fmpq_poly_clear(variance);
    label_losses(floor);
    return AT_OK;
}

const char *at_floor_class_name(enum at_floor_class class)
{
    switch (class) {
    case AT_FLOOR_COLLAPSING: return "collapsing";
    case AT_FLOOR_SYMMETRIC: return "symmetric";
    case AT_FLOOR_EQUIVARIANT: return "equivariant";
    case AT_FLOOR_CLASS_COUNT: break;
    }
    return "unknown";
}

int at_floor_compute(at_floor_t floor, enum at_floor_class class, const at_seqfun *fun, size_t n,
                     const fmpq_t low, const fmpq_t high, at_error *err)
{
    int status = at_floor_collapsing(floor, fun, n, low, high, err);

    if (status == AT_OK && class == AT_FLOOR_SYMMETRIC)
        status = at_floor_reversal(floor, fun, err);
    if (status == AT_OK && class == AT_FLOOR_EQUIVARIANT)
        status = at_floor_permutations(floor, fun, err);
    return status;
}

double at_qqbar_lower_double(const qqbar_t x)
{
    arb_t ball;
    arf_t end;
    double lower;

    arb_init(ball);
    arf_init(end);
    qqbar_get_arb(ball, x, PRECISION);
    arb_get_lbound_arf(end, ball, PRECISION);
    lower = arf_get_d(end, ARF_RND_FLOOR);
    arb_clear(ball);
    arf_clear(end);
    return lower;
}
