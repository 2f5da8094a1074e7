(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The FFN as a gradient step of E_2, with and without a ReLU; ReLU as a projection. *)

From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From Attest Require Import sums model double.
Open Scope R_scope.

Lemma quad_pairs d S x : quad d S x = sum2 d (fun k l => x k * S k l * x l).
Proof.
  unfold quad, dot, times. rewrite sum2_swap. unfold sum2. apply sum_ext. intros k _.
  rewrite <- sum_scale_r. reflexivity.
Qed.

Lemma times_sym d S x y : symmetric S -> dot d (times d x S) y = dot d (times d y S) x.
Proof.
  intros HS. unfold dot, times.
  rewrite (sum_ext d _ (fun k => sum d (fun l => x l * S l k * y k)))
    by (intros; now rewrite <- sum_scale_r).
  rewrite sum_swap. apply sum_ext. intros k _. rewrite <- sum_scale_r. apply sum_ext. intros l _.
  rewrite (HS k l). ring.
Qed.

Lemma times_add d x y S k : times d (fun l => x l + y l) S k = times d x S k + times d y S k.
Proof. unfold times. rewrite <- sum_add. apply sum_ext. intros. ring. Qed.

Lemma times_scale d a x S k : times d (fun l => a * x l) S k = a * times d x S k.
Proof. unfold times. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.

Lemma quad_add d S x t : symmetric S ->
  quad d S (fun k => x k + t k) = quad d S x + 2 * dot d (times d x S) t + quad d S t.
Proof.
  intros HS. unfold quad.
  assert (H := times_sym d S x t HS). unfold dot in *.
  rewrite (sum_ext d _ (fun k => times d x S k * x k + times d x S k * t k
    + times d t S k * x k + times d t S k * t k)) by (intros; rewrite times_add; ring).
  rewrite !sum_add, <- H. ring.
Qed.

Lemma quad_scale d S a x : quad d S (fun k => a * x k) = a ^ 2 * quad d S x.
Proof.
  unfold quad, dot. rewrite <- sum_scale. apply sum_ext. intros. rewrite times_scale. ring.
Qed.

(* E_2 reads the symmetric part of W_f only. *)
Theorem quad_symmetric_part d W x : quad d (symmetric_part W) x = quad d W x.
Proof.
  rewrite !quad_pairs. unfold symmetric_part.
  rewrite (sum2_ext d _ (fun k l => / 2 * (x k * W k l * x l) + / 2 * (x l * W l k * x k)))
    by (intros; field).
  rewrite sum2_add, !sum2_scale, <- (sum2_swap d (fun k l => x k * W k l * x l)). field.
Qed.

Corollary ffn_energy_symmetric_part n d W B Y :
  ffn_energy n d (symmetric_part W) B Y = ffn_energy n d W B Y.
Proof. apply sum_ext. intros. unfold ffn_row. now rewrite quad_symmetric_part. Qed.

Lemma symmetric_part_sym W : symmetric (symmetric_part W).
Proof. intros i j. unfold symmetric_part. lra. Qed.

(* E_2(y + t) = E_2(y) + <G, t> + (<t, S t> + |t|^2)/2, exactly, a row at a time. *)
Theorem ffn_row_change d S b y t : symmetric S ->
  ffn_row d S b (fun k => y k + t k) = ffn_row d S b y
    + dot d (fun k => times d y S k + y k - b k) t + (quad d S t + dot d t t) / 2.
Proof.
  intros HS. unfold ffn_row. rewrite (quad_add d S y t HS).
  assert (H1 : sum d (fun k => (y k + t k - b k) ^ 2) =
    sum d (fun k => (y k - b k) ^ 2) + 2 * sum d (fun k => (y k - b k) * t k) + dot d t t).
  { unfold dot. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros. ring. }
  assert (H2 : dot d (fun k => times d y S k + y k - b k) t =
    dot d (times d y S) t + sum d (fun k => (y k - b k) * t k)).
  { unfold dot. rewrite <- sum_add. apply sum_ext. intros. ring. }
  rewrite H1, H2. field.
Qed.

Theorem ffn_change n d S B Y T : symmetric S ->
  ffn_energy n d S B (madd Y T) = ffn_energy n d S B Y + inner n d (ffn_gradient d S B Y) T
    + (sum n (fun i => quad d S (T i)) + inner n d T T) / 2.
Proof.
  intros HS. unfold ffn_energy, inner, madd, Rdiv.
  rewrite (sum_ext n _ (fun i => ffn_row d S (B i) (Y i) + dot d (ffn_gradient d S B Y i) (T i)
    + (quad d S (T i) + dot d (T i) (T i)) * / 2))
    by (intros; now rewrite (ffn_row_change d S (B i) (Y i) (T i) HS)).
  now rewrite !sum_add, sum_scale_r, sum_add.
Qed.

(* opt.ffn: the step changes E_2 by - a <G, (1 - a (1 + S)/2) G>, exactly. *)
Theorem ffn_step_change n d S B Y a : symmetric S ->
  let G := ffn_gradient d S B Y in
  ffn_energy n d S B (fun i k => Y i k - a * G i k) - ffn_energy n d S B Y =
  - a * inner n d G (fun i k => G i k - a / 2 * (G i k + times d (G i) S k)).
Proof.
  intros HS G. assert (H := ffn_change n d S B Y (fun i k => - a * G i k) HS). fold G in H.
  assert (E : ffn_energy n d S B (fun i k => Y i k - a * G i k) =
              ffn_energy n d S B (madd Y (fun i k => - a * G i k))).
  { unfold ffn_energy, ffn_row, quad. apply sum_ext. intros i _. do 2 f_equal.
    - apply dot_ext; intros; unfold times, madd; [apply sum_ext; intros|]; ring.
    - apply sum_ext. intros. unfold madd. ring. }
  rewrite E, H. clear E H.
  assert (H1 : inner n d G (fun i k => - a * G i k) = - a * inner n d G G).
  { unfold inner, dot. rewrite <- sum_scale. apply sum_ext. intros. rewrite <- sum_scale.
    apply sum_ext. intros. ring. }
  assert (H2 : inner n d (fun i k => - a * G i k) (fun i k => - a * G i k) = a ^ 2 * inner n d G G).
  { unfold inner, dot. rewrite <- sum_scale. apply sum_ext. intros. rewrite <- sum_scale.
    apply sum_ext. intros. ring. }
  assert (H3 : sum n (fun i => quad d S (fun k => - a * G i k)) = a ^ 2 * sum n (fun i => quad d S (G i))).
  { rewrite <- sum_scale. apply sum_ext. intros. rewrite quad_scale. ring. }
  assert (H4 : inner n d G (fun i k => G i k - a / 2 * (G i k + times d (G i) S k)) =
    inner n d G G - a / 2 * (inner n d G G + sum n (fun i => quad d S (G i)))).
  { unfold inner, quad, dot. rewrite <- sum_add, <- sum_scale, <- sum_sub. apply sum_ext. intros.
    rewrite <- sum_add, <- sum_scale, <- sum_sub. apply sum_ext. intros. ring. }
  change (fun i k => - a * G i k) with (fun i => (fun k => - a * G i k)) in *.
  rewrite H1, H2, H3, H4. field.
Qed.

(* ---- Steps that do at least as well as the gradient's ---------------------------------------- *)

(* A step t with t (a g + t) <= 0 in each coordinate: the gradient step itself, or a ReLU. *)
Definition obeys d a (g t : vec) := forall k, (k < d)%nat -> t k * (a * g k + t k) <= 0.

Lemma gradient_obeys d a g : obeys d a g (fun k => - a * g k).
Proof. intros k _. apply Req_le. ring. Qed.

Lemma relu_coordinate y s : 0 <= y -> let t := relu (y - s) - y in t * (s + t) <= 0.
Proof.
  intros Hy. cbv zeta. unfold relu. destruct (Rle_dec 0 (y - s)).
  - rewrite Rmax_left by lra. nra.
  - rewrite Rmax_right by lra. nra.
Qed.

Lemma relu_obeys d a g y : (forall k, (k < d)%nat -> 0 <= y k) ->
  obeys d a g (fun k => relu (y k - a * g k) - y k).
Proof. intros H k Hk. now apply relu_coordinate, H. Qed.

Lemma obeys_inner d a g t : obeys d a g t -> a * dot d g t + dot d t t <= 0.
Proof.
  intros H. unfold dot. rewrite <- sum_scale, <- sum_add, <- (sum_zero d). apply sum_le.
  intros k Hk. specialize (H k Hk). lra.
Qed.

(* <g, t> + c |t|^2/2 <= 0 for c a <= 2; for a = 0 the step is 0. *)
Lemma obeys_descends d a c g t : 0 <= a -> a * c <= 2 -> obeys d a g t ->
  dot d g t + c * dot d t t / 2 <= 0.
Proof.
  intros Ha Hc H. assert (H1 := obeys_inner d a g t H). assert (H2 := dot_self_nonneg d t).
  destruct (Req_dec a 0) as [->|Hne].
  - assert (H0 : forall k, (k < d)%nat -> t k = 0).
    { intros k Hk. specialize (H k Hk). nra. }
    assert (dot d g t = 0) as ->.
    { unfold dot. rewrite <- (sum_zero d). apply sum_ext. intros. rewrite H0 by assumption. ring. }
    assert (dot d t t = 0) as -> by lra. lra.
  - apply Rmult_le_reg_l with a; [lra|].
    assert (a * c * dot d t t <= 2 * dot d t t) by (apply Rmult_le_compat_r; assumption). lra.
Qed.

Theorem ffn_descends n d S B Y T a lambda :
  symmetric S -> largest_at_most d S lambda -> 0 <= a -> a * (1 + lambda) <= 2 ->
  (forall i, (i < n)%nat -> obeys d a (ffn_gradient d S B Y i) (T i)) ->
  ffn_energy n d S B (madd Y T) <= ffn_energy n d S B Y.
Proof.
  intros HS Hl Ha Hal HT. rewrite ffn_change by assumption.
  assert (H : inner n d (ffn_gradient d S B Y) T + (sum n (fun i => quad d S (T i)) + inner n d T T) / 2 <= 0);
    [|lra].
  unfold inner, Rdiv. rewrite <- sum_add, <- sum_scale_r, <- sum_add, <- (sum_zero n).
  apply sum_le. intros i Hi. assert (H1 := obeys_descends d a (1 + lambda) _ _ Ha Hal (HT i Hi)).
  specialize (Hl (T i)). lra.
Qed.

(* opt.ffn: 0 <= a, a (1 + lambda_max(S)) <= 2 *)
Corollary ffn_step_descends n d S B Y a lambda :
  symmetric S -> largest_at_most d S lambda -> 0 <= a -> a * (1 + lambda) <= 2 ->
  ffn_energy n d S B (fun i k => Y i k - a * ffn_gradient d S B Y i k) <= ffn_energy n d S B Y.
Proof.
  intros HS Hl Ha Hal. assert (H := ffn_step_change n d S B Y a HS). cbv zeta in H.
  set (G := ffn_gradient d S B Y) in *.
  assert (H0 : 0 <= a * inner n d G (fun i k => G i k - a / 2 * (G i k + times d (G i) S k))); [|lra].
  apply Rmult_le_pos; [assumption|]. apply sum_nonneg. intros i _.
  assert (E : dot d (G i) (fun k => G i k - a / 2 * (G i k + times d (G i) S k)) =
              dot d (G i) (G i) - a / 2 * (dot d (G i) (G i) + quad d S (G i))).
  { unfold quad, dot. rewrite <- sum_add, <- sum_scale, <- sum_sub. apply sum_ext. intros. ring. }
  rewrite E. specialize (Hl (G i)). assert (H1 := dot_self_nonneg d (G i)).
  assert (a / 2 * (dot d (G i) (G i) + quad d S (G i)) <= a / 2 * ((1 + lambda) * dot d (G i) (G i)))
    by (apply Rmult_le_compat_l; lra).
  assert (0 <= (2 - a * (1 + lambda)) * dot d (G i) (G i)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* and no further: an eigenvector past that bound rises, here at B = 0. *)
Theorem ffn_step_rises_past d S a lambda v :
  symmetric S -> (forall k, (k < d)%nat -> times d v S k = lambda * v k) -> 0 < dot d v v ->
  0 < a -> 2 < a * (1 + lambda) ->
  ffn_energy 1 d S (fun _ _ => 0) (fun _ => v) <
  ffn_energy 1 d S (fun _ _ => 0) (fun i k => v k - a * ffn_gradient d S (fun _ _ => 0) (fun _ => v) i k).
Proof.
  intros HS Hv Hp Ha Hal.
  assert (H := ffn_step_change 1 d S (fun _ _ => 0) (fun _ => v) a HS). cbv zeta in H.
  set (G := ffn_gradient d S (fun _ _ => 0) (fun _ => v)) in *.
  assert (HG : forall k, (k < d)%nat -> G 0%nat k = (1 + lambda) * v k).
  { intros k Hk. unfold G, ffn_gradient. rewrite Hv by assumption. ring. }
  assert (HGS : forall k, (k < d)%nat -> times d (G 0%nat) S k = (1 + lambda) * (lambda * v k)).
  { intros k Hk. rewrite <- Hv, <- times_scale by assumption. apply sum_ext. intros.
    now rewrite HG. }
  assert (E : inner 1 d G (fun i k => G i k - a / 2 * (G i k + times d (G i) S k)) =
    (1 + lambda) ^ 2 * (1 - a / 2 * (1 + lambda)) * dot d v v).
  { unfold inner. simpl sum. rewrite Rplus_0_l. unfold dot. rewrite <- sum_scale. apply sum_ext.
    intros k Hk. rewrite HGS, HG by assumption. ring. }
  rewrite E in H. assert (Hl : 0 < 1 + lambda) by nra.
  assert (0 < a * ((1 + lambda) ^ 2 * (a / 2 * (1 + lambda) - 1) * dot d v v)); [|lra].
  repeat (apply Rmult_lt_0_compat || apply pow_lt); lra.
Qed.

(* opt.relu: from Y >= 0 *)
Corollary relu_step_descends n d S B Y a lambda :
  symmetric S -> largest_at_most d S lambda -> 0 <= a -> a * (1 + lambda) <= 2 ->
  (forall i k, (i < n)%nat -> (k < d)%nat -> 0 <= Y i k) ->
  ffn_energy n d S B (fun i k => relu (Y i k - a * ffn_gradient d S B Y i k)) <= ffn_energy n d S B Y.
Proof.
  intros HS Hl Ha Hal HY. set (G := ffn_gradient d S B Y).
  set (T := fun i k => relu (Y i k - a * G i k) - Y i k).
  assert (H := ffn_descends n d S B Y T a lambda HS Hl Ha Hal).
  specialize (H ltac:(intros i Hi; apply relu_obeys; auto)).
  replace (ffn_energy n d S B (madd Y T)) with
    (ffn_energy n d S B (fun i k => relu (Y i k - a * G i k))) in H; [exact H|].
  unfold ffn_energy, ffn_row, quad. apply sum_ext. intros i _. do 2 f_equal.
  - apply dot_ext; intros; unfold times, madd, T; [apply sum_ext; intros|]; ring.
  - apply sum_ext. intros. unfold madd, T. ring.
Qed.

(* opt.relu-symmetric: x >= 0 and W = W^T >= - 1 *)
Theorem relu_symmetric d W x :
  symmetric W -> (forall t, - dot d t t <= quad d W t) -> (forall k, (k < d)%nat -> 0 <= x k) ->
  let E x := (dot d x x - quad d W x) / 2 in E (fun k => relu (times d x W k)) <= E x.
Proof.
  intros HW Hp Hx E. set (g := fun k => x k - times d x W k).
  set (t := fun k => relu (x k - 1 * g k) - x k).
  assert (Ht : obeys d 1 g t) by now apply relu_obeys.
  assert (H1 := obeys_inner d 1 g t Ht).
  assert (H2 : E (fun k => relu (times d x W k)) = E (fun k => x k + t k)).
  { assert (He : forall k, relu (times d x W k) = x k + t k).
    { intros k. unfold t, g. rewrite Rplus_comm. unfold Rminus at 1. rewrite Rplus_assoc, Rplus_opp_l, Rplus_0_r.
      f_equal. ring. }
    f_equal. extensionality k. apply He. }
  rewrite H2. unfold E. rewrite quad_add by assumption.
  assert (H3 : dot d (fun k => x k + t k) (fun k => x k + t k) = dot d x x + 2 * dot d x t + dot d t t).
  { unfold dot. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros. ring. }
  assert (H4 : dot d g t = dot d x t - dot d (times d x W) t).
  { unfold dot. rewrite <- sum_sub. apply sum_ext. intros. unfold g. ring. }
  rewrite H3. specialize (Hp t). lra.
Qed.

(* opt.relu-divergence: how far a ReLU moves *)
Theorem relu_divergence d x xi : (forall k, (k < d)%nat -> 0 <= x k) ->
  let t := fun k => relu (x k - xi k) - x k in
  dot d xi xi + sum d (fun k => Rmin (x k ^ 2 - xi k ^ 2) 0) <= dot d t t.
Proof.
  intros Hx t. unfold dot. rewrite <- sum_add. apply sum_le. intros k Hk. specialize (Hx k Hk).
  unfold t, relu, Rmin. destruct (Rle_dec 0 (x k - xi k)) as [H|H].
  - rewrite Rmax_left by lra. destruct (Rle_dec _ 0); nra.
  - rewrite Rmax_right by lra. destruct (Rle_dec _ 0); nra.
Qed.

(* ReLU is the proximal map of the orthant: relu(v) is the point of it nearest to v, the only one. *)
Theorem relu_prox d v x : (forall k, (k < d)%nat -> 0 <= x k) ->
  let r := fun k => relu (v k) in
  sum d (fun k => (r k - v k) ^ 2) + sum d (fun k => (x k - r k) ^ 2) <= sum d (fun k => (x k - v k) ^ 2).
Proof.
  intros Hx r. rewrite <- sum_add. apply sum_le. intros k Hk. specialize (Hx k Hk).
  unfold r, relu. destruct (Rle_dec 0 (v k)).
  - rewrite Rmax_left by lra. nra.
  - rewrite Rmax_right by lra. nra.
Qed.
