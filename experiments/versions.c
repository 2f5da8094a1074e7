/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of everything that a number may depend on. */
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <zlib.h>

#include "core/version.h"
#include "experiments/run.h"
#include "numeric/blas.h"
#include "theory/flint_version.h"

json_t *at_versions_json(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "attest", at_version(), "flint", at_flint_version(),
                     "gsl", gsl_version, "blas", at_blas_name(), "jansson", JANSSON_VERSION, "zlib", zlibVersion());
}
