/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of claims, selection by pattern, and the JSON form of a decided claim. */
#include "attest/experiments/verify/claims_list.h"

#include <stdio.h>
#include <string.h>
#include "attest/core/tables.h"
#include "attest/experiments/verify/theorems.h"

void at_claims_list_init(at_claims_list *list)
{
    size_t count;
    const at_claim_table *const *theory = at_claim_tables(&count);
    list->count = 0;
    list->table_count = 0;
    for (size_t t = 0; t < count; t++)
        list->tables[list->table_count++] = theory[t];
    list->tables[list->table_count++] = &at_claims_float;
    for (size_t t = 0; t < list->table_count; t++)
        for (size_t i = 0; i < list->tables[t]->count; i++)
            if (list->tables[t]->claims[i].statement != NULL && list->count < AT_MOST_CLAIMS)
                list->claims[list->count++] = &list->tables[t]->claims[i];
}

/* A pattern that the words of one without a match may have meant: 'rpe' the family 'rpe.*',
 * 'collapse' whatever holds it.  False where neither matches a claim. */
static bool wider(char *text, size_t room, const char *pattern, const char *const *ids, size_t count)
{
    for (int inside = 0; inside < 2; inside++) {
        snprintf(text, room, inside ? "*%s*" : "%s.*", pattern);
        for (size_t k = 0; k < count; k++)
            if (at_claim_matches(text, ids[k]))
                return true;
    }
    return false;
}

void at_claims_select(bool *selected, const at_claims_list *list, const char *const *patterns,
                      size_t pattern_count, at_common *common)
{
    const char *ids[AT_MOST_CLAIMS];
    for (size_t k = 0; k < list->count; k++) {
        selected[k] = pattern_count == 0;
        ids[k] = list->claims[k]->id;
    }
    for (size_t p = 0; p < pattern_count; p++) {
        bool found = false;
        for (size_t k = 0; k < list->count; k++)
            if (at_claim_matches(patterns[p], ids[k]))
                selected[k] = found = true;
        if (found)
            continue;
        char other[64];
        const char *nearest = at_nearest(patterns[p], ids, list->count);
        if (strlen(patterns[p]) < sizeof other - 3
            && wider(other, sizeof other, patterns[p], ids, list->count))
            at_mistake(common, "no claim is called '%s'; did you mean the pattern '%s'?",
                       patterns[p], other);
        else if (nearest != NULL)
            at_mistake(common, "no claim matches '%s'; did you mean '%s'?", patterns[p], nearest);
        else
            at_mistake(common, "no claim matches '%s'; `attest claims` lists them all",
                       patterns[p]);
    }
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *facts_json(const at_claim_run *run)
{
    json_t *facts = json_array();
    for (size_t i = 0; i < run->fact_count; i++) {
        const at_claim_record *fact = &run->facts[i];
        json_t *record = json_pack("{s:s, s:s}", "kind", fact->kind, "label", fact->label);
        for (size_t k = 0; k < fact->count; k++)
            json_object_set_new(record, fact->pairs[k].key, json_string(fact->pairs[k].value));
        json_array_append_new(facts, record);
    }
    return facts;
}

static json_t *step_json(const at_claim_step *step)
{
    json_t *detail = step->outcome == NULL
                     ? json_string(step->detail)
                     : json_sprintf("%s: %s", step->outcome, step->detail);
    return json_pack("{s:s, s:s, s:s, s:o}", "name", step->name, "method",
                     at_method_name(step->method), "verdict", at_verdict_name(step->verdict),
                     "detail", detail);
}

json_t *at_claim_json(const at_claim_run *run, bool with_facts)
{
    const at_claim *claim = run->claim;
    json_t *steps = json_array();
    for (size_t i = 0; i < run->step_count; i++)
        json_array_append_new(steps, step_json(&run->steps[i]));
    json_t *form = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:f, s:o, s:o}", "id", claim->id,
                             "statement", run->statement, "source", claim->source, "expected",
                             at_verdict_name(claim->expected), "verdict",
                             at_verdict_name(run->verdict), "as_expected", (int) run->as_expected,
                             "scope", run->scope != NULL ? run->scope : "", "seconds",
                             run->seconds, "steps", steps, "witness", text_or_null(run->witness));
    if (form != NULL)
        at_theorems_json(form, claim->id);
    if (with_facts && form != NULL)
        json_object_set_new(form, "facts", facts_json(run));
    return form;
}
