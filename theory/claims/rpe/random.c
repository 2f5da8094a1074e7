/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random instances of the escapes: one layer with one head on a constant sequence, tables and token
 * rationals with corner cases (zeros, equal, huge and tiny entries).  The exact engine's rows must
 * lie in the hand's balls, and the two must agree on whether rows differ. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claims/rpe/escape.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 512, MOST = 4 };

typedef struct { char X[TEXT], token[TEXT], table[TEXT], matrix[TEXT], gates[TEXT]; } texts;

static void append(char *out, const char *separator, long p, long q)
{
    size_t used = strlen(out);
    snprintf(out + used, TEXT - used, "%s%ld/%ld", used == 0 ? "" : separator, p, q);
}

/* A corner case; as a logit it stays within 7, where balls of 192 bits keep rows apart. */
static void draw(long *p, long *q, at_claim_run *run, bool logit)
{
    at_claim_random_rational(p, q, run);
    if (logit)
        *p %= 7;
}

static void draw_table(char *out, at_claim_run *run, slong count, const char *separator, bool logit)
{
    bool equal = at_claim_random(run) % 8 == 0;
    long p = 0, q = 1;
    out[0] = '\0';
    for (slong k = 0; k < count; k++) {
        if (k == 0 || !equal)
            draw(&p, &q, run, logit);
        append(out, separator, p, q);
    }
}

/* n copies of one row. */
static void draw_constant(char *out, at_claim_run *run, slong n, slong d)
{
    char row[TEXT];
    draw_table(row, run, d, " ", false);
    out[0] = '\0';
    for (slong i = 0; i < n; i++) {
        size_t used = strlen(out);
        snprintf(out + used, TEXT - used, "%s%s", i == 0 ? "" : "; ", row);
    }
}

/* Lower triangular ones; with a table also random entries above the diagonal of `logits`. */
static void draw_stable_mask(texts *t, at_claim_run *run, slong n)
{
    t->matrix[0] = t->gates[0] = '\0';
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            long p = 0, q = 1;
            if (j > i)
                draw(&p, &q, run, true);
            append(t->matrix, j == 0 ? "; " : " ", p, q);
            append(t->gates, j == 0 ? "; " : " ", j <= i, 1);
        }
}

static void draw_escape(at_escape *e, texts *t, at_claim_run *run, enum at_escape_kind kind)
{
    slong n = 2 + (slong) (at_claim_random(run) % (MOST - 1));
    *e = (at_escape) { .encoding = AT_ENC_NONE, .n = n, .d = 1, .X = t->X };
    draw_constant(t->X, run, n, 1);
    switch (kind) {
    case AT_ESCAPE_SHAW:
        draw_table(t->table, run, 2 * n - 1, "; ", false);
        snprintf(t->matrix, TEXT, "%s", t->table);
        for (char *c = t->matrix; *c != '\0'; c++)
            if (*c == ';')
                *c = ' ';
        e->encoding = AT_ENC_SHAW;
        e->table[0] = "value";
        e->entries[0] = t->table;
        e->extra = t->matrix;
        break;
    case AT_ESCAPE_POSITIONS:
        e->encoding = AT_ENC_LEARNED;
        draw_table(t->table, run, n, "; ", false);
        e->positions = t->table;
        e->no_values = true;
        break;
    case AT_ESCAPE_RELU2:
        e->encoding = AT_ENC_RELU2;
        draw_table(t->table, run, 2 * n - 1, " ", false);
        e->table[0] = "bias";
        e->entries[0] = e->bias = t->table;
        e->normaliser = AT_NORMALISE_RELU2;
        e->mask = at_claim_random(run) % 2 ? AT_MASK_CAUSAL : AT_MASK_NONE;
        break;
    case AT_ESCAPE_STABLE_MASK:
        e->encoding = AT_ENC_STABLE_MASK;
        draw_stable_mask(t, run, n);
        e->table[0] = "mask";
        e->entries[0] = e->logits_full = t->matrix;
        e->gates_full = t->gates;
        break;
    case AT_ESCAPE_TOKEN_T5:
        e->encoding = AT_ENC_T5;
        draw_table(t->table, run, 2 * (n + 1) - 1, " ", true);
        e->table[0] = "bias";
        e->entries[0] = e->bias = t->table;
        break;
    case AT_ESCAPE_TOKEN_CAUSAL:
        e->mask = AT_MASK_CAUSAL;
        break;
    case AT_ESCAPE_TOKEN_NONE:
        break;
    }
    if (kind >= AT_ESCAPE_TOKEN_T5) {
        draw_table(t->token, run, 1, " ", false);
        e->token = t->token;
        e->first = 1;
    }
}

void at_certify_random_escapes(at_claim_run *run, const char *name, enum at_escape_kind kind,
                               size_t share)
{
    size_t tried = 0, apart = 0, equal = 0;
    bool never = kind == AT_ESCAPE_TOKEN_NONE;
    for (; at_claim_another(run, tried * share); tried++) {
        texts t;
        at_escape e;
        draw_escape(&e, &t, run, kind);
        enum at_truth differ = at_escape_differs(NULL, &e);
        apart += differ == AT_TRUE;
        equal += differ == AT_FALSE;
    }
    bool agreed = apart + equal == tried && (never ? apart == 0 : apart > 0);
    at_claim_certify(run, name, AT_METHOD_EXACT, agreed ? AT_TRUE : AT_UNKNOWN,
                     "%zu random instances, n = 2..%d, huge, tiny, zero and equal entries: the "
                     "engine's rows lie in the hand's balls, and both find them apart in %zu, the "
                     "engine equal in %zu", tried, (int) MOST, apart, equal);
}

/* Σ_j f_{i−j} and Σ_j f_{i−j}² of row i. */
static void row_sums(fmpq_t sum, fmpq_t squares, const fmpq *f, slong n, slong i)
{
    fmpq_zero(sum);
    fmpq_zero(squares);
    for (slong j = 0; j < n; j++) {
        fmpq_add(sum, sum, f + (i - j + n - 1));
        fmpq_addmul(squares, f + (i - j + n - 1), f + (i - j + n - 1));
    }
}

/* l2 weights: row sums Σf/√(Σf²) are positive, so their squares, in ℚ, say which differ. */
static bool l2_rows_differ(const fmpq *f, slong n)
{
    fmpq_t sum, squares, first, other;
    bool differ = false;
    fmpq_init(sum);
    fmpq_init(squares);
    fmpq_init(first);
    fmpq_init(other);
    for (slong i = 0; i < n; i++) {
        row_sums(sum, squares, f, n, i);
        fmpq_mul(other, sum, sum);
        fmpq_div(other, other, squares);
        if (i == 0)
            fmpq_set(first, other);
        differ = differ || !fmpq_equal(first, other);
    }
    fmpq_clear(sum);
    fmpq_clear(squares);
    fmpq_clear(first);
    fmpq_clear(other);
    return differ;
}

int at_certify_random_l2(at_claim_run *run, size_t share, at_error *err)
{
    size_t tried = 0, apart = 0, agreed = 0;
    int status = AT_OK;
    for (; status == AT_OK && at_claim_another(run, tried * share); tried++) {
        slong n = 2 + (slong) (at_claim_random(run) % (MOST - 1));
        fmpq *f = _fmpq_vec_init(2 * n - 1);
        bool equal = at_claim_random(run) % 8 == 0;
        char X[TEXT] = "", table[TEXT] = "";
        enum at_truth seen;
        for (slong k = 0; k < 2 * n - 1; k++) {
            long p, q;
            at_claim_random_rational(&p, &q, run);
            fmpq_set_si(f + k, labs(p) + (p == 0), (ulong) q);
            if (equal)
                fmpq_set(f + k, f);
            char *entry = fmpq_get_str(NULL, 10, f + k);
            size_t used = strlen(table);
            snprintf(table + used, TEXT - used, "%s%s", k == 0 ? "" : " ", entry);
            flint_free(entry);
        }
        for (slong i = 0; i < n; i++)
            append(X, "; ", 1, 1);
        const at_escape e = { .encoding = AT_ENC_L2_NORM, .n = n, .d = 1, .X = X,
                              .table = { "factor" }, .entries = { table }, .factors = table,
                              .normaliser = AT_NORMALISE_L2 };
        status = at_escape_check_ball(&seen, &e, err);
        bool differ = l2_rows_differ(f, n);
        agreed += (seen == AT_TRUE) == differ;
        apart += differ;
        _fmpq_vec_clear(f, 2 * n - 1);
    }
    if (status == AT_OK)
        at_claim_certify(run, "l2-normalised with random factors", AT_METHOD_BALL,
                         agreed == tried && apart > 0 ? AT_TRUE : AT_UNKNOWN,
                         "%zu random instances, n = 2..%d: engine and hand in balls keep rows apart "
                         "in the %zu whose squared row sums differ in Q, and in no other", tried,
                         (int) MOST, apart);
    return status;
}
