/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest bench: what this machine does a second: training, energy layers, exact arithmetic. */
#include "attest/experiments/cli/commands.h"

#include <string.h>

#include "attest/core/version.h"
#include "attest/experiments/bench/bench.h"
#include "attest/experiments/cli/options.h"
#include "attest/experiments/run/run.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/kernels/kernels.h"

typedef struct {
    int only;                   /* −1: all parts */
    bool sized;                 /* some size was given: one training row */
    at_bench_training training;
} bench_input;

static const char *const parts[] = {"training", "energy", "exact"};
enum { TRAINING, ENERGY, EXACT };
enum { KEY_ONLY = 1000, KEY_D, KEY_HEADS, KEY_FFN, KEY_BATCH, KEY_LAYERS, KEY_VOCAB, KEY_STEPS,
       KEY_ENCODING, KEY_PRECISION };

static const struct argp_option options[] = {
    {"only", KEY_ONLY, "PART", 0, "One part: training, energy or exact", 0},
    {"d", KEY_D, "D", 0, "Width (64, 128, 256, one after the other)", 1},
    {"heads", KEY_HEADS, "H", 0, "Heads (D/32, at least 4)", 1},
    {"ffn", KEY_FFN, "F", 0, "Width of the feed-forward layer (4 D)", 1},
    {"layers", KEY_LAYERS, "L", 0, "Layers (3)", 1},
    {"batch", KEY_BATCH, "B", 0, "Sequences a step (32)", 1},
    {"length", 'n', "N", 0, "Tokens a sequence (128)", 1},
    {"vocab", KEY_VOCAB, "V", 0, "Vocabulary, and classes (1000)", 1},
    {"encoding", KEY_ENCODING, "NAME", 0, "Positional encoding (urpe)", 1},
    {"precision", KEY_PRECISION, "P", 0, "single or double (single)", 1},
    {"steps", KEY_STEPS, "S", 0, "Timed steps, of which the median counts (5)", 1},
    {0}
};

static void parse_name(int key, char *argument, at_common *common, bench_input *input)
{
    static const char *const precisions[] = {"double", "single"};
    int choice;

    if (key == KEY_ONLY) {
        at_option_name(common, "--only", argument, parts, 3, &input->only);
        return;
    }
    if (key == KEY_PRECISION) {
        choice = input->training.single;
        at_option_name(common, "--precision", argument, precisions, 2, &choice);
        input->training.single = choice == 1;
        return;
    }
    choice = (int) input->training.encoding;
    at_option_encoding(common, "--encoding", argument, &choice);
    input->training.encoding = (enum at_encoding_id) choice;
}

static int parse(int key, char *argument, at_common *common, void *data)
{
    bench_input *input = data;
    at_bench_training *t = &input->training;
    const struct { int key; const char *name; size_t *value; size_t highest; } sizes[] = {
        {KEY_D, "--d", &t->d, 65536}, {KEY_HEADS, "--heads", &t->heads, 4096},
        {KEY_FFN, "--ffn", &t->ffn, 1 << 20}, {KEY_LAYERS, "--layers", &t->layers, 1000},
        {KEY_BATCH, "--batch", &t->batch, 1 << 20}, {'n', "-n", &t->n, 1 << 16},
        {KEY_VOCAB, "--vocab", &t->vocab, 1 << 24}, {KEY_STEPS, "--steps", &t->steps, 10000}
    };

    if (key == KEY_ONLY || key == KEY_ENCODING || key == KEY_PRECISION) {
        input->sized = input->sized || key != KEY_ONLY;
        parse_name(key, argument, common, input);
        return 0;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].key == key) {
            at_option_size(common, sizes[i].name, argument, key == KEY_STEPS ? 5 : 1,
                           sizes[i].highest, sizes[i].value);
            input->sized = input->sized || key != KEY_STEPS;
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static size_t default_heads(size_t d)
{
    return d >= 768 && d % 12 == 0 ? 12 : d >= 128 && d % 8 == 0 ? 8 : d % 4 == 0 ? 4 : 1;
}

static void check(at_common *common, void *data)
{
    bench_input *input = data;
    at_bench_training *t = &input->training;

    if (t->d > 0 && t->heads > 0 && t->d % t->heads != 0)
        at_mistake(common, "--d %zu is no multiple of --heads %zu", t->d, t->heads);
}

static const at_command_line command_line = {
    .command = "bench",
    .summary = "Measures this machine: training steps (tokens/s and the share of the peak of its "
               "matrix products), energy layers with their certificates, exact attention.",
    .examples = "  attest bench\n"
                "  attest bench --only training --d 768 --batch 8\n"
                "  attest bench --only exact --json\n",
    .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_BLAS,
    .options = options,
    .parse = parse,
    .check = check,
};

static int bench_training(json_t *rows, const bench_input *input, const at_common *common,
                          double sgemm, at_error *err)
{
    static const size_t widths[] = {64, 128, 256};
    int status = AT_OK;

    for (size_t i = 0; i < (input->sized ? 1 : 3) && status == AT_OK; i++) {
        at_bench_training t = input->training;

        if (t.d == 0)
            t.d = widths[i];
        if (t.heads == 0)
            t.heads = default_heads(t.d);
        if (t.ffn == 0)
            t.ffn = 4 * t.d;
        t.threads = common->threads;
        t.seed = common->seed;
        status = at_bench_train(rows, &t, sgemm, !common->json, err);
    }
    return status;
}

static int bench_energy(json_t *rows, const at_common *common, at_error *err)
{
    static const size_t lengths[] = {64, 256, 512};
    int status = AT_OK;

    for (size_t i = 0; i < 3 && status == AT_OK; i++)
        status = at_bench_energy(rows, lengths[i], 300, common->threads, !common->json, err);
    return status;
}

static int bench_exact(json_t *rows, const at_common *common, at_error *err)
{
    static const size_t sizes[][3] = {{8, 4, 12}, {16, 4, 12}, {32, 8, 12}};
    int status = AT_OK;

    for (size_t i = 0; i < 3 && status == AT_OK; i++)
        status = at_bench_exact(rows, sizes[i][0], sizes[i][1], sizes[i][2], !common->json, err);
    return status;
}

static int bench_all(json_t *document, const bench_input *input, const at_common *common,
                     at_error *err)
{
    json_t *rows[3], *machine = NULL;
    double sgemm = 0.0;
    int status = at_bench_sgemm(&sgemm, common->threads, err);

    if (status == AT_OK)
        status = at_bench_machine(&machine, sgemm, err);
    if (status != AT_OK)
        return status;
    if (!common->json)
        printf("machine   %s: %.1f GFLOP/s in float32 products on %d threads\n"
               "kernels   %s, BLAS %s\n",
               json_string_value(json_object_get(machine, "cpu")), sgemm, common->threads,
               at_isa_name(at_isa_in_use()), at_blas_kernel() != NULL ? at_blas_kernel() : "unknown");
    json_object_set_new(document, "machine", machine);
    for (int part = 0; part < 3; part++) {
        rows[part] = json_array();
        json_object_set_new(document, parts[part], rows[part]);
    }
    if (input->only < 0 || input->only == TRAINING)
        status = bench_training(rows[TRAINING], input, common, sgemm, err);
    if (status == AT_OK && (input->only < 0 || input->only == ENERGY))
        status = bench_energy(rows[ENERGY], common, err);
    if (status == AT_OK && (input->only < 0 || input->only == EXACT))
        status = bench_exact(rows[EXACT], common, err);
    return status;
}

/* Sizes that were not given stand as null: each row of the document has its own. */
static json_t *settings_json(const bench_input *input)
{
    const at_bench_training *t = &input->training;
    const struct { const char *name; size_t value; } sizes[] = {
        {"d", t->d}, {"heads", t->heads}, {"ffn", t->ffn}, {"layers", t->layers},
        {"batch", t->batch}, {"n", t->n}, {"vocab", t->vocab}, {"steps", t->steps}
    };
    json_t *settings = json_pack("{s:s?, s:s, s:s}", "only",
                                 input->only >= 0 ? parts[input->only] : NULL, "encoding",
                                 at_encodings[t->encoding].name, "precision",
                                 t->single ? "single" : "double");

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        json_object_set_new(settings, sizes[k].name, sizes[k].value > 0
                            ? json_integer((json_int_t) sizes[k].value) : json_null());
    return settings;
}

int at_cmd_bench(int argc, char **argv)
{
    bench_input input = {.only = -1, .training = {.layers = 3, .n = 128, .batch = 32, .vocab = 1000,
                                                  .encoding = AT_ENC_URPE, .steps = 5,
                                                  .single = true}};
    at_common common;
    at_error err = AT_ERROR_INIT;
    at_run run;
    json_t *document;
    int status = at_command_line_parse(&command_line, argc, argv, &common, &input);

    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    document = json_object();
    status = at_run_open_asked(&run, &common, settings_json(&input), &err);
    if (status == AT_OK)
        status = bench_all(document, &input, &common, &err);
    if (status == AT_OK)
        status = at_run_put(&run, &common, document, &err);
    if (status != AT_OK)
        status = at_report_error(&common, &err);
    json_decref(document);
    at_run_clear(&run);
    at_common_clear(&common);
    return status;
}
