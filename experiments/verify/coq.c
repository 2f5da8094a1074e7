/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts as lemmas for Coq: see coq.h. */
#include "attest/experiments/verify/coq.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Strict inequalities are decided by Coq-Interval at 120 bits; equalities by field arithmetic, in
 * which exponentials are atoms, those of one unit powers of one atom. */
void at_coq_begin(FILE *to)
{
    fputs("(* Facts that `attest verify --coq` wrote, one lemma each, for Coq with Coq-Interval:\n"
          "   coqc this file.  Each is a statement about real numbers alone. *)\n"
          "From Coq Require Import Reals Lra.\n"
          "From Interval Require Import Tactic.\n"
          "Open Scope R_scope.\n"
          "\n"
          "(* exp of multiples of one unit u. *)\n"
          "Lemma exp_multiple u k q : q = INR k * u -> exp q = exp u ^ k.\n"
          "Proof.\n"
          "  intros ->. induction k as [|k IH].\n"
          "  - simpl. rewrite Rmult_0_l. apply exp_0.\n"
          "  - rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.\n"
          "Qed.\n"
          "Lemma exp_negative u k q : q = - (INR k * u) -> exp q = / (exp u ^ k).\n"
          "Proof. intros ->. rewrite exp_Ropp. f_equal. now apply exp_multiple. Qed.\n"
          "Lemma root x c : 0 <= c -> c * c = x -> sqrt x = c.\n"
          "Proof. intros H <-. now apply sqrt_square. Qed.\n"
          "\n"
          "Ltac order := interval with (i_prec 120).\n"
          "Ltac different := first [apply Rlt_not_eq; order | apply Rgt_not_eq; order].\n"
          "Ltac side := repeat split; try lra; try different; try order.\n"
          "Ltac equal := first [lra | field; side | do 2 f_equal; field].\n", to);
}

void at_coq_name(char *name, size_t size, const char *id, const char *kind, size_t number)
{
    snprintf(name, size, "%s_%s_%zu", id, kind, number);
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char) *c))
            *c = '_';
}

/* A comment must not end inside the label. */
static void put_comment(FILE *to, const char *id, const char *label)
{
    fprintf(to, "\n(* %s: ", id);
    for (; *label != '\0'; label++)
        fputc(*label == '*' || *label == '"' ? ' ' : *label, to);
    fputs(" *)\n", to);
}

static int put_relation(FILE *to, const char *name, const at_claim_record *fact, at_error *err)
{
    static const struct { const char *ours, *coq, *tactic; } relations[] = {
        {"=", "=", "equal"}, {"!=", "<>", "different"}, {"<", "<", "order"}, {">", ">", "order"},
        {"<=", "<=", "order"}, {">=", ">=", "order"}
    };
    const char *relation = at_coq_value(fact, "relation");
    char *left = at_coq_expression(at_coq_value(fact, "left"));
    char *right = at_coq_expression(at_coq_value(fact, "right"));
    bool written = false;

    for (size_t r = 0; r < sizeof relations / sizeof relations[0]; r++)
        if (left != NULL && right != NULL && strcmp(relations[r].ours, relation) == 0) {
            fprintf(to, "Lemma %s : %s %s %s.\nProof. %s. Qed.\n", name, left, relations[r].coq, right,
                    relations[r].tactic);
            written = true;
        }
    free(left);
    free(right);
    return written ? AT_OK : at_error_set(err, AT_UNEXPECTED, "%s: this relation cannot be said in Coq",
                                          name);
}

/* Number `index` of the list "[1, 3/4, -1/2]", between *from and the end returned; NULL: past it. */
static const char *entry(const char *list, size_t index, const char **from)
{
    const char *at = list + strspn(list, " [");

    for (size_t k = 0; k < index; k++) {
        at += strcspn(at, ",]");
        if (*at != ',')
            return NULL;
        at++;
    }
    at += strspn(at, " ");
    *from = at;
    return *at == ']' || *at == '\0' ? NULL : at + strcspn(at, ",]");
}

/* Row i of (scale·C) 1, C_ij = c_{i−j}; the list c holds c_{n−1}, …, c_{1−n} in the order of c's index
 * k = 1−n, …, n−1. */
static int put_sums(FILE *to, const char *name, const at_claim_record *fact, at_error *err)
{
    const char *c = at_coq_value(fact, "c"), *sums = at_coq_value(fact, "sums");
    size_t n = (size_t) strtoul(at_coq_value(fact, "n"), NULL, 10);

    for (size_t i = 0; i < n; i++) {
        const char *value = NULL, *end = entry(sums, i, &value);

        if (end == NULL)
            return at_error_set(err, AT_UNEXPECTED, "%s: there is no sum of row %zu", name, i + 1);
        fprintf(to, "Lemma %s_%zu : (%s) * (", name, i, at_coq_value(fact, "scale"));
        for (size_t j = 0; j < n; j++) {
            const char *factor = NULL, *stop = entry(c, i + n - 1 - j, &factor);

            if (stop == NULL)
                return at_error_set(err, AT_UNEXPECTED, "%s: there is no entry (%zu, %zu)", name, i + 1,
                                    j + 1);
            fprintf(to, "%s(%.*s)", j > 0 ? " + " : "", (int) (stop - factor), factor);
        }
        fprintf(to, ") = (%.*s).\nProof. equal. Qed.\n", (int) (end - value), value);
    }
    return n > 0 ? AT_OK : at_error_set(err, AT_UNEXPECTED, "%s: no rows", name);
}

int at_coq_write(FILE *to, const at_claim_run *run, at_error *err)
{
    static const struct {
        const char *kind, *word;
        int (*put)(FILE *to, const char *name, const at_claim_record *fact, at_error *err);
    } kinds[] = {
        {"relation", "relation", put_relation}, {"rows", "rows", at_coq_rows},
        {"toeplitz-sums", "sums", put_sums}
    };

    for (size_t f = 0; f < run->fact_count; f++) {
        const at_claim_record *fact = &run->facts[f];
        char name[160];
        int status = AT_UNEXPECTED;
        size_t k = 0;

        while (k < sizeof kinds / sizeof kinds[0] && strcmp(kinds[k].kind, fact->kind) != 0)
            k++;
        if (k == sizeof kinds / sizeof kinds[0])
            return at_error_set(err, AT_UNEXPECTED, "%s: facts of kind '%s' cannot be said in Coq",
                                run->claim->id, fact->kind);
        at_coq_name(name, sizeof name, run->claim->id, kinds[k].word, f + 1);
        put_comment(to, run->claim->id, fact->label);
        status = kinds[k].put(to, name, fact, err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}
