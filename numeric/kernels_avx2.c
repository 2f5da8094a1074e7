/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels for AVX2 with FMA; numeric/Makefile.inc gives the compiler's flags. */
#include "config.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_SLEEF
#include <sleef.h>
#endif

#include "numeric/kernels.h"
#include "numeric/kernels_isa.h"

#define ISA "avx2"

#ifdef HAVE_SLEEF
#define VEXP Sleef_expd4_u10avx2
#define VERF Sleef_erfd4_u10avx2
#endif
#define REAL double
#define INT int64_t
#define LANES 4
#define NAME(x) d_##x
#define TABLE at_kernels
#include "numeric/kernels_source.c"

#ifdef HAVE_SLEEF
#define VEXP Sleef_expf8_u10avx2
#define VERF Sleef_erff8_u10avx2
#endif
#define REAL float
#define INT int32_t
#define LANES 8
#define NAME(x) s_##x
#define TABLE at_kernelsf
#include "numeric/kernels_source.c"

const at_kernels *at_kernels_avx2(void)
{
    return &d_table;
}

const at_kernelsf *at_kernelsf_avx2(void)
{
    return &s_table;
}
