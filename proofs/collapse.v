(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Collapse: on a sequence of equal rows a network whose attention weights sum to one in every
   row, and whose values know no position, returns equal rows: for every length, width, number of
   heads and depth.  The weights may depend on the sequence, on positions and on a graph in any
   way, and need not be positive. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Attest Require Import sums model.
Open Scope R_scope.

Theorem layer_collapse n l X x :
  softmax_only n l -> constant n X x -> constant n (run_layer n l X) (run_token l x).
Proof.
  intros [Hs Hv] HX i Hi. unfold run_layer, run_token.
  destruct (Nat.ltb_spec i n); [|lia]. rewrite (HX i Hi). f_equal.
  extensionality k. apply sum_ext. intros h Hh.
  rewrite (sum_ext n _ (fun j => weights l h X i j * value l h 0 0 x k))
    by (intros j Hj; now rewrite (HX j Hj), Hv).
  rewrite sum_scale_r, (Hs h X Hh i Hi). ring.
Qed.

Theorem deep_collapse n net : forall X x,
  Forall (softmax_only n) net -> constant n X x -> constant n (run n net X) (token net x).
Proof.
  induction net as [|l net IH]; simpl; intros X x Hs HX; [assumption|].
  inversion Hs; subst. apply IH; [assumption|now apply layer_collapse].
Qed.

(* For n = 1 the network gives just that: the collapsed value is the output for one token. *)
Corollary token_is_length_one net x :
  Forall (softmax_only 1) net -> run 1 net (fun _ => x) 0%nat = token net x.
Proof. intros H. apply (deep_collapse 1 net); [assumption|intros i _; reflexivity|lia]. Qed.

(* Readers of one row at a time cannot tell the rows apart: logits, argmax, losses. *)
Corollary readout_collapse {T} (read : vec -> T) n net X x i j :
  Forall (softmax_only n) net -> constant n X x -> (i < n)%nat -> (j < n)%nat ->
  read (run n net X i) = read (run n net X j).
Proof.
  intros Hs HX Hi Hj. assert (H := deep_collapse n net X x Hs HX).
  now rewrite (H i Hi), (H j Hj).
Qed.
