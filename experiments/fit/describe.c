/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the settings of a fit describe: its task, its model, its start.  See fit_settings.h. */
#include "attest/experiments/fit/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/theory/flint/decimal.h"

/* "p/q" or a decimal, in double. */
static bool read_end(const char *text, const char *stop, double *value)
{
    char *end;
    double denominator = 1.0;

    *value = strtod(text, &end);
    if (end == text)
        return false;
    if (*end == '/') {
        const char *below = end + 1;

        denominator = strtod(below, &end);
        if (end == below || denominator == 0.0)
            return false;
    }
    *value /= denominator;
    return end == stop && isfinite(*value);
}

/* Two rationals as the exact side reads them: no exponents, no hexadecimals. */
static bool is_domain(const char *text, const char *comma)
{
    char *low = strndup(text, (size_t) (comma - text));
    fmpq_t end;
    bool good;

    fmpq_init(end);
    good = low != NULL && at_fmpq_set_text(end, low) == 0 && at_fmpq_set_text(end, comma + 1) == 0;
    fmpq_clear(end);
    free(low);
    return good;
}

int at_fit_settings_task(const at_fit_settings *settings, uint64_t seed, at_seqfun *function,
                         at_task *task, at_error *err)
{
    const char *comma;
    int status;

    *task = (at_task) { .n = settings->n, .seed = seed, .vocab = settings->vocab,
                        .as_released = settings->as_released };
    if (settings->function == NULL) {
        task->id = (enum at_task_id) at_task_find(settings->task);
        return at_task_check(task, err);
    }
    status = at_seqfun_parse(function, settings->function, err);
    if (status != AT_OK) {
        at_error_prefix(err, "--function '%.200s': ", settings->function);
        return status;
    }
    task->id = AT_TASK_FUNCTION;
    task->function = function;
    comma = strchr(settings->domain, ',');
    if (comma == NULL || !is_domain(settings->domain, comma) || !read_end(settings->domain, comma, &task->low)
        || !read_end(comma + 1, comma + 1 + strlen(comma + 1), &task->high))
        return at_error_set(err, AT_USAGE, "--domain takes two rationals a,b such as 0,1 or "
                            "-1/2,3/4, not '%s'", settings->domain);
    return at_task_check(task, err);
}

at_model at_fit_settings_model(const at_fit_settings *s, const at_task *task)
{
    bool tokens = task->id != AT_TASK_FUNCTION;
    at_model model = {
        .encoding = (enum at_encoding_id) at_encoding_find(s->encoding), .d = s->d,
        .heads = s->heads, .ffn = s->ffn, .layers = s->layers,
        .activation = strcmp(s->activation, "relu") == 0 ? AT_RELU : AT_GELU,
        .causal = s->causal, .layernorm = tokens, .biases = tokens, .scale_logits = tokens,
        .tied = task->id == AT_TASK_ETP, .lm_head = tokens,
        .tables_per_layer = strcmp(s->tables, "per-layer") == 0,
    };

    if (at_encodings[model.encoding].causal_only)
        model.causal = true;
    at_task_model(task, &model);
    return model;
}

at_initial at_fit_settings_initial(const at_fit_settings *s, const at_model *model)
{
    at_initial initial = at_initial_default(model);

    initial.matrix_sd = s->matrix_sd;
    initial.logit_table_sd = s->table_sd;
    initial.factor_sd = s->factor_sd;
    initial.bias_sd = s->bias_sd;
    return initial;
}
