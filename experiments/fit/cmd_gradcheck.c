/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest gradcheck: analytic gradients against four-point differences, a line for each kind of
 * layer and each encoding. */
#include "attest/experiments/cli/commands.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "attest/core/version.h"
#include "attest/experiments/cli/options.h"
#include "attest/experiments/run/run.h"
#include "attest/numeric/transformer/gradcheck.h"

typedef struct {
    size_t per_view;        /* entries compared of each parameter */
} gradcheck_input;

enum { KEY_ENTRIES = 1000 };

static const struct argp_option options[] = {
    {"entries", KEY_ENTRIES, "N", 0, "Entries compared of each parameter (16; 0: all)", 0},
    {0}
};

static int parse(int key, char *argument, at_common *common, void *input)
{
    gradcheck_input *gradcheck = input;

    if (key != KEY_ENTRIES)
        return ARGP_ERR_UNKNOWN;
    at_option_size(common, "--entries", argument, 0, 1000000, &gradcheck->per_view);
    return 0;
}

static const at_command_line command_line = {
    .command = "gradcheck",
    .summary = "Compares the Transformer's gradients with four-point finite differences, in double, "
               "for every kind of layer and every positional encoding.",
    .examples = "  attest gradcheck\n"
                "  attest gradcheck --entries 0 --seed 7\n"
                "  attest gradcheck --json\n",
    .takes = AT_TAKES_SEED | AT_TAKES_BLAS,
    .options = options,
    .parse = parse,
};

static void print_row(const at_gradcheck_case *one, const at_gradcheck_result *result)
{
    printf("%-46s %10zu   %8.1e   %-4s", one->name, result->parameters, result->error,
           result->pass ? "pass" : "FAIL");
    if (!result->pass)
        printf("   worst at %s", result->worst);
    putchar('\n');
}

static json_t *row_json(const at_gradcheck_case *one, const at_gradcheck_result *result)
{
    return json_pack("{s:s, s:I, s:o, s:s, s:b}", "name", one->name, "parameters",
                     (json_int_t) result->parameters, "error", at_json_number(result->error), "worst",
                     result->worst, "pass", result->pass);
}

/* Runs all; rows gets one object each. */
static int run_cases(const at_common *common, size_t per_view, json_t *rows, size_t *failed,
                     at_error *err)
{
    size_t count = at_gradcheck_cases(NULL);
    at_gradcheck_case *cases = calloc(count, sizeof *cases);
    int status = cases == NULL ? at_error_memory(err, "the gradient checks") : AT_OK;

    *failed = 0;
    if (cases != NULL)
        at_gradcheck_cases(cases);
    if (!common->json && status == AT_OK && !common->quiet)
        printf("%-46s %10s   %8s\n", "", "parameters", "error");
    for (size_t i = 0; i < count && status == AT_OK; i++) {
        at_gradcheck_result result;

        status = at_gradcheck_run(&cases[i], common->seed, per_view, &result, err);
        if (status != AT_OK)
            break;
        *failed += !result.pass;
        json_array_append_new(rows, row_json(&cases[i], &result));
        if (!common->json && (!common->quiet || !result.pass))
            print_row(&cases[i], &result);
    }
    if (!common->json && status == AT_OK && !common->quiet)
        printf("%zu checks, %zu failed; error: largest |analytic - numeric| / max(1, either), "
               "tolerance %.0e\n", count, *failed, AT_GRADCHECK_TOLERANCE);
    free(cases);
    return status;
}

int at_cmd_gradcheck(int argc, char **argv)
{
    gradcheck_input input = {16};
    at_common common;
    at_error err = AT_ERROR_INIT;
    at_run run;
    json_t *rows;
    size_t failed = 0;
    int status = at_command_line_parse(&command_line, argc, argv, &common, &input);

    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    rows = json_array();
    status = at_run_open_asked(&run, &common, json_pack("{s:I}", "entries",
                                                        (json_int_t) input.per_view), &err);
    if (status == AT_OK)
        status = run_cases(&common, input.per_view, rows, &failed, &err);
    if (status == AT_OK) {
        json_t *document = json_pack("{s:s, s:f, s:O, s:b}", "attest", at_version(), "tolerance",
                                     AT_GRADCHECK_TOLERANCE, "checks", rows, "pass", failed == 0);

        status = at_run_put(&run, &common, document, &err);
        json_decref(document);
    }
    if (status != AT_OK)
        status = at_report_error(&common, &err);
    json_decref(rows);
    at_run_clear(&run);
    at_common_clear(&common);
    return status != AT_OK ? status : failed > 0 ? AT_UNEXPECTED : AT_OK;
}
