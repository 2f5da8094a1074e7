(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Variants of the attention step: without the self term, with a quadratic term, relaxed; the rate. *)

From Coq Require Import Reals Lra Lia Psatz.
From Attest Require Import sums model double concave descent.
Open Scope R_scope.

Lemma off_sym W : symmetric W -> symmetric (off W).
Proof. intros H i j. unfold off. rewrite Nat.eqb_sym. destruct (Nat.eqb j i); [reflexivity|apply H]. Qed.

Lemma off_nonneg W : (forall i j, 0 <= W i j) -> forall i j, 0 <= off W i j.
Proof. intros H i j. unfold off. destruct (Nat.eqb i j); [lra|apply H]. Qed.

Lemma off_same W i j : i <> j -> off W i j = W i j.
Proof. intros H. unfold off. now destruct (Nat.eqb_spec i j). Qed.

(* opt.regularised and opt.residual-input: y_i' = (c sum_j u_ij y_j + lambda x_i)/(c sum_j u_ij +
   lambda), u the weights with any self terms that are not negative. *)
Definition quadratic_step n (c lambda : R) (U X Y : matrix) : matrix := fun i k =>
  (c * sum n (fun j => U i j * Y j k) + lambda * X i k) / (c * sum n (U i) + lambda).

Theorem quadratic_step_descends n d rho w c lambda U X Y :
  admissible rho w -> 0 <= c -> 0 <= lambda ->
  symmetric U -> (forall i j, 0 <= U i j) -> (forall i j, i <> j -> U i j = weight d w Y i j) ->
  (forall i, (i < n)%nat -> 0 < c * sum n (U i) + lambda) ->
  with_quadratic n d rho c lambda X (quadratic_step n c lambda U X Y) <=
  with_quadratic n d rho c lambda X Y.
Proof.
  intros Ha Hc Hl Hs Hn Ho Hp. set (Z := quadratic_step n c lambda U X Y).
  assert (H : with_quadratic n d rho c lambda X (madd Y (msub Z Y)) <= with_quadratic n d rho c lambda X Y).
  { apply (diagonal_step_descends n d rho w c lambda X Y (msub Z Y) U); try assumption.
    - now apply admissible_tangents.
    - intros i k Hi _. specialize (Hp i Hi). unfold act.
      rewrite <- (laplacian_off n (weight d w Y) U (fun j => Y j k) i Hi (Ho i)).
      rewrite laplacian_act by assumption. unfold msub, Z, quadratic_step. field. lra. }
  unfold with_quadratic in *.
  rewrite (energy_ext n d rho (madd Y (msub Z Y)) Z) in H by (intros; unfold madd, msub; ring).
  replace (inner n d (msub (madd Y (msub Z Y)) X) (msub (madd Y (msub Z Y)) X))
    with (inner n d (msub Z X) (msub Z X)) in H; [exact H|].
  apply sum_ext. intros i _. apply dot_ext; intros; unfold msub, madd; ring.
Qed.

(* opt.regularised: c E + lambda |Y|^2/2, lambda > 0, the average over j <> i. *)
Corollary regularised_descends n d rho w c lambda Y :
  admissible rho w -> 0 <= c -> 0 < lambda ->
  let step : matrix := fun i k => c * sum n (fun j => off (weight d w Y) i j * Y j k) /
    (lambda + c * sum n (off (weight d w Y) i)) in
  c * energy n d rho step + lambda / 2 * inner n d step step <=
  c * energy n d rho Y + lambda / 2 * inner n d Y Y.
Proof.
  intros Ha Hc Hl step. assert (Hw := admissible_nonneg rho w Ha).
  assert (HU : forall i j, 0 <= off (weight d w Y) i j)
    by (apply off_nonneg; intros; now apply weight_nonneg).
  assert (Hden : forall i, 0 < c * sum n (off (weight d w Y) i) + lambda).
  { intros i. assert (0 <= c * sum n (off (weight d w Y) i)); [|lra].
    apply Rmult_le_pos; [assumption|]. apply sum_nonneg. intros. apply HU. }
  set (Z := fun (_ _ : nat) => 0).
  assert (H := quadratic_step_descends n d rho w c lambda (off (weight d w Y)) Z Y Ha Hc ltac:(lra)
    (off_sym _ (weight_sym d w Y)) HU (off_same _) (fun i _ => Hden i)).
  unfold with_quadratic in H.
  rewrite (energy_ext n d rho _ step) in H.
  - replace (inner n d step step) with (inner n d (msub (quadratic_step n c lambda (off (weight d w Y)) Z Y) Z)
      (msub (quadratic_step n c lambda (off (weight d w Y)) Z Y) Z)).
    + replace (inner n d Y Y) with (inner n d (msub Y Z) (msub Y Z)); [exact H|].
      apply sum_ext. intros i _. apply dot_ext; intros; unfold msub, Z; ring.
    + apply sum_ext. intros i _. specialize (Hden i).
      apply dot_ext; intros; unfold msub, step, quadratic_step, Z; field; lra.
  - intros i k _ _. specialize (Hden i). unfold step, quadratic_step, Z. field. lra.
Qed.

(* With c = lambda = 1 and rho'(0) = 1 that step is (A - diag A) Y. *)
Theorem regularised_is_softmax_minus_self n d w Y i k :
  (i < n)%nat -> w 0 = 1 -> (forall z, 0 <= z -> 0 <= w z) ->
  1 * sum n (fun j => off (weight d w Y) i j * Y j k) / (1 + 1 * sum n (off (weight d w Y) i)) =
  attention n d w Y i k - weight d w Y i i / degree n d w Y i * Y i k.
Proof.
  intros Hi H1 Hw.
  assert (Hd := degree_pos n d w Y i Hi Hw ltac:(lra)). unfold attention, degree in *.
  assert (Hself : weight d w Y i i = 1) by (unfold weight; now rewrite dist_self).
  assert (Hsum : forall x, sum n (fun j => weight d w Y i j * x j) =
                           sum n (fun j => off (weight d w Y) i j * x j) + x i).
  { intros x. rewrite <- (sum_delta n x i Hi), <- sum_add. apply sum_ext. intros j _. unfold off.
    rewrite (Nat.eqb_sym j i). destruct (Nat.eqb_spec i j) as [<-|]; [rewrite Hself|]; ring. }
  assert (Hdeg := Hsum (fun _ => 1)). cbv beta in Hdeg. rewrite !sum_scale_r, !Rmult_1_r in Hdeg.
  rewrite (Hsum (fun j => Y j k)), Hself, Hdeg.
  rewrite Hdeg in Hd. field. lra.
Qed.

(* opt.residual-input: E + lambda |Y - X|^2/2, the self term in the sums. *)
Corollary residual_input_descends n d rho w lambda X Y :
  admissible rho w -> 0 < w 0 -> 0 <= lambda ->
  let step : matrix := fun i k => (sum n (fun j => weight d w Y i j * Y j k) + lambda * X i k) /
    (degree n d w Y i + lambda) in
  energy n d rho step + lambda / 2 * inner n d (msub step X) (msub step X) <=
  energy n d rho Y + lambda / 2 * inner n d (msub Y X) (msub Y X).
Proof.
  intros Ha H0 Hl step. assert (Hw := admissible_nonneg rho w Ha).
  assert (Hdeg : forall i, (i < n)%nat -> 0 < 1 * sum n (weight d w Y i) + lambda).
  { intros i Hi. assert (H := degree_pos n d w Y i Hi Hw H0). unfold degree in H. lra. }
  assert (H := quadratic_step_descends n d rho w 1 lambda (weight d w Y) X Y Ha ltac:(lra) Hl
    (weight_sym d w Y) (fun i j => weight_nonneg d w Y i j Hw) (fun _ _ _ => eq_refl) Hdeg).
  unfold with_quadratic in H. rewrite !Rmult_1_l in H.
  assert (He : forall i k, (i < n)%nat -> quadratic_step n 1 lambda (weight d w Y) X Y i k = step i k).
  { intros i k Hi. specialize (Hdeg i Hi). unfold step, quadratic_step, degree. field. lra. }
  rewrite (energy_ext n d rho _ step) in H by (intros; now apply He).
  replace (inner n d (msub step X) (msub step X)) with
    (inner n d (msub (quadratic_step n 1 lambda (weight d w Y) X Y) X)
      (msub (quadratic_step n 1 lambda (weight d w Y) X Y) X)); [exact H|].
  apply sum_ext. intros i Hi. apply dot_ext; intros; unfold msub; now rewrite He.
Qed.

(* ---- Relaxation ----------------------------------------------------------------------------- *)

(* The step a T, where D_U T = - L Y. *)
Lemma scaled_step n d rho w a U Y T :
  below_tangents rho w ->
  (forall i k, (i < n)%nat -> sum n (U i) * T i k = - act n (laplacian n (weight d w Y)) Y i k) ->
  energy n d rho (madd Y (fun i k => a * T i k)) <= energy n d rho Y
    - a * sum d (fun k => sum n (fun i => sum n (U i) * T i k ^ 2))
    + a ^ 2 / 2 * form n d (laplacian n (weight d w Y)) T.
Proof.
  intros Ht Hstep. assert (H := majorizer n d rho w Y (fun i k => a * T i k) Ht).
  assert (H1 : inner n d (fun i k => a * T i k) (act n (laplacian n (weight d w Y)) Y) =
    - a * sum d (fun k => sum n (fun i => sum n (U i) * T i k ^ 2))).
  { rewrite inner_columns, <- sum_scale. apply sum_ext. intros k _. rewrite <- sum_scale.
    apply sum_ext. intros i Hi. assert (E := Hstep i k Hi).
    replace (act n (laplacian n (weight d w Y)) Y i k) with (- (sum n (U i) * T i k)) by lra. ring. }
  assert (H2 : form n d (laplacian n (weight d w Y)) (fun i k => a * T i k) =
    a ^ 2 * form n d (laplacian n (weight d w Y)) T).
  { unfold form, inner, dot, act. rewrite <- sum_scale. apply sum_ext. intros i _.
    rewrite <- sum_scale. apply sum_ext. intros k _.
    rewrite (sum_ext n (fun j => _ * (a * T j k)) (fun j => a * (laplacian n (weight d w Y) i j * T j k)))
      by (intros; ring). rewrite sum_scale. ring. }
  rewrite H1, H2 in H. lra.
Qed.

Lemma blend_plus n d rho a Y Z :
  energy n d rho (blend a Y Z) = energy n d rho (madd Y (fun i k => a * msub Z Y i k)).
Proof. apply energy_ext. intros. unfold blend, madd, msub. ring. Qed.

Lemma degree_squares_nonneg n d (U T : matrix) : (forall i j, 0 <= U i j) ->
  0 <= sum d (fun k => sum n (fun i => sum n (U i) * T i k ^ 2)).
Proof.
  intros H. apply sum_nonneg. intros k _. apply sum_nonneg. intros i _.
  apply Rmult_le_pos; [apply sum_nonneg; intros; apply H|apply pow2_ge_0].
Qed.

(* opt.relaxation where W is positive semidefinite: any 0 <= a <= 2. *)
Theorem relaxation_descends n d rho w a Y :
  admissible rho w -> 0 < w 0 -> psd n (weight d w Y) -> 0 <= a <= 2 ->
  energy n d rho (blend a Y (attention n d w Y)) <= energy n d rho Y.
Proof.
  intros Had H0 HP Ha. assert (Hw := admissible_nonneg rho w Had). rewrite blend_plus.
  set (T := msub (attention n d w Y) Y).
  assert (H := scaled_step n d rho w a (weight d w Y) Y T (admissible_tangents rho w Had)).
  assert (Hs : forall i k, (i < n)%nat -> sum n (weight d w Y i) * T i k =
    - act n (laplacian n (weight d w Y)) Y i k).
  { intros i k Hi. apply (average_step n d w Y (weight d w Y) i k Hi (fun _ _ _ => eq_refl)).
    assert (Hd := degree_pos n d w Y i Hi Hw H0). unfold degree in Hd. lra. }
  specialize (H Hs).
  assert (Hf : form n d (laplacian n (weight d w Y)) T <=
    sum d (fun k => sum n (fun i => sum n (weight d w Y i) * T i k ^ 2))).
  { rewrite form_columns. apply sum_le. intros k _.
    now apply (laplacian_psd n (weight d w Y) (fun i => T i k)). }
  assert (HD := degree_squares_nonneg n d (weight d w Y) T
    (fun i j => weight_nonneg d w Y i j Hw)).
  change (energy n d rho (madd Y (fun i k => a * T i k)) <= energy n d rho Y).
  set (D := sum d _) in *. set (F := form n d _ T) in *.
  assert (a ^ 2 * F <= a ^ 2 * D) by (apply Rmult_le_compat_l; [apply pow2_ge_0|assumption]).
  assert (0 <= a * (2 - a) * D) by (apply Rmult_le_pos; [nra|assumption]). lra.
Qed.

(* Without the self term: any 0 <= a <= 1 and any rho of the class; a = 1 is opt.no-self-term. *)
Theorem relaxation_no_self_descends n d rho w a Y :
  admissible rho w -> 0 <= a <= 1 ->
  (forall i, (i < n)%nat -> 0 < sum n (off (weight d w Y) i)) ->
  energy n d rho (blend a Y (average n (off (weight d w Y)) Y)) <= energy n d rho Y.
Proof.
  intros Had Ha Hp. assert (Hw := admissible_nonneg rho w Had). rewrite blend_plus.
  set (U := off (weight d w Y)) in *. set (T := msub (average n U Y) Y).
  assert (H := scaled_step n d rho w a U Y T (admissible_tangents rho w Had)).
  assert (HU : forall i j, 0 <= U i j) by (apply off_nonneg; intros; now apply weight_nonneg).
  assert (HUs : symmetric U) by (apply off_sym, weight_sym).
  assert (HUo : forall i j, i <> j -> U i j = weight d w Y i j) by (intros; now apply off_same).
  assert (Hs : forall i k, (i < n)%nat -> sum n (U i) * T i k =
    - act n (laplacian n (weight d w Y)) Y i k).
  { intros i k Hi. apply (average_step n d w Y U i k Hi HUo). specialize (Hp i Hi). lra. }
  specialize (H Hs).
  rewrite (form_laplacian_U n d w Y U HUo T), (form_laplacian_split n d U T) in H.
  assert (HS := form_signless_nonneg n d U HUs HU T).
  assert (HD := degree_squares_nonneg n d U T HU).
  change (energy n d rho (madd Y (fun i k => a * T i k)) <= energy n d rho Y).
  set (D := sum d _) in *. set (S := form n d (signless n U) T) in *.
  assert (0 <= a * (1 - a) * D) by (apply Rmult_le_pos; [nra|assumption]).
  assert (0 <= a ^ 2 * S) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]). lra.
Qed.

Corollary no_self_term_descends n d rho w Y :
  admissible rho w -> (forall i, (i < n)%nat -> 0 < sum n (off (weight d w Y) i)) ->
  energy n d rho (average n (off (weight d w Y)) Y) <= energy n d rho Y.
Proof.
  intros Ha Hp. assert (H := relaxation_no_self_descends n d rho w 1 Y Ha ltac:(lra) Hp).
  rewrite (energy_ext n d rho _ (average n (off (weight d w Y)) Y)) in H
    by (intros; unfold blend; ring). exact H.
Qed.

(* It need not decrease: two rows change places. *)
Theorem two_rows_swap d w Y i k : w (dist d Y 0 1) <> 0 -> (i < 2)%nat ->
  average 2 (off (weight d w Y)) Y i k = Y (1 - i)%nat k.
Proof.
  intros H Hi. unfold average. simpl.
  destruct i as [|[|i]]; [| |lia]; unfold off, weight; simpl; [field; exact H|].
  rewrite (dist_sym d Y 1 0). field. exact H.
Qed.

(* ---- opt.rate ------------------------------------------------------------------------------- *)

Fixpoint iterate (f : matrix -> matrix) t (Y : matrix) : matrix :=
  match t with O => Y | S t => f (iterate f t Y) end.

(* <Delta, (D + W) Delta>/2 >= |Delta|^2 where the diagonal is at least 1. *)
Lemma signless_at_least_square n d W T : symmetric W -> (forall i j, 0 <= W i j) ->
  (forall i, (i < n)%nat -> 1 <= W i i) -> 2 * inner n d T T <= form n d (signless n W) T.
Proof.
  intros Hs HW Hd. rewrite form_columns, inner_columns, <- sum_scale. apply sum_le. intros k _.
  rewrite (signless_pairs n W Hs (fun i => T i k)).
  assert (4 * sum n (fun i => T i k * T i k) <= sum2 n (fun i j => W i j * (T i k + T j k) ^ 2)); [|lra].
  rewrite <- sum_scale. apply sum_le. intros i Hi.
  apply Rle_trans with (W i i * (T i k + T i k) ^ 2).
  - specialize (Hd i Hi). assert (0 <= T i k * T i k) by apply Rle_0_sqr.
    replace (W i i * (T i k + T i k) ^ 2) with (4 * (W i i * (T i k * T i k))) by ring.
    assert (0 <= (W i i - 1) * (T i k * T i k)) by (apply Rmult_le_pos; lra). lra.
  - apply (sum_ge_term n (fun j => W i j * (T i k + T j k) ^ 2)); [|assumption].
    intros. apply Rmult_le_pos; [apply HW|apply pow2_ge_0].
Qed.

Theorem attention_rate n d Y t :
  let f := attention n d gaussian' in
  sum t (fun s => let T := msub (iterate f (S s) Y) (iterate f s Y) in inner n d T T) <=
  energy n d gaussian Y - energy n d gaussian (iterate f t Y).
Proof.
  intros f. induction t as [|t IH]; cbn [sum iterate]; [lra|].
  cbv zeta in IH |- *. cbn [iterate] in IH. set (X := iterate f t Y) in *.
  assert (Hw : forall z, 0 <= z -> 0 <= gaussian' z) by (intros; left; apply exp_pos).
  assert (H := attention_tangents n d gaussian gaussian' X gaussian_tangents Hw (exp_pos _)).
  assert (H1 := signless_at_least_square n d (weight d gaussian' X) (msub (f X) X)
    (weight_sym _ _ _) (fun i j => weight_nonneg d gaussian' X i j Hw)).
  assert (H2 : forall i, (i < n)%nat -> 1 <= weight d gaussian' X i i).
  { intros i _. unfold weight, gaussian'. rewrite dist_self, Ropp_0, exp_0. lra. }
  specialize (H1 H2). fold f in H. lra.
Qed.

(* - n (n - 1)/2 <= E <= 0 for rho = - exp(-z). *)
Lemma energy_bounds n d Y : - (INR n * (INR n - 1) / 2) <= energy n d gaussian Y <= 0.
Proof.
  unfold energy. induction n as [|n [IH1 IH2]]; [simpl; lra|].
  cbn [sum]. rewrite S_INR.
  assert (Hg : forall z, 0 <= z -> -1 <= gaussian z <= 0).
  { intros z Hz. unfold gaussian. assert (H := exp_pos (- z)).
    assert (exp (- z) <= 1); [|lra]. rewrite <- exp_0. destruct (Req_dec z 0) as [->|]; [rewrite Ropp_0; lra|].
    left. apply exp_increasing. lra. }
  assert (INR n * -1 <= sum n (fun j => gaussian (dist d Y n j)) <= INR n * 0); [|lra].
  rewrite <- !sum_const. split; apply sum_le; intros; apply Hg, dist_nonneg.
Qed.

(* opt.rate *)
Corollary rate n d Y t :
  let f := attention n d gaussian' in
  sum t (fun s => let T := msub (iterate f (S s) Y) (iterate f s Y) in inner n d T T) <=
  INR n * (INR n - 1) / 2.
Proof.
  intros f. assert (H := attention_rate n d Y t). cbv zeta in *. fold f in H.
  assert (H1 := energy_bounds n d Y). assert (H2 := energy_bounds n d (iterate f t Y)). lra.
Qed.
