/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `attest reproduce`: one line a part, as a person would type it. */
#include "experiments/reproduce.h"

#include <stddef.h>

enum { ALL = AT_PRESET_QUICK | AT_PRESET_SMALL | AT_PRESET_PAPER };

#define EVERY_ENCODING "none,ape,sinusoidal,shaw-k,shaw,transformer-xl,t5,t5-bucketed,deberta,tupe," \
    "alibi,alibi-symmetric,rope,kerple-log,kerple-power,fire,graph,urpe,graph-urpe,stable-mask," \
    "l2-norm,relu2"

const at_part at_parts[] = {
    { "verify", ALL, AT_SECTION_VERDICT, 1, "Claims", "verify" },
    { "gradcheck", ALL, AT_SECTION_VERDICT, 1, "Gradients of every layer kind", "gradcheck" },
    { "gaps", ALL, AT_SECTION_POSITION, 2, "Approximation gaps on four functions",
      "sweep --grid function=position,shift,prefix-sum,i*x[i]-i*x[i]^3 --grid n=2,3,4,5,6,7,8 "
      "--grid encoding=none,rpe,urpe,ape --require-gap 100" },
    { "pi-rpe", ALL, AT_SECTION_POSITION, 1, "Position identification with plain RPE",
      "fit --task pi -n 8 --vocab 20 --d 32 --ffn 64 --layers 2 --steps 250 --lr 3e-3 --warmup 50 --every 10 --encoding rpe" },
    { "pi-urpe", ALL, AT_SECTION_POSITION, 1, "Position identification with URPE",
      "fit --task pi -n 8 --vocab 20 --d 32 --ffn 64 --layers 2 --steps 250 --lr 3e-3 --warmup 50 --every 10 --encoding urpe" },
    { "gaps-long", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Approximation gaps up to 16 tokens",
      "sweep --grid function=position,shift,prefix-sum,running-mean,reversal,etp --grid n=2,4,8,12,16 "
      "--grid encoding=none,rpe,urpe,ape --batch 24" },
    { "gaps-size", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Error against width and depth",
      "sweep --function position -n 4 --grid d=2,4,8 --grid layers=1,2,3 --grid encoding=none,rpe,urpe" },
    { "pi", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Position identification, three seeds",
      "sweep --task pi --grid encoding=none,rpe,urpe,ape --grid seed=1,2,3 --steps 1000" },
    { "etp", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Even token prediction, three seeds",
      "sweep --task etp --grid encoding=none,rpe,urpe,ape --grid seed=1,2,3" },
    { "etp-window", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Even token prediction against length",
      "sweep --task etp --grid n=4,8,12,16,24 --grid encoding=none,rpe,urpe,ape" },
    { "encodings-pi", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Position identification with every encoding",
      "sweep --task pi -n 16 --vocab 50 --steps 600 --grid encoding=" EVERY_ENCODING },
    { "encodings-etp", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_POSITION, 2,
      "Even token prediction with every encoding",
      "sweep --task etp --steps 800 --grid encoding=" EVERY_ENCODING },
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
    { "energy-layers", AT_PRESET_QUICK, AT_SECTION_ENERGY, 1, "Each layer with each rho",
      "energy --figure layers --weights random --documents 10 %DATA" },
    { "energy-layers", AT_PRESET_SMALL | AT_PRESET_PAPER, AT_SECTION_ENERGY, 2,
      "Each layer with each rho, every step certified",
      "energy --figure layers --weights random --documents 40 --certify %DATA" },
    { NULL, 0, AT_SECTION_VERDICT, 0, NULL, NULL }
};
