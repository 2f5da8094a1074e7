/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small reproducible generator (splitmix64 of Steele, Lea and Flood, 2014) for random rational
 * instances: the same stream with every FLINT, so that an instance can be named by its seed. */
#ifndef ATTEST_THEORY_FLINT_RANDOM_H
#define ATTEST_THEORY_FLINT_RANDOM_H

#include <stdint.h>
#include "attest/theory/flint/compat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct { uint64_t state; } at_random;

/* The stream of a seed. */
static inline at_random at_random_seed(uint64_t seed)
{
    at_random r = { seed };
    return r;
}

/* The next 64 bits. */
static inline uint64_t at_random_bits(at_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 ... bound − 1; bound ≥ 1. */
static inline slong at_random_below(at_random *r, slong bound)
{
    return (slong) (at_random_bits(r) % (uint64_t) bound);
}

/* low ... high, both included. */
static inline slong at_random_between(at_random *r, slong low, slong high)
{
    return low + at_random_below(r, high - low + 1);
}

/* Denominator 1 ... denominator, |value| ≤ size; 0, ±1, halves, the ends and, for wide != 0, tiny
 * and huge values come often. */
void at_random_fmpq(fmpq_t c, at_random *r, slong size, slong denominator, int wide);
void at_random_fmpq_mat(fmpq_mat_t a, at_random *r, slong size, slong denominator, int wide);

#ifdef __cplusplus
}
#endif

#endif
