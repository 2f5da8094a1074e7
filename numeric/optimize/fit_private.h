/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two halves of the fit driver share. */
#ifndef ATTEST_NUMERIC_OPTIMIZE_FIT_PRIVATE_H
#define ATTEST_NUMERIC_OPTIMIZE_FIT_PRIVATE_H

#include "attest/numeric/optimize/fit.h"

/* Euclidean norm without overflow; not finite where an entry is not. */
double at_fit_norm(const double *x, size_t size);
/* ‖gradient‖·max(1, ‖x‖). */
double at_fit_slope(const double *gradient, const double *x, size_t size);

/* at_fit_minimize for levenberg-marquardt. */
int at_fit_squares(double *x, at_fit_result *result, const at_objective *objective,
                   const at_fit_options *options, at_error *err) AT_MUST_CHECK;

#endif
