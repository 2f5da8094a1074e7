/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positional encodings, float side: one at_encoding_float each, for both precisions (numeric/transformer/real.h).
 * An encoding's slots are its parameters; its derived arrays are what they become in an attention layer,
 * computed once a forward pass and shared by all sequences.  N = model.n; offset index o = j − i + N − 1. */
#ifndef ATTEST_NUMERIC_ENCODING_PARTS_H
#define ATTEST_NUMERIC_ENCODING_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include "attest/numeric/encoding/encoding.h"
#include "attest/numeric/transformer/real.h"

/* Derived arrays, or their gradient: at_derived_shape says which there are, and their shapes. */
typedef struct {
    REAL *bias, *factor, *key, *query, *value, *content;
} at_derived;

/* What both ways read. */
typedef struct {
    const at_model *model;
    const at_derived_shape *shape;
    size_t n;                       /* of this batch */
    const int32_t *distances;       /* NULL: path graph */
    const REAL *fixed;              /* at_encoding_fixed_count numbers */
    REAL *scratch;                  /* at_encoding_scratch numbers */
} at_encoding_call;

/* Every hook may be NULL: nothing fixed, nothing derived. */
typedef struct {
    /* Shapes in letters: o 2N−1, n N, d, e head_dim, h heads, g N+1 (distances and "unreachable"), b buckets,
     * c clipped offsets, s span, f FIRE's width, 1, 2. */
    struct { const char *name; enum at_param_kind kind; const char *shape; } slots[AT_ENCODING_SLOTS];
    at_derived_shape shape;         /* but width and scale, which the model and the next two give */
    bool wide;                      /* vectors by offset: each head its columns of d, not all the same head_dim */
    int terms;                      /* products summed in a logit, 0 for 1: scale is 1/√(terms·head_dim) */
    size_t (*fixed_count)(const at_model *model);
    void (*fixed)(const at_model *model, double *fixed);
    size_t (*scratch)(const at_model *model);
    /* Slots → derived arrays. */
    void (*prepare)(const at_encoding_call *call, const REAL *const *slots, at_derived *out);
    /* Gradient of the derived arrays (overwritten where that helps) → added to the slots' gradient. */
    void (*back)(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                 at_derived *back, REAL *const *dslots);
} at_encoding_float;

/* The struct of the encoding whose symbol core/encodings.def gives, in this precision. */
#define AT_ENCODING_FLOAT(symbol) AT_JOIN(at_encoding_, AT_JOIN(REAL, _##symbol))

/* By at_encoding_id. */
extern const at_encoding_float *const at_encodings_float[AT_ENC_COUNT];

/* The model's encoding at work. */
size_t at_encoding_scratch(const at_model *model);
void at_encoding_prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out);
void at_encoding_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots);

/* table [2N−1, heads] → bias [heads, 2N−1], and its gradient, added. */
void at_offsets_spread(const at_model *model, const REAL *table, REAL *bias);
void at_offsets_gather(const at_model *model, const REAL *dbias, REAL *dtable);

#endif
