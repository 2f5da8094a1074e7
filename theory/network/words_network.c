/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A softmax head whose queries, keys and values are rational numbers of moderate size: logits and
 * values as integers over common denominators. */
#include "attest/theory/expq/impl.h"
#include "attest/theory/network/eval.h"
#include "attest/theory/expq/words.h"

bool at_evaluation_sees(const at_network_struct *net, slong i, slong j)
{
    if (net->rule->counts_hidden)
        return true;
    switch (net->mask) {
    case AT_MASK_CAUSAL: return j <= i;
    case AT_MASK_STRICT: return j < i;
    default: return true;
    }
}

/* x w + bias. */
static at_words affine(const at_words *x, const fmpq_mat_t w, const fmpq_mat_t bias)
{
    at_words weights = at_words_from_fmpq_mat(w), row = at_words_from_fmpq_mat(bias);
    at_words y = at_words_product(x, &weights, false);

    at_words_add_row(&y, &row);
    at_words_free(&weights), at_words_free(&row);
    return y;
}

/* s *= scale/√(terms d_h), or only scale; not good where that is irrational. */
static void scale_logits(at_words *s, const at_network_struct *net)
{
    fmpz_t q;

    fmpz_init_set_ui(q, 1);
    if (net->scale_logits) {
        fmpz_set_si(q, net->rule->terms * net->head_dim);
        s->good = s->good && fmpz_is_square(q);
        fmpz_sqrt(q, q);
    }
    fmpz_mul(q, q, fmpq_denref(net->scale));
    at_words_scale(s, fmpq_numref(net->scale), q);
    fmpz_clear(q);
}

static at_words all_logits(const at_words *x, const at_network_struct *net, const at_head *head)
{
    at_words queries = affine(x, head->query, head->query_bias);
    at_words keys = affine(x, head->key, head->key_bias);
    at_words s = at_words_product(&queries, &keys, true);

    scale_logits(&s, net);
    at_words_free(&queries), at_words_free(&keys);
    return s;
}

static at_words from_fmat(const at_fmat *a)
{
    return at_words_from_expqf((const at_expqf_struct *) a->data, a->rows, a->cols);
}

/* The encoding leaves queries, keys, logits, weights and values alone. */
static bool plain_softmax(const at_encoding_exact *rule, bool plain_values)
{
    return rule->normaliser == AT_NORMALISE_SOFTMAX && rule->prepare == NULL
           && rule->relative == NULL && rule->logit == NULL && rule->factor == NULL
           && rule->gate == NULL && (rule->value == NULL || plain_values);
}

bool at_evaluation_head_words(at_fmat *out, const at_evaluation *ev, const at_head *head,
                              const at_fmat *values, bool plain)
{
    slong n = ev->x.rows;

    if (ev->field != &at_field_exact || !plain_softmax(ev->net->rule, plain)
        || n >= WORD(1) << AT_WORD_COUNT_BITS)
        return false;
    at_words x = from_fmat(&ev->x), s = all_logits(&x, ev->net, head);
    at_words v = values != NULL ? from_fmat(values) : affine(&x, head->value, head->value_bias);
    bool good = s.good && v.good;
    for (slong i = 0; good && i < n; i++) {
        at_word_row row = { .cols = v.cols, .exps = s.entries + i * n, .base = s.den,
                            .terms = v.entries, .stride = v.cols, .den = v.den };
        while (row.count < n && at_evaluation_sees(ev->net, i, row.count))
            row.count++;   /* masks hide what comes after */
        if (row.count > 0)
            at_expqf_softmax_words(at_fmat_at(out, i, 0), &row);
        for (slong c = 0; row.count == 0 && c < v.cols; c++)
            at_expqf_zero(at_fmat_at(out, i, c));
    }
    at_words_free(&x), at_words_free(&s), at_words_free(&v);
    return good;
}
