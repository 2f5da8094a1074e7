/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symmetries of attention as polynomial identities: reversal J and all permutations. */
#include "attest/theory/claims/realized.h"
#include "attest/theory/claims/rpe/rpe.h"

static const char *const kind_names[AT_LOGITS_KIND_COUNT] = {
    [AT_LOGITS_NONE] = "none",
    [AT_LOGITS_EVEN_BIAS] =
        "even bias (alibi-symmetric, kerple, path graph, fire with L >= n, even t5)",
    [AT_LOGITS_BIAS] = "bias (t5)",
    [AT_LOGITS_EVEN_KEYS] = "even shaw-k", [AT_LOGITS_KEYS] = "shaw-k",
    [AT_LOGITS_EVEN_XL] = "even transformer-xl", [AT_LOGITS_XL] = "transformer-xl",
    [AT_LOGITS_EVEN_DEBERTA] = "even deberta", [AT_LOGITS_DEBERTA] = "deberta",
    [AT_LOGITS_TUPE] = "tupe",
};

const char *at_logits_kind_name(enum at_logits_kind kind)
{
    return kind_names[kind];
}

/* Everything that logits may be made of, as indeterminates. */
typedef struct {
    at_polymat_t X, query, key, bias, key_table, query_table, global;
    slong n, h;
} logit_parts;

/* Row of a table over offsets: 2n-1 rows, or |k| where the kind is even. */
static slong table_row(enum at_logits_kind kind, slong n, slong i, slong j)
{
    bool even = kind == AT_LOGITS_EVEN_BIAS || kind == AT_LOGITS_EVEN_KEYS
                || kind == AT_LOGITS_EVEN_XL || kind == AT_LOGITS_EVEN_DEBERTA;
    slong k = i - j;
    return even && k < 0 ? -k + n - 1 : k + n - 1;
}

/* f += row r of A . row s of B. */
static void add_dot(fmpq_mpoly_t f, const at_polymat_t A, slong r, const at_polymat_t B, slong s,
                    const at_ring_t ring)
{
    for (slong k = 0; k < A->cols; k++)
        at_poly_addmul(f, 1, 1, at_polymat_entry(A, r, k), at_polymat_entry(B, s, k), ring);
}

/* S = logits for input X. */
static void logits(at_polymat_t S, enum at_logits_kind kind, const logit_parts *parts,
                   const at_polymat_t X, const at_ring_t ring)
{
    at_polymat_t Q, K;
    fmpq_mpoly_t one;
    at_polymat_init(Q, parts->n, parts->h, ring);
    at_polymat_init(K, parts->n, parts->h, ring);
    fmpq_mpoly_init(one, ring->ctx);
    fmpq_mpoly_one(one, ring->ctx);
    at_polymat_mul(Q, X, parts->query, ring);
    at_polymat_mul(K, X, parts->key, ring);
    for (slong i = 0; i < parts->n; i++)
        for (slong j = 0; j < parts->n; j++) {
            fmpq_mpoly_struct *s = at_polymat_entry(S, i, j);
            slong row = table_row(kind, parts->n, i, j), back = table_row(kind, parts->n, j, i);
            fmpq_mpoly_zero(s, ring->ctx);
            add_dot(s, Q, i, K, j, ring);
            switch (kind) {
            case AT_LOGITS_BIAS: case AT_LOGITS_EVEN_BIAS:
                at_poly_addmul(s, 1, 1, at_polymat_entry(parts->bias, row, 0), one, ring);
                break;
            case AT_LOGITS_KEYS: case AT_LOGITS_EVEN_KEYS:
                add_dot(s, Q, i, parts->key_table, row, ring);
                break;
            case AT_LOGITS_XL: case AT_LOGITS_EVEN_XL:
                add_dot(s, Q, i, parts->key_table, row, ring);
                add_dot(s, parts->global, 0, K, j, ring);
                add_dot(s, parts->global, 1, parts->key_table, row, ring);
                break;
            case AT_LOGITS_DEBERTA: case AT_LOGITS_EVEN_DEBERTA:
                add_dot(s, Q, i, parts->key_table, row, ring);
                add_dot(s, K, j, parts->query_table, back, ring);
                break;
            case AT_LOGITS_TUPE:
                add_dot(s, parts->key_table, i, parts->query_table, j, ring);
                break;
            default:
                break;
            }
        }
    at_polymat_clear(Q, ring);
    at_polymat_clear(K, ring);
    fmpq_mpoly_clear(one, ring->ctx);
}

enum at_truth at_part_logits_symmetry(enum at_logits_kind kind, slong n, slong d, slong h,
                                      const slong *perm)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    logit_parts parts = { .n = n, .h = h };
    at_polymat_t moved, S, T;
    slong offsets = 2 * n - 1;
    at_ring_init(ring, n * d + 2 * d * h + offsets + 2 * offsets * h + 2 * h);
    at_polymat_init(parts.X, n, d, ring);
    at_polymat_init(parts.query, d, h, ring);
    at_polymat_init(parts.key, d, h, ring);
    at_polymat_init(parts.bias, offsets, 1, ring);
    at_polymat_init(parts.key_table, offsets, h, ring);
    at_polymat_init(parts.query_table, offsets, h, ring);
    at_polymat_init(parts.global, 2, h, ring);
    at_polymat_init(moved, n, d, ring);
    at_polymat_init(S, n, n, ring);
    at_polymat_init(T, n, n, ring);
    at_polymat_fresh(parts.X, ring);
    at_polymat_fresh(parts.query, ring);
    at_polymat_fresh(parts.key, ring);
    at_polymat_fresh(parts.bias, ring);
    at_polymat_fresh(parts.key_table, ring);
    at_polymat_fresh(parts.query_table, ring);
    at_polymat_fresh(parts.global, ring);
    at_polymat_permute_rows(moved, parts.X, perm, ring);
    logits(S, kind, &parts, parts.X, ring);
    logits(T, kind, &parts, moved, ring);
    bool holds = true;
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n && holds; j++)
            holds = fmpq_mpoly_equal(at_polymat_entry(T, i, j),
                                     at_polymat_entry(S, perm[i], perm[j]), ring->ctx);
    at_polymat_clear(parts.X, ring);
    at_polymat_clear(parts.query, ring);
    at_polymat_clear(parts.key, ring);
    at_polymat_clear(parts.bias, ring);
    at_polymat_clear(parts.key_table, ring);
    at_polymat_clear(parts.query_table, ring);
    at_polymat_clear(parts.global, ring);
    at_polymat_clear(moved, ring);
    at_polymat_clear(S, ring);
    at_polymat_clear(T, ring);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* Gates that agree along the orbits of (i, j) -> (Pi, Pj), all fresh where `apart`. */
static void fill_gates(at_polymat_t C, const slong *perm, bool apart, at_ring_t ring)
{
    slong n = C->rows;
    slong first = at_ring_take(ring, n * n);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            slong least = i * n + j;
            for (slong a = perm[i], b = perm[j]; !apart && (a != i || b != j);
                 a = perm[a], b = perm[b])
                least = FLINT_MIN(least, a * n + b);
            at_poly_var(at_polymat_entry(C, i, j), first + least, ring);
        }
}

enum at_truth at_part_layer_symmetry(slong n, slong d, const slong *perm, bool break_gates)
{
    if (n < 1 || d < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    at_ring_t ring;
    at_polymat_t E, C, X, M, V;
    at_polyfrac_t left, right;
    fmpq_mpoly_t num, den, t;
    at_ring_init(ring, 2 * n * n + n * d + d * d);
    at_polymat_init(E, n, n, ring);
    at_polymat_init(C, n, n, ring);
    at_polymat_init(X, n, d, ring);
    at_polymat_init(M, d, d, ring);
    at_polymat_init(V, n, d, ring);
    at_polyfrac_init(left, ring);
    at_polyfrac_init(right, ring);
    fmpq_mpoly_init(num, ring->ctx);
    fmpq_mpoly_init(den, ring->ctx);
    fmpq_mpoly_init(t, ring->ctx);
    at_polymat_fresh(E, ring);
    fill_gates(C, perm, break_gates, ring);
    at_polymat_fresh(X, ring);
    at_polymat_fresh(M, ring);
    at_polymat_mul(V, X, M, ring);
    bool holds = true;
    for (slong i = 0; i < n && holds; i++)
        for (slong k = 0; k < d && holds; k++) {
            slong p = perm[i];
            for (int side = 0; side < 2; side++) {      /* g(PX)_i, then g(X)_{Pi} */
                fmpq_mpoly_zero(num, ring->ctx);
                fmpq_mpoly_zero(den, ring->ctx);
                for (slong j = 0; j < n; j++) {
                    slong token = side == 0 ? perm[j] : j;
                    fmpq_mpoly_mul(t, at_polymat_entry(E, p, token),
                                   side == 0 ? at_polymat_entry(C, i, j)
                                             : at_polymat_entry(C, p, j), ring->ctx);
                    at_poly_addmul(num, 1, 1, t, at_polymat_entry(V, token, k), ring);
                    fmpq_mpoly_add(den, den, at_polymat_entry(E, p, token), ring->ctx);
                }
                at_poly_addmul(num, 1, 1, den, at_polymat_entry(X, p, k), ring);   /* residual */
                at_polyfrac_set_quotient(side == 0 ? left : right, num, den, ring);
            }
            holds = at_polyfrac_equal(left, right, ring);
        }
    at_polymat_clear(E, ring);
    at_polymat_clear(C, ring);
    at_polymat_clear(X, ring);
    at_polymat_clear(M, ring);
    at_polymat_clear(V, ring);
    at_polyfrac_clear(left, ring);
    at_polyfrac_clear(right, ring);
    fmpq_mpoly_clear(num, ring->ctx);
    fmpq_mpoly_clear(den, ring->ctx);
    fmpq_mpoly_clear(t, ring->ctx);
    at_ring_clear(ring);
    return at_identity(holds);
}

/* ---- Orbits ------------------------------------------------------------------ */

static void swap(slong *a, slong *b)
{
    slong t = *a;
    *a = *b;
    *b = t;
}

/* The next permutation in lexicographic order; false after the last. */
static bool next_permutation(slong *perm, slong n)
{
    slong i = n - 2, j = n - 1;
    while (i >= 0 && perm[i] > perm[i + 1])
        i--;
    if (i < 0)
        return false;
    while (perm[j] < perm[i])
        j--;
    swap(&perm[i], &perm[j]);
    for (slong a = i + 1, b = n - 1; a < b; a++, b--)
        swap(&perm[a], &perm[b]);
    return true;
}

static void identity(slong *perm, slong n)
{
    for (slong i = 0; i < n; i++)
        perm[i] = i;
}

enum at_truth at_part_random_hits(slong n, slong p1, slong q1, slong p2, slong q2)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    slong perm[8], guess[8], guesses = 1;
    if (n > 6)
        return AT_UNKNOWN;
    for (slong i = 0; i < n; i++)
        guesses *= n;
    for (slong code = 0; code < guesses; code++) {
        slong rest = code, orbit = 0, first = 0, second = 0;
        for (slong i = 0; i < n; i++, rest /= n)
            guess[i] = rest % n;
        identity(perm, n);
        do {
            slong hits = 0;
            for (slong slot = 0; slot < n; slot++)
                hits += guess[slot] == perm[slot];
            orbit++;
            first += hits;
            second += hits * hits;
        } while (next_permutation(perm, n));
        if (first * q1 > p1 * orbit || second * q2 > p2 * orbit)
            return AT_FALSE;
    }
    return AT_TRUE;
}

enum at_truth at_part_etp_orbit(slong n, slong V, slong cap)
{
    if (n < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    slong perm[8], place[8], words = 1;
    if (n > 6 || V > 8)
        return AT_UNKNOWN;
    for (slong i = 0; i < n; i++)
        words *= V;
    for (slong word = 0; word < words; word++) {
        slong token[8], hits[8][9] = { { 0 } }, orbit = 0, total = 0, rest = word;
        for (slong i = 0; i < n; i++, rest /= V)
            token[i] = rest % V;
        identity(perm, n);
        do {                                            /* slot s stands at position perm[s] */
            for (slong s = 0; s < n; s++)
                place[perm[s]] = s;
            for (slong s = 0; s < n; s++) {
                slong i = perm[s] + 1;
                hits[s][i <= n / 2 ? token[place[2 * i - 1]] : V]++;
            }
            orbit++;
        } while (next_permutation(perm, n));
        for (slong s = 0; s < n; s++) {
            slong best = 0;
            for (slong v = 0; v <= V; v++)
                best = FLINT_MAX(best, hits[s][v]);
            total += best;
        }
        if (total > orbit * cap)
            return AT_FALSE;
    }
    return AT_TRUE;
}

/* Over i and n+1-i for one prediction: floors of PI under J, all n up to most. */
enum at_truth at_part_pi_under_reversal(slong most, slong shift)
{
    if (most < 1)
        return AT_UNKNOWN;              /* sizes that hold nothing to decide */
    for (slong n = 1; n <= most; n++) {
        slong largest = 0, squares = 0, fixed = 0;
        for (slong i = 1; i <= n; i++) {
            slong gap = 2 * i - n - 1;                  /* f_i - f_{n+1-i} */
            largest = FLINT_MAX(largest, FLINT_ABS(gap));
            squares += gap * gap;
            fixed += gap == 0;
        }
        /* half of it: (n-1)/2; mean of a quarter of the squares: (n^2-1)/12; hits over X and JX:
         * one of each pair, both of the fixed place: ceil(n/2)/n */
        if (largest != n - 1 + shift || 12 * squares != 4 * n * (n * n - 1)
            || n + fixed != 2 * ((n + 1) / 2))
            return AT_FALSE;
    }
    return AT_TRUE;
}

/* ---- Claims ------------------------------------------------------------------ */

int at_decide_reversal_symmetry(at_claim_run *run, at_error *err)
{
    static const enum at_logits_kind even[] = { AT_LOGITS_NONE, AT_LOGITS_EVEN_BIAS,
        AT_LOGITS_EVEN_KEYS, AT_LOGITS_EVEN_XL, AT_LOGITS_EVEN_DEBERTA };
    at_claim_scope(run, "n = 1..5, d = 1..2, all weights, even tables; floors of PI n = 1..64");
    enum { KINDS = sizeof even / sizeof even[0] };
    enum at_truth layer = AT_TRUE, kinds[KINDS];
    for (size_t k = 0; k < KINDS; k++)
        kinds[k] = AT_TRUE;
    for (slong n = 1; n <= 5; n++) {
        slong J[5];
        for (slong i = 0; i < n; i++)
            J[i] = n - 1 - i;
        for (slong d = 1; d <= 2 && layer == AT_TRUE; d++)
            layer = at_part_layer_symmetry(n, d, J, false);
        for (size_t k = 0; k < KINDS; k++)
            if (kinds[k] == AT_TRUE)
                kinds[k] = at_part_logits_symmetry(even[k], n, 2, 2, J);
    }
    at_claim_prove(run, "layer", AT_METHOD_SYMBOLIC, layer, "n = 1..5, d = 1..2: if S(JX) = J S(X) "
                   "J and C is even, then Attn(JX) = J Attn(X), over indeterminate exponentials");
    for (size_t k = 0; k < KINDS; k++)
        at_claim_prove(run, at_logits_kind_name(even[k]), AT_METHOD_SYMBOLIC, kinds[k],
                       "n = 1..5, d = 2: S(JX) = J S(X) J for all X, weights and even tables");
    at_claim_cite(run, "row-wise maps", "commute with J; induction over layers");
    at_claim_cite(run, "triangle inequality", "f(X) - J f(JX) = (f(X) - g(X)) - J (f(JX) - g(JX)), "
                  "so the larger of the two errors is at least half of it");
    at_claim_prove(run, "position identification", AT_METHOD_EXACT, at_part_pi_under_reversal(64,
                   0),
                   "n = 1..64: half the gap (n-1)/2, mean square (n^2-1)/12, accuracy ceil(n/2)/n");
    return at_support_symmetry(run, true, err);
}

int at_decide_permutation_symmetry(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "n = 1..4, d = 1..2, all weights and all permutations; orbits n <= 5");
    enum at_truth all = AT_TRUE, hits = AT_TRUE, even_tokens = AT_TRUE;
    for (slong n = 1; n <= 4; n++) {
        slong perm[4];
        identity(perm, n);
        do
            for (slong d = 1; d <= 2 && all == AT_TRUE; d++) {
                all = at_part_layer_symmetry(n, d, perm, false);
                if (all == AT_TRUE)
                    all = at_part_logits_symmetry(AT_LOGITS_NONE, n, d, 2, perm);
            }
        while (all == AT_TRUE && next_permutation(perm, n));
    }
    at_claim_prove(run, "g(PX) = P g(X)", AT_METHOD_SYMBOLIC, all, "n = 1..4, d = 1..2: each "
                   "permutation, over indeterminate exponentials and logits q_i . k_j");
    at_claim_cite(run, "row-wise maps", "commute with P; induction over layers");
    for (slong n = 1; n <= 5; n++)
        hits = hits == AT_TRUE ? at_part_random_hits(n, 1, 1, 2, 1) : hits;
    at_claim_prove(run, "PI accuracy", AT_METHOD_EXACT, hits, "n = 1..5, every prediction, all "
                   "permutations: at most 1 of n tokens is placed right on average (and the square "
                   "of the number is at most 2)");
    for (slong n = 1; n <= 4; n++)
        even_tokens = even_tokens == AT_TRUE ? at_part_etp_orbit(n, 3, (n + 1) / 2) : even_tokens;
    at_claim_prove(run, "ETP accuracy", AT_METHOD_EXACT, even_tokens, "n = 1..4, V = 3, every "
                   "sequence, best prediction of every token: at most ceil(n/2) hits of n on "
                   "average");
    enum at_truth entropy = AT_TRUE;
    for (slong n = 1; n <= 5 && entropy == AT_TRUE; n++)
        entropy = at_part_entropy_is_least(n);
    at_claim_prove(run, "PI cross entropy", AT_METHOD_SYMBOLIC, entropy, "n = 1..5: a token stands "
                   "at each position equally often while its prediction q stays, so the mean of "
                   "-log q_i less log n is at least sum_i p_i (1 - q_i/p_i), p_i = 1/n, which is "
                   "the probability given to other labels, hence >= 0");
    at_claim_cite(run, "log t <= t - 1", "so sum_i p_i log(p_i/q_i) >= sum_i p_i (1 - q_i/p_i)");
    return at_support_symmetry(run, false, err);
}
