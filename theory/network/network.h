/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational Transformers and their evaluation, exactly in ℚ(e^ℚ) or in balls.
 *
 * The network of [L]'s theory (doc/theory.md): X (+ positions); each layer
 *     X ← X + Σ_h A^h (X W_V^h) W_O^h,      X ← X + ReLU(X W_1) W_2,
 * A^h made by the encoding's entry in theory/network/encoding.h; options: biases, LayerNorm after each
 * sublayer (post-LN) and on the input, causal masks, a prepended token, 1/√d_h, an input map and a
 * readout. Nothing here knows a theorem: rows, lengths, encodings all pass through the same code.
 *
 * Matrices that a network lacks have 0 rows.  Weights are public: set entries directly. */
#ifndef ATTEST_THEORY_NETWORK_NETWORK_H
#define ATTEST_THEORY_NETWORK_NETWORK_H

#include "attest/core/model.h"
#include "attest/theory/network/encoding.h"
#include "attest/theory/expq/expq.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct at_head {
    fmpq_mat_t query, key;                   /* d × d_h */
    fmpq_mat_t value;                        /* d × d_h */
    fmpq_mat_t output;                       /* d_h × d */
    fmpq_mat_t query_bias, key_bias, value_bias;  /* 1 × d_h */
    fmpq_mat_t tables[AT_TABLES];            /* theory/network/encoding.h says which */
} at_head;

/* y = (x − mean)/√(variance + epsilon) · gain + shift, over a row. */
typedef struct {
    fmpq_mat_t gain, shift;                  /* 1 × d */
    fmpq_t epsilon;
} at_norm;

typedef struct {
    at_head *heads;                          /* net->heads of them */
    fmpq_mat_t output_bias;                  /* 1 × d */
    fmpq_mat_t ffn_in, ffn_out;              /* d × f, f × d; f = 0: no FFN */
    fmpq_mat_t ffn_in_bias, ffn_out_bias;    /* 1 × f, 1 × d */
    at_norm attention_norm, ffn_norm;
} at_layer;

/* STRICT: row i sees j < i only; a row that sees nothing has weights 0. */
enum at_mask { AT_MASK_NONE, AT_MASK_CAUSAL, AT_MASK_STRICT };

typedef struct at_network_struct {
    enum at_encoding_id encoding;
    const at_encoding_exact *rule;           /* the encoding's entry, or the caller's own */
    enum at_mask mask;
    enum at_activation activation;           /* AT_GELU leaves the field; balls do it */
    bool layernorm, scale_logits;
    slong n, d, head_dim, ffn, heads, layer_count;
    at_layer *layers;
    fmpq_t scale;                            /* further factor of the scaled part of logits, 1 */
    at_norm input_norm;                      /* with layernorm */
    /* vocabulary or inputs × d; 0 rows: rows of X have d columns */
    fmpq_mat_t embedding;
    fmpq_mat_t embedding_bias;               /* 1 × d */
    fmpq_mat_t positions;                    /* n × d, for encodings that read it */
    /* 1 × d: a token put before row 0, after the embedding */
    fmpq_mat_t prepended;
    fmpq_mat_t readout, readout_bias;        /* d × outputs, 1 × outputs */
    slong *distance;                         /* n × n graph distances, −1 unreachable; else NULL */
} at_network_struct;
typedef at_network_struct at_network_t[1];

/* ---- Building ------------------------------------------------------------------------------ */

/* All weights 0 (LayerNorm gains 1, epsilon 1/100000; tables 0, gates and factors 1, scale 1,
 * fire's ψ(x) = 1 + x, rope's rotation (3/5, 4/5), distances of a path), sizes of model; head_dim
 * 0 means d/heads. AT_USAGE: lm_head (the exact side has a linear readout only), sizes that make
 * no sense. model->outputs 0: no readout.  net needs clearing only upon AT_OK. */
int at_network_init(at_network_t net, const at_model *model, slong head_dim,
                    at_error *err) AT_MUST_CHECK;
/* The same with an encoding of the caller's own in place of the table's (NULL: the table's);
 * model->encoding is then AT_ENC_NONE.  rule must outlive net. */
int at_network_init_rule(at_network_t net, const at_model *model, slong head_dim,
                         const at_encoding_exact *rule, at_error *err) AT_MUST_CHECK;
void at_network_clear(at_network_t net);
/* Another shape (zeros) for table t of head: windows, buckets, hidden widths. */
void at_head_resize_table(at_head *head, int t, slong rows, slong cols);
/* Index of a table by its name in the encoding's list; −1 when there is none. */
int at_network_table(const at_network_t net, const char *name);
/* positions = powers of rational rotations, (cos iθ_l, sin iθ_l) in columns 2l, 2l+1, i = 1..n;
 * rotation: ⌊d/2⌋ × 2 points of the circle; a last odd column is 0. */
void at_network_set_sinusoid(at_network_t net, const fmpq_mat_t rotation);
/* net->distance = shortest paths of the undirected graph with `edges` pairs of vertices from 0. */
void at_network_set_graph(at_network_t net, slong (*edges)[2], slong count);
/* net->distance = |i − j|. */
void at_network_set_path(at_network_t net);
/* Puts a token (1 × d) before every sequence, or none (0 rows). */
void at_network_prepend(at_network_t net, const fmpq_mat_t token);
/* AT_USAGE, naming the first, when matrices have wrong shapes or a table breaks its encoding's
 * condition. */
int at_network_check(const at_network_t net, at_error *err) AT_MUST_CHECK;
/* All weights and tables random, biased to corner cases: zeros, equal entries, zero matrices;
 * |entries| ≤ size, denominators ≤ denominator. */
void at_network_random(at_network_t net, at_random *r, slong size, slong denominator);
/* W_Q = 0 in all heads: logits stay rational, so that any depth stays exact. */
void at_network_zero_queries(at_network_t net);
/* Same network, all weights, tables and options. */
bool at_network_equal(const at_network_t a, const at_network_t b);

/* Calls visit(context, name, matrix) for every matrix that is there, in a fixed order:
 * "embedding", "embedding_bias", "positions", "prepended", "input_norm.gain", "input_norm.shift",
 * "layers.L.heads.H.query" (key, value, output, query_bias, key_bias, value_bias, table.NAME),
 * "layers.L.output_bias", "layers.L.attention_norm.gain" (shift), "layers.L.ffn_in" (ffn_in_bias,
 * ffn_out, ffn_out_bias), "layers.L.ffn_norm.gain" (shift), "readout", "readout_bias".  Stops at
 * the first status other than AT_OK, and returns it. */
typedef int (*at_network_visitor)(void *context, const char *name, fmpq_mat_t matrix,
                                  at_error *err);
int at_network_visit(at_network_t net, at_network_visitor visit, void *context,
                     at_error *err) AT_MUST_CHECK;
/* Nearest doubles of a, row-major, rows·cols of them. */
void at_fmpq_mat_get_d(double *out, const fmpq_mat_t a);
double at_fmpq_get_d(const fmpq_t c);

/* ---- Evaluating ---------------------------------------------------------------------------- */

/* A third answer beside success and failure: the exact value is not in ℚ(e^ℚ) as far as the engine
 * can tell (an irrational logit, a square root, GELU).  err says where: "layer 2, head 1: logit
 * (3, 1) is not rational". */
#define AT_LEFT_FIELD (-1)

/* Y (any shape before; rows of X, one more with a prepended token, by d or outputs) = network(X),
 * exactly. X: rows 1..n (n − 1 with a prepended token) × inputs (d without embedding).  AT_OK,
 * AT_LEFT_FIELD (Y is then empty), AT_USAGE (shapes). */
int at_network_eval_exact(at_expqf_mat_t Y, const at_network_t net, const fmpq_mat_t X,
                          at_error *err) AT_MUST_CHECK;
/* The same in balls, every network, arithmetic at prec bits; Y initialised, any shape, takes the
 * result's. */
int at_network_eval_ball(arb_mat_t Y, const at_network_t net, const fmpq_mat_t X, slong prec,
                         at_error *err) AT_MUST_CHECK;
/* Balls for X, for networks applied to real inputs. */
int at_network_eval_arb(arb_mat_t Y, const at_network_t net, const arb_mat_t X, slong prec,
                        at_error *err) AT_MUST_CHECK;
/* Precision doubled from 64 bits until every entry has radius ≤ 2^-bits; AT_LEFT_FIELD when cap
 * bits did not suffice, Y then holds the last enclosure. */
int at_network_enclose(arb_mat_t Y, const at_network_t net, const fmpq_mat_t X, slong bits,
                       slong cap, at_error *err) AT_MUST_CHECK;
/* Attention matrix of head h of layer l on X (weights after gates; l and h from 0), same
 * statuses. */
int at_network_attention_exact(at_expqf_mat_t A, const at_network_t net, slong l, slong h,
                              const fmpq_mat_t X, at_error *err)
    AT_MUST_CHECK;
/* Y = A (x W_V + b_V), rows × d_h, for head h of layer l on X: what the head adds to the residual
 * before W_O, same statuses. */
int at_network_head_exact(at_expqf_mat_t Y, const at_network_t net, slong l, slong h,
                          const fmpq_mat_t X, at_error *err)
    AT_MUST_CHECK;
/* Rows of embeddings: X = rows one-hot(tokens), count × vocabulary; tokens from 0, a token out of
 * range gives a row of zeros. */
void at_network_one_hot(fmpq_mat_t X, const at_network_t net, const slong *tokens, slong count);
/* Chooses the epsilons of all LayerNorms so that the rows of constant sequence 1 x^T normalise
 * rationally: variance + ε = s² with rational s, ε > 0, layer by layer.  x: 1 × inputs.
 * AT_LEFT_FIELD when a value is irrational there. */
int at_network_fit_epsilon(at_network_t net, const fmpq_mat_t x, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
