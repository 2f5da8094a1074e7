/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the parameters of a Transformer lie: one flat vector, named views into it.
 *
 * Names are those of a PyTorch state dict of the same encoder: emb.weight, ln0.weight,
 * layers.0.attn.qkv.weight, layers.0.fc1.bias, dense.weight, dec.bias, rpe.weight, …; linear
 * weights are [out, in], the rows of qkv are the query, key and value blocks with the heads
 * contiguous in each.  A network with real-valued rows has in.weight [d, inputs] in place of
 * emb.weight, a linear readout is readout.weight [outputs, d].
 *
 * The layout does not depend on the precision. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_LAYOUT_H
#define ATTEST_NUMERIC_TRANSFORMER_LAYOUT_H

#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/model.h"
#include "attest/core/safetensors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a parameter is, for its initial value and for people. */
enum at_param_kind {
    AT_PARAM_EMBEDDING,     /* emb.weight */
    AT_PARAM_MATRIX,        /* [out, in] */
    AT_PARAM_BIAS,
    AT_PARAM_NORM_WEIGHT,   /* a LayerNorm's factor */
    AT_PARAM_POSITION,      /* vectors by position or offset: ape, shaw, … */
    AT_PARAM_LOGIT_TABLE,   /* b: added to the logits */
    AT_PARAM_FACTOR_TABLE,  /* c: multiplies the attention weights */
    AT_PARAM_SCALAR         /* a raw parameter of kerple, fire, stable-mask: starts at 0 */
};

typedef struct {
    char name[56];
    enum at_param_kind kind;
    size_t offset, count;   /* in the flat vector */
    size_t rank, shape[3];
} at_view;

/* Offsets of one layer; AT_NONE where the model lacks the parameter. */
#define AT_NONE ((size_t) -1)
#define AT_ENCODING_SLOTS 6
typedef struct {
    size_t qkv_w, qkv_b, out_w, out_b, ln1_w, ln1_b, fc1_w, fc1_b, fc2_w, fc2_b, ln2_w, ln2_b;
    size_t encoding[AT_ENCODING_SLOTS];  /* the same in all layers unless tables_per_layer */
} at_layer_offsets;

typedef struct {
    at_model model;
    at_view *views;
    size_t view_count;
    size_t count;           /* length of the flat vector */
    size_t emb_w, in_w, in_b, ln0_w, ln0_b, ape_w;
    size_t dense_w, dense_b, ln1_w, ln1_b, dec_w, dec_b;  /* dec: decoder, or linear readout */
    at_layer_offsets *layers;
} at_layout;

/* AT_USAGE when at_model_check refuses the model.  After an error clear need not be called. */
int at_layout_init(at_layout *layout, const at_model *model, at_error *err) AT_MUST_CHECK;
void at_layout_clear(at_layout *layout);
/* NULL when there is none of that name. */
const at_view *at_layout_find(const at_layout *layout, const char *name);

/* How a network starts. */
typedef struct {
    double matrix_sd;       /* 0: 1/√(columns), for networks without LayerNorm */
    double embedding_sd, position_sd, logit_table_sd;
    double factor_sd;       /* about 1 */
    double bias_sd;
    double output_factor;   /* further factor on attn.out and fc2 (1: none) */
} at_initial;

/* The paper's: N(0, 0.02) for weights and b, 1 for c and LayerNorm, 0 for biases; for a network
 * without LayerNorm matrices of 1/√(columns). */
at_initial at_initial_default(const at_model *model);

/* params[0 … count) from a source of standard normals (normal(state)), drawn in the order of the
 * views, so that a seed names a network. */
void at_layout_start(const at_layout *layout, const at_initial *initial,
                     double (*normal)(void *state), void *state, double *params);

/* One tensor a view, float64 (or float32 when single is true).  Tensors are added to file. */
int at_layout_save(const at_layout *layout, const double *params, int single, at_tensors *file,
                   at_error *err) AT_MUST_CHECK;
/* Reads each view by its name (after prefix, "" for none) from F32 or F64 data.  AT_INPUT names every
 * tensor that is missing, has another shape or holds something that is no finite number, at once. */
int at_layout_load(const at_layout *layout, const at_tensors *file, const char *prefix,
                   double *params, at_error *err) AT_MUST_CHECK;
/* AT_INPUT names every tensor that no view reads, whatever its type: the file holds another model, more
 * than one, or a framework's buffers.  An optimizer's state, adam.*, may stand beside. */
int at_layout_unused(const at_layout *layout, const at_tensors *file, const char *prefix,
                     at_error *err) AT_MUST_CHECK;

/* What both of these refuse of names, shapes and types, in one list; reads no data. */
int at_layout_match(const at_layout *layout, const at_tensors *file, const char *prefix,
                    at_error *err) AT_MUST_CHECK;

/* The model that a file describes, from its tensors' names and shapes and, for what they do not show
 * (heads and n where no table shows them, an encoding without parameters, causal, activation), its
 * metadata.  Reads no data.  AT_INPUT for tensors of no model; AT_USAGE names everything that neither
 * says, for nothing is assumed but that logits are scaled where there is LayerNorm, as in PyTorch. */
int at_layout_infer(at_model *model, const at_tensors *file, const char *prefix,
                    at_error *err) AT_MUST_CHECK;
/* The metadata that lets at_layout_infer build the same model again. */
int at_layout_describe(const at_model *model, at_tensors *file, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
