/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for the sources that are compiled once in double and once in float; no guard, since
 * numeric/real_end.h takes them away again. */
#define REAL double
#define AT_NAME(module, verb) at_##module##_##verb
#define LOCAL(name) d_##name
#define TRANSFORMER struct at_transformer
#define KERNELS at_kernels
#define KERNELS_FOR at_kernels_for
#define PRODUCT at_product
#define GEMM at_blas_gemm
