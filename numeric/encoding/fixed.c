/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed numbers and positions that several encodings share. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "attest/numeric/encoding/encoding.h"
#include "attest/numeric/encoding/fixed.h"

void at_sinusoid(double position, size_t d, double *row)
{
    for (size_t c = 0; c < d; c++) {
        double angle = position * pow(10000.0, -(double) (c - c % 2) / (double) d);

        row[c] = c % 2 == 0 ? sin(angle) : cos(angle);
    }
}

/* Raffel et al. 2020: half the buckets (all, one-sided) are exact, the rest logarithmic up to the
 * farthest distance; two-sided, the keys after the query have the upper half. */
size_t at_encoding_t5_bucket(long k, bool causal)
{
    size_t buckets = AT_T5_BUCKETS, base = 0, exact;
    double far;

    if (!causal) {
        buckets /= 2;
        if (k < 0)
            base = buckets;
        k = labs(k);
    } else if (k < 0) {
        k = 0;
    }
    exact = buckets / 2;
    if ((size_t) k < exact)
        return base + (size_t) k;
    far = log((double) k / (double) exact) / log((double) AT_T5_FARTHEST / (double) exact)
          * (double) (buckets - exact);
    return base + exact + (far < (double) (buckets - exact - 1) ? (size_t) far : buckets - exact - 1);
}
