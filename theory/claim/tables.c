/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of theory's tables of claims. */
#include "attest/theory/claim/claim.h"

static const at_claim_table *const builtin[] = { &at_claims_rpe, &at_claims_urpe, &at_claims_opt };

const at_claim_table *const *at_claim_tables(size_t *count)
{
    *count = sizeof builtin / sizeof builtin[0];
    return builtin;
}
