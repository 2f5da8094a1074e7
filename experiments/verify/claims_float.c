/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of claims that need both sides: the explicit networks of theory/realize, with their weights
 * rounded to double, run by the floating-point engine. */
#include "attest/experiments/verify/claims_list.h"

#include <stdlib.h>
#include <string.h>
#include "attest/numeric/transformer/transformer.h"
#include "attest/theory/realize/realize.h"

enum { BATCH = 100, RANDOM = 10000, LENGTH = 8, LETTERS = 10 };

/* A network in the floating-point engine. */
typedef struct {
    at_layout layout;
    at_transformer *engine;
    double *params;
} float_network;

static void float_clear(float_network *net)
{
    at_transformer_free(net->engine);
    at_layout_clear(&net->layout);
    free(net->params);
}

static int float_load(float_network *net, const at_tensors *file, at_error *err)
{
    at_model model;
    int status = at_layout_infer(&model, file, "", err);
    if (status == AT_OK)
        status = at_layout_init(&net->layout, &model, err);
    if (status != AT_OK)
        return status;
    net->engine = NULL;
    net->params = malloc((net->layout.count + 1) * sizeof *net->params);
    status = net->params == NULL ? at_error_memory(err, "parameters")
                                 : at_layout_load(&net->layout, file, "", net->params, err);
    if (status == AT_OK)
        status = at_transformer_alloc(&net->engine, &net->layout, BATCH, 1, false, err);
    if (status != AT_OK)
        float_clear(net);
    return status;
}

static int float_init(float_network *net, const at_network_t exact, at_error *err)
{
    at_tensors file;
    at_tensors_init(&file);
    int status = at_network_get_tensors(&file, exact, true, err);
    if (status == AT_OK)
        status = float_load(net, &file, err);
    at_tensors_clear(&file);
    return status;
}

/* Right positions among count sequences; classes are made by the exact side's labels. */
static int score(size_t *scored, size_t *correct, float_network *net, at_claim_run *run, bool even,
                 size_t count, bool constant, at_error *err)
{
    int32_t tokens[BATCH * LENGTH], classes[BATCH * LENGTH];
    int status = AT_OK;
    for (size_t done = 0; done < count && status == AT_OK; ) {
        size_t size = count - done < BATCH ? count - done : BATCH;
        for (size_t s = 0; s < size; s++) {
            slong word[LENGTH], labels[LENGTH];
            for (slong i = 0; i < LENGTH; i++) {
                word[i] = constant ? (slong) ((done + s) % LETTERS)
                                   : (slong) (at_claim_random(run) % LETTERS);
                labels[i] = i;
            }
            if (even)
                at_etp_labels(labels, word, LENGTH, 0, LETTERS);
            for (size_t i = 0; i < LENGTH; i++) {
                tokens[s * LENGTH + i] = (int32_t) word[i];
                classes[s * LENGTH + i] = (int32_t) labels[i];
            }
        }
        const at_batch batch = { .batch = size, .n = LENGTH, .tokens = tokens, .classes = classes };
        at_score got;
        status = at_transformer_score(net->engine, net->params, &batch, &got, NULL, err);
        *scored += status == AT_OK ? got.scored : 0;
        *correct += status == AT_OK ? got.correct : 0;
        done += size;
    }
    return status;
}

static int run_float(at_claim_run *run, const at_network_t exact, bool even, at_error *err)
{
    float_network net;
    size_t scored = 0, correct = 0;
    int status = float_init(&net, exact, err);
    if (status != AT_OK)
        return status;
    status = score(&scored, &correct, &net, run, even, RANDOM, false, err);
    if (status == AT_OK)
        status = score(&scored, &correct, &net, run, even, LETTERS, true, err);
    size_t expected = (size_t) (RANDOM + LETTERS) * LENGTH;
    if (status == AT_OK)
        at_claim_support(run, "the floating-point engine on the same weights", AT_METHOD_FLOAT,
                         scored == expected && correct == expected ? AT_TRUE : AT_UNKNOWN,
                         "n = %d, V = %d: %zu of %zu positions right, on %d random and all %d "
                         "constant sequences", (int) LENGTH, (int) LETTERS, correct, scored,
                         (int) RANDOM,
                         (int) LETTERS);
    float_clear(&net);
    return status;
}

static int float_pi(at_claim_run *run, at_error *err)
{
    at_network_t net;
    int status = at_realize_pi(net, LENGTH, LETTERS, err);
    if (status != AT_OK)
        return status;
    status = run_float(run, net, false, err);
    at_network_clear(net);
    return status;
}

static int float_etp(at_claim_run *run, at_error *err)
{
    at_network_t net;
    fmpq_t beta;
    fmpq_init(beta);
    fmpq_set_si(beta, 2, 1);
    int status = at_realize_etp(net, LENGTH, LETTERS, beta, err);
    fmpq_clear(beta);
    if (status != AT_OK)
        return status;
    status = run_float(run, net, true, err);
    at_network_clear(net);
    return status;
}

static const at_claim claims[] = {
    { "urpe.solves-pi", NULL, NULL, AT_UNDECIDED, float_pi, NULL },
    { "urpe.solves-etp", NULL, NULL, AT_UNDECIDED, float_etp, NULL },
};

const at_claim_table at_claims_float = { claims, sizeof claims / sizeof claims[0] };
