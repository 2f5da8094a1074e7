/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sources of the bound share, and the terms that a test may leave out. */
#ifndef ATTEST_NUMERIC_ENERGY_BOUND_TERMS_H
#define ATTEST_NUMERIC_ENERGY_BOUND_TERMS_H

#include "attest/numeric/energy/bound.h"

enum at_bound_term {
    AT_TERM_DISTANCE = 1,        /* γ_{d+8} of each half squared distance */
    AT_TERM_VALUES = 2,          /* γ_{d+4} of V = (Y − 1y_1^T)W */
    AT_TERM_WEIGHTS = 4,         /* w_ij: the argument's error and the function's own */
    AT_TERM_DEGREES = 8,         /* the sums d_i */
    AT_TERM_PRODUCT = 16,        /* WY, and with it AY */
    AT_TERM_GRADIENT = 32,       /* products with M M^T and S, sums of gradients */
    AT_TERM_STEP = 64,           /* the last operations of a step: quotient, step size, sum */
    AT_TERM_SCORES = 128,        /* the released layer's scores and softmax */
    AT_TERM_FFN = 256,           /* B − YS */
    AT_TERM_ROWS = 512,          /* |E(Y') − E(fl Y')| */
    AT_TERM_PAIR = 1024,         /* ρ(z') − ρ(z) of doubles z, z' */
    AT_TERM_SUM = 2048,          /* the sum over pairs and rows */
    AT_TERM_QUADRATIC = 4096,    /* products and sums of the regulariser's and FFN's change */
    AT_TERM_UNDERFLOW = 8192,
    AT_TERM_ALL = 16383
};

struct at_energy_bound {
    unsigned terms;          /* of enum at_bound_term: all, but in tests */
    at_energy_work *work;
    bool usable;             /* of the step at hand */
    double frobenius[AT_ENERGY_HEADS], frobenius_S;   /* upper bounds; 1 without W, 0 without S */
    double *z;               /* heads × n × n: the distances of Y */
    double *z_next;          /* the same of next; work->z until they are swapped */
    double *values;          /* heads × n: of V's rows, as computed from Y */
    double *values_next;     /* n */
    double *rows;            /* n: |Y' − next| */
    double *norm, *weight_error, *pulled_error, *pulled, *gradient, *gradient_error;   /* n each */
    double *D, *M, *P;       /* n × d */
};

/* Unit roundoff, and what covers every underflow of one quantity. */
#define AT_UNIT 0x1p-53
#define AT_TINY 0x1p-1040

/* γ_k = ku/(1 − ku): the relative error of k roundings, in any order. */
static inline double at_gamma(size_t k)
{
    double t = (double) k * AT_UNIT;
    return t / (1 - t) * (1 + 0x1p-50);
}

/* 1 or 0: whether the term counts. */
static inline double at_counts(const at_energy_bound *b, enum at_bound_term term)
{
    return (b->terms & term) != 0 ? 1 : 0;
}

/* What covers every underflow of one quantity, where it counts. */
static inline double at_tiny(const at_energy_bound *b)
{
    return at_counts(b, AT_TERM_UNDERFLOW) * AT_TINY;
}

/* An upper bound of ‖x − from‖ (from NULL: 0), free of underflow; infinite or NaN on overflow. */
double at_norm_above(const double *x, const double *from, size_t count);

/* ρ'(z) for a ρ of the table. */
double at_rho_slope(double z, int rho);

/* |log ρ'(z) − log ρ'(fl z)| ≤ this · |z − fl z|. */
double at_rho_bend(int rho);

/* |z − fl z| for a pair whose values are off by `off` in all: (√(2z) + off)² − 2z, halved, and γ. */
double at_distance_error(const at_energy_bound *b, double z, double off, double gamma);

/* change += Σ_i⟨M_i, D_i⟩ and its error, for rows M, D off by at most m[i], a[i]. */
void at_bound_inner(double *change, double *error, const at_energy_bound *b, const double *M,
                    const double *D, const double *m, const double *a, size_t n, size_t d);

#endif
