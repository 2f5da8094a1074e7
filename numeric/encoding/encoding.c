/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What numeric/encoding/encoding.h says of a model's encoding, from the table in double: neither slots nor shapes
 * nor fixed numbers depend on the precision. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "attest/numeric/encoding/parts.h"

static size_t head_dim(const at_model *model)
{
    return model->d / model->heads;
}

static size_t shape_letter(const at_model *model, char letter)
{
    size_t clip = model->n - 1 < AT_SHAW_CLIP ? model->n - 1 : AT_SHAW_CLIP;
    size_t span = model->n < AT_DEBERTA_SPAN ? model->n : AT_DEBERTA_SPAN;

    switch (letter) {
    case 'o': return 2 * model->n - 1;
    case 'n': return model->n;
    case 'd': return model->d;
    case 'e': return head_dim(model);
    case 'h': return model->heads;
    case 'g': return model->n + 1;
    case 'b': return AT_T5_BUCKETS;
    case 'c': return 2 * clip + 1;
    case 's': return 2 * span;
    case 'f': return AT_FIRE_WIDTH;
    case '2': return 2;
    default: return 1;
    }
}

size_t at_encoding_slots(const at_model *model, at_slot slots[AT_ENCODING_SLOTS])
{
    const at_encoding_float *encoding = at_encodings_float[model->encoding];
    size_t count = 0;

    for (; count < AT_ENCODING_SLOTS && encoding->slots[count].name != NULL; count++) {
        const char *shape = encoding->slots[count].shape;

        slots[count].name = encoding->slots[count].name;
        slots[count].kind = encoding->slots[count].kind;
        slots[count].rank = strlen(shape);
        for (size_t i = 0; i < 3; i++)
            slots[count].shape[i] = i < slots[count].rank ? shape_letter(model, shape[i]) : 1;
    }
    return count;
}

void at_encoding_shape(const at_model *model, at_derived_shape *shape)
{
    const at_encoding_float *encoding = at_encodings_float[model->encoding];
    double terms = encoding->terms > 0 ? encoding->terms : 1;

    *shape = encoding->shape;
    shape->width = encoding->wide ? model->d : head_dim(model);
    shape->scale = model->scale_logits ? 1.0 / sqrt(terms * (double) head_dim(model)) : 1.0;
}

size_t at_encoding_fixed_count(const at_model *model)
{
    const at_encoding_float *encoding = at_encodings_float[model->encoding];

    return encoding->fixed_count != NULL ? encoding->fixed_count(model) : 0;
}

void at_encoding_fixed(const at_model *model, double *fixed)
{
    const at_encoding_float *encoding = at_encodings_float[model->encoding];

    if (encoding->fixed != NULL)
        encoding->fixed(model, fixed);
}
