/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner loops of the Transformer, compiled for several instruction sets and chosen when the
 * program runs: matrix products, softmax + bias + ⊙ C fused, GELU, LayerNorm, cross-entropy.  Each function
 * is described in numeric/kernels_table.h. */
#ifndef ATTEST_NUMERIC_KERNELS_H
#define ATTEST_NUMERIC_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REAL double
#define AT_KERNELS_NAME at_kernels
#define AT_PRODUCT_NAME at_product
#include "numeric/kernels_table.h"
#undef REAL
#undef AT_KERNELS_NAME
#undef AT_PRODUCT_NAME
#define REAL float
#define AT_KERNELS_NAME at_kernelsf
#define AT_PRODUCT_NAME at_productf
#include "numeric/kernels_table.h"
#undef REAL
#undef AT_KERNELS_NAME
#undef AT_PRODUCT_NAME

typedef struct at_kernels at_kernels;
typedef struct at_kernelsf at_kernelsf;

enum at_isa { AT_ISA_GENERIC, AT_ISA_AVX2, AT_ISA_AVX512, AT_ISA_COUNT };

/* The kernels of one instruction set; NULL when this machine or this build lacks it. */
const at_kernels *at_kernels_for(enum at_isa isa);
const at_kernelsf *at_kernelsf_for(enum at_isa isa);
/* The fastest that this machine has. */
const at_kernels *at_kernels_best(void);
const at_kernelsf *at_kernelsf_best(void);

#endif
