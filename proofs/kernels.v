(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Weight matrices are positive semidefinite for every number of rows and columns: (PSD). *)

From Coq Require Import Reals Lra Lia Psatz.
From Attest Require Import sums model double descent.
Open Scope R_scope.

Lemma psd_ext n K L :
  (forall i j, (i < n)%nat -> (j < n)%nat -> K i j = L i j) -> psd n K -> psd n L.
Proof.
  intros H HK c. rewrite <- (sum2_ext n (fun i j => c i * c j * K i j)); [apply HK|].
  intros. now rewrite H.
Qed.

Lemma psd_one n : psd n (fun _ _ => 1).
Proof.
  intros c. replace (sum2 n (fun i j => c i * c j * 1)) with (sum n c * sum n c); [nra|].
  unfold sum2. rewrite <- sum_scale_r. apply sum_ext. intros. rewrite <- sum_scale.
  apply sum_ext. intros. ring.
Qed.

Lemma psd_add n K L : psd n K -> psd n L -> psd n (fun i j => K i j + L i j).
Proof.
  intros HK HL c. rewrite (sum2_ext n _ (fun i j => c i * c j * K i j + c i * c j * L i j))
    by (intros; ring).
  rewrite sum2_add. specialize (HK c). specialize (HL c). lra.
Qed.

Lemma psd_scale n a K : 0 <= a -> psd n K -> psd n (fun i j => a * K i j).
Proof.
  intros Ha HK c. rewrite (sum2_ext n _ (fun i j => a * (c i * c j * K i j))) by (intros; ring).
  rewrite sum2_scale. apply Rmult_le_pos; [assumption|apply HK].
Qed.

Lemma psd_conjugate n (u : nat -> R) K : psd n K -> psd n (fun i j => u i * u j * K i j).
Proof.
  intros HK c. rewrite (sum2_ext n _ (fun i j => (c i * u i) * (c j * u j) * K i j)) by (intros; ring).
  apply (HK (fun i => c i * u i)).
Qed.

(* Schur's product with a Gram matrix, and with its powers. *)
Lemma psd_dot n d (Y : matrix) K : psd n K -> psd n (fun i j => dot d (Y i) (Y j) * K i j).
Proof.
  intros HK c. unfold dot.
  rewrite (sum2_ext n _ (fun i j => sum d (fun k => (c i * Y i k) * (c j * Y j k) * K i j))).
  - rewrite <- (sum2_columns n d (fun k i j => (c i * Y i k) * (c j * Y j k) * K i j)).
    apply sum_nonneg. intros k _. apply (HK (fun i => c i * Y i k)).
  - intros i j _ _. rewrite <- sum_scale_r, <- sum_scale. apply sum_ext. intros. ring.
Qed.

Lemma psd_power n d (Y : matrix) K m : psd n K -> psd n (fun i j => dot d (Y i) (Y j) ^ m * K i j).
Proof.
  intros HK. induction m as [|m IH].
  - now apply (psd_ext n K); [intros; simpl; ring|].
  - apply (psd_ext n (fun i j => dot d (Y i) (Y j) * (dot d (Y i) (Y j) ^ m * K i j)));
      [intros; simpl; ring|now apply psd_dot].
Qed.

Definition partial_exp m x := sum_f_R0 (fun l => / INR (fact l) * x ^ l) m.

Lemma psd_partial n d (Y : matrix) K m : psd n K ->
  psd n (fun i j => partial_exp m (dot d (Y i) (Y j)) * K i j).
Proof.
  intros HK. unfold partial_exp.
  assert (H : forall l, psd n (fun i j => / INR (fact l) * (dot d (Y i) (Y j) ^ l * K i j))).
  { intros l. apply psd_scale; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|now apply psd_power]. }
  induction m as [|m IH]; simpl.
  - apply (psd_ext n (fun i j => / INR (fact 0) * (dot d (Y i) (Y j) ^ 0 * K i j)));
      [intros; simpl; ring|apply H].
  - eapply psd_ext; [|apply (psd_add n _ _ IH (H (S m)))]. intros. cbv beta. simpl. ring.
Qed.

(* ---- Limits --------------------------------------------------------------------------------- *)

Lemma limit_const a : Un_cv (fun _ => a) a.
Proof.
  intros e He. exists 0%nat. intros. unfold R_dist. replace (a - a) with 0 by ring. now rewrite Rabs_R0.
Qed.

Lemma sum_limit n (f : nat -> nat -> R) l :
  (forall i, (i < n)%nat -> Un_cv (f i) (l i)) -> Un_cv (fun m => sum n (fun i => f i m)) (sum n l).
Proof.
  induction n as [|n IH]; simpl; intros H; [apply limit_const|].
  apply CV_plus; [apply IH; intros|]; apply H; lia.
Qed.

Lemma limit_nonneg (u : nat -> R) l : Un_cv u l -> (forall m, 0 <= u m) -> 0 <= l.
Proof.
  intros Hu H. apply Rnot_lt_le. intros Hl. destruct (Hu (- l) ltac:(lra)) as (m & Hm).
  specialize (Hm m (le_n m)). specialize (H m). unfold R_dist in Hm. apply Rabs_def2 in Hm. lra.
Qed.

Lemma psd_limit n (K : nat -> matrix) L :
  (forall m, psd n (K m)) -> (forall i j, Un_cv (fun m => K m i j) (L i j)) -> psd n L.
Proof.
  intros HK HL c.
  apply (limit_nonneg (fun m => sum2 n (fun i j => c i * c j * K m i j))); [|intros m; apply HK].
  apply (sum_limit n (fun i m => sum n (fun j => c i * c j * K m i j))). intros i _.
  apply (sum_limit n (fun j m => c i * c j * K m i j)). intros j _.
  apply CV_mult; [apply limit_const|apply HL].
Qed.

Lemma archimedes x : exists m, forall k, (k >= m)%nat -> x < INR k.
Proof.
  exists (Z.to_nat (up x)). intros k Hk. destruct (archimed x) as [H _].
  apply Rlt_le_trans with (IZR (up x)); [lra|]. rewrite INR_IZR_INZ. apply IZR_le. lia.
Qed.

(* ---- The Gaussian kernel, rho = - exp(-z) ---------------------------------------------------- *)

Lemma psd_exp_dot n d (Y : matrix) K : psd n K -> psd n (fun i j => exp (dot d (Y i) (Y j)) * K i j).
Proof.
  intros HK. apply (psd_limit n (fun m i j => partial_exp m (dot d (Y i) (Y j)) * K i j)).
  - intros m. now apply psd_partial.
  - intros i j. apply CV_mult; [|apply limit_const]. unfold exp.
    destruct (exist_exp (dot d (Y i) (Y j))) as (x & Hx). simpl. exact Hx.
Qed.

Lemma dist_dot d (Y : matrix) i j :
  dist d Y i j = dot d (Y i) (Y i) / 2 + dot d (Y j) (Y j) / 2 - dot d (Y i) (Y j).
Proof.
  unfold dist, dot. unfold Rdiv. rewrite <- !sum_scale_r, <- sum_add, <- sum_sub.
  apply sum_ext. intros. field.
Qed.

(* exp(- s z) for s >= 0: rows times the root of s. *)
Lemma psd_gaussian_times n d (Y : matrix) s K : 0 <= s -> psd n K ->
  psd n (fun i j => exp (- (s * dist d Y i j)) * K i j).
Proof.
  intros Hs HK. set (Z := fun i k => sqrt s * Y i k).
  set (u := fun i => exp (- (dot d (Z i) (Z i) / 2))).
  apply (psd_ext n (fun i j => u i * u j * (exp (dot d (Z i) (Z j)) * K i j))).
  - intros i j _ _. unfold u. rewrite <- !Rmult_assoc, <- !exp_plus. do 2 f_equal.
    assert (H : forall i j, dot d (Z i) (Z j) = s * dot d (Y i) (Y j)).
    { intros. unfold dot, Z. rewrite <- sum_scale. apply sum_ext. intros.
      rewrite <- (sqrt_sqrt s Hs) at 3. ring. }
    rewrite !H, dist_dot. field.
  - now apply psd_conjugate, psd_exp_dot.
Qed.

Theorem kernel_gaussian : kernel gaussian'.
Proof.
  intros n d Y. apply (psd_ext n (fun i j => exp (- (1 * dist d Y i j)) * 1)).
  - intros. unfold weight, gaussian'. rewrite Rmult_1_l. ring.
  - apply psd_gaussian_times; [lra|apply psd_one].
Qed.

(* ---- K_ij/(c + z): the integral of exp(- s (c + z)) over s ---------------------------------- *)

(* A sum of differentiable functions whose derivative is never negative rises from its value at 0. *)
Lemma rises (G g : R -> R) T : 0 <= T -> (forall t, derivable_pt_lim G t (g t)) ->
  (forall t, 0 <= t -> 0 <= g t) -> G 0 <= G T.
Proof.
  intros HT HG Hg. destruct (Req_dec T 0) as [->|H0]; [lra|].
  destruct (MVT_cor2 G g 0 T ltac:(lra)) as (x & Hx & Hx0); [intros; apply HG|].
  specialize (Hg x ltac:(lra)). nra.
Qed.

Lemma derivable_sum m : forall (f f' : nat -> R -> R) t,
  (forall i, derivable_pt_lim (f i) t (f' i t)) ->
  derivable_pt_lim (fun t => sum m (fun i => f i t)) t (sum m (fun i => f' i t)).
Proof.
  induction m as [|m IH]; intros f f' t H; simpl; [apply (derivable_pt_lim_const 0)|].
  apply (derivable_pt_lim_plus (fun t => sum m (fun i => f i t)) (f m)); [now apply IH|apply H].
Qed.

(* Entries that rise from 0 at a rate which is positive semidefinite. *)
Lemma psd_grows n (F f : R -> matrix) T : 0 <= T ->
  (forall i j t, derivable_pt_lim (fun t => F t i j) t (f t i j)) ->
  (forall t, 0 <= t -> psd n (f t)) -> (forall i j, F 0 i j = 0) -> psd n (F T).
Proof.
  intros HT HF Hf H0 c. set (G := fun t => sum2 n (fun i j => c i * c j * F t i j)).
  assert (E : G 0 = 0).
  { unfold G. rewrite (sum2_ext n _ (fun _ _ => 0 * 0)) by (intros; rewrite H0; ring).
    rewrite sum2_scale. ring. }
  change (0 <= G T). rewrite <- E.
  apply (rises G (fun t => sum2 n (fun i j => c i * c j * f t i j)) T HT).
  - intros t. unfold G, sum2.
    apply (derivable_sum n (fun i t => sum n (fun j => c i * c j * F t i j))
                           (fun i t => sum n (fun j => c i * c j * f t i j))).
    intros i. apply (derivable_sum n (fun j t => c i * c j * F t i j) (fun j t => c i * c j * f t i j)).
    intros j. apply (derivable_pt_lim_scal (fun t => F t i j) (c i * c j)), HF.
  - intros t Ht. now apply Hf.
Qed.

Lemma psd_over n d (Y : matrix) c K : 0 < c -> psd n K ->
  psd n (fun i j => K i j / (c + dist d Y i j)).
Proof.
  intros Hc HK. set (a := fun i j => c + dist d Y i j).
  assert (Ha : forall i j, 0 < a i j).
  { intros i j. unfold a. assert (H := dist_nonneg d Y i j). lra. }
  apply (psd_limit n (fun m i j => K i j * (1 - exp (- a i j * INR m)) / a i j)).
  - intros m. apply (psd_grows n (fun t i j => K i j * (1 - exp (- a i j * t)) / a i j)
      (fun t i j => K i j * exp (- a i j * t)) (INR m) (pos_INR m)).
    + intros i j t. specialize (Ha i j).
      assert (H1 : derivable_pt_lim (fun t => exp (- a i j * t)) t (exp (- a i j * t) * - a i j)).
      { apply (derivable_pt_lim_comp (fun t => - a i j * t) exp); [|apply derivable_pt_lim_exp].
        assert (H0 := derivable_pt_lim_scal id (- a i j) t 1 (derivable_pt_lim_id t)).
        rewrite Rmult_1_r in H0. exact H0. }
      apply (derivable_pt_lim_scal _ (- (K i j / a i j))) in H1.
      assert (H2 := derivable_pt_lim_plus (fct_cte (K i j / a i j)) _ t _ _
        (derivable_pt_lim_const _ t) H1).
      replace (0 + - (K i j / a i j) * (exp (- a i j * t) * - a i j))
        with (K i j * exp (- a i j * t)) in H2 by (field; lra).
      apply (derivable_pt_lim_ext _ _ t _) with (2 := H2). intros z.
      unfold plus_fct, mult_real_fct, fct_cte. field. lra.
    + intros t Ht. apply (psd_ext n (fun i j => exp (- (t * c)) * (exp (- (t * dist d Y i j)) * K i j))).
      * intros i j _ _. rewrite <- Rmult_assoc, <- exp_plus, Rmult_comm. do 2 f_equal. unfold a. ring.
      * apply psd_scale; [left; apply exp_pos|]. now apply psd_gaussian_times.
    + intros i j. specialize (Ha i j). rewrite Rmult_0_r, exp_0. field. lra.
  - intros i j. fold (a i j). specialize (Ha i j).
    replace (K i j / a i j) with (K i j * (1 - 0) / a i j) by (field; lra).
    apply CV_mult; [|apply limit_const]. apply CV_mult; [apply limit_const|].
    apply CV_minus; [apply limit_const|].
    intros e He. destruct (archimedes (/ e / a i j)) as (m & Hm). exists m. intros k Hk.
    specialize (Hm k Hk). unfold R_dist. rewrite Rminus_0_r, Rabs_right by (left; apply exp_pos).
    assert (H1 : / e < INR k * a i j).
    { apply (Rmult_lt_compat_r (a i j)) in Hm; [|assumption]. unfold Rdiv in Hm.
      rewrite Rmult_assoc, Rinv_l in Hm by lra. lra. }
    assert (Hie : 0 < / e) by now apply Rinv_0_lt_compat.
    assert (H2 := exp_ineq1_le (INR k * a i j)).
    replace (- a i j * INR k) with (- (INR k * a i j)) by ring. rewrite exp_Ropp.
    rewrite <- (Rinv_inv e). apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra].
Qed.

(* rho = log(2 + z) *)
Theorem kernel_logarithm : kernel logarithm'.
Proof.
  intros n d Y. apply (psd_ext n (fun i j => 1 / (2 + dist d Y i j))).
  - intros. unfold weight, logarithm'. unfold Rdiv. ring.
  - apply psd_over; [lra|apply psd_one].
Qed.

(* rho = z/(1 + z) *)
Theorem kernel_saturating : kernel saturating'.
Proof.
  intros n d Y. apply (psd_ext n (fun i j => 1 / (1 + dist d Y i j) / (1 + dist d Y i j))).
  - intros i j _ _. unfold weight, saturating'. assert (H := dist_nonneg d Y i j). field. lra.
  - apply psd_over; [lra|]. apply psd_over; [lra|apply psd_one].
Qed.

(* ---- 1/sqrt(a) is the integral of 1/(a + u^2), but for the factor 2/pi ----------------------- *)

Lemma atan_limit r : 0 < r -> Un_cv (fun m => atan (r * INR m)) (PI / 2).
Proof.
  intros Hr e He. destruct (archimedes (/ e / r)) as (m & Hm). exists m. intros k Hk.
  specialize (Hm k Hk). set (x := r * INR k).
  assert (Hie : 0 < / e) by now apply Rinv_0_lt_compat.
  assert (Hx : / e < x).
  { apply (Rmult_lt_compat_r r) in Hm; [|assumption]. unfold Rdiv in Hm.
    rewrite Rmult_assoc, Rinv_l in Hm by lra. unfold x. lra. }
  assert (Hix : / x < e) by (rewrite <- (Rinv_inv e); apply Rinv_lt_contravar; [apply Rmult_lt_0_compat|]; lra).
  assert (Hx0 : 0 < / x) by (apply Rinv_0_lt_compat; lra).
  assert (Hup : forall y, 0 <= y -> 0 <= atan y <= y).
  { intros y Hy. split.
    - rewrite <- atan_0. destruct (Req_dec y 0) as [->|]; [lra|]. left. apply atan_increasing. lra.
    - destruct (Req_dec y 0) as [->|]; [rewrite atan_0; lra|].
      destruct (MVT_cor2 atan (fun z => / (1 + z ^ 2)) 0 y ltac:(lra)) as (z & Hz & _);
        [intros; apply derivable_pt_lim_atan|].
      rewrite atan_0, !Rminus_0_r in Hz. rewrite Hz.
      assert (/ (1 + z ^ 2) <= 1); [|nra].
      rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; [lra|]. assert (H1 := pow2_ge_0 z). lra. }
  unfold R_dist. fold x.
  assert (Hinv := atan_inv (/ x) Hx0). rewrite Rinv_inv in Hinv. rewrite Hinv.
  specialize (Hup (/ x) ltac:(lra)). apply Rabs_def1; lra.
Qed.

(* rho = sqrt(1 + z) *)
Theorem kernel_root : kernel root'.
Proof.
  intros n d Y. set (r := fun i j => / sqrt (1 + dist d Y i j)).
  assert (Hs : forall i j, 0 < sqrt (1 + dist d Y i j)).
  { intros i j. apply sqrt_lt_R0. assert (H := dist_nonneg d Y i j). lra. }
  assert (Hr : forall i j, 0 < r i j) by (intros; apply Rinv_0_lt_compat, Hs).
  assert (HP := PI_RGT_0).
  apply (psd_ext n (fun i j => / PI * (PI / 2 * r i j))).
  { intros i j _ _. unfold weight, root', r. specialize (Hs i j). field. lra. }
  apply psd_scale; [left; now apply Rinv_0_lt_compat|].
  apply (psd_limit n (fun m i j => atan (r i j * INR m) * r i j)).
  - intros m. apply (psd_grows n (fun t i j => atan (r i j * t) * r i j)
      (fun t i j => 1 / (1 + t ^ 2 + dist d Y i j)) (INR m) (pos_INR m)).
    + intros i j t.
      assert (H1 : derivable_pt_lim (fun t => atan (r i j * t)) t (/ (1 + (r i j * t) ^ 2) * r i j)).
      { apply (derivable_pt_lim_comp (fun t => r i j * t) atan); [|apply derivable_pt_lim_atan].
        assert (H0 := derivable_pt_lim_scal id (r i j) t 1 (derivable_pt_lim_id t)).
        rewrite Rmult_1_r in H0. exact H0. }
      apply (derivable_pt_lim_scal _ (r i j)) in H1.
      replace (r i j * (/ (1 + (r i j * t) ^ 2) * r i j)) with (1 / (1 + t ^ 2 + dist d Y i j)) in H1.
      * apply (derivable_pt_lim_ext _ _ t _) with (2 := H1). intros z. unfold mult_real_fct. ring.
      * assert (H := dist_nonneg d Y i j).
        assert (Hq : r i j * r i j = / (1 + dist d Y i j)).
        { unfold r. rewrite <- Rinv_mult. f_equal. apply sqrt_sqrt. lra. }
        replace ((r i j * t) ^ 2) with (r i j * r i j * t ^ 2) by ring.
        replace (r i j * (/ (1 + r i j * r i j * t ^ 2) * r i j))
          with (r i j * r i j * / (1 + r i j * r i j * t ^ 2)) by ring.
        rewrite Hq. assert (H2 := pow2_ge_0 t). field. nra.
    + intros t _. apply psd_over; [|apply psd_one]. assert (H2 := pow2_ge_0 t). lra.
    + intros i j. rewrite Rmult_0_r, atan_0. ring.
  - intros i j. apply CV_mult; [now apply atan_limit|apply limit_const].
Qed.

(* Any limit of mixtures of exp(- s z), s >= 0: by Bernstein's theorem (not proved here) these are
   the completely monotone functions. *)
Theorem kernel_mixture w (size : nat -> nat) (c s : nat -> nat -> R) :
  (forall m l, 0 <= c m l /\ 0 <= s m l) ->
  (forall z, 0 <= z -> Un_cv (fun m => sum (size m) (fun l => c m l * exp (- (s m l * z)))) (w z)) ->
  kernel w.
Proof.
  intros Hc Hl n d Y.
  apply (psd_limit n (fun m i j => sum (size m) (fun l => c m l * exp (- (s m l * dist d Y i j))))).
  - intros m. generalize (size m). intros t. induction t as [|t IH]; simpl.
    + intros u. rewrite (sum2_ext n _ (fun _ _ => 0 * 0)) by (intros; ring). rewrite sum2_scale. lra.
    + apply (psd_add n _ _ IH). destruct (Hc m t).
      apply psd_scale; [assumption|].
      apply (psd_ext n (fun i j => exp (- (s m t * dist d Y i j)) * 1)); [intros; ring|].
      apply psd_gaussian_times; [assumption|apply psd_one].
  - intros i j. apply Hl, dist_nonneg.
Qed.
