/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Violations of refuted statements about points, constructions and iterated maps, with their
 * confirmations in ℚ, in ℚ(e^ℚ) and in balls. */
#include "attest/experiments/verify/search_own.h"

#include <stdio.h>
#include <string.h>
#include "attest/theory/energy/energy.h"
#include "attest/theory/realize/realize.h"
#include "attest/theory/claim/witness.h"

typedef double complex number;

enum { MOST = 8 };

static number cut(number z) { return creal(z) > 0 ? z : 0; }     /* ReLU */

static number larger(number a, number b) { return creal(a) >= creal(b) ? a : b; }

/* "(1/2, 0, 3)". */
static bool write_vector(char *text, size_t size, const char *name, const fmpq *v, size_t count)
{
    size_t used = (size_t) snprintf(text, size, "%s = (", name);
    for (size_t k = 0; k < count && used < size; k++) {
        char *entry = fmpq_get_str(NULL, 10, v + k);
        used += (size_t) snprintf(text + used, size - used, "%s%s", k == 0 ? "" : ", ", entry);
        flint_free(entry);
    }
    if (used < size)
        used += (size_t) snprintf(text + used, size - used, ")");
    return used < size;
}

/* ---- rpe.floor/euclidean-diameter -------------------------------------------------- */

/* Of three points: squared radius of the smallest disc that holds them, less the squared half of
 * their diameter; how far from acute (negative) where the two are equal. */
double complex at_search_enclosing(size_t n, const double complex *x)
{
    if (n < 3)
        return 0;                   /* half the distance does hold two points */
    number side[3], longest = 0, sum = 0, product = 1;
    for (size_t k = 0; k < 3; k++) {
        const number *p = x + 2 * k, *q = x + 2 * ((k + 1) % 3);
        side[k] = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
        longest = larger(longest, side[k]);
        sum += side[k];
        product *= side[k];
    }
    number cross = (x[2] - x[0]) * (x[5] - x[1]) - (x[4] - x[0]) * (x[3] - x[1]);
    number acute = sum - 2 * longest;
    if (creal(acute) <= 0)
        return acute / (1 + sum);
    return product / (4 * cross * cross) - longest / 4;
}

/* The circumcentre is a convex combination of the points, so the smallest disc is the circumcircle;
 * its radius from the centre, and again from the sides. */
bool at_search_confirm_enclosing(char *text, size_t size, size_t n, const fmpq *x)
{
    fmpq *v = _fmpq_vec_init(12);
    fmpq *side = v, *opposite = v + 3, *t = v + 6, *total = v + 7, *longest = v + 8, *again = v + 9;
    bool inside = n == 3;
    if (!inside) {
        _fmpq_vec_clear(v, 12);
        return false;
    }
    for (size_t k = 0; k < 3; k++)
        for (size_t c = 0; c < 2; c++) {
            fmpq_sub(t, x + 2 * k + c, x + 2 * ((k + 1) % 3) + c);
            fmpq_addmul(side + k, t, t);
        }
    /* barycentric weights a²(b² + c² − a²) of the circumcentre, positive inside */
    for (size_t k = 0; k < 3; k++) {
        fmpq_add(opposite + k, side + (k + 1) % 3, side + (k + 2) % 3);
        fmpq_sub(opposite + k, opposite + k, side + k);
        fmpq_mul(opposite + k, opposite + k, side + k);
        inside = inside && fmpq_sgn(opposite + k) > 0;
        fmpq_add(total, total, opposite + k);
        if (fmpq_cmp(side + k, longest) > 0)
            fmpq_set(longest, side + k);
    }
    /* R² = a²b²c²/Σ weights, as 16 K² = Σ weights; K² from the cross product a second time */
    if (inside) {
        fmpq *cross = v + 10, *u = v + 11;
        fmpq_mul(again, side, side + 1);
        fmpq_mul(again, again, side + 2);
        fmpq_sub(t, x + 2, x);
        fmpq_sub(u, x + 5, x + 1);
        fmpq_mul(cross, t, u);
        fmpq_sub(t, x + 4, x);
        fmpq_sub(u, x + 3, x + 1);
        fmpq_submul(cross, t, u);
        fmpq_mul(cross, cross, cross);
        fmpq_mul_si(cross, cross, 4);
        inside = fmpq_equal(cross, total);
        fmpq_div(again, again, total);
        fmpq_set_si(t, 1, 4);
        fmpq_mul(t, t, longest);
        inside = inside && fmpq_cmp(again, t) > 0;
    }
    inside = inside && write_vector(text, size, "points in the plane", x, 6);
    _fmpq_vec_clear(v, 12);
    return inside;
}

/* ---- rpe.almost-everywhere/everywhere ------------------------------------------------ */

/* R = 1, δ = 1/4; β and γ by n. */
static const slong sharpness[][2] = { { 0, 0 }, { 0, 0 }, { 5, 2 }, { 6, 3 }, { 7, 4 } };

double complex at_search_almost(size_t n, const double complex *x)
{
    double beta = (double) sharpness[n][0], gamma = (double) sharpness[n][1], step = 0.25 / 3;
    number m[MOST], sum = 0;
    for (size_t i = 0; i < n; i++) {
        number total = 0, mean = 0;
        for (size_t j = 0; j < n; j++) {
            double w = exp(beta * (j + 1 == i ? 2 : j == i));
            total += w;
            mean += w * x[j];
        }
        number u = x[i] - mean / total;
        m[i] = (cut(u + 2 * step) - cut(u + step) - cut(u - step) + cut(u - 2 * step)) / step;
    }
    for (size_t i = 0; i < n; i++) {
        number total = 0, q = 0, p = (double) n;
        for (size_t j = 0; j < n; j++) {
            double w = exp(j <= i ? gamma : 0);
            total += w;
            q += w * m[j];
        }
        q /= total;
        for (size_t t = 1; t < n; t++) {
            double a = (double) t, weight = (4 * a + 1) * (a + 1) / 3;
            p -= weight * (cut(q - 1 / (a + 1)) - cut(q - 4 / (4 * a + 1)));
        }
        number miss = p - ((double) i + 1), out = cut(larger(x[i], -x[i]) - 1);
        sum += miss * miss - 100 * out * out;
    }
    return sum;
}

bool at_search_confirm_almost(char *text, size_t size, size_t n, const fmpq *x)
{
    at_network_t net;
    at_expqf_mat_t Y;
    arb_mat_t y;
    fmpq_mat_t X;
    fmpq_t R, delta;
    bool exact = false, ball = false, inside = true;
    fmpq_init(R);
    fmpq_init(delta);
    fmpq_one(R);
    fmpq_set_si(delta, 1, 4);
    bool built = at_realize_almost_everywhere(net, (slong) n, R, delta, sharpness[n][0],
                                              sharpness[n][1], NULL) == AT_OK;
    fmpq_clear(delta);
    if (built) {
        at_expqf_mat_init(Y, 0, 0);
        arb_mat_init(y, 0, 0);
        fmpq_mat_init(X, (slong) n, 1);
        for (size_t i = 0; i < n; i++) {
            fmpq_set(fmpq_mat_entry(X, i, 0), x + i);
            fmpq_abs(R, x + i);
            inside = inside && fmpq_cmp_si(R, 1) <= 0;
        }
        bool done = at_network_eval_exact(Y, net, X, NULL) == AT_OK && Y->rows == (slong) n
                    && at_network_eval_ball(y, net, X, 192, NULL) == AT_OK
                    && arb_mat_nrows(y) == (slong) n;
        for (size_t i = 0; i < n && done; i++) {
            exact = exact || !at_expqf_equal_si(at_expqf_mat_entry(Y, i, 0), (slong) i + 1);
            ball = ball || (arb_is_finite(arb_mat_entry(y, i, 0))
                            && !arb_contains_si(arb_mat_entry(y, i, 0), (slong) i + 1));
        }
        at_expqf_mat_clear(Y);
        arb_mat_clear(y);
        fmpq_mat_clear(X);
        at_network_clear(net);
    }
    fmpq_clear(R);
    return exact && ball && inside && write_vector(text, size, "X", x, n);
}

/* ---- urpe.solves-etp/half ------------------------------------------------------------ */

/* Token j is 1 with weight t_j = 1/(1 + e^{−x_j}); at the ends of t this is minus the least margin
 * of the first half for β = 1/2. */
double complex at_search_even_tokens(size_t n, const double complex *x)
{
    number worst = -2;
    for (size_t i = 1; i <= n / 2; i++) {
        number total = 0, ones = 0;
        for (size_t j = 1; j <= n; j++) {
            double gap = 2 * (double) i - (double) j, w = exp(-gap * gap / 2);
            total += w;
            ones += w / (1 + at_search_exp(-x[j - 1]));
        }
        number right = 2 / (1 + at_search_exp(-x[2 * i - 1])) - 1;
        worst = larger(worst, -right * (2 * ones / total - 1));
    }
    return worst;
}

bool at_search_confirm_even_tokens(char *text, size_t size, size_t n, const fmpq *x)
{
    at_network_t net;
    at_expqf_mat_t Y;
    at_expqf_t margin;
    arb_t direct, w;
    fmpq_mat_t X;
    fmpq_t beta;
    slong tokens[MOST], labels[MOST];
    fmpq_init(beta);
    fmpq_set_si(beta, 1, 2);
    bool built = at_realize_etp(net, (slong) n, 2, beta, NULL) == AT_OK, wrong = false;
    fmpq_clear(beta);
    if (!built)
        return false;
    for (size_t j = 0; j < n; j++)
        tokens[j] = fmpq_sgn(x + j) > 0;
    at_etp_labels(labels, tokens, (slong) n, 0, 2);
    at_expqf_mat_init(Y, 0, 0);
    at_expqf_init(margin);
    arb_init(direct);
    arb_init(w);
    fmpq_mat_init(X, (slong) n, 2);
    at_network_one_hot(X, net, tokens, (slong) n);
    if (at_network_eval_exact(Y, net, X, NULL) == AT_OK) {
        at_logit_margin(margin, Y, labels);
        wrong = at_expqf_sgn(margin) < 0;
    }
    /* again: Σ_j ±e^{−(2i−j)²/2} < 0 for some i, the sign that of x_j = x_{2i} */
    bool again = false;
    for (size_t i = 1; i <= n / 2; i++) {
        arb_zero(direct);
        for (size_t j = 1; j <= n; j++) {
            slong gap = 2 * (slong) i - (slong) j;
            arb_set_si(w, -gap * gap);
            arb_mul_2exp_si(w, w, -1);
            arb_exp(w, w, 128);
            if (tokens[j - 1] == tokens[2 * i - 1])
                arb_add(direct, direct, w, 128);
            else
                arb_sub(direct, direct, w, 128);
        }
        again = again || arb_is_negative(direct);
    }
    char *value = at_expqf_get_str(margin);
    size_t used = (size_t) snprintf(text, size, "tokens (");
    for (size_t j = 0; j < n && used < size; j++)
        used += (size_t) snprintf(text + used, size - used, "%s%ld", j == 0 ? "" : ", ",
                                  (long) tokens[j]);
    if (used < size)
        used += (size_t) snprintf(text + used, size - used, "): margin %s", value);
    flint_free(value);
    at_expqf_mat_clear(Y);
    at_expqf_clear(margin);
    arb_clear(direct);
    arb_clear(w);
    fmpq_mat_clear(X);
    at_network_clear(net);
    return wrong && again && used < size;
}

/* ---- opt.no-self-term/strict ---------------------------------------------------------- */

/* ‖Y' − Y‖² less a multiple of the energy's change, for Y' the averages over j ≠ i with weights
 * e^{−z_ij}: positive where rows move and the energy does not. */
double complex at_search_swap(size_t n, const double complex *x)
{
    number next[MOST], moved = 0, change = 0;
    for (size_t i = 0; i < n; i++) {
        number total = 0, sum = 0;
        double near = 1e300;
        for (size_t j = 0; j < n; j++)      /* relative to the nearest: no underflow */
            if (j != i)
                near = fmin(near, creal((x[i] - x[j]) * (x[i] - x[j]) / 2));
        for (size_t j = 0; j < n; j++) {
            if (j == i)
                continue;
            number w = at_search_exp(near - (x[i] - x[j]) * (x[i] - x[j]) / 2);
            total += w;
            sum += w * x[j];
        }
        next[i] = sum / total;
        moved += (next[i] - x[i]) * (next[i] - x[i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            change += at_search_exp(-(next[i] - next[j]) * (next[i] - next[j]) / 2)
                      - at_search_exp(-(x[i] - x[j]) * (x[i] - x[j]) / 2);
    return moved - 1e6 * larger(change, -change);
}

/* The certificate of the step says "ties"; and with two rows each average is the other row, so
 * that they move when they differ and z_12 stays. */
bool at_search_confirm_swap(char *text, size_t size, size_t n, const fmpq *x)
{
    at_energy_certificate certificate;
    double Y[2];
    if (n != 2 || fmpq_equal(x, x + 1))
        return false;
    for (size_t i = 0; i < 2; i++)
        Y[i] = at_fmpq_get_d(x + i);
    const at_energy_layer layer = { .step = AT_STEP_NO_SELF, .rho = AT_RHO_EXP, .n = 2, .d = 1 };
    return Y[0] != Y[1]
           && at_energy_certify_step(&certificate, &layer, AT_HALF_WHOLE, Y, 0, NULL) == AT_OK
           && certificate.outcome == AT_STEP_TIES && write_vector(text, size, "Y", x, 2);
}

/* ---- opt.relu-nilpotent ---------------------------------------------------------------- */

size_t at_search_count_map(size_t n) { return n * n + n; }

/* Growth of |x| a step under x -> ReLU(Wx), W within the spectral radius 1 (n = 1, 2): less a
 * penalty where W leaves it. */
double complex at_search_growth(size_t n, const double complex *x)
{
    enum { SETTLE = 8, MEASURE = 8 };
    number z[2] = { x[n * n], n == 2 ? x[5] : 0 }, growth = 0, past;
    if (n == 1) {
        past = larger(x[0], -x[0]) - 0.95;
    } else {
        number trace = x[0] + x[3], det = x[0] * x[3] - x[1] * x[2];
        past = larger(larger(det, -det) - 0.95, larger(trace, -trace) - 0.95 - det);
    }
    for (size_t t = 0; t < SETTLE + MEASURE; t++) {
        number next[2] = { 0, 0 }, before = 0, after = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                next[i] += x[i * n + j] * z[j];
            next[i] = cut(next[i]);
            before += z[i] * z[i];
            after += next[i] * next[i];
        }
        if (!(creal(after) > 0 && creal(before) > 0))
            return -1 - 10 * at_search_log(1 + cut(past));
        if (t >= SETTLE)
            growth += at_search_log(after / before) / 2;
        for (size_t i = 0; i < n; i++)
            z[i] = next[i] / csqrt(after);
    }
    return growth / MEASURE - 10 * at_search_log(1 + cut(past));
}

/* x_{t+1} = λ x_t with λ > 1 exactly, so that x grows for ever; |det W| < 1 and |tr W| < 1 + det W
 * (for n = 1: |W| < 1) keep both eigenvalues inside the unit circle. */
bool at_search_confirm_growth(char *text, size_t size, size_t n, const fmpq *x)
{
    enum { STEPS = 64 };
    fmpq *v = _fmpq_vec_init(8);
    fmpq *z = v, *next = v + 2, *det = v + 4, *trace = v + 5, *left = v + 6, *right = v + 7;
    bool grows = false;
    fmpq_set(z, x + n * n);
    if (n == 2) {
        fmpq_set(z + 1, x + 5);
        fmpq_mul(det, x, x + 3);
        fmpq_submul(det, x + 1, x + 2);
        fmpq_add(trace, x, x + 3);
    } else {
        fmpq_set(trace, x);
    }
    fmpq_abs(left, trace);
    fmpq_set_si(right, 1, 1);
    fmpq_add(right, right, det);
    bool within = fmpq_cmp(left, right) < 0;
    fmpq_abs(left, det);
    within = within && fmpq_cmp_si(left, 1) < 0;
    for (int t = 0; t < STEPS && within && !grows; t++) {
        for (size_t i = 0; i < n; i++) {
            fmpq_zero(next + i);
            for (size_t j = 0; j < n; j++)
                fmpq_addmul(next + i, x + i * n + j, z + j);
            if (fmpq_sgn(next + i) < 0)
                fmpq_zero(next + i);
        }
        fmpq_mul(left, next, z + 1);
        fmpq_mul(right, next + 1, z);
        bool longer = true, nonnegative = true;
        for (size_t i = 0; i < n; i++) {
            nonnegative = nonnegative && fmpq_sgn(z + i) >= 0;
            longer = longer && (fmpq_is_zero(z + i) || fmpq_cmp(next + i, z + i) > 0);
        }
        bool moving = !fmpq_is_zero(z) || !fmpq_is_zero(z + 1);
        grows = moving && nonnegative && longer && fmpq_equal(left, right);
        fmpq_swap(z, next);
        fmpq_swap(z + 1, next + 1);
    }
    size_t used = 0;
    grows = grows && write_vector(text, size, "W", x, n * n);
    if (grows) {
        used = strlen(text);
        used += (size_t) snprintf(text + used, size - used, ", ");
        grows = used < size && write_vector(text + used, size - used, "x", x + n * n, n);
    }
    _fmpq_vec_clear(v, 8);
    return grows;
}
