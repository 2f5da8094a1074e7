/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small dense linear algebra over GSL: see linalg.h. */
#include "attest/numeric/energy/linalg.h"

#include <float.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/kernels/blas.h"

static int no_memory(at_error *err)
{
    return at_error_memory(err, "a matrix");
}

int at_symmetric_range(double *low, double *high, const double *S, size_t n, at_error *err)
{
    gsl_matrix *copy = gsl_matrix_alloc(n, n);
    gsl_vector *values = gsl_vector_alloc(n);
    gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc(n);
    int status = copy != NULL && values != NULL && work != NULL ? AT_OK : no_memory(err);

    if (status == AT_OK) {
        memcpy(copy->data, S, n * n * sizeof *S);
        if (gsl_eigen_symm(copy, values, work) != 0)
            status = at_error_set(err, AT_USAGE, "the eigenvalues of a %zu x %zu matrix did not "
                                  "converge", n, n);
        gsl_vector_minmax(values, low, high);
    }
    gsl_matrix_free(copy);
    gsl_vector_free(values);
    if (work != NULL)
        gsl_eigen_symm_free(work);
    return status;
}

/* γ_k = ku/(1 − ku) of Higham's error analysis, with the u of any rounding mode, a little more. */
static double gamma_of(double k)
{
    return k * DBL_EPSILON / (1 - k * DBL_EPSILON) * (1 + 8 * DBL_EPSILON);
}

/* Cholesky's factorization of the lower triangle of A, in place; false where a pivot is not positive.
 * Plain sums, so that its backward error is what at_symmetric_top takes it to be. */
static bool factorize(double *A, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    return true;
}

/* A = cI − S, S times 2^shift; returns an upper bound of −λ_min(A) for the exact cI − S, should A have a
 * factorization R.  Then R^T R = A + E with |E| ≤ γ_{n+1}|R|^T|R|, whose norm is at most γ_{n+1}‖R‖_F² ≤
 * γ_{n+1}/(1 − γ_{n+1}) tr A; the diagonal was rounded once; n³ DBL_MIN is more than all underflows. */
static double shifted(double *A, double c, const double *S, int shift, size_t n)
{
    double trace = 0, most = 0, size = (double) n, gamma = gamma_of(size + 1);

    for (size_t k = 0; k < n * n; k++)
        A[k] = -ldexp(S[k], shift);
    for (size_t k = 0; k < n; k++) {
        A[k * (n + 1)] += c;
        trace += fabs(A[k * (n + 1)]);
        most = fmax(most, fabs(A[k * (n + 1)]));
    }
    return (gamma / (1 - gamma) * trace + DBL_EPSILON * most) * (1 + gamma_of(size + 8))
           + size * size * size * DBL_MIN;
}

int at_symmetric_top_near(double *top, double guess, const double *S, size_t n, at_error *err)
{
    double *A = malloc(n * n * sizeof *A), c, step, slack = 0, most = 0;
    int shift = 0;
    bool proved = false;

    if (A == NULL)
        return no_memory(err);
    for (size_t k = 0; k < n * n; k++)
        most = fmax(most, fabs(S[k]));
    frexp(most, &shift);    /* entries below 1 leave no room for overflow */
    c = isfinite(guess) ? ldexp(guess, -shift) : (double) n;
    for (step = shifted(A, c, S, -shift, n) + DBL_EPSILON; !proved && step < 4 * (double) n; step *= 2) {
        c += step;
        slack = shifted(A, c, S, -shift, n);
        proved = factorize(A, n);
    }
    free(A);
    *top = most > 0 ? nextafter(ldexp(nextafter(c + slack, INFINITY), shift), INFINITY) : 0;
    if (most > 0 && !(proved && isfinite(*top)))
        return at_error_set(err, AT_USAGE, "the eigenvalues of a %zu x %zu matrix are out of the range of "
                            "doubles", n, n);
    return AT_OK;
}

int at_symmetric_top(double *top, const double *S, size_t n, at_error *err)
{
    double low, high;
    int status = at_symmetric_range(&low, &high, S, n, err);

    return status == AT_OK ? at_symmetric_top_near(top, high, S, n, err) : status;
}

int at_spectral_norm2(double *norm2, const double *M, size_t rows, size_t columns, at_error *err)
{
    double *gram = malloc(columns * columns * sizeof *gram), sum = 0, count = (double) rows * (double) columns;

    if (gram == NULL)
        return no_memory(err);
    at_blas_gemm(true, false, columns, columns, rows, 1, M, columns, M, columns, 0, gram, columns);
    bool zero = true;
    for (size_t k = 0; k < rows * columns; k++)
        zero = zero && M[k] == 0;
    if (zero) {
        free(gram);
        *norm2 = 0;
        return AT_OK;
    }
    /* A product of its own for each half may differ in last bits. */
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < i; j++)
            gram[j * columns + i] = gram[i * columns + j];
    for (size_t k = 0; k < rows * columns; k++)
        sum += M[k] * M[k];
    int status = at_symmetric_top(norm2, gram, columns, err);
    /* |gram − M^T M| ≤ γ_rows |M|^T|M|, of norm at most γ_rows ‖M‖_F² */
    *norm2 = (*norm2 + gamma_of((double) rows + 1) * sum * (1 + gamma_of(count + 8)) + count * DBL_MIN)
             * (1 + 4 * DBL_EPSILON);
    free(gram);
    return status;
}

int at_clamp_symmetric(double *S, size_t n, double low, double high, at_error *err)
{
    gsl_matrix *copy = gsl_matrix_alloc(n, n), *vectors = gsl_matrix_alloc(n, n);
    gsl_vector *values = gsl_vector_alloc(n);
    gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(n);
    int status = copy != NULL && vectors != NULL && values != NULL && work != NULL
                     ? AT_OK : no_memory(err);

    if (status == AT_OK) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                gsl_matrix_set(copy, i, j, 0.5 * (S[i * n + j] + S[j * n + i]));
        if (gsl_eigen_symmv(copy, values, vectors, work) != 0)
            status = at_error_set(err, AT_USAGE, "the eigenvalues of a %zu x %zu matrix did not "
                                  "converge", n, n);
        for (size_t k = 0; k < n; k++) {
            double value = fmin(high, fmax(low, gsl_vector_get(values, k)));
            gsl_vector_view column = gsl_matrix_column(vectors, k);
            gsl_vector_scale(&column.vector, sqrt(value - low));
        }
        at_blas_gemm(false, true, n, n, n, 1, vectors->data, vectors->tda, vectors->data, vectors->tda, 0, S, n);
        for (size_t i = 0; i < n; i++) {
            S[i * n + i] += low;
            for (size_t j = 0; j < i; j++)   /* the two halves of a product may differ by a bit */
                S[i * n + j] = S[j * n + i];
        }
    }
    gsl_matrix_free(copy);
    gsl_matrix_free(vectors);
    gsl_vector_free(values);
    if (work != NULL)
        gsl_eigen_symmv_free(work);
    return status;
}

int at_clamp_square(double *M, size_t n, double low, double high, at_error *err)
{
    double *square = malloc(n * n * sizeof *square);

    if (square == NULL)
        return no_memory(err);
    at_blas_gemm(false, true, n, n, n, 1, M, n, M, n, 0, square, n);
    memcpy(M, square, n * n * sizeof *M);
    free(square);
    return at_clamp_symmetric(M, n, low, high, err);
}

/* Both singular directions of the centred points X (count×dimension): from the SVD of X, or, where
 * a point has many more entries than there are points, of XX^T, whose singular values are their
 * squares; two leading directions lose nothing by that. */
static int directions_of(double *axes, const gsl_matrix *X, at_error *err)
{
    size_t count = X->size1, dimension = X->size2;
    int small = dimension > count;
    size_t rows = count, columns = small ? count : dimension;
    gsl_matrix *A = gsl_matrix_alloc(rows, columns), *V = gsl_matrix_alloc(columns, columns);
    gsl_vector *s = gsl_vector_alloc(columns), *work = gsl_vector_alloc(columns);
    int status = A != NULL && V != NULL && s != NULL && work != NULL ? AT_OK : no_memory(err);

    if (status == AT_OK) {
        if (small)
            at_blas_gemm(false, true, count, count, dimension, 1, X->data, X->tda, X->data, X->tda, 0, A->data, A->tda);
        else
            gsl_matrix_memcpy(A, X);
        if (gsl_linalg_SV_decomp(A, V, s, work) != 0)
            status = at_error_set(err, AT_USAGE, "the singular values did not converge");
    }
    for (size_t c = 0; c < 2 && status == AT_OK; c++) {
        double *axis = axes + c * dimension;
        gsl_vector_view to = gsl_vector_view_array(axis, dimension);
        gsl_vector_view column = gsl_matrix_column(V, c);
        if (small)
            at_blas_gemv(true, count, dimension, 1, X->data, X->tda, column.vector.data, column.vector.stride, 0, axis, 1);
        else
            gsl_vector_memcpy(&to.vector, &column.vector);
        double norm = at_blas_norm(dimension, axis, 1);
        size_t largest = at_blas_largest(dimension, axis, 1);
        if (norm > 0)
            gsl_vector_scale(&to.vector, (axis[largest] < 0 ? -1 : 1) / norm);
    }
    gsl_matrix_free(A);
    gsl_matrix_free(V);
    gsl_vector_free(s);
    gsl_vector_free(work);
    return status;
}

int at_principal_plane(double *coordinates, double *mean, double *directions, const double *points,
                       size_t count, size_t dimension, at_error *err)
{
    if (count < 2 || dimension < 2)
        return at_error_set(err, AT_USAGE, "a principal plane needs two points and two dimensions");
    double *centre = calloc(dimension, sizeof *centre), *axes = calloc(2 * dimension, sizeof *axes);
    gsl_matrix *X = gsl_matrix_alloc(count, dimension);
    int status = centre != NULL && axes != NULL && X != NULL ? AT_OK : no_memory(err);
    if (status == AT_OK) {
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < dimension; k++)
                centre[k] += points[i * dimension + k] / (double) count;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < dimension; k++)
                gsl_matrix_set(X, i, k, points[i * dimension + k] - centre[k]);
        status = directions_of(axes, X, err);
    }
    if (status == AT_OK) {
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < 2; c++)
                coordinates[2 * i + c] = at_blas_dot(dimension, X->data + i * dimension, 1,
                                                          axes + c * dimension, 1);
        if (mean != NULL)
            memcpy(mean, centre, dimension * sizeof *mean);
        if (directions != NULL)
            memcpy(directions, axes, 2 * dimension * sizeof *axes);
    }
    free(centre);
    free(axes);
    gsl_matrix_free(X);
    return status;
}
