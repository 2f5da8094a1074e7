/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two independent implementations of the same mathematics held against each other: the floating-point
 * Transformer in double and the exact engine (balls where a value leaves its field) on the same random
 * rational weights, for every encoding, with and without masks, biases and LayerNorm. */
#include "config.h"

#include "attest/theory/network/network.h"

#include "attest/numeric/encoding/encoding.h"
#include "attest/numeric/transformer/transformer.h"
#include "tests/at_check.h"

enum { LENGTH = 5, WIDTH = 4, HEADS = 2, HEAD = WIDTH / HEADS, HIDDEN = 3, INPUTS = 2,
       OUTPUTS = 2, OFFSETS = 2 * LENGTH - 1 };
static const double TOLERANCE = 1e-12;

typedef struct {
    at_network_t exact;
    at_layout layout;
    at_transformer *net;
    double *params, fixed[OFFSETS * WIDTH];
    int32_t distances[LENGTH * LENGTH];
} pair;

static double *slot(pair *p, size_t layer, const char *name)
{
    char full[80];
    const at_view *view;

    snprintf(full, sizeof full, "layers.%zu.%s", layer, name);
    view = at_layout_find(&p->layout, full);
    ck_assert_msg(view != NULL, "no parameter %s", full);
    return p->params + view->offset;
}

static size_t layers(const pair *p)
{
    return p->layout.model.layers;
}

static double entry(const fmpq_mat_t a, slong i, slong j)
{
    return at_fmpq_get_d(fmpq_mat_entry(a, i, j));
}

/* out [cols, rows], rows of it `stride` apart = a^T. */
static void transposed(double *out, size_t stride, const fmpq_mat_t a)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < fmpq_mat_ncols(a); j++)
            out[(size_t) j * stride + (size_t) i] = entry(a, i, j);
}

static void vector(pair *p, size_t offset, const fmpq_mat_t a)
{
    if (offset != AT_NONE && fmpq_mat_nrows(a) > 0)
        at_fmpq_mat_get_d(p->params + offset, a);
}

static void copy_layer(pair *p, size_t l)
{
    const at_layer *layer = &p->exact->layers[l];
    const at_layer_offsets *at = &p->layout.layers[l];

    for (size_t h = 0; h < HEADS; h++) {
        const at_head *head = &layer->heads[h];
        const fmpq_mat_struct *weights[3] = {head->query, head->key, head->value};
        const fmpq_mat_struct *biases[3] = {head->query_bias, head->key_bias, head->value_bias};

        for (size_t part = 0; part < 3; part++) {
            transposed(p->params + at->qkv_w + (part * WIDTH + h * HEAD) * WIDTH, WIDTH, weights[part]);
            if (at->qkv_b != AT_NONE)
                vector(p, at->qkv_b + part * WIDTH + h * HEAD, biases[part]);
        }
        transposed(p->params + at->out_w + h * HEAD, WIDTH, head->output);
    }
    transposed(p->params + at->fc1_w, WIDTH, layer->ffn_in);
    transposed(p->params + at->fc2_w, HIDDEN, layer->ffn_out);
    vector(p, at->out_b, layer->output_bias);
    vector(p, at->fc1_b, layer->ffn_in_bias);
    vector(p, at->fc2_b, layer->ffn_out_bias);
    vector(p, at->ln1_w, layer->attention_norm.gain);
    vector(p, at->ln1_b, layer->attention_norm.shift);
    vector(p, at->ln2_w, layer->ffn_norm.gain);
    vector(p, at->ln2_b, layer->ffn_norm.shift);
}

/* The exact side's tables t of all heads (and, everywhere, layers) become head 0's of layer 0. */
static void share(pair *p, int t, bool everywhere)
{
    for (slong l = 0; l < p->exact->layer_count; l++)
        for (slong h = 0; h < HEADS; h++)
            fmpq_mat_set(p->exact->layers[l].heads[h].tables[t],
                         p->exact->layers[everywhere ? 0 : l].heads[0].tables[t]);
}

/* table 1 × columns by head → [columns, heads], reversed for offsets. */
static void by_head(pair *p, const char *name, int t, bool reversed)
{
    for (size_t l = 0; l < layers(p); l++)
        for (slong h = 0; h < HEADS; h++) {
            const fmpq_mat_struct *table = p->exact->layers[l].heads[h].tables[t];
            slong columns = fmpq_mat_ncols(table);

            for (slong c = 0; c < columns; c++)
                slot(p, l, name)[(reversed ? columns - 1 - c : c) * HEADS + h] = entry(table, 0, c);
        }
}

/* d × d_h by head → rows of [d, d]. */
static void by_rows(pair *p, const char *name, int t)
{
    for (size_t l = 0; l < layers(p); l++)
        for (size_t h = 0; h < HEADS; h++)
            transposed(slot(p, l, name) + h * HEAD * WIDTH, WIDTH,
                       p->exact->layers[l].heads[h].tables[t]);
}

static void copy_vectors(pair *p)
{
    switch (p->exact->encoding) {
    case AT_ENC_SHAW:
        share(p, 1, false);
        for (size_t l = 0; l < layers(p); l++)
            at_fmpq_mat_get_d(slot(p, l, "shaw.value.weight"), p->exact->layers[l].heads[0].tables[1]);
        /* fallthrough */
    case AT_ENC_SHAW_K:
        share(p, 0, false);
        for (size_t l = 0; l < layers(p); l++)
            at_fmpq_mat_get_d(slot(p, l, "shaw.key.weight"), p->exact->layers[l].heads[0].tables[0]);
        break;
    case AT_ENC_TRANSFORMER_XL:
        share(p, 0, true);
        for (slong o = 0; o < OFFSETS; o++)
            for (slong c = 0; c < WIDTH; c++)
                p->fixed[(OFFSETS - 1 - o) * WIDTH + c] = entry(p->exact->layers[0].heads[0].tables[0],
                                                               o, c);
        by_rows(p, "xl.relative.weight", 1);
        for (size_t l = 0; l < layers(p); l++)
            for (size_t h = 0; h < HEADS; h++) {
                const at_head *head = &p->exact->layers[l].heads[h];

                at_fmpq_mat_get_d(slot(p, l, "xl.content.weight") + h * HEAD, head->tables[2]);
                at_fmpq_mat_get_d(slot(p, l, "xl.position.weight") + h * HEAD, head->tables[3]);
            }
        break;
    case AT_ENC_DEBERTA:
        share(p, 0, false);
        for (size_t l = 0; l < layers(p); l++)
            at_fmpq_mat_get_d(slot(p, l, "deberta.weight"), p->exact->layers[l].heads[0].tables[0]);
        by_rows(p, "deberta.key.weight", 1);
        by_rows(p, "deberta.query.weight", 2);
        break;
    case AT_ENC_TUPE:
        for (size_t l = 0; l < layers(p); l++)
            at_fmpq_mat_get_d(slot(p, l, "tupe.weight"), p->exact->positions);
        by_rows(p, "tupe.query.weight", 0);
        by_rows(p, "tupe.key.weight", 1);
        break;
    default:
        break;
    }
}

/* rotation^i of the exact side, i = 0 … n − 1. */
static void copy_rotations(pair *p)
{
    share(p, 0, true);
    for (slong b = 0; b < HEAD / 2; b++) {
        fmpq_t c, s, t, c0, s0;

        fmpq_init(c), fmpq_init(s), fmpq_init(t), fmpq_init(c0), fmpq_init(s0);
        fmpq_set(c0, fmpq_mat_entry(p->exact->layers[0].heads[0].tables[0], b, 0));
        fmpq_set(s0, fmpq_mat_entry(p->exact->layers[0].heads[0].tables[0], b, 1));
        fmpq_one(c);
        for (slong i = 0; i < LENGTH; i++) {
            p->fixed[(i * (HEAD / 2) + b) * 2] = at_fmpq_get_d(c);
            p->fixed[(i * (HEAD / 2) + b) * 2 + 1] = at_fmpq_get_d(s);
            fmpq_mul(t, c, s0);
            fmpq_addmul(t, s, c0);
            fmpq_mul(c, c, c0);
            fmpq_submul(c, s, s0);
            fmpq_swap(s, t);
        }
        fmpq_clear(c), fmpq_clear(s), fmpq_clear(t), fmpq_clear(c0), fmpq_clear(s0);
    }
}

static void copy_fire(pair *p)
{
    share(p, 0, false);
    share(p, 1, false);
    share(p, 2, false);
    p->fixed[0] = 1.0;
    for (size_t l = 0; l < layers(p); l++) {
        const at_head *head = &p->exact->layers[l].heads[0];

        *slot(p, l, "fire.scale") = log(entry(head->tables[0], 0, 0));
        *slot(p, l, "fire.threshold") = log(2.0 * entry(head->tables[0], 0, 1) / LENGTH);
        at_fmpq_mat_get_d(slot(p, l, "fire.hidden.weight"), head->tables[1]);
        at_fmpq_mat_get_d(slot(p, l, "fire.hidden.bias"), head->tables[2]);
        for (size_t h = 0; h < HEADS; h++)
            at_fmpq_mat_get_d(slot(p, l, "fire.out.weight") + h * AT_FIRE_WIDTH,
                              p->exact->layers[l].heads[h].tables[3]);
    }
}

static void copy_kerple(pair *p, bool power)
{
    for (size_t l = 0; l < layers(p); l++)
        for (size_t h = 0; h < HEADS; h++) {
            double r2 = entry(p->exact->layers[l].heads[h].tables[0], 0, 1);
            double *raw = slot(p, l, "kerple.weight") + h;

            raw[0] = log(entry(p->exact->layers[l].heads[h].tables[0], 0, 0));
            raw[HEADS] = power ? (r2 == 2.0 ? INFINITY : 0.0) : log(r2);
        }
}

/* P_ij = −w·(j − i), w = (layer + head)/2. */
static void copy_stable(pair *p)
{
    for (slong l = 0; l < p->exact->layer_count; l++)
        for (slong h = 0; h < HEADS; h++) {
            slot(p, (size_t) l, "stable.weight")[h] = 0.5 * (double) (l + h);
            for (slong i = 0; i < LENGTH; i++)
                for (slong j = 0; j < LENGTH; j++)
                    fmpq_set_si(fmpq_mat_entry(p->exact->layers[l].heads[h].tables[0], i, j),
                                -(l + h) * (j - i), 2);
        }
}

static void copy_encoding(pair *p)
{
    switch (p->exact->encoding) {
    case AT_ENC_LEARNED:
        vector(p, p->layout.ape_w, p->exact->positions);
        break;
    case AT_ENC_SINUSOIDAL:
        at_fmpq_mat_get_d(p->fixed, p->exact->positions);
        break;
    case AT_ENC_T5_BUCKETED:
        by_head(p, "rpe.weight", 0, false);
        break;
    case AT_ENC_ALIBI: case AT_ENC_ALIBI_SYMMETRIC:
        for (slong h = 0; h < HEADS; h++) {
            for (slong l = 1; l < p->exact->layer_count; l++)
                fmpq_mat_set(p->exact->layers[l].heads[h].tables[0],
                             p->exact->layers[0].heads[h].tables[0]);
            p->fixed[h] = entry(p->exact->layers[0].heads[h].tables[0], 0, 0);
        }
        break;
    case AT_ENC_ROPE: copy_rotations(p); break;
    case AT_ENC_KERPLE_LOG: copy_kerple(p, false); break;
    case AT_ENC_KERPLE_POWER: copy_kerple(p, true); break;
    case AT_ENC_FIRE: copy_fire(p); break;
    case AT_ENC_GRAPH_URPE:
        by_head(p, "graph_urpe.weight", 1, false); /* fallthrough */
    case AT_ENC_GRAPH:
        by_head(p, "graph.weight", 0, false);
        break;
    case AT_ENC_STABLE_MASK: copy_stable(p); break;
    case AT_ENC_L2_NORM:
        for (slong l = 0; l < p->exact->layer_count; l++)
            for (slong h = 0; h < HEADS; h++)
                for (slong o = 0; o < OFFSETS; o++)
                    fmpq_one(fmpq_mat_entry(p->exact->layers[l].heads[h].tables[1], 0, o));
        by_head(p, "rpe.weight", 0, true);
        break;
    case AT_ENC_URPE:
        by_head(p, "urpe.weight", 1, true); /* fallthrough */
    case AT_ENC_T5: case AT_ENC_RELU2:
        by_head(p, "rpe.weight", 0, true);
        break;
    default: copy_vectors(p); break;
    }
}

/* Shapes that the exact side leaves to its user. */
static void resize_tables(pair *p)
{
    for (slong l = 0; l < p->exact->layer_count && p->exact->encoding == AT_ENC_FIRE; l++)
        for (slong h = 0; h < HEADS; h++)
            for (int t = 1; t < 4; t++)
                at_head_resize_table(&p->exact->layers[l].heads[h], t, 1, AT_FIRE_WIDTH);
}

static void pair_open(pair *p, const at_model *model, uint64_t seed)
{
    at_error err = AT_ERROR_INIT;
    at_random random = at_random_seed(seed);

    memset(p, 0, sizeof *p);
    ck_assert_msg(at_network_init(p->exact, model, 0, &err) == AT_OK, "%s", err.text);
    resize_tables(p);
    at_network_random(p->exact, &random, 1, 4);
    ck_assert_msg(at_layout_init(&p->layout, model, &err) == AT_OK, "%s", err.text);
    p->params = calloc(p->layout.count, sizeof *p->params);
    transposed(p->params + p->layout.in_w, INPUTS, p->exact->embedding);
    transposed(p->params + p->layout.dec_w, WIDTH, p->exact->readout);
    vector(p, p->layout.in_b, p->exact->embedding_bias);
    vector(p, p->layout.dec_b, p->exact->readout_bias);
    vector(p, p->layout.ln0_w, p->exact->input_norm.gain);
    vector(p, p->layout.ln0_b, p->exact->input_norm.shift);
    for (size_t l = 0; l < layers(p); l++)
        copy_layer(p, l);
    copy_encoding(p);
    for (size_t k = 0; k < LENGTH * LENGTH && p->exact->distance != NULL; k++)
        p->distances[k] = (int32_t) p->exact->distance[k];
    ck_assert_msg(at_network_check(p->exact, &err) == AT_OK, "%s", err.text);
    ck_assert_msg(at_transformer_alloc(&p->net, &p->layout, 1, 1, false, &err) == AT_OK, "%s", err.text);
    if (at_encoding_fixed_count(model) > 0)
        at_transformer_set_fixed(p->net, p->fixed);
}

static void pair_close(pair *p)
{
    at_network_clear(p->exact);
    at_transformer_free(p->net);
    at_layout_clear(&p->layout);
    free(p->params);
}

/* Both engines on X; the largest difference relative to the largest value (at least 1). */
static double disagreement(pair *p, const fmpq_mat_t x, bool *exactly)
{
    at_error err = AT_ERROR_INIT;
    double rows[LENGTH * INPUTS], out[LENGTH * OUTPUTS], worst = 0.0, size = 1.0;
    at_batch batch = {.batch = 1, .n = LENGTH, .rows = rows, .distances = p->distances};
    at_expqf_mat_t in_field;
    arb_mat_t balls;

    at_fmpq_mat_get_d(rows, x);
    if (p->exact->distance == NULL)
        batch.distances = NULL;
    ck_assert_msg(at_transformer_forward(p->net, p->params, &batch, out, &err) == AT_OK, "%s", err.text);
    arb_mat_init(balls, LENGTH, OUTPUTS);
    at_expqf_mat_init(in_field, LENGTH, OUTPUTS);
    *exactly = *exactly && at_network_eval_exact(in_field, p->exact, x, &err) == AT_OK;
    for (slong i = 0; i < LENGTH && *exactly; i++)
        for (slong j = 0; j < OUTPUTS; j++)
            at_expqf_get_arb(arb_mat_entry(balls, i, j), at_expqf_mat_entry(in_field, i, j), 80);
    if (!*exactly)
        ck_assert_msg(at_network_enclose(balls, p->exact, x, 70, 1024, &err) == AT_OK, "%s", err.text);
    for (slong i = 0; i < LENGTH; i++)
        for (slong j = 0; j < OUTPUTS; j++) {
            double value = arf_get_d(arb_midref(arb_mat_entry(balls, i, j)), ARF_RND_NEAR);
            double error = fabs(value - out[i * OUTPUTS + j]);

            size = fmax(size, fabs(value));
            if (!(error <= worst))
                worst = error;
        }
    at_expqf_mat_clear(in_field);
    arb_mat_clear(balls);
    return worst / size;
}

/* One random network; exactly: one layer, compared with values of ℚ(e^ℚ) where they exist.  Returns
 * whether they did. */
static bool compare(enum at_encoding_id encoding, unsigned long option, bool exactly, uint64_t seed)
{
    at_model model = {
        .encoding = encoding, .n = LENGTH, .inputs = INPUTS, .outputs = OUTPUTS, .d = WIDTH,
        .heads = HEADS, .ffn = HIDDEN, .layers = exactly ? 1 : 2, .tables_per_layer = true,
        .activation = option & 8 ? AT_GELU : AT_RELU, .biases = option & 1,
        .layernorm = option & 2, .scale_logits = option & 2,
        .causal = (option & 4) || at_encodings[encoding].causal_only
    };
    pair p;
    fmpq_mat_t x;
    double found;

    pair_open(&p, &model, seed);
    fmpq_mat_init(x, LENGTH, INPUTS);
    for (slong i = 0; i < LENGTH; i++)
        for (slong j = 0; j < INPUTS; j++)
            fmpq_set_si(fmpq_mat_entry(x, i, j), (slong) ((seed >> (3 * i + j)) % 9) - 4, 3);
    found = disagreement(&p, x, &exactly);
    ck_assert_msg(found <= TOLERANCE, "%s, options %lu, seed %llu: engines differ by %.3g",
                  at_encodings[encoding].name, option, (unsigned long long) seed, found);
    fmpq_mat_clear(x);
    pair_close(&p);
    return exactly;
}

START_TEST(engines_agree)
{
    static const unsigned long options[] = {0, 1, 4, 5};    /* plain, biases, causal, both */
    unsigned long exact_rounds = 0;

    AT_ROUNDS(r, 10)
        compare((enum at_encoding_id) _i, at_test_below(&r, 16), false, at_test_bits(&r));
    for (unsigned long k = 0; k < 4; k++)
        exact_rounds += compare((enum at_encoding_id) _i, options[k], true, k + 1);
    if (at_encodings_exact[_i]->normaliser != AT_NORMALISE_L2)
        ck_assert_uint_eq(exact_rounds, 4);
    flint_cleanup();
}
END_TEST

START_TEST(buckets_agree)
{
    for (slong k = -400; k <= 400; k++)
        for (int causal = 0; causal < 2; causal++)
            ck_assert_msg((slong) at_encoding_t5_bucket(k, causal != 0)
                          == at_t5_bucket(k, AT_T5_BUCKETS, AT_T5_FARTHEST, !causal),
                          "offset %ld%s", (long) k, causal ? ", causal" : "");
}
END_TEST

static Suite *engines_suite(void)
{
    Suite *suite = suite_create("engines");
    TCase *tcase = tcase_create("agree");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, engines_agree, 0, AT_ENC_COUNT);
    tcase_add_test(tcase, buckets_agree);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(engines_suite)
