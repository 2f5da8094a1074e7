/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the suites of the energy layers share: a layer opened and closed, random documents and
 * weights. */
#ifndef ATTEST_TESTS_NUMERIC_ENERGY_LAYER_H
#define ATTEST_TESTS_NUMERIC_ENERGY_LAYER_H

#include "attest/numeric/energy/energy.h"
#include "attest/numeric/optimize/random.h"
#include "tests/at_check.h"

enum { MOST = 12, WIDE = 6, HEADS = 2 };

typedef struct {
    at_rho rho;
    at_energy_model model;
    at_energy_work *work;
} layer;

static inline void open_layer(layer *l, enum at_step_id step, const char *rho, size_t d, size_t heads,
                       const double *W, const double *Wf, const double *B, size_t longest,
                       int threads)
{
    at_error err = AT_ERROR_INIT;
    int status = at_rho_parse(&l->rho, rho, &err);

    if (status == AT_OK)
        status = at_energy_model_init(&l->model, step, &l->rho, d, heads, W, Wf, B, &err);
    if (status == AT_OK)
        status = at_energy_work_alloc(&l->work, &l->model, longest, threads, &err);
    ck_assert_msg(status == AT_OK, "%s", err.text);
}

static inline void close_layer(layer *l)
{
    at_energy_work_free(l->work);
    at_energy_model_clear(&l->model);
    at_rho_clear(&l->rho);
}

/* A document with near-equal and equal tokens among others. */
static inline void random_document(double *Y, size_t n, size_t d, at_test_random *r)
{
    for (size_t k = 0; k < n * d; k++)
        Y[k] = at_test_normal(r);
    for (size_t i = 1; i < n; i++)
        switch (at_test_below(r, 5)) {
        case 0:
            for (size_t k = 0; k < d; k++)
                Y[i * d + k] = Y[(i - 1) * d + k] * (1 + 1e-12 * at_test_normal(r));
            break;
        case 1: memcpy(Y + i * d, Y + (i - 1) * d, d * sizeof *Y); break;
        case 2: Y[i * d] += 1e3; break;
        default: break;
        }
}

static inline void random_weights(double *W, double *Wf, double *B, size_t d, size_t heads,
                           at_test_random *r)
{
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    at_rng_stream(random, at_test_bits(r), AT_STREAM_WEIGHTS, 0, 0);
    ck_assert_int_eq(at_energy_weights_random(W, Wf, B, d, heads, random, NULL), AT_OK);
    gsl_rng_free(random);
    Wf[d - 1] += 0.25;   /* not symmetric */
}

#endif
