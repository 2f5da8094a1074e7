/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of exact attention: one head on random rational tokens whose logits have a given common
 * denominator. */
#ifndef ATTEST_EXPERIMENTS_BENCH_EXACT_INSTANCE_H
#define ATTEST_EXPERIMENTS_BENCH_EXACT_INSTANCE_H

#include <stdint.h>
#include "attest/core/error.h"
#include "attest/theory/network/network.h"

typedef struct { long n, d, denominator; } at_exact_case;

/* The instance that a seed names: n tokens of d halves in [−2, 2], W_Q in 4ℤ/denominator (entries
 * in [−1, 1]), W_K and W_V of −1, 0, 1, so that at_network_head_exact gives
 * softmax(QK^T)V.  The denominator is a multiple of 4 (AT_USAGE).  x is initialised, any
 * shape; net is initialised upon AT_OK. */
int at_exact_instance(at_network_t net, fmpq_mat_t x, const at_exact_case *size, uint64_t seed,
                      at_error *err) AT_MUST_CHECK;

/* Median seconds of an evaluation over at least `repeats` runs and instances of different seeds. */
int at_exact_seconds(double *seconds, const at_exact_case *size, int repeats, at_error *err)
    AT_MUST_CHECK;

/* The table of the handbook: costs against n, d and the denominator. */
extern const at_exact_case at_exact_cases[];
extern const size_t at_exact_case_count;

#endif
