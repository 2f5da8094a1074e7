/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Transformer in double and in float: each source below is compiled twice. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/memory.h"
#include "numeric/blas.h"
#include "numeric/encoding.h"
#include "numeric/kernels.h"
#include "numeric/transformer.h"
#include "numeric/transformer_check.h"

#include "numeric/real_double.h"
#include "numeric/encoding_source.c"
#include "numeric/multiply_source.c"
#include "numeric/packed_source.c"
#include "numeric/attention_source.c"
#include "numeric/arena_source.c"
#include "numeric/workspace_source.c"
#include "numeric/transformer_source.c"
#include "numeric/passes_source.c"
#include "numeric/entry_source.c"
#include "numeric/real_end.h"

#include "numeric/real_float.h"
#include "numeric/encoding_source.c"
#include "numeric/multiply_source.c"
#include "numeric/packed_source.c"
#include "numeric/attention_source.c"
#include "numeric/arena_source.c"
#include "numeric/workspace_source.c"
#include "numeric/transformer_source.c"
#include "numeric/passes_source.c"
#include "numeric/entry_source.c"
#include "numeric/real_end.h"
