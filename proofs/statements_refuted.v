(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Where the claims opt.* stop, stated again; the convention is that of statements.v.  These theorems
   are decided by Coq-Interval, and rest on the primitive integers besides. *)

From Coq Require Import Reals List.
From Attest Require Import sums model.
From Attest Require refuted_opt layers_refuted.
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

(* claim: opt.plain-softmax/regularised *)
Check (layers_refuted.plain_softmax_regularised_rises : let Y := rows [[0]; [3]] in
  let Z := refuted_opt.plain_softmax 2 1 Y in
  energy 2 1 gaussian Y + / 2 * inner 2 1 Y Y < energy 2 1 gaussian Z + / 2 * inner 2 1 Z Z).
(* claim: opt.regularised/full-log *)
Check (layers_refuted.regularised_full_log_rises : let Y := rows [[-21]; [-21]; [-20]] in
  let Z := attention 3 1 logarithm' Y in
  energy 3 1 logarithm Y + / 2 * inner 3 1 Y Y < energy 3 1 logarithm Z + / 2 * inner 3 1 Z Z).
(* claim: opt.causal *)
Check (layers_refuted.causal_rises : let Y := rows [[0]; [9/2]; [5/2]; [3/2]] in
  energy 4 1 gaussian Y < energy 4 1 gaussian (layers_refuted.causal_attention 4 1 gaussian' Y)).
(* claim: opt.fixed-keys/moving *)
Check (layers_refuted.moving_keys_rise : let Y := rows [[1]; [-1]] in
  layers_refuted.dot_energy 2 1 Y < layers_refuted.dot_energy 2 1 (refuted_opt.plain_softmax 2 1 Y)).
(* claim: opt.convex-rho *)
Check (refuted_opt.convex_rho_rises : let Y := rows [[0]; [1]; [3]] in
  let Z := attention 3 1 (fun z => 3 * z ^ 2) Y in
  energy 3 1 (fun z => z ^ 3) Y = 397 / 4 /\ Z 0%nat 0%nat = 122 / 41 /\
  Z 1%nat 0%nat = 48 / 17 /\ Z 2%nat 0%nat = 16 / 97 /\
  397 / 4 < energy 3 1 (fun z => z ^ 3) Z).
(* claim: opt.ffn/past *)
Check (refuted_opt.ffn_past_rises : let Y : matrix := fun _ _ => 1 in let S := rows [[3]] in
  let Z : matrix := fun i k => Y i k - 1 * ffn_gradient 1 S refuted_opt.zero Y i k in
  ffn_energy 1 1 S refuted_opt.zero Y = 2 /\ ffn_energy 1 1 S refuted_opt.zero Z = 18).
(* claim: opt.ffn/unsymmetric *)
Check (refuted_opt.ffn_unsymmetric_rises :
  let W := rows [[0; 2]; [-2; 0]] in let Y := rows [[1; 0]] in
  let Z : matrix := fun i k => Y i k - 1 * ffn_gradient 2 W refuted_opt.zero Y i k in
  ffn_energy 1 2 W refuted_opt.zero Y < ffn_energy 1 2 W refuted_opt.zero Z).
(* claim: opt.relu/outside opt.parallel-layer/relu-signed *)
Check (refuted_opt.relu_outside_rises : let B : matrix := fun _ _ => -1 in
  ffn_energy 1 1 refuted_opt.zero B B = 0 /\
  ffn_energy 1 1 refuted_opt.zero B
    (fun i k => relu (B i k - 1 * ffn_gradient 1 refuted_opt.zero B B i k)) = / 2).
(* claim: opt.relu-symmetric/signed *)
Check (layers_refuted.relu_symmetric_signed_rises : let E x := x * (1 - 2) * x / 2 in
  E (-1) = - / 2 /\ E (relu (2 * -1)) = 0).
(* claim: opt.relu-nilpotent *)
Check (refuted_opt.nilpotent_doubles : forall c, 0 <= c -> let W := rows [[2; 1]; [-4; -2]] in
  (forall i k, (i < 2)%nat -> (k < 2)%nat -> act 2 W W i k = 0) /\
  relu (W 0%nat 0%nat * c + W 0%nat 1%nat * 0) = 2 * c /\
  relu (W 1%nat 0%nat * c + W 1%nat 1%nat * 0) = 0).
(* claim: opt.half-step/sharper *)
Check (layers_refuted.half_step_sharp : let h y := (y - 3) ^ 2 / 2 + 3 * y in
  h (1 - 3) = h 1 - / 2 * (1 ^ 2 - (1 - 3) ^ 2) /\
  h 1 - / 2 * (1 ^ 2 - 99 / 100 * (1 - 3) ^ 2) < h (1 - 3)).
(* claim: opt.cycle/at-optimum *)
Check (layers_refuted.cycle_rises_at_optimum : forall a,
  let h y := (y - 1) ^ 2 / 2 + (y + 1) ^ 2 / 2 in
  let y1 := 0 - a * (0 - 1) in h (y1 - a * (y1 + 1)) = h 0 + a ^ 4).
(* claim: opt.sequential-layer *)
Check (layers_refuted.sequential_steps :
  let n := 2%nat in
  (forall i k, (i < n)%nat -> (k < n)%nat ->
     average 2 (weight 2 logarithm' (project 2 layers_refuted.Wa layers_refuted.start))
       layers_refuted.start i k = layers_refuted.middle i k) /\
  (forall i k, (i < n)%nat -> (k < n)%nat ->
     layers_refuted.middle i k
       - 1 * ffn_gradient 2 layers_refuted.S refuted_opt.zero layers_refuted.middle i k =
     layers_refuted.last i k)).
(* claim: opt.sequential-layer *)
Check (layers_refuted.sequential_sum_rises :
  energy 2 2 logarithm (project 2 layers_refuted.Wa layers_refuted.start)
    + ffn_energy 2 2 layers_refuted.S refuted_opt.zero layers_refuted.start <
  energy 2 2 logarithm (project 2 layers_refuted.Wa layers_refuted.last)
    + ffn_energy 2 2 layers_refuted.S refuted_opt.zero layers_refuted.last).
(* claim: opt.authors-layer *)
Check (layers_refuted.authors_layer_rises :
  let E (y : R) := energy 1 1 gaussian (fun _ _ => y) + / 2 * (1 * y) ^ 2 +
    ffn_energy 1 1 (rows [[19/20]]) (fun _ _ => 1) (fun _ _ => y) in
  let y' := 0 - 1 * ffn_gradient 1 (rows [[19/20]]) (fun _ _ => 1) (fun _ _ => 0) 0%nat 0%nat in
  y' = 1 /\ E 0 = / 2 /\ E y' = 39 / 40).

(* claim: opt.gram-mismatch *)
Check (refuted_opt.gram_mismatch_rises : let W := rows [[0; 1]; [0; 0]] in
  let Y := rows [[0; 1]; [0; -1]; [3; 6]] in let V := project 2 W Y in
  let U := project 2 (transpose W) Y in
  let Z := average 3 (fun i j => exp (- dot 2 (V j) (V j) / 2 + dot 2 (U i) (U j))) Y in
  energy 3 2 gaussian V < energy 3 2 gaussian (project 2 W Z)).

(* The hypotheses on signs are needed, and the engine's exact values. *)
Check (refuted_opt.value_matrix_needs_positive_step : let Y := rows [[0]; [2]] in
  let Z := blend (-1) Y (attention 2 1 logarithm' Y) in
  2 + dist 1 Y 1 0 = 4 /\ 2 + dist 1 Z 1 0 = 68 / 9).
Check (refuted_opt.relaxation_needs_nondecreasing : let Y := rows [[0]; [0]; [1]] in
  energy 3 1 Ropp Y = -1 /\
  energy 3 1 Ropp (average 3 (off (weight 1 (fun _ => -1) Y)) Y) = - / 4).
Check (refuted_opt.golden_three_rows :
  let Y := rows [[0]; [1]; [3]] in let Z := attention 3 1 logarithm' Y in
  Z 0%nat 0%nat = 112 / 137 /\ Z 1%nat 0%nat = 25 / 23 /\ Z 2%nat 0%nat = 91 / 47 /\
  (2 + dist 1 Y 1 0) * (2 + dist 1 Y 2 0) * (2 + dist 1 Y 2 1) = 65 /\
  (2 + dist 1 Z 1 0) * (2 + dist 1 Z 2 0) * (2 + dist 1 Z 2 1) =
    6071404929860158211765 / 481044268404806945281).
