/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy layers in double: a layer of a Transformer as a descent step
 * (doc/energy.md; [Y], Yang, Huang, Wipf 2022).
 *
 * Rows of Y ∈ R^{n×d} are tokens.  z_ij = ½‖(y_i − y_j)W‖², w_ij = ρ'(z_ij),
 * d_i = Σ_j w_ij with the self term (without it
 * for no-self and jacobi), A = D^{-1}W; the energy is the sum of
 *
 *   attention    Σ_h Σ_{i<j} ρ(½‖(y_i − y_j)W_h‖²)
 *   regulariser  ½‖YW‖² (released), λ/2‖YW‖² (jacobi),
 *                λ/2‖(Y − Y_0)W‖² (residual-input), none for the others
 *   ffn          ½tr(Y S Y^T) + ½‖Y − B‖², S = sym(W_f), for released, parallel,
 *                sequential, identity, permutation
 *
 * and a layer is one half-step, or two (attention, then feed-forward):
 *
 *   softmax-beta    Y' = AY
 *   no-self         the same average without j = i; a row stays where d_i is 0 in double
 *   jacobi          y_i' = Σ_{j≠i} w_ij y_j / (λ + Σ_{j≠i} w_ij)
 *   residual-input  y_i' = (Σ_j w_ij y_j + λ y⁰_i) / (d_i + λ)
 *   relaxed         Y' = (1 − α)Y + αAY
 *   sphere          rows of norm √d: y_i' = √d u_i/‖u_i‖ (RMSNorm), u_i = αy_i + (AY)_i; W = I
 *   value-matrix    Y' = Y − θ(Y − AY)WW^T, θ = α/‖W‖²
 *   multi-head      y_i' = y_i − θ_i Σ_h d_i^h (y_i − (A^h Y)_i) W_h W_h^T, θ_i = α/Σ_h d_i^h‖W_h‖²
 *   parallel        y_i' = [ReLU](y_i − θ_i[d_i(y_i − (AY)_i)WW^T + y_i(I + S) − b]),
 *                   θ_i = α/(d_i‖W‖² + 1 + λ_max(S))
 *   sequential      Y' = AY, then Y'' = [ReLU](−Y'S + B)
 *   released        Y' = softmax(Y W^T W Y^T)Y, then Y'' = [ReLU](−Y'S + B)
 *   identity        Y' = Y, then the same Y''
 *   permutation     y_i' = y_{i+1 mod n}, then the same Y'' */
#ifndef ATTEST_NUMERIC_ENERGY_ENERGY_H
#define ATTEST_NUMERIC_ENERGY_ENERGY_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/tables.h"
#include "attest/numeric/energy/rho.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    enum at_step_id step;
    const at_rho *rho;      /* the caller's */
    size_t d, heads;        /* heads 1 but for multi-head */
    bool relu;              /* only where there is a feed-forward part */
    double alpha;           /* relaxed 3/2, else 1; relaxed, value-matrix, multi-head and parallel
                               descend on [0, 2], sphere from 0 on */
    double lambda;          /* 1 */
    double *W;              /* heads × d × d, each [in, out]; NULL: identity */
    double *S;              /* d × d, symmetric; NULL: zero */
    double *B;              /* d; NULL: zero */
    double norm2[16];       /* upper bounds of ‖W_h‖² (spectral) */
    double top;             /* an upper bound of λ_max(S); 0 without S */
} at_energy_model;

enum { AT_ENERGY_HEADS = 16 };

/* Copies the weights (any may be NULL) and sets the defaults above.  Wf is d×d, not necessarily
 * symmetric.  AT_USAGE for a size 0, too many heads, non-finite weights, 1 + λ_max(S) ≤ 0, or
 * sphere with W. */
int at_energy_model_init(at_energy_model *model, enum at_step_id step, const at_rho *rho, size_t d,
                         size_t heads, const double *W, const double *Wf, const double *B,
                         at_error *err) AT_MUST_CHECK;
void at_energy_model_clear(at_energy_model *model);

/* Which parts of the energy the step has, and in how many half-steps its layer comes. */
bool at_energy_has_ffn(enum at_step_id step);
size_t at_energy_halves(enum at_step_id step);

typedef struct { double total, attention, regulariser, ffn; } at_energy_parts;

/* Scratch for documents of up to `longest` tokens; one a thread. */
typedef struct at_energy_work at_energy_work;
int at_energy_work_alloc(at_energy_work **work, const at_energy_model *model, size_t longest,
                         int threads, at_error *err) AT_MUST_CHECK;
void at_energy_work_free(at_energy_work *work);

/* Whether a run starts from ReLU(Y_0), as the theorems on ReLU ask: not the released layer. */
bool at_energy_from_relu(const at_energy_model *model);

/* Puts Y_0 where the step needs it: on the sphere (zero rows: AT_INPUT), or to Y ≥ 0 by ReLU. */
int at_energy_prepare(double *Y, size_t n, const at_energy_model *model,
                      at_error *err) AT_MUST_CHECK;

/* θ_i of multi-head and parallel, the number θ of value-matrix (theta[0]), from the d_i that
 * at_energy_measure left in work: what a certificate of the next step needs. */
void at_energy_thetas(double *theta, size_t n, const at_energy_model *model,
                      const at_energy_work *work);

/* The energy of Y (n×d); leaves w_ij, d_i in work for the next at_energy_advance.  X is Y_0
 * (residual-input only; else NULL). */
void at_energy_measure(at_energy_parts *parts, const double *Y, const double *X, size_t n,
                     const at_energy_model *model, at_energy_work *work);

/* next = half-step `half` of the layer from Y.  Where it uses attention weights (half 0, but for
 * released, identity and permutation), at_energy_measure must have been called on this Y before. */
void at_energy_advance(double *next, const double *Y, const double *X, size_t n, size_t half,
                    const at_energy_model *model, at_energy_work *work);

/* layers whole layers; energy[t], t = 0 … layers (may be NULL).  Y is overwritten by the last;
 * path (NULL, or (layers + 1) × n × d) takes every Y_t. */
int at_energy_run(at_energy_parts *energy, double *path, double *Y, size_t n, size_t layers,
                  const at_energy_model *model, at_energy_work *work, at_error *err) AT_MUST_CHECK;

/* Weights as [Y]'s random panel: W (heads·d·d), Wf (d·d), B (d) Xavier normal (variance
 * 2/(rows + columns)), then Wf ← WfWf^T with its eigenvalues clamped to [0, .95].  Further heads are
 * drawn last: the first, Wf and B are the same for any number of them. */
int at_energy_weights_random(double *W, double *Wf, double *B, size_t d, size_t heads,
                             const gsl_rng *random, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
