/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The floors of the symmetric classes, from a floor that holds the collapsing one. */
#ifndef ATTEST_THEORY_FLOOR_IMPL_H
#define ATTEST_THEORY_FLOOR_IMPL_H

#include "attest/theory/floor/floor.h"

int at_floor_reversal(at_floor_t floor, const at_seqfun *fun, at_error *err) AT_MUST_CHECK;
int at_floor_permutations(at_floor_t floor, const at_seqfun *fun, at_error *err) AT_MUST_CHECK;

#endif
