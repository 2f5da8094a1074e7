/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels between the matrix products, for one precision and one width of vectors.  Included by
 * numeric/kernels_ISA.c after numeric/kernels/softmax_source.c, with TABLE (the struct), ISA, and PRODUCTS set:
 * the entries of numeric/kernels/product_source.c, or NULLs. */

static void NAME(row_dots)(REAL *dot, const REAL *x, size_t ldx, const REAL *y, size_t ldy,
                           size_t rows, size_t d)
{
    for (size_t r = 0; r < rows; r++, x += ldx, y += ldy) {
        VEC sum = {0};

        for (size_t j = 0; j < d; j += LANES)
            sum += NAME(load_part)(x + j, d - j, 0) * NAME(load_part)(y + j, d - j, 0);
        dot[r] = NAME(total)(sum);
    }
}

static void NAME(gelu)(REAL *g, REAL *h, const REAL *bias, size_t rows, size_t f)
{
    const REAL root_half = (REAL) 0.70710678118654752440, density = (REAL) 0.39894228040143267794;

    for (size_t r = 0; r < rows; r++, g += f, h += f)
        for (size_t j = 0; j < f; j += LANES) {
            VEC x = NAME(load_part)(h + j, f - j, 0), below;

            if (bias != NULL)
                x += NAME(load_part)(bias + j, f - j, 0);
            below = (REAL) 0.5 + (REAL) 0.5 * VERF(x * root_half);
            NAME(store_part)(g + j, x * below, f - j);
            NAME(store_part)(h + j, below + x * density * VEXP((REAL) -0.5 * x * x), f - j);
        }
}

static void NAME(relu)(REAL *g, REAL *h, const REAL *bias, size_t rows, size_t f)
{
    for (size_t r = 0; r < rows; r++, g += f, h += f)
        for (size_t j = 0; j < f; j += LANES) {
            VEC x = NAME(load_part)(h + j, f - j, 0), zero = {0};

            if (bias != NULL)
                x += NAME(load_part)(bias + j, f - j, 0);
            /* Written so that NaN stays NaN. */
            NAME(store_part)(g + j, NAME(select)(x <= zero, zero, x), f - j);
            NAME(store_part)(h + j, NAME(select)(x > zero, zero + 1, zero), f - j);
        }
}

static void NAME(activation_back)(REAL *h, const REAL *dg, REAL *dbias, size_t rows, size_t f)
{
    for (size_t r = 0; r < rows; r++, h += f, dg += f)
        for (size_t j = 0; j < f; j += LANES) {
            VEC v = NAME(load_part)(h + j, f - j, 0) * NAME(load_part)(dg + j, f - j, 0);

            NAME(store_part)(h + j, v, f - j);
            if (dbias != NULL)
                NAME(store_part)(dbias + j, NAME(load_part)(dbias + j, f - j, 0) + v, f - j);
        }
}

static void NAME(add)(REAL *y, const REAL *x, const REAL *residual, const REAL *bias, size_t rows,
                      size_t d)
{
    for (size_t r = 0; r < rows; r++, y += d, x += d) {
        for (size_t j = 0; j < d; j += LANES) {
            VEC v = NAME(load_part)(x + j, d - j, 0);

            if (residual != NULL)
                v += NAME(load_part)(residual + j, d - j, 0);
            if (bias != NULL)
                v += NAME(load_part)(bias + j, d - j, 0);
            NAME(store_part)(y + j, v, d - j);
        }
        if (residual != NULL)
            residual += d;
    }
}

static void NAME(norm)(REAL *y, REAL *hat, REAL *rstd, const REAL *x, const REAL *residual,
                       const REAL *bias, const REAL *weight, const REAL *shift, size_t rows,
                       size_t d)
{
    for (size_t r = 0; r < rows; r++, y += d, hat += d, x += d) {
        VEC sum = {0}, squares = {0};
        REAL mean, scale;

        NAME(add)(hat, x, residual != NULL ? residual + r * d : NULL, bias, 1, d);
        for (size_t j = 0; j < d; j += LANES)
            sum += NAME(load_part)(hat + j, d - j, 0);
        mean = NAME(total)(sum) / (REAL) d;
        for (size_t j = 0; j < d; j += LANES) {
            VEC v = NAME(load_part)(hat + j, d - j, mean) - mean;

            squares += v * v;
        }
        scale = 1 / (REAL) sqrt((double) (NAME(total)(squares) / (REAL) d + (REAL) 1e-5));
        rstd[r] = scale;
        for (size_t j = 0; j < d; j += LANES) {
            VEC v = (NAME(load_part)(hat + j, d - j, 0) - mean) * scale;

            NAME(store_part)(hat + j, v, d - j);
            NAME(store_part)(y + j, v * NAME(load_part)(weight + j, d - j, 0)
                                    + NAME(load_part)(shift + j, d - j, 0), d - j);
        }
    }
}

static void NAME(norm_back_row)(REAL *hat, REAL scale, const REAL *dy, const REAL *also,
                                const REAL *weight, REAL *dweight, REAL *dshift, REAL *dbias, size_t d)
{
    VEC sum = {0}, product = {0};
    REAL mean, slope;

    for (size_t j = 0; j < d; j += LANES) {
        size_t count = d - j;
        VEC g = NAME(load_part)(dy + j, count, 0), h = NAME(load_part)(hat + j, count, 0), gw;

        if (also != NULL)
            g += NAME(load_part)(also + j, count, 0);
        NAME(store_part)(dshift + j, NAME(load_part)(dshift + j, count, 0) + g, count);
        NAME(store_part)(dweight + j, NAME(load_part)(dweight + j, count, 0) + g * h, count);
        gw = g * NAME(load_part)(weight + j, count, 0);
        sum += gw;
        product += gw * h;
    }
    mean = NAME(total)(sum) / (REAL) d;
    slope = NAME(total)(product) / (REAL) d;
    for (size_t j = 0; j < d; j += LANES) {
        size_t count = d - j;
        VEC g = NAME(load_part)(dy + j, count, 0), v;

        if (also != NULL)
            g += NAME(load_part)(also + j, count, 0);
        v = scale * (g * NAME(load_part)(weight + j, count, 0) - mean
                     - slope * NAME(load_part)(hat + j, count, 0));
        NAME(store_part)(hat + j, v, count);
        if (dbias != NULL)
            NAME(store_part)(dbias + j, NAME(load_part)(dbias + j, count, 0) + v, count);
    }
}

static void NAME(norm_back)(REAL *hat, const REAL *rstd, const REAL *dy, const REAL *also,
                            const REAL *weight, REAL *dweight, REAL *dshift, REAL *dbias, size_t rows,
                            size_t d)
{
    for (size_t r = 0; r < rows; r++)
        NAME(norm_back_row)(hat + r * d, rstd[r], dy + r * d, also != NULL ? also + r * d : NULL, weight,
                            dweight, dshift, dbias, d);
}

static void NAME(column_sums)(REAL *sum, const REAL *x, size_t ldx, size_t rows, size_t d)
{
    for (size_t r = 0; r < rows; r++, x += ldx)
        for (size_t j = 0; j < d; j += LANES)
            NAME(store_part)(sum + j, NAME(load_part)(sum + j, d - j, 0)
                                      + NAME(load_part)(x + j, d - j, 0), d - j);
}

/* The first index of x [v] that holds value; 0 when none does (a row with NaN). */
static int32_t NAME(find)(const REAL *x, size_t v, REAL value)
{
    for (size_t j = 0; j < v; j += LANES) {
        size_t count = v - j < LANES ? v - j : LANES;
        MASK equal = NAME(load_part)(x + j, count, value) == value;
        INT any = 0;

        for (size_t i = 0; i < LANES; i++)
            any |= equal[i];
        if (!any)
            continue;
        for (size_t i = 0; i < count; i++)
            if (x[j + i] == value)
                return (int32_t) (j + i);
    }
    return 0;
}

static double NAME(cross_entropy)(REAL *x, const REAL *bias, size_t v, int32_t target, REAL dscale,
                                  int32_t *largest)
{
    VEC best = (VEC) {0} - (REAL) INFINITY, sum = {0};
    REAL shift, chosen, total;

    for (size_t j = 0; j < v; j += LANES) {
        VEC z = NAME(load_part)(x + j, v - j, -(REAL) INFINITY);

        if (bias != NULL)
            z += NAME(load_part)(bias + j, v - j, 0);
        best = NAME(larger)(z, best);
        NAME(store_part)(x + j, z, v - j);
    }
    shift = NAME(largest)(best);
    *largest = NAME(find)(x, v, shift);
    if (target < 0) {
        if (dscale != 0)
            memset(x, 0, v * sizeof *x);
        return 0.0;
    }
    chosen = x[target];
    for (size_t j = 0; j < v; j += LANES) {
        VEC e = VEXP(NAME(load_part)(x + j, v - j, -(REAL) INFINITY) - shift);

        sum += e;
        if (dscale != 0)
            NAME(store_part)(x + j, e, v - j);
    }
    total = NAME(total)(sum);
    if (dscale != 0) {
        REAL factor = dscale / total;

        for (size_t j = 0; j < v; j += LANES)
            NAME(store_part)(x + j, NAME(load_part)(x + j, v - j, 0) * factor, v - j);
        x[target] -= dscale;
    }
    return log((double) total) - (double) (chosen - shift);
}

static const struct TABLE NAME(table) = {
    ISA, NAME(softmax), NAME(softmax_back), NAME(row_dots), NAME(gelu), NAME(relu),
    NAME(activation_back), NAME(norm), NAME(norm_back), NAME(add), NAME(column_sums),
    NAME(cross_entropy), PRODUCTS
};

#undef ROW_LOOP
#undef DELAYED
#undef GROUP
#undef PRODUCTS
#undef VEC
#undef MASK
#undef FUSED
#undef ROTATED
#undef INTERLEAVED
#ifdef VEXP_IS_OURS
#undef VEXP_IS_OURS
#endif
#ifdef VERF_IS_OURS
#undef VERF_IS_OURS
#endif
#undef VEXP
#undef VERF
#undef NAME
#undef TABLE
#undef REAL
#undef INT
#undef LANES
