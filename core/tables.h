/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptor tables that both sides share: positional encodings, ρ, energy
 * layers, tasks, optimizers.  An encoding is one entry of core/encodings.def, the others are one line
 * of core/tables.c; theory/ and numeric/ each keep one function struct for it, in the order of the
 * enum. */
#ifndef ATTEST_CORE_TABLES_H
#define ATTEST_CORE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum at_encoding_id {
#define AT_ENCODING(ID, symbol, ...) AT_ENC_##ID,
#include "attest/core/encodings.def"
#undef AT_ENCODING
    AT_ENC_COUNT
};

typedef struct {
    const char *name;       /* as --encoding takes it */
    const char *alias;      /* nope, ape, rpe … or NULL */
    const char *summary;    /* logits or values, one line, for --help and the report */
    const char *source;     /* paper */
    bool right_stochastic;  /* attention rows sum to 1 and values carry no position: collapses */
    bool causal_only;       /* defined with a causal mask only (alibi) */
    bool by_distance;       /* logits, and factors where there are any, depend on |i − j| alone */
} at_encoding_info;

extern const at_encoding_info at_encodings[AT_ENC_COUNT];

enum at_rho_id { AT_RHO_EXP, AT_RHO_LOG, AT_RHO_SQRT, AT_RHO_RATIO, AT_RHO_COUNT };

typedef struct {
    const char *name;       /* exp log sqrt ratio */
    const char *formula;    /* in z */
    const char *derivative; /* ρ'(z), in z */
} at_rho_info;

extern const at_rho_info at_rhos[AT_RHO_COUNT];

enum at_step_id {
    AT_STEP_RELEASED, AT_STEP_SOFTMAX_BETA, AT_STEP_NO_SELF, AT_STEP_JACOBI,
    AT_STEP_RESIDUAL_INPUT, AT_STEP_RELAXED, AT_STEP_SPHERE, AT_STEP_VALUE_MATRIX,
    AT_STEP_MULTI_HEAD, AT_STEP_PARALLEL, AT_STEP_SEQUENTIAL, AT_STEP_IDENTITY,
    AT_STEP_PERMUTATION,
    AT_STEP_COUNT
};

typedef struct {
    const char *name;
    const char *claim;      /* id of the claim that says whether it descends; of the controls: that
                               they contract, which says nothing of the energy */
    bool descends;          /* the claim's statement: a rise is unexpected */
    const char *summary;
} at_step_info;

extern const at_step_info at_steps[AT_STEP_COUNT];

enum at_task_id { AT_TASK_PI, AT_TASK_ETP, AT_TASK_FUNCTION, AT_TASK_COUNT };
enum at_optimizer_id {
    AT_OPT_ADAM, AT_OPT_LBFGS, AT_OPT_BFGS2, AT_OPT_CONJUGATE_PR, AT_OPT_CONJUGATE_FR,
    AT_OPT_STEEPEST, AT_OPT_LEVENBERG_MARQUARDT, AT_OPT_COUNT
};

typedef struct { const char *name; const char *summary; } at_named;
extern const at_named at_tasks[AT_TASK_COUNT];
extern const at_named at_optimizers[AT_OPT_COUNT];

/* Index of name (or of its alias), −1 when there is none. */
int at_encoding_find(const char *name);
int at_rho_find(const char *name);
int at_step_find(const char *name);
int at_task_find(const char *name);
int at_optimizer_find(const char *name);

/* The entry of names[0..count) nearest to word by edit distance, NULL when none
 * is near enough to be a likely slip. */
const char *at_nearest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif

#endif
