/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each step changes, in balls. */
#include "attest/theory/energy/problem.h"

/* Row i of A times s_i, or over s_i. */
static void scale_rows(arb_mat_t A, arb_srcptr s, bool invert, slong prec)
{
    for (slong i = 0; i < arb_mat_nrows(A); i++)
        for (slong c = 0; c < arb_mat_ncols(A); c++) {
            arb_ptr entry = arb_mat_entry(A, i, c);
            if (arb_is_zero(entry))
                continue;
            if (invert)
                arb_div(entry, entry, s + i, prec);
            else
                arb_mul(entry, entry, s + i, prec);
        }
}

/* A W_h for delta rows, or A itself: the change of a head's values. */
static void apply_weight(arb_mat_t out, const arb_mat_t A, const at_energy_problem *p, slong h,
                         slong prec)
{
    if (p->fixed->balls == NULL)
        arb_mat_set(out, A);
    else
        arb_mat_mul(out, A, &p->fixed->balls[h], prec);
}

static void apply_transposed(arb_mat_t out, const arb_mat_t A, const at_energy_problem *p, slong h,
                             slong prec)
{
    if (p->fixed->turned == NULL)
        arb_mat_set(out, A);
    else
        arb_mat_mul(out, A, &p->fixed->turned[h], prec);
}

/* delta_i = Σ_j w_ij (x_j − x_i)/Σ_j w_ij, the self term in the sum if asked. */
static void average(arb_mat_t delta, const arb_mat_t weights, const at_dyadic_t centred, bool self,
                    slong prec)
{
    slong n = arb_mat_nrows(weights);
    arb_ptr sum = _arb_vec_init(n);
    at_energy_pull(delta, sum, weights, centred, prec);
    if (self)
        for (slong i = 0; i < n; i++)
            arb_add(sum + i, sum + i, arb_mat_entry(weights, i, i), prec);
    scale_rows(delta, sum, true, prec);
    _arb_vec_clear(sum, n);
}

/* delta_i = (Σ_j w_ij (v_j − v_i) − λ offset_i)/(λ + Σ_j w_ij): jacobi without the self term,
 * residual-input with it. */
static void pinned_average(arb_mat_t delta, const at_energy_problem *p, const arb_mat_t weights,
                           bool self, slong prec)
{
    arb_ptr sum = _arb_vec_init(p->n);
    arb_t lambda, entry;
    arb_init(lambda);
    arb_init(entry);
    arb_set_d(lambda, p->layer->lambda);
    at_energy_pull(delta, sum, weights, p->heads[0].centred, prec);
    for (slong i = 0; i < p->n; i++) {
        arb_add(sum + i, sum + i, lambda, prec);
        if (self)
            arb_add(sum + i, sum + i, arb_mat_entry(weights, i, i), prec);
        for (slong c = 0; c < arb_mat_ncols(delta); c++) {
            at_dyadic_get_arb(entry, p->offset, i, c);
            arb_submul(arb_mat_entry(delta, i, c), entry, lambda, prec);
        }
    }
    scale_rows(delta, sum, true, prec);
    _arb_vec_clear(sum, p->n);
    arb_clear(lambda);
    arb_clear(entry);
}

/* delta += the change that ReLU makes of rows y + delta. */
static void rectify(arb_mat_t delta, const at_dyadic_t Y, slong prec)
{
    arb_t y, next;
    arb_init(y);
    arb_init(next);
    for (slong i = 0; i < arb_mat_nrows(delta); i++)
        for (slong c = 0; c < arb_mat_ncols(delta); c++) {
            arb_ptr entry = arb_mat_entry(delta, i, c);
            at_dyadic_get_arb(y, Y, i, c);
            arb_add(next, y, entry, prec);
            if (arb_is_nonnegative(next))
                continue;
            if (arb_is_nonpositive(next)) {
                arb_neg(entry, y);
            } else {
                arb_nonnegative_part(next, next);
                arb_sub(entry, next, y, prec);
            }
        }
    arb_clear(y);
    arb_clear(next);
}

/* delta_i = θ_i (Σ_h d_i^h ((A^h Y)_i − y_i) W_h W_h^T − G_i), G only with an FFN. */
static void descend_all(arb_mat_t delta, const at_energy_problem *p, const arb_mat_struct *weights,
                        slong prec)
{
    slong width = at_dyadic_cols(p->heads[0].centred);
    arb_ptr scratch = _arb_vec_init(p->n);
    arb_mat_t pull, back;
    arb_mat_init(pull, p->n, width);
    arb_mat_init(back, p->n, p->d);
    arb_mat_zero(delta);
    for (slong h = 0; h < p->count; h++) {
        at_energy_pull(pull, scratch, &weights[h], p->heads[h].centred, prec);
        apply_transposed(back, pull, p, h, prec);
        arb_mat_add(delta, delta, back, prec);
    }
    if (p->has_ffn) {
        at_dyadic_get_arb_mat(back, p->gradient);
        arb_mat_sub(delta, delta, back, prec);
    }
    for (slong i = 0; i < p->n; i++)
        arb_set_d(scratch + i, p->layer->theta[i]);
    scale_rows(delta, scratch, false, prec);
    if (p->has_ffn && p->layer->relu)
        rectify(delta, p->Y, prec);
    _arb_vec_clear(scratch, p->n);
    arb_mat_clear(pull);
    arb_mat_clear(back);
}

/* delta = α (AV − V) W^T W. */
static void value_matrix(arb_mat_t delta, const at_energy_problem *p, const arb_mat_t weights,
                         slong prec)
{
    arb_mat_t back;
    arb_t alpha;
    arb_mat_init(back, p->n, p->d);
    arb_init(alpha);
    arb_set_d(alpha, p->layer->alpha);
    average(delta, weights, p->heads[0].centred, true, prec);
    arb_mat_scalar_mul_arb(delta, delta, alpha, prec);
    apply_transposed(back, delta, p, 0, prec);
    apply_weight(delta, back, p, 0, prec);
    arb_mat_clear(back);
    arb_clear(alpha);
}

/* The FFN's half: delta = −α G, exactly, then ReLU. */
static void feed_forward(arb_mat_t delta, const at_energy_problem *p, slong prec)
{
    at_dyadic_t step;
    at_dyadic_init(step, p->n, p->d);
    at_dyadic_scale_d(step, p->gradient, -p->layer->alpha);
    at_dyadic_get_arb_mat(delta, step);
    if (p->layer->relu)
        rectify(delta, p->Y, prec);
    at_dyadic_clear(step);
}

/* delta_i = Σ_j e^{s_ij} (y_j − y_i)/Σ_j e^{s_ij}, s = Y W^T W Y^T (not V V^T = Y W W^T Y^T, which the
 * energy has): plain softmax as released. */
static void plain_softmax(arb_mat_t delta, const at_energy_problem *p, slong prec)
{
    const at_dyadic_struct *W = at_problem_weight(p, 0);
    at_dyadic_t transpose, keys, scores, centred;
    arb_mat_t weights, rows;
    arb_ptr sum = _arb_vec_init(p->n);
    fmpz_t gap;
    fmpz_init(gap);
    at_dyadic_init(transpose, p->d, W != NULL ? p->d : p->n);
    at_dyadic_init(keys, p->n, p->d);
    at_dyadic_init(scores, p->n, p->n);
    at_dyadic_init(centred, p->n, p->d);
    arb_mat_init(weights, p->n, p->n);
    arb_mat_init(rows, p->n, p->d);
    if (W != NULL) {
        at_dyadic_transpose(transpose, W);
        at_dyadic_mul(keys, p->Y, transpose);
        at_dyadic_clear(transpose);
        at_dyadic_init(transpose, p->d, p->n);
    } else
        at_dyadic_set(keys, p->Y);
    at_dyadic_transpose(transpose, keys);
    at_dyadic_mul(scores, keys, transpose);
    at_dyadic_centre(centred, p->Y);
    for (slong i = 0; i < p->n; i++)
        for (slong j = 0; j < p->n; j++) {
            arb_ptr w = arb_mat_entry(weights, i, j);
            fmpz_sub(gap, fmpz_mat_entry(scores->m, i, j), fmpz_mat_entry(scores->m, i, i));
            arb_set_fmpz(w, gap);
            arb_mul_2exp_si(w, w, scores->exp);
            arb_exp(w, w, prec);
            arb_add(sum + i, sum + i, w, prec);
        }
    for (slong i = 0; i < p->n; i++)
        arb_sub(arb_mat_entry(weights, i, i), arb_mat_entry(weights, i, i), sum + i, prec);
    at_dyadic_get_arb_mat(rows, centred);
    if (at_dyadic_is_zero(centred))
        arb_mat_zero(delta);
    else
        arb_mat_mul(delta, weights, rows, prec);
    scale_rows(delta, sum, true, prec);
    at_dyadic_clear(transpose);
    at_dyadic_clear(keys);
    at_dyadic_clear(scores);
    at_dyadic_clear(centred);
    arb_mat_clear(weights);
    arb_mat_clear(rows);
    _arb_vec_clear(sum, p->n);
    fmpz_clear(gap);
}

/* Attention of a layer with an FFN half: delta = AY − Y. */
static void sequential_attention(arb_mat_t delta, const at_energy_problem *p,
                                 const arb_mat_t weights, slong prec)
{
    at_dyadic_t centred;
    at_dyadic_init(centred, p->n, p->d);
    at_dyadic_centre(centred, p->Y);
    average(delta, weights, centred, true, prec);
    at_dyadic_clear(centred);
}

void at_problem_deltas(arb_mat_struct *deltas, arb_mat_t delta, const at_energy_problem *p,
                       const arb_mat_struct *weights, slong prec)
{
    const at_energy_layer *layer = p->layer;
    arb_t alpha;
    if (p->half == AT_HALF_FFN) {
        feed_forward(delta, p, prec);
    } else {
        switch (layer->step) {
        case AT_STEP_SOFTMAX_BETA: case AT_STEP_RELAXED:
            average(&deltas[0], &weights[0], p->heads[0].centred, true, prec);
            if (layer->step == AT_STEP_RELAXED) {
                arb_init(alpha);
                arb_set_d(alpha, layer->alpha);
                arb_mat_scalar_mul_arb(&deltas[0], &deltas[0], alpha, prec);
                arb_clear(alpha);
            }
            return;
        case AT_STEP_NO_SELF:
            average(&deltas[0], &weights[0], p->heads[0].centred, false, prec);
            return;
        case AT_STEP_JACOBI: case AT_STEP_RESIDUAL_INPUT:
            pinned_average(&deltas[0], p, &weights[0], layer->step == AT_STEP_RESIDUAL_INPUT,
                           prec);
            return;
        case AT_STEP_VALUE_MATRIX:
            value_matrix(&deltas[0], p, &weights[0], prec);
            return;
        case AT_STEP_RELEASED:
            plain_softmax(delta, p, prec);
            break;
        case AT_STEP_SEQUENTIAL:
            sequential_attention(delta, p, &weights[0], prec);
            break;
        default: /* multi-head, parallel */
            descend_all(delta, p, weights, prec);
        }
    }
    for (slong h = 0; h < p->count; h++)
        apply_weight(&deltas[h], delta, p, h, prec);
}
