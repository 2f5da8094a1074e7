/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of documents: tables, plain lines, folders (see text.h). */
#define _GNU_SOURCE 1
#include "attest/numeric/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attest/core/file.h"
#include "attest/numeric/text/build.h"
#include "attest/numeric/text/table.h"

enum { LONGEST_LINE = AT_LONGEST_RECORD };

/* The lines that were looked at, then all others. */
static int read_lines(at_text_builder *b, at_table *table, at_reader *reader, at_error *err)
{
    int status = AT_OK;
    char *line;
    size_t length;

    for (size_t k = 0; k < table->peeked && status == AT_OK && !at_text_full(b); k++)
        status = at_text_add(b, table->peek[k], table->peek_length[k], true, -1, k + 1, err);
    while (status == AT_OK && !at_text_full(b)) {
        status = at_reader_line(reader, &line, &length, err);
        if (status != AT_OK || line == NULL)
            break;
        status = at_text_add(b, line, length, true, -1, at_reader_line_number(reader), err);
    }
    return status;
}

static int read_file(at_text_builder *b, const char *path, at_error *err)
{
    at_reader *reader;
    at_table table;
    int status = at_reader_open(&reader, path, LONGEST_LINE, err);

    if (status != AT_OK)
        return status;
    status = at_table_open(&table, reader, path, &b->limits, err);
    if (status == AT_OK && table.columns > 0)
        status = at_table_documents(&table, b, err);
    else if (status == AT_OK) {
        b->corpus->format = "plain lines";
        status = read_lines(b, &table, reader, err);
    }
    at_table_close(&table);
    at_reader_close(reader);
    return status;
}

/* Whether DIRECTORY/NAME is a folder or, with folders false, a regular file that is not hidden. */
static bool is_entry(const char *directory, const char *name, bool folders)
{
    struct stat info;
    char *path = at_path_join(directory, name);
    bool found = path != NULL && name[0] != '.' && stat(path, &info) == 0
              && (folders ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode));

    free(path);
    return found;
}

/* The order of bytes, whatever the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Names of the documents in a folder; all else but "." and ".." is counted into *skipped. */
typedef struct { char **name; size_t count; } name_list;

static int list_files(name_list *list, const char *path, size_t *skipped, at_error *err)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, by_name);

    *list = (name_list) { NULL, 0 };
    if (count < 0)
        return at_error_set(err, AT_INPUT, "%s: %s", path, strerror(errno));
    list->name = malloc(((size_t) count + 1) * sizeof *list->name);
    for (int k = 0; k < count; k++) {
        char *name = names[k]->d_name;
        if (list->name != NULL && is_entry(path, name, false)) {
            list->name[list->count] = at_path_join(path, name);
            list->count += list->name[list->count] != NULL;
        } else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            ++*skipped;
        free(names[k]);
    }
    free(names);
    return list->name == NULL ? at_error_memory(err, path) : AT_OK;
}

static void clear_list(name_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        free(list->name[k]);
    free(list->name);
}

static int add_file(at_text_builder *b, const char *path, int label, at_error *err)
{
    char *bytes;
    size_t size;
    int status = at_file_read(&bytes, &size, path, LONGEST_LINE, err);

    if (status == AT_OK)
        status = at_text_add(b, bytes, size, true, label, 1, err);
    free(bytes);
    return status;
}

static int read_folder(at_text_builder *b, const char *path, at_error *err)
{
    name_list files;
    int status = list_files(&files, path, &b->corpus->skipped, err);

    b->corpus->format = "folder";
    for (size_t k = 0; k < files.count && status == AT_OK && !at_text_full(b); k++)
        status = add_file(b, files.name[k], -1, err);
    clear_list(&files);
    return status;
}

/* pos/ and neg/, reviews in turn, so that the first documents are of both kinds; what lies beside
 * them (word counts, lists of addresses, unlabelled reviews) is skipped. */
static int read_reviews(at_text_builder *b, const char *path, at_error *err)
{
    name_list beside, reviews[2];
    char *folders[2] = { at_path_join(path, "neg"), at_path_join(path, "pos") };
    size_t *skipped = &b->corpus->skipped;
    int status = list_files(&beside, path, skipped, err);

    reviews[0] = reviews[1] = (name_list) { NULL, 0 };
    *skipped += beside.count;
    *skipped -= *skipped >= 2 ? 2 : 0;   /* pos and neg themselves */
    for (int label = 0; label < 2 && status == AT_OK; label++)
        status = folders[label] == NULL ? at_error_memory(err, path)
                                        : list_files(&reviews[label], folders[label], skipped, err);
    b->corpus->format = "folder of reviews";
    snprintf(b->corpus->columns, sizeof b->corpus->columns, "pos labelled 1, neg labelled 0");
    for (size_t k = 0; k < reviews[0].count || k < reviews[1].count; k++)
        for (int label = 1; label >= 0; label--)
            if (status == AT_OK && k < reviews[label].count && !at_text_full(b))
                status = add_file(b, reviews[label].name[k], label, err);
    clear_list(&beside);
    for (int label = 0; label < 2; label++) {
        clear_list(&reviews[label]);
        free(folders[label]);
    }
    return status;
}

static int read_any_folder(at_text_builder *b, const char *path, at_error *err)
{
    if (is_entry(path, "pos", true) && is_entry(path, "neg", true))
        return read_reviews(b, path, err);
    if (is_entry(path, "train/pos", true) || is_entry(path, "test/pos", true))
        return at_error_set(err, AT_INPUT, "%s: holds two sets of labelled reviews; name one of its "
                            "folders, train or test", path);
    return read_folder(b, path, err);
}

int at_corpus_read(at_corpus *corpus, const char *path, const at_corpus_limits *limits,
                   at_error *err)
{
    struct stat info;
    at_text_builder b;

    at_text_builder_init(&b, corpus, limits);
    int status = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? read_any_folder(&b, path, err)
                                                                 : read_file(&b, path, err);
    if (status == AT_OK && corpus->count == 0)
        status = at_error_set(err, AT_INPUT, "%s: no document in it (%zu empty, %zu not UTF-8); expected "
                              "a table (CSV, TSV), a folder of text files, or a document a line",
                              path, corpus->empty, corpus->invalid);
    return at_text_builder_finish(&b, status, err);
}
