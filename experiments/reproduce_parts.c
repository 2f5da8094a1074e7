/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `attest reproduce`: one line a part, as a person would type it. */
#include "experiments/reproduce.h"

#include <stddef.h>

enum { ALL = AT_PRESET_QUICK | AT_PRESET_SMALL | AT_PRESET_PAPER };

const at_part at_parts[] = {
    { "verify", ALL, AT_SECTION_VERDICT, 1, "Claims", "verify" },
    { "gradcheck", ALL, AT_SECTION_VERDICT, 1, "Gradients of every layer kind", "gradcheck" },
    { "energy-softmax-beta", ALL, AT_SECTION_ENERGY, 1, "Energy: softmax_β attention, every step certified",
      "energy --step softmax-beta --certify %DATA" },
    { "energy-parallel", ALL, AT_SECTION_ENERGY, 1,
      "Energy: attention and FFN in parallel, random weights, every step certified",
      "energy --step parallel --weights random --documents 40 --certify %DATA" },
    { "energy-released", ALL, AT_SECTION_ENERGY, 1, "Energy: the layer of the released code",
      "energy --step released --weights random --relu %DATA" },
    { "energy-identity", ALL, AT_SECTION_ENERGY, 1, "Energy: control with identity attention",
      "energy --step identity --weights random %DATA" },
    { "energy-panels-random", ALL, AT_SECTION_ENERGY, 1,
      "Energy of released, provable and control layers, random weights",
      "energy --figure panels --weights random --documents 40 %DATA" },
    { "energy-panels-trained", ALL, AT_SECTION_ENERGY, 1,
      "Energy of released, provable and control layers, trained weights",
      "energy --figure panels --weights trained %DATA" },
    { "energy-alternation", ALL, AT_SECTION_ENERGY, 1, "Alternating minimisation of two energies",
      "energy --figure alternation" },
    { "energy-regions", ALL, AT_SECTION_ENERGY, 1, "Where a half-step is sure to descend",
      "energy --figure regions" },
    { "energy-relu-regions", ALL, AT_SECTION_ENERGY, 1, "Where a step with ReLU is sure to descend",
      "energy --figure relu-regions" },
    { "energy-rho", ALL, AT_SECTION_ENERGY, 1, "What each rho attends to", "energy --figure rho %DATA" },
    { "energy-log", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_ENERGY, 1,
      "Energy: softmax_β with log(2+z), every step certified", "energy --rho log --certify %DATA" },
    { "energy-parallel-exp", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_ENERGY, 1,
      "Energy: the parallel layer on all documents, every step certified",
      "energy --step parallel --weights random --certify %DATA" },
    { "energy-parallel-log", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_ENERGY, 1,
      "Energy: the parallel layer with log(2+z), every step certified",
      "energy --step parallel --weights random --rho log --certify %DATA" },
    { "energy-layers", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_ENERGY, 2,
      "Each layer with each rho, every step certified",
      "energy --figure layers --weights random --documents 40 --certify %DATA" },
    { NULL, 0, AT_SECTION_VERDICT, 0, NULL, NULL }
};
