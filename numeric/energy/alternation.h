/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternating gradient steps on two quadratic energies, as in [Y]'s second and third figure:
 *
 *   f(Y) = ‖YW_1‖² + ‖Y − B_1‖²,  g(Y) = ‖W_2Y‖² + ‖Y − B_2‖²,  h = f + g,  Y ∈ R^{n×d}. */
#ifndef ATTEST_NUMERIC_ENERGY_ALTERNATION_H
#define ATTEST_NUMERIC_ENERGY_ALTERNATION_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t n, d;
    double *W1, *W2;          /* d×d, n×n */
    double *P, *Q;            /* W_2^T W_2 (n×n), W_1W_1^T (d×d), rounded, and taken exactly from here on */
    double *B1, *B2;          /* n×d */
    double *Yf, *Yh;          /* the minimisers of f and of h */
    double L_f, L_g, L_h, c_h;   /* upper bounds of the largest curvature of f, g, h; the least of h, nearly */
} at_alternation;

/* W_1, W_2 0.1·N(0,1), B_1, B_2 uniform on [0,1); constants and minimisers from eigenvalues and
 * eigenvectors of P and Q (GSL). */
int at_alternation_init(at_alternation *a, size_t n, size_t d, const gsl_rng *random,
                        at_error *err) AT_MUST_CHECK;
void at_alternation_clear(at_alternation *a);

/* f(Y) and g(Y), and their gradients in F and G (n×d each, may be NULL).  scratch: n×d. */
void at_alternation_energy(double *f, double *g, double *F, double *G, const double *Y,
                           const at_alternation *a, double *scratch);

/* What is recorded after each half-step, at the double Y, with bounds of all rounding. */
typedef struct {
    double f, g;              /* h = f + g */
    double grad_f, grad_h;    /* ‖∇f‖, ‖∇h‖ */
    double to_f, to_h;        /* ‖Y − Y_f‖, ‖Y − Y_h‖ */
    double error;             /* |h(Y) − (f + g)| ≤ error */
    double grad_error;        /* the same of grad_f and of grad_h */
    double drift;             /* ‖Y − R‖ ≤ drift, R: the half-step in exact arithmetic from the Y before */
} at_alternation_record;

/* `steps` half-steps of size rate from Y (n×d, overwritten), f first.  record: steps entries;
 * path: steps × n × d, every Y (NULL: not kept). */
int at_alternation_run(at_alternation_record *record, double *path, double *Y, size_t steps,
                       double rate, const at_alternation *a, at_error *err) AT_MUST_CHECK;

/* Whether the last `half_steps`, 1 or 2, before the record, in exact arithmetic from the double Y before
 * them, raise h: 1 they do, −1 they lower it, 0 rounding hides which.  The record of t = 0 has none before. */
int at_alternation_change(const at_alternation_record *record, int half_steps, double rate,
                          const at_alternation *a);

/* Whether opt.cycle says that the two half-steps that begin at the record's point descend:
 * rate ≤ 1/L_h and ‖∇h‖² ≥ (rate L_g)²‖∇f‖²; true only where that is sure in spite of all rounding. */
int at_alternation_guaranteed(const at_alternation_record *record, double rate,
                              const at_alternation *a);

#ifdef __cplusplus
}
#endif

#endif
