/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number by distance in a graph (Ying et al. 2021), and URPE's factors by distance. */
#include "config.h"

#include "attest/numeric/encoding/parts.h"

/* Row of graph tables for the pair (i, j). */
static size_t distance(const at_encoding_call *call, size_t i, size_t j)
{
    int32_t distance;

    if (call->distances == NULL)
        return i > j ? i - j : j - i;
    distance = call->distances[i * call->n + j];
    return distance < 0 ? call->model->n : (size_t) distance;
}

static void spread_graph(const at_encoding_call *call, const REAL *table, REAL *pair)
{
    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t i = 0; i < call->n; i++)
            for (size_t j = 0; j < call->n; j++)
                *pair++ = table[distance(call, i, j) * call->model->heads + h];
}

static void gather_graph(const at_encoding_call *call, const REAL *dpair, REAL *dtable)
{
    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t i = 0; i < call->n; i++)
            for (size_t j = 0; j < call->n; j++)
                dtable[distance(call, i, j) * call->model->heads + h] += *dpair++;
}

static void prepare_bias(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    spread_graph(call, slots[0], out->bias);
}

static void back_bias(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    (void) slots;
    (void) made;
    gather_graph(call, back->bias, dslots[0]);
}

static void prepare_both(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    spread_graph(call, slots[1], out->factor);
    prepare_bias(call, slots, out);
}

static void back_both(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    gather_graph(call, back->factor, dslots[1]);
    back_bias(call, slots, made, back, dslots);
}

const at_encoding_float AT_ENCODING_FLOAT(graph) = {
    .slots = {{"graph.weight", AT_PARAM_LOGIT_TABLE, "gh"}},
    .shape = {.bias = AT_TABLE_PAIR}, .prepare = prepare_bias, .back = back_bias
};

const at_encoding_float AT_ENCODING_FLOAT(graph_urpe) = {
    .slots = {{"graph.weight", AT_PARAM_LOGIT_TABLE, "gh"}, {"graph_urpe.weight", AT_PARAM_FACTOR_TABLE, "gh"}},
    .shape = {.bias = AT_TABLE_PAIR, .factor = AT_TABLE_PAIR}, .prepare = prepare_both, .back = back_both
};
