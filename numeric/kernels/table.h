/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels' contract for one precision AT_REAL; included by numeric/kernels/kernels.h for each.  Forward and
 * backward pairs, on rows: [rows, d] is contiguous.  No kernel allocates or fails; NaN and
 * infinities pass through. */

/* A matrix product: c [m, n] = a·b + bias, or c + a·b + bias where add. */
typedef struct {
    const AT_REAL *a, *b;    /* [m, k], [k, n]; stored transposed where trans_… says so */
    const AT_REAL *packed;   /* b, packed; NULL: not yet */
    const AT_REAL *bias;     /* [n] for each row, or NULL */
    AT_REAL *c;
    size_t m, n, k, lda, ldb, ldc;
    bool trans_a, trans_b, add;
} AT_PRODUCT_NAME;

struct AT_KERNELS_NAME {
    const char *isa;     /* "avx512", "avx2", "generic" */

    /* p [rows, n]: logits in, weights out: p_ij = softmax_j(scale·p_ij + bias_i[j]) over j < min(n, seen + i)
     * (0 beyond).  bias_i = bias + i·bias_step, or none when bias is NULL.  With factor_i = factor
     * + i·factor_step also a_ij = p_ij·factor_i[j], else a is not touched. */
    void (*softmax)(AT_REAL *p, AT_REAL *a, size_t rows, size_t n, size_t seen, const AT_REAL *bias,
                    ptrdiff_t bias_step, const AT_REAL *factor, ptrdiff_t factor_step, AT_REAL scale);
    /* da [rows, n]: ∂/∂a in, scale·∂/∂(logit + bias) out, from p, and dot_i = Σ_j a_ij·da_ij; adds to
     * dbias_i and dfactor_i where they are not NULL.  With a factor, a [rows, n] is made again. */
    void (*softmax_back)(AT_REAL *da, AT_REAL *a, const AT_REAL *p, size_t rows, size_t n, size_t seen,
                         const AT_REAL *dot, AT_REAL *dbias, ptrdiff_t bias_step, const AT_REAL *factor,
                         AT_REAL *dfactor, ptrdiff_t factor_step, AT_REAL scale);
    /* dot_i = x_i·y_i for rows of d columns at strides ldx, ldy. */
    void (*row_dots)(AT_REAL *dot, const AT_REAL *x, size_t ldx, const AT_REAL *y, size_t ldy, size_t rows,
                     size_t d);

    /* h [rows, f]: pre-activation without its bias (NULL: none) in, derivative of the activation out;
     * g: the activation.  GELU by erf (Hendrycks, Gimpel 2016). */
    void (*gelu)(AT_REAL *g, AT_REAL *h, const AT_REAL *bias, size_t rows, size_t f);
    void (*relu)(AT_REAL *g, AT_REAL *h, const AT_REAL *bias, size_t rows, size_t f);
    /* h ← h ⊙ dg; dbias (NULL: none) += column sums of the result. */
    void (*activation_back)(AT_REAL *h, const AT_REAL *dg, AT_REAL *dbias, size_t rows, size_t f);

    /* r = x + residual + bias (residual, bias may be NULL); hat = (r − mean)/√(var + 1e−5), y = hat·weight +
     * shift, rstd [rows].  hat may be x. */
    void (*norm)(AT_REAL *y, AT_REAL *hat, AT_REAL *rstd, const AT_REAL *x, const AT_REAL *residual,
                 const AT_REAL *bias, const AT_REAL *weight, const AT_REAL *shift, size_t rows, size_t d);
    /* hat in, dr out, from dy + also (also may be NULL); dweight, dshift += ; dbias (may be NULL) +=
     * column sums of dr. */
    void (*norm_back)(AT_REAL *hat, const AT_REAL *rstd, const AT_REAL *dy, const AT_REAL *also,
                      const AT_REAL *weight, AT_REAL *dweight, AT_REAL *dshift, AT_REAL *dbias, size_t rows,
                      size_t d);
    /* y = x + residual + bias (either may be NULL). */
    void (*add)(AT_REAL *y, const AT_REAL *x, const AT_REAL *residual, const AT_REAL *bias, size_t rows,
                size_t d);
    /* sum [d] += column sums of x. */
    void (*column_sums)(AT_REAL *sum, const AT_REAL *x, size_t ldx, size_t rows, size_t d);

    /* x [v]: logits without their bias (NULL: none) in; −log softmax(x)[target] returned;
     * *largest: index of the first largest logit.  With dscale ≠ 0, x becomes
     * dscale·(softmax(x) − 1_target); with dscale 0 it becomes the logits.  target < 0: loss 0. */
    double (*cross_entropy)(AT_REAL *x, const AT_REAL *bias, size_t v, int32_t target, AT_REAL dscale,
                            int32_t *largest);

    /* Matrix products; all four are NULL where there are none, and CBLAS is to be taken. */
    size_t (*packed_count)(size_t k, size_t n);   /* numbers that b takes when packed */
    void (*pack)(AT_REAL *out, const AT_REAL *b, size_t ldb, bool trans, size_t k, size_t n);
    size_t (*pack_room)(void);                    /* numbers of scratch that product wants */
    void (*product)(const AT_PRODUCT_NAME *product, AT_REAL *scratch);
};
