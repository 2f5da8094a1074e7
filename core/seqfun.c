/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequence functions: the named ones, and evaluation in double. */
#include "config.h"

#include "attest/core/seqfun_impl.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/tables.h"

static const struct { const char *name, *formula; } named[] = {
    {"position", "i*x[i]"},
    {"shift", "x[i-1]"},
    {"prefix-sum", "sum(1, i)"},
    {"running-mean", "sum(1, i)/i"},
    {"reversal", "x[n+1-i]"},
    {"etp", "half(x[2*i], 0)"},
};

static const size_t named_count = sizeof named / sizeof *named;

const char *at_seqfun_name(size_t k)
{
    return k < named_count ? named[k].name : NULL;
}

const char *at_seqfun_formula(size_t k)
{
    return k < named_count ? named[k].formula : NULL;
}

void at_seqfun_clear(at_seqfun *fun)
{
    for (size_t k = 0; k < fun->length; k++)
        free(fun->code[k].text);
    free(fun->code);
    free(fun->source);
    memset(fun, 0, sizeof *fun);
}

/* "positon": when the whole text looks like one of the names, say so instead. */
static void suggest_name(const char *text, at_error *err)
{
    const char *names[16];
    const char *near;
    size_t count = 0;

    while (count < sizeof names / sizeof *names && at_seqfun_name(count) != NULL) {
        names[count] = at_seqfun_name(count);
        count++;
    }
    near = at_nearest(text, names, count);
    if (near != NULL)
        at_error_set(err, AT_USAGE, "there is no function '%s'; did you mean '%s'?", text, near);
}

/* The formula that stands for text, which may be a name with blanks around it. */
static const char *formula_of(const char *text, char trimmed[64])
{
    size_t length;

    trimmed[0] = '\0';
    text += strspn(text, " \t");
    length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (length >= 64)
        return NULL;
    memcpy(trimmed, text, length);
    trimmed[length] = '\0';
    for (size_t k = 0; at_seqfun_name(k) != NULL; k++)
        if (strcmp(trimmed, at_seqfun_name(k)) == 0)
            return at_seqfun_formula(k);
    return NULL;
}

int at_seqfun_parse(at_seqfun *fun, const char *text, at_error *err)
{
    enum { LONGEST = 4096 };
    char trimmed[64];
    const char *formula;
    bool unknown_name = false;
    int status;

    memset(fun, 0, sizeof *fun);
    if (strlen(text) > LONGEST)
        return at_error_set(err, AT_USAGE, "the formula is longer than 4096 bytes");
    formula = formula_of(text, trimmed);
    fun->source = strdup(text);
    if (fun->source == NULL)
        return at_error_memory(err, "a formula");
    status = at_seqfun_compile(fun, formula != NULL ? formula : text, &unknown_name, err);
    if (status == AT_OK)
        return AT_OK;
    if (unknown_name && trimmed[0] != '\0')
        suggest_name(trimmed, err);
    at_seqfun_clear(fun);
    return status;
}

/* A value of the interpreter; whole values carry their integer, exact beyond 2^53. */
typedef struct {
    double real;
    long integer;
    bool whole;
} value;

/* The indices that one AT_OP_X met. */
typedef struct {
    long low, high;
    bool met, inside;
} reads;

typedef struct {
    const double *x;
    size_t n, i;
    reads *reads;    /* one an instruction, or NULL */
} place;

static value real_value(double real)
{
    return (value) {real, 0, false};
}

static value whole_value(long integer)
{
    return (value) {(double) integer, integer, true};
}

/* "p" or "p/q"; p and q have at most a few hundred digits. */
static value constant(const char *text)
{
    char *slash;
    double p = strtod(text, &slash);

    if (*slash == '/')
        return real_value(p / strtod(slash + 1, NULL));
    if (fabs(p) <= 0x1p53)
        return whole_value((long) p);
    return real_value(p);
}

static value add(value a, value b)
{
    value sum = real_value(a.real + b.real);

    sum.whole = a.whole && b.whole && !__builtin_add_overflow(a.integer, b.integer, &sum.integer);
    return sum;
}

static value multiply(value a, value b)
{
    value product = real_value(a.real * b.real);

    product.whole = a.whole && b.whole
                    && !__builtin_mul_overflow(a.integer, b.integer, &product.integer);
    return product;
}

static value negate(value a)
{
    return multiply(a, whole_value(-1));
}

static value power(value base, unsigned exponent)
{
    value result = whole_value(1);

    for (unsigned k = 0; k < exponent; k++)
        result = multiply(result, base);
    return result;
}

static value divide(value a, value b)
{
    /* b = -1 apart: LONG_MIN / -1 overflows. */
    if (a.whole && b.whole && b.integer == -1)
        return negate(a);
    if (a.whole && b.whole && b.integer != 0 && a.integer % b.integer == 0)
        return whole_value(a.integer / b.integer);
    return real_value(a.real / b.real);
}

static int not_whole(const place *at, at_error *err)
{
    return at_error_set(err, AT_USAGE, "at i = %zu of n = %zu an index is not an integer", at->i,
                        at->n);
}

static double sum_x(const place *at, long low, long high)
{
    double sum = 0;
    long first = low < 1 ? 1 : low;
    long last = high > (long) at->n ? (long) at->n : high;

    for (long j = first; j <= last; j++)
        sum += at->x[j - 1];
    return sum;
}

/* One instruction on the stack, whose top is at stack[*depth - 1]. */
static int execute(const at_instruction *instruction, value *stack, size_t *depth,
                   const place *at, at_error *err)
{
    value *top = stack + *depth - 1;

    switch (instruction->op) {
    case AT_OP_CONST: top[1] = constant(instruction->text); ++*depth; break;
    case AT_OP_I: top[1] = whole_value((long) at->i); ++*depth; break;
    case AT_OP_N: top[1] = whole_value((long) at->n); ++*depth; break;
    case AT_OP_NEG: *top = negate(*top); break;
    case AT_OP_POW: *top = power(*top, instruction->power); break;
    case AT_OP_ADD: top[-1] = add(top[-1], *top); --*depth; break;
    case AT_OP_SUB: top[-1] = add(top[-1], negate(*top)); --*depth; break;
    case AT_OP_MUL: top[-1] = multiply(top[-1], *top); --*depth; break;
    case AT_OP_DIV:
        if (top->whole ? top->integer == 0 : top->real == 0)
            return at_error_set(err, AT_USAGE, "at i = %zu of n = %zu a divisor is zero", at->i,
                                at->n);
        top[-1] = divide(top[-1], *top);
        --*depth;
        break;
    case AT_OP_X:
        if (!top->whole)
            return not_whole(at, err);
        *top = real_value(sum_x(at, top->integer, top->integer));
        break;
    case AT_OP_SUM_X:
        if (!top->whole || !top[-1].whole)
            return not_whole(at, err);
        top[-1] = real_value(sum_x(at, top[-1].integer, top->integer));
        --*depth;
        break;
    case AT_OP_IF_HALF:
        if (at->i > at->n / 2)
            top[-1] = *top;
        --*depth;
        break;
    }
    return AT_OK;
}

static void note_index(reads *seen, const value *index, size_t n)
{
    if (!index->whole)
        return;
    if (!seen->met || index->integer < seen->low)
        seen->low = index->integer;
    if (!seen->met || index->integer > seen->high)
        seen->high = index->integer;
    seen->met = true;
    seen->inside |= index->integer >= 1 && index->integer <= (long) n;
}

static int evaluate_output(double *y, const at_seqfun *fun, value *stack, const place *at,
                           at_error *err)
{
    size_t depth = 1;   /* stack[0] is a floor, so that the top always exists */

    for (size_t k = 0; k < fun->length; k++) {
        if (at->reads != NULL && fun->code[k].op == AT_OP_X)
            note_index(&at->reads[k], &stack[depth - 1], at->n);
        int status = execute(&fun->code[k], stack, &depth, at, err);

        if (status != AT_OK)
            return status;
    }
    *y = stack[1].real;
    if (!isfinite(*y))
        return at_error_set(err, AT_USAGE, "output %zu of n = %zu is not a finite number in "
                            "double precision", at->i, at->n);
    return AT_OK;
}

int at_seqfun_eval(double *y, const at_seqfun *fun, const double *x, size_t n, at_error *err)
{
    value *stack = calloc(fun->stack + 1, sizeof *stack);
    int status = AT_OK;

    if (stack == NULL)
        return at_error_memory(err, "the stack of a formula");
    for (size_t i = 1; status == AT_OK && i <= n; i++) {
        place at = {x, n, i, NULL};

        status = evaluate_output(&y[i - 1], fun, stack, &at, err);
    }
    free(stack);
    return status;
}

bool at_seqfun_misses(const at_seqfun *fun, size_t n, long *low, long *high)
{
    value *stack = calloc(fun->stack + 1, sizeof *stack);
    double *x = calloc(n + 1, sizeof *x), y;
    reads *seen = calloc(fun->length + 1, sizeof *seen);
    bool missed = false;

    for (size_t i = 1; stack != NULL && x != NULL && seen != NULL && i <= n; i++) {
        place at = {x, n, i, seen};

        if (evaluate_output(&y, fun, stack, &at, NULL) != AT_OK)
            break;    /* no function at all, which its evaluation says */
    }
    for (size_t k = 0; seen != NULL && k < fun->length && !missed; k++)
        if (seen[k].met && !seen[k].inside) {
            missed = true;
            *low = seen[k].low;
            *high = seen[k].high;
        }
    free(seen);
    free(x);
    free(stack);
    return missed;
}
