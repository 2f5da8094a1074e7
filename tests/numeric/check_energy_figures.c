/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of the energy figures: shaded shares, circles, the constants and rises of the
 * alternation, principal planes, against figures of the paper's settings and by definition. */
#include "attest/numeric/energy/alternation.h"
#include "attest/numeric/energy/regions.h"
#include "attest/numeric/energy/linalg.h"
#include "attest/numeric/optimize/random.h"
#include "tests/at_check.h"

#include <float.h>

static bool in_apollonius(const void *region, const double point[2])
{
    return at_apollonius_holds(region, point);
}

static bool in_relu(const void *region, const double point[2])
{
    return at_relu_region_holds(region, point);
}

START_TEST(apollonius)
{
    static const struct { double C, share, centre[2], radius; } known[] = {
        { 0.7, 0.19397, { -1.568, 0.671 }, 1.739 }, { 1.5, 0.85173, { 1.755, 1.766 }, 1.521 },
    };

    for (size_t k = 0; k < 2; k++) {
        at_apollonius a = { { -0.41140783, 1.05217505 }, { 0.79206705, 1.44879150 }, known[k].C };
        double centre[2], radius;
        at_apollonius_circle(centre, &radius, &a);
        ck_assert_double_eq_tol(centre[0], known[k].centre[0], 6e-4);
        ck_assert_double_eq_tol(centre[1], known[k].centre[1], 6e-4);
        ck_assert_double_eq_tol(radius, known[k].radius, 6e-4);
        ck_assert_double_eq_tol(at_region_share(in_apollonius, &a, -3.5, 3.5, 0.02), known[k].share,
                                6e-6);
    }
    AT_ROUNDS(r, 500) {   /* the circle bounds the region */
        at_apollonius a = { { at_test_normal(&r), at_test_normal(&r) },
                            { at_test_normal(&r), 2 },
                            0 };
        double centre[2], radius, y[2];
        a.C =
            at_test_below(&r, 2) ? 0.1 + 0.8 * at_test_uniform(&r) : 1.1 + 3 * at_test_uniform(&r);
        at_apollonius_circle(centre, &radius, &a);
        y[0] = 3 * at_test_normal(&r);
        y[1] = 3 * at_test_normal(&r);
        double distance = hypot(y[0] - centre[0], y[1] - centre[1]);
        if (fabs(distance - radius) > 1e-9 * radius)
            AT_EXPECT(&r, at_apollonius_holds(&a, y) == ((distance < radius) == (a.C < 1)), "C %g",
                      a.C);
    }
}
END_TEST

START_TEST(relu_regions)
{
    static const double share[] = { 0.7100, 0.9826, 0.9970, 0.9990 };
    at_relu_region r = {
        { 1.276328682899475, 1.1985197067260742, 1.1985197067260742, 2.7263669967651367 },
        { 0.5280336141586304, -0.4387991726398468 }, 0.25, 0
    };

    for (size_t k = 0; k < 4; k++) {
        r.kappa = 0.2 * (double) (k + 1);
        ck_assert_double_eq_tol(at_region_share(in_relu, &r, -5, 5, 0.02), share[k], 6e-5);
    }
}
END_TEST

/* The runs cover exactly the cells that hold. */
START_TEST(runs)
{
    at_relu_region r = { { 1, 2, 2, 1 }, { 0.5, -0.5 }, 0.3, 0.2 };
    static at_region_run run[4000];
    size_t count = at_region_runs(run, 4000, in_relu, &r, -2, 2, 0.05);
    double area = 0;

    ck_assert_uint_gt(count, 0);
    ck_assert_uint_le(count, 4000);
    for (size_t k = 0; k < count; k++)
        area += (run[k].x_high - run[k].x_low) * (run[k].y_high - run[k].y_low);
    ck_assert_double_eq_tol(area / 16, at_region_share(in_relu, &r, -2, 2, 0.05), 1e-9);
    ck_assert_uint_eq(at_region_runs(run, 10, in_relu, &r, -2, 2, 0.05), count);
}
END_TEST

enum { N = 500, D = 128, STEPS = 200 };

/* Ranges over the seeds, at the paper's sizes and rate: its own draw has L_f 12.43, L_g 42.18,
 * start 2.55, 95 and 47 rises. */
START_TEST(alternation)
{
    at_alternation a;
    at_alternation_record *r = malloc(STEPS * sizeof *r);
    double *Y = malloc((size_t) N * D * sizeof *Y), least = INFINITY;
    gsl_rng *random = gsl_rng_alloc(at_rng_philox);

    at_rng_stream(random, 7, AT_STREAM_WEIGHTS, 0, 0);
    ck_assert_int_eq(at_alternation_init(&a, N, D, random, NULL), AT_OK);
    ck_assert(a.L_f > 11.3 && a.L_f < 12.8);
    ck_assert(a.L_g > 40.5 && a.L_g < 42.6);
    ck_assert(a.L_h >= a.L_f + a.L_g && a.L_h <= (a.L_f + a.L_g) * (1 + 1e-9));
    ck_assert_double_eq_tol(a.c_h, 4, 5e-3);
    for (int setting = 0; setting < 2; setting++) {
        double rate = setting == 0 ? 0.05 : (1 - 4 * DBL_EPSILON) / a.L_h;
        size_t rises = 0, cycles = 0, sure = 0, sure_rises = 0;
        for (size_t k = 0; k < (size_t) N * D; k++)
            Y[k] = 2 * gsl_rng_uniform(random);
        ck_assert_int_eq(at_alternation_run(r, NULL, Y, STEPS, rate, &a, NULL), AT_OK);
        least = INFINITY;
        for (size_t t = 0; t < STEPS; t++) {
            double h = r[t].f + r[t].g;
            least = fmin(least, log(h));
            if (t > 0) {
                int change = at_alternation_change(&r[t], 1, rate, &a);
                ck_assert_int_eq(change, h > r[t - 1].f + r[t - 1].g ? 1 : -1);
                rises += change > 0;
            }
            if (t >= 3 && t % 2 == 1) {
                int change = at_alternation_change(&r[t], 2, rate, &a), rise = change > 0;
                ck_assert_int_ne(change, 0);
                cycles += rise;
                if (at_alternation_guaranteed(&r[t - 2], rate, &a)) {
                    sure++;
                    sure_rises += rise;
                }
            }
        }
        ck_assert_uint_eq(sure_rises, 0);
        if (setting == 0) {
            double start = log(r[0].f + r[0].g) - least,
                   tail = fabs(log(r[STEPS - 1].f + r[STEPS - 1].g)
                               - log(r[STEPS - 2].f + r[STEPS - 2].g));
            ck_assert_uint_ge(rises, 92);
            ck_assert_uint_le(rises, 96);
            ck_assert_uint_ge(cycles, 46);
            ck_assert_uint_le(cycles, 48);
            ck_assert(start > 2.5 && start < 2.7);
            ck_assert(tail > 0.018 && tail < 0.035);
        } else
            ck_assert_uint_gt(sure, 5);
    }
    gsl_rng_free(random);
    at_alternation_clear(&a);
    free(r);
    free(Y);
}
END_TEST

/* h and the gradients of f and g at Y, in long double and in the plainest order. */
static long double plain_energy(long double *F, long double *G, const double *Y, const at_alternation *a)
{
    long double sum = 0;

    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < a->d; k++) {
            size_t at = i * a->d + k;
            long double yq = 0, py = 0, r1 = (long double) Y[at] - a->B1[at],
                        r2 = (long double) Y[at] - a->B2[at];
            for (size_t c = 0; c < a->d; c++)
                yq += (long double) Y[i * a->d + c] * a->Q[c * a->d + k];
            for (size_t c = 0; c < a->n; c++)
                py += (long double) a->P[i * a->n + c] * Y[c * a->d + k];
            sum += Y[at] * (yq + py) + r1 * r1 + r2 * r2;
            F[at] = 2 * (yq + r1);
            G[at] = 2 * (py + r2);
        }
    return sum;
}

/* What rounding did lies within the bounds that the records give, and these are not idle. */
START_TEST(bounds_of_rounding)
{
    enum { MOST = 40 * 40, SMALL = 12 };

    AT_ROUNDS(r, 60) {
        size_t n = 1 + at_test_below(&r, 40), d = 1 + at_test_below(&r, 40), size = n * d;
        double rate = ldexp(1.0, -(int) at_test_below(&r, 9)), scale = ldexp(1.0, (int) at_test_below(&r, 60) - 30);
        static double Y[MOST], path[SMALL * MOST];
        static long double F[MOST], G[MOST];
        at_alternation_record record[SMALL];
        at_alternation a;
        gsl_rng *random = gsl_rng_alloc(at_rng_philox);

        at_rng_stream(random, at_test_bits(&r), AT_STREAM_WEIGHTS, 0, 0);
        ck_assert_int_eq(at_alternation_init(&a, n, d, random, NULL), AT_OK);
        for (size_t k = 0; k < size; k++)
            Y[k] = scale * at_test_normal(&r);
        ck_assert_int_eq(at_alternation_run(record, path, Y, SMALL, rate, &a, NULL), AT_OK);
        long double before = 0;
        for (size_t t = 0; t < SMALL; t++) {
            long double h = plain_energy(F, G, path + t * size, &a), f2 = 0, h2 = 0, away = 0;
            if (t > 0)
                plain_energy(F, G, path + (t - 1) * size, &a);
            for (size_t k = 0; t > 0 && k < size; k++) {
                long double step = path[(t - 1) * size + k] - rate * (t % 2 == 0 ? F[k] : G[k]);
                away += (path[t * size + k] - step) * (path[t * size + k] - step);
            }
            plain_energy(F, G, path + t * size, &a);
            for (size_t k = 0; k < size; k++) {
                f2 += F[k] * F[k];
                h2 += (F[k] + G[k]) * (F[k] + G[k]);
            }
            AT_EXPECT(&r, fabsl(h - ((long double) record[t].f + record[t].g)) <= record[t].error
                          && record[t].error <= 1e-10 * (1 + (double) h), "h at %zu: %g", t, record[t].error);
            AT_EXPECT(&r, fabsl(sqrtl(f2) - record[t].grad_f) <= record[t].grad_error
                          && fabsl(sqrtl(h2) - record[t].grad_h) <= record[t].grad_error, "gradients at %zu", t);
            AT_EXPECT(&r, t == 0 || sqrtl(away) <= record[t].drift, "%zu: %Lg, %g", t, sqrtl(away), record[t].drift);
            if (t > 0 && at_alternation_change(&record[t], 1, rate, &a) != 0)
                AT_EXPECT(&r, (at_alternation_change(&record[t], 1, rate, &a) > 0) == (h > before), "%zu", t);
            before = h;
        }
        at_alternation_clear(&a);
        gsl_rng_free(random);
    }
}
END_TEST

/* Small sizes: gradients by differences, minimisers with zero gradient, the curvature bounds. */
START_TEST(quadratics)
{
    AT_ROUNDS(r, 20) {
        size_t n = 2 + at_test_below(&r, 6), d = 2 + at_test_below(&r, 5), size = n * d;
        at_alternation a;
        gsl_rng *random = gsl_rng_alloc(at_rng_philox);
        double Y[60], F[60], G[60], T[60], f[3], g[3], h = 1e-4;
        at_rng_stream(random, at_test_bits(&r), AT_STREAM_WEIGHTS, 0, 0);
        ck_assert_int_eq(at_alternation_init(&a, n, d, random, NULL), AT_OK);
        for (size_t k = 0; k < size; k++)
            Y[k] = at_test_normal(&r);
        at_alternation_energy(&f[0], &g[0], F, G, Y, &a, T);
        for (size_t k = 0; k < size; k++) {
            double y = Y[k];
            Y[k] = y + h;
            at_alternation_energy(&f[1], &g[1], NULL, NULL, Y, &a, T);
            Y[k] = y - h;
            at_alternation_energy(&f[2], &g[2], NULL, NULL, Y, &a, T);
            Y[k] = y;
            AT_EXPECT(&r, fabs((f[1] - f[2]) / (2 * h) - F[k]) < 1e-6 * (1 + fabs(F[k])), "f, %zu",
                      k);
            AT_EXPECT(&r, fabs((g[1] - g[2]) / (2 * h) - G[k]) < 1e-6 * (1 + fabs(G[k])), "g, %zu",
                      k);
        }
        at_alternation_energy(&f[0], &g[0], F, NULL, a.Yf, &a, T);
        for (size_t k = 0; k < size; k++)
            AT_EXPECT(&r, fabs(F[k]) < 1e-10, "gradient of f at its minimiser: %g", F[k]);
        at_alternation_energy(&f[0], &g[0], F, G, a.Yh, &a, T);
        for (size_t k = 0; k < size; k++)
            AT_EXPECT(&r, fabs(F[k] + G[k]) < 1e-10, "gradient of h at its minimiser: %g",
                      F[k] + G[k]);
        AT_EXPECT(&r, a.c_h > 3.999 && a.c_h <= a.L_h, "c_h %g, L_h %g", a.c_h, a.L_h);
        gsl_rng_free(random);
        at_alternation_clear(&a);
    }
}
END_TEST

/* Points in a plane of a larger space keep their distances, in both ways of the SVD. */
START_TEST(principal_plane)
{
    AT_ROUNDS(r, 60) {
        size_t count = 3 + at_test_below(&r, 20), dimension = 2 + at_test_below(&r, 25);
        double points[22 * 26], plane[2 * 26], at[2 * 22], out[2 * 22], mean[26];
        for (size_t k = 0; k < 2 * dimension; k++)
            plane[k] = at_test_normal(&r);
        for (size_t k = 0; k < 2 * count; k++)
            at[k] = at_test_normal(&r);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < dimension; k++)
                points[i * dimension + k] =
                    3 + at[2 * i] * plane[k] + at[2 * i + 1] * plane[dimension + k];
        ck_assert_int_eq(at_principal_plane(out, mean, NULL, points, count, dimension, NULL),
                         AT_OK);
        double first = 0, second = 0, cross = 0;
        for (size_t i = 0; i < count; i++) {
            first += out[2 * i] * out[2 * i];
            second += out[2 * i + 1] * out[2 * i + 1];
            cross += out[2 * i] * out[2 * i + 1];
            for (size_t j = 0; j < i; j++) {
                double space = 0;
                for (size_t k = 0; k < dimension; k++)
                    space += pow(points[i * dimension + k] - points[j * dimension + k], 2);
                double flat =
                    pow(out[2 * i] - out[2 * j], 2) + pow(out[2 * i + 1] - out[2 * j + 1], 2);
                AT_EXPECT(&r, fabs(space - flat) < 1e-7 * (1 + space),
                          "%zu points, dimension %zu: %g, %g", count, dimension, space, flat);
            }
        }
        AT_EXPECT(&r, first >= second && fabs(cross) < 1e-6 * first, "%g, %g, %g", first, second,
                  cross);
    }
}
END_TEST

/* Clamping keeps what lies inside, and is the nearest matrix of that kind. */
START_TEST(clamp)
{
    AT_ROUNDS(r, 40) {
        size_t n = 1 + at_test_below(&r, 6);
        double S[36], C[36], low, high;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                S[i * n + j] = S[j * n + i] = at_test_normal(&r);
        memcpy(C, S, n * n * sizeof *S);
        ck_assert_int_eq(at_clamp_symmetric(C, n, -0.25, 0.5, NULL), AT_OK);
        ck_assert_int_eq(at_symmetric_range(&low, &high, C, n, NULL), AT_OK);
        AT_EXPECT(&r, low >= -0.25 - 1e-12 && high <= 0.5 + 1e-12, "n %zu: %g, %g", n, low, high);
        double inner = 0;   /* ⟨S − C, D − C⟩ ≤ 0 for any other such D: here D = 0 */
        for (size_t k = 0; k < n * n; k++)
            inner += (S[k] - C[k]) * (0 - C[k]);
        AT_EXPECT(&r, inner <= 1e-10, "n %zu: %g", n, inner);
        memcpy(S, C, n * n * sizeof *S);
        ck_assert_int_eq(at_clamp_symmetric(C, n, -0.25, 0.5, NULL), AT_OK);
        for (size_t k = 0; k < n * n; k++)
            AT_EXPECT(&r, fabs(S[k] - C[k]) < 1e-12, "n %zu", n);
    }
}
END_TEST

/* S = ±vv^T and M = uv^T with whole entries, whose eigenvalues are known exactly, at scales from 2^−900 to
 * 2^900: never below, and not much above. */
START_TEST(top_and_norm_are_bounds)
{
    enum { MOST = 60 };
    static double S[MOST * MOST], u[MOST], v[MOST];

    AT_ROUNDS(r, 150) {
        size_t n = 1 + at_test_below(&r, MOST);
        int scale = (int) at_test_below(&r, 1800) - 900, sign = at_test_below(&r, 4) > 0 ? 1 : -1;
        double uu = 0, vv = 0, top;

        for (size_t i = 0; i < n; i++) {
            u[i] = (double) at_test_below(&r, 2001) - 1000;
            v[i] = (double) at_test_below(&r, 2001) - 1000;
            uu += u[i] * u[i];
            vv += v[i] * v[i];
        }
        for (size_t k = 0; k < n * n; k++)
            S[k] = ldexp(sign * v[k / n] * v[k % n], scale);
        ck_assert_int_eq(at_symmetric_top(&top, S, n, NULL), AT_OK);
        double exact = sign > 0 ? vv : n > 1 ? 0 : -vv, far = ldexp(top, -scale) - exact;
        AT_EXPECT(&r, far >= 0 && far <= (double) (n * n) * 0x1p-47 * vv, "n %zu, 2^%d: %g of %g", n, scale,
                  far, exact);
        scale /= 2;
        for (size_t k = 0; k < n * n; k++)
            S[k] = ldexp(u[k / n] * v[k % n], scale);
        ck_assert_int_eq(at_spectral_norm2(&top, S, n, n, NULL), AT_OK);
        exact = uu * vv;    /* below 2^53: whole */
        far = ldexp(top, -2 * scale) - exact;
        AT_EXPECT(&r, far >= 0 && far <= (double) (n * n) * 0x1p-47 * exact, "n %zu, 2^%d: %g of %g", n, scale,
                  far, exact);
    }
    memset(S, 0, sizeof S);
    double top = 1;
    ck_assert_int_eq(at_symmetric_top(&top, S, 5, NULL), AT_OK);
    ck_assert_double_eq(top, 0);
    ck_assert_int_eq(at_spectral_norm2(&top, S, 5, 5, NULL), AT_OK);
    ck_assert_double_eq(top, 0);
    S[0] = DBL_MAX;
    ck_assert_int_eq(at_spectral_norm2(&top, S, 5, 5, NULL), AT_USAGE);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy_figures");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 120);
    tcase_add_test(c, apollonius);
    tcase_add_test(c, relu_regions);
    tcase_add_test(c, runs);
    tcase_add_test(c, alternation);
    tcase_add_test(c, bounds_of_rounding);
    tcase_add_test(c, quadratics);
    tcase_add_test(c, principal_plane);
    tcase_add_test(c, clamp);
    tcase_add_test(c, top_and_norm_are_bounds);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
