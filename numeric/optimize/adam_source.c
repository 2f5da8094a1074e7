/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adam's update for one precision, included by adam.c with REAL, ROOT and NAME(x) defined. */

AT_VECTORISED
void NAME(at_adam_update)(REAL *restrict x, REAL *restrict m, REAL *restrict v,
                          const REAL *restrict g, size_t count, double rate,
                          const at_adam_params *params, uint64_t t)
{
    const REAL keep1 = (REAL) params->beta1, take1 = (REAL) (1.0 - params->beta1);
    const REAL keep2 = (REAL) params->beta2, take2 = (REAL) (1.0 - params->beta2);
    const REAL epsilon = (REAL) params->epsilon;
    const REAL step = (REAL) (rate / (1.0 - pow(params->beta1, (double) t)));
    const REAL correction = (REAL) sqrt(1.0 - pow(params->beta2, (double) t));

    for (size_t i = 0; i < count; i++) {
        REAL first = keep1 * m[i] + take1 * g[i];
        REAL second = keep2 * v[i] + take2 * (g[i] * g[i]);
        REAL bottom = ROOT(second) / correction + epsilon;
        REAL change = step * (first / bottom);

        m[i] = first;
        v[i] = second;
        x[i] -= bottom > 0 ? change : 0;
    }
}
