(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Double sums and quadratic forms of symmetric weights: what the energy theorems compute with. *)

From Coq Require Import Reals Lra Lia Psatz.
From Attest Require Import sums model.
Open Scope R_scope.

Lemma sum2_ext n f g :
  (forall i j, (i < n)%nat -> (j < n)%nat -> f i j = g i j) -> sum2 n f = sum2 n g.
Proof. intros H. apply sum_ext. intros. apply sum_ext. auto. Qed.

Lemma sum2_le n f g :
  (forall i j, (i < n)%nat -> (j < n)%nat -> f i j <= g i j) -> sum2 n f <= sum2 n g.
Proof. intros H. apply sum_le. intros. apply sum_le. auto. Qed.

Lemma sum2_nonneg n f : (forall i j, (i < n)%nat -> (j < n)%nat -> 0 <= f i j) -> 0 <= sum2 n f.
Proof. intros H. apply sum_nonneg. intros. apply sum_nonneg. auto. Qed.

Lemma sum2_add n f g : sum2 n (fun i j => f i j + g i j) = sum2 n f + sum2 n g.
Proof. unfold sum2. rewrite <- sum_add. apply sum_ext. intros. apply sum_add. Qed.

Lemma sum2_scale n c f : sum2 n (fun i j => c * f i j) = c * sum2 n f.
Proof. unfold sum2. rewrite <- sum_scale. apply sum_ext. intros. apply sum_scale. Qed.

Lemma sum2_swap n f : sum2 n f = sum2 n (fun i j => f j i).
Proof. apply sum_swap. Qed.

(* A sum over columns goes inside. *)
Lemma sum2_columns n d f :
  sum d (fun k => sum2 n (f k)) = sum2 n (fun i j => sum d (fun k => f k i j)).
Proof.
  unfold sum2. rewrite (sum_swap d n). apply sum_ext. intros. now rewrite (sum_swap d n).
Qed.

(* ---- Rows and matrices ---------------------------------------------------------------------- *)

Lemma dot_self_nonneg d x : 0 <= dot d x x.
Proof. apply sum_nonneg. intros i _. assert (H := pow2_ge_0 (x i)). lra. Qed.

Lemma dot_square d x : dot d x x = sum d (fun k => x k ^ 2).
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_sym d x y : dot d x y = dot d y x.
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_ext d x y x' y' : (forall k, (k < d)%nat -> x k = x' k) ->
  (forall k, (k < d)%nat -> y k = y' k) -> dot d x y = dot d x' y'.
Proof. intros H H'. apply sum_ext. intros. now rewrite H, H'. Qed.

(* a x + b y in the first place. *)
Lemma dot_linear d a b x y z :
  dot d (fun k => a * x k + b * y k) z = a * dot d x z + b * dot d y z.
Proof. unfold dot. rewrite <- !sum_scale, <- sum_add. apply sum_ext. intros. ring. Qed.

Lemma dot_combine d a b x y : dot d (fun k => a * x k + b * y k) (fun k => a * x k + b * y k) =
  a ^ 2 * dot d x x + 2 * a * b * dot d x y + b ^ 2 * dot d y y.
Proof.
  unfold dot. rewrite <- !sum_scale, <- !sum_add. apply sum_ext. intros. ring.
Qed.

Lemma cauchy d x y : dot d x y ^ 2 <= dot d x x * dot d y y.
Proof.
  assert (Hx := dot_self_nonneg d x). assert (Hy := dot_self_nonneg d y).
  destruct (Req_dec (dot d y y) 0) as [H0|H0].
  - assert (Hz : dot d x y = 0).
    { unfold dot. rewrite <- (sum_zero d). apply sum_ext. intros k Hk.
      assert (Hk2 : y k * y k <= 0).
      { rewrite <- H0. apply (sum_ge_term d (fun k => y k * y k)); [|assumption].
        intros j _. assert (Hq := pow2_ge_0 (y j)). lra. }
      assert (y k = 0) as -> by nra. ring. }
    rewrite Hz, H0. lra.
  - assert (H := dot_self_nonneg d (fun k => dot d y y * x k + - dot d x y * y k)).
    rewrite dot_combine in H.
    apply Rmult_le_reg_l with (dot d y y); [lra|].
    replace (dot d y y * (dot d x x * dot d y y)) with
      (dot d y y ^ 2 * dot d x x) by ring. nra.
Qed.

Lemma inner_nonneg n d T : 0 <= inner n d T T.
Proof. apply sum_nonneg. intros. apply dot_self_nonneg. Qed.

Lemma inner_columns n d X Y : inner n d X Y = sum d (fun k => sum n (fun i => X i k * Y i k)).
Proof. apply sum_swap. Qed.

(* ---- L = D - W, a column at a time ---------------------------------------------------------- *)

Lemma diagonal_act n u x i : (i < n)%nat -> sum n (fun j => diagonal u i j * x j) = u i * x i.
Proof.
  intros Hi. rewrite <- (sum_delta n (fun j => u i * x j) i Hi). apply sum_ext. intros j _.
  unfold diagonal. rewrite Nat.eqb_sym. destruct (Nat.eqb_spec j i) as [->|]; ring.
Qed.

Lemma laplacian_act n W x i : (i < n)%nat ->
  sum n (fun j => laplacian n W i j * x j) = sum n (W i) * x i - sum n (fun j => W i j * x j).
Proof.
  intros Hi. rewrite <- (diagonal_act n (fun i => sum n (W i)) x i Hi), <- sum_sub.
  apply sum_ext. intros. unfold laplacian. ring.
Qed.

Lemma signless_act n W x i : (i < n)%nat ->
  sum n (fun j => signless n W i j * x j) = sum n (W i) * x i + sum n (fun j => W i j * x j).
Proof.
  intros Hi. rewrite <- (diagonal_act n (fun i => sum n (W i)) x i Hi), <- sum_add.
  apply sum_ext. intros. unfold signless. ring.
Qed.

(* L reads no diagonal. *)
Lemma laplacian_off n W U x i : (i < n)%nat -> (forall j, i <> j -> U i j = W i j) ->
  sum n (fun j => laplacian n U i j * x j) = sum n (fun j => laplacian n W i j * x j).
Proof.
  intros Hi H. rewrite !laplacian_act by assumption. rewrite <- !sum_scale_r, <- !sum_sub.
  apply sum_ext. intros j _. destruct (Nat.eq_dec i j) as [<-|Hne]; [ring|now rewrite (H j Hne)].
Qed.

Section Column.

Variables (n : nat) (W : matrix).
Hypothesis W_sym : symmetric W.

Lemma sum2_degree u : sum2 n (fun i j => W i j * u i) = sum n (fun i => sum n (W i) * u i).
Proof. apply sum_ext. intros. apply sum_scale_r. Qed.

Lemma sum2_degree_r u : sum2 n (fun i j => W i j * u j) = sum n (fun i => sum n (W i) * u i).
Proof. rewrite sum2_swap, <- sum2_degree. apply sum2_ext. intros. now rewrite (W_sym j i). Qed.

(* <t, L x> over pairs. *)
Lemma laplacian_pairs x t : sum2 n (fun i j => W i j * ((x i - x j) * (t i - t j))) =
  2 * sum n (fun i => t i * sum n (fun j => laplacian n W i j * x j)).
Proof.
  assert (H : sum n (fun i => t i * sum n (fun j => laplacian n W i j * x j)) =
              sum2 n (fun i j => W i j * ((x i - x j) * t i))).
  { apply sum_ext. intros i Hi. rewrite laplacian_act by assumption.
    rewrite <- sum_scale_r, <- sum_sub, <- sum_scale. apply sum_ext. intros. ring. }
  rewrite H. rewrite (sum2_ext n _ (fun i j => W i j * ((x i - x j) * t i) + W j i * ((x j - x i) * t j)))
    by (intros; rewrite (W_sym j i); ring).
  rewrite sum2_add, <- (sum2_swap n (fun i j => W i j * ((x i - x j) * t i))). ring.
Qed.

(* <t, (D + W) t> = sum_ij w_ij (t_i + t_j)^2 / 2. *)
Lemma signless_pairs t : sum n (fun i => t i * sum n (fun j => signless n W i j * t j)) =
  sum2 n (fun i j => W i j * (t i + t j) ^ 2) / 2.
Proof.
  rewrite (sum2_ext n _ (fun i j => (W i j * t i ^ 2 + W i j * t j ^ 2) + 2 * (W i j * (t i * t j))))
    by (intros; ring).
  rewrite !sum2_add, sum2_scale, (sum2_degree (fun i => t i ^ 2)), (sum2_degree_r (fun i => t i ^ 2)).
  assert (H : sum2 n (fun i j => W i j * (t i * t j)) =
              sum n (fun i => t i * sum n (fun j => W i j * t j))).
  { apply sum_ext. intros. rewrite <- sum_scale. apply sum_ext. intros. ring. }
  rewrite H. rewrite (sum_ext n _ (fun i => sum n (W i) * t i ^ 2 + t i * sum n (fun j => W i j * t j)))
    by (intros; rewrite signless_act by assumption; ring).
  rewrite sum_add. field.
Qed.

(* <t, L t> = 2 <t, D t> - <t, (D + W) t>. *)
Lemma laplacian_signless t : sum n (fun i => t i * sum n (fun j => laplacian n W i j * t j)) =
  2 * sum n (fun i => sum n (W i) * t i ^ 2)
  - sum n (fun i => t i * sum n (fun j => signless n W i j * t j)).
Proof.
  rewrite <- sum_scale, <- sum_sub. apply sum_ext. intros i Hi.
  rewrite laplacian_act, signless_act by assumption. ring.
Qed.

Lemma signless_nonneg t : (forall i j, 0 <= W i j) ->
  0 <= sum n (fun i => t i * sum n (fun j => signless n W i j * t j)).
Proof.
  intros HW. rewrite signless_pairs.
  assert (0 <= sum2 n (fun i j => W i j * (t i + t j) ^ 2)); [|lra].
  apply sum2_nonneg. intros. apply Rmult_le_pos; [apply HW|apply pow2_ge_0].
Qed.

(* Where W is positive semidefinite, L <= D. *)
Lemma laplacian_psd t : psd n W ->
  sum n (fun i => t i * sum n (fun j => laplacian n W i j * t j)) <=
  sum n (fun i => sum n (W i) * t i ^ 2).
Proof.
  intros HP. specialize (HP t).
  rewrite (sum_ext n _ (fun i => sum n (W i) * t i ^ 2 - t i * sum n (fun j => W i j * t j)))
    by (intros; rewrite laplacian_act by assumption; ring).
  rewrite sum_sub.
  assert (sum2 n (fun i j => t i * t j * W i j) = sum n (fun i => t i * sum n (fun j => W i j * t j))); [|lra].
  apply sum_ext. intros. rewrite <- sum_scale. apply sum_ext. intros. ring.
Qed.

End Column.

Lemma form_columns n d M Y :
  form n d M Y = sum d (fun k => sum n (fun i => Y i k * sum n (fun j => M i j * Y j k))).
Proof. apply inner_columns. Qed.
