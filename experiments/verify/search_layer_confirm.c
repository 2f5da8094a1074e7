/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The violations of search_layer.c at rational points, confirmed by theory's exact engine and by its
 * direct sums in balls. */
#include "attest/experiments/verify/search_own.h"

#include <stdio.h>
#include <string.h>
#include "attest/theory/claims/rpe/escape.h"
#include "attest/theory/claims/rpe/reversal.h"

enum { TEXT = 512 };

/* Appends the rationals, `wide` of them a row: "1/2 0; 3 -1"; the texts that theory reads. */
static void put(char *out, const fmpq *v, size_t count, size_t wide)
{
    for (size_t k = 0; k < count; k++) {
        char *text = fmpq_get_str(NULL, 10, v + k);
        size_t used = strlen(out);
        snprintf(out + used, TEXT - used, "%s%s", k == 0 ? "" : k % wide == 0 ? "; " : " ", text);
        flint_free(text);
    }
}

/* The entries t_{i−j} of the matrix, row by row; even: t_{|i−j|} from n numbers. */
static void put_toeplitz(char *out, const fmpq *t, size_t n, bool even)
{
    fmpq *M = _fmpq_vec_init((slong) (n * n));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            fmpq_set(M + i * n + j, t + (even ? (i > j ? i - j : j - i) : i + n - 1 - j));
    put(out, M, n * n, n);
    _fmpq_vec_clear(M, (slong) (n * n));
}

static void put_constant(char *out, const fmpq *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        strncat(out, i == 0 ? "" : "; ", TEXT - strlen(out) - 1);
        put(out, x, 1, 1);
    }
}

/* "what: rows 1/2; 3/2". */
static bool confirm_escape(char *text, size_t size, const at_escape *e, const char *what)
{
    char *rows;
    bool apart = at_escape_differs(&rows, e) == AT_TRUE;
    int length = snprintf(text, size, "X = (%s)%s: rows %s", e->X, what, rows);
    flint_free(rows);
    return apart && length > 0 && (size_t) length < size;
}

bool at_search_confirm_empty_row(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "";
    put_constant(X, x, n);
    at_escape e = { .encoding = AT_ENC_NONE, .n = (slong) n, .d = 1, .X = X,
                    .mask = AT_MASK_STRICT };
    return confirm_escape(text, size, &e, "");
}

bool at_search_confirm_gated_bias(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", bias[TEXT] = "", gate[TEXT] = "", gates[TEXT] = "", extra[TEXT] = "";
    char what[3 * TEXT];
    fmpq_t zero;
    fmpq_init(zero);
    put_constant(X, zero, n);
    fmpq_clear(zero);
    put(bias, x, 1, 1);
    put(gate, x + 1, 2 * n - 1, 2 * n);
    put_toeplitz(gates, x + 1, n, false);
    for (size_t k = 0; k < 2 * n - 1; k++) {
        strncat(extra, k == 0 ? "" : " ", TEXT - strlen(extra) - 1);
        put(extra, x, 1, 1);
    }
    snprintf(what, sizeof what, ", b_V = %s, C = (%s)", bias, gate);
    at_escape e = { .encoding = AT_ENC_URPE, .n = (slong) n, .d = 1, .X = X, .value_bias = bias,
                    .table = { "gate" }, .entries = { gate }, .gates_full = gates,
                    .extra = extra };
    return confirm_escape(text, size, &e, what);
}

bool at_search_confirm_shaw(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", rows[TEXT] = "", line[TEXT] = "", what[2 * TEXT];
    put_constant(X, x, n);
    put(rows, x + 1, 2 * n - 1, 1);             /* the engine's table has a row for each offset */
    put(line, x + 1, 2 * n - 1, 2 * n);
    snprintf(what, sizeof what, ", a^V = (%s)", line);
    at_escape e = { .encoding = AT_ENC_SHAW, .n = (slong) n, .d = 1, .X = X, .no_values = true,
                    .table = { "value" }, .entries = { rows }, .extra = line };
    return confirm_escape(text, size, &e, what);
}

bool at_search_confirm_even_gate(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", bias[TEXT] = "", gate[TEXT] = "", gates[TEXT] = "", what[3 * TEXT];
    fmpq *even = _fmpq_vec_init((slong) (2 * n - 1));
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    put_constant(X, one, n);
    fmpq_clear(one);
    for (size_t k = 0; k < 2 * n - 1; k++)
        fmpq_set(even + k, x + (k >= n - 1 ? k - (n - 1) : n - 1 - k));
    put(bias, x + n, 2 * n - 1, 2 * n);
    put(gate, even, 2 * n - 1, 2 * n);
    put_toeplitz(gates, x, n, true);
    _fmpq_vec_clear(even, (slong) (2 * n - 1));
    snprintf(what, sizeof what, ", C = (%s), B = (%s)", gate, bias);
    at_escape e = { .encoding = AT_ENC_URPE, .n = (slong) n, .d = 1, .X = X,
                    .table = { "bias", "gate" }, .entries = { bias, gate }, .bias = bias,
                    .gates_full = gates };
    return confirm_escape(text, size, &e, what);
}

static bool confirm_asymmetry(char *text, size_t size, const at_asymmetry *a, const char *what)
{
    enum at_truth exact, ball;
    int length = snprintf(text, size, "X = (%s)%s", a->X, what);
    return at_asymmetry_check(&exact, &ball, NULL, a, NULL) == AT_OK && exact == AT_TRUE
           && ball == AT_TRUE && length > 0 && (size_t) length < size;
}

/* X and JX, d columns. */
static void put_both(char *X, char *JX, const fmpq *x, size_t n, size_t d)
{
    fmpq *reversed = _fmpq_vec_init((slong) (n * d));
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < d; c++)
            fmpq_set(reversed + i * d + c, x + (n - 1 - i) * d + c);
    put(X, x, n * d, d);
    put(JX, reversed, n * d, d);
    _fmpq_vec_clear(reversed, (slong) (n * d));
}

bool at_search_confirm_reversed_t5(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", JX[TEXT] = "", bias[TEXT] = "", logits[TEXT] = "", what[2 * TEXT];
    put_both(X, JX, x, n, 1);
    put(bias, x + n, 2 * n - 1, 2 * n);
    put_toeplitz(logits, x + n, n, false);
    snprintf(what, sizeof what, ", B = (%s)", bias);
    at_asymmetry a = { .encoding = AT_ENC_T5, .n = (slong) n, .d = 1, .X = X, .JX = JX,
                       .table = { "bias" }, .entries = { bias }, .logits = logits,
                       .J_logits = logits };
    return confirm_asymmetry(text, size, &a, what);
}

bool at_search_confirm_reversed_tupe(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", JX[TEXT] = "", positions[TEXT] = "", logits[TEXT] = "", what[2 * TEXT];
    fmpq *products = _fmpq_vec_init((slong) (n * n));
    put_both(X, JX, x, n, 1);
    put(positions, x + n, n, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            fmpq_mul(products + i * n + j, x + n + i, x + n + j);
    put(logits, products, n * n, n);
    _fmpq_vec_clear(products, (slong) (n * n));
    snprintf(what, sizeof what, ", p = (%s), U_Q = U_K = 1", positions);
    at_asymmetry a = { .encoding = AT_ENC_TUPE, .n = (slong) n, .d = 1, .X = X, .JX = JX,
                       .table = { "query", "key" }, .entries = { "1", "1" },
                       .positions = positions, .logits = logits, .J_logits = logits };
    return confirm_asymmetry(text, size, &a, what);
}

bool at_search_confirm_reversed_causal(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", JX[TEXT] = "";
    put_both(X, JX, x, n, 1);
    at_asymmetry a = { .encoding = AT_ENC_NONE, .n = (slong) n, .d = 1, .X = X, .JX = JX,
                       .mask = AT_MASK_CAUSAL };
    return confirm_asymmetry(text, size, &a, "");
}

/* x_i R^{i−j} x_j for two tokens, R the rotation with cos = 3/5, sin = 4/5. */
static void rope_logits(char *out, const fmpq *x)
{
    fmpq *s = _fmpq_vec_init(4);
    fmpq_t t, u, fifth;
    fmpq_init(t);
    fmpq_init(u);
    fmpq_init(fifth);
    fmpq_set_si(fifth, 1, 5);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            const fmpq *a = x + 2 * i, *b = x + 2 * j;
            slong turn = (slong) i - (slong) j;
            fmpq_mul(t, a, b);
            fmpq_addmul(t, a + 1, b + 1);       /* ⟨a, b⟩ */
            fmpq_mul(u, a, b + 1);
            fmpq_submul(u, a + 1, b);           /* a × b */
            if (turn != 0) {
                fmpq_mul_si(t, t, 3);
                fmpq_mul_si(u, u, 4 * turn);
                fmpq_add(t, t, u);
                fmpq_mul(t, t, fifth);
            }
            fmpq_set(s + 2 * i + j, t);
        }
    put(out, s, 4, 2);
    fmpq_clear(t);
    fmpq_clear(u);
    fmpq_clear(fifth);
    _fmpq_vec_clear(s, 4);
}

bool at_search_confirm_reversed_rope(char *text, size_t size, size_t n, const fmpq *x)
{
    char X[TEXT] = "", JX[TEXT] = "", logits[TEXT] = "", J_logits[TEXT] = "";
    fmpq *reversed = _fmpq_vec_init(4);
    if (n != 2) {
        _fmpq_vec_clear(reversed, 4);
        return false;
    }
    put_both(X, JX, x, 2, 2);
    for (size_t k = 0; k < 4; k++)
        fmpq_set(reversed + k, x + (k + 2) % 4);
    rope_logits(logits, x);
    rope_logits(J_logits, reversed);
    _fmpq_vec_clear(reversed, 4);
    at_asymmetry a = { .encoding = AT_ENC_ROPE, .n = 2, .d = 2, .X = X, .JX = JX,
                       .table = { "rotation" }, .entries = { "3/5 4/5" }, .queries = true,
                       .logits = logits, .J_logits = J_logits };
    return confirm_asymmetry(text, size, &a, ", rotation (3/5, 4/5), all W = I");
}
