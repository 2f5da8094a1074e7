/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quantifiers of a claim at work: cases that are counted, and polynomials whose sign follows
 * from the ranges of the statement.
 *
 * A part that needs a size or a sign takes it from the claim's ranges (theory/claim/claim.h).  Where the
 * range is missing there is no case and no sign, and the step stays undecided. */
#ifndef ATTEST_THEORY_QUANTIFIER_H
#define ATTEST_THEORY_QUANTIFIER_H

#include "attest/theory/claim/claim.h"

enum { AT_MOST_SIZES = 3 };

/* Every combination of up to three sizes of a claim, one after the other:
 *
 *     at_cases cases = at_cases_over(run, "n d");
 *     while (at_cases_next(&cases))
 *         at_cases_add(&cases, at_part(cases.at[0], cases.at[1]));
 *
 * AT_UNKNOWN without a single case, and unless every case of the ranges has been added. */
typedef struct {
    long at[AT_MOST_SIZES];             /* the case whose turn it is */
    long low[AT_MOST_SIZES], high[AT_MOST_SIZES];
    long least[AT_MOST_SIZES], most[AT_MOST_SIZES];     /* of the cases that were added */
    const at_range *range[AT_MOST_SIZES];
    size_t sizes, added, total;
    bool started, refuted, open;
} at_cases;

/* names: up to three names of sizes, parted by blanks. */
at_cases at_cases_over(const at_claim_run *run, const char *names);
/* Moves on to the next case; false after the last, and after one that did not hold. */
bool at_cases_next(at_cases *cases);
/* Adds the answer for the case whose turn it is, once each. */
void at_cases_add(at_cases *cases, enum at_truth holds);
enum at_truth at_cases_truth(const at_cases *cases);

/* A step of the proof over counted cases; the detail and the scope say what was counted
 * ("n = 1..4, d = 1..2: 8 cases"). */
void at_claim_prove_cases(at_claim_run *run, const char *name, enum at_method method,
                          const at_cases *cases, const char *detail, ...) AT_PRINTF(5, 6);

/* AT_TRUE when the polynomial is >= 0 wherever each of its variables lies in its range, by an
 * expansion whose coefficients are all >= 0: Bernstein's on [low, high], Taylor's at a single bound,
 * even powers where there is none.  variables: names parted by blanks; "s+" is a slack, >= 0 by
 * what the step says, any other takes its range from the claim, and without one is free.
 * AT_UNKNOWN when the expansion does not show it or a text does not parse. */
enum at_truth at_ranges_nonnegative(const at_range *ranges, const char *variables,
                                    const char *polynomial);
enum at_truth at_claim_nonnegative(const at_claim_run *run, const char *variables,
                                   const char *polynomial);

/* The range of the claim excludes everything <= 0: a proof may divide by it. */
enum at_truth at_claim_positive(const at_claim_run *run, const char *name);
/* at_claim_nonnegative as a step of the proof: the detail names the polynomial and what follows from it. */
void at_claim_prove_nonnegative(at_claim_run *run, const char *name, const char *variables,
                                const char *polynomial, const char *detail, ...) AT_PRINTF(5, 6);

/* The range of a claim by its name; NULL: there is none. */
const at_range *at_claim_range(const at_claim *claim, const char *name);

#endif
