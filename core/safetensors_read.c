/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading safetensors.  The file may come from anywhere: every number of the header is checked
 * before it is used, and the tensors must tile the data without gap or overlap. */
#include "config.h"

#include "attest/core/safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/file.h"
#include "attest/core/safetensors_impl.h"

/* The format's own limit on the header. */
static const size_t LONGEST_HEADER = 100000000;
/* 8 GiB: a model that this program can use is far smaller. */
static const size_t LARGEST_FILE = (size_t) 1 << 33;

typedef struct {
    const char *name;
    enum at_dtype dtype;
    size_t rank, shape[4], begin, end;
} entry;

typedef struct {
    const char *path;
    const char *data;
    size_t size;         /* bytes of data */
    entry *entries;
    size_t count;
    at_error *err;
} reading;

static int malformed(const reading *r, const char *name, const char *what)
{
    return at_error_set(r->err, AT_INPUT, "%s: tensor %.200s: %s", r->path, name, what);
}

static int get_size(size_t *value, const json_t *number)
{
    json_int_t n = json_integer_value(number);

    if (!json_is_integer(number) || n < 0 || (uint64_t) n > SIZE_MAX / 16)
        return -1;
    *value = (size_t) n;
    return 0;
}

/* dtype, shape and offsets, each by itself and together. */
static int check_entry(entry *e, const json_t *value, const reading *r)
{
    const json_t *shape = json_object_get(value, "shape");
    const json_t *offsets = json_object_get(value, "data_offsets");
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    int found = dtype != NULL ? at_dtype_find(dtype) : -1;
    size_t bytes;

    if (found < 0)
        return malformed(r, e->name, "the dtype is none of F32, F64, I64");
    e->dtype = (enum at_dtype) found;
    if (!json_is_array(shape) || json_array_size(shape) > 4)
        return malformed(r, e->name, "the shape is no list of at most 4 sizes");
    e->rank = json_array_size(shape);
    bytes = at_dtype_size(e->dtype);
    for (size_t k = 0; k < e->rank; k++) {
        size_t *side = &e->shape[k];

        if (get_size(side, json_array_get(shape, k)) != 0)
            return malformed(r, e->name, "the shape holds something other than a size");
        if (*side != 0 && bytes > LARGEST_FILE / *side)
            return malformed(r, e->name, "the shape is larger than any file");
        bytes *= *side;
    }
    if (!json_is_array(offsets) || json_array_size(offsets) != 2
        || get_size(&e->begin, json_array_get(offsets, 0)) != 0
        || get_size(&e->end, json_array_get(offsets, 1)) != 0)
        return malformed(r, e->name, "data_offsets is no pair of offsets");
    if (e->begin > e->end || e->end > r->size)
        return malformed(r, e->name, "the offsets lie outside the file");
    if (e->end - e->begin != bytes)
        return malformed(r, e->name, "the offsets do not fit the shape");
    return AT_OK;
}

static int by_begin(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int check_tiling(reading *r)
{
    size_t reached = 0;

    if (r->count > 0)
        qsort(r->entries, r->count, sizeof *r->entries, by_begin);
    for (size_t k = 0; k < r->count; k++) {
        if (r->entries[k].begin != reached)
            return malformed(r, r->entries[k].name, r->entries[k].begin < reached
                             ? "overlaps another tensor" : "a gap lies before it");
        reached = r->entries[k].end;
    }
    if (reached != r->size)
        return at_error_set(r->err, AT_INPUT, "%s: %zu bytes follow the last tensor", r->path,
                            r->size - reached);
    return AT_OK;
}

static int read_metadata(at_tensors *file, json_t *metadata, const reading *r)
{
    const char *key;
    json_t *value;

    if (!json_is_object(metadata))
        return at_error_set(r->err, AT_INPUT, "%s: __metadata__ is no object", r->path);
    json_object_foreach(metadata, key, value) {
        int status;

        if (!json_is_string(value))
            return at_error_set(r->err, AT_INPUT, "%s: metadata %.200s is no string", r->path, key);
        status = at_tensors_append_metadata(file, key, json_string_value(value), r->err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

/* In the order of the header. */
static int read_entries(at_tensors *file, json_t *header, reading *r)
{
    const char *key;
    json_t *value;
    int status = AT_OK;

    r->entries = calloc(json_object_size(header) + 1, sizeof *r->entries);
    if (r->entries == NULL)
        return at_error_memory(r->err, r->path);
    json_object_foreach(header, key, value) {
        if (strcmp(key, "__metadata__") == 0) {
            status = read_metadata(file, value, r);
        } else {
            r->entries[r->count].name = key;
            status = check_entry(&r->entries[r->count], value, r);
            r->count++;
        }
        if (status != AT_OK)
            return status;
    }
    return check_tiling(r);
}

static int copy_tensors(at_tensors *file, const reading *r)
{
    for (size_t k = 0; k < r->count; k++) {
        const entry *e = &r->entries[k];
        at_tensor *tensor;
        int status = at_tensors_append(file, e->name, e->dtype, e->rank, e->shape, &tensor,
                                       r->err);

        if (status != AT_OK)
            return status;
        at_tensor_copy_elements(tensor->data, r->data + e->begin, tensor->count,
                                at_dtype_size(e->dtype));
    }
    return AT_OK;
}

static int parse(at_tensors *file, const char *bytes, size_t size, const char *path, at_error *err)
{
    reading r = {.path = path, .err = err};
    json_error_t where;
    json_t *header;
    uint64_t length = 0;
    int status;

    if (size < 8)
        return at_error_set(err, AT_INPUT, "%s: no safetensors file: it has %zu bytes, the "
                            "header's length alone has 8", path, size);
    for (int b = 7; b >= 0; b--)
        length = length << 8 | (unsigned char) bytes[b];
    if (length > LONGEST_HEADER || length > size - 8)
        return at_error_set(err, AT_INPUT, "%s: no safetensors file, or cut short: a header of "
                            "%llu bytes in a file of %zu", path, (unsigned long long) length, size);
    header = json_loadb(bytes + 8, (size_t) length, JSON_REJECT_DUPLICATES, &where);
    if (header == NULL)
        return at_error_set(err, AT_INPUT, "%s: the header is no JSON: %s", path, where.text);
    if (!json_is_object(header)) {
        json_decref(header);
        return at_error_set(err, AT_INPUT, "%s: the header is no JSON object", path);
    }
    r.data = bytes + 8 + length;
    r.size = size - 8 - (size_t) length;
    status = read_entries(file, header, &r);
    if (status == AT_OK)
        status = copy_tensors(file, &r);
    free(r.entries);
    json_decref(header);
    return status;
}

int at_tensors_read(at_tensors *file, const char *path, at_error *err)
{
    char *bytes;
    size_t size;
    int status = at_file_read(&bytes, &size, path, LARGEST_FILE, err);

    at_tensors_init(file);
    if (status != AT_OK)
        return status;
    status = parse(file, bytes, size, path, err);
    free(bytes);
    if (status != AT_OK)
        at_tensors_clear(file);
    return status;
}
