/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run of energy layers leaves in its folder and on the terminal. */
#ifndef ATTEST_EXPERIMENTS_ENERGY_OUTPUT_H
#define ATTEST_EXPERIMENTS_ENERGY_OUTPUT_H

#include "attest/experiments/energy/model.h"

/* metrics.tsv, energy.tsv, documents.tsv (doc/tables.md). */
int at_energy_write_tables(const at_run *run, const at_energy_result *result,
                           const at_energy_job *job, const at_energy_data *data,
                           at_error *err) AT_MUST_CHECK;

/* A few lines on standard output; source: of at_energy_data_describe. */
void at_energy_print(const at_energy_result *result, const at_energy_job *job, const char *source,
                     const at_energy_data *data, const at_energy_weights *weights,
                     const at_run *run);

#endif
