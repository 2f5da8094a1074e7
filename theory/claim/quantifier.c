/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases that are counted, and what is proved of them. */
#include "attest/theory/claim/quantifier.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cases ------------------------------------------------------------------ */

/* An integer and nothing behind it. */
static bool read_size(long *value, const char *text)
{
    char *end = NULL;
    if (text == NULL || *text == '\0')
        return false;
    *value = strtol(text, &end, 10);
    return *end == '\0';
}

at_cases at_cases_over(const at_claim_run *run, const char *names)
{
    at_cases cases = { .total = 1 };
    char list[64], *rest = NULL;
    snprintf(list, sizeof list, "%s", names);
    for (char *name = strtok_r(list, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        const at_range *r = at_claim_range(run->claim, name);
        size_t k = cases.sizes;
        if (k == AT_MOST_SIZES || r == NULL || !r->size || !read_size(&cases.low[k], r->low)
            || !read_size(&cases.high[k], r->high) || cases.low[k] > cases.high[k]) {
            cases.total = 0;
            return cases;
        }
        cases.range[k] = r;
        cases.total *= (size_t) (cases.high[k] - cases.low[k] + 1);
        cases.least[k] = LONG_MAX;
        cases.most[k] = LONG_MIN;
        cases.sizes++;
    }
    if (cases.sizes == 0)
        cases.total = 0;
    return cases;
}

bool at_cases_next(at_cases *cases)
{
    if (cases->total == 0 || cases->refuted)
        return false;
    if (!cases->started) {
        memcpy(cases->at, cases->low, sizeof cases->at);
        cases->started = cases->open = true;
        return true;
    }
    for (size_t k = cases->sizes; k-- > 0; cases->at[k] = cases->low[k])
        if (cases->at[k] < cases->high[k]) {
            cases->at[k]++;
            cases->open = true;
            return true;
        }
    return false;
}

void at_cases_add(at_cases *cases, enum at_truth holds)
{
    if (!cases->open || holds != AT_TRUE)
        cases->refuted = true;          /* one case twice is no more a proof than a false one */
    cases->open = false;
    cases->added++;
    for (size_t k = 0; k < cases->sizes; k++) {
        if (cases->at[k] < cases->least[k])
            cases->least[k] = cases->at[k];
        if (cases->at[k] > cases->most[k])
            cases->most[k] = cases->at[k];
    }
}

enum at_truth at_cases_truth(const at_cases *cases)
{
    return !cases->refuted && cases->added > 0 && cases->added == cases->total ? AT_TRUE
                                                                              : AT_UNKNOWN;
}

/* "n = 1..4, d = 1..2". */
static void cases_text(char *out, size_t room, const at_cases *cases)
{
    size_t used = 0;
    snprintf(out, room, "nothing");
    for (size_t k = 0; cases->added > 0 && k < cases->sizes && used < room; k++)
        used += (size_t) snprintf(out + used, room - used,
                                  cases->least[k] == cases->most[k] ? "%s%s = %ld" : "%s%s = %ld..%ld",
                                  k > 0 ? ", " : "", cases->range[k]->name, cases->least[k],
                                  cases->most[k]);
}

void at_claim_prove_cases(at_claim_run *run, const char *name, enum at_method method,
                          const at_cases *cases, const char *format, ...)
{
    char text[512], counted[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cases_text(counted, sizeof counted, cases);
    at_claim_prove(run, name, method, at_cases_truth(cases), "%s; %s: %zu case%s", text, counted,
                   cases->added, cases->added == 1 ? "" : "s");
    if (run->scope == NULL || strstr(run->scope, counted) == NULL)
        at_claim_scope(run, "%s", counted);
}

void at_claim_prove_nonnegative(at_claim_run *run, const char *name, const char *variables,
                                const char *polynomial, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    at_claim_prove(run, name, AT_METHOD_SYMBOLIC, at_claim_nonnegative(run, variables, polynomial),
                   "%s >= 0 on the stated ranges (%s): %s", polynomial, variables, text);
}

enum at_truth at_claim_nonnegative(const at_claim_run *run, const char *variables,
                                   const char *polynomial)
{
    return at_ranges_nonnegative(run->claim->ranges, variables, polynomial);
}
