/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of encodings in this precision, and the model's encoding at work. */
#include "config.h"

#include "attest/numeric/encoding/parts.h"

#define AT_ENCODING(ID, symbol, ...) extern const at_encoding_float AT_ENCODING_FLOAT(symbol);
#include "attest/core/encodings.def"
#undef AT_ENCODING

const at_encoding_float *const at_encodings_float[AT_ENC_COUNT] = {
#define AT_ENCODING(ID, symbol, ...) [AT_ENC_##ID] = &AT_ENCODING_FLOAT(symbol),
#include "attest/core/encodings.def"
#undef AT_ENCODING
};

size_t at_encoding_scratch(const at_model *model)
{
    const at_encoding_float *encoding = at_encodings_float[model->encoding];

    return encoding->scratch != NULL ? encoding->scratch(model) : 0;
}

void at_encoding_prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    const at_encoding_float *encoding = at_encodings_float[call->model->encoding];

    if (encoding->prepare != NULL)
        encoding->prepare(call, slots, out);
}

void at_encoding_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    const at_encoding_float *encoding = at_encodings_float[call->model->encoding];

    if (encoding->back != NULL)
        encoding->back(call, slots, made, back, dslots);
}
