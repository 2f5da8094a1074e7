(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* [Y]'s joined statement: attention as a preconditioned half-step, then the FFN, on E_1 + E_2. *)

From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From Attest Require Import sums model double concave descent ffn.
Open Scope R_scope.

(* The preconditioned half-step: N = M^{-1} is symmetric; u = grad h(y), q = grad g(y), p = u - q.
   If h(y + t) <= h(y) + <u, t> + <t, M t>/2 for all t, then
   h(y - N q) <= h(y) - (<u, N u> - <p, N p>)/2. *)
Theorem preconditioned_half_step d (h : vec -> R) (y u q : vec) (M N : matrix) :
  symmetric N -> (forall x k, (k < d)%nat -> times d (times d x N) M k = x k) ->
  (forall t, h (fun k => y k + t k) <= h y + dot d u t + quad d M t / 2) ->
  let p := fun k => u k - q k in
  h (fun k => y k + - times d q N k) <= h y - (quad d N u - quad d N p) / 2.
Proof.
  intros HN HM Hh p. assert (H := Hh (fun k => - times d q N k)). cbv beta in H.
  assert (E1 : dot d u (fun k => - times d q N k) = - dot d (times d q N) u).
  { replace (- dot d (times d q N) u) with (-1 * dot d (times d q N) u) by ring.
    unfold dot. rewrite <- sum_scale. apply sum_ext. intros. ring. }
  assert (E2 : quad d M (fun k => - times d q N k) = quad d N q).
  { replace (fun k => - times d q N k) with (fun k => -1 * times d q N k) by (extensionality k; ring).
    rewrite quad_scale. replace ((-1) ^ 2) with 1 by ring. rewrite Rmult_1_l. unfold quad.
    rewrite (dot_sym d (times d q N) q). apply dot_ext; [intros; now apply HM|reflexivity]. }
  assert (E3 : quad d N p = quad d N u - 2 * dot d (times d q N) u + quad d N q).
  { replace p with (fun k => u k + -1 * q k) by (extensionality k; unfold p; ring).
    rewrite (quad_add d N u (fun k => -1 * q k) HN), quad_scale, (times_sym d N u _ HN).
    assert (E : dot d (times d (fun k => -1 * q k) N) u = -1 * dot d (times d q N) u).
    { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. rewrite times_scale. ring. }
    rewrite E. ring. }
  rewrite E1, E2 in H. lra.
Qed.

(* The same for sequences, with a diagonal M = diag(mu_i) that acts on rows. *)
Definition scaled_square n d (mu : nat -> R) (G : matrix) := sum n (fun i => dot d (G i) (G i) / mu i).

Lemma diagonal_half_step n d (h : matrix -> R) (Y U Q : matrix) mu :
  (forall i, (i < n)%nat -> 0 < mu i) ->
  (forall T, h (madd Y T) <= h Y + inner n d U T + sum n (fun i => mu i * dot d (T i) (T i)) / 2) ->
  h (fun i k => Y i k - Q i k / mu i) <=
  h Y - (scaled_square n d mu U - scaled_square n d mu (msub U Q)) / 2.
Proof.
  intros Hmu Hh. assert (H := Hh (fun i k => - (Q i k / mu i))).
  replace (madd Y (fun i k => - (Q i k / mu i))) with (fun i k => Y i k - Q i k / mu i) in H
    by (extensionality i; extensionality k; unfold madd; ring).
  assert (E : inner n d U (fun i k => - (Q i k / mu i)) + sum n (fun i => mu i *
      dot d (fun k => - (Q i k / mu i)) (fun k => - (Q i k / mu i))) / 2 =
    - ((scaled_square n d mu U - scaled_square n d mu (msub U Q)) / 2)); [|lra].
  assert (Er : forall i, (i < n)%nat -> dot d (U i) (fun k => - (Q i k / mu i))
    + mu i * dot d (fun k => - (Q i k / mu i)) (fun k => - (Q i k / mu i)) * / 2 =
    (dot d (U i) (U i) / mu i - dot d (msub U Q i) (msub U Q i) / mu i) * - / 2).
  { intros i Hi. specialize (Hmu i Hi).
    assert (A1 : dot d (U i) (fun k => - (Q i k / mu i)) = - / mu i * dot d (U i) (Q i)).
    { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. field. lra. }
    assert (A2 : dot d (fun k => - (Q i k / mu i)) (fun k => - (Q i k / mu i)) =
      / mu i ^ 2 * dot d (Q i) (Q i)).
    { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. field. lra. }
    assert (A3 : dot d (msub U Q i) (msub U Q i) =
      dot d (U i) (U i) - 2 * dot d (U i) (Q i) + dot d (Q i) (Q i)).
    { unfold dot. rewrite <- sum_scale, <- sum_sub, <- sum_add. apply sum_ext. intros.
      unfold msub. ring. }
    rewrite A1, A2, A3. field. lra. }
  assert (Es := sum_ext n _ _ Er). rewrite sum_add, !sum_scale_r, sum_sub in Es.
  unfold inner, scaled_square. lra.
Qed.

Section Layer.

Variables (n d : nat) (rho w : R -> R) (S B : matrix) (lambda : R).
Hypothesis class : admissible rho w.
Hypothesis w_kernel : kernel w.
Hypothesis S_sym : symmetric S.
Hypothesis S_top : largest_at_most d S lambda.

Definition joint Y := energy n d rho Y + ffn_energy n d S B Y.
(* grad E_1 = L Y, row i: d_i (y_i - (A Y)_i); grad E_2. *)
Definition attention_gradient (Y : matrix) := act n (laplacian n (weight d w Y)) Y.
Definition joint_gradient Y := madd (attention_gradient Y) (ffn_gradient d S B Y).

Lemma joint_bound Y T mu :
  (forall i, (i < n)%nat -> degree n d w Y i + (1 + lambda) <= mu i) ->
  joint (madd Y T) <= joint Y + inner n d (joint_gradient Y) T
    + sum n (fun i => mu i * dot d (T i) (T i)) / 2.
Proof.
  intros Hmu. unfold joint. set (W := weight d w Y).
  assert (Hm := majorizer n d rho w Y T (admissible_tangents rho w class)). fold W in Hm.
  assert (Hf := ffn_change n d S B Y T S_sym).
  assert (E : inner n d (joint_gradient Y) T =
    inner n d T (act n (laplacian n W) Y) + inner n d (ffn_gradient d S B Y) T).
  { unfold inner. rewrite <- sum_add. apply sum_ext. intros. unfold dot. rewrite <- sum_add.
    apply sum_ext. intros. unfold joint_gradient, madd, attention_gradient. fold W. ring. }
  assert (Hl : form n d (laplacian n W) T <= sum n (fun i => degree n d w Y i * dot d (T i) (T i))).
  { rewrite form_columns. apply Rle_trans with (sum d (fun k => sum n (fun i => sum n (W i) * T i k ^ 2))).
    - apply sum_le. intros k _. apply (laplacian_psd n W (fun i => T i k)), w_kernel.
    - rewrite sum_swap. apply Req_le, sum_ext. intros i _. rewrite dot_square, <- sum_scale. reflexivity. }
  assert (Hs : sum n (fun i => degree n d w Y i * dot d (T i) (T i))
    + (sum n (fun i => quad d S (T i)) + inner n d T T) <= sum n (fun i => mu i * dot d (T i) (T i))).
  { unfold inner. rewrite <- !sum_add. apply sum_le. intros i Hi.
    assert (H1 := S_top (T i)). assert (H2 := dot_self_nonneg d (T i)).
    assert ((degree n d w Y i + (1 + lambda)) * dot d (T i) (T i) <= mu i * dot d (T i) (T i))
      by (apply Rmult_le_compat_r; auto). lra. }
  rewrite E. lra.
Qed.

(* The attention half: y_i - d_i (y_i - (A Y)_i)/mu_i, an attention step with a skip connection;
   the FFN half: y_i - (grad E_2)_i/nu_i. *)
Definition attention_half (mu : nat -> R) Y : matrix := fun i k => Y i k - attention_gradient Y i k / mu i.
Definition ffn_half (nu : nat -> R) Y : matrix := fun i k => Y i k - ffn_gradient d S B Y i k / nu i.

Theorem attention_half_falls mu Y :
  (forall i, (i < n)%nat -> 0 < mu i /\ degree n d w Y i + (1 + lambda) <= mu i) ->
  joint (attention_half mu Y) <= joint Y
    - (scaled_square n d mu (joint_gradient Y) - scaled_square n d mu (ffn_gradient d S B Y)) / 2.
Proof.
  intros Hmu. assert (H := diagonal_half_step n d joint Y (joint_gradient Y) (attention_gradient Y) mu
    (fun i Hi => proj1 (Hmu i Hi)) (fun T => joint_bound Y T mu (fun i Hi => proj2 (Hmu i Hi)))).
  replace (msub (joint_gradient Y) (attention_gradient Y)) with (ffn_gradient d S B Y) in H; [exact H|].
  extensionality i. extensionality k. unfold msub, joint_gradient, madd. ring.
Qed.

Theorem ffn_half_falls nu Y :
  (forall i, (i < n)%nat -> 0 < nu i /\ degree n d w Y i + (1 + lambda) <= nu i) ->
  joint (ffn_half nu Y) <= joint Y
    - (scaled_square n d nu (joint_gradient Y) - scaled_square n d nu (attention_gradient Y)) / 2.
Proof.
  intros Hnu. assert (H := diagonal_half_step n d joint Y (joint_gradient Y) (ffn_gradient d S B Y) nu
    (fun i Hi => proj1 (Hnu i Hi)) (fun T => joint_bound Y T nu (fun i Hi => proj2 (Hnu i Hi)))).
  replace (msub (joint_gradient Y) (ffn_gradient d S B Y)) with (attention_gradient Y) in H; [exact H|].
  extensionality i. extensionality k. unfold msub, joint_gradient, madd. ring.
Qed.

(* The layer descends where, at each half, the part that the half does not step on is no longer than
   the whole gradient, in that half's norm. *)
Theorem joined_layer_descends mu nu Y : let Y1 := attention_half mu Y in
  (forall i, (i < n)%nat -> 0 < mu i /\ degree n d w Y i + (1 + lambda) <= mu i) ->
  (forall i, (i < n)%nat -> 0 < nu i /\ degree n d w Y1 i + (1 + lambda) <= nu i) ->
  scaled_square n d mu (ffn_gradient d S B Y) <= scaled_square n d mu (joint_gradient Y) ->
  scaled_square n d nu (attention_gradient Y1) <= scaled_square n d nu (joint_gradient Y1) ->
  joint (ffn_half nu Y1) <= joint Y.
Proof.
  intros Y1 Hmu Hnu H1 H2. assert (Ha := attention_half_falls mu Y Hmu).
  assert (Hf := ffn_half_falls nu Y1 Hnu). fold Y1 in Ha. lra.
Qed.

End Layer.
