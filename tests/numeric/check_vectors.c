/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of word vectors: formats, what is kept, and what is wrong with a file. */
#include <unistd.h>
#include <zlib.h>

#include "attest/core/file.h"
#include "attest/numeric/text/vectors.h"
#include "tests/at_check.h"

static char path[64];

static void make_file(void)
{
    strcpy(path, "/tmp/attest-vectors-XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void remove_file(void)
{
    unlink(path);
}

static void put(const char *text)
{
    ck_assert_int_eq(at_file_write(path, text, strlen(text), NULL), AT_OK);
}

static const char *const words[] = { "'s", "and", "film", "zebra" };   /* in the order of strcmp */

static void read_ok(at_vectors *v)
{
    at_error err = AT_ERROR_INIT;
    int status = at_vectors_read(v, path, words, 4, &err);

    ck_assert_msg(status == AT_OK, "%s", err.text);
}

START_TEST(glove)
{
    at_vectors v;

    put("the 1 2 3\r\nfilm -0.5 1e-3 2.5\r\n's 1 1 1\nfilms 9 9 9\nfil 8 8 8\nfilm 7 7 7\n\n");
    read_ok(&v);
    ck_assert_str_eq(v.format, "GloVe text");
    ck_assert_uint_eq(v.dimension, 3);
    ck_assert_uint_eq(v.found, 2);
    ck_assert_uint_eq(v.file_count, 6);
    ck_assert_uint_eq(v.duplicates, 1);
    ck_assert_uint_eq(v.row[1], SIZE_MAX);
    ck_assert_uint_eq(v.row[3], SIZE_MAX);
    ck_assert_double_eq(v.rows[3 * v.row[2]], -0.5);
    ck_assert_double_eq(v.rows[3 * v.row[2] + 1], 1e-3);
    ck_assert_double_eq(v.rows[3 * v.row[0] + 2], 1);
    at_vectors_clear(&v);
}
END_TEST

START_TEST(word2vec)
{
    at_vectors v;

    put("3 2\nand 1 2 \nfilm 3 4 \nzebra 5 6 \n");
    read_ok(&v);
    ck_assert_str_eq(v.format, "word2vec text");
    ck_assert_uint_eq(v.found, 3);
    ck_assert_double_eq(v.rows[2 * v.row[3] + 1], 6);
    at_vectors_clear(&v);
}
END_TEST

/* GloVe 840B has a few words with blanks in them. */
START_TEST(blanks)
{
    at_vectors v;

    put("and 1 2\n. . 3 4\nat name@domain 5 6\nfilm 7 8\n");
    read_ok(&v);
    ck_assert_uint_eq(v.with_blanks, 2);
    ck_assert_uint_eq(v.found, 2);
    at_vectors_clear(&v);
}
END_TEST

typedef struct { const char *text; size_t dimension, found, with_blanks, without_word; } odd_case;

static const odd_case odd[] = {
    /* a blank, a line end, nothing for a word */
    {"4 2\nand 1 2\n  3 4\nfilm 5 6\nzebra 7 8\n", 2, 3, 0, 1},
    {"4 2\nand 1 2\n\n 3 4\nfilm 5 6\nzebra 7 8\n", 2, 3, 0, 1},
    {"and 1 2\n\t3\t4\nfilm 5 6\n", 2, 2, 0, 1},
    /* two words, the second like a number or not */
    {"and 1 2 3\n0,0 km\xc2\xb2 1 2 3\nr$ 0,00 1 2 3\nfilm 1 2 3\nzebra 1 2 3\n10 000 1 2 3\n's 1 2 3\n", 3, 4, 3, 0},
    /* the first line is not like the others */
    {". . . 1 2 3\nand 1 2 3\nfilm 1 2 3\n", 3, 2, 1, 0},
    {" 1 2 3\nand 1 2 3\nfilm 1 2 3\n", 3, 2, 0, 1},
};

START_TEST(odd_tokens)
{
    at_vectors v;

    put(odd[_i].text);
    read_ok(&v);
    ck_assert_uint_eq(v.dimension, odd[_i].dimension);
    ck_assert_uint_eq(v.found, odd[_i].found);
    ck_assert_uint_eq(v.with_blanks, odd[_i].with_blanks);
    ck_assert_uint_eq(v.without_word, odd[_i].without_word);
    at_vectors_clear(&v);
}
END_TEST

START_TEST(wrong_files)
{
    static const struct { const char *text, *part; } cases[] = {
        { "and 1 2\nthe 1\n", ":2: expected a word and 2 numbers" },
        { "and 1 2\nthe 1 2 3\n", ":2: expected a word and 2 numbers" },
        { "and 1 2\nthe 1 2 x\nfilm 3 4\n", ":2: expected a word and 2 numbers" },
        { "and 1 2\nfilm 1 -1e101\n", ":2: number 2 of the vector of 'film' is -1e+101" },
        { "and 1 2\nfilm 1 nan\n", ":2: number 2 of the vector of 'film'" },
        { "and 1 2\nfilm inf 1\n", ":2: number 1" },
        { "and 1 2\nfilm 1 1e999\n", ":2: number 2" },
        { "and 1 2\nfilm 1 0x10\n", ":2: number 2" },
        { "and 1 2\nfilm 1,5 2\n", ":2: number 1" },
        { "4 2\nand 1 2\nfilm 3 4\n", "promises 4 vectors, the file holds 2" },
        { "dog 1 2\ncat 3 4\n", "no vector for any" },
        { "this is a text\nof two lines\n", ":1: this is no vector file" },
        { "word\n", ":1: this is no vector file" },
        { "", "no vector for any" },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_vectors v;
        at_error err = AT_ERROR_INIT;
        put(cases[k].text);
        int status = at_vectors_read(&v, path, words, 4, &err);
        ck_assert_msg(status == AT_INPUT, "%s: status %d", cases[k].part, status);
        ck_assert_msg(strstr(err.text, cases[k].part) != NULL && strstr(err.text, path) == err.text,
                      "expected '%s', got '%s'", cases[k].part, err.text);
        ck_assert_ptr_null(v.rows);
    }
    at_vectors v;
    at_error err = AT_ERROR_INIT;
    ck_assert_int_eq(at_vectors_read(&v, "/nowhere/vectors.txt", words, 4, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/vectors.txt"));
}
END_TEST

START_TEST(truncated_gzip)
{
    at_vectors v;
    at_error err = AT_ERROR_INIT;
    gzFile file = gzopen(path, "wb");

    for (int k = 0; k < 3000; k++)
        gzprintf(file, "w%d %d.%d %d\n", k, k % 7, k * 7919 % 997, k * k % 8191);
    gzputs(file, "zebra 1 2\n");
    gzclose(file);
    read_ok(&v);
    ck_assert_uint_eq(v.found, 1);
    at_vectors_clear(&v);
    FILE *raw = fopen(path, "r+");
    ck_assert_int_eq(ftruncate(fileno(raw), 2000), 0);
    fclose(raw);
    ck_assert_int_eq(at_vectors_read(&v, path, words, 4, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, path));
}
END_TEST

/* Every sorted subset of words finds exactly its own rows. */
START_TEST(lookup)
{
    AT_ROUNDS(r, 100) {
        char names[60][8], text[60 * 24] = "";
        const char *wanted[60];
        double value[60];
        size_t used = 0, count = 0, length = 0;
        at_vectors v;
        for (size_t k = 0; k < 60; k++) {
            snprintf(names[k], sizeof names[k], "%c%02zu", 'a' + (char) (k / 20), k);
            value[k] = (double) at_test_between(&r, -1000, 1000) / 8;
            if (at_test_below(&r, 3) > 0)
                wanted[used++] = names[k];
        }
        for (size_t k = 60; k-- > 0;)
            if (at_test_below(&r, 4) > 0 || k == 0)
                length += (size_t) sprintf(text + length, "%s %.17g 1\n", names[k], value[k]);
        if (used == 0)
            wanted[used++] = names[0];
        put(text);
        int status = at_vectors_read(&v, path, wanted, used, NULL);
        for (size_t k = 0; k < used; k++) {
            char line[32];
            size_t index = (size_t) atoi(wanted[k] + 1);
            snprintf(line, sizeof line, "%s ", wanted[k]);
            if (strstr(text, line) == NULL) {
                AT_EXPECT(&r, status != AT_OK || v.row[k] == SIZE_MAX, "%s", wanted[k]);
                continue;
            }
            count++;
            AT_EXPECT(&r, status == AT_OK && v.rows[2 * v.row[k]] == value[index], "%s", wanted[k]);
        }
        AT_EXPECT(&r, (status == AT_OK) == (count > 0), "%zu found, status %d", count, status);
        if (status == AT_OK)
            at_vectors_clear(&v);
    }
}
END_TEST

START_TEST(made_up)
{
    at_vectors a, b;
    double sum = 0;

    ck_assert_int_eq(at_vectors_make_up(&a, 50, words, 4, 3, NULL), AT_OK);
    ck_assert_int_eq(at_vectors_make_up(&b, 50, words + 1, 2, 3, NULL), AT_OK);
    ck_assert(a.made_up);
    /* a word's vector does not depend on the other words */
    ck_assert_mem_eq(a.rows + 50 * a.row[2], b.rows + 50 * b.row[1], 50 * sizeof(double));
    for (size_t k = 0; k < 200; k++)
        sum += a.rows[k] * a.rows[k];
    ck_assert_double_gt(sum, 4);
    ck_assert_double_lt(sum, 14);   /* 8 expected */
    at_vectors_clear(&a);
    at_vectors_clear(&b);
}
END_TEST

START_TEST(embed)
{
    char *names[] = { "film", "nothing", "zebra" };
    size_t start[] = { 0, 4 }, missing;
    uint32_t tokens[] = { 2, 1, 0, 2 };
    at_corpus corpus = {
        .start = start, .tokens = tokens, .count = 1, .words = names, .word_count = 3
    };
    at_vectors v;
    double Y[8];

    put("film 1 2\nzebra 3 4\n");
    ck_assert_int_eq(at_vectors_read(&v, path, (const char *const *) names, 3, NULL), AT_OK);
    ck_assert_uint_eq(at_vectors_embed(Y, &missing, &v, &corpus, 0), 3);
    ck_assert_uint_eq(missing, 1);
    ck_assert_double_eq(Y[0], 3);
    ck_assert_double_eq(Y[3], 2);
    ck_assert_double_eq(Y[5], 4);
    at_vectors_clear(&v);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("vectors");
    TCase *c = tcase_create("core");

    tcase_add_checked_fixture(c, make_file, remove_file);
    tcase_set_timeout(c, 30);
    tcase_add_test(c, glove);
    tcase_add_test(c, word2vec);
    tcase_add_test(c, blanks);
    tcase_add_loop_test(c, odd_tokens, 0, sizeof odd / sizeof *odd);
    tcase_add_test(c, wrong_files);
    tcase_add_test(c, truncated_gzip);
    tcase_add_test(c, lookup);
    tcase_add_test(c, made_up);
    tcase_add_test(c, embed);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
