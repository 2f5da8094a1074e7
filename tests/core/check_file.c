/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: nothing half-written, gzip cut or damaged, lines of any length, odd destinations. */
#include "config.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "attest/core/file.h"
#include "tests/at_check.h"

static char folder[32];

static void make_folder(void)
{
    strcpy(folder, "check_file.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf -- '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int entries(void)
{
    DIR *directory = opendir(folder);
    int count = 0;

    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 2;
}

static void expect_content(const char *path, const char *content)
{
    char *bytes;
    size_t size;
    at_error err = AT_ERROR_INIT;

    ck_assert_msg(at_file_read(&bytes, &size, path, 1 << 20, &err) == AT_OK, "%s", err.text);
    ck_assert_uint_eq(size, strlen(content));
    ck_assert_str_eq(bytes, content);
    free(bytes);
}

START_TEST(write_replaces_whole)
{
    const char *path = path_of("a");
    at_outfile out;

    ck_assert_int_eq(at_file_write(path, "first", 5, NULL), AT_OK);
    expect_content(path, "first");
    ck_assert_int_eq(at_outfile_open(&out, path, NULL), AT_OK);
    fputs("second, longer", out.stream);
    fflush(out.stream);
    expect_content(path, "first");
    at_outfile_discard(&out);
    expect_content(path, "first");
    ck_assert_int_eq(entries(), 1);
    ck_assert_int_eq(at_outfile_open(&out, path, NULL), AT_OK);
    fputs("third", out.stream);
    ck_assert_int_eq(at_outfile_commit(&out, NULL), AT_OK);
    expect_content(path, "third");
    ck_assert_int_eq(entries(), 1);
    ck_assert_int_eq(at_file_write(path, NULL, 0, NULL), AT_OK);
    expect_content(path, "");
}
END_TEST

START_TEST(odd_destinations)
{
    at_error err = AT_ERROR_INIT;
    char link[256], target[256];

    ck_assert_int_eq(at_file_write(folder, "x", 1, &err), AT_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, folder));
    ck_assert_int_eq(at_file_write("no/such/folder/file", "x", 1, &err), AT_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
    /* A device is written, not replaced. */
    ck_assert_int_eq(at_file_write("/dev/null", "x", 1, &err), AT_OK);
    ck_assert_int_eq(access("/dev/null", W_OK), 0);
    if (access("/dev/full", W_OK) == 0) {
        char *much = calloc(1, 1 << 20);

        ck_assert_int_eq(at_file_write("/dev/full", "x", 1, &err), AT_ENVIRONMENT);
        ck_assert_ptr_nonnull(strstr(err.text, "No space left"));
        ck_assert_int_eq(at_file_write("/dev/full", much, 1 << 20, &err), AT_ENVIRONMENT);
        free(much);
    }
    /* A symbolic link stays one. */
    snprintf(target, sizeof target, "%s", path_of("target"));
    snprintf(link, sizeof link, "%s", path_of("link"));
    ck_assert_int_eq(at_file_write(target, "old", 3, NULL), AT_OK);
    ck_assert_int_eq(symlink("target", link), 0);
    ck_assert_int_eq(at_file_write(link, "new", 3, NULL), AT_OK);
    expect_content(target, "new");
    ck_assert_int_eq(unlink(target), 0);
    ck_assert_int_eq(access(link, F_OK), -1);
}
END_TEST

START_TEST(read_only_folder)
{
    char path[256];
    at_error err = AT_ERROR_INIT;

    snprintf(path, sizeof path, "%s", path_of("closed"));
    ck_assert_int_eq(mkdir(path, 0555), 0);
    strcat(path, "/file");
    if (getuid() != 0) {
        ck_assert_int_eq(at_file_write(path, "x", 1, &err), AT_ENVIRONMENT);
        ck_assert_ptr_nonnull(strstr(err.text, "Permission denied"));
    } else {
        ck_assert_int_eq(at_file_write(path, "x", 1, &err), AT_OK);
    }
}
END_TEST

START_TEST(directories)
{
    at_error err = AT_ERROR_INIT;
    char deep[300];
    struct stat info;

    snprintf(deep, sizeof deep, "%s/p//q/r/", folder);
    ck_assert_int_eq(at_directory_make(deep, &err), AT_OK);
    ck_assert_int_eq(stat(deep, &info), 0);
    ck_assert(S_ISDIR(info.st_mode));
    ck_assert_int_eq(at_directory_make(deep, &err), AT_OK);
    ck_assert_int_eq(at_directory_make("/", &err), AT_OK);
    ck_assert_int_eq(at_file_write(path_of("file"), "x", 1, NULL), AT_OK);
    ck_assert_int_eq(at_directory_make(path_of("file/below"), &err), AT_ENVIRONMENT);
    ck_assert_int_eq(at_directory_make(path_of("file"), &err), AT_ENVIRONMENT);
}
END_TEST

START_TEST(joined_paths)
{
    static const char *const cases[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"},
        {"/", "b", "/b"}};

    for (size_t k = 0; k < 4; k++) {
        char *path = at_path_join(cases[k][0], cases[k][1]);

        ck_assert_str_eq(path, cases[k][2]);
        free(path);
    }
}
END_TEST

START_TEST(reading_whole_files)
{
    at_error err = AT_ERROR_INIT;
    char *bytes, *big = malloc(300000);
    size_t size;

    memset(big, 'z', 300000);
    ck_assert_int_eq(at_file_write(path_of("big"), big, 300000, NULL), AT_OK);
    ck_assert_int_eq(at_file_read(&bytes, &size, path_of("big"), 300000, &err), AT_OK);
    ck_assert_uint_eq(size, 300000);
    ck_assert(memcmp(bytes, big, size) == 0 && bytes[size] == '\0');
    free(bytes);
    ck_assert_int_eq(at_file_read(&bytes, &size, path_of("big"), 299999, &err), AT_INPUT);
    ck_assert_ptr_null(bytes);
    ck_assert_ptr_nonnull(strstr(err.text, "longer than 299999"));
    ck_assert_int_eq(at_file_read(&bytes, &size, path_of("none"), 10, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "none"));
    ck_assert_int_eq(at_file_read(&bytes, &size, folder, 10, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "folder"));
    free(big);
}
END_TEST

static void write_gzip(const char *path, const char *text, size_t size)
{
    gzFile file = gzopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(gzwrite(file, text, (unsigned) size), (int) size);
    ck_assert_int_eq(gzclose(file), Z_OK);
}

/* Cuts a gzip file anywhere, or turns a byte of it: never a silent, shorter text. */
START_TEST(damaged_gzip)
{
    enum { SIZE = 5000 };
    char *text = malloc(SIZE), *bytes, *packed, path[256];
    size_t size, packed_size;
    at_error err = AT_ERROR_INIT;
    at_test_random noise = at_test_start("noise", 1);

    for (size_t k = 0; k < SIZE; k++)
        text[k] = (char) ('a' + at_test_below(&noise, 26));
    snprintf(path, sizeof path, "%s", path_of("cut.gz"));
    write_gzip(path, text, SIZE);
    ck_assert_int_eq(at_file_read(&bytes, &size, path, 1 << 20, &err), AT_OK);
    ck_assert(size == SIZE && memcmp(bytes, text, SIZE) == 0);
    free(bytes);
    packed = malloc(2 * SIZE);
    {
        FILE *stream = fopen(path, "rb");

        packed_size = fread(packed, 1, 2 * SIZE, stream);
        fclose(stream);
    }
    AT_ROUNDS(r, 60) {
        size_t cut = 3 + at_test_below(&r, packed_size - 3), end = cut;
        char kept = packed[cut];

        if (r.round % 2 == 1) {   /* a turned byte beyond the header, all of the file */
            cut = 10 + at_test_below(&r, packed_size - 10);
            kept = packed[cut];
            packed[cut] = (char) (kept ^ 0x55);
            end = packed_size;
        }
        ck_assert_int_eq(at_file_write(path, packed, end, NULL), AT_OK);
        AT_EXPECT(&r, at_file_read(&bytes, &size, path, 1 << 20, &err) == AT_INPUT, "at %zu", cut);
        AT_EXPECT(&r, strstr(err.text, "gzip") != NULL, "%s", err.text);
        packed[cut] = kept;
    }
    free(text);
    free(packed);
}
END_TEST

/* Members one behind the other are one text; zeros may follow, other bytes not; and the trailer, bit by
 * bit, is compared. */
START_TEST(gzip_members)
{
    char path[256], *bytes, content[512] = { 0 };
    size_t size, first, packed;
    at_error err = AT_ERROR_INIT;

    snprintf(path, sizeof path, "%s", path_of("two.gz"));
    write_gzip(path, "one ", 4);
    FILE *stream = fopen(path, "rb");
    first = fread(content, 1, sizeof content, stream);
    fclose(stream);
    memcpy(content + first, content, first);
    packed = 2 * first;
    ck_assert_int_eq(at_file_write(path, content, packed + 100, NULL), AT_OK);
    ck_assert_msg(at_file_read(&bytes, &size, path, 100, &err) == AT_OK, "%s", err.text);
    ck_assert_str_eq(bytes, "one one ");
    free(bytes);
    for (size_t cut = first + 2; cut < packed; cut++) {
        ck_assert_int_eq(at_file_write(path, content, cut, NULL), AT_OK);
        ck_assert_int_eq(at_file_read(&bytes, &size, path, 100, &err), AT_INPUT);
    }
    for (size_t bit = 0; bit < 64; bit++) {
        content[packed - 8 + bit / 8] ^= (char) (1 << bit % 8);
        ck_assert_int_eq(at_file_write(path, content, packed, NULL), AT_OK);
        ck_assert_int_eq(at_file_read(&bytes, &size, path, 100, &err), AT_INPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "damaged"));
        content[packed - 8 + bit / 8] ^= (char) (1 << bit % 8);
    }
    content[packed] = 'x';
    ck_assert_int_eq(at_file_write(path, content, packed + 1, NULL), AT_OK);
    ck_assert_int_eq(at_file_read(&bytes, &size, path, 100, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "other bytes follow"));
}
END_TEST

static void expect_lines(const char *path, size_t longest, const char *const *lines, size_t count)
{
    at_error err = AT_ERROR_INIT;
    at_reader *reader;
    char *line;
    size_t length;

    ck_assert_int_eq(at_reader_open(&reader, path, longest, &err), AT_OK);
    for (size_t k = 0; k < count; k++) {
        ck_assert_msg(at_reader_line(reader, &line, &length, &err) == AT_OK, "%s", err.text);
        ck_assert_ptr_nonnull(line);
        ck_assert_str_eq(line, lines[k]);
        ck_assert_uint_eq(length, strlen(lines[k]));
        ck_assert_uint_eq(at_reader_line_number(reader), k + 1);
    }
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(at_reader_line(reader, &line, &length, &err), AT_OK);
        ck_assert_ptr_null(line);
    }
    at_reader_close(reader);
}

START_TEST(lines)
{
    static const char text[] = "\xef\xbb\xbf" "one\r\n\ntwo\rtoo\n\r\nlast\r";
    static const char *const expected[] = {"one", "", "two\rtoo", "", "last\r"};

    ck_assert_int_eq(at_file_write(path_of("lines"), text, sizeof text - 1, NULL), AT_OK);
    expect_lines(path_of("lines"), 100, expected, 5);
    write_gzip(path_of("lines.gz"), text, sizeof text - 1);
    expect_lines(path_of("lines.gz"), 100, expected, 5);
    ck_assert_int_eq(at_file_write(path_of("empty"), "", 0, NULL), AT_OK);
    expect_lines(path_of("empty"), 100, NULL, 0);
    ck_assert_int_eq(at_file_write(path_of("feed"), "\n", 1, NULL), AT_OK);
    expect_lines(path_of("feed"), 0, expected + 1, 1);
}
END_TEST

START_TEST(long_lines)
{
    enum { LONG = 10 << 20 };
    char *text = malloc(LONG + 4), *line;
    size_t length;
    at_reader *reader;
    at_error err = AT_ERROR_INIT;

    memset(text, 'q', LONG);
    memcpy(text + LONG, "\nb\n", 4);
    ck_assert_int_eq(at_file_write(path_of("long"), text, LONG + 3, NULL), AT_OK);
    ck_assert_int_eq(at_reader_open(&reader, path_of("long"), LONG, &err), AT_OK);
    ck_assert_int_eq(at_reader_line(reader, &line, &length, &err), AT_OK);
    ck_assert_uint_eq(length, LONG);
    ck_assert_int_eq(at_reader_line(reader, &line, &length, &err), AT_OK);
    ck_assert_str_eq(line, "b");
    at_reader_close(reader);
    ck_assert_int_eq(at_reader_open(&reader, path_of("long"), LONG - 1, &err), AT_OK);
    ck_assert_int_eq(at_reader_line(reader, &line, &length, &err), AT_INPUT);
    ck_assert_ptr_null(line);
    ck_assert_ptr_nonnull(strstr(err.text, "long:1:"));
    at_reader_close(reader);
    free(text);
}
END_TEST

/* Random lines, NULs among them, against a split by hand. */
START_TEST(random_lines)
{
    AT_ROUNDS(r, 40) {
        size_t size = at_test_below(&r, 200000), at = 0;
        char *text = malloc(size + 1), *line;
        size_t length;
        unsigned long gap = 1 + at_test_below(&r, 3000);
        at_reader *reader;
        at_error err = AT_ERROR_INIT;

        for (size_t k = 0; k < size; k++)
            text[k] = at_test_below(&r, gap) == 0 ? '\n' : (char) at_test_below(&r, 10);
        if (at_test_bits(&r) & 1)
            write_gzip(path_of("random"), text, size);
        else
            ck_assert_int_eq(at_file_write(path_of("random"), text, size, NULL), AT_OK);
        ck_assert_int_eq(at_reader_open(&reader, path_of("random"), SIZE_MAX, &err), AT_OK);
        while (at < size) {
            char *newline = memchr(text + at, '\n', size - at);
            size_t expected = newline != NULL ? (size_t) (newline - text) - at : size - at;

            ck_assert_int_eq(at_reader_line(reader, &line, &length, &err), AT_OK);
            AT_EXPECT(&r, line != NULL && length == expected && memcmp(line, text + at, length) == 0,
                      "at %zu of %zu: length %zu, expected %zu", at, size, length, expected);
            at += expected + (newline != NULL);
        }
        ck_assert_int_eq(at_reader_line(reader, &line, &length, &err), AT_OK);
        ck_assert_ptr_null(line);
        at_reader_close(reader);
        free(text);
    }
}
END_TEST

static Suite *file_suite(void)
{
    Suite *suite = suite_create("file");
    TCase *tcase = tcase_create("file");

    tcase_set_timeout(tcase, 20);
    tcase_add_checked_fixture(tcase, make_folder, remove_folder);
    tcase_add_test(tcase, write_replaces_whole);
    tcase_add_test(tcase, odd_destinations);
    tcase_add_test(tcase, read_only_folder);
    tcase_add_test(tcase, directories);
    tcase_add_test(tcase, joined_paths);
    tcase_add_test(tcase, reading_whole_files);
    tcase_add_test(tcase, damaged_gzip);
    tcase_add_test(tcase, gzip_members);
    tcase_add_test(tcase, lines);
    tcase_add_test(tcase, long_lines);
    tcase_add_test(tcase, random_lines);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(file_suite)
