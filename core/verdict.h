/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts, the methods that reach them, and three-valued truth (doc/verdicts.md). */
#ifndef ATTEST_CORE_VERDICT_H
#define ATTEST_CORE_VERDICT_H

#ifdef __cplusplus
extern "C" {
#endif

/* UNDECIDED is zero on purpose: memory that was only cleared proves nothing. */
enum at_verdict { AT_UNDECIDED = 0, AT_PROVED, AT_CERTIFIED, AT_REFUTED };

enum at_method { AT_METHOD_SYMBOLIC, AT_METHOD_EXACT, AT_METHOD_BALL, AT_METHOD_CITED,
                 AT_METHOD_STATISTICAL, AT_METHOD_FLOAT };

/* The answer of a decision: "not provably positive" is not "negative". */
enum at_truth { AT_UNKNOWN = 0, AT_TRUE, AT_FALSE };

/* "PROVED" …; "symbolic" …: static strings, for every value of the enum. */
const char *at_verdict_name(enum at_verdict verdict);
const char *at_method_name(enum at_method method);

#ifdef __cplusplus
}
#endif

#endif
