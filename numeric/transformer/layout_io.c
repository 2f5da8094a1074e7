/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters in safetensors files: saving, loading by name, and the model that a file describes. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/transformer/layout.h"

int at_layout_save(const at_layout *layout, const double *params, int single, at_tensors *file,
                   at_error *err)
{
    int status = AT_OK;

    for (size_t v = 0; v < layout->view_count && status == AT_OK; v++) {
        const at_view *view = &layout->views[v];
        at_tensor *added;

        status = at_tensors_add(file, view->name, single ? AT_F32 : AT_F64, view->rank, view->shape,
                                single ? NULL : params + view->offset, &added, err);
        for (size_t i = 0; i < view->count && status == AT_OK && single; i++)
            ((float *) added->data)[i] = (float) params[view->offset + i];
    }
    return status;
}

/* Adds one line to a growing list of complaints in err. */
static void complain(at_error *err, int *status, const char *line)
{
    char before[sizeof err->text];

    if (err == NULL || *status == AT_OK) {
        *status = at_error_set(err, AT_INPUT, "%s", line);
        return;
    }
    snprintf(before, sizeof before, "%s", err->text);
    *status = at_error_set(err, AT_INPUT, "%.700s\n%.250s", before, line);
}

static void shape_text(char *text, size_t size, size_t rank, const size_t *shape)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < rank && used < size; i++)
        used += (size_t) snprintf(text + used, size - used, "%s%zu", i > 0 ? ", " : "", shape[i]);
}

/* NULL and a complaint when the view's tensor is missing or unlike. */
static const at_tensor *find_view(const at_view *view, const at_tensors *file, const char *prefix,
                                  int *status, at_error *err)
{
    char name[160], line[480], wanted[80], found[120];
    const at_tensor *tensor;
    bool same;

    snprintf(name, sizeof name, "%s%s", prefix, view->name);
    shape_text(wanted, sizeof wanted, view->rank, view->shape);
    tensor = at_tensors_find(file, name);
    if (tensor == NULL) {
        snprintf(line, sizeof line, "tensor %s [%s] is missing", name, wanted);
        complain(err, status, line);
        return NULL;
    }
    same = tensor->rank == view->rank && tensor->dtype != AT_I64;
    for (size_t i = 0; i < view->rank && same; i++)
        same = tensor->shape[i] == view->shape[i];
    if (same)
        return tensor;
    shape_text(found, sizeof found, tensor->rank, tensor->shape);
    snprintf(line, sizeof line, "tensor %s is [%s] of %s, expected [%s] of floats", name, found,
             tensor->dtype == AT_I64 ? "integers" : "floats", wanted);
    complain(err, status, line);
    return NULL;
}

/* The first element that is no number, or count. */
static size_t first_not_finite(const double *values, size_t count)
{
    size_t i = 0;

    while (i < count && isfinite(values[i]))
        i++;
    return i;
}

int at_layout_load(const at_layout *layout, const at_tensors *file, const char *prefix,
                   double *params, at_error *err)
{
    int status = AT_OK;

    for (size_t v = 0; v < layout->view_count; v++) {
        const at_view *view = &layout->views[v];
        const at_tensor *tensor = find_view(view, file, prefix, &status, err);
        double *values = params + view->offset;
        char line[480];
        size_t bad;

        for (size_t i = 0; i < view->count && tensor != NULL; i++)
            values[i] = tensor->dtype == AT_F32 ? (double) ((const float *) tensor->data)[i]
                                                : ((const double *) tensor->data)[i];
        bad = tensor != NULL ? first_not_finite(values, view->count) : view->count;
        if (bad < view->count) {
            snprintf(line, sizeof line, "tensor %s%s holds %f at element %zu, expected finite "
                     "numbers", prefix, view->name, values[bad], bad);
            complain(err, &status, line);
        }
    }
    return status;
}

static const at_tensor *find(const at_tensors *file, const char *prefix, const char *name)
{
    char full[160];

    snprintf(full, sizeof full, "%s%s", prefix, name);
    return at_tensors_find(file, full);
}

static bool is_view(const at_layout *layout, const char *prefix, const char *name)
{
    size_t length = strlen(prefix);

    if (strncmp(name, prefix, length) != 0)
        return false;
    for (size_t v = 0; v < layout->view_count; v++)
        if (strcmp(layout->views[v].name, name + length) == 0)
            return true;
    return false;
}

/* A state dict of PyTorch names a tied decoder too, with the embedding's numbers. */
static bool is_tied_decoder(const at_layout *layout, const at_tensors *file, const char *prefix,
                            const at_tensor *tensor)
{
    const at_tensor *embedding = find(file, prefix, "emb.weight");

    return layout->model.tied && tensor == find(file, prefix, "dec.weight") && embedding != NULL
        && tensor->dtype == embedding->dtype && tensor->count == embedding->count
        && memcmp(tensor->data, embedding->data,
                  tensor->count * (tensor->dtype == AT_F32 ? sizeof(float) : sizeof(double))) == 0;
}

int at_layout_unused(const at_layout *layout, const at_tensors *file, const char *prefix,
                     at_error *err)
{
    int status = AT_OK;

    for (size_t k = 0; k < file->count; k++) {
        const at_tensor *tensor = &file->tensors[k];
        char line[480];

        if (tensor->dtype == AT_I64 || strncmp(tensor->name, "adam.", 5) == 0
            || is_view(layout, prefix, tensor->name)
            || is_tied_decoder(layout, file, prefix, tensor))
            continue;
        snprintf(line, sizeof line, "tensor %.300s has no place in this model", tensor->name);
        complain(err, &status, line);
    }
    return status;
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

static int infer_encoding(at_model *model, const at_tensors *file, const char *prefix, at_error *err)
{
    const char *name = at_tensors_metadata(file, "encoding");
    int found;

    if (name == NULL)
        name = find_table(file, prefix, "urpe.weight") != NULL ? "urpe"
             : find_table(file, prefix, "rpe.weight") != NULL ? "rpe"
             : find(file, prefix, "ape.weight") != NULL ? "ape" : "none";
    found = at_encoding_find(name);
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

int at_layout_infer(at_model *model, const at_tensors *file, const char *prefix, at_error *err)
{
    const char *activation = at_tensors_metadata(file, "activation");
    int status;

    memset(model, 0, sizeof *model);
    if (activation != NULL && strcmp(activation, "relu") != 0 && strcmp(activation, "gelu") != 0)
        return at_error_set(err, AT_INPUT, "the file's metadata name the activation '%s'; expected "
                            "relu or gelu", activation);
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
    model->activation = activation != NULL ? (strcmp(activation, "relu") == 0 ? AT_RELU : AT_GELU)
                      : model->layernorm ? AT_GELU : AT_RELU;
    if (model->heads == 0 || model->n == 0)
        return at_error_set(err, AT_INPUT, "neither a table nor the metadata of the file say %s%s%s; "
                            "add %s to its metadata", model->heads == 0 ? "how many heads" : "",
                            model->heads == 0 && model->n == 0 ? " and " : "",
                            model->n == 0 ? "how long its sequences are" : "",
                            model->heads == 0 ? "\"heads\"" : "\"n\"");
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
