/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analytic gradients of the Transformer against four-point finite differences,
 *     f'(x) ≈ (f(x − 2h) − 8 f(x − h) + 8 f(x + h) − f(x + 2h)) / 12h,
 * in double: for each kind of layer, and for each positional encoding. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_GRADCHECK_H
#define ATTEST_NUMERIC_TRANSFORMER_GRADCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/core/model.h"

/* One network to check. */
typedef struct {
    char name[64];          /* "layer: LM head, tied" or "encoding: urpe, causal" */
    at_model model;
} at_gradcheck_case;

typedef struct {
    size_t parameters;      /* compared */
    double error;           /* the largest |analytic − numeric| / max(1, |analytic|, |numeric|) */
    char worst[64];         /* its parameter, "rpe.weight[3]" */
    bool pass;              /* error ≤ AT_GRADCHECK_TOLERANCE: NaN does not pass */
} at_gradcheck_result;

#define AT_GRADCHECK_TOLERANCE 1e-8

/* All cases, each layer kind and each encoding (with and without a causal mask where both make
 * sense); returns their number.  list may be NULL. */
size_t at_gradcheck_cases(at_gradcheck_case *list);

/* Draws weights and a small batch from seed, and compares up to per_view entries of every parameter.
 * Where a difference fails, it is taken again with smaller steps: a step may cross the kink of a ReLU. */
int at_gradcheck_run(const at_gradcheck_case *one, uint64_t seed, size_t per_view,
                     at_gradcheck_result *result, at_error *err) AT_MUST_CHECK;

#endif
