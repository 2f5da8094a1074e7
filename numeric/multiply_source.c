/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix products of the Transformer by the kernels where they have any, else by CBLAS.  Included by
 * numeric/transformer.c once for each precision. */

/* Numbers of scratch that multiply wants. */
static size_t LOCAL(multiply_room)(const KERNELS *kernels)
{
    return kernels->pack_room != NULL ? kernels->pack_room() : 0;
}

static void LOCAL(multiply)(const KERNELS *kernels, const PRODUCT *q, REAL *scratch)
{
    if (kernels->product != NULL) {
        kernels->product(q, scratch);
        return;
    }
    GEMM(q->trans_a, q->trans_b, q->m, q->n, q->k, 1, q->a, q->lda, q->b, q->ldb, q->add ? 1 : 0, q->c,
         q->ldc);
    for (size_t i = 0; i < q->m && q->bias != NULL; i++)
        for (size_t j = 0; j < q->n; j++)
            q->c[i * q->ldc + j] += q->bias[j];
}
