(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* opt.sphere-softmax: on rows of equal norm plain softmax is the attention step, and with any skip
   connection and RMSNorm it descends E. *)

From Coq Require Import Reals Lra Lia Psatz.
From Attest Require Import sums model double concave descent kernels.
Open Scope R_scope.

(* RMSNorm to the norm r; no row may be 0. *)
Definition normalise d r (v : vec) : vec := fun k => r * v k / sqrt (dot d v v).

Definition softmax_rows n d (Y : matrix) : matrix := fun i k =>
  sum n (fun j => softmax n (everything i) (fun j => dot d (Y i) (Y j)) j * Y j k).

Definition skip_normalise n d r (eta : nat -> R) (Y : matrix) : matrix := fun i =>
  normalise d r (fun k => eta i * Y i k + softmax_rows n d Y i k).

(* Plain softmax is A Y on rows of equal norm. *)
Lemma softmax_is_attention n d c Y i k : (i < n)%nat ->
  (forall j, (j < n)%nat -> dot d (Y j) (Y j) = c) ->
  softmax_rows n d Y i k = attention n d gaussian' Y i k.
Proof.
  intros Hi Hc. unfold softmax_rows, attention, degree, softmax, everything, shown.
  assert (Hw : forall j, (j < n)%nat -> weight d gaussian' Y i j = exp (- c) * exp (dot d (Y i) (Y j))).
  { intros j Hj. unfold weight, gaussian'. rewrite <- exp_plus, dist_dot, !Hc by assumption. f_equal. field. }
  rewrite (sum_ext n (weight d gaussian' Y i) (fun j => exp (- c) * exp (dot d (Y i) (Y j)))) by assumption.
  rewrite (sum_ext n (fun j => weight d gaussian' Y i j * Y j k)
    (fun j => exp (- c) * (exp (dot d (Y i) (Y j)) * Y j k))) by (intros; rewrite Hw by assumption; ring).
  rewrite !sum_scale. set (Z := sum n (fun j => exp (dot d (Y i) (Y j)))).
  assert (HZ : 0 < Z) by (apply (sum_pos n _ i); [intros; left; apply exp_pos|assumption|apply exp_pos]).
  assert (He := exp_pos (- c)).
  rewrite (sum_ext n (fun j => _ / Z * Y j k) (fun j => exp (dot d (Y i) (Y j)) * Y j k * / Z))
    by (intros; unfold Rdiv; ring).
  rewrite sum_scale_r. field. lra.
Qed.

(* The normalised row has the norm r and is the point of the sphere farthest along v. *)
Lemma normalise_norm d r v : 0 < dot d v v -> dot d (normalise d r v) (normalise d r v) = r ^ 2.
Proof.
  intros Hv. assert (Hs := sqrt_lt_R0 _ Hv). assert (Hss := sqrt_sqrt _ (Rlt_le _ _ Hv)).
  set (s := sqrt (dot d v v)) in *. change (normalise d r v) with (fun k => r * v k / s).
  assert (E : dot d (fun k => r * v k / s) (fun k => r * v k / s) = (r / s) ^ 2 * dot d v v).
  { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. field. lra. }
  rewrite E, <- Hss. field. lra.
Qed.

Lemma normalise_farthest d r v y : 0 <= r -> 0 < dot d v v -> dot d y y = r ^ 2 ->
  dot d y v <= dot d (normalise d r v) v.
Proof.
  intros Hr Hv Hy. assert (Hs := sqrt_lt_R0 _ Hv). assert (Hss := sqrt_sqrt _ (Rlt_le _ _ Hv)).
  set (s := sqrt (dot d v v)) in *.
  change (normalise d r v) with (fun k => r * v k / s).
  assert (E : dot d (fun k => r * v k / s) v = r / s * dot d v v).
  { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. field. lra. }
  rewrite E, <- Hss. replace (r / s * (s * s)) with (r * s) by (field; lra).
  assert (H := cauchy d y v). rewrite Hy, <- Hss in H.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr. lra.
Qed.

Theorem sphere_softmax_descends n d r eta Y : 0 <= r ->
  (forall i, (i < n)%nat -> dot d (Y i) (Y i) = r ^ 2) -> (forall i, (i < n)%nat -> 0 <= eta i) ->
  (forall i, (i < n)%nat -> let v := fun k => eta i * Y i k + softmax_rows n d Y i k in 0 < dot d v v) ->
  energy n d gaussian (skip_normalise n d r eta Y) <= energy n d gaussian Y.
Proof.
  intros Hr HY Heta Hv. set (Z := skip_normalise n d r eta Y). set (T := msub Z Y).
  set (W := weight d gaussian' Y).
  assert (Hw : forall z, 0 <= z -> 0 <= gaussian' z) by (intros; left; apply exp_pos).
  assert (Hm := majorizer n d gaussian gaussian' Y T gaussian_tangents). fold W in Hm.
  rewrite (energy_ext n d gaussian (madd Y T) Z) in Hm by (intros; unfold madd, T, msub; ring).
  (* <T, L T> <= <T, D T> *)
  assert (H2 : form n d (laplacian n W) T <= sum n (fun i => sum n (W i) * dot d (T i) (T i))).
  { rewrite form_columns. apply Rle_trans with (sum d (fun k => sum n (fun i => sum n (W i) * T i k ^ 2))).
    - apply sum_le. intros k _. apply (laplacian_psd n W (fun i => T i k)), kernel_gaussian.
    - rewrite sum_swap. apply Req_le, sum_ext. intros i _. now rewrite dot_square, <- sum_scale. }
  (* row by row: d_i (<t, y - a> + |t|^2/2) <= 0 *)
  assert (H1 : inner n d T (act n (laplacian n W) Y) + sum n (fun i => sum n (W i) * dot d (T i) (T i)) / 2 <= 0);
    [|lra].
  unfold inner, Rdiv. rewrite <- sum_scale_r, <- sum_add, <- (sum_zero n). apply sum_le. intros i Hi.
  assert (Hd := degree_pos n d gaussian' Y i Hi Hw (exp_pos _)). unfold degree in Hd. fold W in Hd.
  set (a := attention n d gaussian' Y i).
  set (v := fun k => eta i * Y i k + softmax_rows n d Y i k).
  assert (Hvi := Hv i Hi). cbv zeta in Hvi. fold v in Hvi.
  assert (Hfar := normalise_farthest d r v (Y i) Hr Hvi (HY i Hi)).
  assert (Hn := normalise_norm d r v Hvi).
  change (normalise d r v) with (Z i) in Hfar, Hn.
  assert (Ea : dot d (T i) (act n (laplacian n W) Y i) = sum n (W i) * (dot d (T i) (Y i) - dot d (T i) a)).
  { unfold dot. rewrite <- sum_sub, <- sum_scale. apply sum_ext. intros k _.
    assert (Hs := average_step n d gaussian' Y W i k Hi (fun _ _ _ => eq_refl)). fold W in Hs.
    specialize (Hs ltac:(lra)). change (average n W Y i k) with (a k) in Hs.
    replace (act n (laplacian n W) Y i k) with (sum n (W i) * (Y i k - a k)) by lra. ring. }
  assert (Ez : dot d (Z i) (Z i) = dot d (Y i) (Y i) + 2 * dot d (T i) (Y i) + dot d (T i) (T i)).
  { unfold dot. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros. unfold T, msub. ring. }
  assert (Ev : dot d (Z i) v - dot d (Y i) v = eta i * dot d (T i) (Y i) + dot d (T i) a).
  { unfold dot. rewrite <- sum_sub, <- sum_scale, <- sum_add. apply sum_ext. intros k _.
    unfold v. rewrite (softmax_is_attention n d (r ^ 2) Y i k Hi HY). fold a. unfold T, msub.
    change (attention n d gaussian' Y i k) with (a k). ring. }
  rewrite Hn, (HY i Hi) in Ez. assert (Htt := dot_self_nonneg d (T i)).
  assert (Hta : 0 <= dot d (T i) a).
  { assert (0 <= eta i * dot d (T i) (T i)) by (apply Rmult_le_pos; [now apply Heta|assumption]).
    replace (dot d (T i) (Y i)) with (- / 2 * dot d (T i) (T i)) in Ev by lra. lra. }
  rewrite Ea. replace (dot d (T i) (Y i)) with (- / 2 * dot d (T i) (T i)) by lra.
  assert (0 <= sum n (W i) * dot d (T i) a) by (apply Rmult_le_pos; lra). lra.
Qed.
