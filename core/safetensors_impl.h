/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader and the writer of safetensors share. */
#ifndef ATTEST_CORE_SAFETENSORS_IMPL_H
#define ATTEST_CORE_SAFETENSORS_IMPL_H

#include "attest/core/safetensors.h"

/* Bytes of one element. */
size_t at_dtype_size(enum at_dtype dtype);
/* The dtype called "F32" ..., -1 when it is none of ours. */
int at_dtype_find(const char *name);
/* Copies count elements of size bytes between this machine's byte order and the file's. */
void at_tensor_copy_elements(void *out, const void *in, size_t count, size_t size);
/* at_tensors_add and at_tensors_set_metadata for a name that is known to be new; no data. */
int at_tensors_append(at_tensors *file, const char *name, enum at_dtype dtype, size_t rank,
                      const size_t *shape, at_tensor **added, at_error *err) AT_MUST_CHECK;
/* Zeros for a tensor without data. */
int at_tensor_allocate(at_tensor *tensor, at_error *err) AT_MUST_CHECK;
/* bits[0 … count) of F16 or BF16 as the float of the same value: both are subsets of it. */
void at_tensor_widen(float *out, const uint16_t *bits, size_t count, enum at_dtype dtype);
int at_tensors_append_metadata(at_tensors *file, const char *key, const char *value,
                               at_error *err) AT_MUST_CHECK;

#endif
