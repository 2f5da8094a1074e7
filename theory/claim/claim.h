/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims, the steps that decide them, and the runner (doc/theory.md, doc/verdicts.md).
 *
 * A claim is one descriptor; its decide function reads like the statement and
 * adds steps to a run.  No claim states its own verdict: the runner computes it
 * from the steps (at_claim_verdict), and only from positive answers.
 * Nothing here uses FLINT, so the program's side can register claims of its own. */
#ifndef ATTEST_THEORY_CLAIM_CLAIM_H
#define ATTEST_THEORY_CLAIM_CLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attest/core/error.h"
#include "attest/core/verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct at_claim_run at_claim_run;

/* decide returns AT_OK when the steps were added, whatever they say; another
 * status (err says why) when the environment failed, which leaves the claim
 * UNDECIDED. */
typedef int (*at_claim_decide)(at_claim_run *run, at_error *err);

/* What one symbol of a statement ranges over: a size that the parts run through, a real number
 * between bounds, or a number whose sign a hypothesis in words gives.  Statement, scope and the
 * arguments of the parts are all made of it (theory/claim/quantifier.h), so that a constant cannot be
 * wrong in one place only. */
typedef struct {
    const char *name;           /* "n", "a": "{a}" in the statement stands for the range */
    const char *low, *high;     /* rationals as text; NULL: no bound on that side */
    bool open;                  /* low itself is excluded */
    bool size;                  /* an integer: every one from low to high is a case */
    const char *text;           /* how the statement says it; NULL: "0 <= a <= 2", "n = 1..4" */
} at_range;

#define AT_SIZE(symbol, from, to) \
    { .name = symbol, .low = #from, .high = #to, .size = true }

typedef struct {
    const char *id;             /* "rpe.floor", "urpe.row-sums/general-bias" */
    const char *statement;      /* as a person would write it, with its hypotheses; NULL: this
                                   entry adds steps to the claim of the same id in another table;
                                   "{a}" for a range, see at_claim_statement */
    const char *source;         /* "[L] Theorem 2", "this project" */
    enum at_verdict expected;
    at_claim_decide decide;
    const at_range *ranges;     /* the last has the name NULL; NULL: no ranges */
} at_claim;

/* The statement with its ranges written out; the caller frees it.  NULL when out of memory. */
char *at_claim_statement(const at_claim *claim);

typedef struct {
    const at_claim *claims;
    size_t count;
} at_claim_table;

/* The tables of theory/: one per file of claims. */
extern const at_claim_table at_claims_rpe, at_claims_urpe, at_claims_opt;

/* ---- Steps ----------------------------------------------------------------
 * What a step is for:
 *   PROOF      part of the proof, for all parameters at the stated sizes
 *   INSTANCE   a check of stated or random instances
 *   WITNESS    the counterexample, evaluated
 *   RECHECK    the same counterexample, evaluated by another path
 *   SUPPORT    a cross-check which carries no verdict but spoils it when it fails */
enum at_step_role { AT_ROLE_PROOF, AT_ROLE_INSTANCE, AT_ROLE_WITNESS, AT_ROLE_RECHECK,
                    AT_ROLE_SUPPORT };

typedef struct {
    char *name;
    char *detail;               /* sizes, numbers: one or more lines */
    enum at_method method;
    enum at_step_role role;
    enum at_verdict verdict;
    const char *outcome;        /* "collapses": the step is a row of a table; NULL: it is none */
} at_claim_step;

/* Each adds one step.  `holds` is the answer of a decision: only AT_TRUE counts,
 * and for a refutation AT_TRUE means that the witness does break the statement.
 * The detail is printf text; it is evidence, so it names sizes and values.
 * Out of memory is remembered in the run and ends the claim with AT_ENVIRONMENT. */
void at_claim_prove(at_claim_run *run, const char *name, enum at_method method,
                    enum at_truth holds, const char *detail, ...) AT_PRINTF(5, 6);
void at_claim_certify(at_claim_run *run, const char *name, enum at_method method,
                      enum at_truth holds, const char *detail, ...) AT_PRINTF(5, 6);
void at_claim_refute(at_claim_run *run, const char *name, enum at_method method,
                     enum at_truth breaks, const char *detail, ...) AT_PRINTF(5, 6);
void at_claim_recheck(at_claim_run *run, const char *name, enum at_method method,
                      enum at_truth breaks, const char *detail, ...) AT_PRINTF(5, 6);
void at_claim_support(at_claim_run *run, const char *name, enum at_method method,
                      enum at_truth holds, const char *detail, ...) AT_PRINTF(5, 6);
/* A step of the given role which is a row of a table: name | outcome | method | detail, side by
 * side in `attest verify -v`.  outcome is not copied. */
void at_claim_row(at_claim_run *run, enum at_step_role role, const char *name,
                  const char *outcome, enum at_method method, enum at_truth holds,
                  const char *detail, ...) AT_PRINTF(7, 8);
/* An elementary fact, or a theorem of the literature, that the proof uses by name. */
void at_claim_cite(at_claim_run *run, const char *name, const char *fact, ...) AT_PRINTF(3, 4);

/* Appends to the scope: sizes, number of instances ("n <= 8; 200 instances"). */
void at_claim_scope(at_claim_run *run, const char *text, ...) AT_PRINTF(2, 3);
/* Appends to the witness, exact rationals as text.  Without a witness nothing is REFUTED. */
void at_claim_witness(at_claim_run *run, const char *text, ...) AT_PRINTF(2, 3);

/* ---- Facts for the certificate --------------------------------------------
 * A fact is a record of named strings which a program without our code can
 * recompute; tests/recheck.py knows these kinds:
 *   "relation"  left, relation (= < > <= >=), right.  Both sides are expressions
 *               of rationals with + - * / ^, parentheses, exp( ), log( ), sqrt( );
 *               left_value, right_value: their first digits (theory/claim/fact_value.h)
 *   "rows"      attention by hand: see the head of theory/claims/rpe/rpe.c
 *   "energy"    see the head of theory/claims/opt/opt.c
 * Matrices are JSON arrays whose rationals need no quotes: "[[1/2, 0], [-3, 1]]". */
void at_claim_fact(at_claim_run *run, const char *kind, const char *label);
void at_claim_fact_text(at_claim_run *run, const char *key, const char *value, ...) AT_PRINTF(3, 4);
/* The commonest fact in one call. */
void at_claim_fact_relation(at_claim_run *run, const char *label, const char *left,
                            const char *relation, const char *right);

/* ---- What a decision may ask of its run ------------------------------------ */

/* Instances to try: at least 200, more when the budget was raised. */
size_t at_claim_instances(const at_claim_run *run);
/* Shall an instance be tried beyond the `done` ones?  Yes up to 200; then up to
 * at_claim_instances, while the budget of time lasts. */
bool at_claim_another(const at_claim_run *run, size_t done);
/* True once the claim's budget of time is spent. */
bool at_claim_out_of_time(const at_claim_run *run);
/* The next number of the run's own stream: depends on the seed and the claim's id only. */
uint64_t at_claim_random(at_claim_run *run);
/* A rational p/q with corner cases (0, ±1, equal, huge, tiny): p and q as integers. */
void at_claim_random_rational(long *p, long *q, at_claim_run *run);

/* ---- Results ---------------------------------------------------------------- */

typedef struct { char *key, *value; } at_claim_pair;
typedef struct { char *kind, *label; at_claim_pair *pairs; size_t count; } at_claim_record;

struct at_claim_run {
    const at_claim *claim;
    enum at_verdict verdict;    /* set by the runner alone */
    bool as_expected;
    double seconds;
    char *statement;            /* with its ranges written out */
    char *scope, *witness;      /* may be NULL */
    at_claim_step *steps;
    size_t step_count, step_space;
    at_claim_record *facts;
    size_t fact_count, fact_space;
    /* private to the runner */
    uint64_t state;
    double started, budget;
    bool budget_given;          /* not the default */
    size_t instances;
    bool out_of_memory;
};

typedef struct {
    uint64_t seed;              /* default 1 */
    double budget;              /* seconds for one claim's random instances; 0: the default, 2.
                                   100 instances a second, never fewer than 200 */
    size_t instances;           /* 0: as the budget says; never fewer than 200 */
} at_claim_options;

/* The overall verdict of a list of steps:
 *   UNDECIDED  if there is no step, any step is undecided, or only citations;
 *   REFUTED    if a WITNESS and a RECHECK step both refute, and a witness is named;
 *   PROVED     if every other step is PROOF by symbolic, cited, or exhaustive exact means;
 *   CERTIFIED  otherwise.  SUPPORT steps count only when they fail; a FLOAT or BALL
 *              step is never a proof, and a FLOAT step decides nothing. */
enum at_verdict at_claim_verdict(const at_claim_step *steps, size_t count, bool has_witness);

/* Decides one claim of a list of tables (the last entry has count 0), with the
 * additional steps that other tables hold for its id.  run must be cleared by
 * at_claim_run_clear whatever the status. */
int at_claim_decide_one(at_claim_run *run, const at_claim *claim,
                        const at_claim_table *const *tables, size_t table_count,
                        const at_claim_options *options, at_error *err) AT_MUST_CHECK;
void at_claim_run_clear(at_claim_run *run);

/* The tables of theory/, in the order in which they are shown. */
const at_claim_table *const *at_claim_tables(size_t *count);

/* True when the pattern (an id, or a shell glob such as "rpe.*") selects the id. */
bool at_claim_matches(const char *pattern, const char *id);

#ifdef __cplusplus
}
#endif

#endif
