/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents and their words: the corpus being built, and made-up ones (see text.h). */
#define _GNU_SOURCE 1
#include "attest/numeric/text/text.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/text/build.h"

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const at_text_entry *) a)->text, ((const at_text_entry *) b)->text);
}

void at_text_builder_init(at_text_builder *b, at_corpus *corpus, const at_corpus_limits *limits)
{
    *corpus = (at_corpus) { 0 };
    *b = (at_text_builder) { .corpus = corpus, .limits = *limits, .skip = limits->first };
}

bool at_text_full(const at_text_builder *b)
{
    return b->limits.count > 0 && b->corpus->count >= b->limits.count;
}

/* The number of a word, in the order of first sight; UINT32_MAX when out of memory. */
static uint32_t word_number(at_text_builder *b, const char *token, size_t length)
{
    if (length + 1 > b->key_space) {
        char *larger = realloc(b->key, 2 * length + 64);
        if (larger == NULL)
            return UINT32_MAX;
        b->key = larger;
        b->key_space = 2 * length + 64;
    }
    memcpy(b->key, token, length);
    b->key[length] = '\0';
    at_text_entry key = { b->key, 0 };
    at_text_entry *const *found = tfind(&key, &b->tree, compare_entries);
    if (found != NULL)
        return (*found)->number;
    if (b->entry_count == b->entry_space) {
        size_t space = 2 * b->entry_space + 1024;
        at_text_entry **larger = realloc(b->entries, space * sizeof *larger);
        if (larger == NULL)
            return UINT32_MAX;
        b->entries = larger;
        b->entry_space = space;
    }
    at_text_entry *entry = malloc(sizeof *entry);
    if (entry == NULL || (entry->text = strdup(b->key)) == NULL) {
        free(entry);
        return UINT32_MAX;
    }
    entry->number = (uint32_t) b->entry_count;
    if (tsearch(entry, &b->tree, compare_entries) == NULL) {
        free(entry->text);
        free(entry);
        return UINT32_MAX;
    }
    b->entries[b->entry_count++] = entry;
    return entry->number;
}

static bool take_token(const char *token, size_t length, void *context)
{
    at_text_builder *b = context;
    at_corpus *c = b->corpus;

    b->seen++;
    if (b->limits.longest > 0 && b->seen > b->limits.longest)
        return true;
    size_t used = b->used;
    if (used == c->token_space) {
        size_t space = 2 * c->token_space + 4096;
        uint32_t *larger = realloc(c->tokens, space * sizeof *larger);
        if (larger == NULL)
            return !(b->out_of_memory = true);
        c->tokens = larger;
        c->token_space = space;
    }
    uint32_t number = word_number(b, token, length);
    if (number == UINT32_MAX)
        return !(b->out_of_memory = true);
    c->tokens[b->used++] = number;
    return true;
}

static bool room_for_document(at_corpus *c)
{
    if (c->count + 2 <= c->document_space)
        return true;
    size_t space = 2 * c->document_space + 256;
    size_t *start = realloc(c->start, space * sizeof *start);
    if (start != NULL)
        c->start = start;
    size_t *line = realloc(c->line, space * sizeof *line);
    if (line != NULL)
        c->line = line;
    int *label = realloc(c->label, space * sizeof *label);
    if (label != NULL)
        c->label = label;
    if (start == NULL || line == NULL || label == NULL)
        return false;
    c->document_space = space;
    return true;
}

int at_text_add(at_text_builder *b, char *text, size_t length, bool split, int label, size_t line,
                at_error *err)
{
    at_corpus *c = b->corpus;
    size_t before = b->used;

    if (!room_for_document(c))
        return at_error_memory(err, "a document");
    b->seen = 0;
    if (!at_tokenise(text, length, split, take_token, b)) {
        b->used = before;
        if (b->out_of_memory)
            return at_error_memory(err, "a document's tokens");
        c->invalid++;
        return AT_OK;
    }
    if (b->seen == 0) {
        c->empty++;
        return AT_OK;
    }
    if (b->skip > 0) {
        b->skip--;
        b->used = before;
        return AT_OK;
    }
    c->shortened += b->seen > b->used - before;
    c->start[c->count] = before;
    c->label[c->count] = label;
    c->line[c->count] = line;
    c->start[++c->count] = b->used;
    return AT_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp((*(at_text_entry *const *) a)->text, (*(at_text_entry *const *) b)->text);
}

/* Words in the order of strcmp; words of skipped documents only are dropped. */
static int number_words(at_text_builder *b, at_error *err)
{
    at_corpus *c = b->corpus;
    uint32_t *map = malloc((b->entry_count + 1) * sizeof *map);
    bool *used = calloc(b->entry_count + 1, sizeof *used);

    c->words = malloc((b->entry_count + 1) * sizeof *c->words);
    if (map == NULL || used == NULL || c->words == NULL) {
        free(map);
        free(used);
        return at_error_memory(err, "the words of the documents");
    }
    for (size_t k = 0; k < b->used; k++)
        used[c->tokens[k]] = true;
    if (b->entry_count > 0)
        qsort(b->entries, b->entry_count, sizeof *b->entries, by_text);
    for (size_t k = 0; k < b->entry_count; k++)
        if (used[b->entries[k]->number]) {
            map[b->entries[k]->number] = (uint32_t) c->word_count;
            c->words[c->word_count++] = b->entries[k]->text;
            b->entries[k]->text = NULL;
        }
    for (size_t k = 0; k < b->used; k++)
        c->tokens[k] = map[c->tokens[k]];
    free(map);
    free(used);
    return AT_OK;
}

static void leave(void *entry)
{
    (void) entry;   /* the entries are freed through their array */
}

int at_text_builder_finish(at_text_builder *b, int status, at_error *err)
{
    tdestroy(b->tree, leave);
    b->tree = NULL;
    if (status == AT_OK)
        status = number_words(b, err);
    for (size_t k = 0; k < b->entry_count; k++) {
        free(b->entries[k]->text);
        free(b->entries[k]);
    }
    free(b->entries);
    free(b->key);
    if (status != AT_OK)
        at_corpus_clear(b->corpus);
    return status;
}

void at_corpus_clear(at_corpus *corpus)
{
    for (size_t k = 0; k < corpus->word_count; k++)
        free(corpus->words[k]);
    free(corpus->words);
    free(corpus->start);
    free(corpus->tokens);
    free(corpus->label);
    free(corpus->line);
    *corpus = (at_corpus) { 0 };
}

int at_corpus_make_up(at_corpus *corpus, size_t count, const gsl_rng *random, at_error *err)
{
    enum { WORDS = 2000, SHORTEST = 4, LONGEST = 40 };
    const at_corpus_limits limits = { 0 };
    double cumulative[WORDS], total = 0;
    at_text_builder b;
    int status = AT_OK;

    for (size_t k = 0; k < WORDS; k++)
        cumulative[k] = total += 1.0 / (double) (k + 1);
    at_text_builder_init(&b, corpus, &limits);
    for (size_t k = 0; k < count && status == AT_OK; k++) {
        char text[LONGEST * 8 + 1];
        size_t length = 0;
        for (size_t n = SHORTEST + gsl_rng_uniform_int(random, LONGEST - SHORTEST + 1); n > 0;
             n--) {
            double u = gsl_rng_uniform(random) * total;
            size_t low = 0, high = WORDS - 1;
            while (low < high) {
                size_t middle = (low + high) / 2;
                if (cumulative[middle] > u)
                    high = middle;
                else
                    low = middle + 1;
            }
            /* Half of the words take the label's parity, so that there is something to learn. */
            if (gsl_rng_uniform(random) < 0.5)
                low ^= (low ^ k) & 1;
            length += (size_t) snprintf(text + length, sizeof text - length, "w%04zu ", low + 1);
        }
        status = at_text_add(&b, text, length, false, (int) (k % 2), k + 1, err);
    }
    corpus->format = "made-up";
    corpus->made_up = true;
    return at_text_builder_finish(&b, status, err);
}
