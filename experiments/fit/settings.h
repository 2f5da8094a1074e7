/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of `attest fit`: one table of fields, each an option of the command line and a key of
 * config.json; defaults depend on the task, the function and the preset. */
#ifndef ATTEST_EXPERIMENTS_FIT_SETTINGS_H
#define ATTEST_EXPERIMENTS_FIT_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"
#include "attest/experiments/cli/options.h"
#include "attest/numeric/optimize/fit.h"
#include "attest/numeric/transformer/layout.h"
#include "attest/numeric/optimize/task.h"
#include "attest/numeric/optimize/train.h"

enum { AT_FIT_FIELDS = 34 };

typedef struct {
    /* Fields of the table, in its order; texts are borrowed from argv or owned by json. */
    const char *task;         /* "pi", "etp"; NULL with a function */
    const char *function;     /* as the user wrote it */
    const char *domain;       /* "a,b", rational */
    size_t n, vocab;
    const char *encoding;
    size_t layers, d, heads, ffn;
    const char *activation;   /* gelu, relu */
    bool causal;
    const char *tables;       /* of b and c: shared, per-layer */
    const char *optimizer;
    size_t steps, batch;
    double rate;
    size_t warmup;
    const char *schedule;
    double beta1, beta2;
    const char *precision;    /* single, double */
    double matrix_sd, table_sd, factor_sd, bias_sd;   /* of the start */
    const char *init;         /* safetensors file or NULL */
    bool as_released;
    size_t every;             /* steps between rows of metrics.tsv */
    size_t score;             /* random sequences of a score */
    size_t constants;         /* constant sequences of a score */
    double constant_weight;   /* functions: of constants in the second half of a full-batch fit */
    double ridge;             /* levenberg-marquardt */
    const char *preset;       /* small, paper */

    const char *config;       /* --config */
    bool given[AT_FIT_FIELDS];
    json_t *json;             /* what --config or --resume read; owns texts */
    char *json_path;          /* its file, owned */
} at_fit_settings;

/* The command line's options, for argp; the last is {0}. */
extern const struct argp_option at_fit_option_table[];

/* at_command_line's parse; input is an at_fit_settings that started as zeros. */
int at_fit_settings_parse(int key, char *text, at_common *common, void *input);
/* Takes what was not given from settings->json (a config.json; NULL: none), and the seed; AT_INPUT
 * after every value that fit does not take went to common's mistakes. */
int at_fit_settings_stored(at_fit_settings *settings, at_common *common) AT_MUST_CHECK;
/* Fills what is still missing with the defaults.  Mistakes of the combination go to common. */
void at_fit_settings_complete(at_fit_settings *settings, at_common *common);
/* All fields as config.json has them: a new reference. */
json_t *at_fit_settings_json(const at_fit_settings *settings);
void at_fit_settings_clear(at_fit_settings *settings);

/* What the settings describe.  function is parsed into *function when there is one. */
int at_fit_settings_task(const at_fit_settings *settings, uint64_t seed, at_seqfun *function,
                         at_task *task, at_error *err) AT_MUST_CHECK;
at_model at_fit_settings_model(const at_fit_settings *settings, const at_task *task);
at_initial at_fit_settings_initial(const at_fit_settings *settings, const at_model *model);

#endif
