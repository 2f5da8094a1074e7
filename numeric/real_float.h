/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As numeric/real_double.h, in float. */
#define REAL float
#define AT_NAME(module, verb) at_##module##f_##verb
#define LOCAL(name) s_##name
#define TRANSFORMER struct at_transformerf
#define KERNELS at_kernelsf
#define KERNELS_FOR at_kernelsf_for
#define PRODUCT at_productf
#define GEMM at_blasf_gemm
