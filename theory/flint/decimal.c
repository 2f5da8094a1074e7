/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal text with directed rounding, by integer division only. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include <ctype.h>

#include "attest/theory/flint/decimal.h"

/* floor(log10 |x|) or one more, x nonzero. */
static slong decimal_exponent(const fmpq_t x)
{
    /* |num| lies within a factor of ten of 10^(sizeinbase - 1). */
    return (slong) fmpz_sizeinbase(fmpq_numref(x), 10)
           - (slong) fmpz_sizeinbase(fmpq_denref(x), 10);
}

/* m = x 10^shift rounded down or up. */
static void scaled_round(fmpz_t m, const fmpq_t x, slong shift, int up)
{
    fmpz_t num, den, power;

    fmpz_init_set(num, fmpq_numref(x));
    fmpz_init_set(den, fmpq_denref(x));
    fmpz_init(power);
    fmpz_set_ui(power, 10);
    fmpz_pow_ui(power, power, (ulong) (shift < 0 ? -shift : shift));
    fmpz_mul(shift < 0 ? den : num, shift < 0 ? den : num, power);
    if (up)
        fmpz_cdiv_q(m, num, den);
    else
        fmpz_fdiv_q(m, num, den);
    fmpz_clear(num);
    fmpz_clear(den);
    fmpz_clear(power);
}

/* Drops trailing zeros of the digits, whose last one stands for 10^exponent. */
static void drop_zeros(char *digits, slong *exponent)
{
    size_t length = strlen(digits);

    while (length > 1 && digits[length - 1] == '0') {
        digits[--length] = '\0';
        ++*exponent;
    }
}

/* The text of ± digits · 10^exponent. */
static char *compose(int negative, const char *digits, slong exponent)
{
    slong length = (slong) strlen(digits), point = length + exponent;   /* digits before it */
    size_t room = (size_t) (length + 64);
    const char *sign = negative ? "-" : "";
    char *text = malloc(room);

    if (text == NULL)
        return NULL;
    if (exponent >= 0 && point <= 40)
        snprintf(text, room, "%s%s%.*s", sign, digits, (int) exponent,
                 "0000000000000000000000000000000000000000");
    else if (exponent < 0 && point > 0)
        snprintf(text, room, "%s%.*s.%s", sign, (int) point, digits, digits + point);
    else if (exponent < 0 && point > -8)
        snprintf(text, room, "%s0.%.*s%s", sign, (int) -point, "00000000", digits);
    else
        snprintf(text, room, "%s%.1s%s%se%ld", sign, digits, length > 1 ? "." : "", digits + 1,
                 (long) (point - 1));
    return text;
}

char *at_fmpq_get_decimal(const fmpq_t x, slong digits, int up)
{
    fmpz_t m;
    slong exponent;
    char *text, *result;
    int negative;

    if (fmpq_is_zero(x))
        return strdup("0");
    fmpz_init(m);
    exponent = decimal_exponent(x) - digits + 1;
    scaled_round(m, x, -exponent, up);
    if ((slong) fmpz_sizeinbase(m, 10) < digits)   /* the estimate was one too high */
        scaled_round(m, x, -(--exponent), up);
    negative = fmpz_sgn(m) < 0;
    fmpz_abs(m, m);
    text = fmpz_get_str(NULL, 10, m);
    if (fmpz_is_zero(m))
        exponent = 0;
    drop_zeros(text, &exponent);
    result = compose(negative, text, exponent);
    flint_free(text);
    fmpz_clear(m);
    return result;
}

char *at_arb_get_decimal(const arb_t x, slong digits, int up)
{
    arf_t end;
    fmpq_t exact;
    char *text = NULL;

    arf_init(end);
    fmpq_init(exact);
    if (up)
        arb_get_ubound_arf(end, x, 4 * digits + 32);
    else
        arb_get_lbound_arf(end, x, 4 * digits + 32);
    if (arf_is_finite(end) && arf_abs_bound_lt_2exp_si(end) < 100000
        && arf_abs_bound_lt_2exp_si(end) > -100000) {
        arf_get_fmpq(exact, end);
        text = at_fmpq_get_decimal(exact, digits, up);
    } else if (arf_is_zero(end)) {
        text = strdup("0");
    }
    arf_clear(end);
    fmpq_clear(exact);
    return text;
}

int at_fmpq_set_text(fmpq_t x, const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = strspn(at, "0123456789"), places = 0, length;
    char *plain;
    int status;

    length = whole;
    if (at[length] == '.') {
        places = strspn(at + length + 1, "0123456789");
        length += 1 + places;
    } else if (at[length] == '/' && whole > 0) {
        size_t below = strspn(at + length + 1, "0123456789");

        if (below == 0 || strspn(at + length + 1, "0") == below)
            return -1;
        length += 1 + below;
    }
    if (at[length] != '\0' || whole + places == 0 || length > 1000)
        return -1;
    plain = malloc(length + places + 8);
    if (plain == NULL)
        return -1;
    if (strchr(at, '.') != NULL) {
        memcpy(plain, at, whole);
        memcpy(plain + whole, at + whole + 1, places);
        plain[whole + places] = '/';
        plain[whole + places + 1] = '1';
        memset(plain + whole + places + 2, '0', places);
        plain[whole + 2 * places + 2] = '\0';
    } else {
        memcpy(plain, at, length + 1);
    }
    status = fmpq_set_str(x, plain, 10);
    if (status == 0)
        fmpq_canonicalise(x);
    if (status == 0 && *text == '-')
        fmpq_neg(x, x);
    free(plain);
    return status == 0 ? 0 : -1;
}
