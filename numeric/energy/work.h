/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scratch of the energy layers, shared by energy.c and energy_steps.c. */
#ifndef ATTEST_NUMERIC_ENERGY_WORK_H
#define ATTEST_NUMERIC_ENERGY_WORK_H

#include "attest/numeric/energy/energy.h"

struct at_energy_work {
    size_t longest, d, heads;
    int threads;
    double *pair;       /* heads × n × n: w_ij; the diagonal ρ'(0), or 0 for no-self and jacobi */
    double *z;          /* NULL, or heads × n × n of the caller's: z_ij for j ≥ i of the last measure */
    double *degree;     /* heads × n: d_i, the row sums of pair */
    double *V;          /* n × d: YW */
    double *offset;     /* d: the first row of YW */
    double *T, *U;      /* n × d each */
    double *YS; /* n × d: of the last at_energy_measure, where there is a feed-forward part */
    double *scratch;    /* of at_pairs_distances */
    double *scores;     /* n × n, released only, else NULL */
};

/* C (n×m) = A (n×k) · M (k×m), rows spread over threads; beta 0 or 1 keeps C. */
void at_energy_product(double *C, const double *A, const double *M, size_t n, size_t k, size_t m,
                       double beta, int threads);

/* Both halves of a released layer with S, from the YS of at_energy_measure: (AY)S = A(YS) saves a
 * product. */
void at_energy_released_layer(double *next, const double *Y, size_t n, const at_energy_model *model,
                              at_energy_work *work);

#endif
