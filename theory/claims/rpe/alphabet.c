/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain RPE over a finite alphabet: one T5 layer tells all positions apart on every sequence that
 * is not constant. */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/expq/expq.h"

/* q_i = sum_j exp(b_{i-j}/den) x_j / sum_j exp(b_{i-j}/den); b has 2n-1 integers, offset 1-n
 * first. */
static void average(at_expqf_t q, const slong *b, slong den_b, slong n, slong i, const slong *x)
{
    at_expq_t num, den, term;
    fmpq_t c, r;
    at_expq_init(num);
    at_expq_init(den);
    at_expq_init(term);
    fmpq_init(c);
    fmpq_init(r);
    for (slong j = 0; j < n; j++) {
        fmpq_set_si(r, b[i - j + n - 1], (ulong) den_b);
        fmpq_one(c);
        at_expq_set_term(term, c, r);
        at_expq_add(den, den, term);
        fmpq_set_si(c, x[j], 1);
        at_expq_mul_fmpq(term, term, c);
        at_expq_add(num, num, term);
    }
    at_expqf_set_frac(q, num, den);
    at_expq_clear(num);
    at_expq_clear(den);
    at_expq_clear(term);
    fmpq_clear(c);
    fmpq_clear(r);
}

enum { MOST_VALUES = 1024 };
typedef struct { at_expqf_struct q; slong row; } placed;

static int by_value(const void *a, const void *b)
{
    return at_expqf_cmp(&((const placed *) a)->q, &((const placed *) b)->q);
}

enum at_truth at_part_finite_alphabet(slong n, slong V, const slong *b, slong den, slong *jumps,
                                      bool constants)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    placed *all = flint_malloc(MOST_VALUES * sizeof *all);
    slong count = 0, words = 1, x[8];
    bool holds = true;
    for (slong i = 0; i < n; i++)
        words *= V;
    for (slong word = 0; word < words && holds; word++) {
        slong rest = word;
        bool constant = true;
        for (slong i = 0; i < n; i++, rest /= V) {
            x[i] = rest % V;
            constant = constant && x[i] == x[0];
        }
        for (slong i = 0; i < n && count < MOST_VALUES; i++) {
            if (constant && !constants) {       /* the same row everywhere: x_1 */
                at_expqf_t q;
                at_expqf_init(q);
                average(q, b, den, n, i, x);
                holds = holds && at_expqf_equal_si(q, x[0]);
                at_expqf_clear(q);
                continue;
            }
            at_expqf_init(&all[count].q);
            average(&all[count].q, b, den, n, i, x);
            all[count++].row = i;
        }
    }
    qsort(all, (size_t) count, sizeof *all, by_value);
    *jumps = 0;
    for (slong k = 1; k < count; k++) {
        if (all[k].row == all[k - 1].row)
            continue;
        (*jumps)++;                             /* a staircase changes its level here */
        holds = holds && !at_expqf_equal(&all[k].q, &all[k - 1].q);
    }
    holds = holds && count > 0 && count < MOST_VALUES;
    for (slong k = 0; k < count; k++)
        at_expqf_clear(&all[k].q);
    flint_free(all);
    return at_identity(holds);
}

enum at_truth at_part_best_accuracy(slong n, slong V, slong hits)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    slong words = 1, right = 0;
    fmpq_t share, expected, t;
    for (slong i = 0; i < n; i++)
        words *= V;
    for (slong word = 0; word < words; word++) {
        slong rest = word, first = word % V;
        bool constant = true;
        for (slong i = 0; i < n; i++, rest /= V)
            constant = constant && rest % V == first;
        right += constant ? hits : n;
    }
    fmpq_init(share);
    fmpq_init(expected);
    fmpq_init(t);
    fmpq_set_si(share, right, (ulong) (n * words));
    fmpq_set_si(expected, V * (n - 1), (ulong) (words * n));    /* V^{1-n} (1 - 1/n) */
    fmpq_one(t);
    fmpq_sub(expected, t, expected);
    bool equal = fmpq_equal(share, expected) != 0;
    fmpq_clear(share);
    fmpq_clear(expected);
    fmpq_clear(t);
    return at_identity(equal);
}

/* p = 3 + sum of steps: down or up by one between l and h; n = 3, V = 2, (b_1, b_2) = (1, 3). */
enum at_truth at_part_staircase(slong moved)
{
    static const struct { slong l[2], h[2], step; } stairs[] = {
        { { 1, 6 }, { 1, 5 }, -1 }, { { 1, 4 }, { 2, 7 }, -1 }, { { 4, 11 }, { 2, 5 }, 1 },
        { { 3, 5 }, { 7, 11 }, -1 }, { { 5, 7 }, { 3, 4 }, 1 }, { { 4, 5 }, { 5, 6 }, 1 },
    };
    static const slong b[] = { 0, 0, 0, 1, 3 };
    at_expqf_t q;
    fmpq_t edge;
    bool holds = true;
    at_expqf_init(q);
    fmpq_init(edge);
    for (slong word = 0; word < 8 && holds; word++)
        for (slong i = 0; i < 3 && holds; i++) {
            const slong x[3] = { word & 1, word >> 1 & 1, word >> 2 & 1 };
            slong p = 3;
            average(q, b, 1, 3, i, x);
            for (size_t k = 0; k < sizeof stairs / sizeof stairs[0]; k++) {
                fmpq_set_si(edge, stairs[k].h[0], (ulong) stairs[k].h[1]);
                bool above = at_expqf_cmp_fmpq(q, edge) >= 0;
                fmpq_set_si(edge, stairs[k].l[0] + (k == 0 ? moved : 0), (ulong) stairs[k].l[1]);
                bool below = at_expqf_cmp_fmpq(q, edge) <= 0;
                holds = holds && (above || below);      /* no value on a slope */
                p += above ? stairs[k].step : 0;
            }
            holds = holds && p == (word == 0 || word == 7 ? 3 : i + 1);
        }
    at_expqf_clear(q);
    fmpq_clear(edge);
    return at_identity(holds);
}

int at_decide_finite_alphabet(at_claim_run *run, at_error *err)
{
    static const struct { slong n, V, b[7]; const char *name; } cases[] = {
        { 3, 2, { 0, 0, 0, 1, 3 }, "n = 3, V = 2, (b_1, b_2) = (1, 3)" },
        { 4, 2, { 0, 0, 0, 0, 2, 1, 5 }, "n = 4, V = 2, (b_1, b_2, b_3) = (2, 1, 5)" },
        { 3, 3, { 0, 0, 2, 3, 5 }, "n = 3, V = 3, (b_0, b_1, b_2) = (2, 3, 5)" },
    };
    at_claim_scope(run, "(n, V) = (3, 2), (4, 2), (3, 3), every sequence");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        slong jumps;
        enum at_truth apart = at_part_finite_alphabet(cases[k].n, cases[k].V, cases[k].b, 1,
                                                      &jumps, false);
        at_claim_prove(run, "averages of different rows differ", AT_METHOD_EXACT, apart,
                       "%s: on the sequences that are not constant q_i(X) = q_k(Y) only for i = k, "
                       "so sorting them in R gives rational separators; %ld changes of row along "
                       "the line; on constants q_i = x_1", cases[k].name, (long) jumps);
    }
    static const slong doubling3[] = { 1, 2, 4, 8, 16 }, doubling4[] = { 1, 2, 4, 8, 16, 32, 64 };
    slong ignored;
    at_claim_support(run, "the general table b_k = 2^{k+n-1}/4^{n-1}", AT_METHOD_EXACT,
                     at_part_finite_alphabet(3, 4, doubling3, 16, &ignored, false) == AT_TRUE
                     ? at_part_finite_alphabet(4, 3, doubling4, 64, &ignored, false) : AT_UNKNOWN,
                     "separates all rows for (n, V) = (3, 4) and (4, 3)");
    at_claim_support(run, "an explicit staircase, n = 3, V = 2", AT_METHOD_EXACT,
                     at_part_staircase(0),
                     "p = 3 and steps of 1 between (1/6, 1/5) down, (1/4, 2/7) down, (4/11, 2/5) "
                     "up, (3/5, 7/11) down, (5/7, 3/4) up, (4/5, 5/6) up: p = (1, 2, 3) on the six "
                     "sequences that are not constant, (3, 3, 3) on 000 and 111");
    at_claim_cite(run, "ReLU staircase", "with a constant coordinate a sum of hinge pairs takes "
                  "any prescribed values between rational separators, so p_i = i exactly");
    enum at_truth best = AT_TRUE;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && best == AT_TRUE; k++) {
        best = at_part_best_accuracy(cases[k].n, cases[k].V, 1);
        if (best == AT_TRUE)                    /* equal rows: one answer to n positions */
            best = at_part_accuracy_ceiling(cases[k].n, cases[k].n, 1, 1);
    }
    at_claim_prove(run, "the best accuracy", AT_METHOD_EXACT, best, "counted over all V^n "
                   "sequences: n of n right off constants, 1 of n on them, where one answer serves "
                   "n different labels: 1 - V^{1-n} (1 - 1/n)");
    at_claim_cite(run, "Lindemann and Weierstrass", "in general b_k = 2^{k+n-1}/4^{n-1} has "
                  "distinct pair sums and works for every V: N_i Z_j = N_j Z_i forces X constant "
                  "by unique factorisation");
    at_claim_fact_relation(run, "n = 3, X = (0,0,1): q_2 is above the separator 1/5",
                           "1/(2+exp(1))", ">", "1/5");
    at_claim_fact_relation(run, "n = 3: the best accuracy for V = 2", "1 - 2^(-2)*(1 - 1/3)", "=",
                           "5/6");
    return at_support_finite_alphabet(run, err);
}
