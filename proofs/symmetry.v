(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Symmetry: a network whose logits and gates move with the rows moves its output with them, for
   every length and depth; so it misses each target that does not. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Attest Require Import sums model softmax floors.
Open Scope R_scope.

(* Row i of the moved sequence is row p i. *)
Definition move (p : nat -> nat) (X : seq) : seq := fun i => X (p i).

Definition equivariant n p (l : layer) := forall h i j,
  (h < heads l)%nat -> (i < n)%nat -> (j < n)%nat ->
  (forall X, weights l h (move p X) i j = weights l h X (p i) (p j)) /\
  (forall x, value l h i j x = value l h (p i) (p j) x).

Section Symmetry.

Variables (n : nat) (p q : nat -> nat).
Hypothesis B : bijection n p q.
Hypothesis outside : forall i, (n <= i)%nat -> p i = i.

Theorem layer_commutes l X :
  equivariant n p l -> run_layer n l (move p X) = move p (run_layer n l X).
Proof.
  intros He. extensionality i. unfold move at 2, run_layer.
  destruct (Nat.ltb_spec i n) as [Hi|Hi].
  - destruct (Nat.ltb_spec (p i) n) as [Hp|Hp]; [|assert (H := bij_p n p q B i Hi); lia].
    unfold move at 1. f_equal. extensionality k. apply sum_ext. intros h Hh.
    rewrite <- (sum_reindex n p q (fun j => weights l h X (p i) j * value l h (p i) j (X j) k) B).
    apply sum_ext. intros j Hj. destruct (He h i j Hh Hi Hj) as [Hw Hv].
    unfold move at 2. now rewrite Hw, Hv.
  - rewrite (outside i Hi). destruct (Nat.ltb_spec i n); [lia|]. unfold move. now rewrite outside.
Qed.

Theorem network_commutes net : forall X,
  Forall (equivariant n p) net -> run n net (move p X) = move p (run n net X).
Proof.
  induction net as [|l net IH]; intros X H; [reflexivity|].
  inversion H; subst. simpl. rewrite layer_commutes by assumption. now apply IH.
Qed.

(* Softmax keeps the symmetry of its logits and mask, and URPE that of its gate. *)
Theorem urpe_equivariant h m s c v o :
  (forall g X i j, (i < n)%nat -> (j < n)%nat -> s g (move p X) i j = s g X (p i) (p j)) ->
  (forall g X i j, (i < n)%nat -> (j < n)%nat -> m g (move p X) i j = m g X (p i) (p j)) ->
  (forall g i j, (i < n)%nat -> (j < n)%nat -> c g i j = c g (p i) (p j)) ->
  equivariant n p (urpe_layer n h m s c v o).
Proof.
  intros Hs Hm Hc g i j _ Hi Hj. split; [|reflexivity]. intros X. simpl.
  rewrite (Hc g i j Hi Hj). f_equal. unfold softmax. rewrite Hs, Hm by assumption. f_equal.
  rewrite <- (sum_reindex n p q (fun l => shown (m g X (p i) l) (exp (s g X (p i) l))) B).
  apply sum_ext. intros l Hl. now rewrite Hs, Hm.
Qed.

Theorem softmax_equivariant h m s v o :
  (forall g X i j, (i < n)%nat -> (j < n)%nat -> s g (move p X) i j = s g X (p i) (p j)) ->
  (forall g X i j, (i < n)%nat -> (j < n)%nat -> m g (move p X) i j = m g X (p i) (p j)) ->
  equivariant n p (softmax_layer n h m s v o).
Proof.
  intros Hs Hm g i j Hg Hi Hj. split; [|reflexivity]. intros X.
  destruct (urpe_equivariant h m s (fun _ _ _ => 1) v o Hs Hm (fun _ _ _ _ _ => eq_refl) g i j Hg Hi Hj)
    as [H _]. specialize (H X). simpl in *. lra.
Qed.

(* One of X and its image is missed by half of the asymmetry of the target. *)
Theorem symmetric_floor (f : seq -> seq) net X i k e :
  Forall (equivariant n p) net ->
  Rabs (f (move p X) i k - run n net (move p X) i k) <= e ->
  Rabs (f X (p i) k - run n net X (p i) k) <= e ->
  Rabs (f (move p X) i k - f X (p i) k) / 2 <= e.
Proof.
  intros H H1 H2. rewrite (network_commutes net X H) in H1. unfold move at 2 in H1.
  set (y := run n net X (p i) k) in *.
  assert (H3 := Rabs_triang (f (move p X) i k - y) (y - f X (p i) k)).
  rewrite (Rabs_minus_sym y) in H3.
  replace (f (move p X) i k - y + (y - f X (p i) k)) with (f (move p X) i k - f X (p i) k) in H3
    by ring.
  lra.
Qed.

End Symmetry.

(* A law over outcomes s < m that T moves of the outcomes keep: what holds on average over an
   orbit holds in expectation. *)
Theorem invariant_law m T (g g' : nat -> nat -> nat) (mu F : nat -> R) c : (0 < T)%nat ->
  (forall t, (t < T)%nat -> bijection m (g t) (g' t)) ->
  (forall t s, (t < T)%nat -> (s < m)%nat -> mu (g t s) = mu s) ->
  (forall s, (s < m)%nat -> 0 <= mu s) -> sum m mu = 1 ->
  (forall s, (s < m)%nat -> sum T (fun t => F (g t s)) <= INR T * c) ->
  sum m (fun s => mu s * F s) <= c.
Proof.
  intros HT Hg Hmu Hpos Hone HF. assert (Hn : 0 < INR T) by (apply lt_0_INR; lia).
  apply Rmult_le_reg_l with (INR T); [assumption|].
  rewrite <- sum_const.
  rewrite (sum_ext T _ (fun t => sum m (fun s => mu s * F (g t s)))).
  - rewrite sum_swap. replace (INR T * c) with (sum m (fun s => mu s * (INR T * c)))
      by (rewrite sum_scale_r, Hone; ring).
    apply sum_le. intros s Hs. rewrite sum_scale. apply Rmult_le_compat_l; auto.
  - intros t Ht. rewrite <- (sum_reindex m (g t) (g' t) (fun s => mu s * F s) (Hg t Ht)).
    apply sum_ext. intros s Hs. now rewrite Hmu.
Qed.

(* ---- Reversal -------------------------------------------------------------------------------- *)

Definition reversal n i := if Nat.ltb i n then (n - 1 - i)%nat else i.

Lemma reversal_inside n i : (i < n)%nat -> reversal n i = (n - 1 - i)%nat.
Proof. intros Hi. unfold reversal. destruct (Nat.ltb_spec i n); [reflexivity|lia]. Qed.

Lemma reversal_outside n i : (n <= i)%nat -> reversal n i = i.
Proof. intros Hi. unfold reversal. destruct (Nat.ltb_spec i n); [lia|reflexivity]. Qed.

Lemma reversal_bijection n : bijection n (reversal n) (reversal n).
Proof.
  split; intros i Hi; rewrite !reversal_inside by (try rewrite reversal_inside; lia); lia.
Qed.

(* Logits and gates that read the rows and their distance: no encoding, ALiBi without a mask,
   KERPLE, a path graph, tables of T5, Shaw (keys), Transformer-XL, DeBERTa that are even, URPE
   with B and C even.  The general condition is that of urpe_equivariant. *)
Definition distance i j := (i - j + (j - i))%nat.

Theorem reversal_symmetry n h (a : nat -> vec -> vec -> nat -> R) (c : nat -> nat -> R) v o :
  equivariant n (reversal n)
    (urpe_layer n h (fun _ _ => everything) (fun g X i j => a g (X i) (X j) (distance i j))
       (fun g i j => c g (distance i j)) v o).
Proof.
  assert (Hd : forall i j, (i < n)%nat -> (j < n)%nat ->
               distance i j = distance (reversal n i) (reversal n j)).
  { intros i j Hi Hj. rewrite !reversal_inside by assumption. unfold distance. lia. }
  apply (urpe_equivariant n _ _ (reversal_bijection n)); [|reflexivity|].
  - intros g X i j Hi Hj. unfold move. now rewrite (Hd i j Hi Hj).
  - intros g i j Hi Hj. now rewrite (Hd i j Hi Hj).
Qed.

Section Position.

(* Position identification: row i answers i, whatever the sequence. *)
Variables (n : nat) (net : network) (X : seq).
Hypothesis Hnet : Forall (equivariant n (reversal n)) net.

Let J := move (reversal n).

Lemma reversed i : run n net (J X) i = run n net X (reversal n i).
Proof.
  unfold J. rewrite (network_commutes n _ _ (reversal_bijection n) (reversal_outside n) net X Hnet).
  reflexivity.
Qed.

(* The largest error on X or its reversal is at least (n - 1)/2, *)
Theorem reversal_position_floor k e : (0 < n)%nat ->
  (forall i, (i < n)%nat -> Rabs (INR i - run n net X i k) <= e) ->
  (forall i, (i < n)%nat -> Rabs (INR i - run n net (J X) i k) <= e) ->
  (INR n - 1) / 2 <= e.
Proof.
  intros Hn H1 H2.
  assert (H := symmetric_floor n _ _ (reversal_bijection n) (reversal_outside n)
                 (fun _ i _ => INR i) net X (n - 1) k e Hnet).
  cbv beta in H. rewrite reversal_inside in H by lia. replace (n - 1 - (n - 1))%nat with 0%nat in H by lia.
  assert (H3 := H (H2 (n - 1)%nat ltac:(lia)) (H1 0%nat ltac:(lia))).
  rewrite minus_INR in H3 by lia. simpl (INR 1) in H3. simpl (INR 0) in H3.
  assert (H4 := Rle_abs (INR n - 1 - 0)). lra.
Qed.

(* the mean squared error of the two together at least (n^2 - 1)/12, *)
Lemma sum_spread : forall m, sum m (fun i => (INR m - 1 - 2 * INR i) ^ 2) = INR m * (INR m ^ 2 - 1) / 3.
Proof.
  assert (H : forall m a, sum m (fun i => (a - 2 * INR i) ^ 2) =
    INR m * a ^ 2 - 2 * a * INR m * (INR m - 1) + 2 * INR m * (INR m - 1) * (2 * INR m - 1) / 3).
  { induction m as [|m IH]; intros a; [simpl; field|].
    change (sum (S m) (fun i => (a - 2 * INR i) ^ 2))
      with (sum m (fun i => (a - 2 * INR i) ^ 2) + (a - 2 * INR m) ^ 2).
    rewrite IH, S_INR. field. }
  intros m. rewrite H. field.
Qed.

Theorem reversal_position_square k : (0 < n)%nat ->
  2 * ((INR n ^ 2 - 1) / 12) <=
  mean n (fun i => (INR i - run n net X i k) ^ 2) + mean n (fun i => (INR i - run n net (J X) i k) ^ 2).
Proof.
  intros Hn. assert (HN : 0 < INR n) by (apply lt_0_INR; lia).
  unfold mean, Rdiv. rewrite <- Rmult_plus_distr_r.
  rewrite <- (sum_reindex n _ _ (fun i => (INR i - run n net (J X) i k) ^ 2) (reversal_bijection n)).
  rewrite <- sum_add. apply Rmult_le_reg_r with (INR n); [assumption|].
  rewrite Rmult_assoc, (Rmult_assoc (sum n _)), Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (sum n (fun i => / 2 * (INR n - 1 - 2 * INR i) ^ 2)).
  - rewrite sum_scale, sum_spread. apply Req_le. field.
  - apply sum_le. intros i Hi. rewrite reversed, (bij_qp n _ _ (reversal_bijection n) i Hi).
    rewrite reversal_inside by assumption. rewrite !minus_INR by lia. simpl (INR 1).
    set (y := run n net X i k). assert (H := pow2_ge_0 (INR n - 1 - 2 * y)). nra.
Qed.

(* and their accuracies together at most 2 ceil(n/2)/n: row i of X and its mirror get the same
   answer, which is right for one of them, or for both in the middle of an odd n. *)
Lemma middle : sum n (fun i => indicator (Nat.eqb i (n - 1 - i))) <= INR (2 * (n - n / 2) - n).
Proof.
  assert (Hdiv := Nat.div_mod n 2 ltac:(lia)). assert (Hm := Nat.mod_upper_bound n 2 ltac:(lia)).
  destruct (Nat.eq_dec (n mod 2) 0) as [He|He].
  - rewrite (sum_ext n _ (fun _ => 0)); [rewrite sum_zero; apply pos_INR|].
    intros i Hi. destruct (Nat.eqb_spec i (n - 1 - i)); [lia|reflexivity].
  - replace (2 * (n - n / 2) - n)%nat with 1%nat by lia.
    assert (Hh : (n / 2 < n)%nat) by lia. simpl (INR 1).
    rewrite <- (sum_delta n (fun _ => 1) (n / 2) Hh). apply Req_le, sum_ext. intros i Hi.
    destruct (Nat.eqb_spec i (n - 1 - i)), (Nat.eqb_spec i (n / 2)); try lia; reflexivity.
Qed.

Theorem reversal_position_accuracy (predict : vec -> nat) : (0 < n)%nat ->
  mean n (fun i => indicator (Nat.eqb i (predict (run n net X i)))) +
  mean n (fun i => indicator (Nat.eqb i (predict (run n net (J X) i)))) <=
  2 * (INR (n - n / 2) / INR n).
Proof.
  intros Hn. assert (HN : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Hh : (n <= 2 * (n - n / 2))%nat).
  { assert (2 * (n / 2) <= n)%nat by (apply Nat.mul_div_le; lia). lia. }
  unfold mean, Rdiv. rewrite <- Rmult_plus_distr_r, <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  rewrite <- (sum_reindex n _ _ (fun i => indicator (Nat.eqb i (predict (run n net (J X) i))))
                (reversal_bijection n)).
  rewrite <- sum_add.
  apply Rle_trans with (sum n (fun i => 1 + indicator (Nat.eqb i (n - 1 - i)))).
  - apply sum_le. intros i Hi. rewrite reversed, (bij_qp n _ _ (reversal_bijection n) i Hi).
    rewrite reversal_inside by assumption. set (y := predict (run n net X i)). unfold indicator.
    destruct (Nat.eqb_spec i y), (Nat.eqb_spec (n - 1 - i) y), (Nat.eqb_spec i (n - 1 - i)); try lra; lia.
  - rewrite sum_add, sum_const. assert (H := middle). rewrite minus_INR in H by assumption.
    rewrite mult_INR in H. simpl (INR 2) in H. lra.
Qed.

End Position.
