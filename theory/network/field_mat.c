/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices over a field of the network's evaluation. */
#include "attest/theory/network/field.h"

void at_fmat_init(at_fmat *a, const at_field *field, slong rows, slong cols)
{
    a->field = field;
    a->rows = rows;
    a->cols = cols;
    a->data = flint_malloc((size_t) FLINT_MAX(rows * cols, 1) * field->size);
    for (slong k = 0; k < rows * cols; k++)
        field->init(a->data + (size_t) k * field->size);
}

void at_fmat_clear(at_fmat *a)
{
    for (slong k = 0; k < a->rows * a->cols; k++)
        a->field->clear(a->data + (size_t) k * a->field->size);
    flint_free(a->data);
}

void at_fmat_swap(at_fmat *a, at_fmat *b)
{
    at_fmat t = *a;
    *a = *b;
    *b = t;
}

void *at_fmat_at(const at_fmat *a, slong i, slong j)
{
    return a->data + (size_t) (i * a->cols + j) * a->field->size;
}

void at_fmat_set_fmpq_mat(at_fmat *a, const fmpq_mat_t b, slong prec)
{
    for (slong i = 0; i < a->rows; i++)
        for (slong j = 0; j < a->cols; j++)
            a->field->set_fmpq(at_fmat_at(a, i, j), fmpq_mat_entry(b, i, j), prec);
}

void at_fmat_add(at_fmat *a, const at_fmat *b, slong prec)
{
    for (slong i = 0; i < a->rows; i++)
        for (slong j = 0; j < a->cols; j++)
            a->field->add(at_fmat_at(a, i, j), at_fmat_at(a, i, j), at_fmat_at(b, i, j), prec);
}

/* True, and b initialised and set, when all of a is known to be rational. */
static bool get_rational(fmpq_mat_t b, const at_fmat *a)
{
    bool (*get)(fmpq *, const void *) = a->field->get_fmpq;

    if (get == NULL)
        return false;
    for (slong i = 0; i < a->rows; i++)
        for (slong j = 0; j < a->cols; j++)
            if (!get(NULL, at_fmat_at(a, i, j)))
                return false;
    fmpq_mat_init(b, a->rows, a->cols);
    for (slong i = 0; i < a->rows; i++)
        for (slong j = 0; j < a->cols; j++)
            get(fmpq_mat_entry(b, i, j), at_fmat_at(a, i, j));
    return true;
}

/* The row of column j's only entry when that is 1 (a weight that copies); −1 otherwise. */
static slong copied_row(const fmpq_mat_t b, slong j)
{
    slong row = -1;

    for (slong k = 0; k < fmpq_mat_nrows(b); k++) {
        if (fmpq_is_zero(fmpq_mat_entry(b, k, j)))
            continue;
        if (row >= 0 || !fmpq_is_one(fmpq_mat_entry(b, k, j)))
            return -1;
        row = k;
    }
    return row;
}

void at_fmat_mul_fmpq_mat(at_fmat *c, const at_fmat *a, const fmpq_mat_t b, const fmpq_mat_t bias,
                          slong prec)
{
    const at_field *field = a->field;
    fmpq_mat_t rational, product;
    fmpq_t zero;

    if (get_rational(rational, a)) {
        fmpq_mat_init(product, c->rows, c->cols);
        fmpq_mat_mul(product, rational, b);
        at_fmat_set_fmpq_mat(c, product, prec);
        fmpq_mat_clear(rational), fmpq_mat_clear(product);
    } else {
        fmpq_init(zero);
        for (slong i = 0; i < c->rows; i++) {
            for (slong j = 0; j < c->cols; j++) {
                void *sum = at_fmat_at(c, i, j);
                slong single = copied_row(b, j);
                if (single >= 0) {
                    field->set(sum, at_fmat_at(a, i, single));
                    continue;
                }
                field->set_fmpq(sum, zero, prec);
                for (slong k = 0; k < a->cols; k++)
                    field->addmul_fmpq(sum, at_fmat_at(a, i, k), fmpq_mat_entry(b, k, j), prec);
            }
        }
        fmpq_clear(zero);
    }
    if (fmpq_mat_nrows(bias) == 0)
        return;
    at_fmat row;
    at_fmat_init(&row, field, 1, c->cols);
    at_fmat_set_fmpq_mat(&row, bias, prec);
    for (slong i = 0; i < c->rows; i++)
        for (slong j = 0; j < c->cols; j++)
            field->add(at_fmat_at(c, i, j), at_fmat_at(c, i, j), at_fmat_at(&row, 0, j), prec);
    at_fmat_clear(&row);
}

void at_fmat_mul_transposed(at_fmat *s, const at_fmat *q, const at_fmat *k, slong prec)
{
    const at_field *field = q->field;
    fmpq_mat_t left, right, turned;
    bool rational = get_rational(left, q);

    if (rational && get_rational(right, k)) {
        fmpq_mat_init(turned, k->cols, k->rows);
        fmpq_mat_transpose(turned, right);
        fmpq_mat_clear(right);
        fmpq_mat_init(right, s->rows, s->cols);
        fmpq_mat_mul(right, left, turned);
        at_fmat_set_fmpq_mat(s, right, prec);
        fmpq_mat_clear(right), fmpq_mat_clear(turned);
    } else {
        at_fmat term;
        fmpq_t zero;
        fmpq_init(zero);
        at_fmat_init(&term, field, 1, 1);
        for (slong i = 0; i < s->rows; i++) {
            for (slong j = 0; j < s->cols; j++) {
                void *sum = at_fmat_at(s, i, j);
                field->set_fmpq(sum, zero, prec);
                for (slong c = 0; c < q->cols; c++) {
                    field->mul(term.data, at_fmat_at(q, i, c), at_fmat_at(k, j, c), prec);
                    field->add(sum, sum, term.data, prec);
                }
            }
        }
        at_fmat_clear(&term);
        fmpq_clear(zero);
    }
    if (rational)
        fmpq_mat_clear(left);
}
