/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole passes of a Transformer: lanes of slices over threads, then what sums them. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_PASS_H
#define ATTEST_NUMERIC_TRANSFORMER_PASS_H

#include "attest/numeric/transformer/slice.h"

enum at_pass_kind { FORWARD, SCORE, GRADIENT, PULLBACK };

/* One pass. */
typedef struct {
    at_transformer *net;
    const REAL *params;
    const at_batch *batch;
    enum at_pass_kind what;
    REAL *out;                 /* FORWARD */
    const REAL *dout;          /* PULLBACK */
    int32_t *predicted;
    REAL *grad;
    bool accumulate;
    REAL dscale;
    size_t sequences, slices;  /* sequences a slice */
    size_t lanes, chunk_slices;
} at_pass;

/* Runs the pass; score gets the sums over the slices. */
void at_pass_run(at_pass *pass, at_score *score);

#endif
