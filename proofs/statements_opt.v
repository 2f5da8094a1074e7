(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* What the claims opt.* rest on, stated again; the convention is that of statements.v. *)

From Coq Require Import Reals List.
From Attest Require Import sums model.
Open Scope R_scope.
