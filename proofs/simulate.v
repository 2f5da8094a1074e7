(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* [L], Theorem 3, by its own route: attention that is attentive (some parameters make it plain
   softmax attention) and position-aware (some make its row sums n different numbers, whatever the
   sequence) turns, with a constant coordinate, equal rows into distinct codes, these by hinges into
   any table of positions, and so simulates every network with absolute positions exactly.  (That
   those are universal in L^p is the theorem of Yun et al., which is cited and not proved here.) *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Attest Require Import sums model softmax toeplitz urpe.
Open Scope R_scope.

(* ---- Hinges: distinct numbers to any values --------------------------------------------------- *)

(* (relu(t + g) - 2 relu(t) + relu(t - g))/g: 1 at 0, and 0 beyond g. *)
Definition tent g t := (relu (t + g) - 2 * relu t + relu (t - g)) / g.

Lemma tent_zero g : 0 < g -> tent g 0 = 1.
Proof.
  intros Hg. unfold tent, relu. rewrite (Rmax_left (0 + g)), (Rmax_left 0 0), (Rmax_right (0 - g)) by lra.
  field. lra.
Qed.

Lemma tent_far g t : 0 < g -> g <= Rabs t -> tent g t = 0.
Proof.
  intros Hg Ht. unfold tent, relu. unfold Rabs in Ht. destruct (Rcase_abs t).
  - rewrite !Rmax_right by lra. field. lra.
  - rewrite !Rmax_left by lra. field. lra.
Qed.

(* n different numbers have a gap. *)
Lemma gap_to n v (y : R) : (forall i, (i < n)%nat -> v i <> y) ->
  exists g, 0 < g /\ forall i, (i < n)%nat -> g <= Rabs (v i - y).
Proof.
  induction n as [|n IH]; intros H; [exists 1; split; [lra|intros; lia]|].
  destruct IH as (g & Hg & Hi); [intros; apply H; lia|].
  exists (Rmin g (Rabs (v n - y))). split.
  - apply Rmin_glb_lt; [assumption|]. apply Rabs_pos_lt. assert (v n <> y) by (apply H; lia). lra.
  - intros i Hl. destruct (Nat.eq_dec i n) as [->|]; [apply Rmin_r|].
    eapply Rle_trans; [apply Rmin_l|]. apply Hi. lia.
Qed.

Lemma gap n v : (forall i j, (i < n)%nat -> (j < n)%nat -> v i = v j -> i = j) ->
  exists g, 0 < g /\ forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> g <= Rabs (v i - v j).
Proof.
  induction n as [|n IH]; intros H; [exists 1; split; [lra|intros; lia]|].
  destruct IH as (g & Hg & Hij); [intros; apply H; lia || assumption|].
  destruct (gap_to n v (v n)) as (g' & Hg' & Hi).
  { intros i Hi He. assert (i = n) by (apply H; lia || assumption). lia. }
  exists (Rmin g g'). split; [now apply Rmin_glb_lt|]. intros i j Hl Hr Hne.
  destruct (Nat.eq_dec i n) as [->|], (Nat.eq_dec j n) as [->|]; [lia| | |].
  - rewrite Rabs_minus_sym. eapply Rle_trans; [apply Rmin_r|]. apply Hi. lia.
  - eapply Rle_trans; [apply Rmin_r|]. apply Hi. lia.
  - eapply Rle_trans; [apply Rmin_l|]. apply Hij; lia.
Qed.

Lemma tents n v g (E : nat -> R) r :
  0 < g -> (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> g <= Rabs (v i - v j)) ->
  (r < n)%nat -> sum n (fun i => tent g (v r - v i) * E i) = E r.
Proof.
  intros Hg Hv Hr. rewrite <- (sum_delta n E r Hr). apply sum_ext. intros i Hi.
  destruct (Nat.eqb_spec i r) as [->|Hne].
  - replace (v r - v r) with 0 by ring. rewrite tent_zero by assumption. ring.
  - rewrite tent_far; [ring|assumption|]. apply Hv; auto.
Qed.

(* ---- The two classes of networks --------------------------------------------------------------- *)

(* Plain softmax attention of width d, its weights as data. *)
Record plain := { p_e : nat; p_f : nat; p_H : nat;
                  p_q : nat -> matrix; p_k : nat -> matrix; p_v : nat -> matrix; p_o : nat -> matrix;
                  p_1 : matrix; p_2 : matrix }.

Definition dot_scores d e (Q K : matrix) (X : seq) i j := dot e (times d (X i) Q) (times d (X j) K).

Definition plain_layer n d (p : plain) : layer :=
  softmax_layer n (p_H p) (fun _ _ => everything)
    (fun h => dot_scores d (p_e p) (p_q p h) (p_k p h))
    (fun h x => times (p_e p) (times d x (p_v p h)) (p_o p h))
    (fun x y => ffn d (p_f p) (p_1 p) (p_2 p) (fun k => x k + y k)).

Section Simulation.

Variables (n d : nat) (P : Type).

(* Attention with parameters of any kind, on rows of width d + 2: data, constant, code. *)
Variable att : P -> seq -> nat -> nat -> R.

Definition attentive_family := forall e Q K, exists p, forall X i j,
  (i < n)%nat -> (j < n)%nat ->
  att p X i j = softmax n (everything i) (dot_scores (d + 2) e Q K X i) j.

Definition position_aware_family := exists p v,
  (forall X i, (i < n)%nat -> sum n (att p X i) = v i) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> v i = v j -> i = j).

(* The Transformers of the class. *)
Definition in_class (l : layer) := exists H (p : nat -> P) e f wv wo W1 W2,
  l = {| heads := H; weights := fun h => att (p h);
         value := fun h _ _ x => times e (times (d + 2) x (wv h)) (wo h);
         combine := fun x y => ffn (d + 2) f W1 W2 (fun k => x k + y k) |}.

Hypothesis attentive : attentive_family.
Hypothesis aware : position_aware_family.

(* The sequence with the constant coordinate in column d. *)
Definition given (X : seq) : seq := fun i k =>
  if Nat.ltb k d then X i k else if Nat.eqb k d then 1 else 0.

Definition agree (Y Z : seq) := forall i k, (i < n)%nat -> (k < d)%nat -> Y i k = Z i k.

(* ---- Layer one: codes and positions ------------------------------------------------------------ *)

(* Three hidden units a position: code - v_i + g, code - v_i, code - v_i - g. *)
Definition shift_of g r : R := match r with 0%nat => g | 1%nat => 0 | _ => - g end.
Definition factor_of r : R := match r with 1%nat => - 2 | _ => 1 end.
Definition hinge_in (v : nat -> R) g : matrix := fun l q =>
  if Nat.eqb l (d + 1) then 1
  else if Nat.eqb l d then shift_of g (q mod 3) - v (q / 3)%nat else 0.
Definition hinge_out g (E : seq) : matrix := fun q k =>
  if Nat.ltb k d then factor_of (q mod 3) / g * E (q / 3)%nat k else 0.

Lemma sum_triples m f :
  sum (3 * m) f = sum m (fun i => f (3 * i)%nat + f (3 * i + 1)%nat + f (3 * i + 2)%nat).
Proof.
  induction m as [|m IH]; [reflexivity|].
  replace (3 * S m)%nat with (S (S (S (3 * m)))) by lia. cbn [sum]. rewrite IH.
  replace (S (3 * m)) with (3 * m + 1)%nat by lia.
  replace (S (3 * m + 1)) with (3 * m + 2)%nat by lia. ring.
Qed.

Lemma hinge_hidden v g (y : vec) q : y d = 1 ->
  times (d + 2) y (hinge_in v g) q = y (d + 1)%nat + shift_of g (q mod 3) - v (q / 3)%nat.
Proof.
  intros H1. unfold times. replace (d + 2)%nat with (S (S d)) by lia. cbn [sum].
  rewrite (sum_ext d _ (fun _ => 0)), sum_zero.
  - unfold hinge_in. replace (S d) with (d + 1)%nat by lia.
    rewrite !Nat.eqb_refl. destruct (Nat.eqb_spec d (d + 1)); [lia|]. rewrite H1. ring.
  - intros l Hl. unfold hinge_in. destruct (Nat.eqb_spec l (d + 1)); [lia|].
    destruct (Nat.eqb_spec l d); [lia|ring].
Qed.

Lemma hinges v g (E : seq) (y : vec) k : (k < d)%nat -> y d = 1 -> 0 < g ->
  ffn (d + 2) (3 * n) (hinge_in v g) (hinge_out g E) y k =
  y k + sum n (fun i => tent g (y (d + 1)%nat - v i) * E i k).
Proof.
  intros Hk H1 Hg. unfold ffn. f_equal. rewrite sum_triples. apply sum_ext. intros i _.
  rewrite !hinge_hidden by assumption. unfold hinge_out. destruct (Nat.ltb_spec k d); [|lia].
  assert (Hdm : forall r, (r < 3)%nat -> ((3 * i + r) mod 3 = r /\ (3 * i + r) / 3 = i)%nat).
  { intros r Hr. rewrite (Nat.add_comm (3 * i)), (Nat.mul_comm 3 i). split.
    - rewrite Nat.mod_add by lia. now apply Nat.mod_small.
    - rewrite Nat.div_add by lia. rewrite Nat.div_small by assumption. reflexivity. }
  replace (3 * i)%nat with (3 * i + 0)%nat at 1 2 3 4 by lia.
  destruct (Hdm 0%nat ltac:(lia)) as [-> ->]. destruct (Hdm 1%nat ltac:(lia)) as [-> ->].
  destruct (Hdm 2%nat ltac:(lia)) as [-> ->]. unfold tent, shift_of, factor_of.
  replace (y (d + 1)%nat + g - v i) with (y (d + 1)%nat - v i + g) by ring.
  replace (y (d + 1)%nat + 0 - v i) with (y (d + 1)%nat - v i) by ring.
  replace (y (d + 1)%nat + - g - v i) with (y (d + 1)%nat - v i - g) by ring. field. lra.
Qed.

Theorem code_layer_exists (E : seq) : exists l, in_class l /\
  forall X, agree (run_layer n l (given X)) (add_positions E X).
Proof.
  destruct aware as (p & v & Hsum & Hinj). destruct (gap n v Hinj) as (g & Hg & Hgap).
  set (wv := fun l k : nat => if Nat.eqb l d then 1 else 0).
  set (wo := fun l k : nat => if Nat.eqb l 0 then if Nat.eqb k (d + 1) then 1 else 0 else 0).
  exists {| heads := 1; weights := fun _ => att p;
            value := fun _ _ _ x => times 1 (times (d + 2) x wv) wo;
            combine := fun x y => ffn (d + 2) (3 * n) (hinge_in v g) (hinge_out g E) (fun k => x k + y k) |}.
  split.
  { exists 1%nat, (fun _ => p), 1%nat, (3 * n)%nat, (fun _ => wv), (fun _ => wo), (hinge_in v g),
      (hinge_out g E). reflexivity. }
  intros X i k Hi Hk. unfold run_layer, add_positions. destruct (Nat.ltb_spec i n); [|lia]. cbn.
  assert (Hval : forall j q, times 1 (times (d + 2) (given X j) wv) wo q = if Nat.eqb q (d + 1) then 1 else 0).
  { intros j q. unfold wo. rewrite (times_select 1 _ (fun _ => 0%nat)).
    cbn [Nat.ltb Nat.leb]. unfold wv. rewrite (times_select (d + 2) _ (fun _ => d) (fun _ => 1)).
    destruct (Nat.ltb_spec d (d + 2)); [|lia]. unfold given.
    destruct (Nat.ltb_spec d d); [lia|]. rewrite Nat.eqb_refl. destruct (Nat.eqb q (d + 1)); ring. }
  set (z := fun k => given X i k + (0 + sum n (fun j => att p (given X) i j * times 1 (times (d + 2) (given X j) wv) wo k))).
  assert (Hz : forall q, z q = given X i q + if Nat.eqb q (d + 1) then v i else 0).
  { intros q. unfold z. rewrite Rplus_0_l. f_equal.
    rewrite (sum_ext n _ (fun j => att p (given X) i j * (if Nat.eqb q (d + 1) then 1 else 0)))
      by (intros; now rewrite Hval).
    rewrite sum_scale_r, Hsum by assumption. destruct (Nat.eqb q (d + 1)); ring. }
  transitivity (ffn (d + 2) (3 * n) (hinge_in v g) (hinge_out g E) z k); [reflexivity|].
  rewrite hinges; [|assumption| |assumption].
  - rewrite !Hz, Nat.eqb_refl.
    destruct (Nat.eqb_spec k (d + 1)); [lia|]. unfold given.
    destruct (Nat.ltb_spec k d); [|lia]. destruct (Nat.ltb_spec (d + 1) d); [lia|].
    destruct (Nat.eqb_spec (d + 1) d); [lia|].
    rewrite (sum_ext n _ (fun r => tent g (v i - v r) * E r k)) by (intros; do 2 f_equal; ring).
    rewrite (tents n v g (fun r => E r k) i Hg Hgap Hi). ring.
  - rewrite Hz. destruct (Nat.eqb_spec d (d + 1)); [lia|]. unfold given.
    destruct (Nat.ltb_spec d d); [lia|]. rewrite Nat.eqb_refl. ring.
Qed.

(* ---- The other layers: the given ones in a wider stream ---------------------------------------- *)

(* Zeros in the rows and columns beyond d. *)
Definition wide_in (W : matrix) : matrix := fun l k => if Nat.ltb l d then W l k else 0.
Definition wide_out (W : matrix) : matrix := fun l k => if Nat.ltb k d then W l k else 0.

Lemma wide_times (y z : vec) W k : (forall l, (l < d)%nat -> y l = z l) ->
  times (d + 2) y (wide_in W) k = times d z W k.
Proof.
  intros H. unfold times. replace (d + 2)%nat with (S (S d)) by lia. cbn [sum].
  unfold wide_in at 2 3. destruct (Nat.ltb_spec d d), (Nat.ltb_spec (S d) d); try lia.
  rewrite !Rmult_0_r, !Rplus_0_r. apply sum_ext. intros l Hl. rewrite (H l Hl). f_equal.
  unfold wide_in. destruct (Nat.ltb_spec l d); [reflexivity|lia].
Qed.

Lemma softmax_ext m (a b : nat -> R) j : (forall l, (l < n)%nat -> a l = b l) -> (j < n)%nat ->
  softmax n m a j = softmax n m b j.
Proof.
  intros H Hj. unfold softmax. rewrite (H j Hj). f_equal. apply sum_ext. intros l Hl. now rewrite H.
Qed.

Theorem layer_simulated (p : plain) : exists l, in_class l /\
  forall Y Z, agree Y Z -> agree (run_layer n l Y) (run_layer n (plain_layer n d p) Z).
Proof.
  assert (Hp : exists t : nat -> P, forall h, (h < p_H p)%nat -> forall X i j,
    (i < n)%nat -> (j < n)%nat ->
    att (t h) X i j = softmax n (everything i) (dot_scores (d + 2) (p_e p) (wide_in (p_q p h)) (wide_in (p_k p h)) X i) j).
  { destruct (attentive 0%nat (fun _ _ => 0) (fun _ _ => 0)) as (t0 & _).
    generalize (p_H p). intros m. induction m as [|m (t & Ht)]; [exists (fun _ => t0); intros; lia|].
    destruct (attentive (p_e p) (wide_in (p_q p m)) (wide_in (p_k p m))) as (tm & Hm).
    exists (fun h => if Nat.eqb h m then tm else t h). intros h Hh X i j Hi Hj.
    destruct (Nat.eqb_spec h m) as [->|]; [now apply Hm|apply Ht; lia]. }
  destruct Hp as (t & Ht).
  exists {| heads := p_H p; weights := fun h => att (t h);
            value := fun h _ _ x => times (p_e p) (times (d + 2) x (wide_in (p_v p h))) (wide_out (p_o p h));
            combine := fun x y => ffn (d + 2) (p_f p) (wide_in (p_1 p)) (wide_out (p_2 p)) (fun k => x k + y k) |}.
  split.
  { exists (p_H p), t, (p_e p), (p_f p), (fun h => wide_in (p_v p h)), (fun h => wide_out (p_o p h)),
      (wide_in (p_1 p)), (wide_out (p_2 p)). reflexivity. }
  intros Y Z HYZ i k Hi Hk. unfold run_layer. destruct (Nat.ltb_spec i n); [|lia]. cbn.
  set (a := fun k => Y i k + _). set (b := fun k => Z i k + _).
  assert (Hab : forall l, (l < d)%nat -> a l = b l).
  { intros l Hl. unfold a, b. rewrite (HYZ i l Hi Hl). f_equal. apply sum_ext. intros h Hh.
    apply sum_ext. intros j Hj. f_equal.
    - rewrite (Ht h Hh Y i j Hi Hj). apply softmax_ext; [|assumption]. intros q Hq.
      unfold dot_scores, dot. apply sum_ext. intros r _.
      rewrite (wide_times (Y i) (Z i)) by (intros; now apply HYZ).
      rewrite (wide_times (Y q) (Z q)) by (intros; now apply HYZ). reflexivity.
    - unfold times at 1 3. apply sum_ext. intros r _.
      rewrite (wide_times (Y j) (Z j)) by (intros; now apply HYZ). f_equal.
      unfold wide_out. destruct (Nat.ltb_spec l d); [reflexivity|lia]. }
  unfold ffn. rewrite (Hab k Hk). f_equal. apply sum_ext. intros r _.
  rewrite (wide_times a b) by assumption. f_equal. unfold wide_out.
  destruct (Nat.ltb_spec k d); [reflexivity|lia].
Qed.

(* ---- Together ---------------------------------------------------------------------------------- *)

Theorem simulates_positions (ps : list plain) (E : seq) : exists net,
  Forall in_class net /\
  forall X i k, (i < n)%nat -> (k < d)%nat ->
  run n net (given X) i k = run n (map (plain_layer n d) ps) (add_positions E X) i k.
Proof.
  assert (Hrest : exists net, Forall in_class net /\
    forall Y Z, agree Y Z -> agree (run n net Y) (run n (map (plain_layer n d) ps) Z)).
  { induction ps as [|p rest (net & Hc & Hn)].
    - exists nil. split; [constructor|]. intros Y Z H. exact H.
    - destruct (layer_simulated p) as (l & Hl & Hs). exists (l :: net). split; [now constructor|].
      intros Y Z H. simpl. apply Hn. now apply Hs. }
  destruct Hrest as (net & Hc & Hn). destruct (code_layer_exists E) as (l & Hl & He).
  exists (l :: net). split; [now constructor|]. intros X i k Hi Hk. simpl. now apply (Hn _ _ (He X)).
Qed.

End Simulation.

(* ---- URPE is such a family ---------------------------------------------------------------------- *)

Record urpe_parameters := { u_e : nat; u_q : matrix; u_k : matrix; u_b : Z -> R; u_c : Z -> R }.

Definition urpe_attention n d (u : urpe_parameters) (X : seq) i j :=
  softmax n (everything i) (fun j => dot_scores (d + 2) (u_e u) (u_q u) (u_k u) X i j + toeplitz (u_b u) i j) j
  * toeplitz (u_c u) i j.

Corollary urpe_simulates_positions n d (ps : list plain) (E : seq) : exists net,
  Forall (in_class d urpe_parameters (urpe_attention n d)) net /\
  forall X i k, (i < n)%nat -> (k < d)%nat ->
  run n net (given d X) i k = run n (map (plain_layer n d) ps) (add_positions E X) i k.
Proof.
  apply simulates_positions.
  - intros e Q K. exists {| u_e := e; u_q := Q; u_k := K; u_b := fun _ => 0; u_c := fun _ => 1 |}.
    intros X i j Hi Hj. unfold urpe_attention, toeplitz. cbn [u_e u_q u_k u_b u_c].
    rewrite Rmult_1_r. apply softmax_ext; [|assumption]. intros l Hl. apply Rplus_0_r.
  - exists {| u_e := 0; u_q := fun _ _ => 0; u_k := fun _ _ => 0; u_b := fun _ => 0; u_c := behind |}.
    exists (fun i => (INR i + 1) / INR n). split.
    + intros X i Hi. rewrite <- (behind_row_sum n i Hi). unfold row_sum, Rdiv. rewrite <- sum_scale_r.
      apply sum_ext. intros j Hj. unfold urpe_attention. cbn [u_e u_q u_k u_b u_c].
      change (everything i) with (fun _ : nat => true).
      rewrite (softmax_equal n _ 0 j); [apply Rmult_comm| |assumption]. intros l _.
      unfold dot_scores, dot, toeplitz. simpl. ring.
    + intros i j Hi Hj H. apply INR_eq. assert (INR n <> 0) by (apply not_0_INR; lia).
      unfold Rdiv in H. apply Rmult_eq_reg_r in H; [lra|now apply Rinv_neq_0_compat].
Qed.
