/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `attest reproduce` will run: the parts of the preset, once for each text where they read
 * one, as command lines and folders. */
#define _GNU_SOURCE 1
#include "attest/experiments/reproduce/reproduce.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/numeric/text/text.h"

enum { MOST_WORDS = 64, LOOK = 200, SENTENCE = 64 };

/* "sst2" of "/data/sst2.tsv.gz": the file's name without its endings, fit for a folder. */
static void name_text(at_text *text, const at_reproduction *reproduction, size_t index)
{
    const char *base = text->path;
    size_t used = 0;

    for (const char *slash = base; (slash = strchr(slash, '/')) != NULL && *++slash != '\0';)
        base = slash;
    for (; *base != '\0' && *base != '.' && used < sizeof text->name - 4; base++)
        text->name[used++] = (char) (isalnum((unsigned char) *base)
                                     ? tolower((unsigned char) *base) : '-');
    text->name[used] = '\0';
    bool taken = used == 0;
    for (size_t k = 0; k < index; k++)
        taken |= strcmp(reproduction->texts[k].name, text->name) == 0;
    if (taken)
        snprintf(text->name + used, sizeof text->name - used, "-%zu", index + 1);
}

int at_reproduce_look(at_reproduction *reproduction, at_error *err)
{
    for (size_t k = 0; k < reproduction->text_count; k++) {
        const at_corpus_limits limits = { .count = LOOK };
        at_text *text = &reproduction->texts[k];
        at_corpus corpus = { 0 };

        *text = (at_text) { .path = reproduction->paths[k], .labelled = true };
        int status = at_corpus_read(&corpus, text->path, &limits, err);
        if (status != AT_OK)
            return status;
        for (size_t d = 0; d < corpus.count; d++)
            text->labelled &= corpus.label[d] >= 0;
        text->lengthy = corpus.start[corpus.count] > SENTENCE * corpus.count;
        at_corpus_clear(&corpus);
        name_text(text, reproduction, k);
    }
    return AT_OK;
}

static size_t documents_of(enum at_preset preset, bool lengthy)
{
    switch (preset) {
    case AT_PRESET_QUICK: return lengthy ? 5 : 100;
    case AT_PRESET_SMALL: return lengthy ? 20 : 200;
    default: return 200;
    }
}

/* The first text that weights can be trained on; NULL: none, or made-up documents are used. */
static const at_text *training_text(const at_reproduction *reproduction)
{
    for (size_t k = 0; k < reproduction->text_count; k++)
        if (reproduction->texts[k].labelled)
            return &reproduction->texts[k];
    return NULL;
}

typedef struct { char **words; size_t count; bool failed; } word_list;

static void add_word(word_list *list, const char *text)
{
    char *word = list->count + 1 < MOST_WORDS ? strdup(text) : NULL;

    if (word == NULL)
        list->failed = true;
    else
        list->words[list->count++] = word;
}

static void add_number(word_list *list, const char *option, unsigned long long number)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", number);
    add_word(list, option);
    add_word(list, text);
}

/* The planned training that a part with %TRAINED goes on from; NULL: it trains itself. */
static const at_planned *trainer_of(const at_reproduction *reproduction, const at_planned *planned)
{
    const at_text *text = training_text(reproduction);

    if (planned->text == NULL || planned->text == text)
        return NULL;
    for (const at_planned *p = reproduction->planned; p < planned; p++)
        if (p->text == text && strstr(p->part->command, "%TRAINED") != NULL)
            return p;
    return NULL;
}

static void add_trained(word_list *list, const at_reproduction *reproduction,
                        const at_planned *planned)
{
    const at_planned *trainer = trainer_of(reproduction, planned);
    char *path = NULL;

    if (trainer == NULL)
        add_word(list, "trained");
    else if (asprintf(&path, "%s/%s/model.safetensors", reproduction->directory, trainer->name) < 0)
        list->failed = true;
    else {
        add_word(list, path);
        free(path);
    }
}

/* A word of a part's command, with what it stands for. */
static void put_word(word_list *list, const char *word, const at_reproduction *reproduction,
                     const at_planned *planned)
{
    const at_text *text = planned->text;
    bool lengthy = text != NULL && text->lengthy;

    if (strcmp(word, "%DATA") == 0) {
        if (text == NULL)
            return;
        add_word(list, "--text");
        add_word(list, text->path);
        if (reproduction->embeddings != NULL) {
            add_word(list, "--embeddings");
            add_word(list, reproduction->embeddings);
        }
    } else if (strncmp(word, "%DOCUMENTS", 10) == 0) {
        size_t divisor = word[10] == '/' ? strtoul(word + 11, NULL, 10) : 1;

        add_number(list, "--documents", documents_of(reproduction->preset, lengthy) / divisor);
    } else if (strcmp(word, "%CERTIFY") == 0) {
        if (reproduction->preset == AT_PRESET_PAPER
            || (reproduction->preset == AT_PRESET_SMALL && !lengthy))
            add_word(list, "--certify");
    } else if (strcmp(word, "%TRAINED") == 0)
        add_trained(list, reproduction, planned);
    else
        add_word(list, word);
}

/* Whether the part's folder holds a run of its own that was begun. */
static bool was_begun(const char *folder)
{
    char *config = at_path_join(folder, "config.json");
    bool begun = config != NULL && access(config, R_OK) == 0;

    free(config);
    return begun;
}

/* The words of a part's command, all owned; NULL when out of memory. */
static char **arguments_of(const at_planned *planned, const at_reproduction *reproduction,
                           const at_common *common, const char *folder)
{
    word_list list = { calloc(MOST_WORDS, sizeof(char *)), 0, false };
    char *copy = strdup(planned->part->command), *rest = NULL;

    if (list.words == NULL || copy == NULL) {
        free(list.words);
        free(copy);
        return NULL;
    }
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        put_word(&list, word, reproduction, planned);
    free(copy);
    add_number(&list, "--seed", common->seed);
    if (strcmp(list.words[0], "verify") == 0 || strcmp(list.words[0], "gradcheck") == 0)
        add_word(&list, "--force");    /* no runs: there is nothing to resume */
    else {
        add_number(&list, "--threads", planned->part->cores);
        add_word(&list, common->resume && was_begun(folder) ? "--resume" : "--force");
        if (common->no_figures)
            add_word(&list, "--no-figures");
    }
    add_word(&list, "--out");
    add_word(&list, folder);
    if (!list.failed)
        return list.words;
    while (list.count > 0)
        free(list.words[--list.count]);
    free(list.words);
    return NULL;
}

/* Whether one of the patterns, separated by commas, matches. */
static bool is_asked_for(const char *patterns, const char *name)
{
    while (patterns != NULL && *patterns != '\0') {
        char pattern[80];
        size_t length = strcspn(patterns, ",");

        snprintf(pattern, sizeof pattern, "%.*s", (int) length, patterns);
        if (fnmatch(pattern, name, 0) == 0)
            return true;
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static int plan_part(at_reproduction *reproduction, const at_part *part, const at_text *text,
                     at_error *err)
{
    at_planned *planned = &reproduction->planned[reproduction->count];
    bool several = text != NULL && reproduction->text_count > 1;
    const char *slash = text != NULL ? strrchr(text->path, '/') : NULL;

    *planned = (at_planned) { .part = part, .text = text };
    if (several) {
        if (asprintf(&planned->name, "%s-%s", part->name, text->name) < 0)
            planned->name = NULL;
        if (asprintf(&planned->title, "%s: %s", part->title,
                     slash != NULL ? slash + 1 : text->path) < 0)
            planned->title = NULL;
    } else {
        planned->name = strdup(part->name);
        planned->title = strdup(part->title);
    }
    if (planned->name != NULL && reproduction->only != NULL
        && !is_asked_for(reproduction->only, planned->name)) {
        free(planned->name);
        free(planned->title);
        return AT_OK;
    }
    reproduction->count++;
    return planned->name != NULL && planned->title != NULL ? AT_OK
                                                           : at_error_memory(err, "the parts");
}

/* Once, or once for each text; those with labels first, since others take their weights. */
static int plan_texts(at_reproduction *reproduction, const at_part *part, at_error *err)
{
    bool trained = strstr(part->command, "%TRAINED") != NULL;
    int status = AT_OK;

    if (strstr(part->command, "%DATA") == NULL || reproduction->text_count == 0)
        return plan_part(reproduction, part, NULL, err);
    if (trained && training_text(reproduction) == NULL) {
        reproduction->untrained = true;
        return AT_OK;
    }
    if (trained)
        status = plan_part(reproduction, part, training_text(reproduction), err);
    for (size_t k = 0; k < reproduction->text_count && status == AT_OK; k++)
        if (!trained || &reproduction->texts[k] != training_text(reproduction))
            status = plan_part(reproduction, part, &reproduction->texts[k], err);
    return status;
}

static int make_job(at_reproduction *reproduction, size_t k, const at_common *common,
                    at_error *err)
{
    const at_planned *planned = &reproduction->planned[k], *trainer = NULL;
    at_job *job = &reproduction->jobs[k];
    char *folder = at_path_join(reproduction->directory, planned->name);
    int status = folder != NULL ? at_directory_make(folder, err) : at_error_memory(err, "a path");

    if (status == AT_OK) {
        if (strstr(planned->part->command, "%TRAINED") != NULL)
            trainer = trainer_of(reproduction, planned);
        *job = (at_job) {
            .name = planned->name, .cores = planned->part->cores,
            .arguments = arguments_of(planned, reproduction, common, folder),
            .output = at_path_join(folder, "output.txt"), .log = at_path_join(folder, "log.txt"),
            .record = at_path_join(folder, "status.txt"),
            .after = trainer != NULL ? &reproduction->jobs[trainer - reproduction->planned] : NULL,
        };
        if (job->arguments == NULL || job->output == NULL || job->log == NULL
            || job->record == NULL)
            status = at_error_memory(err, "a command line");
        else if (common->resume)
            at_job_recall(job);
        else
            unlink(job->record);
    }
    free(folder);
    return status;
}

int at_reproduce_plan(at_reproduction *reproduction, const at_common *common, at_error *err)
{
    size_t all = 0, texts = reproduction->text_count > 0 ? reproduction->text_count : 1;
    int status = AT_OK;

    while (at_parts[all].name != NULL)
        all++;
    reproduction->planned = calloc(all * texts + 1, sizeof *reproduction->planned);
    reproduction->jobs = calloc(all * texts + 1, sizeof *reproduction->jobs);
    if (reproduction->planned == NULL || reproduction->jobs == NULL)
        return at_error_memory(err, "the parts");
    for (const at_part *part = at_parts; part->name != NULL && status == AT_OK; part++)
        if (part->presets & reproduction->preset)
            status = plan_texts(reproduction, part, err);
    if (status == AT_OK && reproduction->count == 0)
        status = at_error_set(err, AT_USAGE, "--parts %s: no part of this preset has such a name; "
                              "such are verify, pi-urpe, energy-panels-trained", reproduction->only);
    for (size_t k = 0; k < reproduction->count && status == AT_OK; k++)
        status = make_job(reproduction, k, common, err);
    return status;
}

double at_reproduce_expected(const at_reproduction *reproduction, unsigned cores, double gflops)
{
    double all = 0.0, longest = 0.0;

    for (size_t k = 0; k < reproduction->count; k++) {
        const at_planned *planned = &reproduction->planned[k];
        bool lengthy = planned->text != NULL && planned->text->lengthy;
        double one = lengthy ? planned->part->seconds.reviews : planned->part->seconds.sentences;

        if (reproduction->jobs[k].done)
            continue;
        if (lengthy)   /* their certificates grow with the documents */
            one *= (double) documents_of(reproduction->preset, true)
                   / (double) documents_of(AT_PRESET_SMALL, true);
        all += one;
        longest = planned->part->cores == 1 && one > longest ? one : longest;
    }
    all /= cores;
    return (all > longest ? all : longest) * 100.0 / gflops;
}

void at_reproduce_clear(at_reproduction *reproduction)
{
    for (size_t k = 0; k < reproduction->count; k++) {
        if (reproduction->planned != NULL) {
            free(reproduction->planned[k].name);
            free(reproduction->planned[k].title);
        }
        if (reproduction->jobs == NULL)
            continue;
        at_job *job = &reproduction->jobs[k];
        for (size_t word = 0; job->arguments != NULL && job->arguments[word] != NULL; word++)
            free(job->arguments[word]);
        free(job->arguments);
        free((char *) job->output);
        free((char *) job->log);
        free((char *) job->record);
    }
    free(reproduction->jobs);
    free(reproduction->planned);
    reproduction->jobs = NULL;
    reproduction->planned = NULL;
    reproduction->count = 0;
}
