/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of exact encodings. */
#include "attest/theory/network/encoding_impl.h"

const at_encoding_exact *const at_encodings_exact[AT_ENC_COUNT] = {
#define AT_ENCODING(ID, symbol, ...) [AT_ENC_##ID] = &at_exact_##symbol,
#include "attest/core/encodings.def"
#undef AT_ENCODING
};
