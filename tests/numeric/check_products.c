/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix products of each instruction set that this machine has, in both precisions, against plain
 * sums in long double: shapes around the tiles', transposed or not, packed before or not, added or
 * not, with bias or not; nothing outside c is written, and a row's bits are its own. */
#include "config.h"

#include <float.h>

#include "attest/numeric/kernels/kernels.h"
#include "tests/at_check.h"

enum { ROWS = 40, COLUMNS = 130, DEPTH = 600, GAP = 3 };

/* Shapes, small ones mostly; each several tiles or blocks at times. */
typedef struct {
    size_t m, n, k, lda, ldb, ldc;
    bool trans_a, trans_b, add, biased, packed;
} shape;

static shape draw(at_test_random *r)
{
    shape s = {1 + at_test_below(r, ROWS), 1 + at_test_below(r, COLUMNS),
               1 + at_test_below(r, at_test_below(r, 6) > 0 ? 40 : DEPTH), 0, 0, 0, false, false, false,
               false, false};
    uint64_t bits = at_test_bits(r);

    s.trans_a = bits & 1;
    s.trans_b = bits & 2;
    s.add = bits & 4;
    s.biased = bits & 8;
    s.packed = bits & 16;
    s.lda = (s.trans_a ? s.m : s.k) + at_test_below(r, GAP);
    s.ldb = (s.trans_b ? s.k : s.n) + at_test_below(r, GAP);
    s.ldc = s.n + at_test_below(r, GAP);
    return s;
}

/* One product in precision REAL by kernels of type TABLE; eps: its rounding unit. */
#define PRODUCT_CASE(REAL, TABLE, PRODUCT, eps) \
static void case_##REAL(at_test_random *r, const TABLE *kernels) \
{ \
    shape s = draw(r); \
    size_t rows_a = s.trans_a ? s.k : s.m, rows_b = s.trans_b ? s.n : s.k; \
    REAL *a = malloc(rows_a * s.lda * sizeof *a), *b = malloc(rows_b * s.ldb * sizeof *b); \
    REAL *c = malloc((s.m * s.ldc + 1) * 2 * sizeof *c), *old = c + s.m * s.ldc + 1, *bias; \
    REAL *scratch = malloc(kernels->pack_room() * sizeof *scratch); \
    REAL *packed = malloc(kernels->packed_count(s.k, s.n) * sizeof *packed), first; \
    PRODUCT q = {.a = a, .b = b, .c = c, .m = s.m, .n = s.n, .k = s.k, .lda = s.lda, .ldb = s.ldb, \
                 .ldc = s.ldc, .trans_a = s.trans_a, .trans_b = s.trans_b, .add = s.add}; \
 \
    bias = malloc(s.n * sizeof *bias); \
    for (size_t i = 0; i < rows_a * s.lda; i++) \
        a[i] = (REAL) at_test_normal(r); \
    for (size_t i = 0; i < rows_b * s.ldb; i++) \
        b[i] = (REAL) at_test_normal(r); \
    for (size_t i = 0; i < s.n; i++) \
        bias[i] = (REAL) at_test_normal(r); \
    for (size_t i = 0; i <= s.m * s.ldc; i++) \
        c[i] = old[i] = (REAL) at_test_normal(r); \
    q.bias = s.biased ? bias : NULL; \
    if (s.packed) { \
        kernels->pack(packed, b, s.ldb, s.trans_b, s.k, s.n); \
        q.packed = packed; \
        q.b = NULL; \
    } \
    kernels->product(&q, scratch); \
    for (size_t i = 0; i < s.m * s.ldc + 1; i++) { \
        size_t row = i / s.ldc, column = i % s.ldc; \
        long double sum = 0.0L, size = 1.0L; \
 \
        if (row == s.m || column >= s.n) { \
            AT_EXPECT(r, c[i] == old[i], "%s: wrote beside c", kernels->isa); \
            continue; \
        } \
        sum = (s.add ? (long double) old[i] : 0.0L) + (s.biased ? (long double) bias[column] : 0.0L); \
        for (size_t p = 0; p < s.k; p++) { \
            long double term = (long double) (s.trans_a ? a[p * s.lda + row] : a[row * s.lda + p]) \
                             * (s.trans_b ? b[column * s.ldb + p] : b[p * s.ldb + column]); \
 \
            sum += term; \
            size += fabsl(term); \
        } \
        AT_EXPECT(r, fabsl((long double) c[i] - sum) <= 2.0L * (long double) (eps) * size * (3 + s.k / 16), \
                  "%s m=%zu n=%zu k=%zu %d%d%d%d%d at %zu, %zu: %g, not %Lg", kernels->isa, s.m, s.n, s.k, \
                  s.trans_a, s.trans_b, s.add, s.biased, s.packed, row, column, (double) c[i], sum); \
    } \
    /* The last row alone: the same bits. */ \
    first = c[(s.m - 1) * s.ldc]; \
    q.a = s.trans_a ? a + s.m - 1 : a + (s.m - 1) * s.lda; \
    q.m = 1; \
    memcpy(c, old + (s.m - 1) * s.ldc, s.n * sizeof *c); \
    kernels->product(&q, scratch); \
    AT_EXPECT(r, memcmp(&first, c, sizeof first) == 0, "%s: a row's bits depend on the others", \
              kernels->isa); \
    free(a); \
    free(b); \
    free(c); \
    free(bias); \
    free(scratch); \
    free(packed); \
}

PRODUCT_CASE(double, at_kernels, at_product, DBL_EPSILON)
PRODUCT_CASE(float, at_kernelsf, at_productf, FLT_EPSILON)

START_TEST(random_products)
{
    const at_kernels *kernels = at_kernels_for((enum at_isa) _i);
    const at_kernelsf *single = at_kernelsf_for((enum at_isa) _i);

    if (kernels == NULL || kernels->product == NULL)
        return;
    AT_ROUNDS(r, 250) {
        case_double(&r, kernels);
        case_float(&r, single);
    }
}
END_TEST

/* The plain kernels leave products to CBLAS, in both precisions alike. */
START_TEST(all_or_none)
{
    const at_kernels *kernels = at_kernels_for((enum at_isa) _i);
    const at_kernelsf *single = at_kernelsf_for((enum at_isa) _i);

    if (kernels == NULL)
        return;
    ck_assert_int_eq(kernels->product != NULL, _i != AT_ISA_GENERIC);
    ck_assert_int_eq(kernels->product != NULL, kernels->pack != NULL);
    ck_assert_int_eq(kernels->product != NULL, kernels->packed_count != NULL);
    ck_assert_int_eq(kernels->product != NULL, kernels->pack_room != NULL);
    ck_assert_int_eq(kernels->product != NULL, single->product != NULL);
}
END_TEST

static Suite *products_suite(void)
{
    Suite *suite = suite_create("products");
    TCase *tcase = tcase_create("products");

    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, random_products, 0, AT_ISA_COUNT);
    tcase_add_loop_test(tcase, all_or_none, 0, AT_ISA_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(products_suite)
