/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "attest/numeric/transformer/multiply.h"

size_t at_multiply_room(const at_kernels *kernels)
{
    return kernels->pack_room != NULL ? kernels->pack_room() : 0;
}

void at_multiply(const at_kernels *kernels, const at_product *q, REAL *scratch)
{
    if (kernels->product != NULL) {
        kernels->product(q, scratch);
        return;
    }
    at_blas_gemm(q->trans_a, q->trans_b, q->m, q->n, q->k, 1, q->a, q->lda, q->b, q->ldb, q->add ? 1 : 0, q->c,
                 q->ldc);
    for (size_t i = 0; i < q->m && q->bias != NULL; i++)
        for (size_t j = 0; j < q->n; j++)
            q->c[i * q->ldc + j] += q->bias[j];
}
