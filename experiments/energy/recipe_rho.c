/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention weight against distance for each ρ, and what each attends to on the
 * documents (experiments/energy/figures.h). */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "attest/experiments/energy/figures.h"
#include "attest/numeric/energy/pairs.h"

/* Means over the tokens of all documents of one or more tokens. */
typedef struct {
    double self;        /* a_ii */
    double far;         /* Σ a_ij over the j ≠ i farther than the document's median pair */
    double entropy;     /* of the row, over log n */
    double spread;      /* E‖y_i' − y_j'‖² over E‖y_i − y_j‖², after one layer */
    size_t tokens, documents;
} attention_shares;

/* Distances of the n tokens in z (n×n, symmetric), their median over i < j. */
static double median_pair(double *sorted, const double *z, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            sorted[count++] = z[i * n + j];
    gsl_sort(sorted, 1, count);
    return gsl_stats_median_from_sorted_data(sorted, 1, count);
}

static void add_document(attention_shares *s, const double *z, size_t n, double median,
                         const at_rho *rho)
{
    double own = at_rho_jet(rho, 0).first;

    for (size_t i = 0; i < n; i++) {
        double degree = 0, far = 0, entropy = 0;
        for (size_t j = 0; j < n; j++) {
            double w = j == i ? own : at_rho_jet(rho, z[i * n + j]).first;
            degree += w;
            far += j != i && z[i * n + j] > median ? w : 0;
            entropy -= w > 0 ? w * log(w) : 0;
        }
        s->self += own / degree;
        s->far += far / degree;
        s->entropy += (entropy / degree + log(degree)) / log((double) n);
        s->tokens++;
    }
    s->documents++;
}

static double mean_square_distance(const double *z, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            sum += z[i * n + j];
    return sum;
}

/* Distances of Y and of AY, into z; the ratio of their sums. */
static double one_layer(double *z, double *Y, size_t n, const at_energy_model *model,
                        at_energy_work *work, double *scratch)
{
    at_energy_parts parts;
    double before;

    at_pairs_distances(z, Y, n, model->d, scratch, 1);
    before = mean_square_distance(z, n);
    at_energy_measure(&parts, Y, NULL, n, model, work);
    at_energy_advance(Y, Y, NULL, n, 0, model, work);
    at_pairs_distances(z, Y, n, model->d, scratch, 1);
    return before > 0 ? mean_square_distance(z, n) / before : 1;
}

static int measure(attention_shares *s, const at_rho *rho, const at_energy_recipe *recipe,
                   at_error *err)
{
    const at_energy_data *data = recipe->data;
    size_t d = data->vectors.dimension, longest = 1;
    at_energy_model model;
    at_energy_work *work = NULL;

    *s = (attention_shares) { 0 };
    for (size_t k = 0; k < data->corpus.count; k++) {
        size_t n = data->corpus.start[k + 1] - data->corpus.start[k];
        longest = n > longest ? n : longest;
    }
    int status =
        at_energy_model_init(&model, AT_STEP_SOFTMAX_BETA, rho, d, 1, NULL, NULL, NULL, err);
    if (status != AT_OK)
        return status;
    status = at_energy_work_alloc(&work, &model, longest, 1, err);
    double *Y = malloc(longest * d * sizeof *Y), *z = malloc(longest * longest * sizeof *z),
           *sorted = malloc(longest * longest * sizeof *sorted),
           *scratch = malloc(at_pairs_scratch(longest, d) * sizeof *scratch);
    if (status == AT_OK && (Y == NULL || z == NULL || sorted == NULL || scratch == NULL))
        status = at_error_memory(err, "the attention of a document");
    for (size_t k = 0; k < data->corpus.count && status == AT_OK; k++) {
        size_t n = at_vectors_embed(Y, NULL, &data->vectors, &data->corpus, k);
        if (n < 2)
            continue;
        at_pairs_distances(z, Y, n, d, scratch, 1);
        at_pairs_mirror(z, n);
        add_document(s, z, n, median_pair(sorted, z, n), rho);
        s->spread += one_layer(z, Y, n, &model, work, scratch);
    }
    at_energy_work_free(work);
    at_energy_model_clear(&model);
    free(Y);
    free(z);
    free(sorted);
    free(scratch);
    return status;
}

static int put_rho(at_table *curve, at_table *shares, json_t *list, size_t number,
                   const at_rho *rho, const at_energy_recipe *recipe, at_error *err)
{
    enum { POINTS = 121 };
    attention_shares s;
    double own = at_rho_jet(rho, 0).first;
    int status = measure(&s, rho, recipe, err);

    if (status != AT_OK)
        return status;
    for (size_t k = 0; k < POINTS; k++) {
        double distance = 12.0 * (double) k / (POINTS - 1), z = 0.5 * distance * distance;
        at_table_row(curve, "%zu\t%s\t%.17g\t%.17g\t%.17g", number, at_rho_text(rho), distance, z,
                     at_rho_jet(rho, z).first / own);
    }
    if (s.tokens == 0)
        return AT_OK;
    double tokens = (double) s.tokens, documents = (double) s.documents;
    at_table_row(shares, "%zu\t%s\t%.17g\t%.17g\t%.17g\t%.17g\t%zu\t%zu\t%s", number,
                 at_rho_text(rho), s.self / tokens, s.far / tokens, s.entropy / tokens,
                 s.spread / documents, s.tokens, s.documents,
                 *at_energy_origin(recipe->data) != '\0' ? "made-up" : "given");
    json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:f}", "rho", at_rho_text(rho),
                                          "weight_on_self", s.self / tokens, "weight_on_far_half",
                                          s.far / tokens, "entropy_share", s.entropy / tokens,
                                          "spread_after_one_layer", s.spread / documents));
    return AT_OK;
}

int at_recipe_rho(const at_energy_recipe *recipe, at_error *err)
{
    at_table curve, shares;
    json_t *list = json_array();
    int status = AT_OK;

    at_table_init(&curve, "curve\trho\tdistance\tz\tweight_relative");
    at_table_init(&shares, "curve\trho\tweight_on_self\tweight_on_far_half\tentropy_share\t"
                           "spread_after_one_layer\ttokens\tdocuments\tsource");
    for (int id = 0; id < AT_RHO_COUNT && status == AT_OK; id++) {
        const at_rho rho = { .id = id };
        status = put_rho(&curve, &shares, list, (size_t) id + 1, &rho, recipe, err);
    }
    if (status == AT_OK && recipe->rho->id < 0)   /* the user's own beside them */
        status = put_rho(&curve, &shares, list, AT_RHO_COUNT + 1, recipe->rho, recipe, err);
    json_object_set_new(recipe->summary, "attention", list);
    if (status == AT_OK)
        status = at_table_write(&shares, recipe->run, "rho-attention.tsv", err);
    if (status == AT_OK)
        status = at_table_write(&curve, recipe->run, "rho.tsv", err);
    at_table_clear(&curve);
    at_table_clear(&shares);
    return status;
}
