/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest verify: decides claims; prints verdicts, steps, witnesses; writes certificates. */
#include "attest/experiments/cli/text.h"
#include "attest/experiments/verify/claims_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "attest/core/file.h"
#include "attest/core/version.h"
#include "attest/experiments/cli/commands.h"
#include "attest/experiments/cli/progress.h"
#include "attest/experiments/run/run.h"
#include "attest/experiments/verify/coq.h"
#include "attest/experiments/verify/search.h"
#include "attest/experiments/verify/theorems.h"
#include "attest/theory/flint/compat.h"

enum { KEY_BUDGET = 'b', KEY_CERTIFICATE = 'c', KEY_SEARCH = 'f', KEY_COQ = 'q' + 256 };

typedef struct {
    const char *patterns[AT_MOST_CLAIMS];
    size_t count;
    at_claims_list list;
    bool selected[AT_MOST_CLAIMS];
    double budget;
    bool search;
    const char *certificate, *coq;
    at_outfile lemmas;          /* open where coq is given */
    /* results */
    json_t *claims, *certified;
    size_t decided, expected;
    double seconds;
} verify_input;

static const struct argp_option own_options[] = {
    { "budget", KEY_BUDGET, "SECONDS", 0, "Time of one claim: its random instances, 100 a "
      "second (default 2; the 200 that it owes are always run), or with --search its search "
      "(default 20)", 1 },
    { "search", KEY_SEARCH, NULL, 0, "Look for counterexamples of the refuted claims from random "
      "starts, smallest sizes first; where a refutation is no point of a space, say why", 1 },
    { "certificate", KEY_CERTIFICATE, "FILE", 0, "Write exact values and witnesses as JSON, to be "
      "checked without this program", 1 },
    { "coq", KEY_COQ, "FILE.v", 0, "Write every fact of the run as a lemma for Coq and "
      "Coq-Interval", 1 },
    { 0 },
};

static int parse(int key, char *argument, at_common *common, void *input)
{
    verify_input *verify = input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (verify->count < AT_MOST_CLAIMS)
            verify->patterns[verify->count++] = argument;
        else
            at_mistake(common, "more than %d patterns in one go", AT_MOST_CLAIMS);
        return 0;
    case KEY_BUDGET:
        at_option_double(common, "--budget", argument, 1e-3, 1e6, &verify->budget);
        return 0;
    case KEY_SEARCH:
        verify->search = true;
        return 0;
    case KEY_CERTIFICATE:
        verify->certificate = argument;
        return 0;
    case KEY_COQ:
        verify->coq = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(at_common *common, void *input)
{
    verify_input *verify = input;
    at_claims_select(verify->selected, &verify->list, verify->patterns, verify->count, common);
}

static json_t *settings_json(const verify_input *verify)
{
    double budget = verify->budget;
    return json_pack("{s:o, s:o, s:b, s:s?, s:s?}",
                     "patterns", at_json_strings(verify->patterns, verify->count),
                     "budget", budget > 0 ? json_real(budget) : json_null(),
                     "search", (int) verify->search, "certificate", verify->certificate,
                     "coq", verify->coq);
}

static const at_command_line command_line = {
    .command = "verify",
    .arguments = "[PATTERN...]",
    .summary = "Decides the claims (all by default; a pattern is an id or a glob such as 'opt.*'). "
               "PROVED: for all real parameters at the stated sizes. CERTIFIED: on the stated "
               "instances. REFUTED: by a witness that a second evaluation confirms. Exit status 1 "
               "when a verdict is not the expected one.",
    .examples = "  attest verify\n"
                "  attest verify 'rpe.*' -v\n"
                "  attest verify urpe.row-sums --json\n"
                "  attest verify opt.causal --search\n"
                "  attest verify --certificate certificate.json\n"
                "  attest verify --coq facts.v && coqc facts.v\n",
    .takes = AT_TAKES_SEED | AT_TAKES_THREADS | AT_TAKES_BLAS,
    .options = own_options,
    .parse = parse,
    .check = check,
};

/* What --search found is said without -v too. */
static void print_search(const at_claim_run *run)
{
    for (size_t i = 0; i < run->step_count; i++)
        if (strncmp(run->steps[i].name, "search: ", 8) == 0) {
            printf("    %s\n", run->steps[i].name);
            at_print_wrapped(run->steps[i].detail, 8);
        }
}

/* One step that is a row of a table; `first` puts the heading above it.  The last column wraps. */
static void print_row(const at_claim_step *step, bool first)
{
    enum { INDENT = 41, WIDTH = 100 };
    if (first)
        printf("    %-16s  %-10s  %-8s  %s\n", "encoding", "rows", "method", "witness");
    printf("    %-16s  %-10s  %-8s", step->name,
           step->verdict == AT_UNDECIDED ? "UNDECIDED" : step->outcome,
           at_method_name(step->method));
    int column = INDENT;
    for (const char *text = step->detail; *text != '\0'; ) {
        int length = (int) strcspn(text, " ");
        if (column > INDENT && column + 1 + length > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        }
        column += printf(" %.*s", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

/* On one line where name and detail fit into 80 columns.  A step that carries no verdict is told
 * apart from those that do. */
static void print_step(const at_claim_step *step)
{
    enum { ROOM = 36 };
    const bool supports = step->role == AT_ROLE_SUPPORT && step->method != AT_METHOD_CITED;
    printf("    %-9s  %-8s  ", at_verdict_name(step->verdict), at_method_name(step->method));
    if (!supports && strlen(step->name) <= 16 && strlen(step->detail) <= ROOM) {
        printf("%-16s  %s\n", step->name, step->detail);
        return;
    }
    printf("%s%s\n", step->name, supports ? " (cross-check)" : "");
    at_print_wrapped(step->detail, 8);
}

/* A label and its text, wrapped together. */
static void print_labelled(const char *label, const char *text)
{
    size_t room = strlen(label) + strlen(text) + 1;
    char *line = malloc(room);
    if (line == NULL)
        return;
    snprintf(line, room, "%s%s", label, text);
    at_print_wrapped(line, 4);
    free(line);
}

/* What Coq's kernel has checked of the claim, when the proofs were compiled. */
static void print_theorems(const char *claim)
{
    const at_theorem *theorem;

    for (size_t k = 0; (theorem = at_theorem_of(claim, k)) != NULL; k++)
        printf("    %s  %s, %s\n", k == 0 ? "kernel-checked" : "              ", theorem->file,
               theorem->theorem);
}

static void print_run(const at_claim_run *run, int verbose, bool search)
{
    printf("%-9s  %-44s %6.2f s%s\n", at_verdict_name(run->verdict), run->claim->id, run->seconds,
           run->as_expected ? "" : "   NOT AS EXPECTED");
    if (!run->as_expected)
        printf("           expected %s\n", at_verdict_name(run->claim->expected));
    if (verbose == 0 && run->as_expected) {
        if (search)
            print_search(run);
        return;
    }
    at_print_wrapped(run->statement, 4);
    printf("    source: %s\n", run->claim->source);
    if (run->scope != NULL)
        print_labelled("scope: ", run->scope);
    for (size_t i = 0; i < run->step_count; i++) {
        const at_claim_step *step = &run->steps[i];
        if (step->outcome != NULL)
            print_row(step, i == 0 || step[-1].outcome == NULL);
        else
            print_step(step);
    }
    print_theorems(run->claim->id);
    if (run->witness != NULL) {
        printf("    witness:\n");
        at_print_wrapped(run->witness, 8);
    }
    putchar('\n');
}

/* Counts and shows one decided claim; the claims come here one at a time and in order. */
static void report(verify_input *verify, const at_common *common, const at_claim_run *run)
{
    verify->decided++;
    verify->expected += run->as_expected;
    verify->seconds += run->seconds;
    if (common->json || common->out != NULL)
        json_array_append_new(verify->claims, at_claim_json(run, false));
    if (!common->json && (!common->quiet || !run->as_expected))
        print_run(run, common->verbose, verify->search);
    if (verify->certificate != NULL)
        json_array_append_new(verify->certified, at_claim_json(run, true));
    fflush(stdout);
}

/* Decides the claims on common->threads threads.  Each has a random stream of its own, so neither
 * their number nor the selection changes a result. */
static int decide_all(verify_input *verify, const at_common *common, at_progress *progress,
                      const size_t *chosen, long total, at_error *err)
{
    const at_claim_options options = { .seed = common->seed, .budget = verify->budget };
    int status = AT_OK;
#ifdef _OPENMP
#pragma omp parallel num_threads(common->threads)
#endif
    {
#ifdef _OPENMP
#pragma omp for ordered schedule(dynamic, 1)
#endif
        for (long k = 0; k < total; k++) {
            const at_claim *claim = verify->list.claims[chosen[k]];
            at_claim_run run;
            at_error own = AT_ERROR_INIT;
            bool skipped = at_interrupted();
            int ended = skipped ? AT_OK : at_claim_decide_one(&run, claim, verify->list.tables,
                                                              verify->list.table_count, &options,
                                                              &own);
#ifdef _OPENMP
#pragma omp ordered
#endif
            if (!skipped && status == AT_OK) {
                if (!common->json)
                    at_progress_finish(progress);
                report(verify, common, &run);
                at_progress_update(progress, verify->decided, claim->id);
                if (ended == AT_OK && verify->coq != NULL)
                    status = at_coq_write(verify->lemmas.stream, &run, err);
                if (ended != AT_OK)
                    status = ended;
                if (ended != AT_OK && err != NULL) {
                    *err = own;
                    at_error_prefix(err, "%s: ", claim->id);
                }
            }
            if (!skipped)
                at_claim_run_clear(&run);
        }
        flint_cleanup();
    }
    return status;
}

static int verify_all(verify_input *verify, const at_common *common, at_error *err)
{
    at_progress progress;
    size_t chosen[AT_MOST_CLAIMS];
    size_t total = 0;
    for (size_t k = 0; k < verify->list.count; k++)
        if (verify->selected[k])
            chosen[total++] = k;
    at_interrupt_install();
    at_progress_start(&progress, "verify", "claims", total, common->quiet);
    int status = decide_all(verify, common, &progress, chosen, (long) total, err);
    at_progress_finish(&progress);
    if (status == AT_OK && verify->decided < total)
        status = at_error_set(err, AT_INTERRUPTED, "incomplete: interrupted with %zu of %zu claims "
                              "decided; name the others to decide them, as in attest verify %s",
                              verify->decided, total, verify->list.claims[chosen[verify->decided]]->id);
    return status;
}

/* The document's text, and in its last line the CRC-32 of all bytes before that line: a number that
 * was damaged is noticed even where its fact would still hold. */
static char *certificate_text(const verify_input *verify)
{
    json_t *document = json_pack("{s:s, s:s, s:O}", "attest", at_version(), "format",
                                 "attest certificate 2", "claims", verify->certified);
    char *body = document == NULL ? NULL : json_dumps(document, JSON_INDENT(1));
    json_decref(document);
    size_t length = body == NULL ? 0 : strlen(body), space = length + 64;
    char *text = length < 2 ? NULL : malloc(space);
    if (text != NULL) {
        length -= 2;                        /* "\n}" */
        unsigned long sum = crc32(crc32(0, NULL, 0), (const unsigned char *) body, (uInt) length);
        snprintf(text, space, "%.*s,\n \"crc32\": \"%08lx\"\n}\n", (int) length, body, sum);
    }
    free(body);
    return text;
}

static int write_certificate(const verify_input *verify, at_error *err)
{
    char *text = certificate_text(verify);
    int status = text == NULL ? at_error_memory(err, "certificate")
                              : at_file_write(verify->certificate, text, strlen(text), err);
    free(text);
    return status;
}

static int open_lemmas(verify_input *verify, at_error *err)
{
    int status = verify->coq == NULL ? AT_OK : at_outfile_open(&verify->lemmas, verify->coq, err);

    if (status == AT_OK && verify->coq != NULL)
        at_coq_begin(verify->lemmas.stream);
    return status;
}

/* Keeps the file where all went well, else nothing of it. */
static void close_lemmas(verify_input *verify, int *status, at_error *err)
{
    if (verify->lemmas.stream == NULL)
        return;
    if (*status == AT_OK)
        *status = at_outfile_commit(&verify->lemmas, err);
    else
        at_outfile_discard(&verify->lemmas);
}

/* The last lines: JSON document or summary, and the certificate. */
static int finish(verify_input *verify, const at_common *common, const at_run *run, at_error *err)
{
    bool all = verify->decided > 0 && verify->expected == verify->decided;
    json_t *document = json_pack("{s:s, s:O, s:b}", "attest", at_version(), "claims", verify->claims,
                                 "as_expected", (int) all);
    int status = at_run_put(run, common, document, err);
    json_decref(document);
    if (!common->json && !common->quiet) {
        printf("%zu claim%s, %zu as expected, %zu not, in %.1f s\n", verify->decided,
               verify->decided == 1 ? "" : "s", verify->expected,
               verify->decided - verify->expected, verify->seconds);
    }
    if (status == AT_OK && verify->certificate != NULL)
        status = write_certificate(verify, err);
    return status;
}

int at_cmd_verify(int argc, char **argv)
{
    static verify_input verify;     /* too large for a stack, one command a process */
    at_common common;
    at_error err = AT_ERROR_INIT, late = AT_ERROR_INIT;
    at_run run;
    at_claims_list_init(&verify.list);
    int status = at_command_line_parse(&command_line, argc, argv, &common, &verify);
    if (status != AT_OK) {
        at_common_clear(&common);
        return status < 0 ? AT_OK : status;
    }
    if (verify.search)      /* entries without statements: they add steps to theory's */
        verify.list.tables[verify.list.table_count++] = &at_claims_search;
    verify.claims = json_array();
    verify.certified = json_array();
    status = at_run_open_asked(&run, &common, settings_json(&verify), &err);
    int ended = AT_OK;
    if (status == AT_OK) {
        status = open_lemmas(&verify, &err);
        if (status == AT_OK)
            status = verify_all(&verify, &common, &err);
        close_lemmas(&verify, &status, &err);
        ended = finish(&verify, &common, &run, &late);
    }
    if (status != AT_OK)
        status = at_report_error(&common, &err);
    if (ended != AT_OK)
        status = at_report_error(&common, &late);
    if (status == AT_OK && verify.expected != verify.decided)
        status = AT_UNEXPECTED;
    json_decref(verify.claims);
    json_decref(verify.certified);
    at_run_clear(&run);
    at_common_clear(&common);
    return status;
}
