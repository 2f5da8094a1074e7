(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* What needs no energy: averages shrink ranges and diameters, layers contract, and an FFN step that
   shrinks all differences cannot raise E. *)

From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From Attest Require Import sums model double concave descent ffn.
Open Scope R_scope.

Definition averaging n (A : matrix) :=
  row_stochastic n A /\ forall i j, (i < n)%nat -> (j < n)%nat -> 0 <= A i j.

(* opt.range-shrinks: every coordinate's range, *)
Theorem range_shrinks n A Y k lo hi : averaging n A ->
  (forall j, (j < n)%nat -> lo <= Y j k <= hi) ->
  forall i, (i < n)%nat -> lo <= act n A Y i k <= hi.
Proof.
  intros [H1 Ha] Hy i Hi. unfold act.
  rewrite <- (Rmult_1_r lo), <- (Rmult_1_r hi), <- (H1 i Hi), <- !sum_scale.
  split; apply sum_le; intros j Hj; specialize (Ha i j Hi Hj); specialize (Hy j Hj).
  - rewrite (Rmult_comm lo). apply Rmult_le_compat_l; lra.
  - rewrite (Rmult_comm hi). apply Rmult_le_compat_l; lra.
Qed.

(* Jensen for the square, |sum_j a_j v_j|^2 <= sum_j a_j |v_j|^2. *)
Lemma jensen_square n a x : (forall j, (j < n)%nat -> 0 <= a j) -> sum n a = 1 ->
  sum n (fun j => a j * x j) ^ 2 <= sum n (fun j => a j * x j ^ 2).
Proof.
  intros Ha H1. set (m := sum n (fun j => a j * x j)).
  assert (H : 0 <= sum n (fun j => a j * (x j - m) ^ 2)).
  { apply sum_nonneg. intros. apply Rmult_le_pos; [now apply Ha|apply pow2_ge_0]. }
  rewrite (sum_ext n _ (fun j => a j * x j ^ 2 + -2 * m * (a j * x j) + m ^ 2 * a j)) in H
    by (intros; ring).
  rewrite !sum_add, !sum_scale, H1 in H. fold m in H. lra.
Qed.

Definition squared d (x z : vec) := sum d (fun k => (x k - z k) ^ 2).

Lemma squared_average n d A Y z i r : averaging n A -> (i < n)%nat ->
  (forall j, (j < n)%nat -> squared d (Y j) z <= r) -> squared d (act n A Y i) z <= r.
Proof.
  intros [H1 Ha] Hi Hr.
  apply Rle_trans with (sum n (fun j => A i j * squared d (Y j) z)).
  - unfold squared. rewrite (sum_ext n _ (fun j => sum d (fun k => A i j * (Y j k - z k) ^ 2)))
      by (intros; now rewrite sum_scale).
    rewrite sum_swap. apply sum_le. intros k _.
    replace (act n A Y i k - z k) with (sum n (fun j => A i j * (Y j k - z k))).
    + apply (jensen_square n (A i)); [intros; now apply Ha|now apply H1].
    + unfold act. rewrite (sum_ext n _ (fun j => A i j * Y j k - A i j * z k)) by (intros; ring).
      rewrite sum_sub, sum_scale_r, (H1 i Hi). ring.
  - rewrite <- (Rmult_1_r r), <- (H1 i Hi), <- sum_scale. apply sum_le. intros j Hj.
    rewrite (Rmult_comm r). apply Rmult_le_compat_l; [now apply Ha|now apply Hr].
Qed.

(* and max |y_i - y_j|. *)
Theorem diameter_shrinks n d A Y r : averaging n A ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> squared d (Y i) (Y j) <= r) ->
  forall i j, (i < n)%nat -> (j < n)%nat -> squared d (act n A Y i) (act n A Y j) <= r.
Proof.
  intros HA Hr i j Hi Hj. assert (Hs : forall x z, squared d x z = squared d z x)
    by (intros; apply sum_ext; intros; ring).
  apply squared_average; [assumption|assumption|]. intros l Hl. rewrite Hs.
  apply squared_average; [assumption|assumption|]. intros m Hm. now apply Hr.
Qed.

(* ---- opt.contraction ------------------------------------------------------------------------ *)

(* The FFN's full step: y -> [ReLU](b - y S). *)
Definition keep (x : R) := x.
Definition full_step d (phi : R -> R) S (b y : vec) : vec := fun k => phi (b k - times d y S k).

Definition nonexpansive (phi : R -> R) := forall x y, (phi x - phi y) ^ 2 <= (x - y) ^ 2.

Lemma keep_nonexpansive : nonexpansive keep.
Proof. intros x y. apply Rle_refl. Qed.

Lemma relu_nonexpansive : nonexpansive relu.
Proof.
  intros x y. unfold relu. assert (Hxy := pow2_ge_0 (x - y)).
  destruct (Rle_or_lt x 0) as [Hx|Hx]; [rewrite (Rmax_right x) by lra|rewrite (Rmax_left x) by lra];
    (destruct (Rle_or_lt y 0) as [Hy|Hy]; [rewrite (Rmax_right y) by lra|rewrite (Rmax_left y) by lra]).
  - rewrite Rminus_0_r. replace (0 ^ 2) with 0 by ring. assumption.
  - assert (0 <= - x * y) by (apply Rmult_le_pos; lra). assert (0 <= x ^ 2) by apply pow2_ge_0. lra.
  - assert (0 <= x * - y) by (apply Rmult_le_pos; lra). assert (0 <= y ^ 2) by apply pow2_ge_0. lra.
  - lra.
Qed.

Lemma full_step_shrinks d phi S b x z s : nonexpansive phi -> norm_at_most d d S (s ^ 2) ->
  squared d (full_step d phi S b x) (full_step d phi S b z) <= s ^ 2 * squared d x z.
Proof.
  intros Hphi HS. specialize (HS (fun l => x l - z l)).
  assert (E : squared d x z = dot d (fun l => x l - z l) (fun l => x l - z l)).
  { apply sum_ext. intros. ring. }
  rewrite E. eapply Rle_trans; [|exact HS]. apply sum_le. intros k _.
  eapply Rle_trans; [apply Hphi|]. apply Req_le.
  assert (H : times d (fun l => x l - z l) S k = times d x S k - times d z S k).
  { unfold times. rewrite <- sum_sub. apply sum_ext. intros. ring. }
  rewrite H. ring.
Qed.

(* Any averaging A, then the step, brings every row nearer to y* = [ReLU](b - y* S). *)
Theorem contraction n d A phi S b ystar Y s r : averaging n A -> nonexpansive phi ->
  norm_at_most d d S (s ^ 2) -> (forall k, full_step d phi S b ystar k = ystar k) ->
  (forall j, (j < n)%nat -> squared d (Y j) ystar <= r ^ 2) ->
  forall i, (i < n)%nat -> squared d (full_step d phi S b (act n A Y i)) ystar <= (s * r) ^ 2.
Proof.
  intros HA Hphi HS Hfix Hr i Hi.
  replace ystar with (full_step d phi S b ystar) at 1 by (extensionality k; apply Hfix).
  eapply Rle_trans; [apply full_step_shrinks; eassumption|].
  replace ((s * r) ^ 2) with (s ^ 2 * r ^ 2) by ring.
  apply Rmult_le_compat_l; [apply pow2_ge_0|]. now apply (squared_average n).
Qed.

(* ---- The FFN cannot raise E where it shrinks differences -------------------------------------- *)

Theorem shrinking_does_not_raise n d rho Y Z : nondecreasing rho ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> squared d (Z i) (Z j) <= squared d (Y i) (Y j)) ->
  energy n d rho Z <= energy n d rho Y.
Proof.
  intros Hm H. apply sum_le. intros i Hi. apply sum_le. intros j Hj.
  assert (Hz := dist_nonneg d Z i j).
  assert (dist d Z i j <= dist d Y i j); [|now apply Hm].
  specialize (H i j Hi ltac:(lia)). unfold dist. unfold squared in H. lra.
Qed.

(* W_a = 1, |S| <= 1, one b for all rows: the full FFN step. *)
Theorem ffn_does_not_raise_attention_energy n d rho phi S b Y : nondecreasing rho ->
  nonexpansive phi -> norm_at_most d d S 1 ->
  energy n d rho (fun i => full_step d phi S b (Y i)) <= energy n d rho Y.
Proof.
  intros Hm Hphi HS. apply shrinking_does_not_raise; [assumption|]. intros i j _ _.
  rewrite <- (Rmult_1_l (squared d (Y i) (Y j))). replace 1 with (1 ^ 2) by ring.
  apply full_step_shrinks; [assumption|]. now replace (1 ^ 2) with 1 by ring.
Qed.

(* ---- opt.fixed-keys -------------------------------------------------------------------------- *)

Definition key_energy n d (H : matrix) (z : vec) := - ln (sum n (fun j => exp (- squared d z (H j) / 2))).

(* p_j and the step z - eta (z - sum_j p_j h_j). *)
Definition key_weight n d (H : matrix) z j :=
  exp (- squared d z (H j) / 2) / sum n (fun l => exp (- squared d z (H l) / 2)).
Definition key_step n d eta (H : matrix) (z : vec) : vec :=
  fun k => z k - eta * (z k - sum n (fun j => key_weight n d H z j * H j k)).

Theorem fixed_keys n d eta H z : (0 < n)%nat -> 0 <= eta <= 2 ->
  key_energy n d H (key_step n d eta H z) <= key_energy n d H z.
Proof.
  intros Hn He. set (z' := key_step n d eta H z). set (p := key_weight n d H z).
  assert (Hpos : forall y, 0 < sum n (fun j => exp (- squared d y (H j) / 2))).
  { intros y. apply (sum_pos n _ 0%nat); [intros; left; apply exp_pos|assumption|apply exp_pos]. }
  set (Z := sum n (fun j => exp (- squared d z (H j) / 2))). assert (HZ : 0 < Z) by apply Hpos.
  assert (Hp : forall j, 0 <= p j).
  { intros j. apply Rmult_le_pos; [left; apply exp_pos|left; now apply Rinv_0_lt_compat]. }
  assert (Hp1 : sum n p = 1).
  { rewrite (sum_ext n p (fun j => exp (- squared d z (H j) / 2) * / Z)) by reflexivity.
    rewrite sum_scale_r. fold Z. apply Rinv_r. lra. }
  (* the change of the squared distances, averaged, is not positive *)
  set (g := fun k => z k - sum n (fun j => p j * H j k)).
  assert (Hc : sum n (fun j => p j * (squared d z' (H j) - squared d z (H j))) =
    - (eta * (2 - eta)) * sum d (fun k => g k ^ 2)).
  { unfold squared. rewrite (sum_ext n _ (fun j => sum d (fun k =>
      p j * ((z' k - z k) ^ 2 + 2 * (z' k - z k) * z k) - 2 * (z' k - z k) * (p j * H j k)))).
    - rewrite sum_swap, <- sum_scale. apply sum_ext. intros k _.
      rewrite sum_sub, sum_scale_r, sum_scale, Hp1.
      replace (z' k) with (z k - eta * g k) by reflexivity.
      replace (sum n (fun j => p j * H j k)) with (z k - g k) by (unfold g; ring). ring.
    - intros j _. rewrite <- sum_sub, <- sum_scale. apply sum_ext. intros. ring. }
  assert (Hg : 0 <= sum d (fun k => g k ^ 2)) by (apply sum_nonneg; intros; apply pow2_ge_0).
  assert (H0 : 0 <= eta * (2 - eta) * sum d (fun k => g k ^ 2)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]).
  (* e^u >= 1 + u, term by term *)
  assert (Hle : Z <= sum n (fun j => exp (- squared d z' (H j) / 2))).
  { apply Rle_trans with (Z * sum n (fun j => p j * (1 - (squared d z' (H j) - squared d z (H j)) / 2))).
    - rewrite (sum_ext n (fun j => p j * (1 - _ / 2))
        (fun j => p j + - / 2 * (p j * (squared d z' (H j) - squared d z (H j))))) by (intros; field).
      rewrite sum_add, sum_scale, Hp1, Hc. rewrite <- (Rmult_1_r Z) at 1.
      apply Rmult_le_compat_l; lra.
    - rewrite <- sum_scale. apply sum_le. intros j _.
      replace (- squared d z' (H j) / 2) with
        (- squared d z (H j) / 2 + - (squared d z' (H j) - squared d z (H j)) / 2) by field.
      rewrite exp_plus.
      replace (Z * (p j * (1 - (squared d z' (H j) - squared d z (H j)) / 2))) with
        (exp (- squared d z (H j) / 2) * (1 + - (squared d z' (H j) - squared d z (H j)) / 2)).
      + apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le].
      + unfold p, key_weight. fold Z. field. lra. }
  unfold key_energy. fold Z. apply Ropp_le_contravar.
  destruct Hle as [Hlt|<-]; [|lra]. left. now apply ln_increasing.
Qed.
