/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequences so long that the Transformer takes the scores of a head some rows at a time. */
#include "config.h"

#include "attest/numeric/transformer/layout.h"
#include "attest/numeric/transformer/transformer.h"
#include "tests/at_check.h"

enum { LONG = 200, SHORT = 150 };

static void long_loss(const at_layout *layout, const double *params, size_t n, int32_t *tokens,
                      at_score *score, double *out, double *grad)
{
    at_transformer *net;
    at_error err = AT_ERROR_INIT;
    at_batch batch = {.batch = 1, .n = n, .tokens = tokens, .classes = tokens};

    ck_assert_int_eq(at_transformer_alloc(&net, layout, 1, 1, grad != NULL, &err), AT_OK);
    if (out != NULL)
        ck_assert_int_eq(at_transformer_forward(net, params, &batch, out, &err), AT_OK);
    else if (grad != NULL)
        ck_assert_int_eq(at_transformer_gradient(net, params, &batch, score, grad, false, &err), AT_OK);
    else
        ck_assert_int_eq(at_transformer_score(net, params, &batch, score, NULL, &err), AT_OK);
    at_transformer_free(net);
}

/* With a causal mask the first tokens' outputs are those of a short sequence; the gradient is the slope of
 * the loss along a direction. */
START_TEST(long_sequences)
{
    static const enum at_encoding_id encodings[] = {AT_ENC_URPE, AT_ENC_T5, AT_ENC_ALIBI, AT_ENC_TUPE};

    AT_ROUNDS(r, 2) {
        enum at_encoding_id encoding = encodings[_i / 2];
        at_error err = AT_ERROR_INIT;
        at_model model = {
            .encoding = encoding, .n = LONG, .vocab = 7, .outputs = 7, .d = 8, .heads = 2, .ffn = 9,
            .layers = 2, .activation = AT_GELU, .layernorm = true, .biases = true, .scale_logits = true,
            .causal = at_encodings[encoding].causal_only || _i % 2 == 1
        };
        at_layout layout;
        at_score score;
        int32_t tokens[LONG];
        double *params, *grad, *out, *brief, slope = 0.0, change = 0.0, step = 1e-4;

        ck_assert_msg(at_layout_init(&layout, &model, &err) == AT_OK, "%s", err.text);
        params = malloc((2 * layout.count + 14 * LONG) * sizeof *params);
        grad = params + layout.count;
        out = grad + layout.count;
        brief = out + 7 * LONG;
        for (size_t i = 0; i < layout.count; i++)
            params[i] = 0.5 * at_test_normal(&r);
        for (size_t t = 0; t < LONG; t++)
            tokens[t] = (int32_t) at_test_below(&r, 7);
        long_loss(&layout, params, LONG, tokens, NULL, out, NULL);
        long_loss(&layout, params, SHORT, tokens, NULL, brief, NULL);
        for (size_t i = 0; i < 7 * SHORT && model.causal; i++)
            AT_EXPECT(&r, fabs(out[i] - brief[i]) <= 1e-11, "%zu: %.17g, %.17g", i, out[i], brief[i]);
        long_loss(&layout, params, LONG, tokens, &score, NULL, grad);
        for (int k = -2; k <= 2; k++) {
            static const double weights[] = {1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};

            for (size_t i = 0; i < layout.count; i++)
                params[i] += k * step * cos((double) i);
            long_loss(&layout, params, LONG, tokens, &score, NULL, NULL);
            change += weights[k + 2] * score.loss / step;
            for (size_t i = 0; i < layout.count; i++)
                params[i] -= k * step * cos((double) i);
        }
        for (size_t i = 0; i < layout.count; i++)
            slope += grad[i] * cos((double) i);
        AT_EXPECT(&r, fabs(slope - change) <= 1e-8 * fmax(1.0, fabs(slope)), "%.12g, %.12g", slope, change);
        free(params);
        at_layout_clear(&layout);
    }
}
END_TEST

static Suite *long_suite(void)
{
    Suite *suite = suite_create("long sequences");
    TCase *tcase = tcase_create("long sequences");

    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, long_sequences, 0, 8);
    suite_add_tcase(suite, tcase);
    return suite;
}

AT_CHECK_MAIN(long_suite)
