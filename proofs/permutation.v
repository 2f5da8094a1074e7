(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Attention without encoding and mask commutes with every permutation of the rows; so over a law
   that n cyclic shifts keep (every exchangeable law) it knows no position. *)

From Coq Require Import Reals Lra Lia List.
From Attest Require Import sums model softmax floors uniform symmetry.
Open Scope R_scope.

Theorem permutation_symmetry n p q h (a : nat -> vec -> vec -> R) v o :
  bijection n p q ->
  equivariant n p (softmax_layer n h (fun _ _ => everything) (fun g X i j => a g (X i) (X j)) v o).
Proof. intros B. apply (softmax_equivariant n p q B); reflexivity. Qed.

(* ---- Cyclic shifts --------------------------------------------------------------------------- *)

Definition cyclic n t i := if Nat.ltb i n then ((i + t) mod n)%nat else i.

Lemma wrap n a : (a < 2 * n)%nat -> (a mod n = if Nat.ltb a n then a else a - n)%nat.
Proof.
  intros Ha. destruct (Nat.ltb_spec a n) as [H|H]; [now apply Nat.mod_small|].
  replace a with (a - n + 1 * n)%nat at 1 by lia. rewrite Nat.mod_add by lia.
  apply Nat.mod_small. lia.
Qed.

Lemma cyclic_bijection n t : (t < n)%nat -> bijection n (cyclic n t) (cyclic n (n - t)).
Proof.
  intros Ht.
  assert (Hc : forall u i, (u <= n)%nat -> (i < n)%nat ->
    cyclic n u i = if Nat.ltb (i + u) n then (i + u)%nat else (i + u - n)%nat).
  { intros u i Hu Hi. unfold cyclic. destruct (Nat.ltb_spec i n); [|lia]. apply wrap. lia. }
  assert (Hb : forall u i, (u <= n)%nat -> (i < n)%nat -> (cyclic n u i < n)%nat).
  { intros u i Hu Hi. rewrite Hc by assumption. destruct (Nat.ltb_spec (i + u) n); lia. }
  split; intros i Hi; try (apply Hb; lia).
  - rewrite (Hc (n - t)%nat) by (try apply Hb; lia). rewrite (Hc t) by lia.
    destruct (Nat.ltb_spec (i + t) n);
      [destruct (Nat.ltb_spec (i + t + (n - t)) n)|destruct (Nat.ltb_spec (i + t - n + (n - t)) n)]; lia.
  - rewrite (Hc t) by (try apply Hb; lia). rewrite (Hc (n - t)%nat) by lia.
    destruct (Nat.ltb_spec (i + (n - t)) n);
      [destruct (Nat.ltb_spec (i + (n - t) + t) n)|destruct (Nat.ltb_spec (i + (n - t) - n + t) n)]; lia.
Qed.

Lemma cyclic_outside n t i : (n <= i)%nat -> cyclic n t i = i.
Proof. intros Hi. unfold cyclic. destruct (Nat.ltb_spec i n); [lia|reflexivity]. Qed.

(* Over all shifts each row i meets each row j once. *)
Lemma cyclic_sum n (F : nat -> nat -> nat -> R) :
  sum n (fun t => sum n (fun i => F t i (cyclic n t i))) =
  sum n (fun j => sum n (fun i => F (cyclic n (n - i) j) i j)).
Proof.
  rewrite sum_swap, (sum_swap n n (fun j i => F (cyclic n (n - i) j) i j)).
  apply sum_ext. intros i Hi. assert (B := cyclic_bijection n i Hi).
  rewrite <- (sum_reindex n _ _ (fun j => F (cyclic n (n - i) j) i j) B).
  apply sum_ext. intros t Ht. rewrite (bij_qp n _ _ B t Ht). f_equal.
  unfold cyclic. destruct (Nat.ltb_spec i n), (Nat.ltb_spec t n); try lia. f_equal. lia.
Qed.

Section Shifts.

Variables (n : nat) (net : network) (X : seq).
Hypothesis Hn : (0 < n)%nat.
Hypothesis Hnet : forall t, (t < n)%nat -> Forall (equivariant n (cyclic n t)) net.

Lemma shifted t i : (t < n)%nat -> run n net (move (cyclic n t) X) i = run n net X (cyclic n t i).
Proof.
  intros Ht.
  rewrite (network_commutes n _ _ (cyclic_bijection n t Ht) (cyclic_outside n t) net X (Hnet t Ht)).
  reflexivity.
Qed.

(* A score s of the answer's row at row i of the shifted sequence, summed over rows and shifts. *)
Lemma shifted_sum (s : nat -> nat -> vec -> R) :
  sum n (fun t => sum n (fun i => s t i (run n net (move (cyclic n t) X) i))) =
  sum n (fun j => sum n (fun i => s (cyclic n (n - i) j) i (run n net X j))).
Proof.
  rewrite (sum_ext n _ (fun t => sum n (fun i => s t i (run n net X (cyclic n t i))))).
  - apply (cyclic_sum n (fun t i j => s t i (run n net X j))).
  - intros t Ht. apply sum_ext. intros i _. now rewrite shifted.
Qed.

Let HN : 0 < INR n.
Proof. apply lt_0_INR. lia. Qed.

Theorem shift_position_accuracy (predict : vec -> nat) :
  sum n (fun t => mean n (fun i => indicator (Nat.eqb i (predict (run n net (move (cyclic n t) X) i))))) <=
  INR n * (1 / INR n).
Proof.
  unfold mean, Rdiv. rewrite sum_scale_r, (shifted_sum (fun _ i y => indicator (Nat.eqb i (predict y)))).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  rewrite <- sum_const. apply sum_le. intros j _. set (r := predict (run n net X j)).
  destruct (Nat.lt_ge_cases r n) as [Hr|Hr].
  - rewrite <- (sum_delta n (fun _ => 1) r Hr). apply Req_le, sum_ext. intros i _.
    unfold indicator. destruct (Nat.eqb i r); reflexivity.
  - rewrite (sum_ext n _ (fun _ => 0)); [rewrite sum_zero; lra|]. intros i Hi.
    unfold indicator. destruct (Nat.eqb_spec i r); [lia|reflexivity].
Qed.

Theorem shift_position_cross_entropy (prob : vec -> nat -> R) :
  (forall y v, (v < n)%nat -> 0 < prob y v) -> (forall y, sum n (prob y) = 1) ->
  INR n * ln (INR n) <=
  sum n (fun t => mean n (fun i => - ln (prob (run n net (move (cyclic n t) X) i) i))).
Proof.
  intros Hp Hs. unfold mean, Rdiv. rewrite sum_scale_r, (shifted_sum (fun _ i y => - ln (prob y i))).
  apply Rmult_le_reg_r with (INR n); [assumption|].
  rewrite (Rmult_assoc (sum n _)), Rinv_l, Rmult_1_r, (Rmult_comm _ (INR n)) by lra.
  rewrite <- sum_const. apply sum_le. intros j _. set (y := run n net X j).
  (* - ln p >= ln n - (n p - 1), and the p sum to 1 *)
  apply Rle_trans with (sum n (fun i => ln (INR n) + (1 - INR n * prob y i))).
  - rewrite sum_add, (sum_sub n (fun _ => 1)), !sum_const, sum_scale, Hs. lra.
  - apply sum_le. intros i Hi. assert (H := ln_below (INR n * prob y i)).
    specialize (Hp y i Hi). rewrite ln_mult in H by assumption.
    assert (0 < INR n * prob y i) by now apply Rmult_lt_0_compat. lra.
Qed.

(* Even token prediction: row i below floor(n/2) answers token 2 i + 1 of the sequence (its even
   positions, counted from 1), which is never EOS; the others answer EOS. *)
Theorem shift_etp_accuracy (tok : vec -> nat) eos (predict : vec -> nat) :
  (forall x, tok x <> eos) ->
  let labels Y i := if Nat.ltb i (n / 2) then tok (Y (2 * i + 1)%nat) else eos in
  sum n (fun t => mean n (fun i => indicator (Nat.eqb (labels (move (cyclic n t) X) i)
    (predict (run n net (move (cyclic n t) X) i))))) <= INR n * (INR (n - n / 2) / INR n).
Proof.
  intros Htok labels. unfold mean, Rdiv.
  rewrite sum_scale_r, (shifted_sum (fun t i y => indicator (Nat.eqb (labels (move (cyclic n t) X) i) (predict y)))).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  rewrite <- sum_const. apply sum_le. intros j _. set (r := predict (run n net X j)).
  assert (Hh : (n / 2 <= n)%nat) by (apply Nat.div_le_upper_bound; lia).
  assert (Hh2 : (n / 2 <= n - n / 2)%nat).
  { assert (2 * (n / 2) <= n)%nat by (apply Nat.mul_div_le; lia). lia. }
  assert (Hone := count_initial n (n / 2) Hh).
  destruct (Nat.eq_dec r eos) as [He|He].
  - rewrite minus_INR by assumption. rewrite <- Hone.
    replace (INR n) with (sum n (fun _ => 1)) by (rewrite sum_const; ring).
    rewrite <- sum_sub. apply sum_le. intros i _. unfold labels, indicator.
    destruct (Nat.ltb i (n / 2)); [|destruct (Nat.eqb _ _); lra].
    destruct (Nat.eqb_spec (tok (move (cyclic n (cyclic n (n - i) j)) X (2 * i + 1)%nat)) r); [|lra].
    exfalso. subst r. rewrite He in *. eapply Htok. eassumption.
  - apply Rle_trans with (INR (n / 2)); [|now apply le_INR].
    rewrite <- Hone. apply sum_le. intros i _. unfold labels, indicator.
    destruct (Nat.ltb i (n / 2)); [destruct (Nat.eqb _ _); lra|].
    destruct (Nat.eqb_spec eos r); [congruence|lra].
Qed.

End Shifts.

(* ---- In expectation -------------------------------------------------------------------------- *)

(* Outcomes s < m are the sequences X s with probabilities mu; shift t takes outcome s to g t s. *)
Definition shift_invariant n m (X : nat -> seq) (mu : nat -> R) (g g' : nat -> nat -> nat) :=
  (forall s, (s < m)%nat -> 0 <= mu s) /\ sum m mu = 1 /\
  (forall t, (t < n)%nat -> bijection m (g t) (g' t)) /\
  (forall t s, (t < n)%nat -> (s < m)%nat ->
     mu (g t s) = mu s /\ X (g t s) = move (cyclic n t) (X s)).

Lemma shift_expectation n m X mu g g' (F : seq -> R) c : (0 < n)%nat ->
  shift_invariant n m X mu g g' ->
  (forall s, (s < m)%nat -> sum n (fun t => F (move (cyclic n t) (X s))) <= INR n * c) ->
  sum m (fun s => mu s * F (X s)) <= c.
Proof.
  intros Hn (Hpos & Hone & Hb & Hg) HF.
  apply (invariant_law m n g g' mu (fun s => F (X s)) c); auto.
  - intros t s Ht Hs. now apply Hg.
  - intros s Hs. eapply Rle_trans; [|now apply (HF s)]. apply Req_le, sum_ext.
    intros t Ht. now rewrite (proj2 (Hg t s Ht Hs)).
Qed.

Section Expectation.

Variables (n m : nat) (X : nat -> seq) (mu : nat -> R) (g g' : nat -> nat -> nat) (net : network).
Hypothesis Hn : (0 < n)%nat.
Hypothesis law : shift_invariant n m X mu g g'.
Hypothesis Hnet : forall t, (t < n)%nat -> Forall (equivariant n (cyclic n t)) net.

Theorem expected_position_accuracy (predict : vec -> nat) :
  sum m (fun s => mu s * mean n (fun i => indicator (Nat.eqb i (predict (run n net (X s) i)))))
  <= 1 / INR n.
Proof.
  apply (shift_expectation n m X mu g g'
    (fun Y => mean n (fun i => indicator (Nat.eqb i (predict (run n net Y i)))))); auto.
  intros s _. now apply shift_position_accuracy.
Qed.

Theorem expected_position_cross_entropy (prob : vec -> nat -> R) :
  (forall y v, (v < n)%nat -> 0 < prob y v) -> (forall y, sum n (prob y) = 1) ->
  ln (INR n) <= sum m (fun s => mu s * mean n (fun i => - ln (prob (run n net (X s) i) i))).
Proof.
  intros Hp Hs.
  assert (H := shift_expectation n m X mu g g'
    (fun Y => - mean n (fun i => - ln (prob (run n net Y i) i))) (- ln (INR n)) Hn law).
  cbv beta in H.
  rewrite (sum_ext m _ (fun s => -1 * (mu s * mean n (fun i => - ln (prob (run n net (X s) i) i)))))
    in H by (intros; ring).
  rewrite sum_scale in H.
  enough (-1 * sum m (fun s => mu s * mean n (fun i => - ln (prob (run n net (X s) i) i))) <= - ln (INR n))
    by lra.
  apply H. intros s _. assert (H1 := shift_position_cross_entropy n net (X s) Hn Hnet prob Hp Hs).
  rewrite (sum_ext n _ (fun t => -1 * mean n (fun i => - ln (prob (run n net (move (cyclic n t) (X s)) i) i))))
    by (intros; ring).
  rewrite sum_scale. lra.
Qed.

Theorem expected_etp_accuracy (tok : vec -> nat) eos (predict : vec -> nat) :
  (forall x, tok x <> eos) ->
  sum m (fun s => mu s * mean n (fun i => indicator (Nat.eqb
    (if Nat.ltb i (n / 2) then tok (X s (2 * i + 1)%nat) else eos) (predict (run n net (X s) i)))))
  <= INR (n - n / 2) / INR n.
Proof.
  intros Htok.
  apply (shift_expectation n m X mu g g'
    (fun Y => mean n (fun i => indicator (Nat.eqb
       (if Nat.ltb i (n / 2) then tok (Y (2 * i + 1)%nat) else eos) (predict (run n net Y i)))))); auto.
  intros s _. now apply shift_etp_accuracy.
Qed.

End Expectation.
