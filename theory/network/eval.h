/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One evaluation of a network over a field. */
#ifndef ATTEST_THEORY_NETWORK_EVAL_H
#define ATTEST_THEORY_NETWORK_EVAL_H

#include "attest/theory/network/field.h"

typedef struct {
    const at_field *field;
    slong prec;
    at_network_struct *net;    /* written only by fit */
    bool fit;                  /* choose each LayerNorm's epsilon for row 0 on the way */
    at_error *err;
    at_fmat x;                 /* the residual stream; made by start, the caller clears it */
} at_evaluation;

/* x = input (shapes already checked) embedded, with positions. */
int at_evaluation_start(at_evaluation *ev, const at_fmat *input);
int at_evaluation_layer(at_evaluation *ev, slong l);
/* start, all layers, readout. */
int at_evaluation_run(at_evaluation *ev, const at_fmat *input);
/* out = A values for the head's attention matrix A on the present x.  The encoding's own vectors
 * are added to values (rows × d_h), unless plain (rows × any width). */
int at_evaluation_head(at_fmat *out, const at_evaluation *ev, const at_head *head,
                       const at_fmat *values, bool plain);
/* The same where the field is exact, the encoding leaves logits and weights alone and all numbers
 * are rational and fit words; false, and out unspecified, otherwise.  values NULL: the head's own. */
bool at_evaluation_head_words(at_fmat *out, const at_evaluation *ev, const at_head *head,
                              const at_fmat *values, bool plain);
/* Token i attends to token j; to an initial part of the tokens. */
bool at_evaluation_sees(const at_network_struct *net, slong i, slong j);
/* Adds a row (none: 0 rows) to every row of x. */
void at_evaluation_add_row(at_fmat *x, const fmpq_mat_t row, slong prec);

#endif
