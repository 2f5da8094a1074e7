/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interpreter of sequence functions over Q[t]; core/seqfun.c is its double counterpart. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/theory/floor/seqfun_exact.h"

fmpq_poly_struct *at_fmpq_poly_vec_init(size_t n)
{
    fmpq_poly_struct *v = flint_malloc((n > 0 ? n : 1) * sizeof *v);

    for (size_t k = 0; k < n; k++)
        fmpq_poly_init(v + k);
    return v;
}

void at_fmpq_poly_vec_clear(fmpq_poly_struct *v, size_t n)
{
    for (size_t k = 0; k < n; k++)
        fmpq_poly_clear(v + k);
    flint_free(v);
}

/* Whole: an integer that may be an index, see seqfun.h. */
typedef struct {
    fmpq_poly_t poly;
    int whole;
} value;

typedef struct {
    const fmpq_poly_struct *sums;   /* sums[k] = x_1 + ... + x_k, k = 0..n */
    size_t n, i;
} place;

static void set_constant(value *v, const char *text)
{
    fmpq_t q;

    fmpq_init(q);
    fmpq_set_str(q, text, 10);
    fmpq_poly_set_fmpq(v->poly, q);
    v->whole = fmpz_is_one(fmpq_denref(q));
    fmpq_clear(q);
}

static void set_whole(value *v, size_t n)
{
    fmpq_poly_set_ui(v->poly, (ulong) n);
    v->whole = 1;
}

/* a / b, b a nonzero constant. */
static void divide(value *a, const value *b)
{
    fmpq_t q;

    fmpq_init(q);
    fmpq_poly_get_coeff_fmpq(q, b->poly, 0);
    fmpq_poly_scalar_div_fmpq(a->poly, a->poly, q);
    fmpq_clear(q);
    a->whole = a->whole && b->whole && fmpz_is_one(fmpq_poly_denref(a->poly));
}

/* The index clamped to lowest..highest, which keeps it small. */
static slong clamp_index(const value *v, slong lowest, slong highest)
{
    fmpz_t k;
    slong index;

    fmpz_init(k);
    fmpq_poly_get_coeff_fmpz(k, v->poly, 0);
    if (fmpz_cmp_si(k, lowest) < 0)
        index = lowest;
    else if (fmpz_cmp_si(k, highest) > 0)
        index = highest;
    else
        index = fmpz_get_si(k);
    fmpz_clear(k);
    return index;
}

/* result = x_low + ... + x_high; result may be one of the indices. */
static void sum_x(value *result, const value *low, const value *high, const place *at)
{
    slong n = (slong) at->n;
    slong first = clamp_index(low, 1, n + 1), last = clamp_index(high, 0, n);

    if (first <= last)
        fmpq_poly_sub(result->poly, at->sums + last, at->sums + first - 1);
    else
        fmpq_poly_zero(result->poly);
    result->whole = 0;
}

static int complain(const place *at, const char *what, at_error *err)
{
    return at_error_set(err, AT_USAGE, "at i = %zu of n = %zu %s", at->i, at->n, what);
}

/* One instruction; the top of the stack is stack[*depth - 1] (stack[0] is never used). */
static int execute(const at_instruction *instruction, value *stack, size_t *depth,
                   const place *at, at_error *err)
{
    value *top = stack + *depth - 1;

    switch (instruction->op) {
    case AT_OP_CONST: set_constant(top + 1, instruction->text); ++*depth; break;
    case AT_OP_I: set_whole(top + 1, at->i); ++*depth; break;
    case AT_OP_N: set_whole(top + 1, at->n); ++*depth; break;
    case AT_OP_NEG: fmpq_poly_neg(top->poly, top->poly); break;
    case AT_OP_POW: fmpq_poly_pow(top->poly, top->poly, instruction->power); break;
    case AT_OP_ADD:
        fmpq_poly_add(top[-1].poly, top[-1].poly, top->poly);
        top[-1].whole &= top->whole;
        --*depth;
        break;
    case AT_OP_SUB:
        fmpq_poly_sub(top[-1].poly, top[-1].poly, top->poly);
        top[-1].whole &= top->whole;
        --*depth;
        break;
    case AT_OP_MUL:
        fmpq_poly_mul(top[-1].poly, top[-1].poly, top->poly);
        top[-1].whole &= top->whole;
        --*depth;
        break;
    case AT_OP_DIV:
        if (fmpq_poly_length(top->poly) != 1)
            return complain(at, fmpq_poly_is_zero(top->poly) ? "a divisor is zero"
                            : "a divisor is not constant", err);
        divide(top - 1, top);
        --*depth;
        break;
    case AT_OP_X:
        if (!top->whole)
            return complain(at, "an index is not an integer", err);
        sum_x(top, top, top, at);
        break;
    case AT_OP_SUM_X:
        if (!top->whole || !top[-1].whole)
            return complain(at, "an index is not an integer", err);
        sum_x(top - 1, top - 1, top, at);
        --*depth;
        break;
    case AT_OP_IF_HALF:
        if (at->i > at->n / 2) {
            fmpq_poly_swap(top[-1].poly, top->poly);
            top[-1].whole = top->whole;
        }
        --*depth;
        break;
    }
    return AT_OK;
}

int at_seqfun_eval_line(fmpq_poly_struct *y, const at_seqfun *fun, const fmpq_poly_struct *x,
                        size_t n, at_error *err)
{
    fmpq_poly_struct *sums = at_fmpq_poly_vec_init(n + 1);
    value *stack = flint_malloc((fun->stack + 1) * sizeof *stack);
    int status = AT_OK;

    for (size_t k = 0; k <= fun->stack; k++)
        fmpq_poly_init(stack[k].poly);
    for (size_t k = 0; k < n; k++)
        fmpq_poly_add(sums + k + 1, sums + k, x + k);
    for (size_t i = 1; status == AT_OK && i <= n; i++) {
        place at = {sums, n, i};
        size_t depth = 1;

        for (size_t k = 0; status == AT_OK && k < fun->length; k++)
            status = execute(&fun->code[k], stack, &depth, &at, err);
        if (status == AT_OK)
            fmpq_poly_set(y + i - 1, stack[1].poly);
    }
    for (size_t k = 0; k <= fun->stack; k++)
        fmpq_poly_clear(stack[k].poly);
    flint_free(stack);
    at_fmpq_poly_vec_clear(sums, n + 1);
    return status;
}

int at_seqfun_eval_constants(fmpq_poly_struct *y, const at_seqfun *fun, size_t n, at_error *err)
{
    fmpq_poly_struct *x = at_fmpq_poly_vec_init(n);
    int status;

    for (size_t k = 0; k < n; k++)
        fmpq_poly_set_coeff_si(x + k, 1, 1);
    status = at_seqfun_eval_line(y, fun, x, n, err);
    at_fmpq_poly_vec_clear(x, n);
    return status;
}

int at_seqfun_eval_fmpq(fmpq *y, const at_seqfun *fun, const fmpq *x, size_t n, at_error *err)
{
    fmpq_poly_struct *lines = at_fmpq_poly_vec_init(n), *values = at_fmpq_poly_vec_init(n);
    int status;

    for (size_t k = 0; k < n; k++)
        fmpq_poly_set_fmpq(lines + k, x + k);
    status = at_seqfun_eval_line(values, fun, lines, n, err);
    for (size_t k = 0; status == AT_OK && k < n; k++)
        fmpq_poly_get_coeff_fmpq(y + k, values + k, 0);
    at_fmpq_poly_vec_clear(lines, n);
    at_fmpq_poly_vec_clear(values, n);
    return status;
}
