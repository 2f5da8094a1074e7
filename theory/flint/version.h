/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which FLINT and which Arb this process runs on. */
#ifndef ATTEST_THEORY_FLINT_VERSION_H
#define ATTEST_THEORY_FLINT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "FLINT 2.9.0, Arb 2.23.0" or "FLINT 3.1.3": the libraries compiled against, a static string. */
const char *at_flint_version(void);

#ifdef __cplusplus
}
#endif

#endif
