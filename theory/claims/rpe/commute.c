/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symmetries seen in the exact engine: random networks of each encoding on random sequences. */
#include "attest/theory/claims/realized.h"

#include "attest/theory/network/encoding.h"
#include "attest/theory/network/network.h"

/* Row k of an even table is row last - k. */
static void mirror_rows(fmpq_mat_t table)
{
    slong last = fmpq_mat_nrows(table) - 1;
    for (slong k = 0; 2 * k < last; k++)
        for (slong j = 0; j < fmpq_mat_ncols(table); j++)
            fmpq_set(fmpq_mat_entry(table, k, j), fmpq_mat_entry(table, last - k, j));
}

static void mirror_columns(fmpq_mat_t table)
{
    slong last = fmpq_mat_ncols(table) - 1;
    for (slong i = 0; i < fmpq_mat_nrows(table); i++)
        for (slong k = 0; 2 * k < last; k++)
            fmpq_set(fmpq_mat_entry(table, i, k), fmpq_mat_entry(table, i, last - k));
}

/* Makes the tables of a random head even. */
static void make_even(at_network_t net, at_head *head)
{
    switch (net->encoding) {
    case AT_ENC_T5:
        mirror_columns(head->tables[0]);
        break;
    case AT_ENC_URPE:
        mirror_columns(head->tables[0]);
        mirror_columns(head->tables[1]);
        break;
    case AT_ENC_SHAW_K:
    case AT_ENC_TRANSFORMER_XL:
        mirror_rows(head->tables[0]);
        break;
    case AT_ENC_FIRE:       /* psi is 1 + c x over max(L, i): Toeplitz when L >= n */
        fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 1), net->n, 1);
        break;
    default:
        break;
    }
}

/* g(PX) = P g(X) exactly, where row i of PX is row perm[i] of X. */
static bool commutes(const at_network_t net, const fmpq_mat_t X, const slong *perm)
{
    at_expqf_mat_t Y, Z;
    fmpq_mat_t PX;
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_mat_init(Z, 0, 0);
    fmpq_mat_init(PX, fmpq_mat_nrows(X), fmpq_mat_ncols(X));
    for (slong i = 0; i < fmpq_mat_nrows(X); i++)
        for (slong j = 0; j < fmpq_mat_ncols(X); j++)
            fmpq_set(fmpq_mat_entry(PX, i, j), fmpq_mat_entry(X, perm[i], j));
    bool equal = at_network_eval_exact(Y, net, X, NULL) == AT_OK
                 && at_network_eval_exact(Z, net, PX, NULL) == AT_OK;
    for (slong i = 0; i < Z->rows && equal; i++)
        for (slong j = 0; j < Z->cols && equal; j++)
            equal = at_expqf_equal(at_expqf_mat_entry(Z, i, j), at_expqf_mat_entry(Y, perm[i], j));
    at_expqf_mat_clear(Y);
    at_expqf_mat_clear(Z);
    fmpq_mat_clear(PX);
    return equal;
}

/* Shuffles 0 ... n-1, or reverses it. */
static void choose(slong *perm, slong n, bool reverse, at_random *r)
{
    for (slong i = 0; i < n; i++)
        perm[i] = reverse ? n - 1 - i : i;
    for (slong i = n - 1; i > 0 && !reverse; i--) {
        slong k = at_random_below(r, i + 1), t = perm[i];
        perm[i] = perm[k];
        perm[k] = t;
    }
}

/* One random network and sequence. */
static int try_symmetry(bool *holds, enum at_encoding_id encoding, bool reverse, at_random *r,
                        at_error *err)
{
    const at_model model = { .encoding = encoding, .n = (size_t) at_random_between(r, 2, 4), .d = 2,
                             .heads = (size_t) at_random_between(r, 1, 2), .ffn = 2, .layers = 1,
                             .activation = AT_RELU, .biases = at_random_below(r, 2) == 1 };
    at_network_t net;
    fmpq_mat_t X;
    slong perm[4];
    int status = at_network_init(net, &model, 2, err);
    if (status != AT_OK)
        return status;
    at_network_random(net, r, 2, 2);
    if (at_encodings_exact[encoding]->uses_distance)
        at_network_set_path(net);           /* a random graph has no such symmetry */
    for (slong h = 0; h < net->heads; h++)
        make_even(net, net->layers[0].heads + h);
    fmpq_mat_init(X, net->n, 2);
    at_random_fmpq_mat(X, r, 2, 2, 0);
    choose(perm, net->n, reverse, r);
    *holds = commutes(net, X, perm);
    fmpq_mat_clear(X);
    at_network_clear(net);
    return AT_OK;
}

/* Encodings of which make_even makes random tables even; those by distance are even as they are. */
static bool has_even_tables(int encoding)
{
    return encoding == AT_ENC_FIRE || encoding == AT_ENC_T5 || encoding == AT_ENC_SHAW_K
           || encoding == AT_ENC_TRANSFORMER_XL || encoding == AT_ENC_URPE;
}

int at_support_symmetry(at_claim_run *run, bool reverse, at_error *err)
{
    enum { EACH = 8 };
    int status = AT_OK;

    for (int encoding = 0; encoding < AT_ENC_COUNT && status == AT_OK; encoding++) {
        bool all = true;
        char name[96];

        if (reverse ? !at_encodings[encoding].by_distance && !has_even_tables(encoding)
                    : encoding != AT_ENC_NONE)
            continue;
        for (int round = 0; round < EACH && all && status == AT_OK; round++) {
            at_random r = at_random_seed(at_claim_random(run));
            all = false;
            status = try_symmetry(&all, encoding, reverse, &r, err);
        }
        snprintf(name, sizeof name, "%s in the exact engine", at_encodings[encoding].name);
        if (status == AT_OK)
            at_claim_support(run, name, AT_METHOD_EXACT, all ? AT_TRUE : AT_UNKNOWN, "%d random "
                             "layers with FFN, n = 2..4, d = 2, on random sequences: %s exactly",
                             (int) EACH, reverse ? "g(JX) = J g(X)" : "g(PX) = P g(X), P random");
    }
    return status;
}
