/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of positional encodings, float side: slots, shapes, fixed numbers.  What is made of the
 * slots is in numeric/encoding_source.c, for both precisions. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numeric/encoding.h"

/* Shapes in letters: o 2N−1, n N, d, e head_dim, h heads, g N+1 (distances and "unreachable"), b buckets,
 * c clipped offsets, s span, f FIRE's width, 1, 2. */
static const struct {
    enum at_encoding_id id;
    struct { const char *name; enum at_param_kind kind; const char *shape; } slots[AT_ENCODING_SLOTS];
} slot_table[] = {
    {AT_ENC_SHAW_K, {{"shaw.key.weight", AT_PARAM_POSITION, "ce"}}},
    {AT_ENC_SHAW, {{"shaw.key.weight", AT_PARAM_POSITION, "ce"},
                   {"shaw.value.weight", AT_PARAM_POSITION, "ce"}}},
    {AT_ENC_TRANSFORMER_XL, {{"xl.relative.weight", AT_PARAM_MATRIX, "dd"},
                             {"xl.content.weight", AT_PARAM_POSITION, "he"},
                             {"xl.position.weight", AT_PARAM_POSITION, "he"}}},
    {AT_ENC_T5, {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}}},
    {AT_ENC_T5_BUCKETED, {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "bh"}}},
    {AT_ENC_DEBERTA, {{"deberta.weight", AT_PARAM_POSITION, "sd"},
                      {"deberta.key.weight", AT_PARAM_MATRIX, "dd"},
                      {"deberta.query.weight", AT_PARAM_MATRIX, "dd"}}},
    {AT_ENC_TUPE, {{"tupe.weight", AT_PARAM_POSITION, "nd"},
                   {"tupe.query.weight", AT_PARAM_MATRIX, "dd"},
                   {"tupe.key.weight", AT_PARAM_MATRIX, "dd"}}},
    {AT_ENC_KERPLE_LOG, {{"kerple.weight", AT_PARAM_SCALAR, "2h"}}},
    {AT_ENC_KERPLE_POWER, {{"kerple.weight", AT_PARAM_SCALAR, "2h"}}},
    {AT_ENC_FIRE, {{"fire.hidden.weight", AT_PARAM_MATRIX, "f1"},
                   {"fire.hidden.bias", AT_PARAM_BIAS, "f"},
                   {"fire.out.weight", AT_PARAM_MATRIX, "hf"},
                   {"fire.out.bias", AT_PARAM_BIAS, "h"},
                   {"fire.scale", AT_PARAM_SCALAR, "1"},
                   {"fire.threshold", AT_PARAM_SCALAR, "1"}}},
    {AT_ENC_GRAPH, {{"graph.weight", AT_PARAM_LOGIT_TABLE, "gh"}}},
    {AT_ENC_URPE, {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"},
                   {"urpe.weight", AT_PARAM_FACTOR_TABLE, "oh"}}},
    {AT_ENC_GRAPH_URPE, {{"graph.weight", AT_PARAM_LOGIT_TABLE, "gh"},
                         {"graph_urpe.weight", AT_PARAM_FACTOR_TABLE, "gh"}}},
    {AT_ENC_STABLE_MASK, {{"stable.weight", AT_PARAM_SCALAR, "h"}}},
    {AT_ENC_L2_NORM, {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}}},
    {AT_ENC_RELU2, {{"rpe.weight", AT_PARAM_LOGIT_TABLE, "oh"}}},
};

static size_t head_dim(const at_model *model)
{
    return model->d / model->heads;
}

static size_t shape_letter(const at_model *model, char letter)
{
    size_t clip = model->n - 1 < AT_SHAW_CLIP ? model->n - 1 : AT_SHAW_CLIP;
    size_t span = model->n < AT_DEBERTA_SPAN ? model->n : AT_DEBERTA_SPAN;

    switch (letter) {
    case 'o': return 2 * model->n - 1;
    case 'n': return model->n;
    case 'd': return model->d;
    case 'e': return head_dim(model);
    case 'h': return model->heads;
    case 'g': return model->n + 1;
    case 'b': return AT_T5_BUCKETS;
    case 'c': return 2 * clip + 1;
    case 's': return 2 * span;
    case 'f': return AT_FIRE_WIDTH;
    case '2': return 2;
    default: return 1;
    }
}

size_t at_encoding_slots(const at_model *model, at_slot slots[AT_ENCODING_SLOTS])
{
    for (size_t e = 0; e < sizeof slot_table / sizeof slot_table[0]; e++) {
        size_t count = 0;

        if (slot_table[e].id != model->encoding)
            continue;
        for (; count < AT_ENCODING_SLOTS && slot_table[e].slots[count].name != NULL; count++) {
            const char *shape = slot_table[e].slots[count].shape;

            slots[count].name = slot_table[e].slots[count].name;
            slots[count].kind = slot_table[e].slots[count].kind;
            slots[count].rank = strlen(shape);
            for (size_t i = 0; i < 3; i++)
                slots[count].shape[i] = i < slots[count].rank ? shape_letter(model, shape[i]) : 1;
        }
        return count;
    }
    return 0;
}

void at_encoding_shape(const at_model *model, at_derived_shape *shape)
{
    double terms = 1.0;

    memset(shape, 0, sizeof *shape);
    shape->width = head_dim(model);
    switch (model->encoding) {
    case AT_ENC_SHAW:
        shape->value = true; /* fallthrough */
    case AT_ENC_SHAW_K:
        shape->key = true;
        break;
    case AT_ENC_TRANSFORMER_XL:
        shape->key = shape->content = true;
        shape->bias = AT_TABLE_OFFSET;
        shape->width = model->d;
        break;
    case AT_ENC_DEBERTA:
        shape->key = shape->query = true;
        shape->width = model->d;
        terms = 3.0;
        break;
    case AT_ENC_TUPE:
        terms = 2.0; /* fallthrough */
    case AT_ENC_FIRE:
    case AT_ENC_GRAPH:
        shape->bias = AT_TABLE_PAIR;
        break;
    case AT_ENC_GRAPH_URPE:
        shape->bias = shape->factor = AT_TABLE_PAIR;
        break;
    case AT_ENC_ROPE:
        shape->rotate = true;
        break;
    case AT_ENC_URPE:
        shape->factor = AT_TABLE_OFFSET; /* fallthrough */
    case AT_ENC_T5: case AT_ENC_T5_BUCKETED: case AT_ENC_ALIBI: case AT_ENC_ALIBI_SYMMETRIC:
    case AT_ENC_KERPLE_LOG: case AT_ENC_KERPLE_POWER:
        shape->bias = AT_TABLE_OFFSET;
        break;
    case AT_ENC_STABLE_MASK:
        shape->weighting = AT_WEIGHT_STABLE;
        shape->bias = shape->factor = AT_TABLE_OFFSET;
        shape->fixed_factor = true;
        break;
    case AT_ENC_L2_NORM: case AT_ENC_RELU2:
        shape->weighting = model->encoding == AT_ENC_RELU2 ? AT_WEIGHT_RELU2 : AT_WEIGHT_L2;
        shape->bias = AT_TABLE_OFFSET;
        break;
    default:
        break;
    }
    shape->scale = model->scale_logits ? 1.0 / sqrt(terms * (double) head_dim(model)) : 1.0;
}

size_t at_encoding_fixed_count(const at_model *model)
{
    switch (model->encoding) {
    case AT_ENC_SINUSOIDAL: return model->n * model->d;
    case AT_ENC_TRANSFORMER_XL: return (2 * model->n - 1) * model->d;
    case AT_ENC_ALIBI: case AT_ENC_ALIBI_SYMMETRIC: return model->heads;
    case AT_ENC_ROPE: return model->n * (head_dim(model) / 2) * 2;
    case AT_ENC_FIRE: return 1;
    default: return 0;
    }
}

/* (sin, cos) of position·10000^{−2t/d} in columns 2t, 2t+1 (Vaswani et al. 2017). */
static void sinusoid(double position, size_t d, double *row)
{
    for (size_t c = 0; c < d; c++) {
        double angle = position * pow(10000.0, -(double) (c - c % 2) / (double) d);

        row[c] = c % 2 == 0 ? sin(angle) : cos(angle);
    }
}

/* m_h = 2^{−8h/H} (Press et al. 2022, for H a power of two; taken for every H). */
static void alibi_slopes(size_t heads, double *slopes)
{
    for (size_t h = 0; h < heads; h++)
        slopes[h] = exp2(-8.0 * (double) (h + 1) / (double) heads);
}

void at_encoding_fixed(const at_model *model, double *fixed)
{
    size_t n = model->n, pairs = head_dim(model) / 2;

    switch (model->encoding) {
    case AT_ENC_SINUSOIDAL:
        for (size_t i = 0; i < n; i++)
            sinusoid((double) i, model->d, fixed + i * model->d);
        break;
    case AT_ENC_TRANSFORMER_XL:
        /* Entry j − i + n − 1 is the offset k = i − j. */
        for (size_t o = 0; o < 2 * n - 1; o++)
            sinusoid((double) (n - 1) - (double) o, model->d, fixed + o * model->d);
        break;
    case AT_ENC_ALIBI: case AT_ENC_ALIBI_SYMMETRIC:
        alibi_slopes(model->heads, fixed);
        break;
    case AT_ENC_ROPE:
        for (size_t i = 0; i < n; i++)
            for (size_t t = 0; t < pairs; t++) {
                double angle = (double) i * pow(10000.0, -(double) t / (double) pairs);

                fixed[(i * pairs + t) * 2] = cos(angle);
                fixed[(i * pairs + t) * 2 + 1] = sin(angle);
            }
        break;
    case AT_ENC_FIRE:
        fixed[0] = 0.0;     /* the logarithm */
        break;
    default:
        break;
    }
}

/* Raffel et al. 2020: half the buckets (all, one-sided) are exact, the rest logarithmic up to the
 * farthest distance; two-sided, the keys after the query have the upper half. */
size_t at_encoding_t5_bucket(long k, bool causal)
{
    size_t buckets = AT_T5_BUCKETS, base = 0, exact;
    double far;

    if (!causal) {
        buckets /= 2;
        if (k < 0)
            base = buckets;
        k = labs(k);
    } else if (k < 0) {
        k = 0;
    }
    exact = buckets / 2;
    if ((size_t) k < exact)
        return base + (size_t) k;
    far = log((double) k / (double) exact) / log((double) AT_T5_FARTHEST / (double) exact)
          * (double) (buckets - exact);
    return base + exact + (far < (double) (buckets - exact - 1) ? (size_t) far : buckets - exact - 1);
}
