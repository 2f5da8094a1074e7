/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements and fractions of ℚ(e^ℚ) as text. */
#include "attest/theory/expq/impl.h"

/* A growing string. */
typedef struct { char *text; size_t length, alloc; } buffer;

static void put(buffer *b, const char *text)
{
    size_t more = strlen(text);

    if (b->length + more + 1 > b->alloc) {
        b->alloc = 2 * (b->length + more + 1);
        b->text = flint_realloc(b->text, b->alloc);
    }
    memcpy(b->text + b->length, text, more + 1);
    b->length += more;
}

static void put_fmpq(buffer *b, const fmpq_t c)
{
    char *text = fmpq_get_str(NULL, 10, c);

    put(b, text);
    flint_free(text);
}

/* e^r, r ≠ 0: "e", "e^3", "e^(-9/5)"; or "exp(r)". */
static void put_power(buffer *b, const fmpq_t r, bool function)
{
    if (function) {
        put(b, "exp(");
        put_fmpq(b, r);
        put(b, ")");
        return;
    }
    put(b, "e");
    if (fmpq_is_one(r))
        return;
    bool plain = fmpz_is_one(fmpq_denref(r)) && fmpq_sgn(r) > 0;
    put(b, plain ? "^" : "^(");
    put_fmpq(b, r);
    if (!plain)
        put(b, ")");
}

char *at_expq_text(const at_expq_struct *x, bool function)
{
    buffer b = { NULL, 0, 0 };
    fmpq_t c, r;

    fmpq_init(c), fmpq_init(r);
    if (x->length == 0)
        put(&b, "0");
    for (slong k = x->length - 1; k >= 0; k--) {
        bool first = k == x->length - 1;
        at_expq_get_term(c, r, x, k);
        if (!first)
            put(&b, fmpq_sgn(c) < 0 ? " - " : " + ");
        else if (fmpq_sgn(c) < 0)
            put(&b, "-");
        fmpq_abs(c, c);
        if (fmpq_is_zero(r)) {
            put_fmpq(&b, c);
            continue;
        }
        if (!fmpq_is_one(c)) {
            put_fmpq(&b, c);
            put(&b, "*");
        }
        put_power(&b, r, function);
    }
    fmpq_clear(c), fmpq_clear(r);
    return b.text;
}

char *at_expq_get_str(const at_expq_t x)
{
    return at_expq_text(x, false);
}

/* ---- Fractions ----------------------------------------------------------------------------- */

static void put_part(buffer *b, const at_expq_struct *x, bool function)
{
    char *text = at_expq_text(x, function);

    if (x->length > 1)
        put(b, "(");
    put(b, text);
    if (x->length > 1)
        put(b, ")");
    flint_free(text);
}

/* num·e^{−r} over den·e^{−r}. */
static char *shifted_text(const at_expqf_struct *x, const fmpq_t r, bool function)
{
    buffer b = { NULL, 0, 0 };
    at_expq_t num, den;
    fmpq_t minus;

    at_expq_init(num), at_expq_init(den), fmpq_init(minus);
    fmpq_neg(minus, r);
    at_expq_mul_exp(num, &x->num, minus);
    at_expq_mul_exp(den, &x->den, minus);
    put_part(&b, num, function);
    put(&b, "/");
    put_part(&b, den, function);
    at_expq_clear(num), at_expq_clear(den), fmpq_clear(minus);
    return b.text;
}

static char *fraction_text(const at_expqf_struct *x, bool function)
{
    fmpq_t r;
    char *text, *low;

    if (at_expq_is_one(&x->den))
        return at_expq_text(&x->num, function);
    fmpq_init(r);
    at_expq_get_term(NULL, r, &x->den, x->den.length - 1);
    text = shifted_text(x, r, function);
    at_expq_get_term(NULL, r, &x->den, 0);
    low = shifted_text(x, r, function);
    if (strlen(low) < strlen(text)) {
        char *swap = text;
        text = low;
        low = swap;
    }
    flint_free(low);
    fmpq_clear(r);
    return text;
}

char *at_expqf_get_str(const at_expqf_t x)
{
    return fraction_text(x, false);
}

char *at_expqf_get_expr(const at_expqf_t x)
{
    return fraction_text(x, true);
}
