/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `attest reproduce`: one line a part, as a person would type it. */
#include "attest/experiments/reproduce/reproduce.h"

#include <stddef.h>

enum { LONGER = AT_PRESET_SMALL | AT_PRESET_PAPER, ALL = AT_PRESET_QUICK | LONGER };

/* 40,000 steps of 2.28 TFLOP at 85 GFLOP/s a core. */
#define PAPER 1.07e6

#define EVERY_ENCODING "none,ape,sinusoidal,shaw-k,shaw,transformer-xl,t5,t5-bucketed,deberta,tupe," \
    "alibi,alibi-symmetric,rope,kerple-log,kerple-power,fire,graph,urpe,graph-urpe,stable-mask," \
    "l2-norm,relu2"

const at_part at_parts[] = {
    { "verify", ALL, AT_SECTION_VERDICT, 1, { 1, 0 }, "Claims", "verify" },
    { "gradcheck", ALL, AT_SECTION_VERDICT, 1, { 2, 0 }, "Gradients of every layer kind", "gradcheck" },
    { "gaps", ALL, AT_SECTION_POSITION, 2, { 45, 0 }, "Approximation gaps on four functions",
      "sweep --grid function=position,shift,prefix-sum,i*x[i]-i*x[i]^3 --grid n=2,3,4,5,6,7,8 "
      "--grid encoding=none,rpe,urpe,ape --require-gap 100" },
    { "pi-rpe", AT_PRESET_QUICK, AT_SECTION_POSITION, 1, { 30, 0 }, "Position identification with plain RPE",
      "fit --task pi -n 8 --vocab 20 --d 32 --ffn 64 --layers 2 --steps 250 --lr 3e-3 --warmup 50 --every 10 --encoding rpe" },
    { "pi-urpe", AT_PRESET_QUICK, AT_SECTION_POSITION, 1, { 30, 0 }, "Position identification with URPE",
      "fit --task pi -n 8 --vocab 20 --d 32 --ffn 64 --layers 2 --steps 250 --lr 3e-3 --warmup 50 --every 10 --encoding urpe" },
    { "gaps-long", LONGER, AT_SECTION_POSITION, 2, { 60, 0 },
      "Approximation gaps up to 16 tokens",
      "sweep --grid function=position,shift,prefix-sum,running-mean,reversal,etp --grid n=2,4,8,12,16 "
      "--grid encoding=none,rpe,urpe,ape --batch 24" },
    { "gaps-size", LONGER, AT_SECTION_POSITION, 2, { 110, 0 },
      "Error against width and depth",
      "sweep --function position -n 4 --grid d=2,4,8 --grid layers=1,2,3 --grid encoding=none,rpe,urpe" },
    { "pi", LONGER, AT_SECTION_POSITION, 2, { 360, 0 }, "Position identification, three seeds",
      "sweep --task pi --grid encoding=none,rpe,urpe,ape --grid seed=1,2,3 --steps 1000 --lr 2e-3" },
    { "etp", LONGER, AT_SECTION_POSITION, 2, { 340, 0 }, "Even token prediction, three seeds",
      "sweep --task etp --grid encoding=none,rpe,urpe,ape --grid seed=1,2,3" },
    { "etp-window", LONGER, AT_SECTION_POSITION, 2, { 490, 0 }, "Even token prediction against length",
      "sweep --task etp --grid n=4,8,12,16,24 --grid encoding=none,rpe,urpe,ape" },
    { "encodings", LONGER, AT_SECTION_POSITION, 2, { 600, 0 }, "Both tasks with every encoding",
      "sweep -n 16 --vocab 10 --steps 800 --grid task=pi,etp --grid encoding=" EVERY_ENCODING },
    { "pi-rpe", LONGER, AT_SECTION_POSITION, 1, { 30, 0 }, "Position identification with plain RPE, step by step",
      "fit --task pi --encoding rpe --steps 1000 --lr 2e-3" },
    { "pi-urpe", LONGER, AT_SECTION_POSITION, 1, { 30, 0 }, "Position identification with URPE, step by step",
      "fit --task pi --encoding urpe --steps 1000 --lr 2e-3" },
    { "etp-rpe", LONGER, AT_SECTION_POSITION, 1, { 28, 0 }, "Even token prediction with plain RPE, step by step",
      "fit --task etp --encoding rpe" },
    { "etp-urpe", LONGER, AT_SECTION_POSITION, 1, { 28, 0 }, "Even token prediction with URPE, step by step",
      "fit --task etp --encoding urpe" },
    { "cost", LONGER, AT_SECTION_POSITION, 2, { 32, 0 }, "What URPE costs",
      "sweep --cost --task pi --d 128 --heads 8 --ffn 512 --vocab 1000 --batch 8 --steps 24 --score 8 "
      "--constants 4 --grid n=128,256,512 --grid encoding=rpe,urpe" },
    { "energy-panels-trained", ALL, AT_SECTION_ENERGY, 1, { 220, 60 },
      "Energy of released, provable and control layers, trained weights",
      "energy --figure panels --weights %TRAINED %CERTIFY %DATA" },
    { "energy-panels-random", ALL, AT_SECTION_ENERGY, 1, { 210, 55 },
      "Energy of released, provable and control layers, random weights",
      "energy --figure panels --weights random %CERTIFY %DATA" },
    { "energy-softmax-beta", ALL, AT_SECTION_ENERGY, 1, { 7, 75 }, "Energy: softmax_β attention, every step certified",
      "energy --step softmax-beta --certify %DOCUMENTS %DATA" },
    { "energy-parallel", ALL, AT_SECTION_ENERGY, 1, { 25, 120 },
      "Energy: attention and FFN in parallel, random weights, every step certified",
      "energy --step parallel --weights random --certify %DOCUMENTS %DATA" },
    { "energy-log", LONGER, AT_SECTION_ENERGY, 1, { 8, 25 },
      "Energy: softmax_β attention with log(2+z), every step certified",
      "energy --rho log --certify %DOCUMENTS %DATA" },
    { "energy-parallel-log", LONGER, AT_SECTION_ENERGY, 1, { 25, 120 },
      "Energy: the parallel layer with log(2+z), random weights, every step certified",
      "energy --step parallel --weights random --rho log --certify %DOCUMENTS %DATA" },
    { "energy-released", ALL, AT_SECTION_ENERGY, 1, { 2, 9 }, "Energy: the layer of the released code",
      "energy --step released --weights random --relu %DATA" },
    { "energy-identity", ALL, AT_SECTION_ENERGY, 1, { 1, 4 }, "Energy: control with identity attention",
      "energy --step identity --weights random %DATA" },
    { "energy-layers", AT_PRESET_QUICK, AT_SECTION_ENERGY, 1, { 3, 3 }, "Each layer with each rho",
      "energy --figure layers --weights random %DOCUMENTS/5 %DATA" },
    { "energy-layers", LONGER, AT_SECTION_ENERGY, 1, { 120, 5 },
      "Each layer with each rho",
      "energy --figure layers --weights random %CERTIFY %DOCUMENTS/5 %DATA" },
    { "energy-rho", ALL, AT_SECTION_ENERGY, 1, { 1, 6 }, "What each rho attends to", "energy --figure rho %DATA" },
    { "energy-alternation", ALL, AT_SECTION_ENERGY, 1, { 3, 0 }, "Alternating minimisation of two energies",
      "energy --figure alternation" },
    { "energy-regions", ALL, AT_SECTION_ENERGY, 1, { 1, 0 }, "Where a half-step is sure to descend",
      "energy --figure regions" },
    { "energy-relu-regions", ALL, AT_SECTION_ENERGY, 1, { 1, 0 }, "Where a step with ReLU is sure to descend",
      "energy --figure relu-regions" },
    { "paper-pi-none", AT_PRESET_PAPER, AT_SECTION_POSITION, 2, { PAPER, 0 }, "Position identification at the paper's sizes, no encoding",
      "fit --task pi --preset paper --encoding none" },
    { "paper-pi-rpe", AT_PRESET_PAPER, AT_SECTION_POSITION, 2, { PAPER, 0 }, "Position identification at the paper's sizes, plain RPE",
      "fit --task pi --preset paper --encoding rpe" },
    { "paper-pi-urpe", AT_PRESET_PAPER, AT_SECTION_POSITION, 2, { PAPER, 0 }, "Position identification at the paper's sizes, URPE",
      "fit --task pi --preset paper --encoding urpe" },
    { "paper-etp-none", AT_PRESET_PAPER, AT_SECTION_POSITION, 2, { PAPER, 0 }, "Even token prediction at the paper's sizes, no encoding",
      "fit --task etp --preset paper --encoding none" },
    { "paper-etp-rpe", AT_PRESET_PAPER, AT_SECTION_POSITION, 2, { PAPER, 0 }, "Even token prediction at the paper's sizes, plain RPE",
      "fit --task etp --preset paper --encoding rpe" },
    { "paper-etp-urpe", AT_PRESET_PAPER, AT_SECTION_POSITION, 2, { PAPER, 0 }, "Even token prediction at the paper's sizes, URPE",
      "fit --task etp --preset paper --encoding urpe" },
    { NULL, 0, AT_SECTION_VERDICT, 0, { 0, 0 }, NULL, NULL }
};
