/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of the library. */
#ifndef ATTEST_CORE_VERSION_H
#define ATTEST_CORE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0": the version the library was built as, a static string. */
const char *at_version(void);

#ifdef __cplusplus
}
#endif

#endif
