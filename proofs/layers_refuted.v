(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Whole layers and half-steps that raise what they were thought to lower. *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Attest Require Import sums model refuted_opt.
Import ListNotations.
Open Scope R_scope.

(* Plain softmax and E + |Y|^2/2. *)
Theorem plain_softmax_regularised_rises : let Y := rows [[0]; [3]] in
  let Z := plain_softmax 2 1 Y in
  energy 2 1 gaussian Y + / 2 * inner 2 1 Y Y < energy 2 1 gaussian Z + / 2 * inner 2 1 Z Z.
Proof. numbers. interval with (i_prec 60). Qed.

(* Y' = A Y and E + |Y|^2/2, rho = log(2 + z). *)
Theorem regularised_full_log_rises : let Y := rows [[-21]; [-21]; [-20]] in
  let Z := attention 3 1 logarithm' Y in
  energy 3 1 logarithm Y + / 2 * inner 3 1 Y Y < energy 3 1 logarithm Z + / 2 * inner 3 1 Z Z.
Proof. numbers. interval with (i_prec 60). Qed.

(* Softmax_beta with a causal mask. *)
Definition causal_attention n d w (Y : matrix) : matrix := fun i k =>
  sum n (fun j => (if causal i j then weight d w Y i j else 0) * Y j k) /
  sum n (fun j => if causal i j then weight d w Y i j else 0).

Theorem causal_rises : let Y := rows [[0]; [9/2]; [5/2]; [3/2]] in
  energy 4 1 gaussian Y < energy 4 1 gaussian (causal_attention 4 1 gaussian' Y).
Proof. numbers. interval with (i_prec 80). Qed.

(* The dot-product energy sum_i (|y_i|^2/2 - log sum_j exp(y_i . y_j)), keys moving. *)
Definition dot_energy n d (Y : matrix) := sum n (fun i =>
  dot d (Y i) (Y i) / 2 - ln (sum n (fun j => exp (dot d (Y i) (Y j))))).

Theorem moving_keys_rise : let Y := rows [[1]; [-1]] in
  dot_energy 2 1 Y < dot_energy 2 1 (plain_softmax 2 1 Y).
Proof. numbers. interval with (i_prec 60). Qed.

(* Attention, then the FFN: E_1 from log 4 to log(20/9) to log 10, E_2 from 157/400 to 157/3600 to
   157/14400; both halves descend their own energy, the sum rises.  rho = log(2 + z), W_a =
   diag(20, 0), S = [[0, 1/2], [1/2, 0]], B = 0. *)
Definition Wa : matrix := rows [[20; 0]; [0; 0]].
Definition S : matrix := rows [[0; 1/2]; [1/2; 0]].
Definition start : matrix := rows [[1/20; 3/5]; [-1/20; -3/5]].
Definition middle : matrix := rows [[1/60; 1/5]; [-1/60; -1/5]].
Definition last : matrix := rows [[-1/10; -1/120]; [1/10; 1/120]].

Ltac entries := intros i k Hi Hk;
  destruct i as [|[|i]]; [| |exfalso; lia]; (destruct k as [|[|k]]; [| |exfalso; lia]); values.

Theorem sequential_steps :
  (forall i k, (i < 2)%nat -> (k < 2)%nat ->
     average 2 (weight 2 logarithm' (project 2 Wa start)) start i k = middle i k) /\
  (forall i k, (i < 2)%nat -> (k < 2)%nat ->
     middle i k - 1 * ffn_gradient 2 S zero middle i k = last i k).
Proof. split; entries. Qed.

Theorem sequential_layer_rises :
  2 + dist 2 (project 2 Wa start) 1 0 = 4 /\ 2 + dist 2 (project 2 Wa middle) 1 0 = 20 / 9 /\
  2 + dist 2 (project 2 Wa last) 1 0 = 10 /\
  ffn_energy 2 2 S zero start = 157 / 400 /\ ffn_energy 2 2 S zero middle = 157 / 3600 /\
  ffn_energy 2 2 S zero last = 157 / 14400.
Proof. repeat split; values. Qed.

Corollary sequential_sum_rises :
  energy 2 2 logarithm (project 2 Wa start) + ffn_energy 2 2 S zero start <
  energy 2 2 logarithm (project 2 Wa last) + ffn_energy 2 2 S zero last.
Proof.
  destruct sequential_layer_rises as (H1 & _ & H2 & H3 & _ & H4). rewrite H3, H4.
  unfold energy, logarithm. cbn [sum]. rewrite H1, H2. interval with (i_prec 60).
Qed.

(* The released layer, n = d = 1, W_a = 1, S = 19/20, B = 1, from y = 0: one row has no pair, so its
   attention half takes y to 0, and its FFN half to B - S y. *)
Theorem authors_layer_rises :
  let E (y : R) := energy 1 1 gaussian (fun _ _ => y) + / 2 * (1 * y) ^ 2 +
    ffn_energy 1 1 (rows [[19/20]]) (fun _ _ => 1) (fun _ _ => y) in
  let y' := 0 - 1 * ffn_gradient 1 (rows [[19/20]]) (fun _ _ => 1) (fun _ _ => 0) 0%nat 0%nat in
  y' = 1 /\ E 0 = / 2 /\ E y' = 39 / 40.
Proof. repeat split; numbers; lra. Qed.

(* ReLU(W x) from x < 0: W = 2, x = -1, x(1 - W)x/2 from -1/2 to 0. *)
Theorem relu_symmetric_signed_rises : let E x := x * (1 - 2) * x / 2 in
  E (-1) = - / 2 /\ E (relu (2 * -1)) = 0.
Proof. split; [lra|]. unfold relu. rewrite Rmax_right; lra. Qed.

(* The half-step's bound is sharp: f = (y - 3)^2/2, g = 3y, y = 1, b = 1. *)
Theorem half_step_sharp : let h y := (y - 3) ^ 2 / 2 + 3 * y in
  h (1 - 3) = h 1 - / 2 * (1 ^ 2 - (1 - 3) ^ 2) /\
  h 1 - / 2 * (1 ^ 2 - 99 / 100 * (1 - 3) ^ 2) < h (1 - 3).
Proof. split; lra. Qed.

(* A cycle can rise from the minimum of h: f = (y - 1)^2/2, g = (y + 1)^2/2, h: 1 to 1 + a^4. *)
Theorem cycle_rises_at_optimum a : let h y := (y - 1) ^ 2 / 2 + (y + 1) ^ 2 / 2 in
  let y1 := 0 - a * (0 - 1) in h (y1 - a * (y1 + 1)) = h 0 + a ^ 4.
Proof. cbv beta zeta. field. Qed.
