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

/* J: token i becomes token n-1-i; false when there is no room. */
static bool reversed(slong *J, slong room, slong n)
{
    for (slong i = 0; i < n && n <= room; i++)
        J[i] = n - 1 - i;
    return n <= room;
}

int at_decide_reversal_symmetry(at_claim_run *run, at_error *err)
{
    static const enum at_logits_kind even[] = { AT_LOGITS_NONE, AT_LOGITS_EVEN_BIAS,
        AT_LOGITS_EVEN_KEYS, AT_LOGITS_EVEN_XL, AT_LOGITS_EVEN_DEBERTA };
    at_claim_scope(run, "all weights, even tables");
    enum { KINDS = sizeof even / sizeof even[0] };
    at_cases layer = at_cases_over(run, "n d");
    slong J[8];
    while (at_cases_next(&layer))
        at_cases_add(&layer, reversed(J, 8, layer.at[0])
                             ? at_part_layer_symmetry(layer.at[0], layer.at[1], J, false)
                             : AT_UNKNOWN);
    at_claim_prove_cases(run, "layer", AT_METHOD_SYMBOLIC, &layer, "if S(JX) = J S(X) J and C is "
                         "even, then Attn(JX) = J Attn(X), over indeterminate exponentials");
    for (size_t k = 0; k < KINDS; k++) {
        at_cases logits = at_cases_over(run, "n");
        while (at_cases_next(&logits))
            at_cases_add(&logits, reversed(J, 8, logits.at[0])
                                  ? at_part_logits_symmetry(even[k], logits.at[0], 2, 2, J)
                                  : AT_UNKNOWN);
        at_claim_prove_cases(run, at_logits_kind_name(even[k]), AT_METHOD_SYMBOLIC, &logits,
                             "d = 2: S(JX) = J S(X) J for all X, weights and even tables");
    }
    at_claim_cite(run, "row-wise maps", "commute with J; induction over layers");
    at_claim_cite(run, "triangle inequality", "f(X) - J f(JX) = (f(X) - g(X)) - J (f(JX) - g(JX)), "
                  "so the larger of the two errors is at least half of it");
    at_cases floors = at_cases_over(run, "m");
    while (at_cases_next(&floors))
        at_cases_add(&floors, at_part_pi_under_reversal(floors.at[0], 0));
    at_claim_prove_cases(run, "position identification", AT_METHOD_EXACT, &floors, "m tokens: half "
                         "the gap (m-1)/2, mean square (m^2-1)/12, accuracy ceil(m/2)/m");
    return at_support_symmetry(run, true, err);
}

/* g(PX) = P g(X) for every P of n tokens, and the logits' part of it. */
static enum at_truth every_permutation(slong n, slong d)
{
    slong perm[8];
    if (n < 1 || n > 8)
        return AT_UNKNOWN;
    identity(perm, n);
    do {
        if (at_part_layer_symmetry(n, d, perm, false) != AT_TRUE
            || at_part_logits_symmetry(AT_LOGITS_NONE, n, d, 2, perm) != AT_TRUE)
            return AT_FALSE;
    } while (next_permutation(perm, n));
    return AT_TRUE;
}

int at_decide_permutation_symmetry(at_claim_run *run, at_error *err)
{
    at_claim_scope(run, "all weights, all permutations");
    at_cases layers = at_cases_over(run, "n d");
    while (at_cases_next(&layers))
        at_cases_add(&layers, every_permutation(layers.at[0], layers.at[1]));
    at_claim_prove_cases(run, "g(PX) = P g(X)", AT_METHOD_SYMBOLIC, &layers, "each permutation, "
                         "over indeterminate exponentials and logits q_i . k_j");
    at_claim_cite(run, "row-wise maps", "commute with P; induction over layers");
    at_cases hits = at_cases_over(run, "m"), entropy = hits;
    while (at_cases_next(&hits))
        at_cases_add(&hits, at_part_random_hits(hits.at[0], 1, 1, 2, 1));
    at_claim_prove_cases(run, "PI accuracy", AT_METHOD_EXACT, &hits, "every prediction, all "
                         "permutations: at most 1 of m tokens is placed right on average (and the "
                         "square of the number is at most 2)");
    at_cases even_tokens = at_cases_over(run, "n V");
    while (at_cases_next(&even_tokens))
        at_cases_add(&even_tokens, at_part_etp_orbit(even_tokens.at[0], even_tokens.at[1],
                                                     (even_tokens.at[0] + 1) / 2));
    at_claim_prove_cases(run, "ETP accuracy", AT_METHOD_EXACT, &even_tokens, "labels 0..V-1 and EOS, "
                         "which is no token; every sequence, best prediction of every token: at "
                         "most ceil(n/2) hits of n on average");
    while (at_cases_next(&entropy))
        at_cases_add(&entropy, at_part_entropy_is_least(entropy.at[0]));
    at_claim_prove_cases(run, "PI cross entropy", AT_METHOD_SYMBOLIC, &entropy, "m tokens: a token "
                   "stands at each position equally often while its prediction q stays, so the mean "
                   "of -log q_i less log m is at least sum_i p_i (1 - q_i/p_i), p_i = 1/m, which is "
                   "the probability given to other labels, hence >= 0");
    at_claim_cite(run, "log t <= t - 1", "so sum_i p_i log(p_i/q_i) >= sum_i p_i (1 - q_i/p_i)");
    return at_support_symmetry(run, false, err);
}
