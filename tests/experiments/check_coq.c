/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts in Coq's words: expressions, names, what is refused.  That Coq takes the lemmas and refuses their
 * opposites is seen by tests/facts.sh. */
#include "attest/experiments/verify/coq.h"

#include <stdlib.h>
#include <string.h>

#include "tests/at_check.h"

START_TEST(expressions)
{
    static const struct { const char *ours, *coq; } cases[] = {
        {"7/2", "(7 / 2)"}, {"1 - 2 - 3", "((1 - 2) - 3)"}, {"-2^2", "(- (2 ^ 2))"},
        {"2*(1+x)", NULL}, {"e", "(exp (1))"}, {"e^(-9/5)", "(exp (-9 / 5))"}, {"e^2", "(exp (2))"},
        {"exp(-1/2)", "(exp (-1 / 2))"}, {"exp(2*3)", "(exp (2 * 3))"}, {"2^(-2)", "(/ (2 ^ 2))"},
        {"log(3) - 2/3*log(2)", "((ln 3) - ((2 / 3) * (ln 2)))"}, {"sqrt(2)-1", "((sqrt 2) - 1)"},
        {"2^x", NULL}, {"2^(1/2)", NULL}, {"(1", NULL}, {"1)", NULL}, {"", NULL}, {"1 +", NULL},
        {"sin(1)", NULL}, {"1 2", NULL}, {"--1", "(- (- 1))"}
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *coq = at_coq_expression(cases[k].ours);

        if (cases[k].coq == NULL)
            ck_assert_msg(coq == NULL, "'%s' became %s", cases[k].ours, coq);
        else
            ck_assert_str_eq(coq, cases[k].coq);
        free(coq);
    }
}
END_TEST

START_TEST(names)
{
    char name[64];

    at_coq_name(name, sizeof name, "rpe.deep-collapse/all-rpe", "rows", 3);
    ck_assert_str_eq(name, "rpe_deep_collapse_all_rpe_rows_3");
}
END_TEST

/* A run that holds one fact. */
static int write_fact(at_claim_record *fact)
{
    static const at_claim claim = {"test.claim", "", "", AT_PROVED, NULL};
    at_claim_run run = {.claim = &claim, .facts = fact, .fact_count = 1};
    at_error err = AT_ERROR_INIT;
    FILE *to = tmpfile();
    int status;

    ck_assert_ptr_nonnull(to);
    status = at_coq_write(to, &run, &err);
    fclose(to);
    ck_assert(status == AT_OK || err.text[0] != '\0');
    return status;
}

START_TEST(refused)
{
    at_claim_pair relation[] = {{"left", "1"}, {"relation", "<"}, {"right", "2"}};
    at_claim_pair sums[] = {{"n", "2"}, {"c", "[1, 1, 0]"}, {"scale", "1/2"}, {"sums", "[1, 1/2]"}};
    at_claim_record fact = {"relation", "l", relation, 3};

    ck_assert_int_eq(write_fact(&fact), AT_OK);
    relation[1].value = "~";
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
    relation[1].value = "<";
    relation[2].value = "2 +";
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
    fact.count = 1;
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
    fact = (at_claim_record) {"toeplitz-sums", "l", sums, 4};
    ck_assert_int_eq(write_fact(&fact), AT_OK);
    sums[3].value = "[1]";
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
    sums[3].value = "[1, 1/2]";
    sums[1].value = "[1, 1]";
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
    fact.kind = "unheard-of";
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
    fact.kind = "rows";
    ck_assert_int_eq(write_fact(&fact), AT_UNEXPECTED);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("coq");
    TCase *t = tcase_create("coq");

    tcase_add_test(t, expressions);
    tcase_add_test(t, names);
    tcase_add_test(t, refused);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
