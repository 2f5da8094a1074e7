/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two-loop recursion for one precision, included by lbfgs.c with REAL and NAME(x) defined.
 * Sums are double in both. */

static double NAME(inner)(const REAL *a, const REAL *b, size_t size)
{
    double sum = 0.0;

    for (size_t i = 0; i < size; i++)
        sum += (double) a[i] * (double) b[i];
    return sum;
}

static void NAME(add_multiple)(REAL *a, double factor, const REAL *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        a[i] = (REAL) (a[i] + factor * b[i]);
}

void NAME(at_lbfgs_direction)(REAL *direction, const REAL *gradient, const REAL *steps,
                              const REAL *changes, const double *curvature, size_t capacity,
                              size_t newest, size_t count, size_t size, double *work)
{
    for (size_t i = 0; i < size; i++)
        direction[i] = -gradient[i];
    for (size_t k = 0; k < count; k++) {
        size_t row = (newest + capacity - k) % capacity;

        work[k] = curvature[row] * NAME(inner)(steps + row * size, direction, size);
        NAME(add_multiple)(direction, -work[k], changes + row * size, size);
    }
    if (count > 0) {
        const REAL *change = changes + newest * size;
        double scale = 1.0 / (curvature[newest] * NAME(inner)(change, change, size));

        for (size_t i = 0; i < size; i++)
            direction[i] = (REAL) (scale * direction[i]);
    }
    for (size_t k = count; k-- > 0; ) {
        size_t row = (newest + capacity - k) % capacity;
        double back = curvature[row] * NAME(inner)(changes + row * size, direction, size);

        NAME(add_multiple)(direction, work[k] - back, steps + row * size, size);
    }
}
