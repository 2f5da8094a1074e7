/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an encoding's slots become in an attention layer, and the way back of the gradient.  Included by
 * numeric/transformer.c once for each precision.  N = model.n; offset index o = j − i + N − 1. */

/* Derived arrays, or their gradient. */
typedef struct {
    REAL *bias, *factor, *key, *query, *value, *content;
} LOCAL(derived);

/* What both ways read. */
typedef struct {
    const at_model *model;
    const at_derived_shape *shape;
    size_t n;                       /* of this batch */
    const int32_t *distances;       /* NULL: path graph */
    const REAL *fixed;
    REAL *scratch;                  /* AT_NAME scratch count */
} LOCAL(encoding_call);

static size_t LOCAL(encoding_scratch)(const at_model *model)
{
    if (model->encoding == AT_ENC_TUPE)
        return 4 * model->n * model->d;
    if (model->encoding == AT_ENC_DEBERTA)
        return 2 * model->n * model->d;
    return 0;
}

/* Row of graph tables for the pair (i, j). */
static size_t LOCAL(distance)(const LOCAL(encoding_call) *call, size_t i, size_t j)
{
    int32_t distance;

    if (call->distances == NULL)
        return i > j ? i - j : j - i;
    distance = call->distances[i * call->n + j];
    return distance < 0 ? call->model->n : (size_t) distance;
}

/* table [rows, heads] ↔ bias [heads, 2N−1]: o ↦ row(o). */
static size_t LOCAL(offset_row)(const at_model *model, size_t o)
{
    if (model->encoding == AT_ENC_T5_BUCKETED)
        return at_encoding_t5_bucket((long) model->n - 1 - (long) o, model->causal);
    return o;
}

static void LOCAL(spread_offsets)(const at_model *model, const REAL *table, REAL *bias)
{
    size_t offsets = 2 * model->n - 1;

    for (size_t h = 0; h < model->heads; h++)
        for (size_t o = 0; o < offsets; o++)
            bias[h * offsets + o] = table[LOCAL(offset_row)(model, o) * model->heads + h];
}

static void LOCAL(gather_offsets)(const at_model *model, const REAL *dbias, REAL *dtable)
{
    size_t offsets = 2 * model->n - 1;

    for (size_t h = 0; h < model->heads; h++)
        for (size_t o = 0; o < offsets; o++)
            dtable[LOCAL(offset_row)(model, o) * model->heads + h] += dbias[h * offsets + o];
}

static void LOCAL(spread_graph)(const LOCAL(encoding_call) *call, const REAL *table, REAL *pair)
{
    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t i = 0; i < call->n; i++)
            for (size_t j = 0; j < call->n; j++)
                *pair++ = table[LOCAL(distance)(call, i, j) * call->model->heads + h];
}

static void LOCAL(gather_graph)(const LOCAL(encoding_call) *call, const REAL *dpair, REAL *dtable)
{
    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t i = 0; i < call->n; i++)
            for (size_t j = 0; j < call->n; j++)
                dtable[LOCAL(distance)(call, i, j) * call->model->heads + h] += *dpair++;
}

/* Shaw et al. 2018: the table [2c+1, head_dim] holds clip(k) + c. */
static size_t LOCAL(shaw_row)(const at_model *model, size_t o)
{
    long clip = model->n - 1 < AT_SHAW_CLIP ? (long) model->n - 1 : AT_SHAW_CLIP;
    long k = (long) model->n - 1 - (long) o;

    return (size_t) ((k > clip ? clip : k < -clip ? -clip : k) + clip);
}

/* He et al. 2021: δ(k) = clip(k + span) to 0 … 2·span − 1. */
static size_t LOCAL(deberta_row)(const at_model *model, long k)
{
    long span = model->n < AT_DEBERTA_SPAN ? (long) model->n : AT_DEBERTA_SPAN;

    k += span;
    return (size_t) (k < 0 ? 0 : k > 2 * span - 1 ? 2 * span - 1 : k);
}

/* out [2N−1, width] = rows of table by offset; back: adds. */
static void LOCAL(copy_rows)(const at_model *model, size_t width, int sign, const REAL *table,
                             REAL *out)
{
    for (size_t o = 0; o < 2 * model->n - 1; o++) {
        long k = (long) model->n - 1 - (long) o;
        size_t row = sign == 0 ? LOCAL(shaw_row)(model, o) : LOCAL(deberta_row)(model, sign * k);

        memcpy(out + o * width, table + row * width, width * sizeof *out);
    }
}

static void LOCAL(add_rows)(const at_model *model, size_t width, int sign, const REAL *out,
                            REAL *table)
{
    for (size_t o = 0; o < 2 * model->n - 1; o++) {
        long k = (long) model->n - 1 - (long) o;
        size_t row = sign == 0 ? LOCAL(shaw_row)(model, o) : LOCAL(deberta_row)(model, sign * k);

        for (size_t c = 0; c < width; c++)
            table[row * width + c] += out[o * width + c];
    }
}

/* Transformer-XL (Dai et al. 2019): key = r W_R^T, bias = scale·w·key, content = u. */
static void LOCAL(prepare_xl)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                              LOCAL(derived) *out)
{
    size_t d = call->model->d, heads = call->model->heads, e = d / heads;
    size_t offsets = 2 * call->model->n - 1;

    GEMM(false, true, offsets, d, d, 1, call->fixed, d, slots[0], d, 0, out->key, d);
    memcpy(out->content, slots[1], d * sizeof *out->content);
    for (size_t h = 0; h < heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            REAL sum = 0;

            for (size_t c = 0; c < e; c++)
                sum += slots[2][h * e + c] * out->key[o * d + h * e + c];
            out->bias[h * offsets + o] = (REAL) call->shape->scale * sum;
        }
}

static void LOCAL(back_xl)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                           const LOCAL(derived) *made, LOCAL(derived) *back, REAL *const *dslots)
{
    size_t d = call->model->d, heads = call->model->heads, e = d / heads;
    size_t offsets = 2 * call->model->n - 1;

    for (size_t h = 0; h < heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            REAL g = (REAL) call->shape->scale * back->bias[h * offsets + o];

            for (size_t c = h * e; c < (h + 1) * e; c++) {
                dslots[2][c] += g * made->key[o * d + c];
                back->key[o * d + c] += g * slots[2][c];
            }
        }
    for (size_t c = 0; c < d; c++)
        dslots[1][c] += back->content[c];
    GEMM(true, false, d, d, offsets, 1, back->key, d, call->fixed, d, 1, dslots[0], d);
}

/* DeBERTa: key_k = (P W_K^T)_{δ(k)}, query_k = (P W_Q^T)_{δ(−k)}. */
static void LOCAL(prepare_deberta)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                                   LOCAL(derived) *out)
{
    const at_model *model = call->model;
    size_t d = model->d, rows = 2 * (model->n < AT_DEBERTA_SPAN ? model->n : AT_DEBERTA_SPAN);

    GEMM(false, true, rows, d, d, 1, slots[0], d, slots[1], d, 0, call->scratch, d);
    LOCAL(copy_rows)(model, d, 1, call->scratch, out->key);
    GEMM(false, true, rows, d, d, 1, slots[0], d, slots[2], d, 0, call->scratch, d);
    LOCAL(copy_rows)(model, d, -1, call->scratch, out->query);
}

static void LOCAL(back_deberta)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                                LOCAL(derived) *back, REAL *const *dslots)
{
    const at_model *model = call->model;
    size_t d = model->d, rows = 2 * (model->n < AT_DEBERTA_SPAN ? model->n : AT_DEBERTA_SPAN);

    for (int side = 0; side < 2; side++) {
        memset(call->scratch, 0, rows * d * sizeof *call->scratch);
        LOCAL(add_rows)(model, d, side == 0 ? 1 : -1, side == 0 ? back->key : back->query,
                        call->scratch);
        GEMM(true, false, d, d, rows, 1, call->scratch, d, slots[0], d, 1, dslots[1 + side], d);
        GEMM(false, false, rows, d, d, 1, call->scratch, d, slots[1 + side], d, 1, dslots[0], d);
    }
}

/* TUPE (Ke et al. 2021): bias^h = scale·(p U_Q)^h ((p U_K)^h)^T. */
static void LOCAL(prepare_tupe)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                                LOCAL(derived) *out)
{
    size_t n = call->n, d = call->model->d, e = d / call->model->heads;
    REAL *query = call->scratch, *key = query + n * d;

    GEMM(false, true, n, d, d, 1, slots[0], d, slots[1], d, 0, query, d);
    GEMM(false, true, n, d, d, 1, slots[0], d, slots[2], d, 0, key, d);
    for (size_t h = 0; h < call->model->heads; h++)
        GEMM(false, true, n, n, e, (REAL) call->shape->scale, query + h * e, d, key + h * e, d, 0,
             out->bias + h * n * n, n);
}

static void LOCAL(back_tupe)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                             LOCAL(derived) *back, REAL *const *dslots)
{
    size_t n = call->n, d = call->model->d, e = d / call->model->heads;
    REAL scale = (REAL) call->shape->scale;
    REAL *query = call->scratch, *key = query + n * d, *dquery = key + n * d, *dkey = dquery + n * d;

    GEMM(false, true, n, d, d, 1, slots[0], d, slots[1], d, 0, query, d);
    GEMM(false, true, n, d, d, 1, slots[0], d, slots[2], d, 0, key, d);
    for (size_t h = 0; h < call->model->heads; h++) {
        const REAL *g = back->bias + h * n * n;

        GEMM(false, false, n, e, n, scale, g, n, key + h * e, d, 0, dquery + h * e, d);
        GEMM(true, false, n, e, n, scale, g, n, query + h * e, d, 0, dkey + h * e, d);
    }
    GEMM(true, false, d, d, n, 1, dquery, d, slots[0], d, 1, dslots[1], d);
    GEMM(true, false, d, d, n, 1, dkey, d, slots[0], d, 1, dslots[2], d);
    GEMM(false, false, n, d, d, 1, dquery, d, slots[1], d, 1, dslots[0], d);
    GEMM(false, false, n, d, d, 1, dkey, d, slots[2], d, 1, dslots[0], d);
}

/* KERPLE (Chi et al. 2022) with r = exp(raw), for power r_2 = 2σ(raw), so that 0 < r_2 < 2.  back NULL:
 * forward. */
static void LOCAL(kerple)(const LOCAL(encoding_call) *call, const REAL *raw, REAL *bias,
                          const REAL *dbias, REAL *draw)
{
    size_t heads = call->model->heads, n = call->model->n, offsets = 2 * n - 1;
    bool power = call->model->encoding == AT_ENC_KERPLE_POWER;

    for (size_t h = 0; h < heads; h++) {
        double r1 = exp((double) raw[h]), raw2 = (double) raw[heads + h];
        double r2 = power ? 2.0 / (1.0 + exp(-raw2)) : exp(raw2);
        double slope = power ? r2 * (1.0 - r2 / 2.0) : r2, sum1 = 0.0, sum2 = 0.0;

        for (size_t o = 0; o < offsets; o++) {
            double distance = fabs((double) o - (double) (n - 1));
            double grown = power ? pow(distance, r2) : log1p(r2 * distance);

            if (bias != NULL) {
                bias[h * offsets + o] = (REAL) (-r1 * grown);
                continue;
            }
            sum1 -= (double) dbias[h * offsets + o] * r1 * grown;
            if (distance > 0.0)
                sum2 -= (double) dbias[h * offsets + o] * r1 * slope
                        * (power ? grown * log(distance) : distance / (1.0 + r2 * distance));
        }
        if (bias == NULL) {
            draw[h] += (REAL) sum1;
            draw[heads + h] += (REAL) sum2;
        }
    }
}

/* FIRE (Li et al. 2024): f(ψ(|k|)/ψ(max(L, i))), ψ(x) = log(1 + c x) or 1 + c x, c = exp(raw), L =
 * ½N·exp(raw), i from 1; f a ReLU layer of AT_FIRE_WIDTH and a linear one.  bias NULL: backward. */
static void LOCAL(fire_pair)(const LOCAL(encoding_call) *call, const REAL *const *slots, size_t i,
                             size_t j, REAL *bias, const REAL *dbias, REAL *const *dslots)
{
    size_t heads = call->model->heads, n = call->n;
    double c = exp((double) slots[4][0]), k = fabs((double) i - (double) j);
    double threshold = 0.5 * (double) call->model->n * exp((double) slots[5][0]);
    double reach = threshold > (double) (i + 1) ? threshold : (double) (i + 1);
    bool linear = call->fixed[0] != 0;
    double top = linear ? 1.0 + c * k : log1p(c * k);
    double bottom = linear ? 1.0 + c * reach : log1p(c * reach);
    double x = top / bottom, dx = 0.0, dtop, dbottom;

    for (size_t f = 0; f < AT_FIRE_WIDTH; f++) {
        double z = (double) slots[0][f] * x + (double) slots[1][f], dz = 0.0;

        if (!(z > 0.0))
            continue;
        for (size_t h = 0; h < heads; h++) {
            REAL weight = slots[2][h * AT_FIRE_WIDTH + f];

            if (bias != NULL) {
                bias[h * n * n + i * n + j] += (REAL) z * weight;
            } else {
                dslots[2][h * AT_FIRE_WIDTH + f] += dbias[h * n * n + i * n + j] * (REAL) z;
                dz += (double) (dbias[h * n * n + i * n + j] * weight);
            }
        }
        if (bias == NULL) {
            dslots[0][f] += (REAL) (dz * x);
            dslots[1][f] += (REAL) dz;
            dx += dz * (double) slots[0][f];
        }
    }
    if (bias != NULL)
        return;
    /* ψ' up to its factor x: c for the linear one, c/(1 + c x) for the logarithm. */
    dtop = dx / bottom * c / (linear ? 1.0 : 1.0 + c * k);
    dbottom = -dx * x / bottom * c / (linear ? 1.0 : 1.0 + c * reach);
    dslots[4][0] += (REAL) (dtop * k + dbottom * reach);
    if (threshold > (double) (i + 1))
        dslots[5][0] += (REAL) (dbottom * threshold);
}

static void LOCAL(fire)(const LOCAL(encoding_call) *call, const REAL *const *slots, REAL *bias,
                        const REAL *dbias, REAL *const *dslots)
{
    size_t n = call->n;

    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t p = 0; p < n * n; p++) {
            if (bias != NULL)
                bias[h * n * n + p] = slots[3][h];
            else
                dslots[3][h] += dbias[h * n * n + p];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            LOCAL(fire_pair)(call, slots, i, j, bias, dbias, dslots);
}

/* ALiBi's −m|k|; stable-mask's P_ij = −w_h·(j − i) above the diagonal, its factor the lower ones. */
static void LOCAL(prepare_fixed)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                                 LOCAL(derived) *out)
{
    size_t n = call->model->n, offsets = 2 * n - 1;
    bool stable = call->model->encoding == AT_ENC_STABLE_MASK;

    for (size_t h = 0; h < call->model->heads; h++)
        for (size_t o = 0; o < offsets; o++) {
            REAL distance = (REAL) (o >= n - 1 ? o - (n - 1) : n - 1 - o);

            if (!stable) {
                out->bias[h * offsets + o] = -call->fixed[h] * distance;
                continue;
            }
            out->bias[h * offsets + o] = o > n - 1 ? -slots[0][h] * distance : 0;
            out->factor[h * offsets + o] = o > n - 1 ? 0 : 1;
        }
}

static void LOCAL(back_stable)(const at_model *model, const REAL *dbias, REAL *dslot)
{
    size_t n = model->n, offsets = 2 * n - 1;

    for (size_t h = 0; h < model->heads; h++)
        for (size_t o = n; o < offsets; o++)
            dslot[h] -= dbias[h * offsets + o] * (REAL) (o - (n - 1));
}

/* Slots → derived arrays. */
static void LOCAL(encoding_prepare)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                                    LOCAL(derived) *out)
{
    const at_model *model = call->model;

    switch (model->encoding) {
    case AT_ENC_SHAW:
        LOCAL(copy_rows)(model, call->shape->width, 0, slots[1], out->value); /* fallthrough */
    case AT_ENC_SHAW_K:
        LOCAL(copy_rows)(model, call->shape->width, 0, slots[0], out->key);
        break;
    case AT_ENC_TRANSFORMER_XL: LOCAL(prepare_xl)(call, slots, out); break;
    case AT_ENC_DEBERTA: LOCAL(prepare_deberta)(call, slots, out); break;
    case AT_ENC_TUPE: LOCAL(prepare_tupe)(call, slots, out); break;
    case AT_ENC_URPE:
        LOCAL(spread_offsets)(model, slots[1], out->factor); /* fallthrough */
    case AT_ENC_T5: case AT_ENC_T5_BUCKETED: case AT_ENC_L2_NORM: case AT_ENC_RELU2:
        LOCAL(spread_offsets)(model, slots[0], out->bias);
        break;
    case AT_ENC_KERPLE_LOG: case AT_ENC_KERPLE_POWER:
        LOCAL(kerple)(call, slots[0], out->bias, NULL, NULL);
        break;
    case AT_ENC_FIRE: LOCAL(fire)(call, slots, out->bias, NULL, NULL); break;
    case AT_ENC_GRAPH_URPE:
        LOCAL(spread_graph)(call, slots[1], out->factor); /* fallthrough */
    case AT_ENC_GRAPH: LOCAL(spread_graph)(call, slots[0], out->bias); break;
    case AT_ENC_ALIBI: case AT_ENC_ALIBI_SYMMETRIC: case AT_ENC_STABLE_MASK:
        LOCAL(prepare_fixed)(call, slots, out);
        break;
    default: break;
    }
}

/* Gradient of the derived arrays (overwritten where that helps) → added to the slots' gradient. */
static void LOCAL(encoding_back)(const LOCAL(encoding_call) *call, const REAL *const *slots,
                                 const LOCAL(derived) *made, LOCAL(derived) *back,
                                 REAL *const *dslots)
{
    const at_model *model = call->model;

    switch (model->encoding) {
    case AT_ENC_SHAW:
        LOCAL(add_rows)(model, call->shape->width, 0, back->value, dslots[1]); /* fallthrough */
    case AT_ENC_SHAW_K:
        LOCAL(add_rows)(model, call->shape->width, 0, back->key, dslots[0]);
        break;
    case AT_ENC_TRANSFORMER_XL: LOCAL(back_xl)(call, slots, made, back, dslots); break;
    case AT_ENC_DEBERTA: LOCAL(back_deberta)(call, slots, back, dslots); break;
    case AT_ENC_TUPE: LOCAL(back_tupe)(call, slots, back, dslots); break;
    case AT_ENC_URPE:
        LOCAL(gather_offsets)(model, back->factor, dslots[1]); /* fallthrough */
    case AT_ENC_T5: case AT_ENC_T5_BUCKETED: case AT_ENC_L2_NORM: case AT_ENC_RELU2:
        LOCAL(gather_offsets)(model, back->bias, dslots[0]);
        break;
    case AT_ENC_KERPLE_LOG: case AT_ENC_KERPLE_POWER:
        LOCAL(kerple)(call, slots[0], NULL, back->bias, dslots[0]);
        break;
    case AT_ENC_FIRE: LOCAL(fire)(call, slots, NULL, back->bias, dslots); break;
    case AT_ENC_GRAPH_URPE:
        LOCAL(gather_graph)(call, back->factor, dslots[1]); /* fallthrough */
    case AT_ENC_GRAPH: LOCAL(gather_graph)(call, back->bias, dslots[0]); break;
    case AT_ENC_STABLE_MASK: LOCAL(back_stable)(model, back->bias, dslots[0]); break;
    default: break;
    }
}
