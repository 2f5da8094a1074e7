/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluation of certificate expressions in balls, by recursive descent. */
#include "attest/theory/claim/fact_value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct { const char *at; slong prec; bool good; } reader;

static void read_sum(arb_t z, reader *r);

static void skip(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool take(reader *r, char c)
{
    skip(r);
    bool here = *r->at == c;
    r->at += here;
    return here;
}

/* Digits with at most one point. */
static void read_number(arb_t z, reader *r)
{
    char digits[256];
    size_t length = 0, decimals = 0;
    bool point = false;
    for (; isdigit((unsigned char) *r->at) || (*r->at == '.' && !point); r->at++) {
        if (*r->at == '.') {
            point = true;
            continue;
        }
        if (length + 1 < sizeof digits)
            digits[length++] = *r->at;
        decimals += point;
    }
    digits[length] = '\0';
    r->good = r->good && length > 0 && length + 1 < sizeof digits;
    if (!r->good)
        return;
    fmpq_t q;
    fmpq_init(q);
    fmpz_set_str(fmpq_numref(q), digits, 10);
    fmpz_ui_pow_ui(fmpq_denref(q), 10, decimals);
    fmpq_canonicalise(q);
    arb_set_fmpq(z, q, r->prec);
    fmpq_clear(q);
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || isalpha((unsigned char) r->at[length]))
        return false;
    r->at += length;
    return true;
}

static void read_parenthesis(arb_t z, reader *r)
{
    r->good = r->good && take(r, '(');
    if (r->good)
        read_sum(z, r);
    r->good = r->good && take(r, ')');
}

static void read_atom(arb_t z, reader *r)
{
    skip(r);
    if (*r->at == '(') {
        read_parenthesis(z, r);
    } else if (take_word(r, "exp")) {
        read_parenthesis(z, r);
        arb_exp(z, z, r->prec);
    } else if (take_word(r, "log")) {
        read_parenthesis(z, r);
        arb_log(z, z, r->prec);
    } else if (take_word(r, "sqrt")) {
        read_parenthesis(z, r);
        arb_sqrt(z, z, r->prec);
    } else if (take_word(r, "e")) {
        arb_const_e(z, r->prec);
    } else {
        read_number(z, r);
    }
}

/* atom, atom ^ k, e ^ rational; the exponent is an atom or minus an atom. */
static void read_power(arb_t z, reader *r)
{
    skip(r);
    bool base_is_e = r->at[0] == 'e' && !isalpha((unsigned char) r->at[1]);
    read_atom(z, r);
    if (!r->good || !take(r, '^'))
        return;
    arb_t exponent;
    fmpz_t k;
    arb_init(exponent);
    fmpz_init(k);
    bool negative = take(r, '-');
    read_atom(exponent, r);
    if (negative)
        arb_neg(exponent, exponent);
    if (r->good && base_is_e)
        arb_exp(z, exponent, r->prec);
    else if (r->good && arb_is_exact(exponent) && arb_get_unique_fmpz(k, exponent))
        arb_pow_fmpz(z, z, k, r->prec);
    else
        r->good = false;
    arb_clear(exponent);
    fmpz_clear(k);
}

static void read_signed(arb_t z, reader *r)
{
    if (take(r, '-')) {
        read_signed(z, r);
        arb_neg(z, z);
    } else {
        read_power(z, r);
    }
}

static void read_product(arb_t z, reader *r)
{
    arb_t t;
    arb_init(t);
    read_signed(z, r);
    while (r->good) {
        if (take(r, '*')) {
            read_signed(t, r);
            arb_mul(z, z, t, r->prec);
        } else if (take(r, '/')) {
            read_signed(t, r);
            arb_div(z, z, t, r->prec);
        } else {
            break;
        }
    }
    arb_clear(t);
}

static void read_sum(arb_t z, reader *r)
{
    arb_t t;
    arb_init(t);
    read_product(z, r);
    while (r->good) {
        if (take(r, '+')) {
            read_product(t, r);
            arb_add(z, z, t, r->prec);
        } else if (take(r, '-')) {
            read_product(t, r);
            arb_sub(z, z, t, r->prec);
        } else {
            break;
        }
    }
    arb_clear(t);
}

bool at_fact_eval(arb_t z, const char *expression, slong prec)
{
    reader r = { expression, prec, true };
    arb_zero(z);
    read_sum(z, &r);
    skip(&r);
    return r.good && *r.at == '\0';
}

/* The integer nearest to z·10^shift, when the ball allows only one. */
static bool nearest(fmpz_t m, const arb_t z, slong shift, slong prec)
{
    arb_t t, half;
    fmpz_t power;
    arb_init(t);
    arb_init(half);
    fmpz_init(power);
    fmpz_ui_pow_ui(power, 10, (ulong) FLINT_ABS(shift));
    if (shift >= 0)
        arb_mul_fmpz(t, z, power, prec);
    else
        arb_div_fmpz(t, z, power, prec);
    arb_set_d(half, 0.5);
    arb_add(t, t, half, prec);
    arb_floor(t, t, prec);
    bool one = arb_get_unique_fmpz(m, t);
    arb_clear(t);
    arb_clear(half);
    fmpz_clear(power);
    return one;
}

/* "m e -s" with AT_FACT_DIGITS digits of m; the right s is near the one from the binary exponent. */
static char *digits_of(const arb_t z, slong prec)
{
    enum { FARTHEST = 100000 };
    char *text = NULL;
    fmpz_t exponent, m;
    fmpz_init(exponent);
    fmpz_init(m);
    arf_abs_bound_lt_2exp_fmpz(exponent, arb_midref(z));
    slong bits = fmpz_cmp_si(exponent, FARTHEST) < 0 && fmpz_cmp_si(exponent, -FARTHEST) > 0
                 ? fmpz_get_si(exponent) : 0;
    slong shift = AT_FACT_DIGITS - (slong) ((double) bits * 0.30102999566398120);
    for (slong s = shift - 2; s <= shift + 2 && text == NULL; s++) {
        if (!nearest(m, z, s, prec + FLINT_ABS(4 * s)))
            continue;
        char *digits = fmpz_get_str(NULL, 10, m);
        if (strlen(digits + (digits[0] == '-')) == AT_FACT_DIGITS) {
            text = flint_malloc(strlen(digits) + 24);
            sprintf(text, "%se%ld", digits, (long) -s);
        }
        flint_free(digits);
    }
    fmpz_clear(exponent);
    fmpz_clear(m);
    return text;
}

char *at_fact_decimal(const char *expression)
{
    arb_t z;
    char *text = NULL;
    arb_init(z);
    for (slong prec = 512; prec <= 8192 && text == NULL; prec *= 2) {
        if (!at_fact_eval(z, expression, prec) || !arb_is_finite(z))
            break;
        if (arb_is_zero(z)) {
            text = flint_malloc(2);
            strcpy(text, "0");
            break;
        }
        if (arb_contains_zero(z))
            continue;
        text = digits_of(z, prec + 64);
    }
    arb_clear(z);
    return text;
}
