/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter-based random streams (Philox 4×32-10: Salmon, Moraes, Dror, Shaw 2011) as a GSL
 * generator.  A stream is named by (seed, purpose, step, sequence), so what a sequence of a
 * batch holds does not depend on threads, on the order of work, or on what was drawn before. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_RANDOM_H
#define ATTEST_NUMERIC_OPTIMIZE_RANDOM_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who draws: streams of different purposes never meet. */
enum at_stream {
    AT_STREAM_USER = 0,     /* gsl_rng_set */
    AT_STREAM_WEIGHTS,      /* a model's start */
    AT_STREAM_TRAIN, AT_STREAM_VALIDATE, AT_STREAM_SCORE
};

/* For gsl_rng_alloc.  32 bits a draw; gsl_rng_uniform has 53 bits from two words; gsl_rng_set
 * opens stream (seed, AT_STREAM_USER, 0, 0).  The whole state is gsl_rng_state's, so
 * gsl_rng_fwrite and gsl_rng_memcpy work. */
extern const gsl_rng_type *const at_rng_philox;

/* Moves rng (of that type) to the start of a stream.  A stream holds 2^34 words before it runs
 * into that of the next sequence. */
void at_rng_stream(gsl_rng *rng, uint64_t seed, uint32_t purpose, uint32_t step,
                   uint32_t sequence);

/* out[0…count) uniform on 0…bound−1 without bias (Lemire 2019), from the start of a stream;
 * 1 ≤ bound. */
void at_random_below(uint32_t *out, size_t count, uint32_t bound, uint64_t seed,
                     uint32_t purpose, uint32_t step, uint32_t sequence);

#ifdef __cplusplus
}
#endif

#endif
