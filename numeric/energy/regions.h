/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of the plane in which a descent step is guaranteed: Apollonius balls
 * (opt.apollonius) and the region of a ReLU step (opt.relu-divergence). */
#ifndef ATTEST_NUMERIC_ENERGY_REGIONS_H
#define ATTEST_NUMERIC_ENERGY_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* {y : ‖y − f‖ ≤ C‖y − h‖} in the plane. */
typedef struct { double f[2], h[2], C; } at_apollonius;

/* Whether y lies in the region. */
bool at_apollonius_holds(const at_apollonius *a, const double y[2]);
/* Centre (f − C²h)/(1 − C²) and radius C‖f − h‖/|1 − C²| of its circle; C ≠ 1.  The region is the
 * inside for C < 1 and the outside for C > 1. */
void at_apollonius_circle(double centre[2], double *radius, const at_apollonius *a);

/* {x : Σ_i min(x_i² − ξ_i², 0) ≥ −κ‖ξ‖²}, ξ = α(xW + x − B), in the plane. */
typedef struct { double W[4], B[2], alpha, kappa; } at_relu_region;

/* Whether x lies in the region. */
bool at_relu_region_holds(const at_relu_region *r, const double x[2]);

/* A region over the square [low, high)² in cells of size step, each decided at its lower left
 * corner: the share of cells that hold, and each row's maximal runs of them. */
typedef struct { double x_low, x_high, y_low, y_high; } at_region_run;

double at_region_share(bool (*holds)(const void *region, const double point[2]), const void *region,
                       double low, double high, double step);
/* The runs from the lowest row up into runs[capacity]; their number, which may be larger. */
size_t at_region_runs(at_region_run *runs, size_t capacity,
                      bool (*holds)(const void *region, const double point[2]), const void *region,
                      double low, double high, double step);

#ifdef __cplusplus
}
#endif

#endif
