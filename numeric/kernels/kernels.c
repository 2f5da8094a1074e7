/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernels this machine can run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "attest/numeric/kernels/kernels.h"
#include "attest/numeric/kernels/isa.h"

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

static const char *const names[AT_ISA_COUNT] = {"generic", "avx2", "avx512"};

const char *at_isa_name(enum at_isa isa)
{
    return names[isa];
}

static enum at_isa fastest(void)
{
    int isa = AT_ISA_COUNT - 1;

    while (!machine_has((enum at_isa) isa))
        isa--;
    return (enum at_isa) isa;
}

int at_isa_choose(enum at_isa *isa, at_error *err)
{
    const char *wanted = getenv("ATTEST_KERNELS");
    int level = 0;

    *isa = fastest();
    if (wanted == NULL || *wanted == '\0')
        return AT_OK;
    while (level < AT_ISA_COUNT && strcmp(wanted, names[level]) != 0)
        level++;
    if (level == AT_ISA_COUNT)
        return at_error_set(err, AT_USAGE, "ATTEST_KERNELS=%s: there are the levels generic, avx2 and "
                            "avx512; unset it for the fastest that this machine has, %s", wanted,
                            names[*isa]);
    if (!machine_has((enum at_isa) level))
        return at_error_set(err, AT_ENVIRONMENT, "ATTEST_KERNELS=%s: this processor, or this build, has no "
                            "such kernels; the fastest here is %s", wanted, names[*isa]);
    *isa = (enum at_isa) level;
    return AT_OK;
}

enum at_isa at_isa_in_use(void)
{
    at_error err = AT_ERROR_INIT;
    enum at_isa isa;
    int status = at_isa_choose(&isa, &err);

    (void) status;      /* isa is the fastest then */
    return isa;
}
