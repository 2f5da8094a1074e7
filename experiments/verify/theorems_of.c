/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The theorems of a claim: see theorems.h. */
#include "attest/experiments/verify/theorems.h"

#include <string.h>

const at_theorem *at_theorem_of(const char *claim, size_t k)
{
    for (size_t t = 0; t < at_theorem_count; t++)
        if (strcmp(at_theorems[t].claim, claim) == 0 && k-- == 0)
            return &at_theorems[t];
    return NULL;
}

void at_theorems_json(json_t *document, const char *claim)
{
    json_t *theorems = json_array();
    const at_theorem *theorem;

    for (size_t k = 0; (theorem = at_theorem_of(claim, k)) != NULL; k++)
        json_array_append_new(theorems, json_pack("{s:s, s:s}", "theorem", theorem->theorem,
                                                  "proof_file", theorem->file));
    json_object_set_new(document, "kernel_checked", json_boolean(json_array_size(theorems) > 0));
    json_object_set_new(document, "theorems", theorems);
}
