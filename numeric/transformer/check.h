/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a batch must satisfy before a pass may index with it. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_CHECK_H
#define ATTEST_NUMERIC_TRANSFORMER_CHECK_H

#include "attest/numeric/transformer/transformer.h"

/* AT_USAGE with what is wrong; scored: the pass wants classes or values. */
int at_batch_check(const at_batch *batch, const at_model *model, size_t limit, bool scored,
                   at_error *err) AT_MUST_CHECK;

#endif
