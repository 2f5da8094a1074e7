(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Graphs: encodings and gates that read a relation phi(i, j), a number for each pair of nodes
   (shortest-path distance with a number of its own for "no path"; any other as well). *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Attest Require Import sums model softmax collapse floors.
Open Scope R_scope.

(* URPE on a relation: logits of the two rows and of phi, gate of phi. *)
Definition graph_layer n (phi : nat -> nat -> nat) H (a : nat -> vec -> vec -> nat -> R)
    (c : nat -> nat -> R) v o : layer :=
  urpe_layer n H (fun _ _ => everything) (fun h X i j => a h (X i) (X j) (phi i j))
    (fun h i j => c h (phi i j)) v o.

(* The weights of such a layer, for all graphs at once. *)
Record graph_weights := { g_H : nat; g_a : nat -> vec -> vec -> nat -> R; g_c : nat -> nat -> R;
                          g_v : nat -> vec -> vec; g_o : vec -> vec -> vec }.
Definition on_graph n phi (w : graph_weights) : layer :=
  graph_layer n phi (g_H w) (g_a w) (g_c w) (g_v w) (g_o w).
Definition ungated (w : graph_weights) := forall h k, g_c w h k = 1.

(* Without a gate and with equal features all nodes of all graphs get one row: it is the network's
   on one token, whatever the relation and the number of nodes. *)
Theorem graph_collapse n phi ws X x : Forall ungated ws -> constant n X x ->
  constant n (run n (map (on_graph n phi) ws) X) (token (map (on_graph n phi) ws) x).
Proof.
  intros Hw HX. apply deep_collapse; [|assumption]. apply Forall_map.
  eapply Forall_impl; [|exact Hw]. intros w Hu. split; [|intros h i j y; reflexivity].
  intros h Y Hh i Hi. simpl. rewrite (sum_ext n _ (softmax n (everything i)
    (fun j => g_a w h (Y i) (Y j) (phi i j)))) by (intros; rewrite Hu; ring).
  apply (softmax_row_sum n _ _ i Hi). reflexivity.
Qed.

Lemma graph_token n n' phi phi' ws x :
  token (map (on_graph n phi) ws) x = token (map (on_graph n' phi') ws) x.
Proof.
  revert x. induction ws as [|w ws IH]; intros x; [reflexivity|]. simpl. rewrite IH. reflexivity.
Qed.

(* So the mean over the nodes is the same number for every graph. *)
Corollary graph_mean n n' phi phi' ws X X' x k : (0 < n)%nat -> (0 < n')%nat ->
  Forall ungated ws -> constant n X x -> constant n' X' x ->
  mean n (fun i => run n (map (on_graph n phi) ws) X i k) =
  mean n' (fun i => run n' (map (on_graph n' phi') ws) X' i k).
Proof.
  intros Hn Hn' Hw HX HX'.
  assert (H : forall m psi Y, (0 < m)%nat -> constant m Y x ->
    mean m (fun i => run m (map (on_graph m psi) ws) Y i k) = token (map (on_graph n phi) ws) x k).
  { intros m psi Y Hm HY. unfold mean.
    rewrite (sum_ext m _ (fun _ => token (map (on_graph n phi) ws) x k)).
    - rewrite sum_const. field. apply not_0_INR. lia.
    - intros i Hi. rewrite (graph_collapse m psi ws Y x Hw HY i Hi).
      now rewrite (graph_token m n psi phi). }
  now rewrite !H.
Qed.

(* Centrality adds a row by the degree: on regular graphs the features stay equal, and collapse. *)
Theorem regular_collapse n phi ws X x (deg : nat -> nat) r (z : nat -> vec) :
  Forall ungated ws -> constant n X x -> (forall i, (i < n)%nat -> deg i = r) ->
  constant n (run n (map (on_graph n phi) ws) (fun i k => X i k + z (deg i) k))
    (token (map (on_graph n phi) ws) (fun k => x k + z r k)).
Proof.
  intros Hw HX Hd. apply graph_collapse; [assumption|].
  intros i Hi. extensionality k. now rewrite (HX i Hi), (Hd i Hi).
Qed.

(* ---- Profiles ---------------------------------------------------------------------------------- *)

(* N_k(i): how many nodes stand in relation k to i.  With B = 0 and W_Q = 0 the row sums of A_U are
   the profile against the gate. *)
Theorem distance_profile n K (phi : nat -> nat -> nat) (c : nat -> R) i :
  (forall j, (j < n)%nat -> (phi i j < K)%nat) ->
  sum n (fun j => c (phi i j) / INR n) = sum K (fun k => count n (phi i) k * c k) / INR n.
Proof.
  intros HK. unfold Rdiv. rewrite sum_scale_r. f_equal.
  apply (sum_by_label n K (phi i) c HK).
Qed.

(* ---- What refinement by (relation, colour) cannot tell ------------------------------------------ *)

(* Colours chi t of the nodes of two graphs (they may be the same): nodes of equal colours at t + 1
   have equal colours at t, and their nodes can be paired so that relation and colour agree. *)
Definition refines n (phi phi' : nat -> nat -> nat) (chi chi' : nat -> nat -> nat) :=
  forall t i i', (i < n)%nat -> (i' < n)%nat -> chi (S t) i = chi' (S t) i' ->
  chi t i = chi' t i' /\
  exists p q, bijection n p q /\
  forall j, (j < n)%nat -> phi i j = phi' i' (p j) /\ chi t j = chi' t (p j).

(* Equal colours after as many rounds as there are layers: equal rows, for all weights, encodings
   and gates of the relation. *)
Theorem refinement_bound n phi phi' chi chi' ws X X' :
  refines n phi phi' chi chi' ->
  (forall i i', (i < n)%nat -> (i' < n)%nat -> chi 0%nat i = chi' 0%nat i' -> X i = X' i') ->
  forall i i', (i < n)%nat -> (i' < n)%nat -> chi (length ws) i = chi' (length ws) i' ->
  run n (map (on_graph n phi) ws) X i = run n (map (on_graph n phi') ws) X' i'.
Proof.
  intros Hr H0. induction ws as [|w ws IH] using rev_ind; [exact H0|].
  intros i i' Hi Hi' Hc. rewrite app_length, Nat.add_1_r in Hc.
  destruct (Hr (length ws) i i' Hi Hi' Hc) as (Hsame & p & q & B & Hp).
  rewrite !map_app. unfold run. rewrite !fold_left_app. simpl.
  fold (run n (map (on_graph n phi) ws) X). fold (run n (map (on_graph n phi') ws) X').
  set (Y := run n (map (on_graph n phi) ws) X) in *. set (Y' := run n (map (on_graph n phi') ws) X') in *.
  unfold run_layer. destruct (Nat.ltb_spec i n), (Nat.ltb_spec i' n); try lia.
  simpl. rewrite (IH i i' Hi Hi' Hsame). f_equal. extensionality k. apply sum_ext. intros h _.
  assert (Hlogit : forall j, (j < n)%nat ->
    g_a w h (Y' i') (Y j) (phi i j) = g_a w h (Y' i') (Y' (p j)) (phi' i' (p j))).
  { intros j Hj. destruct (Hp j Hj) as [-> Hcol].
    now rewrite (IH j (p j) Hj (bij_p n p q B j Hj) Hcol). }
  match goal with |- _ = sum n ?G => rewrite <- (sum_reindex n p q G B) end.
  apply sum_ext. intros j Hj. destruct (Hp j Hj) as [Hphi Hcol].
  rewrite Hphi, (IH j (p j) Hj (bij_p n p q B j Hj) Hcol). do 2 f_equal.
  unfold softmax. simpl. rewrite <- Hphi, (Hlogit j Hj). rewrite Hphi. f_equal.
  rewrite <- (sum_reindex n p q (fun l => exp (g_a w h (Y' i') (Y' l) (phi' i' l))) B).
  apply sum_ext. intros l Hl. now rewrite Hlogit.
Qed.

(* Where all nodes of two graphs have one profile, equal features give equal rows, gate included:
   the output depends on the profile alone. *)
Corollary profile_collapse n phi phi' ws X X' x :
  (forall i i', (i < n)%nat -> (i' < n)%nat -> exists p q, bijection n p q /\
     forall j, (j < n)%nat -> phi i j = phi' i' (p j)) ->
  constant n X x -> constant n X' x ->
  forall i i', (i < n)%nat -> (i' < n)%nat ->
  run n (map (on_graph n phi) ws) X i = run n (map (on_graph n phi') ws) X' i'.
Proof.
  intros H HX HX' i i' Hi Hi'.
  apply (refinement_bound n phi phi' (fun _ _ => 0%nat) (fun _ _ => 0%nat) ws X X'); auto.
  - intros t j j' Hj Hj' _. split; [reflexivity|].
    destruct (H j j' Hj Hj') as (p & q & B & Hp). exists p, q. split; [assumption|]. auto.
  - intros j j' Hj Hj' _. now rewrite (HX j Hj), (HX' j' Hj').
Qed.
