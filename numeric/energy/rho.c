/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions ρ in double: see rho.h. */
#include "attest/numeric/energy/rho.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int at_rho_parse(at_rho *rho, const char *text, at_error *err)
{
    *rho = (at_rho) { .id = at_rho_find(text) };
    if (rho->id >= 0)
        return AT_OK;
    if (at_formula_parse(&rho->formula, text, err) == AT_OK)
        return AT_OK;
    at_error_prefix(err, "rho is one of exp, log, sqrt, ratio, or a formula in z; ");
    return AT_USAGE;
}

void at_rho_clear(at_rho *rho)
{
    at_formula_clear(&rho->formula);
}

const char *at_rho_text(const at_rho *rho)
{
    return rho->id >= 0 ? at_rhos[rho->id].name : rho->formula.source;
}

at_jet at_rho_jet(const at_rho *rho, double z)
{
    double e, s;

    switch (rho->id) {
    case AT_RHO_EXP:
        e = exp(-z);
        return (at_jet) { -e, e, -e };
    case AT_RHO_LOG:
        s = 1 / (2 + z);
        return (at_jet) { log(2 + z), s, -s * s };
    case AT_RHO_SQRT:
        s = sqrt(1 + z);
        return (at_jet) { s, 0.5 / s, -0.25 / (s * (1 + z)) };
    case AT_RHO_RATIO:
        s = 1 / (1 + z);
        return (at_jet) { z * s, s * s, -2 * s * s * s };
    default:
        return at_formula_eval(&rho->formula, z);
    }
}

typedef struct { double sum, lost; } compensated;

/* Neumaier's variant of Kahan's sum: the lost low parts are kept beside. */
static inline void add(compensated *s, double x)
{
    double t = s->sum + x;

    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
    s->sum = t;
}

double at_rho_apply(double *weight, const double *z, size_t count, const at_rho *rho)
{
    compensated s = { 0, 0 };

    if (rho->id == AT_RHO_EXP) {
        for (size_t k = 0; k < count; k++)
            add(&s, -(weight[k] = exp(-z[k])));
    } else if (rho->id == AT_RHO_LOG) {
        for (size_t k = 0; k < count; k++) {
            add(&s, log(2 + z[k]));
            weight[k] = 1 / (2 + z[k]);
        }
    } else {
        for (size_t k = 0; k < count; k++) {
            at_jet jet = at_rho_jet(rho, z[k]);
            add(&s, jet.value);
            weight[k] = jet.first;
        }
    }
    return s.sum + s.lost;
}

/* The 4-point central difference, where z − 2h is still in the domain. */
static double difference(const at_rho *rho, double z, double h)
{
    double near = at_rho_jet(rho, z + h).value - at_rho_jet(rho, z - h).value;
    double far = at_rho_jet(rho, z + 2 * h).value - at_rho_jet(rho, z - 2 * h).value;

    return (8 * near - far) / (12 * h);
}

int at_rho_check(const at_rho *rho, double highest, at_error *err)
{
    enum { POINTS = 500 };
    /* Sure falls only: what rounding makes of a slope that vanishes is left to the enclosures. */
    const double noise0 = 1e-12 * fabs(at_rho_jet(rho, 0).first);

    for (int k = 0; k < 2 * POINTS; k++) {
        double t = (double) (k % POINTS) / (POINTS - 1);
        double z = k < POINTS ? t * highest : highest * pow(1e-8, 1 - t);
        at_jet jet = at_rho_jet(rho, z);
        if (!isfinite(jet.value) || !isfinite(jet.first) || !isfinite(jet.second))
            return at_error_set(err, AT_USAGE,
                                "rho '%s' or a derivative is not finite at z = %.6g; "
                                "it must be defined on [0, %.6g]",
                                at_rho_text(rho), z, highest);
        if (!(jet.first >= -noise0))
            return at_error_set(err, AT_USAGE,
                                "rho '%s' falls at z = %.6g (derivative %.6g); the "
                                "theory needs a non-decreasing rho",
                                at_rho_text(rho), z, jet.first);
        if (!(jet.second <= 1e-12 * fabs(jet.first)))
            return at_error_set(err, AT_USAGE,
                                "rho '%s' is not concave at z = %.6g (second derivative "
                                "%.6g); the theory needs a concave rho",
                                at_rho_text(rho), z, jet.second);
        if (k == 0 && !(jet.first > 0))   /* concave: nor does it grow later */
            return at_error_set(err, AT_USAGE, "rho '%s' does not grow: its derivative at 0 is 0, so "
                                "the attention has no weights", at_rho_text(rho));
        double h = 1e-3 * (1e-3 + z);
        if (z < 2 * h)
            continue;
        double slope = difference(rho, z, h), noise = 1e-15 * fabs(jet.value) / h;
        if (!(fabs(slope - jet.first) <= 1e-6 * (fabs(jet.first) + 1e-12) + 10 * noise))
            return at_error_set(err, AT_USAGE,
                                "rho '%s': derivative %.12g at z = %.6g, by differences "
                                "%.12g",
                                at_rho_text(rho), jet.first, z, slope);
    }
    return AT_OK;
}
