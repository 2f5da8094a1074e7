/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening and closing a workspace. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "attest/core/memory.h"
#include "attest/numeric/transformer/workspace.h"

/* Blocks of all gradients of matrices, which are weights and those of `in`. */
static size_t block_count(const at_transformer *net)
{
    const at_model *model = &net->layout->model;
    size_t rows = BLOCK_ROWS, columns = BLOCK_COLUMNS;
    size_t count = (model->d / rows + 1) * (model->inputs / columns + 1);

    for (size_t i = 0; i < at_weight_count(model); i++)
        count += (net->weights[i].to / rows + 1) * (net->weights[i].from / columns + 1);
    return count;
}

static int alloc_lists(at_transformer *net)
{
    const at_model *model = &net->layout->model;
    size_t layers = model->layers + 1;

    net->lane_limit = net->by_lane ? at_arena_lanes_apart(net->layout, net->room) : SLICES;
    if (net->lane_limit > net->batch_limit)
        net->lane_limit = net->batch_limit;
    net->thread = calloc((size_t) net->threads, sizeof *net->thread);
    net->acts.layers = calloc(layers, sizeof *net->acts.layers);
    net->side_of = calloc(net->layout->view_count, sizeof *net->side_of);
    net->side_layers = calloc(layers, sizeof *net->side_layers);
    net->slice_score = calloc(SLICES, sizeof *net->slice_score);
    net->weights = calloc(at_weight_count(model), sizeof *net->weights);
    if (net->weights == NULL)
        return AT_ENVIRONMENT;
    at_weight_list(net->layout, net->weights);
    net->products = calloc(block_count(net), sizeof *net->products);
    if (net->products == NULL || net->thread == NULL || net->acts.layers == NULL || net->side_of == NULL
        || net->side_layers == NULL || net->slice_score == NULL)
        return AT_ENVIRONMENT;
    for (int t = 0; t < net->threads; t++) {
        net->thread[t].acts.layers = calloc(layers, sizeof *net->acts.layers);
        net->thread[t].products = calloc(4 * layers + 3, sizeof *net->products);
        if (net->thread[t].acts.layers == NULL || net->thread[t].products == NULL)
            return AT_ENVIRONMENT;
    }
    return AT_OK;
}

void at_transformer_free(at_transformer *net)
{
    if (net == NULL)
        return;
    for (int t = 0; t < net->threads && net->thread != NULL; t++) {
        free(net->thread[t].acts.layers);
        free(net->thread[t].products);
    }
    free(net->thread);
    free(net->acts.layers);
    free(net->side_of);
    free(net->side_layers);
    free(net->slice_score);
    free(net->products);
    free(net->weights);
    free(net->arena);
    free(net);
}

size_t at_transformer_bytes(const at_transformer *net)
{
    return net->bytes;
}

static int start_fixed(at_transformer *net)
{
    size_t count = at_encoding_fixed_count(&net->layout->model);
    double *fixed = count > 0 ? calloc(count, sizeof *fixed) : NULL;

    if (count == 0)
        return AT_OK;
    if (fixed == NULL)
        return AT_ENVIRONMENT;
    at_encoding_fixed(&net->layout->model, fixed);
    at_transformer_set_fixed(net, fixed);
    free(fixed);
    return AT_OK;
}

void at_transformer_set_fixed(at_transformer *net, const double *fixed)
{
    for (size_t i = 0; i < at_encoding_fixed_count(&net->layout->model); i++)
        net->fixed[i] = (REAL) fixed[i];
}

int at_transformer_alloc(at_transformer **out, const at_layout *layout, size_t batch, int threads,
                         bool gradients, at_error *err)
{
    return at_transformer_alloc_within(out, layout, batch, threads, gradients,
                                       (size_t) 64 << 20, err);
}

int at_transformer_alloc_within(at_transformer **out, const at_layout *layout, size_t batch,
                                int threads, bool gradients, size_t room, at_error *err)
{
    enum at_isa isa;
    int status = at_isa_choose(&isa, err);

    *out = NULL;
    if (status != AT_OK)
        return status;
    at_transformer *net = calloc(1, sizeof *net);
    if (net == NULL)
        return at_error_memory(err, "the workspace of a network");
    net->layout = layout;
    net->kernels = at_kernels_for(isa);
    net->batch_limit = batch > 0 ? batch : 1;
    net->threads = threads > 0 ? threads : 1;
    net->gradients = gradients;
    net->room = room;
    net->packs = net->kernels->pack != NULL && layout->count * sizeof(REAL) <= room / 4;
    net->by_lane = gradients && at_arena_lanes_apart(layout, room) > 0;
    net->sets = layout->model.tables_per_layer ? layout->model.layers : 1;
    at_encoding_shape(&layout->model, &net->shape);
    at_blas_single_thread();
    if (alloc_lists(net) != AT_OK) {
        at_transformer_free(net);
        return at_error_memory(err, "the workspace of a network");
    }
    at_arena_lay_derived(net);
    at_arena_lay_side(net);
    net->bytes = at_arena_lay(net) * sizeof(REAL);
    status = at_memory_check(net->bytes, "the workspace of a network", err);
    if (status != AT_OK) {
        at_transformer_free(net);
        return status;
    }
    net->arena = aligned_alloc(4096, (net->bytes / 4096 + 1) * 4096);
    if (net->arena != NULL) {
        memset(net->arena, 0, net->bytes);
        at_arena_lay_derived(net);
        at_arena_lay(net);
    }
    if (net->arena == NULL || start_fixed(net) != AT_OK) {
        at_transformer_free(net);
        return at_error_memory(err, "the workspace of a network");
    }
    *out = net;
    return AT_OK;
}
