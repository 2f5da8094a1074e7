/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurements of `attest bench`.  Each returns its JSON (doc/attest.schema.json) and prints
 * its rows when print is true. */
#ifndef ATTEST_EXPERIMENTS_BENCH_BENCH_H
#define ATTEST_EXPERIMENTS_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/core/model.h"

typedef struct {
    size_t d, heads, ffn, layers, n, batch, vocab;
    enum at_encoding_id encoding;
    size_t steps;           /* timed, after one that is not */
    int threads;
    uint64_t seed;
    bool single;            /* float32 */
} at_bench_training;

/* Seconds of a clock that only goes forward. */
double at_bench_seconds(void);
/* Sorts; count ≥ 1. */
double at_bench_median(double *values, size_t count);

/* GFLOP/s of float32 products of 1024 × 1024 matrices, one a thread on threads threads at once: the
 * median of 5 rounds. */
int at_bench_sgemm(double *gflops, int threads, at_error *err) AT_MUST_CHECK;

/* Floating-point operations of the matrix products of one training step: three times those of the
 * forward pass. */
double at_bench_step_flops(const at_bench_training *setting);

/* {"cpu", "cores", "kernels", "blas_kernel", "sgemm_gflops"} */
int at_bench_machine(json_t **machine, double sgemm, at_error *err) AT_MUST_CHECK;
/* Appends one object: full steps (forward, backward, Adam) of the Position Identification task.
 * gflops counts matrix products only; sgemm_share is gflops/sgemm. */
int at_bench_train(json_t *rows, const at_bench_training *setting, double sgemm, bool print,
                   at_error *err) AT_MUST_CHECK;
/* Appends {"n", "d", "layers", "seconds", "certified_seconds"}: released layers with random weights on
 * random rows, the energy before and after each; and, up to n = 64 (else null), the same number of
 * softmax-beta layers with each step decided in balls. */
int at_bench_energy(json_t *rows, size_t n, size_t d, int threads, bool print,
                    at_error *err) AT_MUST_CHECK;
/* Appends {"n", "d", "denominator", "seconds"}: exact softmax attention in ℚ(e^ℚ) on random rationals,
 * logits with that denominator. */
int at_bench_exact(json_t *rows, size_t n, size_t d, size_t denominator, bool print,
                   at_error *err) AT_MUST_CHECK;

#endif
