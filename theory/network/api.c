/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rational networks evaluated: exactly, in balls, to a given accuracy. */
#include "attest/theory/network/eval.h"

static int check_input(const at_network_struct *net, slong rows, slong cols, at_error *err)
{
    slong before = fmpq_mat_nrows(net->prepended), inputs = fmpq_mat_nrows(net->embedding);
    int status = at_network_check(net, err);

    if (inputs == 0)
        inputs = net->d;
    if (status == AT_OK && cols != inputs)
        status = at_error_set(err, AT_USAGE, "rows of X have %ld columns, expected %ld",
                              (long) cols, (long) inputs);
    if (status == AT_OK && (rows < 1 || rows + before > net->n))
        status = at_error_set(err, AT_USAGE, "X has %ld rows, expected 1 to %ld", (long) rows,
                              (long) (net->n - before));
    return status;
}

/* ---- Exactly ------------------------------------------------------------------------------- */

/* Runs on rational X; ev->x must be cleared when the status is not AT_USAGE. */
static int run_rational(at_evaluation *ev, const fmpq_mat_t X)
{
    at_fmat input;
    int status = check_input(ev->net, fmpq_mat_nrows(X), fmpq_mat_ncols(X), ev->err);

    if (status != AT_OK)
        return status;
    at_fmat_init(&input, ev->field, fmpq_mat_nrows(X), fmpq_mat_ncols(X));
    at_fmat_set_fmpq_mat(&input, X, ev->prec);
    status = at_evaluation_run(ev, &input);
    at_fmat_clear(&input);
    return status;
}

static void take_exact(at_expqf_mat_t Y, at_fmat *x)
{
    at_expqf_mat_t t;

    at_expqf_mat_init(t, x->rows, x->cols);
    for (slong i = 0; i < x->rows; i++)
        for (slong j = 0; j < x->cols; j++)
            at_expqf_swap(at_expqf_mat_entry(t, i, j), at_fmat_at(x, i, j));
    at_expqf_mat_swap(Y, t);
    at_expqf_mat_clear(t);
}

static void make_empty(at_expqf_mat_t Y)
{
    at_expqf_mat_clear(Y);
    at_expqf_mat_init(Y, 0, 0);
}

int at_network_eval_exact(at_expqf_mat_t Y, const at_network_t net, const fmpq_mat_t X,
                          at_error *err)
{
    at_evaluation ev = { .field = &at_field_exact, .net = (at_network_struct *) net, .err = err };
    int status = run_rational(&ev, X);

    if (status == AT_OK)
        take_exact(Y, &ev.x);
    else
        make_empty(Y);
    if (status != AT_USAGE)
        at_fmat_clear(&ev.x);
    return status;
}

/* Head h of layer l on the present x: its output, or, with values = 1, its attention matrix. */
static int run_head(at_fmat *out, const at_evaluation *ev, slong l, slong h, bool matrix)
{
    const at_head *head = ev->net->layers[l].heads + h;
    slong n = ev->x.rows;
    at_fmat values;
    fmpq_t one;

    if (!matrix && at_evaluation_head_words(out, ev, head, NULL, false))
        return AT_OK;
    at_fmat_init(&values, ev->field, n, out->cols);
    if (matrix) {
        fmpq_init(one);
        fmpq_one(one);
        for (slong i = 0; i < n; i++)
            ev->field->set_fmpq(at_fmat_at(&values, i, i), one, ev->prec);
        fmpq_clear(one);
    } else {
        at_fmat_mul_fmpq_mat(&values, &ev->x, head->value, head->value_bias, ev->prec);
    }
    int status = at_evaluation_head(out, ev, head, &values, matrix);
    at_fmat_clear(&values);
    return status;
}

static int head_exact(at_expqf_mat_t Y, const at_network_struct *net, slong l, slong h,
                      const fmpq_mat_t X, bool matrix, at_error *err)
{
    at_evaluation ev = { .field = &at_field_exact, .net = (at_network_struct *) net, .err = err };
    at_fmat input, out;
    int status = check_input(net, fmpq_mat_nrows(X), fmpq_mat_ncols(X), err);

    if (status == AT_OK && (l < 0 || l >= net->layer_count || h < 0 || h >= net->heads))
        status = at_error_set(err, AT_USAGE, "there is no layer %ld, head %ld", (long) l, (long) h);
    make_empty(Y);
    if (status != AT_OK)
        return status;
    at_fmat_init(&input, ev.field, fmpq_mat_nrows(X), fmpq_mat_ncols(X));
    at_fmat_set_fmpq_mat(&input, X, 0);
    status = at_evaluation_start(&ev, &input);
    for (slong k = 0; status == AT_OK && k < l; k++)
        status = at_evaluation_layer(&ev, k);
    at_fmat_init(&out, ev.field, ev.x.rows, matrix ? ev.x.rows : net->head_dim);
    if (status == AT_OK)
        status = run_head(&out, &ev, l, h, matrix);
    if (status == AT_OK)
        take_exact(Y, &out);
    at_fmat_clear(&input), at_fmat_clear(&out), at_fmat_clear(&ev.x);
    return status;
}

int at_network_attention_exact(at_expqf_mat_t A, const at_network_t net, slong l, slong h,
                               const fmpq_mat_t X, at_error *err)
{
    return head_exact(A, net, l, h, X, true, err);
}

int at_network_head_exact(at_expqf_mat_t Y, const at_network_t net, slong l, slong h,
                          const fmpq_mat_t X, at_error *err)
{
    return head_exact(Y, net, l, h, X, false, err);
}

int at_network_fit_epsilon(at_network_t net, const fmpq_mat_t x, at_error *err)
{
    at_evaluation ev = { .field = &at_field_exact, .net = net, .fit = true, .err = err };
    int status = run_rational(&ev, x);

    if (status != AT_USAGE)
        at_fmat_clear(&ev.x);
    return status;
}

/* ---- In balls ------------------------------------------------------------------------------ */

static void take_balls(arb_mat_t Y, const at_fmat *x)
{
    arb_mat_clear(Y);
    arb_mat_init(Y, x->rows, x->cols);
    for (slong i = 0; i < x->rows; i++)
        for (slong j = 0; j < x->cols; j++)
            arb_set(arb_mat_entry(Y, i, j), at_fmat_at(x, i, j));
}

int at_network_eval_ball(arb_mat_t Y, const at_network_t net, const fmpq_mat_t X, slong prec,
                         at_error *err)
{
    at_evaluation ev = { .field = &at_field_ball, .prec = prec, .net = (at_network_struct *) net,
                         .err = err };
    int status = run_rational(&ev, X);

    if (status == AT_OK)
        take_balls(Y, &ev.x);
    if (status != AT_USAGE)
        at_fmat_clear(&ev.x);
    return status;
}

int at_network_eval_arb(arb_mat_t Y, const at_network_t net, const arb_mat_t X, slong prec,
                        at_error *err)
{
    at_evaluation ev = { .field = &at_field_ball, .prec = prec, .net = (at_network_struct *) net,
                         .err = err };
    at_fmat input;
    int status = check_input(net, arb_mat_nrows(X), arb_mat_ncols(X), err);

    if (status != AT_OK)
        return status;
    at_fmat_init(&input, ev.field, arb_mat_nrows(X), arb_mat_ncols(X));
    for (slong i = 0; i < input.rows; i++)
        for (slong j = 0; j < input.cols; j++)
            arb_set(at_fmat_at(&input, i, j), arb_mat_entry(X, i, j));
    status = at_evaluation_run(&ev, &input);
    if (status == AT_OK)
        take_balls(Y, &ev.x);
    at_fmat_clear(&input), at_fmat_clear(&ev.x);
    return status;
}

/* Every radius finite and at most 2^−bits. */
static bool narrow(const arb_mat_t Y, slong bits)
{
    for (slong i = 0; i < arb_mat_nrows(Y); i++) {
        for (slong j = 0; j < arb_mat_ncols(Y); j++) {
            const arb_struct *y = arb_mat_entry(Y, i, j);
            if (!arb_is_finite(y) || mag_cmp_2exp_si(arb_radref(y), -bits) > 0)
                return false;
        }
    }
    return true;
}

int at_network_enclose(arb_mat_t Y, const at_network_t net, const fmpq_mat_t X, slong bits,
                       slong cap, at_error *err)
{
    for (slong prec = 64; ; prec *= 2) {
        int status = at_network_eval_ball(Y, net, X, prec, err);
        if (status != AT_OK || narrow(Y, bits))
            return status;
        if (prec >= cap)
            return at_error_set(err, AT_LEFT_FIELD, "%ld bits of precision did not suffice",
                                (long) prec);
    }
}

void at_network_one_hot(fmpq_mat_t X, const at_network_t net, const slong *tokens, slong count)
{
    slong vocab = fmpq_mat_nrows(net->embedding);

    fmpq_mat_clear(X);
    fmpq_mat_init(X, count, vocab > 0 ? vocab : net->d);
    for (slong i = 0; i < count; i++)
        if (tokens[i] >= 0 && tokens[i] < fmpq_mat_ncols(X))
            fmpq_one(fmpq_mat_entry(X, i, tokens[i]));
}
