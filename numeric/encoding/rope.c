/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rotary positions (Su et al. 2021): queries and keys are turned, no array is derived. */
#include "config.h"

#include <math.h>

#include "attest/numeric/encoding/parts.h"

static size_t pairs(const at_model *model)
{
    return model->d / model->heads / 2;
}

static size_t fixed_count(const at_model *model)
{
    return model->n * pairs(model) * 2;
}

/* (cos, sin) of i·10000^{−t/pairs}. */
static void fixed(const at_model *model, double *fixed)
{
    size_t count = pairs(model);

    for (size_t i = 0; i < model->n; i++)
        for (size_t t = 0; t < count; t++) {
            double angle = (double) i * pow(10000.0, -(double) t / (double) count);

            fixed[(i * count + t) * 2] = cos(angle);
            fixed[(i * count + t) * 2 + 1] = sin(angle);
        }
}

const at_encoding_float AT_ENCODING_FLOAT(rope) = {
    .shape = {.rotate = true}, .fixed_count = fixed_count, .fixed = fixed
};
