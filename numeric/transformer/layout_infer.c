/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model that a safetensors file describes, and the metadata that describe it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/transformer/layout.h"

static const at_tensor *find(const at_tensors *file, const char *prefix, const char *name)
{
    char full[160];

    snprintf(full, sizeof full, "%s%s", prefix, name);
    return at_tensors_find(file, full);
}

/* A size from the metadata; otherwise from a tensor's shape; otherwise otherwise. */
static size_t size_from(const at_tensors *file, const char *key, const at_tensor *tensor,
                        size_t dimension, size_t otherwise)
{
    const char *text = at_tensors_metadata(file, key);

    if (tensor != NULL && dimension < tensor->rank)
        return tensor->shape[dimension];
    return text != NULL ? (size_t) strtoul(text, NULL, 10) : otherwise;
}

static bool flag_from(const at_tensors *file, const char *key, bool otherwise)
{
    const char *text = at_tensors_metadata(file, key);

    return text != NULL ? strcmp(text, "1") == 0 || strcmp(text, "true") == 0 : otherwise;
}

/* A table that the layers share, or the first layer's own. */
static const at_tensor *find_table(const at_tensors *file, const char *prefix, const char *name)
{
    const at_tensor *shared = find(file, prefix, name);
    char own[80];

    snprintf(own, sizeof own, "layers.0.%s", name);
    return shared != NULL ? shared : find(file, prefix, own);
}

/* The encoding whose tables are there: learned values show it, and nothing shows one without. */
static const char *encoding_of_tables(const at_tensors *file, const char *prefix)
{
    return find_table(file, prefix, "urpe.weight") != NULL ? "urpe"
         : find_table(file, prefix, "rpe.weight") != NULL ? "rpe"
         : find(file, prefix, "ape.weight") != NULL ? "ape" : NULL;
}

static int infer_encoding(at_model *model, const at_tensors *file, const char *prefix, at_error *err)
{
    const char *name = at_tensors_metadata(file, "encoding");
    int found;

    if (name == NULL)
        name = encoding_of_tables(file, prefix);
    found = at_encoding_find(name != NULL ? name : "none");
    if (found < 0)
        return at_error_set(err, AT_INPUT, "the file's metadata name the encoding '%s', which is none "
                            "that attest knows", name);
    model->encoding = (enum at_encoding_id) found;
    return AT_OK;
}

static void infer_sizes(at_model *model, const at_tensors *file, const char *prefix)
{
    const at_tensor *emb = find(file, prefix, "emb.weight"), *in = find(file, prefix, "in.weight");
    const at_tensor *rpe = find_table(file, prefix, "rpe.weight");
    const at_tensor *ape = find(file, prefix, "ape.weight");
    const at_tensor *dec = find(file, prefix, "dec.weight");
    const at_tensor *bias = find(file, prefix, "dec.bias");
    const at_tensor *readout = find(file, prefix, "readout.weight");
    const char *length = at_tensors_metadata(file, "n");
    char name[64];

    model->vocab = emb != NULL ? emb->shape[0] : 0;
    model->inputs = in != NULL && in->rank == 2 ? in->shape[1] : 0;
    model->d = size_from(file, "d", emb != NULL ? emb : in, emb != NULL ? 1 : 0, 0);
    model->ffn = size_from(file, "ffn", find(file, prefix, "layers.0.fc1.weight"), 0, 0);
    model->heads = size_from(file, "heads", rpe, 1, 0);
    model->n = length != NULL ? (size_t) strtoul(length, NULL, 10)
             : ape != NULL ? ape->shape[0] : rpe != NULL ? (rpe->shape[0] + 1) / 2 : 0;
    for (model->layers = 0; model->layers < 10000; model->layers++) {
        snprintf(name, sizeof name, "layers.%zu.attn.qkv.weight", model->layers);
        if (find(file, prefix, name) == NULL)
            break;
    }
    model->lm_head = readout == NULL;
    model->tied = readout == NULL && dec == NULL;
    model->outputs = readout != NULL ? readout->shape[0] : dec != NULL ? dec->shape[0]
                   : bias != NULL ? bias->shape[0] : model->vocab;
}

/* Every size and flag of the metadata is one, and says what the tensors say. */
static int check_metadata(const at_model *model, const at_tensors *file, at_error *err)
{
    const struct { const char *key; size_t value; } sizes[] = {
        {"d", model->d}, {"heads", model->heads}, {"ffn", model->ffn}, {"layers", model->layers},
        {"n", model->n}
    };
    static const char *const flags[] = {"causal", "scale_logits", "tables_per_layer"};
    static const char *const words[] = {"0", "1", "true", "false"};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const char *text = at_tensors_metadata(file, sizes[k].key);
        char *end;

        if (text == NULL)
            continue;
        errno = 0;
        unsigned long long value = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
            return at_error_set(err, AT_INPUT, "the file's metadata say %s = '%.40s'; expected a "
                                "whole number", sizes[k].key, text);
        if (value != sizes[k].value)
            return at_error_set(err, AT_INPUT, "the file's metadata say %s = %llu, its tensors %zu",
                                sizes[k].key, value, sizes[k].value);
    }
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        const char *text = at_tensors_metadata(file, flags[k]);
        size_t w = 0;

        while (text != NULL && w < 4 && strcmp(text, words[w]) != 0)
            w++;
        if (w == 4)
            return at_error_set(err, AT_INPUT, "the file's metadata say %s = '%.40s'; expected 0 or "
                                "1", flags[k], text);
    }
    return AT_OK;
}

/* Neither tensors nor metadata say it: it is asked for, all of it at once. */
static int ask(const at_model *model, const at_tensors *file, const char *prefix, at_error *err)
{
    const struct { bool unknown; const char *what; } asked[] = {
        {at_tensors_metadata(file, "encoding") == NULL && encoding_of_tables(file, prefix) == NULL,
         "encoding (--encoding NAME)"},
        {model->heads == 0, "heads (--heads H)"},
        {model->n == 0, "n, the length of its sequences (-n N)"},
        {at_tensors_metadata(file, "causal") == NULL, "causal (--causal yes|no)"},
        {at_tensors_metadata(file, "activation") == NULL, "activation (--activation relu|gelu)"},
    };
    char text[400] = "";

    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        if (asked[k].unknown)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] != '\0' ? ", " : "",
                     asked[k].what);
    if (text[0] == '\0')
        return AT_OK;
    return at_error_set(err, AT_USAGE, "neither the tensors nor the metadata of the file say: %s; it could "
                        "be several models, so say which", text);
}

/* The tensors that every model has; else what is there is told beside what was expected. */
static int check_kind(const at_tensors *file, const char *prefix, at_error *err)
{
    char found[300] = "";

    if ((find(file, prefix, "emb.weight") != NULL || find(file, prefix, "in.weight") != NULL)
        && find(file, prefix, "layers.0.attn.qkv.weight") != NULL)
        return AT_OK;
    for (size_t k = 0; k < file->count && k < 4; k++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.60s", k > 0 ? ", " : "",
                 file->tensors[k].name);
    return at_error_set(err, AT_INPUT, "no model that attest knows: expected tensors %semb.weight (or "
                        "in.weight), %slayers.0.attn.qkv.weight, ...; found %zu: %s%s", prefix, prefix,
                        file->count, file->count > 0 ? found : "none", file->count > 4 ? ", ..." : "");
}

int at_layout_infer(at_model *model, const at_tensors *file, const char *prefix, at_error *err)
{
    const char *activation = at_tensors_metadata(file, "activation");
    int status;

    memset(model, 0, sizeof *model);
    if (activation != NULL && strcmp(activation, "relu") != 0 && strcmp(activation, "gelu") != 0)
        return at_error_set(err, AT_INPUT, "the file's metadata name the activation '%s'; expected "
                            "relu or gelu", activation);
    status = check_kind(file, prefix, err);
    if (status == AT_OK)
        status = infer_encoding(model, file, prefix, err);
    if (status != AT_OK)
        return status;
    infer_sizes(model, file, prefix);
    status = check_metadata(model, file, err);
    if (status != AT_OK)
        return status;
    model->biases = find(file, prefix, "layers.0.attn.qkv.bias") != NULL;
    model->layernorm = find(file, prefix, "ln0.weight") != NULL;
    model->causal = flag_from(file, "causal", false);
    model->scale_logits = flag_from(file, "scale_logits", model->layernorm);
    model->tables_per_layer = find(file, prefix, "layers.0.rpe.weight") != NULL
                            || flag_from(file, "tables_per_layer", false);
    status = ask(model, file, prefix, err);
    if (status != AT_OK)
        return status;
    model->activation = strcmp(activation, "relu") == 0 ? AT_RELU : AT_GELU;
    if (at_model_check(model, err) != AT_OK) {
        at_error_prefix(err, "the file describes no model: ");
        return at_error_set(err, AT_INPUT, "%s", err != NULL ? err->text : "no model");
    }
    return AT_OK;
}

int at_layout_describe(const at_model *model, at_tensors *file, at_error *err)
{
    const struct { const char *key; size_t value; } numbers[] = {
        {"n", model->n}, {"d", model->d}, {"heads", model->heads}, {"ffn", model->ffn},
        {"layers", model->layers}, {"vocab", model->vocab}, {"causal", model->causal},
        {"scale_logits", model->scale_logits}, {"tied", model->tied},
        {"tables_per_layer", model->tables_per_layer}
    };
    int status = at_tensors_set_metadata(file, "encoding", at_encodings[model->encoding].name, err);

    if (status == AT_OK)
        status = at_tensors_set_metadata(file, "activation",
                                         model->activation == AT_RELU ? "relu" : "gelu", err);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == AT_OK; i++) {
        char text[24];

        snprintf(text, sizeof text, "%zu", numbers[i].value);
        status = at_tensors_set_metadata(file, numbers[i].key, text, err);
    }
    return status;
}
