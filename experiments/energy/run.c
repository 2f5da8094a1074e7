/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents through energy layers: see energy_run.h. */
#include "attest/experiments/energy/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/experiments/cli/progress.h"

#include "attest/numeric/energy/bound.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/optimize/random.h"
#include "attest/theory/energy/energy.h"
#include "attest/theory/flint/compat.h"

int at_energy_data_load(at_energy_data *data, const at_energy_source *source, at_error *err)
{
    const at_corpus_limits limits = { 0, source->labelled ? 0 : source->documents, source->longest,
                                      source->text_column, source->label_column };
    int status;

    *data = (at_energy_data) { 0 };
    if (source->text != NULL) {
        status = at_corpus_read(&data->corpus, source->text, &limits, err);
    } else {
        gsl_rng *random = gsl_rng_alloc(at_rng_philox);
        if (random == NULL)
            return at_error_memory(err, "a random stream");
        at_rng_stream(random, source->seed, AT_STREAM_SCORE, 0, 0);
        status = at_corpus_make_up(&data->corpus, source->documents * (source->labelled ? 4 : 1),
                                   random, err);
        gsl_rng_free(random);
    }
    if (status != AT_OK)
        return status;
    const char *const *words = (const char *const *) data->corpus.words;
    size_t count = data->corpus.word_count;
    if (source->embeddings != NULL)
        status = at_vectors_read(&data->vectors, source->embeddings, words, count, err);
    else
        status =
            at_vectors_make_up(&data->vectors, source->dimension, words, count, source->seed, err);
    if (status != AT_OK)
        at_corpus_clear(&data->corpus);
    return status;
}

void at_energy_data_clear(at_energy_data *data)
{
    at_corpus_clear(&data->corpus);
    at_vectors_clear(&data->vectors);
}

void at_energy_data_describe(char *text, size_t size, const at_energy_data *data,
                             const at_energy_source *source)
{
    int used = data->corpus.made_up
        ? snprintf(text, size, "made-up documents (seed %llu)", (unsigned long long) source->seed)
        : snprintf(text, size, "%s %s%s%s%s", data->corpus.format, source->text,
                   data->corpus.columns[0] != '\0' ? " (" : "", data->corpus.columns,
                   data->corpus.columns[0] != '\0' ? ")" : "");

    if (used < 0 || (size_t) used >= size)
        return;
    if (data->vectors.made_up)
        snprintf(text + used, size - (size_t) used, ", made-up vectors (d = %zu, seed %llu)",
                 data->vectors.dimension, (unsigned long long) source->seed);
    else
        snprintf(text + used, size - (size_t) used, ", %s %s (d = %zu)", data->vectors.format,
                 source->embeddings, data->vectors.dimension);
}

void at_energy_data_json(json_t *summary, const at_energy_data *data)
{
    const at_corpus *c = &data->corpus;
    const at_vectors *v = &data->vectors;

    json_object_set_new(summary, "left_out",
                        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "documents_empty",
                                  (json_int_t) c->empty, "documents_not_utf8",
                                  (json_int_t) c->invalid, "documents_shortened",
                                  (json_int_t) c->shortened, "vectors_repeated",
                                  (json_int_t) v->duplicates, "vectors_with_blanks",
                                  (json_int_t) v->with_blanks, "vectors_without_word",
                                  (json_int_t) v->without_word, "folder_entries",
                                  (json_int_t) c->skipped));
}

const char *at_energy_origin(const at_energy_data *data)
{
    return data->corpus.made_up || data->vectors.made_up ? " [made-up]" : "";
}

/* Scratch of one thread. */
typedef struct {
    at_energy_work *work;
    at_energy_bound *bound;      /* NULL with certify */
    double *Y, *X, *next, *theta;
    size_t *rotation;
} bench;

static int bench_open(bench *b, const at_energy_job *job, size_t longest, at_error *err)
{
    const at_energy_model *model = job->model;
    size_t size = (longest + 1) * model->d;

    *b = (bench) { 0 };
    int status = at_energy_work_alloc(&b->work, model, longest, 1, err);
    if (status == AT_OK && !job->certify)
        status = at_energy_bound_alloc(&b->bound, model, longest, b->work, err);
    b->Y = malloc(size * sizeof *b->Y);
    b->X = malloc(size * sizeof *b->X);
    b->next = malloc(size * sizeof *b->next);
    b->theta = malloc((longest + 1) * sizeof *b->theta);
    b->rotation = malloc((longest + 1) * sizeof *b->rotation);
    if (status == AT_OK && (b->Y == NULL || b->X == NULL || b->next == NULL || b->theta == NULL
                            || b->rotation == NULL))
        status = at_error_memory(err, "a document's embeddings");
    return status;
}

static void bench_close(bench *b)
{
    at_energy_bound_free(b->bound);
    at_energy_work_free(b->work);
    free(b->Y);
    free(b->X);
    free(b->next);
    free(b->theta);
    free(b->rotation);
}

static void count_step(at_energy_count *c, int outcome, bool by_bound)
{
    c->steps++;
    c->descending += outcome == AT_STEP_DESCENDS;
    c->rising += outcome == AT_STEP_RISES;
    c->tied += outcome == AT_STEP_TIES;
    c->undecided += outcome == AT_STEP_UNDECIDED;
    c->by_bound += by_bound;
    c->by_ball += !by_bound && outcome != AT_STEP_UNDECIDED;
}

static bool finite_parts(const at_energy_parts *parts)
{
    return isfinite(parts->total) && isfinite(parts->attention);
}

/* One half-step from b->Y to b->next, whose energy is measured and whose sign is decided: by the bound
 * where it can, else in balls. */
static int decide_step(at_energy_count *c, at_energy_parts *after, bench *b, size_t half,
                       const at_energy_job *job, const at_energy_fixed *fixed, at_error *err)
{
    const at_energy_model *model = job->model;
    at_energy_certificate certificate = { .outcome = AT_STEP_UNDECIDED };
    size_t n = c->tokens;
    double change = 0, error = INFINITY;

    at_energy_thetas(b->theta, n, model, b->work);
    at_energy_advance(b->next, b->Y, b->X, n, half, model, b->work);
    if (b->bound != NULL)
        at_energy_bound_rows(b->bound, b->next, b->Y, b->X, n, half, model, b->work);
    at_energy_measure(after, b->next, b->X, n, model, b->work);
    if (b->bound != NULL)
        at_energy_bound_change(&change, &error, b->bound, b->next, b->Y, b->X, n, model, b->work);
    if (fabs(change) > error) {
        count_step(c, change < 0 ? AT_STEP_DESCENDS : AT_STEP_RISES, true);
        return AT_OK;
    }
    int status = at_energy_certify(&certificate, model, fixed, half, b->Y, b->X, n, b->theta,
                                   b->rotation, err);
    count_step(c, (int) certificate.outcome, false);
    return status;
}

/* The embeddings are in b->Y. */
static int run_document(at_energy_count *c, at_energy_parts *energy, bench *b,
                        const at_energy_job *job, const at_energy_fixed *fixed, at_error *err)
{
    const at_energy_model *model = job->model;
    size_t n = c->tokens, size = n * model->d, halves = at_energy_halves(model->step);
    at_energy_parts after;
    int status = at_energy_prepare(b->Y, n, model, err);

    memcpy(b->X, b->Y, size * sizeof *b->X);
    at_energy_measure(&energy[0], b->Y, b->X, n, model, b->work);
    if (status == AT_OK && !finite_parts(&energy[0]))
        return at_error_set(err, AT_INPUT, "document %zu: its vectors are so large that their energy is "
                            "not finite", c->document + 1);
    for (size_t k = 0; k < job->layers * halves && status == AT_OK; k++) {
        size_t layer = k / halves + 1, undecided = c->undecided;
        if (at_interrupted())
            return AT_OK;
        status = decide_step(c, &after, b, k % halves, job, fixed, err);
        if (!finite_parts(&after))
            return at_error_set(err, AT_UNEXPECTED,
                                "document %zu, layer %zu: the energy is not finite",
                                c->document + 1, layer);
        if (c->undecided > undecided && c->first_undecided == 0)
            c->first_undecided = layer;
        if (k % halves == halves - 1)
            energy[layer] = after;
        double *swap = b->Y;
        b->Y = b->next;
        b->next = swap;
    }
    c->done = status == AT_OK;
    return status;
}

static void add_count(at_energy_count *to, const at_energy_count *from)
{
    to->document += from->done;
    to->tokens += from->tokens;
    to->missing += from->missing;
    to->steps += from->steps;
    to->descending += from->descending;
    to->rising += from->rising;
    to->tied += from->tied;
    to->undecided += from->undecided;
    to->by_bound += from->by_bound;
    to->by_ball += from->by_ball;
}

static void sum_up(at_energy_result *r)
{
    for (size_t k = 0; k < r->count; k++) {
        const at_energy_count *c = &r->documents[k];
        if (!c->done) {
            r->wordless += c->tokens == 0 && c->missing > 0;
            continue;
        }
        add_count(&r->total, c);
        r->unrising_documents += c->rising == 0;
    }
    /* words without a vector of documents that have none at all are missing too */
    for (size_t k = 0; k < r->count; k++)
        if (r->documents[k].tokens == 0)
            r->total.missing += r->documents[k].missing;
}

int at_energy_process(at_energy_result *r, const at_energy_data *data, size_t first, size_t count,
                      const at_energy_job *job, at_error *err)
{
    size_t longest = 1, done = 0;
    int status = AT_OK, threads = job->threads > 1 ? job->threads : 1;
    at_progress progress;
    double start = at_now();

    *r = (at_energy_result) { .count = count, .layers = job->layers };
    r->documents = calloc(count + 1, sizeof *r->documents);
    r->energy = calloc((count + 1) * (job->layers + 1), sizeof *r->energy);
    if (r->documents == NULL || r->energy == NULL) {
        at_energy_result_clear(r);
        return at_error_memory(err, "the energies of the documents");
    }
    for (size_t k = first; k < first + count; k++) {
        size_t n = data->corpus.start[k + 1] - data->corpus.start[k];
        longest = n > longest ? n : longest;
    }
    at_energy_fixed *fixed = NULL;
    status = at_energy_certify_prepare(&fixed, job->model, err);
    if (status != AT_OK) {
        at_energy_result_clear(r);
        return status;
    }
    at_blas_single_thread();
    at_progress_start(&progress, job->label, "documents", count, job->quiet);
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
        bench b;
        at_error own = AT_ERROR_INIT;
        int own_status = bench_open(&b, job, longest, &own);
#ifdef _OPENMP
#pragma omp for schedule(dynamic, 1)
#endif
        for (long k = 0; k < (long) count; k++) {
            at_energy_count *c = &r->documents[k];
            if (own_status != AT_OK || at_interrupted())
                continue;
            c->document = first + (size_t) k;
            c->tokens =
                at_vectors_embed(b.Y, &c->missing, &data->vectors, &data->corpus, c->document);
            if (c->tokens > 0)
                own_status =
                    run_document(c, r->energy + (size_t) k * (job->layers + 1), &b, job, fixed,
                                 &own);
#ifdef _OPENMP
#pragma omp critical
#endif
            at_progress_update(&progress, ++done, NULL);
        }
        bench_close(&b);
#ifdef _OPENMP
#pragma omp critical
#endif
        if (own_status != AT_OK && status == AT_OK) {
            status = own_status;
            if (err != NULL)
                *err = own;
        }
        flint_cleanup();
    }
    at_progress_finish(&progress);
    at_energy_fixed_free(fixed);
    (void) threads;
    r->interrupted = at_interrupted();
    r->seconds = at_now() - start;
    sum_up(r);
    if (status != AT_OK)
        at_energy_result_clear(r);
    return status;
}

void at_energy_result_clear(at_energy_result *result)
{
    free(result->documents);
    free(result->energy);
    *result = (at_energy_result) { 0 };
}
