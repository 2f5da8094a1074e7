/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest eval: loss and accuracy of a stored model, ours or PyTorch's. */
#include "attest/experiments/cli/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/safetensors.h"
#include "attest/core/version.h"
#include "attest/experiments/cli/options.h"
#include "attest/experiments/run/run.h"
#include "attest/numeric/optimize/evaluate.h"
#include "attest/numeric/optimize/random.h"

typedef struct {
    const char *model, *encoding, *heads, *length, *causal, *activation;
    char *stripped;             /* what PyTorch's wrappers put before the names; NULL: nothing */
    int task;                   /* −1: not given */
    bool task_given, constant, as_released;
    size_t count;
} eval_input;

enum { KEY_MODEL = 1000, KEY_TASK, KEY_CONSTANT, KEY_COUNT, KEY_RELEASED, KEY_ENCODING, KEY_HEADS, KEY_CAUSAL,
       KEY_ACTIVATION };

static const struct argp_option options[] = {
    {"model", KEY_MODEL, "FILE", 0, "Weights in safetensors, under the names that attest fit writes", 0},
    {"task", KEY_TASK, "NAME", 0, "pi or etp", 0},
    {"constant", KEY_CONSTANT, NULL, 0, "Constant sequences instead of random ones", 0},
    {"count", KEY_COUNT, "N", 0, "Sequences (1000)", 0},
    {"as-released", KEY_RELEASED, NULL, 0, "With the oddities of the paper's code", 0},
    {"encoding", KEY_ENCODING, "NAME", 0, "Where neither the file's metadata nor its tensors say it", 1},
    {"heads", KEY_HEADS, "H", 0, "The same", 1},
    {"length", 'n', "N", 0, "The same: tokens a sequence", 1},
    {"causal", KEY_CAUSAL, "YES|NO", 0, "The same: whether a token sees the later ones (no) or not (yes)", 1},
    {"activation", KEY_ACTIVATION, "NAME", 0, "The same: relu or gelu", 1},
    {0}
};

static int parse(int key, char *argument, at_common *common, void *data)
{
    static const char *const tasks[] = {"pi", "etp"}, *const answers[] = {"no", "yes"};
    static const char *const digits[] = {"0", "1"}, *const activations[] = {"relu", "gelu"};
    eval_input *input = data;
    size_t checked = 1;
    int encoding = 0, choice = -1;

    switch (key) {
    case KEY_MODEL: input->model = argument; return 0;
    case KEY_TASK:
        at_option_name(common, "--task", argument, tasks, 2, &input->task);
        input->task_given = true;
        return 0;
    case KEY_CONSTANT: input->constant = true; return 0;
    case KEY_RELEASED: input->as_released = true; return 0;
    case KEY_COUNT: at_option_size(common, "--count", argument, 1, 1 << 24, &input->count); return 0;
    case KEY_HEADS:
        at_option_size(common, "--heads", argument, 1, 4096, &checked);
        input->heads = argument;
        return 0;
    case 'n':
        at_option_size(common, "-n", argument, 1, 1 << 16, &checked);
        input->length = argument;
        return 0;
    case KEY_CAUSAL:
        at_option_name(common, "--causal", argument, answers, 2, &choice);
        input->causal = choice < 0 ? NULL : digits[choice];
        return 0;
    case KEY_ACTIVATION:
        at_option_name(common, "--activation", argument, activations, 2, &choice);
        input->activation = choice < 0 ? NULL : activations[choice];
        return 0;
    case KEY_ENCODING:
        at_option_encoding(common, "--encoding", argument, &encoding);
        input->encoding = argument;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void check(at_common *common, void *data)
{
    eval_input *input = data;

    if (input->model == NULL)
        at_mistake(common, "the model is missing: --model FILE");
    else
        at_option_input(common, "--model", input->model);
    if (input->task < 0 && !input->task_given)
        at_mistake(common, "the task is missing: --task pi or --task etp");
}

static const at_command_line command_line = {
    .command = "eval",
    .summary = "Scores a stored model on a task: loss, accuracy, and accuracy where the answer is not "
               "trivial.  Reads models of `attest fit` and state dicts saved from PyTorch in "
               "safetensors.",
    .examples = "  attest eval --model attest-out/fit/model.safetensors --task pi\n"
                "  attest eval --model attest-out/fit/model.safetensors --task pi --constant --json\n",
    .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_BLAS,
    .options = options,
    .parse = parse,
    .check = check,
};

/* Two names of one encoding, two spellings of one number, or the same text. */
static bool same_value(const char *a, const char *b)
{
    int encoding = at_encoding_find(a);
    char *end_a, *end_b;
    unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

    if (encoding >= 0)
        return encoding == at_encoding_find(b);
    return strcmp(a, b) == 0
        || (strcmp(a, "true") == 0 && strcmp(b, "1") == 0)
        || (strcmp(a, "false") == 0 && strcmp(b, "0") == 0)
        || (x == y && end_a != a && end_b != b && *end_a == '\0' && *end_b == '\0');
}

/* What the user says of the file where it is silent; against its metadata it would score another
 * model than the one that is stored. */
static int add_metadata(at_tensors *file, const eval_input *input, at_error *err)
{
    const struct { const char *key, *value; } given[] = {
        {"encoding", input->encoding}, {"heads", input->heads}, {"n", input->length},
        {"causal", input->causal}, {"activation", input->activation}
    };
    int status = AT_OK;

    for (size_t i = 0; i < sizeof given / sizeof given[0] && status == AT_OK; i++)
        if (given[i].value != NULL) {
            const char *stored = at_tensors_metadata(file, given[i].key);

            if (stored != NULL && !same_value(stored, given[i].value))
                return at_error_set(err, AT_USAGE, "its metadata say %s = %s, not %s; leave the option out",
                                    given[i].key, stored, given[i].value);
            status = at_tensors_set_metadata(file, given[i].key, given[i].value, err);
        }
    return status;
}

/* The number of heads is a table's to say, where there is one. */
static int check_heads(const at_model *model, const eval_input *input, at_error *err)
{
    if (input->heads == NULL || strtoul(input->heads, NULL, 10) == model->heads)
        return AT_OK;
    return at_error_set(err, AT_USAGE, "its table has %zu heads, not %s; leave --heads out", model->heads, input->heads);
}

typedef struct {
    eval_input *input;
    at_layout *layout;
    bool made;                  /* layout is to be cleared */
} judging;

/* The model of the header, before its numbers are read. */
static int judge(at_tensors *file, void *context, at_error *err)
{
    judging *j = context;
    at_model model;
    int status = at_tensors_strip_wrappers(file, &j->input->stripped, err);

    if (status == AT_OK)
        status = add_metadata(file, j->input, err);
    if (status == AT_OK)
        status = at_layout_infer(&model, file, "", err);
    if (status == AT_OK)
        status = check_heads(&model, j->input, err);
    if (status == AT_OK)
        status = at_layout_init(j->layout, &model, err);
    j->made = status == AT_OK;
    if (status == AT_OK)
        status = at_layout_match(j->layout, file, "", err);
    if (status == AT_INPUT || status == AT_USAGE)
        at_error_prefix(err, "%s: ", j->input->model);
    return status;
}

/* The layout and the parameters of the file. */
static int load(eval_input *input, at_layout *layout, double **params, at_error *err)
{
    judging j = {.input = input, .layout = layout};
    at_tensors file;
    int status = at_tensors_read_judged(&file, input->model, judge, &j, err);

    *params = NULL;
    if (status == AT_OK) {
        *params = malloc(layout->count * sizeof **params);
        status = *params == NULL ? at_error_memory(err, "parameters")
                                 : at_layout_load(layout, &file, "", *params, err);
        if (status == AT_OK)
            status = at_layout_unused(layout, &file, "", err);
        if (status == AT_INPUT)
            at_error_prefix(err, "%s: ", input->model);
    }
    if (status != AT_OK && j.made)
        at_layout_clear(layout);
    at_tensors_clear(&file);
    return status;
}

/* The task of the model's own sizes. */
static int task_of(const eval_input *input, const at_common *common, const at_model *model,
                   at_task *task, at_error *err)
{
    bool etp = input->task == 1;
    size_t classes = etp ? model->vocab : model->n;

    *task = (at_task) {.id = etp ? AT_TASK_ETP : AT_TASK_PI, .n = model->n, .seed = common->seed,
                       .as_released = input->as_released,
                       .vocab = etp && !input->as_released && model->vocab > 0 ? model->vocab - 1
                                                                              : model->vocab};
    if (model->vocab == 0)
        return at_error_set(err, AT_INPUT, "%s: a model of real-valued rows; pi and etp need tokens",
                            input->model);
    if (model->outputs < classes)
        return at_error_set(err, AT_INPUT, "%s: %zu outputs, but the task has %zu classes",
                            input->model, model->outputs, classes);
    return at_task_check(task, err);
}

static void print_scores(const eval_input *input, const at_layout *layout, const at_common *common,
                         const at_evaluation *scores)
{
    if (common->quiet) {
        printf("%.6f\n", scores->accuracy);
        return;
    }
    printf("%s: %s, n = %zu, %zu parameters\n", input->model,
           at_encodings[layout->model.encoding].name, layout->model.n, layout->count);
    if (input->stripped != NULL)
        printf("%-10s without the '%s' before each of its names\n", "tensors", input->stripped);
    printf("%-10s %zu %s sequences\n", "scored", scores->sequences,
           input->constant ? "constant" : "random");
    printf("%-10s %.6f nats\n", "loss", scores->loss);
    printf("%-10s %.6f", "accuracy", scores->accuracy);
    if (isfinite(scores->hard_accuracy))
        printf(" (where the answer is not trivial: %.6f)", scores->hard_accuracy);
    printf("\n");
    if (input->constant)
        printf("%-10s accuracy %.6f, loss %.6f\n", "best", scores->best_accuracy, scores->least_loss);
}

static json_t *scores_json(const eval_input *input, const at_layout *layout,
                           const at_evaluation *scores)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "attest", at_version(), "model", input->model,
        "encoding", at_encodings[layout->model.encoding].name, "task", input->task == 1 ? "etp" : "pi",
        "n", (json_int_t) layout->model.n, "sequences", (json_int_t) scores->sequences, "loss",
        at_json_number(scores->loss), "accuracy", at_json_number(scores->accuracy), "accuracy_nontrivial",
        at_json_number(scores->hard_accuracy));

    if (input->stripped != NULL)
        json_object_set_new(document, "stripped", json_string(input->stripped));
    json_object_set_new(document, "constant", json_boolean(input->constant));
    if (input->constant) {
        json_object_set_new(document, "best_accuracy", at_json_number(scores->best_accuracy));
        json_object_set_new(document, "least_loss", at_json_number(scores->least_loss));
    }
    return document;
}

static json_t *number_or_null(const char *text)
{
    return text != NULL ? json_integer(strtol(text, NULL, 10)) : json_null();
}

static json_t *settings_json(const eval_input *input)
{
    return json_pack("{s:s, s:s, s:b, s:I, s:b, s:s?, s:o, s:o, s:o, s:s?}", "model", input->model, "task",
                     input->task == 1 ? "etp" : "pi", "constant", (int) input->constant, "count",
                     (json_int_t) input->count, "as-released", (int) input->as_released, "encoding",
                     input->encoding, "heads", number_or_null(input->heads), "n",
                     number_or_null(input->length), "causal",
                     input->causal == NULL ? json_null() : json_boolean(input->causal[0] == '1'),
                     "activation", input->activation);
}

static int run(eval_input *input, const at_common *common, at_error *err)
{
    at_layout layout;
    at_task task;
    at_evaluation scores;
    at_run kept;
    double *params;
    int status = load(input, &layout, &params, err);

    if (status != AT_OK) {
        free(params);
        return status;
    }
    /* After the model was read: the folder may be its own, to be replaced. */
    status = at_run_open_asked(&kept, common, settings_json(input), err);
    if (status == AT_OK)
        status = task_of(input, common, &layout.model, &task, err);
    if (status == AT_OK && input->constant)
        status = at_evaluate_constants(&scores, &layout, params, &task, input->count, common->threads,
                                       err);
    else if (status == AT_OK)
        status = at_evaluate_random(&scores, &layout, params, &task, AT_STREAM_SCORE, 0, input->count,
                                    common->threads, err);
    if (status == AT_OK) {
        json_t *document = scores_json(input, &layout, &scores);

        if (!common->json)
            print_scores(input, &layout, common, &scores);
        status = at_run_put(&kept, common, document, err);
        json_decref(document);
    }
    free(params);
    at_run_clear(&kept);
    at_layout_clear(&layout);
    return status;
}

int at_cmd_eval(int argc, char **argv)
{
    eval_input input = {.task = -1, .count = 1000};
    at_common common;
    at_error err = AT_ERROR_INIT;
    int status = at_command_line_parse(&command_line, argc, argv, &common, &input);

    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    status = run(&input, &common, &err);
    if (status != AT_OK)
        status = at_report_error(&common, &err);
    free(input.stripped);
    at_common_clear(&common);
    return status;
}
