/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices over ℚ(e^ℚ). */
#include "attest/theory/expq/expq.h"

void at_expqf_mat_init(at_expqf_mat_t a, slong rows, slong cols)
{
    a->rows = rows;
    a->cols = cols;
    a->entries = NULL;
    if (rows * cols > 0)
        a->entries = flint_malloc((size_t) (rows * cols) * sizeof *a->entries);
    for (slong k = 0; k < rows * cols; k++)
        at_expqf_init(a->entries + k);
}

void at_expqf_mat_clear(at_expqf_mat_t a)
{
    for (slong k = 0; k < a->rows * a->cols; k++)
        at_expqf_clear(a->entries + k);
    flint_free(a->entries);
}

void at_expqf_mat_swap(at_expqf_mat_t a, at_expqf_mat_t b)
{
    at_expqf_mat_struct t = *a;
    *a = *b;
    *b = t;
}

void at_expqf_mat_set_fmpq_mat(at_expqf_mat_t a, const fmpq_mat_t b)
{
    at_expqf_mat_t t;

    at_expqf_mat_init(t, fmpq_mat_nrows(b), fmpq_mat_ncols(b));
    for (slong i = 0; i < t->rows; i++)
        for (slong j = 0; j < t->cols; j++)
            at_expqf_set_fmpq(at_expqf_mat_entry(t, i, j), fmpq_mat_entry(b, i, j));
    at_expqf_mat_swap(a, t);
    at_expqf_mat_clear(t);
}

bool at_expqf_mat_equal(const at_expqf_mat_t a, const at_expqf_mat_t b)
{
    if (a->rows != b->rows || a->cols != b->cols)
        return false;
    for (slong k = 0; k < a->rows * a->cols; k++)
        if (!at_expqf_equal(a->entries + k, b->entries + k))
            return false;
    return true;
}

bool at_expqf_mat_get_fmpq_mat(fmpq_mat_struct *b, const at_expqf_mat_t a)
{
    for (slong k = 0; k < a->rows * a->cols; k++)
        if (!at_expqf_get_fmpq(NULL, a->entries + k))
            return false;
    for (slong i = 0; b != NULL && i < a->rows; i++)
        for (slong j = 0; j < a->cols; j++)
            at_expqf_get_fmpq(fmpq_mat_entry(b, i, j), at_expqf_mat_entry(a, i, j));
    return true;
}

bool at_expqf_mat_rows_equal(const at_expqf_mat_t a)
{
    for (slong i = 1; i < a->rows; i++)
        for (slong j = 0; j < a->cols; j++)
            if (!at_expqf_equal(at_expqf_mat_entry(a, i, j), at_expqf_mat_entry(a, 0, j)))
                return false;
    return true;
}
