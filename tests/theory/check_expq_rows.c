/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory/expq_coprime and the rows of softmax attention in machine words, against slower ways. */
#include "tests/theory/fractions.h"
#include "tests/theory/networks.h"
#include "attest/theory/expq/impl.h"
#include "attest/theory/expq/words.h"

/* ---- Common factors ------------------------------------------------------------------------ */

/* Sparse, small coefficients, constant term not zero. */
static void random_poly(fmpz_poly_t p, at_test_random *r, long degree, long terms, bool positive)
{
    fmpz_poly_zero(p);
    for (long k = 0; k < terms; k++) {
        long at = k == 0 ? 0 : k == 1 ? degree : at_test_between(r, 0, degree);
        long c = at_test_between(r, positive ? 1 : -5, 5);
        fmpz_poly_set_coeff_si(p, at, c == 0 ? 1 : c);
    }
}

/* Factors that small integers do not betray, and some that they do. */
static void random_factor(fmpz_poly_t p, at_test_random *r)
{
    static const long known[][4] = {
        { 1, 1 }, { -1, 1 }, { 2, 1 }, { 1, 2 }, { -3, 2 }, { 4, 1 }, { 5, 1 }, { 1, 0, 1 },
        { 1, 1, 1 }, { 1, -1, 1 }, { -1, 1, 1 }, { -1, -1, 0, 1 }, { 3, -4 }, { 15, -4, 1 },
        { -17, 0, 1 }, { 1, 1, 0, 1 },
    };
    fmpz_poly_t inner;

    fmpz_poly_init(inner);
    fmpz_poly_zero(p);
    if (at_test_below(r, 4) == 0) {
        random_poly(p, r, at_test_between(r, 1, 9), 4, false);
    } else {
        const long *c = known[at_test_below(r, sizeof known / sizeof known[0])];
        for (long k = 0; k < 4; k++)
            fmpz_poly_set_coeff_si(p, k, c[k]);
    }
    /* p(u^k) */
    fmpz_poly_set_coeff_si(inner, at_test_below(r, 3) == 0 ? at_test_between(r, 1, 12) : 1, 1);
    fmpz_poly_compose(p, p, inner);
    fmpz_poly_clear(inner);
}

typedef struct {
    ulong places[400];
    fmpz coeffs[400];
} room_t;

static at_places places_of(room_t *room, const fmpz_poly_t p)
{
    slong length = 0;

    for (slong k = 0; k < fmpz_poly_length(p) && length < 400; k++) {
        if (fmpz_is_zero(p->coeffs + k))
            continue;
        room->places[length] = (ulong) k;
        room->coeffs[length++] = p->coeffs[k];   /* lent */
    }
    return (at_places) { length, room->places, room->coeffs };
}

START_TEST(coprimality)
{
    fmpz_poly_t x[3], y, factor, g;
    static room_t rooms[4];
    unsigned long proved = 0, coprime = 0, shared = 0;

    for (int k = 0; k < 3; k++)
        fmpz_poly_init(x[k]);
    fmpz_poly_init(y), fmpz_poly_init(factor), fmpz_poly_init(g);
    AT_ROUNDS(r, 3000) {
        long degree = at_test_between(&r, 2, 80), count = at_test_between(&r, 1, 3);
        at_places p[3];
        bool truth = true;
        random_poly(y, &r, degree, at_test_between(&r, 2, 12), at_test_below(&r, 2) == 0);
        bool share = at_test_below(&r, 2) == 0;
        random_factor(factor, &r);
        if (share)
            fmpz_poly_mul(y, y, factor);
        if (at_test_below(&r, 10) == 0) {
            fmpz_poly_scalar_mul_si(y, y, 1000003);
            fmpz_poly_scalar_mul_2exp(y, y, at_test_below(&r, 2) * 60);
        }
        for (long k = 0; k < count; k++) {
            random_poly(x[k], &r, at_test_between(&r, 1, 80), at_test_between(&r, 2, 12), false);
            if (share && at_test_below(&r, 2) == 0)
                fmpz_poly_mul(x[k], x[k], factor);
            fmpz_poly_gcd(g, x[k], y);
            truth = truth && fmpz_poly_length(g) == 1;
            p[k] = places_of(rooms + k, x[k]);
        }
        at_places q = places_of(rooms + 3, y);
        bool found = at_places_coprime(p, count, &q, AT_COPRIME_TRIES);
        coprime += truth, proved += found, shared += !truth;
        AT_EXPECT(&r, truth || !found, "a common factor was missed");
    }
    /* it is worth its price */
    ck_assert_msg(proved > coprime * 9 / 10, "%lu of %lu", proved, coprime);
    ck_assert_uint_gt(shared, 0);
    for (int k = 0; k < 3; k++)
        fmpz_poly_clear(x[k]);
    fmpz_poly_clear(y), fmpz_poly_clear(factor), fmpz_poly_clear(g);
}
END_TEST

/* Pairs that share a factor whose value is small at every point that is tried, and pairs whose
 * values share a factor by chance. */
START_TEST(hard_pairs)
{
    static const struct { long x[6], y[6]; bool coprime; } cases[] = {
        { { 1, 1 }, { 1, 0, 0, 1 }, false },              /* u + 1 */
        { { -1, 0, 1 }, { -1, 0, 0, 1 }, false },         /* u − 1 */
        { { -3, 1, 0, 0, 0, 0 }, { -9, 0, 1 }, false },   /* u − 3: 1 at ξ = 4 */
        { { -5, 1 }, { -25, 0, 1 }, false },              /* u − 5: −1 at ξ = 4 */
        { { 3, 1 }, { 9, 6, 1 }, false },                 /* u + 3: −1 at ξ = −4 */
        { { -15, 0, 1 }, { -30, -15, 2, 1 }, false },     /* u² − 15: 1 at ξ = ±4 */
        { { -4, 15 }, { 16, 0, -225 }, false },           /* 15 u − 4 */
        { { 1, 1 }, { 1, 2, 0, 0, 0, 1 }, true },         /* u + 1 and 1 + 2u + u^5 */
        { { 1, 0, 1 }, { 1, 0, 0, 0, 1 }, true },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fmpz_poly_t x, y, g;
        room_t rooms[2];
        fmpz_poly_init(x), fmpz_poly_init(y), fmpz_poly_init(g);
        for (long c = 0; c < 6; c++) {
            fmpz_poly_set_coeff_si(x, c, cases[k].x[c]);
            fmpz_poly_set_coeff_si(y, c, cases[k].y[c]);
        }
        fmpz_poly_gcd(g, x, y);
        ck_assert_int_eq(fmpz_poly_length(g) == 1, cases[k].coprime);
        at_places p = places_of(rooms, x), q = places_of(rooms + 1, y);
        bool one = at_places_coprime(&p, 1, &q, AT_COPRIME_TRIES);
        bool other = at_places_coprime(&q, 1, &p, AT_COPRIME_TRIES);
        ck_assert_msg(cases[k].coprime ? one || other : !one && !other, "case %zu", k);
        fmpz_poly_clear(x), fmpz_poly_clear(y), fmpz_poly_clear(g);
    }
}
END_TEST

/* ---- Rows ---------------------------------------------------------------------------------- */

enum { MOST = 70, COLS = 3 };

typedef struct {
    slong exps[MOST], weights[MOST], terms[MOST * COLS];
    at_word_row row;
} test_row;

static void random_row(test_row *t, at_test_random *r)
{
    static const long spreads[] = { 0, 1, 3, 30, 300 };
    static const slong bases[] = { 1, 2, 6, 12, 60, 1000003 };
    long spread = spreads[at_test_below(r, 5)], kind = at_test_between(r, 0, 5);
    slong count = at_test_below(r, 8) == 0 ? at_test_between(r, 1, MOST)
                                           : at_test_between(r, 1, 12);
    slong step = at_test_below(r, 3) == 0 ? at_test_between(r, 1, 12) : 1;

    t->row = (at_word_row) { .count = count, .cols = COLS, .exps = t->exps,
                             .base = bases[at_test_below(r, 6)], .terms = t->terms,
                             .weights = at_test_below(r, 2) == 0 ? t->weights : NULL,
                             .stride = COLS, .den = at_test_between(r, 1, 6) };
    for (slong j = 0; j < count; j++) {
        t->exps[j] = step * at_test_between(r, -spread, spread);
        t->weights[j] = kind == 0 ? 6 : at_test_between(r, 1, 4);
        for (slong c = 0; c < COLS; c++)
            t->terms[j * COLS + c] = kind == 1 ? c - 1 : at_test_between(r, -3, 3);
    }
    if (at_test_below(r, 20) == 0)
        t->exps[0] = at_test_below(r, 2) == 0 ? AT_WORD_LIMIT : -AT_WORD_LIMIT;
    if (at_test_below(r, 20) == 0)
        t->terms[0] = -AT_WORD_LIMIT;
    if (at_test_below(r, 20) == 0)
        t->weights[0] = AT_WORD_LIMIT;
}

/* Column c by the general functions. */
static void slow_row(at_expqf_t x, const test_row *t, slong c)
{
    fmpq *terms[2], *exps;
    at_expq_t num, den;

    at_expq_init(num), at_expq_init(den);
    exps = _fmpq_vec_init(t->row.count);
    for (int s = 0; s < 2; s++)
        terms[s] = _fmpq_vec_init(t->row.count);
    for (slong j = 0; j < t->row.count; j++) {
        fmpq_set_si(exps + j, t->row.exps[j], (ulong) t->row.base);
        fmpq_set_si(terms[0] + j, t->row.terms[j * t->row.stride + c], (ulong) t->row.den);
        fmpq_set_si(terms[1] + j, t->row.weights == NULL ? 1 : t->row.weights[j], 1);
    }
    at_expq_set_terms(num, terms[0], exps, t->row.count);
    at_expq_set_terms(den, terms[1], exps, t->row.count);
    at_expqf_set_frac(x, num, den);
    at_expq_clear(num), at_expq_clear(den);
    _fmpq_vec_clear(exps, t->row.count);
    for (int s = 0; s < 2; s++)
        _fmpq_vec_clear(terms[s], t->row.count);
}

START_TEST(rows)
{
    at_expqf_struct fast[COLS];
    at_expqf_t slow;
    test_row t;

    at_expqf_init(slow);
    for (slong c = 0; c < COLS; c++)
        at_expqf_init(fast + c);
    AT_ROUNDS(r, 1500) {
        random_row(&t, &r);
        at_expqf_softmax_words(fast, &t.row);
        for (slong c = 0; c < COLS; c++) {
            slow_row(slow, &t, c);
            EXPECT_FRACTION(&r, at_expqf_is_canonical(fast + c)
                                && at_expq_equal(&fast[c].num, &slow->num)
                                && at_expq_equal(&fast[c].den, &slow->den), fast + c, slow);
        }
    }
    for (slong c = 0; c < COLS; c++)
        at_expqf_clear(fast + c);
    at_expqf_clear(slow);
}
END_TEST

/* ---- Words --------------------------------------------------------------------------------- */

START_TEST(words)
{
    AT_ROUNDS(r, 300) {
        slong rows = at_test_between(&r, 1, 4), inner = at_test_between(&r, 1, 4);
        slong cols = at_test_between(&r, 1, 4);
        unsigned bits = (unsigned) at_test_between(&r, 1, 45);
        fmpq_mat_t a, b, bias, c;
        fmpq_t entry, factor;
        fmpq_mat_init(a, rows, inner), fmpq_mat_init(b, inner, cols);
        fmpq_mat_init(bias, (slong) at_test_below(&r, 2), cols), fmpq_mat_init(c, rows, cols);
        fmpq_init(entry), fmpq_init(factor);
        fmpq_mat_struct *const all[3] = { a, b, bias };
        for (int m = 0; m < 3; m++)
            for (slong i = 0; i < fmpq_mat_nrows(all[m]); i++)
                for (slong j = 0; j < fmpq_mat_ncols(all[m]); j++)
                    random_fmpq(fmpq_mat_entry(all[m], i, j), &r, m == 0 ? bits : 4);
        random_fmpq(factor, &r, 5);
        at_words x = at_words_from_fmpq_mat(a), y = at_words_from_fmpq_mat(b);
        at_words z = at_words_from_fmpq_mat(bias), w = at_words_product(&x, &y, false);
        at_words_add_row(&w, &z);
        at_words_scale(&w, fmpq_numref(factor), fmpq_denref(factor));
        AT_EXPECT(&r, w.good || bits > 8, "%u bits fit", bits);
        fmpq_mat_mul(c, a, b);
        for (slong k = 0; w.good && k < rows * cols; k++) {
            fmpq_t expected;
            fmpq_init(expected);
            fmpq_set(expected, fmpq_mat_entry(c, k / cols, k % cols));
            if (z.rows > 0)
                fmpq_add(expected, expected, fmpq_mat_entry(bias, 0, k % cols));
            fmpq_mul(expected, expected, factor);
            fmpq_set_si(entry, w.entries[k], (ulong) w.den);
            AT_EXPECT(&r, fmpq_equal(entry, expected), "entry %ld", (long) k);
            fmpq_clear(expected);
        }
        at_words_free(&x), at_words_free(&y), at_words_free(&z), at_words_free(&w);
        fmpq_mat_clear(a), fmpq_mat_clear(b), fmpq_mat_clear(bias), fmpq_mat_clear(c);
        fmpq_clear(entry), fmpq_clear(factor);
    }
}
END_TEST

/* ---- Heads --------------------------------------------------------------------------------- */

/* An encoding whose tables are zero takes the general path to the same numbers; the layer adds the
 * head's output to the residual. */
START_TEST(heads)
{
    at_error err = AT_ERROR_INIT;
    at_expqf_mat_t fast, slow, layer;
    at_expqf_t sum;
    fmpq_mat_t x;

    at_expqf_mat_init(fast, 0, 0), at_expqf_mat_init(slow, 0, 0), at_expqf_mat_init(layer, 0, 0);
    at_expqf_init(sum);
    AT_ROUNDS(r, 60) {
        at_network_t net[2];
        at_model model = { .n = 5, .d = 2, .heads = 1, .layers = 1 };
        unsigned long mask = at_test_below(&r, 3);
        for (int k = 0; k < 2; k++) {
            model.encoding = k == 0 ? AT_ENC_NONE : AT_ENC_T5;
            ck_assert_int_eq(at_network_init(net[k], &model, 0, &err), AT_OK);
            net[k]->mask = mask == 0 ? AT_MASK_NONE : mask == 1 ? AT_MASK_CAUSAL : AT_MASK_STRICT;
        }
        fmpq_mat_struct *const heads[2][3] = {
            { net[0]->layers[0].heads[0].query, net[0]->layers[0].heads[0].key,
              net[0]->layers[0].heads[0].value },
            { net[1]->layers[0].heads[0].query, net[1]->layers[0].heads[0].key,
              net[1]->layers[0].heads[0].value },
        };
        fmpq_mat_init(x, at_test_between(&r, 1, 5), 2);
        bool huge = at_test_below(&r, 4) == 0;
        for (slong i = 0; i < fmpq_mat_nrows(x); i++)
            for (slong j = 0; j < 2; j++)
                random_fmpq(fmpq_mat_entry(x, i, j), &r, huge ? 50 : 3);
        for (int m = 0; m < 3; m++) {
            for (slong i = 0; i < 2; i++)
                for (slong j = 0; j < 2; j++)
                    fmpq_set_si(fmpq_mat_entry(heads[0][m], i, j), at_test_between(&r, -2, 2), 1);
            fmpq_mat_set(heads[1][m], heads[0][m]);
        }
        fmpq_mat_one(net[0]->layers[0].heads[0].output);
        int status = at_network_head_exact(fast, net[0], 0, 0, x, &err);
        AT_EXPECT(&r, status == AT_OK, "%s", err.text);
        ck_assert_int_eq(at_network_head_exact(slow, net[1], 0, 0, x, &err), AT_OK);
        ck_assert_int_eq(at_network_eval_exact(layer, net[0], x, &err), AT_OK);
        for (slong k = 0; k < fast->rows * fast->cols; k++) {
            EXPECT_FRACTION(&r, at_expqf_equal(fast->entries + k, slow->entries + k),
                            fast->entries + k, slow->entries + k);
            at_expqf_set_fmpq(sum, fmpq_mat_entry(x, k / 2, k % 2));
            at_expqf_add(sum, sum, fast->entries + k);
            EXPECT_FRACTION(&r, at_expqf_equal(sum, layer->entries + k), sum,
                            layer->entries + k);
        }
        fmpq_mat_clear(x);
        at_network_clear(net[0]), at_network_clear(net[1]);
    }
    at_expqf_mat_clear(fast), at_expqf_mat_clear(slow), at_expqf_mat_clear(layer);
    at_expqf_clear(sum);
}
END_TEST

/* Elements are moved as plain memory, by qsort for one. */
START_TEST(moves)
{
    at_expqf_struct x, moved;

    AT_ROUNDS(r, 50) {
        at_expqf_t copy;
        at_expqf_init(&x), at_expqf_init(copy);
        if (at_test_below(&r, 2) == 0)
            random_expqf(&x, &r);
        else
            at_expqf_set_si(&x, at_test_between(&r, -1, 1));
        at_expqf_set(copy, &x);
        memcpy(&moved, &x, sizeof x);
        memset(&x, 0x5a, sizeof x);
        EXPECT_FRACTION(&r, at_expqf_is_canonical(&moved) && at_expqf_equal(&moved, copy), &moved,
                        copy);
        at_expqf_clear(&moved), at_expqf_clear(copy);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("expq_rows");
    TCase *cases = tcase_create("rows");

    tcase_add_test(cases, coprimality);
    tcase_add_test(cases, hard_pairs);
    tcase_add_test(cases, rows);
    tcase_add_test(cases, words);
    tcase_add_test(cases, heads);
    tcase_add_test(cases, moves);
    tcase_set_timeout(cases, 60);
    suite_add_tcase(s, cases);
    return s;
}

AT_CHECK_MAIN(suite)
