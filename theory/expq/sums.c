/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums Σ c_j e^{r_j} for many lists c over one list r, as attention forms them: the exponents are
 * sorted once. */
#include "attest/theory/expq/impl.h"

typedef struct { fmpz exponent; slong place; } placed;

static int by_exponent(const void *a, const void *b)
{
    return fmpz_cmp(&((const placed *) a)->exponent, &((const placed *) b)->exponent);
}

void at_sums_init(at_sums *s, const fmpq *r, slong count)
{
    placed *all = flint_malloc((size_t) FLINT_MAX(count, 1) * sizeof *all);
    fmpz_t f;

    s->count = count;
    s->groups = 0;
    s->group = flint_malloc((size_t) FLINT_MAX(count, 1) * sizeof *s->group);
    s->exps = _fmpz_vec_init(count);
    fmpz_init_set_ui(s->base, 1);
    fmpz_init(f);
    for (slong j = 0; j < count; j++)
        fmpz_lcm(s->base, s->base, fmpq_denref(r + j));
    for (slong j = 0; j < count; j++) {
        fmpz_divexact(f, s->base, fmpq_denref(r + j));
        fmpz_init(&all[j].exponent);
        fmpz_mul(&all[j].exponent, fmpq_numref(r + j), f);
        all[j].place = j;
    }
    qsort(all, (size_t) count, sizeof *all, by_exponent);
    for (slong k = 0; k < count; k++) {
        if (k > 0 && fmpz_equal(&all[k].exponent, s->exps + s->groups - 1)) {
            s->group[all[k].place] = s->groups - 1;
            continue;
        }
        fmpz_set(s->exps + s->groups, &all[k].exponent);
        s->group[all[k].place] = s->groups++;
    }
    for (slong k = 0; k < count; k++)
        fmpz_clear(&all[k].exponent);
    flint_free(all);
    fmpz_clear(f);
}

void at_sums_clear(at_sums *s)
{
    flint_free(s->group);
    _fmpz_vec_clear(s->exps, s->count);
    fmpz_clear(s->base);
}

void at_sums_set(at_expq_struct *x, const at_sums *s, const fmpq *c)
{
    fmpz_t f;

    at_expq_fit(x, s->groups);
    fmpz_one(x->den);
    for (slong j = 0; j < s->count; j++)
        if (!fmpz_is_one(fmpq_denref(c + j)))
            fmpz_lcm(x->den, x->den, fmpq_denref(c + j));
    for (slong k = 0; k < s->groups; k++) {
        fmpz_zero(x->coeffs + k);
        fmpz_set(x->exps + k, s->exps + k);
    }
    fmpz_init(f);
    for (slong j = 0; j < s->count; j++) {
        if (fmpz_is_one(x->den)) {
            fmpz_add(x->coeffs + s->group[j], x->coeffs + s->group[j], fmpq_numref(c + j));
        } else {
            fmpz_divexact(f, x->den, fmpq_denref(c + j));
            fmpz_addmul(x->coeffs + s->group[j], fmpq_numref(c + j), f);
        }
    }
    fmpz_clear(f);
    x->length = s->groups;
    fmpz_set(x->base, s->base);
    at_expq_canonicalise(x);
}
