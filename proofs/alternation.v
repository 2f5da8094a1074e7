(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Alternating half-steps on h = f + g: [Y]'s conditions, made exact.  u = grad h, p = grad f,
   q = grad g, all at y. *)

From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From Attest Require Import sums model double ffn.
Open Scope R_scope.

Definition along (y t : vec) : vec := fun k => y k + t k.
Definition distance2 d (x y : vec) := dot d (fun k => x k - y k) (fun k => x k - y k).

(* h(y + t) <= h(y) + <u(y), t> + L |t|^2/2, which an L-Lipschitz gradient u gives. *)
Definition smooth d (h : vec -> R) (u : vec -> vec) L :=
  forall y t, h (along y t) <= h y + dot d (u y) t + L / 2 * dot d t t.

(* |g(x) - g(y)| <= L |x - y|, squared. *)
Definition lipschitz d (g : vec -> vec) L := forall x y,
  distance2 d (g x) (g y) <= L ^ 2 * distance2 d x y.

Lemma dot_minus d x y : dot d (fun k => x k - y k) (fun k => x k - y k) =
  dot d x x - 2 * dot d x y + dot d y y.
Proof. unfold dot. rewrite <- sum_scale, <- sum_sub, <- sum_add. apply sum_ext. intros. ring. Qed.

(* With a step - (u + e): h falls by (|u|^2 - |e|^2) a/2. *)
Lemma step_with_error d h u L a y e : smooth d h u L -> 0 <= a -> a * L <= 1 ->
  h (along y (fun k => - a * (u y k + e k))) <= h y - a / 2 * (dot d (u y) (u y) - dot d e e).
Proof.
  intros Hs Ha HL. set (v := fun k => u y k + e k).
  assert (H := Hs y (fun k => - a * v k)).
  assert (H1 : dot d (u y) (fun k => - a * v k) = - a * (dot d (u y) (u y) + dot d (u y) e)).
  { unfold dot. rewrite <- sum_add, <- sum_scale. apply sum_ext. intros. unfold v. ring. }
  assert (H2 : dot d (fun k => - a * v k) (fun k => - a * v k) = a ^ 2 * dot d v v).
  { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. ring. }
  assert (H3 : dot d v v = dot d (u y) (u y) + 2 * dot d (u y) e + dot d e e).
  { unfold dot. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros. unfold v. ring. }
  assert (H4 := dot_self_nonneg d v). rewrite H1, H2 in H.
  assert (0 <= a * (1 - a * L) * dot d v v) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  assert (L / 2 * (a ^ 2 * dot d v v) <= a / 2 * dot d v v) by lra.
  rewrite H3 in *. change (h (along y (fun k => - a * v k)) <= h y - a / 2 * (dot d (u y) (u y) - dot d e e)).
  lra.
Qed.

(* opt.half-step *)
Theorem half_step d h u (p q : vec -> vec) L b y :
  smooth d h u L -> (forall k, u y k = p y k + q y k) -> 0 <= b -> b * L <= 1 ->
  h (along y (fun k => - b * q y k)) <= h y - b / 2 * (dot d (u y) (u y) - dot d (p y) (p y)).
Proof.
  intros Hs Hu Hb HL. assert (H := step_with_error d h u L b y (fun k => - p y k) Hs Hb HL).
  replace (fun k => - b * q y k) with (fun k => - b * (u y k + - p y k))
    by (extensionality k; rewrite Hu; ring).
  replace (dot d (p y) (p y)) with (dot d (fun k => - p y k) (fun k => - p y k)); [exact H|].
  apply sum_ext. intros. ring.
Qed.

(* opt.apollonius: there |p| <= |u|, so a half-step does not rise, *)
Theorem apollonius_descends d h u (p q : vec -> vec) L Lf ch kappa b y yf yh :
  smooth d h u L -> (forall k, u y k = p y k + q y k) -> 0 <= b -> b * L <= 1 ->
  0 < Lf -> 0 <= kappa <= 1 -> 0 <= ch ->
  dot d (p y) (p y) <= Lf ^ 2 * distance2 d y yf ->
  ch ^ 2 * distance2 d y yh <= dot d (u y) (u y) ->
  distance2 d y yf <= (kappa * ch / Lf) ^ 2 * distance2 d y yh ->
  h (along y (fun k => - b * q y k)) <= h y.
Proof.
  intros Hs Hu Hb HL HLf Hk Hc Hp Hh Hin. assert (H := half_step d h u p q L b y Hs Hu Hb HL).
  assert (Hd := dot_self_nonneg d (fun k => y k - yh k)). fold (distance2 d y yh) in Hd.
  assert (H1 : Lf ^ 2 * distance2 d y yf <= kappa ^ 2 * (ch ^ 2 * distance2 d y yh)).
  { replace (kappa ^ 2 * (ch ^ 2 * distance2 d y yh))
      with (Lf ^ 2 * ((kappa * ch / Lf) ^ 2 * distance2 d y yh)) by (field; lra).
    apply Rmult_le_compat_l; [apply pow2_ge_0|assumption]. }
  assert (H2 : 0 <= ch ^ 2 * distance2 d y yh) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]).
  assert (H3 : kappa ^ 2 <= 1) by nra.
  assert (H4 : kappa ^ 2 * (ch ^ 2 * distance2 d y yh) <= 1 * (ch ^ 2 * distance2 d y yh))
    by (apply Rmult_le_compat_r; assumption).
  assert (0 <= b / 2 * (dot d (u y) (u y) - dot d (p y) (p y))) by (apply Rmult_le_pos; lra). lra.
Qed.

(* and that set is a ball (C < 1), the outside of one (C > 1), *)
Lemma apollonius_identity d C y yf yh : C ^ 2 <> 1 ->
  let c := fun k => (yf k - C ^ 2 * yh k) / (1 - C ^ 2) in
  distance2 d y yf - C ^ 2 * distance2 d y yh =
  (1 - C ^ 2) * (distance2 d y c - (C / (1 - C ^ 2)) ^ 2 * distance2 d yf yh).
Proof.
  intros HC c. unfold distance2, dot.
  rewrite <- !sum_scale, <- !sum_sub, <- sum_scale. apply sum_ext. intros k _. unfold c. field. lra.
Qed.

Theorem apollonius_ball d C y yf yh : 0 <= C < 1 ->
  let c := fun k => (yf k - C ^ 2 * yh k) / (1 - C ^ 2) in
  distance2 d y yf <= C ^ 2 * distance2 d y yh <->
  distance2 d y c <= (C / (1 - C ^ 2)) ^ 2 * distance2 d yf yh.
Proof.
  intros HC c. assert (H1 : C ^ 2 < 1) by nra.
  assert (H := apollonius_identity d C y yf yh ltac:(lra)). cbv zeta in H. fold c in H.
  set (z := distance2 d y c - _) in H.
  split; intros Hle.
  - assert (z <= 0); [|unfold z in *; lra].
    apply Rmult_le_reg_l with (1 - C ^ 2); lra.
  - assert ((1 - C ^ 2) * z <= (1 - C ^ 2) * 0); [|lra].
    apply Rmult_le_compat_l; [lra|unfold z; lra].
Qed.

Theorem apollonius_outside d C y yf yh : 1 < C ->
  let c := fun k => (yf k - C ^ 2 * yh k) / (1 - C ^ 2) in
  distance2 d y yf <= C ^ 2 * distance2 d y yh <->
  (C / (1 - C ^ 2)) ^ 2 * distance2 d yf yh <= distance2 d y c.
Proof.
  intros HC c. assert (H1 : 1 < C ^ 2) by nra.
  assert (H := apollonius_identity d C y yf yh ltac:(lra)). cbv zeta in H. fold c in H.
  set (z := distance2 d y c - _) in H.
  split; intros Hle.
  - assert (0 <= z); [|unfold z in *; lra].
    apply Rmult_le_reg_l with (C ^ 2 - 1); lra.
  - assert ((C ^ 2 - 1) * 0 <= (C ^ 2 - 1) * z); [|lra].
    apply Rmult_le_compat_l; [lra|unfold z; lra].
Qed.

(* or a half-space (C = 1). *)
Theorem apollonius_half_space d y yf yh :
  distance2 d y yf <= 1 ^ 2 * distance2 d y yh <->
  2 * dot d y (fun k => yh k - yf k) <= dot d yh yh - dot d yf yf.
Proof.
  assert (E : dot d y (fun k => yh k - yf k) = dot d y yh - dot d y yf).
  { unfold dot. rewrite <- sum_sub. apply sum_ext. intros. ring. }
  unfold distance2. rewrite !dot_minus, E. split; lra.
Qed.

(* opt.cycle and its unequal steps: the energy is a f + b g; a = b gives a h. *)
Theorem unequal_cycle d ht ut (p q : vec -> vec) Lg a b y :
  smooth d ht ut 1 -> (forall k, ut y k = a * p y k + b * q y k) -> lipschitz d q Lg ->
  let y1 := along y (fun k => - a * p y k) in
  let y2 := along y1 (fun k => - b * q y1 k) in
  ht y2 <= ht y - / 2 * (dot d (ut y) (ut y) - a ^ 2 * b ^ 2 * Lg ^ 2 * dot d (p y) (p y)).
Proof.
  intros Hs Hu Hl y1 y2. set (e := fun k => b * (q y1 k - q y k)).
  assert (H := step_with_error d ht ut 1 1 y e Hs ltac:(lra) ltac:(lra)).
  replace (along y (fun k => - (1) * (ut y k + e k))) with y2 in H
    by (extensionality k; unfold e, y2, y1, along; rewrite Hu; ring).
  assert (He : dot d e e = b ^ 2 * distance2 d (q y1) (q y)).
  { unfold distance2, dot. rewrite <- sum_scale. apply sum_ext. intros. unfold e. ring. }
  assert (Hy : distance2 d y1 y = a ^ 2 * dot d (p y) (p y)).
  { unfold distance2, dot. rewrite <- sum_scale. apply sum_ext. intros. unfold y1, along. ring. }
  specialize (Hl y1 y). rewrite Hy in Hl.
  assert (b ^ 2 * distance2 d (q y1) (q y) <= b ^ 2 * (Lg ^ 2 * (a ^ 2 * dot d (p y) (p y))))
    by (apply Rmult_le_compat_l; [apply pow2_ge_0|assumption]). lra.
Qed.

Theorem cycle d h u (p q : vec -> vec) L Lg a y :
  smooth d h u L -> (forall k, u y k = p y k + q y k) -> lipschitz d q Lg ->
  0 <= a -> a * L <= 1 ->
  let y1 := along y (fun k => - a * p y k) in
  let y2 := along y1 (fun k => - a * q y1 k) in
  h y2 <= h y - a / 2 * (dot d (u y) (u y) - a ^ 2 * Lg ^ 2 * dot d (p y) (p y)).
Proof.
  intros Hs Hu Hl Ha HL y1 y2. set (e := fun k => q y1 k - q y k).
  assert (H := step_with_error d h u L a y e Hs Ha HL).
  replace (along y (fun k => - a * (u y k + e k))) with y2 in H
    by (extensionality k; unfold e, y2, y1, along; rewrite Hu; ring).
  assert (Hy : distance2 d y1 y = a ^ 2 * dot d (p y) (p y)).
  { unfold distance2, dot. rewrite <- sum_scale. apply sum_ext. intros. unfold y1, along. ring. }
  specialize (Hl y1 y). rewrite Hy in Hl. change (distance2 d (q y1) (q y)) with (dot d e e) in Hl.
  assert (a / 2 * dot d e e <= a / 2 * (Lg ^ 2 * (a ^ 2 * dot d (p y) (p y))))
    by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* opt.cycle-limit: a fixed point of the cycle is near y_h*, where grad h = 0.  Norms are roots. *)
Definition norm d x := sqrt (dot d x x).

Lemma norm_nonneg d x : 0 <= norm d x.
Proof. apply sqrt_pos. Qed.

Lemma norm_square d x : norm d x * norm d x = dot d x x.
Proof. apply sqrt_sqrt, dot_self_nonneg. Qed.

Lemma dot_norms d x y : dot d x y <= norm d x * norm d y.
Proof.
  assert (H := cauchy d x y). rewrite <- !norm_square in H.
  assert (Hx := norm_nonneg d x). assert (Hy := norm_nonneg d y).
  apply Rnot_lt_le. intros Hlt. assert (0 <= norm d x * norm d y) by now apply Rmult_le_pos.
  nra.
Qed.

Lemma norm_triangle d x y : norm d (fun k => x k + y k) <= norm d x + norm d y.
Proof.
  assert (Hx := norm_nonneg d x). assert (Hy := norm_nonneg d y).
  assert (H := dot_norms d x y).
  apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite norm_square.
  assert (E : dot d (fun k => x k + y k) (fun k => x k + y k) =
              dot d x x + 2 * dot d x y + dot d y y).
  { unfold dot. rewrite <- sum_scale, <- !sum_add. apply sum_ext. intros. ring. }
  rewrite E, <- !norm_square. lra.
Qed.

Lemma norm_le d x y c : 0 <= c -> dot d x x <= c ^ 2 * dot d y y -> norm d x <= c * norm d y.
Proof.
  intros Hc H. apply Rsqr_incr_0_var; [|apply Rmult_le_pos; [assumption|apply norm_nonneg]].
  unfold Rsqr. replace (c * norm d y * (c * norm d y)) with (c ^ 2 * (norm d y * norm d y)) by ring.
  now rewrite !norm_square.
Qed.

Theorem cycle_limit d (p q : vec -> vec) Lf Lg ch a y yh :
  lipschitz d p Lf -> lipschitz d q Lg -> 0 <= Lf -> 0 <= Lg -> 0 < a -> a * Lf * Lg < ch ->
  (* h = f + g is c_h-strongly convex with its minimum at y_h *)
  ch * norm d (fun k => y k - yh k) <= norm d (fun k => p y k + q y k) ->
  let y1 := along y (fun k => - a * p y k) in
  (forall k, along y1 (fun k => - a * q y1 k) k = y k) ->
  norm d (fun k => y k - yh k) <= a * Lg * norm d (p yh) / (ch - a * Lf * Lg).
Proof.
  intros Hp Hq HLf HLg Ha Hch Hc y1 Hfix.
  assert (H1 : forall k, p y k + q y k = q y k - q y1 k).
  { intros k. specialize (Hfix k). unfold along in Hfix at 1. unfold y1 at 1 in Hfix. unfold along in Hfix at 1.
    assert (a * (p y k + q y1 k) = 0) by lra.
    assert (p y k + q y1 k = 0) by (apply Rmult_eq_reg_l with a; lra). lra. }
  assert (H2 : norm d (fun k => p y k + q y k) <= a * Lg * norm d (p y)).
  { replace (fun k => p y k + q y k) with (fun k => q y k - q y1 k) by (extensionality k; auto).
    apply norm_le; [apply Rmult_le_pos; lra|].
    assert (Hl := Hq y y1). fold (distance2 d (q y) (q y1)). eapply Rle_trans; [exact Hl|].
    apply Req_le. unfold distance2, dot. rewrite <- !sum_scale. apply sum_ext. intros.
    unfold y1, along. ring. }
  assert (H3 : norm d (p y) <= norm d (p yh) + Lf * norm d (fun k => y k - yh k)).
  { replace (p y) with (fun k => p yh k + (p y k - p yh k)) by (extensionality k; ring).
    eapply Rle_trans; [apply norm_triangle|]. apply Rplus_le_compat_l.
    apply norm_le; [assumption|apply (Hp y yh)]. }
  assert (H4 : a * Lg * norm d (p y) <= a * Lg * (norm d (p yh) + Lf * norm d (fun k => y k - yh k)))
    by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
  apply Rmult_le_reg_r with (ch - a * Lf * Lg); [lra|]. unfold Rdiv.
  rewrite (Rmult_assoc _ (/ _)), Rinv_l, Rmult_1_r by lra. lra.
Qed.

(* ---- With a ReLU ---------------------------------------------------------------------------- *)

Definition K_set d kappa (x xi : vec) :=
  - kappa * dot d xi xi <= sum d (fun k => Rmin (x k ^ 2 - xi k ^ 2) 0).

Lemma relu_moves d kappa x xi : (forall k, (k < d)%nat -> 0 <= x k) -> K_set d kappa x xi ->
  let t := fun k => relu (x k - xi k) - x k in (1 - kappa) * dot d xi xi <= dot d t t.
Proof. intros Hx HK t. assert (H := relu_divergence d x xi Hx). cbv zeta in H. fold t in H. unfold K_set in HK. lra. Qed.

(* opt.relu-divergence: on K_kappa the gradient step with ReLU falls by (a/2)(1 - kappa)|u|^2 *)
Theorem relu_step_falls d h u L a kappa x :
  smooth d h u L -> 0 < a -> a * L <= 1 -> (forall k, (k < d)%nat -> 0 <= x k) ->
  K_set d kappa x (fun k => a * u x k) ->
  h (fun k => relu (x k - a * u x k)) <= h x - a / 2 * (1 - kappa) * dot d (u x) (u x).
Proof.
  intros Hs Ha HL Hx HK. set (t := fun k => relu (x k - a * u x k) - x k).
  assert (H := Hs x t). assert (H1 := obeys_inner d a (u x) t (relu_obeys d a (u x) x Hx)).
  assert (H2 : (1 - kappa) * dot d (fun k => a * u x k) (fun k => a * u x k) <= dot d t t)
    by exact (relu_moves d kappa x (fun k => a * u x k) Hx HK).
  assert (E : dot d (fun k => a * u x k) (fun k => a * u x k) = a ^ 2 * dot d (u x) (u x)).
  { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. ring. }
  rewrite E in H2.
  replace (along x t) with (fun k => relu (x k - a * u x k)) in H
    by (extensionality k; unfold along, t; ring).
  assert (H3 := dot_self_nonneg d t).
  assert (H4 : (1 - a * L) * dot d t t >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
  set (tt := dot d t t) in *. set (uu := dot d (u x) (u x)) in *. set (ut := dot d (u x) t) in *.
  apply Rmult_le_reg_l with a; [assumption|]. apply (Rmult_le_compat_l a) in H; [|lra].
  lra.
Qed.

(* opt.relu-half-step *)
Theorem relu_half_step d h u (p q : vec -> vec) L b kappa y :
  smooth d h u L -> (forall k, u y k = p y k + q y k) -> 0 <= b -> b * L <= 2 -> kappa <= 1 ->
  (forall k, (k < d)%nat -> 0 <= y k) -> K_set d kappa y (fun k => b * q y k) ->
  norm d (p y) <= (1 - b * L / 2) * sqrt (1 - kappa) * norm d (q y) ->
  h (fun k => relu (y k - b * q y k)) <= h y.
Proof.
  intros Hs Hu Hb HL Hk Hy HK Hp. set (t := fun k => relu (y k - b * q y k) - y k).
  assert (H := Hs y t). assert (Ho := relu_obeys d b (q y) y Hy). fold t in Ho.
  assert (H1 := obeys_inner d b (q y) t Ho).
  replace (along y t) with (fun k => relu (y k - b * q y k)) in H
    by (extensionality k; unfold along, t; ring).
  assert (E0 : dot d (u y) t = dot d (p y) t + dot d (q y) t).
  { unfold dot. rewrite <- sum_add. apply sum_ext. intros. rewrite Hu. ring. }
  rewrite E0 in H.
  destruct (Req_dec b 0) as [->|Hne].
  { assert (H0 : forall k, (k < d)%nat -> t k = 0) by (intros k Hlt; specialize (Ho k Hlt); rewrite Rmult_0_l, Rplus_0_l in Ho;
        assert (Hq := Rle_0_sqr (t k)); unfold Rsqr in Hq; apply Rsqr_0_uniq; unfold Rsqr; lra).
    assert (Hz : forall x, dot d x t = 0).
    { intros x. unfold dot. rewrite <- (sum_zero d). apply sum_ext. intros. rewrite H0 by assumption. ring. }
    rewrite !Hz in H. lra. }
  assert (Hb0 : 0 < b) by lra. set (s := sqrt (1 - kappa)).
  assert (Hs0 : 0 <= s) by apply sqrt_pos. assert (Hss : s * s = 1 - kappa) by (apply sqrt_sqrt; lra).
  assert (H2 : (1 - kappa) * dot d (fun k => b * q y k) (fun k => b * q y k) <= dot d t t)
    by exact (relu_moves d kappa y (fun k => b * q y k) Hy HK).
  assert (E : dot d (fun k => b * q y k) (fun k => b * q y k) = b ^ 2 * dot d (q y) (q y)).
  { unfold dot. rewrite <- sum_scale. apply sum_ext. intros. ring. }
  rewrite E, <- Hss, <- (norm_square d (q y)), <- (norm_square d t) in H2.
  assert (Hq := norm_nonneg d (q y)). assert (Ht := norm_nonneg d t).
  assert (H3 : s * b * norm d (q y) <= norm d t).
  { apply Rsqr_incr_0_var; [|assumption]. unfold Rsqr. lra. }
  assert (H4 : b * norm d (p y) <= (1 - b * L / 2) * norm d t).
  { apply Rle_trans with ((1 - b * L / 2) * (s * b * norm d (q y))).
    - apply (Rmult_le_compat_l b) in Hp; [|lra]. fold s in Hp. lra.
    - apply Rmult_le_compat_l; lra. }
  assert (H5 := dot_norms d (p y) t).
  assert (H6 : b * norm d (p y) * norm d t <= (1 - b * L / 2) * norm d t * norm d t)
    by (apply Rmult_le_compat_r; assumption).
  assert (H7 : b * dot d (p y) t <= b * (norm d (p y) * norm d t)) by (apply Rmult_le_compat_l; lra).
  rewrite <- (norm_square d t) in H, H1.
  apply Rmult_le_reg_l with b; [assumption|]. apply (Rmult_le_compat_l b) in H; [|lra]. lra.
Qed.
