/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deep collapse: random rational networks of every encoding that core/tables.c calls
 * right-stochastic, evaluated by the general exact engine, on constant sequences. */
#include "attest/theory/claims/rpe/rpe.h"
#include "attest/theory/claim/witness.h"

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

/* All rows of g(1x^T) are rational, equal, and equal to g(x) for one token; *text (NULL: not
 * wanted; freed by flint_free) is the common row. */
static enum at_truth collapses(char **text, const at_network_t net, const fmpq_mat_t x, slong n)
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
    if (text != NULL)
        *text = at_rows_text(y);
    at_expqf_mat_clear(Y);
    at_expqf_mat_clear(y);
    fmpq_mat_clear(X);
    return holds ? AT_TRUE : AT_UNKNOWN;
}

enum at_truth at_part_collapses(const at_network_t net, const fmpq_mat_t x, slong n)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    return collapses(NULL, net, x, n);
}

/* What the networks of one encoding had in common, and one of them written out. */
typedef struct {
    size_t tried, causal, normed;
    slong n;                    /* of the one written out; 0: none yet */
    char *input, *row;
} sample;

/* Corner cases beside those of at_network_random: huge, tiny and zero tokens. */
static void random_token(fmpq_mat_t x, at_random *r, slong round)
{
    fmpq_t scale;
    fmpq_init(scale);
    at_random_fmpq_mat(x, r, 2, 3, 0);
    while (round == 0 && fmpq_mat_is_zero(x))      /* the one that is written out */
        at_random_fmpq_mat(x, r, 2, 3, 0);
    if (round % 9 == 7)
        fmpq_mat_zero(x);
    fmpq_set_si(scale, round % 9 == 3 ? 1000003 : 1, round % 9 == 5 ? 1000003 : 1);
    fmpq_mat_scalar_mul_fmpz(x, x, fmpq_numref(scale));
    fmpq_mat_scalar_div_fmpz(x, x, fmpq_denref(scale));
    fmpq_clear(scale);
}

/* One random network of the encoding. */
static int try_network(enum at_truth *holds, sample *s, enum at_encoding_id encoding, slong round,
                       at_random *r, at_error *err)
{
    shape shape = random_shape(r, round);
    at_network_t net;
    fmpq_mat_t x;
    int status = random_network(net, encoding, &shape, r, err);
    if (status != AT_OK)
        return status;
    fmpq_mat_init(x, 1, shape.d);
    random_token(x, r, round);
    if (shape.layernorm)
        status = at_network_fit_epsilon(net, x, err);
    bool shown = s->n == 0 && shape.layers == 1 && !fmpq_mat_is_zero(x);
    if (status == AT_OK)
        *holds = collapses(shown ? &s->row : NULL, net, x, shape.n);
    if (status == AT_OK && shown) {
        s->n = shape.n;
        s->input = at_mat_text(x);          /* "[[1, 0]]", of which one pair is enough */
        size_t length = strlen(s->input);
        memmove(s->input, s->input + 1, length);
        s->input[length - 2] = '\0';
    }
    s->tried++;
    s->causal += shape.causal;
    s->normed += shape.layernorm;
    fmpq_mat_clear(x);
    at_network_clear(net);
    return status;
}

static int row_collapse(at_claim_run *run, enum at_encoding_id encoding, size_t each, size_t *total,
                        at_error *err)
{
    enum { LEAST = 18 };        /* of each: more than 200 altogether */
    const char *name = at_encodings[encoding].name;
    sample s = { 0 };
    enum at_truth all = AT_TRUE;
    int status = AT_OK;
    while (s.tried < each && all == AT_TRUE && status == AT_OK) {
        at_random r = at_random_seed(at_claim_random(run));
        if (s.tried >= LEAST && at_claim_out_of_time(run))
            break;
        all = AT_UNKNOWN;
        status = try_network(&all, &s, encoding, (slong) s.tried, &r, err);
    }
    if (status == AT_OK)
        at_claim_row(run, AT_ROLE_INSTANCE, name, "collapses", AT_METHOD_EXACT, all,
                     "%zu networks (%zu causal, %zu with LayerNorm): rows rational, equal, as for "
                     "one token; one: %ld tokens %s, all rows (%s)", s.tried, s.causal, s.normed,
                     (long) s.n, s.input != NULL ? s.input : "", s.row != NULL ? s.row : "");
    *total += s.tried;
    flint_free(s.input);
    flint_free(s.row);
    return status;
}

/* The theorem behind the rows, for all real parameters at small sizes. */
static void row_theorem(at_claim_run *run)
{
    enum at_truth all = AT_TRUE;
    for (slong n = 1; n <= 4; n++)
        for (slong heads = 1; heads <= 2 && all == AT_TRUE; heads++)
            all = at_part_layer_collapse(n, 2, heads, AT_WEIGHTS_STOCHASTIC, true);
    at_claim_row(run, AT_ROLE_SUPPORT, "any, A 1 = 1", "collapses", AT_METHOD_SYMBOLIC, all,
                 "one layer, n = 1..4, d = 2, one and two heads, entries of A, M, x and a value "
                 "bias v indeterminate: every row of 1x^T + sum_h A^h (1x^T M^h + 1v^T) is x + "
                 "sum_h (x M^h + v)");
}

int at_decide_deep_collapse(at_claim_run *run, at_error *err)
{
    size_t encodings = 0, each, total = 0;
    int status = AT_OK;
    for (int id = 0; id < AT_ENC_COUNT; id++)
        encodings += at_encodings[id].right_stochastic;
    each = (at_claim_instances(run) + encodings - 1) / encodings;
    row_theorem(run);
    for (int id = 0; id < AT_ENC_COUNT && status == AT_OK; id++)
        if (at_encodings[id].right_stochastic)
            status = row_collapse(run, (enum at_encoding_id) id, each < 18 ? 18 : each, &total,
                                  err);
    for (int id = 0; id < AT_ENC_COUNT && status == AT_OK; id++)
        if (!at_encodings[id].right_stochastic)
            status = at_row_escape(run, (enum at_encoding_id) id, err);
    at_claim_scope(run, "%zu random rational networks, 1-6 layers, n = 2..5, d = 2 or 4, 1-2 heads "
                   "of width 2, with and without FFN, causal mask, biases, LayerNorm (epsilon = "
                   "s^2 - variance), tokens zero, huge and tiny among them", total);
    return status;
}
