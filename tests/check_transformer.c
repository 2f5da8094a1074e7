/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Transformer: values and gradients computed elsewhere (tests/data/encoder-*.safetensors), double
 * against float, the same bits for every number of threads, files, and refusals. */
#include "config.h"

#include "core/safetensors.h"
#include "numeric/layout.h"
#include "numeric/transformer.h"
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

    reference_open(&r, references[_i]);
    logits = tensor(&r, "output.logits");
    ck_assert_int_eq(at_transformer_alloc(&net, &r.layout, r.batch.batch, 1, true, &err), AT_OK);
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

static Suite *transformer_suite(void)
{
    Suite *suite = suite_create("transformer");
    TCase *tcase = tcase_create("reference");

    tcase_add_loop_test(tcase, agrees_with_reference, 0, REFERENCES);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(transformer_suite)
