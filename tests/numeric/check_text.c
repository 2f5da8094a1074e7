/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of documents: tokens, formats, and what is wrong with a file. */
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "attest/core/file.h"
#include "attest/numeric/optimize/random.h"
#include "attest/numeric/text/text.h"
#include "tests/at_check.h"

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/attest-text-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *put(const char *name, const char *bytes, size_t size)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(at_file_write(path, bytes, size, NULL), AT_OK);
    return path;
}

static const char *put_text(const char *name, const char *text)
{
    return put(name, text, strlen(text));
}

static bool join(const char *token, size_t length, void *context)
{
    char *out = context;
    size_t used = strlen(out);

    sprintf(out + used, "%s%.*s", used > 0 ? "|" : "", (int) length, token);
    return true;
}

START_TEST(tokens)
{
    static const struct { const char *text; int split; const char *expected; } cases[] = {
        { "It 's a Charming JOURNEY .", 0, "it|'s|a|charming|journey|." },
        { "ex-wife , n't", 0, "ex-wife|,|n't" },
        { "Don't you, he's here.<br /><br />We'd go!!", 1,
          "do|n't|you|,|he|'s|here|.|we|'d|go|!!" },
        { "(a \"quote\")...", 1, "(|a|\"|quote|\"|)|..." },
        { "rock'n'roll ex-wife 3.5 1,000 10:30 1/2", 1,
          "rock'n'roll|ex-wife|3.5|1,000|10:30|1|/|2" },
        { "they\xe2\x80\x99re \xe2\x80\x9cHERE\xe2\x80\x9d \xe2\x80\x94 caf\xc3\x89\xe2\x80\xa6", 1,
          "they|'re|\"|here|\"|--|caf\xc3\xa9|..." },
        { "end.Begin", 1, "end|.|begin" },
        { "a<BR>b<br/>c < d", 1, "a|b|c|<|d" },
        { " \t\xc2\xa0 ", 1, "" },
        { "", 1, "" },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[256], out[512] = "";
        strcpy(text, cases[k].text);
        ck_assert(at_tokenise(text, strlen(text), cases[k].split, join, out));
        ck_assert_str_eq(out, cases[k].expected);
    }
}
END_TEST

START_TEST(not_utf8)
{
    static const char *const wrong[] = {
        "a\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"
    };
    char out[64] = "", nul[] = "a\0b";

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[16];
        strcpy(text, wrong[k]);
        ck_assert(!at_tokenise(text, strlen(text), true, join, out));
    }
    ck_assert(!at_tokenise(nul, 3, true, join, out));
    ck_assert_str_eq(out, "");
}
END_TEST

/* Any bytes: no crash, tokens without blanks, capitals or NULs, never longer than the text. */
static bool check_token(const char *token, size_t length, void *context)
{
    for (size_t k = 0; k < length; k++)
        ck_assert(token[k] != ' ' && token[k] != '\0' && !(token[k] >= 'A' && token[k] <= 'Z'));
    ck_assert_uint_gt(length, 0);
    *(size_t *) context += length;
    return true;
}

START_TEST(any_bytes)
{
    AT_ROUNDS(r, 2000) {
        static const char *const pieces[] = {
            "n't", "'s",   "<br />",       " ", ".",  "'", "\"", "A", "\xc3\x89", "-", "1",
            ",",   "\xff", "\xe2\x80\x99", "<", "br>"
        };
        char text[256];
        size_t length = 0, total = 0;
        for (unsigned long n = at_test_below(&r, 20); n > 0; n--) {
            const char *piece = pieces[at_test_below(&r, 16)];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
        at_tokenise(text, length, at_test_below(&r, 2), check_token, &total);
        AT_EXPECT(&r, total <= length, "%zu of %zu", total, length);
    }
}
END_TEST

static void read_ok(at_corpus *c, const char *path, size_t first, size_t count, size_t longest)
{
    const at_corpus_limits limits = { first, count, longest, NULL, NULL };
    at_error err = AT_ERROR_INIT;
    int status = at_corpus_read(c, path, &limits, &err);

    ck_assert_msg(status == AT_OK, "%s", err.text);
}

static const char *word(const at_corpus *c, size_t document, size_t token)
{
    ck_assert_uint_lt(document, c->count);
    ck_assert_uint_lt(token, c->start[document + 1] - c->start[document]);
    return c->words[c->tokens[c->start[document] + token]];
}

START_TEST(formats)
{
    at_corpus c;

    read_ok(&c, put_text("a.tsv", "sentence\tlabel\r\nIt 's good . \t1\r\n\t0\r\nBAD\t0\r\n"), 0, 0,
            0);
    ck_assert_str_eq(c.format, "SST-2 TSV");
    ck_assert_uint_eq(c.count, 2);
    ck_assert_uint_eq(c.empty, 1);
    ck_assert_str_eq(word(&c, 0, 1), "'s");
    ck_assert_int_eq(c.label[0], 1);
    ck_assert_int_eq(c.label[1], 0);
    ck_assert_uint_eq(c.line[1], 4);
    at_corpus_clear(&c);

    read_ok(&c, put_text("b.tsv", "index\tsentence\n0\tone two\n"), 0, 0, 0);
    ck_assert_str_eq(word(&c, 0, 1), "two");
    ck_assert_int_eq(c.label[0], -1);
    at_corpus_clear(&c);

    read_ok(&c,
            put_text("a.csv",
                     "review,sentiment\n\"He said \"\"no\"\",<br />\nthen left\",positive\n"
                     "Short one,negative\n"),
            0, 0, 0);
    ck_assert_str_eq(c.format, "IMDB CSV");
    ck_assert_uint_eq(c.count, 2);
    ck_assert_str_eq(word(&c, 0, 2), "\"");
    ck_assert_str_eq(word(&c, 0, 6), "then");
    ck_assert_int_eq(c.label[1], 0);
    ck_assert_uint_eq(c.line[1], 4);
    at_corpus_clear(&c);

    read_ok(&c, put_text("b.csv", "review\nfirst one\n\"second\n\none\"\n"), 0, 0, 0);
    ck_assert_uint_eq(c.count, 2);
    ck_assert_str_eq(word(&c, 1, 1), "one");
    at_corpus_clear(&c);

    read_ok(&c, put_text("lines", "\xef\xbb\xbfOne, two.\n\n\nthree"), 0, 0, 0);
    ck_assert_str_eq(c.format, "plain lines");
    ck_assert_uint_eq(c.count, 2);
    ck_assert_uint_eq(c.empty, 2);
    ck_assert_str_eq(word(&c, 0, 0), "one");
    ck_assert_uint_eq(c.word_count, 5);
    at_corpus_clear(&c);
}
END_TEST

typedef struct {
    const char *file, *text, *text_column, *label_column;
    const char *format, *columns, *words;   /* of all documents, '/' between two */
    int label[2];
} table_case;

static const table_case tables[] = {
    {"quoted.csv", "\"review\",\"sentiment\"\n\"so warm<br />and, well\",\"positive\"\n\"grey\",\"negative\"\n",
     NULL, NULL, "IMDB CSV", "text from column 'review', label from 'sentiment'",
     "so warm and , well/grey", {1, 0}},
    {"index.csv", ",review,sentiment\n0,\"warm, so\",positive\n1,grey,negative\n", NULL, NULL, "IMDB CSV",
     "text from column 'review', label from 'sentiment', 1 other skipped", "warm , so/grey", {1, 0}},
    {"caps.csv", "Review,Sentiment\nwarm,Positive\ngrey,NEGATIVE\n", NULL, NULL, "IMDB CSV",
     "text from column 'Review', label from 'Sentiment'", "warm/grey", {1, 0}},
    {"swapped.csv", "sentiment,review\npositive,\"warm, so\"\nnegative,grey\n", NULL, NULL, "IMDB CSV",
     "text from column 'review', label from 'sentiment'", "warm , so/grey", {1, 0}},
    {"hub.csv", "text,label\n\"warm, so\",1\ngrey,0\n", NULL, NULL, "CSV",
     "text from column 'text', label from 'label'", "warm , so/grey", {1, 0}},
    {"hub2.csv", "idx,sentence,label\n0,warm,1\n1,grey,-1\n", NULL, NULL, "CSV",
     "text from column 'sentence', label from 'label', 1 other skipped", "warm/grey", {1, -1}},
    {"lines.csv", "\"review\",\"sentiment\"\n\"one\ntwo\r\n\nthree\",\"positive\"\n\"x\",\"neg\"\n", NULL, NULL,
     "IMDB CSV", "text from column 'review', label from 'sentiment'", "one two three/x", {1, 0}},
    {"semi.csv", "Text;Label\r\n\"warm; so\";pos\r\n1,5;neg\r\n", NULL, NULL, "CSV",
     "text from column 'Text', label from 'Label'", "warm ; so/1,5", {1, 0}},
    {"mac.csv", "text,label\rwarm,1\rgrey,0\r", NULL, NULL, "CSV",
     "text from column 'text', label from 'label'", "warm/grey", {1, 0}},
    {"kaggle.tsv", "id\tsentiment\treview\n\"7_8\"\t1\t\"a, \\\"so\\\" b\"\n\"2_3\"\t0\t\"\"\"x\"\" y\"\n", NULL, NULL,
     "TSV", "text from column 'review', label from 'sentiment', 1 other skipped",
     "a , \" so \" b/\" x \" y", {1, 0}},
    {"sst.tsv", "sentence\tlabel\n\"so\" it goes , \"yes\"\t1\nx\t0\n", NULL, NULL, "SST-2 TSV",
     "text from column 'sentence', label from 'label'", "\"so\" it goes , \"yes\"/x", {1, 0}},
    {"own.csv", "opinion,stars,text\nwarm,1,no\ngrey,0,no\n", "Opinion", "stars", "CSV",
     "text from column 'opinion', label from 'stars', 1 other skipped", "warm/grey", {1, 0}},
    {"none.csv", "text,label\nwarm,five\ngrey,2\n", NULL, "-", "CSV",
     "text from column 'text', 1 other skipped", "warm/grey", {-1, -1}},
    {"plain", "text,label\nid,one\n", "-", NULL, "plain lines", "", "text , label/id , one", {-1, -1}},
    {"prose", "Well, said he\nYes, said she\n", NULL, NULL, "plain lines", "",
     "well , said he/yes , said she", {-1, -1}},
};

/* By the names of the columns, however they are written; what was taken for what is told. */
START_TEST(tables_by_name)
{
    const table_case *t = &tables[_i];
    const at_corpus_limits limits = { 0, 0, 0, t->text_column, t->label_column };
    at_corpus c;
    at_error err = AT_ERROR_INIT;
    char all[512] = "";

    ck_assert_msg(at_corpus_read(&c, put_text(t->file, t->text), &limits, &err) == AT_OK, "%s", err.text);
    ck_assert_str_eq(c.format, t->format);
    ck_assert_str_eq(c.columns, t->columns);
    for (size_t k = 0; k < c.count; k++)
        for (size_t i = c.start[k]; i < c.start[k + 1]; i++)
            sprintf(all + strlen(all), "%s%s", i > c.start[k] ? " " : k > 0 ? "/" : "", c.words[c.tokens[i]]);
    ck_assert_str_eq(all, t->words);
    ck_assert_int_eq(c.label[0], t->label[0]);
    ck_assert_int_eq(c.label[1], t->label[1]);
    at_corpus_clear(&c);
}
END_TEST

/* pos and neg in turn; word counts, addresses and unlabelled reviews beside them are counted. */
START_TEST(labelled_folder)
{
    static const char *const folders[] = {"train", "train/pos", "train/neg", "train/unsup"};
    char path[256];
    at_corpus c;
    at_error err = AT_ERROR_INIT;
    const at_corpus_limits all = { 0 };

    for (size_t k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        ck_assert_int_eq(mkdir(path, 0700), 0);
    }
    put_text("train/labeledBow.feat", "9 0:2\n");
    put_text("train/urls_pos.txt", "http://example.org\n");
    put_text("train/pos/0_9.txt", "warm");
    put_text("train/pos/1_8.txt", "so warm");
    put_text("train/neg/0_2.txt", "grey");
    snprintf(path, sizeof path, "%s/train", folder);
    read_ok(&c, path, 0, 0, 0);
    ck_assert_uint_eq(c.count, 3);
    ck_assert_uint_eq(c.skipped, 3);
    ck_assert_str_eq(word(&c, 0, 0), "warm");
    ck_assert_str_eq(word(&c, 1, 0), "grey");
    ck_assert(c.label[0] == 1 && c.label[1] == 0 && c.label[2] == 1);
    at_corpus_clear(&c);
    ck_assert_int_eq(at_corpus_read(&c, folder, &all, &err), AT_INPUT);
    ck_assert_msg(strstr(err.text, "train or test") != NULL, "%s", err.text);
}
END_TEST

START_TEST(limits)
{
    at_corpus c;
    const char *path = put_text("lines", "a b c d e\nf\ng h\ni\n");

    read_ok(&c, path, 1, 2, 0);
    ck_assert_uint_eq(c.count, 2);
    ck_assert_str_eq(word(&c, 1, 0), "g");
    ck_assert_uint_eq(c.word_count, 3);   /* words of skipped documents are dropped */
    at_corpus_clear(&c);
    read_ok(&c, path, 0, 1, 3);
    ck_assert_uint_eq(c.start[1], 3);
    ck_assert_uint_eq(c.shortened, 1);
    at_corpus_clear(&c);
}
END_TEST

START_TEST(folders)
{
    at_corpus c;
    char sub[128], path[256];

    snprintf(sub, sizeof sub, "%s/docs", folder);
    ck_assert_int_eq(mkdir(sub, 0700), 0);
    put_text("docs/2.txt", "second\ndocument");
    put_text("docs/1.txt", "first");
    put_text("docs/.hidden", "not read");
    snprintf(path, sizeof path, "%s/docs/inner", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    read_ok(&c, sub, 0, 0, 0);
    ck_assert_str_eq(c.format, "folder");
    ck_assert_uint_eq(c.count, 2);
    ck_assert_uint_eq(c.skipped, 2);
    ck_assert_str_eq(word(&c, 0, 0), "first");
    ck_assert_str_eq(word(&c, 1, 1), "document");
    at_corpus_clear(&c);
}
END_TEST

START_TEST(gzip)
{
    at_corpus c;
    at_error err = AT_ERROR_INIT;
    const at_corpus_limits all = { 0 };
    char path[128], *bytes;
    size_t size;

    snprintf(path, sizeof path, "%s/t.gz", folder);
    gzFile file = gzopen(path, "wb");
    gzputs(file, "sentence\tlabel\n");
    for (int k = 0; k < 2000; k++)
        gzprintf(file, "word%d and %d\t%d\n", k * 7919 % 1000, k * k, k % 2);
    gzclose(file);
    read_ok(&c, path, 0, 0, 0);
    ck_assert_uint_eq(c.count, 2000);
    at_corpus_clear(&c);
    ck_assert_int_eq(at_file_read(&bytes, &size, path, 1 << 20, NULL), AT_OK);
    free(bytes);
    FILE *raw = fopen(path, "r+");
    ck_assert_int_eq(ftruncate(fileno(raw), 3000), 0);
    fclose(raw);
    ck_assert_int_eq(at_corpus_read(&c, path, &all, &err), AT_INPUT);
    ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
    ck_assert_ptr_null(c.tokens);
}
END_TEST

START_TEST(wrong_files)
{
    static const struct { const char *name, *text, *part; } cases[] = {
        { "c.tsv", "sentence\tlabel\na\t1\nb\n", ":3: expected 2 columns" },
        { "d.tsv", "sentence\tlabel\na\t1\nb\t2\n", ":3: expected a label" },
        { "e.tsv", "sentence\tlabel\na\t1\tx\n", ":2: expected 2" },
        { "c.csv", "review\n\"open\nand\nopen\n", ":2: the quote" },
        { "d.csv", "review,sentiment\nx,maybe\n", ":2: expected a label" },
        { "e.csv", "review,sentiment\nonly one\n", ":2: expected 2 columns" },
        { "f.csv", "review,sentiment\n\"a\"b,positive\n", ":2: text after" },
        { "g.csv", "review\na,b,c,d,e,f\n", ":2: expected 1 columns" },
        { "h.csv", "\"a b\",\"positive\"\n\"c\",\"negative\"\n", ":1: this looks like a table with 2 columns" },
        { "i.csv", "id,words\n1,two\n", "'id', 'words'" },
        { "j.csv", "positive;a b\nnegative;c\n", "between semicolons" },
        { "g.tsv", "1\ta b\n0\tc d\n", "between tabs" },
        { "k.csv", "text;label\na;1\nb;c;0\n", ":3: expected 2 columns as in the first line, found 3" },
        { "none", "", "no document" },
        { "blank", "\n\n \n", "3 empty" },
        { "bytes", "\xff\xfe\n\x80\n", "2 not UTF-8" },
    };
    const at_corpus_limits all = { 0 };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_corpus c;
        at_error err = AT_ERROR_INIT;
        const char *path = put_text(cases[k].name, cases[k].text);
        ck_assert_int_eq(at_corpus_read(&c, path, &all, &err), AT_INPUT);
        ck_assert_msg(strstr(err.text, cases[k].part) != NULL && strstr(err.text, path) == err.text,
                      "%s: %s", cases[k].name, err.text);
    }
    at_corpus c;
    at_error err = AT_ERROR_INIT;
    ck_assert_int_eq(at_corpus_read(&c, "/nowhere/at/all", &all, &err), AT_INPUT);
    ck_assert_msg(strstr(err.text, "/nowhere/at/all") != NULL, "%s", err.text);
}
END_TEST

/* A line of 10 MB is a document like another; invalid ones among good ones are counted. */
START_TEST(long_line)
{
    enum { SIZE = 10 << 20 };
    at_corpus c;
    char *text = malloc(SIZE + 16);

    for (size_t k = 0; k < SIZE; k++)
        text[k] = k % 8 == 7 ? ' ' : (char) ('a' + k % 8);
    memcpy(text + SIZE, "\nok\n\xff\n", 7);
    read_ok(&c, put("long", text, SIZE + 6), 0, 0, 1000);
    ck_assert_uint_eq(c.count, 2);
    ck_assert_uint_eq(c.invalid, 1);
    ck_assert_uint_eq(c.shortened, 1);
    ck_assert_uint_eq(c.start[1], 1000);
    ck_assert_uint_eq(c.word_count, 2);
    at_corpus_clear(&c);
    free(text);
}
END_TEST

START_TEST(made_up)
{
    at_corpus a, b;
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    at_rng_stream(random, 5, 0, 0, 0);
    ck_assert_int_eq(at_corpus_make_up(&a, 30, random, NULL), AT_OK);
    at_rng_stream(random, 5, 0, 0, 0);
    ck_assert_int_eq(at_corpus_make_up(&b, 30, random, NULL), AT_OK);
    gsl_rng_free(random);
    ck_assert(a.made_up && a.count == 30 && b.count == 30);
    ck_assert_uint_eq(a.start[30], b.start[30]);
    ck_assert_mem_eq(a.tokens, b.tokens, a.start[30] * sizeof *a.tokens);
    for (size_t k = 0; k < 30; k++) {
        ck_assert_uint_ge(a.start[k + 1] - a.start[k], 4);
        ck_assert_uint_le(a.start[k + 1] - a.start[k], 40);
    }
    for (size_t k = 1; k < a.word_count; k++)
        ck_assert_int_lt(strcmp(a.words[k - 1], a.words[k]), 0);
    at_corpus_clear(&a);
    at_corpus_clear(&b);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("text");
    TCase *c = tcase_create("core");

    tcase_add_checked_fixture(c, make_folder, remove_folder);
    tcase_set_timeout(c, 30);
    tcase_add_test(c, tokens);
    tcase_add_test(c, not_utf8);
    tcase_add_test(c, any_bytes);
    tcase_add_test(c, formats);
    tcase_add_loop_test(c, tables_by_name, 0, sizeof tables / sizeof *tables);
    tcase_add_test(c, labelled_folder);
    tcase_add_test(c, limits);
    tcase_add_test(c, folders);
    tcase_add_test(c, gzip);
    tcase_add_test(c, wrong_files);
    tcase_add_test(c, long_line);
    tcase_add_test(c, made_up);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
