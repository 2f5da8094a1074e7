/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of figures: the script's name, the table that it reads, what to see in it. */
#include "plots/plot.h"

const at_figure at_figures[] = {
    { NULL, NULL, NULL, NULL }
};
