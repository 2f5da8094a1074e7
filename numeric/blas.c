/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CBLAS, included here and nowhere else: its header and GSL's cannot meet in one file. */
#include "config.h"

#ifdef AT_GSL_CBLAS
#include <gsl/gsl_cblas.h>
#else
#include <cblas.h>
#endif

#include "numeric/blas.h"

#define TRANS(flag) ((flag) ? CblasTrans : CblasNoTrans)

void at_blas_gemm(bool trans_a, bool trans_b, size_t m, size_t n, size_t k, double alpha,
                  const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
                  size_t ldc)
{
    cblas_dgemm(CblasRowMajor, TRANS(trans_a), TRANS(trans_b), (int) m, (int) n, (int) k, alpha, a,
                (int) lda, b, (int) ldb, beta, c, (int) ldc);
}

void at_blasf_gemm(bool trans_a, bool trans_b, size_t m, size_t n, size_t k, float alpha,
                   const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                   size_t ldc)
{
    cblas_sgemm(CblasRowMajor, TRANS(trans_a), TRANS(trans_b), (int) m, (int) n, (int) k, alpha, a,
                (int) lda, b, (int) ldb, beta, c, (int) ldc);
}

void at_blas_single_thread(void)
{
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(1);
#endif
}

const char *at_blas_name(void)
{
#ifdef HAVE_OPENBLAS
    return openblas_get_config();
#elif defined(AT_GSL_CBLAS)
    return "GSL CBLAS";
#else
    return "CBLAS";
#endif
}
