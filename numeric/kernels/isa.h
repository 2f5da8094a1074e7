/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of kernels, one file an instruction set; numeric/kernels/kernels.c chooses among them. */
#ifndef ATTEST_NUMERIC_KERNELS_ISA_H
#define ATTEST_NUMERIC_KERNELS_ISA_H

#include "attest/numeric/kernels/kernels.h"

/* For loops whose bounds are known once they are inlined. */
#define AT_INLINED __attribute__((always_inline))
#ifdef __clang__
#define AT_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define AT_UNROLLED _Pragma("GCC unroll 16")
#endif

const at_kernels *at_kernels_generic(void);
const at_kernelsf *at_kernelsf_generic(void);
const at_kernels *at_kernels_avx2(void);
const at_kernelsf *at_kernelsf_avx2(void);
const at_kernels *at_kernels_avx512(void);
const at_kernelsf *at_kernelsf_avx512(void);

#endif
