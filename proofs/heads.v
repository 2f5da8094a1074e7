(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* opt.value-matrix, opt.multi-head and opt.parallel-layer, linear or with ReLU: any number of
   heads, rows and columns. *)

From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From Attest Require Import sums model double concave descent ffn.
Open Scope R_scope.

(* <x W, v> = <x, v W^T>. *)
Lemma times_transpose d m W x v : dot m (times d x W) v = dot d x (times m v (transpose W)).
Proof.
  unfold dot, times, transpose.
  rewrite (sum_ext m _ (fun k => sum d (fun l => x l * W l k * v k))) by (intros; now rewrite sum_scale_r).
  rewrite sum_swap. apply sum_ext. intros l _. rewrite <- sum_scale. apply sum_ext. intros. ring.
Qed.

Lemma project_plus d W Y T i k : project d W (madd Y T) i k = madd (project d W Y) (project d W T) i k.
Proof. apply times_add. Qed.

(* E(Y W) falls along the pull of a head, up to the curvature d_i omega. *)
Theorem head_bound n d m rho w W Y T omega :
  below_tangents rho w -> (forall z, 0 <= z -> 0 <= w z) -> 0 < w 0 -> kernel w ->
  norm_at_most d m W omega ->
  energy n m rho (project d W (madd Y T)) <= energy n m rho (project d W Y)
    + inner n d (head_pull n d m w W Y) T
    + sum n (fun i => degree n m w (project d W Y) i * omega * dot d (T i) (T i)) / 2.
Proof.
  intros Ht Hw H0 HK Ho. set (V := project d W Y). set (P := project d W T).
  set (U := weight m w V).
  rewrite (energy_ext n m rho _ (madd V P)) by (intros; apply project_plus).
  assert (Hm := majorizer n m rho w V P Ht). fold U in Hm.
  assert (H1 : inner n m P (act n (laplacian n U) V) = inner n d (head_pull n d m w W Y) T).
  { apply sum_ext. intros i Hi.
    rewrite (dot_sym d). unfold head_pull. fold V. fold U. rewrite <- times_transpose.
    apply dot_ext; [reflexivity|]. intros k _.
    assert (Hd := degree_pos n m w V i Hi Hw H0).
    assert (Hs := average_step n m w V U i k Hi (fun _ _ _ => eq_refl)).
    unfold degree in *. fold U in Hs, Hd |- *. specialize (Hs ltac:(lra)).
    replace (act n (laplacian n U) V i k) with (sum n (U i) * (V i k - average n U V i k)) by lra.
    rewrite times_scale. f_equal. unfold V at 1, project, times at 1 2.
    assert (Ha : average n U V i k = sum d (fun l => average n U Y i l * W l k)).
    { unfold average, Rdiv, V, project, times.
      rewrite (sum_ext d _ (fun l => sum n (fun j => U i j * (Y j l * W l k)) * / sum n (U i))).
      - rewrite sum_scale_r, sum_swap. f_equal. apply sum_ext. intros. now rewrite <- sum_scale.
      - intros l _. rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc, <- sum_scale_r.
        f_equal. apply sum_ext. intros. ring. }
    rewrite Ha, <- sum_sub. apply sum_ext. intros. ring. }
  assert (H2 : form n m (laplacian n U) P <=
    sum n (fun i => degree n m w V i * omega * dot d (T i) (T i))).
  { apply Rle_trans with (sum n (fun i => degree n m w V i * dot m (P i) (P i))).
    - rewrite form_columns. apply Rle_trans with
        (sum m (fun k => sum n (fun i => sum n (U i) * P i k ^ 2))).
      + apply sum_le. intros k _. apply (laplacian_psd n U (fun i => P i k)), HK.
      + rewrite sum_swap. apply Req_le, sum_ext. intros i _. rewrite dot_square, <- sum_scale.
        reflexivity.
    - apply sum_le. intros i _. rewrite Rmult_assoc. apply Rmult_le_compat_l; [|apply Ho].
      apply sum_nonneg. intros. now apply weight_nonneg. }
  rewrite H1 in Hm. lra.
Qed.

Section Layer.

Variables (n d H : nat) (m : nat -> nat) (rho w : R -> R) (W : nat -> matrix) (omega : nat -> R).
Hypothesis class : admissible rho w.
Hypothesis w_pos : 0 < w 0.
Hypothesis w_kernel : kernel w.
Hypothesis W_norm : forall h, norm_at_most d (m h) (W h) (omega h).

Definition heads_energy Y := sum H (fun h => energy n (m h) rho (project d (W h) Y)).
Definition heads_pull (Y : matrix) : matrix := fun i k =>
  sum H (fun h => head_pull n d (m h) w (W h) Y i k).
Definition heads_curvature Y i :=
  sum H (fun h => degree n (m h) w (project d (W h) Y) i * omega h).

Lemma heads_bound Y T : heads_energy (madd Y T) <= heads_energy Y + inner n d (heads_pull Y) T
  + sum n (fun i => heads_curvature Y i * dot d (T i) (T i)) / 2.
Proof.
  unfold heads_energy.
  assert (E1 : inner n d (heads_pull Y) T =
    sum H (fun h => inner n d (head_pull n d (m h) w (W h) Y) T)).
  { unfold inner. rewrite sum_swap. apply sum_ext. intros i _. unfold dot. rewrite sum_swap.
    apply sum_ext. intros k _. unfold heads_pull. now rewrite sum_scale_r. }
  assert (E2 : sum n (fun i => heads_curvature Y i * dot d (T i) (T i)) = sum H (fun h =>
    sum n (fun i => degree n (m h) w (project d (W h) Y) i * omega h * dot d (T i) (T i)))).
  { rewrite sum_swap. apply sum_ext. intros i _. unfold heads_curvature. now rewrite sum_scale_r. }
  rewrite E1, E2. unfold Rdiv. rewrite <- sum_scale_r, <- !sum_add. apply sum_le. intros h _.
  apply (head_bound n d (m h) rho w (W h) Y T (omega h)); try assumption; try apply W_norm.
  - now apply admissible_tangents.
  - now apply (admissible_nonneg rho).
Qed.

(* opt.multi-head *)
Theorem multi_head_descends Y theta :
  (forall i, (i < n)%nat -> 0 <= theta i /\ theta i * heads_curvature Y i <= 2) ->
  heads_energy (fun i k => Y i k - theta i * heads_pull Y i k) <= heads_energy Y.
Proof.
  intros Ht. set (T := fun i k => - theta i * heads_pull Y i k).
  assert (Hb := heads_bound Y T).
  replace (madd Y T) with (fun i k => Y i k - theta i * heads_pull Y i k) in Hb
    by (extensionality i; extensionality k; unfold madd, T; ring).
  assert (Hr : inner n d (heads_pull Y) T
    + sum n (fun i => heads_curvature Y i * dot d (T i) (T i)) / 2 <= 0); [|lra].
  unfold inner, Rdiv. rewrite <- sum_scale_r, <- sum_add, <- (sum_zero n). apply sum_le.
  intros i Hi. destruct (Ht i Hi) as [Hp Hc].
  apply (obeys_descends d (theta i) (heads_curvature Y i) _ (T i) Hp Hc), gradient_obeys.
Qed.

(* opt.parallel-layer: the heads and the FFN in one step; T is the gradient's or a ReLU's. *)
Variables (S B : matrix) (lambda : R).
Hypothesis S_sym : symmetric S.
Hypothesis S_top : largest_at_most d S lambda.

Definition layer_energy Y := heads_energy Y + ffn_energy n d S B Y.
Definition layer_gradient Y : matrix := fun i k => heads_pull Y i k + ffn_gradient d S B Y i k.

Lemma layer_bound Y T : layer_energy (madd Y T) <= layer_energy Y + inner n d (layer_gradient Y) T
  + sum n (fun i => (heads_curvature Y i + (1 + lambda)) * dot d (T i) (T i)) / 2.
Proof.
  unfold layer_energy. assert (Hh := heads_bound Y T).
  assert (Hf := ffn_change n d S B Y T S_sym).
  assert (E1 : inner n d (layer_gradient Y) T =
    inner n d (heads_pull Y) T + inner n d (ffn_gradient d S B Y) T).
  { unfold inner. rewrite <- sum_add. apply sum_ext. intros. unfold dot. rewrite <- sum_add.
    apply sum_ext. intros. unfold layer_gradient. ring. }
  assert (E2 : sum n (fun i => (heads_curvature Y i + (1 + lambda)) * dot d (T i) (T i)) =
    sum n (fun i => heads_curvature Y i * dot d (T i) (T i)) + (1 + lambda) * inner n d T T).
  { unfold inner. rewrite <- sum_scale, <- sum_add. apply sum_ext. intros. ring. }
  assert (Hq : sum n (fun i => quad d S (T i)) <= lambda * inner n d T T).
  { unfold inner. rewrite <- sum_scale. apply sum_le. intros. apply S_top. }
  rewrite E1, E2. lra.
Qed.

Theorem layer_descends Y T theta :
  (forall i, (i < n)%nat -> 0 <= theta i /\ theta i * (heads_curvature Y i + (1 + lambda)) <= 2) ->
  (forall i, (i < n)%nat -> obeys d (theta i) (layer_gradient Y i) (T i)) ->
  layer_energy (madd Y T) <= layer_energy Y.
Proof.
  intros Ht HT. assert (Hb := layer_bound Y T).
  assert (Hr : inner n d (layer_gradient Y) T
    + sum n (fun i => (heads_curvature Y i + (1 + lambda)) * dot d (T i) (T i)) / 2 <= 0); [|lra].
  unfold inner, Rdiv. rewrite <- sum_scale_r, <- sum_add, <- (sum_zero n). apply sum_le.
  intros i Hi. destruct (Ht i Hi) as [Hp Hc].
  apply (obeys_descends d (theta i) _ _ (T i) Hp Hc). now apply HT.
Qed.

Corollary parallel_layer_descends Y theta :
  (forall i, (i < n)%nat -> 0 <= theta i /\ theta i * (heads_curvature Y i + (1 + lambda)) <= 2) ->
  layer_energy (fun i k => Y i k - theta i * layer_gradient Y i k) <= layer_energy Y.
Proof.
  intros Ht. set (T := fun i k => - theta i * layer_gradient Y i k).
  replace (fun i k => Y i k - theta i * layer_gradient Y i k) with (madd Y T)
    by (extensionality i; extensionality k; unfold madd, T; ring).
  apply (layer_descends Y T theta Ht). intros i _. apply gradient_obeys.
Qed.

Corollary parallel_relu_descends Y theta :
  (forall i, (i < n)%nat -> 0 <= theta i /\ theta i * (heads_curvature Y i + (1 + lambda)) <= 2) ->
  (forall i k, (i < n)%nat -> (k < d)%nat -> 0 <= Y i k) ->
  layer_energy (fun i k => relu (Y i k - theta i * layer_gradient Y i k)) <= layer_energy Y.
Proof.
  intros Ht HY. set (T := fun i k => relu (Y i k - theta i * layer_gradient Y i k) - Y i k).
  replace (fun i k => relu (Y i k - theta i * layer_gradient Y i k)) with (madd Y T)
    by (extensionality i; extensionality k; unfold madd, T; ring).
  apply (layer_descends Y T theta Ht). intros i Hi. apply relu_obeys. auto.
Qed.

End Layer.

(* opt.value-matrix: Y - a (Y - A Y) W W^T, 0 <= a, a |W|^2 <= 2 *)
Corollary value_matrix_descends n d m rho w W omega a Y :
  admissible rho w -> 0 < w 0 -> kernel w -> norm_at_most d m W omega ->
  0 <= a -> a * omega <= 2 ->
  let V := project d W Y in
  let step : matrix := fun i k => Y i k -
    a * times m (times d (fun l => Y i l - average n (weight m w V) Y i l) W) (transpose W) k in
  energy n m rho (project d W step) <= energy n m rho V.
Proof.
  intros Hc H0 HK Ho Ha Hao V step. assert (Hw := admissible_nonneg rho w Hc).
  set (theta := fun i => a / degree n m w V i).
  assert (Hd : forall i, (i < n)%nat -> 0 < degree n m w V i)
    by (intros; now apply degree_pos).
  assert (H := multi_head_descends n d 1 (fun _ => m) rho w (fun _ => W) (fun _ => omega)
    Hc H0 HK (fun _ => Ho) Y theta).
  unfold heads_energy, heads_curvature, heads_pull in H. simpl sum in H. rewrite !Rplus_0_l in H.
  rewrite (energy_ext n m rho (project d W step) (project d W (fun i k => Y i k -
    theta i * sum 1 (fun _ => head_pull n d m w W Y i k)))).
  - apply H. intros i Hi. specialize (Hd i Hi). rewrite !Rplus_0_l. fold V. unfold theta. split.
    + apply Rmult_le_pos; [assumption|left; now apply Rinv_0_lt_compat].
    + replace (a / degree n m w V i * (degree n m w V i * omega)) with (a * omega) by (field; lra).
      assumption.
  - intros i k Hi _. apply sum_ext. intros l _. f_equal. unfold step. simpl sum. rewrite Rplus_0_l.
    unfold head_pull, theta. fold V. specialize (Hd i Hi). f_equal.
    rewrite <- times_scale. rewrite <- times_scale. apply sum_ext. intros e _. f_equal.
    rewrite <- !times_scale. apply sum_ext. intros u _. field. lra.
Qed.
