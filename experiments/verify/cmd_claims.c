/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest claims: the claims of both papers, with what is expected of them. */
#include "attest/experiments/cli/text.h"
#include "attest/experiments/verify/claims_list.h"

#include <stdio.h>
#include <string.h>
#include "attest/core/version.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/run/run.h"
#include "attest/experiments/verify/theorems.h"

enum { KEY_VERDICT = 256, KEY_SOURCE, KEY_KERNEL };

typedef struct {
    const char *patterns[AT_MOST_CLAIMS];
    size_t count;
    at_claims_list list;
    bool selected[AT_MOST_CLAIMS];
    enum at_verdict verdict;    /* with has_verdict: these alone */
    bool has_verdict, kernel;
    const char *source;
} claims_input;

static const struct argp_option own_options[] = {
    { "verdict", KEY_VERDICT, "WORD", 0, "Only claims whose expected verdict is proved, certified or "
      "refuted", 1 },
    { "source", KEY_SOURCE, "TEXT", 0, "Only claims from there: L, Y (the papers), or words of the source", 1 },
    { "kernel", KEY_KERNEL, NULL, 0, "Only claims that a theorem checked by Coq's kernel states", 1 },
    { 0 },
};

static void parse_verdict(claims_input *claims, at_common *common, const char *word)
{
    static const struct { const char *word; enum at_verdict verdict; } words[] = {
        {"proved", AT_PROVED}, {"certified", AT_CERTIFIED}, {"refuted", AT_REFUTED}
    };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(words[k].word, word) == 0) {
            claims->verdict = words[k].verdict;
            claims->has_verdict = true;
            return;
        }
    at_mistake(common, "--verdict takes proved, certified or refuted, not '%s'", word);
}

/* L and Y are the papers' keys; other words stand in the source as they are. */
static bool from_source(const at_claim *claim, const char *source)
{
    char key[] = "[?]";

    if (strcmp(source, "L") != 0 && strcmp(source, "Y") != 0)
        return strstr(claim->source, source) != NULL;
    key[1] = source[0];
    return strstr(claim->source, key) != NULL;
}

static bool passes(const claims_input *input, const at_claim *claim)
{
    return (!input->has_verdict || claim->expected == input->verdict)
           && (input->source == NULL || from_source(claim, input->source))
           && (!input->kernel || at_theorem_of(claim->id, 0) != NULL);
}

static int parse(int key, char *argument, at_common *common, void *input)
{
    claims_input *claims = input;
    switch (key) {
    case KEY_VERDICT:
        parse_verdict(claims, common, argument);
        return 0;
    case KEY_SOURCE:
        claims->source = argument;
        return 0;
    case KEY_KERNEL:
        claims->kernel = true;
        return 0;
    case ARGP_KEY_ARG:
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (claims->count < AT_MOST_CLAIMS)
        claims->patterns[claims->count++] = argument;
    else
        at_mistake(common, "more than %d patterns in one go", AT_MOST_CLAIMS);
    return 0;
}

static void check(at_common *common, void *input)
{
    claims_input *claims = input;
    at_claims_select(claims->selected, &claims->list, claims->patterns, claims->count, common);
    for (size_t k = 0; k < claims->list.count; k++)
        claims->selected[k] = claims->selected[k] && passes(claims, claims->list.claims[k]);
}

static const at_command_line command_line = {
    .command = "claims",
    .arguments = "[PATTERN...]",
    .summary = "Lists the claims: id, statement, source, expected verdict.",
    .examples = "  attest claims\n"
                "  attest claims 'urpe.*'\n"
                "  attest claims --verdict refuted --source L\n"
                "  attest claims --kernel --json\n",
    .options = own_options,
    .parse = parse,
    .check = check,
};

static json_t *settings_json(const claims_input *input)
{
    return json_pack("{s:o, s:s?, s:s?, s:b}", "patterns",
                     at_json_strings(input->patterns, input->count), "verdict",
                     input->has_verdict ? at_verdict_name(input->verdict) : NULL, "source",
                     input->source, "kernel", (int) input->kernel);
}

static json_t *claims_json(const claims_input *input)
{
    json_t *claims = json_array();
    for (size_t k = 0; k < input->list.count; k++) {
        const at_claim *claim = input->list.claims[k];
        char *statement;
        json_t *entry;

        if (!input->selected[k])
            continue;
        statement = at_claim_statement(claim);
        entry = json_pack("{s:s, s:s*, s:s, s:s}", "id", claim->id, "statement", statement, "source",
                          claim->source, "expected", at_verdict_name(claim->expected));
        free(statement);
        if (entry != NULL)
            at_theorems_json(entry, claim->id);
        json_array_append_new(claims, entry);
    }
    return json_pack("{s:s, s:o}", "attest", at_version(), "claims", claims);
}

static void print_claims(const claims_input *input)
{
    for (size_t k = 0; k < input->list.count; k++) {
        const at_claim *claim = input->list.claims[k];
        char *statement;

        if (!input->selected[k])
            continue;
        printf("%s  [%s; expected %s%s]\n", claim->id, claim->source,
               at_verdict_name(claim->expected),
               at_theorem_of(claim->id, 0) != NULL ? "; kernel-checked" : "");
        statement = at_claim_statement(claim);
        if (statement != NULL)
            at_print_wrapped(statement, 4);
        free(statement);
    }
}

int at_cmd_claims(int argc, char **argv)
{
    static claims_input input;      /* too large for a stack, one command a process */
    at_common common;
    at_error err = AT_ERROR_INIT;
    at_run run;
    at_claims_list_init(&input.list);
    int status = at_command_line_parse(&command_line, argc, argv, &common, &input);
    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    status = at_run_open_asked(&run, &common, settings_json(&input), &err);
    if (status == AT_OK) {
        json_t *document = claims_json(&input);
        if (!common.json)
            print_claims(&input);
        status = at_run_put(&run, &common, document, &err);
        json_decref(document);
    }
    if (status != AT_OK)
        status = at_report_error(&common, &err);
    at_run_clear(&run);
    at_common_clear(&common);
    return status;
}
