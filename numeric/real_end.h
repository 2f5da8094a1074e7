/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends what numeric/real_double.h or numeric/real_float.h began. */
#undef REAL
#undef AT_NAME
#undef LOCAL
#undef TRANSFORMER
#undef KERNELS
#undef KERNELS_FOR
#undef PRODUCT
#undef GEMM
