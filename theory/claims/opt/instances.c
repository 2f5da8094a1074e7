/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims opt.* that are certified on instances. */
#include "attest/theory/claims/opt/opt.h"

#include "attest/theory/symbolic/descent.h"
#include "attest/theory/expq/expq.h"

/* ---- opt.rate -------------------------------------------------------------- */

enum { TRY_BITS = 96, MOST_BITS = 1600 };

/* One softmax_β step in balls: next, and moved += ‖next − Y‖²; energy of Y. */
static void beta_step(arb_mat_t next, arb_t moved, arb_t energy, const arb_mat_t Y, slong prec)
{
    slong n = arb_mat_nrows(Y), d = arb_mat_ncols(Y);
    arb_mat_t w;
    arb_t z, gap;
    arb_mat_init(w, n, n);
    arb_init(z);
    arb_init(gap);
    arb_zero(energy);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            arb_zero(z);
            for (slong c = 0; c < d && j != i; c++) {
                arb_sub(gap, arb_mat_entry(Y, i, c), arb_mat_entry(Y, j, c), prec);
                arb_submul(z, gap, gap, prec);
            }
            arb_mul_2exp_si(z, z, -1);
            arb_exp(arb_mat_entry(w, i, j), z, prec);
            if (j > i)
                arb_sub(energy, energy, arb_mat_entry(w, i, j), prec);
        }
    arb_mat_mul(next, w, Y, prec);
    for (slong i = 0; i < n; i++) {
        arb_zero(z);
        for (slong j = 0; j < n; j++)
            arb_add(z, z, arb_mat_entry(w, i, j), prec);
        for (slong c = 0; c < d; c++) {
            arb_div(arb_mat_entry(next, i, c), arb_mat_entry(next, i, c), z, prec);
            arb_sub(gap, arb_mat_entry(next, i, c), arb_mat_entry(Y, i, c), prec);
            arb_addmul(moved, gap, gap, prec);
        }
    }
    arb_mat_clear(w);
    arb_clear(z);
    arb_clear(gap);
}

static bool all_rows_equal(const fmpq_mat_t Y)
{
    for (slong i = 1; i < fmpq_mat_nrows(Y); i++)
        for (slong c = 0; c < fmpq_mat_ncols(Y); c++)
            if (!fmpq_equal(fmpq_mat_entry(Y, i, c), fmpq_mat_entry(Y, 0, c)))
                return false;
    return true;
}

enum at_truth at_opt_path_length(const fmpq_mat_t Y, slong steps, slong p, slong q)
{
    slong n = fmpq_mat_nrows(Y), d = fmpq_mat_ncols(Y);
    enum at_truth truth = AT_UNKNOWN;
    arb_mat_t rows, next;
    arb_t moved, energy, bound;
    if (all_rows_equal(Y))
        return AT_TRUE;
    arb_mat_init(rows, n, d);
    arb_mat_init(next, n, d);
    arb_init(moved);
    arb_init(energy);
    arb_init(bound);
    for (slong prec = TRY_BITS; prec <= MOST_BITS && truth == AT_UNKNOWN; prec *= 2) {
        arb_mat_set_fmpq_mat(rows, Y, prec);
        arb_zero(moved);
        for (slong t = 0; t <= steps; t++) {
            arb_t ignored;
            arb_init(ignored);
            beta_step(next, t < steps ? moved : ignored, energy, rows, prec);
            if (t == 0)
                arb_mul_si(bound, energy, p, prec);
            arb_mat_swap(rows, next);
            arb_clear(ignored);
        }
        arb_submul_si(bound, energy, p, prec);
        arb_submul_si(bound, moved, q, prec);
        if (arb_is_finite(bound) && arb_is_positive(bound))
            truth = AT_TRUE;
        else if (arb_is_finite(bound) && arb_is_negative(bound))
            truth = AT_FALSE;
    }
    arb_mat_clear(rows);
    arb_mat_clear(next);
    arb_clear(moved);
    arb_clear(energy);
    arb_clear(bound);
    return truth;
}

/* Now and then moves all rows far away, differences kept: energies and weights stay, rows become
 * huge.  (Rows far from each other would need as many bits as their squared distance.) */
static void move_far(fmpq_mat_t A, fmpq_mat_t B, at_claim_run *run)
{
    fmpz_t far;
    fmpq_mat_struct *const both[] = { A, B };
    if (at_claim_random(run) % 8 != 0)
        return;
    fmpz_init_set_si(far, 1000003);
    for (size_t k = 0; k < 2; k++)
        for (slong i = 0; both[k] != NULL && i < fmpq_mat_nrows(both[k]); i++)
            for (slong c = 0; c < fmpq_mat_ncols(both[k]); c++)
                fmpq_add_fmpz(fmpq_mat_entry(both[k], i, c), fmpq_mat_entry(both[k], i, c), far);
    fmpz_clear(far);
}

/* n×d rationals, |x| ≤ 6, zeros, tiny ones, and equal rows now and then. */
static void random_rows(fmpq_mat_t Y, at_claim_run *run)
{
    slong n = fmpq_mat_nrows(Y);
    for (slong i = 0; i < n; i++)
        for (slong c = 0; c < fmpq_mat_ncols(Y); c++) {
            long p, q;
            at_claim_random_rational(&p, &q, run);
            fmpq_set_si(fmpq_mat_entry(Y, i, c), p % 7, (ulong) q);
        }
    if (n > 1 && at_claim_random(run) % 4 == 0)
        for (slong c = 0; c < fmpq_mat_ncols(Y); c++)
            fmpq_set(fmpq_mat_entry(Y, 0, c), fmpq_mat_entry(Y, n - 1, c));
}

/* `STEPS` steps from random rows, in balls. */
static void support_rate(at_claim_run *run)
{
    enum { STEPS = 4 };
    size_t count = 0, good = 0;
    for (; at_claim_another(run, count); count++) {
        fmpq_mat_t Y;
        slong n = 1 + (slong) (at_claim_random(run) % 5);
        fmpq_mat_init(Y, n, 1 + (slong) (at_claim_random(run) % 2));
        random_rows(Y, run);
        move_far(Y, NULL, run);
        good += at_opt_path_length(Y, STEPS, 1, 1) == AT_TRUE;
        fmpq_mat_clear(Y);
    }
    at_claim_support(run, "sum_t |Y^{t+1} - Y^t|^2 < E(Y^0) - E(Y^T)", AT_METHOD_BALL,
                     good == count && count > 0 ? AT_TRUE : AT_UNKNOWN,
                     "%zu of %zu random rational instances, n <= 5, d <= 2, %d steps", good, count,
                     STEPS);
}

int at_decide_opt_rate(at_claim_run *run, at_error *err)
{
    (void) err;
    at_opt_prove_attention_step(run);
    at_claim_prove(run, "w_ii = 1: the diagonal of <Delta,(D+W)Delta>/2 is |Delta|^2",
                   AT_METHOD_SYMBOLIC, at_lemma_identity("e", "1/4*1*(e + e)^2", "e^2"),
                   "1/2 of 1/2 sum_ij w_ij |delta_i + delta_j|^2 at i = j, one component; what is "
                   "left are the squares of i != j, so E(Y) - E(Y') >= |Y' - Y|^2");
    at_claim_prove(run, "the falls telescope", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("p q r", "(p - q) + (q - r)", "p - r"),
                   "the sum over t is E(Y^0) - E(Y^T) <= E(Y^0) - inf E");
    at_claim_cite(run, "bounds of E", "-n(n-1)/2 <= E <= 0, as 0 < exp(-z) <= 1");
    support_rate(run);
    return AT_OK;
}

/* ---- opt.fixed-keys -------------------------------------------------------- */

/* total = Σ_j e^{−½‖z − h_j‖²}, an element of ℚ[e^ℚ]; mean (d entries) = Σ_j p_j h_j. */
static void exact_mean(at_expqf_struct *mean, at_expq_t total, const fmpq_mat_t keys,
                       const fmpq_mat_t z)
{
    slong d = fmpq_mat_ncols(keys);
    at_expq_t weight, part;
    at_expq_struct *sums = flint_malloc((size_t) d * sizeof *sums);
    fmpq_t s, gap, one;
    at_expq_init(weight);
    at_expq_init(part);
    fmpq_init(s);
    fmpq_init(gap);
    fmpq_init(one);
    fmpq_one(one);
    for (slong c = 0; c < d; c++)
        at_expq_init(&sums[c]);
    at_expq_zero(total);
    for (slong j = 0; j < fmpq_mat_nrows(keys); j++) {
        fmpq_zero(s);
        for (slong c = 0; c < d; c++) {
            fmpq_sub(gap, fmpq_mat_entry(z, 0, c), fmpq_mat_entry(keys, j, c));
            fmpq_addmul(s, gap, gap);
        }
        fmpq_div_2exp(s, s, 1);
        fmpq_neg(s, s);
        at_expq_set_term(weight, one, s);
        at_expq_add(total, total, weight);
        for (slong c = 0; c < d; c++) {
            at_expq_mul_fmpq(part, weight, fmpq_mat_entry(keys, j, c));
            at_expq_add(&sums[c], &sums[c], part);
        }
    }
    for (slong c = 0; c < d; c++) {
        at_expqf_set_frac(&mean[c], &sums[c], total);
        at_expq_clear(&sums[c]);
    }
    flint_free(sums);
    at_expq_clear(weight);
    at_expq_clear(part);
    fmpq_clear(s);
    fmpq_clear(gap);
    fmpq_clear(one);
}

/* before − after of Σ_j e^{−½‖· − h_j‖²} at z' enclosed: F does not rise when it is ≤ 0. */
static void ball_total(arb_t total, const fmpq_mat_t keys, arb_srcptr z, slong prec)
{
    arb_t s, gap;
    arb_init(s);
    arb_init(gap);
    arb_zero(total);
    for (slong j = 0; j < fmpq_mat_nrows(keys); j++) {
        arb_zero(s);
        for (slong c = 0; c < fmpq_mat_ncols(keys); c++) {
            arb_set_fmpq(gap, fmpq_mat_entry(keys, j, c), prec);
            arb_sub(gap, gap, z + c, prec);
            arb_submul(s, gap, gap, prec);
        }
        arb_mul_2exp_si(s, s, -1);
        arb_exp(s, s, prec);
        arb_add(total, total, s, prec);
    }
    arb_clear(s);
    arb_clear(gap);
}

/* The new point is irrational: balls decide. */
static enum at_truth compare_in_balls(const fmpq_mat_t keys, const at_expq_t before,
                                      const at_expqf_struct *next, slong d)
{
    enum at_truth truth = AT_UNKNOWN;
    arb_ptr point = _arb_vec_init(d);
    arb_t after, old;
    arb_init(after);
    arb_init(old);
    for (slong prec = TRY_BITS; prec <= MOST_BITS && truth == AT_UNKNOWN; prec *= 2) {
        for (slong c = 0; c < d; c++)
            at_expqf_get_arb(point + c, &next[c], prec);
        ball_total(after, keys, point, prec);
        at_expq_get_arb(old, before, prec);
        arb_sub(after, after, old, prec);
        if (arb_is_finite(after) && arb_is_positive(after))
            truth = AT_TRUE;
        else if (arb_is_finite(after) && arb_is_negative(after))
            truth = AT_FALSE;
    }
    _arb_vec_clear(point, d);
    arb_clear(after);
    arb_clear(old);
    return truth;
}

enum at_truth at_opt_fixed_keys(const fmpq_mat_t keys, const fmpq_mat_t z, const fmpq_t eta)
{
    slong d = fmpq_mat_ncols(keys);
    at_expqf_struct *next = flint_malloc((size_t) d * sizeof *next);
    at_expqf_t here;
    at_expq_t before, after;
    fmpq_mat_t point;
    fmpq_t keep;
    bool rational = true;
    at_expqf_init(here);
    at_expq_init(before);
    at_expq_init(after);
    fmpq_mat_init(point, 1, d);
    fmpq_init(keep);
    for (slong c = 0; c < d; c++)
        at_expqf_init(&next[c]);
    exact_mean(next, before, keys, z);
    fmpq_one(keep);
    fmpq_sub(keep, keep, eta);
    for (slong c = 0; c < d; c++) {          /* (1 − η) z + η Σ p_j h_j */
        at_expqf_mul_fmpq(&next[c], &next[c], eta);
        at_expqf_set_fmpq(here, fmpq_mat_entry(z, 0, c));
        at_expqf_addmul_fmpq(&next[c], here, keep);
        rational = at_expqf_get_fmpq(fmpq_mat_entry(point, 0, c), &next[c]) && rational;
    }
    enum at_truth truth;
    if (rational) {                          /* ties live here; the comparison is exact */
        at_expqf_struct *unused = flint_malloc((size_t) d * sizeof *unused);
        for (slong c = 0; c < d; c++)
            at_expqf_init(&unused[c]);
        exact_mean(unused, after, keys, point);
        truth = at_expq_cmp(after, before) >= 0 ? AT_TRUE : AT_FALSE;
        for (slong c = 0; c < d; c++)
            at_expqf_clear(&unused[c]);
        flint_free(unused);
    } else {
        truth = compare_in_balls(keys, before, next, d);
    }
    for (slong c = 0; c < d; c++)
        at_expqf_clear(&next[c]);
    flint_free(next);
    at_expqf_clear(here);
    at_expq_clear(before);
    at_expq_clear(after);
    fmpq_mat_clear(point);
    fmpq_clear(keep);
    return truth;
}

/* Random keys, points and η. */
static void support_fixed_keys(at_claim_run *run)
{
    size_t count = 0, good = 0;
    fmpq_t eta;
    fmpq_init(eta);
    for (; at_claim_another(run, count); count++) {
        fmpq_mat_t keys, z;
        slong d = 1 + (slong) (at_claim_random(run) % 2);
        fmpq_mat_init(keys, 1 + (slong) (at_claim_random(run) % 4), d);
        fmpq_mat_init(z, 1, d);
        random_rows(keys, run);
        random_rows(z, run);
        move_far(keys, z, run);
        fmpq_set_si(eta, (slong) (at_claim_random(run) % 9), 4);     /* 0, 1/4, …, 2 */
        good += at_opt_fixed_keys(keys, z, eta) == AT_TRUE;
        fmpq_mat_clear(keys);
        fmpq_mat_clear(z);
    }
    fmpq_clear(eta);
    at_claim_support(run, "F(z') <= F(z)", AT_METHOD_BALL,
                     good == count && count > 0 ? AT_TRUE : AT_UNKNOWN, "%zu of %zu random "
                     "rational instances, up to 4 keys, d <= 2, eta = 0, 1/4, ..., 2, ties exactly "
                     "in Q(e^Q)", good, count);
}

int at_decide_opt_fixed_keys(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "one component at a time, so every dimension; any number of keys");
    at_claim_cite(run, "Jensen", "F(z') - F(z) = -log sum_j p_j exp(-x_j) <= sum_j p_j x_j, "
                  "x_j = |z' - h_j|^2/2 - |z - h_j|^2/2");
    at_claim_prove(run, "x_j = <z'-z,z-h_j> + |z'-z|^2/2", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("z e h", "1/2*(z+e-h)^2 - 1/2*(z-h)^2", "e*(z-h) + 1/2*e^2"),
                   "one component, e = z' - z; sum_j p_j (z - h_j) = z - sum_j p_j h_j = g, as the "
                   "p_j sum to 1");
    at_claim_prove(run, "sum_j p_j x_j = -eta(1 - eta/2)|g|^2", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("e g", "g*(-e*g) + 1/2*(e*g)^2", "-e*(1-1/2*e)*g^2"),
                   "one component, z' - z = -eta g");
    at_claim_prove_nonnegative(run, "the fall is >= 0", "eta g", "eta*(1-1/2*eta)*g^2",
                               "so F(z') <= F(z)");
    support_fixed_keys(run);
    return AT_OK;
}
