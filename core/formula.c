/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas in one variable: see formula.h.  A recursive-descent parser that emits
 * postfix code, and an interpreter over jets (value, first, second derivative). */
#include "attest/core/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1024, DEEPEST = 50 };

typedef struct {
    const char *text, *at;
    at_formula *out;
    size_t depth;       /* of the stack when the code emitted so far has run */
    int nesting;
    at_error *err;
} parser;

static int parse_sum(parser *p);

static int fail(parser *p, const char *what)
{
    return at_error_set(p->err, AT_USAGE, "formula '%s', column %zu: %s", p->text,
                        (size_t) (p->at - p->text) + 1, what);
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char) *p->at))
        p->at++;
}

static int emit(parser *p, at_formula_step step, int pushes)
{
    p->depth = (size_t) ((long) p->depth + pushes);
    if (p->depth > AT_FORMULA_STACK)
        return fail(p, "too deep; write it with fewer open operations");
    p->out->code[p->out->length++] = step;   /* room for one step a byte of text */
    return AT_OK;
}

static int parse_number(parser *p)
{
    const char *start = p->at;
    char *end;
    at_formula_step step = { .op = AT_FORMULA_CONST };

    while (isdigit((unsigned char) *p->at) || *p->at == '.')
        p->at++;
    if ((*p->at == 'e' || *p->at == 'E')
        && (isdigit((unsigned char) p->at[1])
            || ((p->at[1] == '-' || p->at[1] == '+') && isdigit((unsigned char) p->at[2])))) {
        p->at += 2;
        while (isdigit((unsigned char) *p->at))
            p->at++;
    }
    size_t length = (size_t) (p->at - start);
    if (length >= sizeof step.text)
        return fail(p, "a number of more than 39 characters");
    memcpy(step.text, start, length);
    step.value = strtod(step.text, &end);
    if (*end != '\0' || !isfinite(step.value)) {
        p->at = start;
        return fail(p, "expected a number such as 2, 0.5 or 1e-3");
    }
    return emit(p, step, 1);
}

static const struct { const char *name; enum at_formula_op op; } functions[] = {
    { "exp", AT_FORMULA_EXP }, { "log", AT_FORMULA_LOG }, { "sqrt", AT_FORMULA_SQRT },
};

static int parse_word(parser *p)
{
    const char *start = p->at;
    int status;

    while (isalpha((unsigned char) *p->at))
        p->at++;
    size_t length = (size_t) (p->at - start);
    if (length == 1 && *start == 'z')
        return emit(p, (at_formula_step) { .op = AT_FORMULA_Z }, 1);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        if (strlen(functions[k].name) != length || strncmp(start, functions[k].name, length) != 0)
            continue;
        skip_blanks(p);
        if (*p->at != '(')
            return fail(p, "expected ( after the function's name");
        p->at++;
        if ((status = parse_sum(p)) != AT_OK)
            return status;
        if (*p->at != ')')
            return fail(p, "expected )");
        p->at++;
        return emit(p, (at_formula_step) { .op = functions[k].op }, 0);
    }
    p->at = start;
    return fail(p, "the names are z, exp, log and sqrt");
}

static int parse_atom(parser *p)
{
    int status;

    skip_blanks(p);
    if (isdigit((unsigned char) *p->at) || *p->at == '.')
        return parse_number(p);
    if (isalpha((unsigned char) *p->at))
        return parse_word(p);
    if (*p->at != '(')
        return fail(p, "expected a number, z, a function or (");
    p->at++;
    if ((status = parse_sum(p)) != AT_OK)
        return status;
    if (*p->at != ')')
        return fail(p, "expected )");
    p->at++;
    return AT_OK;
}

/* atom ^ integer, the integer perhaps negative or in parentheses. */
static int parse_power(parser *p)
{
    int status = parse_atom(p);
    char *end;

    if (status != AT_OK)
        return status;
    skip_blanks(p);
    if (*p->at != '^')
        return AT_OK;
    p->at++;
    skip_blanks(p);
    int closing = *p->at == '(';
    if (closing)
        p->at++;
    long power = strtol(p->at, &end, 10);
    if (end == p->at || power > 64 || power < -64)
        return fail(p,
                    "expected a whole exponent from -64 to 64; for others use sqrt, exp and log");
    p->at = end;
    skip_blanks(p);
    if (closing && *p->at++ != ')') {
        p->at--;
        return fail(p, "expected ) after a whole exponent; for others use sqrt, exp and log");
    }
    skip_blanks(p);
    if (*p->at == '^' || *p->at == '.')
        return fail(p, "the exponent is one whole number");
    return emit(p, (at_formula_step) { .op = AT_FORMULA_POW, .power = (int) power }, 0);
}

static int parse_signed(parser *p)
{
    int status;

    skip_blanks(p);
    if (*p->at != '-' && *p->at != '+')
        return parse_power(p);
    int negative = *p->at == '-';
    p->at++;
    if (++p->nesting > DEEPEST)
        return fail(p, "nested too deeply");
    status = parse_signed(p);
    p->nesting--;
    if (status == AT_OK && negative)
        status = emit(p, (at_formula_step) { .op = AT_FORMULA_NEG }, 0);
    return status;
}

static int parse_product(parser *p)
{
    int status = parse_signed(p);

    for (;;) {
        skip_blanks(p);
        if (status != AT_OK || (*p->at != '*' && *p->at != '/'))
            return status;
        enum at_formula_op op = *p->at == '*' ? AT_FORMULA_MUL : AT_FORMULA_DIV;
        p->at++;
        if ((status = parse_signed(p)) == AT_OK)
            status = emit(p, (at_formula_step) { .op = op }, -1);
    }
}

static int parse_sum(parser *p)
{
    if (++p->nesting > DEEPEST)
        return fail(p, "nested too deeply");
    int status = parse_product(p);
    for (;;) {
        skip_blanks(p);
        if (status != AT_OK || (*p->at != '+' && *p->at != '-'))
            break;
        enum at_formula_op op = *p->at == '+' ? AT_FORMULA_ADD : AT_FORMULA_SUB;
        p->at++;
        if ((status = parse_product(p)) == AT_OK)
            status = emit(p, (at_formula_step) { .op = op }, -1);
    }
    p->nesting--;
    return status;
}

int at_formula_parse(at_formula *formula, const char *text, at_error *err)
{
    size_t length = strlen(text);
    parser p = { text, text, formula, 0, 0, err };

    *formula = (at_formula) { 0 };
    if (length > LONGEST)
        return at_error_set(err, AT_USAGE, "a formula of %zu bytes; at most %d", length, LONGEST);
    formula->source = strdup(text);
    formula->code = calloc(length + 1, sizeof *formula->code);
    if (formula->source == NULL || formula->code == NULL) {
        at_formula_clear(formula);
        return at_error_memory(err, "a formula");
    }
    int status = parse_sum(&p);
    if (status == AT_OK && *p.at != '\0')
        status = fail(&p, "expected an operator or the end");
    if (status != AT_OK)
        at_formula_clear(formula);
    return status;
}

void at_formula_clear(at_formula *formula)
{
    free(formula->source);
    free(formula->code);
    *formula = (at_formula) { 0 };
}

/* g∘f from f's jet and g's value and derivatives at f. */
static at_jet chain(at_jet f, double g, double g1, double g2)
{
    return (at_jet) { g, g1 * f.first, g2 * f.first * f.first + g1 * f.second };
}

static at_jet times(at_jet a, at_jet b)
{
    return (at_jet) { a.value * b.value, a.first * b.value + a.value * b.first,
                      a.second * b.value + 2 * a.first * b.first + a.value * b.second };
}

static double whole_power(double x, int k)
{
    return k == 0 ? 1.0 : pow(x, k);
}

static at_jet power(at_jet f, int k)
{
    return chain(f, whole_power(f.value, k), k == 0 ? 0.0 : k * whole_power(f.value, k - 1),
                 k == 0 || k == 1 ? 0.0 : (double) k * (k - 1) * whole_power(f.value, k - 2));
}

static at_jet apply_function(enum at_formula_op op, at_jet f)
{
    double x = f.value;

    if (op == AT_FORMULA_EXP)
        return chain(f, exp(x), exp(x), exp(x));
    if (op == AT_FORMULA_LOG)
        return chain(f, log(x), 1 / x, -1 / (x * x));
    return chain(f, sqrt(x), 0.5 / sqrt(x), -0.25 / (x * sqrt(x)));
}

at_jet at_formula_eval(const at_formula *formula, double z)
{
    at_jet stack[AT_FORMULA_STACK + 1];
    size_t top = 0;

    for (size_t k = 0; k < formula->length; k++) {
        const at_formula_step *step = &formula->code[k];
        at_jet *a = &stack[top > 1 ? top - 2 : 0], *b = &stack[top > 0 ? top - 1 : 0];
        switch (step->op) {
        case AT_FORMULA_CONST: stack[top++] = (at_jet) { step->value, 0, 0 }; continue;
        case AT_FORMULA_Z: stack[top++] = (at_jet) { z, 1, 0 }; continue;
        case AT_FORMULA_NEG: *b = (at_jet) { -b->value, -b->first, -b->second }; continue;
        case AT_FORMULA_POW: *b = power(*b, step->power); continue;
        case AT_FORMULA_EXP: case AT_FORMULA_LOG: case AT_FORMULA_SQRT:
            *b = apply_function(step->op, *b);
            continue;
        case AT_FORMULA_ADD:
            *a = (at_jet) { a->value + b->value, a->first + b->first, a->second + b->second };
            break;
        case AT_FORMULA_SUB:
            *a = (at_jet) { a->value - b->value, a->first - b->first, a->second - b->second };
            break;
        case AT_FORMULA_MUL: *a = times(*a, *b); break;
        case AT_FORMULA_DIV: *a = times(*a, power(*b, -1)); break;
        }
        top--;
    }
    return top == 1 ? stack[0] : (at_jet) { NAN, NAN, NAN };
}

double at_formula_value(const at_formula *formula, double z)
{
    double stack[AT_FORMULA_STACK + 1];
    size_t top = 0;

    for (size_t k = 0; k < formula->length; k++) {
        const at_formula_step *step = &formula->code[k];
        double *a = &stack[top > 1 ? top - 2 : 0], *b = &stack[top > 0 ? top - 1 : 0];
        switch (step->op) {
        case AT_FORMULA_CONST: stack[top++] = step->value; continue;
        case AT_FORMULA_Z: stack[top++] = z; continue;
        case AT_FORMULA_NEG: *b = -*b; continue;
        case AT_FORMULA_POW: *b = whole_power(*b, step->power); continue;
        case AT_FORMULA_EXP: *b = exp(*b); continue;
        case AT_FORMULA_LOG: *b = log(*b); continue;
        case AT_FORMULA_SQRT: *b = sqrt(*b); continue;
        case AT_FORMULA_ADD: *a += *b; break;
        case AT_FORMULA_SUB: *a -= *b; break;
        case AT_FORMULA_MUL: *a *= *b; break;
        case AT_FORMULA_DIV: *a /= *b; break;
        }
        top--;
    }
    return top == 1 ? stack[0] : NAN;
}
