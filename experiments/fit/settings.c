/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of a fit: see fit_settings.h. */
#include "attest/experiments/fit/settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/optimize/adam.h"

enum field_type { SIZE, REAL, TEXT, NAME, FLAG };

typedef struct {
    const char *name;               /* option and key of config.json */
    enum field_type type;
    size_t offset;
    double low, high;
    const char *const *names;       /* NAME */
    size_t name_count;
} field;

static const char *const task_names[] = { "pi", "etp" };
static const char *const activation_names[] = { "gelu", "relu" };
static const char *const table_names[] = { "shared", "per-layer" };
static const char *const precision_names[] = { "single", "double" };
static const char *const preset_names[] = { "small", "paper" };

/* Fields without a default. */
enum { TASK = 0, FUNCTION = 1 };

#define AT(member) offsetof(at_fit_settings, member)
#define NAMES(list) 0, 0, list, sizeof list / sizeof *list
static const field fields[AT_FIT_FIELDS] = {
    { "task", NAME, AT(task), NAMES(task_names) },
    { "function", TEXT, AT(function), 0, 0, NULL, 0 },
    { "domain", TEXT, AT(domain), 0, 0, NULL, 0 },
    { "n", SIZE, AT(n), 1, 16384, NULL, 0 },
    { "vocab", SIZE, AT(vocab), 1, 10000000, NULL, 0 },
    { "encoding", NAME, AT(encoding), 0, 0, NULL, 0 },
    { "layers", SIZE, AT(layers), 0, 1000, NULL, 0 },
    { "d", SIZE, AT(d), 1, 65536, NULL, 0 },
    { "heads", SIZE, AT(heads), 1, 4096, NULL, 0 },
    { "ffn", SIZE, AT(ffn), 0, 262144, NULL, 0 },
    { "activation", NAME, AT(activation), NAMES(activation_names) },
    { "causal", FLAG, AT(causal), 0, 0, NULL, 0 },
    { "tables", NAME, AT(tables), NAMES(table_names) },
    { "optimizer", NAME, AT(optimizer), 0, 0, NULL, 0 },
    { "steps", SIZE, AT(steps), 1, 4294967295.0, NULL, 0 },
    { "batch", SIZE, AT(batch), 1, 1000000, NULL, 0 },
    { "lr", REAL, AT(rate), 1e-12, 1e3, NULL, 0 },
    { "warmup", SIZE, AT(warmup), 0, 4294967295.0, NULL, 0 },
    { "schedule", NAME, AT(schedule), 0, 0, at_schedule_names, AT_SCHEDULE_COUNT },
    { "beta1", REAL, AT(beta1), 0, 0.999999999, NULL, 0 },
    { "beta2", REAL, AT(beta2), 0, 0.999999999, NULL, 0 },
    { "precision", NAME, AT(precision), NAMES(precision_names) },
    { "matrix-sd", REAL, AT(matrix_sd), 0, 100, NULL, 0 },
    { "table-sd", REAL, AT(table_sd), 0, 100, NULL, 0 },
    { "factor-sd", REAL, AT(factor_sd), 0, 100, NULL, 0 },
    { "bias-sd", REAL, AT(bias_sd), 0, 100, NULL, 0 },
    { "init", TEXT, AT(init), 0, 0, NULL, 0 },
    { "as-released", FLAG, AT(as_released), 0, 0, NULL, 0 },
    { "every", SIZE, AT(every), 1, 4294967295.0, NULL, 0 },
    { "score", SIZE, AT(score), 1, 1000000, NULL, 0 },
    { "constants", SIZE, AT(constants), 1, 1000000, NULL, 0 },
    { "constant-weight", REAL, AT(constant_weight), 0, 1e12, NULL, 0 },
    { "ridge", REAL, AT(ridge), 0, 1e6, NULL, 0 },
    { "preset", NAME, AT(preset), NAMES(preset_names) },
};

enum { KEY_FIRST = 0x3001, KEY_CONFIG = 0x3101 };
#define KEY(index) (KEY_FIRST + (index))

const struct argp_option at_fit_option_table[] = {
    { "task", KEY(0), "TASK", 0, "pi (identify positions) or etp (predict even tokens)", 1 },
    { "function", KEY(1), "F", 0, "A function instead: position, shift, a polynomial, ...", 1 },
    { "domain", KEY(2), "A,B", 0, "Of the function's tokens (0,1)", 1 },
    { "n", 'n', "N", 0, "Tokens of a sequence (pi 32, etp 16, a function 8)", 1 },
    { "vocab", KEY(4), "V", 0, "Symbols (pi 100, etp 10)", 1 },
    { "encoding", KEY(5), "NAME", 0, "Positional encoding (urpe): none, rpe, ape, t5, ...", 2 },
    { "layers", KEY(6), "N", 0, "Layers (3; a function 1)", 2 },
    { "d", KEY(7), "D", 0, "Width (64; a function 4)", 2 },
    { "heads", KEY(8), "H", 0, "Heads (pi 4, etp 8, a function 2)", 2 },
    { "ffn", KEY(9), "F", 0, "Width of the feed-forward part (256; a function 32)", 2 },
    { "activation", KEY(10), "NAME", 0, "gelu (default) or relu", 2 },
    { "causal", KEY(11), NULL, 0, "With a causal mask", 2 },
    { "tables", KEY(12), "WHICH", 0, "Positional tables: shared by all layers, or per-layer", 2 },
    { "optimizer", KEY(13), "NAME", 0, "adam (a function: levenberg-marquardt), lbfgs, bfgs2, "
      "conjugate-pr, conjugate-fr, steepest", 3 },
    { "steps", KEY(14), "N", 0, "Updates, or iterations", 3 },
    { "batch", KEY(15), "N", 0, "Sequences of an update; not adam: of the fixed set", 3 },
    { "lr", KEY(16), "R", 0, "Adam's rate; length of the first step", 3 },
    { "warmup", KEY(17), "N", 0, "Updates up to the full rate", 3 },
    { "schedule", KEY(18), "NAME", 0, "After that: linear or cosine to 0, or constant", 3 },
    { "beta1", KEY(19), "B", OPTION_HIDDEN, "Adam's decay of the mean (0.9)", 3 },
    { "beta2", KEY(20), "B", OPTION_HIDDEN, "Adam's decay of the mean square (0.999)", 3 },
    { "precision", KEY(21), "P", 0, "single (default with adam) or double", 3 },
    { "matrix-sd", KEY(22), "S", 0, "Start: deviation of matrices (0: 1/sqrt(columns))", 4 },
    { "table-sd", KEY(23), "S", 0, "Start: of b; --factor-sd: of c about 1; --bias-sd", 4 },
    { "factor-sd", KEY(24), "S", OPTION_HIDDEN, "Start: deviation of urpe's factors c about 1", 4 },
    { "bias-sd", KEY(25), "S", OPTION_HIDDEN, "Start: deviation of the biases (pi 0, etp 0.1)", 4 },
    { "init", KEY(26), "FILE", 0, "Start from stored weights (safetensors; PyTorch's too)", 4 },
    { "as-released", KEY(27), NULL, 0, "The released code's oddities: V - 20 symbols, ...", 4 },
    { "every", KEY(28), "N", 0, "Steps between scores and checkpoints", 5 },
    { "score", KEY(29), "N", 0, "Random sequences of a score", 5 },
    { "constants", KEY(30), "N", OPTION_HIDDEN, "Constant sequences of a score, at most", 5 },
    { "constant-weight", KEY(31), "W", OPTION_HIDDEN, "Weight of the constants in the second half of a "
      "function's iterations (1000)", 5 },
    { "ridge", KEY(32), "R", OPTION_HIDDEN, "Ridge rows of levenberg-marquardt (1e-10)", 5 },
    { "preset", KEY(33), "NAME", 0, "small (default), or paper: the paper's sizes", 6 },
    { "config", KEY_CONFIG, "FILE", 0, "Replay a run's config.json", 6 },
    { 0 },
};

static void *place(at_fit_settings *settings, const field *f)
{
    return (char *) settings + f->offset;
}

/* The names that a field takes, where they come from a table of descriptors. */
static size_t names_of(const field *f, const char **names)
{
    size_t count = 0;

    if (strcmp(f->name, "encoding") == 0)
        for (int k = 0; k < AT_ENC_COUNT; k++)
            names[count++] = at_encodings[k].name;
    else if (strcmp(f->name, "optimizer") == 0)
        for (int k = 0; k < AT_OPT_COUNT; k++)
            names[count++] = at_optimizers[k].name;
    else
        for (size_t k = 0; k < f->name_count; k++)
            names[count++] = f->names[k];
    return count;
}

static void set_name(at_common *common, const field *f, const char *option, const char *text,
                     const char **value)
{
    const char *names[64];
    size_t count = names_of(f, names);
    int index = -1;

    if (strcmp(f->name, "encoding") == 0)
        at_option_encoding(common, option, text, &index);
    else
        at_option_name(common, option, text, names, count, &index);
    if (index >= 0)
        *value = names[index];
}

static void set_text(at_fit_settings *settings, at_common *common, const field *f, const char *text)
{
    char option[40];
    void *value = place(settings, f);

    snprintf(option, sizeof option, "%s%s", strcmp(f->name, "n") == 0 ? "-" : "--", f->name);
    switch (f->type) {
    case SIZE:
        at_option_size(common, option, text, (size_t) f->low, (size_t) f->high, value);
        break;
    case REAL:
        at_option_double(common, option, text, f->low, f->high, value);
        break;
    case TEXT:
        *(const char **) value = text;
        break;
    case NAME:
        set_name(common, f, option, text, value);
        break;
    case FLAG:
        *(bool *) value = true;
    }
}

int at_fit_settings_parse(int key, char *text, at_common *common, void *input)
{
    at_fit_settings *settings = input;
    int index = key == 'n' ? 3 : key - KEY_FIRST;
    size_t mistakes;

    if (key == KEY_CONFIG) {
        settings->config = text;
        return 0;
    }
    if (key == ARGP_KEY_ARG && common->resume && common->out == NULL) {
        common->out = text;     /* --resume RUN */
        return 0;
    }
    if (index < 0 || index >= AT_FIT_FIELDS)
        return ARGP_ERR_UNKNOWN;
    mistakes = common->mistakes;
    set_text(settings, common, &fields[index], text);
    settings->given[index] = common->mistakes == mistakes;
    return 0;
}

/* One value of a config.json; false when the field takes no such value.  null stands for what was
 * not set, where a field may be so. */
static bool take_value(at_fit_settings *settings, at_common *common, const field *f,
                       const json_t *value, const char *label)
{
    void *to = place(settings, f);

    switch (f->type) {
    case SIZE:
        if (!json_is_integer(value) || json_integer_value(value) < f->low
            || json_integer_value(value) > f->high)
            return false;
        *(size_t *) to = (size_t) json_integer_value(value);
        return true;
    case REAL:
        if (!json_is_number(value) || !(json_number_value(value) >= f->low
                                        && json_number_value(value) <= f->high))
            return false;
        *(double *) to = json_number_value(value);
        return true;
    case FLAG:
        *(bool *) to = json_is_true(value);
        return json_is_boolean(value);
    case TEXT:
        *(const char **) to = json_string_value(value);
        return json_is_string(value);
    case NAME:
        if (!json_is_string(value))
            return false;
        set_name(common, f, label, json_string_value(value), to);
        return true;
    }
    return false;
}

int at_fit_settings_stored(at_fit_settings *settings, at_common *common)
{
    const char *path = settings->json_path;
    const json_t *command = json_object_get(settings->json, "command");
    const json_t *seed = json_object_get(settings->json, "seed");

    if (settings->json == NULL)
        return AT_OK;
    if (!json_is_string(command) || strcmp(json_string_value(command), "fit") != 0) {
        at_mistake(common, "%s: expected the config.json of a run of attest fit, with \"command\": "
                   "\"fit\"", path);
        return AT_INPUT;
    }
    if (!common->seed_given && (!json_is_integer(seed) || json_integer_value(seed) < 0))
        at_mistake(common, "%s: \"seed\": expected a whole number from 0", path);
    else if (!common->seed_given)
        common->seed = (uint64_t) json_integer_value(seed);
    for (int k = 0; k < AT_FIT_FIELDS; k++) {
        const field *f = &fields[k];
        const json_t *value = json_object_get(settings->json, f->name);
        bool optional = f->type == TEXT || k == TASK;
        char label[300];

        if (settings->given[k] || value == NULL || (json_is_null(value) && optional))
            continue;
        /* A function has no symbols: its run stores 0 of them. */
        if (f->type == SIZE && f->low > 0 && json_is_integer(value) && json_integer_value(value) == 0)
            continue;
        settings->given[k] = true;
        snprintf(label, sizeof label, "%.200s: \"%s\":", path, f->name);
        if (take_value(settings, common, f, value, label))
            continue;
        if (f->type == SIZE || f->type == REAL)
            at_mistake(common, "%s expected a %snumber from %g to %g", label,
                       f->type == SIZE ? "whole " : "", f->low, f->high);
        else
            at_mistake(common, "%s expected %s", label, f->type == FLAG ? "true or false" : "a text");
    }
    return common->mistakes > 0 ? AT_INPUT : AT_OK;
}

static at_fit_settings defaults_of(const at_fit_settings *s)
{
    bool paper = s->preset != NULL && strcmp(s->preset, "paper") == 0;
    bool etp = s->task != NULL && strcmp(s->task, "etp") == 0;
    at_fit_settings d = {
        .domain = NULL, .n = 32, .vocab = 100, .encoding = "urpe", .layers = 3, .d = 64,
        .heads = 4, .ffn = 256, .activation = "gelu", .tables = "shared", .optimizer = "adam",
        .steps = 3000, .batch = 64, .rate = 1e-3, .warmup = 100, .schedule = "linear",
        .beta1 = at_adam_defaults.beta1, .beta2 = at_adam_defaults.beta2, .precision = "single",
        .matrix_sd = 0.02, .table_sd = 0.02, .factor_sd = 0.0, .bias_sd = 0.0, .every = 100,
        .score = 256, .constants = 100, .constant_weight = 1e3, .ridge = 1e-10, .preset = "small",
    };

    /* Even tokens: what made URPE learn them in minutes, see doc/experiments.md. */
    if (etp && !paper) {
        d.n = 16; d.vocab = 10; d.heads = 8; d.tables = "per-layer"; d.steps = 1500;
        d.rate = 2e-3; d.matrix_sd = 0.1; d.factor_sd = 1.0; d.bias_sd = 0.1;
    }
    if (paper) {
        d.n = 128; d.vocab = 1000; d.d = 768; d.heads = 12; d.ffn = 3072; d.steps = 40000;
        d.batch = 128; d.rate = 7e-5; d.warmup = 6000; d.every = 500; d.score = 128;
    }
    if (s->function != NULL) {
        bool adam = s->optimizer != NULL && strcmp(s->optimizer, "adam") == 0;

        d.domain = "0,1"; d.n = 8; d.vocab = 0; d.layers = 1; d.d = 4; d.heads = 2; d.ffn = 32;
        d.optimizer = adam ? "adam" : "levenberg-marquardt"; d.matrix_sd = 0.0;
        d.precision = "double"; d.steps = adam ? 2000 : 60; d.batch = 40; d.every = adam ? 200 : 12;
        d.rate = adam ? 1e-2 : 0.1; d.score = 1000; d.constants = 101;
    } else if (s->optimizer != NULL && strcmp(s->optimizer, "adam") != 0) {
        d.steps = 300; d.rate = 0.1; d.precision = "double"; d.batch = 256; d.every = 25;
    }
    return d;
}

static void check_combination(const at_fit_settings *s, at_common *common)
{
    bool adam = strcmp(s->optimizer, "adam") == 0;

    if (s->function == NULL && strcmp(s->optimizer, "levenberg-marquardt") == 0)
        at_mistake(common, "--optimizer levenberg-marquardt needs a sum of squares: use --function, "
                   "or lbfgs for a task");
    if (!adam && strcmp(s->precision, "double") != 0)
        at_mistake(common, "--precision single goes with adam alone: %s compares function values; "
                   "use --precision double", s->optimizer);
    if (s->function != NULL && s->as_released)
        at_mistake(common, "--as-released belongs to the tasks pi and etp");
    if (s->d % s->heads != 0)
        at_mistake(common, "--d %zu is not a multiple of --heads %zu", s->d, s->heads);
}

/* The formula, the domain and the sizes of the task, so that all mistakes are told at once. */
static void check_task(const at_fit_settings *s, at_common *common)
{
    at_seqfun function = { 0 };
    at_error err = AT_ERROR_INIT;
    at_task task;

    if ((s->task != NULL) == (s->function != NULL))
        return;
    if (at_fit_settings_task(s, common->seed, &function, &task, &err) != AT_OK)
        at_mistake(common, "%s", err.text);
    at_seqfun_clear(&function);
}

void at_fit_settings_complete(at_fit_settings *settings, at_common *common)
{
    at_fit_settings defaults;

    if (settings->task != NULL && settings->function != NULL)
        at_mistake(common, "--task and --function exclude each other");
    if (settings->task == NULL && settings->function == NULL && common->mistakes == 0)
        at_mistake(common, "nothing to fit: give --task pi, --task etp or --function F");
    defaults = defaults_of(settings);
    for (int k = 0; k < AT_FIT_FIELDS; k++) {
        static const size_t sizes[] = {
            [SIZE] = sizeof(size_t), [REAL] = sizeof(double), [TEXT] = sizeof(char *),
            [NAME] = sizeof(char *), [FLAG] = sizeof(bool)
        };

        if (!settings->given[k] && k != TASK && k != FUNCTION)
            memcpy(place(settings, &fields[k]), place(&defaults, &fields[k]),
                   sizes[fields[k].type]);
    }
    check_combination(settings, common);
    check_task(settings, common);
}

json_t *at_fit_settings_json(const at_fit_settings *settings)
{
    json_t *json = json_object();

    for (int k = 0; k < AT_FIT_FIELDS; k++) {
        const field *f = &fields[k];
        const void *value = (const char *) settings + f->offset;
        json_t *entry = NULL;

        switch (f->type) {
        case SIZE: entry = json_integer((json_int_t) *(const size_t *) value); break;
        case REAL: entry = json_real(*(const double *) value); break;
        case FLAG: entry = json_boolean(*(const bool *) value); break;
        default:
            entry = *(const char *const *) value != NULL
                ? json_string(*(const char *const *) value) : json_null();
        }
        json_object_set_new(json, f->name, entry);
    }
    return json;
}

void at_fit_settings_clear(at_fit_settings *settings)
{
    json_decref(settings->json);
    free(settings->json_path);
    settings->json = NULL;
    settings->json_path = NULL;
}
