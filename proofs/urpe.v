(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Explicit URPE networks, for every n: a position code, position identification, and the layer
   from whose rows any target can be read. *)

From Coq Require Import Reals Lra Lia ZArith FunctionalExtensionality.
From Attest Require Import sums model softmax toeplitz.
Open Scope R_scope.

(* A matrix whose column k reads coordinate src k alone. *)
Lemma times_select d x src c k :
  times d x (fun l k => if Nat.eqb l (src k) then c k else 0) k =
  if Nat.ltb (src k) d then x (src k) * c k else 0.
Proof.
  unfold times. destruct (Nat.ltb_spec (src k) d) as [H|H].
  - rewrite <- (sum_delta d (fun l => x l * c k) (src k) H). apply sum_ext. intros l _.
    destruct (Nat.eqb l (src k)); ring.
  - rewrite (sum_ext d _ (fun _ => 0)); [apply sum_zero|]. intros l Hl.
    destruct (Nat.eqb_spec l (src k)); [lia|ring].
Qed.

Lemma no_ffn d W1 W2 x : ffn d 0 W1 W2 x = x.
Proof. extensionality k. unfold ffn. simpl. ring. Qed.

(* ---- The position code ------------------------------------------------------------------------ *)

Section Code.

Variables (n d one p : nat).

(* W_Q = 0, B = 0, c_k = 1 for k >= 0; the constant coordinate goes to column p with weight n. *)
Definition code_head : head :=
  {| wq := fun _ _ => 0; wk := fun _ _ => 0;
     wv := fun l k => if Nat.eqb l one then 1 else 0;
     wo := fun l k => if Nat.eqb l 0 then if Nat.eqb k p then INR n else 0 else 0;
     bias := no_bias; gate := toeplitz behind |}.

Definition code_layer := transformer n d 1 0 1 everything (fun _ => code_head) (rows nil) (rows nil).

Lemma code_value e x k : (one < d)%nat -> (0 < e)%nat ->
  times e (times d x (wv code_head)) (wo code_head) k = if Nat.eqb k p then INR n * x one else 0.
Proof.
  intros H1 He. simpl wo. rewrite (times_select e _ (fun _ => 0%nat)).
  destruct (Nat.ltb_spec 0 e); [|lia]. simpl wv. rewrite (times_select d x (fun _ => one) (fun _ => 1)).
  destruct (Nat.ltb_spec one d); [|lia]. destruct (Nat.eqb k p); ring.
Qed.

(* What a head of this kind adds to row i. *)
Lemma code_sum X i k e : (i < n)%nat -> (one < d)%nat -> (0 < e)%nat ->
  (forall j, (j < n)%nat -> X j one = 1) ->
  sum n (fun j => gate code_head i j / INR n * times e (times d (X j) (wv code_head)) (wo code_head) k) =
  if Nat.eqb k p then INR i + 1 else 0.
Proof.
  intros Hi H1 He HX. assert (INR n <> 0) by (apply not_0_INR; lia).
  rewrite (sum_ext n _ (fun j => toeplitz behind i j * (if Nat.eqb k p then 1 else 0))).
  - rewrite sum_scale_r. assert (H0 := behind_row_sum n i Hi). unfold row_sum in H0. rewrite H0.
    destruct (Nat.eqb k p); ring.
  - intros j Hj. rewrite code_value, HX by assumption. simpl gate.
    destruct (Nat.eqb k p); field; assumption.
Qed.

Theorem position_code X i : (i < n)%nat -> (one < d)%nat ->
  (forall j, (j < n)%nat -> X j one = 1) ->
  run_layer n code_layer X i = fun k => X i k + if Nat.eqb k p then INR i + 1 else 0.
Proof.
  intros Hi H1 HX. unfold run_layer. destruct (Nat.ltb_spec i n); [|lia].
  change (combine code_layer) with (fun x y : vec => ffn d 0 (rows nil) (rows nil) (fun k => x k + y k)).
  cbv beta. rewrite no_ffn. extensionality k. f_equal.
  transitivity (0 + sum n (fun j => weights code_layer 0%nat X i j *
                  times 1 (times d (X j) (wv code_head)) (wo code_head) k)); [reflexivity|].
  rewrite Rplus_0_l, <- (code_sum X i k 1) by (assumption || lia).
  apply sum_ext. intros j Hj. unfold code_layer.
  rewrite (zero_query_weights n d 1 0 1 (fun _ => code_head) _ _ 0 X i j Hj eq_refl eq_refl). reflexivity.
Qed.

(* Position identification: the readout 2 k p - k^2 one prefers the row's own position to every
   other by the square of the distance: margin 1, attained by the neighbours. *)
Definition position_logit (y : vec) (k : Z) := 2 * IZR k * y p - IZR k ^ 2 * y one.

Theorem solves_pi X i k : (i < n)%nat -> (one < d)%nat -> one <> p ->
  (forall j, (j < n)%nat -> X j one = 1 /\ X j p = 0) ->
  let y := run_layer n code_layer X i in
  position_logit y (Z.of_nat i + 1) - position_logit y k = IZR (Z.of_nat i + 1 - k) ^ 2.
Proof.
  intros Hi H1 Hp HX. cbv zeta. rewrite position_code by (try apply HX; auto).
  unfold position_logit. destruct (HX i Hi) as [-> ->].
  rewrite Nat.eqb_refl. destruct (Nat.eqb_spec one p); [contradiction|].
  rewrite !minus_IZR, !plus_IZR, <- INR_IZR_INZ. ring.
Qed.

End Code.

Corollary pi_margin (i k : Z) : i <> k -> 1 <= IZR (i - k) ^ 2.
Proof.
  intros H. replace (IZR (i - k) ^ 2) with (IZR ((i - k) * (i - k))) by (rewrite mult_IZR; ring).
  apply IZR_le. nia.
Qed.

(* ---- All rows in each row ---------------------------------------------------------------------- *)

Section Gather.

(* Columns: d of data, the constant, the position, then 2 n - 1 blocks of d for the offsets
   1 - n, ..., n - 1.  The last head writes the position. *)
Variables (n d : nat).
Definition block h := (d + 2 + h * d)%nat.
Definition width := block (2 * n - 1).

Lemma block_ge h : (d + 2 <= block h)%nat.
Proof. unfold block. apply Nat.le_add_r. Qed.

Lemma width_ge : (d + 2 <= width)%nat.
Proof. apply block_ge. Qed.

Definition gather_head h : head :=
  {| wq := fun _ _ => 0; wk := fun _ _ => 0;
     wv := fun l k => if Nat.eqb l k then 1 else 0;
     wo := fun l k => if Nat.eqb l (k - block h) then
             if andb (Nat.leb (block h) k) (Nat.ltb k (block h + d)) then 1 else 0 else 0;
     bias := no_bias;
     gate := fun i j => INR n * offset (Z.of_nat h - (Z.of_nat n - 1)) i j |}.

Definition all_heads h := if Nat.eqb h (2 * n - 1) then code_head n d (d + 1) else gather_head h.

Definition gather_layer :=
  transformer n width d 0 (2 * n) everything all_heads (rows nil) (rows nil).

Lemma gather_term h X i j k : (j < n)%nat ->
  weights gather_layer h X i j * value gather_layer h i j (X j) k =
  gate (all_heads h) i j / INR n *
  times d (times width (X j) (wv (all_heads h))) (wo (all_heads h)) k.
Proof.
  intros Hj. unfold gather_layer. rewrite zero_query_weights; [reflexivity|assumption| |];
    unfold all_heads; destruct (Nat.eqb h (2 * n - 1)); reflexivity.
Qed.

Lemma gather_value h x k : (0 < n)%nat -> (h < 2 * n - 1)%nat ->
  times d (times width x (wv (gather_head h))) (wo (gather_head h)) k =
  if andb (Nat.leb (block h) k) (Nat.ltb k (block h + d)) then x (k - block h)%nat else 0.
Proof.
  intros Hn Hh. simpl wo. rewrite (times_select d _ (fun k => (k - block h)%nat)).
  destruct (Nat.leb_spec (block h) k), (Nat.ltb_spec k (block h + d)), (Nat.ltb_spec (k - block h) d);
    simpl; try lia; try ring.
  rewrite (times_select width x (fun k => k) (fun _ => 1)).
  destruct (Nat.ltb_spec (k - block h) width); [ring|]. unfold width, block in *. nia.
Qed.

Theorem gathered X i h l : (0 < d)%nat -> (i < n)%nat -> (h < 2 * n - 1)%nat -> (l < d)%nat ->
  (forall j, (j < n)%nat -> X j d = 1) -> X i (block h + l)%nat = 0 ->
  run_layer n gather_layer X i (block h + l)%nat =
  let s := (Z.of_nat i - (Z.of_nat h - (Z.of_nat n - 1)))%Z in
  if andb (0 <=? s)%Z (s <? Z.of_nat n)%Z then X (Z.to_nat s) l else 0.
Proof.
  intros Hd Hi Hh Hl H1 H0. unfold run_layer. destruct (Nat.ltb_spec i n); [|lia].
  change (combine gather_layer) with
    (fun x y : vec => ffn width 0 (rows nil) (rows nil) (fun k => x k + y k)).
  cbv beta. rewrite no_ffn, H0, Rplus_0_l.
  transitivity (sum n (fun j => offset (Z.of_nat h - (Z.of_nat n - 1)) i j * X j l));
    [|exact (gathering n (Z.of_nat h - (Z.of_nat n - 1)) (fun j => X j l) i Hi)].
  change (heads gather_layer) with (2 * n)%nat.
  assert (Hh2 : (h < 2 * n)%nat) by lia.
  rewrite <- (sum_delta (2 * n) (fun g => sum n (fun j =>
    offset (Z.of_nat h - (Z.of_nat n - 1)) i j * X j l)) h Hh2).
  apply sum_ext. intros g Hg.
  assert (HN : INR n <> 0) by (apply not_0_INR; lia).
  destruct (Nat.eqb_spec g (2 * n - 1)) as [->|Hlast].
  - destruct (Nat.eqb_spec (2 * n - 1) h); [lia|].
    transitivity (sum n (fun _ : nat => 0)); [|apply sum_zero].
    apply sum_ext. intros j Hj. rewrite gather_term by assumption. unfold all_heads.
    rewrite Nat.eqb_refl.
    rewrite (code_value n width d (d + 1) d) by (assert (Hw := width_ge); lia).
    destruct (Nat.eqb_spec (block h + l) (d + 1)); [unfold block in *; lia|ring].
  - transitivity (sum n (fun j => offset (Z.of_nat g - (Z.of_nat n - 1)) i j *
      (if Nat.eqb g h then X j l else 0))).
    + apply sum_ext. intros j Hj. rewrite gather_term by assumption. unfold all_heads.
      destruct (Nat.eqb_spec g (2 * n - 1)); [lia|].
      rewrite gather_value by lia. simpl gate.
      assert (Hb : andb (Nat.leb (block g) (block h + l)) (Nat.ltb (block h + l) (block g + d)) = Nat.eqb g h).
      { destruct (Nat.eqb_spec g h) as [->|Hne].
        - destruct (Nat.leb_spec (block h) (block h + l)), (Nat.ltb_spec (block h + l) (block h + d)); simpl; lia.
        - destruct (Nat.leb_spec (block g) (block h + l)), (Nat.ltb_spec (block h + l) (block g + d));
            simpl; try reflexivity. exfalso. unfold block in *. assert (g < h \/ h < g)%nat by lia. nia. }
      rewrite Hb. destruct (Nat.eqb_spec g h) as [->|]; [|field; assumption].
      replace (block h + l - block h)%nat with l by lia. field. assumption.
    + destruct (Nat.eqb g h) eqn:Hgh.
      * apply Nat.eqb_eq in Hgh. now subst g.
      * rewrite (sum_ext n _ (fun _ => 0)) by (intros; ring). apply sum_zero.
Qed.

(* Row i knows its position, *)
Theorem gathered_position X i : (0 < d)%nat -> (i < n)%nat ->
  (forall j, (j < n)%nat -> X j d = 1) -> X i (d + 1)%nat = 0 ->
  run_layer n gather_layer X i (d + 1)%nat = INR i + 1.
Proof.
  intros Hd Hi H1 H0. unfold run_layer. destruct (Nat.ltb_spec i n); [|lia].
  change (combine gather_layer) with
    (fun x y : vec => ffn width 0 (rows nil) (rows nil) (fun k => x k + y k)).
  cbv beta. rewrite no_ffn, H0, Rplus_0_l.
  change (heads gather_layer) with (2 * n)%nat. assert (Hh : (2 * n - 1 < 2 * n)%nat) by lia.
  rewrite <- (sum_delta (2 * n) (fun _ => INR i + 1) (2 * n - 1) Hh).
  apply sum_ext. intros g Hg. destruct (Nat.eqb_spec g (2 * n - 1)) as [->|Hlast].
  - transitivity (if Nat.eqb (d + 1) (d + 1) then INR i + 1 else 0); [|now rewrite Nat.eqb_refl].
    rewrite <- (code_sum n width d (d + 1) X i (d + 1) d) by (assumption || assert (Hw := width_ge); lia).
    apply sum_ext. intros j Hj. rewrite gather_term by assumption. unfold all_heads.
    now rewrite Nat.eqb_refl.
  - transitivity (sum n (fun _ : nat => 0)); [|apply sum_zero]. apply sum_ext. intros j Hj.
    rewrite gather_term by assumption. unfold all_heads.
    destruct (Nat.eqb_spec g (2 * n - 1)); [lia|].
    rewrite gather_value by lia.
    destruct (Nat.leb_spec (block g) (d + 1)); [unfold block in *; lia|simpl; ring].
Qed.

(* and all of X: a fixed map of one row gives the target exactly.  It is continuous where f is, for
   hats and coordinates are; so one hidden layer comes near to it on a compact set (Leshno). *)
Definition decode i (y : vec) : seq := fun j l => y (block (i + (n - 1) - j) + l)%nat.
Definition hat t := relu (1 - Rabs t).
Definition read_row (f : seq -> seq) (y : vec) : vec := fun k =>
  sum n (fun i => hat (y (d + 1)%nat - (INR i + 1)) * f (decode i y) i k).

Lemma hat_integers i r : hat (INR r + 1 - (INR i + 1)) = if Nat.eqb i r then 1 else 0.
Proof.
  unfold hat, relu. destruct (Nat.eqb_spec i r) as [->|Hne].
  - replace (INR r + 1 - (INR r + 1)) with 0 by ring. rewrite Rabs_R0, Rmax_left; lra.
  - apply Rmax_right. replace (INR r + 1 - (INR i + 1)) with (INR r - INR i) by ring.
    assert (H : (r + 1 <= i \/ i + 1 <= r)%nat) by lia.
    destruct H as [H|H]; apply le_INR in H; rewrite plus_INR in H; simpl (INR 1) in H.
    + rewrite Rabs_left; lra.
    + rewrite Rabs_right; lra.
Qed.

Theorem universal_row f X i k : (0 < d)%nat -> (i < n)%nat ->
  (forall Y Z, (forall j l, (j < n)%nat -> (l < d)%nat -> Y j l = Z j l) -> f Y = f Z) ->
  (forall j, (j < n)%nat -> X j d = 1) -> (forall c, (d < c)%nat -> X i c = 0) ->
  read_row f (run_layer n gather_layer X i) k = f X i k.
Proof.
  intros Hd Hi Hf H1 H0. unfold read_row.
  rewrite gathered_position by (auto; apply H0; lia).
  rewrite <- (sum_delta n (fun r => f X r k) i Hi). apply sum_ext. intros r Hr.
  rewrite hat_integers. destruct (Nat.eqb_spec r i) as [->|]; [|ring].
  rewrite Rmult_1_l. rewrite (Hf (decode i (run_layer n gather_layer X i)) X); [reflexivity|].
  intros j l Hj Hl. unfold decode.
  rewrite gathered; [|assumption..|lia|assumption|assumption|apply H0].
  2:{ assert (Hb := block_ge (i + (n - 1) - j)). lia. }
  cbv zeta. replace (Z.of_nat i - (Z.of_nat (i + (n - 1) - j) - (Z.of_nat n - 1)))%Z
    with (Z.of_nat j) by lia.
  destruct (Z.leb_spec 0 (Z.of_nat j)); [|lia]. destruct (Z.ltb_spec (Z.of_nat j) (Z.of_nat n)); [|lia].
  simpl. now rewrite Nat2Z.id.
Qed.

End Gather.
