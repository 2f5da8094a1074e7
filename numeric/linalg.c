/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small dense linear algebra over GSL: see linalg.h. */
#include "numeric/linalg.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int at_spectral_norm2(double *norm2, const double *M, size_t rows, size_t columns, at_error *err)
{
    double *gram = malloc(columns * columns * sizeof *gram), low;

    if (gram == NULL)
        return no_memory(err);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int) columns, (int) columns, (int) rows,
                1, M, (int) columns, M, (int) columns, 0, gram, (int) columns);
    int status = at_symmetric_range(&low, norm2, gram, columns, err);
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
        gsl_matrix_view view = gsl_matrix_view_array(S, n, n);
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
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, vectors, vectors, 0, &view.matrix);
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
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int) n, (int) n, (int) n, 1, M, (int) n,
                M, (int) n, 0, square, (int) n);
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
            gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, X, X, 0, A);
        else
            gsl_matrix_memcpy(A, X);
        if (gsl_linalg_SV_decomp(A, V, s, work) != 0)
            status = at_error_set(err, AT_USAGE, "the singular values did not converge");
    }
    for (size_t c = 0; c < 2 && status == AT_OK; c++) {
        gsl_vector_view axis = gsl_vector_view_array(axes + c * dimension, dimension);
        gsl_vector_view column = gsl_matrix_column(V, c);
        if (small)
            gsl_blas_dgemv(CblasTrans, 1, X, &column.vector, 0, &axis.vector);
        else
            gsl_vector_memcpy(&axis.vector, &column.vector);
        double norm = gsl_blas_dnrm2(&axis.vector);
        size_t largest = gsl_blas_idamax(&axis.vector);
        if (norm > 0)
            gsl_vector_scale(&axis.vector, (axes[c * dimension + largest] < 0 ? -1 : 1) / norm);
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
                coordinates[2 * i + c] = cblas_ddot((int) dimension, X->data + i * dimension, 1,
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
