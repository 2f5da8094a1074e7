/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a Transformer that both engines build from. */
#ifndef ATTEST_CORE_MODEL_H
#define ATTEST_CORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_activation { AT_RELU, AT_GELU };

/* Sizes and options.  Two families stand on it:
 *  - the theory's network (doc/theory.md): input rows X ∈ R^{n×d}, no
 *    biases, LayerNorm or 1/√d, ReLU, residual around attention and FFN;
 *  - the experiments' encoder (doc/experiments.md): token embedding,
 *    post-LayerNorm, biases, logits scaled by head_dim^{-1/2}, GELU, LM head. */
typedef struct {
    enum at_encoding_id encoding;
    size_t n;              /* longest sequence; tables have 2n−1 entries */
    size_t vocab;          /* 0: real-valued input rows (functions) */
    size_t inputs;         /* columns of a real-valued input row; 0 with vocab */
    size_t outputs;        /* readout columns: classes, or 1 for a function */
    size_t d, heads, ffn, layers;
    enum at_activation activation;
    bool causal;
    bool layernorm;        /* post-LN after both sublayers, and on the embedding */
    bool biases;
    bool scale_logits;     /* by head_dim^{-1/2} */
    bool tied;             /* LM head tied to the embedding */
    bool lm_head;          /* dense + GELU + LayerNorm + decoder; else a linear readout */
    bool tables_per_layer; /* positional tables of each layer its own; else shared */
} at_model;

/* Sensible and consistent, or AT_USAGE naming every mistake at once. */
int at_model_check(const at_model *model, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
