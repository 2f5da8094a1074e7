/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which theorems of proofs/ stand behind which claims: the table is made of proofs/statements.v and
 * proofs/statements_opt.v when the program is built, where Coq checks each of them (`make -C proofs`).
 * The program itself runs no Coq. */
#ifndef ATTEST_EXPERIMENTS_VERIFY_THEOREMS_H
#define ATTEST_EXPERIMENTS_VERIFY_THEOREMS_H

#include <jansson.h>
#include <stddef.h>

typedef struct {
    const char *claim;      /* "rpe.floor" */
    const char *file;       /* "proofs/floors.v" */
    const char *theorem;    /* "max_floor" */
} at_theorem;

extern const at_theorem at_theorems[];
extern const size_t at_theorem_count;

/* The theorem number k of the claim, NULL past the last. */
const at_theorem *at_theorem_of(const char *claim, size_t k);
/* Adds "kernel_checked" and "theorems" to a claim's document. */
void at_theorems_json(json_t *document, const char *claim);

#endif
