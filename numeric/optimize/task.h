/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tasks that models are fitted to: Position Identification (y_i = i), Even Token Prediction
 * (y_i = x_{2i} for i ≤ n/2, then EOS) on independent uniform tokens, and sequence functions on
 * independent uniform reals.  Source: experiments of "Your Transformer May Not be as Powerful as
 * You Expect" (Luo et al. 2022), section 5; sequences come from counter-based streams, so what
 * sequence s of step t is depends on the seed alone. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_TASK_H
#define ATTEST_NUMERIC_OPTIMIZE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/core/model.h"
#include "attest/core/seqfun.h"
#include "attest/core/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    enum at_task_id id;
    size_t n;
    uint64_t seed;
    size_t vocab;               /* pi, etp: V */
    bool as_released;           /* the released code's oddities: V − 20 of the V symbols are drawn
                                   (the last 20 are reserved, EOS is the first of them), and pi's
                                   position 1 has no class */
    const at_seqfun *function;  /* function; with its domain */
    double low, high;
} at_task;

/* AT_USAGE names what makes no sense. */
int at_task_check(const at_task *task, at_error *err) AT_MUST_CHECK;

/* Different tokens that are drawn: V, or V − 20. */
size_t at_task_symbols(const at_task *task);
/* The class EOS of etp: also a token of the vocabulary, never drawn. */
int32_t at_task_eos(const at_task *task);
/* Sets n, vocab, inputs and outputs of a model for the task: pi has V embeddings and n classes,
 * etp V + 1 of both (as released: V), a function rows (x_i, 1) and one output. */
void at_task_model(const at_task *task, at_model *model);

/* classes[i] from tokens[i], count sequences of n; −1: not scored. */
void at_task_classes(const at_task *task, const int32_t *tokens, size_t count, int32_t *classes);
/* Sequences first … first + count − 1 of a step: tokens and classes [count, n]. */
void at_task_tokens(const at_task *task, uint32_t purpose, uint32_t step, size_t first,
                    size_t count, int32_t *tokens, int32_t *classes);
/* The constant sequences of symbols first … first + count − 1 (below at_task_symbols). */
void at_task_constants(const at_task *task, size_t first, size_t count, int32_t *tokens,
                       int32_t *classes);

/* Functions: rows [count, n, 2] = (x_i, 1) and values [count, n] of sequences of a step. */
int at_task_rows(const at_task *task, uint32_t purpose, uint32_t step, size_t first, size_t count,
                 double *rows, double *values, at_error *err) AT_MUST_CHECK;
/* The same of count constants, evenly spaced over the domain with both ends (1: the middle). */
int at_task_constant_rows(const at_task *task, size_t count, double *rows, double *values,
                          at_error *err) AT_MUST_CHECK;

/* Right answers among predicted and classes [count, n]: whole, and where the answer is not
 * trivial (etp: the first half; pi: the same as whole). */
typedef struct { size_t scored, correct, hard_scored, hard_correct; } at_tally;
void at_task_tally(const at_task *task, const int32_t *predicted, const int32_t *classes,
                   size_t count, at_tally *tally);   /* adds to *tally */

/* Of any model that collapses (doc/theory.md, rpe.floor), on a constant sequence of drawn symbols:
 * accuracy at most … with a tie-break by the logits alone; cross-entropy at least … nats. */
double at_task_constant_ceiling(const at_task *task);
double at_task_constant_floor(const at_task *task);
/* Accuracy on random sequences, in expectation over them, of any model with the encoding: without
 * encoding and mask 1/n (pi) or ⌈n/2⌉/n (etp) (rpe.permutation-symmetry); where distances alone
 * count and there is no mask ⌈n/2⌉/n (rpe.reversal-symmetry); else, of encodings that collapse,
 * 1 − V^{1−n}(1 − 1/n) on pi (rpe.finite-alphabet).  1 where there is no bound. */
double at_task_random_ceiling(const at_task *task, enum at_encoding_id encoding, bool causal);

#ifdef __cplusplus
}
#endif

#endif
