/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of decided claims as lemmas for Coq, which its kernel and Coq-Interval check without this
 * program: `attest verify --coq FILE.v`. */
#ifndef ATTEST_EXPERIMENTS_VERIFY_COQ_H
#define ATTEST_EXPERIMENTS_VERIFY_COQ_H

#include <stdio.h>
#include "attest/theory/claim/claim.h"

/* What every file begins with: imports, three lemmas on exp and sqrt, the tactics. */
void at_coq_begin(FILE *to);
/* The facts of a run, a lemma each (of "rows" and "toeplitz-sums" one a row).  AT_UNEXPECTED: a fact
 * of another kind, or one that does not read as its kind should. */
int at_coq_write(FILE *to, const at_claim_run *run, at_error *err) AT_MUST_CHECK;

/* ---- Parts --------------------------------------------------------------------------------- */

/* The expression of a fact (rationals with + - * / ^, exp, log, sqrt, e) in Coq's words, malloc'ed; NULL:
 * it does not read, or out of memory.  Rational exponents of e are written in one form, "(-9 / 5)". */
char *at_coq_expression(const char *text);
/* A name for the lemma of a claim's fact: letters, digits, underscores. */
void at_coq_name(char *name, size_t size, const char *id, const char *kind, size_t number);
/* The lemmas of a fact of kind "rows" (coq_rows.c). */
int at_coq_rows(FILE *to, const char *name, const at_claim_record *fact, at_error *err) AT_MUST_CHECK;
/* The value of a fact's key; "" where it has none. */
const char *at_coq_value(const at_claim_record *fact, const char *key);

#endif
