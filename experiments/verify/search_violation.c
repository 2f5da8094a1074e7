/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Violations of refuted statements in floating point, and their gradients by complex steps. */
#include "attest/experiments/verify/search.h"

#include <stdlib.h>
#include "attest/core/formula.h"

typedef double complex number;

/* A rational or integer of an example, "-5/4". */
static double rational(const char *text, double fallback)
{
    char *end;
    if (text == NULL)
        return fallback;
    double value = strtod(text, &end);
    return *end == '/' ? value / strtod(end + 1, NULL) : value;
}

/* The 2×2 matrix of an example's text, or the identity. */
static void read_weights(double W[2][2], const char *text)
{
    W[0][0] = W[1][1] = 1;
    W[0][1] = W[1][0] = 0;
    if (text == NULL)
        return;
    char *end;
    for (size_t k = 0; k < 4; k++) {
        W[k / 2][k % 2] = strtod(text, &end);
        text = *end == '\0' ? end : end + 1;
    }
}

typedef struct {
    const at_search_problem *problem;
    size_t n, d;
    double W[2][2];
} setting;

/* V = Y W; one column stays as it is. */
static void values(number *V, const setting *s, const number *Y)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t c = 0; c < s->d; c++) {
            V[i * s->d + c] = s->d == 1 ? Y[i] : 0;
            for (size_t k = 0; k < s->d && s->d > 1; k++)
                V[i * s->d + c] += Y[i * s->d + k] * s->W[k][c];
        }
}

static number inner(const number *V, size_t i, size_t j, size_t d)
{
    number sum = 0;
    for (size_t c = 0; c < d; c++)
        sum += V[i * d + c] * V[j * d + c];
    return sum;
}

static number distance(const number *V, size_t i, size_t j, size_t d)
{
    number sum = 0;
    for (size_t c = 0; c < d; c++)
        sum += (V[i * d + c] - V[j * d + c]) * (V[i * d + c] - V[j * d + c]);
    return sum / 2;
}

/* y_i W^T W y_j^T. */
static number gram_score(const setting *s, const number *Y, size_t i, size_t j)
{
    number sum = 0;
    for (size_t k = 0; k < s->d; k++) {
        number left = 0, right = 0;
        for (size_t c = 0; c < s->d; c++) {
            left += Y[i * s->d + c] * s->W[k][c];
            right += Y[j * s->d + c] * s->W[k][c];
        }
        sum += left * right;
    }
    return sum;
}

/* Unnormalised weight of row i on row j; up to a factor of row i, which keeps exp in range. */
static number weight(const setting *s, const number *Y, const number *V, size_t i, size_t j)
{
    const at_example *e = &s->problem->example;
    if (s->problem->kind == AT_SEARCH_CONVEX) {
        number z = distance(V, i, j, s->d);
        return z * z;
    }
    switch (e->scores) {
    case AT_SCORES_BETA:
        return e->rho == AT_RHO_LOG ? 1 / (2 + distance(V, i, j, s->d))
                                    : at_search_exp(-distance(V, i, j, s->d));
    case AT_SCORES_PLAIN:
        return at_search_exp(inner(V, i, j, s->d) - inner(V, i, i, s->d));
    case AT_SCORES_GRAM:
        break;
    }
    return at_search_exp(gram_score(s, Y, i, j) - inner(V, j, j, s->d) / 2
                - gram_score(s, Y, i, i) + inner(V, i, i, s->d) / 2);
}

static void step(number *next, const setting *s, const number *Y, const number *V)
{
    const at_example *e = &s->problem->example;
    double keep = rational(e->keep, 0), move = rational(e->move, 1);
    for (size_t i = 0; i < s->n; i++) {
        number sum = 0, pulled[2] = { 0, 0 };
        for (size_t j = 0; j < s->n; j++) {
            if ((e->causal && j > i) || (e->no_self && j == i))
                continue;
            number w = weight(s, Y, V, i, j);
            sum += w;
            for (size_t c = 0; c < s->d; c++)
                pulled[c] += w * Y[j * s->d + c];
        }
        for (size_t c = 0; c < s->d; c++)
            next[i * s->d + c] = keep * Y[i * s->d + c] + move * pulled[c] / sum;
    }
}

static number pair_energy(const setting *s, const number *V, size_t i, size_t j)
{
    number z = distance(V, i, j, s->d);
    if (s->problem->kind == AT_SEARCH_CONVEX)
        return z * z * z;
    return s->problem->example.rho == AT_RHO_LOG ? at_search_log(2 + z) : -at_search_exp(-z);
}

/* −Σ_i log Σ_j e^{−z_ij}; z is symmetric and z_ii = 0. */
static number lse_energy(const setting *s, const number *V)
{
    number sums[AT_SEARCH_MOST], total = 0;
    for (size_t i = 0; i < s->n; i++)
        sums[i] = 1;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = i + 1; j < s->n; j++) {
            number w = at_search_exp(-distance(V, i, j, s->d));
            sums[i] += w;
            sums[j] += w;
        }
        total -= at_search_log(sums[i]);
    }
    return total;
}

static number energy(const setting *s, const number *V)
{
    const at_example *e = &s->problem->example;
    double pin = rational(e->pin, 0);
    number total = e->energy == AT_ENERGY_LSE ? lse_energy(s, V) : 0;
    for (size_t i = 0; i < s->n; i++) {
        number sum = 0;
        for (size_t j = i + 1; e->energy == AT_ENERGY_PAIRS && j < s->n; j++)
            total += pair_energy(s, V, i, j);
        for (size_t j = 0; e->energy == AT_ENERGY_DOT && j < s->n; j++)
            sum += at_search_exp(inner(V, i, j, s->d) - inner(V, i, i, s->d));
        if (e->energy == AT_ENERGY_DOT)
            total -= inner(V, i, i, s->d) / 2 + at_search_log(sum);
        total += pin / 2 * inner(V, i, i, s->d);
    }
    return total;
}

static number quadratic_violation(const at_search_problem *problem, number x)
{
    double H = rational(problem->H, 1), b = rational(problem->b, 0);
    number next = x - (H * x - b);
    if (problem->relu && creal(next) < 0)
        next = 0;
    return (H * next * next / 2 - b * next) - (H * x * x / 2 - b * x);
}

/* log(2 + z) + E_2 for W_a = diag(20, 0), S = [[0,½],[½,0]], B = 0. */
static number sequential_energy(const number *Y)
{
    number gap = 20 * (Y[0] - Y[2]), total = at_search_log(2 + gap * gap / 2);
    for (size_t i = 0; i < 2; i++)
        total += (Y[2 * i] * Y[2 * i + 1] + Y[2 * i] * Y[2 * i] + Y[2 * i + 1] * Y[2 * i + 1]) / 2;
    return total;
}

static number sequential_violation(const number *Y)
{
    number gap = 20 * (Y[0] - Y[2]), z = gap * gap / 2, keep = (2 + z) / (4 + z), last[4];
    for (size_t i = 0; i < 2; i++) {
        number first = keep * Y[2 * i] + (1 - keep) * Y[2 - 2 * i];
        number second = keep * Y[2 * i + 1] + (1 - keep) * Y[3 - 2 * i];
        last[2 * i] = -second / 2;
        last[2 * i + 1] = -first / 2;
    }
    return sequential_energy(last) - sequential_energy(Y);
}

/* Real points only: the derivative comes from the formula's own. */
static number formula_violation(const at_search_problem *problem, number x)
{
    at_formula formula;
    if (at_formula_parse(&formula, problem->formula, NULL) != AT_OK)
        return -1;
    at_jet jet = at_formula_eval(&formula, creal(x));
    at_formula_clear(&formula);
    return jet.value + _Complex_I * cimag(x) * jet.first;
}

double complex at_search_violation(const at_search_problem *problem, size_t n,
                                   const double complex *x)
{
    if (problem->kind == AT_SEARCH_OWN_KIND)
        return problem->violation(n, x);
    if (problem->kind == AT_SEARCH_QUADRATIC)
        return quadratic_violation(problem, x[0]);
    if (problem->kind == AT_SEARCH_FORMULA)
        return formula_violation(problem, x[0]);
    if (problem->kind == AT_SEARCH_SEQUENTIAL)
        return sequential_violation(x);
    setting s = { .problem = problem, .n = n, .d = problem->columns };
    number V[AT_SEARCH_MOST], next[AT_SEARCH_MOST];
    read_weights(s.W, problem->example.weights);
    values(V, &s, x);
    number before = energy(&s, V);
    step(next, &s, x, V);
    values(V, &s, next);
    return energy(&s, V) - before;
}

double at_search_gradient(double *gradient, const at_search_problem *problem, size_t n,
                          const double *x)
{
    const double tiny = 0x1p-332;      /* its square vanishes beside 1 */
    size_t count = at_search_count(problem, n);
    number point[AT_SEARCH_MOST];
    for (size_t k = 0; k < count; k++)
        point[k] = x[k];
    for (size_t k = 0; gradient != NULL && k < count; k++) {
        point[k] = x[k] + _Complex_I * tiny;
        gradient[k] = cimag(at_search_violation(problem, n, point)) / tiny;
        point[k] = x[k];
    }
    return creal(at_search_violation(problem, n, point));
}

size_t at_search_count(const at_search_problem *problem, size_t n)
{
    return problem->count != NULL ? problem->count(n) : n * problem->columns;
}
