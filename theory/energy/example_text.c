/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counterexamples of one attention step: deciding the rise, and text that others can recompute. */
#include "attest/theory/energy/example.h"

#include <stdio.h>

enum { FIRST_BITS = 64, MOST_BITS = 2048, SHOWN_DIGITS = 16 };

/* Decimal text of a ball's enclosure, malloc'ed by the C library. */
static char *ball_text(const arb_t x)
{
    char *digits = arb_get_str(x, SHOWN_DIGITS, ARB_STR_NO_RADIUS);
    char *copy = malloc(strlen(digits) + 1);
    if (copy != NULL)
        strcpy(copy, digits);
    flint_free(digits);
    return copy;
}

enum at_truth at_example_rises(const at_example *example, bool exact, char **before, char **after)
{
    enum at_truth truth = AT_UNKNOWN;
    arb_t first, second, change;
    arb_init(first);
    arb_init(second);
    arb_init(change);
    /* the second path starts from another precision, too */
    for (slong bits = exact ? FIRST_BITS + FIRST_BITS / 2 : FIRST_BITS;
         bits <= MOST_BITS && truth == AT_UNKNOWN; bits *= 2) {
        bool good = exact ? at_example_exact(first, second, example, bits)
                          : at_example_ball(first, second, example, bits);
        if (!good)
            break;
        arb_sub(change, second, first, bits);
        if (!arb_is_finite(change))
            continue;
        if (arb_is_positive(change) && arb_rel_accuracy_bits(change) > 20)
            truth = AT_TRUE;
        else if (arb_is_nonpositive(change))
            truth = AT_FALSE;
    }
    if (before != NULL)
        *before = ball_text(first);
    if (after != NULL)
        *after = ball_text(second);
    arb_clear(first);
    arb_clear(second);
    arb_clear(change);
    return truth;
}

/* ---- Expressions ----------------------------------------------------------- */

/* Equal rows are written once, with how often they occur. */
typedef struct {
    FILE *out;
    const at_example *example;
    fmpq_mat_t Y, W;
    slong *row, *times;     /* of the distinct rows */
    slong distinct;
} writer;

static void put_rational(FILE *out, const fmpq_t x)
{
    char *text = fmpq_get_str(NULL, 10, x);
    fprintf(out, "(%s)", text);
    flint_free(text);
}

/* Σ_c a_ic b_jc for rational rows, as one number. */
static void inner(fmpq_t x, const fmpq_mat_t A, slong i, const fmpq_mat_t B, slong j)
{
    fmpq_zero(x);
    for (slong c = 0; c < fmpq_mat_ncols(A); c++)
        fmpq_addmul(x, fmpq_mat_entry(A, i, c), fmpq_mat_entry(B, j, c));
}

/* times·weight of distinct row l for distinct row k. */
static void put_weight(writer *w, const fmpq_mat_t V, slong k, slong l)
{
    const at_example *e = w->example;
    slong i = w->row[k], j = w->row[l], times = w->times[l] - (e->no_self && k == l);
    fmpq_t s, t;
    fmpq_init(s);
    fmpq_init(t);
    if (e->scores == AT_SCORES_GRAM) {
        fmpq_mat_t WT, turned;
        fmpq_mat_init(WT, fmpq_mat_ncols(w->W), fmpq_mat_nrows(w->W));
        fmpq_mat_init(turned, fmpq_mat_nrows(w->Y), fmpq_mat_nrows(w->W));
        fmpq_mat_transpose(WT, w->W);
        fmpq_mat_mul(turned, w->Y, WT);
        inner(s, turned, i, turned, j);
        fmpq_mat_clear(WT);
        fmpq_mat_clear(turned);
    } else {
        inner(s, V, i, V, j);
    }
    inner(t, V, j, V, j);
    fmpq_div_2exp(t, t, 1);
    if (e->scores != AT_SCORES_PLAIN)
        fmpq_sub(s, s, t);
    if (e->causal && j > i)
        times = 0;
    fprintf(w->out, "%ld*", (long) times);
    if (e->rho == AT_RHO_LOG && e->scores == AT_SCORES_BETA) {
        inner(t, V, i, V, i);
        fmpq_div_2exp(t, t, 1);
        fmpq_sub(s, t, s);
        fmpq_add_si(s, s, 2);
        fmpq_inv(s, s);
        put_rational(w->out, s);
    } else {
        fprintf(w->out, "exp");
        put_rational(w->out, s);
    }
    fmpq_clear(s);
    fmpq_clear(t);
}

/* Entry c of value row k: of V itself, or of keep V + move AV. */
static void put_value(writer *w, const fmpq_mat_t V, slong k, slong c, bool after)
{
    const fmpq *value = fmpq_mat_entry(V, w->row[k], c);
    if (!after) {
        put_rational(w->out, value);
        return;
    }
    fprintf(w->out, "((%s)*", w->example->keep != NULL ? w->example->keep : "0");
    put_rational(w->out, value);
    fprintf(w->out, "+(%s)*(", w->example->move != NULL ? w->example->move : "1");
    for (slong l = 0; l < w->distinct; l++) {
        fprintf(w->out, "%s", l > 0 ? "+" : "");
        put_weight(w, V, k, l);
        fprintf(w->out, "*");
        put_rational(w->out, fmpq_mat_entry(V, w->row[l], c));
    }
    fprintf(w->out, ")/(");
    for (slong l = 0; l < w->distinct; l++) {
        fprintf(w->out, "%s", l > 0 ? "+" : "");
        put_weight(w, V, k, l);
    }
    fprintf(w->out, "))");
}

/* Σ_c (v_kc − v_lc)², or the inner product when gap is false. */
static void put_form(writer *w, const fmpq_mat_t V, slong k, slong l, bool gap, bool after)
{
    fprintf(w->out, "(");
    for (slong c = 0; c < fmpq_mat_ncols(V); c++) {
        fprintf(w->out, "%s(", c > 0 ? "+" : "");
        put_value(w, V, k, c, after);
        fprintf(w->out, gap ? "-" : ")*(");
        put_value(w, V, l, c, after);
        fprintf(w->out, gap ? ")^2" : ")");
    }
    fprintf(w->out, ")");
}

/* Σ over pairs of rows of ρ(z), pairs of equal rows included. */
static void put_pairs(writer *w, const fmpq_mat_t V, bool after)
{
    bool log = w->example->rho == AT_RHO_LOG;
    for (slong k = 0; k < w->distinct; k++)
        for (slong l = k; l < w->distinct; l++) {
            slong times = l > k ? w->times[k] * w->times[l]
                                : w->times[k] * (w->times[k] - 1) / 2;
            if (times == 0)
                continue;
            fprintf(w->out, log ? "+%ld*log(2+" : "-%ld*exp(-", (long) times);
            put_form(w, V, k, l, true, after);
            fprintf(w->out, "/2)");
        }
    for (slong k = 0; k < w->distinct && w->example->pin != NULL; k++) {
        fprintf(w->out, "+(%s)*%ld*", w->example->pin, (long) w->times[k]);
        put_form(w, V, k, k, false, after);
        fprintf(w->out, "/2");
    }
}

/* Σ_i of −log Σ_j e^{−z_ij}, or of ½‖v_i‖² − log Σ_j e^{v_i·v_j}. */
static void put_logs(writer *w, const fmpq_mat_t V, bool after)
{
    bool dot = w->example->energy == AT_ENERGY_DOT;
    for (slong k = 0; k < w->distinct; k++) {
        if (dot) {
            fprintf(w->out, "+%ld*", (long) w->times[k]);
            put_form(w, V, k, k, false, after);
            fprintf(w->out, "/2");
        }
        fprintf(w->out, "-%ld*log(", (long) w->times[k]);
        for (slong l = 0; l < w->distinct; l++) {
            fprintf(w->out, "%s%ld*exp(%s", l > 0 ? "+" : "", (long) w->times[l], dot ? "" : "-");
            put_form(w, V, k, l, !dot, after);
            fprintf(w->out, dot ? ")" : "/2)");
        }
        fprintf(w->out, ")");
    }
}

static bool same_rows(const fmpq_mat_t Y, slong i, slong j)
{
    for (slong c = 0; c < fmpq_mat_ncols(Y); c++)
        if (!fmpq_equal(fmpq_mat_entry(Y, i, c), fmpq_mat_entry(Y, j, c)))
            return false;
    return true;
}

static void find_distinct(writer *w)
{
    w->distinct = 0;
    for (slong i = 0; i < fmpq_mat_nrows(w->Y); i++) {
        slong k = 0;
        while (k < w->distinct && (w->example->causal || !same_rows(w->Y, w->row[k], i)))
            k++;
        if (k == w->distinct) {
            w->row[k] = i;
            w->times[k] = 0;
            w->distinct++;
        }
        w->times[k]++;
    }
}

char *at_example_expression(const at_example *example, bool after)
{
    writer w = { .example = example };
    char *text = NULL;
    size_t size = 0;
    if (!at_example_matrix(w.Y, example->rows))
        return NULL;
    slong n = fmpq_mat_nrows(w.Y), d = fmpq_mat_ncols(w.Y);
    if (example->weights == NULL) {
        fmpq_mat_init(w.W, d, d);
        fmpq_mat_one(w.W);
    } else if (!at_example_matrix(w.W, example->weights)) {
        fmpq_mat_clear(w.Y);
        return NULL;
    }
    fmpq_mat_t V;
    fmpq_mat_init(V, n, fmpq_mat_ncols(w.W));
    fmpq_mat_mul(V, w.Y, w.W);
    w.row = flint_malloc(2 * (size_t) n * sizeof *w.row);
    w.times = w.row + n;
    find_distinct(&w);
    w.out = open_memstream(&text, &size);
    if (w.out != NULL) {
        fprintf(w.out, "0");
        if (example->energy == AT_ENERGY_PAIRS)
            put_pairs(&w, V, after);
        else
            put_logs(&w, V, after);
        if (fclose(w.out) != 0) {
            free(text);
            text = NULL;
        }
    }
    flint_free(w.row);
    fmpq_mat_clear(V);
    fmpq_mat_clear(w.Y);
    fmpq_mat_clear(w.W);
    return text;
}

/* ---- The refutation -------------------------------------------------------- */

static void describe(char *text, size_t size, const at_example *e)
{
    int used = snprintf(text, size, "Y = [%s]", e->rows);
    if (e->weights != NULL)
        used += snprintf(text + used, size - (size_t) used, ", W = [%s]", e->weights);
    if (e->keep != NULL || e->move != NULL)
        used += snprintf(text + used, size - (size_t) used, ", Y' = %s Y + %s AY",
                         e->keep != NULL ? e->keep : "0", e->move != NULL ? e->move : "1");
    if (e->pin != NULL)
        used += snprintf(text + used, size - (size_t) used, ", R = %s/2 |V|^2", e->pin);
    snprintf(text + used, size - (size_t) used, ", rho = %s", at_rhos[e->rho].formula);
}

void at_example_refute(at_claim_run *run, const at_example *example)
{
    char text[512];
    char *before[2], *after[2];
    describe(text, sizeof text, example);
    enum at_truth first = at_example_rises(example, false, &before[0], &after[0]);
    enum at_truth second = at_example_rises(example, true, &before[1], &after[1]);
    at_claim_witness(run, "%s", text);
    at_claim_refute(run, "the energy rises, in balls", AT_METHOD_BALL, first, "%s: %s -> %s", text,
                    before[0] != NULL ? before[0] : "", after[0] != NULL ? after[0] : "");
    at_claim_recheck(run, example->rho == AT_RHO_LOG ? "again, from exact rows in Q"
                     : "again, from exact rows in Q(e^Q) and Gram products", AT_METHOD_EXACT,
                     second, "%s -> %s", before[1] != NULL ? before[1] : "",
                     after[1] != NULL ? after[1] : "");
    char *left = at_example_expression(example, false);
    char *right = at_example_expression(example, true);
    if (left != NULL && right != NULL)
        at_claim_fact_relation(run, text, left, "<", right);
    free(left);
    free(right);
    for (int k = 0; k < 2; k++) {
        free(before[k]);
        free(after[k]);
    }
}
