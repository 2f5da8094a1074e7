(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* A concave function lies below its tangents; the functions rho of the engine do. *)

From Coq Require Import Reals Lra Psatz.
From Attest Require Import sums model.
Open Scope R_scope.

(* What descent needs of rho and its weights w. *)
Definition below_tangents (rho w : R -> R) :=
  forall x y, 0 <= x -> 0 <= y -> rho y <= rho x + w x * (y - x).

Theorem concave_below_tangents rho w : concave rho -> derivative rho w -> below_tangents rho w.
Proof.
  intros Hc Hd x y Hx Hy. apply Rnot_lt_le. intros Hlt.
  destruct (Req_dec y x) as [->|Hne]; [lra|].
  set (u := y - x) in *. assert (Hu : u <> 0) by (unfold u; lra).
  assert (Hau : 0 < Rabs u) by (now apply Rabs_pos_lt).
  set (g := rho y - rho x - w x * u). assert (Hg : 0 < g) by (unfold g; lra).
  destruct (Hd x Hx (g / Rabs u)) as (del & Hdel & Hlim); [now apply Rdiv_lt_0_compat|].
  set (t := Rmin (1 / 2) (del / (2 * Rabs u))).
  assert (Hd2 : 0 < del / (2 * Rabs u)) by (apply Rdiv_lt_0_compat; lra).
  assert (Ht : 0 < t <= 1 / 2).
  { unfold t. split; [apply Rmin_glb_lt; lra|apply Rmin_l]. }
  assert (Hth : t * u <> 0) by (apply Rmult_integral_contrapositive; split; lra).
  assert (Hrange : 0 <= x + t * u).
  { replace (x + t * u) with ((1 - t) * x + t * y) by (unfold u; ring).
    apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  assert (Hsmall : Rabs (t * u) < del).
  { rewrite Rabs_mult, (Rabs_right t) by lra.
    apply Rle_lt_trans with (del / (2 * Rabs u) * Rabs u).
    - apply Rmult_le_compat_r; [lra|apply Rmin_r].
    - replace (del / (2 * Rabs u) * Rabs u) with (del / 2) by (field; lra). lra. }
  specialize (Hlim (t * u) Hth Hrange Hsmall).
  assert (Hcc := Hc x y t Hx Hy ltac:(lra)).
  replace ((1 - t) * x + t * y) with (x + t * u) in Hcc by (unfold u; ring).
  set (q := (rho (x + t * u) - rho x) / (t * u)) in *.
  assert (Hq : t * (q * u) = rho (x + t * u) - rho x) by (unfold q; field; split; lra).
  assert (Hge : rho y - rho x <= q * u).
  { apply Rmult_le_reg_l with t; [lra|]. rewrite Hq. lra. }
  assert (Hb : Rabs ((q - w x) * u) < g).
  { rewrite Rabs_mult. replace g with (g / Rabs u * Rabs u) by (field; lra).
    apply Rmult_lt_compat_r; lra. }
  apply Rabs_def2 in Hb. unfold g in Hb. lra.
Qed.

Theorem weights_nonneg rho w : nondecreasing rho -> below_tangents rho w ->
  forall x, 0 <= x -> 0 <= w x.
Proof.
  intros Hm Ht x Hx.
  assert (H1 := Ht x (x + 1) Hx ltac:(lra)). assert (H2 := Hm x (x + 1) ltac:(lra)). lra.
Qed.

(* The functions that attest knows. *)
Lemma exp_tangent x : 1 + x <= exp x.
Proof. apply exp_ineq1_le. Qed.

Lemma ln_tangent x : 0 < x -> ln x <= x - 1.
Proof.
  intros Hx. assert (H := exp_tangent (ln x)). rewrite exp_ln in H by assumption. lra.
Qed.

Theorem gaussian_tangents : below_tangents gaussian gaussian'.
Proof.
  unfold gaussian, gaussian'.
  intros x y _ _. assert (H := exp_tangent (x - y)).
  replace (- y) with (- x + (x - y)) by ring. rewrite exp_plus.
  assert (0 < exp (- x)) by apply exp_pos. nra.
Qed.

Theorem logarithm_tangents : below_tangents logarithm logarithm'.
Proof.
  unfold logarithm, logarithm'.
  intros x y Hx Hy. assert (H := ln_tangent ((2 + y) / (2 + x))).
  assert (0 < / (2 + x)) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv in H. rewrite ln_mult, ln_Rinv in H by lra.
  replace ((2 + y) * / (2 + x) - 1) with (/ (2 + x) * (y - x)) in H by (field; lra).
  assert (0 < (2 + y) * / (2 + x)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Theorem root_tangents : below_tangents root root'.
Proof.
  unfold root, root'.
  intros x y Hx Hy.
  assert (Hsx : 0 < sqrt (1 + x)) by (apply sqrt_lt_R0; lra).
  assert (Hx2 : sqrt (1 + x) * sqrt (1 + x) = 1 + x) by (apply sqrt_sqrt; lra).
  assert (Hy2 : sqrt (1 + y) * sqrt (1 + y) = 1 + y) by (apply sqrt_sqrt; lra).
  apply Rmult_le_reg_l with (2 * sqrt (1 + x)); [lra|].
  replace (2 * sqrt (1 + x) * (sqrt (1 + x) + / (2 * sqrt (1 + x)) * (y - x)))
    with (2 * (sqrt (1 + x) * sqrt (1 + x)) + (y - x)) by (field; lra).
  assert (0 <= (sqrt (1 + x) - sqrt (1 + y)) ^ 2) by apply pow2_ge_0. nra.
Qed.

Theorem saturating_tangents : below_tangents saturating saturating'.
Proof.
  unfold saturating, saturating'.
  intros x y Hx Hy.
  assert (x / (1 + x) + / (1 + x) ^ 2 * (y - x) - y / (1 + y) = (y - x) ^ 2 / ((1 + x) ^ 2 * (1 + y)))
    by (field; lra).
  assert (0 <= (y - x) ^ 2 / ((1 + x) ^ 2 * (1 + y))).
  { apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat].
    apply Rmult_lt_0_compat; [apply pow_lt|]; lra. }
  lra.
Qed.
