/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "attest/numeric/transformer/multiply.h"
#include "attest/numeric/transformer/products.h"

size_t at_block_cut(at_block *list, bool whole, size_t out, size_t in, size_t tokens,
                    const REAL *dout, const REAL *x, REAL *grad, bool add)
{
    size_t rows = whole ? out : BLOCK_ROWS, columns = whole ? in : BLOCK_COLUMNS;
    size_t count = 0;

    for (size_t row = 0; row < out; row += rows)
        for (size_t column = 0; column < in; column += columns)
            list[count++] = (at_block) {
                dout + row, x + column, out, in, tokens, out - row < rows ? out - row : rows,
                in - column < columns ? in - column : columns, grad + row * in + column, add
            };
    return count;
}

size_t at_block_list(const at_layout *layout, const at_acts *acts, size_t tokens,
                     REAL *grad, bool add, bool whole, at_block *list)
{
    const at_model *model = &layout->model;
    size_t d = model->d, f = model->ffn, count = 0;
    const REAL *x = acts->x0;

#define CUT(out, in, dout, input, offset) \
    count += at_block_cut(list + count, whole, out, in, tokens, dout, input, grad + (offset), add)
    if (model->vocab == 0)
        CUT(d, model->inputs, acts->hat0, acts->rows, layout->in_w);
    for (size_t l = 0; l < model->layers; l++) {
        const at_layer_acts *layer = &acts->layers[l];
        const at_layer_offsets *at = &layout->layers[l];

        CUT(3 * d, d, layer->qkv, x, at->qkv_w);
        CUT(d, d, layer->hat1, layer->o, at->out_w);
        if (f > 0) {
            CUT(f, d, layer->h, layer->x1, at->fc1_w);
            CUT(d, f, layer->hat2, layer->g, at->fc2_w);
        }
        x = layer->x2;
    }
    if (model->lm_head)
        CUT(d, d, acts->hd, x, layout->dense_w);
#undef CUT
    return count;
}

void at_block_run(const at_transformer *net, const at_block *p, size_t thread)
{
    at_product product = {.a = p->dout, .b = p->x, .c = p->grad, .m = p->rows, .n = p->columns,
                       .k = p->tokens, .lda = p->out, .ldb = p->in, .ldc = p->in, .trans_a = true,
                       .add = p->add};

    at_multiply(net->kernels, &product, net->thread[thread].pack);
}
