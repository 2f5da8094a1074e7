/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ℚ(e^ℚ) as a field of the network's evaluation: attention stays in it as long as logits are
 * rational. */
#include "attest/theory/expq/impl.h"
#include "attest/theory/network/field.h"
#include "attest/theory/expq/words.h"

static void exact_init(void *x) { at_expqf_init(x); }
static void exact_clear(void *x) { at_expqf_clear(x); }
static void exact_set(void *z, const void *x) { at_expqf_set(z, x); }

static void exact_set_fmpq(void *z, const fmpq_t c, slong prec)
{
    (void) prec;
    at_expqf_set_fmpq(z, c);
}

static void exact_add(void *z, const void *x, const void *y, slong prec)
{
    (void) prec;
    at_expqf_add(z, x, y);
}

static void exact_mul(void *z, const void *x, const void *y, slong prec)
{
    (void) prec;
    at_expqf_mul(z, x, y);
}

static void exact_mul_fmpq(void *z, const void *x, const fmpq_t c, slong prec)
{
    (void) prec;
    at_expqf_mul_fmpq(z, x, c);
}

static bool exact_get_fmpq(fmpq *c, const void *x)
{
    return at_expqf_get_fmpq(c, x);
}

/* Nearly all numbers of a first layer are rational: they are spared the general sum. */
static void exact_addmul_fmpq(void *z, const void *x, const fmpq_t c, slong prec)
{
    fmpq_t sum, term;

    (void) prec;
    fmpq_init(sum), fmpq_init(term);
    if (at_expqf_get_fmpq(sum, z) && at_expqf_get_fmpq(term, x)) {
        fmpq_addmul(sum, term, c);
        at_expqf_set_fmpq(z, sum);
    } else {
        at_expqf_addmul_fmpq(z, x, c);
    }
    fmpq_clear(sum), fmpq_clear(term);
}

static bool exact_relu(void *z, const void *x, slong prec)
{
    (void) prec;
    if (at_expqf_sgn(x) > 0)
        at_expqf_set(z, x);
    else
        at_expqf_zero(z);
    return true;
}

/* x·½(1 + erf(x/√2)) is transcendental over the field but at 0. */
static bool exact_gelu(void *z, const void *x, slong prec)
{
    (void) prec;
    if (!at_expqf_is_zero(x))
        return false;
    at_expqf_zero(z);
    return true;
}

static bool exact_rsqrt(void *z, const void *x, slong prec)
{
    at_expqf_t root;

    (void) prec;
    at_expqf_init(root);
    bool good = at_expqf_sgn(x) > 0 && at_expqf_sqrt(root, x);
    if (good)
        at_expqf_inv(z, root);
    at_expqf_clear(root);
    return good;
}

/* ---- Attention ----------------------------------------------------------------------------- */

/* Products of that many terms are not attempted: a deep network on a non-constant sequence may need
 * them, and leaves the field for want of room. */
enum { MOST_TERMS = 1000000 };

static bool multiplies(const at_expq_struct *x, const at_expq_struct *y)
{
    return x->length == 0 || y->length <= MOST_TERMS / x->length;
}

/* Σ_j c_j e^{r_j} v_j with v_j fractions: numerators over the same denominator are summed first.
 * False where that grows too long. */
static bool combine_fractions(at_expqf_t sum, const fmpq *c, const fmpq *r, const at_row *row,
                              slong col)
{
    at_expq_t num, term;
    at_expqf_t part;
    bool *used = flint_calloc((size_t) row->count, sizeof *used);

    at_expq_init(num), at_expq_init(term), at_expqf_init(part);
    at_expqf_zero(sum);
    bool small = true;
    for (slong j = 0; small && j < row->count; j++) {
        const at_expqf_struct *first = (const at_expqf_struct *) row->values[j] + col;
        if (used[j])
            continue;
        at_expq_zero(num);
        for (slong l = j; l < row->count; l++) {
            const at_expqf_struct *v = (const at_expqf_struct *) row->values[l] + col;
            if (used[l] || !at_expq_equal(&v->den, &first->den))
                continue;
            used[l] = true;
            at_expq_mul_fmpq(term, &v->num, c + l);
            at_expq_mul_exp(term, term, r + l);
            at_expq_add(num, num, term);
        }
        at_expqf_set_frac(part, num, &first->den);
        small = multiplies(&sum->den, &part->num) && multiplies(&sum->num, &part->den);
        if (small)
            at_expqf_add(sum, sum, part);
    }
    at_expq_clear(num), at_expq_clear(term), at_expqf_clear(part);
    flint_free(used);
    return small;
}

static fmpq *new_fmpqs(slong count)
{
    fmpq *c = flint_malloc((size_t) FLINT_MAX(count, 1) * sizeof *c);

    for (slong k = 0; k < count; k++)
        fmpq_init(c + k);
    return c;
}

static void free_fmpqs(fmpq *c, slong count)
{
    for (slong k = 0; k < count; k++)
        fmpq_clear(c + k);
    flint_free(c);
}

static bool all_rational(const at_row *row)
{
    for (slong j = 0; j < row->count; j++)
        for (slong col = 0; col < row->cols; col++)
            if (!at_expqf_get_fmpq(NULL, (const at_expqf_struct *) row->values[j] + col))
                return false;
    return true;
}

/* out = Σ_j c_j e^{r_j} v_j/norm where all v_j are rational: sums over one list of exponents. */
static void attend_rationals(at_row *row, const fmpq *c, const fmpq *r, at_expq_struct *norm)
{
    at_expq_struct *sums = flint_malloc((size_t) row->cols * sizeof *sums);
    fmpq *products = new_fmpqs(row->count);
    at_sums exponents;

    at_sums_init(&exponents, r, row->count);
    for (slong col = 0; col < row->cols; col++) {
        for (slong j = 0; j < row->count; j++) {
            at_expqf_get_fmpq(products + j, (const at_expqf_struct *) row->values[j] + col);
            if (!fmpq_is_one(c + j))
                fmpq_mul(products + j, products + j, c + j);
        }
        at_expq_init(sums + col);
        at_sums_set(sums + col, &exponents, products);
    }
    at_expqf_take_fracs(row->out, sums, row->cols, norm);
    for (slong col = 0; col < row->cols; col++)
        at_expq_clear(sums + col);
    at_sums_clear(&exponents);
    free_fmpqs(products, row->count);
    flint_free(sums);
}

/* The same for softmax where all numbers fit words; false otherwise. */
static bool attend_words(at_row *row, const fmpq *c, const fmpq *r)
{
    fmpq *products = new_fmpqs(row->count * row->cols);

    for (slong j = 0; j < row->count; j++) {
        for (slong col = 0; col < row->cols; col++) {
            fmpq *v = products + j * row->cols + col;
            at_expqf_get_fmpq(v, (const at_expqf_struct *) row->values[j] + col);
            if (!fmpq_is_one(c + j))
                fmpq_mul(v, v, c + j);
        }
    }
    at_words exps = at_words_from_fmpq(r, 1, row->count);
    at_words weights = at_words_from_fmpq(row->factors, 1, row->count);
    at_words terms = at_words_from_fmpq(products, row->count, row->cols);
    bool good = exps.good && weights.good && row->count < WORD(1) << AT_WORD_COUNT_BITS;
    if (good)
        at_words_scale(&terms, (const fmpz[1]) { weights.den }, (const fmpz[1]) { 1 });
    for (slong j = 0; good && j < row->count; j++)
        good = weights.entries[j] > 0;
    good = good && terms.good;
    if (good) {
        at_word_row words = { .count = row->count, .cols = row->cols, .exps = exps.entries,
                              .base = exps.den, .weights = weights.entries,
                              .terms = terms.entries, .stride = row->cols, .den = terms.den };
        at_expqf_softmax_words(row->out, &words);
    }
    at_words_free(&exps), at_words_free(&weights), at_words_free(&terms);
    free_fmpqs(products, row->count * row->cols);
    return good;
}

/* The norm of the weights: Σ f e^r, or √Σ f² e^{2r} where that is a square. */
static bool weight_norm(at_expq_t norm, const at_row *row, const fmpq *r)
{
    if (row->normaliser == AT_NORMALISE_SOFTMAX) {
        at_expq_set_terms(norm, row->factors, r, row->count);
        return true;
    }
    fmpq *twice = new_fmpqs(row->count), *squares = new_fmpqs(row->count);
    for (slong j = 0; j < row->count; j++) {
        fmpq_mul(squares + j, row->factors + j, row->factors + j);
        fmpq_add(twice + j, r + j, r + j);
    }
    at_expq_set_terms(norm, squares, twice, row->count);
    free_fmpqs(twice, row->count), free_fmpqs(squares, row->count);
    return at_expq_sqrt(norm, norm);
}

static bool attend_exponential(at_row *row)
{
    fmpq *r = new_fmpqs(row->count), *c = new_fmpqs(row->count);
    at_expq_t norm;
    at_expqf_t fraction, inverse;
    bool good = true;

    at_expq_init(norm), at_expqf_init(fraction), at_expqf_init(inverse);
    for (slong j = 0; good && j < row->count; j++) {
        good = at_expqf_get_fmpq(r + j, (const at_expqf_struct *) row->logits + j);
        if (!good)
            row->bad = j;
    }
    for (slong j = 0; good && j < row->count; j++)
        fmpq_mul(c + j, row->factors + j, row->gates + j);
    bool rational = good && all_rational(row);
    bool done = rational && row->normaliser == AT_NORMALISE_SOFTMAX && attend_words(row, c, r);
    good = good && (done || weight_norm(norm, row, r));
    if (good && rational && !done)
        attend_rationals(row, c, r, norm);
    for (slong col = 0; good && !rational && col < row->cols; col++) {
        good = combine_fractions(fraction, c, r, row, col) && multiplies(&fraction->den, norm);
        row->too_long = !good;
        at_expqf_set_expq(inverse, norm);
        if (good)
            at_expqf_div((at_expqf_struct *) row->out + col, fraction, inverse);
    }
    at_expq_clear(norm), at_expqf_clear(fraction), at_expqf_clear(inverse);
    free_fmpqs(r, row->count), free_fmpqs(c, row->count);
    return good;
}

/* a_j = f_j max(s_j, 0)²/tokens: no exponential at all. */
static bool attend_relu2(at_row *row)
{
    at_expqf_t weight, term;
    fmpq_t c;

    at_expqf_init(weight), at_expqf_init(term), fmpq_init(c);
    for (slong col = 0; col < row->cols; col++)
        at_expqf_zero((at_expqf_struct *) row->out + col);
    for (slong j = 0; j < row->count; j++) {
        exact_relu(weight, (const at_expqf_struct *) row->logits + j, 0);
        at_expqf_mul(weight, weight, weight);
        fmpq_mul(c, row->factors + j, row->gates + j);
        fmpz_mul_si(fmpq_denref(c), fmpq_denref(c), row->tokens);
        fmpq_canonicalise(c);
        at_expqf_mul_fmpq(weight, weight, c);
        for (slong col = 0; col < row->cols; col++) {
            at_expqf_struct *out = (at_expqf_struct *) row->out + col;
            at_expqf_mul(term, weight, (const at_expqf_struct *) row->values[j] + col);
            at_expqf_add(out, out, term);
        }
    }
    at_expqf_clear(weight), at_expqf_clear(term), fmpq_clear(c);
    return true;
}

static bool exact_attend(at_row *row)
{
    row->bad = -1;
    row->too_long = false;
    if (row->count == 0) {
        for (slong col = 0; col < row->cols; col++)
            at_expqf_zero((at_expqf_struct *) row->out + col);
        return true;
    }
    return row->normaliser == AT_NORMALISE_RELU2 ? attend_relu2(row) : attend_exponential(row);
}

const at_field at_field_exact = {
    sizeof(at_expqf_struct), exact_init, exact_clear, exact_set, exact_set_fmpq, exact_add,
    exact_mul, exact_mul_fmpq, exact_addmul_fmpq, exact_relu, exact_gelu, exact_rsqrt, exact_attend,
    exact_get_fmpq
};
