(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* What the claims rpe.*, urpe.* and graph.* rest on, stated again: a theorem that says less than
   it says here does not pass.  statements_opt.v does the same for opt.*.

   Convention, which the build reads to make the table from claims to theorems:
     a line      (* claim: ID ID ... *)      names the claims (identifiers as `attest claims` lists
                                             them; more such lines may follow each other)
     then        Check (FILE.THEOREM :       at the margin: proofs/FILE.v proves THEOREM,
                   STATEMENT).
     a line      (* no claim: ... *)         stands where `attest claims` has none for the theorem.
   One claim may stand over several theorems and one theorem under several claims.  golden.awk
   writes what Coq prints for each of them, with the assumptions, into statements.golden. *)

From Coq Require Import Reals ZArith.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Attest Require Import sums model.
From Attest Require collapse softmax floors uniform symmetry permutation toeplitz etp urpe zero.
From Attest Require simulate graph instances.
Import ListNotations.
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

(* ---- Floors on constant sequences ------------------------------------------------------------- *)

(* claim: rpe.no-uniform-approximation *)
Check (uniform.no_uniform_approximation : forall n M, (2 <= n)%nat -> 0 < M ->
  exists T : seq, forall d net X x, (1 <= d)%nat ->
  List.Forall (softmax_only n) net -> constant n X x ->
  M ^ 2 < sum n (fun i => sum d (fun k => (T i k - run n net X i k) ^ 2))).

(* claim: rpe.floor *)
Check (floors.network_floor : forall n (f : seq) net X x i j k,
  List.Forall (softmax_only n) net -> constant n X x -> (i < n)%nat -> (j < n)%nat ->
  exists r, (r < n)%nat /\ Rabs (f i k - f j k) / 2 <= Rabs (f r k - run n net X r k)).

(* claim: rpe.floor *)
Check (floors.floor_attained : forall n (f : nat -> R) lo hi,
  (forall i, (i < n)%nat -> lo <= f i <= hi) ->
  forall i, (i < n)%nat -> Rabs (f i - (lo + hi) / 2) <= (hi - lo) / 2).

(* claim: rpe.floor *)
Check (floors.network_floor_frobenius : forall n d (f : seq) net X x, (0 < n)%nat ->
  List.Forall (softmax_only n) net -> constant n X x ->
  sum n (fun i => sum d (fun k => (f i k - floors.mean n (fun r => f r k)) ^ 2)) <=
  sum n (fun i => sum d (fun k => (f i k - run n net X i k) ^ 2))).

(* claim: rpe.floor *)
Check (floors.network_cross_entropy : forall n V t (prob : vec -> nat -> R) net X x, (0 < n)%nat ->
  List.Forall (softmax_only n) net -> constant n X x ->
  (forall i, (i < n)%nat -> (t i < V)%nat) ->
  (forall y v, (v < V)%nat -> 0 < prob y v) -> (forall y, sum V (prob y) = 1) ->
  sum V (fun v => - (floors.count n t v / INR n * ln (floors.count n t v / INR n))) <=
  floors.mean n (fun i => - ln (prob (run n net X i) (t i)))).

(* claim: rpe.floor *)
Check (floors.network_accuracy : forall n t (predict : vec -> nat) net X x c, (0 < n)%nat ->
  List.Forall (softmax_only n) net -> constant n X x -> (forall u, floors.count n t u <= c) ->
  floors.mean n (fun i => floors.indicator (Nat.eqb (t i) (predict (run n net X i)))) <= c / INR n).

(* claim: rpe.floor *)
Check (floors.floor_law : forall m (mu loss fl : nat -> R) (is_constant : nat -> bool),
  (forall s, (s < m)%nat -> 0 <= mu s /\ 0 <= loss s) ->
  (forall s, (s < m)%nat -> is_constant s = true -> fl s <= loss s) ->
  sum m (fun s => mu s * (floors.indicator (is_constant s) * fl s)) <=
  sum m (fun s => mu s * loss s)).

(* claim: rpe.floor *)
Check (uniform.pi_accuracy : forall n (predict : vec -> nat) net X x, (0 < n)%nat ->
  List.Forall (softmax_only n) net -> constant n X x ->
  floors.mean n (fun i => floors.indicator (Nat.eqb i (predict (run n net X i)))) <= 1 / INR n).

(* claim: rpe.floor *)
Check (uniform.pi_cross_entropy : forall n (prob : vec -> nat -> R) net X x, (0 < n)%nat ->
  List.Forall (softmax_only n) net -> constant n X x ->
  (forall y v, (v < n)%nat -> 0 < prob y v) -> (forall y, sum n (prob y) = 1) ->
  ln (INR n) <= floors.mean n (fun i => - ln (prob (run n net X i) i))).

(* claim: rpe.floor *)
Check (uniform.etp_accuracy : forall n c eos (predict : vec -> nat) net X x, (0 < n)%nat ->
  c <> eos -> List.Forall (softmax_only n) net -> constant n X x ->
  floors.mean n (fun i => floors.indicator (Nat.eqb
    (uniform.etp_labels n c eos i) (predict (run n net X i)))) <= INR (n - n / 2) / INR n).

(* ---- Symmetry --------------------------------------------------------------------------------- *)

(* claim: rpe.reversal-symmetry *)
Check (symmetry.reversal_symmetry : forall n h (a : nat -> vec -> vec -> nat -> R)
  (c : nat -> nat -> R) v o,
  symmetry.equivariant n (symmetry.reversal n)
    (urpe_layer n h (fun _ _ => everything)
       (fun g X i j => a g (X i) (X j) (symmetry.distance i j))
       (fun g i j => c g (symmetry.distance i j)) v o)).

(* claim: rpe.reversal-symmetry rpe.permutation-symmetry *)
Check (symmetry.network_commutes : forall n p q, bijection n p q ->
  (forall i, (n <= i)%nat -> p i = i) -> forall net X,
  List.Forall (symmetry.equivariant n p) net ->
  run n net (symmetry.move p X) = symmetry.move p (run n net X)).

(* claim: rpe.reversal-symmetry *)
Check (symmetry.symmetric_floor : forall n p q, bijection n p q ->
  (forall i, (n <= i)%nat -> p i = i) -> forall (f : seq -> seq) net X i k e,
  List.Forall (symmetry.equivariant n p) net ->
  Rabs (f (symmetry.move p X) i k - run n net (symmetry.move p X) i k) <= e ->
  Rabs (f X (p i) k - run n net X (p i) k) <= e ->
  Rabs (f (symmetry.move p X) i k - f X (p i) k) / 2 <= e).

(* claim: rpe.reversal-symmetry *)
Check (symmetry.reversal_position_floor : forall n net X,
  List.Forall (symmetry.equivariant n (symmetry.reversal n)) net ->
  forall k e, (0 < n)%nat ->
  (forall i, (i < n)%nat -> Rabs (INR i - run n net X i k) <= e) ->
  (forall i, (i < n)%nat ->
     Rabs (INR i - run n net (symmetry.move (symmetry.reversal n) X) i k) <= e) ->
  (INR n - 1) / 2 <= e).

(* claim: rpe.reversal-symmetry *)
Check (symmetry.reversal_position_square : forall n net X,
  List.Forall (symmetry.equivariant n (symmetry.reversal n)) net -> forall k, (0 < n)%nat ->
  2 * ((INR n ^ 2 - 1) / 12) <=
  floors.mean n (fun i => (INR i - run n net X i k) ^ 2) +
  floors.mean n (fun i =>
    (INR i - run n net (symmetry.move (symmetry.reversal n) X) i k) ^ 2)).

(* claim: rpe.reversal-symmetry *)
Check (symmetry.reversal_position_accuracy : forall n net X,
  List.Forall (symmetry.equivariant n (symmetry.reversal n)) net ->
  forall predict, (0 < n)%nat ->
  floors.mean n (fun i => floors.indicator (Nat.eqb i (predict (run n net X i)))) +
  floors.mean n (fun i => floors.indicator
    (Nat.eqb i (predict (run n net (symmetry.move (symmetry.reversal n) X) i)))) <=
  2 * (INR (n - n / 2) / INR n)).

(* claim: rpe.permutation-symmetry *)
Check (permutation.permutation_symmetry : forall n p q h (a : nat -> vec -> vec -> R) v o,
  bijection n p q ->
  symmetry.equivariant n p
    (softmax_layer n h (fun _ _ => everything) (fun g X i j => a g (X i) (X j)) v o)).

(* claim: rpe.permutation-symmetry *)
Check (permutation.expected_position_accuracy : forall n m X mu g g' net, (0 < n)%nat ->
  permutation.shift_invariant n m X mu g g' ->
  (forall t, (t < n)%nat -> List.Forall (symmetry.equivariant n (permutation.cyclic n t)) net) ->
  forall predict : vec -> nat,
  sum m (fun s => mu s *
    floors.mean n (fun i => floors.indicator (Nat.eqb i (predict (run n net (X s) i))))) <= 1 / INR n).

(* claim: rpe.permutation-symmetry *)
Check (permutation.expected_position_cross_entropy : forall n m X mu g g' net, (0 < n)%nat ->
  permutation.shift_invariant n m X mu g g' ->
  (forall t, (t < n)%nat -> List.Forall (symmetry.equivariant n (permutation.cyclic n t)) net) ->
  forall prob : vec -> nat -> R,
  (forall y v, (v < n)%nat -> 0 < prob y v) -> (forall y, sum n (prob y) = 1) ->
  ln (INR n) <= sum m (fun s => mu s * floors.mean n (fun i => - ln (prob (run n net (X s) i) i)))).

(* claim: rpe.permutation-symmetry *)
Check (permutation.expected_etp_accuracy : forall n m X mu g g' net, (0 < n)%nat ->
  permutation.shift_invariant n m X mu g g' ->
  (forall t, (t < n)%nat -> List.Forall (symmetry.equivariant n (permutation.cyclic n t)) net) ->
  forall (tok : vec -> nat) eos (predict : vec -> nat), (forall x, tok x <> eos) ->
  sum m (fun s => mu s * floors.mean n (fun i => floors.indicator (Nat.eqb
    (if Nat.ltb i (n / 2) then tok (X s (2 * i + 1)%nat) else eos) (predict (run n net (X s) i)))))
  <= INR (n - n / 2) / INR n).

(* ---- URPE ------------------------------------------------------------------------------------- *)

(* claim: urpe.attentive *)
Check (toeplitz.attentive : forall n H m s v o X,
  run_layer n (urpe_layer n H m s (fun _ _ _ => 1) v o) X =
  run_layer n (softmax_layer n H m s v o) X).

(* claim: urpe.position-aware *)
Check (toeplitz.position_aware : forall n d e f H a W1 W2 h X i,
  wq (a h) = (fun _ _ => 0) -> bias (a h) = no_bias -> gate (a h) = toeplitz toeplitz.ahead ->
  (i < n)%nat ->
  sum n (weights (transformer n d e f H everything a W1 W2) h X i) = (INR n - INR i) / INR n).

(* claim: urpe.position-aware *)
Check (toeplitz.position_aware_distinct : forall n i j, (i < n)%nat -> (j < n)%nat ->
  (INR n - INR i) / INR n = (INR n - INR j) / INR n -> i = j).

(* claim: urpe.row-sums *)
Check (toeplitz.zero_query_row_sums : forall n d e f H a W1 W2 c h X i,
  wq (a h) = (fun _ _ => 0) -> bias (a h) = no_bias -> gate (a h) = toeplitz c ->
  sum n (weights (transformer n d e f H everything a W1 W2) h X i) = toeplitz.row_sum n c i / INR n).

(* claim: urpe.row-sums *)
Check (toeplitz.row_sum_step : forall c n i, (0 < n)%nat ->
  toeplitz.row_sum n c (S i) - toeplitz.row_sum n c i =
  c (Z.of_nat (S i)) - c (Z.of_nat (S i) - Z.of_nat n)%Z).

(* claim: urpe.row-sums *)
Check (toeplitz.row_sums_onto : forall v n i, (i < n)%nat ->
  toeplitz.row_sum n (toeplitz.steps v) i = v i).

(* claim: urpe.row-sums *)
Check (toeplitz.circulant_row_sums : forall c n i, (0 < n)%nat -> (i < n)%nat ->
  (forall k, (0 < k < Z.of_nat n)%Z -> c k = c (k - Z.of_nat n)%Z) ->
  toeplitz.row_sum n c i = toeplitz.row_sum n c 0).

(* claim: urpe.row-sums *)
Check (toeplitz.even_row_sums : forall c n i, (i < n)%nat -> (forall k, c (- k)%Z = c k) ->
  toeplitz.row_sum n c i = toeplitz.row_sum n c (n - 1 - i)).

(* claim: urpe.toeplitz-maps *)
Check (toeplitz.toeplitz_maps : forall n d e f M wq0 wk0 wv0 wo0 W1 W2 X i, (i < n)%nat ->
  wq0 = (fun _ _ => 0) ->
  run_layer n (transformer n d e f 1 everything
    (fun _ => {| wq := wq0; wk := wk0; wv := wv0; wo := wo0; bias := no_bias;
                 gate := fun i j => INR n * M i j |}) W1 W2) X i =
  ffn d f W1 W2 (fun k => X i k + sum n (fun j => M i j * times e (times d (X j) wv0) wo0 k))).

(* claim: urpe.bias-free-zero *)
Check (zero.bias_free_zero : forall n d net,
  List.Forall (zero.bias_free n d) net -> run n net zero.zero = zero.zero).

(* claim: urpe.bias-free-homogeneous *)
Check (zero.bias_free_homogeneous : forall d net c, 0 <= c -> List.Forall (zero.bias_free 1 d) net ->
  forall X, run 1 net (fun i k => c * X i k) = fun i k => c * run 1 net X i k).

(* claim: urpe.bias-free-homogeneous urpe.universal/bias-free *)
Check (zero.bias_free_misses_one : forall d net u k I, List.Forall (zero.bias_free 1 d) net ->
  is_RInt (fun t => (1 - run 1 net (fun _ l => t * u l) 0%nat k) ^ 2) 0 1 I -> 1 / 4 <= I).

(* claim: urpe.position-code *)
Check (urpe.position_code : forall n d one p X i, (i < n)%nat -> (one < d)%nat ->
  (forall j, (j < n)%nat -> X j one = 1) ->
  run_layer n (urpe.code_layer n d one p) X i =
  fun k => X i k + if Nat.eqb k p then INR i + 1 else 0).

(* claim: urpe.solves-pi *)
Check (urpe.solves_pi : forall n d one p X i k, (i < n)%nat -> (one < d)%nat -> one <> p ->
  (forall j, (j < n)%nat -> X j one = 1 /\ X j p = 0) ->
  let y := run_layer n (urpe.code_layer n d one p) X i in
  urpe.position_logit one p y (Z.of_nat i + 1) - urpe.position_logit one p y k =
  IZR (Z.of_nat i + 1 - k) ^ 2).

(* claim: urpe.solves-pi *)
Check (urpe.pi_margin : forall i k : Z, i <> k -> 1 <= IZR (i - k) ^ 2).

(* claim: urpe.solves-etp *)
Check (etp.etp_margin : forall n t beta x, (t < n)%nat -> 1 <= beta ->
  (forall j, -1 <= x j <= 1) -> x t * x t = 1 ->
  (1 - etp.s beta) / (1 + etp.s beta) <=
  x t * sum n (fun j => softmax n (fun _ => true) (etp.logit t beta) j * x j)).

(* claim: urpe.solves-etp *)
Check (etp.etp_solved : forall n t beta x, (t < n)%nat -> 1 <= beta ->
  (forall j, -1 <= x j <= 1) -> x t * x t = 1 ->
  101 / 869 <= x t * sum n (fun j => softmax n (fun _ => true) (etp.logit t beta) j * x j)).

(* claim: urpe.universal *)
Check (urpe.gathered : forall n d X i h l,
  (0 < d)%nat -> (i < n)%nat -> (h < 2 * n - 1)%nat -> (l < d)%nat ->
  (forall j, (j < n)%nat -> X j d = 1) -> X i (urpe.block d h + l)%nat = 0 ->
  run_layer n (urpe.gather_layer n d) X i (urpe.block d h + l)%nat =
  let s := (Z.of_nat i - (Z.of_nat h - (Z.of_nat n - 1)))%Z in
  if andb (0 <=? s)%Z (s <? Z.of_nat n)%Z then X (Z.to_nat s) l else 0).

(* claim: urpe.universal *)
Check (urpe.universal_row : forall n d f X i k, (0 < d)%nat -> (i < n)%nat ->
  (forall Y Z, (forall j l, (j < n)%nat -> (l < d)%nat -> Y j l = Z j l) -> f Y = f Z) ->
  (forall j, (j < n)%nat -> X j d = 1) -> (forall c, (d < c)%nat -> X i c = 0) ->
  urpe.read_row n d f (run_layer n (urpe.gather_layer n d) X i) k = f X i k).

(* [L], Theorem 3, by its own route: attentive and position-aware attention with a constant
   coordinate simulates absolute positions, and URPE is such attention. *)

(* no claim: urpe.simulates-ape *)
Check (simulate.simulates_positions : forall n d P (att : P -> seq -> nat -> nat -> R),
  simulate.attentive_family n d P att -> simulate.position_aware_family n P att ->
  forall (ps : list simulate.plain) (E : seq), exists net,
  List.Forall (simulate.in_class d P att) net /\
  forall X i k, (i < n)%nat -> (k < d)%nat ->
  run n net (simulate.given d X) i k =
  run n (map (simulate.plain_layer n d) ps) (add_positions E X) i k).

(* no claim: urpe.simulates-ape *)
Check (simulate.urpe_simulates_positions : forall n d (ps : list simulate.plain) (E : seq),
  exists net,
  List.Forall (simulate.in_class d simulate.urpe_parameters (simulate.urpe_attention n d)) net /\
  forall X i k, (i < n)%nat -> (k < d)%nat ->
  run n net (simulate.given d X) i k =
  run n (map (simulate.plain_layer n d) ps) (add_positions E X) i k).

(* ---- Graphs ----------------------------------------------------------------------------------- *)

(* no claim: graph.collapse *)
Check (graph.graph_collapse : forall n phi ws X x,
  List.Forall graph.ungated ws -> constant n X x ->
  constant n (run n (map (graph.on_graph n phi) ws) X) (token (map (graph.on_graph n phi) ws) x)).

(* no claim: graph.regular-collapse *)
Check (graph.regular_collapse : forall n phi ws X x (deg : nat -> nat) r (z : nat -> vec),
  List.Forall graph.ungated ws -> constant n X x -> (forall i, (i < n)%nat -> deg i = r) ->
  constant n (run n (map (graph.on_graph n phi) ws) (fun i k => X i k + z (deg i) k))
    (token (map (graph.on_graph n phi) ws) (fun k => x k + z r k))).

(* no claim: graph.distance-profile *)
Check (graph.distance_profile : forall n K (phi : nat -> nat -> nat) (c : nat -> R) i,
  (forall j, (j < n)%nat -> (phi i j < K)%nat) ->
  sum n (fun j => c (phi i j) / INR n) =
  sum K (fun k => floors.count n (phi i) k * c k) / INR n).

(* no claim: graph.profile-collapse *)
Check (graph.profile_collapse : forall n phi phi' ws X X' x,
  (forall i i', (i < n)%nat -> (i' < n)%nat -> exists p q, bijection n p q /\
     forall j, (j < n)%nat -> phi i j = phi' i' (p j)) ->
  constant n X x -> constant n X' x ->
  forall i i', (i < n)%nat -> (i' < n)%nat ->
  run n (map (graph.on_graph n phi) ws) X i = run n (map (graph.on_graph n phi') ws) X' i').

(* no claim: graph.distance-wl-bound *)
Check (graph.refinement_bound : forall n phi phi' chi chi' ws X X',
  graph.refines n phi phi' chi chi' ->
  (forall i i', (i < n)%nat -> (i' < n)%nat -> chi 0%nat i = chi' 0%nat i' -> X i = X' i') ->
  forall i i', (i < n)%nat -> (i' < n)%nat -> chi (length ws) i = chi' (length ws) i' ->
  run n (map (graph.on_graph n phi) ws) X i = run n (map (graph.on_graph n phi') ws) X' i').

(* ---- Where they end: values of small networks -------------------------------------------------- *)

(* claim: rpe.reversal-symmetry/t5 *)
Check (instances.t5_not_reversal_symmetric : exists net X,
  run 2 net (symmetry.move (symmetry.reversal 2) X) 1%nat 0%nat <> run 2 net X 0%nat 0%nat).

(* claim: rpe.reversal-symmetry/causal *)
Check (instances.causal_not_reversal_symmetric : exists net X,
  run 2 net (symmetry.move (symmetry.reversal 2) X) 1%nat 0%nat <> run 2 net X 0%nat 0%nat).

(* claim: rpe.right-stochastic/empty-row *)
Check (instances.empty_row_second :
  run 2 [instances.small 2 strictly_causal instances.zeros instances.ones]
    (rows [[1]; [1]]) 1%nat 0%nat = 2).

(* claim: rpe.deep-collapse/all-rpe rpe.value-bias-escapes *)
Check (instances.shaw_second :
  run 2 [instances.shaw_values] (rows [[1]; [1]]) 1%nat 0%nat = 3 / 2).

(* claim: rpe.layer-collapse/urpe-value-bias *)
Check (instances.value_bias_rows :
  run 3 [instances.value_bias] (fun _ _ => 0) 0%nat 0%nat = 1 /\
  run 3 [instances.value_bias] (fun _ _ => 0) 1%nat 0%nat = 2 / 3 /\
  run 3 [instances.value_bias] (fun _ _ => 0) 2%nat 0%nat = 1 / 3).

(* claim: rpe.ape-escapes *)
Check (instances.ape_rows : forall x,
  run 2 [] (add_positions (rows [[0]; [1]]) (fun _ _ => x)) 1%nat 0%nat =
  run 2 [] (add_positions (rows [[0]; [1]]) (fun _ _ => x)) 0%nat 0%nat + 1).

(* claim: rpe.normaliser-escapes *)
Check (instances.relu_squared_second :
  run 2 [instances.relu_squared] (rows [[1]; [1]]) 1%nat 0%nat = 3 / 2).

(* claim: rpe.cls-escapes *)
Check (instances.cls_second :
  run 3 [instances.small 3 everything instances.at_one instances.ones]
    (prepend (fun _ => 1) (rows [[0]; [0]])) 1%nat 0%nat = exp 1 / (exp 1 + 2)).

(* claim: urpe.row-sums/general-bias *)
Check (instances.general_bias :
  sum 2 (weights (instances.small 2 everything instances.at_one instances.diagonal) 0 (rows []) 0%nat)
    = 1 / 2 /\
  sum 2 (weights (instances.small 2 everything instances.at_one instances.diagonal) 0 (rows []) 1%nat)
    = 1 / (1 + exp 1)).
