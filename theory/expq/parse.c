/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads elements of ℚ(e^ℚ): recursive descent over
 *     sum = product (± product)*,  product = sign (* / sign)*,  sign = ± sign | power,
 *     power = atom (^ sign)?,  atom = number | e | exp ( sum ) | ( sum ). */
#include "attest/theory/expq/impl.h"

#include <ctype.h>

enum { DEEPEST = 200, LARGEST_POWER = 10000, LONGEST_TEXT = 1 << 24 };

typedef struct {
    const char *text, *at;
    int depth;
    at_error *err;
} parser;

static int fail(const parser *p, const char *what)
{
    return at_error_set(p->err, AT_INPUT, "column %ld: %s", (long) (p->at - p->text) + 1, what);
}

static void skip(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

/* True, and past it, when the next thing is c. */
static bool take(parser *p, char c)
{
    skip(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static int parse_sum(at_expqf_t x, parser *p);
static int parse_sign(at_expqf_t x, parser *p);

/* Digits with an optional decimal part. */
static int parse_number(at_expqf_t x, parser *p)
{
    fmpq_t c;
    fmpz_t ten;

    fmpq_init(c), fmpz_init_set_ui(ten, 10);
    for (; isdigit((unsigned char) *p->at); p->at++) {
        fmpz_mul_ui(fmpq_numref(c), fmpq_numref(c), 10);
        fmpz_add_ui(fmpq_numref(c), fmpq_numref(c), (ulong) (*p->at - '0'));
    }
    if (*p->at == '.') {
        for (p->at++; isdigit((unsigned char) *p->at); p->at++) {
            fmpz_mul_ui(fmpq_numref(c), fmpq_numref(c), 10);
            fmpz_add_ui(fmpq_numref(c), fmpq_numref(c), (ulong) (*p->at - '0'));
            fmpz_mul(fmpq_denref(c), fmpq_denref(c), ten);
        }
    }
    fmpq_canonicalise(c);
    at_expqf_set_fmpq(x, c);
    fmpq_clear(c), fmpz_clear(ten);
    return AT_OK;
}

/* x = e^y for rational y. */
static int raise_e(at_expqf_t x, const at_expqf_t y, const parser *p)
{
    fmpq_t r;

    fmpq_init(r);
    bool rational = at_expqf_get_fmpq(r, y);
    if (rational)
        at_expqf_set_exp(x, r);
    fmpq_clear(r);
    return rational ? AT_OK : fail(p, "the exponent of e must be rational");
}

static int parse_parenthesis(at_expqf_t x, parser *p)
{
    if (!take(p, '('))
        return fail(p, "expected (");
    int status = parse_sum(x, p);
    if (status == AT_OK && !take(p, ')'))
        status = fail(p, "expected )");
    return status;
}

/* x^k for an integer k. */
static int raise_to(at_expqf_t x, const at_expqf_t exponent, const parser *p)
{
    fmpq_t k;
    fmpz_t size;
    int status = AT_OK;

    fmpq_init(k), fmpz_init(size);
    if (!at_expqf_get_fmpq(k, exponent) || !fmpz_is_one(fmpq_denref(k)))
        status = fail(p, "powers of anything but e are integers");
    fmpz_abs(size, fmpq_numref(k));
    if (status == AT_OK && fmpz_cmp_si(size, LARGEST_POWER) > 0)
        status = fail(p, "a power is at most 10000");
    slong terms = at_expq_length(&x->num) + at_expq_length(&x->den);
    if (status == AT_OK && terms > 2 && fmpz_cmp_si(size, LARGEST_POWER / terms) > 0)
        status = fail(p, "the power has too many terms");
    if (status == AT_OK && fmpq_sgn(k) < 0 && at_expqf_is_zero(x))
        status = fail(p, "division by zero");
    if (status == AT_OK) {
        ulong power = fmpz_get_ui(size);
        if (fmpq_sgn(k) < 0)
            at_expqf_inv(x, x);
        at_expq_pow_ui(&x->num, &x->num, power);
        at_expq_pow_ui(&x->den, &x->den, power);
    }
    fmpq_clear(k), fmpz_clear(size);
    return status;
}

static int parse_atom(at_expqf_t x, bool *is_e, parser *p)
{
    *is_e = false;
    skip(p);
    if (isdigit((unsigned char) *p->at)
        || (*p->at == '.' && isdigit((unsigned char) p->at[1])))
        return parse_number(x, p);
    if (*p->at == '(')
        return parse_parenthesis(x, p);
    if (strncmp(p->at, "exp", 3) == 0 && !isalnum((unsigned char) p->at[3])) {
        p->at += 3;
        int status = parse_parenthesis(x, p);
        return status != AT_OK ? status : raise_e(x, x, p);
    }
    if (*p->at == 'e' && !isalnum((unsigned char) p->at[1])) {
        fmpq_t one;
        p->at++;
        *is_e = true;
        fmpq_init(one);
        fmpq_one(one);
        at_expqf_set_exp(x, one);
        fmpq_clear(one);
        return AT_OK;
    }
    return fail(p, "expected a number, e, exp or (");
}

static int parse_power(at_expqf_t x, parser *p)
{
    at_expqf_t exponent;
    bool is_e;
    int status = parse_atom(x, &is_e, p);

    if (status != AT_OK || !take(p, '^'))
        return status;
    at_expqf_init(exponent);
    status = parse_sign(exponent, p);
    if (status == AT_OK)
        status = is_e ? raise_e(x, exponent, p) : raise_to(x, exponent, p);
    at_expqf_clear(exponent);
    return status;
}

static int parse_sign(at_expqf_t x, parser *p)
{
    int status;

    if (++p->depth > DEEPEST)
        return fail(p, "nested more than 200 deep");
    if (take(p, '-')) {
        status = parse_sign(x, p);
        at_expqf_neg(x, x);
    } else if (take(p, '+')) {
        status = parse_sign(x, p);
    } else {
        status = parse_power(x, p);
    }
    p->depth--;
    return status;
}

static int parse_product(at_expqf_t x, parser *p)
{
    at_expqf_t y;
    int status = parse_sign(x, p);

    at_expqf_init(y);
    while (status == AT_OK) {
        bool times = take(p, '*');
        if (!times && !take(p, '/'))
            break;
        status = parse_sign(y, p);
        if (status == AT_OK && times)
            at_expqf_mul(x, x, y);
        else if (status == AT_OK && at_expqf_is_zero(y))
            status = fail(p, "division by zero");
        else if (status == AT_OK)
            at_expqf_div(x, x, y);
    }
    at_expqf_clear(y);
    return status;
}

static int parse_sum(at_expqf_t x, parser *p)
{
    at_expqf_t y;
    int status = parse_product(x, p);

    at_expqf_init(y);
    while (status == AT_OK) {
        bool plus = take(p, '+');
        if (!plus && !take(p, '-'))
            break;
        status = parse_product(y, p);
        if (status == AT_OK && plus)
            at_expqf_add(x, x, y);
        else if (status == AT_OK)
            at_expqf_sub(x, x, y);
    }
    at_expqf_clear(y);
    return status;
}

int at_expqf_set_str(at_expqf_t x, const char *text, at_error *err)
{
    parser p = { text, text, 0, err };
    at_expqf_t y;

    if (strlen(text) > LONGEST_TEXT)
        return at_error_set(err, AT_INPUT, "longer than 16 million characters");
    at_expqf_init(y);
    int status = parse_sum(y, &p);
    skip(&p);
    if (status == AT_OK && *p.at != '\0')
        status = fail(&p, "expected an operator or the end");
    if (status == AT_OK)
        at_expqf_swap(x, y);
    at_expqf_clear(y);
    return status;
}
