/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of the report, from what the parts left in their folders. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/experiments/run/report.h"
#include "attest/experiments/reproduce/reproduce.h"
#include "attest/plots/plot.h"

json_t *at_part_json(const at_reproduction *reproduction, const char *part, const char *name)
{
    char *folder = at_path_join(reproduction->directory, part);
    char *path = folder != NULL ? at_path_join(folder, name) : NULL;
    json_t *value = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    free(path);
    free(folder);
    return value;
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static size_t count_expected(const json_t *claims, size_t *total)
{
    size_t index, expected = 0;
    json_t *claim;
    json_array_foreach((json_t *) claims, index, claim)
        expected += json_is_true(json_object_get(claim, "as_expected"));
    *total = json_array_size(claims);
    return expected;
}

static void put_command(at_report *report, const at_job *job)
{
    at_report_markdown(report, "`attest");
    for (size_t k = 0; job->arguments[k] != NULL; k++) {
        /* A back tick inside a code span would end it. */
        const char *word = strchr(job->arguments[k], '`') == NULL ? job->arguments[k] : "(…)";
        const char *quote = strpbrk(word, " *^'\"[];|&$()<>") != NULL ? "'" : "";
        at_report_markdown(report, " %s%s%s", quote, word, quote);
    }
    at_report_markdown(report, "`");
}

static const char *outcome(const at_job *job)
{
    if (!job->done)
        return "**did not run**";
    switch (job->status) {
    case AT_OK: return "as\u00a0expected";
    case AT_UNEXPECTED: return "**not as\u00a0expected**";
    case AT_USAGE: return "**wrong usage**";
    case AT_INPUT: return "**bad input**";
    default: return "**failed**";
    }
}

/* Which documents and vectors the energy parts read. */
static void put_data(at_report *report, const at_reproduction *reproduction)
{
    at_report_markdown(report, "\nDocuments: ");
    for (size_t k = 0; k < reproduction->text_count; k++) {
        at_report_markdown(report, k > 0 ? ", " : "");
        at_report_text(report, reproduction->texts[k].path);
    }
    at_report_markdown(report, "%s; word vectors: ",
                       reproduction->text_count == 0 ? "made up by the program" : "");
    at_report_text(report, reproduction->embeddings != NULL ? reproduction->embeddings
                                                            : "made up by the program");
    at_report_markdown(report, ".%s\n\n", reproduction->untrained
                       ? " No text has labels, so the figures of trained weights are left out."
                       : "");
}

/* A line a part, which leads to the part's own section. */
static void put_glance_row(at_report *report, const at_planned *planned, const at_job *job)
{
    const bool claims = strcmp(planned->part->name, "verify") == 0;
    if (planned->part->section == AT_SECTION_VERDICT && !claims)
        at_report_markdown(report, "| %s", planned->title);
    else
        at_report_markdown(report, "| [%s](#part-%s)", planned->title,
                           claims ? "steps-of-claims" : planned->name);
    at_report_markdown(report, " | %s | %.1f |\n", outcome(job), job->done ? job->seconds : 0.0);
}

static void put_glance(at_report *report, const at_reproduction *reproduction)
{
    size_t total = 0, good = 0;
    json_t *verify = at_part_json(reproduction, "verify", "output.json");
    size_t expected = count_expected(json_object_get(verify, "claims"), &total);
    for (size_t k = 0; k < reproduction->count; k++)
        good += reproduction->jobs[k].done && reproduction->jobs[k].status == AT_OK;
    at_report_markdown(report, "## Verdict at a glance\n\n");
    at_report_markdown(report, "**");
    if (total > 0)
        at_report_markdown(report, "%zu of %zu claims decided as expected; ", expected, total);
    at_report_markdown(report, "%zu of %zu parts ended as expected.** ", good, reproduction->count);
    at_report_markdown(report, "A claim is PROVED for all real parameters at the sizes that its scope "
                       "names, CERTIFIED on the instances that its scope names, or REFUTED by a witness "
                       "that a second evaluation re-checked. Nothing is decided by rounding.\n\n");
    at_report_markdown(report, "| part | outcome | seconds |\n|---|---|---|\n");
    for (size_t k = 0; k < reproduction->count; k++)
        put_glance_row(report, &reproduction->planned[k], &reproduction->jobs[k]);
    put_data(report, reproduction);
    json_decref(verify);
}

/* The claims whose id begins with prefix, a line each. */
static void put_claims(at_report *report, const json_t *claims, const char *title, const char *prefix)
{
    size_t index;
    json_t *claim;
    at_report_markdown(report, "### %s\n\n", title);
    at_report_markdown(report, "| claim | statement | verdict | scope |\n|---|---|---|---|\n");
    json_array_foreach((json_t *) claims, index, claim) {
        const char *id = string_of(claim, "id");
        if (strncmp(id, prefix, strlen(prefix)) != 0)
            continue;
        at_report_markdown(report, "| `%s` | ", id);
        at_report_text(report, string_of(claim, "statement"));
        at_report_markdown(report, " | %s%s | ", string_of(claim, "verdict"),
                           json_is_true(json_object_get(claim, "as_expected")) ? ""
                                                                               : " **(unexpected)**");
        at_report_text(report, string_of(claim, "scope"));
        at_report_markdown(report, " |\n");
    }
    at_report_markdown(report, "\n");
}

/* Every figure whose table lies in the part's folder. */
static void put_figures(at_report *report, const at_reproduction *reproduction, const char *name)
{
    char *folder = at_path_join(reproduction->directory, name);
    for (const at_figure *figure = at_figures; folder != NULL && figure->name != NULL; figure++) {
        char *data = at_path_join(folder, figure->data), *svg = NULL;
        if (data != NULL && access(data, R_OK) == 0
            && asprintf(&svg, "%s/%s.svg", folder, figure->name) >= 0) {
            at_report_figure(report, svg, figure->sentence, data);
            free(svg);
        }
        free(data);
    }
    free(folder);
}

/* The part's summary.json, its scalar entries as a table: what a person would otherwise open. */
static void put_summary(at_report *report, const json_t *summary)
{
    const char *key;
    json_t *value;
    at_report_markdown(report, "| | |\n|---|---|\n");
    json_object_foreach((json_t *) summary, key, value) {
        if (json_is_array(value) || json_is_object(value) || json_is_null(value))
            continue;
        char *text = json_is_string(value) ? strdup(json_string_value(value))
            : json_is_boolean(value) ? strdup(json_is_true(value) ? "yes" : "no")
            : json_is_real(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
        if (json_is_real(value) && asprintf(&text, "%.6g", json_real_value(value)) < 0)
            text = NULL;
        at_report_markdown(report, "| ");
        at_report_text(report, key);
        at_report_markdown(report, " | ");
        at_report_text(report, text != NULL ? text : "");
        at_report_markdown(report, " |\n");
        free(text);
    }
    at_report_markdown(report, "\n");
}

static void put_part(at_report *report, const at_reproduction *reproduction, size_t k,
                     const json_t *claims)
{
    const at_planned *planned = &reproduction->planned[k];
    at_report_markdown(report, "### <a id=\"part-%s\"></a>%s\n\n", planned->name, planned->title);
    if (reproduction->jobs[k].status != AT_OK || !reproduction->jobs[k].done)
        at_report_markdown(report, "This part ended %s; what follows may be incomplete.\n\n",
                           outcome(&reproduction->jobs[k]));
    json_t *summary = at_part_json(reproduction, planned->name, "summary.json");
    put_figures(report, reproduction, planned->name);
    at_report_layers(report, summary, claims);
    if (summary != NULL)
        put_summary(report, summary);
    json_decref(summary);
}

static void put_section(at_report *report, const at_reproduction *reproduction, enum at_section section,
                        const json_t *claims)
{
    for (size_t k = 0; k < reproduction->count; k++)
        if (reproduction->planned[k].part->section == section)
            put_part(report, reproduction, k, claims);
}

/* Where the papers say more than holds: each with the claim that shows it, listed only with the
 * verdict that this run reached. */
static const struct { const char *claim, *text; } shortfalls[] = {
    { "rpe.no-uniform-approximation", "Theorem 2 of [L] is a statement in the sup norm; it does not extend to L^p." },
    { "rpe.almost-everywhere", "In L^p plain RPE recovers the position on almost every sequence: the gap is about constants." },
    { "rpe.finite-alphabet", "Over a finite alphabet one RPE layer identifies positions on every non-constant sequence: "
      "the failure shown on the poster is depth and training, not expressivity." },
    { "rpe.value-bias-escapes", "Not all relative encodings collapse: Shaw's value table escapes." },
    { "rpe.poster-nope", "The poster's bars without encoding are above 1/n, which its setting excludes." },
    { "urpe.bias-free-homogeneous", "Theorem 3 of [L] as displayed, without a constant coordinate, fails at n = 1." },
    { "opt.plain-softmax", "Plain softmax attention need not descend the energy of [Y]; the factors β are needed." },
    { "opt.authors-layer", "The layer of [Y]'s released code computes β and does not use it: its energy can rise." },
    { "opt.sequential-layer", "Attention step, then FFN step: each descends its own energy, the sum may rise." },
    { "opt.contraction", "Falling mean curves do not by themselves test the theory: any row-stochastic A contracts." },
};

/* What the released programs do that their papers do not say, as read in their code, and what is
 * done here instead. */
static const struct { const char *paper, *there, *here; } oddities[] = {
    { "[L]", "The first class of position identification is the padding id: position 1 is neither "
      "trained nor scored.", "all n positions; `--as-released` scores n − 1" },
    { "[L]", "The vocabulary draws V − 20 symbols, so V = 10 cannot run.",
      "all V symbols; `--as-released` draws V − 20" },
    { "[L]", "Half of the labels of even token prediction are the constant EOS: .5 is free.",
      "the accuracy of the first half stands beside that of the whole" },
    { "[L]", "Training and validation draw from the same seed.", "streams of their own" },
    { "[L]", "C has no sign constraint.", "none either; the claims hold for all real C" },
    { "[Y]", "β is computed and not used: plain softmax.", "`released` does so, `softmax-beta` uses it" },
    { "[Y]", "The scores use W_a^T W_a, the energy Y W_a.", "`released` does so, the provable layers do not" },
    { "[Y]", "The regulariser is in the energy and not in the step.", "R = 0, or in both (`jacobi`)" },
    { "[Y]", "The random panel's ReLU model has no ReLU.", "`--relu` projects" },
    { "[Y]", "The SST-2 panels load IMDB.", "each panel names the file that it read" },
    { "[Y]", "A mean over documents hides single rises.", "every half-step of every document is counted" },
    { "[Y]", "Trained weights are clamped once more before they are plotted.", "W_f is projected while training; the weights are plotted as they came out of it" },
};

static void put_shortfalls(at_report *report, const json_t *claims)
{
    at_report_markdown(report, "## Where the papers' statements or code fall short\n\n"
                       "[L]: *Your Transformer May Not be as Powerful as You Expect*. "
                       "[Y]: *Transformers from an Optimization Perspective*.\n\n"
                       "| claim | verdict here | what it shows |\n|---|---|---|\n");
    for (size_t k = 0; k < sizeof shortfalls / sizeof *shortfalls; k++) {
        size_t index;
        json_t *claim;
        json_array_foreach((json_t *) claims, index, claim)
            if (strcmp(string_of(claim, "id"), shortfalls[k].claim) == 0)
                at_report_markdown(report, "| `%s` | %s | %s |\n", shortfalls[k].claim,
                                   string_of(claim, "verdict"), shortfalls[k].text);
    }
    at_report_markdown(report, "\n### What the released programs do\n\n| paper | there | here |\n|---|---|---|\n");
    for (size_t k = 0; k < sizeof oddities / sizeof *oddities; k++)
        at_report_markdown(report, "| %s | %s | %s |\n", oddities[k].paper, oddities[k].there,
                           oddities[k].here);
    at_report_markdown(report, "\n");
}

static void put_methods(at_report *report, const at_reproduction *reproduction, const json_t *claims)
{
    at_report_markdown(report, "## How each number was obtained\n\n"
                       "Each part is one command; run alone it gives the same numbers.\n\n");
    for (size_t k = 0; k < reproduction->count; k++) {
        at_report_markdown(report, "- %s: ", reproduction->planned[k].title);
        put_command(report, &reproduction->jobs[k]);
        at_report_markdown(report, "\n");
    }
    at_report_markdown(report, "\n<a id=\"part-steps-of-claims\"></a>The steps of each claim:\n\n| claim | step | method | verdict |\n|---|---|---|---|\n");
    size_t index, number;
    json_t *claim, *step;
    json_array_foreach((json_t *) claims, index, claim)
        json_array_foreach(json_object_get(claim, "steps"), number, step) {
            at_report_markdown(report, "| %s%s%s | ", number == 0 ? "`" : "",
                               number == 0 ? string_of(claim, "id") : "", number == 0 ? "`" : "");
            at_report_text(report, string_of(step, "name"));
            at_report_markdown(report, " | %s | %s |\n", string_of(step, "method"),
                               string_of(step, "verdict"));
        }
    at_report_markdown(report, "\n");
}

static void put_configuration(at_report *report, const json_t *config)
{
    char *text = json_dumps(config, JSON_INDENT(2));
    const json_t *versions = json_object_get(config, "versions");
    at_report_markdown(report, "## Configuration and versions\n\nComputed on ");
    at_report_text(report, string_of(versions, "processor"));
    at_report_markdown(report, " with attest's kernels of level %s and BLAS kernels ",
                       string_of(versions, "kernels"));
    at_report_text(report, json_is_string(json_object_get(versions, "blas_kernel"))
                           ? string_of(versions, "blas_kernel") : "that have no name");
    at_report_markdown(report, ". What is proved does not depend on them; last digits of "
                       "floating-point numbers do.\n\n");
    for (char *line = text, *rest = NULL; (line = strtok_r(line, "\n", &rest)) != NULL; line = NULL)
        at_report_markdown(report, "    %s\n", line);
    at_report_markdown(report, "\n");
    free(text);
}

int at_reproduce_report(const at_reproduction *reproduction, const at_common *common,
                        const json_t *config, at_error *err)
{
    at_report report;
    json_t *verify = at_part_json(reproduction, "verify", "output.json");
    const json_t *claims = json_object_get(verify, "claims");
    (void) common;
    at_report_init(&report);
    put_glance(&report, reproduction);
    at_report_markdown(&report, "## Position\n\nCan a Transformer with relative positional encodings tell "
                       "where a token stands? On constant sequences it cannot; with the factors of "
                       "URPE it can.\n\n");
    put_section(&report, reproduction, AT_SECTION_POSITION, claims);
    put_claims(&report, claims, "Claims about relative encodings", "rpe.");
    put_claims(&report, claims, "Claims about URPE", "urpe.");
    at_report_markdown(&report, "## Energy\n\nIs a layer a descent step of an energy? With softmax_β it is, "
                       "without a step size; as released it is not always.\n\n");
    put_section(&report, reproduction, AT_SECTION_ENERGY, claims);
    put_claims(&report, claims, "Claims about energies", "opt.");
    put_shortfalls(&report, claims);
    put_methods(&report, reproduction, claims);
    put_configuration(&report, config);
    char *path = at_path_join(reproduction->directory, "report.html");
    int status = path != NULL ? at_report_write(&report, "What two papers claim about Transformers, decided",
                                                path, err)
                              : at_error_memory(err, "a path");
    free(path);
    at_report_clear(&report);
    json_decref(verify);
    return status;
}
