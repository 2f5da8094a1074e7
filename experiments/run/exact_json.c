/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact and enclosed numbers as JSON and as text. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/experiments/run/exact_json.h"
#include "attest/theory/flint/decimal.h"

enum { DIGITS = 20, PRECISION = 128 };

json_t *at_json_fmpq(const fmpq_t x)
{
    char *text = fmpq_get_str(NULL, 10, x);
    json_t *value = json_string(text);

    flint_free(text);
    return value;
}

json_t *at_json_enclosure(const arb_t x)
{
    char *low = at_arb_get_decimal(x, DIGITS, 0), *high = at_arb_get_decimal(x, DIGITS, 1);
    json_t *value = json_pack("[s?, s?]", low, high);

    free(low);
    free(high);
    return value;
}

json_t *at_json_minimal_polynomial(const qqbar_t x)
{
    json_t *list = json_array();
    fmpz_t c;

    fmpz_init(c);
    for (slong k = 0; k <= qqbar_degree(x); k++) {
        fmpz_poly_get_coeff_fmpz(c, QQBAR_POLY(x), k);
        if (fmpz_fits_si(c)) {
            json_array_append_new(list, json_integer(fmpz_get_si(c)));
        } else {
            char *text = fmpz_get_str(NULL, 10, c);

            json_array_append_new(list, json_string(text));
            flint_free(text);
        }
    }
    fmpz_clear(c);
    return list;
}

json_t *at_json_algebraic(const qqbar_t x)
{
    json_t *value;

    if (qqbar_is_rational(x)) {
        fmpq_t q;

        fmpq_init(q);
        qqbar_get_fmpq(q, x);
        value = at_json_fmpq(q);
        fmpq_clear(q);
    } else {
        arb_t ball;

        arb_init(ball);
        qqbar_get_arb(ball, x, PRECISION);
        value = json_pack("{s:o, s:o}", "enclosure", at_json_enclosure(ball),
                          "minimal_polynomial", at_json_minimal_polynomial(x));
        arb_clear(ball);
    }
    return value;
}

char *at_text_algebraic(const qqbar_t x)
{
    char *text = NULL, *number, *polynomial;
    size_t room;

    if (qqbar_is_rational(x)) {
        fmpq_t q;

        fmpq_init(q);
        qqbar_get_fmpq(q, x);
        number = fmpq_get_str(NULL, 10, q);
        text = strdup(number);
        flint_free(number);
        fmpq_clear(q);
    } else {
        arb_t ball;

        arb_init(ball);
        qqbar_get_arb(ball, x, PRECISION);
        number = at_arb_get_decimal(ball, DIGITS, 0);
        polynomial = qqbar_degree(x) <= 8 ? fmpz_poly_get_str_pretty(QQBAR_POLY(x), "t") : NULL;
        room = (number != NULL ? strlen(number) : 0) + 64
               + (polynomial != NULL ? strlen(polynomial) : 0);
        text = malloc(room);
        if (text != NULL && polynomial != NULL)
            snprintf(text, room, "%s..., a root of %s", number != NULL ? number : "?", polynomial);
        else if (text != NULL)
            snprintf(text, room, "%s..., algebraic of degree %ld", number != NULL ? number : "?",
                     (long) qqbar_degree(x));
        free(number);
        flint_free(polynomial);
        arb_clear(ball);
    }
    return text;
}
