/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest energy: documents through energy layers; a run folder with the energies
 * of each layer and what was decided of each document's steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attest/experiments/cli/commands.h"
#include "attest/experiments/energy/figures.h"
#include "attest/experiments/energy/model.h"
#include "attest/experiments/energy/output.h"
#include "attest/experiments/energy/run.h"
#include "attest/experiments/cli/progress.h"
#include "attest/numeric/kernels/blas.h"

enum {
    KEY_TEXT = 0x2001,
    KEY_TEXT_COLUMN,
    KEY_LABEL_COLUMN,
    KEY_EMBEDDINGS,
    KEY_DOCUMENTS,
    KEY_LAYERS,
    KEY_RHO,
    KEY_STEP,
    KEY_WEIGHTS,
    KEY_RELU,
    KEY_CERTIFY,
    KEY_LONGEST,
    KEY_ALPHA,
    KEY_LAMBDA,
    KEY_HEADS,
    KEY_DIMENSION,
    KEY_UPDATES,
    KEY_RATE,
    KEY_CLIP,
    KEY_FIGURE
};

static const struct argp_option options[] = {
    { "text", KEY_TEXT, "FILE", 0,
      "Documents (default: made up): CSV or TSV with names, "
      "a folder, or a document a line; .gz too",
      1 },
    { "text-column", KEY_TEXT_COLUMN, "NAME", 0, "Column of the text; - for plain lines", 1 },
    { "label-column", KEY_LABEL_COLUMN, "NAME", 0, "Column of the label; - for none", 1 },
    { "embeddings", KEY_EMBEDDINGS, "FILE", 0,
      "Vectors (default: made up): GloVe or word2vec text; "
      ".gz too",
      1 },
    { "documents", KEY_DOCUMENTS, "N", 0, "Documents at most (200)", 1 },
    { "longest", KEY_LONGEST, "N", 0, "Tokens a document at most (2048)", 1 },
    { "dimension", KEY_DIMENSION, "D", 0, "Dimension of made-up vectors (50)", 1 },
    { "step", KEY_STEP, "NAME", 0, "The layer: softmax-beta (default), parallel, released, ...", 2 },
    { "rho", KEY_RHO, "RHO", 0, "exp (default), log, sqrt, ratio, or a formula in z", 2 },
    { "layers", KEY_LAYERS, "N", 0, "Layers (12)", 2 },
    { "weights", KEY_WEIGHTS, "W", 0,
      "identity (default), random, trained, or the "
      "model.safetensors of a run",
      2 },
    { "heads", KEY_HEADS, "H", 0, "Heads of multi-head (2)", 2 },
    { "relu", KEY_RELU, NULL, 0, "ReLU after the feed-forward part", 2 },
    { "alpha", KEY_ALPHA, "A", 0,
      "Step length of relaxed (1.5), value-matrix, multi-head, "
      "parallel (1; proved up to 2), skip of sphere (1)",
      2 },
    { "lambda", KEY_LAMBDA, "L", 0, "Of jacobi and residual-input (1)", 2 },
    { "updates", KEY_UPDATES, "N", 0, "Updates of --weights trained, a document each (2000)",
      2 },
    { "rate", KEY_RATE, "R", 0, "Their learning rate (0.01)", 2 },
    { "clip", KEY_CLIP, "C", 0, "Their longest gradient (10)", 2 },
    { "certify", KEY_CERTIFY, NULL, 0, "Decide each step in ball arithmetic, without the rounding bound", 3 },
    { "figure", KEY_FIGURE, "NAME", 0,
      "Instead of one run, the table of a figure: regions, relu-regions, "
      "alternation, panels, layers, rho",
      3 },
    { 0 },
};

typedef struct {
    at_energy_source source;
    at_energy_settings settings;
    size_t layers;
    bool certify, relu;
    bool one_run;             /* an option that no figure takes was given */
    bool heads_given;
    double alpha;             /* NaN: the step's own */
    double lambda;
    at_rho rho;
    const char *rho_text;
    int figure;               /* index in at_energy_figures, −1: none */
} energy_input;

static int parse(int key, char *text, at_common *common, void *input)
{
    energy_input *e = input;
    const char *names[AT_STEP_COUNT];
    int step = -1;
    const char *figures[16];
    size_t count = 0;

    switch (key) {
    case KEY_TEXT: e->source.text = text; return 0;
    case KEY_TEXT_COLUMN: e->source.text_column = text; return 0;
    case KEY_LABEL_COLUMN: e->source.label_column = text; return 0;
    case KEY_EMBEDDINGS: e->source.embeddings = text; return 0;
    case KEY_DOCUMENTS:
        at_option_size(common, "--documents", text, 1, 1000000, &e->source.documents);
        return 0;
    case KEY_LONGEST:
        at_option_size(common, "--longest", text, 1, 16384, &e->source.longest);
        return 0;
    case KEY_DIMENSION:
        at_option_size(common, "--dimension", text, 1, 4096, &e->source.dimension);
        return 0;
    case KEY_LAYERS: at_option_size(common, "--layers", text, 1, 1000, &e->layers); return 0;
    case KEY_HEADS:
        at_option_size(common, "--heads", text, 1, AT_ENERGY_HEADS, &e->settings.heads);
        e->heads_given = true;
        return 0;
    case KEY_UPDATES:
        at_option_size(common, "--updates", text, 1, 10000000, &e->settings.updates);
        return 0;
    case KEY_RATE: at_option_double(common, "--rate", text, 0, 100, &e->settings.rate); return 0;
    case KEY_CLIP:
        at_option_double(common, "--clip", text, 1e-12, 1e12, &e->settings.clip);
        return 0;
    case KEY_ALPHA:
        e->one_run = true;
        at_option_double(common, "--alpha", text, 0, 1000, &e->alpha);
        return 0;
    case KEY_LAMBDA:
        e->one_run = true;
        at_option_double(common, "--lambda", text, 0, 1e6, &e->lambda);
        return 0;
    case KEY_RHO: e->rho_text = text; return 0;
    case KEY_WEIGHTS: e->settings.weights = text; return 0;
    case KEY_RELU: e->one_run = e->relu = e->settings.relu = true; return 0;
    case KEY_CERTIFY: e->certify = true; return 0;
    case KEY_FIGURE:
        for (; at_energy_figures[count].name != NULL; count++)
            figures[count] = at_energy_figures[count].name;
        at_option_name(common, "--figure", text, figures, count, &e->figure);
        return 0;
    case KEY_STEP:
        for (int k = 0; k < AT_STEP_COUNT; k++)
            names[k] = at_steps[k].name;
        at_option_name(common, "--step", text, names, AT_STEP_COUNT, &step);
        e->one_run = true;
        if (step >= 0)
            e->settings.step = (enum at_step_id) step;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The figure of every layer shows multi-head with more heads than one where they can be had. */
static bool takes_heads(const energy_input *e)
{
    const char *weights = e->settings.weights;

    return at_energy_figures[e->figure].run == at_recipe_layers
           && (strcmp(weights, "identity") == 0 || strcmp(weights, "random") == 0);
}

/* A figure needs weights with a feed-forward part, and trained ones for layers with ReLU too. */
static void set_figure(energy_input *e)
{
    if (e->figure < 0)
        return;
    e->settings.step = AT_STEP_RELEASED;
    e->settings.both = at_energy_figures[e->figure].run == at_recipe_panels;
}

static void check(at_common *common, void *input)
{
    energy_input *e = input;
    at_error err = AT_ERROR_INIT;

    if (e->source.text != NULL)
        at_option_input(common, "--text", e->source.text);
    if (e->source.embeddings != NULL)
        at_option_input(common, "--embeddings (expected GloVe or word2vec text)",
                        e->source.embeddings);
    if (strchr(e->settings.weights, '/') != NULL || access(e->settings.weights, F_OK) == 0)
        at_option_input(common, "--weights", e->settings.weights);
    if (at_rho_parse(&e->rho, e->rho_text, &err) != AT_OK)
        at_mistake(common, "--rho: %s", err.text);
    if (e->source.text == NULL && (e->source.text_column != NULL || e->source.label_column != NULL))
        at_mistake(common, "--text-column and --label-column are of a table; name it with --text");
    if (e->source.text == NULL && e->source.embeddings != NULL)
        at_mistake(common, "--embeddings needs --text: made-up documents have no words of theirs");
    if (e->settings.step == AT_STEP_SPHERE) {
        if (strcmp(e->settings.weights, "identity") != 0)
            at_mistake(common, "--step sphere has no weights; leave --weights out");
        if (strcmp(e->rho_text, "exp") != 0)
            at_mistake(common, "--step sphere is softmax attention; its rho is exp");
    }
    if (e->figure >= 0 && e->one_run)
        at_mistake(common, "--step, --alpha, --lambda and --relu are of one run; a figure has its own "
                           "layers, leave them out");
    else if (e->relu && !at_energy_has_ffn(e->settings.step))
        at_mistake(common,
                   "--relu belongs to a feed-forward part, and %s has none; use released, "
                   "parallel, sequential, identity or permutation",
                   at_steps[e->settings.step].name);
    set_figure(e);
    if (e->settings.step != AT_STEP_MULTI_HEAD && !(e->figure >= 0 && takes_heads(e))) {
        if (e->heads_given)
            at_mistake(common, "--heads is of the step multi-head, and of the figure layers with "
                               "identity or random weights");
        e->settings.heads = 1;
    }
    e->source.labelled = strcmp(e->settings.weights, "trained") == 0;
}

static const at_command_line command_line = {
    .command = "energy",
    .summary =
        "Runs documents through energy layers: each layer is a step that should bring an energy "
        "down. Says of how many steps that is so; with --certify each is decided in ball "
        "arithmetic.",
    .examples = "  attest energy --text sst2.tsv --embeddings glove.100d.txt.gz --certify\n"
                "  attest energy --step parallel --weights random --rho log\n"
                "  attest energy --step released --weights random --relu\n"
                "  attest energy --rho '1-1/(1+z)^2'\n",
    .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_OUT | AT_TAKES_BLAS | AT_DRAWS,
    .options = options,
    .parse = parse,
    .check = check,
};

static json_t *settings_json(const energy_input *e)
{
    const at_energy_source *s = &e->source;
    json_t *json =
        json_pack("{s:s?, s:s?, s:I, s:I, s:I, s:s, s:s, s:I, s:s, s:I, s:b, s:f, s:b}", "text",
                  s->text, "embeddings", s->embeddings, "documents", (json_int_t) s->documents,
                  "longest", (json_int_t) s->longest, "dimension", (json_int_t) s->dimension,
                  "step", at_steps[e->settings.step].name, "rho", at_rho_text(&e->rho), "layers",
                  (json_int_t) e->layers, "weights", e->settings.weights, "heads",
                  (json_int_t) e->settings.heads, "relu", e->relu, "lambda", e->lambda, "certify",
                  e->certify);

    if (s->text_column != NULL)
        json_object_set_new(json, "text-column", json_string(s->text_column));
    if (s->label_column != NULL)
        json_object_set_new(json, "label-column", json_string(s->label_column));
    if (e->figure >= 0)
        json_object_set_new(json, "figure", json_string(at_energy_figures[e->figure].name));
    if (!isnan(e->alpha))
        json_object_set_new(json, "alpha", json_real(e->alpha));
    if (s->labelled) {
        json_object_set_new(json, "updates", json_integer((json_int_t) e->settings.updates));
        json_object_set_new(json, "rate", json_real(e->settings.rate));
        json_object_set_new(json, "clip", json_real(e->settings.clip));
    }
    return json;
}

/* With everything loaded and the folder open. */
static int run_layers(const at_common *common, energy_input *e, const at_energy_data *data,
                      const at_energy_weights *weights, const char *source, at_run *run,
                      at_error *err)
{
    at_energy_model model;
    at_energy_result result;
    const at_energy_weights *own = at_energy_weights_of(weights, e->relu);
    int status = at_energy_model_init(&model, e->settings.step, &e->rho, own->d, own->heads,
                                      own->W, own->Wf, own->B, err);

    if (status != AT_OK)
        return status;
    if (!isnan(e->alpha))
        model.alpha = e->alpha;
    model.lambda = e->lambda;
    model.relu = e->relu;
    const at_energy_job job = { &model,          e->layers,     e->certify,
                                common->threads, common->quiet, "energy" };
    status = at_energy_check_rho(data, &model, &e->rho, err);
    if (status == AT_OK)
        status = at_energy_process(&result, data, weights->first, weights->count, &job, err);
    if (status == AT_OK) {
        json_t *summary = at_energy_summary(&result, &job);
        json_object_set_new(summary, "source", json_string(source));
        at_energy_weights_json(summary, weights);
        at_energy_data_json(summary, data);
        status = at_energy_write_tables(run, &result, &job, data, err);
        if (status == AT_OK)
            status = at_run_write_json(run, "summary.json", summary, err);
        if (status == AT_OK && result.total.document > 0)
            status = at_run_draw(run->directory, common, err);
        if (status == AT_OK && common->json)
            status = at_print_json(summary, err);
        else if (status == AT_OK)
            at_energy_print(&result, &job, source, data, weights, run);
        json_decref(summary);
        if (status == AT_OK && at_energy_expected(&model)
            && (result.total.rising > 0 || result.total.undecided > 0))
            status = at_error_set(err, AT_UNEXPECTED,
                                  "%zu steps rise and %zu are undecided in a layer "
                                  "that descends by %s",
                                  result.total.rising, result.total.undecided,
                                  at_steps[model.step].claim);
        else if (status == AT_OK && result.interrupted)
            status = at_error_set(err, AT_INTERRUPTED,
                                  "incomplete: interrupted after %zu of %zu documents; the run "
                                  "holds what was done, and the same command with --force does "
                                  "them all",
                                  result.total.document, result.count);
        at_energy_result_clear(&result);
    }
    at_energy_model_clear(&model);
    return status;
}

/* What a run does with its own model, for the figures that take a formula. */
static int check_figure_rho(energy_input *e, const at_energy_data *data,
                            const at_energy_weights *weights, at_error *err)
{
    at_energy_model model;
    bool plain = at_energy_figures[e->figure].run == at_recipe_rho;   /* without weights */
    int status = at_energy_model_init(&model, AT_STEP_SOFTMAX_BETA, &e->rho, weights->d, 1,
                                      plain ? NULL : weights->W, NULL, NULL, err);

    if (status == AT_OK) {
        status = at_energy_check_rho(data, &model, &e->rho, err);
        at_energy_model_clear(&model);
    }
    return status;
}

/* One figure of [Y]: its table, its numbers in summary.json. */
static int run_figure(const at_common *common, energy_input *e, const at_energy_data *data,
                      const at_energy_weights *weights, const char *source, const at_run *run,
                      at_error *err)
{
    const at_energy_figure *figure = &at_energy_figures[e->figure];
    json_t *summary = json_pack("{s:s}", "figure", figure->name);
    const at_energy_recipe recipe = { common,  run,       data,       weights,
                                      &e->rho, e->layers, e->certify, summary };
    double start = at_now();
    int status = figure->documents ? check_figure_rho(e, data, weights, err) : AT_OK;

    if (status != AT_OK) {
        json_decref(summary);
        return status;
    }
    status = figure->run(&recipe, err);
    if (figure->documents) {
        json_object_set_new(summary, "source", json_string(source));
        at_energy_weights_json(summary, weights);
        at_energy_data_json(summary, data);
    }
    json_object_set_new(summary, "seconds", json_real(at_now() - start));
    if (status == AT_OK || status == AT_UNEXPECTED) {
        at_error draw = AT_ERROR_INIT;
        int drawn = at_run_write_json(run, "summary.json", summary, &draw);
        if (drawn == AT_OK)
            drawn = at_run_draw(run->directory, common, &draw);
        if (drawn == AT_OK && common->json)
            drawn = at_print_json(summary, &draw);
        else if (drawn == AT_OK)
            printf("figure %s: tables in %s\n", figure->name, run->directory);
        if (drawn != AT_OK) {
            *err = draw;
            status = drawn;
        }
    }
    json_decref(summary);
    return status;
}

int at_cmd_energy(int argc, char **argv)
{
    energy_input e = {
        .source = { .documents = 200, .longest = 2048, .dimension = 50 },
        .settings = { .step = AT_STEP_SOFTMAX_BETA,
                      .weights = "identity",
                      .heads = 2,
                      .updates = 2000,
                      .rate = 0.01,
                      .clip = 10 },
        .layers = 12,
        .alpha = NAN,
        .lambda = 1,
        .rho_text = "exp",
        .figure = -1,
    };
    at_common common;
    at_error err = AT_ERROR_INIT;
    at_energy_data data = { 0 };
    at_energy_weights weights = { 0 };
    at_run run = { 0 };
    char source[1024];
    int status = at_command_line_parse(&command_line, argc, argv, &common, &e);

    if (status != AT_OK) {
        at_rho_clear(&e.rho);
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    at_interrupt_install();
    at_blas_single_thread();   /* before the first product: threads would change last bits */
    e.source.seed = e.settings.seed = common.seed;
    e.settings.documents = e.source.documents;
    e.settings.quiet = common.quiet;
    bool documents = e.figure < 0 || at_energy_figures[e.figure].documents;
    if (documents)
        status = at_energy_data_load(&data, &e.source, &err);
    if (status == AT_OK) {
        if (documents)
            at_energy_data_describe(source, sizeof source, &data, &e.source);
        status = at_run_open(&run, &common, settings_json(&e), &err);
    }
    if (status == AT_OK && documents)
        status = at_energy_weights_make(&weights, &data, &e.settings, &err);
    if (status == AT_OK)
        status = at_energy_weights_save(&weights, &run, &err);
    if (status == AT_OK && e.figure >= 0)
        status = run_figure(&common, &e, &data, &weights, source, &run, &err);
    else if (status == AT_OK)
        status = run_layers(&common, &e, &data, &weights, source, &run, &err);
    if (status != AT_OK)
        at_report_error(&common, &err);
    at_energy_weights_clear(&weights);
    at_energy_data_clear(&data);
    at_run_clear(&run);
    at_rho_clear(&e.rho);
    at_common_clear(&common);
    return status;
}
