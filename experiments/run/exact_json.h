/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact and enclosed numbers as JSON (doc/attest.schema.json).  All return new references,
 * NULL when out of memory. */
#ifndef ATTEST_EXPERIMENTS_RUN_EXACT_JSON_H
#define ATTEST_EXPERIMENTS_RUN_EXACT_JSON_H

#include "attest/theory/flint/compat.h"

#include <jansson.h>

/* "p/q". */
json_t *at_json_fmpq(const fmpq_t x);
/* ["lo", "hi"], decimal strings rounded outward; null where an end is not finite. */
json_t *at_json_enclosure(const arb_t x);
/* Integer coefficients, constant first; a coefficient beyond 64 bits is a decimal string. */
json_t *at_json_minimal_polynomial(const qqbar_t x);
/* A real algebraic number: "p/q", or {"enclosure", "minimal_polynomial"}. */
json_t *at_json_algebraic(const qqbar_t x);

/* The same for people: "7/2", or "0.3849001794597505..., a root of 27 t^2 - 4".  malloc'ed. */
char *at_text_algebraic(const qqbar_t x);

#endif
