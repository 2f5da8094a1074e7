/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix products of the Transformer by the kernels where they have any, else by CBLAS. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_MULTIPLY_H
#define ATTEST_NUMERIC_TRANSFORMER_MULTIPLY_H

#include <stddef.h>
#include "attest/numeric/transformer/real.h"

/* Numbers of scratch that at_multiply wants. */
size_t at_multiply_room(const at_kernels *kernels);
/* The product q (numeric/kernels/table.h); scratch: at_multiply_room numbers. */
void at_multiply(const at_kernels *kernels, const at_product *q, REAL *scratch);

#endif
