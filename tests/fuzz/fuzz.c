/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader of what people hand in, for libFuzzer; tests/fuzz/run.sh builds and runs it.
 * ATTEST_FUZZ names the target.  An input is right when the reader accepts or refuses it with a
 * message; everything else, the sanitizers find. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/core/formula.h"
#include "attest/core/safetensors.h"
#include "attest/core/seqfun.h"
#include "attest/experiments/fit/job.h"
#include "attest/numeric/energy/rho.h"
#include "attest/numeric/optimize/train.h"
#include "attest/numeric/text/text.h"
#include "attest/numeric/text/vectors.h"
#include "attest/theory/expq/expq.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The readers open files by name: one in memory. */
static const char *as_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];

    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t) size)
        abort();
    return path;
}

/* A refusal without a word about it is a fault. */
static void expect(int status, const at_error *err)
{
    if (status != AT_OK && (err->text[0] == '\0' || err->status != status))
        abort();
}

static char *as_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* A model as `attest eval` reads it. */
static void safetensors(const uint8_t *data, size_t size)
{
    at_error err = AT_ERROR_INIT;
    at_tensors file;
    at_model model;
    at_layout layout;
    char *stripped = NULL;
    int status = at_tensors_read(&file, as_file(data, size), &err);

    expect(status, &err);
    if (status == AT_OK)
        status = at_tensors_strip_wrappers(&file, &stripped, &err);
    free(stripped);
    if (status == AT_OK && (status = at_layout_infer(&model, &file, "", &err)) == AT_OK
        && at_layout_init(&layout, &model, &err) == AT_OK) {
        if (at_layout_match(&layout, &file, "", &err) == AT_OK) {
            double *params = malloc(layout.count * sizeof *params);
            expect(at_layout_load(&layout, &file, "", params, &err), &err);
            free(params);
        }
        at_layout_clear(&layout);
    }
    expect(status, &err);
    at_tensors_clear(&file);
}

static void text(const uint8_t *data, size_t size)
{
    static const at_corpus_limits limits[] = {
        { 0, 0, 0, NULL, NULL }, { 0, 0, 0, "-", "-" }, { 1, 3, 4, "b", "a" }
    };

    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        at_error err = AT_ERROR_INIT;
        at_corpus corpus;
        int status = at_corpus_read(&corpus, as_file(data, size), &limits[k], &err);

        expect(status, &err);
        if (status == AT_OK)
            at_corpus_clear(&corpus);
    }
}

static void vectors(const uint8_t *data, size_t size)
{
    static const char *const words[] = { "a", "b", "cd", "the" };
    at_error err = AT_ERROR_INIT;
    at_vectors v;
    int status = at_vectors_read(&v, as_file(data, size), words, 4, &err);

    expect(status, &err);
    if (status == AT_OK)
        at_vectors_clear(&v);
}

/* Formulas in z and functions of a sequence. */
static void formula(const uint8_t *data, size_t size)
{
    char *source = as_text(data, size);
    at_error err = AT_ERROR_INIT;
    at_formula formula;
    at_rho rho;
    at_seqfun function;
    int status = at_formula_parse(&formula, source, &err);

    expect(status, &err);
    if (status == AT_OK) {
        (void) at_formula_eval(&formula, 0.75);
        at_formula_clear(&formula);
    }
    status = at_rho_parse(&rho, source, &err);
    expect(status, &err);
    if (status == AT_OK)
        at_rho_clear(&rho);
    status = at_seqfun_parse(&function, source, &err);
    expect(status, &err);
    if (status == AT_OK)
        at_seqfun_clear(&function);
    free(source);
}

/* What is read is written, and read again as the same value. */
static void expq(const uint8_t *data, size_t size)
{
    char *source = as_text(data, size), *again;
    at_error err = AT_ERROR_INIT;
    at_expqf_t x, y;
    int status;

    at_expqf_init(x);
    at_expqf_init(y);
    status = at_expqf_set_str(x, source, &err);
    expect(status, &err);
    if (status == AT_OK && size < 200) {
        again = at_expqf_get_str(x);
        if (at_expqf_set_str(y, again, &err) != AT_OK || at_expqf_cmp(x, y) != 0)
            abort();
        flint_free(again);
    }
    at_expqf_clear(x);
    at_expqf_clear(y);
    free(source);
}

/* config.json, as --config and --resume read it. */
static void config(const uint8_t *data, size_t size)
{
    at_fit_settings settings = { 0 };
    at_common common = { .command = "fit", .seed = 1, .threads = 1 };

    settings.json = json_loadb((const char *) data, size, 0, NULL);
    settings.json_path = strdup("config.json");
    if (json_is_object(settings.json) && at_fit_settings_stored(&settings, &common) == AT_OK) {
        at_fit_settings_complete(&settings, &common);
        json_decref(at_fit_settings_json(&settings));
    }
    at_fit_settings_clear(&settings);
    at_common_clear(&common);
}

/* The small fit whose checkpoint the seeds hold. */
static void start_job(at_fit_job *job, at_fit_settings *settings, at_common *common)
{
    static const char text[] = "{\"command\": \"fit\", \"seed\": 1, \"task\": \"pi\", \"n\": 3, \"vocab\": 4, "
                               "\"layers\": 1, \"d\": 4, \"heads\": 2, \"ffn\": 4, \"steps\": 2, \"batch\": 2}";
    at_error err = AT_ERROR_INIT;

    settings->json = json_loads(text, 0, NULL);
    settings->json_path = strdup("config.json");
    if (at_fit_settings_stored(settings, common) != AT_OK)
        abort();
    at_fit_settings_complete(settings, common);
    if (at_fit_settings_task(settings, 1, &job->function, &job->task, &err) != AT_OK)
        abort();
    at_model model = at_fit_settings_model(settings, &job->task);
    if (at_layout_init(&job->layout, &model, &err) != AT_OK)
        abort();
    job->params = calloc(job->layout.count, sizeof *job->params);
}

/* checkpoint.safetensors, as --resume reads it. */
static void checkpoint(const uint8_t *data, size_t size)
{
    static at_fit_settings settings;
    static at_common common = { .command = "fit", .seed = 1, .threads = 1 };
    static at_fit_job job = { .common = &common, .settings = &settings };
    static char folder[] = "/tmp/attest-fuzz-XXXXXX";
    const char *path = as_file(data, size);
    at_error err = AT_ERROR_INIT;
    at_tensors state;
    at_train *train;
    bool found;

    if (job.params == NULL) {
        char link[64];
        start_job(&job, &settings, &common);
        at_table_init(&job.metrics, "");
        job.run.directory = mkdtemp(folder);
        job.run.resumed = true;
        snprintf(link, sizeof link, "%s/checkpoint.safetensors", folder);
        if (symlink(path, link) != 0)
            abort();
    }
    at_tensors_init(&state);
    int status = at_fit_checkpoint_load(&job, &state, &found, &err);
    expect(status, &err);
    if (status == AT_OK && found) {
        const at_train_options options = {
            .task = job.task, .single = true, .steps = 2, .batch = 2, .rate = 1e-3,
            .adam = at_adam_defaults, .threads = 1
        };
        if (at_train_alloc(&train, &job.layout, &options, job.params, &err) != AT_OK)
            abort();
        expect(at_train_load(train, &state, &err), &err);
        at_train_free(train);
    }
    at_tensors_clear(&state);
}

static const struct { const char *name; void (*run)(const uint8_t *data, size_t size); } targets[] = {
    { "safetensors", safetensors }, { "text", text }, { "vectors", vectors }, { "formula", formula },
    { "expq", expq }, { "config", config }, { "checkpoint", checkpoint }
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *name = getenv("ATTEST_FUZZ");

    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        if (name != NULL && strcmp(name, targets[k].name) == 0) {
            targets[k].run(data, size);
            return 0;
        }
    fputs("ATTEST_FUZZ names no target\n", stderr);
    abort();
}
