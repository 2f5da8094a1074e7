/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network's evaluation is written once, over a field of numbers given as functions: ℚ(e^ℚ),
 * or balls.  Also the attention head during an evaluation, which the encodings' hooks read. */
#ifndef ATTEST_THEORY_NETWORK_FIELD_H
#define ATTEST_THEORY_NETWORK_FIELD_H

#include "attest/theory/network/network.h"

/* One row of attention over the tokens it sees: out[c] = Σ_j weight_j gates[j] values[j][c]. */
typedef struct {
    enum at_normaliser normaliser;
    slong count, cols, tokens;   /* tokens seen, columns, tokens in the sequence */
    const void *logits;          /* count */
    const fmpq *factors, *gates; /* count each */
    const void *const *values;   /* count rows of cols */
    void *out;                   /* cols */
    slong prec;
    /* when attend says false: the token whose logit is to blame, or −1; or it grew too long */
    slong bad;
    bool too_long;
} at_row;

/* Functions answer false where the result is not in the field. */
typedef struct {
    size_t size;
    void (*init)(void *x);
    void (*clear)(void *x);
    void (*set)(void *z, const void *x);
    void (*set_fmpq)(void *z, const fmpq_t c, slong prec);
    void (*add)(void *z, const void *x, const void *y, slong prec);
    void (*mul)(void *z, const void *x, const void *y, slong prec);
    void (*mul_fmpq)(void *z, const void *x, const fmpq_t c, slong prec);
    void (*addmul_fmpq)(void *z, const void *x, const fmpq_t c, slong prec);
    bool (*relu)(void *z, const void *x, slong prec);
    bool (*gelu)(void *z, const void *x, slong prec);
    /* 1/√x for x > 0. */
    bool (*rsqrt)(void *z, const void *x, slong prec);
    bool (*attend)(at_row *row);
    /* True, and c set, for an element known to be rational; NULL: never known. */
    bool (*get_fmpq)(fmpq *c, const void *x);
} at_field;

extern const at_field at_field_exact, at_field_ball;

/* ---- Matrices over a field ----------------------------------------------------------------- */

typedef struct {
    const at_field *field;
    slong rows, cols;
    char *data;
} at_fmat;

void at_fmat_init(at_fmat *a, const at_field *field, slong rows, slong cols);
void at_fmat_clear(at_fmat *a);
void at_fmat_swap(at_fmat *a, at_fmat *b);
void *at_fmat_at(const at_fmat *a, slong i, slong j);
void at_fmat_set_fmpq_mat(at_fmat *a, const fmpq_mat_t b, slong prec);
/* c = a b (+ bias in every row, unless it has no rows); c has the shape. */
void at_fmat_mul_fmpq_mat(at_fmat *c, const at_fmat *a, const fmpq_mat_t b, const fmpq_mat_t bias,
                          slong prec);
/* s = q k^T. */
void at_fmat_mul_transposed(at_fmat *s, const at_fmat *q, const at_fmat *k, slong prec);
/* a += b. */
void at_fmat_add(at_fmat *a, const at_fmat *b, slong prec);

/* ---- A head during an evaluation ----------------------------------------------------------- */

enum { AT_WORKS = 3 };

typedef struct at_attention {
    const at_field *field;
    slong prec, rows;
    const at_network_struct *net;
    const at_head *head;
    at_fmat queries, keys;       /* rows × d_h */
    fmpq_mat_t works[AT_WORKS];  /* the encoding's, made by prepare */
    fmpq_t c;                    /* the hooks' scratch */
    void *t;
} at_attention;

/* s += row i of q or k times row r of a rational matrix. */
void at_attention_dot(void *s, const at_attention *a, const at_fmat *vectors, slong i,
                      const fmpq_mat_t m, slong r);

#endif
