/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a run of energy layers and what is printed of it (energy_output.h). */
#include "attest/experiments/energy/output.h"

#include <stdio.h>

static const char *relu_note(const at_energy_model *model)
{
    return at_energy_from_relu(model) ? ", ReLU, from ReLU(Y⁰)" : model->relu ? ", ReLU" : "";
}

/* metrics.tsv, energy.tsv, documents.tsv. */
int at_energy_write_tables(const at_run *run, const at_energy_result *r, const at_energy_job *job,
                           const at_energy_data *data, at_error *err)
{
    at_table documents, curve, metrics;
    char label[160];

    at_table_init(&documents,
                  "document\ttokens\tsteps\tdescending\trising\ttied\tundecided\tcertified\t"
                  "words_missing\tenergy_first\tenergy_last\tby_bound");
    for (size_t k = 0; k < r->count; k++) {
        const at_energy_count *c = &r->documents[k];
        const at_energy_parts *e = r->energy + k * (r->layers + 1);
        if (c->done)
            at_table_row(&documents, "%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%.17g\t%.17g\t%zu",
                         c->document + 1, c->tokens, c->steps, c->descending, c->rising, c->tied,
                         c->undecided, c->by_ball, c->missing, e[0].total, e[r->layers].total,
                         c->by_bound);
    }
    int status = at_table_write(&documents, run, "documents.tsv", err);
    at_table_clear(&documents);

    snprintf(label, sizeof label, "%s, %s%s%s", at_steps[job->model->step].name,
             at_rho_text(job->model->rho), relu_note(job->model), at_energy_origin(data));
    at_table_init(&curve, "curve\tvariant\tlayer\tmean\tq1\tmedian\tq3");
    at_energy_curve(&curve, 1, label, r);
    if (status == AT_OK)
        status = at_table_write(&curve, run, "energy.tsv", err);
    at_table_clear(&curve);

    at_table_init(&metrics, "layer\tenergy_mean\tattention_mean\tregulariser_mean\tffn_mean");
    for (size_t t = 0; t <= r->layers; t++) {
        at_energy_parts sum = { 0, 0, 0, 0 };
        double count = (double) r->total.document;
        for (size_t k = 0; k < r->count; k++) {
            const at_energy_parts *e = r->energy + k * (r->layers + 1) + t;
            if (!r->documents[k].done)
                continue;
            sum.total += e->total;
            sum.attention += e->attention;
            sum.regulariser += e->regulariser;
            sum.ffn += e->ffn;
        }
        if (count > 0)
            at_table_row(&metrics, "%zu\t%.17g\t%.17g\t%.17g\t%.17g", t, sum.total / count,
                         sum.attention / count, sum.regulariser / count, sum.ffn / count);
    }
    if (status == AT_OK)
        status = at_table_write(&metrics, run, "metrics.tsv", err);
    at_table_clear(&metrics);
    if (status == AT_OK)
        status = at_run_incomplete(run, "documents", r->total.document,
                                   r->interrupted ? r->count : r->total.document, err);
    return status;
}

/* What is known of a formula that the theorems need. */
static void print_own_rho(const at_rho *rho)
{
    if (rho->concave_to > 0)
        printf("rho: non-decreasing and concave on [0, %.6g], certified in balls\n", rho->concave_to);
    else
        printf("rho: concave at 1,000 points; not certified between them, so no theorem applies\n");
}

/* A step that neither bound nor balls decide is an exact tie that no rule proves, or nearly one. */
static void print_undecided(const at_energy_result *r)
{
    enum { SHOWN = 5 };
    size_t shown = 0;

    for (size_t k = 0; k < r->count; k++) {
        const at_energy_count *c = &r->documents[k];
        if (!c->done || c->undecided == 0)
            continue;
        if (shown++ < SHOWN)
            printf("undecided: %zu in document %zu, the first in layer %zu\n", c->undecided,
                   c->document + 1, c->first_undecided);
    }
    if (shown > SHOWN)
        printf("undecided in %zu documents more\n", shown - SHOWN);
}

static const char *verdict(const at_energy_count *c, bool expected)
{
    if (!expected)
        return "no claim that this layer descends";
    if (c->rising > 0)
        return "REFUTED by this run: a proved step rises";
    if (c->undecided > 0)
        return "not shown by this run: a step is undecided";
    return c->steps > 0 ? "descends, as proved" : "not shown by this run: it has no step";
}

void at_energy_print(const at_energy_result *r, const at_energy_job *job, const char *source,
                     const at_energy_data *data, const at_energy_weights *weights,
                     const at_run *run)
{
    const at_energy_count *c = &r->total;
    const at_step_info *step = &at_steps[job->model->step];
    double first = 0, last = 0;

    for (size_t k = 0; k < r->count; k++)
        if (r->documents[k].done) {
            first += r->energy[k * (r->layers + 1)].total / (double) c->document;
            last += r->energy[k * (r->layers + 1) + r->layers].total / (double) c->document;
        }
    printf("%zu documents, %zu tokens; %s\n", c->document, c->tokens, source);
    printf("words without a vector: %zu of %zu (%.1f %%)\n", c->missing, c->missing + c->tokens,
           c->missing > 0 ? 100.0 * (double) c->missing / (double) (c->missing + c->tokens) : 0.0);
    if (data->corpus.empty + data->corpus.invalid + data->corpus.shortened + r->wordless > 0)
        printf(
            "left out: %zu empty, %zu not UTF-8, %zu without any vector; cut to the longest: %zu\n",
            data->corpus.empty, data->corpus.invalid, r->wordless, data->corpus.shortened);
    if (data->corpus.skipped > 0)
        printf("not read: %zu entries of the folder that are no documents\n", data->corpus.skipped);
    if (data->vectors.duplicates + data->vectors.with_blanks + data->vectors.without_word > 0)
        printf("vectors left out: %zu of a word that had one, %zu of words with blanks, %zu without a "
               "word\n", data->vectors.duplicates, data->vectors.with_blanks,
               data->vectors.without_word);
    if (weights->trained)
        printf("trained on %zu documents: accuracy %.3f on them, %.3f on %zu held out\n",
               weights->training_documents, weights->training_accuracy, weights->test_accuracy,
               weights->test_documents);
    printf("%zu layers of %s, rho %s%s: mean energy %.8g -> %.8g\n", r->layers, step->name,
           at_rho_text(job->model->rho), relu_note(job->model), first, last);
    printf("steps %zu: %zu descending, %zu rising, %zu tied, %zu undecided\n", c->steps,
           c->descending, c->rising, c->tied, c->undecided);
    if (job->certify)
        printf("certified in balls: %zu of %zu\n", c->by_ball, c->steps);
    else
        printf("decided by a proved rounding bound: %zu, in balls: %zu\n", c->by_bound, c->by_ball);
    print_undecided(r);
    if (step->claim != NULL && job->model->rho->id < 0)
        print_own_rho(job->model->rho);
    if (step->claim != NULL)
        printf("%s: %s\n", step->claim,
               verdict(c, at_energy_expected(job->model)));
    printf("%.2f s; run in %s\n", r->seconds, run->directory);
}
