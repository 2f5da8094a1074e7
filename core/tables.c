/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptor tables: see tables.h.  k = i − j throughout. */
#include "attest/core/tables.h"

#include <string.h>

const at_encoding_info at_encodings[AT_ENC_COUNT] = {
#define AT_ENCODING(ID, symbol, ...) [AT_ENC_##ID] = { __VA_ARGS__ },
#include "attest/core/encodings.def"
#undef AT_ENCODING
};

const at_rho_info at_rhos[AT_RHO_COUNT] = {
    [AT_RHO_EXP] = { "exp", "-exp(-z)", "exp(-z)" },
    [AT_RHO_LOG] = { "log", "log(2+z)", "1/(2+z)" },
    [AT_RHO_SQRT] = { "sqrt", "sqrt(1+z)", "1/(2*sqrt(1+z))" },
    [AT_RHO_RATIO] = { "ratio", "z/(1+z)", "1/(1+z)^2" },
};

const at_step_info at_steps[AT_STEP_COUNT] = {
    [AT_STEP_RELEASED] = { "released", "opt.authors-layer", false,
        "plain softmax with scores of W_a^T W_a, then the FFN step, as in the released code" },
    [AT_STEP_SOFTMAX_BETA] = { "softmax-beta", "opt.attention-descent", true, "Y' = AY, A = D^{-1}W" },
    [AT_STEP_NO_SELF] = { "no-self", "opt.no-self-term", true, "the average over j ≠ i" },
    [AT_STEP_JACOBI] = { "jacobi", "opt.regularised", true,
        "y_i' = Σ_{j≠i} w_ij y_j / (λ + Σ_{j≠i} w_ij), the regularised energy's Jacobi step" },
    [AT_STEP_RESIDUAL_INPUT] = { "residual-input", "opt.residual-input", true,
        "y_i' = (Σ_j w_ij y_j + λ x_i) / (Σ_j w_ij + λ)" },
    [AT_STEP_RELAXED] = { "relaxed", "opt.relaxation", true, "Y' = (1−α)Y + αAY, α in [0, 2]" },
    [AT_STEP_SPHERE] = { "sphere", "opt.sphere-softmax", true,
        "plain softmax on rows of equal norm, then RMSNorm" },
    [AT_STEP_VALUE_MATRIX] = { "value-matrix", "opt.value-matrix", true,
        "Y' = Y − α(Y − AY)W_a W_a^T, α‖W_a‖² ≤ 2" },
    [AT_STEP_MULTI_HEAD] = { "multi-head", "opt.multi-head", true,
        "y_i' = y_i − θ_i Σ_h d_i^h (y_i − (A^h Y)_i) W_h W_h^T" },
    [AT_STEP_PARALLEL] = { "parallel", "opt.parallel-layer", true,
        "attention and FFN steps in one, θ_i ≤ 2/(d_i‖W_a‖² + 1 + λ_max(S))" },
    [AT_STEP_SEQUENTIAL] = { "sequential", "opt.sequential-layer", false,
        "the attention step, then the FFN step" },
    [AT_STEP_IDENTITY] = { "identity", "opt.contraction", false, "control: A = I, then the FFN step" },
    [AT_STEP_PERMUTATION] = { "permutation", "opt.contraction", false,
        "control: A a permutation, then the FFN step" },
};

const at_named at_tasks[AT_TASK_COUNT] = {
    [AT_TASK_PI] = { "pi", "Position Identification: y_i = i" },
    [AT_TASK_ETP] = { "etp", "Even Token Prediction: y_i = x_{2i} for i ≤ n/2, EOS after" },
    [AT_TASK_FUNCTION] = { "function", "regression on a sequence function" },
};

const at_named at_optimizers[AT_OPT_COUNT] = {
    [AT_OPT_ADAM] = { "adam", "Adam, as a GSL minimizer type" },
    [AT_OPT_LBFGS] = { "lbfgs", "L-BFGS, as a GSL minimizer type" },
    [AT_OPT_BFGS2] = { "bfgs2", "GSL's vector_bfgs2" },
    [AT_OPT_CONJUGATE_PR] = { "conjugate-pr", "GSL's conjugate_pr" },
    [AT_OPT_CONJUGATE_FR] = { "conjugate-fr", "GSL's conjugate_fr" },
    [AT_OPT_STEEPEST] = { "steepest", "GSL's steepest_descent" },
    [AT_OPT_LEVENBERG_MARQUARDT] = { "levenberg-marquardt", "GSL's multifit_nlinear, functions only" },
};

int at_encoding_find(const char *name)
{
    for (int k = 0; k < AT_ENC_COUNT; k++)
        if (strcmp(at_encodings[k].name, name) == 0
            || (at_encodings[k].alias != NULL && strcmp(at_encodings[k].alias, name) == 0))
            return k;
    return -1;
}

int at_rho_find(const char *name)
{
    for (int k = 0; k < AT_RHO_COUNT; k++)
        if (strcmp(at_rhos[k].name, name) == 0)
            return k;
    return -1;
}

int at_step_find(const char *name)
{
    for (int k = 0; k < AT_STEP_COUNT; k++)
        if (strcmp(at_steps[k].name, name) == 0)
            return k;
    return -1;
}

static int find_named(const at_named *table, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(table[k].name, name) == 0)
            return k;
    return -1;
}

int at_task_find(const char *name)
{
    return find_named(at_tasks, AT_TASK_COUNT, name);
}

int at_optimizer_find(const char *name)
{
    return find_named(at_optimizers, AT_OPT_COUNT, name);
}

enum { LONGEST_WORD = 63 };

/* Letters to insert, delete or replace to turn a into b (Levenshtein). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_WORD + 1];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[width];
}

const char *at_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    /* The beginning of a name is what a person remembers of it. */
    for (size_t k = 0; k < count && strlen(word) > 1; k++)
        if (names[k] != NULL && strncmp(names[k], word, strlen(word)) == 0)
            return names[k];
    /* More slips than a third of the word, or three, make it another word. */
    size_t length = strlen(word), least = length / 3 + 1 < 4 ? length / 3 + 2 : 4;
    for (size_t k = 0; k < count; k++) {
        if (names[k] == NULL || strlen(names[k]) > LONGEST_WORD || length > LONGEST_WORD)
            continue;
        size_t distance = edit_distance(word, names[k]);
        if (distance < least) {
            least = distance;
            nearest = names[k];
        }
    }
    return nearest;
}
