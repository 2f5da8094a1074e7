/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rpe.floor on functions: the certified floors of theory/floor against their known values. */
#include "attest/theory/claims/realized.h"

#include "attest/theory/floor/floor.h"

/* The floor of a function on [0, 1]: a rational p/q (0: none), or the root of a polynomial. */
typedef struct { const char *function; slong n, p, q; const char *polynomial; } known_floor;

static int floor_is(bool *equal, const known_floor *known, at_error *err)
{
    at_seqfun function;
    at_floor_t floor;
    fmpq_t low, high, value;
    fmpz_poly_t polynomial;
    int status = at_seqfun_parse(&function, known->function, err);
    if (status != AT_OK)
        return status;
    at_floor_init(floor);
    fmpq_init(low);
    fmpq_init(high);
    fmpq_init(value);
    fmpz_poly_init(polynomial);
    fmpq_one(high);
    status = at_floor_collapsing(floor, &function, (size_t) known->n, low, high, err);
    if (status == AT_OK && known->polynomial != NULL) {
        *equal = fmpz_poly_set_str(polynomial, known->polynomial) == 0
                 && fmpz_poly_equal(QQBAR_POLY(floor->value), polynomial)
                 && qqbar_sgn_re(floor->value) > 0;
    } else if (status == AT_OK) {
        qqbar_t stated;
        qqbar_init(stated);
        fmpq_set_si(value, known->p, (ulong) known->q);
        qqbar_set_fmpq(stated, value);
        *equal = qqbar_equal(floor->value, stated) && (floor->has_floor != 0) == (known->p != 0);
        qqbar_clear(stated);
    }
    at_floor_clear(floor);
    fmpq_clear(low);
    fmpq_clear(high);
    fmpq_clear(value);
    fmpz_poly_clear(polynomial);
    at_seqfun_clear(&function);
    return status;
}

int at_support_floors(at_claim_run *run, at_error *err)
{
    static const known_floor list[] = {
        { "position", 8, 7, 2, NULL },
        { "shift", 5, 1, 2, NULL },
        { "prefix-sum", 6, 5, 2, NULL },
        { "etp", 4, 1, 2, NULL },
        { "reversal", 6, 0, 1, NULL },
        { "running-mean", 6, 0, 1, NULL },
        { "i*x[1] - i*x[1]^3", 3, 0, 1, "3  -4 0 27" },     /* 27 t^2 - 4, at x = 1/sqrt(3) */
    };
    int status = AT_OK;
    for (size_t k = 0; k < sizeof list / sizeof list[0] && status == AT_OK; k++) {
        bool equal = false;
        char value[64];
        status = floor_is(&equal, &list[k], err);
        if (status != AT_OK)
            break;
        if (list[k].polynomial != NULL)
            snprintf(value, sizeof value, "2 sqrt(3)/9, root of 27t^2 - 4");
        else if (list[k].p == 0)
            snprintf(value, sizeof value, "none on constants");
        else
            snprintf(value, sizeof value, "%ld/%ld", (long) list[k].p, (long) list[k].q);
        at_claim_support(run, "certified floor on [0,1]", AT_METHOD_EXACT,
                         equal ? AT_TRUE : AT_UNKNOWN, "%s, n = %ld: %s", list[k].function,
                         (long) list[k].n, value);
    }
    return status;
}
