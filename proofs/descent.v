(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Attention descends its energy, without a step size: for every number of rows and columns and
   every concave rho that does not fall.  With the self term, without it, with a quadratic term. *)

From Coq Require Import Reals Lra Lia Psatz.
From Attest Require Import sums model double concave.
Open Scope R_scope.

Lemma dist_sym d Y i j : dist d Y i j = dist d Y j i.
Proof. unfold dist. f_equal. apply sum_ext. intros. ring. Qed.

Lemma dist_self d Y i : dist d Y i i = 0.
Proof.
  unfold dist. rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. lra.
Qed.

Lemma dist_nonneg d Y i j : 0 <= dist d Y i j.
Proof.
  assert (0 <= sum d (fun k => (Y i k - Y j k) ^ 2)) by (apply sum_nonneg; intros; apply pow2_ge_0).
  unfold dist. lra.
Qed.

Lemma weight_sym d w Y : symmetric (weight d w Y).
Proof. intros i j. unfold weight. now rewrite dist_sym. Qed.

Lemma weight_nonneg d w Y i j : (forall z, 0 <= z -> 0 <= w z) -> 0 <= weight d w Y i j.
Proof. intros H. apply H, dist_nonneg. Qed.

Lemma degree_pos n d w Y i :
  (i < n)%nat -> (forall z, 0 <= z -> 0 <= w z) -> 0 < w 0 -> 0 < degree n d w Y i.
Proof.
  intros Hi Hw H0. apply (sum_pos n _ i); [|assumption|].
  - intros. now apply weight_nonneg.
  - unfold weight. now rewrite dist_self.
Qed.

Lemma energy_ext n d rho Y Z :
  (forall i k, (i < n)%nat -> (k < d)%nat -> Y i k = Z i k) -> energy n d rho Y = energy n d rho Z.
Proof.
  intros H. apply sum_ext. intros i Hi. apply sum_ext. intros j Hj. f_equal. unfold dist. f_equal.
  apply sum_ext. intros k Hk. rewrite !H by (assumption || lia). reflexivity.
Qed.

Lemma energy_double n d rho Y :
  sum2 n (fun i j => rho (dist d Y i j)) = 2 * energy n d rho Y + INR n * rho 0.
Proof.
  unfold sum2. rewrite sum_pairs by (intros; now rewrite dist_sym). f_equal.
  rewrite (sum_ext _ _ (fun _ => rho 0)) by (intros; now rewrite dist_self). apply sum_const.
Qed.

(* The majorizer: E(Y + T) <= E(Y) + <T, L Y> + <T, L T>/2. *)
Theorem majorizer n d rho w Y T : below_tangents rho w ->
  energy n d rho (madd Y T) <= energy n d rho Y
    + inner n d T (act n (laplacian n (weight d w Y)) Y)
    + form n d (laplacian n (weight d w Y)) T / 2.
Proof.
  intros Ht. set (Z := madd Y T). set (W := weight d w Y).
  assert (Hz : forall i j, dist d Z i j - dist d Y i j = sum d (fun k =>
    (Y i k - Y j k) * (T i k - T j k) + (T i k - T j k) * (T i k - T j k) / 2)).
  { intros i j. unfold dist, Z, madd. unfold Rdiv. rewrite <- !sum_scale_r, <- sum_sub.
    apply sum_ext. intros. field. }
  assert (H1 : sum2 n (fun i j => rho (dist d Z i j)) <=
    sum2 n (fun i j => rho (dist d Y i j)) + sum2 n (fun i j => W i j * (dist d Z i j - dist d Y i j))).
  { rewrite <- sum2_add. apply sum2_le. intros i j _ _. apply Ht; apply dist_nonneg. }
  rewrite !energy_double in H1.
  assert (H2 : sum2 n (fun i j => W i j * (dist d Z i j - dist d Y i j)) =
    2 * inner n d T (act n (laplacian n W) Y) + form n d (laplacian n W) T).
  { unfold form. rewrite !inner_columns, <- sum_scale, <- sum_add.
    rewrite (sum_ext d _ (fun k => sum2 n (fun i j =>
      W i j * ((Y i k - Y j k) * (T i k - T j k) + (T i k - T j k) * (T i k - T j k) / 2)))).
    - rewrite sum2_columns. apply sum2_ext. intros i j _ _. rewrite Hz, <- sum_scale. reflexivity.
    - intros k _. assert (Hs : symmetric W) by apply weight_sym.
      unfold act. rewrite <- (laplacian_pairs n W Hs (fun i => Y i k) (fun i => T i k)).
      rewrite (sum2_ext n (fun i j => W i j * (_ + _)) (fun i j =>
        W i j * ((Y i k - Y j k) * (T i k - T j k)) +
        / 2 * (W i j * ((T i k - T j k) * (T i k - T j k))))) by (intros; field).
      rewrite sum2_add, sum2_scale.
      rewrite (laplacian_pairs n W Hs (fun i => T i k) (fun i => T i k)). field. }
  lra.
Qed.

Lemma laplacian_inner_sym n d W X Y : symmetric W ->
  inner n d X (act n (laplacian n W) Y) = inner n d Y (act n (laplacian n W) X).
Proof.
  intros Hs. rewrite !inner_columns. apply sum_ext. intros k _. unfold act.
  apply (Rmult_eq_reg_l 2); [|lra].
  rewrite <- (laplacian_pairs n W Hs (fun i => Y i k) (fun i => X i k)).
  rewrite <- (laplacian_pairs n W Hs (fun i => X i k) (fun i => Y i k)).
  apply sum2_ext. intros. ring.
Qed.

(* opt.majorize *)
Theorem majorize n d rho w Y Y' : admissible rho w ->
  energy n d rho Y' - energy n d rho Y <=
  form n d (laplacian n (weight d w Y)) Y' / 2 - form n d (laplacian n (weight d w Y)) Y / 2.
Proof.
  intros (Hc & _ & Hd). set (W := weight d w Y). set (T := msub Y' Y).
  assert (H := majorizer n d rho w Y T (concave_below_tangents rho w Hc Hd)). fold W in H.
  rewrite (energy_ext n d rho (madd Y T) Y') in H by (intros; unfold madd, T, msub; ring).
  assert (Hlin : forall X, inner n d X (act n (laplacian n W) Y') =
    inner n d X (act n (laplacian n W) Y) + inner n d X (act n (laplacian n W) T)).
  { intros X. unfold inner, dot, act. rewrite <- sum_add. apply sum_ext. intros i _.
    rewrite <- sum_add. apply sum_ext. intros k _. rewrite <- Rmult_plus_distr_l, <- sum_add.
    f_equal. apply sum_ext. intros. unfold T, msub. ring. }
  assert (Hs := laplacian_inner_sym n d W).
  assert (Hf : form n d (laplacian n W) Y' = form n d (laplacian n W) Y
    + 2 * inner n d T (act n (laplacian n W) Y) + form n d (laplacian n W) T).
  { unfold form. rewrite Hlin, (Hs Y' Y), (Hs Y' T), !Hlin, (Hs Y T) by apply weight_sym. ring. }
  lra.
Qed.

(* Any step that solves (c D_U + lambda) T = - (c L Y + lambda (Y - X)), where U has the weights off
   the diagonal and there what it likes, from 0 on. *)
Section Step.

Variables (n d : nat) (rho w : R -> R) (c lambda : R) (X Y T U : matrix).
Hypothesis tangents : below_tangents rho w.
Hypothesis w_nonneg : forall z, 0 <= z -> 0 <= w z.
Hypothesis c_nonneg : 0 <= c.
Hypothesis U_sym : symmetric U.
Hypothesis U_nonneg : forall i j, 0 <= U i j.
Hypothesis U_off : forall i j, i <> j -> U i j = weight d w Y i j.
Hypothesis step : forall i k, (i < n)%nat -> (k < d)%nat ->
  (c * sum n (U i) + lambda) * T i k =
  - (c * act n (laplacian n (weight d w Y)) Y i k + lambda * (Y i k - X i k)).

Definition with_quadratic n d rho c lambda X Y :=
  c * energy n d rho Y + lambda / 2 * inner n d (msub Y X) (msub Y X).

Lemma quadratic_change : inner n d (msub (madd Y T) X) (msub (madd Y T) X) =
  inner n d (msub Y X) (msub Y X) + 2 * inner n d T (msub Y X) + inner n d T T.
Proof.
  unfold inner. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros i _.
  unfold dot. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros. unfold msub, madd. ring.
Qed.

Lemma form_laplacian_U V : form n d (laplacian n (weight d w Y)) V = form n d (laplacian n U) V.
Proof.
  unfold form, inner, dot, act. apply sum_ext. intros i Hi. apply sum_ext. intros k _.
  f_equal. symmetry. now apply (laplacian_off n (weight d w Y) U (fun j => V j k)), U_off.
Qed.

Lemma form_laplacian_split V : form n d (laplacian n U) V =
  2 * sum d (fun k => sum n (fun i => sum n (U i) * V i k ^ 2)) - form n d (signless n U) V.
Proof.
  rewrite !form_columns, <- sum_scale, <- sum_sub. apply sum_ext. intros k _.
  apply (laplacian_signless n U (fun i => V i k)).
Qed.

Lemma form_signless_nonneg V : 0 <= form n d (signless n U) V.
Proof.
  rewrite form_columns. apply sum_nonneg. intros k _.
  now apply (signless_nonneg n U U_sym (fun i => V i k)).
Qed.

Theorem diagonal_step : with_quadratic n d rho c lambda X (madd Y T) <=
  with_quadratic n d rho c lambda X Y - c / 2 * form n d (signless n U) T - lambda / 2 * inner n d T T.
Proof.
  unfold with_quadratic.
  assert (Hm := majorizer n d rho w Y T tangents). rewrite form_laplacian_U, form_laplacian_split in Hm.
  rewrite quadratic_change.
  set (DT := sum d (fun k => sum n (fun i => sum n (U i) * T i k ^ 2))) in *.
  assert (Hs : c * inner n d T (act n (laplacian n (weight d w Y)) Y) + lambda * inner n d T (msub Y X)
    = - (c * DT + lambda * inner n d T T)).
  { apply Rminus_diag_uniq. unfold DT. rewrite !inner_columns.
    unfold Rminus. rewrite Ropp_involutive, <- !sum_scale, <- !sum_add.
    rewrite <- (sum_zero d). apply sum_ext. intros k Hk.
    rewrite <- !sum_scale, <- !sum_add, <- (sum_zero n). apply sum_ext. intros i Hi.
    specialize (step i k Hi Hk). unfold msub.
    apply (f_equal (Rmult (T i k))) in step. lra. }
  apply (Rmult_le_compat_l c) in Hm; [|assumption]. lra.
Qed.

Corollary diagonal_step_descends : 0 <= lambda ->
  with_quadratic n d rho c lambda X (madd Y T) <= with_quadratic n d rho c lambda X Y.
Proof.
  intros Hl. assert (H := diagonal_step). assert (H1 := form_signless_nonneg T).
  assert (H2 := inner_nonneg n d T).
  assert (0 <= c / 2 * form n d (signless n U) T) by (apply Rmult_le_pos; lra).
  assert (0 <= lambda / 2 * inner n d T T) by (apply Rmult_le_pos; lra). lra.
Qed.

End Step.

(* (D_U)(average - Y) = - L Y. *)
Lemma average_step n d w Y U i k : (i < n)%nat ->
  (forall i j, i <> j -> U i j = weight d w Y i j) -> sum n (U i) <> 0 ->
  sum n (U i) * (average n U Y i k - Y i k) = - act n (laplacian n (weight d w Y)) Y i k.
Proof.
  intros Hi HU H0. unfold act.
  rewrite <- (laplacian_off n (weight d w Y) U (fun j => Y j k) i Hi (HU i)).
  rewrite laplacian_act by assumption. unfold average. field. assumption.
Qed.

Lemma admissible_tangents rho w : admissible rho w -> below_tangents rho w.
Proof. intros (Hc & _ & Hd). now apply concave_below_tangents. Qed.

Lemma admissible_nonneg rho w : admissible rho w -> forall z, 0 <= z -> 0 <= w z.
Proof.
  intros H. destruct H as (Hc & Hm & Hd).
  apply (weights_nonneg rho w Hm). now apply concave_below_tangents.
Qed.

Lemma with_quadratic_plain n d rho X Y : with_quadratic n d rho 1 0 X Y = energy n d rho Y.
Proof. unfold with_quadratic. lra. Qed.

Theorem attention_tangents n d rho w Y :
  below_tangents rho w -> (forall z, 0 <= z -> 0 <= w z) -> 0 < w 0 ->
  energy n d rho (attention n d w Y) <= energy n d rho Y
    - form n d (signless n (weight d w Y)) (msub (attention n d w Y) Y) / 2.
Proof.
  intros Ht Hw H0. set (T := msub (attention n d w Y) Y).
  assert (H : with_quadratic n d rho 1 0 Y (madd Y T) <= with_quadratic n d rho 1 0 Y Y
    - 1 / 2 * form n d (signless n (weight d w Y)) T - 0 / 2 * inner n d T T).
  { apply (diagonal_step n d rho w 1 0 Y Y T (weight d w Y)); try assumption; try lra.
    - reflexivity.
    - intros i k Hi _. assert (Hd := degree_pos n d w Y i Hi Hw H0).
      assert (Hs := average_step n d w Y (weight d w Y) i k Hi (fun _ _ _ => eq_refl)).
      unfold degree in Hd. specialize (Hs ltac:(lra)).
      change (T i k) with (average n (weight d w Y) Y i k - Y i k). lra. }
  rewrite !with_quadratic_plain in H.
  rewrite (energy_ext n d rho (madd Y T) (attention n d w Y)) in H
    by (intros; unfold madd, T, msub; ring). lra.
Qed.

(* opt.attention-descent: rows Y, scores from the rows Y W_a, energy of Y W_a. *)
Theorem attention_descent n d m rho w Wa Y :
  admissible rho w -> 0 < w 0 ->
  let V := project d Wa Y in
  let Y' := average n (weight m w V) Y in
  energy n m rho (project d Wa Y') <= energy n m rho V
    - form n m (signless n (weight m w V)) (project d Wa (msub Y' Y)) / 2.
Proof.
  intros Ha H0 V Y'. assert (Hw := admissible_nonneg rho w Ha).
  assert (H := attention_tangents n m rho w V (admissible_tangents rho w Ha) Hw H0).
  assert (HV : forall i k, project d Wa Y' i k = attention n m w V i k).
  { intros i k. unfold project, times, Y', average, attention, V, degree, Rdiv.
    rewrite (sum_ext d _ (fun l => sum n (fun j => weight m w V i j * (Y j l * Wa l k)) *
      / sum n (weight m w V i))).
    - rewrite sum_scale_r, sum_swap. f_equal. apply sum_ext. intros j _. apply sum_scale.
    - intros l _. unfold V, project, times.
      rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc, <- sum_scale_r. f_equal.
      apply sum_ext. intros. ring. }
  assert (HD : forall i k, project d Wa (msub Y' Y) i k = msub (attention n m w V) V i k).
  { intros i k. unfold msub. rewrite <- HV. unfold V, project, times. rewrite <- sum_sub.
    apply sum_ext. intros. ring. }
  rewrite (energy_ext n m rho _ (attention n m w V)) by (intros; apply HV).
  rewrite (form_columns n m _ (project d Wa (msub Y' Y))).
  rewrite form_columns in H.
  rewrite (sum_ext m _ (fun k => sum n (fun i => msub (attention n m w V) V i k *
    sum n (fun j => signless n (weight m w V) i j * msub (attention n m w V) V j k)))); [exact H|].
  intros k _. apply sum_ext. intros i _. rewrite HD. f_equal. apply sum_ext. intros. now rewrite HD.
Qed.

Corollary attention_does_not_rise n d rho w Y :
  admissible rho w -> 0 < w 0 -> energy n d rho (attention n d w Y) <= energy n d rho Y.
Proof.
  intros Ha H0. assert (Hw := admissible_nonneg rho w Ha).
  assert (H := attention_tangents n d rho w Y (admissible_tangents rho w Ha) Hw H0).
  assert (0 <= form n d (signless n (weight d w Y)) (msub (attention n d w Y) Y)); [|lra].
  apply form_signless_nonneg; [apply weight_sym|intros; now apply weight_nonneg].
Qed.
