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
    { NULL, 0, AT_SECTION_VERDICT, 0, NULL, NULL }
};
