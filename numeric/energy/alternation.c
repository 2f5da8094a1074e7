/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternating gradient steps on two quadratic energies: see energy_alternation.h. */
#include "attest/numeric/energy/alternation.h"

#include <float.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/energy/linalg.h"
#include "attest/numeric/kernels/blas.h"

static void product(double *C, const double *A, const double *B, size_t m, size_t n, size_t k,
                    int transpose_a, int transpose_b, double alpha, double beta)
{
    at_blas_gemm(transpose_a, transpose_b, m, n, k, alpha, A, transpose_a ? m : k, B, transpose_b ? k : n, beta,
                 C, n);
}

static int allocate(at_alternation *a, at_error *err)
{
    size_t n = a->n, d = a->d;

    a->W1 = malloc(d * d * sizeof(double));
    a->W2 = malloc(n * n * sizeof(double));
    a->P = malloc(n * n * sizeof(double));
    a->Q = malloc(d * d * sizeof(double));
    a->B1 = malloc(n * d * sizeof(double));
    a->B2 = malloc(n * d * sizeof(double));
    a->Yf = malloc(n * d * sizeof(double));
    a->Yh = malloc(n * d * sizeof(double));
    if (a->W1 == NULL || a->W2 == NULL || a->P == NULL || a->Q == NULL || a->B1 == NULL
        || a->B2 == NULL || a->Yf == NULL || a->Yh == NULL)
        return at_error_memory(err, "the alternation's matrices");
    return AT_OK;
}

/* values and vectors (columns) of the symmetric n×n matrix S. */
static int eigen(double *values, double *vectors, const double *S, size_t n, at_error *err)
{
    gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(n);
    double *copy = malloc(n * n * sizeof *copy);
    int status = AT_OK;

    if (work == NULL || copy == NULL)
        status = at_error_memory(err, "an eigenvalue problem");
    else {
        memcpy(copy, S, n * n * sizeof *S);
        gsl_matrix_view matrix = gsl_matrix_view_array(copy, n, n);
        gsl_matrix_view columns = gsl_matrix_view_array(vectors, n, n);
        gsl_vector_view list = gsl_vector_view_array(values, n);
        if (gsl_eigen_symmv(&matrix.matrix, &list.vector, &columns.matrix, work) != 0)
            status = at_error_set(err, AT_UNEXPECTED, "eigenvalues did not converge");
    }
    if (work != NULL)
        gsl_eigen_symmv_free(work);
    free(copy);
    return status;
}

/* With P = U diag(p) U^T and Q = V diag(q) V^T: f has curvature 2(q_j + 1), g 2(p_i + 1), h their
 * sum in the basis u_i v_j^T, in which the minimisers are quotients. */
static int solve(at_alternation *a, at_error *err)
{
    size_t n = a->n, d = a->d;
    double *p = malloc(n * sizeof *p), *q = malloc(d * sizeof *q), *U = malloc(n * n * sizeof *U),
           *V = malloc(d * d * sizeof *V), *S = malloc(n * d * sizeof *S),
           *T = malloc(n * d * sizeof *T);
    int status = AT_OK;

    if (p == NULL || q == NULL || U == NULL || V == NULL || S == NULL || T == NULL)
        status = at_error_memory(err, "the alternation's minimisers");
    if (status == AT_OK)
        status = eigen(p, U, a->P, n, err);
    if (status == AT_OK)
        status = eigen(q, V, a->Q, d, err);
    if (status == AT_OK) {
        double p_low, p_high, q_low, q_high;
        gsl_vector_view pv = gsl_vector_view_array(p, n), qv = gsl_vector_view_array(q, d);
        gsl_vector_minmax(&pv.vector, &p_low, &p_high);
        gsl_vector_minmax(&qv.vector, &q_low, &q_high);
        status = at_symmetric_top_near(&p_high, p_high, a->P, n, err);
        if (status == AT_OK)
            status = at_symmetric_top_near(&q_high, q_high, a->Q, d, err);
        a->L_f = 2 * (q_high + 1) * (1 + 4 * DBL_EPSILON);
        a->L_g = 2 * (p_high + 1) * (1 + 4 * DBL_EPSILON);
        a->L_h = (a->L_f + a->L_g) * (1 + 4 * DBL_EPSILON);
        a->c_h = 2 * (p_low + 1) + 2 * (q_low + 1);
        /* Y_f (I + Q) = B_1 */
        product(S, a->B1, V, n, d, d, 0, 0, 1, 0);
        for (size_t k = 0; k < n * d; k++)
            S[k] /= q[k % d] + 1;
        product(a->Yf, S, V, n, d, d, 0, 1, 1, 0);
        /* P Y_h + Y_h Q + 2Y_h = B_1 + B_2 */
        for (size_t k = 0; k < n * d; k++)
            T[k] = a->B1[k] + a->B2[k];
        product(S, U, T, n, d, n, 1, 0, 1, 0);
        product(T, S, V, n, d, d, 0, 0, 1, 0);
        for (size_t k = 0; k < n * d; k++)
            T[k] /= p[k / d] + q[k % d] + 2;
        product(S, U, T, n, d, n, 0, 0, 1, 0);
        product(a->Yh, S, V, n, d, d, 0, 1, 1, 0);
    }
    free(p);
    free(q);
    free(U);
    free(V);
    free(S);
    free(T);
    return status;
}

/* The two halves of a product may differ in last bits. */
static void mirror(double *S, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            S[j * n + i] = S[i * n + j];
}

int at_alternation_init(at_alternation *a, size_t n, size_t d, const gsl_rng *random, at_error *err)
{
    *a = (at_alternation) { .n = n, .d = d };
    int status = allocate(a, err);
    if (status == AT_OK) {
        for (size_t k = 0; k < d * d; k++)
            a->W1[k] = gsl_ran_gaussian_ziggurat(random, 0.1);
        for (size_t k = 0; k < n * n; k++)
            a->W2[k] = gsl_ran_gaussian_ziggurat(random, 0.1);
        for (size_t k = 0; k < n * d; k++)
            a->B1[k] = gsl_rng_uniform(random);
        for (size_t k = 0; k < n * d; k++)
            a->B2[k] = gsl_rng_uniform(random);
        product(a->P, a->W2, a->W2, n, n, n, 1, 0, 1, 0);
        product(a->Q, a->W1, a->W1, d, d, d, 0, 1, 1, 0);
        mirror(a->P, n);
        mirror(a->Q, d);
        status = solve(a, err);
    }
    if (status != AT_OK)
        at_alternation_clear(a);
    return status;
}

void at_alternation_clear(at_alternation *a)
{
    free(a->W1);
    free(a->W2);
    free(a->P);
    free(a->Q);
    free(a->B1);
    free(a->B2);
    free(a->Yf);
    free(a->Yh);
    *a = (at_alternation) { 0 };
}

/* ⟨Y, T⟩ + ‖Y − B‖², summed row by row, with the gradient 2T + 2(Y − B). */
static double part(double *gradient, const double *Y, const double *T, const double *B, size_t n, size_t d)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t k = i * d; k < (i + 1) * d; k++) {
            double r = Y[k] - B[k];
            row += Y[k] * T[k] + r * r;
            if (gradient != NULL)
                gradient[k] = 2 * (T[k] + r);
        }
        sum += row;
    }
    return sum;
}

void at_alternation_energy(double *f, double *g, double *F, double *G, const double *Y,
                           const at_alternation *a, double *scratch)
{
    size_t n = a->n, d = a->d;

    product(scratch, Y, a->Q, n, d, d, 0, 0, 1, 0);
    *f = part(F, Y, scratch, a->B1, n, d);
    product(scratch, a->P, Y, n, d, n, 0, 0, 1, 0);
    *g = part(G, Y, scratch, a->B2, n, d);
}

/* γ_k of Higham's error analysis, with the u of any rounding mode, a little more. */
static double gamma_of(double k)
{
    return k * DBL_EPSILON / (1 - k * DBL_EPSILON) * (1 + 8 * DBL_EPSILON);
}

/* Upper bounds of norms. */
typedef struct {
    double P, Q;              /* ‖|P|‖ and ‖|Q|‖, by row sums */
    double B;                 /* the larger of ‖B_1‖ and ‖B_2‖ */
    double more;              /* 1 and what a computed norm of n·d entries may lack */
} bounds;

static double row_sums(const double *S, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, at_blas_asum(n, S + i * n, 1));
    return most * (1 + gamma_of((double) n + 8));
}

static bounds bounds_of(const at_alternation *a)
{
    int size = (int) (a->n * a->d);
    double more = 1 + gamma_of((double) size + 64);

    return (bounds) { row_sums(a->P, a->n), row_sums(a->Q, a->d),
                      more * fmax(at_blas_norm(size, a->B1, 1), at_blas_norm(size, a->B2, 1)), more };
}

/* A product T = PY or YQ is off by γ_n‖|P|‖‖Y‖ or γ_d‖|Q|‖‖Y‖, in any order of summation; ⟨Y, T⟩ and the sums of
 * squares by γ_{n+d+4} of the sums of moduli.  f, g and both gradients are bounded alike, and 8 covers the
 * roundings of the bound; DBL_MIN what underflows. */
static void bound_rounding(at_alternation_record *r, const double *Y, const bounds *b, const at_alternation *a)
{
    double n = (double) a->n, d = (double) a->d, size = b->more * at_blas_norm(a->n * a->d, Y, 1);
    double products = (gamma_of(n) * b->P + gamma_of(d) * b->Q) * size, lines = size + b->B;
    double terms = size * (b->P + b->Q) * size * (1 + gamma_of(n + d)) + 2 * lines * lines * (1 + gamma_of(4));
    double slopes = size * (b->P + b->Q) * (1 + gamma_of(n + d)) + 2 * lines;
    double least = n * d * (n + d) * DBL_MIN;

    r->error = (size * products + gamma_of(n + d + 6) * terms + least) * (1 + gamma_of(8));
    r->grad_error = (2 * products + 2 * gamma_of(4) * slopes + (b->more - 1) * 2 * slopes + least)
                    * (1 + gamma_of(8));
}

static double distance(const double *A, const double *B, size_t size)
{
    double sum = 0;

    for (size_t k = 0; k < size; k++)
        sum += (A[k] - B[k]) * (A[k] - B[k]);
    return sqrt(sum);
}

int at_alternation_run(at_alternation_record *record, double *path, double *Y, size_t steps,
                       double rate, const at_alternation *a, at_error *err)
{
    size_t size = a->n * a->d;
    double *F = malloc(size * sizeof *F), *G = malloc(size * sizeof *G),
           *T = malloc(size * sizeof *T);

    if (F == NULL || G == NULL || T == NULL) {
        free(F);
        free(G);
        free(T);
        return at_error_memory(err, "the alternation's gradients");
    }
    const bounds b = bounds_of(a);
    at_alternation_record before = { 0 };
    at_alternation_energy(&before.f, &before.g, F, G, Y, a, T);
    bound_rounding(&before, Y, &b, a);
    for (size_t t = 0; t < steps; t++) {
        at_alternation_record *r = &record[t];
        const at_alternation_record *from = t > 0 ? r - 1 : &before;
        double moved = rate * b.more * at_blas_norm(size, t % 2 == 0 ? F : G, 1)
                       + b.more * at_blas_norm(size, Y, 1);
        r->drift = (rate * from->grad_error + gamma_of(3) * moved) * (1 + gamma_of(8));
        at_blas_axpy(size, -rate, t % 2 == 0 ? F : G, 1, Y, 1);
        at_alternation_energy(&r->f, &r->g, F, G, Y, a, T);
        r->grad_f = at_blas_norm(size, F, 1);
        memcpy(T, F, size * sizeof *T);
        at_blas_axpy(size, 1, G, 1, T, 1);
        r->grad_h = at_blas_norm(size, T, 1);
        bound_rounding(r, Y, &b, a);
        r->to_f = distance(Y, a->Yf, size);
        r->to_h = distance(Y, a->Yh, size);
        if (path != NULL)
            memcpy(path + t * size, Y, size * sizeof *Y);
    }
    free(F);
    free(G);
    free(T);
    return AT_OK;
}

/* A drift before the last half-step goes through it, and I − rate·∇²g has its eigenvalues between 1 − rate L_g
 * and 1, as g is convex. */
int at_alternation_change(const at_alternation_record *r, int half_steps, double rate, const at_alternation *a)
{
    const at_alternation_record *from = r - half_steps;
    double drift = r->drift;

    if (half_steps == 2)
        drift += fmax(1, rate * fmax(a->L_f, a->L_g) - 1) * r[-1].drift;
    double change = (r->f + r->g) - (from->f + from->g);
    double slack = r->error + from->error + (r->grad_h + r->grad_error + a->L_h * drift) * drift
                   + 4 * DBL_EPSILON * (r->f + r->g + from->f + from->g);

    slack *= 1 + gamma_of(16);
    return change > slack ? 1 : change < -slack ? -1 : 0;
}

int at_alternation_guaranteed(const at_alternation_record *r, double rate, const at_alternation *a)
{
    double grad_h = r->grad_h - r->grad_error, grad_f = r->grad_f + r->grad_error;

    return rate * a->L_h <= 1 - DBL_EPSILON && grad_h >= rate * a->L_g * grad_f * (1 + gamma_of(8));
}
