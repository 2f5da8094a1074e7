/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner loops of the Transformer, compiled for several instruction sets and chosen when the
 * program runs: matrix products, softmax + bias + ⊙ C fused, GELU, LayerNorm, cross-entropy.  Each function
 * is described in numeric/kernels/table.h. */
#ifndef ATTEST_NUMERIC_KERNELS_KERNELS_H
#define ATTEST_NUMERIC_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"

#define AT_REAL double
#define AT_KERNELS_NAME at_kernels
#define AT_PRODUCT_NAME at_product
#include "attest/numeric/kernels/table.h"
#undef AT_REAL
#undef AT_KERNELS_NAME
#undef AT_PRODUCT_NAME
#define AT_REAL float
#define AT_KERNELS_NAME at_kernelsf
#define AT_PRODUCT_NAME at_productf
#include "attest/numeric/kernels/table.h"
#undef AT_REAL
#undef AT_KERNELS_NAME
#undef AT_PRODUCT_NAME

typedef struct at_kernels at_kernels;
typedef struct at_kernelsf at_kernelsf;

/* Levels, slowest first. */
enum at_isa { AT_ISA_GENERIC, AT_ISA_AVX2, AT_ISA_AVX512, AT_ISA_COUNT };

/* The kernels of one instruction set; NULL when this machine or this build lacks it. */
const at_kernels *at_kernels_for(enum at_isa isa);
const at_kernelsf *at_kernelsf_for(enum at_isa isa);

/* "generic", "avx2", "avx512". */
const char *at_isa_name(enum at_isa isa);
/* The level that the environment variable ATTEST_KERNELS names, or, where it is unset or empty, the
 * fastest that this machine has.  Looked up anew by each call.  AT_USAGE: there is no level of
 * that name; AT_ENVIRONMENT: this machine or this build lacks it. */
int at_isa_choose(enum at_isa *isa, at_error *err) AT_MUST_CHECK;
/* For those who cannot fail: where at_isa_choose does, the fastest. */
enum at_isa at_isa_in_use(void);

#endif
