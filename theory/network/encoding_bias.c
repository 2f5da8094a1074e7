/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodings that add one number to a logit: by offset, bucket, distance in a graph, or a formula.
 * */
#include "attest/theory/network/encoding_impl.h"

const at_encoding_exact at_exact_t5 = {
    .id = AT_ENC_T5, .terms = 1, .tables = { "bias" }, .shape = at_shape_offsets,
    .logit = at_logit_offset
};

/* ---- t5-bucketed --------------------------------------------------------------------------- */

/* Bucket of distance x: x itself below half = buckets/2, then half + b for the greatest
 * b ≤ rest log(x/half)/log(far/half), rest = buckets − half, at most the last.  In integers: the
 * greatest b with (far/half)^b ≤ (x/half)^rest. */
static slong bucket_of_distance(slong x, slong buckets, slong far)
{
    slong half = buckets / 2, rest = buckets - half, b = 0;
    fmpz_t left, right, f;

    if (x < half || half == 0)
        return FLINT_MIN(x, buckets - 1);
    fmpz_init(left), fmpz_init(right), fmpz_init(f);
    while (b + 1 < rest) {
        /* far^{b+1} half^{rest} ≤ x^{rest} half^{b+1} */
        fmpz_set_si(left, far), fmpz_pow_ui(left, left, (ulong) (b + 1));
        fmpz_set_si(f, half), fmpz_pow_ui(f, f, (ulong) rest), fmpz_mul(left, left, f);
        fmpz_set_si(right, x), fmpz_pow_ui(right, right, (ulong) rest);
        fmpz_set_si(f, half), fmpz_pow_ui(f, f, (ulong) (b + 1)), fmpz_mul(right, right, f);
        if (fmpz_cmp(left, right) > 0)
            break;
        b++;
    }
    fmpz_clear(left), fmpz_clear(right), fmpz_clear(f);
    return half + b;
}

slong at_t5_bucket(slong k, slong buckets, slong distance, bool bidirectional)
{
    if (!bidirectional)
        return k <= 0 ? 0 : bucket_of_distance(k, buckets, distance);
    slong half = buckets / 2;
    return (k < 0 ? half : 0) + bucket_of_distance(FLINT_ABS(k), half, distance);
}

static void shape_bucketed(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) net;
    *rows = 1;
    *cols = t == 0 ? 32 : 1;
}

static void random_bucketed(at_head *head, const at_network_struct *net, at_random *r)
{
    (void) net;
    (void) r;
    fmpq_set_si(fmpq_mat_entry(head->tables[1], 0, 0), 128, 1);
}

static int check_bucketed(const at_network_struct *net, const at_head *head, at_error *err)
{
    const fmpq *far = fmpq_mat_entry(head->tables[1], 0, 0);
    slong buckets = fmpq_mat_ncols(head->tables[0]);

    (void) net;
    if (buckets < 4 || buckets % 2 != 0)
        return at_error_set(err, AT_USAGE, "t5-bucketed: buckets are even, at least 4");
    if (!fmpz_is_one(fmpq_denref(far)) || fmpq_cmp_si(far, buckets / 2) <= 0
        || fmpq_cmp_si(far, 1000000) > 0)
        return at_error_set(err, AT_USAGE, "t5-bucketed: distance is an integer above buckets/2, "
                            "at most a million");
    return AT_OK;
}

static void logit_bucketed(void *s, at_attention *a, slong i, slong j)
{
    slong buckets = fmpq_mat_ncols(a->head->tables[0]);
    slong far = fmpz_get_si(fmpq_numref(fmpq_mat_entry(a->head->tables[1], 0, 0)));
    slong b = at_t5_bucket(i - j, buckets, far, a->net->mask == AT_MASK_NONE);

    at_attention_add(s, a, fmpq_mat_entry(a->head->tables[0], 0, b));
}

const at_encoding_exact at_exact_t5_bucketed = {
    .id = AT_ENC_T5_BUCKETED, .terms = 1, .tables = { "bias", "distance" },
    .shape = shape_bucketed, .random = random_bucketed, .check = check_bucketed,
    .logit = logit_bucketed
};

/* ---- alibi --------------------------------------------------------------------------------- */

static void shape_number(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) net;
    (void) t;
    *rows = *cols = 1;
}

static void logit_alibi(void *s, at_attention *a, slong i, slong j)
{
    fmpz_t k;

    fmpz_init_set_si(k, -FLINT_ABS(i - j));
    fmpq_mul_fmpz(a->c, fmpq_mat_entry(a->head->tables[0], 0, 0), k);
    at_attention_add(s, a, a->c);
    fmpz_clear(k);
}

const at_encoding_exact at_exact_alibi = {
    .id = AT_ENC_ALIBI, .terms = 1, .tables = { "slope" }, .shape = shape_number,
    .logit = logit_alibi
};

const at_encoding_exact at_exact_alibi_symmetric = {
    .id = AT_ENC_ALIBI_SYMMETRIC, .terms = 1, .tables = { "slope" }, .shape = shape_number,
    .logit = logit_alibi
};

/* ---- kerple -------------------------------------------------------------------------------- */

static void shape_pair(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) net;
    (void) t;
    *rows = 1;
    *cols = 2;
}

static void random_kerple_log(at_head *head, const at_network_struct *net, at_random *r)
{
    (void) net;
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 0), at_random_between(r, 0, 3), 1);
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 1), at_random_between(r, 0, 8),
                (ulong) at_random_between(r, 1, 4));
}

static int check_kerple_log(const at_network_struct *net, const at_head *head, at_error *err)
{
    const fmpq *r1 = fmpq_mat_entry(head->tables[0], 0, 0);

    (void) net;
    if (fmpq_sgn(r1) < 0 || !fmpz_is_one(fmpq_denref(r1)) || fmpq_cmp_si(r1, 1000) > 0)
        return at_error_set(err, AT_USAGE, "kerple-log: r_1 is an integer from 0 to 1000");
    if (fmpq_sgn(fmpq_mat_entry(head->tables[0], 0, 1)) < 0)
        return at_error_set(err, AT_USAGE, "kerple-log: r_2 >= 0");
    return AT_OK;
}

/* e^{−r_1 log(1 + r_2 |k|)}. */
static void factor_kerple_log(fmpq_t f, const at_attention *a, slong i, slong j)
{
    fmpz_t k;

    fmpz_init_set_si(k, FLINT_ABS(i - j));
    fmpq_mul_fmpz(f, fmpq_mat_entry(a->head->tables[0], 0, 1), k);
    fmpq_add_si(f, f, 1);
    fmpq_pow_si(f, f, -fmpz_get_si(fmpq_numref(fmpq_mat_entry(a->head->tables[0], 0, 0))));
    fmpz_clear(k);
}

const at_encoding_exact at_exact_kerple_log = {
    .id = AT_ENC_KERPLE_LOG, .terms = 1, .tables = { "r" }, .shape = shape_pair,
    .random = random_kerple_log, .check = check_kerple_log, .factor = factor_kerple_log
};

static void random_kerple_power(at_head *head, const at_network_struct *net, at_random *r)
{
    (void) net;
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 0), at_random_between(r, 0, 6),
                (ulong) at_random_between(r, 1, 4));
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 1), at_random_between(r, 1, 2), 1);
}

static int check_kerple_power(const at_network_struct *net, const at_head *head, at_error *err)
{
    const fmpq *r2 = fmpq_mat_entry(head->tables[0], 0, 1);

    (void) net;
    if (fmpq_cmp_si(r2, 1) != 0 && fmpq_cmp_si(r2, 2) != 0)
        return at_error_set(err, AT_USAGE, "kerple-power: r_2 is 1 or 2");
    return AT_OK;
}

static void logit_kerple_power(void *s, at_attention *a, slong i, slong j)
{
    bool square = fmpq_cmp_si(fmpq_mat_entry(a->head->tables[0], 0, 1), 2) == 0;
    slong k = FLINT_ABS(i - j);
    fmpz_t power;

    fmpz_init_set_si(power, -(square ? k * k : k));
    fmpq_mul_fmpz(a->c, fmpq_mat_entry(a->head->tables[0], 0, 0), power);
    at_attention_add(s, a, a->c);
    fmpz_clear(power);
}

const at_encoding_exact at_exact_kerple_power = {
    .id = AT_ENC_KERPLE_POWER, .terms = 1, .tables = { "r" }, .shape = shape_pair,
    .random = random_kerple_power, .check = check_kerple_power, .logit = logit_kerple_power
};

/* ---- fire ---------------------------------------------------------------------------------- */

static void shape_fire(slong *rows, slong *cols, const at_network_struct *net, int t)
{
    (void) net;
    *rows = 1;
    *cols = t == 0 ? 2 : 4;
}

static void random_fire(at_head *head, const at_network_struct *net, at_random *r)
{
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 0), at_random_between(r, 1, 6),
                (ulong) at_random_between(r, 1, 3));
    fmpq_set_si(fmpq_mat_entry(head->tables[0], 0, 1), at_random_between(r, 1, net->n), 1);
}

static int check_fire(const at_network_struct *net, const at_head *head, at_error *err)
{
    slong width = fmpq_mat_ncols(head->tables[1]);

    (void) net;
    if (fmpq_sgn(fmpq_mat_entry(head->tables[0], 0, 0)) <= 0)
        return at_error_set(err, AT_USAGE, "fire: c > 0");
    if (fmpq_sgn(fmpq_mat_entry(head->tables[0], 0, 1)) < 0)
        return at_error_set(err, AT_USAGE, "fire: L >= 0");
    if (fmpq_mat_ncols(head->tables[2]) != width || fmpq_mat_ncols(head->tables[3]) != width)
        return at_error_set(err, AT_USAGE, "fire: in, bias and out have the same width");
    return AT_OK;
}

/* f(z) for a hidden layer of ReLUs. */
static void fire_network(fmpq_t f, const at_head *head, const fmpq_t z)
{
    fmpq_t hidden;

    fmpq_init(hidden);
    fmpq_zero(f);
    for (slong l = 0; l < fmpq_mat_ncols(head->tables[1]); l++) {
        fmpq_mul(hidden, fmpq_mat_entry(head->tables[1], 0, l), z);
        fmpq_add(hidden, hidden, fmpq_mat_entry(head->tables[2], 0, l));
        if (fmpq_sgn(hidden) > 0)
            fmpq_addmul(f, hidden, fmpq_mat_entry(head->tables[3], 0, l));
    }
    fmpq_clear(hidden);
}

static void logit_fire(void *s, at_attention *a, slong i, slong j)
{
    const fmpq *c = fmpq_mat_entry(a->head->tables[0], 0, 0);
    const fmpq *least = fmpq_mat_entry(a->head->tables[0], 0, 1);
    fmpq_t top, bottom;

    fmpq_init(top), fmpq_init(bottom);
    fmpq_set_si(bottom, i + 1, 1);
    if (fmpq_cmp(least, bottom) > 0)
        fmpq_set(bottom, least);
    fmpq_set_si(top, FLINT_ABS(i - j), 1);
    fmpq_mul(top, top, c), fmpq_add_si(top, top, 1);
    fmpq_mul(bottom, bottom, c), fmpq_add_si(bottom, bottom, 1);
    fmpq_div(top, top, bottom);
    fire_network(a->c, a->head, top);
    at_attention_add(s, a, a->c);
    fmpq_clear(top), fmpq_clear(bottom);
}

const at_encoding_exact at_exact_fire = {
    .id = AT_ENC_FIRE, .terms = 1, .tables = { "psi", "in", "bias", "out" },
    .shape = shape_fire, .random = random_fire, .check = check_fire, .logit = logit_fire
};

/* ---- graph, urpe --------------------------------------------------------------------------- */

static void gate_offset(fmpq_t c, const at_attention *a, slong i, slong j)
{
    fmpq_set(c, at_by_offset(a, 1, i, j));
}

static void gate_distance(fmpq_t c, const at_attention *a, slong i, slong j)
{
    fmpq_set(c, at_by_distance(a, 1, i, j));
}

const at_encoding_exact at_exact_graph = {
    .id = AT_ENC_GRAPH, .terms = 1, .tables = { "bias" }, .uses_distance = true,
    .shape = at_shape_distances, .logit = at_logit_distance
};

const at_encoding_exact at_exact_urpe = {
    .id = AT_ENC_URPE, .terms = 1, .tables = { "bias", "gate" }, .shape = at_shape_offsets,
    .logit = at_logit_offset, .gate = gate_offset
};

const at_encoding_exact at_exact_graph_urpe = {
    .id = AT_ENC_GRAPH_URPE, .terms = 1, .tables = { "bias", "gate" }, .uses_distance = true,
    .shape = at_shape_distances, .logit = at_logit_distance, .gate = gate_distance
};
