/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attest floor: the certified floor that no model of a class can beat, with what shows it. */
#include "config.h"

#include "attest/theory/flint/compat.h"

#include "attest/experiments/cli/commands.h"
#include "attest/experiments/run/exact_json.h"
#include "attest/experiments/cli/options.h"
#include "attest/experiments/cli/progress.h"
#include "attest/experiments/run/run.h"
#include "attest/theory/flint/decimal.h"
#include "attest/theory/floor/floor.h"
#include "attest/theory/floor/seqfun_exact.h"

enum { KEY_FUNCTION = 'f', KEY_DOMAIN = 'd', KEY_CLASS = 'c', KEY_TASK = 't', MOST_ROWS = 12 };

typedef struct {
    size_t n;
    const char *function;
    at_seqfun fun;
    bool parsed;
    int class;
    fmpq_t low, high;
} floor_input;

static const struct argp_option own_options[] = {
    {NULL, 'n', "N", 0, "Length of the sequences", 1},
    {"function", KEY_FUNCTION, "F", 0,
     "position, shift, prefix-sum, running-mean, reversal, etp, "
     "or output i as a polynomial in x[...], i, n", 1},
    {"task", KEY_TASK, "NAME", 0, "pi or etp instead of a function: i, and x[2*i] then 0", 1},
    {"domain", KEY_DOMAIN, "A,B", 0, "Interval of the tokens, rational ends (default 0,1)", 1},
    {"class", KEY_CLASS, "NAME", 0,
     "collapsing (default): equal rows on constants; symmetric: commutes with the reversal; "
     "equivariant: with all permutations", 1},
    {0}
};

static void set_function(floor_input *in, const char *text, at_common *common)
{
    at_error err = AT_ERROR_INIT;

    if (in->function != NULL) {
        at_mistake(common, "two functions: give one --function or one --task");
        return;
    }
    in->function = text;
    if (at_seqfun_parse(&in->fun, text, &err) == AT_OK)
        in->parsed = true;
    else
        at_mistake(common, "--function '%s': %s", text, err.text);
}

static void set_domain(floor_input *in, const char *text, at_common *common)
{
    const char *comma = strchr(text, ',');
    char *first = comma != NULL ? strndup(text, (size_t) (comma - text)) : NULL;

    if (first == NULL || at_fmpq_set_text(in->low, first) != 0
        || at_fmpq_set_text(in->high, comma + 1) != 0)
        at_mistake(common, "--domain '%s': two rationals were expected, such as 0,1 or -1/2,0.75",
                   text);
    else if (fmpq_cmp(in->low, in->high) > 0)
        at_mistake(common, "--domain '%s': the first end is above the second; write %s,%s", text,
                   comma + 1, first);
    free(first);
}

static int parse(int key, char *argument, at_common *common, void *input)
{
    static const char *const tasks[] = {"pi", "etp"}, *const functions[] = {"i", "etp"};
    static const char *const classes[] = {"collapsing", "symmetric", "equivariant"};
    floor_input *in = input;
    int task = -1;

    switch (key) {
    case 'n':
        at_option_size(common, "-n", argument, 1, 65536, &in->n);
        return 0;
    case KEY_FUNCTION:
        set_function(in, argument, common);
        return 0;
    case KEY_TASK:
        at_option_name(common, "--task", argument, tasks, 2, &task);
        if (task >= 0)
            set_function(in, functions[task], common);
        return 0;
    case KEY_DOMAIN:
        set_domain(in, argument, common);
        return 0;
    case KEY_CLASS:
        at_option_name(common, "--class", argument, classes, AT_FLOOR_CLASS_COUNT, &in->class);
        return 0;
    case ARGP_KEY_ARG:
        at_mistake(common, "'%s' is no option; a function is given with --function", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(at_common *common, void *input)
{
    const floor_input *in = input;

    if (in->n == 0 && common->mistakes == 0)
        at_mistake(common, "the length is missing: -n 8");
    if (in->function == NULL)
        at_mistake(common, "the function is missing: --function 'i*x[1]', or --task pi");
}

static const at_command_line command_line = {
    .command = "floor",
    .summary = "The certified floor of the largest error that no model of a class can beat on a "
               "sequence function, exact, with the sequence that shows it.",
    .examples = "  attest floor -n 8 --function 'i*x[1]'\n"
                "  attest floor -n 3 --function 'i*x[1] - i*x[1]^3' --json\n"
                "  attest floor -n 16 --function prefix-sum --domain -1,1\n"
                "  attest floor -n 8 --task pi --class symmetric\n",
    .options = own_options,
    .parse = parse,
    .check = check,
};

/* row(c): true with its value in q where that is rational, else false with an enclosure in ball. */
static bool row_at(fmpq_t q, arb_t ball, const fmpq_poly_t row, const qqbar_t constant)
{
    fmpq_poly_t minimal, rest;
    bool rational;

    fmpq_poly_init(minimal);
    fmpq_poly_init(rest);
    fmpq_poly_set_fmpz_poly(minimal, QQBAR_POLY(constant));
    fmpq_poly_rem(rest, row, minimal);
    rational = fmpq_poly_degree(rest) <= 0;
    if (rational) {
        fmpq_poly_get_coeff_fmpq(q, rest, 0);
    } else {
        arb_poly_t f;

        arb_poly_init(f);
        qqbar_get_arb(ball, constant, 256);
        arb_poly_set_fmpq_poly(f, rest, 256);
        arb_poly_evaluate(ball, f, ball, 256);
        arb_poly_clear(f);
    }
    fmpq_poly_clear(minimal);
    fmpq_poly_clear(rest);
    return rational;
}

/* "p/q" where row(c) is rational, else {"enclosure"}. */
static json_t *row_value(const fmpq_poly_t row, const qqbar_t constant)
{
    json_t *value;
    fmpq_t q;
    arb_t ball;

    fmpq_init(q);
    arb_init(ball);
    value = row_at(q, ball, row, constant) ? at_json_fmpq(q)
            : json_pack("{s:o}", "enclosure", at_json_enclosure(ball));
    fmpq_clear(q);
    arb_clear(ball);
    return value;
}

static json_t *rationals(const fmpq *x, slong n)
{
    json_t *list = json_array();

    for (slong k = 0; k < n; k++)
        json_array_append_new(list, at_json_fmpq(x + k));
    return list;
}

/* The rows of f at a rational sequence, which was evaluated before without an error. */
static json_t *rows_at(const at_seqfun *fun, const fmpq *x, slong n)
{
    fmpq *y = _fmpq_vec_init(n);
    json_t *list = at_seqfun_eval_fmpq(y, fun, x, (size_t) n, NULL) == AT_OK ? rationals(y, n)
                                                                              : json_null();

    _fmpq_vec_clear(y, n);
    return list;
}

static json_t *witness_json(const at_floor_t floor, const at_seqfun *fun)
{
    json_t *rows, *pair = json_pack("[I, I]", (json_int_t) floor->top + 1,
                                    (json_int_t) floor->bottom + 1);

    if (!floor->is_constant)
        return json_pack("{s:o, s:o, s:o, s:o, s:o}",
                         "sequence", rationals(floor->sequence, floor->n),
                         "partner", rationals(floor->partner, floor->n),
                         "rows", rows_at(fun, floor->sequence, floor->n),
                         "partner_rows", rows_at(fun, floor->partner, floor->n), "pair", pair);
    rows = json_array();
    for (slong k = 0; k < floor->n; k++)
        json_array_append_new(rows, row_value(floor->rows + k, floor->constant));
    return json_pack("{s:o, s:o, s:o}", "constant", at_json_algebraic(floor->constant),
                     "rows", rows, "pair", pair);
}

static json_t *losses_json(const at_floor_t floor)
{
    json_t *mse = floor->mse->exact ? at_json_algebraic(floor->mse->value)
                  : json_pack("{s:o}", "enclosure", at_json_enclosure(floor->mse->ball));
    json_t *entropy = arb_is_zero(floor->cross_entropy) ? json_string("0")
                      : json_pack("{s:o}", "enclosure", at_json_enclosure(floor->cross_entropy));

    return json_pack("{s:o, s:o, s:o}", "mse", mse, "cross_entropy", entropy, "accuracy",
                     at_json_fmpq(floor->accuracy));
}

static json_t *floor_json(const at_floor_t floor, const floor_input *in, double seconds)
{
    int rational = qqbar_is_rational(floor->value);
    json_t *document;
    arb_t ball;

    arb_init(ball);
    qqbar_get_arb(ball, floor->value, 128);
    document = json_pack("{s:s, s:I, s:[o, o], s:s, s:o, s:o}", "function", in->function, "n",
                         (json_int_t) floor->n, "domain", at_json_fmpq(floor->low),
                         at_json_fmpq(floor->high), "class", at_floor_class_name(floor->of_class),
                         "floor", rational ? at_json_algebraic(floor->value) : json_null(),
                         "enclosure", at_json_enclosure(ball));
    arb_clear(ball);
    if (!rational)
        json_object_set_new(document, "minimal_polynomial",
                            at_json_minimal_polynomial(floor->value));
    json_object_set_new(document, "witness", floor->has_floor ? witness_json(floor, &in->fun)
                                                              : json_null());
    json_object_set_new(document, "has_floor", json_boolean(floor->has_floor));
    json_object_set_new(document, "sharp", json_boolean(floor->sharp));
    json_object_set_new(document, "losses", losses_json(floor));
    json_object_set_new(document, "seconds", json_real(seconds));
    return document;
}

static json_t *settings_json(const floor_input *in)
{
    return json_pack("{s:s, s:I, s:[o, o], s:s}", "function", in->function, "n", (json_int_t) in->n,
                     "domain", at_json_fmpq(in->low), at_json_fmpq(in->high),
                     "class", at_floor_class_name((enum at_floor_class) in->class));
}

static void print_algebraic(const char *label, const qqbar_t x)
{
    char *text = at_text_algebraic(x);

    printf("%s%s\n", label, text != NULL ? text : "?");
    free(text);
}

static void print_ball(const char *label, const arb_t x, int up)
{
    char *text = at_arb_get_decimal(x, 15, up);

    printf("%s%s", label, text != NULL ? text : "?");
    free(text);
}

static void print_sequence(const char *label, const fmpq *x, slong n)
{
    printf("%s", label);
    for (slong k = 0; k < n && k < MOST_ROWS; k++) {
        char *text = fmpq_get_str(NULL, 10, x + k);

        printf("%s%s", k > 0 ? " " : "", text);
        flint_free(text);
    }
    printf("%s\n", n > MOST_ROWS ? " ..." : "");
}

/* "output 8 is 7/2" at the constant shown. */
static void print_output(const char *before, const at_floor_t floor, slong row)
{
    fmpq_t q;
    arb_t ball;
    char *text;

    fmpq_init(q);
    arb_init(ball);
    printf("%soutput %ld is ", before, (long) row + 1);
    if (row_at(q, ball, floor->rows + row, floor->constant)) {
        text = fmpq_get_str(NULL, 10, q);
        printf("%s", text);
        flint_free(text);
    } else {
        text = at_arb_get_decimal(ball, 12, 0);
        printf("%s...", text != NULL ? text : "?");
        free(text);
    }
    fmpq_clear(q);
    arb_clear(ball);
}

static void print_witness(const at_floor_t floor)
{
    if (floor->is_constant) {
        print_algebraic("constant       ", floor->constant);
        print_output("               ", floor, floor->top);
        print_output(" there, ", floor, floor->bottom);
        printf("; one row must serve both\n");
    } else {
        print_sequence("sequence       ", floor->sequence, floor->n);
        print_sequence("partner        ", floor->partner, floor->n);
        printf("               output %ld of the one and %ld of the other are one row of the "
               "model\n", (long) floor->top + 1, (long) floor->bottom + 1);
    }
}

/* Exact where that is a short fraction, else rounded down, as a bound from below must be. */
static void print_mse(const at_floor_t floor)
{
    char *text = floor->mse->exact && qqbar_is_rational(floor->mse->value)
                 ? at_text_algebraic(floor->mse->value) : NULL;

    if (text != NULL && strlen(text) <= 24)
        printf("losses         mean squared error >= %s", text);
    else
        print_ball("losses         mean squared error >= ", floor->mse->ball, 0);
    free(text);
}

static void print_floor(const at_floor_t floor, const floor_input *in)
{
    static const char *const who[] = {"model that collapses on constant sequences",
        "model that commutes with the reversal", "model that commutes with all permutations"};
    char *accuracy = fmpq_get_str(NULL, 10, floor->accuracy);

    print_algebraic("floor          ", floor->value);
    if (!floor->has_floor) {
        if (floor->of_class == AT_FLOOR_COLLAPSING)
            printf("               no floor at constants: the outputs of %s agree on each of "
                   "them\n", in->function);
        else
            printf("               no floor%s: nothing here keeps such a model from %s\n",
                   floor->sharp ? "" : " was found", in->function);
    } else {
        printf("               no %s has a smaller largest error\n"
               "               for %s, n = %ld%s\n",
               who[floor->of_class], in->function, (long) floor->n,
               floor->sharp ? "" : " (a lower bound: other sequences may show more)");
        print_witness(floor);
    }
    print_mse(floor);
    print_ball("\n               cross-entropy >= ", floor->cross_entropy, 0);
    printf(" nats, accuracy <= %s, outputs as classes\n", accuracy);
    flint_free(accuracy);
}

static int run(const floor_input *in, const at_common *common, at_error *err)
{
    double start = at_now();
    at_floor_t floor;
    at_run run;
    int status = at_run_open_asked(&run, common, settings_json(in), err);

    if (status != AT_OK)
        return status;
    at_floor_init(floor);
    at_note_indices(common, &in->fun, in->n);
    status = at_floor_compute(floor, (enum at_floor_class) in->class, &in->fun, in->n, in->low,
                              in->high, err);
    if (status == AT_OK) {
        json_t *document = floor_json(floor, in, at_now() - start);

        if (!common->json && common->quiet)
            print_algebraic("", floor->value);
        else if (!common->json)
            print_floor(floor, in);
        status = at_run_put(&run, common, document, err);
        json_decref(document);
    }
    at_floor_clear(floor);
    at_run_clear(&run);
    return status;
}

int at_cmd_floor(int argc, char **argv)
{
    at_common common;
    at_error err = AT_ERROR_INIT;
    floor_input in = {.n = 0};
    int status;

    fmpq_init(in.low);
    fmpq_init(in.high);
    fmpq_one(in.high);
    status = at_command_line_parse(&command_line, argc, argv, &common, &in);
    if (status == AT_OK) {
        status = run(&in, &common, &err);
        if (status != AT_OK)
            status = at_report_error(&common, &err);
    } else if (status < 0) {
        status = AT_OK;
    }
    if (in.parsed)
        at_seqfun_clear(&in.fun);
    fmpq_clear(in.low);
    fmpq_clear(in.high);
    at_common_clear(&common);
    flint_cleanup();
    return status;
}
