/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents through energy layers, spread over threads, each step decided: what
 * `attest energy` and the recipes of the energy figures share. */
#ifndef ATTEST_EXPERIMENTS_ENERGY_RUN_H
#define ATTEST_EXPERIMENTS_ENERGY_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/experiments/run/run.h"
#include "attest/numeric/energy/energy.h"
#include "attest/numeric/text/text.h"
#include "attest/numeric/text/vectors.h"
#include "attest/theory/energy/energy.h"

/* Where documents and vectors come from; NULL: made up. */
typedef struct {
    const char *text, *embeddings;
    const char *text_column, *label_column;   /* NULL: by their names; "-": none */
    size_t documents;        /* at most; 0: all */
    size_t longest;          /* tokens a document */
    size_t dimension;        /* of made-up vectors */
    bool labelled;           /* keep all of the text, for training */
    uint64_t seed;
} at_energy_source;

typedef struct {
    at_corpus corpus;
    at_vectors vectors;
} at_energy_data;

/* AT_INPUT of the readers. */
int at_energy_data_load(at_energy_data *data, const at_energy_source *source,
                        at_error *err) AT_MUST_CHECK;
void at_energy_data_clear(at_energy_data *data);
/* "872 documents of SST-2 TSV a.tsv, vectors of GloVe text b.txt" or what was made up. */
void at_energy_data_describe(char *text, size_t size, const at_energy_data *data,
                             const at_energy_source *source);

/* What was left out of both, into a summary. */
void at_energy_data_json(json_t *summary, const at_energy_data *data);

/* " [made-up]" for a label where documents or vectors are, else "". */
const char *at_energy_origin(const at_energy_data *data);

/* Layers to run, with everything that sets them. */
typedef struct {
    const at_energy_model *model;
    size_t layers;
    bool certify;
    int threads;
    bool quiet;              /* no progress */
    const char *label;       /* of the progress bar */
} at_energy_job;

typedef struct {
    size_t document;         /* index in the corpus */
    size_t tokens, missing;
    size_t steps, descending, rising, tied, undecided;
    size_t by_bound, by_ball;      /* steps = by_bound + by_ball + undecided */
    size_t first_undecided;        /* its layer, from 1; 0: none */
    bool done;
} at_energy_count;

typedef struct {
    size_t count, layers;
    at_energy_count *documents;   /* count */
    at_energy_parts *energy;      /* count × (layers + 1); only where done */
    at_energy_count total;        /* sums over the done ones; total.document: their number */
    size_t wordless;              /* documents without a token that has a vector */
    size_t unrising_documents;     /* done documents without a rising step */
    bool interrupted;
    double seconds;
} at_energy_result;

/* Documents first … first + count − 1 of the corpus.  Each step, from the doubles of Y^t to the real Y^{t+1}, is
 * decided where the change in double exceeds its proved rounding error (numeric/energy_bound.h), else in
 * balls; with certify, all are decided in balls.  An interrupt ends with what there is. */
int at_energy_process(at_energy_result *result, const at_energy_data *data, size_t first,
                      size_t count, const at_energy_job *job, at_error *err) AT_MUST_CHECK;
void at_energy_result_clear(at_energy_result *result);

/* What the certificates of a model share; at_energy_fixed_free. */
int at_energy_certify_prepare(at_energy_fixed **fixed, const at_energy_model *model,
                              at_error *err) AT_MUST_CHECK;
/* One half-step, decided in balls (theory/energy/energy.h).  fixed: of the model, or NULL; theta: from
 * at_energy_thetas; rotation: n entries of scratch. */
int at_energy_certify(at_energy_certificate *certificate, const at_energy_model *model,
                      const at_energy_fixed *fixed, size_t half,
                      const double *Y, const double *X, size_t n, const double *theta,
                      size_t *rotation, at_error *err) AT_MUST_CHECK;

/* Whether the step's claim says that it descends with this ρ and these parameters. */
bool at_energy_expected(const at_energy_model *model);

/* What a curve of a figure shows: mean and quartiles over the done documents, a row a layer. */
void at_energy_curve(at_table *table, size_t curve, const char *label,
                     const at_energy_result *result);

/* summary.json (doc/attest.schema.json): a new reference. */
json_t *at_energy_summary(const at_energy_result *result, const at_energy_job *job);

#endif
