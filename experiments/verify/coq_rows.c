/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of kind "rows" as lemmas: row i of one attention layer by hand, from its logits, factors,
 * gates and values (theory/claims/rpe/rpe.c says how), is what the fact states. */
#include "attest/theory/flint/compat.h"

#include "attest/experiments/verify/coq.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 7, MOST_EXPONENTS = 256 };
enum part { X, LOGITS, FACTORS, GATES, VISIBLE, EXTRA, MIXING };
static const char *const part_names[PARTS] = {
    "X", "logits", "factors", "gates", "visible", "extra", "mixing"
};

typedef struct {
    fmpq_mat_t part[PARTS];
    slong n, d;
    const char *normaliser;
    fmpq exponent[MOST_EXPONENTS];  /* the distinct ones of a row, both sides */
    slong exponents;
} rows;

/* "[[1/2, 0], [-3, 1]]" with r rows into m, which is initialised; false: it does not read. */
static bool read_matrix(fmpq_mat_t m, const char *text)
{
    slong count = 0, rows_seen = 0;
    char number[512];
    bool good = true;

    for (const char *c = text; *c != '\0'; c++)
        rows_seen += *c == '[';
    rows_seen--;
    for (const char *c = text; *c != '\0'; c++)
        count += isdigit((unsigned char) *c) && (c == text || strchr("[ ,-", c[-1]) != NULL);
    if (rows_seen <= 0 || count <= 0 || count % rows_seen != 0) {
        fmpq_mat_init(m, 0, 0);
        return false;
    }
    fmpq_mat_init(m, rows_seen, count / rows_seen);
    for (slong k = 0; k < count && good; k++) {
        size_t length;

        text += strspn(text, "[], ");
        length = strspn(text, "-0123456789/");
        good = length > 0 && length < sizeof number;
        if (good) {
            memcpy(number, text, length);
            number[length] = '\0';
            good = fmpq_set_str(fmpq_mat_entry(m, k / (count / rows_seen), k % (count / rows_seen)),
                                number, 10) == 0;
        }
        text += length;
    }
    return good;
}

/* (p / q) or (p). */
static void put_rational(FILE *to, const fmpq_t q)
{
    char *text = fmpq_get_str(NULL, 10, q), *slash = strchr(text, '/');

    if (slash != NULL)
        fprintf(to, "(%.*s / %s)", (int) (slash - text), text, slash + 1);
    else
        fprintf(to, "(%s)", text);
    flint_free(text);
}

static bool note_exponent(rows *r, const fmpq_t q)
{
    for (slong k = 0; k < r->exponents; k++)
        if (fmpq_equal(r->exponent + k, q))
            return true;
    if (r->exponents == MOST_EXPONENTS)
        return false;
    fmpq_set(r->exponent + r->exponents++, q);
    return true;
}

/* Factor · exp(logit), 0 where key j is hidden. */
static void put_raw(FILE *to, rows *r, slong i, slong j)
{
    const fmpq *logit = fmpq_mat_entry(r->part[LOGITS], i, j);

    if (fmpq_is_zero(fmpq_mat_entry(r->part[VISIBLE], i, j))) {
        fputs("0", to);
        return;
    }
    fputs("(", to);
    put_rational(to, fmpq_mat_entry(r->part[FACTORS], i, j));
    fputs(" * (exp ", to);
    put_rational(to, logit);
    fputs("))", to);
}

/* Σ_l of the raw weights of row i, or √Σ of their squares. */
static void put_total(FILE *to, rows *r, slong i)
{
    bool squares = strcmp(r->normaliser, "l2") == 0;

    fputs(squares ? "(sqrt (" : "(", to);
    for (slong l = 0; l < r->n; l++) {
        fputs(l > 0 ? " + " : "", to);
        put_raw(to, r, i, l);
        fputs(squares ? " ^ 2" : "", to);
    }
    fputs(squares ? "))" : ")", to);
}

static bool sees_nothing(const rows *r, slong i)
{
    for (slong j = 0; j < r->n; j++)
        if (!fmpq_is_zero(fmpq_mat_entry(r->part[VISIBLE], i, j)))
            return false;
    return true;
}

static void put_weight(FILE *to, rows *r, slong i, slong j)
{
    const fmpq *logit = fmpq_mat_entry(r->part[LOGITS], i, j);

    if (sees_nothing(r, i)) {
        fputs("0", to);
    } else if (strcmp(r->normaliser, "relu2") == 0) {
        fmpq_t w;

        fmpq_init(w);
        if (fmpq_sgn(logit) > 0 && !fmpq_is_zero(fmpq_mat_entry(r->part[VISIBLE], i, j))) {
            fmpq_mul(w, logit, logit);
            fmpz_mul_ui(fmpq_denref(w), fmpq_denref(w), (ulong) r->n);
            fmpq_canonicalise(w);
        }
        put_rational(to, w);
        fmpq_clear(w);
    } else {
        fputs("(", to);
        put_raw(to, r, i, j);
        fputs(" / ", to);
        put_total(to, r, i);
        fputs(")", to);
    }
}

/* Gate (i, j) times entry k of the value that row i sees of token j. */
static void put_value(FILE *to, const rows *r, slong i, slong j, slong k)
{
    fmpq_t v;

    fmpq_init(v);
    fmpq_set(v, fmpq_mat_entry(r->part[EXTRA], i, j));
    for (slong l = 0; l < r->d; l++)
        fmpq_addmul(v, fmpq_mat_entry(r->part[X], j, l), fmpq_mat_entry(r->part[MIXING], l, k));
    fmpq_mul(v, v, fmpq_mat_entry(r->part[GATES], i, j));
    put_rational(to, v);
    fmpq_clear(v);
}

/* Notes the exponents that Coq's text of the stated entry has: "(exp (-9 / 5))". */
static bool note_stated(rows *r, const char *coq)
{
    bool good = true;
    fmpq_t q;

    fmpq_init(q);
    for (const char *at = strstr(coq, "(exp ("); at != NULL && good; at = strstr(at, "(exp (")) {
        char number[128];
        size_t length = 0;

        for (at += 6; *at != ')' && *at != '\0' && length + 1 < sizeof number; at++)
            if (*at != ' ')
                number[length++] = *at;
        number[length] = '\0';
        good = fmpq_set_str(q, number, 10) == 0 && note_exponent(r, q);
    }
    fmpq_clear(q);
    return good;
}

/* Every exponential becomes a power of exp(1/m), m the exponents' common denominator. */
static void put_powers(FILE *to, const rows *r)
{
    fmpz_t m, k;

    fmpz_init_set_ui(m, 1);
    fmpz_init(k);
    for (slong e = 0; e < r->exponents; e++)
        fmpz_lcm(m, m, fmpq_denref(r->exponent + e));
    for (slong e = 0; e < r->exponents; e++) {
        char *unit = fmpz_get_str(NULL, 10, m), *times;
        bool whole = fmpz_is_one(m);

        fmpz_divexact(k, m, fmpq_denref(r->exponent + e));
        fmpz_mul(k, k, fmpq_numref(r->exponent + e));
        if (fmpz_is_zero(k)) {
            fputs("rewrite ?exp_0. ", to);
        } else if (!fmpz_is_one(k)) {
            fprintf(to, "rewrite ?(%s %s%s%s ", fmpz_sgn(k) > 0 ? "exp_multiple" : "exp_negative",
                    whole ? "" : "(1 / ", unit, whole ? "" : ")");
            fmpz_abs(k, k);
            times = fmpz_get_str(NULL, 10, k);
            fprintf(to, "%s ", times);
            flint_free(times);
            put_rational(to, r->exponent + e);
            fputs(") by (simpl INR; lra). ", to);
        }
        flint_free(unit);
    }
    fmpz_clear(m);
    fmpz_clear(k);
}

/* Row i's norm where it is rational (all logits 0): √total = c. */
static bool put_root(FILE *to, const rows *r, slong i)
{
    fmpq_t total, root;
    bool perfect = true;

    fmpq_init(total);
    fmpq_init(root);
    for (slong j = 0; j < r->n; j++) {
        const fmpq *factor = fmpq_mat_entry(r->part[FACTORS], i, j);

        if (fmpq_is_zero(fmpq_mat_entry(r->part[VISIBLE], i, j)))
            continue;
        perfect = perfect && fmpq_is_zero(fmpq_mat_entry(r->part[LOGITS], i, j));
        fmpq_addmul(total, factor, factor);
    }
    perfect = perfect && fmpz_is_square(fmpq_numref(total)) && fmpz_is_square(fmpq_denref(total));
    if (perfect) {
        fmpz_sqrt(fmpq_numref(root), fmpq_numref(total));
        fmpz_sqrt(fmpq_denref(root), fmpq_denref(total));
        fputs("erewrite (root _ ", to);
        put_rational(to, root);
        fputs("); [field | lra | field].", to);
    }
    fmpq_clear(total);
    fmpq_clear(root);
    return perfect;
}

/* The lemma of entry (i, k), stated as coq. */
static bool put_entry(FILE *to, const char *name, rows *r, slong i, slong k, const char *coq)
{
    bool good = true;

    r->exponents = 0;
    for (slong j = 0; j < r->n && strcmp(r->normaliser, "relu2") != 0; j++)
        good = good && note_exponent(r, fmpq_mat_entry(r->part[LOGITS], i, j));
    if (!good || !note_stated(r, coq))
        return false;
    fprintf(to, "Lemma %s_%ld_%ld : ", name, (long) i, (long) k);
    put_rational(to, fmpq_mat_entry(r->part[X], i, k));
    for (slong j = 0; j < r->n; j++) {
        fputs(" + ", to);
        put_weight(to, r, i, j);
        fputs(" * ", to);
        put_value(to, r, i, j, k);
    }
    fprintf(to, " = %s.\nProof. ", coq);
    put_powers(to, r);
    if (strcmp(r->normaliser, "l2") == 0)
        good = put_root(to, r, i);
    else
        fputs("equal.", to);
    fputs(" Qed.\n", to);
    return good;
}

/* Entry k of row i of "1/2, 3; e, 4": malloc'ed, in Coq's words; NULL: there is none. */
static char *stated(const char *text, slong i, slong k)
{
    char *copy, *coq;
    size_t length;

    for (; i > 0 && text != NULL; i--)
        text = strchr(text, ';') == NULL ? NULL : strchr(text, ';') + 1;
    for (; k > 0 && text != NULL; k--) {
        length = strcspn(text, ",;");
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    if (text == NULL)
        return NULL;
    length = strcspn(text, ",;");
    copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    coq = at_coq_expression(copy);
    free(copy);
    return coq;
}

static bool sizes_fit(rows *r)
{
    bool good = true;

    r->n = fmpq_mat_nrows(r->part[X]);
    r->d = fmpq_mat_ncols(r->part[X]);
    for (int p = LOGITS; p < MIXING; p++)
        good = good && fmpq_mat_nrows(r->part[p]) == r->n && fmpq_mat_ncols(r->part[p]) == r->n;
    return good && fmpq_mat_nrows(r->part[MIXING]) == r->d && fmpq_mat_ncols(r->part[MIXING]) == r->d;
}

int at_coq_rows(FILE *to, const char *name, const at_claim_record *fact, at_error *err)
{
    static const char *const known[] = {"softmax", "l2", "relu2"};
    rows r = {.normaliser = at_coq_value(fact, "normaliser")};
    bool good = true, normaliser = false;

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        normaliser = normaliser || strcmp(known[k], r.normaliser) == 0;
    for (slong e = 0; e < MOST_EXPONENTS; e++)
        fmpq_init(r.exponent + e);
    for (int p = 0; p < PARTS; p++)
        good = read_matrix(r.part[p], at_coq_value(fact, part_names[p])) && good;
    good = good && normaliser && sizes_fit(&r);
    for (slong i = 0; good && i < r.n; i++)
        for (slong k = 0; good && k < r.d; k++) {
            char *coq = stated(at_coq_value(fact, "rows"), i, k);

            good = coq != NULL && put_entry(to, name, &r, i, k, coq);
            free(coq);
        }
    for (int p = 0; p < PARTS; p++)
        fmpq_mat_clear(r.part[p]);
    for (slong e = 0; e < MOST_EXPONENTS; e++)
        fmpq_clear(r.exponent + e);
    return good ? AT_OK : at_error_set(err, AT_UNEXPECTED, "%s: these rows cannot be said in Coq", name);
}
