(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Even token prediction by URPE's second layer: with logits 2 beta t j - beta j^2 the row of
   position t copies token t, for every n and every beta >= 1, with a margin of at least 101/869. *)

From Coq Require Import Reals Lra Lia ZArith.
From Attest Require Import sums model softmax.
Open Scope R_scope.

Lemma sum_split n t f : (t < n)%nat ->
  sum n f = sum t f + f t + sum (n - t - 1) (fun k => f (t + 1 + k)%nat).
Proof.
  induction n as [|n IH]; intros H; [lia|].
  destruct (Nat.eq_dec t n) as [->|Hne].
  - replace (S n - n - 1)%nat with 0%nat by lia. simpl. ring.
  - replace (S n - t - 1)%nat with (S (n - t - 1)) by lia. simpl. rewrite IH by lia.
    replace (t + 1 + (n - t - 1))%nat with n by lia. ring.
Qed.

Lemma geometric m q : 0 <= q < 1 -> sum m (fun k => q ^ k) <= / (1 - q).
Proof.
  intros Hq. assert (H : (1 - q) * sum m (fun k => q ^ k) = 1 - q ^ m).
  { induction m as [|m IH]; simpl; [ring|]. rewrite Rmult_plus_distr_l, IH. ring. }
  assert (0 <= q ^ m) by (apply pow_le; lra).
  apply Rmult_le_reg_l with (1 - q); [lra|]. rewrite H, Rinv_r; lra.
Qed.

Lemma exp_powers x k : exp x ^ k = exp (INR k * x).
Proof.
  induction k as [|k IH]; [simpl; now rewrite Rmult_0_l, exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, exp_plus, <- IH, Rmult_1_l. simpl. ring.
Qed.

(* e >= 8/3: e = (e^{1/36})^36 >= (37/36)^36. *)
Lemma exp_one : 8 / 3 <= exp 1.
Proof.
  assert (H : exp 1 = exp (1 / 36) ^ 36).
  { rewrite exp_powers. f_equal. simpl. lra. }
  rewrite H. apply Rle_trans with ((1 + 1 / 36) ^ 36).
  - replace (1 + 1 / 36) with (37 / 36) by lra. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv.
    apply Rmult_le_reg_r with (3 * 36 ^ 36); [apply Rmult_lt_0_compat; [lra|apply pow_lt; lra]|].
    replace (37 ^ 36 * / 36 ^ 36 * (3 * 36 ^ 36)) with (3 * 37 ^ 36) by (field; apply pow_nonzero; lra).
    replace (8 * / 3 * (3 * 36 ^ 36)) with (8 * 36 ^ 36) by field.
    rewrite !pow_IZR, <- !mult_IZR. apply IZR_le. apply Z.leb_le. reflexivity.
  - apply pow_incr. split; [lra|]. apply exp_ineq1_le.
Qed.

Section ETP.

Variables (n t : nat) (beta : R) (x : nat -> R).
Hypothesis Ht : (t < n)%nat.
Hypothesis Hbeta : 1 <= beta.
Hypothesis Hx : forall j, -1 <= x j <= 1.
Hypothesis Hxt : x t * x t = 1.

(* The logit of token j at position t, and the terms by their distance. *)
Definition E := exp (- beta).
Definition logit j := 2 * beta * INR t * INR j - beta * INR j ^ 2.
Definition g (k : nat) := exp (- (beta * INR k ^ 2)).
Definition s := 2 * E / (1 - E ^ 3).

Lemma E_range : 0 < E <= 3 / 8.
Proof.
  unfold E. split; [apply exp_pos|]. apply Rle_trans with (exp (- 1)).
  2:{ replace (exp (- 1)) with (/ exp 1) by (rewrite <- exp_Ropp; f_equal; lra). replace (3 / 8) with (/ (8 / 3)) by lra.
      apply Rinv_le_contravar; [lra|exact exp_one]. }
  destruct (Rle_lt_or_eq_dec 1 beta Hbeta) as [H|H];
    [left; apply exp_increasing; lra|right; f_equal; lra].
Qed.

Lemma g_bound k : g (k + 1) <= E * (E ^ 3) ^ k.
Proof.
  assert (H : E * (E ^ 3) ^ k = exp (- (beta * (1 + 3 * INR k)))).
  { induction k as [|k IH].
    - unfold E. simpl. rewrite Rmult_1_r. f_equal. ring.
    - rewrite S_INR. replace (- (beta * (1 + 3 * (INR k + 1)))) with
        (- (beta * (1 + 3 * INR k)) + (- beta + (- beta + - beta))) by ring.
      rewrite !exp_plus, <- IH. unfold E. simpl. ring. }
  rewrite H. unfold g. rewrite plus_INR. simpl (INR 1). assert (Hk := pos_INR k).
  assert (Hi : INR k <= INR k ^ 2).
  { destruct k; [simpl; lra|]. assert (1 <= INR (S k)) by (rewrite S_INR; assert (H1 := pos_INR k); lra). nra. }
  destruct (Rle_lt_or_eq_dec (- (beta * (INR k + 1) ^ 2)) (- (beta * (1 + 3 * INR k)))) as [Hl|He]; [nra| |].
  - left. now apply exp_increasing.
  - rewrite He. lra.
Qed.

Lemma tail_bound m : sum m (fun k => g (k + 1)) <= E / (1 - E ^ 3).
Proof.
  assert (HE := E_range). assert (HE3 : 0 <= E ^ 3 < 1) by (split; [apply pow_le; lra|]; simpl; nra).
  apply Rle_trans with (sum m (fun k => E * (E ^ 3) ^ k)); [apply sum_le; intros; apply g_bound|].
  rewrite sum_scale. apply Rmult_le_compat_l; [lra|now apply geometric].
Qed.

Definition others (f : nat -> R) := sum t f + sum (n - t - 1) (fun k => f (t + 1 + k)%nat).

Lemma logit_g j k : (j = t + k \/ t = j + k)%nat -> exp (logit j) = exp (beta * INR t ^ 2) * g k.
Proof.
  intros H. unfold g, logit. rewrite <- exp_plus. f_equal.
  destruct H as [-> | Hk]; [|rewrite Hk]; rewrite !plus_INR; ring.
Qed.

Lemma others_bound : others (fun j => exp (logit j)) <= exp (beta * INR t ^ 2) * s.
Proof.
  unfold others. set (c := exp (beta * INR t ^ 2)). assert (Hc : 0 < c) by apply exp_pos.
  rewrite sum_rev.
  rewrite (sum_ext t _ (fun k => c * g (k + 1))) by (intros; apply logit_g; lia).
  rewrite (sum_ext (n - t - 1) _ (fun k => c * g (k + 1))) by (intros; apply logit_g; lia).
  rewrite !sum_scale. assert (H1 := tail_bound t). assert (H2 := tail_bound (n - t - 1)).
  replace (c * s) with (c * (E / (1 - E ^ 3)) + c * (E / (1 - E ^ 3))) by (unfold s, Rdiv; ring).
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Theorem etp_margin :
  (1 - s) / (1 + s) <= x t * sum n (fun j => softmax n (fun _ => true) logit j * x j).
Proof.
  set (c := exp (beta * INR t ^ 2)). assert (Hc : 0 < c) by apply exp_pos.
  set (e := fun j => exp (logit j)). assert (He : forall j, 0 < e j) by (intros; apply exp_pos).
  assert (Het : e t = c).
  { unfold e. rewrite (logit_g t 0) by lia. unfold g. simpl. rewrite !Rmult_0_l, Rmult_0_r, Ropp_0, exp_0. fold c. unfold c. simpl. ring. }
  set (r := others e). assert (Hr : r <= c * s) by apply others_bound.
  assert (Hr0 : 0 <= r) by (unfold r, others; apply Rplus_le_le_0_compat; apply sum_nonneg; intros; left; apply He).
  assert (HZ : sum n e = c + r) by (rewrite (sum_split n t e Ht), Het; unfold r, others; ring).
  assert (Hn : - r <= x t * others (fun j => e j * x j)).
  { unfold r, others. rewrite Rmult_plus_distr_l, <- !sum_scale.
    replace (- (sum t e + sum (n - t - 1) (fun k => e (t + 1 + k)%nat))) with
      (sum t (fun j => -1 * e j) + sum (n - t - 1) (fun k => -1 * e (t + 1 + k)%nat)) by (rewrite !sum_scale; ring).
    assert (Hb : forall j, -1 * e j <= x t * (e j * x j)).
    { intros j. specialize (He j). assert (H1 := Hx t). assert (H2 := Hx j).
      assert (-1 <= x t * x j) by nra. nra. }
    apply Rplus_le_compat; apply sum_le; intros; apply Hb. }
  assert (Hy : x t * sum n (fun j => softmax n (fun _ => true) logit j * x j) =
               (c + x t * others (fun j => e j * x j)) / (c + r)).
  { rewrite <- HZ. unfold softmax. simpl shown. fold e.
    rewrite (sum_ext n _ (fun j => e j * x j * / sum n e)) by (intros; unfold e, Rdiv; ring).
    rewrite sum_scale_r, (sum_split n t (fun j => e j * x j) Ht). rewrite Het at 1.
    unfold Rdiv. rewrite <- Rmult_assoc. f_equal. unfold others.
    replace c with (c * (x t * x t)) at 2 by (rewrite Hxt; ring). ring. }
  rewrite Hy. assert (HE := E_range).
  assert (Hs : 0 < s).
  { unfold s. apply Rdiv_lt_0_compat; [lra|]. assert (E ^ 3 < 1) by (simpl; nra). lra. }
  apply Rle_trans with ((c - r) / (c + r)).
  - apply Rmult_le_reg_r with ((1 + s) * (c + r)); [apply Rmult_lt_0_compat; lra|].
    replace ((1 - s) / (1 + s) * ((1 + s) * (c + r))) with ((1 - s) * (c + r)) by (field; lra).
    replace ((c - r) / (c + r) * ((1 + s) * (c + r))) with ((c - r) * (1 + s)) by (field; lra). lra.
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra.
Qed.

Theorem etp_solved : 101 / 869 <= x t * sum n (fun j => softmax n (fun _ => true) logit j * x j).
Proof.
  eapply Rle_trans; [|apply etp_margin]. assert (HE := E_range).
  assert (HE3 : 0 <= E ^ 3 <= 27 / 512).
  { split; [apply pow_le; lra|]. replace (27 / 512) with ((3 / 8) ^ 3) by lra. apply pow_incr. lra. }
  assert (Hs : 0 <= s <= 384 / 485).
  { unfold s, Rdiv. split.
    - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    - apply Rmult_le_reg_r with (1 - E ^ 3); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  apply Rmult_le_reg_r with (1 + s); [lra|]. unfold Rdiv. rewrite (Rmult_assoc (1 - s)), Rinv_l by lra.
  lra.
Qed.

End ETP.
