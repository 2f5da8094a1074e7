/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed numbers that several encodings share. */
#ifndef ATTEST_NUMERIC_ENCODING_FIXED_H
#define ATTEST_NUMERIC_ENCODING_FIXED_H

#include <stddef.h>

/* row [d]: (sin, cos) of position·10000^{−2t/d} in columns 2t, 2t+1 (Vaswani et al. 2017). */
void at_sinusoid(double position, size_t d, double *row);

#endif
