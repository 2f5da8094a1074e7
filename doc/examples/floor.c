/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far must every model that collapses on constant sequences stay from a function?
 *
 *     cc floor.c $(pkg-config --cflags --libs attest) $(pkg-config --variable=flint_libs attest)
 *
 * The function is i x_1 - i x_1^3 on [0, 1]^n: on the constant sequence t its outputs are
 * i (t - t^3), so the floor is (n-1)/2 times the largest t - t^3, which is irrational. */
#include "attest/theory/flint/compat.h"

#include <stdio.h>
#include <stdlib.h>

#include "attest/core/seqfun.h"
#include "attest/theory/flint/decimal.h"
#include "attest/theory/floor/floor.h"

static void show(const char *label, const qqbar_t x)
{
    arb_t ball;
    char *low, *high;

    arb_init(ball);
    qqbar_get_arb(ball, x, 128);
    low = at_arb_get_decimal(ball, 20, 0);
    high = at_arb_get_decimal(ball, 20, 1);
    printf("  %s between %s and %s, a root of ", label, low, high);
    fmpz_poly_print_pretty(QQBAR_POLY(x), "t");
    printf("\n");
    free(low);
    free(high);
    arb_clear(ball);
}

int main(void)
{
    at_error err = AT_ERROR_INIT;
    at_seqfun function;
    at_floor_t floor;
    fmpq_t low, high;
    int status;

    fmpq_init(low);                 /* 0 */
    fmpq_init(high);
    fmpq_set_si(high, 1, 1);
    at_floor_init(floor);
    status = at_seqfun_parse(&function, "i*x[1] - i*x[1]^3", &err);
    for (size_t n = 2; status == AT_OK && n <= 4; n++) {
        status = at_floor_collapsing(floor, &function, n, low, high, &err);
        if (status == AT_OK) {
            printf("n = %zu\n", n);
            show("floor   ", floor->value);
            show("constant", floor->constant);
        }
    }
    if (status != AT_OK)
        fprintf(stderr, "%s\n", err.text);
    at_seqfun_clear(&function);
    at_floor_clear(floor);
    fmpq_clear(low);
    fmpq_clear(high);
    flint_cleanup();
    return status;
}
