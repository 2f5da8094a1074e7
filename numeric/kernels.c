/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernels this machine can run. */
#include "config.h"

#include "numeric/kernels.h"
#include "numeric/kernels_isa.h"

static bool machine_has(enum at_isa isa)
{
    switch (isa) {
    case AT_ISA_GENERIC:
        return true;
#ifdef AT_X86_KERNELS
    case AT_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case AT_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
            && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("fma");
#endif
    default:
        return false;
    }
}

const at_kernels *at_kernels_for(enum at_isa isa)
{
    if (!machine_has(isa))
        return NULL;
#ifdef AT_X86_KERNELS
    if (isa == AT_ISA_AVX512)
        return at_kernels_avx512();
    if (isa == AT_ISA_AVX2)
        return at_kernels_avx2();
#endif
    return at_kernels_generic();
}

const at_kernelsf *at_kernelsf_for(enum at_isa isa)
{
    if (!machine_has(isa))
        return NULL;
#ifdef AT_X86_KERNELS
    if (isa == AT_ISA_AVX512)
        return at_kernelsf_avx512();
    if (isa == AT_ISA_AVX2)
        return at_kernelsf_avx2();
#endif
    return at_kernelsf_generic();
}

const at_kernels *at_kernels_best(void)
{
    const at_kernels *best = NULL;

    for (int isa = AT_ISA_COUNT - 1; isa >= 0 && best == NULL; isa--)
        best = at_kernels_for((enum at_isa) isa);
    return best;
}

const at_kernelsf *at_kernelsf_best(void)
{
    const at_kernelsf *best = NULL;

    for (int isa = AT_ISA_COUNT - 1; isa >= 0 && best == NULL; isa--)
        best = at_kernelsf_for((enum at_isa) isa);
    return best;
}
