/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All claims that the program knows: theory's tables and those that need both sides. */
#ifndef ATTEST_EXPERIMENTS_VERIFY_CLAIMS_LIST_H
#define ATTEST_EXPERIMENTS_VERIFY_CLAIMS_LIST_H

#include <jansson.h>
#include "attest/experiments/cli/options.h"
#include "attest/theory/claim/claim.h"

enum { AT_MOST_CLAIMS = 512 };

typedef struct {
    const at_claim_table *tables[16];
    size_t table_count;
    const at_claim *claims[AT_MOST_CLAIMS];    /* entries with a statement, in order */
    size_t count;
} at_claims_list;

/* Steps on the floating-point engine for claims of theory (claims_float.c). */
extern const at_claim_table at_claims_float;

void at_claims_list_init(at_claims_list *list);

/* selected[k] = true for the claims that match one of the patterns (all when there are none);
 * a pattern that selects nothing is a mistake that names a wider pattern or the nearest id. */
void at_claims_select(bool *selected, const at_claims_list *list, const char *const *patterns,
                      size_t pattern_count, at_common *common);

/* One element of "claims" in the forms of `attest verify --json` and --certificate. */
json_t *at_claim_json(const at_claim_run *run, bool with_facts);

#endif
