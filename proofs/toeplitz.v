(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* URPE's gate: row sums of Toeplitz matrices, and what a head with W_Q = 0 and B = 0 does. *)

From Coq Require Import Reals Lra Lia ZArith FunctionalExtensionality.
From Attest Require Import sums model softmax.
Open Scope R_scope.

(* ---- Row sums r = C 1 ------------------------------------------------------------------------ *)

Definition row_sum n (c : Z -> R) i := sum n (toeplitz c i).

(* The next row gains one entry in front and loses one at the end (row i here is i + 1 there). *)
Theorem row_sum_step c n i : (0 < n)%nat ->
  row_sum n c (S i) - row_sum n c i = c (Z.of_nat (S i)) - c (Z.of_nat (S i) - Z.of_nat n)%Z.
Proof.
  destruct n as [|n]; [lia|]. intros _. unfold row_sum. rewrite sum_first.
  rewrite (sum_ext n _ (toeplitz c i)) by (intros j _; unfold toeplitz; f_equal; lia).
  change (sum (S n) (toeplitz c i)) with (sum n (toeplitz c i) + toeplitz c i n).
  unfold toeplitz at 1 4. rewrite Z.sub_0_r.
  replace (Z.of_nat i - Z.of_nat n)%Z with (Z.of_nat (S i) - Z.of_nat (S n))%Z by lia. ring.
Qed.

(* A circulant C has equal row sums, *)
Theorem circulant_row_sums c n i : (0 < n)%nat -> (i < n)%nat ->
  (forall k, (0 < k < Z.of_nat n)%Z -> c k = c (k - Z.of_nat n)%Z) ->
  row_sum n c i = row_sum n c 0.
Proof.
  intros Hn Hi Hc. induction i as [|i IH]; [reflexivity|].
  assert (H := row_sum_step c n i Hn). rewrite (Hc (Z.of_nat (S i))) in H by lia.
  rewrite <- IH by lia. lra.
Qed.

(* an even C the same ones from both ends. *)
Theorem even_row_sums c n i : (i < n)%nat -> (forall k, c (- k)%Z = c k) ->
  row_sum n c i = row_sum n c (n - 1 - i).
Proof.
  intros Hi Hc. unfold row_sum. rewrite (sum_rev n (toeplitz c (n - 1 - i)%nat)).
  apply sum_ext. intros j Hj. unfold toeplitz. rewrite <- Hc. f_equal. lia.
Qed.

(* Every vector occurs.  The right inverse: c_0 = v_0, c_k = v_k - v_{k-1}, nothing before. *)
Definition steps (v : nat -> R) (k : Z) : R :=
  if (k <? 0)%Z then 0 else
  match Z.to_nat k with O => v O | S m => v (S m) - v m end.

Lemma steps_before v i j : (i < j)%nat -> toeplitz (steps v) i j = 0.
Proof.
  intros H. unfold toeplitz, steps.
  destruct (Z.ltb_spec (Z.of_nat i - Z.of_nat j) 0); [reflexivity|lia].
Qed.

Lemma steps_shift v i j : toeplitz (steps v) (S i) (S j) = toeplitz (steps v) i j.
Proof. unfold toeplitz. f_equal. lia. Qed.

Lemma steps_first v i : toeplitz (steps v) (S i) 0%nat = v (S i) - v i.
Proof.
  unfold toeplitz, steps. destruct (Z.ltb_spec (Z.of_nat (S i) - Z.of_nat 0) 0); [lia|].
  replace (Z.to_nat (Z.of_nat (S i) - Z.of_nat 0)) with (S i) by lia. reflexivity.
Qed.

Theorem row_sums_onto v n : forall i, (i < n)%nat -> row_sum n (steps v) i = v i.
Proof.
  unfold row_sum. induction n as [|n IH]; intros i Hi; [lia|].
  rewrite sum_first. destruct i as [|i].
  - rewrite (sum_ext n _ (fun _ => 0)) by (intros; apply steps_before; lia).
    rewrite sum_zero. unfold toeplitz, steps. simpl. ring.
  - rewrite steps_first, (sum_ext n _ (toeplitz (steps v) i)) by (intros; apply steps_shift).
    rewrite IH by lia. ring.
Qed.

(* The two gates of the constructions: c_k = 1 for k <= 0, and for k >= 0; else 0. *)
Definition ahead (k : Z) : R := if (k <=? 0)%Z then 1 else 0.
Definition behind (k : Z) : R := if (0 <=? k)%Z then 1 else 0.

Lemma behind_row_sum n i : (i < n)%nat -> row_sum n behind i = INR i + 1.
Proof.
  intros Hi. unfold row_sum. revert Hi. induction n as [|n IH]; intros Hi; [lia|]. simpl.
  destruct (Nat.eq_dec i n) as [->|Hne].
  - rewrite (sum_ext n _ (fun _ => 1)), sum_const.
    + unfold toeplitz, behind. destruct (Z.leb_spec 0 (Z.of_nat n - Z.of_nat n)); [lra|lia].
    + intros j Hj. unfold toeplitz, behind.
      destruct (Z.leb_spec 0 (Z.of_nat n - Z.of_nat j)); [reflexivity|lia].
  - rewrite IH by lia. unfold toeplitz, behind.
    destruct (Z.leb_spec 0 (Z.of_nat i - Z.of_nat n)); [lia|lra].
Qed.

Lemma ahead_row_sum n i : (i < n)%nat -> row_sum n ahead i = INR n - INR i.
Proof.
  intros Hi. unfold row_sum. rewrite sum_rev.
  rewrite (sum_ext n _ (toeplitz behind (n - 1 - i)%nat)).
  - assert (H := behind_row_sum n (n - 1 - i) ltac:(lia)). unfold row_sum in H. rewrite H.
    rewrite !minus_INR by lia. simpl. ring.
  - intros j Hj. unfold toeplitz, ahead, behind.
    destruct (Z.leb_spec (Z.of_nat i - Z.of_nat (n - 1 - j)) 0),
      (Z.leb_spec 0 (Z.of_nat (n - 1 - i) - Z.of_nat j)); try reflexivity; lia.
Qed.

(* ---- Heads with equal logits ------------------------------------------------------------------ *)

(* URPE with B = 0 and C = 1 1^T is plain softmax attention. *)
Theorem attentive n H m s v o X :
  run_layer n (urpe_layer n H m s (fun _ _ _ => 1) v o) X =
  run_layer n (softmax_layer n H m s v o) X.
Proof.
  extensionality i. unfold run_layer. simpl. destruct (Nat.ltb i n); [|reflexivity].
  f_equal. extensionality k. apply sum_ext. intros h _. apply sum_ext. intros j _. ring.
Qed.

Lemma times_zero d x k : times d x (fun _ _ => 0) k = 0.
Proof.
  unfold times. rewrite (sum_ext d _ (fun _ => 0)) by (intros; ring). apply sum_zero.
Qed.

(* W_Q = 0, B = 0: the logits are 0 for every sequence, *)
Lemma zero_query_score d e a X i j :
  wq a = (fun _ _ => 0) -> bias a = no_bias -> score d e a X i j = 0.
Proof.
  intros Hq Hb. unfold score, dot. rewrite Hq, Hb.
  rewrite (sum_ext e _ (fun _ => 0)) by (intros; rewrite times_zero; ring).
  rewrite sum_zero. unfold no_bias. ring.
Qed.

(* so A_U = C/n, *)
Theorem zero_query_weights n d e f H a W1 W2 h X i j : (j < n)%nat ->
  wq (a h) = (fun _ _ => 0) -> bias (a h) = no_bias ->
  weights (transformer n d e f H everything a W1 W2) h X i j = gate (a h) i j / INR n.
Proof.
  intros Hj Hq Hb. simpl. change (everything i) with (fun _ : nat => true).
  rewrite (softmax_equal n _ 0 j); [unfold Rdiv; ring| |assumption].
  intros l _. now apply zero_query_score.
Qed.

(* the row sums of A_U are those of C by n, *)
Theorem zero_query_row_sums n d e f H a W1 W2 c h X i :
  wq (a h) = (fun _ _ => 0) -> bias (a h) = no_bias -> gate (a h) = toeplitz c ->
  sum n (weights (transformer n d e f H everything a W1 W2) h X i) = row_sum n c i / INR n.
Proof.
  intros Hq Hb Hc. unfold row_sum, Rdiv. rewrite <- sum_scale_r. apply sum_ext. intros j Hj.
  rewrite (zero_query_weights n d e f H a W1 W2 h X i j Hj Hq Hb), Hc. reflexivity.
Qed.

(* and with c_k = 1 for k <= 0 they are 1, (n-1)/n, ..., 1/n: all distinct. *)
Theorem position_aware n d e f H a W1 W2 h X i :
  wq (a h) = (fun _ _ => 0) -> bias (a h) = no_bias -> gate (a h) = toeplitz ahead -> (i < n)%nat ->
  sum n (weights (transformer n d e f H everything a W1 W2) h X i) = (INR n - INR i) / INR n.
Proof.
  intros Hq Hb Hc Hi. rewrite (zero_query_row_sums n d e f H a W1 W2 ahead h X i Hq Hb Hc).
  now rewrite ahead_row_sum.
Qed.

Corollary position_aware_distinct n i j : (i < n)%nat -> (j < n)%nat ->
  (INR n - INR i) / INR n = (INR n - INR j) / INR n -> i = j.
Proof.
  intros Hi Hj H. apply INR_eq. assert (INR n <> 0) by (apply not_0_INR; lia).
  apply Rmult_eq_reg_r with (/ INR n); [unfold Rdiv in H; lra|now apply Rinv_neq_0_compat].
Qed.

(* ---- Maps X + M X W_V W_O --------------------------------------------------------------------- *)

(* One head with C = n M, whatever M is (Toeplitz where the tables are). *)
Theorem toeplitz_maps n d e f M wq0 wk0 wv0 wo0 W1 W2 X i : (i < n)%nat ->
  wq0 = (fun _ _ => 0) ->
  run_layer n (transformer n d e f 1 everything
    (fun _ => {| wq := wq0; wk := wk0; wv := wv0; wo := wo0; bias := no_bias;
                 gate := fun i j => INR n * M i j |}) W1 W2) X i =
  ffn d f W1 W2 (fun k => X i k + sum n (fun j => M i j * times e (times d (X j) wv0) wo0 k)).
Proof.
  intros Hi Hq. set (a := fun _ : nat => _).
  unfold run_layer. destruct (Nat.ltb_spec i n); [|lia].
  change (combine (transformer n d e f 1 everything a W1 W2))
    with (fun x y : vec => ffn d f W1 W2 (fun k => x k + y k)). cbv beta. f_equal.
  extensionality k. f_equal.
  transitivity (0 + sum n (fun j => weights (transformer n d e f 1 everything a W1 W2) 0%nat X i j *
                                    times e (times d (X j) wv0) wo0 k)); [reflexivity|].
  rewrite Rplus_0_l. apply sum_ext. intros j Hj.
  rewrite (zero_query_weights n d e f 1 a W1 W2 0 X i j Hj Hq eq_refl).
  change (gate (a 0%nat) i j) with (INR n * M i j). field. apply not_0_INR. lia.
Qed.

(* Gathering: the Toeplitz matrix with ones at offset k moves row i - k to row i, exactly; nothing
   comes from outside. *)
Definition offset (k : Z) : matrix := toeplitz (fun l => if (l =? k)%Z then 1 else 0).

Theorem gathering n k (x : nat -> R) i : (i < n)%nat ->
  sum n (fun j => offset k i j * x j) =
  let s := (Z.of_nat i - k)%Z in
  if andb (0 <=? s)%Z (s <? Z.of_nat n)%Z then x (Z.to_nat s) else 0.
Proof.
  intros Hi. cbv zeta. unfold offset, toeplitz.
  destruct (Z.leb_spec 0 (Z.of_nat i - k)), (Z.ltb_spec (Z.of_nat i - k) (Z.of_nat n)); simpl.
  - rewrite <- (sum_delta n x (Z.to_nat (Z.of_nat i - k))) by lia. apply sum_ext. intros j Hj.
    destruct (Z.eqb_spec (Z.of_nat i - Z.of_nat j) k), (Nat.eqb_spec j (Z.to_nat (Z.of_nat i - k)));
      try ring; lia.
  - rewrite (sum_ext n _ (fun _ => 0)); [apply sum_zero|]. intros j Hj.
    destruct (Z.eqb_spec (Z.of_nat i - Z.of_nat j) k); [lia|ring].
  - rewrite (sum_ext n _ (fun _ => 0)); [apply sum_zero|]. intros j Hj.
    destruct (Z.eqb_spec (Z.of_nat i - Z.of_nat j) k); [lia|ring].
  - rewrite (sum_ext n _ (fun _ => 0)); [apply sum_zero|]. intros j Hj.
    destruct (Z.eqb_spec (Z.of_nat i - Z.of_nat j) k); [lia|ring].
Qed.
