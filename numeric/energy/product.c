/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of matrices in threads. */
#include "config.h"

#include "attest/numeric/energy/work.h"
#include "attest/numeric/kernels/blas.h"

void at_energy_product(double *C, const double *A, const double *M, size_t n, size_t k, size_t m,
                       double beta, int threads)
{
    size_t part = threads > 1 ? ((n + (size_t) threads - 1) / (size_t) threads + 7) / 8 * 8 : n;
    long parts = part > 0 ? (long) ((n + part - 1) / part) : 0;

#ifdef _OPENMP
#pragma omp parallel for if (threads > 1) num_threads(threads > 1 ? threads : 1)
#endif
    for (long p = 0; p < parts; p++) {
        size_t first = (size_t) p * part, rows = first + part < n ? part : n - first;
        at_blas_gemm(false, false, rows, m, k, 1, A + first * k, k, M, m, beta, C + first * m, m);
    }
}
