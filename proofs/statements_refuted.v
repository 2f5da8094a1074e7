(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Where the claims opt.* stop, stated again; the convention is that of statements.v.  These theorems
   are decided by Coq-Interval, and rest on the primitive integers besides. *)

From Coq Require Import Reals List.
From Attest Require Import sums model.
From Attest Require refuted_opt.
Import ListNotations.
Open Scope R_scope.

(* Attention can raise E_2. *)
Check (refuted_opt.attention_raises_ffn_energy :
  ffn_energy 3 1 refuted_opt.zero refuted_opt.zero refuted_opt.far = 2641 / 2 /\
  1322.6385625 <
  ffn_energy 3 1 refuted_opt.zero refuted_opt.zero (attention 3 1 gaussian' refuted_opt.far)
  < 1322.6385635).

(* claim: opt.relaxation/past-two *)
Check (refuted_opt.relaxed_past_two_rises : let Y := rows [[0]; [1/10]] in
  energy 2 1 gaussian Y < energy 2 1 gaussian (blend (9/4) Y (attention 2 1 gaussian' Y))).
(* claim: opt.relaxation/no-self *)
Check (refuted_opt.relaxed_no_self_past_one_rises : let Y := rows [[0]; [1]] in
  energy 2 1 gaussian Y <
  energy 2 1 gaussian (blend (11/10) Y (average 2 (off (weight 1 gaussian' Y)) Y))).
(* claim: opt.plain-softmax *)
Check (refuted_opt.plain_softmax_rises : let Y := rows [[0]; [1/10]; [10]] in
  energy 3 1 gaussian Y < energy 3 1 gaussian (refuted_opt.plain_softmax 3 1 Y)).
(* claim: opt.residual-input/plain-skip *)
Check (refuted_opt.plain_skip_rises : let Y := rows [[0]; [2]] in
  energy 2 1 gaussian Y < energy 2 1 gaussian (madd Y (attention 2 1 gaussian' Y))).
(* claim: opt.regularised/full-softmax *)
Check (refuted_opt.regularised_full_softmax_rises :
  energy 3 1 gaussian refuted_opt.far + / 2 * inner 3 1 refuted_opt.far refuted_opt.far <
  let Z := attention 3 1 gaussian' refuted_opt.far in energy 3 1 gaussian Z + / 2 * inner 3 1 Z Z).
