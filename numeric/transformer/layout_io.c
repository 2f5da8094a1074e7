/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters in safetensors files: saving, loading by name, and what has no place. */
#include "config.h"

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
    same = tensor->rank == view->rank && at_tensor_is_float(tensor);
    for (size_t i = 0; i < view->rank && same; i++)
        same = tensor->shape[i] == view->shape[i];
    if (same)
        return tensor;
    shape_text(found, sizeof found, tensor->rank, tensor->shape);
    snprintf(line, sizeof line, "tensor %s is [%s] of %s, expected [%s] of floats", name, found,
             at_dtype_name(tensor->dtype), wanted);
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
        && at_tensor_is_float(tensor)
        && (tensor->data == NULL   /* a header being judged */
            || memcmp(tensor->data, embedding->data,
                      tensor->count * (tensor->dtype == AT_F32 ? sizeof(float) : sizeof(double))) == 0);
}

static void list_unused(const at_layout *layout, const at_tensors *file, const char *prefix, int *status,
                        at_error *err)
{
    for (size_t k = 0; k < file->count; k++) {
        const at_tensor *tensor = &file->tensors[k];
        char line[480], shape[80];

        if (strncmp(tensor->name, "adam.", 5) == 0
            || is_view(layout, prefix, tensor->name)
            || is_tied_decoder(layout, file, prefix, tensor))
            continue;
        shape_text(shape, sizeof shape, tensor->rank, tensor->shape);
        snprintf(line, sizeof line, "tensor %.300s, [%s] of %s, has no place in this model; remove it from "
                 "the file if it is a buffer", tensor->name, shape, at_dtype_name(tensor->dtype));
        complain(err, status, line);
    }
}

int at_layout_unused(const at_layout *layout, const at_tensors *file, const char *prefix,
                     at_error *err)
{
    int status = AT_OK;

    list_unused(layout, file, prefix, &status, err);
    return status;
}

int at_layout_match(const at_layout *layout, const at_tensors *file, const char *prefix, at_error *err)
{
    int status = AT_OK;

    for (size_t v = 0; v < layout->view_count; v++)
        (void) find_view(&layout->views[v], file, prefix, &status, err);
    list_unused(layout, file, prefix, &status, err);
    return status;
}
