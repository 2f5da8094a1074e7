/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest claims: the claims of both papers, with what is expected of them. */
#include "attest/experiments/verify/claims_list.h"

#include <stdio.h>
#include "attest/core/version.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/run/run.h"

typedef struct {
    const char *patterns[AT_MOST_CLAIMS];
    size_t count;
    at_claims_list list;
    bool selected[AT_MOST_CLAIMS];
} claims_input;

static int parse(int key, char *argument, at_common *common, void *input)
{
    claims_input *claims = input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
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
}

static const at_command_line command_line = {
    .command = "claims",
    .arguments = "[PATTERN...]",
    .summary = "Lists the claims: id, statement, source, expected verdict.",
    .examples = "  attest claims\n"
                "  attest claims 'urpe.*'\n"
                "  attest claims --json\n",
    .parse = parse,
    .check = check,
};

static json_t *settings_json(const claims_input *input)
{
    return json_pack("{s:o}", "patterns", at_json_strings(input->patterns, input->count));
}

static json_t *claims_json(const claims_input *input)
{
    json_t *claims = json_array();
    for (size_t k = 0; k < input->list.count; k++) {
        const at_claim *claim = input->list.claims[k];
        if (!input->selected[k])
            continue;
        char *statement = at_claim_statement(claim);
        json_array_append_new(claims, json_pack("{s:s, s:s*, s:s, s:s}", "id", claim->id,
                                                "statement", statement, "source", claim->source,
                                                "expected", at_verdict_name(claim->expected)));
        free(statement);
    }
    return json_pack("{s:s, s:o}", "attest", at_version(), "claims", claims);
}

static void print_claims(const claims_input *input)
{
    for (size_t k = 0; k < input->list.count; k++) {
        const at_claim *claim = input->list.claims[k];
        if (!input->selected[k])
            continue;
        printf("%s  [%s; expected %s]\n", claim->id, claim->source,
               at_verdict_name(claim->expected));
        char *statement = at_claim_statement(claim);
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
