/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Safetensors: what is written is read again; what is malformed is refused, whatever it is. */
#include "config.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "attest/core/file.h"
#include "attest/core/safetensors.h"
#include "tests/at_check.h"

static char path[64];

static void choose_path(void)
{
    snprintf(path, sizeof path, "check_safetensors.%ld", (long) getpid());
}

static void remove_path(void)
{
    unlink(path);
}

static const enum at_dtype kept[] = { AT_F32, AT_F64, AT_I64, AT_BOOL, AT_I16, AT_U32, AT_F8_E4M3 };

static size_t size_of(enum at_dtype dtype)
{
    switch (dtype) {
    case AT_F64: case AT_I64: return 8;
    case AT_F32: case AT_U32: return 4;
    case AT_I16: return 2;
    default: return 1;
    }
}

static int tensors_equal(const at_tensor *a, const at_tensor *b)
{
    size_t size = size_of(a->dtype);

    return strcmp(a->name, b->name) == 0 && a->dtype == b->dtype && a->rank == b->rank
           && a->count == b->count && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0
           && memcmp(a->data, b->data, a->count * size) == 0;
}

START_TEST(round_trip)
{
    AT_ROUNDS(r, 60) {
        at_error err = AT_ERROR_INIT;
        at_tensors file, again;
        unsigned long count = at_test_below(&r, 6);

        at_tensors_init(&file);
        for (unsigned long k = 0; k < count; k++) {
            char name[48];
            size_t shape[4], rank = at_test_below(&r, 5);
            enum at_dtype dtype = kept[at_test_below(&r, 7)];
            at_tensor *added;

            for (size_t a = 0; a < rank; a++)
                shape[a] = at_test_below(&r, 5);
            snprintf(name, sizeof name, "layer.%lu \"w\" \xc3\xa9", k);
            ck_assert_int_eq(at_tensors_add(&file, name, dtype, rank, shape, NULL, &added, &err), AT_OK);
            for (size_t b = 0; b < added->count * size_of(dtype); b++)
                ((unsigned char *) added->data)[b] = (unsigned char) at_test_bits(&r);
        }
        if (count % 2 == 1) {
            ck_assert_int_eq(at_tensors_set_metadata(&file, "encoding", "old", &err), AT_OK);
            ck_assert_int_eq(at_tensors_set_metadata(&file, "note", "", &err), AT_OK);
            ck_assert_int_eq(at_tensors_set_metadata(&file, "encoding", "urpe", &err), AT_OK);
        }
        ck_assert_int_eq(at_tensors_write(&file, path, &err), AT_OK);
        AT_EXPECT(&r, at_tensors_read(&again, path, &err) == AT_OK, "%s", err.text);
        ck_assert_uint_eq(again.count, file.count);
        for (size_t k = 0; k < file.count; k++) {
            const at_tensor *found = at_tensors_find(&again, file.tensors[k].name);

            AT_EXPECT(&r, found != NULL && tensors_equal(found, &file.tensors[k]), "tensor %zu", k);
        }
        if (count % 2 == 1) {
            ck_assert_uint_eq(again.metadata_count, 2);
            ck_assert_str_eq(at_tensors_metadata(&again, "encoding"), "urpe");
        }
        ck_assert_ptr_null(at_tensors_metadata(&again, "none"));
        ck_assert_ptr_null(at_tensors_find(&again, "none"));
        at_tensors_clear(&file);
        at_tensors_clear(&again);
    }
}
END_TEST

START_TEST(adding_twice)
{
    const size_t shape[5] = {1, 1, 1, 1, 1}, huge[2] = {SIZE_MAX / 2, 8};
    at_error err = AT_ERROR_INIT;
    at_tensors file;

    at_tensors_init(&file);
    ck_assert_int_eq(at_tensors_add(&file, "a", AT_F32, 1, shape, NULL, NULL, &err), AT_OK);
    ck_assert_int_eq(at_tensors_add(&file, "a", AT_F64, 1, shape, NULL, NULL, &err), AT_USAGE);
    ck_assert_int_eq(at_tensors_add(&file, "__metadata__", AT_F64, 1, shape, NULL, NULL, &err), AT_USAGE);
    ck_assert_int_eq(at_tensors_add(&file, "b", AT_F64, 5, shape, NULL, NULL, &err), AT_USAGE);
    ck_assert_int_eq(at_tensors_add(&file, "b", AT_F64, 2, huge, NULL, NULL, &err), AT_USAGE);
    ck_assert_uint_eq(file.count, 1);
    at_tensors_clear(&file);
}
END_TEST

/* The header's text with `bytes` bytes of data behind it. */
static void write_raw(const char *header, size_t bytes)
{
    size_t length = strlen(header);
    char *content = calloc(1, 8 + length + bytes);

    for (size_t b = 0; b < 8; b++)
        content[b] = (char) ((uint64_t) length >> (8 * b) & 0xff);
    memcpy(content + 8, header, length);
    ck_assert_int_eq(at_file_write(path, content, 8 + length + bytes, NULL), AT_OK);
    free(content);
}

typedef struct { const char *header; size_t bytes; const char *words; } hostile;

#define TENSOR(dtype, shape, offsets) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const hostile refused[] = {
    {"", 0, "JSON"},
    {"[1]", 0, "no JSON object"},
    {"{\"a\":1}", 0, "dtype"},
    {"{\"a\":" TENSOR("F4", "[1]", "[0,2]") "}", 2, "the dtype F4 is none of"},
    {"{\"a\":" TENSOR("F16", "[1]", "[0,4]") "}", 4, "do not fit"},
    {"{\"a\":" TENSOR("F32", "3", "[0,4]") "}", 4, "shape"},
    {"{\"a\":" TENSOR("F32", "[-1]", "[0,4]") "}", 4, "shape"},
    {"{\"a\":" TENSOR("F32", "[1.0]", "[0,4]") "}", 4, "shape"},
    {"{\"a\":" TENSOR("F32", "[1,1,1,1,1]", "[0,4]") "}", 4, "shape"},
    {"{\"a\":" TENSOR("F32", "[1152921504606846975]", "[0,4]") "}", 4, "larger than any file"},
    {"{\"a\":" TENSOR("F32", "[4294967296,4294967296]", "[0,0]") "}", 0, "larger than any file"},
    {"{\"a\":" TENSOR("F32", "[9223372036854775807]", "[0,4]") "}", 4, "shape"},
    {"{\"a\":" TENSOR("F32", "[99999999999999999999]", "[0,4]") "}", 4, "JSON"},
    {"{\"a\":" TENSOR("F32", "[1]", "[0]") "}", 4, "offsets"},
    {"{\"a\":" TENSOR("F32", "[1]", "[-4,0]") "}", 4, "offsets"},
    {"{\"a\":" TENSOR("F32", "[1]", "[4,0]") "}", 4, "outside"},
    {"{\"a\":" TENSOR("F32", "[1]", "[0,4]") "}", 3, "outside"},
    {"{\"a\":" TENSOR("F32", "[2]", "[0,4]") "}", 4, "do not fit"},
    {"{\"a\":" TENSOR("F64", "[1]", "[0,4]") "}", 4, "do not fit"},
    {"{\"a\":" TENSOR("F32", "[1]", "[0,4]") "}", 8, "follow the last"},
    {"{\"a\":" TENSOR("F32", "[1]", "[0,4]") ",\"b\":" TENSOR("F32", "[2]", "[0,8]") "}", 8, "overlap"},
    {"{\"a\":" TENSOR("F32", "[1]", "[0,4]") ",\"b\":" TENSOR("F32", "[1]", "[8,12]") "}", 12, "gap"},
    {"{\"a\":" TENSOR("F32", "[1]", "[0,4]") ",\"a\":" TENSOR("F32", "[1]", "[4,8]") "}", 8, "JSON"},
    {"{\"__metadata__\":[]}", 0, "metadata"},
    {"{\"__metadata__\":{\"k\":1}}", 0, "metadata"},
    {"{\"a\\u0000b\":" TENSOR("F32", "[1]", "[0,4]") "}", 4, "JSON"},
};

START_TEST(hostile_headers)
{
    at_error err = AT_ERROR_INIT;
    at_tensors file;

    write_raw(refused[_i].header, refused[_i].bytes);
    ck_assert_msg(at_tensors_read(&file, path, &err) == AT_INPUT, "%s", refused[_i].header);
    ck_assert_msg(strstr(err.text, refused[_i].words) != NULL, "%s: %s", refused[_i].header, err.text);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    ck_assert_uint_eq(file.count, 0);
    ck_assert_ptr_null(file.tensors);
}
END_TEST

START_TEST(accepted_headers)
{
    at_error err = AT_ERROR_INIT;
    at_tensors file;

    write_raw("{}   ", 0);
    ck_assert_int_eq(at_tensors_read(&file, path, &err), AT_OK);
    at_tensors_clear(&file);
    write_raw("{\"b\":" TENSOR("F32", "[]", "[8,12]") ",\"a\":" TENSOR("I64", "[1,1]", "[0,8]") ",\"e\":"
              TENSOR("F32", "[0,7]", "[8,8]") "}", 12);
    ck_assert_msg(at_tensors_read(&file, path, &err) == AT_OK, "%s", err.text);
    ck_assert_uint_eq(file.count, 3);
    ck_assert_uint_eq(at_tensors_find(&file, "b")->count, 1);
    ck_assert_uint_eq(at_tensors_find(&file, "e")->count, 0);
    at_tensors_clear(&file);
}
END_TEST

/* Every prefix of a good file, and good files with a byte turned: an error or a good file. */
START_TEST(truncated_and_turned)
{
    const size_t shape[2] = {2, 3};
    const double data[6] = {1, 2, 3, 4, 5, 6};
    at_error err = AT_ERROR_INIT;
    at_tensors file;
    char *bytes;
    size_t size;

    at_tensors_init(&file);
    ck_assert_int_eq(at_tensors_add(&file, "w", AT_F64, 2, shape, data, NULL, &err), AT_OK);
    ck_assert_int_eq(at_tensors_set_metadata(&file, "k", "v", &err), AT_OK);
    ck_assert_int_eq(at_tensors_write(&file, path, &err), AT_OK);
    at_tensors_clear(&file);
    ck_assert_int_eq(at_file_read(&bytes, &size, path, 1 << 20, &err), AT_OK);
    for (size_t cut = 0; cut < size; cut++) {
        ck_assert_int_eq(at_file_write(path, bytes, cut, NULL), AT_OK);
        ck_assert_msg(at_tensors_read(&file, path, &err) == AT_INPUT, "cut to %zu bytes", cut);
    }
    AT_ROUNDS(r, 400) {
        size_t at = at_test_below(&r, size);
        char kept = bytes[at];
        int status;

        bytes[at] = (char) at_test_bits(&r);
        ck_assert_int_eq(at_file_write(path, bytes, size, NULL), AT_OK);
        status = at_tensors_read(&file, path, &err);
        AT_EXPECT(&r, status == AT_OK || status == AT_INPUT, "status %d at byte %zu", status, at);
        at_tensors_clear(&file);
        bytes[at] = kept;
    }
    free(bytes);
}
END_TEST

START_TEST(unwritable)
{
    at_error err = AT_ERROR_INIT;
    const size_t shape[1] = {100000};
    at_tensors file;

    at_tensors_init(&file);
    ck_assert_int_eq(at_tensors_add(&file, "w", AT_F64, 1, shape, NULL, NULL, &err), AT_OK);
    ck_assert_int_eq(at_tensors_write(&file, "no/such/folder/x", &err), AT_ENVIRONMENT);
    if (access("/dev/full", W_OK) == 0)
        ck_assert_int_eq(at_tensors_write(&file, "/dev/full", &err), AT_ENVIRONMENT);
    at_tensors_clear(&file);
    ck_assert_int_eq(at_tensors_add(&file, "not UTF-8 \xff", AT_F64, 1, shape, NULL, NULL, &err), AT_OK);
    ck_assert_int_eq(at_tensors_write(&file, path, &err), AT_ENVIRONMENT);
    ck_assert_int_eq(access(path, F_OK), -1);
    at_tensors_clear(&file);
}
END_TEST

/* Every pattern of 16 bits is the float of the same value: against the definition of either type. */
START_TEST(halves)
{
    enum { ALL = 1 << 16 };
    const int half = _i == 0, fraction_bits = half ? 10 : 7, bias = half ? 15 : 127;
    const int exponent_mask = half ? 31 : 255;
    char header[128];
    size_t length;
    char *content = calloc(1, 8 + 128 + 2 * ALL);
    at_error err = AT_ERROR_INIT;
    at_tensors file;

    snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"%s\",\"shape\":[65536],\"data_offsets\":[0,131072]}}",
             half ? "F16" : "BF16");
    length = strlen(header);
    content[0] = (char) length;
    memcpy(content + 8, header, length);
    for (unsigned k = 0; k < ALL; k++) {
        content[8 + length + 2 * k] = (char) (k & 0xff);
        content[8 + length + 2 * k + 1] = (char) (k >> 8);
    }
    ck_assert_int_eq(at_file_write(path, content, 8 + length + 2 * ALL, NULL), AT_OK);
    free(content);
    ck_assert_msg(at_tensors_read(&file, path, &err) == AT_OK, "%s", err.text);
    ck_assert_int_eq(file.tensors[0].dtype, AT_F32);
    for (int k = 0; k < ALL; k++) {
        double found = ((const float *) file.tensors[0].data)[k];
        int exponent = k >> fraction_bits & exponent_mask, fraction = k & ((1 << fraction_bits) - 1);
        double sign = k >> 15 ? -1.0 : 1.0;

        if (exponent == exponent_mask)
            ck_assert(fraction != 0 ? isnan(found) : found == sign * HUGE_VAL);
        else
            ck_assert(found == sign * ldexp(exponent == 0 ? fraction : fraction + (1 << fraction_bits),
                                            (exponent == 0 ? 1 : exponent) - bias - fraction_bits));
        ck_assert(!!signbit(found) == (k >> 15));
    }
    at_tensors_clear(&file);
}
END_TEST

static int refuse(at_tensors *file, void *context, at_error *err)
{
    *(size_t *) context = file->count;
    for (size_t k = 0; k < file->count; k++)
        ck_assert_ptr_null(file->tensors[k].data);
    return at_error_set(err, AT_USAGE, "not this one");
}

/* The header is judged before the data: those of this file are not even there. */
START_TEST(judged_first)
{
    at_error err = AT_ERROR_INIT;
    at_tensors file;
    size_t seen = 0, size;
    char *bytes;
    gzFile packed;

    write_raw("{\"a\":" TENSOR("F32", "[1073741824]", "[0,4294967296]") "}", 0);
    ck_assert_int_eq(at_tensors_read(&file, path, &err), AT_INPUT);
    ck_assert_msg(strstr(err.text, "outside the file") != NULL, "%s", err.text);
    ck_assert_int_eq(at_file_read(&bytes, &size, path, 1000, &err), AT_OK);
    packed = gzopen(path, "wb");
    ck_assert_int_eq(gzwrite(packed, bytes, (unsigned) size), (int) size);
    gzclose(packed);
    free(bytes);
    ck_assert_int_eq(at_tensors_read_judged(&file, path, refuse, &seen, &err), AT_USAGE);
    ck_assert_uint_eq(seen, 1);
    ck_assert_int_eq(at_tensors_read(&file, path, &err), AT_INPUT);
    ck_assert_msg(strstr(err.text, "cut short") != NULL, "%s", err.text);
}
END_TEST

START_TEST(wrappers)
{
    static const struct { const char *names[2], *after, *stripped; } cases[] = {
        {{"module.a", "module.b.c"}, "b.c", "module."},
        {{"_orig_mod.module.a", "_orig_mod.module.b"}, "b", "_orig_mod.module."},
        {{"module.a", "b"}, "b", NULL},
        {{"a", "b"}, "b", NULL},
    };
    at_error err = AT_ERROR_INIT;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        at_tensors file;
        char *stripped;

        at_tensors_init(&file);
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(at_tensors_add(&file, cases[k].names[i], AT_F32, 0, NULL, NULL, NULL, &err), AT_OK);
        ck_assert_int_eq(at_tensors_strip_wrappers(&file, &stripped, &err), AT_OK);
        ck_assert_str_eq(file.tensors[1].name, cases[k].after);
        ck_assert((stripped == NULL) == (cases[k].stripped == NULL));
        if (stripped != NULL)
            ck_assert_str_eq(stripped, cases[k].stripped);
        free(stripped);
        at_tensors_clear(&file);
    }
}
END_TEST

static Suite *safetensors_suite(void)
{
    Suite *suite = suite_create("safetensors");
    TCase *tcase = tcase_create("safetensors");

    tcase_set_timeout(tcase, 20);
    tcase_add_checked_fixture(tcase, choose_path, remove_path);
    tcase_add_test(tcase, round_trip);
    tcase_add_test(tcase, adding_twice);
    tcase_add_loop_test(tcase, hostile_headers, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tcase, accepted_headers);
    tcase_add_test(tcase, truncated_and_turned);
    tcase_add_test(tcase, unwritable);
    tcase_add_loop_test(tcase, halves, 0, 2);
    tcase_add_test(tcase, judged_first);
    tcase_add_test(tcase, wrappers);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(safetensors_suite)
