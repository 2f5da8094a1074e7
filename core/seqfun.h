/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequence functions f: D^n → R^n, given by name or as a polynomial formula for
 * output i (doc/floor.md, "Functions").
 *
 *     formula  = ["+" | "-"] term { ("+" | "-") term }
 *     term     = factor { ("*" | "/") factor }           the divisor holds no x
 *     factor   = ("+" | "-") factor | atom [ "^" INTEGER ]
 *     atom     = NUMBER | "i" | "n" | "x[" index "]" | "(" formula ")"
 *              | "sum(" index "," index ")"              x[lo] + … + x[hi]
 *              | "half(" formula "," formula ")"         the first where i ≤ ⌊n/2⌋, else the second
 *     NUMBER   = digits with or without a decimal point: 3, 0.5
 *
 * An index is a formula without x whose value is an integer; every quotient in it must come
 * out even.  x[j] with j outside 1..n is 0.
 *
 * The parser compiles to a postfix program over rationals kept as decimal
 * strings, so that the exact side can read them into ℚ and the double side
 * into double; both interpret the same program, and both call a value whole when
 * it is an integer constant, i, n, or +, -, *, ^ of whole values, or a quotient of
 * whole values without remainder: only whole values are indices. */
#ifndef ATTEST_CORE_SEQFUN_H
#define ATTEST_CORE_SEQFUN_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_op {
    AT_OP_CONST,   /* push a rational constant, string `text` = "p" or "p/q" in lowest terms */
    AT_OP_I,       /* push i */
    AT_OP_N,       /* push n */
    AT_OP_X,       /* pop a whole index j, push x[j] (0 outside 1..n) */
    AT_OP_ADD, AT_OP_SUB, AT_OP_MUL, AT_OP_NEG,
    AT_OP_DIV,     /* the divisor has no x in it; division by zero is an error at evaluation */
    AT_OP_POW,     /* exponent: nonnegative integer constant `power` */
    AT_OP_SUM_X,   /* pop integers lo, hi (hi on top): push Σ_{j=lo..hi} x[j] */
    AT_OP_IF_HALF  /* pop a, b (b on top): push a when i ≤ ⌊n/2⌋, else b (for etp) */
};

typedef struct {
    enum at_op op;
    char *text;       /* AT_OP_CONST only, owned */
    unsigned power;   /* AT_OP_POW only */
} at_instruction;

typedef struct {
    char *source;             /* as the user wrote it (name or formula), owned */
    at_instruction *code;     /* owned */
    size_t length;
    size_t stack;             /* depth that the interpreter needs */
    unsigned degree;          /* bound on the total degree in x */
} at_seqfun;

/* Parses a name (position, shift, prefix-sum, running-mean, reversal, etp) or a
 * formula.  AT_USAGE with the column and what was expected when it is malformed;
 * limits: 4,096 bytes, degree 64, nesting 200, numbers of 200 digits, exponents up to 64,
 * 10^6 bits in any value.  fun is left cleared upon failure. */
int at_seqfun_parse(at_seqfun *fun, const char *text, at_error *err) AT_MUST_CHECK;
void at_seqfun_clear(at_seqfun *fun);

/* y[i−1] = f_i(x) for i = 1..n, in double.  AT_USAGE upon a division by zero, an index that
 * is not whole, or a value that is not finite. */
int at_seqfun_eval(double *y, const at_seqfun *fun, const double *x, size_t n,
                   at_error *err) AT_MUST_CHECK;

/* Whether some x[j] of the formula has j outside 1..n at every i, and so is 0 everywhere: rather a
 * mistake in counting than meant.  *low, *high: the least and the largest j there. */
bool at_seqfun_misses(const at_seqfun *fun, size_t n, long *low, long *high);

/* Name and formula of the k-th named function; NULL past the end. */
const char *at_seqfun_name(size_t k);
const char *at_seqfun_formula(size_t k);

#ifdef __cplusplus
}
#endif

#endif
