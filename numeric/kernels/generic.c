/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels for any machine; numeric/Makefile.inc gives the compiler's flags. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "attest/numeric/kernels/kernels.h"
#include "attest/numeric/kernels/isa.h"

#define ISA "generic"

#define REAL double
#define INT int64_t
#define LANES 2
#define NAME(x) d_##x
#define TABLE at_kernels
#define PRODUCTS NULL, NULL, NULL, NULL
#include "attest/numeric/kernels/vector_source.c"
#include "attest/numeric/kernels/softmax_source.c"
#include "attest/numeric/kernels/kernels_source.c"

#define REAL float
#define INT int32_t
#define LANES 4
#define NAME(x) s_##x
#define TABLE at_kernelsf
#define PRODUCTS NULL, NULL, NULL, NULL
#include "attest/numeric/kernels/vector_source.c"
#include "attest/numeric/kernels/softmax_source.c"
#include "attest/numeric/kernels/kernels_source.c"

const at_kernels *at_kernels_generic(void)
{
    return &d_table;
}

const at_kernelsf *at_kernelsf_generic(void)
{
    return &s_table;
}
