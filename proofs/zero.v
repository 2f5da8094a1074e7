(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Without biases: the zero sequence stays zero; and for one token the network is positively
   homogeneous, so it misses the constant 1 on [0, 1] in every L^p.  Both need no constant
   coordinate to be given: it is what a constant coordinate removes. *)

From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Attest Require Import sums model.
Open Scope R_scope.

(* A layer of the Transformer of model.v: any widths, heads, mask and tables, URPE's included. *)
Definition bias_free n d (l : layer) :=
  exists e f H m a W1 W2, l = transformer n d e f H m a W1 W2.

Definition zero : seq := fun _ _ => 0.

Lemma relu_scale c x : 0 <= c -> relu (c * x) = c * relu x.
Proof.
  intros Hc. unfold relu. rewrite <- RmaxRmult by assumption. now rewrite Rmult_0_r.
Qed.

Lemma times_scale c d x W k : times d (fun l => c * x l) W k = c * times d x W k.
Proof. unfold times. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.

Lemma ffn_scale c d f W1 W2 x k : 0 <= c ->
  ffn d f W1 W2 (fun l => c * x l) k = c * ffn d f W1 W2 x k.
Proof.
  intros Hc. unfold ffn. rewrite Rmult_plus_distr_l. f_equal. rewrite <- sum_scale.
  apply sum_ext. intros l _. rewrite times_scale, relu_scale by assumption. ring.
Qed.

(* If the weights are the same for X and c X, the layer takes c X to c times what it makes of X. *)
Lemma layer_scale n d e f H m a W1 W2 c X : 0 <= c ->
  (forall h i j, (i < n)%nat -> (j < n)%nat ->
     weights (transformer n d e f H m a W1 W2) h (fun i k => c * X i k) i j * c =
     weights (transformer n d e f H m a W1 W2) h X i j * c) ->
  run_layer n (transformer n d e f H m a W1 W2) (fun i k => c * X i k) =
  fun i k => c * run_layer n (transformer n d e f H m a W1 W2) X i k.
Proof.
  intros Hc Hw. set (l := transformer n d e f H m a W1 W2) in *.
  extensionality i. extensionality k. unfold run_layer.
  destruct (Nat.ltb_spec i n) as [Hi|Hi]; [|reflexivity].
  change (combine l) with (fun x y : vec => ffn d f W1 W2 (fun k => x k + y k)). cbv beta.
  rewrite <- ffn_scale by assumption. f_equal. extensionality q.
  rewrite Rmult_plus_distr_l. f_equal. rewrite <- sum_scale. apply sum_ext. intros h _.
  rewrite <- sum_scale. apply sum_ext. intros j Hj.
  change (value l h i j (fun k => c * X j k) q)
    with (times e (times d (fun k => c * X j k) (wv (a h))) (wo (a h)) q).
  change (value l h i j (X j) q) with (times e (times d (X j) (wv (a h))) (wo (a h)) q).
  assert (Ht : times d (fun k => c * X j k) (wv (a h)) = fun k => c * times d (X j) (wv (a h)) k)
    by (extensionality r; apply times_scale).
  rewrite Ht, times_scale, <- !Rmult_assoc, (Rmult_comm c), <- (Hw h i j Hi Hj). ring.
Qed.

Theorem bias_free_zero n d net :
  Forall (bias_free n d) net -> run n net zero = zero.
Proof.
  induction net as [|l net IH]; intros Hn; [reflexivity|].
  inversion Hn as [|? ? (e & f & H & m & a & W1 & W2 & ->) Hrest]; subst. simpl.
  assert (Hz : zero = fun i k => 0 * zero i k) by (extensionality i; extensionality k; unfold zero; ring).
  rewrite Hz at 1. rewrite layer_scale by (lra || intros; ring).
  replace (fun i k => 0 * run_layer n (transformer n d e f H m a W1 W2) zero i k) with zero
    by (extensionality i; extensionality k; unfold zero; ring).
  now apply IH.
Qed.

(* One token sees itself with the weight 1, or, masked, 0: whatever it holds. *)
Lemma single_weight m s s' : softmax 1 m s 0 = softmax 1 m s' 0.
Proof.
  unfold softmax. simpl. rewrite !Rplus_0_l. destruct (m 0%nat); simpl.
  - assert (0 < exp (s 0%nat)) by apply exp_pos. assert (0 < exp (s' 0%nat)) by apply exp_pos.
    field. split; lra.
  - unfold Rdiv. ring.
Qed.

Theorem bias_free_homogeneous d net c : 0 <= c -> Forall (bias_free 1 d) net ->
  forall X, run 1 net (fun i k => c * X i k) = fun i k => c * run 1 net X i k.
Proof.
  intros Hc. induction net as [|l net IH]; intros Hn X; [reflexivity|].
  inversion Hn as [|? ? (e & f & H & m & a & W1 & W2 & ->) Hrest]; subst. simpl.
  rewrite layer_scale; [now apply IH|assumption|].
  intros h i j Hi Hj. replace j with 0%nat by lia. simpl. do 2 f_equal. apply single_weight.
Qed.

(* With the token t u, t in [0, 1], each output is t g: and the integral of (1 - t g)^2 is at least
   1/4 (its value is 1 - g + g^2/3). *)
Theorem bias_free_misses_one d net u k I : Forall (bias_free 1 d) net ->
  is_RInt (fun t => (1 - run 1 net (fun _ l => t * u l) 0%nat k) ^ 2) 0 1 I -> 1 / 4 <= I.
Proof.
  intros Hn HI. set (g := run 1 net (fun _ => u) 0%nat k).
  assert (HJ : is_RInt (fun t => (1 - run 1 net (fun _ l => t * u l) 0%nat k) ^ 2) 0 1 (1 - g + g ^ 2 / 3)).
  { apply is_RInt_ext with (fun t => (1 - t * g) ^ 2).
    - intros t Ht. rewrite Rmin_left in Ht by lra.
      assert (H := bias_free_homogeneous d net t ltac:(lra) Hn (fun _ => u)).
      cbv beta in H. rewrite H. reflexivity.
    - set (F := fun t : R => t - g * t ^ 2 + g ^ 2 / 3 * t ^ 3).
      replace (1 - g + g ^ 2 / 3) with (minus (F 1) (F 0))
        by (unfold F, minus, plus, opp; simpl; field).
      apply (is_RInt_derive F).
      + intros t _. unfold F. auto_derive; [easy|]. field.
      + intros t _. apply continuity_pt_filterlim. apply derivable_continuous_pt.
        apply ex_derive_Reals_0. auto_derive. easy. }
  assert (He := is_RInt_unique _ _ _ _ HI). rewrite (is_RInt_unique _ _ _ _ HJ) in He.
  assert (0 <= (g - 3 / 2) ^ 2) by apply pow2_ge_0. lra.
Qed.
