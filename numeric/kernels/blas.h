/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only door to CBLAS: row-major products, one thread each (the callers are parallel). */
#ifndef ATTEST_NUMERIC_KERNELS_BLAS_H
#define ATTEST_NUMERIC_KERNELS_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"

/* C [m, n] = alpha·op(A) [m, k]·op(B) [k, n] + beta·C; op transposes where trans says so; ld… are the
 * row strides as stored. */
void at_blas_gemm(bool trans_a, bool trans_b, size_t m, size_t n, size_t k, double alpha,
                  const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
                  size_t ldc);
void at_blasf_gemm(bool trans_a, bool trans_b, size_t m, size_t n, size_t k, float alpha,
                   const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                   size_t ldc);
/* y = alpha·op(A) x + beta·y for A [m, n]; increments count elements, here and below. */
void at_blas_gemv(bool trans, size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x,
                  size_t incx, double beta, double *y, size_t incy);
/* Σ x_i y_i over n elements, the Euclidean norm, and Σ |x_i|. */
double at_blas_dot(size_t n, const double *x, size_t incx, const double *y, size_t incy);
double at_blas_norm(size_t n, const double *x, size_t incx);
double at_blas_asum(size_t n, const double *x, size_t incx);
/* The index of the first x_i of greatest magnitude. */
size_t at_blas_largest(size_t n, const double *x, size_t incx);
/* x = alpha·x, and y = y + alpha·x. */
void at_blas_scale(size_t n, double alpha, double *x, size_t incx);
void at_blas_axpy(size_t n, double alpha, const double *x, size_t incx, double *y, size_t incy);
/* From here on the library's own threads are off (OpenBLAS only; others are told by their
 * environment variables). */
void at_blas_single_thread(void);
/* AT_ENVIRONMENT when a limit on the address space leaves no room for what the library takes in that
 * many threads: it would wait for it for ever.  To be asked once, before the first product. */
int at_blas_check_room(int threads, at_error *err) AT_MUST_CHECK;
/* Name and configuration of the library that really runs. */
const char *at_blas_name(void);
/* The processor whose kernels it chose ("SkylakeX"); NULL where it does not say. */
const char *at_blas_kernel(void);

#endif
