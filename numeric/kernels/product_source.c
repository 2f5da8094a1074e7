/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix products for the shapes of a Transformer: c = a·b, with b packed once and used for many rows,
 * or for many products.  Included by numeric/kernels_ISA.c after numeric/kernels/vector_source.c, with TILE_ROWS
 * (rows of the largest tile) and FUSED set.
 *
 * b [k, n] is packed in blocks of PACK_DEPTH rows, each as strips of one to three vectors' width, so
 * that a strip is read front to back.  A tile holds rows × strip of c in registers while k runs; its rows
 * of a are read where they lie, their entries spread over a vector.  Every entry of c is summed in the order
 * of k, block by block, whatever tile it falls into: it does not depend on m, nor on the other columns.
 * FUSED(x, y, z) is x·y + z rounded once: left to the compiler, some tiles would round twice (gcc 13 and
 * later leave chains of sums unfused for generic tuning) and an entry would depend on its tile. */

enum { NAME(PACK_DEPTH) = 256, NAME(STRIP) = 3 * LANES };

/* Vectors of the strip that begins at column j of n: 3, where that leaves no strip of one behind. */
static inline size_t NAME(strip_vectors)(size_t j, size_t n)
{
    size_t left = (n - j + LANES - 1) / LANES;

    return left == 4 ? 2 : left < 3 ? left : 3;
}

static size_t NAME(packed_count)(size_t k, size_t n)
{
    return k * ((n + LANES - 1) / LANES * LANES);
}

/* LANES rows of LANES numbers each, ldb apart, become columns: row i of the result is at out + i·ldo. */
static inline void NAME(transpose)(REAL *out, size_t ldo, const REAL *b, size_t ldb)
{
    VEC x[LANES], y[LANES];

    AT_UNROLLED
    for (size_t i = 0; i < LANES; i++)
        x[i] = NAME(load)(b + i * ldb);
    AT_UNROLLED
    for (size_t step = 1; step < LANES; step *= 2) {
        AT_UNROLLED
        for (size_t i = 0; i < LANES / 2; i++) {
            y[2 * i] = INTERLEAVED(x[i], x[i + LANES / 2], 0);
            y[2 * i + 1] = INTERLEAVED(x[i], x[i + LANES / 2], 1);
        }
        AT_UNROLLED
        for (size_t i = 0; i < LANES; i++)
            x[i] = y[i];
    }
    AT_UNROLLED
    for (size_t i = 0; i < LANES; i++)
        NAME(store)(out + i * ldo, x[i]);
}

/* One strip of width numbers, of which count are of b: depth rows from b on (b transposed: columns). */
static void NAME(pack_strip)(REAL *out, size_t width, size_t count, const REAL *b, size_t ldb, bool trans,
                             size_t depth)
{
    if (!trans) {
        for (size_t p = 0; p < depth; p++, out += width, b += ldb)
            for (size_t j = 0; j < width; j += LANES)
                NAME(store)(out + j, j + LANES <= count ? NAME(load)(b + j)
                                     : NAME(load_part)(b + j, count - j, 0));
        return;
    }
    for (size_t j = 0; j < width; j += LANES) {
        size_t p = 0, columns = count - j < LANES ? count - j : LANES;

        for (; columns == LANES && p + LANES <= depth; p += LANES)
            NAME(transpose)(out + p * width + j, width, b + j * ldb + p, ldb);
        for (; p < depth; p++)
            for (size_t c = 0; c < LANES; c++)
                out[p * width + j + c] = c < columns ? b[(j + c) * ldb + p] : 0;
    }
}

/* The strips of a block of depth rows that begin at columns first … end. */
static void NAME(pack_block)(REAL *out, const REAL *b, size_t ldb, bool trans, size_t depth, size_t n,
                             size_t first, size_t end)
{
    for (size_t j = first; j < end; ) {
        size_t width = NAME(strip_vectors)(j, n) * LANES;

        NAME(pack_strip)(out, width, n - j < width ? n - j : width, b + (trans ? j * ldb : j), ldb,
                         trans, depth);
        out += width * depth;
        j += width;
    }
}

static void NAME(pack)(REAL *out, const REAL *b, size_t ldb, bool trans, size_t k, size_t n)
{
    for (size_t p = 0; p < k; p += NAME(PACK_DEPTH)) {
        size_t depth = k - p < NAME(PACK_DEPTH) ? k - p : NAME(PACK_DEPTH);

        NAME(pack_block)(out, b + (trans ? p : p * ldb), ldb, trans, depth, n, 0, n);
        out += NAME(packed_count)(depth, n);
    }
}

/* What the tiles of one block share. */
typedef struct {
    const REAL *a, *bias;     /* bias [n] of the block: added to every row; or NULL */
    size_t lda, depth, ldc;
    bool trans, add;
} NAME(panel);

/* rows × vectors·LANES numbers of c.  Inlined with constant rows, vectors and trans, so that the sums are
 * registers. */
static inline AT_INLINED void NAME(tile_of)(size_t rows, size_t vectors, bool trans, const REAL *a,
                                            const NAME(panel) *panel, const REAL *bias,
                                            const REAL *b, REAL *c)
{
    size_t lda = panel->lda, depth = panel->depth, ldc = panel->ldc;
    VEC sum[TILE_ROWS][3];

    AT_UNROLLED
    for (size_t r = 0; r < rows; r++)
        AT_UNROLLED
        for (size_t v = 0; v < vectors; v++)
            sum[r][v] = (VEC) {0};
    for (size_t p = 0; p < depth; p++, a += trans ? lda : 1, b += vectors * LANES) {
        VEC x[3];

        AT_UNROLLED
        for (size_t v = 0; v < vectors; v++)
            x[v] = NAME(load)(b + v * LANES);
        AT_UNROLLED
        for (size_t r = 0; r < rows; r++) {
            VEC y = (trans ? a[r] : a[r * lda]) - (VEC) {0};

            AT_UNROLLED
            for (size_t v = 0; v < vectors; v++)
                sum[r][v] = FUSED(y, x[v], sum[r][v]);
        }
    }
    AT_UNROLLED
    for (size_t r = 0; r < rows; r++)
        AT_UNROLLED
        for (size_t v = 0; v < vectors; v++) {
            REAL *to = c + r * ldc + v * LANES;

            if (bias != NULL)
                sum[r][v] += NAME(load)(bias + v * LANES);
            NAME(store)(to, panel->add ? NAME(load)(to) + sum[r][v] : sum[r][v]);
        }
}

#define TILE(rows, vectors) \
    (panel->trans ? NAME(tile_of)(rows, vectors, true, a, panel, bias, b, c) \
                  : NAME(tile_of)(rows, vectors, false, a, panel, bias, b, c))
#define TILES(vectors) \
    static void NAME(tiles_##vectors)(const NAME(panel) *panel, const REAL *a, const REAL *bias, \
                                      const REAL *b, REAL *c, size_t rows) \
    { \
        size_t step = panel->trans ? 1 : panel->lda, ldc = panel->ldc; \
 \
        for (; rows >= TILE_ROWS; rows -= TILE_ROWS, a += TILE_ROWS * step, c += TILE_ROWS * ldc) \
            TILE(TILE_ROWS, vectors); \
        for (; rows >= 4; rows -= 4, a += 4 * step, c += 4 * ldc) \
            TILE(4, vectors); \
        for (; rows > 0; rows--, a += step, c += ldc) \
            TILE(1, vectors); \
    }
TILES(1)
TILES(2)
TILES(3)
#undef TILE
#undef TILES

/* rows × width numbers of c from one strip; count < width: the last columns are not of c. */
static void NAME(tile)(const NAME(panel) *panel, const REAL *a, const REAL *bias, const REAL *b, REAL *c,
                       size_t rows, size_t width, size_t count)
{
    REAL edge[TILE_ROWS * NAME(STRIP)], bias_edge[NAME(STRIP)] = {0};
    NAME(panel) at = *panel;
    REAL *to = c;

    if (count < width) {
        at.ldc = width;
        to = edge;
        if (bias != NULL)
            bias = memcpy(bias_edge, bias, count * sizeof *bias);
        for (size_t r = 0; r < rows && at.add; r++) {
            memset(edge + r * width, 0, width * sizeof *edge);
            memcpy(edge + r * width, c + r * panel->ldc, count * sizeof *edge);
        }
    }
    switch (width / LANES) {
    case 1: NAME(tiles_1)(&at, a, bias, b, to, rows); break;
    case 2: NAME(tiles_2)(&at, a, bias, b, to, rows); break;
    default: NAME(tiles_3)(&at, a, bias, b, to, rows); break;
    }
    for (size_t r = 0; r < rows && count < width; r++)
        memcpy(c + r * panel->ldc, edge + r * width, count * sizeof *edge);
}

/* The strips of c that begin at columns first … end, all m rows, from the packed ones at b; returns
 * the column behind them. */
static size_t NAME(run_block)(const NAME(panel) *panel, const REAL *b, REAL *c, size_t m, size_t n,
                              size_t first, size_t end)
{
    size_t step = panel->trans ? 1 : panel->lda, j = first;

    for (size_t i = 0; i < m; i += TILE_ROWS) {
        size_t rows = m - i < TILE_ROWS ? m - i : TILE_ROWS;
        const REAL *strip = b;

        for (j = first; j < end; ) {
            size_t width = NAME(strip_vectors)(j, n) * LANES;

            NAME(tile)(panel, panel->a + i * step, panel->bias != NULL ? panel->bias + j : NULL, strip,
                       c + i * panel->ldc + j, rows, width, n - j < width ? n - j : width);
            strip += width * panel->depth;
            j += width;
        }
    }
    return j;
}

/* Columns that are packed at once, and one strip more: PACK_DEPTH × so many numbers stay in cache. */
enum { NAME(PACK_WIDTH) = 8 * NAME(STRIP) };

static size_t NAME(pack_room)(void)
{
    return (size_t) NAME(PACK_DEPTH) * (NAME(PACK_WIDTH) + NAME(STRIP));
}

static void NAME(product)(const PRODUCT *q, REAL *scratch)
{
    size_t wide = (q->n + LANES - 1) / LANES * LANES;

    for (size_t first = 0, next; first < q->n; first = next) {
        size_t end = q->n - first < NAME(PACK_WIDTH) ? q->n : first + NAME(PACK_WIDTH);

        next = end;
        for (size_t p = 0; p < q->k; p += NAME(PACK_DEPTH)) {
            size_t depth = q->k - p < NAME(PACK_DEPTH) ? q->k - p : NAME(PACK_DEPTH);
            NAME(panel) panel = {q->a + (q->trans_a ? p * q->lda : p), p == 0 ? q->bias : NULL, q->lda,
                                 depth, q->ldc, q->trans_a, q->add || p > 0};
            const REAL *packed = q->packed != NULL ? q->packed + p * wide + first * depth : scratch;

            if (q->packed == NULL)
                NAME(pack_block)(scratch, q->b + (q->trans_b ? p : p * q->ldb), q->ldb, q->trans_b,
                                 depth, q->n, first, end);
            next = NAME(run_block)(&panel, packed, q->c, q->m, q->n, first, end);
        }
    }
}

#undef PRODUCT
#define PRODUCTS NAME(packed_count), NAME(pack), NAME(pack_room), NAME(product)
