/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The change of the energy, pair by pair, with its error: see energy_bound.h. */
#include "attest/numeric/energy/bound.h"

#include <math.h>

#include "attest/numeric/energy/bound_terms.h"
#include "attest/numeric/energy/work.h"

#define SLACK (1 + 0x1p-20)
/* Each form below takes at most two functions of 8u and five roundings, whose arguments' relative errors it
 * passes on at most doubled. */
#define PAIR (48 * AT_UNIT)

/* ρ(z') − ρ(z), z and z' taken exactly; slope = ρ'(z), next = ρ'(z') to 1 part in 10^6. */
typedef struct { double change, error, slope, slope_next; } pair_change;

static pair_change of_exp(double z, double t)
{
    double dz = t - z, w = exp(-z);

    if (fabs(dz) < 1) {
        double m = expm1(-dz);
        return (pair_change) { -w * m, PAIR * fabs(w * m), w, w * (1 + m) };
    }
    double v = exp(-t);
    return (pair_change) { w - v, PAIR * (w + v), w, v };
}

static pair_change of_log(double z, double t)
{
    double s = 2 + z, r = 2 + t, x = (t - z) / s;

    if (fabs(x) < 0.5) {
        double change = log1p(x);
        return (pair_change) { change, PAIR * fabs(change), 1 / s, 1 / r };
    }
    double a = log(r), b = log(s);   /* 2 + z: rounded once, u in the logarithm */
    return (pair_change) { a - b, PAIR * (a + b + 1), 1 / s, 1 / r };
}

static pair_change of_sqrt(double z, double t)
{
    double s = sqrt(1 + z), r = sqrt(1 + t), change = (t - z) / (s + r);

    return (pair_change) { change, PAIR * fabs(change), 0.5 / s, 0.5 / r };
}

static pair_change of_ratio(double z, double t)
{
    double s = 1 / (1 + z), r = 1 / (1 + t), change = (t - z) * s * r;

    return (pair_change) { change, PAIR * fabs(change), s * s, r * r };
}

static pair_change change_of(double z, double t, int rho)
{
    switch (rho) {
    case AT_RHO_EXP: return of_exp(z, t);
    case AT_RHO_LOG: return of_log(z, t);
    case AT_RHO_SQRT: return of_sqrt(z, t);
    default: return of_ratio(z, t);
    }
}

/* What an error dz of z does to ρ(z): the largest slope there, which is at z − dz; e^½ < 1.7. */
static double passed_on(const at_energy_bound *b, double slope, double z, double dz, int rho)
{
    if (dz == 0)
        return 0;
    return dz * (at_rho_bend(rho) * dz <= 0.5 ? 1.7 * slope
                                              : 1.01 * at_rho_slope(fmax(z - dz, 0), rho)
                                                    + at_tiny(b));
}

static void add_pairs(double *change, double *error, at_energy_bound *b, const double *z,
                      const double *t, const double *e, const double *f, size_t n,
                      const at_energy_model *model)
{
    int rho = model->rho->id;
    double gamma = at_counts(b, AT_TERM_DISTANCE) * at_gamma(model->d + 8);
    double pair = at_counts(b, AT_TERM_PAIR), total = 0, size = 0, lost = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0, sizes = 0, errors = 0;
        for (size_t j = i + 1; j < n; j++) {
            double before = z[i * n + j], after = t[i * n + j];
            double dz = at_distance_error(b, before, e[i] + e[j], gamma);
            double dt = at_distance_error(b, after, f[i] + f[j], gamma);
            if (rho == AT_RHO_EXP && before > 750 && after > 750 && dz <= 0.5 && dt <= 0.5) {
                errors += at_tiny(b);
                continue;
            }
            pair_change p = change_of(before, after, rho);
            sum += p.change;
            sizes += fabs(p.change);
            errors += pair * p.error + passed_on(b, p.slope, before, dz, rho)
                      + passed_on(b, p.slope_next, after, dt, rho)
                      + at_tiny(b);
        }
        total += sum;
        size += sizes;
        lost += errors;
    }
    *change += total;
    *error += (lost + at_counts(b, AT_TERM_SUM) * at_gamma(2 * n + 4) * size) * SLACK;
}

void at_bound_inner(double *change, double *error, const at_energy_bound *b, const double *M,
                    const double *D, const double *m, const double *a, size_t n, size_t d)
{
    double total = 0, lost = 0;
    double gamma = at_counts(b, AT_TERM_QUADRATIC) * at_gamma(d + n + 4);

    for (size_t i = 0; i < n; i++) {
        double long_M = at_norm_above(M + i * d, NULL, d), long_D = at_norm_above(D + i * d, NULL, d);
        double sum = 0;
        for (size_t k = 0; k < d; k++)
            sum += M[i * d + k] * D[i * d + k];
        total += sum;
        lost += m[i] * (long_D + a[i]) + long_M * a[i] + gamma * long_M * long_D + at_tiny(b);
    }
    *change += total;
    *error += lost * SLACK;
}

/* M = G + ½(I + S)Δ, G = Y(I + S) − B. */
static void add_ffn(double *change, double *error, at_energy_bound *b, const double *next,
                    const double *Y, size_t n, const at_energy_model *model)
{
    size_t d = model->d;
    double counts = at_counts(b, AT_TERM_QUADRATIC), gamma = counts * at_gamma(d + 6);
    double whole = 1 + b->frobenius_S, bias = model->B != NULL ? at_norm_above(model->B, NULL, d) : 0;
    double *m = b->gradient, *a = b->gradient_error;

    for (size_t k = 0; k < n * d; k++) {
        b->D[k] = next[k] - Y[k];
        b->P[k] = Y[k] + 0.5 * b->D[k];
        b->M[k] = b->P[k] - (model->B != NULL ? model->B[k % d] : 0);
    }
    if (model->S != NULL)
        at_energy_product(b->M, b->P, model->S, n, d, d, 1, b->work->threads);
    for (size_t i = 0; i < n; i++) {
        double row = at_norm_above(Y + i * d, NULL, d), moved = at_norm_above(b->D + i * d, NULL, d);
        a[i] = b->rows[i] + counts * 1.01 * AT_UNIT * moved;
        m[i] = (0.5 * a[i] * whole + gamma * ((row + moved) * whole + bias)) * SLACK
               + at_tiny(b) * whole;
    }
    at_bound_inner(change, error, b, b->M, b->D, m, a, n, d);
}

/* pin/2 ‖(Y − X)W‖²: M = (Y − X + ½Δ)W against ΔW. */
static void add_pin(double *change, double *error, at_energy_bound *b, const double *next,
                    const double *Y, const double *X, double pin, size_t n,
                    const at_energy_model *model)
{
    size_t d = model->d;
    double counts = at_counts(b, AT_TERM_QUADRATIC), gamma = counts * at_gamma(d + 6);
    double F = b->frobenius[0], part = 0, lost = 0;
    double *m = b->gradient, *a = b->gradient_error, *D = b->D, *M = b->M;

    for (size_t k = 0; k < n * d; k++) {
        D[k] = next[k] - Y[k];
        M[k] = Y[k] - (X != NULL ? X[k] : 0) + 0.5 * D[k];
    }
    for (size_t i = 0; i < n; i++) {
        double moved = at_norm_above(D + i * d, NULL, d);
        double row = at_norm_above(Y + i * d, X != NULL ? X + i * d : NULL, d);
        double off = b->rows[i] + counts * 1.01 * AT_UNIT * moved;
        a[i] = (off + gamma * (moved + off)) * F * SLACK + at_tiny(b) * (1 + F);
        m[i] = (0.5 * off + gamma * (row + moved + off)) * F * SLACK + at_tiny(b) * (1 + F);
    }
    if (model->W != NULL) {
        at_energy_product(b->P, M, model->W, n, d, d, 0, b->work->threads);
        at_energy_product(M, D, model->W, n, d, d, 0, b->work->threads);
        M = b->P;
        D = b->M;
    }
    at_bound_inner(&part, &lost, b, M, D, m, a, n, d);
    *change += pin * part;
    *error += fabs(pin) * (lost + 2 * AT_UNIT * fabs(part)) * SLACK + at_tiny(b);
}

void at_energy_bound_change(double *change, double *error, at_energy_bound *b, const double *next,
                            const double *Y, const double *X, size_t n,
                            const at_energy_model *model, at_energy_work *work)
{
    size_t d = model->d, pairs = n * n;
    double parts[AT_ENERGY_HEADS + 2] = { 0 }, lost = 0, size = 0;

    *change = 0;
    *error = INFINITY;
    if (!b->usable)
        return;
    for (size_t h = 0; h < model->heads; h++) {
        double gamma = at_counts(b, AT_TERM_VALUES) * at_gamma(d + 4) * b->frobenius[h] * SLACK;
        for (size_t i = 0; i < n; i++) {
            double off = at_counts(b, AT_TERM_ROWS) * b->rows[i] * b->frobenius[h];
            b->values_next[i] = off * SLACK;
            if (model->W != NULL)
                b->values_next[i] += gamma * at_norm_above(next + i * d, next, d)
                                     + at_tiny(b) * (1 + b->frobenius[h]);
        }
        add_pairs(&parts[h], &lost, b, b->z + h * pairs, work->z + h * pairs, b->values + h * n,
                  b->values_next, n, model);
    }
    if (at_energy_has_ffn(model->step))
        add_ffn(&parts[AT_ENERGY_HEADS], &lost, b, next, Y, n, model);
    if (model->step == AT_STEP_RELEASED)
        add_pin(&parts[AT_ENERGY_HEADS + 1], &lost, b, next, Y, NULL, 1, n, model);
    else if (model->step == AT_STEP_JACOBI || model->step == AT_STEP_RESIDUAL_INPUT)
        add_pin(&parts[AT_ENERGY_HEADS + 1], &lost, b, next, Y,
                model->step == AT_STEP_JACOBI ? NULL : X, model->lambda, n, model);
    for (size_t h = 0; h < AT_ENERGY_HEADS + 2; h++) {
        *change += parts[h];
        size += fabs(parts[h]);
    }
    lost = (lost + at_counts(b, AT_TERM_SUM) * at_gamma(AT_ENERGY_HEADS + 4) * size) * SLACK + at_tiny(b);
    *error = isfinite(*change) && isfinite(lost) ? lost : INFINITY;
}
