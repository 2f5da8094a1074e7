(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Where the energy theorems stop: instances of the same definitions on which the energy rises, and
   the values that the exact engine gives. *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Attest Require Import sums model descent ffn.
Import ListNotations.
Open Scope R_scope.

Ltac numbers :=
  cbv -[Rplus Rmult Rminus Ropp Rinv Rdiv IZR exp ln sqrt pow Rlt Rle not Rmax]; cbv [pow].
Ltac values := numbers; lra || (field; lra) || field.

(* Plain softmax: logits y_i . y_j, without the factors exp(- |y_j|^2/2). *)
Definition plain_softmax n d (Y : matrix) : matrix := fun i k =>
  sum n (fun j => softmax n (everything i) (fun j => dot d (Y i) (Y j)) j * Y j k).

Theorem plain_softmax_rises : let Y := rows [[0]; [1/10]; [10]] in
  energy 3 1 gaussian Y < energy 3 1 gaussian (plain_softmax 3 1 Y).
Proof. numbers. interval with (i_prec 60). Qed.

Theorem relaxed_past_two_rises : let Y := rows [[0]; [1/10]] in
  energy 2 1 gaussian Y < energy 2 1 gaussian (blend (9/4) Y (attention 2 1 gaussian' Y)).
Proof. numbers. interval with (i_prec 60). Qed.

Theorem relaxed_no_self_past_one_rises : let Y := rows [[0]; [1]] in
  energy 2 1 gaussian Y <
  energy 2 1 gaussian (blend (11/10) Y (average 2 (off (weight 1 gaussian' Y)) Y)).
Proof. numbers. interval with (i_prec 60). Qed.

Theorem plain_skip_rises : let Y := rows [[0]; [2]] in
  energy 2 1 gaussian Y < energy 2 1 gaussian (madd Y (attention 2 1 gaussian' Y)).
Proof. numbers. interval with (i_prec 60). Qed.

(* Attention can raise E_2 (S = 0, B = 0), and with it E + |Y|^2/2. *)
Definition far : matrix := rows [[-30]; [-30]; [-29]].
Definition zero : matrix := fun _ _ => 0.

Theorem attention_raises_ffn_energy :
  ffn_energy 3 1 zero zero far = 2641 / 2 /\
  1322.6385625 < ffn_energy 3 1 zero zero (attention 3 1 gaussian' far) < 1322.6385635.
Proof. split; [values|]. split; numbers; interval with (i_prec 60). Qed.

Theorem regularised_full_softmax_rises :
  energy 3 1 gaussian far + / 2 * inner 3 1 far far <
  let Z := attention 3 1 gaussian' far in energy 3 1 gaussian Z + / 2 * inner 3 1 Z Z.
Proof. numbers. interval with (i_prec 60). Qed.

(* ---- Hypotheses that are needed --------------------------------------------------------------- *)

(* rho must not fall: rho = - z, a = 1. *)
Theorem relaxation_needs_nondecreasing : let Y := rows [[0]; [0]; [1]] in
  energy 3 1 Ropp Y = -1 /\
  energy 3 1 Ropp (average 3 (off (weight 1 (fun _ => -1) Y)) Y) = - / 4.
Proof. split; values. Qed.

(* a >= 0, here a = -1, S = B = 0, Y = 1: E_2 from 1/2 to 2, with a ReLU and without. *)
Theorem ffn_needs_positive_step : let Y : matrix := fun _ _ => 1 in
  let Z : matrix := fun i k => Y i k - -1 * ffn_gradient 1 zero zero Y i k in
  ffn_energy 1 1 zero zero Y = / 2 /\ ffn_energy 1 1 zero zero Z = 2.
Proof. split; values. Qed.

Theorem relu_needs_positive_step : relu (1 - -1 * 1) = 2.
Proof. unfold relu. rewrite Rmax_left; lra. Qed.

(* a (1 + lambda_max) <= 2, here S = 3, a = 1: E_2 from 2 to 18. *)
Theorem ffn_past_rises : let Y : matrix := fun _ _ => 1 in let S := rows [[3]] in
  let Z : matrix := fun i k => Y i k - 1 * ffn_gradient 1 S zero Y i k in
  ffn_energy 1 1 S zero Y = 2 /\ ffn_energy 1 1 S zero Z = 18.
Proof. split; values. Qed.

(* The step with W_f in place of its symmetric part. *)
Theorem ffn_unsymmetric_rises : let W := rows [[0; 2]; [-2; 0]] in let Y := rows [[1; 0]] in
  let Z : matrix := fun i k => Y i k - 1 * ffn_gradient 2 W zero Y i k in
  ffn_energy 1 2 W zero Y < ffn_energy 1 2 W zero Z.
Proof. values. Qed.

(* From outside the orthant, S = 0, B = -1, y = -1: a fixed point of the gradient step, E_2 = 0. *)
Theorem relu_outside_rises : let B : matrix := fun _ _ => -1 in
  ffn_energy 1 1 zero B B = 0 /\
  ffn_energy 1 1 zero B (fun i k => relu (B i k - 1 * ffn_gradient 1 zero B B i k)) = / 2.
Proof. split; numbers; [lra|]. rewrite Rmax_right; lra. Qed.

(* [[2, 1], [-4, -2]] squares to 0, and ReLU(W x) doubles x = (1, 0) for ever. *)
Theorem nilpotent_doubles c : 0 <= c -> let W := rows [[2; 1]; [-4; -2]] in
  (forall i k, (i < 2)%nat -> (k < 2)%nat -> act 2 W W i k = 0) /\
  relu (W 0%nat 0%nat * c + W 0%nat 1%nat * 0) = 2 * c /\
  relu (W 1%nat 0%nat * c + W 1%nat 1%nat * 0) = 0.
Proof.
  intros Hc W. split; [|split].
  - intros i k Hi Hk. destruct i as [|[|i]]; [| |exfalso; lia]; (destruct k as [|[|k]]; [| |exfalso; lia]); values.
  - unfold relu. rewrite Rmax_left; numbers; lra.
  - unfold relu. rewrite Rmax_right; numbers; lra.
Qed.

(* b >= 0: f = 0, g = y^2/2, y = 1, b = -1: 1/2 to 2. *)
Theorem half_step_needs_positive_step : / 2 * (1 - -1 * 1) ^ 2 = 2.
Proof. lra. Qed.

(* a >= 0 with a value matrix, here W_a = 1, a = -1, rho = log(2 + z): exp E from 4 to 68/9. *)
Theorem value_matrix_needs_positive_step : let Y := rows [[0]; [2]] in
  let Z := blend (-1) Y (attention 2 1 logarithm' Y) in
  2 + dist 1 Y 1 0 = 4 /\ 2 + dist 1 Z 1 0 = 68 / 9.
Proof. split; values. Qed.

(* a > 0 in opt.relu-divergence: h = x, x = 1, kappa = 0, a = -1: the bound says h(x') <= 3/2. *)
Theorem relu_divergence_needs_positive_step : let h (x : R) := x in
  h 1 - -1 / 2 * (1 - 0) * 1 < h (relu (1 - -1 * 1)).
Proof. cbv beta zeta. unfold relu. rewrite Rmax_left; lra. Qed.

(* a >= 0 in opt.cycle: f = 0, g = y^2/2, y = 1, a = -1: the bound says h(y_2) <= 1, h(y_2) = 2. *)
Theorem cycle_needs_positive_step : let h y := y ^ 2 / 2 in
  h 1 - -1 / 2 * (1 ^ 2 - (-1) ^ 2 * 1 ^ 2 * 0) < h (1 - -1 * 1).
Proof. cbv beta zeta. lra. Qed.

(* Scores Y W^T W Y^T with beta from the rows of Y W: the Gram matrix of other rows. *)
Theorem gram_mismatch_rises : let W := rows [[0; 1]; [0; 0]] in
  let Y := rows [[0; 1]; [0; -1]; [3; 6]] in let V := project 2 W Y in
  let U := project 2 (transpose W) Y in
  let Z := average 3 (fun i j => exp (- dot 2 (V j) (V j) / 2 + dot 2 (U i) (U j))) Y in
  energy 3 2 gaussian V < energy 3 2 gaussian (project 2 W Z).
Proof. numbers. interval with (i_prec 60). Qed.

(* Convex rho: z^3. *)
Theorem convex_rho_rises : let Y := rows [[0]; [1]; [3]] in
  let Z := attention 3 1 (fun z => 3 * z ^ 2) Y in
  energy 3 1 (fun z => z ^ 3) Y = 397 / 4 /\ Z 0%nat 0%nat = 122 / 41 /\ Z 1%nat 0%nat = 48 / 17 /\
  Z 2%nat 0%nat = 16 / 97 /\ 397 / 4 < energy 3 1 (fun z => z ^ 3) Z.
Proof. repeat split; numbers; lra || interval. Qed.

(* ---- rho = log(2 + z): exp E is a product, and all is rational -------------------------------- *)

Theorem golden_two_rows : let Z := attention 2 1 logarithm' (rows [[0]; [2]]) in
  Z 0%nat 0%nat = 2 / 3 /\ Z 1%nat 0%nat = 4 / 3 /\
  2 + dist 1 (rows [[0]; [2]]) 1 0 = 4 /\ 2 + dist 1 Z 1 0 = 20 / 9.
Proof. repeat split; values. Qed.

Theorem golden_three_rows : let Y := rows [[0]; [1]; [3]] in let Z := attention 3 1 logarithm' Y in
  Z 0%nat 0%nat = 112 / 137 /\ Z 1%nat 0%nat = 25 / 23 /\ Z 2%nat 0%nat = 91 / 47 /\
  (2 + dist 1 Y 1 0) * (2 + dist 1 Y 2 0) * (2 + dist 1 Y 2 1) = 65 /\
  (2 + dist 1 Z 1 0) * (2 + dist 1 Z 2 0) * (2 + dist 1 Z 2 1) =
    6071404929860158211765 / 481044268404806945281.
Proof. repeat split; values. Qed.

Theorem golden_triangle : let Y := rows [[0; 0]; [2; 0]; [0; 2]] in
  let Z := attention 3 2 logarithm' Y in
  Z 0%nat 0%nat = 1 / 2 /\ Z 1%nat 0%nat = 12 / 11 /\ Z 1%nat 1%nat = 4 / 11 /\
  (2 + dist 2 Y 1 0) * (2 + dist 2 Y 2 0) * (2 + dist 2 Y 2 1) = 96 /\
  (2 + dist 2 Z 1 0) * (2 + dist 2 Z 2 0) * (2 + dist 2 Z 2 1) = 170939097 / 14172488.
Proof. repeat split; values. Qed.

Theorem golden_signs : let Y := rows [[1; 0]; [-1; 0]; [0; 1]] in
  let Z := attention 3 2 logarithm' Y in
  Z 0%nat 0%nat = 3 / 13 /\ Z 0%nat 1%nat = 4 / 13 /\ Z 1%nat 0%nat = - (3 / 13) /\
  Z 2%nat 1%nat = 3 / 7 /\
  (2 + dist 2 Y 1 0) * (2 + dist 2 Y 2 0) * (2 + dist 2 Y 2 1) = 36 /\
  (2 + dist 2 Z 1 0) * (2 + dist 2 Z 2 0) * (2 + dist 2 Z 2 1) = 100992447044 / 11589168409.
Proof. repeat split; values. Qed.
