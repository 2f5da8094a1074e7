/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Violations of refuted statements about one attention layer of one column: rows that differ ona
 * constant sequence, layers that do not commute with reversal.  Confirmed by theory's exact engine
 * and by its direct sums in balls. */
#include "attest/experiments/verify/search_own.h"

#include <math.h>
#include <string.h>

enum { MOST = 6 };

typedef double complex number;

/* X + (gates * softmax(logits)) (mixing X + extra), row i seeing the keys before `seen` + i. */
typedef struct {
    size_t n, seen;
    number X[MOST], logits[MOST][MOST], gates[MOST][MOST], extra[MOST][MOST];
    double mixing;
} layer;

static void layer_init(layer *l, size_t n)
{
    memset(l, 0, sizeof *l);
    l->n = l->seen = n;
    l->mixing = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            l->gates[i][j] = 1;
}

/* M_ij = t_{i−j}, offset 1 − n first. */
static void toeplitz(number M[MOST][MOST], size_t n, const number *t)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[i][j] = t[i + n - 1 - j];
}

static void layer_rows(number *Y, const layer *l)
{
    for (size_t i = 0; i < l->n; i++) {
        double top = -1e300;
        number total = 0, sum = 0;
        for (size_t j = 0; j < l->n && j < l->seen + i; j++)
            top = creal(l->logits[i][j]) > top ? creal(l->logits[i][j]) : top;
        for (size_t j = 0; j < l->n && j < l->seen + i; j++) {
            number w = at_search_exp(l->logits[i][j] - top);
            total += w;
            sum += w * l->gates[i][j] * (l->mixing * l->X[j] + l->extra[i][j]);
        }
        Y[i] = l->X[i] + (total == 0 ? 0 : sum / total);
    }
}

/* Σ (Y_i − Y_1)²: positive where rows differ. */
static number spread(const layer *l)
{
    number Y[MOST], sum = 0;
    layer_rows(Y, l);
    for (size_t i = 1; i < l->n; i++)
        sum += (Y[i] - Y[0]) * (Y[i] - Y[0]);
    return sum;
}

/* Σ (g(JX)_i − (J g(X))_i)². */
static number asymmetry(layer *l)
{
    number Y[MOST], Z[MOST], sum = 0;
    size_t n = l->n;
    layer_rows(Y, l);
    for (size_t i = 0; i < n / 2; i++) {
        number t = l->X[i];
        l->X[i] = l->X[n - 1 - i];
        l->X[n - 1 - i] = t;
    }
    layer_rows(Z, l);
    for (size_t i = 0; i < n; i++)
        sum += (Y[i] - Z[n - 1 - i]) * (Y[i] - Z[n - 1 - i]);
    return sum;
}

/* ---- Coordinates and violations ---------------------------------------------- */

size_t at_search_count_one(size_t n) { return n > 0; }
size_t at_search_count_table(size_t n) { return 2 * n; }
size_t at_search_count_even(size_t n) { return 3 * n - 1; }

/* x = (token); a strictly causal mask, the empty row 0. */
double complex at_search_empty_row(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    for (size_t i = 0; i < n; i++)
        l.X[i] = x[0];
    l.seen = 0;
    return spread(&l);
}

/* x = (b_V, c_{1−n}, …, c_{n−1}); X = 0. */
double complex at_search_gated_bias(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    toeplitz(l.gates, n, x + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            l.extra[i][j] = x[0];
    return spread(&l);
}

/* x = (token, a^V_{1−n}, …, a^V_{n−1}); W_V = 0. */
double complex at_search_shaw(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    for (size_t i = 0; i < n; i++)
        l.X[i] = x[0];
    l.mixing = 0;
    toeplitz(l.extra, n, x + 1);
    return spread(&l);
}

/* x = (c_0, …, c_{n−1}, b_{1−n}, …, b_{n−1}), C even; X = 1. */
double complex at_search_even_gate(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    for (size_t i = 0; i < n; i++) {
        l.X[i] = 1;
        for (size_t j = 0; j < n; j++)
            l.gates[i][j] = x[i > j ? i - j : j - i];
    }
    toeplitz(l.logits, n, x + n);
    return spread(&l);
}

/* x = (X, b_{1−n}, …, b_{n−1}). */
double complex at_search_reversed_t5(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    memcpy(l.X, x, n * sizeof *x);
    toeplitz(l.logits, n, x + n);
    return asymmetry(&l);
}

/* x = (X, p). */
double complex at_search_reversed_tupe(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    memcpy(l.X, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            l.logits[i][j] = x[n + i] * x[n + j];
    return asymmetry(&l);
}

double complex at_search_reversed_causal(size_t n, const double complex *x)
{
    layer l;
    layer_init(&l, n);
    memcpy(l.X, x, n * sizeof *x);
    l.seen = 1;
    return asymmetry(&l);
}

/* Logits of rope for rows of two columns, W = I: the rotation by k steps of (3/5, 4/5). */
static void rope_rows(number *Y, size_t n, const number *X)
{
    for (size_t i = 0; i < n; i++) {
        number logits[MOST], total = 0, sum[2] = { 0, 0 };
        double top = -1e300;
        for (size_t j = 0; j < n; j++) {
            double angle = ((double) i - (double) j) * 0.92729521800161223;   /* cos = 3/5 */
            double c = cos(angle), s = sin(angle);
            logits[j] = c * (X[2 * i] * X[2 * j] + X[2 * i + 1] * X[2 * j + 1])
                        + s * (X[2 * i] * X[2 * j + 1] - X[2 * i + 1] * X[2 * j]);
            top = creal(logits[j]) > top ? creal(logits[j]) : top;
        }
        for (size_t j = 0; j < n; j++) {
            number w = at_search_exp(logits[j] - top);
            total += w;
            sum[0] += w * X[2 * j];
            sum[1] += w * X[2 * j + 1];
        }
        for (size_t c = 0; c < 2; c++)
            Y[2 * i + c] = X[2 * i + c] + sum[c] / total;
    }
}

double complex at_search_reversed_rope(size_t n, const double complex *x)
{
    number JX[2 * MOST] = { 0 }, Y[2 * MOST], Z[2 * MOST], sum = 0;
    for (size_t i = 0; i < n; i++)
        memcpy(JX + 2 * i, x + 2 * (n - 1 - i), 2 * sizeof *x);
    rope_rows(Y, n, x);
    rope_rows(Z, n, JX);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 2; c++) {
            number gap = Y[2 * i + c] - Z[2 * (n - 1 - i) + c];
            sum += gap * gap;
        }
    return sum;
}
