/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does this layer lower its energy on these rows?  Decided rigorously, from the doubles as they are.
 *
 *     cc certify.c $(pkg-config --cflags --libs attest)
 *
 * Attention with rho = log(2 + z) takes (0, 2) to (2/3, 4/3): exp E falls from 4 to 20/9.  Relaxed
 * attention descends up to alpha = 2 and not beyond; equal rows are a fixed point. */
#include <stdio.h>

#include "attest/theory/energy/energy.h"

static int decide(const char *label, const at_energy_layer *layer, const double *rows)
{
    at_error err = AT_ERROR_INIT;
    at_energy_certificate certificate;
    int status = at_energy_certify_step(&certificate, layer, AT_HALF_WHOLE, rows, 0, &err);

    if (status != AT_OK)
        fprintf(stderr, "%s\n", err.text);
    else
        printf("%s: %.6f -> %.6f, %s\n", label, certificate.before[0], certificate.after[0],
               at_energy_outcome_name(certificate.outcome));
    return status;
}

int main(void)
{
    const double pair[] = { 0, 2 }, near[] = { 0, 0.1 }, equal[] = { 0.1, 0.1 };
    at_energy_layer layer = { .step = AT_STEP_SOFTMAX_BETA, .rho = AT_RHO_LOG, .n = 2, .d = 1 };
    int status = decide("log(2+z), rows 0 and 2", &layer, pair);

    layer.step = AT_STEP_RELAXED;
    layer.rho = AT_RHO_EXP;
    for (layer.alpha = 1.75; status == AT_OK && layer.alpha <= 2.25; layer.alpha += 0.25) {
        char label[64];
        snprintf(label, sizeof label, "relaxed, alpha = %.2f", layer.alpha);
        status = decide(label, &layer, near);
    }
    return status == AT_OK ? decide("equal rows", &layer, equal) : status;
}
