/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the counter-based streams: a known answer, independence of the order of work, GSL's
 * interface, uniformity. */
#include "tests/at_check.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "attest/numeric/optimize/random.h"

/* The published known answer of Philox 4×32-10 for a zero key and counter. */
START_TEST(known_answer)
{
    const unsigned long expected[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);

    gsl_rng_set(rng, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(gsl_rng_get(rng), expected[i]);
    gsl_rng_free(rng);
}
END_TEST

START_TEST(streams_are_apart_and_repeat)
{
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);

    AT_ROUNDS(r, 300) {
        uint64_t seed = at_test_bits(&r);
        uint32_t purpose = (uint32_t) at_test_below(&r, 5), step = (uint32_t) at_test_bits(&r);
        uint32_t sequence = (uint32_t) at_test_bits(&r);
        unsigned long first[3], again[3], other[3];
        int same[4] = { 0 };

        at_rng_stream(rng, seed, purpose, step, sequence);
        for (int i = 0; i < 3; i++)
            first[i] = gsl_rng_get(rng);
        for (int variant = 0; variant < 4; variant++) {
            at_rng_stream(rng, seed ^ (variant == 0 ? UINT64_C(1) << 32 : 0),
                          purpose + (variant == 1), step + (variant == 2),
                          sequence + (variant == 3));
            for (int i = 0; i < 3; i++)
                other[i] = gsl_rng_get(rng);
            same[variant] = memcmp(first, other, sizeof first) == 0;
        }
        at_rng_stream(rng, seed, purpose, step, sequence);
        for (int i = 0; i < 3; i++)
            again[i] = gsl_rng_get(rng);
        AT_EXPECT(&r, memcmp(first, again, sizeof first) == 0, "step %u", step);
        AT_EXPECT(&r, !same[0] && !same[1] && !same[2] && !same[3], "%d %d %d %d", same[0],
                  same[1], same[2], same[3]);
    }
    gsl_rng_free(rng);
}
END_TEST

START_TEST(state_is_copied_whole)
{
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox), *copy;

    gsl_rng_set(rng, 7);
    for (int i = 0; i < 5; i++)
        gsl_rng_get(rng);
    copy = gsl_rng_clone(rng);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(gsl_rng_get(rng), gsl_rng_get(copy));
    gsl_rng_free(rng);
    gsl_rng_free(copy);
}
END_TEST

/* Mean and variance of 10^6 uniforms and normals within five standard errors. */
START_TEST(moments)
{
    gsl_rng *rng = gsl_rng_alloc(at_rng_philox);
    double sum = 0, squares = 0, normal = 0, normal_squares = 0;
    const int count = 1000000;

    gsl_rng_set(rng, 3);
    for (int i = 0; i < count; i++) {
        double u = gsl_rng_uniform(rng), g = gsl_ran_gaussian(rng, 1.0);

        ck_assert(u >= 0.0 && u < 1.0);
        sum += u;
        squares += u * u;
        normal += g;
        normal_squares += g * g;
    }
    ck_assert_double_eq_tol(sum / count, 0.5, 5 * 0.2887e-3);
    ck_assert_double_eq_tol(squares / count, 1.0 / 3, 5 * 0.2981e-3);
    ck_assert_double_eq_tol(normal / count, 0.0, 5e-3);
    ck_assert_double_eq_tol(normal_squares / count, 1.0, 5 * 1.4142e-3);
    gsl_rng_free(rng);
}
END_TEST

/* χ² of small bounds; a bound just above 2^31 would show the bias of a plain remainder or product:
 * without rejection the lower half of the values would come up half as often as it should. */
START_TEST(below_is_uniform)
{
    enum { count = 60000 };
    static uint32_t out[count];
    const uint32_t large = UINT32_C(3) << 30;
    size_t third = 0;

    for (uint32_t bound = 1; bound <= 20; bound++) {
        double seen[20] = { 0 }, chi = 0;

        at_random_below(out, count, bound, 11, AT_STREAM_TRAIN, bound, 0);
        for (int i = 0; i < count; i++) {
            ck_assert_uint_lt(out[i], bound);
            seen[out[i]]++;
        }
        for (uint32_t k = 0; k < bound; k++) {
            double miss = seen[k] - (double) count / bound;

            chi += miss * miss * bound / count;
        }
        ck_assert_double_le(chi, bound - 1 + 6 * sqrt(2.0 * bound));
    }
    at_random_below(out, count, large, 11, AT_STREAM_TRAIN, 99, 0);
    for (int i = 0; i < count; i++)
        third += out[i] % 3 == 0;
    ck_assert_double_eq_tol((double) third / count, 1.0 / 3, 0.01);
}
END_TEST

/* A long draw begins with the short one. */
START_TEST(below_is_a_prefix)
{
    uint32_t whole[64], part[64];

    at_random_below(whole, 64, 50, 1, AT_STREAM_TRAIN, 2, 5);
    for (size_t count = 0; count <= 64; count++) {
        at_random_below(part, count, 50, 1, AT_STREAM_TRAIN, 2, 5);
        ck_assert_mem_eq(whole, part, count * sizeof *part);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("random");
    TCase *t = tcase_create("philox");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, known_answer);
    tcase_add_test(t, streams_are_apart_and_repeat);
    tcase_add_test(t, state_is_copied_whole);
    tcase_add_test(t, moments);
    tcase_add_test(t, below_is_uniform);
    tcase_add_test(t, below_is_a_prefix);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
