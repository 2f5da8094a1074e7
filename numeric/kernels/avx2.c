/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels for AVX2 with FMA; numeric/Makefile.inc gives the compiler's flags. */
#include "config.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_SLEEF
#include <sleef.h>
#endif

/* glibc's vector erf is several times faster than SLEEF's and as exact as its users need. */
#ifdef HAVE_LIBMVEC_ERF
typedef double mvec_double __attribute__((vector_size(32)));
typedef float mvec_float __attribute__((vector_size(32)));
mvec_double _ZGVdN4v_erf(mvec_double x);
mvec_float _ZGVdN8v_erff(mvec_float x);
#endif

#include "attest/numeric/kernels/kernels.h"
#include "attest/numeric/kernels/isa.h"

#define ISA "avx2"
#define TILE_ROWS 4

#ifdef HAVE_SLEEF
#define VEXP Sleef_expd4_u10avx2
#endif
#if defined(HAVE_LIBMVEC_ERF)
#define VERF _ZGVdN4v_erf
#elif defined(HAVE_SLEEF)
#define VERF Sleef_erfd4_u10avx2
#endif
#define REAL double
#define FUSED _mm256_fmadd_pd
#define INT int64_t
#define LANES 4
#define NAME(x) d_##x
#define TABLE at_kernels
#define PRODUCT at_product
#include "attest/numeric/kernels/vector_source.c"
#include "attest/numeric/kernels/product_source.c"
#include "attest/numeric/kernels/softmax_source.c"
#include "attest/numeric/kernels/kernels_source.c"

#ifdef HAVE_SLEEF
#define VEXP Sleef_expf8_u10avx2
#endif
#if defined(HAVE_LIBMVEC_ERF)
#define VERF _ZGVdN8v_erff
#elif defined(HAVE_SLEEF)
#define VERF Sleef_erff8_u10avx2
#endif
#define REAL float
#define FUSED _mm256_fmadd_ps
#define INT int32_t
#define LANES 8
#define NAME(x) s_##x
#define TABLE at_kernelsf
#define PRODUCT at_productf
#include "attest/numeric/kernels/vector_source.c"
#include "attest/numeric/kernels/product_source.c"
#include "attest/numeric/kernels/softmax_source.c"
#include "attest/numeric/kernels/kernels_source.c"

const at_kernels *at_kernels_avx2(void)
{
    return &d_table;
}

const at_kernelsf *at_kernelsf_avx2(void)
{
    return &s_table;
}
