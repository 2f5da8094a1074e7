/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of everything that a number may depend on, and the machine. */
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "attest/core/version.h"
#include "attest/experiments/run/run.h"
#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/kernels/kernels.h"
#include "attest/theory/flint/version.h"

void at_processor_name(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    struct utsname machine;
    char line[256];

    snprintf(name, size, "%s", uname(&machine) >= 0 ? machine.machine : "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strstr(line, ": ");

        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%s", colon + 2);
        break;
    }
    if (file != NULL)
        fclose(file);
}

json_t *at_versions_json(void)
{
    char processor[256];

    at_processor_name(processor, sizeof processor);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s}", "attest", at_version(), "flint",
                     at_flint_version(), "gsl", gsl_version, "blas", at_blas_name(), "jansson",
                     JANSSON_VERSION, "zlib", zlibVersion(), "kernels", at_isa_name(at_isa_in_use()),
                     "blas_kernel", at_blas_kernel(), "processor", processor);
}
