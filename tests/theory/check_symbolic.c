/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices and fractions over Q[w]: ring laws, constraints, and evaluation at rational points. */
#include "attest/theory/symbolic/symbolic.h"

#include "tests/at_check.h"

/* f at a random rational point, by the library's evaluation of all variables. */
static void value(fmpq_t out, const fmpq_mpoly_t f, fmpq *const *point, const at_ring_t ring)
{
    ck_assert(fmpq_mpoly_evaluate_all_fmpq(out, f, point, ring->ctx));
}

static void random_point(fmpq *values, fmpq **point, slong count, at_test_random *r)
{
    for (slong k = 0; k < count; k++) {
        fmpq_set_si(values + k, at_test_integer(r, 6), (ulong) at_test_between(r, 1, 5));
        point[k] = values + k;
    }
}

START_TEST(products_evaluate)
{
    AT_ROUNDS(r, 40) {
        slong n = at_test_between(&r, 1, 4), m = at_test_between(&r, 1, 3);
        slong k = at_test_between(&r, 1, 4);
        at_ring_t ring;
        at_polymat_t A, B, C, Bt, At, D;
        slong vars = n * m + m * k;
        fmpq *values = _fmpq_vec_init(vars), **point = flint_malloc((size_t) vars * sizeof *point);
        fmpq_t x, y, z, sum;
        at_ring_init(ring, vars);
        at_polymat_init(A, n, m, ring);
        at_polymat_init(B, m, k, ring);
        at_polymat_init(C, n, k, ring);
        at_polymat_init(At, m, n, ring);
        at_polymat_init(Bt, k, m, ring);
        at_polymat_init(D, k, n, ring);
        fmpq_init(x);
        fmpq_init(y);
        fmpq_init(z);
        fmpq_init(sum);
        at_polymat_fresh(A, ring);
        at_polymat_fresh(B, ring);
        random_point(values, point, vars, &r);
        at_polymat_mul(C, A, B, ring);
        for (slong i = 0; i < n; i++)
            for (slong j = 0; j < k; j++) {
                fmpq_zero(sum);
                for (slong l = 0; l < m; l++) {
                    value(x, at_polymat_entry(A, i, l), point, ring);
                    value(y, at_polymat_entry(B, l, j), point, ring);
                    fmpq_addmul(sum, x, y);
                }
                value(z, at_polymat_entry(C, i, j), point, ring);
                AT_EXPECT(&r, fmpq_equal(z, sum), "entry (%ld, %ld)", (long) i, (long) j);
            }
        /* (AB)^T = B^T A^T */
        at_polymat_transpose(At, A, ring);
        at_polymat_transpose(Bt, B, ring);
        at_polymat_mul(D, Bt, At, ring);
        for (slong i = 0; i < n; i++)
            for (slong j = 0; j < k; j++)
                ck_assert(fmpq_mpoly_equal(at_polymat_entry(C, i, j), at_polymat_entry(D, j, i),
                                           ring->ctx));
        at_polymat_clear(A, ring);
        at_polymat_clear(B, ring);
        at_polymat_clear(C, ring);
        at_polymat_clear(At, ring);
        at_polymat_clear(Bt, ring);
        at_polymat_clear(D, ring);
        fmpq_clear(x);
        fmpq_clear(y);
        fmpq_clear(z);
        fmpq_clear(sum);
        at_ring_clear(ring);
        _fmpq_vec_clear(values, vars);
        flint_free(point);
    }
}
END_TEST

START_TEST(constraints_are_eliminated)
{
    for (slong n = 1; n <= 5; n++) {
        at_ring_t ring;
        at_polymat_t A, ones, sums, S, T, K;
        at_ring_init(ring, 4 * n * n + 2 * n);
        at_polymat_init(A, n, n, ring);
        at_polymat_init(ones, n, 1, ring);
        at_polymat_init(sums, n, 1, ring);
        at_polymat_init(S, n, n, ring);
        at_polymat_init(T, n, n, ring);
        at_polymat_init(K, n, 2, ring);
        at_polymat_fresh_stochastic(A, ring);
        ck_assert_int_eq(ring->taken, n * (n - 1));
        for (slong i = 0; i < n; i++)
            fmpq_mpoly_one(at_polymat_entry(ones, i, 0), ring->ctx);
        at_polymat_mul(sums, A, ones, ring);
        ck_assert(at_polymat_equal(sums, ones, ring));
        ck_assert(!at_polymat_is_zero(sums, ring));
        at_polymat_fresh_symmetric(S, ring);
        at_polymat_transpose(T, S, ring);
        ck_assert(at_polymat_equal(S, T, ring));
        at_polymat_sub(T, T, S, ring);
        ck_assert(at_polymat_is_zero(T, ring));
        at_polymat_fresh_toeplitz(T, ring);
        for (slong i = 1; i < n; i++)
            for (slong j = 1; j < n; j++)
                ck_assert(fmpq_mpoly_equal(at_polymat_entry(T, i, j),
                                           at_polymat_entry(T, i - 1, j - 1), ring->ctx));
        if (n > 1)
            ck_assert(!fmpq_mpoly_equal(at_polymat_entry(T, 0, 1), at_polymat_entry(T, 1, 0),
                                        ring->ctx));
        at_polymat_fresh_constant(K, ring);
        ck_assert(at_polymat_rows_equal(K, ring));
        ck_assert(n == 1 || !at_polymat_rows_equal(T, ring));
        at_polymat_clear(A, ring);
        at_polymat_clear(ones, ring);
        at_polymat_clear(sums, ring);
        at_polymat_clear(S, ring);
        at_polymat_clear(T, ring);
        at_polymat_clear(K, ring);
        at_ring_clear(ring);
    }
}
END_TEST

START_TEST(fractions)
{
    at_ring_t ring;
    at_polyfrac_t f, g, h, s;
    fmpq_mpoly_t x, y, sum;
    at_ring_init(ring, 2);
    at_polyfrac_init(f, ring);
    at_polyfrac_init(g, ring);
    at_polyfrac_init(h, ring);
    at_polyfrac_init(s, ring);
    fmpq_mpoly_init(x, ring->ctx);
    fmpq_mpoly_init(y, ring->ctx);
    fmpq_mpoly_init(sum, ring->ctx);
    at_poly_fresh(x, ring);
    at_poly_fresh(y, ring);
    fmpq_mpoly_add(sum, x, y, ring->ctx);
    at_polyfrac_set_quotient(f, x, sum, ring);
    at_polyfrac_set_quotient(g, y, sum, ring);
    at_polyfrac_add(h, f, g, ring);                  /* x/(x+y) + y/(x+y) = 1 */
    ck_assert(at_polyfrac_is_one(h, ring));
    ck_assert(!at_polyfrac_equal(f, g, ring));
    at_polyfrac_set_quotient(f, y, x, ring);         /* x/y + y/x = (x^2 + y^2)/(x y) */
    at_polyfrac_set_quotient(g, x, y, ring);
    at_polyfrac_add(f, f, g, ring);                  /* aliased */
    fmpq_mpoly_zero(sum, ring->ctx);
    at_poly_addmul(sum, 1, 1, x, x, ring);
    at_poly_addmul(sum, 1, 1, y, y, ring);
    at_polyfrac_set_quotient(h, sum, x, ring);
    at_polyfrac_mul_poly(s, f, y, ring);
    ck_assert(at_polyfrac_equal(s, h, ring));
    ck_assert(!at_polyfrac_equal(f, h, ring));
    at_polyfrac_clear(f, ring);
    at_polyfrac_clear(g, ring);
    at_polyfrac_clear(h, ring);
    at_polyfrac_clear(s, ring);
    fmpq_mpoly_clear(x, ring->ctx);
    fmpq_mpoly_clear(y, ring->ctx);
    fmpq_mpoly_clear(sum, ring->ctx);
    at_ring_clear(ring);
}
END_TEST

START_TEST(signs_on_the_orthant)
{
    at_ring_t ring;
    fmpq_mpoly_t x, y, f;
    at_ring_init(ring, 2);
    fmpq_mpoly_init(x, ring->ctx);
    fmpq_mpoly_init(y, ring->ctx);
    fmpq_mpoly_init(f, ring->ctx);
    at_poly_fresh(x, ring);
    at_poly_fresh(y, ring);
    ck_assert(at_poly_is_nonnegative_on_orthant(f, ring));
    ck_assert(!at_poly_is_positive_on_orthant(f, ring));
    at_poly_addmul(f, 1, 3, x, y, ring);
    ck_assert(at_poly_is_positive_on_orthant(f, ring));
    at_poly_addmul(f, -1, 1000000, x, x, ring);
    ck_assert(!at_poly_is_positive_on_orthant(f, ring));
    ck_assert(!at_poly_is_nonnegative_on_orthant(f, ring));
    fmpq_mpoly_clear(x, ring->ctx);
    fmpq_mpoly_clear(y, ring->ctx);
    fmpq_mpoly_clear(f, ring->ctx);
    at_ring_clear(ring);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("symbolic");
    TCase *tc = tcase_create("symbolic");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, products_evaluate);
    tcase_add_test(tc, constraints_are_eliminated);
    tcase_add_test(tc, fractions);
    tcase_add_test(tc, signs_on_the_orthant);
    suite_add_tcase(s, tc);
    return s;
}

AT_CHECK_MAIN(suite)
