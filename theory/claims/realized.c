/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constructions as explicit rational networks, run by the exact engine inside the claims. */
#include "attest/theory/claims/realized.h"

#include "attest/theory/claims/parts.h"
#include "attest/theory/realize/realize.h"
#include "attest/theory/claim/witness.h"

/* Column `column` of Y is 1, 2, ..., n. */
static bool counts(const at_expqf_mat_t Y, slong column)
{
    bool equal = Y->rows > 0;
    for (slong i = 0; i < Y->rows && equal; i++)
        equal = at_expqf_equal_si(at_expqf_mat_entry(Y, i, column), i + 1);
    return equal;
}

/* Digits of code in base V. */
static void word(slong *tokens, slong n, slong V, slong code)
{
    for (slong i = 0; i < n; i++, code /= V)
        tokens[i] = code % V;
}

static slong power(slong V, slong n)
{
    slong p = 1;
    while (n-- > 0)
        p *= V;
    return p;
}

/* ---- Almost everywhere -------------------------------------------------------- */

/* A random column in [-1, 1] with steps of at least 1/4, in eighths. */
static void spread_column(fmpq_mat_t X, at_claim_run *run)
{
    slong last = 0;
    for (slong i = 0; i < fmpq_mat_nrows(X); i++) {
        slong k;
        do
            k = (slong) (at_claim_random(run) % 17) - 8;
        while (i > 0 && FLINT_ABS(k - last) < 2);
        fmpq_set_si(fmpq_mat_entry(X, i, 0), k, 8);
        last = k;
    }
}

int at_support_almost_everywhere(at_claim_run *run, at_error *err)
{
    static const slong cases[][3] = { { 2, 5, 2 }, { 3, 6, 3 }, { 4, 7, 4 }, { 5, 7, 4 },
                                      { 6, 7, 5 } };
    enum { EACH = 20 };
    fmpq_t R, delta;
    int status = AT_OK;
    fmpq_init(R);
    fmpq_init(delta);
    fmpq_one(R);
    fmpq_set_si(delta, 1, 4);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && status == AT_OK; k++) {
        slong n = cases[k][0];
        at_network_t net;
        at_expqf_mat_t Y;
        fmpq_mat_t X;
        bool fine = at_almost_everywhere_holds(n, R, delta, cases[k][1], cases[k][2]);
        status = at_realize_almost_everywhere(net, n, R, delta, cases[k][1], cases[k][2], err);
        if (status != AT_OK)
            break;
        at_expqf_mat_init(Y, 0, 0);
        fmpq_mat_init(X, n, 1);
        for (int round = 0; round < EACH && fine; round++) {
            spread_column(X, run);
            fine = at_network_eval_exact(Y, net, X, NULL) == AT_OK && counts(Y, 0);
        }
        at_claim_support(run, "the explicit network", AT_METHOD_EXACT, fine ? AT_TRUE : AT_UNKNOWN,
                         "n = %ld, R = 1, delta = 1/4, beta = %ld, gamma = %ld: p = (1, ..., n) "
                         "exactly on %d random sequences", (long) n, (long) cases[k][1],
                         (long) cases[k][2],
                         (int) EACH);
        at_network_clear(net);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(X);
    }
    fmpq_clear(R);
    fmpq_clear(delta);
    return status;
}

int at_decide_almost_everywhere_everywhere(at_claim_run *run, at_error *err)
{
    at_network_t net;
    at_hand_t hand;
    at_expqf_mat_t Y;
    fmpq_mat_t X;
    fmpq_t R, delta;
    fmpq_init(R);
    fmpq_init(delta);
    fmpq_one(R);
    fmpq_set_si(delta, 1, 4);
    int status = at_realize_almost_everywhere(net, 3, R, delta, 6, 3, err);
    fmpq_clear(R);
    fmpq_clear(delta);
    if (status != AT_OK)
        return status;
    at_expqf_mat_init(Y, 0, 0);
    fmpq_mat_init(X, 3, 1);
    bool equal = at_mat_read(X, "1; 1; 1") && at_network_eval_exact(Y, net, X, NULL) == AT_OK
                 && at_expqf_mat_rows_equal(Y) && at_expqf_equal_si(at_expqf_mat_entry(Y, 0, 0), 1);
    at_claim_scope(run, "n = 3, R = 1, delta = 1/4, beta = 6, gamma = 3, X = (1, 1, 1)");
    at_claim_witness(run, "X = (1, 1, 1): p = (1, 1, 1), not (1, 2, 3)");
    at_claim_refute(run, "the explicit network on a constant sequence", AT_METHOD_EXACT,
                    equal ? AT_TRUE : AT_UNKNOWN, "the engine gives p = (1, 1, 1)");
    at_claim_recheck(run, "collapse", AT_METHOD_SYMBOLIC,
                     at_part_layer_collapse(3, 2, 2, AT_WEIGHTS_STOCHASTIC, false),
                     "softmax layers with two heads give equal rows on constants, whatever the "
                     "weights (rpe.layer-collapse), and 1, 2, 3 are not equal");
    /* layer 1, head 1 of the construction: u = x - (Ax), the same for all rows */
    at_hand_init(hand, 3, 1);
    if (at_mat_read(hand->X, "1; 1; 1") && at_mat_read_toeplitz(hand->logits, "0 0 6 12 0")) {
        at_expqf_mat_t rows;
        fmpq_set_si(fmpq_mat_entry(hand->mixing, 0, 0), -1, 1);
        at_expqf_mat_init(rows, 3, 1);
        at_witness_fact(run, "layer 1 on (1, 1, 1): u = x - Ax is 0 in every row", hand, rows);
        at_expqf_mat_clear(rows);
    }
    at_hand_clear(hand);
    at_network_clear(net);
    at_expqf_mat_clear(Y);
    fmpq_mat_clear(X);
    return AT_OK;
}

/* ---- Finite alphabets ----------------------------------------------------------- */

int at_support_finite_alphabet(at_claim_run *run, at_error *err)
{
    static const slong values[] = { 0, 0, 0, 1, 3 };
    at_network_t net;
    at_expqf_mat_t Y;
    fmpq_mat_t X;
    fmpq *b = _fmpq_vec_init(5);
    bool fine = true;
    for (slong k = 0; k < 5; k++)
        fmpq_set_si(b + k, values[k], 1);
    int status = at_realize_finite_alphabet(net, NULL, 3, 2, b, err);
    _fmpq_vec_clear(b, 5);
    if (status != AT_OK)
        return status;
    at_expqf_mat_init(Y, 0, 0);
    fmpq_mat_init(X, 3, 1);
    for (slong code = 0; code < 8 && fine; code++) {
        slong tokens[3];
        word(tokens, 3, 2, code);
        for (slong i = 0; i < 3; i++)
            fmpq_set_si(fmpq_mat_entry(X, i, 0), tokens[i], 1);
        fine = at_network_eval_exact(Y, net, X, NULL) == AT_OK
               && (code == 0 || code == 7 ? at_expqf_mat_rows_equal(Y) : counts(Y, 0));
    }
    at_claim_support(run, "the explicit network", AT_METHOD_EXACT, fine ? AT_TRUE : AT_UNKNOWN,
                     "n = 3, V = 2, all 8 sequences: p = (1, 2, 3) exactly off the two constants, "
                     "equal rows on them");
    at_network_clear(net);
    at_expqf_mat_clear(Y);
    fmpq_mat_clear(X);
    return AT_OK;
}

/* ---- URPE ------------------------------------------------------------------------- */

int at_support_position_code(at_claim_run *run, at_error *err)
{
    int status = AT_OK;
    bool fine = true;
    for (slong n = 2; n <= 6 && status == AT_OK && fine; n++) {
        at_network_t net;
        at_expqf_mat_t Y;
        fmpq_mat_t X;
        at_random r = at_random_seed(at_claim_random(run));
        status = at_realize_position_code(net, n, 2, err);
        if (status != AT_OK)
            break;
        at_expqf_mat_init(Y, 0, 0);
        fmpq_mat_init(X, n, 4);
        at_random_fmpq_mat(X, &r, 5, 4, 1);
        for (slong i = 0; i < n; i++) {
            fmpq_one(fmpq_mat_entry(X, i, 2));
            fmpq_zero(fmpq_mat_entry(X, i, 3));
        }
        fine = at_network_eval_exact(Y, net, X, NULL) == AT_OK && counts(Y, 3);
        at_network_clear(net);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(X);
    }
    if (status == AT_OK)
        at_claim_support(run, "the explicit network", AT_METHOD_EXACT, fine ? AT_TRUE : AT_UNKNOWN,
                         "n = 2..6, random data of two columns: the code column is (1, ..., n)");
    return status;
}

/* The least margin over all V^n sequences of tokens, exactly. */
static bool least_margin(at_expqf_t least, const at_network_t net, slong n, slong V, bool even)
{
    at_expqf_mat_t Y;
    at_expqf_t margin;
    fmpq_mat_t X;
    slong tokens[8], labels[8];
    bool fine = true;
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_init(margin);
    fmpq_mat_init(X, n, V);
    for (slong code = 0; code < power(V, n) && fine; code++) {
        word(tokens, n, V, code);
        for (slong i = 0; i < n; i++)
            labels[i] = i;
        if (even)
            at_etp_labels(labels, tokens, n, 0, V);
        at_network_one_hot(X, net, tokens, n);
        fine = at_network_eval_exact(Y, net, X, NULL) == AT_OK;
        if (!fine)
            break;
        at_logit_margin(margin, Y, labels);
        if (code == 0 || at_expqf_cmp(margin, least) < 0)
            at_expqf_set(least, margin);
    }
    at_expqf_mat_clear(Y);
    at_expqf_clear(margin);
    fmpq_mat_clear(X);
    return fine;
}

int at_support_pi(at_claim_run *run, at_error *err)
{
    int status = AT_OK;
    bool fine = true;
    for (slong n = 2; n <= 5 && status == AT_OK && fine; n++) {
        at_network_t net;
        at_expqf_t least;
        status = at_realize_pi(net, n, 2, err);
        if (status != AT_OK)
            break;
        at_expqf_init(least);
        fine = least_margin(least, net, n, 2, false) && at_expqf_equal_si(least, 1);
        at_expqf_clear(least);
        at_network_clear(net);
    }
    if (status == AT_OK)
        at_claim_support(run, "the explicit network", AT_METHOD_EXACT, fine ? AT_TRUE : AT_UNKNOWN,
                         "n = 2..5, V = 2, all sequences: the least margin is exactly 1");
    return status;
}

int at_support_etp(at_claim_run *run, at_error *err)
{
    for (slong n = 2; n <= 5; n++) {
        at_network_t net;
        at_expqf_t least, sharp;
        fmpq_t beta;
        fmpq_init(beta);
        fmpq_one(beta);
        int status = at_realize_etp(net, n, 2, beta, err);
        if (status != AT_OK) {
            fmpq_clear(beta);
            return status;
        }
        at_expqf_init(least);
        at_expqf_init(sharp);
        at_etp_margin(sharp, n, beta);
        bool fine = least_margin(least, net, n, 2, true) && at_expqf_equal(least, sharp)
                    && at_expqf_sgn(least) > 0;
        char *text = at_expqf_get_str(least);
        at_claim_support(run, "the explicit network", AT_METHOD_EXACT, fine ? AT_TRUE : AT_UNKNOWN,
                         "n = %ld, V = 2, beta = 1, all sequences: the least margin is exactly %s",
                         (long) n, text);
        flint_free(text);
        at_expqf_clear(least);
        at_expqf_clear(sharp);
        at_network_clear(net);
        fmpq_clear(beta);
    }
    return AT_OK;
}

int at_support_gather(at_claim_run *run, at_error *err)
{
    int status = AT_OK;
    bool fine = true;
    for (slong n = 2; n <= 4 && status == AT_OK && fine; n++) {
        at_network_t net;
        at_expqf_mat_t Y;
        fmpq_mat_t X;
        at_random r = at_random_seed(at_claim_random(run));
        status = at_realize_gather(net, n, 1, err);
        if (status != AT_OK)
            break;
        at_expqf_mat_init(Y, 0, 0);
        fmpq_mat_init(X, n, net->d);
        for (slong i = 0; i < n; i++) {
            at_random_fmpq(fmpq_mat_entry(X, i, 0), &r, 9, 4, 1);
            fmpq_one(fmpq_mat_entry(X, i, 1));
        }
        fine = at_network_eval_exact(Y, net, X, NULL) == AT_OK && counts(Y, 2);
        for (slong i = 0; i < n && fine; i++)
            for (slong k = 1 - n; k <= n - 1 && fine; k++) {
                fmpq_t stated;
                fmpq_init(stated);
                fine = at_expqf_get_fmpq(stated, at_expqf_mat_entry(Y, i, 3 + k + n - 1))
                       && (i - k < 0 || i - k >= n
                           ? fmpq_is_zero(stated)
                           : fmpq_equal(stated, fmpq_mat_entry(X, i - k, 0)));
                fmpq_clear(stated);
            }
        at_network_clear(net);
        at_expqf_mat_clear(Y);
        fmpq_mat_clear(X);
    }
    if (status == AT_OK)
        at_claim_support(run, "the explicit gathering layer", AT_METHOD_EXACT,
                         fine ? AT_TRUE : AT_UNKNOWN, "n = 2..4, random data: row i holds i and "
                         "every x_{i-k} in its column");
    return status;
}
