/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What coq.c and coq_rows.c read of a fact: its values, and expressions in Coq's words.  sum := product
 * { (+ or -) product }, product := signed { (* or /) signed }, signed := - signed | power, power := atom
 * [ ^ [-] atom ]; each reader returns malloc'ed text, or NULL once something does not read. */
#include "attest/experiments/verify/coq.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char *sum(const char **at);

/* Formats, and frees the texts given, of which NULL makes NULL: at most two. */
static char *wrap(char *a, char *b, bool two, const char *format, ...)
{
    char *out = NULL;

    if (a != NULL && (!two || b != NULL)) {
        va_list arguments;
        int length;

        va_start(arguments, format);
        length = vsnprintf(NULL, 0, format, arguments);
        va_end(arguments);
        out = length < 0 ? NULL : malloc((size_t) length + 1);
        if (out != NULL) {
            va_start(arguments, format);
            vsnprintf(out, (size_t) length + 1, format, arguments);
            va_end(arguments);
        }
    }
    free(a);
    free(b);
    return out;
}

static char peek(const char **at)
{
    while (isspace((unsigned char) **at))
        ++*at;
    return **at;
}

static bool take(const char **at, char wanted)
{
    if (peek(at) != wanted)
        return false;
    ++*at;
    return true;
}

/* The text between at and end as a copy. */
static char *copied(const char *at, const char *end)
{
    size_t length = (size_t) (end - at);
    char *out = malloc(length + 1);

    if (out != NULL) {
        memcpy(out, at, length);
        out[length] = '\0';
    }
    return out;
}

static char *parenthesised(const char **at)
{
    char *inside = take(at, '(') ? sum(at) : NULL;

    if (inside != NULL && !take(at, ')')) {
        free(inside);
        return NULL;
    }
    return inside;
}

/* exp of an exponent: a rational one without the parentheses that it came with, so that the same
 * exponent is always the same text. */
static char *exponential(char *exponent, bool negated)
{
    char *plain = exponent == NULL ? NULL : malloc(2 * strlen(exponent) + 8), *to = plain;
    long minus = negated;
    bool rational = exponent != NULL, slash = false;

    if (plain == NULL)
        return wrap(exponent, NULL, false, "%s", "");
    for (const char *from = exponent; *from != '\0'; from++) {
        if (strchr("() ", *from) != NULL)
            continue;
        if (*from == '-') {
            minus++;
        } else if (*from == '/' && !slash && to > plain) {
            slash = true;
            memcpy(to, " / ", 3);
            to += 3;
        } else if (isdigit((unsigned char) *from)) {
            *to++ = *from;
        } else {
            rational = false;
        }
    }
    *to = '\0';
    /* A sign inside a quotient, or two numbers in a row, is no plain rational. */
    if (!rational || minus > 1) {
        free(plain);
        return negated ? wrap(exponent, NULL, false, "(exp (- %s))", exponent)
                       : wrap(exponent, NULL, false, "(exp %s)", exponent);
    }
    return wrap(plain, exponent, true, "(exp (%s%s))", minus == 1 ? "-" : "", plain);
}

static char *atom(const char **at)
{
    static const struct { const char *ours, *coq; } functions[] = {
        {"exp", "exp"}, {"log", "ln"}, {"sqrt", "sqrt"}
    };
    const char *begin;

    if (peek(at) == '(')
        return parenthesised(at);
    begin = *at;
    if (isdigit((unsigned char) *begin)) {
        while (isdigit((unsigned char) **at) || **at == '.')
            ++*at;
        return copied(begin, *at);
    }
    while (isalpha((unsigned char) **at))
        ++*at;
    if (*at - begin == 1 && *begin == 'e')
        return exponential(copied("1", "1" + 1), false);
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        if (strlen(functions[f].ours) == (size_t) (*at - begin)
            && strncmp(functions[f].ours, begin, strlen(functions[f].ours)) == 0) {
            char *inside = parenthesised(at);

            return f == 0 ? exponential(inside, false)
                          : wrap(inside, NULL, false, "(%s %s)", functions[f].coq, inside);
        }
    return NULL;
}

static bool is_whole(const char *text)
{
    return text != NULL && *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* base^exponent: e's exponents are any rational, others whole numbers. */
static char *power(const char **at)
{
    const char *begin = (peek(at), *at);
    bool exponential_base = *begin == 'e' && !isalpha((unsigned char) begin[1]), negated;
    char *base = atom(at), *exponent;

    if (base == NULL || !take(at, '^'))
        return base;
    negated = take(at, '-');
    exponent = atom(at);
    if (exponential_base) {
        free(base);
        return exponential(exponent, negated);
    }
    if (exponent != NULL && strncmp(exponent, "(- ", 3) == 0) {
        size_t length = strlen(exponent);

        negated = !negated;
        memmove(exponent, exponent + 3, length - 4);
        exponent[length - 4] = '\0';
    }
    if (!is_whole(exponent)) {
        free(base);
        free(exponent);
        return NULL;
    }
    return wrap(base, exponent, true, negated ? "(/ (%s ^ %s))" : "(%s ^ %s)", base, exponent);
}

static char *signed_power(const char **at)
{
    char *inside;

    if (!take(at, '-'))
        return power(at);
    inside = signed_power(at);
    return wrap(inside, NULL, false, "(- %s)", inside);
}

static char *product(const char **at)
{
    char *left = signed_power(at);

    while (left != NULL && (peek(at) == '*' || peek(at) == '/')) {
        char operation = *(*at)++, *right = signed_power(at);

        left = wrap(left, right, true, "(%s %c %s)", left, operation, right);
    }
    return left;
}

static char *sum(const char **at)
{
    char *left = product(at);

    while (left != NULL && (peek(at) == '+' || peek(at) == '-')) {
        char operation = *(*at)++, *right = product(at);

        left = wrap(left, right, true, "(%s %c %s)", left, operation, right);
    }
    return left;
}

char *at_coq_expression(const char *text)
{
    char *out = sum(&text);

    if (out != NULL && peek(&text) != '\0') {
        free(out);
        return NULL;
    }
    return out;
}

const char *at_coq_value(const at_claim_record *fact, const char *key)
{
    for (size_t k = 0; k < fact->count; k++)
        if (strcmp(fact->pairs[k].key, key) == 0)
            return fact->pairs[k].value;
    return "";
}
