(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* [L], Theorem 2: for every n >= 2 and every M there is a target that no softmax-only network
   comes nearer to than M, and the ceilings of the two synthetic tasks on constant sequences. *)

From Coq Require Import Reals Lra Lia List.
From Attest Require Import sums model collapse floors.
Open Scope R_scope.

(* What differs by 2 s between two rows of the target is missed by at least s by every network,
   whatever its depth, width and weights. *)
Theorem uniform_gap n (f : seq -> seq) X x i j k s e :
  constant n X x -> (i < n)%nat -> (j < n)%nat ->
  2 * s <= Rabs (f X i k - f X j k) ->
  forall net, Forall (softmax_only n) net ->
  (forall r, (r < n)%nat -> Rabs (f X r k - run n net X r k) <= e) -> s <= e.
Proof.
  intros HX Hi Hj Hs net Hnet He.
  destruct (network_floor n (f X) net X x i j k Hnet HX Hi Hj) as (r & Hr & Hfl).
  specialize (He r Hr). lra.
Qed.

(* The target T does not depend on X, so it is continuous on every domain; the domain need hold one
   constant sequence X only.  Squares of Frobenius norms: the miss is more than M. *)
Theorem no_uniform_approximation n M : (2 <= n)%nat -> 0 < M ->
  exists T : seq, forall d net X x, (1 <= d)%nat ->
  Forall (softmax_only n) net -> constant n X x ->
  M ^ 2 < sum n (fun i => sum d (fun k => (T i k - run n net X i k) ^ 2)).
Proof.
  intros Hn HM.
  set (T := fun i k => if Nat.eqb k 0 then if Nat.eqb i 0 then M else if Nat.eqb i 1 then - M else 0 else 0).
  exists T. intros d net X x Hd Hnet HX.
  rewrite sum_swap.
  apply Rlt_le_trans with (sum n (fun i => (T i 0%nat - run n net X i 0%nat) ^ 2)).
  - apply Rlt_le_trans with ((T 0%nat 0%nat - T 1%nat 0%nat) ^ 2 / 2).
    { unfold T. simpl Nat.eqb. cbv iota. nra. }
    eapply Rle_trans; [apply (floor_squares n (fun i => T i 0%nat) (token net x 0%nat) 0 1); lia|].
    apply Req_le, sum_ext. intros i Hi. now rewrite (deep_collapse n net X x Hnet HX i Hi).
  - apply (sum_ge_term d (fun k => sum n (fun i => (T i k - run n net X i k) ^ 2)) 0); [|lia].
    intros k _. apply sum_nonneg. intros i _. apply pow2_ge_0.
Qed.

(* ---- Position identification: row i answers i ------------------------------------------------ *)

Lemma count_identity n v : count n (fun i => i) v <= 1.
Proof.
  unfold count. destruct (Nat.lt_ge_cases v n) as [Hv|Hv].
  - rewrite <- (sum_delta n (fun _ => 1) v Hv). apply Req_le, sum_ext. intros i _.
    unfold indicator. destruct (Nat.eqb i v); reflexivity.
  - rewrite (sum_ext n _ (fun _ => 0)); [rewrite sum_zero; lra|].
    intros i Hi. unfold indicator. destruct (Nat.eqb_spec i v); [lia|reflexivity].
Qed.

Corollary pi_accuracy n (predict : vec -> nat) net X x : (0 < n)%nat ->
  Forall (softmax_only n) net -> constant n X x ->
  mean n (fun i => indicator (Nat.eqb i (predict (run n net X i)))) <= 1 / INR n.
Proof.
  intros. apply (network_accuracy n (fun i => i) predict net X x 1); auto.
  apply count_identity.
Qed.

Corollary pi_cross_entropy n (prob : vec -> nat -> R) net X x : (0 < n)%nat ->
  Forall (softmax_only n) net -> constant n X x ->
  (forall y v, (v < n)%nat -> 0 < prob y v) -> (forall y, sum n (prob y) = 1) ->
  ln (INR n) <= mean n (fun i => - ln (prob (run n net X i) i)).
Proof.
  intros Hn Hnet HX Hp Hs. assert (HN : 0 < INR n) by (apply lt_0_INR; lia).
  eapply Rle_trans; [|apply (network_cross_entropy n n (fun i => i) prob net X x); auto].
  apply Req_le. rewrite (sum_ext n _ (fun _ => / INR n * ln (INR n))).
  - rewrite sum_const. field. lra.
  - intros v Hv. assert (Hc : count n (fun i => i) v = 1).
    { unfold count. rewrite <- (sum_delta n (fun _ => 1) v Hv). apply sum_ext. intros i _.
      unfold indicator. destruct (Nat.eqb i v); reflexivity. }
    rewrite Hc. unfold Rdiv. rewrite !Rmult_1_l, ln_Rinv by assumption. ring.
Qed.

(* ---- Even token prediction: rows up to floor(n/2) answer the token, the others EOS ----------- *)

Definition etp_labels n (c eos : nat) i := if Nat.ltb i (n / 2) then c else eos.

Lemma count_initial n h : (h <= n)%nat -> sum n (fun i => indicator (Nat.ltb i h)) = INR h.
Proof.
  induction n as [|n IH]; simpl; intros Hh; [replace h with 0%nat by lia; reflexivity|].
  destruct (Nat.eq_dec h (S n)) as [->|Hne].
  - rewrite (sum_ext n _ (fun _ => 1)), sum_const.
    + destruct (Nat.ltb_spec n (S n)); [|lia]. rewrite S_INR. simpl. ring.
    + intros i Hi. destruct (Nat.ltb_spec i (S n)); [reflexivity|lia].
  - rewrite IH by lia. destruct (Nat.ltb_spec n h); [lia|]. simpl. ring.
Qed.

(* The token is not EOS: accuracy at most ceil(n/2)/n. *)
Theorem etp_accuracy n c eos (predict : vec -> nat) net X x : (0 < n)%nat -> c <> eos ->
  Forall (softmax_only n) net -> constant n X x ->
  mean n (fun i => indicator (Nat.eqb (etp_labels n c eos i) (predict (run n net X i)))) <=
  INR (n - n / 2) / INR n.
Proof.
  intros Hn Hc Hnet HX. apply (network_accuracy n (etp_labels n c eos) predict net X x); auto.
  intros u. assert (Hh : (n / 2 <= n)%nat) by (apply Nat.div_le_upper_bound; lia).
  assert (Hh2 : (n / 2 <= n - n / 2)%nat).
  { assert (2 * (n / 2) <= n)%nat by (apply Nat.mul_div_le; lia). lia. }
  assert (Hone := count_initial n (n / 2) Hh).
  destruct (Nat.eq_dec u c) as [->|Huc].
  - apply Rle_trans with (INR (n / 2)); [|now apply le_INR].
    rewrite <- Hone. apply sum_le. intros i _. unfold etp_labels, indicator.
    destruct (Nat.ltb i (n / 2)); [rewrite Nat.eqb_refl; lra|].
    destruct (Nat.eqb_spec eos c); [congruence|lra].
  - rewrite minus_INR by assumption. rewrite <- Hone.
    replace (INR n) with (sum n (fun _ => 1)) by (rewrite sum_const; ring).
    rewrite <- sum_sub. apply sum_le. intros i _. unfold etp_labels, indicator.
    destruct (Nat.ltb i (n / 2)); [|destruct (Nat.eqb _ _); lra].
    destruct (Nat.eqb_spec c u); [congruence|lra].
Qed.
