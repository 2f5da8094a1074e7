(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Finite sums of reals over 0, ..., n - 1: all of linear algebra that the theorems need. *)

From Coq Require Import Reals Lra Lia FunctionalExtensionality.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m f + f m
  end.

Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [reflexivity|].
  rewrite IH, H by (intros; try apply H; lia). reflexivity.
Qed.

Lemma sum_add n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_sub n f g : sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_scale n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_scale_r n c f : sum n (fun i => f i * c) = sum n f * c.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_zero n : sum n (fun _ => 0) = 0.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [simpl|rewrite S_INR; simpl; rewrite IH]; ring. Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H|apply H]; lia.
Qed.

Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros H. rewrite <- (sum_zero n). now apply sum_le. Qed.

Lemma sum_pos n f i :
  (forall j, (j < n)%nat -> 0 <= f j) -> (i < n)%nat -> 0 < f i -> 0 < sum n f.
Proof.
  induction n as [|n IH]; simpl; intros H Hi Hp; [lia|].
  assert (0 <= f n) by (apply H; lia).
  assert (0 <= sum n f) by (apply sum_nonneg; intros; apply H; lia).
  destruct (Nat.eq_dec i n) as [->|]; [lra|].
  assert (0 < sum n f) by (apply IH; [intros; apply H; lia|lia|assumption]). lra.
Qed.

(* One term of a sum of terms that are not negative is at most the sum; and two of them. *)
Lemma sum_ge_term n f i :
  (forall j, (j < n)%nat -> 0 <= f j) -> (i < n)%nat -> f i <= sum n f.
Proof.
  induction n as [|n IH]; simpl; intros H Hi; [lia|].
  assert (0 <= f n) by (apply H; lia).
  assert (0 <= sum n f) by (apply sum_nonneg; intros; apply H; lia).
  destruct (Nat.eq_dec i n) as [->|]; [lra|].
  assert (f i <= sum n f) by (apply IH; [intros; apply H; lia|lia]). lra.
Qed.

Lemma sum_ge_two n f i j :
  (forall k, (k < n)%nat -> 0 <= f k) -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  f i + f j <= sum n f.
Proof.
  induction n as [|n IH]; simpl; intros H Hi Hj Hij; [lia|].
  assert (Hn : forall k, (k < n)%nat -> 0 <= f k) by (intros; apply H; lia).
  assert (0 <= f n) by (apply H; lia).
  destruct (Nat.eq_dec i n) as [->|]; destruct (Nat.eq_dec j n) as [->|]; [lia| | |].
  - assert (f j <= sum n f) by (apply sum_ge_term; [assumption|lia]). lra.
  - assert (f i <= sum n f) by (apply sum_ge_term; [assumption|lia]). lra.
  - assert (f i + f j <= sum n f) by (apply IH; [assumption|lia..]). lra.
Qed.

Lemma sum_swap n m f :
  sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; simpl; [now rewrite sum_zero|].
  now rewrite IH, <- sum_add.
Qed.

Lemma sum_first n f : sum (S n) f = f O + sum n (fun i => f (S i)).
Proof.
  induction n as [|n IH]; [simpl; ring|].
  change (sum (S (S n)) f) with (sum (S n) f + f (S n)).
  rewrite IH. simpl. ring.
Qed.

Lemma sum_rev n f : sum n f = sum n (fun i => f (n - 1 - i)%nat).
Proof.
  induction n as [|n IH]; [reflexivity|].
  rewrite (sum_first n (fun i => f (S n - 1 - i)%nat)).
  replace (S n - 1 - 0)%nat with n by lia. simpl. rewrite IH, Rplus_comm. f_equal.
  apply sum_ext. intros i Hi. f_equal. lia.
Qed.

(* A symmetric double sum: each pair twice, and the diagonal. *)
Lemma sum_pairs n f :
  (forall i j, (i < n)%nat -> (j < n)%nat -> f i j = f j i) ->
  sum n (fun i => sum n (fun j => f i j)) =
  2 * sum n (fun i => sum i (fun j => f i j)) + sum n (fun i => f i i).
Proof.
  induction n as [|n IH]; simpl; intros H; [ring|].
  rewrite sum_add, IH by (intros; apply H; lia).
  rewrite (sum_ext n (fun i => f i n) (fun j => f n j)) by (intros; apply H; lia).
  ring.
Qed.

(* A bijection of 0, ..., n - 1 changes no sum. *)
Lemma sum_delta n f k : (k < n)%nat -> sum n (fun i => if Nat.eqb i k then f i else 0) = f k.
Proof.
  induction n as [|n IH]; simpl; intros H; [lia|].
  destruct (Nat.eqb_spec n k) as [->|Hne].
  - rewrite (sum_ext k _ (fun _ => 0)), sum_zero; [ring|].
    intros i Hi. destruct (Nat.eqb_spec i k); [lia|reflexivity].
  - rewrite IH by lia. ring.
Qed.

Record bijection n (p q : nat -> nat) : Prop := {
  bij_p : forall i, (i < n)%nat -> (p i < n)%nat;
  bij_q : forall i, (i < n)%nat -> (q i < n)%nat;
  bij_qp : forall i, (i < n)%nat -> q (p i) = i;
  bij_pq : forall i, (i < n)%nat -> p (q i) = i }.

Lemma sum_reindex n p q f : bijection n p q -> sum n (fun i => f (p i)) = sum n f.
Proof.
  intros B.
  rewrite (sum_ext n _ (fun i => sum n (fun j => if Nat.eqb j (p i) then f j else 0)))
    by (intros i Hi; symmetry; apply sum_delta; now apply (bij_p n p q)).
  rewrite sum_swap. apply sum_ext. intros j Hj.
  rewrite (sum_ext n _ (fun i => if Nat.eqb i (q j) then f j else 0)).
  - apply (sum_delta n (fun _ => f j)). now apply (bij_q n p q).
  - intros i Hi. destruct (Nat.eqb_spec j (p i)) as [->|H1].
    + rewrite (bij_qp n p q B i Hi). now rewrite Nat.eqb_refl.
    + destruct (Nat.eqb_spec i (q j)) as [->|]; [|reflexivity].
      now rewrite (bij_pq n p q B j Hj) in H1.
Qed.
