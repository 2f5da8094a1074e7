(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The definitions that all theorems of this folder are about, each beside the formula of the C
   engine that it stands for.  Coq's kernel checks proofs and not definitions: read these, and see
   instances.v, where the same definitions give the exact engine's values of small networks. *)

From Coq Require Import Reals List ZArith.
From Attest Require Import sums.
Import ListNotations.
Open Scope R_scope.

(* ---- Rows, sequences, matrices -------------------------------------------------------------- *)

(* A row of the residual stream; coordinate k of d.  Widths are arguments of the sums below. *)
Definition vec := nat -> R.

(* A sequence: row i of n, counted from 0 (the papers and the engine's messages count from 1). *)
Definition seq := nat -> vec.

Definition matrix := nat -> nat -> R.

(* The matrix with these rows, zeros beyond: for weights and sequences written out. *)
Definition rows (l : list (list R)) : matrix := fun i k => nth k (nth i l []) 0.

(* <x, y>, and x W for a row x.  Engine: at_fmat_mul_fmpq_mat. *)
Definition dot d (x y : vec) := sum d (fun k => x k * y k).
Definition times d (x : vec) (W : matrix) : vec := fun k => sum d (fun l => x l * W l k).

(* ---- Softmax -------------------------------------------------------------------------------- *)

(* A term that the mask hides is 0. *)
Definition shown (m : bool) (e : R) : R := if m then e else 0.

(* a_j = [m_j] e^{s_j} / sum_l [m_l] e^{s_l}.  Engine: the fields' `attend`.  A row that sees
   nothing has the denominator 0, and weights 0 here as there. *)
Definition softmax n (m : nat -> bool) (s : nat -> R) (j : nat) : R :=
  shown (m j) (exp (s j)) / sum n (fun l => shown (m l) (exp (s l))).

(* Masks, as in enum at_mask. *)
Definition everything (i j : nat) := true.
Definition causal (i j : nat) := Nat.leb j i.
Definition strictly_causal (i j : nat) := Nat.ltb j i.

(* ---- One layer ------------------------------------------------------------------------------ *)

(* Any attention layer: head h weighs row j for row i by weights h X i j, which may depend on the
   whole sequence, on positions, on a graph; value h i j takes row j to what the head adds, in the
   model's width, W_O included (i and j: Shaw's relative values; most encodings ignore them);
   combine takes a row and the sum of the heads, and does all that acts row by row: skip
   connection, biases, LayerNorm, FFN, readout. *)
Record layer := {
  heads : nat;
  weights : nat -> seq -> nat -> nat -> R;
  value : nat -> nat -> nat -> vec -> vec;
  combine : vec -> vec -> vec }.

(* y_i = combine(x_i, sum_h sum_j a^h_ij v^h_ij(x_j)).  Engine: at_evaluation_layer. *)
Definition run_layer n (l : layer) (X : seq) : seq := fun i =>
  if Nat.ltb i n then combine l (X i) (fun k =>
    sum (heads l) (fun h => sum n (fun j => weights l h X i j * value l h i j (X j) k)))
  else X i.

(* Layers one after another.  Engine: at_evaluation_run. *)
Definition network := list layer.
Definition run n (net : network) (X : seq) : seq := fold_left (fun Y l => run_layer n l Y) net X.

(* The network on one token alone: what it gives for n = 1 where a row's weights sum to 1. *)
Definition run_token (l : layer) (x : vec) : vec :=
  combine l x (fun k => sum (heads l) (fun h => value l h 0%nat 0%nat x k)).
Definition token (net : network) (x : vec) : vec := fold_left (fun y l => run_token l y) net x.

(* X = 1 x^T. *)
Definition constant n (X : seq) (x : vec) := forall i, (i < n)%nat -> X i = x.

(* ---- Which layers --------------------------------------------------------------------------- *)

(* A 1 = 1. *)
Definition row_stochastic n (A : nat -> nat -> R) := forall i, (i < n)%nat -> sum n (A i) = 1.
Definition stochastic n (l : layer) :=
  forall h X, (h < heads l)%nat -> row_stochastic n (weights l h X).

(* The values know no position. *)
Definition plain_values (l : layer) := forall h i j x, value l h i j x = value l h 0%nat 0%nat x.

(* What the papers' class of RPE Transformers comes to: positions enter the logits of a softmax
   only (softmax_layer below; softmax.v shows that it is one of these). *)
Definition softmax_only n (l : layer) := stochastic n l /\ plain_values l.

(* Softmax attention with any logits and mask, *)
Definition softmax_layer n H (m : nat -> seq -> nat -> nat -> bool)
    (s : nat -> seq -> nat -> nat -> R) (v : nat -> vec -> vec) combine : layer :=
  {| heads := H; weights := fun h X i => softmax n (m h X i) (s h X i);
     value := fun h _ _ => v h; combine := combine |}.

(* and URPE: the weights times a gate, A (.) C.  [L], Eq. 8.  Engine: the encodings' `gate`. *)
Definition urpe_layer n H m s (c : nat -> nat -> nat -> R) v combine : layer :=
  {| heads := H; weights := fun h X i j => softmax n (m h X i) (s h X i) j * c h i j;
     value := fun h _ _ => v h; combine := combine |}.

(* ---- The Transformer of [L]'s theory -------------------------------------------------------- *)

Definition relu x := Rmax x 0.

(* x + ReLU(x W_1) W_2.  Engine: ffn in the evaluation. *)
Definition ffn d f (W1 W2 : matrix) (x : vec) : vec :=
  fun k => x k + sum f (fun l => relu (times d x W1 l) * W2 l k).

(* One head: W_Q, W_K, W_V (d x e), W_O (e x d), tables B and C written as matrices. *)
Record head := { wq : matrix; wk : matrix; wv : matrix; wo : matrix; bias : matrix; gate : matrix }.

(* s_ij = (x_i W_Q)(x_j W_K)^T + b_ij.  Engine: make_scores. *)
Definition score d e (a : head) (X : seq) i j :=
  dot e (times d (X i) (wq a)) (times d (X j) (wk a)) + bias a i j.

(* Attn(X) = X + sum_h (softmax(s) (.) C) X W_V W_O, then the FFN. *)
Definition transformer n d e f H (mask : nat -> nat -> bool) (a : nat -> head) (W1 W2 : matrix)
    : layer :=
  urpe_layer n H (fun _ _ => mask) (fun h => score d e (a h)) (fun h => gate (a h))
    (fun h x => times e (times d x (wv (a h))) (wo (a h)))
    (fun x y => ffn d f W1 W2 (fun k => x k + y k)).

(* b_ij = b_{i-j}.  Engine: tables of 2n - 1 entries, indexed by i - j + n - 1. *)
Definition toeplitz (c : Z -> R) : matrix := fun i j => c (Z.of_nat i - Z.of_nat j)%Z.
Definition no_bias : matrix := fun _ _ => 0.
Definition no_gate : matrix := fun _ _ => 1.

(* Absolute positions, X + E, and a token put before the sequence.  Engine: at_evaluation_start. *)
Definition add_positions (E X : seq) : seq := fun i k => X i k + E i k.
Definition prepend (t : vec) (X : seq) : seq :=
  fun i => match i with O => t | S j => X j end.

(* ==== Energy ================================================================================= *)

(* z_ij = |y_i - y_j|^2 / 2. *)
Definition dist d (Y : matrix) i j := sum d (fun k => (Y i k - Y j k) ^ 2) / 2.

(* E(Y) = sum_{i<j} rho(z_ij).  Engine: theory/energy. *)
Definition energy n d (rho : R -> R) (Y : matrix) :=
  sum n (fun i => sum i (fun j => rho (dist d Y i j))).

(* rho is concave and does not fall on [0, oo), and w is its derivative there (at 0 from the
   right). *)
Definition concave (rho : R -> R) := forall x y t, 0 <= x -> 0 <= y -> 0 <= t <= 1 ->
  (1 - t) * rho x + t * rho y <= rho ((1 - t) * x + t * y).
Definition nondecreasing (rho : R -> R) := forall x y, 0 <= x <= y -> rho x <= rho y.
Definition derivative (rho w : R -> R) :=
  forall x, 0 <= x -> forall eps, 0 < eps -> exists del, 0 < del /\ forall h, h <> 0 ->
  0 <= x + h -> Rabs h < del -> Rabs ((rho (x + h) - rho x) / h - w x) < eps.
Definition admissible rho w := concave rho /\ nondecreasing rho /\ derivative rho w.

(* The functions rho of the engine's table, and their derivatives. *)
Definition gaussian z := - exp (- z).
Definition gaussian' z := exp (- z).
Definition logarithm z := ln (2 + z).
Definition logarithm' z := / (2 + z).
Definition root z := sqrt (1 + z).
Definition root' z := / (2 * sqrt (1 + z)).
Definition saturating z := z / (1 + z).
Definition saturating' z := / (1 + z) ^ 2.

(* w_ij = rho'(z_ij), d_i = sum_j w_ij with the self term. *)
Definition weight d (w : R -> R) (Y : matrix) : matrix := fun i j => w (dist d Y i j).
Definition degree n d w (Y : matrix) i := sum n (weight d w Y i).

(* The step A Y, A = D^{-1} W.  With rho = - exp(-z) it is softmax with the factors
   exp(- |y_j|^2 / 2). *)
Definition attention n d w (Y : matrix) : matrix := fun i k =>
  sum n (fun j => weight d w Y i j * Y j k) / degree n d w Y i.

(* Any weights, divided by their row sums, times Y; weights without the self term. *)
Definition average n (W Y : matrix) : matrix := fun i k =>
  sum n (fun j => W i j * Y j k) / sum n (W i).
Definition off (W : matrix) : matrix := fun i j => if Nat.eqb i j then 0 else W i j.

(* (1 - a) Y + a Y'. *)
Definition blend a (Y Y' : matrix) : matrix := fun i k => (1 - a) * Y i k + a * Y' i k.
Definition madd (Y T : matrix) : matrix := fun i k => Y i k + T i k.
Definition msub (Y T : matrix) : matrix := fun i k => Y i k - T i k.

(* Sums over ordered pairs; <X, Y> and |Y|^2 of n x d matrices; M Y; tr(Y^T M Y). *)
Definition sum2 n (f : nat -> nat -> R) := sum n (fun i => sum n (fun j => f i j)).
Definition inner n d (X Y : matrix) := sum n (fun i => dot d (X i) (Y i)).
Definition act n (M Y : matrix) : matrix := fun i k => sum n (fun j => M i j * Y j k).
Definition form n d (M Y : matrix) := inner n d Y (act n M Y).

(* L = D - W and D + W. *)
Definition diagonal (u : nat -> R) : matrix := fun i j => if Nat.eqb i j then u i else 0.
Definition laplacian n (W : matrix) : matrix := fun i j => diagonal (fun i => sum n (W i)) i j - W i j.
Definition signless n (W : matrix) : matrix := fun i j => diagonal (fun i => sum n (W i)) i j + W i j.

(* Positive semidefinite. *)
Definition psd n (K : matrix) := forall c : nat -> R, 0 <= sum2 n (fun i j => c i * c j * K i j).
(* (PSD) of a weight function: for all sequences of rows. *)
Definition kernel w := forall n d Y, psd n (weight d w Y).

(* Y W, row by row, and the transpose. *)
Definition project d (W Y : matrix) : matrix := fun i => times d (Y i) W.
Definition transpose (W : matrix) : matrix := fun i j => W j i.

(* |x W|^2 <= omega |x|^2: omega is at least the squared norm of W (d x m). *)
Definition norm_at_most d m (W : matrix) omega :=
  forall x, dot m (times d x W) (times d x W) <= omega * dot d x x.

(* x S x^T; S symmetric; lambda_max(S) <= lambda. *)
Definition quad d (S : matrix) (x : vec) := dot d (times d x S) x.
Definition symmetric (S : matrix) := forall i j, S i j = S j i.
Definition symmetric_part (W : matrix) : matrix := fun i j => (W i j + W j i) / 2.
Definition largest_at_most d (S : matrix) lambda := forall x, quad d S x <= lambda * dot d x x.

(* E_2 = tr(Y W_f Y^T)/2 + |Y - B|^2/2, a row at a time, and its gradient y (S + 1) - b for the
   symmetric part S of W_f.  Engine: at_energy_ffn. *)
Definition ffn_row d (S : matrix) (b y : vec) :=
  quad d S y / 2 + sum d (fun k => (y k - b k) ^ 2) / 2.
Definition ffn_energy n d S (B Y : matrix) := sum n (fun i => ffn_row d S (B i) (Y i)).
Definition ffn_gradient d S (B Y : matrix) : matrix := fun i k => times d (Y i) S k + Y i k - B i k.

(* The direction of head h: d_i (y_i - (A Y)_i) W W^T, where A is of the rows Y W (W is d x m). *)
Definition head_pull n d m w (W Y : matrix) : matrix := fun i =>
  let V := project d W Y in
  times m (times d (fun k => degree n m w V i * (Y i k - average n (weight m w V) Y i k)) W)
    (transpose W).

(* ==== End of energy ========================================================================== *)
