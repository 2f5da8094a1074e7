/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deep collapse: random rational networks of every encoding that core/tables.c calls
 * right-stochastic, evaluated by the general exact engine, on constant sequences. */
#include "theory/claims_rpe.h"
#include "theory/witness.h"

typedef struct { slong n, d, heads, layers, ffn; bool causal, biases, layernorm; } shape;

static shape random_shape(at_random *r, slong round)
{
    shape s;
    s.n = at_random_between(r, 2, 5);
    s.d = 2 * at_random_between(r, 1, 2);
    s.heads = at_random_between(r, 1, 2);
    s.layers = 1 + round % 6;
    s.ffn = at_random_between(r, 0, 3);
    s.causal = round / 6 % 2 == 1;
    s.biases = at_random_below(r, 2) == 1;
    s.layernorm = at_random_below(r, 3) == 0;
    return s;
}

static int random_network(at_network_t net, enum at_encoding_id encoding, const shape *s,
                          at_random *r, at_error *err)
{
    const at_model model = { .encoding = encoding, .n = (size_t) s->n, .d = (size_t) s->d,
                             .heads = (size_t) s->heads, .ffn = (size_t) s->ffn,
                             .layers = (size_t) s->layers, .activation = AT_RELU,
                             .causal = s->causal, .biases = s->biases, .layernorm = s->layernorm };
    int status = at_network_init(net, &model, 2, err);
    if (status == AT_OK)
        at_network_random(net, r, 2, 3);
    return status;
}

/* X has `rows` copies of x. */
static void constant_rows(fmpq_mat_t X, const fmpq_mat_t x)
{
    for (slong i = 0; i < fmpq_mat_nrows(X); i++)
        for (slong k = 0; k < fmpq_mat_ncols(X); k++)
            fmpq_set(fmpq_mat_entry(X, i, k), fmpq_mat_entry(x, 0, k));
}

/* All rows of g(1x^T) are rational, equal, and equal to g(x) for one token. */
enum at_truth at_part_collapses(const at_network_t net, const fmpq_mat_t x, slong n)
{
    at_expqf_mat_t Y, y;
    fmpq_mat_t X;
    bool holds;
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_mat_init(y, 0, 0);
    fmpq_mat_init(X, n, fmpq_mat_ncols(x));
    constant_rows(X, x);
    holds = at_network_eval_exact(Y, net, X, NULL) == AT_OK
            && at_network_eval_exact(y, net, x, NULL) == AT_OK && Y->rows == n && y->rows == 1
            && at_expqf_mat_get_fmpq_mat(NULL, Y) && at_expqf_mat_rows_equal(Y);
    for (slong k = 0; k < Y->cols && holds; k++)
        holds = at_expqf_equal(at_expqf_mat_entry(Y, 0, k), at_expqf_mat_entry(y, 0, k));
    at_expqf_mat_clear(Y);
    at_expqf_mat_clear(y);
    fmpq_mat_clear(X);
    return holds ? AT_TRUE : AT_UNKNOWN;
}

/* One random network of the encoding. */
static int try_network(enum at_truth *holds, enum at_encoding_id encoding, slong round,
                       at_random *r, at_error *err)
{
    shape s = random_shape(r, round);
    at_network_t net;
    fmpq_mat_t x;
    int status = random_network(net, encoding, &s, r, err);
    if (status != AT_OK)
        return status;
    fmpq_mat_init(x, 1, s.d);
    at_random_fmpq_mat(x, r, 2, 3, 0);
    if (s.layernorm)
        status = at_network_fit_epsilon(net, x, err);
    if (status == AT_OK)
        *holds = at_part_collapses(net, x, s.n);
    fmpq_mat_clear(x);
    at_network_clear(net);
    return status;
}

int at_decide_deep_collapse(at_claim_run *run, at_error *err)
{
    size_t encodings = 0, each, total = 0;
    int status = AT_OK;
    for (int id = 0; id < AT_ENC_COUNT; id++)
        encodings += at_encodings[id].right_stochastic;
    each = (at_claim_instances(run) + encodings - 1) / encodings;
    each = each < 18 ? 18 : each;
    for (int id = 0; id < AT_ENC_COUNT && status == AT_OK; id++) {
        const at_encoding_info *info = &at_encodings[id];
        enum at_truth all = AT_TRUE;
        size_t tried = 0;
        if (!info->right_stochastic)
            continue;
        for (; tried < each && all == AT_TRUE && status == AT_OK; tried++) {
            at_random r = at_random_seed(at_claim_random(run));
            if (tried >= 18 && at_claim_out_of_time(run))
                break;
            all = AT_UNKNOWN;
            status = try_network(&all, (enum at_encoding_id) id, (slong) tried, &r, err);
        }
        if (status == AT_OK)
            at_claim_certify(run, info->name, AT_METHOD_EXACT, all, "collapses: %zu random "
                             "networks, rows rational, equal, and the output for one token", tried);
        total += tried;
    }
    at_claim_scope(run, "%zu random rational networks, 1-6 layers, n = 2..5, d = 2 or 4, 1-2 heads "
                   "of width 2, with and without FFN, causal mask, biases, LayerNorm (epsilon = "
                   "s^2 - variance)", total);
    return status == AT_OK ? at_support_escapes(run, err) : status;
}
