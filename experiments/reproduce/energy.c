/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energy layers in the report: what was measured of each beside the verdict of the claim that
 * says whether it descends (reproduce.h). */
#include <string.h>

#include "attest/experiments/reproduce/reproduce.h"

static json_int_t number(const json_t *layer, const char *key)
{
    return json_integer_value(json_object_get(layer, key));
}

/* What this run decided of a claim; NULL when it did not. */
static const char *verdict_of(const json_t *claims, const char *id)
{
    size_t index;
    json_t *claim;

    json_array_foreach((json_t *) claims, index, claim) {
        const char *name = json_string_value(json_object_get(claim, "id"));
        if (name != NULL && strcmp(name, id) == 0)
            return json_string_value(json_object_get(claim, "verdict"));
    }
    return NULL;
}

static void put_claim(at_report *report, const json_t *layer, const json_t *claims)
{
    const char *id = json_string_value(json_object_get(layer, "claim")),
               *verdict = id != NULL ? verdict_of(claims, id) : NULL;

    if (id == NULL)
        at_report_markdown(report, "none | ");
    else
        at_report_markdown(report, "`%s`%s%s | ", id, verdict != NULL ? ", " : "",
                           verdict != NULL ? verdict : "");
    at_report_markdown(report, "%s | ", json_is_true(json_object_get(layer, "claim_says_descends"))
                                        ? "descends" : "no descent claimed");
}

static void put_layer(at_report *report, const json_t *layer, const json_t *claims)
{
    const char *label = json_string_value(json_object_get(layer, "label"));
    json_int_t steps = number(layer, "steps");

    at_report_markdown(report, "| ");
    at_report_text(report, label != NULL ? label : json_string_value(json_object_get(layer, "step")));
    at_report_markdown(report, " | ");
    put_claim(report, layer, claims);
    at_report_markdown(report, "%.1f %% | ",
                       steps > 0 ? 100.0 * (double) number(layer, "descending") / (double) steps : 0.0);
    at_report_markdown(report, "%" JSON_INTEGER_FORMAT " | %" JSON_INTEGER_FORMAT " | %"
                       JSON_INTEGER_FORMAT " | ", number(layer, "tied"), number(layer, "rising"),
                       number(layer, "undecided"));
    at_report_markdown(report, "%" JSON_INTEGER_FORMAT " | %" JSON_INTEGER_FORMAT " of %"
                       JSON_INTEGER_FORMAT " | %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " |\n",
                       number(layer, "by_bound"), number(layer, "by_ball"), steps,
                       number(layer, "documents_without_rise"), number(layer, "documents"));
}

/* The steps of layers whose claim says descent. */
typedef struct {
    json_int_t steps, rising, undecided, by_bound, by_ball;
} claimed_steps;

static void add_claimed(claimed_steps *sum, const json_t *layer)
{
    if (!json_is_true(json_object_get(layer, "claim_says_descends")))
        return;
    sum->steps += number(layer, "steps");
    sum->rising += number(layer, "rising");
    sum->undecided += number(layer, "undecided");
    sum->by_bound += number(layer, "by_bound");
    sum->by_ball += number(layer, "by_ball");
}

/* "None rises" only where every step was decided and none does. */
static void put_claimed(at_report *report, const claimed_steps *sum)
{
    if (sum->steps == 0)
        return;
    at_report_markdown(report, "\nOf %" JSON_INTEGER_FORMAT " half-steps where a claim says descent, "
                       "%" JSON_INTEGER_FORMAT " were decided by the rounding bound and %"
                       JSON_INTEGER_FORMAT " in balls. ", sum->steps, sum->by_bound, sum->by_ball);
    if (sum->rising == 0 && sum->undecided == 0)
        at_report_markdown(report, "None of them rises.\n");
    else
        at_report_markdown(report, "**%" JSON_INTEGER_FORMAT " rise and %" JSON_INTEGER_FORMAT
                           " are undecided.**\n", sum->rising, sum->undecided);
}

static void put_training(at_report *report, const json_t *training, const char *what)
{
    if (training == NULL)
        return;
    at_report_markdown(report, "Weights trained%s on %" JSON_INTEGER_FORMAT " documents: %.1f %% of them and "
                       "%.1f %% of %" JSON_INTEGER_FORMAT " held out are classified right.\n\n", what,
                       number(training, "documents"),
                       100.0 * json_real_value(json_object_get(training, "accuracy")),
                       100.0 * json_real_value(json_object_get(training, "held_out_accuracy")),
                       number(training, "held_out_documents"));
}

void at_report_layers(at_report *report, const json_t *summary, const json_t *claims)
{
    static const char *const lists[] = { "panels", "layers_by_rho" };
    bool one = json_object_get(summary, "claim_says_descends") != NULL;
    size_t index, found = one;
    claimed_steps sum = { 0 };
    json_t *layer;

    for (size_t k = 0; k < 2; k++)
        found += json_array_size(json_object_get(summary, lists[k]));
    if (found == 0)
        return;
    put_training(report, json_object_get(summary, "training"), "");
    put_training(report, json_object_get(summary, "training_relu"), " with ReLU");
    at_report_markdown(report, "| layer | claim, its verdict | it says | half-steps that descend | tied "
                       "| rising | undecided | decided by bound | in balls | documents without a rise |\n"
                       "|---|---|---|---|---|---|---|---|---|---|\n");
    if (one) {
        put_layer(report, summary, claims);
        add_claimed(&sum, summary);
    }
    for (size_t k = 0; k < 2; k++)
        json_array_foreach(json_object_get(summary, lists[k]), index, layer) {
            put_layer(report, layer, claims);
            add_claimed(&sum, layer);
        }
    put_claimed(report, &sum);
    at_report_markdown(report, "\n");
}
