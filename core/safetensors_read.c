/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading safetensors.  The file may come from anywhere: every number of the header is checked
 * before it is used, and the tensors must tile the data without gap or overlap. */
#include "config.h"

#include "attest/core/safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/input.h"
#include "attest/core/safetensors_impl.h"

/* Far more than a model that this program can use has; the format's own limit is 100 MB, whose parsed
 * JSON takes gigabytes. */
static const size_t LONGEST_HEADER = (size_t) 1 << 23;
/* 8 GiB: a model that this program can use is far smaller. */
static const size_t LARGEST_FILE = (size_t) 1 << 33;

typedef struct {
    const char *name;
    enum at_dtype dtype;
    size_t rank, shape[4], begin, end;
    size_t place;        /* in the list of tensors, which keeps the header's order */
} entry;

typedef struct {
    const char *path;
    at_input *input;
    size_t size;         /* bytes of data; the largest file's where only its end will tell */
    entry *entries;
    size_t count;
    at_error *err;
} reading;

static int malformed(const reading *r, const char *name, const char *what)
{
    return at_error_set(r->err, AT_INPUT, "%s: tensor %.200s: %s", r->path, name, what);
}

static int unknown_dtype(const reading *r, const char *name, const char *dtype)
{
    return at_error_set(r->err, AT_INPUT, "%s: tensor %.200s: the dtype %.40s is none of F64, F32, F16, "
                        "BF16, BOOL, I8 to I64, U8 to U64", r->path, name,
                        dtype != NULL ? dtype : "is missing: it");
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
        return unknown_dtype(r, e->name, dtype);
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

/* Names and shapes in the order of the header. */
static int list_tensors(at_tensors *file, const reading *r)
{
    for (size_t k = 0; k < r->count; k++) {
        const entry *e = &r->entries[k];
        enum at_dtype dtype = e->dtype == AT_F16 || e->dtype == AT_BF16 ? AT_F32 : e->dtype;
        at_tensor *tensor;
        int status = at_tensors_append(file, e->name, dtype, e->rank, e->shape, &tensor, r->err);

        if (status != AT_OK)
            return status;
        r->entries[k].place = k;
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
    return list_tensors(file, r);
}

/* Exactly size bytes of the input. */
static int read_exactly(const reading *r, void *bytes, size_t size, const char *what)
{
    size_t got;
    int status = at_input_read(r->input, bytes, size, &got, r->err);

    if (status != AT_OK || got == size)
        return status;
    return at_error_set(r->err, AT_INPUT, "%s: no safetensors file, or cut short: %.200s has %zu bytes, "
                        "%zu are there", r->path, what, size, got);
}

/* Blocks at a time, so that what is allocated grows with what is there: a header may promise more. */
static int read_block(at_tensor *tensor, const entry *e, const reading *r)
{
    enum { BLOCK = 1 << 15 };
    unsigned char raw[8 * BLOCK];
    uint16_t halves[BLOCK];
    size_t size = at_dtype_size(e->dtype), wide = at_dtype_size(tensor->dtype), room = 0;

    for (size_t k = 0, count; k < tensor->count; k += count) {
        count = tensor->count - k < BLOCK ? tensor->count - k : BLOCK;
        if (k + count > room) {
            room = tensor->count / 2 < k + count ? tensor->count : 2 * (k + count);
            void *grown = realloc(tensor->data, room * wide);
            if (grown == NULL)
                return at_error_memory(r->err, e->name);
            tensor->data = grown;
        }
        int status = read_exactly(r, raw, count * size, e->name);
        if (status != AT_OK)
            return status;
        if (e->dtype == AT_F16 || e->dtype == AT_BF16) {
            at_tensor_copy_elements(halves, raw, count, size);
            at_tensor_widen((float *) tensor->data + k, halves, count, e->dtype);
        } else
            at_tensor_copy_elements((char *) tensor->data + k * size, raw, count, size);
    }
    return tensor->data == NULL ? at_tensor_allocate(tensor, r->err) : AT_OK;
}

/* In the order of the data, and nothing behind it. */
static int read_data(at_tensors *file, reading *r)
{
    char more;
    size_t got = 0;
    int status = AT_OK;

    for (size_t k = 0; k < r->count && status == AT_OK; k++)
        status = read_block(&file->tensors[r->entries[k].place], &r->entries[k], r);
    if (status == AT_OK)
        status = at_input_read(r->input, &more, 1, &got, r->err);
    if (status == AT_OK && got > 0)
        return at_error_set(r->err, AT_INPUT, "%s: bytes follow the last tensor", r->path);
    return status;
}

/* The parsed header; NULL upon failure. */
static int read_header(json_t **header, reading *r)
{
    unsigned char prefix[8];
    json_error_t where;
    uint64_t length = 0;
    int status = read_exactly(r, prefix, 8, "the header's length");

    *header = NULL;
    if (status != AT_OK)
        return status;
    for (int b = 7; b >= 0; b--)
        length = length << 8 | prefix[b];
    if (length > LONGEST_HEADER)
        return at_error_set(r->err, AT_INPUT, "%s: no safetensors file: a header of %llu bytes, at most "
                            "%zu are expected", r->path, (unsigned long long) length, LONGEST_HEADER);
    char *text = malloc((size_t) length + 1);
    if (text == NULL)
        return at_error_memory(r->err, r->path);
    status = read_exactly(r, text, (size_t) length, "its header");
    if (status == AT_OK) {
        *header = json_loadb(text, (size_t) length, JSON_REJECT_DUPLICATES, &where);
        if (*header == NULL)
            status = at_error_set(r->err, AT_INPUT, "%s: the header is no JSON: %s", r->path, where.text);
        else if (!json_is_object(*header))
            status = at_error_set(r->err, AT_INPUT, "%s: the header is no JSON object", r->path);
    }
    free(text);
    size_t known = at_input_size(r->input);
    r->size = known == SIZE_MAX || known < 8 + length ? LARGEST_FILE : known - 8 - (size_t) length;
    return status;
}

int at_tensors_read_judged(at_tensors *file, const char *path,
                           int (*judge)(at_tensors *file, void *context, at_error *err),
                           void *context, at_error *err)
{
    reading r = { .path = path, .err = err };
    json_t *header = NULL;
    int status = at_input_open(&r.input, path, err);

    at_tensors_init(file);
    if (status == AT_OK)
        status = read_header(&header, &r);
    if (status == AT_OK)
        status = read_entries(file, header, &r);
    if (status == AT_OK)
        status = check_tiling(&r);
    if (status == AT_OK && judge != NULL)
        status = judge(file, context, err);
    if (status == AT_OK)
        status = read_data(file, &r);
    at_input_close(r.input);
    free(r.entries);
    json_decref(header);
    if (status != AT_OK)
        at_tensors_clear(file);
    return status;
}

int at_tensors_read(at_tensors *file, const char *path, at_error *err)
{
    return at_tensors_read_judged(file, path, NULL, NULL, err);
}

/* Whether every name begins so; none does where there is no tensor. */
static bool all_begin(const at_tensors *file, const char *word)
{
    for (size_t k = 0; k < file->count; k++)
        if (strncmp(file->tensors[k].name, word, strlen(word)) != 0)
            return false;
    return file->count > 0;
}

int at_tensors_strip_wrappers(at_tensors *file, char **stripped, at_error *err)
{
    static const char *const words[] = { "module.", "_orig_mod." };
    const size_t count = sizeof words / sizeof *words;
    size_t length = 0, w;

    *stripped = NULL;
    do {
        for (w = 0; w < count && !all_begin(file, words[w]); w++)
            continue;
        if (w < count && *stripped == NULL && (*stripped = strdup(file->tensors[0].name)) == NULL)
            return at_error_memory(err, "a tensor's name");
        for (size_t k = 0; w < count && k < file->count; k++) {
            char *name = file->tensors[k].name, *rest = name + strlen(words[w]);
            memmove(name, rest, strlen(rest) + 1);
        }
        length += w < count ? strlen(words[w]) : 0;
    } while (w < count);
    if (*stripped != NULL)
        (*stripped)[length] = '\0';
    return AT_OK;
}
