/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas in one variable z, such as a user's ρ: "log(2+z)", "1-1/(1+z)^2".
 *
 * The parser compiles to a postfix program whose constants are kept as decimal
 * strings too, so that the ball side can enclose them and the double side can
 * round them; both interpret the same program. */
#ifndef ATTEST_CORE_FORMULA_H
#define ATTEST_CORE_FORMULA_H

#include <stddef.h>
#include "attest/core/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum at_formula_op {
    AT_FORMULA_CONST,   /* push the number `text` (decimal, as written), nearest double `value` */
    AT_FORMULA_Z,       /* push z */
    AT_FORMULA_ADD, AT_FORMULA_SUB, AT_FORMULA_MUL, AT_FORMULA_DIV, AT_FORMULA_NEG,
    AT_FORMULA_POW,     /* the top to the integer `power`, which may be negative */
    AT_FORMULA_EXP, AT_FORMULA_LOG, AT_FORMULA_SQRT
};

typedef struct {
    enum at_formula_op op;
    char text[40];      /* AT_FORMULA_CONST only */
    double value;
    int power;          /* AT_FORMULA_POW only */
} at_formula_step;

enum { AT_FORMULA_STACK = 64 };   /* no program needs a deeper stack */

typedef struct {
    char *source;             /* as the user wrote it, owned */
    at_formula_step *code;    /* owned */
    size_t length;
} at_formula;

/* Value and first two derivatives at a point. */
typedef struct { double value, first, second; } at_jet;

/* Numbers, z, + − * / ^ (integer exponents, right-associative, above the unary minus),
 * parentheses, exp, log, sqrt.  AT_USAGE with the column and what was expected; limits:
 * 1,024 bytes, stack of AT_FORMULA_STACK.  formula is left cleared upon failure. */
int at_formula_parse(at_formula *formula, const char *text, at_error *err) AT_MUST_CHECK;
void at_formula_clear(at_formula *formula);

/* Forward differentiation of second order; outside the domain the result is not finite. */
at_jet at_formula_eval(const at_formula *formula, double z);
/* The value alone. */
double at_formula_value(const at_formula *formula, double z);

#ifdef __cplusplus
}
#endif

#endif
