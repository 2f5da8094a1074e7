(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* What the claims opt.* rest on, stated again; the convention is that of statements.v. *)

From Coq Require Import Reals List.
From Attest Require Import sums model.
From Attest Require concave descent steps kernels ffn heads alternation ranges sphere joined.
Open Scope R_scope.

(* ---- Attention ------------------------------------------------------------------------------ *)

(* claim: opt.majorize *)
Check (descent.majorize : forall n d rho w Y Y', admissible rho w ->
  energy n d rho Y' - energy n d rho Y <=
  form n d (laplacian n (weight d w Y)) Y' / 2 - form n d (laplacian n (weight d w Y)) Y / 2).

(* claim: opt.attention-descent *)
Check (descent.attention_descent : forall n d m rho w Wa Y, admissible rho w -> 0 < w 0 ->
  let V := project d Wa Y in
  let Y' := average n (weight m w V) Y in
  energy n m rho (project d Wa Y') <= energy n m rho V
    - form n m (signless n (weight m w V)) (project d Wa (msub Y' Y)) / 2).

(* claim: opt.attention-descent *)
Check (descent.attention_does_not_rise : forall n d rho w Y, admissible rho w -> 0 < w 0 ->
  energy n d rho (attention n d w Y) <= energy n d rho Y).

(* claim: opt.relaxation *)
Check (steps.relaxation_descends : forall n d rho w a Y,
  admissible rho w -> 0 < w 0 -> psd n (weight d w Y) -> 0 <= a <= 2 ->
  energy n d rho (blend a Y (attention n d w Y)) <= energy n d rho Y).
(* claim: opt.relaxation *)
Check (steps.relaxation_no_self_descends : forall n d rho w a Y,
  admissible rho w -> 0 <= a <= 1 ->
  (forall i, (i < n)%nat -> 0 < sum n (off (weight d w Y) i)) ->
  energy n d rho (blend a Y (average n (off (weight d w Y)) Y)) <= energy n d rho Y).

(* (PSD) *)
(* claim: opt.relaxation opt.sphere-softmax opt.value-matrix opt.multi-head opt.parallel-layer *)
Check (kernels.kernel_gaussian : kernel gaussian').
(* claim: opt.relaxation opt.value-matrix opt.multi-head opt.parallel-layer *)
Check (kernels.kernel_logarithm : kernel logarithm').
(* claim: opt.relaxation opt.value-matrix opt.multi-head opt.parallel-layer *)
Check (kernels.kernel_root : kernel root').
(* claim: opt.relaxation opt.value-matrix opt.multi-head opt.parallel-layer *)
Check (kernels.kernel_saturating : kernel saturating').
(* claim: opt.relaxation *)
Check (kernels.kernel_mixture : forall w (size : nat -> nat) (c s : nat -> nat -> R),
  (forall m l, 0 <= c m l /\ 0 <= s m l) ->
  (forall z, 0 <= z ->
     Un_cv (fun m => sum (size m) (fun l => c m l * exp (- (s m l * z)))) (w z)) ->
  kernel w).

(* claim: opt.no-self-term *)
Check (steps.no_self_term_descends : forall n d rho w Y, admissible rho w ->
  (forall i, (i < n)%nat -> 0 < sum n (off (weight d w Y) i)) ->
  energy n d rho (average n (off (weight d w Y)) Y) <= energy n d rho Y).
(* claim: opt.no-self-term *)
Check (steps.two_rows_swap : forall d w Y i k, w (dist d Y 0 1) <> 0 -> (i < 2)%nat ->
  average 2 (off (weight d w Y)) Y i k = Y (1 - i)%nat k).

(* claim: opt.regularised *)
Check (steps.regularised_descends : forall n d rho w c lambda Y,
  admissible rho w -> 0 <= c -> 0 < lambda ->
  let step : matrix := fun i k => c * sum n (fun j => off (weight d w Y) i j * Y j k) /
    (lambda + c * sum n (off (weight d w Y) i)) in
  c * energy n d rho step + lambda / 2 * inner n d step step <=
  c * energy n d rho Y + lambda / 2 * inner n d Y Y).
(* claim: opt.regularised *)
Check (steps.regularised_is_softmax_minus_self : forall n d w Y i k,
  (i < n)%nat -> w 0 = 1 -> (forall z, 0 <= z -> 0 <= w z) ->
  1 * sum n (fun j => off (weight d w Y) i j * Y j k) / (1 + 1 * sum n (off (weight d w Y) i)) =
  attention n d w Y i k - weight d w Y i i / degree n d w Y i * Y i k).

(* claim: opt.residual-input *)
Check (steps.residual_input_descends : forall n d rho w lambda X Y,
  admissible rho w -> 0 < w 0 -> 0 <= lambda ->
  let step : matrix := fun i k => (sum n (fun j => weight d w Y i j * Y j k) + lambda * X i k) /
    (degree n d w Y i + lambda) in
  energy n d rho step + lambda / 2 * inner n d (msub step X) (msub step X) <=
  energy n d rho Y + lambda / 2 * inner n d (msub Y X) (msub Y X)).

(* claim: opt.sphere-softmax *)
Check (sphere.sphere_softmax_descends : forall n d r eta Y, 0 <= r ->
  (forall i, (i < n)%nat -> dot d (Y i) (Y i) = r ^ 2) -> (forall i, (i < n)%nat -> 0 <= eta i) ->
  (forall i, (i < n)%nat ->
     let v := fun k => eta i * Y i k + sphere.softmax_rows n d Y i k in 0 < dot d v v) ->
  energy n d gaussian (sphere.skip_normalise n d r eta Y) <= energy n d gaussian Y).

(* claim: opt.value-matrix *)
Check (heads.value_matrix_descends : forall n d m rho w W omega a Y,
  admissible rho w -> 0 < w 0 -> kernel w -> norm_at_most d m W omega ->
  0 <= a -> a * omega <= 2 ->
  let V := project d W Y in
  let step : matrix := fun i k => Y i k -
    a * times m (times d (fun l => Y i l - average n (weight m w V) Y i l) W) (transpose W) k in
  energy n m rho (project d W step) <= energy n m rho V).

(* claim: opt.multi-head *)
Check (heads.multi_head_descends : forall n d H (m : nat -> nat) rho w W omega,
  admissible rho w -> 0 < w 0 -> kernel w ->
  (forall h, norm_at_most d (m h) (W h) (omega h)) -> forall Y theta,
  (forall i, (i < n)%nat -> 0 <= theta i /\
     theta i * sum H (fun h => degree n (m h) w (project d (W h) Y) i * omega h) <= 2) ->
  sum H (fun h => energy n (m h) rho (project d (W h) (fun i k =>
    Y i k - theta i * sum H (fun h => head_pull n d (m h) w (W h) Y i k)))) <=
  sum H (fun h => energy n (m h) rho (project d (W h) Y))).

(* claim: opt.rate *)
Check (steps.attention_rate : forall n d Y t, let f := attention n d gaussian' in
  sum t (fun s => let T := msub (steps.iterate f (S s) Y) (steps.iterate f s Y) in inner n d T T)
  <= energy n d gaussian Y - energy n d gaussian (steps.iterate f t Y)).
(* claim: opt.rate *)
Check (steps.rate : forall n d Y t, let f := attention n d gaussian' in
  sum t (fun s => let T := msub (steps.iterate f (S s) Y) (steps.iterate f s Y) in inner n d T T)
  <= INR n * (INR n - 1) / 2).

(* claim: opt.range-shrinks *)
Check (ranges.range_shrinks : forall n A Y k lo hi, ranges.averaging n A ->
  (forall j, (j < n)%nat -> lo <= Y j k <= hi) ->
  forall i, (i < n)%nat -> lo <= act n A Y i k <= hi).
(* claim: opt.range-shrinks *)
Check (ranges.diameter_shrinks : forall n d A Y r, ranges.averaging n A ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> ranges.squared d (Y i) (Y j) <= r) ->
  forall i j, (i < n)%nat -> (j < n)%nat ->
  ranges.squared d (act n A Y i) (act n A Y j) <= r).

(* claim: opt.fixed-keys *)
Check (ranges.fixed_keys : forall n d eta H z, (0 < n)%nat -> 0 <= eta <= 2 ->
  ranges.key_energy n d H (ranges.key_step n d eta H z) <= ranges.key_energy n d H z).

(* ---- FFN, ReLU ------------------------------------------------------------------------------ *)

(* claim: opt.ffn *)
Check (ffn.ffn_step_change : forall n d S B Y a, symmetric S ->
  let G := ffn_gradient d S B Y in
  ffn_energy n d S B (fun i k => Y i k - a * G i k) - ffn_energy n d S B Y =
  - a * inner n d G (fun i k => G i k - a / 2 * (G i k + times d (G i) S k))).
(* claim: opt.ffn *)
Check (ffn.ffn_energy_symmetric_part : forall n d W B Y,
  ffn_energy n d (symmetric_part W) B Y = ffn_energy n d W B Y).
(* claim: opt.ffn *)
Check (ffn.ffn_step_descends : forall n d S B Y a lambda,
  symmetric S -> largest_at_most d S lambda -> 0 <= a -> a * (1 + lambda) <= 2 ->
  ffn_energy n d S B (fun i k => Y i k - a * ffn_gradient d S B Y i k) <= ffn_energy n d S B Y).
(* claim: opt.ffn *)
Check (ffn.ffn_step_rises_past : forall d S a lambda v,
  symmetric S -> (forall k, (k < d)%nat -> times d v S k = lambda * v k) -> 0 < dot d v v ->
  0 < a -> 2 < a * (1 + lambda) ->
  ffn_energy 1 d S (fun _ _ => 0) (fun _ => v) < ffn_energy 1 d S (fun _ _ => 0)
    (fun i k => v k - a * ffn_gradient d S (fun _ _ => 0) (fun _ => v) i k)).

(* claim: opt.relu *)
Check (ffn.relu_step_descends : forall n d S B Y a lambda,
  symmetric S -> largest_at_most d S lambda -> 0 <= a -> a * (1 + lambda) <= 2 ->
  (forall i k, (i < n)%nat -> (k < d)%nat -> 0 <= Y i k) ->
  ffn_energy n d S B (fun i k => relu (Y i k - a * ffn_gradient d S B Y i k)) <=
  ffn_energy n d S B Y).
(* claim: opt.relu *)
Check (ffn.relu_prox : forall d v x, (forall k, (k < d)%nat -> 0 <= x k) ->
  let r := fun k => relu (v k) in
  sum d (fun k => (r k - v k) ^ 2) + sum d (fun k => (x k - r k) ^ 2) <=
  sum d (fun k => (x k - v k) ^ 2)).

(* claim: opt.relu-divergence *)
Check (ffn.relu_divergence : forall d x xi, (forall k, (k < d)%nat -> 0 <= x k) ->
  let t := fun k => relu (x k - xi k) - x k in
  dot d xi xi + sum d (fun k => Rmin (x k ^ 2 - xi k ^ 2) 0) <= dot d t t).

(* claim: opt.relu-divergence *)
Check (alternation.relu_step_falls : forall d h u L a kappa x,
  alternation.smooth d h u L -> 0 < a -> a * L <= 1 -> (forall k, (k < d)%nat -> 0 <= x k) ->
  alternation.K_set d kappa x (fun k => a * u x k) ->
  h (fun k => relu (x k - a * u x k)) <= h x - a / 2 * (1 - kappa) * dot d (u x) (u x)).

(* claim: opt.relu-symmetric *)
Check (ffn.relu_symmetric : forall d W x,
  symmetric W -> (forall t, - dot d t t <= quad d W t) -> (forall k, (k < d)%nat -> 0 <= x k) ->
  let E x := (dot d x x - quad d W x) / 2 in E (fun k => relu (times d x W k)) <= E x).

(* ---- Alternation, h = f + g ------------------------------------------------------------------ *)

(* claim: opt.half-step *)
Check (alternation.half_step : forall d h u (p q : vec -> vec) L b y,
  alternation.smooth d h u L -> (forall k, u y k = p y k + q y k) -> 0 <= b -> b * L <= 1 ->
  h (alternation.along y (fun k => - b * q y k)) <=
  h y - b / 2 * (dot d (u y) (u y) - dot d (p y) (p y))).

(* claim: opt.apollonius *)
Check (alternation.apollonius_descends : forall d h u (p q : vec -> vec) L Lf ch kappa b y yf yh,
  alternation.smooth d h u L -> (forall k, u y k = p y k + q y k) -> 0 <= b -> b * L <= 1 ->
  0 < Lf -> 0 <= kappa <= 1 -> 0 <= ch ->
  dot d (p y) (p y) <= Lf ^ 2 * alternation.distance2 d y yf ->
  ch ^ 2 * alternation.distance2 d y yh <= dot d (u y) (u y) ->
  alternation.distance2 d y yf <= (kappa * ch / Lf) ^ 2 * alternation.distance2 d y yh ->
  h (alternation.along y (fun k => - b * q y k)) <= h y).
(* claim: opt.apollonius *)
Check (alternation.apollonius_ball : forall d C y yf yh, 0 <= C < 1 ->
  let c := fun k => (yf k - C ^ 2 * yh k) / (1 - C ^ 2) in
  alternation.distance2 d y yf <= C ^ 2 * alternation.distance2 d y yh <->
  alternation.distance2 d y c <= (C / (1 - C ^ 2)) ^ 2 * alternation.distance2 d yf yh).
(* claim: opt.apollonius *)
Check (alternation.apollonius_outside : forall d C y yf yh, 1 < C ->
  let c := fun k => (yf k - C ^ 2 * yh k) / (1 - C ^ 2) in
  alternation.distance2 d y yf <= C ^ 2 * alternation.distance2 d y yh <->
  (C / (1 - C ^ 2)) ^ 2 * alternation.distance2 d yf yh <= alternation.distance2 d y c).
(* claim: opt.apollonius *)
Check (alternation.apollonius_half_space : forall d y yf yh,
  alternation.distance2 d y yf <= 1 ^ 2 * alternation.distance2 d y yh <->
  2 * dot d y (fun k => yh k - yf k) <= dot d yh yh - dot d yf yf).

(* claim: opt.cycle *)
Check (alternation.cycle : forall d h u (p q : vec -> vec) L Lg a y,
  alternation.smooth d h u L -> (forall k, u y k = p y k + q y k) -> alternation.lipschitz d q Lg ->
  0 <= a -> a * L <= 1 ->
  let y1 := alternation.along y (fun k => - a * p y k) in
  let y2 := alternation.along y1 (fun k => - a * q y1 k) in
  h y2 <= h y - a / 2 * (dot d (u y) (u y) - a ^ 2 * Lg ^ 2 * dot d (p y) (p y))).
(* Unequal steps: the energy is a f + b g. *)
(* claim: opt.cycle *)
Check (alternation.unequal_cycle : forall d ht ut (p q : vec -> vec) Lg a b y,
  alternation.smooth d ht ut 1 -> (forall k, ut y k = a * p y k + b * q y k) ->
  alternation.lipschitz d q Lg ->
  let y1 := alternation.along y (fun k => - a * p y k) in
  let y2 := alternation.along y1 (fun k => - b * q y1 k) in
  ht y2 <= ht y - / 2 * (dot d (ut y) (ut y) - a ^ 2 * b ^ 2 * Lg ^ 2 * dot d (p y) (p y))).

(* claim: opt.cycle-limit *)
Check (alternation.cycle_limit : forall d (p q : vec -> vec) Lf Lg ch a y yh,
  alternation.lipschitz d p Lf -> alternation.lipschitz d q Lg -> 0 <= Lf -> 0 <= Lg -> 0 < a ->
  a * Lf * Lg < ch ->
  ch * alternation.norm d (fun k => y k - yh k) <= alternation.norm d (fun k => p y k + q y k) ->
  let y1 := alternation.along y (fun k => - a * p y k) in
  (forall k, alternation.along y1 (fun k => - a * q y1 k) k = y k) ->
  alternation.norm d (fun k => y k - yh k) <=
  a * Lg * alternation.norm d (p yh) / (ch - a * Lf * Lg)).

(* claim: opt.relu-half-step *)
Check (alternation.relu_half_step : forall d h u (p q : vec -> vec) L b kappa y,
  alternation.smooth d h u L -> (forall k, u y k = p y k + q y k) ->
  0 <= b -> b * L <= 2 -> kappa <= 1 -> (forall k, (k < d)%nat -> 0 <= y k) ->
  alternation.K_set d kappa y (fun k => b * q y k) ->
  alternation.norm d (p y) <= (1 - b * L / 2) * sqrt (1 - kappa) * alternation.norm d (q y) ->
  h (fun k => relu (y k - b * q y k)) <= h y).

(* ---- Whole layers --------------------------------------------------------------------------- *)

(* claim: opt.parallel-layer *)
Check (heads.parallel_layer_descends : forall n d H m rho w W omega,
  admissible rho w -> 0 < w 0 -> kernel w ->
  (forall h, norm_at_most d (m h) (W h) (omega h)) -> forall S B lambda,
  symmetric S -> largest_at_most d S lambda -> forall Y theta,
  (forall i, (i < n)%nat -> 0 <= theta i /\
     theta i * (heads.heads_curvature n d H m w W omega Y i + (1 + lambda)) <= 2) ->
  heads.layer_energy n d H m rho W S B
    (fun i k => Y i k - theta i * heads.layer_gradient n d H m w W S B Y i k) <=
  heads.layer_energy n d H m rho W S B Y).
(* claim: opt.parallel-layer *)
Check (heads.parallel_relu_descends : forall n d H m rho w W omega,
  admissible rho w -> 0 < w 0 -> kernel w ->
  (forall h, norm_at_most d (m h) (W h) (omega h)) -> forall S B lambda,
  symmetric S -> largest_at_most d S lambda -> forall Y theta,
  (forall i, (i < n)%nat -> 0 <= theta i /\
     theta i * (heads.heads_curvature n d H m w W omega Y i + (1 + lambda)) <= 2) ->
  (forall i k, (i < n)%nat -> (k < d)%nat -> 0 <= Y i k) ->
  heads.layer_energy n d H m rho W S B
    (fun i k => relu (Y i k - theta i * heads.layer_gradient n d H m w W S B Y i k)) <=
  heads.layer_energy n d H m rho W S B Y).

(* claim: opt.contraction *)
Check (ranges.contraction : forall n d A phi S b ystar Y s r,
  ranges.averaging n A -> ranges.nonexpansive phi -> norm_at_most d d S (s ^ 2) ->
  (forall k, ranges.full_step d phi S b ystar k = ystar k) ->
  (forall j, (j < n)%nat -> ranges.squared d (Y j) ystar <= r ^ 2) ->
  forall i, (i < n)%nat ->
  ranges.squared d (ranges.full_step d phi S b (act n A Y i)) ystar <= (s * r) ^ 2).
(* claim: opt.contraction *)
Check (ranges.keep_nonexpansive : ranges.nonexpansive ranges.keep).
(* claim: opt.contraction *)
Check (ranges.relu_nonexpansive : ranges.nonexpansive relu).

(* W_a = 1, |S| <= 1: the full FFN step, with ReLU or without, cannot raise E. *)
Check (ranges.ffn_does_not_raise_attention_energy : forall n d rho phi S b Y, nondecreasing rho ->
  ranges.nonexpansive phi -> norm_at_most d d S 1 ->
  energy n d rho (fun i => ranges.full_step d phi S b (Y i)) <= energy n d rho Y).

(* ---- [Y]'s joined statement: no claim of its own yet --------------------------------------- *)

Check (joined.preconditioned_half_step : forall d (h : vec -> R) (y u q : vec) (M N : matrix),
  symmetric N -> (forall x k, (k < d)%nat -> times d (times d x N) M k = x k) ->
  (forall t, h (fun k => y k + t k) <= h y + dot d u t + quad d M t / 2) ->
  let p := fun k => u k - q k in
  h (fun k => y k + - times d q N k) <= h y - (quad d N u - quad d N p) / 2).

Check (joined.joined_layer_descends : forall n d rho w S B lambda,
  admissible rho w -> kernel w -> symmetric S -> largest_at_most d S lambda -> forall mu nu Y,
  let Y1 := joined.attention_half n d w mu Y in
  (forall i, (i < n)%nat -> 0 < mu i /\ degree n d w Y i + (1 + lambda) <= mu i) ->
  (forall i, (i < n)%nat -> 0 < nu i /\ degree n d w Y1 i + (1 + lambda) <= nu i) ->
  joined.scaled_square n d mu (ffn_gradient d S B Y) <=
  joined.scaled_square n d mu (joined.joint_gradient n d w S B Y) ->
  joined.scaled_square n d nu (joined.attention_gradient n d w Y1) <=
  joined.scaled_square n d nu (joined.joint_gradient n d w S B Y1) ->
  joined.joint n d rho S B (joined.ffn_half d S B nu Y1) <= joined.joint n d rho S B Y).
