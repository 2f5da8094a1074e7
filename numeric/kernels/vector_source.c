/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of LANES numbers of one precision REAL: loads, sums, exp, erf.  Included by
 * numeric/kernels_ISA.c with REAL, LANES (elements a vector), INT (an integer as wide as REAL), VEXP and
 * VERF (vector functions, or undefined: libm by element) and NAME(x) set; numeric/kernels/kernels_source.c takes
 * the names away again.  Vectors are the compilers' generic ones; rows may have any length and
 * alignment. */

typedef REAL NAME(vec) __attribute__((vector_size(LANES * sizeof(REAL))));
typedef INT NAME(mask) __attribute__((vector_size(LANES * sizeof(REAL))));
#define VEC NAME(vec)
#define MASK NAME(mask)

static inline VEC NAME(load)(const REAL *p)
{
    VEC v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void NAME(store)(REAL *p, VEC v)
{
    memcpy(p, &v, sizeof v);
}

/* The first count elements, the others fill. */
static inline VEC NAME(load_part)(const REAL *p, size_t count, REAL fill)
{
    VEC v;

    if (count >= LANES)
        return NAME(load)(p);
    v = (VEC) {0} + fill;
    for (size_t i = 0; i < count; i++)
        v[i] = p[i];
    return v;
}

static inline void NAME(store_part)(REAL *p, VEC v, size_t count)
{
    if (count >= LANES)
        NAME(store)(p, v);
    else
        for (size_t i = 0; i < count; i++)
            p[i] = v[i];
}

static inline VEC NAME(select)(MASK which, VEC yes, VEC no)
{
    return (VEC) ((which & (MASK) yes) | (~which & (MASK) no));
}

/* Lane i of the result is lane i + by of v, wrapping. */
#if LANES == 2
#define ROTATED(v, by) __builtin_shufflevector(v, v, 1, 0)
#elif LANES == 4
#define ROTATED(v, by) __builtin_shufflevector(v, v, by, (by + 1) % 4, (by + 2) % 4, (by + 3) % 4)
#elif LANES == 8
#define ROTATED(v, by) __builtin_shufflevector(v, v, by, (by + 1) % 8, (by + 2) % 8, (by + 3) % 8, \
                                               (by + 4) % 8, (by + 5) % 8, (by + 6) % 8, (by + 7) % 8)
#else
#define ROTATED(v, by) __builtin_shufflevector(v, v, by, (by + 1) % 16, (by + 2) % 16, (by + 3) % 16, \
    (by + 4) % 16, (by + 5) % 16, (by + 6) % 16, (by + 7) % 16, (by + 8) % 16, (by + 9) % 16, \
    (by + 10) % 16, (by + 11) % 16, (by + 12) % 16, (by + 13) % 16, (by + 14) % 16, (by + 15) % 16)
#endif

/* The lower and the upper halves of two vectors, taking turns. */
#if LANES == 2
#define INTERLEAVED(a, b, half) __builtin_shufflevector(a, b, half, 2 + half)
#elif LANES == 4
#define INTERLEAVED(a, b, half) __builtin_shufflevector(a, b, 2 * half, 4 + 2 * half, 1 + 2 * half, \
                                                        5 + 2 * half)
#elif LANES == 8
#define INTERLEAVED(a, b, half) __builtin_shufflevector(a, b, 4 * half, 8 + 4 * half, 1 + 4 * half, \
    9 + 4 * half, 2 + 4 * half, 10 + 4 * half, 3 + 4 * half, 11 + 4 * half)
#else
#define INTERLEAVED(a, b, half) __builtin_shufflevector(a, b, 8 * half, 16 + 8 * half, 1 + 8 * half, \
    17 + 8 * half, 2 + 8 * half, 18 + 8 * half, 3 + 8 * half, 19 + 8 * half, 4 + 8 * half, \
    20 + 8 * half, 5 + 8 * half, 21 + 8 * half, 6 + 8 * half, 22 + 8 * half, 7 + 8 * half, \
    23 + 8 * half)
#endif

static inline REAL NAME(total)(VEC v)
{
#if LANES == 16
    v += ROTATED(v, 8);
#endif
#if LANES >= 8
    v += ROTATED(v, 4);
#endif
#if LANES >= 4
    v += ROTATED(v, 2);
#endif
    v += ROTATED(v, 1);
    return v[0];
}

static inline VEC NAME(larger)(VEC a, VEC b)
{
    return NAME(select)(a > b, a, b);
}

static inline REAL NAME(largest)(VEC v)
{
#if LANES == 16
    v = NAME(larger)(v, ROTATED(v, 8));
#endif
#if LANES >= 8
    v = NAME(larger)(v, ROTATED(v, 4));
#endif
#if LANES >= 4
    v = NAME(larger)(v, ROTATED(v, 2));
#endif
    v = NAME(larger)(v, ROTATED(v, 1));
    return v[0];
}

#ifndef VEXP
static inline VEC NAME(exp_by_element)(VEC x)
{
    for (size_t i = 0; i < LANES; i++)
        x[i] = (REAL) (sizeof(REAL) == 4 ? expf((float) x[i]) : exp((double) x[i]));
    return x;
}
#define VEXP NAME(exp_by_element)
#define VEXP_IS_OURS
#endif
#ifndef VERF
static inline VEC NAME(erf_by_element)(VEC x)
{
    for (size_t i = 0; i < LANES; i++)
        x[i] = (REAL) (sizeof(REAL) == 4 ? erff((float) x[i]) : erf((double) x[i]));
    return x;
}
#define VERF NAME(erf_by_element)
#define VERF_IS_OURS
#endif
