/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>

#include "attest/numeric/encoding/parts.h"

/* KERPLE (Chi et al. 2022) with r = exp(raw), for power r_2 = 2σ(raw), so that 0 < r_2 < 2.  bias NULL:
 * backward. */
static void kerple(const at_encoding_call *call, const REAL *raw, REAL *bias,
                   const REAL *dbias, REAL *draw)
{
    size_t heads = call->model->heads, n = call->model->n, offsets = 2 * n - 1;
    bool power = call->model->encoding == AT_ENC_KERPLE_POWER;

    for (size_t h = 0; h < heads; h++) {
        double r1 = exp((double) raw[h]), raw2 = (double) raw[heads + h];
        double r2 = power ? 2.0 / (1.0 + exp(-raw2)) : exp(raw2);
        double slope = power ? r2 * (1.0 - r2 / 2.0) : r2, sum1 = 0.0, sum2 = 0.0;

        for (size_t o = 0; o < offsets; o++) {
            double distance = fabs((double) o - (double) (n - 1));
            double grown = power ? pow(distance, r2) : log1p(r2 * distance);

            if (bias != NULL) {
                bias[h * offsets + o] = (REAL) (-r1 * grown);
                continue;
            }
            sum1 -= (double) dbias[h * offsets + o] * r1 * grown;
            if (distance > 0.0)
                sum2 -= (double) dbias[h * offsets + o] * r1 * slope
                        * (power ? grown * log(distance) : distance / (1.0 + r2 * distance));
        }
        if (bias == NULL) {
            draw[h] += (REAL) sum1;
            draw[heads + h] += (REAL) sum2;
        }
    }
}

static void prepare(const at_encoding_call *call, const REAL *const *slots, at_derived *out)
{
    kerple(call, slots[0], out->bias, NULL, NULL);
}

static void pull_back(const at_encoding_call *call, const REAL *const *slots, const at_derived *made,
                      at_derived *back, REAL *const *dslots)
{
    (void) made;
    kerple(call, slots[0], NULL, back->bias, dslots[0]);
}

const at_encoding_float AT_ENCODING_FLOAT(kerple_log) = {
    .slots = {{"kerple.weight", AT_PARAM_SCALAR, "2h"}},
    .shape = {.bias = AT_TABLE_OFFSET}, .prepare = prepare, .back = pull_back
};

const at_encoding_float AT_ENCODING_FLOAT(kerple_power) = {
    .slots = {{"kerple.weight", AT_PARAM_SCALAR, "2h"}},
    .shape = {.bias = AT_TABLE_OFFSET}, .prepare = prepare, .back = pull_back
};
