/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances of all pairs of rows: see pairs.h.
 *
 * Rows are packed in panels of 8 tokens, feature by feature, so that the vector
 * index is the token and no sum over features is reordered: the result is the
 * same on every machine. */
#include "config.h"

#include "attest/numeric/energy/pairs.h"

#include <string.h>

#include "attest/numeric/kernels/kernels.h"

enum { PANEL = 8, ROWS = 4 };

/* sum[r] = the squared distances of row r of the four at a (stride PANEL) to the 8 tokens of b. */
typedef void block_function(double *sum, const double *a, const double *b, size_t d);

#if defined(__GNUC__)
typedef double vector __attribute__((vector_size(PANEL * sizeof(double)), aligned(8)));

/* The loop, for the instructions of those in whom it is inlined. */
__attribute__((always_inline))
static inline void block(double *sum, const double *a, const double *b, size_t d)
{
    vector s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };

    for (size_t k = 0; k < d; k++, a += PANEL, b += PANEL) {
        vector t = *(const vector *) b, u;
        u = t - a[0], s0 += u * u;
        u = t - a[1], s1 += u * u;
        u = t - a[2], s2 += u * u;
        u = t - a[3], s3 += u * u;
    }
    *(vector *) sum = s0;
    *(vector *) (sum + PANEL) = s1;
    *(vector *) (sum + 2 * PANEL) = s2;
    *(vector *) (sum + 3 * PANEL) = s3;
}
#else
static void block(double *sum, const double *a, const double *b, size_t d)
{
    memset(sum, 0, ROWS * PANEL * sizeof *sum);
    for (size_t k = 0; k < d; k++, a += PANEL, b += PANEL)
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < PANEL; c++) {
                double u = b[c] - a[r];
                sum[r * PANEL + c] += u * u;
            }
}
#endif

static void block_generic(double *sum, const double *a, const double *b, size_t d)
{
    block(sum, a, b, d);
}

#ifdef AT_X86_KERNELS
__attribute__((target("avx2"))) static void block_avx2(double *sum, const double *a, const double *b, size_t d)
{
    block(sum, a, b, d);
}

__attribute__((target("avx512f"))) static void block_avx512(double *sum, const double *a, const double *b, size_t d)
{
    block(sum, a, b, d);
}
#endif

static block_function *block_in_use(void)
{
#ifdef AT_X86_KERNELS
    enum at_isa isa = at_isa_in_use();

    if (isa == AT_ISA_AVX512)
        return block_avx512;
    if (isa == AT_ISA_AVX2)
        return block_avx2;
#endif
    return block_generic;
}

static size_t panels(size_t n)
{
    return (n + PANEL - 1) / PANEL;
}

size_t at_pairs_scratch(size_t n, size_t d)
{
    return panels(n) * PANEL * d;
}

static void pack(double *packed, const double *V, size_t n, size_t d)
{
    for (size_t p = 0; p < panels(n); p++)
        for (size_t c = 0; c < PANEL; c++)
            for (size_t k = 0; k < d; k++)
                packed[(p * d + k) * PANEL + c] =
                    p * PANEL + c < n ? V[(p * PANEL + c) * d + k] : 0;
}

/* Rows i0 … i0+3 against all panels that hold a j > i. */
static void four_rows(double *z, const double *packed, size_t n, size_t d, size_t i0,
                      block_function *distances)
{
    double sum[ROWS * PANEL];
    const double *a = packed + i0 / PANEL * d * PANEL + i0 % PANEL;

    for (size_t p = i0 / PANEL; p < panels(n); p++) {
        distances(sum, a, packed + p * d * PANEL, d);
        for (size_t r = 0; r < ROWS && i0 + r < n; r++)
            for (size_t c = 0; c < PANEL && p * PANEL + c < n; c++)
                if (p * PANEL + c >= i0 + r)
                    z[(i0 + r) * n + p * PANEL + c] = 0.5 * sum[r * PANEL + c];
    }
}

void at_pairs_distances(double *z, const double *V, size_t n, size_t d, double *scratch,
                        int threads)
{
    long blocks = (long) ((n + ROWS - 1) / ROWS);
    block_function *distances = block_in_use();

    pack(scratch, V, n, d);
#ifdef _OPENMP
#pragma omp parallel for if (threads > 1) num_threads(threads) schedule(dynamic, 4)
#else
    (void) threads;
#endif
    for (long k = 0; k < blocks; k++)
        four_rows(z, scratch, n, d, (size_t) k * ROWS, distances);
}

void at_pairs_mirror(double *z, size_t n)
{
    enum { TILE = 32 };

    for (size_t i0 = 0; i0 < n; i0 += TILE)
        for (size_t j0 = i0; j0 < n; j0 += TILE)
            for (size_t i = i0; i < n && i < i0 + TILE; i++)
                for (size_t j = j0 > i ? j0 : i + 1; j < n && j < j0 + TILE; j++)
                    z[j * n + i] = z[i * n + j];
}
