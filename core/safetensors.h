/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The safetensors format: an 8-byte little-endian header length, a JSON header
 * {name: {dtype, shape, data_offsets}}, then the data.  F32, F64, I64 are read and written. */
#ifndef ATTEST_CORE_SAFETENSORS_H
#define ATTEST_CORE_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_dtype { AT_F32, AT_F64, AT_I64 };

typedef struct {
    char *name;
    enum at_dtype dtype;
    size_t rank, shape[4];
    size_t count;            /* product of shape */
    void *data;              /* count elements, owned by the file structure */
} at_tensor;

typedef struct {
    at_tensor *tensors;
    size_t count;
    char **metadata;         /* key, value, key, value, …; 2·metadata_count strings */
    size_t metadata_count;
} at_tensors;

void at_tensors_init(at_tensors *file);
void at_tensors_clear(at_tensors *file);
/* Every malformed header, offset, overlap, dtype or size is AT_INPUT with the file's name. */
int at_tensors_read(at_tensors *file, const char *path, at_error *err) AT_MUST_CHECK;
/* Atomic (core/file.h). */
int at_tensors_write(const at_tensors *file, const char *path, at_error *err) AT_MUST_CHECK;
/* Copies data (NULL: zeros) into a new tensor; *added may be NULL. */
int at_tensors_add(at_tensors *file, const char *name, enum at_dtype dtype, size_t rank,
                   const size_t *shape, const void *data, at_tensor **added,
                   at_error *err) AT_MUST_CHECK;
int at_tensors_set_metadata(at_tensors *file, const char *key, const char *value,
                            at_error *err) AT_MUST_CHECK;
/* NULL when there is none. */
const at_tensor *at_tensors_find(const at_tensors *file, const char *name);
const char *at_tensors_metadata(const at_tensors *file, const char *key);

#ifdef __cplusplus
}
#endif

#endif
