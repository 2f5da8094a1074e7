(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The exact engine's values of small networks, as lemmas about `run` of model.v: a definition that
   says something else than the engine computes fails here.  The same networks stand where the
   collapse ends (a^V of Shaw, absolute positions, a prepended token, an empty row of a mask, other
   normalisers), and where the symmetries do. *)

From Coq Require Import Reals Lra Lia List ZArith.
From Attest Require Import sums model softmax toeplitz symmetry.
Import ListNotations.
Open Scope R_scope.

(* One head, d = e = 1, W_Q = W_K = 0, W_V = W_O = 1, tables B and C; no FFN. *)
Definition one_head (B C : Z -> R) : head :=
  {| wq := rows [[0]]; wk := rows [[0]]; wv := rows [[1]]; wo := rows [[1]];
     bias := toeplitz B; gate := toeplitz C |}.
Definition small n mask B C : layer := transformer n 1 1 0 1 mask (fun _ => one_head B C) (rows []) (rows []).
Definition ones (_ : Z) : R := 1.
Definition zeros (_ : Z) : R := 0.
Definition at_one (k : Z) : R := if (k =? 1)%Z then 1 else 0.

(* Unfolds a run on rows written out to fractions of exponentials of 0 and 1. *)
Ltac unroll :=
  cbv -[Rplus Rmult Rminus Ropp Rinv Rdiv exp Rmax IZR];
  repeat match goal with
  | |- context [exp ?t] =>
      lazymatch t with
      | 1 => fail
      | _ => first [replace (exp t) with 1 by (replace t with 0 by ring; symmetry; apply exp_0)
                   |replace (exp t) with (exp 1) by (f_equal; ring)]
      end
  end.

(* T5 with b_1 = 1 on (0, 1): (1/2, 1 + 1/(1 + e)); mirrored, (e/(1 + e), 3/2) of the reversal: so
   T5 in general does not commute with reversal. *)
Lemma e_positive : 0 < exp 1.
Proof. apply exp_pos. Qed.

Example t5_first : run 2 [small 2 everything at_one ones] (rows [[0]; [1]]) 0%nat 0%nat = 1 / 2.
Proof. unroll. field. Qed.

Example t5_second :
  run 2 [small 2 everything at_one ones] (rows [[0]; [1]]) 1%nat 0%nat = 1 + 1 / (1 + exp 1).
Proof. unroll. assert (H := e_positive). field. lra. Qed.

Example t5_mirrored :
  run 2 [small 2 everything at_one ones] (rows [[1]; [0]]) 1%nat 0%nat = exp 1 / (1 + exp 1).
Proof. unroll. assert (H := e_positive). field. lra. Qed.

Theorem t5_not_reversal_symmetric : exists net X,
  run 2 net (move (reversal 2) X) 1%nat 0%nat <> run 2 net X 0%nat 0%nat.
Proof.
  exists [small 2 everything at_one ones], (rows [[0]; [1]]).
  replace (run 2 [small 2 everything at_one ones] (move (reversal 2) (rows [[0]; [1]])) 1%nat 0%nat)
    with (exp 1 / (1 + exp 1)) by (unroll; assert (H := e_positive); field; lra).
  rewrite t5_first. assert (H := exp_ineq1 1 ltac:(lra)).
  intros He. apply (f_equal (fun t => t * (1 + exp 1))) in He. unfold Rdiv in He.
  rewrite Rmult_assoc, Rinv_l in He by lra. lra.
Qed.

(* Causal attention without encoding, on (0, 1) and mirrored: (0, 3/2) against (1/2, 2). *)
Example causal_second : run 2 [small 2 causal zeros ones] (rows [[0]; [1]]) 1%nat 0%nat = 3 / 2.
Proof. unroll. field. Qed.

Theorem causal_not_reversal_symmetric : exists net X,
  run 2 net (move (reversal 2) X) 1%nat 0%nat <> run 2 net X 0%nat 0%nat.
Proof.
  exists [small 2 causal zeros ones], (rows [[0]; [1]]).
  assert (H : run 2 [small 2 causal zeros ones] (move (reversal 2) (rows [[0]; [1]])) 1%nat 0%nat = 1 / 2)
    by (unroll; field).
  assert (H0 : run 2 [small 2 causal zeros ones] (rows [[0]; [1]]) 0%nat 0%nat = 0) by (unroll; field).
  rewrite H, H0. lra.
Qed.

(* An empty row of a mask: strictly causal, x = (1, 1): rows 1 and 2. *)
Example empty_row_first : run 2 [small 2 strictly_causal zeros ones] (rows [[1]; [1]]) 0%nat 0%nat = 1.
Proof. unroll. unfold Rdiv. rewrite !Rmult_0_l. ring. Qed.

Example empty_row_second : run 2 [small 2 strictly_causal zeros ones] (rows [[1]; [1]]) 1%nat 0%nat = 2.
Proof. unroll. field. Qed.

(* Shaw's a^V = (-1, 0, 1) for k = -1, 0, 1, all else 0, on (1, 1): rows 1/2 and 3/2. *)
Definition shaw_values : layer :=
  {| heads := 1; weights := fun _ _ i => softmax 2 (fun _ => true) (fun _ => 0);
     value := fun _ i j _ _ => INR i - INR j; combine := fun x y k => x k + y k |}.

Example shaw_first : run 2 [shaw_values] (rows [[1]; [1]]) 0%nat 0%nat = 1 / 2.
Proof. unroll. field. Qed.

Example shaw_second : run 2 [shaw_values] (rows [[1]; [1]]) 1%nat 0%nat = 3 / 2.
Proof. unroll. field. Qed.

(* Absolute positions E = (0, 1), no layer: rows x and x + 1. *)
Example ape_rows x : run 2 [] (add_positions (rows [[0]; [1]]) (fun _ _ => x)) 1%nat 0%nat =
  run 2 [] (add_positions (rows [[0]; [1]]) (fun _ _ => x)) 0%nat 0%nat + 1.
Proof. unroll. field. Qed.

(* A prepended token: (1, 0, 0) with b_1 = 1: rows 2 and 3 are e/(e + 2) and 1/(e + 2). *)
Example cls_second : run 3 [small 3 everything at_one ones]
  (prepend (fun _ => 1) (rows [[0]; [0]])) 1%nat 0%nat = exp 1 / (exp 1 + 2).
Proof. unroll. assert (H := e_positive). field. lra. Qed.

Example cls_third : run 3 [small 3 everything at_one ones]
  (prepend (fun _ => 1) (rows [[0]; [0]])) 2%nat 0%nat = 1 / (exp 1 + 2).
Proof. unroll. assert (H := e_positive). field. lra. Qed.

(* relu^2/n with b_1 = 1, else 0: row sums 0 and 1/2, so (1, 1) goes to 1 and 3/2. *)
Definition relu_squared : layer :=
  {| heads := 1; weights := fun _ _ i j => relu (toeplitz at_one i j) ^ 2 / 2;
     value := fun _ _ _ x => x; combine := fun x y k => x k + y k |}.

Example relu_squared_first : run 2 [relu_squared] (rows [[1]; [1]]) 0%nat 0%nat = 1.
Proof. unroll. rewrite !Rmax_left by lra. lra. Qed.

Example relu_squared_second : run 2 [relu_squared] (rows [[1]; [1]]) 1%nat 0%nat = 3 / 2.
Proof. unroll. rewrite Rmax_left, (Rmax_left 0 0) by lra. lra. Qed.

(* URPE with a plain value bias: c_k = 1 for k <= 0, X = 0, values 1: head rows 1, 2/3, 1/3. *)
Definition value_bias : layer :=
  urpe_layer 3 1 (fun _ _ => everything) (fun _ _ _ _ => 0) (fun _ => toeplitz ahead)
    (fun _ x k => x k + 1) (fun x y k => x k + y k).

Example value_bias_rows :
  run 3 [value_bias] (fun _ _ => 0) 0%nat 0%nat = 1 /\
  run 3 [value_bias] (fun _ _ => 0) 1%nat 0%nat = 2 / 3 /\
  run 3 [value_bias] (fun _ _ => 0) 2%nat 0%nat = 1 / 3.
Proof. repeat split; unroll; field. Qed.

(* URPE with C = 1 and b_1 = 1, n = 2: the row sums of A (.) I are 1/2 and 1/(1 + e): a circulant,
   even C is position-aware with a bias. *)
Definition diagonal (k : Z) : R := if (k =? 0)%Z then 1 else 0.

Example general_bias :
  sum 2 (weights (small 2 everything at_one diagonal) 0 (rows []) 0%nat) = 1 / 2 /\
  sum 2 (weights (small 2 everything at_one diagonal) 0 (rows []) 1%nat) = 1 / (1 + exp 1).
Proof. assert (H := e_positive). split; unroll; field; lra. Qed.
