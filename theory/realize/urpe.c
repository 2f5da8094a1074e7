/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What URPE can do: count positions, solve both tasks with a margin, gather a whole sequence in
 * one row. */
#include "attest/theory/realize/impl.h"

void at_put_causal_gate(at_network_t net, slong h)
{
    fmpq_t zero;

    fmpq_init(zero);
    for (slong k = -(net->n - 1); k < 0; k++)
        at_put_offset(net, h, 1, k, zero);
    fmpq_clear(zero);
}

/* ---- Positions ----------------------------------------------------------------------------- */

int at_realize_position_code(at_network_t net, slong n, slong data, at_error *err)
{
    at_model model = { .encoding = AT_ENC_URPE, .n = (size_t) n, .d = (size_t) (data + 2),
                       .heads = 1, .layers = 1 };

    if (n < 1 || data < 0)
        return at_error_set(err, AT_USAGE, "n >= 1, data >= 0");
    int status = at_network_init(net, &model, 1, err);
    if (status != AT_OK)
        return status;
    at_put_causal_gate(net, 0);
    at_put_copy(net->layers[0].heads, 0, data, data + 1, n, 1);
    return AT_OK;
}

int at_realize_pi(at_network_t net, slong n, slong V, at_error *err)
{
    enum { TOKEN, ONE, P, WIDTH };
    at_model model = { .encoding = AT_ENC_URPE, .n = (size_t) n, .vocab = (size_t) V,
                       .outputs = (size_t) n, .d = WIDTH, .heads = 1, .layers = 1 };

    if (n < 1 || V < 1)
        return at_error_set(err, AT_USAGE, "n >= 1, V >= 1");
    int status = at_network_init(net, &model, 1, err);
    if (status != AT_OK)
        return status;
    for (slong v = 0; v < V; v++) {
        at_put(net->embedding, v, TOKEN, v + 1, 1);
        at_put(net->embedding, v, ONE, 1, 1);
    }
    at_put_causal_gate(net, 0);
    at_put_copy(net->layers[0].heads, 0, ONE, P, n, 1);
    for (slong k = 1; k <= n; k++) {
        at_put(net->readout, P, k - 1, 2 * k, 1);
        at_put(net->readout, ONE, k - 1, -k * k, 1);
    }
    return AT_OK;
}

/* ---- Even tokens --------------------------------------------------------------------------- */

/* Where the residual stream keeps what both variants need. */
typedef struct { slong one, p, s, g, width; } etp_columns;

/* Layer 1: head 1 counts p = i; the FFN adds s = i² and g = [i > ⌊n/2⌋]. */
static void count_and_square(at_network_t net, const etp_columns *at)
{
    at_layer *layer = net->layers;
    slong n = net->n, half = n / 2, unit = 0;

    at_put_causal_gate(net, 0);
    at_put_copy(layer->heads, 0, at->one, at->p, n, 1);
    for (slong t = 0; t < n; t++, unit++) {
        at_put(layer->ffn_in, at->p, unit, 1, 1);
        at_put(layer->ffn_in, at->one, unit, -t, 1);
        at_put(layer->ffn_out, unit, at->s, t == 0 ? 1 : 2, 1);
    }
    for (slong t = half; t <= half + 1; t++, unit++) {
        at_put(layer->ffn_in, at->p, unit, 1, 1);
        at_put(layer->ffn_in, at->one, unit, -t, 1);
        at_put(layer->ffn_out, unit, at->g, t == half ? 1 : -1, 1);
    }
}

/* Layer 2, head 2: logits 4β ij − β j², so that row i looks at token 2i. */
static void look_at_double(at_network_t net, const etp_columns *at, const fmpq_t beta)
{
    at_head *head = net->layers[1].heads + 1;

    fmpq_mul_si(fmpq_mat_entry(head->query, at->p, 0), beta, 4);
    fmpq_neg(fmpq_mat_entry(head->query, at->one, 1), beta);
    at_put(head->key, at->p, 0, 1, 1);
    at_put(head->key, at->s, 1, 1, 1);
}

static int start_etp(at_network_t net, slong n, slong V, const etp_columns *at, slong head_dim,
                     const fmpq_t beta, at_error *err)
{
    at_model model = { .encoding = AT_ENC_URPE, .n = (size_t) n, .vocab = (size_t) V,
                       .outputs = (size_t) V + 1, .d = (size_t) at->width, .heads = 2,
                       .layers = 2, .ffn = (size_t) n + 2 };

    if (n < 1 || V < 1 || fmpq_sgn(beta) <= 0)
        return at_error_set(err, AT_USAGE, "n >= 1, V >= 1, beta > 0");
    int status = at_network_init(net, &model, head_dim, err);
    if (status != AT_OK)
        return status;
    for (slong v = 0; v < V; v++)
        at_put(net->embedding, v, at->one, 1, 1);
    count_and_square(net, at);
    look_at_double(net, at, beta);
    return AT_OK;
}

int at_realize_etp(at_network_t net, slong n, slong V, const fmpq_t beta, at_error *err)
{
    etp_columns at = { V, V + 1, V + 2, V + 3, 2 * V + 4 };
    int status = start_etp(net, n, V, &at, FLINT_MAX(V, 2), beta, err);

    if (status != AT_OK)
        return status;
    for (slong v = 0; v < V; v++) {
        at_put(net->embedding, v, v, 1, 1);
        at_put_copy(net->layers[1].heads + 1, v, v, V + 4 + v, 1, 1);
        at_put(net->readout, V + 4 + v, v, 1, 1);
    }
    at_put(net->readout, at.g, V, 2, 1);
    return AT_OK;
}

int at_realize_etp_small(at_network_t net, slong n, slong V, const fmpq_t beta, at_error *err)
{
    enum { TOKEN, ONE, P, S, G, COPY, OUT, WIDTH };
    etp_columns at = { ONE, P, S, G, WIDTH };
    int status = start_etp(net, n, V, &at, 2, beta, err);

    if (status != AT_OK)
        return status;
    for (slong v = 0; v < V; v++)
        at_put(net->embedding, v, TOKEN, v + 1, 1);
    at_put_copy(net->layers[1].heads + 1, 0, TOKEN, COPY, 1, 1);
    at_put(net->layers[1].ffn_in, COPY, 0, 1, 1);
    at_put(net->layers[1].ffn_in, G, 0, -(V + 1), 1);
    at_put(net->layers[1].ffn_out, 0, OUT, 1, 1);
    for (slong k = 0; k <= V; k++) {
        at_put(net->readout, OUT, k, 2 * k, 1);
        at_put(net->readout, ONE, k, -k * k, 1);
    }
    return AT_OK;
}

void at_etp_labels(slong *labels, const slong *tokens, slong n, slong shift, slong eos)
{
    for (slong i = 1; i <= n; i++)
        labels[i - 1] = i <= n / 2 ? tokens[2 * i - 1] + shift : eos;
}

void at_etp_margin(at_expqf_t margin, slong n, const fmpq_t beta)
{
    fmpq *ones = flint_malloc((size_t) n * sizeof *ones);
    fmpq *exponents = flint_malloc((size_t) n * sizeof *exponents);
    at_expq_t sum, two;
    at_expqf_t one, here;

    at_expq_init(sum), at_expq_init(two), at_expqf_init(one), at_expqf_init(here);
    at_expq_set_si(two, 2);
    at_expqf_one(one);
    for (slong j = 0; j < n; j++) {
        fmpq_init(ones + j), fmpq_init(exponents + j);
        fmpq_one(ones + j);
    }
    for (slong i = 1; i <= n / 2; i++) {
        for (slong j = 1; j <= n; j++)
            fmpq_mul_si(exponents + j - 1, beta, -(2 * i - j) * (2 * i - j));
        at_expq_set_terms(sum, ones, exponents, n);
        at_expqf_set_frac(here, two, sum);
        at_expqf_sub(here, here, one);
        if (i == 1 || at_expqf_cmp(here, margin) < 0)
            at_expqf_set(margin, here);
    }
    for (slong j = 0; j < n; j++)
        fmpq_clear(ones + j), fmpq_clear(exponents + j);
    flint_free(ones), flint_free(exponents);
    at_expq_clear(sum), at_expq_clear(two), at_expqf_clear(one), at_expqf_clear(here);
}

/* ---- Gathering ----------------------------------------------------------------------------- */

int at_realize_gather(at_network_t net, slong n, slong data, at_error *err)
{
    at_model model = { .encoding = AT_ENC_URPE, .n = (size_t) n, .layers = 1,
                       .d = (size_t) (data + 2 + (2 * n - 1) * data), .heads = (size_t) (2 * n) };
    fmpq_t c;

    if (n < 1 || data < 1)
        return at_error_set(err, AT_USAGE, "n >= 1, data >= 1");
    int status = at_network_init(net, &model, data, err);
    if (status != AT_OK)
        return status;
    fmpq_init(c);
    for (slong k = -(n - 1); k < n; k++) {
        slong h = k + n - 1, block = data + 2 + h * data;
        for (slong other = -(n - 1); other < n; other++) {
            fmpq_set_si(c, other == k ? n : 0, 1);
            at_put_offset(net, h, 1, other, c);
        }
        for (slong x = 0; x < data; x++)
            at_put_copy(net->layers[0].heads + h, x, x, block + x, 1, 1);
    }
    at_put_causal_gate(net, 2 * n - 1);
    at_put_copy(net->layers[0].heads + 2 * n - 1, 0, data, data + 1, n, 1);
    fmpq_clear(c);
    return AT_OK;
}

/* ---- Margins ------------------------------------------------------------------------------- */

void at_logit_margin(at_expqf_t margin, const at_expqf_mat_t logits, const slong *labels)
{
    at_expqf_t here;
    bool first = true;

    at_expqf_init(here);
    for (slong i = 0; i < logits->rows; i++) {
        for (slong k = 0; k < logits->cols; k++) {
            if (k == labels[i])
                continue;
            at_expqf_sub(here, at_expqf_mat_entry(logits, i, labels[i]),
                         at_expqf_mat_entry(logits, i, k));
            if (first || at_expqf_cmp(here, margin) < 0)
                at_expqf_set(margin, here);
            first = false;
        }
    }
    at_expqf_clear(here);
}
