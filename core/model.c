/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistency of a model's description, all mistakes named at once. */
#include "config.h"

#include "attest/core/model.h"

#include <stdio.h>
#include <string.h>

/* Sizes past this are slips, and their products would overflow. */
static const size_t LARGEST = (size_t) 1 << 24;

static void mistake(char *text, size_t room, const char *line)
{
    size_t used = strlen(text);

    if (used < room)
        snprintf(text + used, room - used, "%s%s", used > 0 ? "\n" : "", line);
}

static void check_sizes(const at_model *m, char *text, size_t room)
{
    const struct { const char *name; size_t value, least; } sizes[] = {
        {"n", m->n, 1}, {"d", m->d, 1}, {"heads", m->heads, 1}, {"ffn", m->ffn, 0},
        {"layers", m->layers, 0}, {"outputs", m->outputs, 1}, {"vocab", m->vocab, 0},
        {"inputs", m->inputs, 0}
    };

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char line[128];

        if (sizes[k].value >= sizes[k].least && sizes[k].value <= LARGEST)
            continue;
        snprintf(line, sizeof line, "%s is %zu; it lies between %zu and %zu", sizes[k].name,
                 sizes[k].value, sizes[k].least, LARGEST);
        mistake(text, room, line);
    }
}

int at_model_check(const at_model *m, at_error *err)
{
    char text[900] = "";
    char line[160];

    check_sizes(m, text, sizeof text);
    if ((unsigned) m->encoding >= AT_ENC_COUNT)
        mistake(text, sizeof text, "the encoding is none of the table");
    if (m->activation != AT_RELU && m->activation != AT_GELU)
        mistake(text, sizeof text, "the activation is neither ReLU nor GELU");
    if (m->heads > 0 && m->d % m->heads != 0) {
        snprintf(line, sizeof line, "d = %zu is no multiple of heads = %zu", m->d, m->heads);
        mistake(text, sizeof text, line);
    }
    if ((m->vocab > 0) == (m->inputs > 0))
        mistake(text, sizeof text, "a model reads either tokens (vocab > 0, inputs = 0) or real "
                                   "rows (vocab = 0, inputs > 0)");
    if (m->tied && m->vocab == 0)
        mistake(text, sizeof text, "a tied head needs a token embedding (vocab > 0)");
    if (m->tied && m->vocab > 0 && m->outputs != m->vocab)
        mistake(text, sizeof text, "a tied head has as many outputs as the vocabulary has tokens");
    if ((unsigned) m->encoding < AT_ENC_COUNT && at_encodings[m->encoding].causal_only
        && !m->causal) {
        snprintf(line, sizeof line, "encoding %s is defined with a causal mask only",
                 at_encodings[m->encoding].name);
        mistake(text, sizeof text, line);
    }
    if (m->encoding == AT_ENC_ROPE && m->heads > 0 && m->d % m->heads == 0
        && m->d / m->heads % 2 != 0)
        mistake(text, sizeof text, "encoding rope rotates pairs of coordinates: d / heads is even");
    return text[0] == '\0' ? AT_OK : at_error_set(err, AT_USAGE, "%s", text);
}
