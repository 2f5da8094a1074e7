/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Transformer in floating point, double and float from one source: the experiments' encoder
 * and the theory's network, as core/model.h describes them, for every positional encoding.
 *
 * The parameters are one flat vector (numeric/transformer/layout.h) that the caller owns; a workspace holds all
 * activations, so nothing is allocated in a training loop.  Results depend on the model, the batch
 * and the parameters alone, to the last bit: not on the number of threads.
 *
 * at_transformer_… works in double, at_transformerf_… in float, with the same contracts. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_TRANSFORMER_H
#define ATTEST_NUMERIC_TRANSFORMER_TRANSFORMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/numeric/transformer/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct at_transformer at_transformer;     /* workspace, double */
typedef struct at_transformerf at_transformerf;   /* workspace, float */

/* Sequences of one batch, all of length n ≤ model.n.  Of tokens and rows the model's vocab says
 * which is read; of classes and values the loss: classes where they are not NULL. */
typedef struct {
    size_t batch, n;
    const int32_t *tokens;    /* [batch, n], below vocab */
    const double *rows;       /* [batch, n, inputs] */
    const int32_t *classes;   /* [batch, n]: cross-entropy (nats), mean over those that are ≥ 0 */
    const double *values;     /* [batch, n, outputs]: mean square over all of them */
    const int32_t *distances; /* [n, n]: graph encodings, −1 unreachable; NULL: the path graph */
} at_batch;

typedef struct {
    double loss;              /* mean, as above; summed in double, in a fixed order */
    size_t scored, correct;   /* positions with a class ≥ 0; the first largest logit is right */
    double max_error;         /* values: the largest |output − value| */
} at_score;

/* A workspace for up to batch sequences of the layout's model (which must outlive it), with the
 * activations that gradients need if gradients is true, on threads threads. */
int at_transformer_alloc(at_transformer **net, const at_layout *layout, size_t batch, int threads,
                         bool gradients, at_error *err) AT_MUST_CHECK;
/* The same with room bytes (64 MiB above) for what only makes it faster: gradients of parts of the batch
 * apart, and for the logits that are held at once.  Another room, other last bits. */
int at_transformer_alloc_within(at_transformer **net, const at_layout *layout, size_t batch, int threads,
                                bool gradients, size_t room, at_error *err) AT_MUST_CHECK;
void at_transformer_free(at_transformer *net);
/* Bytes that the workspace holds. */
size_t at_transformer_bytes(const at_transformer *net);

/* Other fixed numbers for the encoding, at_encoding_fixed_count(model) of them (numeric/encoding/encoding.h):
 * rational rotations, slopes, …. */
void at_transformer_set_fixed(at_transformer *net, const double *fixed);

/* Output (logits) of every position to out [batch, n, outputs].  AT_USAGE: a batch larger than the
 * workspace, a token out of range, distances that are not of a graph on n nodes. */
int at_transformer_forward(at_transformer *net, const double *params, const at_batch *batch,
                           double *out, at_error *err) AT_MUST_CHECK;
/* Loss and accuracy; predicted [batch, n], or NULL, gets each position's first largest logit.
 * Keeps no [batch, n, outputs] array. */
int at_transformer_score(at_transformer *net, const double *params, const at_batch *batch,
                         at_score *score, int32_t *predicted, at_error *err) AT_MUST_CHECK;
/* The same and the loss's gradient: into grad (accumulate false) or added to it. */
int at_transformer_gradient(at_transformer *net, const double *params, const at_batch *batch,
                            at_score *score, double *grad, bool accumulate,
                            at_error *err) AT_MUST_CHECK;
/* The gradient of Σ dout ⊙ out for dout [batch, n, outputs]; runs the forward pass too (for
 * Jacobians, and to check each layer alone). */
int at_transformer_pullback(at_transformer *net, const double *params, const at_batch *batch,
                            const double *dout, double *grad, bool accumulate,
                            at_error *err) AT_MUST_CHECK;
int at_transformerf_alloc(at_transformerf **net, const at_layout *layout, size_t batch, int threads,
                          bool gradients, at_error *err) AT_MUST_CHECK;
int at_transformerf_alloc_within(at_transformerf **net, const at_layout *layout, size_t batch,
                                 int threads, bool gradients, size_t room,
                                 at_error *err) AT_MUST_CHECK;
void at_transformerf_free(at_transformerf *net);
size_t at_transformerf_bytes(const at_transformerf *net);
void at_transformerf_set_fixed(at_transformerf *net, const double *fixed);
int at_transformerf_forward(at_transformerf *net, const float *params, const at_batch *batch,
                            float *out, at_error *err) AT_MUST_CHECK;
int at_transformerf_score(at_transformerf *net, const float *params, const at_batch *batch,
                          at_score *score, int32_t *predicted, at_error *err) AT_MUST_CHECK;
int at_transformerf_gradient(at_transformerf *net, const float *params, const at_batch *batch,
                             at_score *score, float *grad, bool accumulate,
                             at_error *err) AT_MUST_CHECK;
int at_transformerf_pullback(at_transformerf *net, const float *params, const at_batch *batch,
                             const float *dout, float *grad, bool accumulate,
                             at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
