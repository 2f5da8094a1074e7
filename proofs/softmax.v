(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Softmax rows with a mask sum to one, so softmax layers collapse, whatever their logits read. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Attest Require Import sums model collapse.
Open Scope R_scope.

Lemma shown_nonneg m s : 0 <= shown m (exp s).
Proof. destruct m; simpl; [left; apply exp_pos|lra]. Qed.

Lemma softmax_denominator n m s i :
  (i < n)%nat -> m i = true -> 0 < sum n (fun l => shown (m l) (exp (s l))).
Proof.
  intros Hi Hm. apply (sum_pos n _ i); [intros; apply shown_nonneg|assumption|].
  rewrite Hm. apply exp_pos.
Qed.

Theorem softmax_row_sum n m s i :
  (i < n)%nat -> m i = true -> sum n (softmax n m s) = 1.
Proof.
  intros Hi Hm. unfold softmax, Rdiv. rewrite sum_scale_r.
  apply Rinv_r. apply Rgt_not_eq. now apply (softmax_denominator n m s i).
Qed.

Lemma softmax_nonneg n m s j : (j < n)%nat -> 0 <= softmax n m s j.
Proof.
  intros Hj. unfold softmax, Rdiv.
  destruct (m j) eqn:Hm; simpl; [|rewrite Rmult_0_l; lra].
  apply Rmult_le_pos; [left; apply exp_pos|].
  left. apply Rinv_0_lt_compat. now apply (softmax_denominator n m s j).
Qed.

(* Equal logits: 1/n each. *)
Lemma softmax_equal n s c j :
  (forall l, (l < n)%nat -> s l = c) -> (j < n)%nat -> softmax n (fun _ => true) s j = / INR n.
Proof.
  intros H Hj. unfold softmax. simpl. rewrite (H j Hj).
  rewrite (sum_ext n _ (fun _ => exp c)) by (intros l Hl; now rewrite H).
  rewrite sum_const. assert (0 < exp c) by apply exp_pos.
  assert (INR n <> 0) by (apply not_0_INR; lia). field. split; lra.
Qed.

(* Each row sees something. *)
Definition sees n H (m : nat -> seq -> nat -> nat -> bool) :=
  forall h X i, (h < H)%nat -> (i < n)%nat -> exists j, (j < n)%nat /\ m h X i j = true.

(* Any logits, of the sequence and of positions in any way (dot products with any relative
   encoding inside the softmax, a positional term of its own, a graph's distances), any such mask. *)
Theorem softmax_layer_collapses n H m s v c :
  sees n H m -> softmax_only n (softmax_layer n H m s v c).
Proof.
  intros Hm. split; [|intros h i j x; reflexivity].
  intros h X Hh i Hi. destruct (Hm h X i Hh Hi) as (j & Hj & Hs). simpl.
  now apply (softmax_row_sum n _ _ j).
Qed.

(* A causal row sees at least itself. *)
Corollary causal_collapses n H s v c :
  softmax_only n (softmax_layer n H (fun _ _ => causal) s v c).
Proof.
  apply softmax_layer_collapses. intros h X i _ Hi.
  exists i. split; [assumption|apply Nat.leb_refl].
Qed.

(* TUPE: absolute positions, but in the logits only. *)
Corollary tupe_collapses n H a (p : nat -> nat -> nat -> R) v c :
  softmax_only n (softmax_layer n H (fun _ _ => everything)
    (fun h X i j => a h (X i) (X j) + p h i j) v c).
Proof.
  apply softmax_layer_collapses. intros h X i _ Hi. exists i. split; [assumption|reflexivity].
Qed.
