/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loss and gradient of the classifier of released energy layers: see energy_train.h. */
#include "attest/numeric/energy/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/kernels/blas.h"

struct at_energy_train_work {
    size_t longest;
    double *Y;       /* (layers + 1) × n × d */
    double *A;       /* layers × n × n */
    double *P;       /* layers × n × d: A_t Y_t */
    double *Q, *G, *U, *R;   /* n × d */
    double *E;       /* n × n */
    double *M, *dM;  /* d × d */
};

size_t at_energy_parameters(const at_energy_classifier *c)
{
    return 2 * c->d * c->d + c->d + 2 * (c->d + 1);
}

int at_energy_train_work_alloc(at_energy_train_work **work, const at_energy_classifier *c,
                               size_t longest, at_error *err)
{
    size_t n = longest > 0 ? longest : 1, rows = n * c->d;
    at_energy_train_work *w = calloc(1, sizeof *w);

    *work = w;
    if (w == NULL)
        return at_error_memory(err, "a training workspace");
    w->longest = n;
    w->Y = malloc((c->layers + 1) * rows * sizeof(double));
    w->A = malloc((c->layers * n * n + 1) * sizeof(double));
    w->P = malloc((c->layers * rows + 1) * sizeof(double));
    w->Q = malloc(rows * sizeof(double));
    w->G = malloc(rows * sizeof(double));
    w->U = malloc(rows * sizeof(double));
    w->R = malloc(rows * sizeof(double));
    w->E = malloc(n * n * sizeof(double));
    w->M = malloc(c->d * c->d * sizeof(double));
    w->dM = malloc(c->d * c->d * sizeof(double));
    if (w->Y != NULL && w->A != NULL && w->P != NULL && w->Q != NULL && w->G != NULL && w->U != NULL
        && w->R != NULL && w->E != NULL && w->M != NULL && w->dM != NULL)
        return AT_OK;
    at_energy_train_work_free(w);
    *work = NULL;
    return at_error_memory(err, "a training workspace");
}

void at_energy_train_work_free(at_energy_train_work *work)
{
    if (work == NULL)
        return;
    free(work->Y);
    free(work->A);
    free(work->P);
    free(work->Q);
    free(work->G);
    free(work->U);
    free(work->R);
    free(work->E);
    free(work->M);
    free(work->dM);
    free(work);
}

/* C (m×n) = alpha op(A) op(B) + beta C with k terms, all dense. */
static void product(double *C, const double *A, const double *B, size_t m, size_t n, size_t k,
                    int transpose_a, int transpose_b, double alpha, double beta)
{
    at_blas_gemm(transpose_a, transpose_b, m, n, k, alpha, A, transpose_a ? m : k, B, transpose_b ? k : n, beta,
                 C, n);
}

static void softmax_rows(double *A, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *a = A + i * n, top = a[0], sum = 0;
        for (size_t j = 1; j < n; j++)
            top = a[j] > top ? a[j] : top;
        for (size_t j = 0; j < n; j++)
            sum += a[j] = exp(a[j] - top);
        for (size_t j = 0; j < n; j++)
            a[j] /= sum;
    }
}

/* M = −sym(W_f), then all Y_t, A_t, P_t. */
static void forward(const double *parameters, const double *Y, size_t n,
                    const at_energy_classifier *c, at_energy_train_work *w)
{
    size_t d = c->d;
    const double *W = parameters, *Wf = W + d * d, *B = Wf + d * d;

    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            w->M[i * d + j] = -0.5 * (Wf[i * d + j] + Wf[j * d + i]);
    memcpy(w->Y, Y, n * d * sizeof *Y);
    for (size_t t = 0; t < c->layers; t++) {
        double *now = w->Y + t * n * d, *next = now + n * d, *A = w->A + t * n * n,
               *P = w->P + t * n * d;
        product(w->Q, now, W, n, d, d, 0, 1, 1, 0);
        product(A, w->Q, w->Q, n, n, d, 0, 1, 1, 0);
        softmax_rows(A, n);
        product(P, A, now, n, d, n, 0, 0, 1, 0);
        product(next, P, w->M, n, d, d, 0, 0, 1, 0);
        for (size_t k = 0; k < n * d; k++) {
            next[k] += B[k % d];
            if (c->relu && next[k] < 0)
                next[k] = 0;
        }
    }
}

/* G = dL/dY_{t+1} in, dL/dY_t out; the parameters' gradients grow. */
static void backward_layer(double *gradient, const double *W, size_t t, size_t n,
                           const at_energy_classifier *c, at_energy_train_work *w)
{
    size_t d = c->d;
    const double *now = w->Y + t * n * d, *next = now + n * d, *A = w->A + t * n * n;
    double *dW = gradient, *dB = gradient + 2 * d * d, *G = w->G;

    for (size_t k = 0; k < n * d; k++) {
        if (c->relu && next[k] <= 0)
            G[k] = 0;
        dB[k % d] += G[k];
    }
    product(w->dM, w->P + t * n * d, G, d, d, n, 1, 0, 1, 1);
    product(w->U, G, w->M, n, d, d, 0, 1, 1, 0);           /* dP */
    product(w->E, w->U, now, n, n, d, 0, 1, 1, 0);         /* dA */
    product(G, A, w->U, n, d, n, 1, 0, 1, 0);              /* A^T dP */
    for (size_t i = 0; i < n; i++) {
        double dot = at_blas_dot(n, A + i * n, 1, w->E + i * n, 1);
        for (size_t j = 0; j < n; j++)
            w->E[i * n + j] = A[i * n + j] * (w->E[i * n + j] - dot);
    }
    product(w->Q, now, W, n, d, d, 0, 1, 1, 0);            /* the scores are QQ^T */
    product(w->R, w->E, w->Q, n, d, n, 0, 0, 1, 0);
    product(w->R, w->E, w->Q, n, d, n, 1, 0, 1, 1);        /* dQ = (dS + dS^T)Q */
    product(dW, w->R, now, d, d, n, 1, 0, 1, 1);
    product(G, w->R, W, n, d, d, 0, 0, 1, 1);
}

double at_energy_loss(double *gradient, double *probability, const double *parameters,
                      const double *Y, size_t n, int label, const at_energy_classifier *c,
                      at_energy_train_work *w)
{
    size_t d = c->d;
    const double *linear = parameters + 2 * d * d + d, *last;
    double logit[2], p[2];

    forward(parameters, Y, n, c, w);
    last = w->Y + c->layers * n * d;
    double *mean = w->U;
    memset(mean, 0, d * sizeof *mean);
    for (size_t k = 0; k < n * d; k++)
        mean[k % d] += last[k] / (double) n;
    for (size_t r = 0; r < 2; r++)
        logit[r] = at_blas_dot(d, linear + r * (d + 1), 1, mean, 1) + linear[r * (d + 1) + d];
    double top = fmax(logit[0], logit[1]), z = exp(logit[0] - top) + exp(logit[1] - top);
    for (size_t r = 0; r < 2; r++)
        p[r] = exp(logit[r] - top) / z;
    if (probability != NULL)
        memcpy(probability, p, sizeof p);
    double loss = log(z) - (logit[label] - top);
    if (gradient == NULL)
        return loss;

    memset(gradient, 0, at_energy_parameters(c) * sizeof *gradient);
    memset(w->dM, 0, d * d * sizeof *w->dM);
    memset(w->G, 0, n * d * sizeof *w->G);
    for (size_t r = 0; r < 2; r++) {
        double delta = p[r] - (label == (int) r), *row = gradient + 2 * d * d + d + r * (d + 1);
        for (size_t k = 0; k < d; k++) {
            row[k] = delta * mean[k];
            for (size_t i = 0; i < n; i++)
                w->G[i * d + k] += delta * linear[r * (d + 1) + k] / (double) n;
        }
        row[d] = delta;
    }
    for (size_t t = c->layers; t-- > 0;)
        backward_layer(gradient, parameters, t, n, c, w);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            gradient[d * d + i * d + j] = -0.5 * (w->dM[i * d + j] + w->dM[j * d + i]);
    return loss;
}
