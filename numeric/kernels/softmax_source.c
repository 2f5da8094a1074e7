/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax of attention's rows with a table of biases and one of factors, forward and backward, for one
 * precision and one width of vectors.  Included by numeric/kernels_ISA.c after numeric/kernels/vector_source.c.
 *
 * A table by offset j − i begins one number earlier for each further row, so that a row's sums into it
 * never lie on vectors.  GROUP rows are taken side by side, and what they give to one offset meets in
 * registers: a lane later for each row above the last. */

#if LANES == 2
#define GROUP 2
#define DELAYED(before, now, by) __builtin_shufflevector(before, now, 1, 2)
#elif LANES == 4
#define GROUP 4
#define DELAYED(before, now, by) __builtin_shufflevector(before, now, 4 - by, 5 - by, 6 - by, 7 - by)
#elif LANES == 8
#define GROUP 4
#define DELAYED(before, now, by) __builtin_shufflevector(before, now, 8 - by, 9 - by, 10 - by, 11 - by, \
                                                         12 - by, 13 - by, 14 - by, 15 - by)
#else
#define GROUP 4
#define DELAYED(before, now, by) __builtin_shufflevector(before, now, 16 - by, 17 - by, 18 - by, 19 - by, \
    20 - by, 21 - by, 22 - by, 23 - by, 24 - by, 25 - by, 26 - by, 27 - by, 28 - by, 29 - by, 30 - by, \
    31 - by)
#endif

/* Loops over a row's m elements: step is inlined with count LANES, known to be whole, and for the rest. */
#define ROW_LOOP(m, step, ...) \
    do { \
        size_t row_j = 0; \
 \
        for (; row_j + LANES <= (m); row_j += LANES) \
            step(row_j, LANES, __VA_ARGS__); \
        if (row_j < (m)) \
            step(row_j, (m) - row_j, __VA_ARGS__); \
    } while (0)

static inline AT_INLINED void NAME(logit_step)(size_t j, size_t count, REAL *x, const REAL *bias, REAL scale,
                                               VEC *best)
{
    VEC v = scale * NAME(load_part)(x + j, count, -(REAL) INFINITY);

    if (bias != NULL)
        v += NAME(load_part)(bias + j, count, 0);
    *best = NAME(larger)(v, *best);
    NAME(store_part)(x + j, v, count);
}

static inline AT_INLINED void NAME(exp_step)(size_t j, size_t count, REAL *x, REAL shift, VEC *sum)
{
    VEC v = VEXP(NAME(load_part)(x + j, count, -(REAL) INFINITY) - shift);

    *sum += v;
    NAME(store_part)(x + j, v, count);
}

/* x ← exp(scale·x + bias − largest) for m elements; returns the sum. */
static REAL NAME(exp_row)(REAL *x, const REAL *bias, REAL scale, size_t m)
{
    VEC best = (VEC) {0} - (REAL) INFINITY, sum = {0};
    REAL shift;

    if (bias != NULL)
        ROW_LOOP(m, NAME(logit_step), x, bias, scale, &best);
    else
        ROW_LOOP(m, NAME(logit_step), x, NULL, scale, &best);
    shift = NAME(largest)(best);
    ROW_LOOP(m, NAME(exp_step), x, shift, &sum);
    return NAME(total)(sum);
}

static inline AT_INLINED void NAME(weight_step)(size_t j, size_t count, REAL *p, REAL *a, const REAL *c,
                                                REAL inverse)
{
    VEC v = NAME(load_part)(p + j, count, 0) * inverse;

    NAME(store_part)(p + j, v, count);
    if (c != NULL)
        NAME(store_part)(a + j, v * NAME(load_part)(c + j, count, 0), count);
}

static void NAME(softmax)(REAL *p, REAL *a, size_t rows, size_t n, size_t seen, const REAL *bias,
                          ptrdiff_t bias_step, const REAL *factor, ptrdiff_t factor_step, REAL scale)
{
    for (size_t i = 0; i < rows; i++, p += n, a += n) {
        size_t m = seen + i < n ? seen + i : n;
        const REAL *c = factor != NULL ? factor + (ptrdiff_t) i * factor_step : NULL;
        REAL inverse = 1 / NAME(exp_row)(p, bias != NULL ? bias + (ptrdiff_t) i * bias_step : NULL,
                                         scale, m);

        if (c != NULL)
            ROW_LOOP(m, NAME(weight_step), p, a, c, inverse);
        else
            ROW_LOOP(m, NAME(weight_step), p, NULL, NULL, inverse);
        for (size_t j = m; j < n; j++)
            p[j] = 0;
        for (size_t j = m; j < n && c != NULL; j++)
            a[j] = 0;
    }
}

/* One vector of a row's way back; returns ∂/∂(logit + bias), and ∂/∂factor in *slope. */
static inline AT_INLINED VEC NAME(softmax_back_step)(size_t j, size_t count, REAL *da, REAL *a, const REAL *p,
                                                     REAL dot, const REAL *factor, REAL scale, VEC *slope)
{
    VEC g = NAME(load_part)(da + j, count, 0), w = NAME(load_part)(p + j, count, 0);

    *slope = g * w;
    if (factor != NULL) {
        VEC c = NAME(load_part)(factor + j, count, 0);

        NAME(store_part)(a + j, w * c, count);
        g *= c;
    }
    g = w * (g - dot);
    NAME(store_part)(da + j, g * scale, count);
    return g;
}

static inline AT_INLINED void NAME(add_part)(REAL *sum, VEC v, size_t count)
{
    NAME(store_part)(sum, NAME(load_part)(sum, count, 0) + v, count);
}

static inline AT_INLINED void NAME(row_step)(size_t j, size_t count, REAL *da, REAL *a, const REAL *p,
                                             REAL dot, REAL *dbias, const REAL *factor, REAL *dfactor,
                                             REAL scale)
{
    VEC slope, g = NAME(softmax_back_step)(j, count, da, a, p, dot, factor, scale, &slope);

    if (dfactor != NULL)
        NAME(add_part)(dfactor + j, slope, count);
    if (dbias != NULL)
        NAME(add_part)(dbias + j, g, count);
}

/* What GROUP rows give to the offsets of the last row's entries now; before: the vectors left of them. */
static inline AT_INLINED VEC NAME(by_offset)(const VEC *before, const VEC *now)
{
#if GROUP == 2
    return DELAYED(before[0], now[0], 1) + now[1];
#else
    return DELAYED(before[0], now[0], 3) + DELAYED(before[1], now[1], 2) + (DELAYED(before[2], now[2], 1)
                                                                            + now[3]);
#endif
}

/* Entries j … j + count of GROUP rows, and reach sums into the last row's tables. */
static inline AT_INLINED void NAME(group_step)(size_t j, size_t count, size_t reach, REAL *da, REAL *a,
                                               const REAL *p, size_t n, const REAL *dot, REAL *dbias,
                                               const REAL *factor, REAL *dfactor, REAL scale,
                                               VEC before[2][GROUP])
{
    VEC now[2][GROUP];

    AT_UNROLLED
    for (size_t r = 0; r < GROUP; r++)
        now[0][r] = NAME(softmax_back_step)(j, count, da + r * n, factor != NULL ? a + r * n : NULL,
                                            p + r * n, dot[r], factor != NULL ? factor - r : NULL, scale,
                                            &now[1][r]);
    if (dbias != NULL)
        NAME(add_part)(dbias + j, NAME(by_offset)(before[0], now[0]), reach);
    if (dfactor != NULL)
        NAME(add_part)(dfactor + j, NAME(by_offset)(before[1], now[1]), reach);
    AT_UNROLLED
    for (size_t r = 0; r < GROUP; r++) {
        before[0][r] = now[0][r];
        before[1][r] = now[1][r];
    }
}

/* GROUP rows of n entries whose tables begin one number earlier from row to row. */
static inline AT_INLINED void NAME(softmax_back_group)(REAL *da, REAL *a, const REAL *p, size_t n,
                                                       const REAL *dot, REAL *dbias, const REAL *factor,
                                                       REAL *dfactor, REAL scale)
{
    VEC before[2][GROUP] = {{{0}}};
    size_t j = 0;

    if (dbias != NULL)
        dbias -= GROUP - 1;
    if (dfactor != NULL)
        dfactor -= GROUP - 1;
    for (; j + LANES <= n; j += LANES)
        NAME(group_step)(j, LANES, LANES, da, a, p, n, dot, dbias, factor, dfactor, scale, before);
    if (j == n) {
        NAME(group_step)(j, 0, GROUP - 1, da, a, p, n, dot, dbias, factor, dfactor, scale, before);
        return;
    }
    for (; j < n + GROUP - 1; j += LANES)
        NAME(group_step)(j, j < n ? n - j : 0, n + GROUP - 1 - j, da, a, p, n, dot, dbias, factor, dfactor,
                         scale, before);
}

/* The two usual cases without a question inside their loops. */
static void NAME(softmax_back_row)(REAL *da, REAL *a, const REAL *p, size_t m, REAL dot, REAL *dbias,
                                   const REAL *factor, REAL *dfactor, REAL scale)
{
    if (dbias != NULL && factor != NULL && dfactor != NULL)
        ROW_LOOP(m, NAME(row_step), da, a, p, dot, dbias, factor, dfactor, scale);
    else if (dbias != NULL && factor == NULL && dfactor == NULL)
        ROW_LOOP(m, NAME(row_step), da, NULL, p, dot, dbias, NULL, NULL, scale);
    else
        ROW_LOOP(m, NAME(row_step), da, a, p, dot, dbias, factor, dfactor, scale);
}

/* As many rows as groups take; returns how many. */
static size_t NAME(softmax_back_groups)(REAL *da, REAL *a, const REAL *p, size_t rows, size_t n,
                                        const REAL *dot, REAL *dbias, const REAL *factor, REAL *dfactor,
                                        REAL scale)
{
    size_t i = 0;

    for (; i + GROUP <= rows; i += GROUP, da += GROUP * n, a += GROUP * n, p += GROUP * n, dot += GROUP) {
        if (factor == NULL) {
            NAME(softmax_back_group)(da, NULL, p, n, dot, dbias - i, NULL, NULL, scale);
        } else {
            NAME(softmax_back_group)(da, a, p, n, dot, dbias - i, factor - i, dfactor - i, scale);
        }
    }
    return i;
}

static void NAME(softmax_back)(REAL *da, REAL *a, const REAL *p, size_t rows, size_t n, size_t seen,
                               const REAL *dot, REAL *dbias, ptrdiff_t bias_step, const REAL *factor,
                               REAL *dfactor, ptrdiff_t factor_step, REAL scale)
{
    size_t i = 0;

    if (seen >= n && dbias != NULL && bias_step == -1
        && (factor == NULL ? dfactor == NULL : dfactor != NULL && factor_step == -1)) {
        i = NAME(softmax_back_groups)(da, a, p, rows, n, dot, dbias, factor, dfactor, scale);
        da += i * n;
        a += i * n;
        p += i * n;
    }
    for (; i < rows; i++, da += n, a += n, p += n) {
        size_t m = seen + i < n ? seen + i : n;

        NAME(softmax_back_row)(da, a, p, m, dot[i],
                               dbias != NULL ? dbias + (ptrdiff_t) i * bias_step : NULL,
                               factor != NULL ? factor + (ptrdiff_t) i * factor_step : NULL,
                               dfactor != NULL ? dfactor + (ptrdiff_t) i * factor_step : NULL,
                               scale);
        for (size_t j = m; j < n; j++)
            da[j] = 0;
        for (size_t j = m; j < n && factor != NULL; j++)
            a[j] = 0;
    }
}
