/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Witnesses: see witness.h. */
#include "attest/theory/claim/witness.h"

/* ---- Text -------------------------------------------------------------------- */

/* One rational at *text, which moves behind it; false where there is none. */
static bool read_rational(fmpq_t c, const char **text)
{
    char word[256];
    size_t length = strspn(*text, " "), end;
    *text += length;
    end = strcspn(*text, " ;");
    if (end == 0 || end >= sizeof word)
        return false;
    memcpy(word, *text, end);
    word[end] = '\0';
    *text += end;
    if (fmpq_set_str(c, word, 10) != 0 || fmpz_is_zero(fmpq_denref(c)))
        return false;
    fmpq_canonicalise(c);               /* "4/6" is read as it stands */
    return true;
}

bool at_mat_read(fmpq_mat_t a, const char *text)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++) {
        for (slong j = 0; j < fmpq_mat_ncols(a); j++)
            if (!read_rational(fmpq_mat_entry(a, i, j), &text))
                return false;
        text += strspn(text, " ");
        if (*text != (i + 1 < fmpq_mat_nrows(a) ? ';' : '\0'))
            return false;
        text += *text == ';';
    }
    return true;
}

bool at_mat_read_toeplitz(fmpq_mat_t a, const char *text)
{
    slong n = fmpq_mat_nrows(a);
    fmpq_mat_t table;
    fmpq_mat_init(table, 1, 2 * n - 1);
    bool fine = at_mat_read(table, text);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            fmpq_set(fmpq_mat_entry(a, i, j), fmpq_mat_entry(table, 0, i - j + n - 1));
    fmpq_mat_clear(table);
    return fine;
}

/* A growing string; FLINT's allocator ends the process without memory, as everywhere here. */
typedef struct { char *text; size_t length, space; } builder;

static void put(builder *b, const char *text)
{
    size_t more = strlen(text);
    if (b->length + more + 1 > b->space) {
        b->space = 2 * (b->length + more + 1);
        b->text = flint_realloc(b->text, b->space);
    }
    memcpy(b->text + b->length, text, more + 1);
    b->length += more;
}

char *at_mat_text(const fmpq_mat_t a)
{
    builder b = { NULL, 0, 0 };
    put(&b, "[");
    for (slong i = 0; i < fmpq_mat_nrows(a); i++) {
        put(&b, i > 0 ? ", [" : "[");
        for (slong j = 0; j < fmpq_mat_ncols(a); j++) {
            char *c = fmpq_get_str(NULL, 10, fmpq_mat_entry(a, i, j));
            put(&b, j > 0 ? ", " : "");
            put(&b, c);
            flint_free(c);
        }
        put(&b, "]");
    }
    put(&b, "]");
    return b.text;
}

char *at_rows_text(const at_expqf_mat_t rows)
{
    builder b = { NULL, 0, 0 };
    put(&b, "");
    for (slong i = 0; i < rows->rows; i++)
        for (slong j = 0; j < rows->cols; j++) {
            char *c = at_expqf_get_str(at_expqf_mat_entry(rows, i, j));
            put(&b, j > 0 ? ", " : i > 0 ? "; " : "");
            put(&b, c);
            flint_free(c);
        }
    return b.text;
}

/* ---- Networks ---------------------------------------------------------------- */

int at_small_network(at_network_t net, enum at_encoding_id encoding, slong n, slong d,
                     slong heads, slong layers, slong ffn, at_error *err)
{
    const at_model model = { .encoding = encoding, .n = (size_t) n, .d = (size_t) d,
                             .heads = (size_t) heads, .ffn = (size_t) ffn,
                             .layers = (size_t) layers, .activation = AT_RELU };
    int status = at_network_init(net, &model, d, err);
    if (status != AT_OK)
        return status;
    for (slong l = 0; l < layers; l++)
        for (slong h = 0; h < heads; h++) {
            fmpq_mat_one(net->layers[l].heads[h].value);
            fmpq_mat_one(net->layers[l].heads[h].output);
        }
    return AT_OK;
}

int at_small_table(at_network_t net, slong l, slong h, const char *name, const char *text,
                   at_error *err)
{
    int t = at_network_table(net, name);
    if (t < 0 || !at_mat_read(net->layers[l].heads[h].tables[t], text))
        return at_error_set(err, AT_USAGE, "table %s does not take \"%s\"", name, text);
    return AT_OK;
}

/* ---- By hand ----------------------------------------------------------------- */

static void fill_ones(fmpq_mat_t a)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < fmpq_mat_ncols(a); j++)
            fmpq_one(fmpq_mat_entry(a, i, j));
}

void at_hand_init(at_hand_t hand, slong n, slong d)
{
    hand->n = n;
    hand->d = d;
    hand->normaliser = AT_NORMALISE_SOFTMAX;
    fmpq_mat_init(hand->X, n, d);
    fmpq_mat_init(hand->logits, n, n);
    fmpq_mat_init(hand->factors, n, n);
    fmpq_mat_init(hand->gates, n, n);
    fmpq_mat_init(hand->visible, n, n);
    fmpq_mat_init(hand->extra, n, n);
    fmpq_mat_init(hand->mixing, d, d);
    fill_ones(hand->factors);
    fill_ones(hand->gates);
    fill_ones(hand->visible);
    fmpq_mat_one(hand->mixing);
}

void at_hand_clear(at_hand_t hand)
{
    fmpq_mat_clear(hand->X);
    fmpq_mat_clear(hand->logits);
    fmpq_mat_clear(hand->factors);
    fmpq_mat_clear(hand->gates);
    fmpq_mat_clear(hand->visible);
    fmpq_mat_clear(hand->extra);
    fmpq_mat_clear(hand->mixing);
}

void at_hand_causal(at_hand_t hand, bool strict)
{
    for (slong i = 0; i < hand->n; i++)
        for (slong j = 0; j < hand->n; j++)
            if (j > i || (strict && j == i)) {
                /* nothing of a hidden key counts, so nothing of it is written into a fact */
                fmpq_zero(fmpq_mat_entry(hand->visible, i, j));
                fmpq_zero(fmpq_mat_entry(hand->logits, i, j));
                fmpq_zero(fmpq_mat_entry(hand->extra, i, j));
                fmpq_one(fmpq_mat_entry(hand->factors, i, j));
                fmpq_one(fmpq_mat_entry(hand->gates, i, j));
            }
}

/* weights[j] of row i, after gates. */
static void hand_weights(arb_ptr weights, const at_hand_t hand, slong i, slong prec)
{
    arb_t total, t;
    bool any = false;
    arb_init(total);
    arb_init(t);
    for (slong j = 0; j < hand->n; j++) {
        arb_ptr w = weights + j;
        const fmpq *logit = fmpq_mat_entry(hand->logits, i, j);
        arb_zero(w);
        if (fmpq_is_zero(fmpq_mat_entry(hand->visible, i, j)))
            continue;
        any = true;
        arb_set_fmpq(w, logit, prec);
        if (hand->normaliser == AT_NORMALISE_RELU2) {
            if (fmpq_sgn(logit) < 0)
                arb_zero(w);
            arb_mul(w, w, w, prec);
            continue;
        }
        arb_exp(w, w, prec);
        arb_set_fmpq(t, fmpq_mat_entry(hand->factors, i, j), prec);
        arb_mul(w, w, t, prec);
        if (hand->normaliser == AT_NORMALISE_L2)
            arb_addmul(total, w, w, prec);
        else
            arb_add(total, total, w, prec);
    }
    if (hand->normaliser == AT_NORMALISE_L2)
        arb_sqrt(total, total, prec);
    if (hand->normaliser == AT_NORMALISE_RELU2)
        arb_set_si(total, hand->n);
    for (slong j = 0; j < hand->n && any; j++) {
        arb_div(weights + j, weights + j, total, prec);
        arb_set_fmpq(t, fmpq_mat_entry(hand->gates, i, j), prec);
        arb_mul(weights + j, weights + j, t, prec);
    }
    arb_clear(total);
    arb_clear(t);
}

void at_hand_rows(arb_mat_t rows, const at_hand_t hand, slong prec)
{
    arb_ptr weights = _arb_vec_init(hand->n);
    fmpq_mat_t V;
    fmpq_t value;
    arb_t t;
    fmpq_mat_init(V, hand->n, hand->d);
    fmpq_init(value);
    arb_init(t);
    fmpq_mat_mul(V, hand->X, hand->mixing);
    for (slong i = 0; i < hand->n; i++) {
        hand_weights(weights, hand, i, prec);
        for (slong k = 0; k < hand->d; k++) {
            arb_ptr y = arb_mat_entry(rows, i, k);
            arb_set_fmpq(y, fmpq_mat_entry(hand->X, i, k), prec);
            for (slong j = 0; j < hand->n; j++) {
                fmpq_add(value, fmpq_mat_entry(V, j, k), fmpq_mat_entry(hand->extra, i, j));
                arb_set_fmpq(t, value, prec);
                arb_addmul(y, weights + j, t, prec);
            }
        }
    }
    fmpq_mat_clear(V);
    fmpq_clear(value);
    arb_clear(t);
    _arb_vec_clear(weights, hand->n);
}

enum at_truth at_hand_rows_differ(const at_hand_t hand, slong first)
{
    arb_mat_t rows;
    bool apart = false;
    arb_mat_init(rows, hand->n, hand->d);
    at_hand_rows(rows, hand, 192);
    for (slong i = first + 1; i < hand->n; i++)
        for (slong k = 0; k < hand->d; k++) {
            const arb_struct *a = arb_mat_entry(rows, first, k), *b = arb_mat_entry(rows, i, k);
            apart = apart || arb_lt(a, b) || arb_gt(a, b);
        }
    arb_mat_clear(rows);
    return apart ? AT_TRUE : AT_UNKNOWN;
}

/* ---- Comparing --------------------------------------------------------------- */

static bool rows_are(const at_expqf_mat_t Y, const char *expected)
{
    char entry[1024];
    at_expqf_t value;
    bool equal = true;
    at_expqf_init(value);
    for (slong i = 0; i < Y->rows && equal; i++)
        for (slong j = 0; j < Y->cols && equal; j++) {
            size_t length = strcspn(expected, ",;");
            char end = i + 1 == Y->rows && j + 1 == Y->cols ? '\0' : j + 1 == Y->cols ? ';' : ',';
            equal = length < sizeof entry && expected[length] == end;
            if (!equal)
                break;
            memcpy(entry, expected, length);
            entry[length] = '\0';
            expected += length + (end != '\0');
            equal = at_expqf_set_str(value, entry, NULL) == AT_OK
                    && at_expqf_equal(value, at_expqf_mat_entry(Y, i, j));
        }
    at_expqf_clear(value);
    return equal;
}

static bool rows_in_balls(const at_expqf_mat_t Y, const at_hand_t hand)
{
    arb_mat_t rows;
    arb_t exact;
    mag_t radius;
    bool inside = Y->rows == hand->n && Y->cols == hand->d;
    arb_init(exact);
    mag_init(radius);
    mag_set_ui_2exp_si(radius, 1, -100);
    arb_mat_init(rows, hand->n, hand->d);
    at_hand_rows(rows, hand, 192);
    for (slong i = 0; i < hand->n && inside; i++)
        for (slong k = 0; k < hand->d && inside; k++) {
            const arb_struct *ball = arb_mat_entry(rows, i, k);
            at_expqf_get_arb(exact, at_expqf_mat_entry(Y, i, k), 192);
            inside = arb_is_finite(ball) && arb_is_finite(exact) && arb_overlaps(ball, exact)
                     && mag_cmp(arb_radref(ball), radius) < 0
                     && mag_cmp(arb_radref(exact), radius) < 0;
        }
    arb_mat_clear(rows);
    arb_clear(exact);
    mag_clear(radius);
    return inside;
}

enum at_truth at_witness_rows(at_expqf_mat_t Y, const at_network_t net, const fmpq_mat_t X,
                              const at_hand_t hand, const char *expected)
{
    if (at_network_eval_exact(Y, net, X, NULL) != AT_OK)
        return AT_UNKNOWN;
    if (expected != NULL && !rows_are(Y, expected))
        return AT_UNKNOWN;
    return hand == NULL || rows_in_balls(Y, hand) ? AT_TRUE : AT_UNKNOWN;
}

enum at_truth at_rows_differ(const at_expqf_mat_t Y, slong first)
{
    for (slong i = first + 1; i < Y->rows; i++)
        for (slong j = 0; j < Y->cols; j++)
            if (!at_expqf_equal(at_expqf_mat_entry(Y, i, j), at_expqf_mat_entry(Y, first, j)))
                return AT_TRUE;
    return AT_FALSE;
}

void at_witness_fact(at_claim_run *run, const char *label, const at_hand_t hand,
                     const at_expqf_mat_t rows)
{
    static const char *const normalisers[] = { "softmax", "l2", "relu2" };
    const struct { const char *key; const fmpq_mat_struct *matrix; } parts[] = {
        { "X", hand->X }, { "logits", hand->logits }, { "factors", hand->factors },
        { "gates", hand->gates }, { "visible", hand->visible }, { "extra", hand->extra },
        { "mixing", hand->mixing },
    };
    at_claim_fact(run, "rows", label);
    at_claim_fact_text(run, "normaliser", "%s", normalisers[hand->normaliser]);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        char *text = at_mat_text(parts[k].matrix);
        at_claim_fact_text(run, parts[k].key, "%s", text);
        flint_free(text);
    }
    char *text = at_rows_text(rows);
    at_claim_fact_text(run, "rows", "%s", text);
    flint_free(text);
}
