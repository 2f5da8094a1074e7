/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Transformer: values, gradients and steps of Adam computed elsewhere
 * (tests/data/encoder-*.safetensors), double against float, parts of the batch apart or not, the same
 * bits for every number of threads, files, and refusals. */
#include "config.h"

#include "attest/core/safetensors.h"
#include "attest/numeric/optimize/adam.h"
#include "attest/numeric/transformer/layout.h"
#include "attest/numeric/transformer/transformer.h"
#include "tests/at_check.h"

static const char *const references[] = {
    "nope-tied", "nope-untied", "ape-tied", "ape-untied", "rpe-tied", "rpe-untied", "urpe-tied",
    "urpe-untied"
};
enum { REFERENCES = sizeof references / sizeof references[0] };

/* A reference file and the network that it describes. */
typedef struct {
    at_tensors file;
    at_layout layout;
    double *params, *grad, *expected;
    int32_t tokens[64], classes[64];
    at_batch batch;
} reference;

static const at_tensor *tensor(const reference *r, const char *name)
{
    const at_tensor *found = at_tensors_find(&r->file, name);

    ck_assert_msg(found != NULL, "no tensor %s", name);
    return found;
}

static void reference_open(reference *r, const char *which)
{
    char name[64];
    at_error err = AT_ERROR_INIT;
    at_model model;

    memset(r, 0, sizeof *r);
    snprintf(name, sizeof name, "encoder-%s.safetensors", which);
    at_tensors_init(&r->file);
    ck_assert_msg(at_tensors_read(&r->file, at_test_data(name), &err) == AT_OK, "%s", err.text);
    /* Written before attest asked for these. */
    ck_assert_int_eq(at_layout_infer(&model, &r->file, "weight.", &err), AT_USAGE);
    ck_assert_msg(strstr(err.text, "causal") != NULL && strstr(err.text, "activation") != NULL, "%s", err.text);
    ck_assert_int_eq(at_tensors_set_metadata(&r->file, "causal", "0", &err), AT_OK);
    ck_assert_int_eq(at_tensors_set_metadata(&r->file, "activation", "gelu", &err), AT_OK);
    ck_assert_msg(at_layout_infer(&model, &r->file, "weight.", &err) == AT_OK, "%s", err.text);
    ck_assert_msg(at_layout_init(&r->layout, &model, &err) == AT_OK, "%s", err.text);
    r->params = calloc(3 * r->layout.count, sizeof *r->params);
    r->grad = r->params + r->layout.count;
    r->expected = r->grad + r->layout.count;
    ck_assert_msg(at_layout_load(&r->layout, &r->file, "weight.", r->params, &err) == AT_OK, "%s",
                  err.text);
    ck_assert_msg(at_layout_load(&r->layout, &r->file, "grad.", r->expected, &err) == AT_OK, "%s",
                  err.text);
    for (size_t t = 0; t < tensor(r, "input.tokens")->count; t++) {
        r->tokens[t] = (int32_t) ((int64_t *) tensor(r, "input.tokens")->data)[t];
        r->classes[t] = (int32_t) ((int64_t *) tensor(r, "input.targets")->data)[t];
    }
    r->batch.batch = tensor(r, "input.tokens")->shape[0];
    r->batch.n = tensor(r, "input.tokens")->shape[1];
    r->batch.tokens = r->tokens;
    r->batch.classes = r->classes;
}

static void reference_close(reference *r)
{
    free(r->params);
    at_layout_clear(&r->layout);
    at_tensors_clear(&r->file);
}

START_TEST(agrees_with_reference)
{
    reference r;
    at_transformer *net;
    at_error err = AT_ERROR_INIT;
    at_score score;
    double *out;
    const at_tensor *logits;

    reference_open(&r, references[_i % REFERENCES]);
    logits = tensor(&r, "output.logits");
    ck_assert_int_eq(at_transformer_alloc_within(&net, &r.layout, r.batch.batch, 1, true,
                                                 _i < REFERENCES ? 1 << 26 : 0, &err), AT_OK);
    out = calloc(logits->count, sizeof *out);
    ck_assert_int_eq(at_transformer_forward(net, r.params, &r.batch, out, &err), AT_OK);
    for (size_t i = 0; i < logits->count; i++)
        ck_assert_double_eq_tol(out[i], ((double *) logits->data)[i], 1e-10);
    ck_assert_int_eq(at_transformer_gradient(net, r.params, &r.batch, &score, r.grad, false, &err),
                     AT_OK);
    ck_assert_double_eq_tol(score.loss, *(double *) tensor(&r, "output.loss")->data, 1e-10);
    for (size_t v = 0; v < r.layout.view_count; v++)
        for (size_t i = 0; i < r.layout.views[v].count; i++) {
            size_t at = r.layout.views[v].offset + i;

            ck_assert_msg(fabs(r.grad[at] - r.expected[at]) <= 1e-10, "%s[%zu]: %.12g, expected %.12g",
                          r.layout.views[v].name, i, r.grad[at], r.expected[at]);
        }
    free(out);
    at_transformer_free(net);
    reference_close(&r);
}
END_TEST

/* Three steps of Adam on one batch, at rate 0.01: each loss and the parameters at the end.  Where the
 * gradient is zero but for rounding (the keys' biases), Adam multiplies that by rate/ε = 10^6. */
START_TEST(trains_as_the_reference)
{
    reference r;
    at_transformer *net;
    at_error err = AT_ERROR_INIT;
    at_score score;
    double *moments;

    reference_open(&r, references[_i % REFERENCES]);
    moments = calloc(2 * r.layout.count, sizeof *moments);
    ck_assert_int_eq(at_transformer_alloc_within(&net, &r.layout, r.batch.batch, 1, true,
                                                 _i < REFERENCES ? 1 << 26 : 0, &err), AT_OK);
    for (uint64_t step = 1; step <= 3; step++) {
        char name[32];

        snprintf(name, sizeof name, "adam.loss.%d", (int) step - 1);
        ck_assert_int_eq(at_transformer_gradient(net, r.params, &r.batch, &score, r.grad, false,
                                                 &err), AT_OK);
        ck_assert_double_eq_tol(score.loss, *(double *) tensor(&r, name)->data, 1e-10);
        at_adam_update_double(r.params, moments, moments + r.layout.count, r.grad, r.layout.count,
                              0.01, &at_adam_defaults, step);
    }
    ck_assert_msg(at_layout_load(&r.layout, &r.file, "adam3.", r.expected, &err) == AT_OK, "%s",
                  err.text);
    for (size_t i = 0; i < r.layout.count; i++)
        ck_assert_msg(fabs(r.params[i] - r.expected[i]) <= (fabs(r.grad[i]) > 1e-13 ? 1e-10 : 1e-9),
                      "parameter %zu: %.12g, expected %.12g", i, r.params[i], r.expected[i]);
    at_transformer_free(net);
    free(moments);
    reference_close(&r);
}
END_TEST

/* A model with several slices a batch, random weights, tokens and classes. */
enum { BATCH = 40, LENGTH = 17, VOCABULARY = 23 };
typedef struct {
    at_layout layout;
    double *params;
    float *single;
    int32_t tokens[BATCH * LENGTH], classes[BATCH * LENGTH];
    at_batch batch;
} random_case;

static void random_open(random_case *c, at_test_random *r, enum at_encoding_id encoding)
{
    at_error err = AT_ERROR_INIT;
    at_model model = {
        .encoding = encoding, .n = LENGTH, .vocab = VOCABULARY, .outputs = VOCABULARY, .d = 24,
        .heads = 3, .ffn = 31, .layers = 2, .activation = AT_GELU, .layernorm = true, .biases = true,
        .scale_logits = true, .lm_head = true, .tied = (at_test_bits(r) & 1) != 0,
        .tables_per_layer = (at_test_bits(r) & 1) != 0,
        .causal = at_encodings[encoding].causal_only || (at_test_bits(r) & 1) != 0
    };

    memset(c, 0, sizeof *c);
    ck_assert_msg(at_layout_init(&c->layout, &model, &err) == AT_OK, "%s", err.text);
    c->params = malloc(c->layout.count * sizeof *c->params);
    c->single = malloc(c->layout.count * sizeof *c->single);
    for (size_t i = 0; i < c->layout.count; i++)
        c->params[i] = c->single[i] = (float) (0.3 * at_test_normal(r));
    for (size_t t = 0; t < BATCH * LENGTH; t++) {
        c->tokens[t] = (int32_t) at_test_below(r, VOCABULARY);
        c->classes[t] = (int32_t) at_test_below(r, VOCABULARY + 1) - 1;
    }
    c->batch = (at_batch) {.batch = BATCH - at_test_below(r, 3), .n = LENGTH - at_test_below(r, 3),
                           .tokens = c->tokens, .classes = c->classes};
}

static void random_close(random_case *c)
{
    at_layout_clear(&c->layout);
    free(c->params);
    free(c->single);
}

static void gradient_with(const random_case *c, int threads, size_t room, at_score *score,
                          double *grad)
{
    at_transformer *net;
    at_error err = AT_ERROR_INIT;

    ck_assert_msg(at_transformer_alloc_within(&net, &c->layout, BATCH, threads, true, room, &err)
                  == AT_OK, "%s", err.text);
    ck_assert_msg(at_transformer_gradient(net, c->params, &c->batch, score, grad, false, &err)
                  == AT_OK, "%s", err.text);
    at_transformer_free(net);
}

static double largest_difference(const double *a, const double *b, size_t count)
{
    double worst = 0.0;

    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= worst))
            worst = fabs(a[i] - b[i]);
    return worst;
}

START_TEST(threads_and_room_change_nothing)
{
    static const size_t rooms[] = {(size_t) 1 << 26, 1 << 19, 0};

    AT_ROUNDS(r, 2) {
        random_case c;
        at_score scores[4];
        double *grads;

        random_open(&c, &r, (enum at_encoding_id) _i);
        grads = calloc(4 * c.layout.count, sizeof *grads);
        for (int room = 0; room < 3; room++) {
            double *first = grads + (size_t) room * c.layout.count, *other = grads + 3 * c.layout.count;

            gradient_with(&c, 1, rooms[room], &scores[room], first);
            gradient_with(&c, 3, rooms[room], &scores[3], other);
            AT_EXPECT(&r, memcmp(first, other, c.layout.count * sizeof *first) == 0
                          && memcmp(&scores[room], &scores[3], sizeof scores[3]) == 0,
                      "room %zu: 1 and 3 threads", rooms[room]);
            AT_EXPECT(&r, largest_difference(first, grads, c.layout.count) <= 1e-13, "room %zu: %g",
                      rooms[room], largest_difference(first, grads, c.layout.count));
        }
        free(grads);
        random_close(&c);
    }
}
END_TEST

/* float, accumulation, the pullback of ones, and scoring without gradients against double. */
START_TEST(entries_agree)
{
    AT_ROUNDS(r, 2) {
        random_case c;
        at_error err = AT_ERROR_INIT;
        at_score score, single_score, plain;
        at_transformer *net, *light;
        at_transformerf *single;
        int32_t predicted[BATCH * LENGTH];
        double *grad, *again, *out, worst = 0.0, largest = 0.0;
        float *single_grad;
        size_t count, outputs;

        random_open(&c, &r, (enum at_encoding_id) _i);
        count = c.layout.count;
        outputs = BATCH * LENGTH * VOCABULARY;
        grad = calloc(2 * count + outputs, sizeof *grad);
        again = grad + count;
        out = again + count;
        single_grad = calloc(count, sizeof *single_grad);
        ck_assert_int_eq(at_transformer_alloc(&net, &c.layout, BATCH, 1, true, &err), AT_OK);
        ck_assert_int_eq(at_transformer_alloc(&light, &c.layout, BATCH, 1, false, &err), AT_OK);
        ck_assert_int_eq(at_transformerf_alloc(&single, &c.layout, BATCH, 1, true, &err), AT_OK);
        ck_assert_int_eq(at_transformer_gradient(net, c.params, &c.batch, &score, grad, false, &err),
                         AT_OK);
        ck_assert_int_eq(at_transformerf_gradient(single, c.single, &c.batch, &single_score,
                                                  single_grad, false, &err), AT_OK);
        ck_assert_int_eq(at_transformer_score(light, c.params, &c.batch, &plain, predicted, &err),
                         AT_OK);
        AT_EXPECT(&r, fabs(single_score.loss - score.loss) <= 1e-5 * fabs(score.loss), "%.9g, %.9g",
                  single_score.loss, score.loss);
        AT_EXPECT(&r, fabs(plain.loss - score.loss) <= 1e-13 * fabs(score.loss)
                      && plain.correct == score.correct && plain.scored == score.scored,
                  "%.17g, %.17g", plain.loss, score.loss);
        for (size_t i = 0; i < count; i++) {
            double difference = fabs(grad[i] - (double) single_grad[i]);

            if (!(difference <= worst))     /* a NaN counts, too */
                worst = difference;
            largest = fmax(largest, fabs(grad[i]));
        }
        AT_EXPECT(&r, worst <= 1e-5 * (1.0 + largest), "float gradient differs by %g of %g", worst,
                  largest);
        for (size_t i = 0; i < count; i++)
            again[i] = -grad[i];
        ck_assert_int_eq(at_transformer_gradient(net, c.params, &c.batch, &score, again, true, &err),
                         AT_OK);
        for (size_t i = 0; i < count; i++)
            AT_EXPECT(&r, fabs(again[i]) <= 1e-13, "accumulated entry %zu: %g", i, again[i]);
        ck_assert_int_eq(at_transformer_forward(light, c.params, &c.batch, out, &err), AT_OK);
        for (size_t t = 0; t < c.batch.batch * c.batch.n; t++)
            for (size_t v = 0; v < VOCABULARY; v++)
                AT_EXPECT(&r, out[t * VOCABULARY + v] <= out[t * VOCABULARY + (size_t) predicted[t]],
                          "token %zu: class %zu beats the predicted one", t, v);
        at_transformer_free(net);
        at_transformer_free(light);
        at_transformerf_free(single);
        free(grad);
        free(single_grad);
        random_close(&c);
    }
}
END_TEST

START_TEST(pullback_is_linear)
{
    AT_ROUNDS(r, 3) {
        random_case c;
        at_error err = AT_ERROR_INIT;
        at_transformer *net;
        double *grad, *dout, *out, *moved, dot = 0.0, change = 0.0, step = 1e-6;

        random_open(&c, &r, AT_ENC_URPE);
        grad = calloc(c.layout.count + 3 * BATCH * LENGTH * VOCABULARY, sizeof *grad);
        dout = grad + c.layout.count;
        out = dout + BATCH * LENGTH * VOCABULARY;
        moved = out + BATCH * LENGTH * VOCABULARY;
        ck_assert_int_eq(at_transformer_alloc(&net, &c.layout, BATCH, 1, true, &err), AT_OK);
        for (size_t i = 0; i < BATCH * LENGTH * VOCABULARY; i++)
            dout[i] = at_test_normal(&r);
        ck_assert_int_eq(at_transformer_pullback(net, c.params, &c.batch, dout, grad, false, &err),
                         AT_OK);
        for (int side = -1; side <= 1; side += 2) {
            for (size_t i = 0; i < c.layout.count; i++)
                c.params[i] = (double) c.single[i] + side * step * cos((double) i);
            ck_assert_int_eq(at_transformer_forward(net, c.params, &c.batch, side < 0 ? out : moved,
                                                    &err), AT_OK);
        }
        for (size_t i = 0; i < c.batch.batch * c.batch.n * VOCABULARY; i++)
            change += dout[i] * (moved[i] - out[i]) / (2.0 * step);
        for (size_t i = 0; i < c.layout.count; i++)
            dot += grad[i] * cos((double) i);
        AT_EXPECT(&r, fabs(dot - change) <= 1e-6 * fmax(1.0, fabs(dot)), "%.12g, %.12g", dot, change);
        at_transformer_free(net);
        free(grad);
        random_close(&c);
    }
}
END_TEST

START_TEST(files_keep_the_network)
{
    AT_ROUNDS(r, 3) {
        random_case c;
        at_error err = AT_ERROR_INIT;
        at_tensors file;
        at_model model;
        double *back;

        random_open(&c, &r, (enum at_encoding_id) _i);
        back = calloc(c.layout.count, sizeof *back);
        at_tensors_init(&file);
        ck_assert_int_eq(at_layout_save(&c.layout, c.params, (int) at_test_below(&r, 2), &file, &err),
                         AT_OK);
        ck_assert_int_eq(at_layout_describe(&c.layout.model, &file, &err), AT_OK);
        ck_assert_msg(at_layout_infer(&model, &file, "", &err) == AT_OK, "%s", err.text);
        ck_assert(model.encoding == c.layout.model.encoding && model.tied == c.layout.model.tied
                  && model.n == LENGTH && model.heads == c.layout.model.heads
                  && model.causal == c.layout.model.causal && model.layers == 2
                  && model.tables_per_layer == c.layout.model.tables_per_layer);
        ck_assert_msg(at_layout_load(&c.layout, &file, "", back, &err) == AT_OK, "%s", err.text);
        ck_assert_int_eq(memcmp(back, c.params, c.layout.count * sizeof *back), 0);
        at_tensors_clear(&file);
        free(back);
        random_close(&c);
    }
}
END_TEST

START_TEST(missing_tensors_are_named_at_once)
{
    reference r;
    at_error err = AT_ERROR_INIT;

    reference_open(&r, "urpe-untied");
    ck_assert_int_eq(at_layout_load(&r.layout, &r.file, "none.", r.params, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "none.emb.weight [42, 8] is missing"));
    ck_assert_ptr_nonnull(strstr(err.text, "none.ln0.weight"));
    r.layout.views[0].shape[0] = 43;
    ck_assert_int_eq(at_layout_load(&r.layout, &r.file, "weight.", r.params, &err), AT_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "expected [43, 8]"));
    r.layout.views[0].shape[0] = 42;
    reference_close(&r);
}
END_TEST

START_TEST(bad_batches_are_refused)
{
    reference r;
    at_error err = AT_ERROR_INIT;
    at_transformer *net;
    at_score score;

    reference_open(&r, "rpe-tied");
    ck_assert_int_eq(at_transformer_alloc(&net, &r.layout, 3, 1, false, &err), AT_OK);
    ck_assert_int_eq(at_transformer_gradient(net, r.params, &r.batch, &score, r.grad, false, &err),
                     AT_USAGE);
    r.tokens[4] = 42;
    ck_assert_int_eq(at_transformer_score(net, r.params, &r.batch, &score, NULL, &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "token 42 at position 4 of sequence 0"));
    r.tokens[4] = 0;
    r.classes[0] = 42;
    ck_assert_int_eq(at_transformer_score(net, r.params, &r.batch, &score, NULL, &err), AT_USAGE);
    r.classes[0] = 0;
    r.batch.n = 7;
    ck_assert_int_eq(at_transformer_score(net, r.params, &r.batch, &score, NULL, &err), AT_USAGE);
    r.batch.n = 6;
    r.batch.batch = 4;
    ck_assert_int_eq(at_transformer_score(net, r.params, &r.batch, &score, NULL, &err), AT_USAGE);
    r.batch.batch = 0;
    ck_assert_int_eq(at_transformer_score(net, r.params, &r.batch, &score, NULL, &err), AT_USAGE);
    r.batch.batch = 3;
    ck_assert_int_eq(at_transformer_score(net, r.params, &r.batch, &score, NULL, &err), AT_OK);
    at_transformer_free(net);
    reference_close(&r);
}
END_TEST

static Suite *transformer_suite(void)
{
    Suite *suite = suite_create("transformer");
    TCase *tcase = tcase_create("reference");

    tcase_add_loop_test(tcase, agrees_with_reference, 0, 2 * REFERENCES);
    tcase_add_loop_test(tcase, trains_as_the_reference, 0, 2 * REFERENCES);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("passes");
    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, threads_and_room_change_nothing, 0, AT_ENC_COUNT);
    tcase_add_loop_test(tcase, entries_agree, 0, AT_ENC_COUNT);
    tcase_add_test(tcase, pullback_is_linear);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("files and refusals");
    tcase_add_loop_test(tcase, files_keep_the_network, 0, AT_ENC_COUNT);
    tcase_add_test(tcase, missing_tensors_are_named_at_once);
    tcase_add_test(tcase, bad_batches_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(transformer_suite)
