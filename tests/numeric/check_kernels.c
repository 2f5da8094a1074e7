/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of each instruction set that this machine has, in both precisions, against plain loops in
 * long double; every length around the vectors', and values that are not finite. */
#include "config.h"

#include "attest/numeric/kernels/kernels.h"
#include "tests/at_check.h"

enum { MOST = 70 };

#define FOR_EACH_ISA(kernels, isa) \
    for (int isa = 0; isa < AT_ISA_COUNT; isa++) \
        if (((kernels) = at_kernels_for((enum at_isa) isa)) != NULL)

static void fill(at_test_random *r, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = at_test_normal(r);
}

static int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
}

START_TEST(softmax_forward_and_back)
{
    const at_kernels *kernels;

    AT_ROUNDS(r, 60) {
        size_t n = 1 + at_test_below(&r, 40), cut = at_test_below(&r, n);
        bool causal = at_test_below(&r, 2), biased = at_test_below(&r, 2), factored = at_test_below(&r, 2);
        double logits[1600], p[1600], a[1600], again[1600], da[1600], dot[40], bias[80], factor[80];
        double dbias[80], dfactor[80], scale = 0.5 + at_test_uniform(&r);

        fill(&r, logits, n * n);
        fill(&r, bias, 80);
        fill(&r, factor, 80);
        FOR_EACH_ISA(kernels, isa) {
            memcpy(p, logits, sizeof p);
            /* In two parts, as attention takes long sequences. */
            kernels->softmax(p, a, cut, n, causal ? 1 : n, biased ? bias + n - 1 : NULL, -1,
                             factored ? factor + n - 1 : NULL, -1, scale);
            kernels->softmax(p + cut * n, a + cut * n, n - cut, n, causal ? cut + 1 : n,
                             biased ? bias + n - 1 - cut : NULL, -1,
                             factored ? factor + n - 1 - cut : NULL, -1, scale);
            for (size_t i = 0; i < n; i++) {
                long double sum = 0.0L;
                size_t m = causal ? i + 1 : n;

                for (size_t j = 0; j < m; j++)
                    sum += expl(scale * logits[i * n + j] + (biased ? bias[n - 1 + j - i] : 0.0));
                for (size_t j = 0; j < n; j++) {
                    double wanted = j >= m ? 0.0 : (double) (expl(scale * logits[i * n + j]
                                             + (biased ? bias[n - 1 + j - i] : 0.0)) / sum);

                    AT_EXPECT(&r, near(p[i * n + j], wanted, 1e-14), "%s n=%zu i=%zu j=%zu: %g, %g",
                              kernels->isa, n, i, j, p[i * n + j], wanted);
                    AT_EXPECT(&r, !factored || near(a[i * n + j], wanted * factor[n - 1 + j - i], 1e-14),
                              "%s a n=%zu i=%zu j=%zu", kernels->isa, n, i, j);
                }
            }
            fill(&r, da, n * n);
            memcpy(again, da, sizeof again);
            kernels->row_dots(dot, da, n, factored ? a : p, n, n, n);
            memset(dbias, 0, sizeof dbias);
            memset(dfactor, 0, sizeof dfactor);
            for (size_t part = 0; part < 2; part++) {
                size_t first = part * cut, rows = part == 0 ? cut : n - cut, at = n - 1 - first;

                kernels->softmax_back(da + first * n, a + first * n, p + first * n, rows, n,
                                      causal ? first + 1 : n, dot + first, biased ? dbias + at : NULL, -1,
                                      factored ? factor + at : NULL, factored ? dfactor + at : NULL, -1,
                                      scale);
            }
            for (size_t o = 0; o < 2 * n - 1; o++) {
                double wanted = 0.0, wanted_factor = 0.0;

                for (size_t i = 0; i < n; i++) {
                    size_t j = i + o + 1 - n;
                    double g, inner = 0.0;

                    if (i + o + 1 < n || j >= n)
                        continue;
                    for (size_t l = 0; l < n; l++)
                        inner += again[i * n + l] * p[i * n + l] * (factored ? factor[n - 1 + l - i] : 1.0);
                    g = p[i * n + j] * (again[i * n + j] * (factored ? factor[o] : 1.0) - inner);
                    wanted += g;
                    wanted_factor += again[i * n + j] * p[i * n + j];
                    AT_EXPECT(&r, near(da[i * n + j], scale * g, 1e-12), "%s n=%zu i=%zu j=%zu",
                              kernels->isa, n, i, j);
                }
                AT_EXPECT(&r, !biased || near(dbias[o], wanted, 1e-12), "%s dbias %zu", kernels->isa, o);
                AT_EXPECT(&r, !factored || near(dfactor[o], wanted_factor, 1e-12), "%s dfactor %zu",
                          kernels->isa, o);
            }
        }
    }
}
END_TEST

START_TEST(activations)
{
    const at_kernels *kernels;

    AT_ROUNDS(r, 60) {
        size_t f = 1 + at_test_below(&r, MOST);
        double x[MOST], h[MOST], g[MOST], bias[MOST], dbias[MOST] = {0}, dg[MOST];

        for (size_t i = 0; i < f; i++)
            x[i] = 6.0 * at_test_double(&r);
        fill(&r, bias, f);
        fill(&r, dg, f);
        FOR_EACH_ISA(kernels, isa)
            for (int gelu = 0; gelu < 2; gelu++) {
                memcpy(h, x, sizeof h);
                memset(dbias, 0, sizeof dbias);
                (gelu ? kernels->gelu : kernels->relu)(g, h, bias, 1, f);
                for (size_t i = 0; i < f; i++) {
                    long double z = (long double) x[i] + bias[i], below = 0.5L * (1.0L + erfl(z / sqrtl(2.0L)));
                    double wanted = gelu ? (double) (z * below) : z > 0 ? (double) z : 0.0;
                    double slope = gelu ? (double) (below + z * expl(-0.5L * z * z) / sqrtl(2.0L * acosl(-1.0L)))
                                        : z > 0 ? 1.0 : 0.0;

                    AT_EXPECT(&r, near(g[i], wanted, 1e-13), "%s %d at %g: %.17g, %.17g", kernels->isa,
                              gelu, (double) z, g[i], wanted);
                    AT_EXPECT(&r, near(h[i], slope, 1e-13), "%s %d slope at %g", kernels->isa, gelu,
                              (double) z);
                }
                memcpy(g, h, sizeof g);
                kernels->activation_back(h, dg, dbias, 1, f);
                for (size_t i = 0; i < f; i++)
                    AT_EXPECT(&r, h[i] == g[i] * dg[i] && dbias[i] == h[i], "%s back %zu", kernels->isa, i);
            }
    }
}
END_TEST

START_TEST(layer_norm)
{
    const at_kernels *kernels;

    AT_ROUNDS(r, 60) {
        size_t d = 1 + at_test_below(&r, MOST), rows = 1 + at_test_below(&r, 4);
        double x[4 * MOST], residual[4 * MOST], bias[MOST], weight[MOST], shift[MOST], y[4 * MOST];
        double hat[4 * MOST], rstd[4], dy[4 * MOST], dweight[MOST], dshift[MOST], dbias[MOST];

        fill(&r, x, rows * d), fill(&r, residual, rows * d), fill(&r, bias, d);
        fill(&r, weight, d), fill(&r, shift, d), fill(&r, dy, rows * d);
        FOR_EACH_ISA(kernels, isa) {
            double mean_of_dr = 0.0, wanted_shift = 0.0;
            bool two = at_test_below(&r, 2);

            memset(dweight, 0, sizeof dweight), memset(dshift, 0, sizeof dshift);
            memset(dbias, 0, sizeof dbias);
            kernels->norm(y, hat, rstd, x, residual, bias, weight, shift, rows, d);
            for (size_t i = 0; i < rows; i++) {
                long double mean = 0.0L, variance = 0.0L;

                for (size_t c = 0; c < d; c++)
                    mean += ((long double) x[i * d + c] + residual[i * d + c] + bias[c]) / d;
                for (size_t c = 0; c < d; c++) {
                    long double v = (long double) x[i * d + c] + residual[i * d + c] + bias[c] - mean;

                    variance += v * v / d;
                }
                for (size_t c = 0; c < d; c++) {
                    long double v = (long double) x[i * d + c] + residual[i * d + c] + bias[c] - mean;
                    double wanted = (double) (v / sqrtl(variance + 1e-5L) * weight[c] + shift[c]);

                    AT_EXPECT(&r, near(y[i * d + c], wanted, d == 1 ? 1e-11 : 1e-12),
                              "%s d=%zu: %.17g, %.17g", kernels->isa, d, y[i * d + c], wanted);
                }
            }
            kernels->norm_back(hat, rstd, dy, two ? residual : NULL, weight, dweight, dshift, dbias,
                               rows, d);
            for (size_t c = 0; c < d; c++)
                mean_of_dr += hat[c];
            for (size_t i = 0; i < rows; i++)
                wanted_shift += dy[i * d] + (two ? residual[i * d] : 0.0);
            /* ∂/∂r of a normalised row sums to 0. */
            AT_EXPECT(&r, fabs(mean_of_dr) <= 1e-10 * fmax(1.0, rstd[0]), "%s d=%zu: %g", kernels->isa, d,
                      mean_of_dr);
            AT_EXPECT(&r, near(dshift[0], wanted_shift, 1e-13), "%s shift", kernels->isa);
        }
    }
}
END_TEST

START_TEST(cross_entropy)
{
    const at_kernels *kernels;

    AT_ROUNDS(r, 100) {
        size_t v = 1 + at_test_below(&r, MOST), best = 0;
        int32_t target = (int32_t) at_test_below(&r, v + 1) - 1, largest;
        double x[MOST], logits[MOST], bias[MOST];

        for (size_t i = 0; i < v; i++)
            x[i] = 3.0 * at_test_double(&r), bias[i] = at_test_double(&r);
        for (size_t i = 1; i < v; i++)
            best = x[i] + bias[i] > x[best] + bias[best] ? i : best;
        FOR_EACH_ISA(kernels, isa) {
            long double sum = 0.0L;
            double loss;

            memcpy(logits, x, sizeof logits);
            loss = kernels->cross_entropy(logits, bias, v, target, 0.25, &largest);
            for (size_t i = 0; i < v; i++)
                sum += expl((long double) (x[i] + bias[i]) - (x[best] + bias[best]));
            AT_EXPECT(&r, largest == (int32_t) best, "%s v=%zu: %d, %zu", kernels->isa, v, largest, best);
            AT_EXPECT(&r, target < 0 ? loss == 0.0
                          : near(loss, (double) (logl(sum) - (x[target] + bias[target] - x[best] - bias[best])),
                                 1e-13), "%s v=%zu loss %g", kernels->isa, v, loss);
            for (size_t i = 0; i < v; i++) {
                double p = (double) (expl((long double) (x[i] + bias[i]) - (x[best] + bias[best])) / sum);
                double wanted = target < 0 ? 0.0 : 0.25 * (p - (i == (size_t) target));

                AT_EXPECT(&r, near(logits[i], wanted, 1e-14), "%s v=%zu i=%zu", kernels->isa, v, i);
            }
        }
    }
}
END_TEST

/* The single-precision kernels agree with the double ones. */
START_TEST(single_agrees)
{
    AT_ROUNDS(r, 40) {
        size_t n = 1 + at_test_below(&r, 40), f = 1 + at_test_below(&r, MOST);
        double p[1600], a[1600], h[MOST], g[MOST];
        float sp[1600], sa[1600], sh[MOST], sg[MOST];
        double start[1600];

        fill(&r, start, 1600);
        for (int isa = 0; isa < AT_ISA_COUNT; isa++) {
            const at_kernelsf *single = at_kernelsf_for((enum at_isa) isa);

            if (single == NULL)
                continue;
            for (size_t i = 0; i < 1600; i++)
                p[i] = start[i], sp[i] = (float) start[i];
            for (size_t i = 0; i < f; i++)
                h[i] = 3.0 * start[i], sh[i] = (float) h[i];
            at_kernels_for(AT_ISA_GENERIC)->softmax(p, a, n, n, 1, NULL, 0, start, 0, 1.0);
            for (size_t i = 0; i < n * n; i++)
                sa[i] = (float) start[i % n];
            {
                float factor[1600];

                memcpy(factor, sa, sizeof factor);
                single->softmax(sp, sa, n, n, 1, NULL, 0, factor, 0, 1.0f);
            }
            at_kernels_for(AT_ISA_GENERIC)->gelu(g, h, NULL, 1, f);
            single->gelu(sg, sh, NULL, 1, f);
            for (size_t i = 0; i < n * n; i++)
                AT_EXPECT(&r, near(sp[i], p[i], 1e-6) && near(sa[i], a[i], 1e-6), "%s n=%zu %zu: %g %g",
                          single->isa, n, i, (double) sp[i], p[i]);
            for (size_t i = 0; i < f; i++)
                AT_EXPECT(&r, near(sg[i], g[i], 2e-6) && near(sh[i], h[i], 2e-6), "%s f=%zu %zu: %g %g",
                          single->isa, f, i, (double) sg[i], g[i]);
        }
    }
}
END_TEST

START_TEST(not_a_number_stays)
{
    const at_kernels *kernels;

    FOR_EACH_ISA(kernels, isa)
        for (size_t at = 0; at < 19; at++) {
            double p[19 * 19] = {0}, a[1], x[19] = {0}, h[19] = {0}, g[19];
            int32_t largest;

            p[at] = NAN;
            kernels->softmax(p, a, 19, 19, 19, NULL, 0, NULL, 0, 1.0);
            ck_assert_msg(isnan(p[0]) && isnan(p[18]) && !isnan(p[19]), "%s softmax %zu", kernels->isa, at);
            x[at] = NAN;
            ck_assert_msg(isnan(kernels->cross_entropy(x, NULL, 19, 3, 1.0, &largest)), "%s %zu",
                          kernels->isa, at);
            h[at] = NAN;
            kernels->relu(g, h, NULL, 1, 19);
            ck_assert_msg(isnan(g[at]), "%s relu %zu", kernels->isa, at);
        }
}
END_TEST

START_TEST(levels_are_chosen_by_name)
{
    at_error err = AT_ERROR_INIT;
    enum at_isa isa, fastest;

    unsetenv("ATTEST_KERNELS");
    ck_assert_int_eq(at_isa_choose(&fastest, &err), AT_OK);
    for (int level = 0; level < AT_ISA_COUNT; level++) {
        const at_kernels *kernels = at_kernels_for((enum at_isa) level);
        const char *name = at_isa_name((enum at_isa) level);

        setenv("ATTEST_KERNELS", name, 1);
        if (kernels == NULL) {
            ck_assert_int_eq(at_isa_choose(&isa, &err), AT_ENVIRONMENT);
            ck_assert_msg(strstr(err.text, name) != NULL, "%s", err.text);
            ck_assert_int_eq(at_isa_in_use(), fastest);
            continue;
        }
        ck_assert_int_eq(at_isa_choose(&isa, &err), AT_OK);
        ck_assert_int_eq(isa, level);
        ck_assert_int_le(isa, fastest);
        ck_assert_str_eq(kernels->isa, name);
        ck_assert_str_eq(at_kernelsf_for(isa)->isa, name);
    }
    setenv("ATTEST_KERNELS", "avx", 1);
    ck_assert_int_eq(at_isa_choose(&isa, &err), AT_USAGE);
    ck_assert_int_eq(at_isa_in_use(), fastest);
    setenv("ATTEST_KERNELS", "", 1);
    ck_assert_int_eq(at_isa_choose(&isa, &err), AT_OK);
    ck_assert_int_eq(isa, fastest);
}
END_TEST

static Suite *kernels_suite(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tcase = tcase_create("kernels");

    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, softmax_forward_and_back);
    tcase_add_test(tcase, activations);
    tcase_add_test(tcase, layer_norm);
    tcase_add_test(tcase, cross_entropy);
    tcase_add_test(tcase, single_agrees);
    tcase_add_test(tcase, not_a_number_stays);
    tcase_add_test(tcase, levels_are_chosen_by_name);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(kernels_suite)
