/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which FLINT and which Arb this process runs on. */
#include "attest/theory/flint/compat.h"

#include "attest/theory/flint/version.h"

#define AT_TEXT(x) #x
#define AT_EXPANDED(x) AT_TEXT(x)

const char *at_flint_version(void)
{
    /* FLINT_VERSION was empty in some builds of 3.0; the parts never were. */
    return "FLINT " AT_EXPANDED(__FLINT_VERSION) "." AT_EXPANDED(__FLINT_VERSION_MINOR)
           "." AT_EXPANDED(__FLINT_VERSION_PATCHLEVEL)
#if !__has_include(<flint/arb.h>)
           ", Arb " ARB_VERSION
#endif
        ;
}
