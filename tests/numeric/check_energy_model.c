/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers in double: the released model's figures, the trained classifier, rho, mistakes. */
#include "attest/numeric/energy/train.h"
#include "tests/numeric/energy_layer.h"

static double *read_block(FILE *file, const char *name, size_t *rows, size_t *columns)
{
    char line[8192], word[64];

    rewind(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63s %zu %zu", word, rows, columns) == 3 && strcmp(word, name) == 0) {
            double *block = malloc(*rows * *columns * sizeof *block);
            for (size_t k = 0; k < *rows * *columns; k++)
                ck_assert_int_eq(fscanf(file, "%lf", &block[k]), 1);
            return block;
        }
    ck_abort_msg("no %s in the fixture", name);
}

static void compare_released(const char *kind, int relu)
{
    static const char *const parts[] = {
        "Y0", "W_a", "W_f", "B", "energy", "Y12", "energy.attention0", "energy.ffn0"
    };
    FILE *file = fopen(at_test_data("energy-released.txt"), "r");
    double *block[8];
    size_t rows[8], columns[8];
    at_energy_parts e[13];
    layer l;

    ck_assert_ptr_nonnull(file);
    for (size_t k = 0; k < 8; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", kind, parts[k]);
        block[k] = read_block(file, name, &rows[k], &columns[k]);
    }
    fclose(file);
    open_layer(&l, AT_STEP_RELEASED, "exp", columns[0], 1, block[1], block[2], block[3], rows[0],
               1);
    l.model.relu = relu;
    double *Y = block[0];
    at_energy_parts unused;
    ck_assert_int_eq(at_energy_prepare(Y, rows[0], &l.model, NULL), AT_OK);
    at_energy_measure(&unused, Y, NULL, rows[0], &l.model, l.work);
    ck_assert_double_eq_tol(unused.attention + unused.regulariser, block[6][0], 1e-9);
    ck_assert_double_eq_tol(unused.ffn, block[7][0], 1e-9);
    ck_assert_int_eq(at_energy_run(e, NULL, Y, rows[0], 12, &l.model, l.work, NULL), AT_OK);
    for (size_t t = 0; t <= 12; t++)
        ck_assert_double_eq_tol(e[t].total, block[4][t], 1e-9 * (1 + fabs(block[4][t])));
    for (size_t k = 0; k < rows[0] * columns[0]; k++)
        ck_assert_double_eq_tol(Y[k], block[5][k], 1e-9);
    for (size_t k = 0; k < 8; k++)
        free(block[k]);
    close_layer(&l);
}

START_TEST(released_figures)
{
    compare_released("linear", 0);
    compare_released("relu", 1);
}
END_TEST

START_TEST(mistakes)
{
    at_rho rho;
    at_error err = AT_ERROR_INIT;
    at_energy_model m;
    double W[] = { 1, NAN, 0, 1 }, S[] = { -3, 0, 0, -3 }, Y[] = { 0, 0 };

    ck_assert_int_eq(at_rho_parse(&rho, "explog", &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "exp, log, sqrt, ratio"));
    ck_assert_int_eq(at_rho_parse(&rho, "exp", NULL), AT_OK);
    ck_assert_int_eq(
        at_energy_model_init(&m, AT_STEP_SOFTMAX_BETA, &rho, 2, 1, W, NULL, NULL, &err), AT_USAGE);
    ck_assert_int_eq(
        at_energy_model_init(&m, AT_STEP_SOFTMAX_BETA, &rho, 0, 1, NULL, NULL, NULL, &err),
        AT_USAGE);
    ck_assert_int_eq(
        at_energy_model_init(&m, AT_STEP_SOFTMAX_BETA, &rho, 2, 2, NULL, NULL, NULL, &err),
        AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_PARALLEL, &rho, 2, 1, NULL, S, NULL, &err),
                     AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SPHERE, &rho, 2, 1, S, NULL, NULL, &err),
                     AT_USAGE);
    ck_assert_int_eq(at_energy_model_init(&m, AT_STEP_SPHERE, &rho, 2, 1, NULL, NULL, NULL, &err),
                     AT_OK);
    ck_assert_int_eq(at_energy_prepare(Y, 1, &m, &err), AT_INPUT);
    at_energy_model_clear(&m);
}
END_TEST

START_TEST(rho_checked)
{
    static const struct { const char *text; int status; const char *part; } cases[] = {
        { "exp", AT_OK, "" }, { "log", AT_OK, "" }, { "sqrt", AT_OK, "" }, { "ratio", AT_OK, "" },
        { "log(1+z)/2 + sqrt(3+z)", AT_OK, "" }, { "1-1/(1+z)^2", AT_OK, "" }, { "2*z", AT_OK, "" },
        { "z^2", AT_USAGE, "not concave" }, { "-z", AT_USAGE, "falls" },
        { "sqrt(z)", AT_USAGE, "not finite" }, { "log(z-1)", AT_USAGE, "not finite" },
        { "z*exp(-z)", AT_USAGE, "falls" }, { "exp(z)", AT_USAGE, "not concave" },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        at_rho rho;
        at_error err = AT_ERROR_INIT;
        ck_assert_int_eq(at_rho_parse(&rho, cases[k].text, &err), AT_OK);
        int status = at_rho_check(&rho, 50, &err);
        ck_assert_msg(status == cases[k].status, "%s: %d, %s", cases[k].text, status, err.text);
        if (status != AT_OK)
            ck_assert_msg(strstr(err.text, cases[k].part) != NULL, "%s: %s", cases[k].text,
                          err.text);
        at_rho_clear(&rho);
    }
}
END_TEST

/* A user's formula of a table entry gives the same run. */
START_TEST(formula_is_table)
{
    static const char *const formula[] = { "-exp(-z)", "log(2+z)", "sqrt(1+z)", "z/(1+z)" };
    AT_ROUNDS(r, 40) {
        size_t k = at_test_below(&r, 4);
        double Y[2][MOST * 3];
        at_energy_parts e[2][4];
        random_document(Y[0], MOST, 3, &r);
        memcpy(Y[1], Y[0], sizeof Y[0]);
        for (int t = 0; t < 2; t++) {
            layer l;
            open_layer(&l, AT_STEP_SOFTMAX_BETA, t == 0 ? at_rhos[k].name : formula[k], 3, 1, NULL,
                       NULL, NULL, MOST, 1);
            ck_assert_int_eq(at_energy_run(e[t], NULL, Y[t], MOST, 3, &l.model, l.work, NULL),
                             AT_OK);
            close_layer(&l);
        }
        for (size_t t = 0; t < 4; t++)
            AT_EXPECT(&r, fabs(e[0][t].total - e[1][t].total) <= 1e-12 * fabs(e[0][t].total),
                      "%s: %.17g, "
                      "%.17g",
                      formula[k], e[0][t].total, e[1][t].total);
    }
}
END_TEST

/* The classifier's gradient against 4-point differences, and its layers against the engine's. */
START_TEST(classifier)
{
    AT_ROUNDS(r, 12) {
        enum { N = 5, D = 4, L = 3, SIZE = 2 * D * D + D + 2 * (D + 1) };
        double x[SIZE], g[SIZE], p[2], Y[N * D], h = 1e-3;
        at_energy_classifier c = { D, L, at_test_below(&r, 2) };
        at_energy_train_work *work;
        int label = (int) at_test_below(&r, 2);
        ck_assert_uint_eq(at_energy_parameters(&c), SIZE);
        ck_assert_int_eq(at_energy_train_work_alloc(&work, &c, N, NULL), AT_OK);
        for (size_t k = 0; k < SIZE; k++)
            x[k] = 0.5 * at_test_normal(&r);
        for (size_t k = 0; k < N * D; k++)
            Y[k] = at_test_normal(&r);
        double loss = at_energy_loss(g, p, x, Y, N, label, &c, work);
        AT_EXPECT(&r, fabs(p[0] + p[1] - 1) < 1e-14 && fabs(loss + log(p[label])) < 1e-12, "%g %g",
                  p[0], loss);
        for (size_t k = 0; k < SIZE; k++) {
            double keep = x[k], f[4];
            static const double at[4] = { -2, -1, 1, 2 };
            for (size_t q = 0; q < 4; q++) {
                x[k] = keep + at[q] * h;
                f[q] = at_energy_loss(NULL, NULL, x, Y, N, label, &c, work);
            }
            x[k] = keep;
            double slope = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
            /* a kink of the ReLU may lie between the four points */
            AT_EXPECT(&r, fabs(slope - g[k]) < (c.relu ? 2e-2 : 1e-7) * (1 + fabs(g[k])),
                      "parameter %zu: "
                      "%.12g, by differences %.12g",
                      k, g[k], slope);
        }
        at_energy_train_work_free(work);

        layer l;
        at_energy_parts e[L + 1];
        double mean[D] = { 0 }, logit[2];
        open_layer(&l, AT_STEP_RELEASED, "exp", D, 1, x, x + D * D, x + 2 * D * D, N, 1);
        l.model.relu = c.relu;
        ck_assert_int_eq(at_energy_run(e, NULL, Y, N, L, &l.model, l.work, NULL), AT_OK);
        for (size_t k = 0; k < N * D; k++)
            mean[k % D] += Y[k] / N;
        for (size_t q = 0; q < 2; q++) {
            const double *row = x + 2 * D * D + D + q * (D + 1);
            logit[q] = row[D];
            for (size_t k = 0; k < D; k++)
                logit[q] += row[k] * mean[k];
        }
        double expected = log1p(exp(logit[1 - label] - logit[label]));
        AT_EXPECT(&r, fabs(expected - loss) < 1e-10 * (1 + loss), "%.15g, %.15g", expected, loss);
        close_layer(&l);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("energy_model");
    TCase *c = tcase_create("core");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, released_figures);
    tcase_add_test(c, mistakes);
    tcase_add_test(c, rho_checked);
    tcase_add_test(c, formula_is_table);
    tcase_add_test(c, classifier);
    suite_add_tcase(s, c);
    return s;
}

AT_CHECK_MAIN(suite)
