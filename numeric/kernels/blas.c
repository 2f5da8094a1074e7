/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CBLAS, included here and nowhere else: its header and GSL's cannot meet in one file. */
#define _GNU_SOURCE 1
#include "config.h"

#include <sys/mman.h>
#include <sys/resource.h>

#ifdef AT_GSL_CBLAS
#include <gsl/gsl_cblas.h>
#else
#include <cblas.h>
#endif

#include "attest/numeric/kernels/blas.h"

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

void at_blas_gemv(bool trans, size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x,
                  size_t incx, double beta, double *y, size_t incy)
{
    cblas_dgemv(CblasRowMajor, TRANS(trans), (int) m, (int) n, alpha, a, (int) lda, x, (int) incx, beta, y,
                (int) incy);
}

double at_blas_dot(size_t n, const double *x, size_t incx, const double *y, size_t incy)
{
    return cblas_ddot((int) n, x, (int) incx, y, (int) incy);
}

double at_blas_norm(size_t n, const double *x, size_t incx)
{
    return cblas_dnrm2((int) n, x, (int) incx);
}

double at_blas_asum(size_t n, const double *x, size_t incx)
{
    return cblas_dasum((int) n, x, (int) incx);
}

size_t at_blas_largest(size_t n, const double *x, size_t incx)
{
    return cblas_idamax((int) n, x, (int) incx);
}

void at_blas_scale(size_t n, double alpha, double *x, size_t incx)
{
    cblas_dscal((int) n, alpha, x, (int) incx);
}

void at_blas_axpy(size_t n, double alpha, const double *x, size_t incx, double *y, size_t incy)
{
    cblas_daxpy((int) n, alpha, x, (int) incx, y, (int) incy);
}

void at_blas_single_thread(void)
{
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(1);
#endif
}

int at_blas_check_room(int threads, at_error *err)
{
#ifdef HAVE_OPENBLAS
    /* A buffer a thread, as distributions build it; the program's own data beside them. */
    const size_t buffer = (size_t) 128 << 20, beside = (size_t) 96 << 20;
    const size_t size = (size_t) threads * buffer + beside;
    struct rlimit limit;
    void *room;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return AT_OK;
    room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return at_error_set(err, AT_ENVIRONMENT, "out of memory: the address space is limited to "
                            "%.0f MB (ulimit -v), and products of matrices in %d threads take %.0f "
                            "more; raise the limit, or give fewer --threads",
                            (double) limit.rlim_cur / 1048576.0, threads, (double) size / 1048576.0);
    munmap(room, size);
#else
    (void) threads;
    (void) err;
#endif
    return AT_OK;
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

const char *at_blas_kernel(void)
{
#ifdef HAVE_OPENBLAS
    return openblas_get_corename();
#else
    return NULL;
#endif
}
