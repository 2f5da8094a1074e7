/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser of sequence functions: recursive descent over the grammar of seqfun.h, straight
 * to the postfix program.  Hostile input meets limits on length, nesting, degree and size. */
#include "config.h"

#include "attest/core/seqfun_impl.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/tables.h"

enum { DEEPEST = 200, HIGHEST_DEGREE = 64 };

/* Bits of the largest value: i and n count as 32 of them. */
static const double MOST_BITS = 1e6;

typedef struct {
    const char *text, *at;
    at_seqfun *fun;
    size_t space;         /* instructions allocated */
    size_t depth;         /* values on the stack now */
    unsigned nesting;
    bool in_index;
    bool unknown_name;    /* the failure is a name that is none of ours */
    at_error *err;
} parser;

/* What a subexpression is, as far as the limits need to know. */
typedef struct {
    unsigned degree;
    bool has_x;
    double bits;
} extent;

static int parse_formula(parser *p, extent *e);

static int fail_at(parser *p, const char *where, const char *what)
{
    return at_error_set(p->err, AT_USAGE, "column %zu of the formula: %s",
                        (size_t) (where - p->text) + 1, what);
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool accept(parser *p, char symbol)
{
    skip_blanks(p);
    if (*p->at != symbol)
        return false;
    p->at++;
    return true;
}

static int expect(parser *p, char symbol, const char *what)
{
    return accept(p, symbol) ? AT_OK : fail_at(p, p->at, what);
}

/* pops values are taken from the stack, one is pushed. */
static int emit(parser *p, enum at_op op, size_t pops, char *text, unsigned power)
{
    at_seqfun *fun = p->fun;

    if (fun->length == p->space) {
        size_t space = p->space == 0 ? 16 : 2 * p->space;
        at_instruction *grown = realloc(fun->code, space * sizeof *grown);

        if (grown == NULL) {
            free(text);
            return at_error_memory(p->err, "a formula");
        }
        fun->code = grown;
        p->space = space;
    }
    fun->code[fun->length++] = (at_instruction) {op, text, power};
    p->depth = p->depth - pops + 1;
    if (p->depth > fun->stack)
        fun->stack = p->depth;
    return AT_OK;
}

static int check_extent(parser *p, const char *where, const extent *e)
{
    if (e->degree > HIGHEST_DEGREE)
        return fail_at(p, where, "the degree in x passes 64");
    if (e->bits > MOST_BITS)
        return fail_at(p, where, "the numbers grow past a million bits; lower the exponents");
    return AT_OK;
}

static int parse_number(parser *p, extent *e)
{
    const char *start = p->at;
    char digits[AT_MOST_DIGITS + 1];
    size_t count = 0, places = 0;
    bool point = false;
    char *text;

    for (; isdigit((unsigned char) *p->at) || (*p->at == '.' && !point); p->at++) {
        if (*p->at == '.') {
            point = true;
            continue;
        }
        if (count == AT_MOST_DIGITS)
            return fail_at(p, start, "a number has more than 200 digits");
        digits[count++] = *p->at;
        places += point;
    }
    digits[count] = '\0';
    if (count == 0)
        return fail_at(p, start, "a point without digits; a number looks like 3 or 0.5");
    if (*p->at == '.')
        return fail_at(p, p->at, "a second decimal point in one number");
    text = at_decimal_reduce(digits, places);
    if (text == NULL)
        return at_error_memory(p->err, "a formula");
    *e = (extent) {0, false, 4.0 * (double) (count + places)};
    return emit(p, AT_OP_CONST, 0, text, 0);
}

/* index "]" or index ",": a formula without x. */
static int parse_index(parser *p, char end, const char *what)
{
    bool outer = p->in_index;
    extent e;
    int status;

    p->in_index = true;
    status = parse_formula(p, &e);
    p->in_index = outer;
    return status != AT_OK ? status : expect(p, end, what);
}

static int parse_x(parser *p, const char *start, extent *e)
{
    int status;

    if (p->in_index)
        return fail_at(p, start, "an index holds i, n and numbers only, no x");
    status = expect(p, '[', "expected [ after x: an input is written x[i], x[2*i], x[1]");
    if (status == AT_OK)
        status = parse_index(p, ']', "expected ] after the index");
    if (status != AT_OK)
        return status;
    *e = (extent) {1, true, 1};
    return emit(p, AT_OP_X, 1, NULL, 0);
}

static int parse_sum(parser *p, const char *start, extent *e)
{
    int status;

    if (p->in_index)
        return fail_at(p, start, "an index holds i, n and numbers only, no sum");
    status = expect(p, '(', "expected ( after sum: x[lo] + ... + x[hi] is written sum(lo, hi)");
    if (status == AT_OK)
        status = parse_index(p, ',', "expected a comma: sum(lo, hi)");
    if (status == AT_OK)
        status = parse_index(p, ')', "expected ) after sum(lo, hi");
    if (status != AT_OK)
        return status;
    *e = (extent) {1, true, 32};
    return emit(p, AT_OP_SUM_X, 2, NULL, 0);
}

static int parse_half(parser *p, const char *start, extent *e)
{
    extent first, second;
    int status;

    if (p->in_index)
        return fail_at(p, start, "an index holds i, n and numbers only, no half");
    status = expect(p, '(', "expected ( after half: half(a, b) is a where i <= n/2, else b");
    if (status == AT_OK)
        status = parse_formula(p, &first);
    if (status == AT_OK)
        status = expect(p, ',', "expected a comma: half(a, b)");
    if (status == AT_OK)
        status = parse_formula(p, &second);
    if (status == AT_OK)
        status = expect(p, ')', "expected ) after half(a, b");
    if (status != AT_OK)
        return status;
    e->degree = first.degree > second.degree ? first.degree : second.degree;
    e->bits = first.bits > second.bits ? first.bits : second.bits;
    e->has_x = first.has_x || second.has_x;
    return emit(p, AT_OP_IF_HALF, 2, NULL, 0);
}

static int unknown_name(parser *p, const char *start, size_t length)
{
    static const char *const known[] = {"x", "i", "n", "sum", "half"};
    char word[64] = "", message[256];
    const char *near = NULL;

    p->unknown_name = true;
    if (length < sizeof word) {
        memcpy(word, start, length);
        near = length > 1 ? at_nearest(word, known, sizeof known / sizeof *known) : NULL;
    }
    skip_blanks(p);
    if (word[0] == 'x' && (isdigit((unsigned char) word[1]) || word[1] == '_' || length == 2))
        snprintf(message, sizeof message, "unknown name '%.40s'; token k is written x[k], such as "
                 "x[1], x[i], x[n+1-i]", word);
    else if (near != NULL && strlen(near) > 1)
        snprintf(message, sizeof message, "unknown name '%s'; did you mean '%s'?", word, near);
    else if (*p->at == '(' && word[0] != '\0')
        snprintf(message, sizeof message, "there is no function '%.40s' in a formula: it is a "
                 "polynomial in x[...], with sum(lo, hi) and half(a, b)", word);
    else
        snprintf(message, sizeof message, "unknown name '%.40s'; a formula knows x[...], i, n, "
                 "sum(lo, hi) and half(a, b)", length < sizeof word ? word : "...");
    return fail_at(p, start, message);
}

static int parse_word(parser *p, extent *e)
{
    const char *start = p->at;
    size_t length;

    while (isalnum((unsigned char) *p->at) || *p->at == '_')
        p->at++;
    length = (size_t) (p->at - start);
    *e = (extent) {0, false, 32};
    if (length == 1 && *start == 'x')
        return parse_x(p, start, e);
    if (length == 1 && *start == 'i')
        return emit(p, AT_OP_I, 0, NULL, 0);
    if (length == 1 && *start == 'n')
        return emit(p, AT_OP_N, 0, NULL, 0);
    if (length == 3 && memcmp(start, "sum", 3) == 0)
        return parse_sum(p, start, e);
    if (length == 4 && memcmp(start, "half", 4) == 0)
        return parse_half(p, start, e);
    return unknown_name(p, start, length);
}

static int parse_atom(parser *p, extent *e)
{
    int status;

    skip_blanks(p);
    if (isdigit((unsigned char) *p->at) || *p->at == '.')
        return parse_number(p, e);
    if (isalpha((unsigned char) *p->at) || *p->at == '_')
        return parse_word(p, e);
    if (accept(p, '(')) {
        status = parse_formula(p, e);
        return status != AT_OK ? status : expect(p, ')', "expected ) or an operator");
    }
    if (*p->at == '\0')
        return fail_at(p, p->at, "the formula ends where a number, i, n, x[...] or ( was expected");
    if ((unsigned char) *p->at >= 0x80)
        return fail_at(p, p->at, "a character outside ASCII; write - for minus, * for times");
    return fail_at(p, p->at, "expected a number, i, n, x[...] or (");
}

/* "^" INTEGER, or "**" INTEGER, behind an atom. */
static int parse_power(parser *p, extent *e)
{
    const char *start = p->at;
    unsigned exponent = 0;

    skip_blanks(p);
    if (!isdigit((unsigned char) *p->at))
        return fail_at(p, p->at, "an exponent is a whole number such as 2, without a sign");
    for (; isdigit((unsigned char) *p->at); p->at++) {
        exponent = 10 * exponent + (unsigned) (*p->at - '0');
        if (exponent > HIGHEST_DEGREE)
            return fail_at(p, start, "an exponent passes 64");
    }
    if (*p->at == '.')
        return fail_at(p, start, "an exponent is a whole number such as 2");
    skip_blanks(p);
    if (*p->at == '^' || (p->at[0] == '*' && p->at[1] == '*'))
        return fail_at(p, p->at, "a power of a power needs parentheses: (a^b)^c");
    e->degree *= exponent;
    e->bits *= exponent;
    if (check_extent(p, start, e) != AT_OK)
        return AT_USAGE;
    return emit(p, AT_OP_POW, 1, NULL, exponent);
}

static int parse_factor(parser *p, extent *e)
{
    int status;

    skip_blanks(p);
    if (p->nesting >= DEEPEST)
        return fail_at(p, p->at, "nested more than 200 deep");
    p->nesting++;
    if (accept(p, '-')) {
        status = parse_factor(p, e);
        if (status == AT_OK)
            status = emit(p, AT_OP_NEG, 1, NULL, 0);
    } else if (accept(p, '+')) {
        status = parse_factor(p, e);
    } else {
        status = parse_atom(p, e);
        skip_blanks(p);
        if (status == AT_OK && accept(p, '^'))
            status = parse_power(p, e);
        else if (status == AT_OK && p->at[0] == '*' && p->at[1] == '*') {
            p->at += 2;
            status = parse_power(p, e);
        }
    }
    p->nesting--;
    return status;
}

static int parse_term(parser *p, extent *e)
{
    int status = parse_factor(p, e);

    while (status == AT_OK) {
        const char *start;
        bool divides;
        extent right;

        skip_blanks(p);
        start = p->at;
        if (*start != '*' && *start != '/')
            break;
        divides = *start == '/';
        p->at++;
        status = parse_factor(p, &right);
        if (status != AT_OK)
            break;
        if (divides && right.has_x)
            return fail_at(p, start, "a divisor holds no x: only polynomials have floors here");
        e->degree += right.degree;
        e->has_x |= right.has_x;
        e->bits += right.bits;
        status = check_extent(p, start, e);
        if (status == AT_OK)
            status = emit(p, divides ? AT_OP_DIV : AT_OP_MUL, 2, NULL, 0);
    }
    return status;
}

static int parse_formula(parser *p, extent *e)
{
    int status = parse_term(p, e);

    while (status == AT_OK) {
        const char *start;
        extent right;

        skip_blanks(p);
        start = p->at;
        if (*start != '+' && *start != '-')
            break;
        p->at++;
        status = parse_term(p, &right);
        if (status != AT_OK)
            break;
        e->degree = right.degree > e->degree ? right.degree : e->degree;
        e->has_x |= right.has_x;
        e->bits += right.bits + 1;
        status = check_extent(p, start, e);
        if (status == AT_OK)
            status = emit(p, *start == '+' ? AT_OP_ADD : AT_OP_SUB, 2, NULL, 0);
    }
    return status;
}

/* What may be wrong where a whole formula is followed by something. */
static int trailing(parser *p)
{
    char c = *p->at;

    if (c == ')')
        return fail_at(p, p->at, "a ) without its (");
    if (c == ']')
        return fail_at(p, p->at, "a ] without its [");
    if (isalnum((unsigned char) c) || c == '(' || c == '.')
        return fail_at(p, p->at, "expected an operator; a product is written with *");
    if (c == ',')
        return fail_at(p, p->at, "a comma outside sum( , ) and half( , ); decimals have a point");
    if ((unsigned char) c >= 0x80)
        return fail_at(p, p->at, "a character outside ASCII; write - for minus, * for times");
    return fail_at(p, p->at, "expected an operator or the end");
}

int at_seqfun_compile(at_seqfun *fun, const char *formula, bool *unknown_name, at_error *err)
{
    parser p = {.text = formula, .at = formula, .fun = fun, .err = err};
    extent e = {0, false, 0};
    int status = parse_formula(&p, &e);

    if (status == AT_OK) {
        skip_blanks(&p);
        if (*p.at != '\0')
            status = trailing(&p);
    }
    fun->degree = e.degree;
    *unknown_name = p.unknown_name;
    return status;
}
