/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The safetensors format: an 8-byte little-endian header length, a JSON header
 * {name: {dtype, shape, data_offsets}}, then the data.  Every dtype of whole bytes is read and written;
 * F16 and BF16 become the F32 of the same value when they are read. */
#ifndef ATTEST_CORE_SAFETENSORS_H
#define ATTEST_CORE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_dtype {
    AT_F32, AT_F64, AT_I64, AT_F16, AT_BF16, AT_BOOL, AT_U8, AT_I8, AT_U16, AT_I16, AT_U32, AT_I32,
    AT_U64, AT_F8_E4M3, AT_F8_E5M2
};

typedef struct {
    char *name;
    enum at_dtype dtype;
    size_t rank, shape[4];
    size_t count;            /* product of shape */
    void *data;              /* count elements, owned by the file structure; NULL while the header is
                                judged */
} at_tensor;

typedef struct {
    at_tensor *tensors;
    size_t count;
    char **metadata;         /* key, value, key, value, …; 2·metadata_count strings */
    size_t metadata_count;
} at_tensors;

void at_tensors_init(at_tensors *file);
void at_tensors_clear(at_tensors *file);
/* "F32", ...; and whether its elements are float or double in memory. */
const char *at_dtype_name(enum at_dtype dtype);
bool at_tensor_is_float(const at_tensor *tensor);
/* Every malformed header, offset, overlap, dtype or size is AT_INPUT with the file's name. */
int at_tensors_read(at_tensors *file, const char *path, at_error *err) AT_MUST_CHECK;
/* The same; judge sees names, shapes and metadata before any data is read, may change names and
 * metadata, and what it refuses is read no further: a small gzip file may stand for gigabytes. */
int at_tensors_read_judged(at_tensors *file, const char *path,
                           int (*judge)(at_tensors *file, void *context, at_error *err),
                           void *context, at_error *err) AT_MUST_CHECK;
/* Removes the words before the names of all tensors that PyTorch's wrappers put there, "module." and
 * "_orig_mod.", as often as they come; *stripped (freed by the caller) is NULL where there was none. */
int at_tensors_strip_wrappers(at_tensors *file, char **stripped, at_error *err) AT_MUST_CHECK;
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
