/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runner of claims: collects steps, computes verdicts, keeps time. */
#include "attest/theory/claim/claim.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attest/theory/claim/fact_value.h"

enum { DEFAULT_INSTANCES = 200 };
static const double DEFAULT_BUDGET = 2.0;

bool at_claim_matches(const char *pattern, const char *id)
{
    return strcmp(pattern, id) == 0 || fnmatch(pattern, id, 0) == 0;
}

/* ---- Text ------------------------------------------------------------------ */

/* printf into fresh memory; NULL (and remembered in the run) when there is none. */
static char *format_text(at_claim_run *run, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t) length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t) length + 1, format, again);
    else
        run->out_of_memory = true;
    va_end(again);
    return text;
}

static char *copy_text(at_claim_run *run, const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy != NULL)
        strcpy(copy, text);
    else
        run->out_of_memory = true;
    return copy;
}

/* Appends "; " and the new text to *whole. */
static void append_text(at_claim_run *run, char **whole, const char *format, va_list args)
{
    char *text = format_text(run, format, args);
    if (text == NULL || *whole == NULL) {
        if (text != NULL)
            *whole = text;
        return;
    }
    char *longer = realloc(*whole, strlen(*whole) + strlen(text) + 3);
    if (longer == NULL) {
        run->out_of_memory = true;
    } else {
        strcat(strcat(longer, "; "), text);
        *whole = longer;
    }
    free(text);
}

void at_claim_scope(at_claim_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append_text(run, &run->scope, format, args);
    va_end(args);
}

void at_claim_witness(at_claim_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append_text(run, &run->witness, format, args);
    va_end(args);
}

/* ---- Steps ----------------------------------------------------------------- */

/* One more element in a growing array; NULL when out of memory. */
static void *grow(at_claim_run *run, void *array, size_t count, size_t *space, size_t size)
{
    if (count < *space)
        return array;
    size_t more = *space == 0 ? 8 : 2 * *space;
    void *larger = realloc(array, more * size);
    if (larger == NULL)
        run->out_of_memory = true;
    else
        *space = more;
    return larger;
}

static enum at_verdict step_verdict(enum at_step_role role, enum at_method method,
                                    enum at_truth holds)
{
    if (holds != AT_TRUE)
        return AT_UNDECIDED;
    switch (role) {
    case AT_ROLE_WITNESS:
    case AT_ROLE_RECHECK:
        return AT_REFUTED;
    case AT_ROLE_PROOF:
        /* numbers with error bars decide instances, never all parameters */
        return method == AT_METHOD_SYMBOLIC || method == AT_METHOD_EXACT
               || method == AT_METHOD_CITED ? AT_PROVED : AT_CERTIFIED;
    case AT_ROLE_INSTANCE:
    case AT_ROLE_SUPPORT:
        return AT_CERTIFIED;
    }
    return AT_UNDECIDED;
}

static void add_step(at_claim_run *run, enum at_step_role role, const char *name,
                     enum at_method method, enum at_truth holds, const char *format,
                     va_list args)
{
    void *steps = grow(run, run->steps, run->step_count, &run->step_space, sizeof *run->steps);
    if (steps == NULL)
        return;
    run->steps = steps;
    at_claim_step *step = &run->steps[run->step_count];
    step->name = copy_text(run, name);
    step->detail = format_text(run, format, args);
    step->method = method;
    step->role = role;
    step->verdict = step_verdict(role, method, holds);
    step->outcome = NULL;
    run->step_count++;
}

#define AT_DEFINE_STEP(function, role)                                                 \
    void function(at_claim_run *run, const char *name, enum at_method method,          \
                  enum at_truth holds, const char *detail, ...)                        \
    {                                                                                  \
        va_list args;                                                                  \
        va_start(args, detail);                                                        \
        add_step(run, role, name, method, holds, detail, args);                        \
        va_end(args);                                                                  \
    }

AT_DEFINE_STEP(at_claim_prove, AT_ROLE_PROOF)
AT_DEFINE_STEP(at_claim_certify, AT_ROLE_INSTANCE)
AT_DEFINE_STEP(at_claim_refute, AT_ROLE_WITNESS)
AT_DEFINE_STEP(at_claim_recheck, AT_ROLE_RECHECK)
AT_DEFINE_STEP(at_claim_support, AT_ROLE_SUPPORT)

void at_claim_row(at_claim_run *run, enum at_step_role role, const char *name,
                  const char *outcome, enum at_method method, enum at_truth holds,
                  const char *detail, ...)
{
    size_t before = run->step_count;
    va_list args;
    va_start(args, detail);
    add_step(run, role, name, method, holds, detail, args);
    va_end(args);
    if (run->step_count > before)
        run->steps[before].outcome = outcome;
}

void at_claim_cite(at_claim_run *run, const char *name, const char *fact, ...)
{
    va_list args;
    va_start(args, fact);
    add_step(run, AT_ROLE_PROOF, name, AT_METHOD_CITED, AT_TRUE, fact, args);
    va_end(args);
}

/* ---- Facts ----------------------------------------------------------------- */

void at_claim_fact(at_claim_run *run, const char *kind, const char *label)
{
    void *facts = grow(run, run->facts, run->fact_count, &run->fact_space, sizeof *run->facts);
    if (facts == NULL)
        return;
    run->facts = facts;
    at_claim_record *fact = &run->facts[run->fact_count++];
    fact->kind = copy_text(run, kind);
    fact->label = copy_text(run, label);
    fact->pairs = NULL;
    fact->count = 0;
}

void at_claim_fact_text(at_claim_run *run, const char *key, const char *value, ...)
{
    if (run->fact_count == 0)
        return;
    at_claim_record *fact = &run->facts[run->fact_count - 1];
    at_claim_pair *pairs = realloc(fact->pairs, (fact->count + 1) * sizeof *pairs);
    if (pairs == NULL) {
        run->out_of_memory = true;
        return;
    }
    va_list args;
    va_start(args, value);
    fact->pairs = pairs;
    pairs[fact->count].key = copy_text(run, key);
    pairs[fact->count].value = format_text(run, value, args);
    fact->count++;
    va_end(args);
}

/* The digits of an expression, where they can be told. */
static void add_value(at_claim_run *run, const char *key, const char *expression)
{
    char *digits = at_fact_decimal(expression);
    if (digits != NULL)
        at_claim_fact_text(run, key, "%s", digits);
    flint_free(digits);
}

void at_claim_fact_relation(at_claim_run *run, const char *label, const char *left,
                            const char *relation, const char *right)
{
    at_claim_fact(run, "relation", label);
    at_claim_fact_text(run, "left", "%s", left);
    at_claim_fact_text(run, "relation", "%s", relation);
    at_claim_fact_text(run, "right", "%s", right);
    add_value(run, "left_value", left);
    add_value(run, "right_value", right);
}

/* ---- Time and chance -------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

size_t at_claim_instances(const at_claim_run *run)
{
    return run->instances;
}

bool at_claim_out_of_time(const at_claim_run *run)
{
    return now() - run->started > run->budget;
}

bool at_claim_another(const at_claim_run *run, size_t done)
{
    return done < DEFAULT_INSTANCES || (done < run->instances && !at_claim_out_of_time(run));
}

/* splitmix64: small, and the same stream on every machine. */
uint64_t at_claim_random(at_claim_run *run)
{
    uint64_t z = (run->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void at_claim_random_rational(long *p, long *q, at_claim_run *run)
{
    uint64_t r = at_claim_random(run);
    long small = (long) ((r >> 8) % 13) - 6;
    *q = 1;
    switch (r % 16) {
    case 0: case 1:
        *p = 0;
        break;
    case 2:
        *p = (r & 256) ? 1 : -1;
        break;
    case 3:
        *p = small * 1000003;
        break;
    case 4:
        *p = small;
        *q = 1000003;
        break;
    case 5: case 6: case 7: case 8:
        *p = small;
        break;
    default:
        *p = small;
        *q = 1 + (long) ((r >> 24) % 6);
        break;
    }
}

/* FNV-1a: each claim has its own stream, so that selecting fewer claims changes no result. */
static uint64_t hash_id(const char *id)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *id != '\0'; id++)
        h = (h ^ (unsigned char) *id) * UINT64_C(0x100000001b3);
    return h;
}

/* ---- Verdict ---------------------------------------------------------------- */

enum at_verdict at_claim_verdict(const at_claim_step *steps, size_t count, bool has_witness)
{
    size_t proofs = 0, instances = 0, witnesses = 0, rechecks = 0;
    for (size_t i = 0; i < count; i++) {
        const at_claim_step *step = &steps[i];
        if (step->verdict == AT_UNDECIDED)
            return AT_UNDECIDED;
        if (step->role == AT_ROLE_SUPPORT || step->method == AT_METHOD_CITED)
            continue;
        if (step->method == AT_METHOD_FLOAT)
            continue;
        /* a probability bound refutes with its level, and certifies nothing */
        if (step->method == AT_METHOD_STATISTICAL && step->role != AT_ROLE_WITNESS
            && step->role != AT_ROLE_RECHECK)
            continue;
        switch (step->role) {
        case AT_ROLE_WITNESS:
            witnesses += step->verdict == AT_REFUTED;
            break;
        case AT_ROLE_RECHECK:
            rechecks += step->verdict == AT_REFUTED;
            break;
        default:
            proofs += step->verdict == AT_PROVED;
            instances += step->verdict == AT_CERTIFIED;
            break;
        }
    }
    if (witnesses > 0 || rechecks > 0)
        return witnesses > 0 && rechecks > 0 && has_witness ? AT_REFUTED : AT_UNDECIDED;
    if (instances > 0)
        return AT_CERTIFIED;
    return proofs > 0 ? AT_PROVED : AT_UNDECIDED;
}

static int decide_with(at_claim_run *run, const at_claim *claim, at_error *err)
{
    int status = claim->decide(run, err);
    if (status == AT_OK && run->out_of_memory)
        status = at_error_memory(err, claim->id);
    return status;
}

int at_claim_decide_one(at_claim_run *run, const at_claim *claim,
                        const at_claim_table *const *tables, size_t table_count,
                        const at_claim_options *options, at_error *err)
{
    memset(run, 0, sizeof *run);
    run->claim = claim;
    run->started = now();
    run->budget_given = options->budget > 0;
    run->budget = options->budget > 0 ? options->budget : DEFAULT_BUDGET;
    run->instances = options->instances > DEFAULT_INSTANCES ? options->instances
                                                            : DEFAULT_INSTANCES;
    if (run->budget > DEFAULT_BUDGET) {
        double more = DEFAULT_INSTANCES * (run->budget / DEFAULT_BUDGET);
        if (more > (double) run->instances)
            run->instances = more < 1e7 ? (size_t) more : (size_t) 1e7;
    }
    run->state = options->seed ^ hash_id(claim->id);

    run->statement = at_claim_statement(claim);
    if (run->statement == NULL)
        return at_error_memory(err, claim->id);
    int status = decide_with(run, claim, err);
    for (size_t t = 0; t < table_count && status == AT_OK; t++)
        for (size_t i = 0; i < tables[t]->count && status == AT_OK; i++) {
            const at_claim *other = &tables[t]->claims[i];
            if (other->statement == NULL && strcmp(other->id, claim->id) == 0)
                status = decide_with(run, other, err);
        }
    run->verdict = status == AT_OK
                   ? at_claim_verdict(run->steps, run->step_count, run->witness != NULL)
                   : AT_UNDECIDED;
    run->as_expected = run->verdict != AT_UNDECIDED && run->verdict == claim->expected;
    run->seconds = now() - run->started;
    return status;
}

void at_claim_run_clear(at_claim_run *run)
{
    for (size_t i = 0; i < run->step_count; i++) {
        free(run->steps[i].name);
        free(run->steps[i].detail);
    }
    for (size_t i = 0; i < run->fact_count; i++) {
        at_claim_record *fact = &run->facts[i];
        for (size_t k = 0; k < fact->count; k++) {
            free(fact->pairs[k].key);
            free(fact->pairs[k].value);
        }
        free(fact->pairs);
        free(fact->kind);
        free(fact->label);
    }
    free(run->steps);
    free(run->facts);
    free(run->statement);
    free(run->scope);
    free(run->witness);
    memset(run, 0, sizeof *run);
}
