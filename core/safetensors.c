/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of tensors in memory, and writing it as a safetensors file. */
#include "config.h"

#include "attest/core/safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/file.h"
#include "attest/core/safetensors_impl.h"

static const struct { const char *name; size_t size; } dtypes[] = {
    [AT_F32] = {"F32", 4},   [AT_F64] = {"F64", 8},         [AT_I64] = {"I64", 8},
    [AT_F16] = {"F16", 2},   [AT_BF16] = {"BF16", 2},       [AT_BOOL] = {"BOOL", 1},
    [AT_U8] = {"U8", 1},     [AT_I8] = {"I8", 1},           [AT_U16] = {"U16", 2},
    [AT_I16] = {"I16", 2},   [AT_U32] = {"U32", 4},         [AT_I32] = {"I32", 4},
    [AT_U64] = {"U64", 8},   [AT_F8_E4M3] = {"F8_E4M3", 1}, [AT_F8_E5M2] = {"F8_E5M2", 1}
};

size_t at_dtype_size(enum at_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *at_dtype_name(enum at_dtype dtype)
{
    return dtypes[dtype].name;
}

bool at_tensor_is_float(const at_tensor *tensor)
{
    return tensor->dtype == AT_F32 || tensor->dtype == AT_F64;
}

int at_dtype_find(const char *name)
{
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        if (strcmp(name, dtypes[k].name) == 0)
            return (int) k;
    return -1;
}

void at_tensor_copy_elements(void *out, const void *in, size_t count, size_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count > 0)
        memcpy(out, in, count * size);
#else
    const unsigned char *from = in;
    unsigned char *to = out;
    const uint16_t probe = 1;
    int little = *(const unsigned char *) &probe == 1;

    for (size_t k = 0; k < count; k++, from += size, to += size)
        for (size_t b = 0; b < size; b++)
            to[b] = from[little ? b : size - 1 - b];
#endif
}

void at_tensor_widen(float *out, const uint16_t *bits, size_t count, enum at_dtype dtype)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t wide = (uint32_t) bits[k] << 16;   /* BF16 is the upper half of F32 */
        if (dtype == AT_F16) {
            uint32_t sign = (uint32_t) (bits[k] & 0x8000u) << 16;
            uint32_t exponent = bits[k] >> 10 & 0x1fu, fraction = bits[k] & 0x3ffu;
            if (exponent == 0) {   /* zero and subnormal: fraction x 2^-24 */
                float value = (float) fraction * 0x1p-24f;
                memcpy(&wide, &value, sizeof wide);
                wide |= sign;
            } else {
                uint32_t top = exponent == 31 ? 255u : exponent + 112u;
                wide = sign | top << 23 | fraction << 13;
            }
        }
        memcpy(&out[k], &wide, sizeof wide);
    }
}

void at_tensors_init(at_tensors *file)
{
    memset(file, 0, sizeof *file);
}

void at_tensors_clear(at_tensors *file)
{
    for (size_t k = 0; k < file->count; k++) {
        free(file->tensors[k].name);
        free(file->tensors[k].data);
    }
    for (size_t k = 0; k < 2 * file->metadata_count; k++)
        free(file->metadata[k]);
    free(file->tensors);
    free(file->metadata);
    at_tensors_init(file);
}

/* Room for one more element, doubling at powers of two. */
static void *grow(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return realloc(array, (count == 0 ? 1 : 2 * count) * size);
}

static int count_elements(size_t *count, size_t rank, const size_t *shape, size_t size)
{
    *count = 1;
    for (size_t k = 0; k < rank; k++) {
        if (shape[k] != 0 && *count > SIZE_MAX / 2 / size / shape[k])
            return -1;
        *count *= shape[k];
    }
    return 0;
}

int at_tensors_append(at_tensors *file, const char *name, enum at_dtype dtype, size_t rank,
                      const size_t *shape, at_tensor **added, at_error *err)
{
    at_tensor *grown;
    at_tensor tensor = {.dtype = dtype, .rank = rank};

    if (rank > sizeof tensor.shape / sizeof *tensor.shape)
        return at_error_set(err, AT_USAGE, "tensor %s has %zu dimensions; at most 4 are kept",
                            name, rank);
    if (count_elements(&tensor.count, rank, shape, at_dtype_size(dtype)) != 0)
        return at_error_set(err, AT_USAGE, "tensor %s is too large", name);
    grown = grow(file->tensors, file->count, sizeof *grown);
    if (grown == NULL)
        return at_error_memory(err, name);
    file->tensors = grown;
    if (rank > 0)
        memcpy(tensor.shape, shape, rank * sizeof *shape);
    tensor.name = strdup(name);
    if (tensor.name == NULL)
        return at_error_memory(err, name);
    *added = &file->tensors[file->count++];
    **added = tensor;
    return AT_OK;
}

int at_tensor_allocate(at_tensor *tensor, at_error *err)
{
    tensor->data = calloc(tensor->count > 0 ? tensor->count : 1, at_dtype_size(tensor->dtype));
    return tensor->data != NULL ? AT_OK : at_error_memory(err, tensor->name);
}

int at_tensors_add(at_tensors *file, const char *name, enum at_dtype dtype, size_t rank,
                   const size_t *shape, const void *data, at_tensor **added, at_error *err)
{
    at_tensor *tensor;
    int status;

    if (at_tensors_find(file, name) != NULL || strcmp(name, "__metadata__") == 0)
        return at_error_set(err, AT_USAGE, "the tensor name %s is taken", name);
    status = at_tensors_append(file, name, dtype, rank, shape, &tensor, err);
    if (status != AT_OK)
        return status;
    status = at_tensor_allocate(tensor, err);
    if (status != AT_OK) {
        free(tensor->name);
        file->count--;
        return status;
    }
    if (data != NULL && tensor->count > 0)
        memcpy(tensor->data, data, tensor->count * at_dtype_size(dtype));
    if (added != NULL)
        *added = tensor;
    return AT_OK;
}

int at_tensors_append_metadata(at_tensors *file, const char *key, const char *value,
                               at_error *err)
{
    char *copy = strdup(value), *name = strdup(key);
    char **grown = grow(file->metadata, file->metadata_count, 2 * sizeof *grown);

    if (grown != NULL)
        file->metadata = grown;
    if (copy == NULL || name == NULL || grown == NULL) {
        free(copy);
        free(name);
        return at_error_memory(err, key);
    }
    file->metadata[2 * file->metadata_count] = name;
    file->metadata[2 * file->metadata_count + 1] = copy;
    file->metadata_count++;
    return AT_OK;
}

int at_tensors_set_metadata(at_tensors *file, const char *key, const char *value, at_error *err)
{
    for (size_t k = 0; k < file->metadata_count; k++)
        if (strcmp(file->metadata[2 * k], key) == 0) {
            char *copy = strdup(value);

            if (copy == NULL)
                return at_error_memory(err, key);
            free(file->metadata[2 * k + 1]);
            file->metadata[2 * k + 1] = copy;
            return AT_OK;
        }
    return at_tensors_append_metadata(file, key, value, err);
}

const at_tensor *at_tensors_find(const at_tensors *file, const char *name)
{
    for (size_t k = 0; k < file->count; k++)
        if (strcmp(file->tensors[k].name, name) == 0)
            return &file->tensors[k];
    return NULL;
}

const char *at_tensors_metadata(const at_tensors *file, const char *key)
{
    for (size_t k = 0; k < file->metadata_count; k++)
        if (strcmp(file->metadata[2 * k], key) == 0)
            return file->metadata[2 * k + 1];
    return NULL;
}

/* {"dtype", "shape", "data_offsets"} of one tensor that begins at offset. */
static json_t *describe(const at_tensor *tensor, size_t offset)
{
    json_t *shape = json_array();
    size_t bytes = tensor->count * at_dtype_size(tensor->dtype);

    for (size_t k = 0; k < tensor->rank; k++)
        if (json_array_append_new(shape, json_integer((json_int_t) tensor->shape[k])) != 0) {
            json_decref(shape);
            return NULL;
        }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtypes[tensor->dtype].name, "shape", shape,
                     "data_offsets", (json_int_t) offset, (json_int_t) (offset + bytes));
}

/* The longest elements come first, so that each lies at a multiple of its size. */
static int describe_all(json_t *header, const at_tensors *file)
{
    size_t offset = 0;

    for (size_t size = 8; size >= 1; size /= 2)
        for (size_t k = 0; k < file->count; k++) {
            const at_tensor *tensor = &file->tensors[k];

            if (at_dtype_size(tensor->dtype) != size)
                continue;
            if (json_object_set_new(header, tensor->name, describe(tensor, offset)) != 0)
                return -1;
            offset += tensor->count * size;
        }
    return 0;
}

/* The header's JSON text, blanks behind it up to a multiple of 8 bytes; caller frees. */
static char *make_header(const at_tensors *file, size_t *length)
{
    json_t *header = json_object(), *metadata = json_object();
    char *text = NULL, *padded = NULL;
    int failed = 0;

    for (size_t k = 0; k < file->metadata_count; k++)
        failed |= json_object_set_new(metadata, file->metadata[2 * k],
                                      json_string(file->metadata[2 * k + 1]));
    if (file->metadata_count > 0)
        failed |= json_object_set(header, "__metadata__", metadata);
    json_decref(metadata);
    if (!failed && describe_all(header, file) == 0)
        text = json_dumps(header, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(header);
    if (text != NULL) {
        *length = (strlen(text) + 7) / 8 * 8;
        padded = malloc(*length + 1);
    }
    if (padded != NULL) {
        memset(padded, ' ', *length);
        memcpy(padded, text, strlen(text));
    }
    free(text);
    return padded;
}

static int write_elements(FILE *stream, const at_tensor *tensor)
{
    enum { BLOCK = 4096 };
    unsigned char block[8 * BLOCK];
    size_t size = at_dtype_size(tensor->dtype);

    for (size_t k = 0; k < tensor->count; k += BLOCK) {
        size_t count = tensor->count - k < BLOCK ? tensor->count - k : BLOCK;

        at_tensor_copy_elements(block, (const char *) tensor->data + k * size, count, size);
        if (fwrite(block, size, count, stream) != count)
            return -1;
    }
    return 0;
}

int at_tensors_write(const at_tensors *file, const char *path, at_error *err)
{
    at_outfile out;
    unsigned char prefix[8];
    size_t length = 0;
    char *header = make_header(file, &length);
    int status;

    if (header == NULL)
        return at_error_set(err, AT_ENVIRONMENT,
                            "%s: no header: out of memory, or a name is not UTF-8", path);
    status = at_outfile_open(&out, path, err);
    if (status != AT_OK) {
        free(header);
        return status;
    }
    for (size_t b = 0; b < 8; b++)
        prefix[b] = (unsigned char) ((uint64_t) length >> (8 * b) & 0xff);
    /* A failed write is remembered by the stream; the commit reports it. */
    if (fwrite(prefix, 1, 8, out.stream) == 8 && fwrite(header, 1, length, out.stream) == length)
        for (size_t size = 8; size >= 1; size /= 2)
            for (size_t k = 0; k < file->count; k++)
                if (at_dtype_size(file->tensors[k].dtype) == size
                    && write_elements(out.stream, &file->tensors[k]) != 0)
                    break;
    free(header);
    return at_outfile_commit(&out, err);
}
