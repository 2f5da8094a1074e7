/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of verdicts and methods: see verdict.h. */
#include "attest/core/verdict.h"

const char *at_verdict_name(enum at_verdict verdict)
{
    switch (verdict) {
    case AT_PROVED: return "PROVED";
    case AT_CERTIFIED: return "CERTIFIED";
    case AT_REFUTED: return "REFUTED";
    case AT_UNDECIDED: break;
    }
    return "UNDECIDED";
}

const char *at_method_name(enum at_method method)
{
    switch (method) {
    case AT_METHOD_SYMBOLIC: return "symbolic";
    case AT_METHOD_EXACT: return "exact";
    case AT_METHOD_BALL: return "ball";
    case AT_METHOD_CITED: return "cited";
    case AT_METHOD_STATISTICAL: return "statistical";
    case AT_METHOD_FLOAT: return "float";
    }
    return "unknown";
}
