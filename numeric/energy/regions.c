/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of guaranteed descent in the plane: see energy_regions.h. */
#include "attest/numeric/energy/regions.h"

#include <math.h>

bool at_apollonius_holds(const at_apollonius *a, const double y[2])
{
    return hypot(y[0] - a->f[0], y[1] - a->f[1]) <= a->C * hypot(y[0] - a->h[0], y[1] - a->h[1]);
}

void at_apollonius_circle(double centre[2], double *radius, const at_apollonius *a)
{
    double c2 = a->C * a->C;

    for (int k = 0; k < 2; k++)
        centre[k] = (a->f[k] - c2 * a->h[k]) / (1 - c2);
    *radius = a->C * hypot(a->f[0] - a->h[0], a->f[1] - a->h[1]) / fabs(1 - c2);
}

bool at_relu_region_holds(const at_relu_region *r, const double x[2])
{
    double sum = 0, norm = 0;

    for (int k = 0; k < 2; k++) {
        double xi = r->alpha * (x[0] * r->W[k] + x[1] * r->W[2 + k] + x[k] - r->B[k]);
        sum += fmin(x[k] * x[k] - xi * xi, 0);
        norm += xi * xi;
    }
    return sum >= -r->kappa * norm;
}

static size_t cells(double low, double high, double step)
{
    return (size_t) llround((high - low) / step);
}

double at_region_share(bool (*holds)(const void *region, const double point[2]), const void *region,
                       double low, double high, double step)
{
    size_t n = cells(low, high, step), count = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double point[2] = { low + step * (double) j, low + step * (double) i };
            count += holds(region, point);
        }
    return n > 0 ? (double) count / ((double) n * (double) n) : 0;
}

size_t at_region_runs(at_region_run *runs, size_t capacity,
                      bool (*holds)(const void *region, const double point[2]), const void *region,
                      double low, double high, double step)
{
    size_t n = cells(low, high, step), count = 0;

    for (size_t i = 0; i < n; i++) {
        double y = low + step * (double) i;
        for (size_t j = 0; j < n; j++) {
            double first = low + step * (double) j;
            size_t k = j;
            while (k < n) {
                const double point[2] = { low + step * (double) k, y };
                if (!holds(region, point))
                    break;
                k++;
            }
            if (k == j)
                continue;
            if (count < capacity)
                runs[count] = (at_region_run) { first, low + step * (double) k, y, y + step };
            count++;
            j = k;
        }
    }
    return count;
}
