/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels for AVX-512 (F, DQ, BW, VL); numeric/Makefile.inc gives the compiler's flags. */
#include "config.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_SLEEF
#include <sleef.h>
#endif

#include "numeric/kernels.h"
#include "numeric/kernels_isa.h"

#define ISA "avx512"

#ifdef HAVE_SLEEF
#define VEXP Sleef_expd8_u10avx512f
#define VERF Sleef_erfd8_u10avx512f
#endif
#define REAL double
#define INT int64_t
#define LANES 8
#define NAME(x) d_##x
#define TABLE at_kernels
#include "numeric/kernels_source.c"

#ifdef HAVE_SLEEF
#define VEXP Sleef_expf16_u10avx512f
#define VERF Sleef_erff16_u10avx512f
#endif
#define REAL float
#define INT int32_t
#define LANES 16
#define NAME(x) s_##x
#define TABLE at_kernelsf
#include "numeric/kernels_source.c"

const at_kernels *at_kernels_avx512(void)
{
    return &d_table;
}

const at_kernelsf *at_kernelsf_avx512(void)
{
    return &s_table;
}
