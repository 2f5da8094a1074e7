/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims rpe.* of the theory. */
#include "theory/claim.h"

const at_claim_table at_claims_rpe = { NULL, 0 };
