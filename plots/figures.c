/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of figures: the script's name, the table that it reads, its title, what to see in it.
 * The tables' columns are in doc/tables.md. */
#include "attest/plots/plot.h"

const at_figure at_figures[] = {
    { "gaps", "gaps.tsv", "Approximation gaps",
      "On constant sequences the error of a model without encoding or with relative ones stays at or "
      "above the certified floor, where the function has one; URPE and APE go far below it." },
    { "bars", "bars.tsv", "Accuracy by encoding",
      "A bar is the mean over the seeds, its whiskers are their spread. On constant sequences no encoding that collapses is above the "
      "dashed ceiling; on random ones plain RPE's failure is depth and training, not expressivity." },
    { "window", "window.tsv", "Accuracy against length",
      "At one budget: plain RPE learns short sequences of random tokens and loses long ones; on constant "
      "ones the theorem holds it down at every length." },
    { "encodings", "encodings.tsv", "Every encoding on both tasks",
      "An encoding that leaves attention a softmax collapses on constant sequences by theorem: none "
      "of those bars passes the dashed ceiling, whatever it learns on random ones. Where distances alone "
      "count, symmetry bounds random sequences too." },
    { "cost", "cost.tsv", "What URPE costs",
      "Time and peak memory of a training step with URPE over those with plain RPE, against length." },
    { "size", "size.tsv", "Error against width and depth",
      "The certified floor does not move, however wide and deep the network. A point is the mean over "
      "the depths, or over the widths." },
    { "training", "bounds.tsv", "Training",
      "Loss and accuracy by step; the dashed lines are the bounds that no collapsing model can cross on "
      "constant sequences; its own curves there may touch them." },
    { "constants", "constants.tsv", "A function and its fit on constants",
      "Left the outputs that are asked for on constant sequences, right what the model gives: one curve "
      "where it collapses. The dashes are twice the floor: no one curve is near both of their ends." },
    { "encoding-tables", "encoding-tables.tsv", "Learned tables",
      "The learned biases B and factors C: a row a head, a column an offset i − j." },
    { "energy", "energy.tsv", "Energy by layer",
      "Mean, median and quartiles of the documents' energies, layer by layer." },
    { "certificates", "documents.tsv", "Certificates",
      "Every step of every document, by what was decided of it." },
    { "regions", "regions.tsv", "Where a half-step is sure to descend",
      "Shaded: nearer to the minimiser of f than C times to that of h. For C < 1 a disc, for C > 1 the "
      "outside of one." },
    { "relu-regions", "relu-regions.tsv", "Where a step with ReLU is sure to descend",
      "Shaded: the points from which a gradient step followed by ReLU keeps the share 1 − κ of its descent." },
    { "alternation", "alternation.tsv", "Alternating minimisation",
      "At the paper's rate, beyond 2/L_g, the sum of both energies ends in a saw-tooth; at 1/L_h no cycle "
      "that the theory covers rises." },
    { "alternation-plane", "alternation-plane.tsv", "Its path",
      "The same path in the plane of its first two principal components, with the minimiser of the sum." },
    { "panels", "panels.tsv", "Energy of each variant",
      "Above each panel the share of its half-steps that descend and the number of those that rise: a "
      "falling mean curve shows neither. The "
      "parallel layer with ReLU starts from ReLU(Y⁰), the released one from the word vectors Y⁰." },
    { "layers", "layers.tsv", "Each layer with each rho",
      "What was decided of each layer's half-steps, in shares; of a layer marked as proved a theorem says "
      "that it descends." },
    { "rho", "rho.tsv", "Attention weight against distance",
      "−e^{−z} attends to near tokens only; log(2+z) and the root keep weight on far ones, and one "
      "layer of theirs leaves less of the spread." },
    { NULL, NULL, NULL, NULL }
};
