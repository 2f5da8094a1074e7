(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* What the claims rpe.*, urpe.* and graph.* rest on, stated again: a theorem that says less than
   it says here does not pass.  statements_opt.v does the same for opt.*.

   Convention, which the build reads to make the table from claims to theorems:
     a line      (* claim: ID ID ... *)      names the claims (identifiers as `attest claims` lists
                                             them; more such lines may follow each other)
     then        Check (FILE.THEOREM :       at the margin: proofs/FILE.v proves THEOREM,
                   STATEMENT).
   One claim may stand over several theorems and one theorem under several claims.  golden.awk
   writes what Coq prints for each of them, with the assumptions, into statements.golden. *)

From Coq Require Import Reals List ZArith.
From Attest Require Import sums model.
From Attest Require collapse softmax.
Open Scope R_scope.

(* ---- Collapse ------------------------------------------------------------------------------- *)

(* claim: rpe.right-stochastic *)
Check (softmax.softmax_row_sum : forall n (m : nat -> bool) (s : nat -> R) i,
  (i < n)%nat -> m i = true -> sum n (softmax n m s) = 1).

(* claim: rpe.layer-collapse *)
Check (collapse.layer_collapse : forall n l X x,
  softmax_only n l -> constant n X x -> constant n (run_layer n l X) (run_token l x)).

(* claim: rpe.layer-collapse rpe.deep-collapse *)
Check (collapse.deep_collapse : forall n net X x,
  Forall (softmax_only n) net -> constant n X x -> constant n (run n net X) (token net x)).

(* claim: rpe.causal-mask *)
Check (softmax.causal_collapses : forall n H s v c,
  softmax_only n (softmax_layer n H (fun _ _ => causal) s v c)).

(* claim: rpe.tupe-collapse *)
Check (softmax.tupe_collapses : forall n H a (p : nat -> nat -> nat -> R) v c,
  softmax_only n (softmax_layer n H (fun _ _ => everything)
    (fun h X i j => a h (X i) (X j) + p h i j) v c)).
