/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates of energy descent: one step of one document, decided rigorously.
 *
 * E_ρ(V) = Σ_{i<j} ρ(½‖v_i − v_j‖²).  The doubles of Y^t and of all weights are taken exactly;
 * Y^{t+1}, the energy of Y^t and the change of the energy are enclosed in balls, with the
 * precision doubled until the sign of the change is decided or a cap is reached.  The change is
 * summed pair by pair without cancellation, from
 *     z'_ij − z_ij = Q_ii + Q_jj − Q_ij − Q_ji,  Q = (V + ½ΔV) ΔV^T.
 * Nothing here uses the theorem that the step descends.  Thread-safe: every call owns its memory
 * (a thread that ends calls flint_cleanup). */
#ifndef ATTEST_THEORY_ENERGY_ENERGY_H
#define ATTEST_THEORY_ENERGY_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include "attest/core/error.h"
#include "attest/core/formula.h"
#include "attest/core/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layers of two sublayers are certified by halves: released, sequential, identity and
 * permutation take AT_HALF_ATTENTION or AT_HALF_FFN, all others AT_HALF_WHOLE. */
enum at_energy_half { AT_HALF_WHOLE, AT_HALF_ATTENTION, AT_HALF_FFN };

/* One layer on n rows of d columns.  All arrays are row-major, borrowed and finite.  V_h = Y W_h
 * are the heads' values, w_ij = ρ'(z_ij) on them, A = D^{-1}W with the self term; S = sym(W_f);
 * E_2(Y) = ½ tr(Y W_f Y^T) + ½‖Y − B‖² and G = Y(I + S) − B.
 *
 *   step            next rows                                         energy
 *   softmax-beta    Y + (AY − Y)                                      E_ρ(V)
 *   no-self         the average over j ≠ i with weights w_ij           E_ρ(V)
 *   relaxed         Y + alpha (AY − Y)                                 E_ρ(V)
 *   jacobi          Σ_{j≠i} w_ij y_j/(lambda + Σ_{j≠i} w_ij)           E_ρ(V) + lambda/2 ‖V‖²
 *   residual-input  (Σ_j w_ij y_j + lambda x_i)/(Σ_j w_ij + lambda)    E_ρ(V) + lambda/2 ‖V − XW‖²
 *   sphere          U = RMSNorm(Y); RMSNorm(alpha U + softmax(U U^T) U)  E_ρ(U)
 *   value-matrix    Y + alpha (AY − Y) W W^T                           E_ρ(V)
 *   multi-head      y_i + theta_i Σ_h d_i^h ((A^h Y)_i − y_i) W_h W_h^T  Σ_h E_ρ(V_h)
 *   parallel        multi-head's − theta_i G_i, then ReLU if asked     Σ_h E_ρ(V_h) + E_2
 *   sequential      attention: AY.  FFN: [ReLU](Y − alpha G)           E_ρ(V) + E_2
 *   released        attention: softmax(Y W^T W Y^T) Y.  FFN as above   E_ρ(V) + ½‖V‖² + E_2
 *   identity        attention: Y.  FFN as above                        E_ρ(V) + E_2
 *   permutation     attention: row i is y_{permutation[i]}.  FFN as above   E_ρ(V) + E_2
 *
 * RMSNorm scales each row to norm √d.  ρ for sphere is exp (AT_USAGE otherwise), and its weights
 * are NULL.  alpha = 1 gives the plain FFN step B − YS; it is 0 for no skip in sphere. */
typedef struct {
    enum at_step_id step;
    int rho;                    /* enum at_rho_id, or −1: formula */
    const at_formula *formula;
    size_t n, d;
    const double *weights;      /* heads matrices of d×width; NULL: one head, W = I */
    size_t heads, width;        /* ignored when weights is NULL */
    const double *ffn;          /* W_f, d×d; NULL: 0 */
    const double *bias;         /* B, bias_rows×d; NULL: 0 */
    size_t bias_rows;           /* n, or 1: the same row for all tokens */
    const double *input;        /* X, n×d: residual-input */
    const double *theta;        /* n: multi-head, parallel */
    const size_t *permutation;  /* n: permutation */
    double alpha, lambda;
    bool relu;                  /* parallel and FFN halves */
    const struct at_energy_fixed *fixed;   /* of these weights and ffn; NULL: read them anew */
} at_energy_layer;

/* What many steps of a layer share: its weights and FFN as exact numbers and as balls.  It is only
 * read, so threads may share it. */
typedef struct at_energy_fixed at_energy_fixed;

/* From weights, heads, width, ffn, d and step of the layer.  AT_INPUT for a number that is not finite;
 * *fixed is NULL unless AT_OK. */
int at_energy_fixed_alloc(at_energy_fixed **fixed, const at_energy_layer *layer,
                          at_error *err) AT_MUST_CHECK;
void at_energy_fixed_free(at_energy_fixed *fixed);

enum at_energy_outcome { AT_STEP_UNDECIDED = 0, AT_STEP_DESCENDS, AT_STEP_RISES, AT_STEP_TIES };

typedef struct {
    enum at_energy_outcome outcome;
    long precision;             /* bits that decided it; 0: exact, without balls */
    double before[2];           /* lower and upper bound of the energy of Y^t */
    double after[2];            /* the same of Y^{t+1} */
    double change[2];           /* E(Y^{t+1}) − E(Y^t); [0, 0] for a tie */
} at_energy_certificate;

/* Default cap on the precision, in bits. */
#define AT_ENERGY_MAX_PRECISION 4096

/* Decides the step from Y (n×d).  max_precision 0: the default.  AT_INPUT for a number that is
 * not finite, AT_USAGE for a layer that lacks something; an undecided step is AT_OK with
 * AT_STEP_UNDECIDED.  Cost: three n×n×d ball products and n²/2 exponentials a precision. */
int at_energy_certify_step(at_energy_certificate *certificate, const at_energy_layer *layer,
                           enum at_energy_half half, const double *Y, long max_precision,
                           at_error *err) AT_MUST_CHECK;

/* "descends", "rises", "ties", "undecided". */
const char *at_energy_outcome_name(enum at_energy_outcome outcome);

#ifdef __cplusplus
}
#endif

#endif
