(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Floors: what no collapsing network can do better on a constant sequence.  There it answers one
   row y (or one distribution, one prediction) for all rows; the target has n rows of its own. *)

From Coq Require Import Reals Lra Lia List.
From Attest Require Import sums model collapse.
Open Scope R_scope.

(* ---- Max norm ------------------------------------------------------------------------------- *)

(* Of two numbers at a distance of at least 2 s every y misses one by at least s, *)
Lemma floor_pair a b y s : 2 * s <= Rabs (a - b) -> s <= Rmax (Rabs (a - y)) (Rabs (b - y)).
Proof.
  intros H. apply Rnot_lt_le. intros Hlt.
  apply Rmax_Rlt in Hlt. destruct Hlt as [Ha Hb].
  apply Rabs_def2 in Ha. apply Rabs_def2 in Hb.
  assert (Rabs (a - b) < 2 * s) by (apply Rabs_def1; lra). lra.
Qed.

(* so half the spread of a column of the target is missed in some row, *)
Theorem floor_max n (f : nat -> R) y i j :
  (i < n)%nat -> (j < n)%nat ->
  exists r, (r < n)%nat /\ Rabs (f i - f j) / 2 <= Rabs (f r - y).
Proof.
  intros Hi Hj.
  assert (H := floor_pair (f i) (f j) y (Rabs (f i - f j) / 2) ltac:(lra)).
  destruct (Rle_dec (Rabs (f i - y)) (Rabs (f j - y))) as [Hle|Hle].
  - exists j. rewrite Rmax_right in H by lra. auto.
  - exists i. rewrite Rmax_left in H by lra. auto.
Qed.

(* and the midrange misses none by more. *)
Theorem floor_attained n (f : nat -> R) lo hi :
  (forall i, (i < n)%nat -> lo <= f i <= hi) ->
  forall i, (i < n)%nat -> Rabs (f i - (lo + hi) / 2) <= (hi - lo) / 2.
Proof. intros H i Hi. specialize (H i Hi). apply Rabs_le. lra. Qed.

Theorem network_floor n (f : seq) net X x i j k :
  Forall (softmax_only n) net -> constant n X x -> (i < n)%nat -> (j < n)%nat ->
  exists r, (r < n)%nat /\ Rabs (f i k - f j k) / 2 <= Rabs (f r k - run n net X r k).
Proof.
  intros Hnet HX Hi Hj.
  destruct (floor_max n (fun r => f r k) (token net x k) i j Hi Hj) as (r & Hr & Hfl).
  exists r. split; [assumption|]. now rewrite (deep_collapse n net X x Hnet HX r Hr).
Qed.

(* ---- Squares: Frobenius norm, mean squared error --------------------------------------------- *)

Definition mean n (f : nat -> R) := sum n f / INR n.

(* The deviation from the mean is the least, exactly: *)
Lemma square_split n (f : nat -> R) y : (0 < n)%nat ->
  sum n (fun i => (f i - y) ^ 2) =
  sum n (fun i => (f i - mean n f) ^ 2) + INR n * (mean n f - y) ^ 2.
Proof.
  intros Hn. set (m := mean n f). assert (Hm : sum n f = INR n * m).
  { unfold m, mean. field. apply not_0_INR. lia. }
  rewrite (sum_ext n (fun i => (f i - y) ^ 2)
             (fun i => (f i - m) ^ 2 + (2 * (m - y) * f i + (y ^ 2 - m ^ 2))))
    by (intros; ring).
  rewrite !sum_add, sum_scale, sum_const, Hm. ring.
Qed.

(* for n rows of d columns (the variance of the target rows, times n). *)
Theorem floor_frobenius n d (f : seq) (y : vec) : (0 < n)%nat ->
  sum n (fun i => sum d (fun k => (f i k - mean n (fun r => f r k)) ^ 2)) <=
  sum n (fun i => sum d (fun k => (f i k - y k) ^ 2)).
Proof.
  intros Hn. rewrite (sum_swap n d), (sum_swap n d). apply sum_le. intros k _.
  rewrite (square_split n (fun i => f i k) (y k) Hn).
  assert (0 <= INR n * (mean n (fun i => f i k) - y k) ^ 2)
    by (apply Rmult_le_pos; [apply pos_INR|apply pow2_ge_0]). lra.
Qed.

Theorem network_floor_frobenius n d (f : seq) net X x : (0 < n)%nat ->
  Forall (softmax_only n) net -> constant n X x ->
  sum n (fun i => sum d (fun k => (f i k - mean n (fun r => f r k)) ^ 2)) <=
  sum n (fun i => sum d (fun k => (f i k - run n net X i k) ^ 2)).
Proof.
  intros Hn Hnet HX. eapply Rle_trans; [apply (floor_frobenius n d f (token net x) Hn)|].
  apply Req_le. apply sum_ext. intros i Hi. now rewrite (deep_collapse n net X x Hnet HX i Hi).
Qed.

(* Two rows alone already cost half the square of their distance. *)
Theorem floor_squares n (f : nat -> R) y i j :
  (i < n)%nat -> (j < n)%nat -> i <> j ->
  (f i - f j) ^ 2 / 2 <= sum n (fun r => (f r - y) ^ 2).
Proof.
  intros Hi Hj Hij.
  apply Rle_trans with ((f i - y) ^ 2 + (f j - y) ^ 2).
  - assert (0 <= (f i + f j - 2 * y) ^ 2) by (apply pow2_ge_0). nra.
  - apply (sum_ge_two n (fun r => (f r - y) ^ 2) i j); auto. intros. apply pow2_ge_0.
Qed.

(* ---- Labels: cross-entropy and accuracy ------------------------------------------------------ *)

Definition indicator (b : bool) : R := if b then 1 else 0.

(* In how many rows the label is v. *)
Definition count n (t : nat -> nat) v := sum n (fun i => indicator (Nat.eqb (t i) v)).

Lemma count_nonneg n t v : 0 <= count n t v.
Proof. apply sum_nonneg. intros. unfold indicator. destruct (Nat.eqb _ _); lra. Qed.

(* A sum over rows of what depends on the label is a sum over labels. *)
Lemma sum_by_label n V t (g : nat -> R) : (forall i, (i < n)%nat -> (t i < V)%nat) ->
  sum n (fun i => g (t i)) = sum V (fun v => count n t v * g v).
Proof.
  intros Ht. unfold count.
  rewrite (sum_ext V _ (fun v => sum n (fun i => indicator (Nat.eqb (t i) v) * g v)))
    by (intros; now rewrite sum_scale_r).
  rewrite sum_swap. apply sum_ext. intros i Hi.
  rewrite <- (sum_delta V g (t i)) by now apply Ht.
  apply sum_ext. intros v _. unfold indicator. rewrite Nat.eqb_sym. destruct (Nat.eqb _ _); ring.
Qed.

Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof.
  intros Hx. assert (H := exp_ineq1_le (ln x)). rewrite exp_ln in H by assumption. lra.
Qed.

(* Cross-entropy in nats of one distribution p for all rows: at least the entropy of the label
   frequencies (Gibbs). *)
Theorem floor_cross_entropy n V t (p : nat -> R) : (0 < n)%nat ->
  (forall i, (i < n)%nat -> (t i < V)%nat) ->
  (forall v, (v < V)%nat -> 0 < p v) -> sum V p = 1 ->
  sum V (fun v => - (count n t v / INR n * ln (count n t v / INR n))) <=
  mean n (fun i => - ln (p (t i))).
Proof.
  intros Hn Ht Hp Hsum. assert (HN : 0 < INR n) by (apply lt_0_INR; lia).
  unfold mean. rewrite (sum_by_label n V t (fun v => - ln (p v)) Ht).
  unfold Rdiv at 3. rewrite <- sum_scale_r.
  assert (Hterm : forall v, (v < V)%nat ->
    - (count n t v / INR n * ln (count n t v / INR n)) + (count n t v / INR n - p v) <=
    count n t v * - ln (p v) * / INR n).
  { intros v Hv. specialize (Hp v Hv). set (c := count n t v) in *.
    assert (Hc : 0 <= c) by apply count_nonneg.
    destruct (Req_dec c 0) as [->|Hne].
    { unfold Rdiv. rewrite !Rmult_0_l. lra. }
    assert (Hq : 0 < c / INR n) by (apply Rdiv_lt_0_compat; lra). set (q := c / INR n) in *.
    replace (c * - ln (p v) * / INR n) with (q * - ln (p v)) by (unfold q; field; lra).
    assert (Hl := ln_below (p v * / q)). assert (Hi : 0 < / q) by now apply Rinv_0_lt_compat.
    rewrite ln_mult, ln_Rinv in Hl by assumption.
    assert (Hl2 := Hl (Rmult_lt_0_compat _ _ Hp Hi)).
    assert (Hl3 : q * (ln (p v) + - ln q) <= q * (p v * / q - 1)) by (apply Rmult_le_compat_l; lra).
    replace (q * (p v * / q - 1)) with (p v - q) in Hl3 by (field; lra). lra. }
  assert (Hs := sum_le V _ _ Hterm).
  rewrite sum_add, (sum_sub V (fun v => count n t v / INR n) p), Hsum in Hs.
  assert (Hone : sum V (fun v => count n t v / INR n) = 1).
  { unfold Rdiv. rewrite sum_scale_r.
    rewrite (sum_ext V _ (fun v => count n t v * 1)) by (intros; ring).
    rewrite <- (sum_by_label n V t (fun _ => 1) Ht), sum_const. field. lra. }
  lra.
Qed.

(* Accuracy of one prediction v for all rows: its frequency, so at most the largest. *)
Theorem floor_accuracy n t v c : (0 < n)%nat -> (forall u, count n t u <= c) ->
  mean n (fun i => indicator (Nat.eqb (t i) v)) <= c / INR n.
Proof.
  intros Hn Hc. unfold mean. apply Rmult_le_compat_r; [|apply Hc].
  left. apply Rinv_0_lt_compat, lt_0_INR. lia.
Qed.

(* The prediction is a function of the logit row: argmax with any tie-break that reads no more. *)
Theorem network_accuracy n t (predict : vec -> nat) net X x c : (0 < n)%nat ->
  Forall (softmax_only n) net -> constant n X x -> (forall u, count n t u <= c) ->
  mean n (fun i => indicator (Nat.eqb (t i) (predict (run n net X i)))) <= c / INR n.
Proof.
  intros Hn Hnet HX Hc.
  eapply Rle_trans; [|apply (floor_accuracy n t (predict (token net x)) c Hn Hc)].
  apply Req_le. unfold mean. f_equal. apply sum_ext. intros i Hi.
  now rewrite (deep_collapse n net X x Hnet HX i Hi).
Qed.

Theorem network_cross_entropy n V t (prob : vec -> nat -> R) net X x : (0 < n)%nat ->
  Forall (softmax_only n) net -> constant n X x ->
  (forall i, (i < n)%nat -> (t i < V)%nat) ->
  (forall y v, (v < V)%nat -> 0 < prob y v) -> (forall y, sum V (prob y) = 1) ->
  sum V (fun v => - (count n t v / INR n * ln (count n t v / INR n))) <=
  mean n (fun i => - ln (prob (run n net X i) (t i))).
Proof.
  intros Hn Hnet HX Ht Hp Hs.
  eapply Rle_trans; [apply (floor_cross_entropy n V t (prob (token net x)) Hn Ht); auto|].
  apply Req_le. unfold mean. f_equal. apply sum_ext. intros i Hi.
  now rewrite (deep_collapse n net X x Hnet HX i Hi).
Qed.

(* ---- A law over sequences -------------------------------------------------------------------- *)

(* Outcomes s < m with probabilities mu; the loss is not negative and at least fl s on those that
   are constant: their weight carries over to the expectation. *)
Theorem floor_law m (mu loss fl : nat -> R) (is_constant : nat -> bool) :
  (forall s, (s < m)%nat -> 0 <= mu s /\ 0 <= loss s) ->
  (forall s, (s < m)%nat -> is_constant s = true -> fl s <= loss s) ->
  sum m (fun s => mu s * (indicator (is_constant s) * fl s)) <= sum m (fun s => mu s * loss s).
Proof.
  intros H Hfl. apply sum_le. intros s Hs. destruct (H s Hs) as [Hmu Hl].
  apply Rmult_le_compat_l; [assumption|]. unfold indicator.
  destruct (is_constant s) eqn:He; [rewrite Rmult_1_l; now apply Hfl|lra].
Qed.
