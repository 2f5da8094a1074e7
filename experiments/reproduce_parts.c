/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `attest reproduce`: one line a part, as a person would type it. */
#include "experiments/reproduce.h"

#include <stddef.h>

enum { ALL = AT_PRESET_QUICK | AT_PRESET_SMALL | AT_PRESET_PAPER };

const at_part at_parts[] = {
    { "verify", ALL, AT_SECTION_VERDICT, 1, "Claims", "verify" },
    { NULL, 0, AT_SECTION_VERDICT, 0, NULL, NULL }
};
