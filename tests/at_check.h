/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every Check suite shares: main(), a reproducible generator of test operands that likes
 * corner cases, the number of rounds, the folder of fixtures.
 *
 *     START_TEST(ring_laws)
 *     {
 *         AT_ROUNDS(r, 200) {
 *             long a = at_test_integer(&r);
 *             ...
 *             AT_EXPECT(&r, a + b == b + a, "a = %ld, b = %ld", a, b);
 *         }
 *     }
 *     END_TEST
 *
 *     static Suite *suite(void) { ... }
 *     AT_CHECK_MAIN(suite)
 *
 * Environment: ATTEST_TEST_MULTIPLIER scales the rounds, ATTEST_TEST_SEED moves the streams;
 * a failure names the seed and the round, which together give the operands again.
 * Not everything is used by every suite, hence the inlines. */
#ifndef ATTEST_TESTS_AT_CHECK_H
#define ATTEST_TESTS_AT_CHECK_H

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splitmix64 (Steele, Lea, Flood 2014): one stream a round. */
typedef struct {
    uint64_t state;
    uint64_t seed;
    unsigned long round;
    unsigned long rounds;
} at_test_random;

static inline uint64_t at_test_bits(at_test_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform on 0 ... bound - 1. */
static inline unsigned long at_test_below(at_test_random *r, unsigned long bound)
{
    return (unsigned long) (at_test_bits(r) % bound);
}

/* Uniform on low ... high, both included. */
static inline long at_test_between(at_test_random *r, long low, long high)
{
    return low + (long) at_test_below(r, (unsigned long) (high - low) + 1);
}

/* An integer in -2^bits ... 2^bits; 0, +-1, +-2 and the ends come often. */
static inline long at_test_integer(at_test_random *r, unsigned bits)
{
    long end = 1L << bits;

    switch (at_test_below(r, 8)) {
    case 0: return 0;
    case 1: return at_test_between(r, -2, 2);
    case 2: return (at_test_bits(r) & 1) ? end : -end;
    default:
        end = 1L << (1 + at_test_below(r, bits));
        return at_test_between(r, -end, end);
    }
}

/* Uniform on [0, 1). */
static inline double at_test_uniform(at_test_random *r)
{
    return (double) (at_test_bits(r) >> 11) * 0x1p-53;
}

/* A finite double of any common size: 0, +-1, near-equal and tiny values come often. */
static inline double at_test_double(at_test_random *r)
{
    double sign = (at_test_bits(r) & 1) ? 1.0 : -1.0;

    switch (at_test_below(r, 8)) {
    case 0: return 0.0;
    case 1: return sign;
    case 2: return sign * (1.0 + (double) at_test_between(r, -2, 2) * 0x1p-52);
    case 3: return sign * ldexp(at_test_uniform(r), (int) at_test_between(r, -60, 20));
    default: return sign * at_test_uniform(r);
    }
}

/* Standard normal (Box and Muller): for weights and inputs of networks. */
static inline double at_test_normal(at_test_random *r)
{
    double u = 1.0 - at_test_uniform(r);

    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * at_test_uniform(r));
}

static inline unsigned long at_test_scaled(unsigned long rounds)
{
    const char *text = getenv("ATTEST_TEST_MULTIPLIER");
    double factor = text != NULL ? strtod(text, NULL) : 1.0;

    if (!(factor > 0.0))
        factor = 1.0;
    return (unsigned long) (factor * (double) rounds) + 1;
}

static inline at_test_random at_test_start(const char *name, unsigned long rounds)
{
    at_test_random r = {0, 0, 0, 0};
    const char *text = getenv("ATTEST_TEST_SEED");

    r.seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    for (; *name != '\0'; name++)   /* FNV-1a: a test's stream does not depend on the others */
        r.seed = (r.seed ^ (unsigned char) *name) * UINT64_C(0x100000001b3);
    r.rounds = at_test_scaled(rounds);
    r.state = r.seed;
    return r;
}

static inline int at_test_goes_on(at_test_random *r)
{
    r->state = r->seed + r->round * UINT64_C(0xd1342543de82ef95);
    return r->round < r->rounds;
}

/* One round a turn, r the generator of the turn. */
#define AT_ROUNDS(r, count) \
    for (at_test_random r = at_test_start(__func__, count); at_test_goes_on(&r); r.round++)

/* Fails with the operands, the seed and the round. */
#define AT_EXPECT(r, condition, ...) \
    do { \
        if (!(condition)) { \
            char at_operands_[2048]; \
            snprintf(at_operands_, sizeof at_operands_, __VA_ARGS__); \
            ck_abort_msg("%s: %s [round %lu of stream %llu]", #condition, at_operands_, \
                         (r)->round, (unsigned long long) (r)->seed); \
        } else { \
            mark_point(); \
        } \
    } while (0)

/* The path of a fixture of tests/data/, in one of four static buffers in turn. */
static inline const char *at_test_data(const char *name)
{
    static char paths[4][1024];
    static unsigned turn;
    const char *folder = getenv("AT_TEST_DATA");
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder != NULL ? folder : "tests/data", name);
    return path;
}

/* `make check` asks for TAP through CK_TAP_LOG_FILE_NAME; by hand, Check reports itself. */
static inline int at_test_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    srunner_run_all(runner, getenv("CK_TAP_LOG_FILE_NAME") != NULL ? CK_SILENT : CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define AT_CHECK_MAIN(make_suite) \
    int main(void) { return at_test_run(make_suite()); }

#endif
