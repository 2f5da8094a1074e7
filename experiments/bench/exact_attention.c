/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the cost of exact attention against n, d and the logits' common denominator; with three
 * numbers n d denominator (and a seed), one instance as JSON: input, weights, the reduced fractions
 * of the output, seconds. exact_sympy.py beside it computes the same instance with SymPy. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "attest/experiments/bench/exact_instance.h"

static void print_matrix(const char *name, const fmpq_mat_t a)
{
    printf("\"%s\": [", name);
    for (slong i = 0; i < fmpq_mat_nrows(a); i++) {
        for (slong j = 0; j < fmpq_mat_ncols(a); j++) {
            char *text = fmpq_get_str(NULL, 10, fmpq_mat_entry(a, i, j));
            printf("%s\"%s\"", j > 0 ? ", " : i > 0 ? "], [" : "[", text);
            flint_free(text);
        }
    }
    printf("]],\n ");
}

static void print_sum(const at_expq_struct *x)
{
    const fmpz *parts[2] = { x->exps, x->coeffs };
    const fmpz *over[2] = { x->base, x->den };

    for (int p = 0; p < 2; p++) {
        printf("%s[", p > 0 ? ", " : "");
        for (slong k = 0; k < x->length; k++) {
            char *text = fmpz_get_str(NULL, 10, parts[p] + k);
            printf("%s%s", k > 0 ? ", " : "", text);
            flint_free(text);
        }
        char *text = fmpz_get_str(NULL, 10, over[p]);
        printf("], %s", text);
        flint_free(text);
    }
}

/* Each entry as numerator and denominator: [exponents, their denominator, coefficients, theirs]. */
static void print_output(const at_expqf_mat_t y)
{
    printf("\"output\": [");
    for (slong k = 0; k < y->rows * y->cols; k++) {
        printf("%s[[", k > 0 ? ",\n  " : "");
        print_sum(at_expqf_numref(y->entries + k));
        printf("], [");
        print_sum(at_expqf_denref(y->entries + k));
        printf("]]");
    }
    printf("],\n ");
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static int one_instance(const at_exact_case *size, unsigned long long seed, at_error *err)
{
    at_network_t net;
    at_expqf_mat_t y;
    fmpq_mat_t x;
    double start, seconds = 0;

    fmpq_mat_init(x, 0, 0), at_expqf_mat_init(y, 0, 0);
    int status = at_exact_instance(net, x, size, seed, err);
    if (status != AT_OK)
        return status;
    for (int k = 0; status == AT_OK && k < 5; k++) {
        start = now();
        status = at_network_head_exact(y, net, 0, 0, x, err);
        seconds = k == 0 || now() - start < seconds ? now() - start : seconds;
    }
    printf("{\"n\": %ld, \"d\": %ld, \"denominator\": %ld,\n ", size->n, size->d,
           size->denominator);
    print_matrix("x", x);
    print_matrix("query", net->layers[0].heads[0].query);
    print_matrix("key", net->layers[0].heads[0].key);
    print_matrix("value", net->layers[0].heads[0].value);
    print_output(y);
    printf("\"seconds\": %.6g}\n", seconds);
    at_network_clear(net);
    fmpq_mat_clear(x), at_expqf_mat_clear(y);
    return status;
}

int main(int argc, char **argv)
{
    at_error err = AT_ERROR_INIT;
    int status = AT_OK;

    if (argc >= 4) {
        at_exact_case size = { atol(argv[1]), atol(argv[2]), atol(argv[3]) };
        status = one_instance(&size, argc > 4 ? strtoull(argv[4], NULL, 10) : 1, &err);
    } else {
        printf("    n    d  denominator    ms\n");
        for (size_t k = 0; status == AT_OK && k < at_exact_case_count; k++) {
            double seconds;
            status = at_exact_seconds(&seconds, at_exact_cases + k, 11, &err);
            if (status == AT_OK)
                printf("%5ld%5ld%13ld%9.3f\n", at_exact_cases[k].n, at_exact_cases[k].d,
                       at_exact_cases[k].denominator, 1000 * seconds);
        }
    }
    if (status != AT_OK)
        fprintf(stderr, "exact_attention: %s\n", err.text);
    flint_cleanup();
    return status;
}
