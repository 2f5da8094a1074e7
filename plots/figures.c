/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of figures: the script's name, the table that it reads, its title, what to see in it.
 * The tables' columns are in doc/tables.md. */
#include "plots/plot.h"

const at_figure at_figures[] = {
    { "gaps", "gaps.tsv", "Approximation gaps",
      "On constant sequences the error of a model without encoding or with relative ones stays at or "
      "above the certified floor; URPE and APE go far below it." },
    { "training", "bounds.tsv", "Training",
      "Loss and accuracy by step; the dashed lines are the bounds that no collapsing model can cross on "
      "constant sequences." },
    { "encoding-tables", "encoding-tables.tsv", "Learned tables",
      "The learned biases B and factors C: a row a head, a column an offset i − j." },
    { "energy", "energy.tsv", "Energy by layer",
      "Mean, median and quartiles of the documents' energies, layer by layer." },
    { "certificates", "documents.tsv", "Certificates",
      "Every step of every document, by what was decided of it." },
    { NULL, NULL, NULL, NULL }
};
