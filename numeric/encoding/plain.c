/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No derived arrays: no encoding, and absolute positions, which are added to the input. */
#include "config.h"

#include "attest/numeric/encoding/fixed.h"
#include "attest/numeric/encoding/parts.h"

static size_t positions_count(const at_model *model)
{
    return model->n * model->d;
}

static void positions(const at_model *model, double *fixed)
{
    for (size_t i = 0; i < model->n; i++)
        at_sinusoid((double) i, model->d, fixed + i * model->d);
}

const at_encoding_float AT_ENCODING_FLOAT(none) = {.terms = 1};

/* Its vectors are a parameter of the layout (numeric/transformer/layout.h), since they belong to no layer. */
const at_encoding_float AT_ENCODING_FLOAT(learned) = {.terms = 1};

const at_encoding_float AT_ENCODING_FLOAT(sinusoidal) = {
    .shape = {.adds_fixed = true}, .fixed_count = positions_count, .fixed = positions
};
