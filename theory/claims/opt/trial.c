/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random instances of the descent theorems, each decided by a certificate. */
#include "attest/theory/claims/opt/opt.h"

#include <math.h>
#include "attest/theory/energy/energy.h"

enum { MOST_ROWS = 5, MOST_COLUMNS = 3, MOST_HEADS = 2 };

typedef struct {
    at_energy_layer layer;
    double Y[MOST_ROWS * MOST_COLUMNS], X[MOST_ROWS * MOST_COLUMNS];
    double weights[MOST_HEADS * MOST_COLUMNS * MOST_COLUMNS];
    double ffn[MOST_COLUMNS * MOST_COLUMNS], bias[MOST_ROWS * MOST_COLUMNS];
    double theta[MOST_ROWS];
} trial_layer;

static double random_double(at_claim_run *run)
{
    long p, q;
    at_claim_random_rational(&p, &q, run);
    return (double) p / (double) q;
}

static void fill(double *x, size_t count, at_claim_run *run)
{
    for (size_t k = 0; k < count; k++)
        x[k] = random_double(run);
}

static double square_norm(const double *x, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += x[k] * x[k];
    return sum;
}

/* A little below, so that rounding cannot lift a step size over its bound. */
static double just_below(double x)
{
    return x * (1 - 1e-9);
}

/* θ_i = past·2/(Σ_h d_i‖W_h‖² + 1 + λ_max(S)), with d_i ≤ n ρ'(0), ρ'(0) ≤ 1, and Frobenius norms
 * for the spectral ones. */
static void set_theta(trial_layer *t, double past, bool ffn)
{
    size_t n = t->layer.n, d = t->layer.d;
    double curvature = ffn ? 1 + sqrt(square_norm(t->ffn, d * d)) : 0;
    if (t->layer.weights == NULL)
        curvature += (double) n;
    else
        curvature += (double) n * square_norm(t->weights, t->layer.heads * d * t->layer.width);
    for (size_t i = 0; i < n; i++)
        t->theta[i] = curvature > 0 ? past * just_below(2 / curvature) : 1;
}

static void random_layer(trial_layer *t, at_claim_run *run, const at_opt_trial *trial)
{
    at_energy_layer *l = &t->layer;
    enum at_step_id step = trial->step;
    uint64_t r = at_claim_random(run);
    bool many = step == AT_STEP_MULTI_HEAD || step == AT_STEP_PARALLEL;
    memset(t, 0, sizeof *t);
    l->step = step;
    l->n = 1 + r % MOST_ROWS;
    l->d = 1 + (r >> 8) % MOST_COLUMNS;
    l->width = 1 + (r >> 16) % MOST_COLUMNS;
    l->heads = many ? 1 + (r >> 24) % MOST_HEADS : 1;
    /* ρ' of all four is completely monotone, so W ⪰ 0 where a theorem asks for it */
    l->rho = step == AT_STEP_SPHERE ? AT_RHO_EXP : (int) ((r >> 32) % AT_RHO_COUNT);
    fill(t->Y, l->n * l->d, run);
    fill(t->X, l->n * l->d, run);
    fill(t->weights, l->heads * l->d * l->width, run);
    fill(t->ffn, l->d * l->d, run);
    fill(t->bias, l->n * l->d, run);
    for (size_t k = 0; step == AT_STEP_NO_SELF && k < l->d * l->width; k++)
        t->weights[k] = fmod(t->weights[k], 2);
    if (step != AT_STEP_SPHERE && (r >> 40) % 3 > 0)
        l->weights = t->weights;
    for (size_t k = 0; k < l->n * l->d; k++) {
        if (trial->relu && !trial->signed_rows)
            t->Y[k] = fabs(t->Y[k]);
        if (step == AT_STEP_SPHERE && k % l->d == 0 && t->Y[k] == 0)
            t->Y[k] = 1;    /* no zero rows: they have no direction */
    }
    /* far from all others two rows only change places, but for e^{−1e13}: keep them near */
    for (size_t k = 0; step == AT_STEP_NO_SELF && k < l->n * l->d; k++)
        t->Y[k] = fmod(t->Y[k], 8);
    if ((r >> 44) % 4 == 0)
        memcpy(t->Y, t->Y + (l->n - 1) * l->d, l->d * sizeof *t->Y);   /* equal rows */
    if ((r >> 48) % 4 == 0)
        memcpy(t->X, t->Y, sizeof t->X);
    l->ffn = t->ffn;
    l->bias = t->bias;
    l->bias_rows = (r >> 52) % 2 ? 1 : l->n;
    l->input = t->X;
    l->theta = t->theta;
    l->relu = trial->relu;
    l->lambda = (double) (1 + (r >> 54) % 8) / 4;
    l->alpha = trial->past * (double) ((r >> 57) % 9) / 4;     /* 0, 1/4, …, 2 */
    if (step == AT_STEP_VALUE_MATRIX) {
        double norm = l->weights != NULL ? square_norm(t->weights, l->d * l->width) : 1;
        l->alpha = norm > 0 ? trial->past * just_below(2 / norm) : 1;
    }
    if (many)
        set_theta(t, trial->past, step == AT_STEP_PARALLEL);
}

enum at_truth at_opt_try(size_t tally[4], at_claim_run *run, const at_opt_trial *trial,
                         size_t count)
{
    enum { DESCENDING, TIED, RISING, UNDECIDED };
    memset(tally, 0, 4 * sizeof *tally);
    for (size_t k = 0; k < count && at_claim_another(run, k); k++) {
        trial_layer t;
        at_energy_certificate certificate;
        random_layer(&t, run, trial);
        if (at_energy_certify_step(&certificate, &t.layer, AT_HALF_WHOLE, t.Y, 0, NULL) != AT_OK) {
            tally[UNDECIDED]++;
            continue;
        }
        switch (certificate.outcome) {
        case AT_STEP_DESCENDS: tally[DESCENDING]++; break;
        case AT_STEP_TIES: tally[TIED]++; break;
        case AT_STEP_RISES: tally[RISING]++; break;
        case AT_STEP_UNDECIDED: tally[UNDECIDED]++; break;
        }
    }
    return tally[RISING] > 0 ? AT_FALSE : tally[UNDECIDED] > 0 || count == 0 ? AT_UNKNOWN : AT_TRUE;
}

void at_opt_support(at_claim_run *run, const at_opt_trial *trial)
{
    size_t tally[4];
    enum at_truth truth = at_opt_try(tally, run, trial, at_claim_instances(run));
    at_claim_support(run, "random instances, each decided by a certificate", AT_METHOD_BALL, truth,
                     "step %s: %zu descend, %zu tie, %zu rise, %zu undecided",
                     at_steps[trial->step].name, tally[0], tally[1], tally[2], tally[3]);
}
