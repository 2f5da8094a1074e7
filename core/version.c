/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of the library, as configure was told it. */
#include "config.h"

#include "attest/core/version.h"

const char *at_version(void)
{
    return PACKAGE_VERSION;
}
