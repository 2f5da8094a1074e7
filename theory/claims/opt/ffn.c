/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims opt.*: the feed-forward step and ReLU. */
#include "attest/theory/claims/opt/opt.h"

#include "attest/theory/symbolic/descent.h"

/* ---- Quadratic energies in ℚ ----------------------------------------------- */

/* h = ½x^T H x − b^T x. */
static void quadratic(fmpq_t h, const fmpq_mat_t H, const fmpq_mat_t b, const fmpq_mat_t x)
{
    fmpq_mat_t Hx;
    fmpq_t half;
    slong d = fmpq_mat_nrows(x);
    fmpq_mat_init(Hx, d, 1);
    fmpq_init(half);
    fmpq_mat_mul(Hx, H, x);
    fmpq_zero(h);
    for (slong c = 0; c < d; c++) {
        fmpq_div_2exp(half, fmpq_mat_entry(Hx, c, 0), 1);
        fmpq_sub(half, half, fmpq_mat_entry(b, c, 0));
        fmpq_addmul(h, half, fmpq_mat_entry(x, c, 0));
    }
    fmpq_mat_clear(Hx);
    fmpq_clear(half);
}

enum at_truth at_opt_quadratic_rises(const char *H, const char *b, const char *x,
                                     const char *alpha, bool relu, fmpq_t before, fmpq_t after)
{
    fmpq_mat_t A, B, X, next;
    fmpq_t a;
    if (!at_example_matrix(A, H) || !at_example_matrix(B, b) || !at_example_matrix(X, x))
        return AT_UNKNOWN;
    slong d = fmpq_mat_nrows(X);
    fmpq_mat_init(next, d, 1);
    fmpq_init(a);
    fmpq_set_str(a, alpha, 10);
    fmpq_mat_mul(next, A, X);
    fmpq_mat_sub(next, next, B);
    for (slong c = 0; c < d; c++) {
        fmpq *entry = fmpq_mat_entry(next, c, 0);
        fmpq_mul(entry, entry, a);
        fmpq_sub(entry, fmpq_mat_entry(X, c, 0), entry);
        if (relu && fmpq_sgn(entry) < 0)
            fmpq_zero(entry);
    }
    quadratic(before, A, B, X);
    quadratic(after, A, B, next);
    enum at_truth rises = fmpq_cmp(after, before) > 0 ? AT_TRUE : AT_FALSE;
    fmpq_mat_clear(A);
    fmpq_mat_clear(B);
    fmpq_mat_clear(X);
    fmpq_mat_clear(next);
    fmpq_clear(a);
    return rises;
}

/* A one-dimensional counterexample: evaluated in ℚ, and re-checked by the stated expressions
 * `first` -> `second` of the energies, which the certificate carries too. */
static void refute_quadratic(at_claim_run *run, const char *witness, const char *H, const char *b,
                             const char *x, bool relu, const char *first, const char *second,
                             const char *offset)
{
    fmpq_t before, after, shift;
    fmpq_init(before);
    fmpq_init(after);
    fmpq_init(shift);
    fmpq_set_str(shift, offset, 10);
    enum at_truth rises = at_opt_quadratic_rises(H, b, x, "1", relu, before, after);
    fmpq_add(before, before, shift);
    fmpq_add(after, after, shift);
    char *old = fmpq_get_str(NULL, 10, before), *new = fmpq_get_str(NULL, 10, after);
    at_claim_witness(run, "%s", witness);
    at_claim_refute(run, "the energy rises, in Q", AT_METHOD_EXACT, rises, "%s: %s -> %s", witness,
                    old, new);
    bool same = at_lemma_identity("x", old, first) == AT_TRUE
                && at_lemma_identity("x", new, second) == AT_TRUE;
    at_claim_recheck(run, "again, from the energy's own formula", AT_METHOD_EXACT,
                     same && at_lemma_nonnegative("x", second) == AT_TRUE
                     && fmpq_cmp(before, after) < 0 ? AT_TRUE : AT_UNKNOWN,
                     "%s = %s, %s = %s", first, old, second, new);
    at_claim_fact_relation(run, witness, first, "<", second);
    flint_free(old);
    flint_free(new);
    fmpq_clear(before);
    fmpq_clear(after);
    fmpq_clear(shift);
}

/* ---- FFN ------------------------------------------------------------------- */

int at_decide_opt_ffn(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "all W_f, symmetric or not, all B");
    at_cases cases = at_cases_over(run, "n d");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_ffn(cases.at[0], cases.at[1], true, 1, 2));
    at_claim_prove_cases(run, "E_2(Y - aG) - E_2(Y) = -a <G,(I - a(I+S)/2)G>", AT_METHOD_SYMBOLIC, &cases,
                   "G = Y(I+S) - B");
    at_claim_cite(run, "Rayleigh quotient", "<G,G(I+S)> <= (1 + lambda_max(S)) |G|^2");
    at_claim_prove(run, "the sharp step size", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("a s g", "-a*(g^2 - 1/2*a*s*g^2)", "-1/2*a*(2 - a*s)*g^2"),
                   "on an eigenvector of I+S with eigenvalue s the change is -a(2 - as)|g|^2/2");
    at_claim_prove_nonnegative(run, "the fall is >= 0", "a t+ g", "1/2*a*t*g^2",
                               "a s = 2 - t, t >= 0 exactly when a s <= 2");
    return AT_OK;
}

int at_decide_opt_ffn_past(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = d = 1");
    refute_quadratic(run, "S = 3, a = 1, B = 0, Y = 1", "4", "0", "1", false,
                     "1/2*3*1^2+1/2*1^2", "1/2*3*(1-4)^2+1/2*(1-4)^2", "0");
    return AT_OK;
}

int at_decide_opt_ffn_unsymmetric(at_claim_run *run, at_error *err)
{
    /* sym W_f = 0, so E_2 = ½‖Y‖²; the step Y − (Y W_f + Y) = −Y W_f doubles the norm */
    fmpq_mat_t F, Y, next, transpose, square;
    (void) err;
    if (!at_example_matrix(F, "0, 2; -2, 0") || !at_example_matrix(Y, "1, 0"))
        return AT_OK;
    fmpq_mat_init(next, 1, 2);
    fmpq_mat_init(transpose, 2, 2);
    fmpq_mat_init(square, 2, 2);
    fmpq_mat_mul(next, Y, F);
    fmpq_mat_neg(next, next);
    fmpq_t before, after, term;
    fmpq_init(before);
    fmpq_init(after);
    fmpq_init(term);
    for (slong c = 0; c < 2; c++) {
        fmpq_addmul(before, fmpq_mat_entry(Y, 0, c), fmpq_mat_entry(Y, 0, c));
        fmpq_addmul(after, fmpq_mat_entry(next, 0, c), fmpq_mat_entry(next, 0, c));
    }
    fmpq_mat_transpose(transpose, F);
    fmpq_mat_add(square, transpose, F);
    bool antisymmetric = fmpq_mat_is_zero(square) != 0;
    at_claim_scope(run, "n = 1, d = 2");
    at_claim_witness(run, "W_f = [0, 2; -2, 0], a = 1, B = 0, Y = [1, 0] -> [0, -2]");
    at_claim_refute(run, "the energy rises, in Q", AT_METHOD_EXACT,
                    antisymmetric && fmpq_cmp(after, before) > 0 ? AT_TRUE : AT_UNKNOWN,
                    "S = 0 and E_2 = |Y|^2/2: 1/2 -> 2");
    /* again: W_f W_f^T = 4 I, so |YW_f|² = 4|Y|² for every Y */
    fmpq_mat_mul(square, F, transpose);
    fmpq_mat_one(transpose);
    fmpq_set_si(term, 4, 1);
    fmpq_mat_scalar_mul_fmpz(transpose, transpose, fmpq_numref(term));
    at_claim_recheck(run, "again: W_f W_f^T = 4I", AT_METHOD_EXACT,
                     fmpq_mat_equal(square, transpose) ? AT_TRUE : AT_UNKNOWN,
                     "so E_2 becomes four times as large for every Y");
    at_claim_fact_relation(run, "W_f = [0, 2; -2, 0]", "(1^2+0^2)/2", "<", "(0^2+(-2)^2)/2");
    fmpq_mat_clear(F);
    fmpq_mat_clear(Y);
    fmpq_mat_clear(next);
    fmpq_mat_clear(transpose);
    fmpq_mat_clear(square);
    fmpq_clear(before);
    fmpq_clear(after);
    fmpq_clear(term);
    return AT_OK;
}

/* ---- ReLU ------------------------------------------------------------------ */

/* δ(g + δ/θ) ≤ 0 for y ≥ 0 and y' = max(y − θg, 0): the two cases of one coordinate. */
static void prove_projection(at_claim_run *run)
{
    at_claim_prove(run, "where y - theta g >= 0: delta = -theta g and delta(theta g + delta) = 0",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("t g", "(-t*g)*(t*g + (-t*g))", "0"), "one coordinate");
    at_claim_prove(run, "where y - theta g = -s < 0 <= y: delta = -y, delta(theta g + delta) = -ys",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("y s", "(-y)*((y + s) + (-y))", "-y*s"),
                   "one coordinate, theta g = y + s; -ys <= 0");
}

static void prove_quadratic(at_claim_run *run)
{
    at_cases cases = at_cases_over(run, "N");
    while (at_cases_next(&cases))
        at_cases_add(&cases, at_descent_master(cases.at[0], 1, 2));
    at_claim_prove_cases(run, "h(y+D) - h(y) = -D^T(2M-H)D/2 + D^T(grad h(y) + MD)", AT_METHOD_SYMBOLIC,
                   &cases, "all symmetric H, M");
}

int at_decide_opt_relu(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "dimension N = n d");
    prove_quadratic(run);
    prove_projection(run);
    at_claim_cite(run, "Rayleigh quotient", "2 - a(I+S) is positive semidefinite for "
                  "a >= 0, a (1 + lambda_max(S)) <= 2");
    at_claim_prove_nonnegative(run, "the fall of a coordinate that stays", "a t+ g",
                               "1/2*a*t*g^2", "delta = -ag, a c = 2 - t");
    at_claim_prove_nonnegative(run, "the fall of a coordinate that is cut", "a y+ s+ t+",
                               "a*(y*s + 1/2*t*y^2)", "delta = -y, ag = y + s; times a^2");
    return AT_OK;
}

int at_decide_opt_relu_outside(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "n = d = 1");
    refute_quadratic(run, "S = 0, B = -1, Y = -1, a = 1", "1", "-1", "-1", true, "1/2*(-1+1)^2",
                     "1/2*(0+1)^2", "1/2");
    return AT_OK;
}

void at_opt_prove_divergence(at_claim_run *run)
{
    /* the cases of one coordinate; each difference of the two sides has no negative coefficient */
    at_claim_prove(run, "0 <= xi <= x: (x - x')^2 = xi^2 and the minimum is at most 0",
                   AT_METHOD_SYMBOLIC, at_lemma_identity("x e", "(x - (x-e))^2 - e^2", "0"),
                   "x' = x - xi; equality when the minimum is 0");
    at_claim_prove(run, "xi = x + s > x: (x - x')^2 = x^2 = xi^2 + (x^2 - xi^2)",
                   AT_METHOD_SYMBOLIC,
                   at_lemma_identity("x s", "x^2", "(x+s)^2 + (x^2 - (x+s)^2)"),
                   "x' = 0 and the minimum is x^2 - xi^2 < 0: equality");
    at_claim_prove(run, "xi = -(x + s) < -x: (x - x')^2 = xi^2 > xi^2 + (x^2 - xi^2)",
                   AT_METHOD_SYMBOLIC, at_lemma_nonnegative("x s", "(x+s)^2 - x^2"),
                   "x' = x - xi > 0 and xi^2 - x^2 >= 0 (-x <= xi < 0 is the first case)");
}

int at_decide_opt_relu_divergence(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "one coordinate at a time, so every dimension");
    at_opt_prove_divergence(run);
    prove_projection(run);
    at_claim_cite(run, "descent lemma", "h(x') <= h(x) + <grad h, x'-x> + L|x'-x|^2/2");
    at_claim_prove(run, "descent on K_kappa", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("a k g s t",
                                     "(1+t)/2*((1-k)*a^2*g^2 + s) - 1/2*(1-k)*a^2*g^2 "
                                     "- t/2*(1-k)*a^2*g^2",
                                     "(1+t)/2*s"),
                   "with aL = 1 - t, a(h(x) - h(x')) >= (1 - aL/2)|x'-x|^2 = (1+t)/2 |x'-x|^2, and "
                   "|x'-x|^2 = (1-kappa)a^2|grad h|^2 + s, s >= 0");
    at_claim_prove(run, "a > 0: what was multiplied by a may be divided by it", AT_METHOD_SYMBOLIC,
                   at_claim_positive(run, "a"), "from the range of a");
    at_claim_prove_nonnegative(run, "what is left over is >= 0", "a t+ s+ kappa g",
                               "a*(1/2*t*(1-kappa)*a^2*g^2 + 1/2*(1+t)*s)",
                               "times a, so h(x) - h(x') >= a(1-kappa)|grad h|^2/2");
    return AT_OK;
}

int at_decide_opt_relu_symmetric(at_claim_run *run, at_error *err)
{
    (void) err;
    prove_quadratic(run);
    prove_projection(run);
    at_claim_prove(run, "ReLU(Wx) = ReLU(x - grad h), and 2M - H = I + W", AT_METHOD_SYMBOLIC,
                   at_lemma_identity("I W", "2*I - (I - W)", "I + W"),
                   "grad h = (I-W)x, M = I: I + W is positive semidefinite by hypothesis");
    return AT_OK;
}

int at_decide_opt_relu_symmetric_signed(at_claim_run *run, at_error *err)
{
    (void) err;
    at_claim_scope(run, "dimension 1");
    refute_quadratic(run, "W = 2, x = -1 -> 0", "-1", "0", "-1", true, "1/2*(1-2)*(-1)^2",
                     "1/2*(1-2)*0^2", "0");
    return AT_OK;
}

/* ReLU of W's first column is twice the first unit vector: by integers, entry by entry. */
static bool relu_doubles(const fmpq_mat_t W)
{
    bool doubles = fmpz_is_one(fmpq_mat_entry_den(W, 0, 0)) != 0
                   && fmpz_equal_si(fmpq_mat_entry_num(W, 0, 0), 2);
    for (slong i = 1; i < fmpq_mat_nrows(W); i++)
        doubles = doubles && fmpz_sgn(fmpq_mat_entry_num(W, i, 0)) <= 0;
    return doubles;
}

int at_decide_opt_relu_nilpotent(at_claim_run *run, at_error *err)
{
    fmpq_mat_t W, x, square, next;
    fmpq_t det;
    (void) err;
    if (!at_example_matrix(W, "2, 1; -4, -2") || !at_example_matrix(x, "1; 0"))
        return AT_OK;
    fmpq_mat_init(square, 2, 2);
    fmpq_mat_init(next, 2, 1);
    fmpq_init(det);
    fmpq_mat_mul(square, W, W);
    bool nilpotent = fmpq_mat_is_zero(square) != 0;
    /* next = Wx = 2x + (0, −4): ReLU keeps (2, 0) */
    fmpq_mat_mul(next, W, x);
    bool doubles = fmpq_equal_si(fmpq_mat_entry(next, 0, 0), 2)
                   && fmpq_sgn(fmpq_mat_entry(next, 1, 0)) < 0;
    at_claim_scope(run, "dimension 2");
    at_claim_witness(run, "W = [2, 1; -4, -2], W^2 = 0, x = [1; 0] -> [2; 0] -> [4; 0] -> ...");
    at_claim_refute(run, "W^2 = 0 and ReLU(Wx) = 2x", AT_METHOD_EXACT,
                    nilpotent && doubles ? AT_TRUE : AT_UNKNOWN,
                    "Wx = (2, -4); positive homogeneity carries it on for ever");
    fmpq_mat_trace(det, W);
    bool traceless = fmpq_is_zero(det);
    fmpq_mat_det(det, W);
    at_claim_recheck(run, "again, from the characteristic polynomial", AT_METHOD_EXACT,
                     traceless && fmpq_is_zero(det) && relu_doubles(W) ? AT_TRUE : AT_UNKNOWN,
                     "trace and determinant are 0, so both eigenvalues are 0; ReLU of W's first "
                     "column, which is Wx at x = (1, 0), is (2, 0) = 2x, and ReLU(W(cx)) = c "
                     "ReLU(Wx) for c > 0");
    at_claim_fact_relation(run, "characteristic polynomial of W", "2*(-2)-1*(-4)", "=", "0");
    at_claim_fact_relation(run, "trace of W", "2+(-2)", "=", "0");
    at_claim_fact_relation(run, "first entry of Wx against x = (1, 0)", "2*1+1*0", ">", "1");
    fmpq_mat_clear(W);
    fmpq_mat_clear(x);
    fmpq_mat_clear(square);
    fmpq_mat_clear(next);
    fmpq_clear(det);
    return AT_OK;
}
