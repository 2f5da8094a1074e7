/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels for AVX-512 (F, DQ, BW, VL); numeric/Makefile.inc gives the compiler's flags. */
#include "config.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_SLEEF
#include <sleef.h>
#endif

/* glibc's vector erf is several times faster than SLEEF's and as exact as its users need. */
#ifdef HAVE_LIBMVEC_ERF
typedef double mvec_double __attribute__((vector_size(64)));
typedef float mvec_float __attribute__((vector_size(64)));
mvec_double _ZGVeN8v_erf(mvec_double x);
mvec_float _ZGVeN16v_erff(mvec_float x);
#endif

#include "attest/numeric/kernels/kernels.h"
#include "attest/numeric/kernels/isa.h"

#define ISA "avx512"
#define TILE_ROWS 8

#ifdef HAVE_SLEEF
#define VEXP Sleef_expd8_u10avx512f
#endif
#if defined(HAVE_LIBMVEC_ERF)
#define VERF _ZGVeN8v_erf
#elif defined(HAVE_SLEEF)
#define VERF Sleef_erfd8_u10avx512f
#endif
#define REAL double
#define FUSED _mm512_fmadd_pd
#define INT int64_t
#define LANES 8
#define NAME(x) d_##x
#define TABLE at_kernels
#define PRODUCT at_product
#include "attest/numeric/kernels/vector_source.c"
#include "attest/numeric/kernels/product_source.c"
#include "attest/numeric/kernels/softmax_source.c"
#include "attest/numeric/kernels/kernels_source.c"

#ifdef HAVE_SLEEF
#define VEXP Sleef_expf16_u10avx512f
#endif
#if defined(HAVE_LIBMVEC_ERF)
#define VERF _ZGVeN16v_erff
#elif defined(HAVE_SLEEF)
#define VERF Sleef_erff16_u10avx512f
#endif
#define REAL float
#define FUSED _mm512_fmadd_ps
#define INT int32_t
#define LANES 16
#define NAME(x) s_##x
#define TABLE at_kernelsf
#define PRODUCT at_productf
#include "attest/numeric/kernels/vector_source.c"
#include "attest/numeric/kernels/product_source.c"
#include "attest/numeric/kernels/softmax_source.c"
#include "attest/numeric/kernels/kernels_source.c"

const at_kernels *at_kernels_avx512(void)
{
    return &d_table;
}

const at_kernelsf *at_kernelsf_avx512(void)
{
    return &s_table;
}
